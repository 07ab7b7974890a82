//! Rigid-body dynamics and their exact derivatives.
//!
//! - A [`Model`](model::Model) is a robot: from a URDF, an MJCF or code, or bundled. It never changes.
//! - An [`Engine`] computes: a [`Workspace`] for one state, a `Batch` for many (feature `batch`; with threads,
//!   `rayon`). You make it once. Calls do not allocate.
//! - A function takes a [`Scene`] or simply `&model`, an engine, the state, and its outputs: [`rnea()`],
//!   [`aba()`], [`crba()`], [`id_derivatives()`], [`fd_derivatives()`], …. [`functions()`] lists them as data.
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
//! A [`Matrix`] is a column-major slice, so other libraries can view it without a copy. With the features
//! `nalgebra` and `ndarray`, views are `DMatrixView::from(&m)` and `ArrayView2::from(&m)`, and functions write
//! into their matrices. With faer, use `faer::MatRef::from_column_major_slice(&m, m.rows(), m.columns())`.
//!
//! Spatial vectors have the linear part first. Derivatives with respect to `q` are along tangent directions,
//! so every Jacobian is `nv × nv`. Matrices are stored by columns. [`model::Model::tree`] and [`joints`] are
//! for new algorithms.
#![cfg_attr(not(feature = "std"), no_std)]
// Mathematical variables are the papers' symbols: `S`, `I`, `X`.
#![allow(non_snake_case)]

extern crate alloc;

#[cfg(any(feature = "nalgebra", feature = "ndarray"))]
mod bridges;
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

pub use constraints::*;
#[doc(hidden)]
pub use derivatives::parts;
pub use derivatives::*;
pub use door::{Arg, Counts, Declaration, Function, Parameter, Parameters, Size, Surrounding, function, functions};
pub use dynamics::*;
pub use engines::{ANY_CPU, Engine, Workspace};
#[cfg(feature = "batch")]
pub use engines::{Batch, BatchScalar, Code, Compiled, Progress, Routine, batch};
pub use error::{Error, ErrorKind, Place};
pub use groups::Group;
pub use kinematics::*;
pub use matrix::{Matrix, MatrixMut, Tensor};
#[cfg(feature = "urdf")]
pub use model::bundled::{bundled_names, bundled_urdf};
pub use random::Random;
pub use scene::{Axes, Point, Scene, Wrench};

#[cfg(doctest)]
mod doctests;
