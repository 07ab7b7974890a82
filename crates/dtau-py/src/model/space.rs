//! The configuration space: neutral and random configurations. ⊕, ⊖ and their derivatives are functions of the list.

use super::PyModel;
use crate::arrays;
use dtau::Random;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;

/// Functions of the list that are methods of a model.
pub(crate) const METHODS: &[&str] =
    &["integrate", "difference", "integrate_derivatives", "difference_derivatives", "normalise"];

#[pymethods]
impl PyModel {
    /// Returns the configuration with every joint at zero: an array of shape (nq,).
    ///
    /// >>> import dtau
    /// >>> dtau.Model.bundled("quadruped", root="floating").neutral()[:7].tolist()
    /// [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    fn neutral<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.model.neutral())
    }

    /// Draws random configurations: within the limits if there are any, otherwise angles in ±π and positions in ±1 m.
    ///
    /// Parameters
    /// ----------
    /// rng : numpy.random.Generator or int
    ///     A generator (one number is drawn from it), or a seed.
    /// shape : int or tuple of int
    ///     Number of configurations; () gives a single one.
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
}

/// Returns a seed: the number itself, or one drawn from a generator.
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
        // Integers, but not a valid shape.
        if shape.is_instance_of::<PyInt>() || shape.extract::<Vec<i128>>().is_ok() {
            return PyValueError::new_err(format!("`shape` is {shape}; {must}"));
        }
        PyTypeError::new_err(format!("`shape` is {}; {must}", arrays::describe(shape)))
    })
}
