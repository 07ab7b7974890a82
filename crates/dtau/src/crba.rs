//! The mass matrix: the composite-rigid-body algorithm (CRBA).
//!
//! Ground coordinates throughout, with the origin of `ground::origin`.
//!
//! ```text
//! outward   X, S, I of each body                                                 (1)
//! inward    Iᶜ: the sum of I over the subtree          t₁ = Iᶜ S                 (2)
//! fill      M = t₁ᵣ · S_c          for a column c and a row r in the subtree of c     (3)
//!           M += armature          on the diagonal                                   (4)
//!           zero below the subtree, and the same above the diagonal                  (5)
//! ```
//!
//! Source: [RBDA] Table 6.2; `t₁` as in [Singh22] Alg. 1. In ground coordinates (2) is a sum, and the rows of (3) are one
//! contiguous run.

use crate::block::{self, Block};
use crate::bodies::{Bodies, width};
use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::matrix::MatrixMut;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::workspace::{Scratch as All, Workspace, full_q};
use alloc::vec;
use alloc::vec::Vec;

/// The mass matrix `M(q)`, with the joints' armature unless the scene switches it off.
///
/// - `q` (nq); `m` (nv × nv, by columns; a [`Matrix`](crate::Matrix) or a slice), both triangles, exactly symmetric.
/// - O(N d) for a tree of depth d, and what it takes to write the zeros. A `Matrix` remembers those of the last call, and they are
///   left alone.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn crba<'m, 'o, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    m: impl Into<MatrixMut<'o, T>>,
) -> Result<(), Error> {
    let (scene, m) = (scene.into(), m.into());
    Check::new(scene.model, ws)?.nq("q", q)?.square("m", m.entries())?;
    let (m, zeros_in_place) = m.of(scene.model);
    ws.run(Crba { scene, q, m, zeros_in_place });
    Ok(())
}

struct Crba<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    m: &'a mut [T],
    zeros_in_place: bool,
}

impl<T: Real> Kernel<T> for Crba<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) {
        compute(&self.scene, scratch, S::slice(self.q), S::slice_mut(self.m), self.zeros_in_place);
    }
}

/// The mass matrix over the model's degrees of freedom.
#[inline(always)]
pub(crate) fn compute<T: Real, S: Twin<T>>(
    scene: &Scene<'_, T>,
    scratch: &mut All<S>,
    q: &[S],
    m: &mut [S],
    zeros_in_place: bool,
) {
    let (model, tree, effects) = (scene.model, scene.model.tree(), JointEffects::of(scene));
    let All { turns, full, bodies, crba: Scratch { axes, t1, full_m }, .. } = scratch;
    let q = full_q(model, q, &mut full.q);

    bodies.place(tree, turns.update(tree, q), q); // (1)
    bodies.weigh(tree);
    inward(tree, bodies, axes, t1);
    match model.mimic() {
        None => fill(tree, &effects, axes, t1, m, zeros_in_place),
        Some(map) => {
            fill(tree, &effects, axes, t1, full_m, false);
            map.reduce_square(full_m, model.nv(), m);
            block::mirror(model.nv(), m); // the two triangles were summed in different orders
        }
    }
}

/// Scratch of this algorithm: O(N), and M in full coordinates for models with mimicking joints.
#[derive(Debug)]
pub(crate) struct Scratch<T: Real> {
    /// S and t₁: what the fill streams over.
    axes: Vec<Block<T::Wide>>,
    t1: Vec<Block<T::Wide>>,
    full_m: Vec<T>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree, mimics: bool) -> Self {
        let nv = tree.dofs.len();
        let blocks = vec![[T::Wide::zero(); 6]; block::count::<T>(nv)];
        Self { axes: blocks.clone(), t1: blocks, full_m: vec![T::zero(); if mimics { nv * nv } else { 0 }] }
    }
}

/// (2)
#[inline(always)]
fn inward<T: Real>(tree: &Tree, bodies: &mut Bodies<T>, axes: &mut [Block<T::Wide>], t1: &mut [Block<T::Wide>]) {
    bodies.sum_inertias(tree);
    for ((group, S), t1) in bodies.groups.iter().zip(axes).zip(t1) {
        *S = group.S.to_array();
        *t1 = (group.I * group.S).to_array();
    }
}

/// (3) to (5)
#[inline(always)]
fn fill<T: Real>(
    tree: &Tree,
    effects: &JointEffects,
    axes: &[Block<T::Wide>],
    t1: &[Block<T::Wide>],
    m: &mut [T],
    zeros_in_place: bool,
) {
    let (nv, width) = (tree.dofs.len(), width::<T>());
    for c in 0..nv {
        let column = &mut m[c * nv..][..nv];
        let end = tree.paths.below(c).end;
        block::dots(t1, c, end, &block::get::<T>(axes, c), column); // (3)
        column[c] += effects.armature(tree, c); // (4)
        let zeros_end = if zeros_in_place { end.next_multiple_of(width).min(nv) } else { nv };
        for x in &mut column[end..zeros_end] {
            *x = T::zero();
        }
    }
    if zeros_in_place {
        block::mirror_paths(&tree.paths, nv, m); // (5)
    } else {
        block::mirror(nv, m);
    }
}
