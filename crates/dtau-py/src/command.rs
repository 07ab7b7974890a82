//! The command `dtau`, so that the package brings it: `python/dtau/__main__.py` calls it.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command; the first argument is the name it was called by. Returns its exit code.
#[pyfunction(name = "_command")]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| dtau_cli::command(arguments))
}
