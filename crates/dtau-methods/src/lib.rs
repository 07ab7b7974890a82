//! Every method that the papers compare, each in one readable file: to check dtau's, and to check the papers' claims.
//!
//! A method works on the bare tree: rigid bodies, gravity, forces fixed in the bodies. What surrounds it (joint effects,
//! mimicry, other external forces, see [`dtau::Scene`]) is the same for all of them and added around it.
#![allow(non_snake_case)]

pub mod aba_plain;
pub mod abacr;
mod articulated;
mod aza;
pub mod crba_plain;
pub mod fdsva;
pub mod id_temporary;
pub mod inverse_aza;
pub mod inverse_cholesky;
pub mod inverse_dedicated;
pub mod inverse_dense;
mod ltdl;
mod placed;
pub mod response;

use dtau::model::Tree;
use dtau::spatial::{Force, Vec3};

/// A state of the bare tree, in full coordinates.
#[derive(Clone, Copy, Debug)]
pub struct TreeState<'a, T> {
    /// The tree.
    pub tree: &'a Tree,
    /// Coordinates.
    pub q: &'a [T],
    /// Velocities.
    pub v: &'a [T],
    /// Gravity in world coordinates.
    pub gravity: Vec3<T>,
    /// The external force on each body (the world's first), in the body's internal coordinates and fixed in it.
    pub external: &'a [Force<T>],
    /// What is added to the diagonal of the mass matrix.
    pub armature: &'a [T],
}

/// A method for the derivatives of inverse dynamics: fills `τ`, `∂τ/∂q`, `∂τ/∂q̇` and `M` (armature included), by columns.
pub type IdMethod<T> = fn(&TreeState<'_, T>, a: &[T], tau: &mut [T], dq: &mut [T], dv: &mut [T], da: &mut [T]);

/// A method for the derivatives of forward dynamics: fills `q̈`, `∂q̈/∂q`, `∂q̈/∂q̇` and `M⁻¹`, by columns.
pub type FdMethod<T> = fn(&TreeState<'_, T>, tau: &[T], qdd: &mut [T], dq: &mut [T], dv: &mut [T], dtau: &mut [T]);

/// A method for the inverse of the mass matrix (armature included).
pub type InverseMethod<T> = fn(&TreeState<'_, T>, minv: &mut [T]);
