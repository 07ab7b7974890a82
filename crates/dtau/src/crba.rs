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

use crate::check::Check;
use crate::derivatives::fill::Pack;
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
use core::ops::Range;

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
    let All { turns, full, X, crba: Scratch { I, rows, full_m }, .. } = scratch;
    let q = full_q(model, q, &mut full.q);

    outward(tree, turns.update(tree, q), q, X, I);
    inward(tree, X, I, rows);
    match model.mimic() {
        None => fill(tree, &effects, rows, wanted, m),
        Some(map) => {
            fill(tree, &effects, rows, Wanted::All, full_m);
            map.reduce_square(full_m, model.nv(), m);
        }
    }
}

/// Scratch of this algorithm: O(N), and M in full coordinates for models with mimicking joints.
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    I: Vec<Inertia<T>>,
    /// S, then t₁, by component, then by degree of freedom: what the fill streams over.
    rows: Vec<T>,
    full_m: Vec<T>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree, mimics: bool) -> Self {
        let nv = tree.dofs.len();
        Self {
            I: vec![Inertia::default(); tree.bodies.len()],
            rows: vec![T::zero(); 12 * stride(nv)],
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

/// (2)
#[inline(always)]
fn inward<T: Real>(tree: &Tree, X: &[Transform<T>], I: &mut [Inertia<T>], rows: &mut [T]) {
    let stride = stride(tree.dofs.len());
    for i in (1..tree.bodies.len()).rev() {
        let body = &tree.bodies[i];
        for (k, dof) in body.v.clone().enumerate() {
            let S: Motion<T> = body.joint.axis(k, &X[i]);
            let t1 = I[i] * S;
            for (k, x) in S.to_array().into_iter().chain(t1.to_array()).enumerate() {
                rows[k * stride + dof] = x;
            }
        }
        I[body.parent] = I[body.parent] + I[i];
    }
}

/// Rows taken at once: what fills a 256-bit register.
const WIDTH: usize = 4;

/// Distance between components in `rows`: the fill reads past the last row.
fn stride(nv: usize) -> usize {
    nv + WIDTH
}

#[inline(always)]
fn fill<T: Real>(tree: &Tree, effects: &JointEffects, rows: &[T], wanted: Wanted, m: &mut [T]) {
    if T::IS_PACKED {
        fill_by::<T, 1>(tree, effects, rows, wanted, m);
    } else {
        fill_by::<T, WIDTH>(tree, effects, rows, wanted, m);
    }
}

/// Runs are written in ascending order: one may write past its end, because what comes after is written later.
#[inline(always)]
fn fill_by<T: Real, const W: usize>(tree: &Tree, effects: &JointEffects, rows: &[T], wanted: Wanted, m: &mut [T]) {
    let (nv, stride) = (tree.dofs.len(), stride(tree.dofs.len()));
    let (S, t1) = rows.split_at(6 * stride);
    for c in 0..nv {
        let column = &mut m[c * nv..];
        let body = &tree.bodies[tree.dofs[c].body];
        let S_c: [T; 6] = core::array::from_fn(|k| S[k * stride + c]);
        let t1_c: [T; 6] = core::array::from_fn(|k| t1[k * stride + c]);

        let mut done = 0;
        for run in tree.path_runs[body.path.clone()].iter().cloned().chain([body.v.start..c + 1]) {
            if wanted == Wanted::All {
                column[done..run.start].fill(T::zero());
            }
            done = run.end;
            dots::<T, W>(S, stride, run, &t1_c, column); // (4)
        }
        column[c] += effects.armature(tree, c); // (5)
        if wanted == Wanted::All {
            dots::<T, W>(t1, stride, done..body.dofs_end, &S_c, column); // (3)
            column[body.dofs_end..nv].fill(T::zero());
        }
    }
}

/// `out[r] = rows[r] · x` for every `r` of a range, and perhaps a few after it.
#[inline(always)]
fn dots<T: Real, const W: usize>(rows: &[T], stride: usize, range: Range<usize>, x: &[T; 6], out: &mut [T]) {
    for r in range.step_by(W) {
        let mut y = Pack::<T, W>::load(rows, r).times(x[0]);
        for k in 1..6 {
            y = Pack::<T, W>::load(rows, k * stride + r).mul_add(x[k], y);
        }
        y.store(out, r);
    }
}
