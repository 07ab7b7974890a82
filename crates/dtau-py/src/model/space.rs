//! The configuration space: ⊕, ⊖ and their derivatives.

use super::PyModel;
use crate::arrays;
use crate::functions::Method;
use dtau::Random;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;

static INTEGRATE: Method = Method::new("integrate");
static DIFFERENCE: Method = Method::new("difference");
static INTEGRATE_DERIVATIVES: Method = Method::new("integrate_derivatives");
static DIFFERENCE_DERIVATIVES: Method = Method::new("difference_derivatives");
static NORMALISE: Method = Method::new("normalise");

/// A keyword that may be left out.
type Maybe<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

#[pymethods]
impl PyModel {
    /// The configuration with every joint at zero: an array of shape (nq,).
    ///
    /// >>> import dtau
    /// >>> dtau.Model.bundled("quadruped", root="floating").neutral()[:7].tolist()
    /// [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    fn neutral<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.model.neutral())
    }

    /// Random configurations: within the limits where there are any, otherwise angles in ±π and positions in ±1 m.
    ///
    /// Parameters
    /// ----------
    /// rng : numpy.random.Generator or int
    ///     A generator, of which one number is drawn, or a seed.
    /// shape : int or tuple of int
    ///     How many; () is one.
    ///
    /// Returns
    /// -------
    /// array of shape (\*shape, nq)
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> model.random(np.random.default_rng(0), (10, 20)).shape
    /// (10, 20, 6)
    /// >>> np.array_equal(model.random(7), model.random(7))
    /// True
    #[pyo3(signature = (rng, shape=None))]
    fn random<'py>(&self, rng: &Bound<'py, PyAny>, shape: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let (py, mut random) = (rng.py(), Random::seeded(seed(rng)?));
        let mut axes = match shape {
            None => Vec::new(),
            Some(shape) => lead(shape)?,
        };
        axes.push(self.model.nq());
        let count = axes.iter().try_fold(1_usize, |product, &n| product.checked_mul(n.max(1)));
        if count.is_none_or(|n| n > isize::MAX as usize / 8) {
            return Err(PyMemoryError::new_err(
                "there is no memory for so many configurations; give a smaller `shape`",
            ));
        }
        let all = arrays::empty::<f64>(py, &axes)?;
        {
            let mut numbers = all.try_readwrite().map_err(PyErr::from)?;
            let numbers = numbers.as_slice_mut().map_err(PyErr::from)?;
            for (k, q) in numbers.chunks_exact_mut(self.model.nq().max(1)).enumerate() {
                q.copy_from_slice(&self.model.random_configuration(&mut random));
                if k % 4096 == 4095 {
                    py.check_signals()?;
                }
            }
        }
        Ok(all.into_any())
    }

    /// q ⊕ v: from q, move with the velocity v for one unit of time.
    ///
    /// Parameters
    /// ----------
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// v : array of shape (nv,) or (..., nv)
    ///     A tangent, such as ``velocity * dt``; in the body's axes for joints with quaternions.
    ///
    /// Returns
    /// -------
    /// array of shape (nq,) or (..., nq)
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("quadruped", root="floating")
    /// >>> q, v = model.random(0), np.linspace(-1, 1, model.nv)
    /// >>> np.allclose(model.difference(q, model.integrate(q, v)), v)
    /// True
    #[pyo3(signature = (q, v, *, out=None))]
    fn integrate<'py>(
        slf: &Bound<'py, Self>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        out: Maybe<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        INTEGRATE.call(slf, [q, v], out)
    }

    /// q1 ⊖ q0: the velocity that leads from q0 to q1 in one unit of time.
    ///
    /// Parameters
    /// ----------
    /// q0, q1 : arrays of shape (nq,) or (..., nq)
    ///     Configurations [rad, m].
    ///
    /// Returns
    /// -------
    /// array of shape (nv,) or (..., nv)
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> model.difference(model.neutral(), model.neutral()).tolist()
    /// [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    #[pyo3(signature = (q0, q1, *, out=None))]
    fn difference<'py>(
        slf: &Bound<'py, Self>,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        out: Maybe<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        DIFFERENCE.call(slf, [q0, q1], out)
    }

    /// The derivatives of q ⊕ v by q and by v, along tangent directions.
    ///
    /// Returns
    /// -------
    /// dtau.IntegrateDerivatives
    ///     ``.by_q`` and ``.by_v``, block-diagonal, each of shape (nv, nv) or (..., nv, nv).
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("quadruped", root="floating")
    /// >>> d = model.integrate_derivatives(model.neutral(), np.zeros(model.nv))
    /// >>> np.allclose(d.by_q, np.eye(model.nv)), np.allclose(d.by_v, np.eye(model.nv))
    /// (True, True)
    #[pyo3(signature = (q, v, *, out=None))]
    fn integrate_derivatives<'py>(
        slf: &Bound<'py, Self>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        out: Maybe<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        INTEGRATE_DERIVATIVES.call(slf, [q, v], out)
    }

    /// The derivatives of q1 ⊖ q0 by q0 and by q1, along tangent directions.
    ///
    /// Returns
    /// -------
    /// dtau.DifferenceDerivatives
    ///     ``.by_q0`` and ``.by_q1``, block-diagonal, each of shape (nv, nv) or (..., nv, nv).
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("quadruped", root="floating")
    /// >>> q = model.random(0)
    /// >>> np.allclose(model.difference_derivatives(q, q).by_q0, -np.eye(model.nv))
    /// True
    #[pyo3(signature = (q0, q1, *, out=None))]
    fn difference_derivatives<'py>(
        slf: &Bound<'py, Self>,
        q0: &Bound<'py, PyAny>,
        q1: &Bound<'py, PyAny>,
        out: Maybe<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        DIFFERENCE_DERIVATIVES.call(slf, [q0, q1], out)
    }

    /// q with every quaternion scaled to unit length.
    ///
    /// >>> import dtau
    /// >>> model = dtau.Model.bundled("quadruped", root="floating")
    /// >>> q = model.neutral()
    /// >>> q[3:7] = [0, 0, 3, 4]
    /// >>> model.normalise(q)[3:7].round(12).tolist()
    /// [0.0, 0.0, 0.6, 0.8]
    #[pyo3(signature = (q, *, out=None))]
    fn normalise<'py>(
        slf: &Bound<'py, Self>,
        q: &Bound<'py, PyAny>,
        out: Maybe<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        NORMALISE.call(slf, [q], out)
    }
}

/// A seed: the number itself, or one drawn from a generator.
fn seed(rng: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(seed) = rng.extract::<u64>() {
        return Ok(seed);
    }
    let draw = || rng.call_method1("integers", (0, i64::MAX))?.extract::<u64>();
    draw().map_err(|_| {
        let got = crate::arrays::describe(rng);
        PyTypeError::new_err(format!(
            "`rng` is {got}; it must be a numpy.random.Generator or a seed from 0 to 2**64 − 1"
        ))
    })
}

fn lead(shape: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let one = shape.extract::<usize>().map(|n| vec![n]);
    one.or_else(|_| shape.extract()).map_err(|_| {
        let must = "it must be a number of configurations, 0 or more, or a tuple of such";
        // Whole numbers, but not of something.
        if shape.is_instance_of::<PyInt>() || shape.extract::<Vec<i128>>().is_ok() {
            return PyValueError::new_err(format!("`shape` is {shape}; {must}"));
        }
        PyTypeError::new_err(format!("`shape` is {}; {must}", arrays::describe(shape)))
    })
}
