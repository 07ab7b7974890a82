//! Inertial parameters of links: physical consistency and identifiability.

use crate::arrays::shape_text;
use crate::errors::OrRaise;
use crate::model::PyModel;
use crate::numbers::numbers;
use dtau::parameters::{self, BaseParameters};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The base parameters of a robot: the identifiable combinations of inertial parameters. Made by
/// ``model.base_parameters()``.
///
/// With ``base = model.base_parameters()``, ``Y @ pi == Y[:, base.independent] @ base(pi)`` at every state.
/// The number of columns is minimal.
#[pyclass(name = "BaseParameters", module = "dtau", frozen)]
pub struct PyBaseParameters(BaseParameters);

#[pymethods]
impl PyBaseParameters {
    /// Indices of the independent columns of the regressor, (rank,). The others are linear combinations of them.
    #[getter]
    fn independent<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.0.independent().iter().map(|&k| k as i64))
    }

    /// P with π_base = P π, (rank, 10 links).
    #[getter]
    fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (rows, columns) = (self.0.len(), self.0.count());
        let mut entries = vec![0.0; rows * columns];
        for row in 0..rows {
            for &(column, factor) in self.0.combination(row) {
                entries[row * columns + column] = factor;
            }
        }
        PyArray1::from_vec(py, entries).reshape([rows, columns])
    }

    /// Name of each parameter: ``"Izz(upper_arm) + 0.09 m(forearm)"``.
    ///
    /// ``m`` is the mass of a link, ``mx``, ``my``, ``mz`` its first moment and ``Ixx`` … ``Izz`` its
    /// rotational inertia about its origin.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, (0..self.0.len()).map(|k| self.0.name(k)).collect::<Vec<_>>())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Computes π_base from the parameters of all links.
    fn __call__<'py>(&self, py: Python<'py>, parameters: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (shape, numbers) = numbers("parameters", parameters)?;
        if shape != [self.0.count()] {
            let (got, want) = (shape_text(&shape), self.0.count());
            return Err(PyValueError::new_err(format!(
                "`parameters` has shape {got}; it must be ({want},), ten a link"
            )));
        }
        Ok(PyArray1::from_vec(py, self.0.of(&numbers)))
    }

    fn __repr__(&self) -> String {
        format!("<dtau.BaseParameters: {} of {}>", self.0.len(), self.0.count())
    }
}

#[pymethods]
impl PyModel {
    /// Returns the base parameters of this robot under its gravity: the identifiable combinations of inertial
    /// parameters.
    ///
    /// They follow from the robot's structure. Armature, damping and friction are not included.
    ///
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> base = model.base_parameters()
    /// >>> base
    /// <dtau.BaseParameters: 36 of 80>
    /// >>> Y = dtau.joint_torque_regressor(model, model.neutral(), np.ones(6), np.ones(6))
    /// >>> np.allclose(Y @ model.inertial_parameters, Y[:, base.independent] @ base(model.inertial_parameters))
    /// True
    fn base_parameters(&self) -> PyBaseParameters {
        PyBaseParameters(self.model.base_parameters())
    }

    /// Checks that the parameters (ten for each link as in ``inertial_parameters``) are physically
    /// consistent. Otherwise raises ValueError with the link, the problem and a remedy.
    ///
    /// >>> import dtau
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> model.check_parameters(model.inertial_parameters)
    fn check_parameters(&self, parameters: &Bound<'_, PyAny>) -> PyResult<()> {
        let (_, numbers) = numbers("parameters", parameters)?;
        self.model.check_parameters(&numbers).or_raise()
    }

    /// Returns this robot with other inertial parameters, ten for each link as in ``inertial_parameters``.
    ///
    /// >>> import dtau
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> round(model.with_parameters(2 * model.inertial_parameters).mass / model.mass, 12)
    /// 2.0
    fn with_parameters(&self, parameters: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (_, numbers) = numbers("parameters", parameters)?;
        Ok(Self::new(self.model.with_parameters(&numbers).or_raise()?))
    }
}

/// Reads ten numbers.
fn ten(name: &str, given: &Bound<'_, PyAny>) -> PyResult<[f64; 10]> {
    let (shape, numbers) = numbers(name, given)?;
    let wrong = || PyValueError::new_err(format!("`{name}` has shape {}; it must be (10,)", shape_text(&shape)));
    if shape.len() != 1 { Err(wrong()) } else { numbers[..].try_into().map_err(|_| wrong()) }
}

/// Returns the pseudo-inertia matrix of the ten parameters of a link, (4, 4). It is positive definite for
/// every body with a volume.
///
/// >>> import dtau, numpy as np
/// >>> J = dtau.pseudo_inertia(dtau.Model.bundled("arm6").inertial_parameters[10:20])
/// >>> bool(np.all(np.linalg.eigvalsh(J) > 0))
/// True
#[pyfunction]
pub fn pseudo_inertia<'py>(py: Python<'py>, parameters: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let pseudo = parameters::pseudo_inertia(&ten("parameters", parameters)?);
    PyArray1::from_slice(py, pseudo.as_flattened()).reshape([4, 4])
}

/// Returns the ten parameters of a link from its pseudo-inertia matrix, (4, 4).
///
/// >>> import dtau, numpy as np
/// >>> pi = dtau.Model.bundled("arm6").inertial_parameters[10:20]
/// >>> np.allclose(dtau.from_pseudo_inertia(dtau.pseudo_inertia(pi)), pi)
/// True
#[pyfunction]
pub fn from_pseudo_inertia<'py>(py: Python<'py>, pseudo: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (shape, x) = numbers("pseudo", pseudo)?;
    if shape != [4, 4] {
        let got = shape_text(&shape);
        return Err(PyValueError::new_err(format!("`pseudo` has shape {got}; it must be (4, 4)")));
    }
    let rows = std::array::from_fn(|i| std::array::from_fn(|j| x[4 * i + j]));
    Ok(PyArray1::from_slice(py, &parameters::from_pseudo_inertia(&rows)))
}

/// Returns the log-Cholesky parameters (α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃) of a link from its ten parameters.
///
/// Raises ValueError if these are not physically consistent, or if the body has no volume, such as a thin plate.
///
/// >>> import dtau, numpy as np
/// >>> pi = dtau.Model.bundled("arm6").inertial_parameters[10:20]
/// >>> np.allclose(dtau.from_log_cholesky(dtau.log_cholesky(pi)), pi)
/// True
#[pyfunction]
pub fn log_cholesky<'py>(py: Python<'py>, parameters: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let theta = parameters::log_cholesky(&ten("parameters", parameters)?).or_raise()?;
    Ok(PyArray1::from_slice(py, &theta))
}

/// Returns the ten parameters of a link from its log-Cholesky parameters. The result is always physically consistent.
///
/// >>> import dtau
/// >>> dtau.from_log_cholesky([0] * 10).tolist()
/// [1.0, 0.0, 0.0, 0.0, 2.0, -0.0, 2.0, -0.0, -0.0, 2.0]
#[pyfunction]
pub fn from_log_cholesky<'py>(py: Python<'py>, theta: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(PyArray1::from_slice(py, &parameters::from_log_cholesky(&ten("theta", theta)?)))
}

/// Returns the derivative of :func:`dtau.from_log_cholesky`, (10, 10): rows are the parameters of the link,
/// columns are θ.
///
/// >>> import dtau, numpy as np
/// >>> theta, step = np.linspace(-0.5, 0.5, 10), 1e-6 * np.eye(10)[3]
/// >>> difference = (dtau.from_log_cholesky(theta + step) - dtau.from_log_cholesky(theta - step)) / 2e-6
/// >>> np.allclose(dtau.log_cholesky_derivative(theta)[:, 3], difference)
/// True
#[pyfunction]
pub fn log_cholesky_derivative<'py>(py: Python<'py>, theta: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let d = parameters::log_cholesky_derivative(&ten("theta", theta)?);
    let by_rows: Vec<f64> = (0..100).map(|k| d[(k / 10, k % 10)]).collect();
    PyArray1::from_vec(py, by_rows).reshape([10, 10])
}
