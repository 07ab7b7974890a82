//! The command line of `dtau verify`.

use super::{Format, RobotArgs};
use clap::Parser;
use std::path::PathBuf;

/// Verify dtau on a robot: are the derivatives right?
///
/// Compares the library's derivatives, entry by entry, with complex-step differentiation at random states, and checks
/// identities between the algorithms. The exit code is 1 if anything is out of tolerance. `dtau check` checks the
/// robot itself.
#[derive(Debug, Parser)]
#[command(after_long_help = VERIFY_HELP)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// A TOML or JSON file of constraints: their functions are verified too; see `dtau eval --help`
    #[arg(long, value_name = "FILE")]
    pub constraints: Option<PathBuf>,

    /// Number of random states
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub states: u32,

    /// Seed of the random states
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write a page with heat maps of the matrices
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

const VERIFY_HELP: &str = "\
Errors are differences from complex-step differentiation, scaled by the rounding error that no method can avoid:
  ∂τ, M        the largest entry of the row
  ∂q̈, M⁻¹     the same row of |M⁻¹| |M| |X|: the effect of rounding M once (Skeel)
Where large terms cancel, as for a balanced wheel, 64 roundings of the terms count as 1e-12.
A scaled error may be at most 1e-12.

Examples:
  dtau verify humanoid --root floating
  dtau verify path/to/robot.urdf --html robot.html
  dtau verify quadruped --root floating --constraints feet.toml
  dtau verify arm7_gripper --states 1000 --format json";
