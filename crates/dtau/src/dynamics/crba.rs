//! The mass matrix: the composite-rigid-body algorithm (CRBA).
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`](crate::sweeps::ground::origin).
//!
//! ```text
//! outward   X, S, I of each body                                                 (1)
//! inward    Iᶜ: the sum of I over the subtree          t₁ = Iᶜ S                 (2)
//! multiply  M = t₁ᵣ · S_c          for a column c and a row r in the subtree of c     (3)
//!           M += armature          on the diagonal                                   (4)
//!           zero below the subtree, and the same above the diagonal                  (5)
//! ```
//!
//! Source: [RBDA] Table 6.2; `t₁` as in [Singh22] Alg. 1. In ground coordinates (2) is a plain sum, and the
//! rows of (3) are contiguous.

use super::exact;
use crate::dispatch::{Register, step};
use crate::door::Size::{Nq, Symmetric};
use crate::door::{Algorithm, Done, In, Surrounding, To, declare};
use crate::engines::Scratch;
use crate::linalg::six::{self, Block};
use crate::linalg::transpose;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::sweeps::bodies::{Bodies, Load};
use crate::sweeps::side_by_side::width;
use alloc::vec;
use alloc::vec::Vec;

declare! {
    /// The mass matrix `M(q)`, with the joints' armature unless the scene switches it off.
    ///
    /// - `q` (nq); `m` (nv × nv, by columns; a [`Matrix`](crate::Matrix) or a slice), both triangles, exactly
    ///   symmetric.
    /// - O(N d) for a tree of depth d, plus writing the zeros. A `Matrix` remembers the zeros of the last
    ///   call and does not write them again.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn crba(q: Nq) -> (matrix m: Symmetric) by Crba, under &[Surrounding::Armature], zeros of tree
}

impl Algorithm<1, 1> for Crba {
    const DIVIDES: bool = false;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, [m]: To<T, 1>) -> Done {
        if scene.model.options().exact {
            exact_mass(scene, s, q, m.entries);
            return Ok(());
        }
        let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
        let Scratch { turns, bodies, crba: Room { axes, t1 }, .. } = s;
        bodies.place(tree, turns.update(tree, q), q); // (1)
        bodies.weigh(tree);
        inward(tree, bodies, axes, t1);
        multiply(tree, &effects, axes, t1, m.entries, m.zeros_in_place);
        Ok(())
    }
}

/// Computes the mass matrix in body coordinates. Shared by several functions.
#[inline(always)]
pub(crate) fn exact_mass<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, q: &[T], m: &mut [T]) {
    step!(s.proof, || exact::mass_matrix(scene, s, q, m));
}

/// Workspace of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Room<T: Real> {
    /// S and t₁, the factors of M.
    pub(crate) axes: Vec<Block<Register<T>>>,
    pub(crate) t1: Vec<Block<Register<T>>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let blocks = vec![[Register::<T>::zero(); 6]; six::count::<T>(tree.dofs.len())];
        Self { axes: blocks.clone(), t1: blocks }
    }
}

/// (2)
#[inline(always)]
pub(crate) fn inward<T: Real>(
    tree: &Tree,
    bodies: &mut Bodies<T>,
    axes: &mut [Block<Register<T>>],
    t1: &mut [Block<Register<T>>],
) {
    bodies.sum_inertias(tree);
    for (((&Load { I, .. }, &S), axes), t1) in bodies.load.neighbours.iter().zip(&bodies.S.neighbours).zip(axes).zip(t1)
    {
        (*axes, *t1) = (S.to_array(), (I * S).to_array());
    }
}

/// (3) to (5)
#[inline(always)]
pub(crate) fn multiply<T: Real>(
    tree: &Tree,
    effects: &JointEffects,
    axes: &[Block<Register<T>>],
    t1: &[Block<Register<T>>],
    m: &mut [T],
    zeros_in_place: bool,
) {
    let (nv, width) = (tree.dofs.len(), width::<T>());
    for c in 0..nv {
        let column = &mut m[c * nv..][..nv];
        let end = tree.paths.below(c).end;
        six::dots(t1, c, end, &six::get::<T>(axes, c), column); // (3)
        column[c] += effects.armature(tree, c); // (4)
        let zeros_end = if zeros_in_place { end.next_multiple_of(width).min(nv) } else { nv };
        for x in &mut column[end..zeros_end] {
            *x = T::zero();
        }
    }
    if zeros_in_place {
        transpose::mirror_paths(&tree.paths, nv, m); // (5)
    } else {
        transpose::mirror(nv, m);
    }
}
