//! Spatial algebra in 3-D blocks: motions, forces, transforms, inertias.
//!
//! Spatial vectors are *linear part first, then angular*. A [`Transform`] is the placement of a frame B in a
//! frame A; it takes coordinates from B to A (`act`) and back (`act_inv`). Source of the algebra: \[RBDA\]
//! ch. 2; three cross products as in \[Singh22\] eq. (41), (42), (43).

mod articulated;
mod carried;
mod coriolis;
mod inertia;
mod lanewise;
mod motion_force;
mod rotation;
mod stumpff;
mod transform;
mod vec3;

pub use articulated::ArticulatedInertia;
pub(crate) use carried::InertiaRate;
pub(crate) use coriolis::{Coriolis, CoriolisSymmetric};
pub use inertia::Inertia;
pub(crate) use inertia::steiner;
pub(crate) use lanewise::{InAllLanes, Joined, Lanewise, lanewise};
pub use motion_force::{Force, Motion};
pub use rotation::Quaternion;
pub(crate) use stumpff::stumpff;
pub use transform::Transform;
pub use vec3::{Mat3, Sym3, Vec3};
