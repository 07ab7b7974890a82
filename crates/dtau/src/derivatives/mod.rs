//! Derivatives of the dynamics, and of kinematics.

mod calibration;
mod centroidal;
pub(crate) mod fd;
mod fd_products;
mod fd_regressor;
mod fill;
mod id;
pub(crate) mod idsva;
pub(crate) mod jvp;
mod kinematics;
#[doc(hidden)]
pub mod parts;
mod second;
mod stiffness;
pub(crate) mod vjp;

pub(crate) use calibration::Room as CalibrationRoom;
pub use calibration::*;
pub(crate) use centroidal::Room as CentroidalRoom;
pub use centroidal::*;
pub(crate) use fd::Room as FdRoom;
pub use fd::*;
pub(crate) use fd_products::Room as FdProductsRoom;
pub use fd_products::*;
pub use fd_regressor::*;
pub(crate) use id::Room as IdRoom;
pub use id::*;
pub(crate) use jvp::Room as JvpRoom;
pub use jvp::*;
pub use kinematics::*;
pub use second::*;
pub(crate) use vjp::Room as VjpRoom;
pub use vjp::*;
