//! Every method that the papers compare, one readable file each: to check dtau's methods and the papers'
//! claims.
//!
//! A method works on the bare tree: rigid bodies, gravity, forces fixed in the bodies. Everything else (joint
//! effects, mimicry, other external forces, see [`dtau::Scene`]) is added around it, in the same way for all
//! methods.
//!
//! [`list`] contains all of them. References are keys of REFERENCES.md.
#![allow(non_snake_case)]
// [Key] cites REFERENCES.md, but rustdoc parses it as a link.
#![allow(rustdoc::broken_intra_doc_links)]

pub mod around;
pub mod functions;
pub mod list;

pub mod idsva_body;
pub mod idsva_printed;
pub mod idsva_single_dof;
pub mod lagrangian;
pub mod pinocchio_style;
pub mod rneacr;

pub mod abacr;
pub mod fd_pinocchio_style;
pub mod fdcr;
pub mod fdsva;
pub mod response;

pub mod inverse_aza;
pub mod inverse_cholesky;
pub mod inverse_dedicated;
pub mod inverse_dense;

pub mod complex_step;
pub mod dual_numbers;
pub mod finite_difference;

pub mod aba_plain;
pub mod crba_plain;

mod articulated;
mod aza;
mod ltdl;
mod placed;
mod six;
mod steps;

pub use dtau::FdDerivatives;

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
    /// External force on each body (the world's first), in the body's internal coordinates and fixed in it.
    pub external: &'a [Force<T>],
    /// Added to the diagonal of the mass matrix.
    pub armature: &'a [T],
}

/// A method for the derivatives of inverse dynamics: fills `τ`, `∂τ/∂q`, `∂τ/∂q̇` and `M` (armature included
/// in `τ` and `M`), by columns.
pub type IdMethod<T> = fn(&TreeState<'_, T>, a: &[T], tau: &mut [T], dq: &mut [T], dv: &mut [T], da: &mut [T]);

/// A method for the derivatives of forward dynamics: fills `q̈`, `∂q̈/∂q`, `∂q̈/∂q̇` and `M⁻¹`, by columns.
pub type FdMethod<T> = fn(&TreeState<'_, T>, tau: &[T], qdd: &mut [T], dq: &mut [T], dv: &mut [T], dtau: &mut [T]);

/// A method for the inverse of the mass matrix (armature included).
pub type InverseMethod<T> = fn(&TreeState<'_, T>, minv: &mut [T]);
