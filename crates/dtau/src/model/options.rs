//! Options for compiling a [`Description`](super::Description).

use super::JointKind;
use super::names::suggest;
use crate::error::{Error, ErrorKind};
use crate::spatial::Transform;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Options for compiling a description into a [`Model`](super::Model).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Options {
    /// The joint that carries the root link.
    pub root: Root,
    /// Placement in the world of the root joint's fixed side (with a fixed root: of the root link).
    pub root_origin: Transform<f64>,
    /// Order in which siblings are numbered.
    pub order: JointOrder,
    /// Treatment of joints that mimic others.
    pub mimic: MimicMode,
    /// Gravity in world coordinates \[m/s²\]. If the file gives gravity, as an MJCF does, the file's value is
    /// used unless this one differs from the default.
    pub gravity: [f64; 3],
    /// True to accept, with a warning, a massless moving body that carries no mass, so that nothing resists
    /// its joint. Forward dynamics then returns an error. A massless body that carries others with mass is
    /// always accepted.
    pub allow_massless: bool,
    /// True to compute `aba`, `crba`, the M beside ∂τ, M⁻¹ and ∂q̈ in, or from, body coordinates. This keeps
    /// accuracy for light, thin and distant links. For a humanoid, `aba` takes 1.5 times and `crba` and ∂τ
    /// twice as long, see `docs/accuracy.md`.
    pub exact: bool,
    /// Effects in an MJCF that dtau does not compute and that are left out all the same, with a warning. Without that, they are errors.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ignore: Vec<Ignore>,
    /// The speed \[rad/s or m/s\] below which Coulomb friction is smoothed: `f v / √(v² + v_s²)`.
    pub friction_speed: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            root: Root::Fixed,
            root_origin: Transform::identity(),
            order: JointOrder::File,
            mimic: MimicMode::Honour,
            gravity: [0.0, 0.0, -9.81],
            allow_massless: false,
            exact: false,
            ignore: Vec::new(),
            friction_speed: 0.01,
        }
    }
}

impl Options {
    /// Checks that the numbers are valid.
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |message| Err(Error::new(ErrorKind::Value, message));
        if !self.gravity.iter().all(|g| g.is_finite()) {
            return refuse(format!("gravity is {:?}; it must be finite", self.gravity));
        }
        if !(self.friction_speed > 0.0 && self.friction_speed.is_finite()) {
            let speed = self.friction_speed;
            return refuse(format!(
                "friction_speed is {speed}; it must be positive, such as 0.01 (to leave friction out, switch it off in the scene)"
            ));
        }
        if !self.root_origin.to_array().iter().all(|x| x.is_finite()) {
            return refuse(String::from("root_origin has a number that is not finite"));
        }
        Ok(())
    }
}

/// An effect in an MJCF that dtau does not compute, for [`Options::ignore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Ignore {
    /// `density` and `viscosity` of the surroundings.
    Fluid,
    /// `springdamper` of a joint.
    SpringDamper,
    /// `springyield` of a joint.
    SpringYield,
    /// `stiffness` of a ball or free joint.
    BallSpring,
    /// `stiffness` and `damping` beyond their linear part.
    Polynomial,
    /// `gravcomp` of a body.
    GravComp,
    /// `stiffness`, `damping` and `armature` of a tendon.
    Tendon,
    /// `armature` and `damping` of an actuator that is not on a hinge or slide.
    Actuator,
    /// Deformable bodies.
    Flex,
    /// Plugins in a body.
    Plugin,
    /// `align` of a free joint and `alignfree`: the body's frame stays where the file has it.
    Align,
}

impl Ignore {
    /// All of them.
    pub const ALL: [Ignore; 11] = [
        Ignore::Fluid,
        Ignore::SpringDamper,
        Ignore::SpringYield,
        Ignore::BallSpring,
        Ignore::Polynomial,
        Ignore::GravComp,
        Ignore::Tendon,
        Ignore::Actuator,
        Ignore::Flex,
        Ignore::Plugin,
        Ignore::Align,
    ];

    /// Returns the effect of this name.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn named(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|effect| effect.name() == name).ok_or_else(|| {
            let hint = suggest(name, Self::ALL.into_iter().map(Self::name));
            Error::new(ErrorKind::UnknownName, format!("there is no effect {name:?} to ignore; {hint}"))
        })
    }

    /// Name of the effect, as in messages and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Ignore::Fluid => "fluid",
            Ignore::SpringDamper => "springdamper",
            Ignore::SpringYield => "springyield",
            Ignore::BallSpring => "ballspring",
            Ignore::Polynomial => "polynomial",
            Ignore::GravComp => "gravcomp",
            Ignore::Tendon => "tendon",
            Ignore::Actuator => "actuator",
            Ignore::Flex => "flex",
            Ignore::Plugin => "plugin",
            Ignore::Align => "align",
        }
    }
}

/// The joint that carries the root link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Root {
    /// Welded to the world.
    #[default]
    Fixed,
    /// A free-flyer called `root_joint`.
    Floating,
    /// Any joint, called `root_joint`.
    Joint(JointKind),
}

impl Root {
    /// The kind of joint that carries the root link.
    pub fn kind(self) -> JointKind {
        match self {
            Root::Fixed => JointKind::Fixed,
            Root::Floating => JointKind::FreeFlyer,
            Root::Joint(kind) => kind,
        }
    }
}

/// Order in which siblings are numbered. Bodies are always numbered depth-first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointOrder {
    /// The order of the description.
    #[default]
    File,
    /// Alphabetical by joint name: Pinocchio's order.
    Alphabetical,
}

/// Treatment of joints that mimic others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MimicMode {
    /// They follow their leaders.
    #[default]
    Honour,
    /// They are independent joints.
    Free,
}
