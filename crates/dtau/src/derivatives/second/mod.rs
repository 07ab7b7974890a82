//! Second derivatives of the dynamics, contracted with a covector or whole.
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

pub use fd::{FdHessian, FdHessianMut, FdVjpDerivativesMut, fd_hessian, fd_vjp_derivatives};
pub(crate) use fd::{FdTwice, FdVjpPartials};
pub use fd_hvp::fd_hvp;
pub(crate) use fd_hvp::{FdHvp, Room as FdHvpRoom};
pub use fd_tensor::{FdSecondDerivatives, FdSecondDerivativesMut, fd_second_derivatives};
pub(crate) use fd_tensor::{FdTensors, Room as FdTensorRoom};
pub use hvp::id_hvp;
pub(crate) use hvp::{IdHvp, Room as HvpRoom};
pub use id::{IdHessian, IdHessianMut, IdVjpDerivativesMut, id_hessian, id_vjp_derivatives};
pub(crate) use id::{IdTwice, IdVjpPartials};
pub(crate) use kinematics::{ComTwice, FrameTwice};
pub use kinematics::{KinematicHessian, KinematicHessianMut, com_hessian, frame_hessian};
pub(crate) use sweep::Room;
pub use tensor::{IdSecondDerivatives, IdSecondDerivativesMut, id_second_derivatives};
pub(crate) use tensor::{IdTensors, Room as TensorRoom};
