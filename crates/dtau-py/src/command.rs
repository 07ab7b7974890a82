//! The command `dtau` as part of the package: `python/dtau/__main__.py` calls it.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command and returns its exit code. The first argument is the name of the program.
#[pyfunction(name = "_command")]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| dtau_cli::command(arguments))
}
