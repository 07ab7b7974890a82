//! The inertial parameters of links: physical consistency, and identifiability from motion.
//!
//! A link has ten: mass, first moment, and the rotational inertia about its origin,
//!
//! ```text
//! π = (m, m c, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz)
//! ```
//!
//! and a robot has ten for every link of its description
//! ([`Model::inertial_parameters`](crate::model::Model::inertial_parameters)). Dynamics is linear in them:
//! [`joint_torque_regressor`](crate::joint_torque_regressor()),
//! [`energy_regressor`](crate::energy_regressor()).
//!
//! - Not every ten numbers are physically consistent. The [`pseudo_inertia`] is the criterion,
//!   [`Model::check_parameters`](crate::model::Model::check_parameters) reports what is wrong, and
//!   [`from_log_cholesky`] covers exactly the consistent ones.
//! - Only some combinations of them can be identified from motion: [`BaseParameters`].

mod base;
mod consistency;
mod log_cholesky;

pub use base::BaseParameters;
pub use consistency::{from_pseudo_inertia, pseudo_inertia};
pub use log_cholesky::{from_log_cholesky, log_cholesky, log_cholesky_derivative};
