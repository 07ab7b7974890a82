//! Derivatives of the dynamics.

mod fill;
mod id;
pub(crate) mod idsva;
mod stiffness;

pub(crate) use id::Scratch as IdScratch;
pub use id::{IdDerivatives, id_derivatives};
