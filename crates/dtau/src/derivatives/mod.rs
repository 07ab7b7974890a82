//! Derivatives of the dynamics.

mod fd;
mod fill;
mod id;
pub(crate) mod idsva;
mod stiffness;

pub(crate) use fd::Scratch as FdScratch;
pub use fd::{FdDerivatives, FdWay, fd_derivatives, fd_derivatives_by};
pub(crate) use id::Scratch as IdScratch;
pub use id::{IdDerivatives, id_derivatives};
