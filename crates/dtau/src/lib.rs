//! Rigid-body dynamics and their exact derivatives.
#![cfg_attr(not(feature = "std"), no_std)]
// Mathematical variables are the papers' symbols: `S`, `I`, `X`.
#![allow(non_snake_case)]

extern crate alloc;

mod derivatives;
pub mod model;
pub mod scalar;
pub mod spatial;
#[cfg(feature = "urdf")]
pub mod urdf;

mod aba;
mod block;
mod check;
mod crba;
mod dispatch;
mod error;
mod ground;
mod groups;
pub mod joints;
mod ltdl;
mod matrix;
mod minverse;
mod random;
mod rnea;
#[cfg(feature = "urdf")]
mod robots;
mod scene;
mod singular;
mod workspace;

pub use aba::aba;
pub use crba::crba;
pub use derivatives::{IdDerivatives, id_derivatives};
pub use dispatch::{Dispatch, Twin};
pub use error::{Error, ErrorKind, Place};
pub use groups::Group;
pub use ltdl::{MassFactor, crba_factor};
pub use matrix::Matrix;
pub use minverse::minverse;
pub use random::Random;
pub use rnea::{bias, gravity_torques, rnea};
#[cfg(feature = "urdf")]
pub use robots::{bundled_names, bundled_urdf};
pub use scene::{Axes, Point, Scene, Wrench};
pub use workspace::Workspace;
