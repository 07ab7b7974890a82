//! The command line.

mod bench;
mod check;
mod generate;
mod show;
mod verify;

pub use bench::BenchArgs;
pub use check::CheckArgs;
pub use generate::{GenerateArgs, Language, ParamsArg, PrecisionArg};
pub use show::ShowArgs;
pub use verify::VerifyArgs;

use crate::functions;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use dtau::model::{Ignore, JointOrder, MimicMode, Model, Options, Root};
use dtau::{Declaration, Scene};
use std::ffi::OsString;
use std::path::PathBuf;

/// Rigid-body dynamics and their exact derivatives.
///
/// Without a command: the dynamics of the bundled humanoid at a random state, with checks and times.
#[derive(Debug, Parser)]
#[command(name = "dtau", version, after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  dtau robots
  dtau info humanoid --root floating
  dtau info path/to/robot.urdf --format json
  dtau show path/to/robot.urdf
  dtau eval arm6 --state random --what rnea,crba
  dtau check path/to/robot.urdf --open
  dtau generate arm7_gripper --what aba,fd-derivatives --lang c --out generated
  echo '{\"q\": [0.3, -0.5], \"v\": [1, 2], \"tau\": [0, 0]}' |
    dtau eval double_pendulum --state - --what aba,energy --format table";

#[derive(Debug, Subcommand)]
pub enum Command {
    Info(InfoArgs),
    Show(ShowArgs),
    State(StateArgs),
    Eval(EvalArgs),
    Check(CheckArgs),
    Verify(VerifyArgs),
    Bench(BenchArgs),
    Generate(GenerateArgs),
    /// The papers' experiments: says where they are
    #[command(hide = true)]
    Paper(Rest),
    /// List the bundled robots
    Robots,
}

/// Arguments that are not read.
#[derive(Debug, Parser)]
pub struct Rest {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

/// Show a robot: its tree of joints, sizes, masses and warnings.
///
/// Only joints that move are shown; links behind fixed joints are part of the body that carries them. Depth counts the
/// joints from the world.
#[derive(Debug, Parser)]
pub struct InfoArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// Which combinations of the links' inertial parameters motions can tell apart
    #[arg(long)]
    pub parameters: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Write a state of a robot as JSON, to edit it and give it to `dtau eval`.
///
/// The state is the neutral one at rest, without torques. `comment` in it says which joint a number belongs to; `dtau eval` ignores it.
#[derive(Debug, Parser)]
#[command(after_help = STATE_EXAMPLES)]
pub struct StateArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// Write a random state, the one of `dtau eval --state random`
    #[arg(long)]
    pub random: bool,
}

const STATE_EXAMPLES: &str = "\
Examples:
  dtau state arm6 > state.json
  dtau eval arm6 --state state.json --what rnea";

/// Evaluate functions of the library at given states.
///
/// Vectors are in the order of `dtau info`; spatial vectors have their linear part first; a free-flyer has
/// q = [x y z, qx qy qz qw] and v in the axes of its link.
#[derive(Debug, Parser)]
#[command(after_long_help = eval_help())]
pub struct EvalArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// A JSON file with the state or states, - for standard input, or neutral, or random
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// What to evaluate: functions by name, separated by commas; see below
    #[arg(long, value_name = "LIST", value_parser = functions::named, value_delimiter = ',', required = true)]
    pub what: Vec<&'static Declaration>,

    /// A TOML or JSON file with what is held, for functions of constraints; see below
    #[arg(long, value_name = "FILE")]
    pub constraints: Option<PathBuf>,

    /// A frame, for functions of frames; may be given again; link:NAME, joint:NAME where both have one name [default: every link]
    #[arg(long = "frame", value_name = "NAME")]
    pub frames: Vec<String>,

    /// Axes and point of velocities, accelerations and Jacobians of frames
    #[arg(long, value_enum, default_value_t = ReferenceArg::LocalWorldAligned)]
    pub reference: ReferenceArg,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub format: Format,
}

fn eval_help() -> String {
    let functions = functions::help();
    format!("What can be evaluated, what it reads and what it writes:\n{functions}\n{STATES}\n{EVAL_EXAMPLES}")
}

const STATES: &str = "\
`dtau state ROBOT > state.json` writes a state to edit. A state is an object with what the functions read, by name; several are a
list of objects:
  {\"q\": [...], \"v\": [...], \"a\": [...], \"tau\": [...],
   \"wrenches\": [{\"frame\": \"left_sole\", \"axes\": \"world\", \"force\": [0, 0, 300], \"torque\": [0, 0, 0]}]}
\"axes\" is \"frame\" or \"world\". A wrench acts at the origin of its frame, or, with \"at\", at
  {\"in_frame\": [x, y, z]} or {\"in_world\": [x, y, z]}.
With --constraints: \"active\" has a number for each constraint, above zero if it acts [default: all do], and \"desired\" the motion along
their rows, {\"position\": [...], \"velocity\": [...], \"acceleration\": [...]}, zero where left out.
x of mass_times and mass_solve is a list of nv numbers, or of nv rows.

JSON output is one object a state, keyed by the names asked for: what a function writes by name, or the one thing it writes.
Functions of frames, and arrays over frames, have a member for each frame. Matrices are lists of rows; a placement is three
rows of four, rotation and origin.

A constraint file says what is held, where, and by what (the world, unless it says `with`):
  stabilise = { kp = 100, kd = 20 }
  [[constraint]]
  point = \"lf_foot\"                 # or frame = ..., or joints = { a = 1, b = -2 } with sum = 0
  here = true                       # where it is at the neutral configuration, or at q = [...] of the file; or
                                    # position = [x, y, z], plane, line, distance
Forces are on the frame that is held, along the rows; lambda has them in the order of the file.
";

const EVAL_EXAMPLES: &str = "\
Examples:
  dtau eval arm6 --state random --what rnea,fd_derivatives
  dtau state arm6 > state.json
  dtau eval arm6 --state state.json --what rnea,crba
  dtau eval quadruped --root floating --state states.json --what aba --no-damping --no-friction
  dtau eval quadruped --root floating --state state.json --what constrained_fd --constraints feet.toml
  dtau eval arm7_gripper --state - --what frame_jacobian --frame grasp --reference world < state.json";

/// Which robot, and how it is read.
#[derive(Debug, Parser)]
pub struct RobotArgs {
    /// A bundled robot (see `dtau robots`) or the path of a URDF or MJCF file
    #[arg(value_name = "ROBOT")]
    pub name: OsString,

    #[command(flatten)]
    pub model: ModelArgs,
}

/// How a robot is read, and what counts in its dynamics.
#[derive(Clone, Debug, Parser)]
pub struct ModelArgs {
    /// What carries the root link
    #[arg(long, value_enum, default_value_t = RootArg::Fixed)]
    pub root: RootArg,

    /// In which order siblings are numbered; alphabetical is Pinocchio's order
    #[arg(long, value_enum, default_value_t = OrderArg::File)]
    pub order: OrderArg,

    /// What becomes of joints that mimic others
    #[arg(long, value_enum, default_value_t = MimicArg::Honour)]
    pub mimic: MimicArg,

    /// Accept moving bodies without any inertia
    #[arg(long, action = ArgAction::SetTrue)]
    pub allow_massless: bool,

    /// Leave out an effect of an MJCF that dtau does not compute, with a warning; may be given again
    #[arg(long, value_name = "EFFECT", value_parser = effect())]
    pub ignore: Vec<Ignore>,

    /// Keep every digit of light, thin and far links in `aba` and `crba`; slower
    #[arg(long, action = ArgAction::SetTrue)]
    pub exact: bool,

    /// Leave out the joints' viscous damping
    #[arg(long, action = ArgAction::SetTrue)]
    pub no_damping: bool,

    /// Leave out the joints' Coulomb friction
    #[arg(long, action = ArgAction::SetTrue)]
    pub no_friction: bool,

    /// Leave out the rotor inertias
    #[arg(long, action = ArgAction::SetTrue)]
    pub no_armature: bool,
}

/// One of the effects that can be ignored.
fn effect() -> impl TypedValueParser<Value = Ignore> {
    PossibleValuesParser::new(Ignore::ALL.map(Ignore::name)).try_map(|name| Ignore::named(&name))
}

impl ModelArgs {
    /// Converts to options of the library.
    pub fn options(&self) -> Options {
        Options {
            root: match self.root {
                RootArg::Fixed => Root::Fixed,
                RootArg::Floating => Root::Floating,
            },
            order: match self.order {
                OrderArg::File => JointOrder::File,
                OrderArg::Alphabetical => JointOrder::Alphabetical,
            },
            mimic: match self.mimic {
                MimicArg::Honour => MimicMode::Honour,
                MimicArg::Free => MimicMode::Free,
            },
            allow_massless: self.allow_massless,
            exact: self.exact,
            ignore: self.ignore.clone(),
            ..Options::default()
        }
    }

    /// The scene with the joint effects that are not switched off.
    pub fn scene<'m>(&self, model: &'m Model) -> Scene<'m, f64> {
        model.scene().damping(!self.no_damping).friction(!self.no_friction).armature(!self.no_armature)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RootArg {
    /// It is welded to the world
    Fixed,
    /// It flies freely: a free-flyer called root_joint
    Floating,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrderArg {
    /// As they stand in the file
    File,
    /// By the name of the joint
    Alphabetical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MimicArg {
    /// They follow, and have no coordinates of their own
    Honour,
    /// They are joints like any other
    Free,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum ReferenceArg {
    /// The frame's axes, at its origin
    Local,
    /// The world's axes, at its origin
    World,
    /// The world's axes, at the frame's origin
    LocalWorldAligned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// For programs
    Json,
}
