//! The command line of `dtau generate`.

use super::{ReferenceArg, RobotArgs};
use crate::functions;
use clap::{Parser, ValueEnum};
use dtau::Declaration;
use std::path::PathBuf;

/// Generate code for one robot: functions of the library as plain C, as Rust, or for CasADi.
///
/// Functions are those of `dtau eval --help`; each is recorded on this robot, simplified, and written without loops over joints. The code
/// needs no library, allocates nothing and is yours.
#[derive(Debug, Parser)]
#[command(after_long_help = GENERATE_HELP)]
pub struct GenerateArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// What to generate: functions by name, separated by commas
    #[arg(long, value_name = "LIST", value_parser = functions::named, value_delimiter = ',', required = true)]
    pub what: Vec<&'static Declaration>,

    /// The language
    #[arg(long, value_enum)]
    pub lang: Language,

    /// The directory for the files; it is made if need be
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// A frame, for functions of frames; may be given again: one function for each
    #[arg(long = "frame", value_name = "NAME")]
    pub frames: Vec<String>,

    /// A TOML or JSON file with what is held, for functions of constraints; see `dtau eval --help`
    #[arg(long, value_name = "FILE")]
    pub constraints: Option<PathBuf>,

    /// Axes and point of velocities, accelerations and Jacobians of frames
    #[arg(long, value_enum, default_value_t = ReferenceArg::LocalWorldAligned)]
    pub reference: ReferenceArg,

    /// The numbers that the code computes in
    #[arg(long, value_enum, default_value_t = PrecisionArg::F64)]
    pub precision: PrecisionArg,

    /// Functions for many states in C, so many side by side: 4, or 8 of f32
    #[arg(long, value_name = "N", value_parser = ["4", "8"])]
    pub lanes: Option<String>,

    /// Where the robot's numbers are
    #[arg(long, value_enum, default_value_t = ParamsArg::Table)]
    pub params: ParamsArg,

    /// A link that may carry payloads: all its inertial numbers go to the table; may be given again
    #[arg(long = "payload", value_name = "LINK")]
    pub payloads: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// One module without dependencies
    Rust,
    /// C99: a header and a source
    C,
    /// C with CasADi's interface for external functions and exact derivatives: first of all, second of aba and rnea
    Casadi,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrecisionArg {
    /// Double
    F64,
    /// Single
    F32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ParamsArg {
    /// In a table beside the code, which may be changed while it runs
    Table,
    /// In the code
    Baked,
}

const GENERATE_HELP: &str = "\
Examples:
  dtau generate arm7_gripper --what aba,fd-derivatives --lang c --out generated
  dtau generate quadruped --root floating --what constrained_fd --constraints feet.toml --lang c --out generated
  dtau generate quadruped --root floating --what rnea,crba --lang c --lanes 4 --out generated
  dtau generate arm6 --what rnea --lang c --precision f32 --payload tool0 --out generated
  dtau generate arm7_gripper --what frame-jacobian --frame grasp --reference world --lang c --out generated
  dtau generate arm7_gripper --what aba,rnea --lang casadi --out generated";
