//! Derivatives of the dynamics.

mod centroidal;
mod fd;
mod fd_products;
mod fill;
mod id;
pub(crate) mod idsva;
mod jvp;
mod kinematics;
mod stiffness;
mod terms;
mod vjp;

pub(crate) use centroidal::Scratch as CentroidalScratch;
pub use centroidal::{CentroidalDerivatives, centroidal_derivatives, com_velocity_derivatives};
pub(crate) use fd::Scratch as FdScratch;
pub use fd::{FdDerivatives, FdDerivativesMut, FdWay, fd_derivatives, fd_derivatives_by};
pub(crate) use fd_products::Scratch as FdProductsScratch;
pub use fd_products::{FdCotangent, FdTangent, fd_jvp, fd_vjp};
pub(crate) use id::Scratch as IdScratch;
pub use id::{IdDerivatives, id_derivatives};
pub(crate) use jvp::Scratch as JvpScratch;
pub use jvp::{IdTangent, id_jvp};
pub use terms::{bias_derivatives, gravity_derivatives, inertial_derivatives};
pub(crate) use vjp::Scratch as VjpScratch;
pub use vjp::{IdCotangent, id_vjp};
