//! The command line.

use crate::bench::BenchArgs;
use crate::check::CheckArgs;
use crate::paper::PaperArgs;
use crate::quantity::Name;
use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use dtau::Scene;
use dtau::model::{JointOrder, MimicMode, Model, Options, Root};
use std::ffi::OsString;
use std::path::PathBuf;

/// Rigid-body dynamics and their exact derivatives.
///
/// Without a command: evaluates the dynamics of the bundled humanoid at a random state, checks them against each other
/// and shows how long each takes.
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
  dtau eval arm6 --state state.json --what rnea,crba
  dtau check humanoid --root floating --html humanoid.html
  dtau paper --quick
  echo '{\"q\": [0.3, -0.5], \"v\": [1, 2], \"tau\": [0, 0]}' |
    dtau eval double_pendulum --state - --what aba,energy --format table";

#[derive(Debug, Subcommand)]
pub enum Command {
    Info(InfoArgs),
    Eval(EvalArgs),
    Check(CheckArgs),
    Bench(BenchArgs),
    Paper(PaperArgs),
    /// List the bundled robots
    Robots,
}

/// Show a robot: its tree of joints, sizes, masses and warnings.
///
/// Only joints that move are shown; links behind fixed joints are part of the body that carries them. Depth counts the
/// joints from the world.
#[derive(Debug, Parser)]
pub struct InfoArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Evaluate the dynamics of a robot at given states.
///
/// Vectors are in the order of `dtau info`; spatial vectors have their linear part first; a free-flyer has
/// q = [x y z, qx qy qz qw] and v in the axes of its link.
#[derive(Debug, Parser)]
#[command(after_long_help = EVAL_HELP)]
pub struct EvalArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// The state or states, as JSON; - is standard input
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,

    /// What to evaluate: one name or several, separated by commas
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', required = true, hide_possible_values = true)]
    pub what: Vec<Name>,

    /// The frames of kinematics, jacobians, jacobian_rates and kinematic-derivatives [default: all links]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub frames: Vec<String>,

    /// The method for id-derivatives, fd-derivatives or minverse, instead of dtau's own; see below
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub format: Format,
}

const EVAL_HELP: &str = "\
What can be evaluated, and what it needs of the state beside q:
  rnea            v a     torques τ of the accelerations a
  aba             v tau   accelerations of the torques tau
  bias            v       torques that keep the velocity: C v + g, and resistance of the joints
  gravity                 torques against gravity
  crba                    mass matrix M
  minverse                its inverse
  coriolis        v       Coriolis matrix C, with dM/dt = C + Cᵀ
  id-derivatives  v a     tau, dtau_dq, dtau_dv, dtau_da
  fd-derivatives  v tau   ddq, ddq_dq, ddq_dv, ddq_dtau
  kinematic-derivatives
                  v a     of frames (local, world, local_world_aligned): dv_dq, dv_dv, da_dq, da_dv, da_da;
                          com: dv_dq, dv_dv; centroidal: dh_dq, dhdot_dq, dhdot_dv, dhdot_da
  com                     position; velocity if there is v, acceleration if there is a too
  com_jacobian            3 × nv
  energy          v       kinetic, potential
  centroidal      v       momentum about the centre of mass and its matrix, 6 × nv
  mass                    of all that moves
  kinematics              position and rotation of frames; velocity if there is v, acceleration if there is a too;
                          both spatial, in the frame's own axes
  jacobians               of frames, 6 × nv: local, world, local_world_aligned
  jacobian_rates  v       their time derivatives

A state is an object; several are a list of objects:
  {\"q\": [...], \"v\": [...], \"a\": [...], \"tau\": [...],
   \"wrenches\": [{\"frame\": \"left_sole\", \"axes\": \"world\", \"force\": [0, 0, 300], \"torque\": [0, 0, 0]}]}
\"axes\" is \"frame\" or \"world\". A wrench acts at the origin of its frame, or, with \"at\", at
  {\"in_frame\": [x, y, z]} or {\"in_world\": [x, y, z]}.

Methods, for comparing:
  id-derivatives  idsva, idsva-printed, idsva-body, idsva-single-dof, pinocchio-style, rneacr, lagrangian,
                  complex-step, dual-numbers, forward-difference, central-difference
  fd-derivatives  fdsva, fdsva-dmm, fdsva-aza, fdsva-ltdl, response, abacr, fdcr, pinocchio-style, complex-step, ...
  minverse        minverse, dedicated, cholesky, aza, dense
An unknown name answers with those there are.

JSON output is one object a state, keyed by the names asked for, matrices as lists of rows.

Examples:
  dtau eval arm6 --state state.json --what rnea,crba
  dtau eval quadruped --root floating --state states.json --what aba --no-damping --no-friction
  dtau eval arm7 --state - --what kinematics --frames grasp --format table < state.json";

/// Which robot, and how it is read.
#[derive(Debug, Parser)]
pub struct RobotArgs {
    /// A bundled robot (see `dtau robots`) or the path of a URDF file
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

impl ModelArgs {
    /// The same as options of the library.
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
            ..Options::default()
        }
    }

    /// The model with the joint effects that count.
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
pub enum Format {
    /// For people
    Table,
    /// For programs
    Json,
}
