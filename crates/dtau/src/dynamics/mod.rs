//! Torques, accelerations, the mass matrix and its factors: one file per algorithm.

pub(crate) mod aba;
pub(crate) mod coriolis;
pub(crate) mod crba;
mod energy;
mod energy_regressor;
pub(crate) mod exact;
pub(crate) mod ltdl;
pub(crate) mod mass;
pub(crate) mod minverse;
pub(crate) mod regressor;
pub(crate) mod rnea;

pub use aba::*;
pub use coriolis::*;
pub use crba::*;
pub use energy::*;
pub use energy_regressor::*;
pub use ltdl::*;
pub use mass::*;
pub use minverse::*;
pub use regressor::*;
pub use rnea::*;
