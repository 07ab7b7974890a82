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
pub mod parts;
mod second;
mod stiffness;
pub(crate) mod vjp;

pub(crate) use calibration::Room as CalibrationRoom;
pub(crate) use calibration::{FrameCalibration, IdCalibration};
pub use calibration::{frame_calibration, id_calibration};
pub(crate) use centroidal::Room as CentroidalRoom;
pub use centroidal::{
    CentroidalDerivatives, CentroidalDerivativesMut, centroidal_derivatives, com_velocity_derivatives,
};
pub(crate) use centroidal::{CentroidalPartials, ComVelocityPartials};
pub(crate) use fd::Fd;
pub(crate) use fd::Room as FdRoom;
pub use fd::{FdDerivatives, FdDerivativesMut, FdWay, fd_derivatives, fd_derivatives_by};
pub(crate) use fd_products::Room as FdProductsRoom;
pub use fd_products::{FdGradientMut, FdTangent, fd_jvp, fd_vjp};
pub(crate) use fd_products::{FdJvp, FdVjp};
pub(crate) use fd_regressor::FdRegressor;
pub use fd_regressor::fd_regressor;
pub(crate) use id::Room as IdRoom;
pub(crate) use id::{BiasPartials, GravityPartials, Id, Inertial, id_partials};
pub use id::{
    IdDerivatives, IdDerivativesMut, bias_derivatives, gravity_derivatives, id_derivatives, inertial_derivatives,
};
pub(crate) use jvp::IdJvp;
pub(crate) use jvp::Room as JvpRoom;
pub use jvp::{IdTangent, id_jvp};
pub use kinematics::{
    AccelerationDerivativesMut, MotionDerivativesMut, VelocityDerivativesMut, frame_acceleration_derivatives,
    frame_classical_acceleration_derivatives, frame_motion_derivatives, frame_velocity_derivatives,
};
pub(crate) use kinematics::{
    FrameAccelerationPartials, FrameClassicalAccelerationPartials, FrameMotionPartials, FrameVelocityPartials,
};
pub(crate) use second::{
    ComTwice, FdHvp, FdTensors, FdTwice, FdVjpPartials, FrameTwice, IdHvp, IdTensors, IdTwice, IdVjpPartials,
};
pub use second::{
    FdHessian, FdHessianMut, FdSecondDerivatives, FdSecondDerivativesMut, FdVjpDerivativesMut, IdHessian, IdHessianMut,
    IdSecondDerivatives, IdSecondDerivativesMut, IdVjpDerivativesMut, KinematicHessian, KinematicHessianMut,
    com_hessian, fd_hessian, fd_hvp, fd_second_derivatives, fd_vjp_derivatives, frame_hessian, id_hessian, id_hvp,
    id_second_derivatives, id_vjp_derivatives,
};
pub(crate) use second::{FdHvpRoom, FdTensorRoom, HvpRoom, Room as SecondRoom, TensorRoom};
pub(crate) use vjp::IdVjp;
pub(crate) use vjp::Room as VjpRoom;
pub use vjp::{IdGradientMut, id_vjp};
