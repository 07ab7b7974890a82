//! The command line of `dtau check`.

use super::{Format, RobotArgs};
use clap::Parser;
use std::path::PathBuf;

/// Check the dynamics of a robot: are its derivatives right?
///
/// Compares the library's derivatives, entry by entry, with complex step at random states; checks identities between the algorithms;
/// shows what is odd about the model. The exit code is 1 if anything is out of tolerance.
#[derive(Debug, Parser)]
#[command(after_long_help = CHECK_HELP)]
pub struct CheckArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// A TOML or JSON file with what is held: functions of constraints are checked too; see `dtau eval --help`
    #[arg(long, value_name = "FILE")]
    pub constraints: Option<PathBuf>,

    /// At how many random states
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub states: u32,

    /// Where the random states begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write a page with heat maps of the matrices
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

const CHECK_HELP: &str = "\
The error of an entry is its difference from complex step, in units of what can be asked for:
  ∂τ, M        the largest entry of its row: what was added up to make it
  ∂q̈, M⁻¹     the same row of |M⁻¹| |M| |X|: what rounding M once would change (Skeel)
Where large terms cancel, as for a balanced wheel, 64 roundings of what was added up count as 1e-12.
Errors must be within 1e-12 of that.

Examples:
  dtau check humanoid --root floating
  dtau check path/to/robot.urdf --html robot.html
  dtau check quadruped --root floating --constraints feet.toml
  dtau check arm7_gripper --states 1000 --format json";
