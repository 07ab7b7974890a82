//! `dtau show`: a robot in the browser. The viewer is in the Python package, which calls the command with it.

use crate::args::ShowArgs;
use crate::failure::Failure;
use crate::robot;
use dtau::model::Model;
use std::process::ExitCode;

/// Shows a robot, or says in a sentence why it does not.
pub type Viewer = dyn Fn(Model, &ShowArgs) -> Result<(), String> + Sync;

const MISSING: &str =
    "the viewer is part of the Python package; in a clone of dtau, install it by pip install '.[view]'";

pub fn run(args: &ShowArgs, viewer: Option<&Viewer>) -> Result<ExitCode, Failure> {
    let viewer = viewer.ok_or_else(|| Failure::input(MISSING))?;
    viewer(robot::load(&args.robot)?, args).map_err(Failure::input)?;
    Ok(ExitCode::SUCCESS)
}
