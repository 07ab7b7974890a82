//! Results with names: the classes of `dtau._results`.

use crate::arrays::{Few, Given, describe, python_name};
use crate::text;
use dtau::{Arg, Declaration, Size};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

/// Return value of a function: an array, or a named tuple of arrays.
pub(crate) struct Results {
    count: usize,
    /// Class of the tuple.
    class: Option<Py<PyAny>>,
}

impl Results {
    pub(crate) fn new(py: Python<'_>, declaration: &'static Declaration) -> PyResult<Self> {
        let class = || {
            let field = |arg: &Arg| {
                let of_type = if arg.size == Size::Fixed(1) { "Scalar" } else { "Array" };
                (python_name(arg.name), text::field(declaration, arg), of_type)
            };
            let fields: Vec<_> = declaration.outputs.iter().map(field).collect();
            let (class, documentation) = text::class(declaration);
            let arguments = (declaration.name, class, documentation, fields);
            PyResult::Ok(py.import("dtau._results")?.call_method1("_class_of", arguments)?.unbind())
        };
        let count = declaration.outputs.len();
        Ok(Self { count, class: (count > 1).then(class).transpose()? })
    }

    /// Returns the number of arrays.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    #[inline]
    pub(crate) fn have_names(&self) -> bool {
        self.class.is_some()
    }

    /// Returns the name of the tuple, if it is one.
    pub(crate) fn name(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.class.as_ref().map(|class| class.getattr(py, "__name__")?.extract(py)).transpose()
    }

    /// Returns the arrays of `out=`, if their number is that of the results.
    #[inline(always)]
    pub(crate) fn look<'a, 'py>(&self, out: &'a Bound<'py, PyAny>) -> Option<Few<Given<'a, 'py>>> {
        if !self.have_names() {
            return Few::new(1, |_| Ok::<_, ()>(out.as_borrowed())).ok();
        }
        let tuple = out.cast::<PyTuple>().ok().filter(|tuple| tuple.len() == self.count())?;
        Few::new(self.count(), |k| tuple.get_borrowed_item(k)).ok()
    }

    /// Same, or an error with the reason.
    pub(crate) fn split<'a, 'py>(&self, out: Option<&'a Bound<'py, PyAny>>) -> PyResult<Option<Few<Given<'a, 'py>>>> {
        let Some(out) = out else { return Ok(None) };
        if let Some(arrays) = self.look(out) {
            return Ok(Some(arrays));
        }
        let (got, class) = (describe(out), self.name(out.py())?.unwrap_or_default());
        Err(PyTypeError::new_err(format!("`out` is {got}; it must be a dtau.{class}, as a call returns")))
    }

    /// Returns new arrays to the caller: an array, or a tuple.
    #[inline]
    pub(crate) fn give<'py, T>(&self, py: Python<'py>, arrays: Few<Bound<'py, T>>) -> PyResult<Bound<'py, PyAny>> {
        let mut arrays = arrays.into_iter().map(Bound::into_any);
        let Some(class) = &self.class else { return Ok(arrays.next().expect("a result")) };
        // Calls `tuple.__new__` directly: the class's own `__new__` is Python code that only calls it.
        static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let new = NEW.get_or_try_init(py, || py.get_type::<PyTuple>().getattr("__new__").map(Bound::unbind))?;
        let arrays = arrays.collect::<Vec<_>>();
        new.bind(py).call1((class, PyTuple::new(py, arrays)?))
    }
}
