//! Rigid-body dynamics and their exact derivatives.
//!
//! - A [`Model`](model::Model) is a robot, from a URDF, from code, or bundled; it never changes.
//! - A [`Workspace`] is scratch memory for it, made once; no call allocates.
//! - An algorithm is a function of a [`Scene`] (or simply `&model`), a workspace, the state, and where to write:
//!   [`rnea`], [`aba`], [`crba`], [`id_derivatives`], [`fd_derivatives`], …
//! - The module `batch` (feature `batch`; with threads, `rayon`) has all of them for many states at once.
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
//! println!("∂q̈₀/∂q₁ = {}", d.dq[(0, 1)]);
//! # Ok::<(), dtau::Error>(())
//! ```
//!
//! Spatial vectors are linear part first. Derivatives by `q` are along tangent directions, so every Jacobian is `nv × nv`.
//! Matrices are by columns. [`model::Model::tree`] and [`joints`] are for writing further algorithms.
#![cfg_attr(not(feature = "std"), no_std)]
// Mathematical variables are the papers' symbols: `S`, `I`, `X`.
#![allow(non_snake_case)]

extern crate alloc;

#[cfg(feature = "batch")]
pub mod batch;
mod derivatives;
pub mod model;
pub mod scalar;
pub mod spatial;
#[cfg(feature = "urdf")]
pub mod urdf;

mod aba;
mod articulate;
mod block;
mod bodies;
mod centroidal;
mod check;
mod com;
mod coriolis;
mod crba;
mod dispatch;
mod energy;
mod error;
mod ground;
mod groups;
mod jacobian;
pub mod joints;
mod kinematics;
mod ltdl;
mod mass;
mod matrix;
mod minverse;
mod random;
mod reference;
mod rnea;
#[cfg(feature = "urdf")]
mod robots;
mod scene;
mod singular;
mod workspace;

pub use aba::aba;
pub use centroidal::{centroidal_matrix, centroidal_momentum, centroidal_momentum_rate};
pub use com::{Com, centre_of_mass, com_jacobian};
pub use coriolis::coriolis;
pub use crba::crba;
pub use derivatives::{
    CentroidalDerivatives, FdCotangent, FdDerivatives, FdDerivativesMut, FdTangent, FdWay, IdCotangent, IdDerivatives,
    IdTangent, bias_derivatives, centroidal_derivatives, com_velocity_derivatives, fd_derivatives, fd_derivatives_by,
    fd_jvp, fd_vjp, gravity_derivatives, id_derivatives, id_jvp, id_vjp, inertial_derivatives,
};
pub use dispatch::{Dispatch, Twin};
pub use energy::{Energy, energy};
pub use error::{Error, ErrorKind, Place};
pub use groups::Group;
pub use kinematics::{Kinematics, Placements, forward_kinematics, placements};
pub use ltdl::{MassFactor, crba_factor};
pub use mass::{mass_solve, mass_times};
pub use matrix::{Matrix, MatrixMut};
pub use minverse::minverse;
pub use random::Random;
pub use reference::Reference;
pub use rnea::{bias, gravity_torques, rnea};
#[cfg(feature = "urdf")]
pub use robots::{bundled_names, bundled_urdf};
pub use scene::{Axes, Point, Scene, Wrench};
pub use workspace::Workspace;

#[cfg(doctest)]
mod doctests;
