//! The inertial parameters of links: which of them a body can have, and which of them motions can tell.
//!
//! A link has ten: mass, first moment, and the rotational inertia about its origin,
//!
//! ```text
//! π = (m, m c, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz)
//! ```
//!
//! and a robot ten for every link of its description ([`Model::inertial_parameters`](crate::model::Model::inertial_parameters)). Dynamics
//! is linear in them: [`joint_torque_regressor`](crate::joint_torque_regressor()), [`energy_regressor`](crate::energy_regressor()).
//!
//! - No rigid body has any ten numbers: the [`pseudo_inertia`] tells, [`Model::check_parameters`](crate::model::Model::check_parameters) says
//!   what is wrong, and [`from_log_cholesky`] reaches exactly those that one can have.
//! - Motions tell some combinations of them apart and no others: [`BaseParameters`].

mod base;
mod consistency;
mod log_cholesky;

pub use base::BaseParameters;
pub use consistency::{from_pseudo_inertia, pseudo_inertia};
pub use log_cholesky::{from_log_cholesky, log_cholesky, log_cholesky_derivative};
