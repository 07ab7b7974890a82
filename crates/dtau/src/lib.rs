//! Rigid-body dynamics and their exact derivatives.
//!
//! - A [`Model`](model::Model) is a robot, from a URDF, from code, or bundled; it never changes.
//! - An [`Engine`] computes: a [`Workspace`] for one state, a `Batch` (feature `batch`; with threads, `rayon`) for many. It is made
//!   once; no call allocates.
//! - A function takes a [`Scene`] (or simply `&model`), an engine, the state, and where to write: [`rnea()`], [`aba()`], [`crba()`],
//!   [`id_derivatives()`], [`fd_derivatives()`], …; [`functions()`] is the list of them, as data.
//! - Everything is generic over a [`scalar`]: `f64`, SIMD lanes of many states, complex step, dual numbers, …
//!
//! ```
//! use dtau::model::{Model, Options};
//! use dtau::{FdDerivatives, Workspace, fd_derivatives};
//!
//! let model = Model::bundled("arm6", &Options::default())?;
//! let (q, v, tau) = (model.neutral(), vec![0.1; model.nv()], vec![0.0; model.nv()]);
//! let mut ws = Workspace::new(&model);
//! let mut d = FdDerivatives::new(&model);
//! fd_derivatives(&model, &mut ws, &q, &v, &tau, &mut d)?;
//! println!("∂q̈₀/∂q₁ = {}", d.dqdd_dq[(0, 1)]);
//! # Ok::<(), dtau::Error>(())
//! ```
//!
//! Spatial vectors are linear part first. Derivatives by `q` are along tangent directions, so every Jacobian is `nv × nv`.
//! Matrices are by columns. [`model::Model::tree`] and [`joints`] are for writing further algorithms.
#![cfg_attr(not(feature = "std"), no_std)]
// Mathematical variables are the papers' symbols: `S`, `I`, `X`.
#![allow(non_snake_case)]

extern crate alloc;

mod constraints;
mod derivatives;
mod dispatch;
mod door;
mod dynamics;
mod engines;
mod error;
mod groups;
pub mod joints;
mod kinematics;
mod linalg;
mod matrix;
#[cfg(feature = "mjcf")]
pub mod mjcf;
pub mod model;
pub mod parameters;
mod random;
mod room;
pub mod scalar;
mod scene;
pub mod spatial;
mod sweeps;
#[cfg(feature = "urdf")]
pub mod urdf;
#[cfg(any(feature = "urdf", feature = "mjcf"))]
mod xml;

pub use constraints::description::*;
pub use constraints::{
    Closed, Closing, Constrained, ConstrainedEfforts, ConstrainedEffortsMut, ConstrainedFdDerivatives,
    ConstrainedFdDerivativesMut, ConstrainedIdDerivatives, ConstrainedIdDerivativesMut, ConstrainedMut,
    ConstrainedTangentMut, Constraint, ConstraintErrorsMut, ConstraintWrench, Constraints, ConstraintsBuilder,
    DelassusMut, DesiredDerivativesMut, FrameOf, Gains, ImpulseDerivativesMut, ImpulseMut, JointsOf, PointOf, RowAxes,
    assemble, constrained_fd, constrained_fd_derivatives, constrained_fd_desired_derivatives, constrained_fd_jvp,
    constrained_fd_vjp, constrained_id, constrained_id_derivatives, constrained_step, constraint_errors,
    constraint_jacobian, delassus, freedom, impulse, impulse_derivatives, project_velocity,
};
#[doc(hidden)]
pub use derivatives::parts;
pub use derivatives::{
    AccelerationDerivativesMut, CentroidalDerivatives, CentroidalDerivativesMut, FdDerivatives, FdDerivativesMut,
    FdGradientMut, FdHessian, FdHessianMut, FdSecondDerivatives, FdSecondDerivativesMut, FdTangent,
    FdVjpDerivativesMut, FdWay, IdDerivatives, IdDerivativesMut, IdGradientMut, IdHessian, IdHessianMut,
    IdSecondDerivatives, IdSecondDerivativesMut, IdTangent, IdVjpDerivativesMut, KinematicHessian, KinematicHessianMut,
    MotionDerivativesMut, VelocityDerivativesMut, bias_derivatives, centroidal_derivatives, com_hessian,
    com_velocity_derivatives, fd_derivatives, fd_derivatives_by, fd_hessian, fd_hvp, fd_jvp, fd_regressor,
    fd_second_derivatives, fd_vjp, fd_vjp_derivatives, frame_acceleration_derivatives, frame_calibration,
    frame_classical_acceleration_derivatives, frame_hessian, frame_motion_derivatives, frame_velocity_derivatives,
    gravity_derivatives, id_calibration, id_derivatives, id_hessian, id_hvp, id_jvp, id_second_derivatives, id_vjp,
    id_vjp_derivatives, inertial_derivatives,
};
pub use door::{Arg, Counts, Declaration, Function, Parameter, Parameters, Size, Surrounding, function, functions};
pub use dynamics::{
    Energy, EnergyMut, EnergyRegressor, EnergyRegressorMut, MassFactor, aba, bias, coriolis, crba, crba_factor, energy,
    energy_regressor, gravity_torques, joint_torque_regressor, mass_solve, mass_times, minverse, rnea,
};
pub use engines::{ANY_CPU, Engine, Workspace};
#[cfg(feature = "batch")]
pub use engines::{Batch, BatchScalar, Code, Compiled, Progress, Routine, batch};
pub use error::{Error, ErrorKind, Place};
pub use groups::Group;
pub use kinematics::{
    Com, ComMut, Kinematics, KinematicsMut, Placements, Reference, centre_of_mass, centroidal_matrix,
    centroidal_momentum, centroidal_momentum_rate, com_jacobian, difference, difference_derivatives,
    forward_kinematics, frame_acceleration, frame_classical_acceleration, frame_error, frame_error_derivatives,
    frame_jacobian, frame_jacobian_rate, frame_placement, frame_velocity, integrate, integrate_derivatives, normalise,
    placements,
};
pub use matrix::{Matrix, MatrixMut, Tensor};
#[cfg(feature = "urdf")]
pub use model::bundled::{bundled_names, bundled_urdf};
pub use random::Random;
pub use scene::{Axes, Point, Scene, Wrench};

#[cfg(doctest)]
mod doctests;
