//! The command line of `dtau check`.

use super::{Format, RobotArgs};
use clap::{ArgAction, Parser};
use std::path::PathBuf;

/// Check a robot: is its description plausible?
///
/// Reports faults of the robot, worst first, each with its line and a remedy: inertias that are not physical, masses
/// and units that look wrong, left and right sides that differ, joints that cannot hold the robot's weight, damping
/// that needs short time steps. Tables of links and joints follow. `dtau verify` verifies dtau on the robot.
#[derive(Debug, Parser)]
#[command(after_long_help = CHECK_HELP)]
pub struct CheckArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// Exit with code 1 for warnings too
    #[arg(long, action = ArgAction::SetTrue)]
    pub strict: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Print JSON, as --format json does
    #[arg(long, action = ArgAction::SetTrue)]
    pub json: bool,

    /// Write the report as a page, with a drawing of the inertias
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Open the page in a browser
    #[arg(long, action = ArgAction::SetTrue)]
    pub open: bool,
}

const CHECK_HELP: &str = "\
Exit codes:
  0   no errors (with --strict: no warnings either)
  1   errors: something is impossible, such as an inertia that violates the triangle inequality
  2   the robot cannot be read

Examples:
  dtau check path/to/robot.urdf
  dtau check path/to/robot.urdf --open
  dtau check humanoid --root floating --html humanoid.html
  dtau check arm7_gripper --strict --json";
