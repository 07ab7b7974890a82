//! The command `dtau` as part of the package: `python/dtau/__main__.py` calls it. `python/dtau/view.py` runs
//! `dtau show`.

use crate::model::PyModel;
use dtau::model::Model;
use dtau_cli::args::ShowArgs;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command and returns its exit code. The first argument is the name of the program.
#[pyfunction(name = "_command")]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| dtau_cli::command_with(arguments, Some(&show)))
}

fn show(model: Model, args: &ShowArgs) -> Result<(), String> {
    let ShowArgs { save, frames, inertias, port, no_open, .. } = args;
    Python::attach(|py| {
        let given = (PyModel::new(model), save.as_deref(), frames.clone(), *inertias, *port, !no_open);
        let shown = py.import("dtau.view").and_then(|view| view.getattr("_command")?.call1(given));
        shown.map(drop).map_err(|error| error.value(py).to_string())
    })
}
