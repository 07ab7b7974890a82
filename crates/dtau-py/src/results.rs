//! Results with names: the classes of `dtau._results`.

use crate::arrays::{describe, try_array};
use pyo3::Borrowed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyModule, PyTuple};

/// What a function returns.
#[derive(Clone, Copy)]
pub(crate) enum Results {
    /// The array itself.
    Array,
    /// A named tuple of arrays, of this class.
    Named(&'static str),
}

impl Results {
    /// The arrays of `out=` as they are kept there, if there are as many as results.
    #[inline]
    pub(crate) fn look<'a, 'py, const O: usize>(
        self,
        out: &'a Bound<'py, PyAny>,
    ) -> Option<[Borrowed<'a, 'py, PyAny>; O]> {
        match self {
            Results::Array => Some([out.as_borrowed(); O]),
            Results::Named(_) => {
                let tuple = out.cast::<PyTuple>().ok().filter(|tuple| tuple.len() == O)?;
                try_array(|k| tuple.get_borrowed_item(k)).ok()
            }
        }
    }

    /// The arrays of `out=`, one for each result.
    pub(crate) fn split<'py, const O: usize>(
        self,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<[Option<Bound<'py, PyAny>>; O]> {
        let (Results::Named(class), Some(given)) = (self, out) else {
            return Ok([const { None }; O].map(|_: Option<()>| out.cloned()));
        };
        let items = given.cast::<PyTuple>().ok().filter(|tuple| tuple.len() == O);
        let Some(items) = items else {
            let got = describe(given);
            return Err(PyTypeError::new_err(format!("`out` is {got}; it must be a dtau.{class}, as a call returns")));
        };
        let mut split = [const { None }; O];
        for (item, slot) in items.iter().zip(&mut split) {
            *slot = Some(item);
        }
        Ok(split)
    }

    /// What the caller gets.
    pub(crate) fn give<'py, const O: usize>(
        self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
        arrays: [Bound<'py, PyAny>; O],
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(out) = out {
            return Ok(out.clone());
        }
        match self {
            Results::Array => Ok(arrays.into_iter().next().expect("a result")),
            Results::Named(class) => named(py, class, arrays),
        }
    }
}

/// A named tuple of `dtau._results`.
pub(crate) fn named<'py, const N: usize>(
    py: Python<'py>,
    class: &str,
    fields: [Bound<'py, PyAny>; N],
) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("dtau._results").map(Bound::unbind))?;
    // `tuple.__new__` directly: the class's own `__new__` is Python code that does nothing but call it.
    let new = NEW.get_or_try_init(py, || py.get_type::<PyTuple>().getattr("__new__").map(Bound::unbind))?;
    new.bind(py).call1((module.bind(py).getattr(class)?, PyTuple::new(py, fields)?))
}
