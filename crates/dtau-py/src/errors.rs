//! dtau's errors as Python's exceptions.

use dtau::{Error, ErrorKind};
use pyo3::exceptions::{PyMemoryError, PyNotImplementedError, PyOSError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(dtau._errors, UnknownNameError);
import_exception!(numpy.linalg, LinAlgError);

/// The exception for an error: its kind decides the type, the message stays.
pub(crate) fn exception(error: &Error) -> PyErr {
    with_message(error.kind(), error.to_string())
}

/// The exception for a kind of error.
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

/// `result.or_raise()?` in functions that Python calls.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| exception(&error))
    }
}
