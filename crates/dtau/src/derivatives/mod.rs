//! Derivatives of the dynamics.

mod centroidal;
mod fill;
mod id;
pub(crate) mod idsva;
mod kinematics;
mod stiffness;
mod terms;
mod vjp;

pub(crate) use centroidal::Scratch as CentroidalScratch;
pub use centroidal::{CentroidalDerivatives, centroidal_derivatives, com_velocity_derivatives};
pub(crate) use id::Scratch as IdScratch;
pub use id::{IdDerivatives, id_derivatives};
pub use terms::{bias_derivatives, gravity_derivatives, inertial_derivatives};
pub(crate) use vjp::Scratch as VjpScratch;
pub use vjp::{IdCotangent, id_vjp};
