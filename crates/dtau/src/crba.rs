//! The mass matrix: the composite-rigid-body algorithm (CRBA).
//!
//! Ground coordinates throughout: every vector is at the world's origin in the world's axes.
//!
//! ```text
//! outward   X, S, I of each body                                                 (1)
//! inward    Iᶜ: the sum of I over the subtree          t₁ = Iᶜ S                 (2)
//! fill      for a column c and a row r
//!           in the subtree of c:   M = t₁ᵣ · S_c                                 (3)
//!           on the path to c:      M = Sᵣ · t₁_c                                 (4)
//!           on the diagonal, the armature comes on top; zero elsewhere           (5)
//! ```
//!
//! Source: [RBDA] Table 6.2; `t₁` as in [Singh22] Alg. 1. In ground coordinates (2) is a sum. (3) and (4) are the same sum
//! of the same products, so M is symmetric to the last bit, and every column is a few contiguous runs.

use crate::block::{self, Block, blocks};
use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Inertia, Motion, Transform};
use crate::workspace::{Scratch as All, Workspace, full_q};
use alloc::vec;
use alloc::vec::Vec;

/// The mass matrix `M(q)`, with the joints' armature unless the scene switches it off.
///
/// - `q` (nq); `m` (nv × nv, by columns), both triangles, exactly symmetric.
/// - O(N d) for a tree of depth d, and what it takes to write the zeros.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn crba<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    m: &mut [T],
) -> Result<(), Error> {
    let scene = scene.into();
    Check::new(scene.model, ws)?.nq("q", q)?.square("m", m)?;
    ws.run(Crba { scene, q, m });
    Ok(())
}

struct Crba<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    m: &'a mut [T],
}

impl<T: Real> Kernel<T> for Crba<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) {
        compute(&self.scene, scratch, S::slice(self.q), Wanted::All, S::slice_mut(self.m));
    }
}

/// Which entries of the mass matrix somebody needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    /// Those on and above the diagonal that are not zero by structure. The others may hold anything.
    Paths,
}

/// The mass matrix over the model's degrees of freedom.
#[inline(always)]
pub(crate) fn compute<T: Real, S: Twin<T>>(
    scene: &Scene<'_, T>,
    scratch: &mut All<S>,
    q: &[S],
    wanted: Wanted,
    m: &mut [S],
) {
    let (model, tree, effects) = (scene.model, scene.model.tree(), JointEffects::of(scene));
    let All { turns, full, X, crba: Scratch { I, S, t1, full_m }, .. } = scratch;
    let q = full_q(model, q, &mut full.q);

    outward(tree, turns.update(tree, q), q, X, I);
    inward(tree, X, I, S, t1);
    match model.mimic() {
        None => fill(tree, &effects, S, t1, wanted, m),
        Some(map) => {
            fill(tree, &effects, S, t1, Wanted::All, full_m);
            map.reduce_square(full_m, model.nv(), m);
        }
    }
}

/// Scratch of this algorithm: O(N), and M in full coordinates for models with mimicking joints.
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    I: Vec<Inertia<T>>,
    S: Vec<Block<T>>,
    t1: Vec<Block<T>>,
    full_m: Vec<T>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree, mimics: bool) -> Self {
        let nv = tree.dofs.len();
        Self {
            I: vec![Inertia::default(); tree.bodies.len()],
            S: blocks(nv),
            t1: blocks(nv),
            full_m: vec![T::zero(); if mimics { nv * nv } else { 0 }],
        }
    }
}

/// (1)
#[inline(always)]
fn outward<T: Real>(tree: &Tree, turns: &[(T, T)], q: &[T], X: &mut [Transform<T>], I: &mut [Inertia<T>]) {
    X[0] = ground::origin(tree, q, turns);
    I[0] = Inertia::zero();
    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        X[i] = ground::place(body, &X[body.parent], q, turns);
        I[i] = ground::inertia(body, &X[i]);
    }
}

/// (2)
#[inline(always)]
fn inward<T: Real>(tree: &Tree, X: &[Transform<T>], I: &mut [Inertia<T>], S: &mut [Block<T>], t1: &mut [Block<T>]) {
    for i in (1..tree.bodies.len()).rev() {
        let body = &tree.bodies[i];
        for (k, dof) in body.v.clone().enumerate() {
            let axis: Motion<T> = body.joint.axis(k, &X[i]);
            block::put(S, dof, axis.to_array());
            block::put(t1, dof, (I[i] * axis).to_array());
        }
        let this = I[i];
        I[body.parent] += this;
    }
}

#[inline(always)]
fn fill<T: Real>(tree: &Tree, effects: &JointEffects, S: &[Block<T>], t1: &[Block<T>], wanted: Wanted, m: &mut [T]) {
    let nv = tree.dofs.len();
    for (c, column) in m.chunks_exact_mut(nv.max(1)).enumerate() {
        if wanted == Wanted::All {
            column.fill(T::zero());
            block::dots(t1, tree.paths.below(c), &block::get(S, c), column); // (3)
        }
        let t1_c = block::get(t1, c);
        for run in tree.paths.path(c) {
            block::dots(S, run, &t1_c, column); // (4)
        }
        column[c] += effects.armature(tree, c); // (5)
    }
}
