//! Rigid-body dynamics and their exact derivatives.
#![cfg_attr(not(feature = "std"), no_std)]
// Mathematical variables are the papers' symbols: `S`, `I`, `X`.
#![allow(non_snake_case)]

extern crate alloc;

pub mod scalar;
pub mod spatial;

mod error;
mod groups;
mod joints;
pub mod model;
#[cfg(feature = "urdf")]
pub mod urdf;

pub use error::{Error, ErrorKind, Place};
