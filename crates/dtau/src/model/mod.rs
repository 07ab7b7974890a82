//! The robot: an immutable [`Model`] compiled from a [`Description`].
//!
//! Compiling does the following once, so that no algorithm has to:
//!
//! - links behind fixed joints are merged into the body that carries them; their frames keep their names;
//! - bodies and degrees of freedom are numbered depth-first, so every subtree is one contiguous range; body 0 is the
//!   world;
//! - every body gets an *internal* frame whose `z` is its joint's axis. One revolute joint then serves all
//!   axes, and identical limbs run identical instructions. Users see link frames only;
//! - joints that mimic others stay in the tree with their own degrees of freedom ("full" coordinates). The
//!   map from the independent ("reduced") coordinates is linear and applied at the door, see [`mimic`].

mod build;
#[cfg(feature = "urdf")]
pub(crate) mod bundled;
pub(crate) mod configuration;
mod constants;
pub mod description;
mod edit;
#[cfg(any(feature = "urdf", feature = "mjcf"))]
mod files;
pub(crate) mod fill;
pub mod generate;
mod inertias;
mod lookup;
mod massless;
#[cfg(all(feature = "std", any(feature = "urdf", feature = "mjcf")))]
mod meshes;
pub mod mimic;
pub(crate) mod names;
mod options;
pub(crate) mod paths;
mod poses;
mod shape;
mod tree;
pub(crate) mod validate;

pub use constants::{Constant, OfConstraint};
pub(crate) use constants::{placement, vector};
pub use description::{Description, Inertial, JointDescription, JointKind, Limits, Link, Mimic};
pub use options::{Ignore, JointOrder, MimicMode, Options, Root};
pub use tree::{Body, Dof, Tree};

use crate::door::Lengths;
use crate::error::Error;
use crate::scene::Scene;
use crate::spatial::{Transform, Vec3};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use lookup::Alphabet;
use mimic::MimicMap;
use paths::Paths;

/// A robot, ready for computation. It is immutable, so threads can share it. Clones share its memory.
#[derive(Clone, Debug)]
pub struct Model(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Unique for every model built; clones share it.
    id: usize,
    /// Hash of everything that determines the sizes of scratch memory.
    shape: u64,
    description: Description,
    options: Options,
    gravity: Vec3<f64>,
    joints: Vec<JointInfo>,
    /// The joint of each body of the tree; `None` for the world.
    joint_of_body: Vec<Option<JointId>>,
    /// The joint of each degree of freedom of the model.
    joint_of_dof: Vec<JointId>,
    frames: Vec<Frame>,
    alphabet: Alphabet,
    warnings: Vec<String>,
    tree: Tree,
    mimic: Option<MimicMap>,
    /// Sparsity with mimicking joints; `None` without them, where the tree's own applies.
    elimination: Option<Paths>,
    nq: usize,
    nv: usize,
    /// Lengths from which the sizes of arrays are computed.
    lengths: Lengths,
    /// Indices at which quaternions begin in a configuration.
    quaternions: Vec<usize>,
    /// Index of the root link in the description.
    root_link: usize,
    numbers: Numbers,
}

/// Magnitudes of a model's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    /// The largest magnitude.
    pub(crate) largest: f64,
    /// The least nonzero mass, moment of inertia or rotor inertia.
    pub(crate) least_inertia: f64,
}

/// A moving body of a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) usize);

/// A moving joint of a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub(crate) usize);

/// A frame of a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub(crate) usize);

/// A moving joint, as a user sees it.
#[derive(Clone, Debug)]
pub struct JointInfo {
    /// Its name.
    pub name: String,
    /// The link it carries.
    pub link: String,
    /// The frame of that link.
    pub frame: FrameId,
    /// Its bodies in the model's [`Tree`]; the last one carries the link.
    pub bodies: Range<usize>,
    /// Its kind, with its axis in the axes of that link.
    pub kind: JointKind,
    /// The joint nearer to the root; `None` at the root.
    pub parent: Option<JointId>,
    /// Its coordinates in `q`; for a mimicking joint, those of the joint it follows.
    pub q: Range<usize>,
    /// Its degrees of freedom in `v`; for a mimicking joint, those of the joint it follows.
    pub v: Range<usize>,
    /// Bounds.
    pub limits: Limits,
    /// The independent joint that it follows, with multiplier and offset.
    pub mimic: Option<Mimic>,
    /// Number of joints from the world to it, itself included.
    pub depth: usize,
    /// Its index among the joints of the description; `None` for the joint that carries the root.
    pub(crate) described: Option<usize>,
}

/// A named frame fixed to a body.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its name.
    pub name: String,
    /// The kind of object it belongs to.
    pub kind: FrameKind,
    /// The body it moves with; `None` is the world.
    pub body: Option<BodyId>,
    /// Its placement in that body's internal frame, see [`Tree`].
    pub placement: Transform<f64>,
}

impl Frame {
    /// Index of the body it moves with; 0 is the world.
    #[inline(always)]
    pub(crate) fn body_index(&self) -> usize {
        self.body.map_or(0, |BodyId(i)| i)
    }
}

/// The kind of object that a [`Frame`] belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// A link.
    Link,
    /// A joint.
    Joint,
    /// Added by the user.
    Custom,
}

impl Model {
    /// The robot's name.
    pub fn name(&self) -> &str {
        &self.0.description.name
    }

    /// Number of coordinates, the length of `q`.
    pub fn nq(&self) -> usize {
        self.0.nq
    }

    /// Number of degrees of freedom, the length of `v`, `a` and `τ`.
    pub fn nv(&self) -> usize {
        self.0.nv
    }

    /// Number of moving bodies.
    pub fn body_count(&self) -> usize {
        self.tree().bodies.len() - 1 // all but the world
    }

    /// Total mass of the moving bodies \[kg\]. Links welded to the world do not count.
    pub fn mass(&self) -> f64 {
        self.tree().bodies[1..].iter().fold(0.0, |sum, body| sum + body.inertia.mass) // an empty `sum()` would be −0
    }

    /// Ten parameters of every link of the description, as in
    /// [`joint_torque_regressor`](crate::joint_torque_regressor()): mass, first moment, and the rotational
    /// inertia about the link's origin as xx, xy, yy, xz, yz, zz. Zeros for links without an inertia.
    pub fn inertial_parameters(&self) -> Vec<f64> {
        let links = self.0.description.links.iter();
        links.flat_map(|link| link.inertial.map_or([0.0; 10], |inertial| inertial.parameters())).collect()
    }

    /// Gravity in world coordinates \[m/s²\].
    pub fn gravity(&self) -> [f64; 3] {
        self.0.gravity.to_array()
    }

    /// Returns this robot with a different gravity.
    ///
    /// # Errors
    /// If a component is not finite.
    pub fn with_gravity(&self, gravity: [f64; 3]) -> Result<Model, Error> {
        Model::build(&self.0.description, &Options { gravity, ..self.0.options.clone() })
    }

    /// The description this model was compiled from.
    pub fn description(&self) -> &Description {
        &self.0.description
    }

    /// The options this model was compiled with.
    pub fn options(&self) -> &Options {
        &self.0.options
    }

    /// Warnings about this robot: suspicious inertias, ignored elements.
    pub fn warnings(&self) -> &[String] {
        &self.0.warnings
    }

    /// The moving joints, depth-first.
    pub fn joints(&self) -> &[JointInfo] {
        &self.0.joints
    }

    /// The frames: of links, then of joints (`root_joint` last, if it moves), then custom ones.
    pub fn frames(&self) -> &[Frame] {
        &self.0.frames
    }

    /// The moving bodies, depth-first.
    pub fn body_ids(&self) -> impl ExactSizeIterator<Item = BodyId> + use<> {
        (1..1 + self.body_count()).map(BodyId)
    }

    /// The frames, in the order of [`frames`](Self::frames).
    pub fn frame_ids(&self) -> impl ExactSizeIterator<Item = FrameId> + use<> {
        (0..self.frames().len()).map(FrameId)
    }

    /// Lower position limits \[rad, m\], one for each degree of freedom; −∞ if unlimited. Joints with
    /// quaternions are unlimited. Limits of mimicking joints are in their own [`JointInfo::limits`].
    pub fn lower(&self) -> Vec<f64> {
        self.each_limit(f64::NEG_INFINITY, |limits| limits.lower)
    }

    /// Upper position limits, as [`lower`](Self::lower); ∞ if unlimited.
    pub fn upper(&self) -> Vec<f64> {
        self.each_limit(f64::INFINITY, |limits| limits.upper)
    }

    /// Speed limits \[rad/s, m/s\], one for each degree of freedom; ∞ if unlimited.
    pub fn speed(&self) -> Vec<f64> {
        self.0.joint_of_dof.iter().map(|&joint| self.joint_info(joint).limits.velocity).collect()
    }

    /// Torque and force limits \[N m, N\], one for each degree of freedom; ∞ if unlimited.
    pub fn effort(&self) -> Vec<f64> {
        self.0.joint_of_dof.iter().map(|&joint| self.joint_info(joint).limits.effort).collect()
    }

    fn each_limit(&self, none: f64, limit: impl Fn(&Limits) -> f64) -> Vec<f64> {
        let of = |joint: &JointInfo| if joint.kind.quaternion().is_some() { none } else { limit(&joint.limits) };
        self.0.joint_of_dof.iter().map(|&joint| of(self.joint_info(joint))).collect()
    }

    /// A [`Scene`] of this model, to override gravity, forces or joint effects for one call.
    pub fn scene<T>(&self) -> Scene<'_, T> {
        self.into()
    }

    /// True if both are the same model in memory, not merely equal.
    #[inline]
    pub(crate) fn is(&self, other: &Model) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Unique number of this model.
    pub(crate) fn id(&self) -> usize {
        self.0.id
    }

    /// Hash of the scratch sizes: equal if they are equal, and otherwise different with near certainty.
    #[inline]
    pub(crate) fn shape(&self) -> u64 {
        self.0.shape
    }

    /// Lengths from which the sizes of arrays are computed.
    #[inline]
    pub(crate) fn lengths(&self) -> &Lengths {
        &self.0.lengths
    }

    /// Indices at which quaternions begin in a configuration.
    #[inline]
    pub(crate) fn quaternions(&self) -> &[usize] {
        &self.0.quaternions
    }

    /// Magnitudes of the model's numbers.
    #[inline]
    pub(crate) fn numbers(&self) -> Numbers {
        self.0.numbers
    }

    /// The tree as the algorithms read it, for writing further algorithms.
    #[inline]
    pub fn tree(&self) -> &Tree {
        &self.0.tree
    }

    /// The map from independent to full coordinates; `None` if no joint mimics another.
    #[inline]
    pub fn mimic(&self) -> Option<&MimicMap> {
        self.0.mimic.as_ref()
    }

    /// Sparsity of the mass matrix and its factor, over the model's `nv` degrees of freedom.
    pub(crate) fn elimination(&self) -> &Paths {
        self.0.elimination.as_ref().unwrap_or(&self.0.tree.paths)
    }
}
