//! A robot as a person writes it: links and joints, before any numbering or merging.
//!
//! URDF and MJCF files, code and edits of models all produce one; [`Model::build`](super::Model::build)
//! compiles it.

pub use crate::joints::JointKind;
use crate::spatial::{Inertia, Sym3, Transform, Vec3};
use alloc::string::String;
use alloc::vec::Vec;

/// A robot: a tree of links connected by joints.
///
/// Links and joints refer to each other by name; [`Model::build`](super::Model::build) checks that they form one tree.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Description {
    /// The robot's name.
    pub name: String,
    /// The links.
    pub links: Vec<Link>,
    /// The joints.
    pub joints: Vec<JointDescription>,
    /// Frames besides those of the links.
    pub frames: Vec<FrameDescription>,
    /// Warnings about the robot: suspicious inertias, ignored elements.
    pub warnings: Vec<String>,
    /// Gravity in the file \[m/s²\]; `None` if the format has no gravity, such as URDF. It is used unless the
    /// [options](super::Options::gravity) differ from their default.
    #[cfg_attr(feature = "serde", serde(default))]
    pub gravity: Option<[f64; 3]>,
    /// Named configurations, such as MJCF's keyframes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub poses: Vec<PoseDescription>,
    /// Actuators, as data only: no function uses them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub actuators: Vec<ActuatorDescription>,
    /// Equality constraints, as data; [`Model::equality_constraints`](super::Model::equality_constraints)
    /// turns them into constraints.
    #[cfg_attr(feature = "serde", serde(default))]
    pub equalities: Vec<EqualityDescription>,
    /// Shapes of the links, for pictures: no function computes with them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub shapes: Vec<ShapeDescription>,
}

/// A rigid link.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Link {
    /// Its name, unique among links.
    pub name: String,
    /// Its mass properties; `None` if the file gives none.
    pub inertial: Option<Inertial>,
    /// Its line in the file; 0 if there is no file.
    pub line: u32,
}

/// Mass properties of a link, in the axes of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Inertial {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub com: Vec3<f64>,
    /// Rotational inertia about the centre of mass \[kg m²\].
    pub about_com: Sym3<f64>,
}

impl Inertial {
    /// Mass, first moment and rotational inertia about the link's origin, as xx, xy, yy, xz, yz, zz.
    pub fn parameters(&self) -> [f64; 10] {
        let Inertia { mass, h, rot } = Inertia::from_com(self.mass, self.com, self.about_com);
        [mass, h.x, h.y, h.z, rot.xx, rot.xy, rot.yy, rot.xz, rot.yz, rot.zz]
    }
}

/// A joint between two links.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointDescription {
    /// Its name, unique among joints.
    pub name: String,
    /// The parent link.
    pub parent: String,
    /// The link it carries. The child's frame is the joint's frame.
    pub child: String,
    /// Its kind.
    pub kind: JointKind,
    /// Placement of the joint's frame in the parent link, at position zero.
    pub origin: Transform<f64>,
    /// Bounds.
    pub limits: Limits,
    /// Viscous damping \[N m s/rad or N s/m\], on every degree of freedom.
    pub damping: f64,
    /// Coulomb friction \[N m or N\], on every degree of freedom.
    pub friction: f64,
    /// Reflected rotor inertia \[kg m² or kg\], on every degree of freedom.
    pub armature: f64,
    /// Spring stiffness \[N m/rad or N/m\], for joints of one degree of freedom. The restoring force is
    /// `stiffness · (q − rest)`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub stiffness: f64,
    /// The coordinate at which the spring force is zero \[rad or m\].
    #[cfg_attr(feature = "serde", serde(default))]
    pub rest: f64,
    /// The joint that it follows, if any.
    pub mimic: Option<Mimic>,
    /// Its line in the file; 0 if there is no file.
    pub line: u32,
}

/// Bounds on a joint's coordinates; infinite if the file gives none.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// Lower position limit.
    #[cfg_attr(feature = "serde", serde(with = "unbounded::below"))]
    pub lower: f64,
    /// Upper position limit.
    #[cfg_attr(feature = "serde", serde(with = "unbounded::above"))]
    pub upper: f64,
    /// Speed limit.
    #[cfg_attr(feature = "serde", serde(with = "unbounded::above"))]
    pub velocity: f64,
    /// Force or torque limit.
    #[cfg_attr(feature = "serde", serde(with = "unbounded::above"))]
    pub effort: f64,
}

/// Bounds in formats without infinity, such as JSON: an infinite bound is written as `None`.
#[cfg(feature = "serde")]
mod unbounded {
    macro_rules! bound {
        ($side:ident, $infinite:expr) => {
            pub(super) mod $side {
                use serde::{Deserialize, Deserializer, Serialize, Serializer};

                pub(in super::super) fn serialize<S: Serializer>(x: &f64, to: S) -> Result<S::Ok, S::Error> {
                    (*x != $infinite).then_some(*x).serialize(to)
                }

                pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
                    Ok(Option::deserialize(from)?.unwrap_or($infinite))
                }
            }
        };
    }
    bound!(below, f64::NEG_INFINITY);
    bound!(above, f64::INFINITY);
}

impl Default for Limits {
    fn default() -> Self {
        Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY, velocity: f64::INFINITY, effort: f64::INFINITY }
    }
}

/// A joint follows another: `q = multiplier · q_other + offset`. The other joint may itself follow one;
/// chains are composed.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mimic {
    /// The joint to follow.
    pub joint: String,
    /// Factor of the other joint's coordinate.
    pub multiplier: f64,
    /// Added offset.
    pub offset: f64,
}

/// A named frame fixed to a link.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FrameDescription {
    /// Its name.
    pub name: String,
    /// The link it is fixed to.
    pub link: String,
    /// Its placement in that link's frame.
    pub placement: Transform<f64>,
}

/// A shape that is fixed to a link.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShapeDescription {
    /// The link it is fixed to.
    pub link: String,
    /// Its purpose.
    pub role: Role,
    /// Its form and size.
    pub shape: Shape,
    /// Its placement in the link's frame.
    pub origin: Transform<f64>,
    /// Red, green, blue and opacity, from 0 to 1; none if the file gives no colour.
    pub color: Option<[f32; 4]>,
    /// The line of the file it stands on; 0 if none.
    pub line: u32,
}

/// The purpose of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Role {
    /// The link looks like this.
    Visual,
    /// The link collides like this.
    Collision,
    /// Both.
    Both,
}

impl Role {
    /// True if the link looks like this.
    pub fn is_visual(self) -> bool {
        self != Role::Collision
    }

    /// True if the link collides like this.
    pub fn is_collision(self) -> bool {
        self != Role::Visual
    }
}

/// The form and size \[m\] of a shape. Its centre is at the origin; what has an axis has it along `z`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Shape {
    /// A box with these edges.
    Box {
        /// Lengths along x, y and z.
        size: [f64; 3],
    },
    /// A sphere.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its length.
        length: f64,
    },
    /// A cylinder with half spheres on both ends.
    Capsule {
        /// Radius of all three.
        radius: f64,
        /// Length of the cylinder alone.
        length: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Half axes along x, y and z.
        radii: [f64; 3],
    },
    /// The plane z = 0, or a rectangle of it.
    Plane {
        /// Lengths along x and y; 0 is without end.
        size: [f64; 2],
    },
    /// Triangles in a file.
    Mesh {
        /// The file, as the robot's file names it: a path, or `package://NAME/PATH`.
        file: String,
        /// Path at which that file was found; `None` if it was not found, or not looked for.
        path: Option<String>,
        /// Factors for its coordinates.
        scale: [f64; 3],
    },
}

/// A named configuration.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PoseDescription {
    /// Its name.
    pub name: String,
    /// Coordinates by joint name. Joints that are not listed are at their neutral position.
    pub joints: Vec<(String, Vec<f64>)>,
}

/// An actuator, as in the file.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ActuatorDescription {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its kind in the file: `motor`, `position`, ….
    pub kind: String,
    /// The kind of element that it acts on: `joint`, `tendon`, `site`, `body`, …; empty if not given.
    pub on: String,
    /// The name of that element.
    pub target: String,
    /// Force on the target per unit actuator force, in up to six directions.
    pub gear: Vec<f64>,
}

/// An equality constraint, as in the file.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EqualityDescription {
    /// Its name; empty if it has none.
    pub name: String,
    /// True if it is active initially.
    pub active: bool,
    /// Its kind.
    pub kind: EqualityKind,
}

/// The two sides of an equality. Frames are those of links or sites.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs)]
pub enum EqualityKind {
    /// Keeps a point of the first frame at the point of the second frame where it is in the pose `qpos0`.
    Connect { first: String, second: String, anchor: [f64; 3] },
    /// Keeps the second frame fixed in the first: at a given placement, or where it is in the pose `qpos0`.
    Weld { first: String, second: String, placement: Option<Transform<f64>> },
    /// `q₁ − q₁⁰ = Σ cₖ (q₂ − q₂⁰)ᵏ`, where ⁰ is the pose `qpos0`; without a second joint, `q₁ − q₁⁰ = c₀`.
    Joints { first: String, second: Option<String>, coefficients: [f64; 5] },
    /// A kind that dtau does not support, with its name in the file.
    Other(String),
}

impl JointDescription {
    /// A joint between two links, at the parent's origin. Everything else is zero or unbounded.
    pub fn new(name: &str, kind: JointKind, parent: &str, child: &str) -> Self {
        Self {
            name: name.into(),
            parent: parent.into(),
            child: child.into(),
            kind,
            origin: Transform::identity(),
            limits: Limits::default(),
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            stiffness: 0.0,
            rest: 0.0,
            mimic: None,
            line: 0,
        }
    }
}
