//! Inertial parameters of links: which of them a body can have, and which of them motions can tell.

use crate::arrays::shape_text;
use crate::errors::OrRaise;
use crate::model::PyModel;
use crate::numbers::numbers;
use dtau::parameters::{self, BaseParameters};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The combinations of inertial parameters that motions of a robot can tell apart: ``model.base_parameters()``.
///
/// With ``base = model.base_parameters()``, ``Y @ pi == Y[:, base.independent] @ base(pi)`` at every state, and no fewer columns would do.
#[pyclass(name = "BaseParameters", module = "dtau", frozen)]
pub struct PyBaseParameters(BaseParameters);

#[pymethods]
impl PyBaseParameters {
    /// The columns of the regressor that are independent, (rank,); the others are combinations of them.
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

    /// What each is, in words: ``"Izz(upper_arm) + 0.09 m(forearm)"``.
    ///
    /// ``m`` is the mass of a link, ``mx``, ``my``, ``mz`` its first moment and ``Ixx`` … ``Izz`` its rotational inertia about its origin.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, (0..self.0.len()).map(|k| self.0.name(k)).collect::<Vec<_>>())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// π_base of the parameters of all links.
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
    /// The combinations of inertial parameters that motions of this robot can tell apart, under its gravity.
    ///
    /// The robot's structure decides. Armature, damping and friction have parameters of their own, which are not looked at.
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

    /// Raises ValueError if no rigid bodies have these parameters, ten for every link as in ``inertial_parameters``: with the link, what is
    /// wrong, and what to do.
    ///
    /// >>> import dtau
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> model.check_parameters(model.inertial_parameters)
    fn check_parameters(&self, parameters: &Bound<'_, PyAny>) -> PyResult<()> {
        let (_, numbers) = numbers("parameters", parameters)?;
        self.model.check_parameters(&numbers).or_raise()
    }

    /// This robot with other inertial parameters, ten for every link as in ``inertial_parameters``.
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

/// Ten numbers.
fn ten(name: &str, given: &Bound<'_, PyAny>) -> PyResult<[f64; 10]> {
    let (shape, numbers) = numbers(name, given)?;
    let wrong = || PyValueError::new_err(format!("`{name}` has shape {}; it must be (10,)", shape_text(&shape)));
    if shape.len() != 1 { Err(wrong()) } else { numbers[..].try_into().map_err(|_| wrong()) }
}

/// The pseudo-inertia matrix of the ten parameters of a link, (4, 4): positive definite for every body that has a volume.
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

/// The ten parameters of a link from its pseudo-inertia matrix, (4, 4).
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

/// The log-Cholesky parameters (α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃) of a link from its ten parameters.
///
/// Raises ValueError if no rigid body has these, or only one without volume, such as a thin plate.
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

/// The ten parameters of a link from its log-Cholesky parameters: of a possible body, whatever these are.
///
/// >>> import dtau
/// >>> dtau.from_log_cholesky([0] * 10).tolist()
/// [1.0, 0.0, 0.0, 0.0, 2.0, -0.0, 2.0, -0.0, -0.0, 2.0]
#[pyfunction]
pub fn from_log_cholesky<'py>(py: Python<'py>, theta: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(PyArray1::from_slice(py, &parameters::from_log_cholesky(&ten("theta", theta)?)))
}

/// The derivative of :func:`dtau.from_log_cholesky`, (10, 10): rows by the parameters of the link, columns by θ.
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
