//! Second derivatives of the dynamics, contracted with a covector or complete.
//!
//! The derivation is in the book, `docs/second-order.md`.

mod fd;
mod fd_hvp;
mod fd_tensor;
mod fill;
mod hvp;
mod id;
mod kinematics;
mod stiffness;
mod sweep;
mod tensor;
mod triples;

pub use fd::*;
pub(crate) use fd_hvp::Room as FdHvpRoom;
pub use fd_hvp::*;
pub(crate) use fd_tensor::Room as FdTensorRoom;
pub use fd_tensor::*;
pub(crate) use hvp::Room as HvpRoom;
pub use hvp::*;
pub use id::*;
pub use kinematics::*;
pub(crate) use sweep::Room as SecondRoom;
pub(crate) use tensor::Room as TensorRoom;
pub use tensor::*;
