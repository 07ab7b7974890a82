//! Torques, accelerations, the mass matrix and its factors: one algorithm, one file.

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

pub(crate) use aba::Aba;
pub use aba::aba;
pub(crate) use coriolis::Coriolis;
pub use coriolis::coriolis;
pub(crate) use crba::Crba;
pub use crba::crba;
pub(crate) use energy::EnergyOf;
pub use energy::{Energy, EnergyMut, energy};
pub(crate) use energy_regressor::EnergyRows;
pub use energy_regressor::{EnergyRegressor, EnergyRegressorMut, energy_regressor};
pub use ltdl::{MassFactor, crba_factor};
pub(crate) use mass::{MassSolve, MassTimes};
pub use mass::{mass_solve, mass_times};
pub(crate) use minverse::Minverse;
pub use minverse::minverse;
pub(crate) use regressor::Regressor;
pub use regressor::joint_torque_regressor;
pub(crate) use rnea::{Bias, GravityTorques, Rnea};
pub use rnea::{bias, gravity_torques, rnea};
