//! Converts dtau's errors to Python exceptions.

use dtau::{Error, ErrorKind};
use pyo3::exceptions::{PyMemoryError, PyNotImplementedError, PyOSError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(dtau._errors, UnknownNameError);
import_exception!(numpy.linalg, LinAlgError);

/// Returns the exception for an error. Its kind decides the type, and the message is kept.
pub(crate) fn exception(error: &Error) -> PyErr {
    with_message(error.kind(), error.to_string())
}

/// Returns the exception for a kind of error.
pub(crate) fn with_message(kind: ErrorKind, message: String) -> PyErr {
    match kind {
        ErrorKind::UnknownName => UnknownNameError::new_err(message),
        ErrorKind::Singular => LinAlgError::new_err(message),
        ErrorKind::Unsupported => PyNotImplementedError::new_err(message),
        ErrorKind::Io => PyOSError::new_err(message),
        ErrorKind::Memory => PyMemoryError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// Adds `result.or_raise()?` for functions that Python calls.
pub(crate) trait OrRaise<T> {
    /// Returns the value, or raises the exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| exception(&error))
    }
}
