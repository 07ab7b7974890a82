//! How a [`Description`](super::Description) is compiled.

use super::JointKind;
use crate::spatial::Transform;

/// How a description is compiled into a [`Model`](super::Model).
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What carries the root link.
    pub root: Root,
    /// Where the root joint's fixed side (with a fixed root: the root link) is in the world.
    pub root_origin: Transform<f64>,
    /// In which order siblings are numbered.
    pub order: JointOrder,
    /// What becomes of joints that mimic others.
    pub mimic: MimicMode,
    /// Gravity in world coordinates \[m/s²\].
    pub gravity: [f64; 3],
    /// Whether a moving body without any inertia is accepted, with a warning. Forward dynamics then answers with an
    /// error where such a body is free to move.
    pub allow_massless: bool,
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
            friction_speed: 0.01,
        }
    }
}

/// What carries the root link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Root {
    /// It is welded to the world.
    #[default]
    Fixed,
    /// It flies freely: a free-flyer called `root_joint`.
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

/// In which order siblings are numbered. Bodies are always numbered depth-first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointOrder {
    /// As they stand in the description.
    #[default]
    File,
    /// By the name of the joint: Pinocchio's order.
    Alphabetical,
}

/// What becomes of joints that mimic others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MimicMode {
    /// They follow.
    #[default]
    Honour,
    /// They are joints like any other.
    Free,
}
