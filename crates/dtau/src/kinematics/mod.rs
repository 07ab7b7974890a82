//! Kinematics: frames, the centre of mass, momentum, the configuration space.

pub(crate) mod centroidal;
pub(crate) mod com;
mod configuration;
mod error;
mod forward;
mod frames;
mod jacobian;
mod reference;

pub use centroidal::*;
pub use com::*;
pub use configuration::*;
pub use error::*;
pub use forward::*;
pub use frames::*;
pub use jacobian::*;
pub use reference::*;
