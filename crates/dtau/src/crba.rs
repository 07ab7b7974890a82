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
    let All { turns, full, X, crba: own, .. } = scratch;
    let q = full_q(model, q, &mut full.q);

    outward(tree, turns.update(tree, q), q, X, &mut own.I);
    // Numbers that are lanes already are taken one by one.
    match (model.mimic(), S::IS_PACKED) {
        (None, false) => fill::<S, 4>(tree, &effects, X, own, wanted, m),
        (None, true) => fill::<S, 1>(tree, &effects, X, own, wanted, m),
        (Some(map), _) => {
            let mut full_m = core::mem::take(&mut own.full_m);
            fill::<S, 1>(tree, &effects, X, own, Wanted::All, &mut full_m);
            map.reduce_square(&full_m, model.nv(), m);
            own.full_m = full_m;
        }
    }
}

/// Scratch of this algorithm: O(N), and M in full coordinates for models with mimicking joints.
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    I: Vec<Inertia<T>>,
    /// Blocks of S and of t₁: what the fill streams over.
    S: Vec<T>,
    t1: Vec<T>,
    full_m: Vec<T>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree, mimics: bool) -> Self {
        let nv = tree.dofs.len();
        Self {
            I: vec![Inertia::default(); tree.bodies.len()],
            S: vec![T::zero(); block::room(nv)],
            t1: vec![T::zero(); block::room(nv)],
            full_m: vec![T::zero(); if mimics { nv * nv } else { 0 }],
        }
    }
}

/// (1)
#[inline(always)]
fn outward<T: Real>(tree: &Tree, turns: &[(T, T)], q: &[T], X: &mut [Transform<T>], I: &mut [Inertia<T>]) {
    X[0] = Transform::identity();
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
    scratch: &mut Scratch<T>,
    wanted: Wanted,
    m: &mut [T],
) {
    let Scratch { I, S, t1, .. } = scratch;
    inward::<T, W>(tree, X, I, S, t1);

    // Runs of rows in ascending order: one may write past its end, because what comes after is written later.
    let nv = tree.dofs.len();
    for c in 0..nv {
        let body = &tree.bodies[tree.dofs[c].body];
        let (S_c, t1_c) = (block::get::<T, W>(S, c), block::get::<T, W>(t1, c));
        let column = &mut m[c * nv..];
        let mut done = 0;
        for run in &tree.path_runs[body.path.clone()] {
            if wanted == Wanted::All {
                column[done..run.start].fill(T::zero());
            }
            block::dots::<T, W>(S, run.start, run.end, &t1_c, column); // (4)
            done = run.end;
        }
        if wanted == Wanted::All {
            column[done..body.v.start].fill(T::zero());
        }
        block::dots::<T, W>(S, body.v.start, c + 1, &t1_c, column); // (4)
        column[c] += effects.armature(tree, c); // (5)
        if wanted == Wanted::All {
            block::dots::<T, W>(t1, c + 1, body.dofs_end, &S_c, column); // (3)
            column[body.dofs_end..nv].fill(T::zero());
        }
    }
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
