//! The mass matrix: the composite-rigid-body algorithm (CRBA).
//!
//! Ground coordinates throughout: every vector is at the world's origin in the world's axes.
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

use crate::block;
use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Inertia, Transform};
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
        compute(&self.scene, scratch, S::slice(self.q), S::slice_mut(self.m));
    }
}

/// The mass matrix over the model's degrees of freedom.
#[inline(always)]
pub(crate) fn compute<T: Real, S: Twin<T>>(scene: &Scene<'_, T>, scratch: &mut All<S>, q: &[S], m: &mut [S]) {
    let (model, tree, effects) = (scene.model, scene.model.tree(), JointEffects::of(scene));
    let All { turns, full, X, crba: Scratch { I, axes, t1, full_m }, .. } = scratch;
    let q = full_q(model, q, &mut full.q);

    outward(tree, turns.update(tree, q), q, X, I);
    let to = if model.mimic().is_some() { &mut full_m[..] } else { &mut *m };
    if S::IS_PACKED {
        fill::<S, 1>(tree, &effects, X, I, axes, t1, to); // lanes already: one by one
    } else {
        fill::<S, 4>(tree, &effects, X, I, axes, t1, to);
    }
    if let Some(map) = model.mimic() {
        map.reduce_square(full_m, model.nv(), m);
        block::mirror::<S, 1>(model.nv(), m); // the two triangles were summed in different orders
    }
}

/// Scratch of this algorithm: O(N), and M in full coordinates for models with mimicking joints.
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    I: Vec<Inertia<T>>,
    /// Blocks of S and of t₁: what the fill streams over.
    axes: Vec<T>,
    t1: Vec<T>,
    full_m: Vec<T>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree, mimics: bool) -> Self {
        let nv = tree.dofs.len();
        Self {
            I: vec![Inertia::default(); tree.bodies.len()],
            axes: vec![T::zero(); block::room(nv)],
            t1: vec![T::zero(); block::room(nv)],
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

#[inline(always)]
fn fill<T: Real, const W: usize>(
    tree: &Tree,
    effects: &JointEffects,
    X: &[Transform<T>],
    I: &mut [Inertia<T>],
    S: &mut [T],
    t1: &mut [T],
    m: &mut [T],
) {
    inward::<T, W>(tree, X, I, S, t1);

    // Columns in ascending order: what one writes past its end is written again by the next, or by the mirror.
    let nv = tree.dofs.len();
    for c in 0..nv {
        let column = &mut m[c * nv..];
        let end = tree.paths.below(c).end;
        block::dots::<T, W>(t1, c, end, &block::get::<T, W>(S, c), column); // (3)
        column[c] += effects.armature(tree, c); // (4)
        column[end..nv].fill(T::zero());
    }
    block::mirror::<T, W>(nv, m); // (5)
}

/// (2)
#[inline(always)]
fn inward<T: Real, const W: usize>(tree: &Tree, X: &[Transform<T>], I: &mut [Inertia<T>], S: &mut [T], t1: &mut [T]) {
    for i in (1..tree.bodies.len()).rev() {
        let body = &tree.bodies[i];
        let Ic = I[i];
        for (k, dof) in body.v.clone().enumerate() {
            let axis = body.joint.axis(k, &X[i]);
            block::put::<T, W>(S, dof, axis.to_array());
            block::put::<T, W>(t1, dof, (Ic * axis).to_array());
        }
        I[body.parent] += Ic;
    }
}
