//! Derivatives of inverse dynamics: IDSVA.
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`]. `p` is the parent of `i`.
//!
//! ```text
//! outward   Ψ̇ = vₚ × S                          Ψ̈ = aₚ × S + vₚ × Ψ̇             (1)
//!           v = vₚ + S q̇                         a = aₚ + S q̈ + Ψ̇ q̇              (2)
//!           I, 2B of the body                    f = I a + v ×* I v               (3)
//! inward    Iᶜ, Bᶜ, fᶜ: sums over the subtree                                     (4)
//!           t₁ = Iᶜ S                            t₂ = 2Bᶜ S + Iᶜ (Ṡ + Ψ̇)          (5)
//!           t₃ = 2Bᶜ Ψ̇ + Iᶜ Ψ̈ + S ×* fᶜ          t₄ = 2Bᶜᵀ S                      (6)
//! fill      for a column c and a row r
//!           in the subtree of c:   ∂τ/∂q = t₄ᵣ·Ψ̇_c + t₁ᵣ·Ψ̈_c                    (7)
//!                                  ∂τ/∂q̇ = t₄ᵣ·S_c + t₁ᵣ·(Ṡ_c + Ψ̇_c)            (8)
//!           on the path to c:      ∂τ/∂q = Sᵣ·t₃_c,   ∂τ/∂q̇ = Sᵣ·t₂_c           (9)
//!           M = t₁·S either way; zero elsewhere                                   (10)
//! ```
//!
//! Source: [Singh22] Alg. 1.

use super::fill::Pack;
use crate::ground;
use crate::model::Tree;
use crate::scalar::Real;
use crate::spatial::{Coriolis, Force, Inertia, Motion, Transform, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// A body on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BodyState<T> {
    pub(super) X: Transform<T>,
    v: Motion<T>,
    a: Motion<T>,
    pub(super) I: Inertia<T>,
    pub(super) B: Coriolis<T>,
    pub(super) f: Force<T>,
}

/// A degree of freedom as a column of the outputs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Column<T> {
    pub(super) S: Motion<T>,
    pub(super) psi_dot: Motion<T>,
    pub(super) psi_ddot: Motion<T>,
    /// Ṡ + Ψ̇
    pub(super) rate: Motion<T>,
    t1: Force<T>,
    t2: Force<T>,
    pub(super) t3: Force<T>,
}

/// Scratch of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    pub(super) bodies: Vec<BodyState<T>>,
    pub(super) columns: Vec<Column<T>>,
    /// S, t₁, t₄ by component, then by dof: what the fill streams over.
    rows: Vec<T>,
    /// Distance between components in `rows`.
    stride: usize,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let stride = tree.dofs.len() + WIDTH; // the fill reads past the last row
        Self {
            stride,
            bodies: vec![BodyState::default(); tree.bodies.len()],
            columns: vec![Column::default(); tree.dofs.len()],
            rows: vec![T::zero(); 15 * stride],
        }
    }
}

#[inline(always)]
pub(super) fn outward<T: Real>(
    tree: &Tree,
    turns: &[(T, T)],
    q: &[T],
    qd: &[T],
    qdd: &[T],
    gravity: Vec3<T>,
    scratch: &mut Scratch<T>,
) {
    let state = &mut scratch.bodies;
    let X = ground::origin(tree, q, turns);
    state[0] = BodyState { X, a: Motion::new(-gravity, Vec3::zero()), ..Default::default() };

    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        let (before, rest) = state.split_at_mut(i);
        let (parent, this) = (&before[body.parent], &mut rest[0]);

        let X = ground::place(body, &parent.X, q, turns);
        let (mut v, mut a) = (parent.v, parent.a);
        let columns = &mut scratch.columns[body.v.clone()];
        for (k, column) in columns.iter_mut().enumerate() {
            let dof = body.v.start + k;
            let S = body.joint.axis(k, &X);
            let psi_dot = parent.v.cross(S); // (1)
            let psi_ddot = parent.v.cross_add(psi_dot, parent.a.cross(S));
            v = S.scale_add(qd[dof], v); // (2)
            a = S.scale_add(qdd[dof], psi_dot.scale_add(qd[dof], a));
            (column.S, column.psi_dot, column.psi_ddot) = (S, psi_dot, psi_ddot);
            column.rate = psi_dot + psi_dot; // one dof: Ṡ = Ψ̇
        }
        if columns.len() > 1 {
            for column in columns {
                column.rate = v.cross_add(column.S, column.psi_dot);
            }
        }
        // (3)
        let I = ground::inertia(body, &X);
        let momentum = I * v;
        let f = v.cross_force_add(momentum, I * a);
        *this = BodyState { X, v, a, I, B: Coriolis::of_body(&I, v, momentum), f };
    }
}

#[inline(always)]
pub(super) fn inward<T: Real>(tree: &Tree, scratch: &mut Scratch<T>, tau: &mut [T]) {
    let stride = scratch.stride;
    for i in (1..tree.bodies.len()).rev() {
        let body = &tree.bodies[i];
        let (before, rest) = scratch.bodies.split_at_mut(i);
        let (parent, this) = (&mut before[body.parent], &rest[0]);
        let (I, B, f) = (this.I, this.B, this.f);

        for dof in body.v.clone() {
            let column = &mut scratch.columns[dof];
            let S = column.S;
            column.t1 = I * S; // (5)
            column.t2 = B.mul_add(S.ang, I * column.rate);
            column.t3 = B.mul_add(column.psi_dot.ang, S.cross_force_add(f, I * column.psi_ddot)); // (6)
            let t4 = B.tr_mul(S);
            tau[dof] = S.dot(f);
            let mut put = |k: usize, x: T| scratch.rows[k * stride + dof] = x;
            for (k, x) in S.to_array().into_iter().enumerate() {
                put(k, x);
            }
            for (k, x) in column.t1.to_array().into_iter().enumerate() {
                put(6 + k, x);
            }
            for (k, x) in t4.to_array().into_iter().enumerate() {
                put(12 + k, x);
            }
        }
        // (4)
        parent.I += I;
        parent.B += B;
        parent.f += f;
    }
}

/// Rows taken at once: what fills a 256-bit register.
const WIDTH: usize = 4;

#[inline(always)]
pub(super) fn fill<T: Real>(tree: &Tree, scratch: &Scratch<T>, dq: &mut [T], dv: &mut [T], da: &mut [T]) {
    if T::IS_PACKED {
        fill_by::<T, 1>(tree, scratch, dq, dv, da);
    } else {
        fill_by::<T, WIDTH>(tree, scratch, dq, dv, da);
    }
}

#[inline(always)]
fn fill_by<T: Real, const W: usize>(tree: &Tree, scratch: &Scratch<T>, dq: &mut [T], dv: &mut [T], da: &mut [T]) {
    let (nv, stride) = (tree.dofs.len(), scratch.stride);
    let rows = &scratch.rows[..];
    for (c, column) in scratch.columns.iter().enumerate() {
        let at = c * nv;
        let body = &tree.bodies[tree.dofs[c].body];
        let mut done = 0;

        // (9), (10): the path from the root
        let (t1, t2, t3) = (column.t1.to_array(), column.t2.to_array(), column.t3.to_array());
        for run in &tree.path_runs[body.path.clone()] {
            zero(done..run.start, at, dq, dv, da);
            let mut r = run.start;
            while r < run.end {
                let S = Pack::<T, W>::load(rows, r);
                let (mut x, mut y, mut z) = (S.times(t3[0]), S.times(t2[0]), S.times(t1[0]));
                for k in 1..6 {
                    let S = Pack::<T, W>::load(rows, k * stride + r);
                    x = S.mul_add(t3[k], x);
                    y = S.mul_add(t2[k], y);
                    z = S.mul_add(t1[k], z);
                }
                x.store(dq, at + r);
                y.store(dv, at + r);
                z.store(da, at + r);
                r += W;
            }
            done = run.end;
        }

        // (7), (8), (10): one run over the subtree
        zero(done..body.v.start, at, dq, dv, da);
        let (s, p2, u) = (column.S.to_array(), column.psi_ddot.to_array(), column.rate.to_array());
        let p1 = column.psi_dot.ang.to_array();
        let mut r = body.v.start;
        while r < body.dofs_end {
            let t1 = Pack::<T, W>::load(rows, 6 * stride + r);
            let (mut x, mut y, mut z) = (t1.times(p2[0]), t1.times(u[0]), t1.times(s[0]));
            for k in 1..6 {
                let t1 = Pack::<T, W>::load(rows, (6 + k) * stride + r);
                x = t1.mul_add(p2[k], x);
                y = t1.mul_add(u[k], y);
                z = t1.mul_add(s[k], z);
            }
            for k in 0..3 {
                let t4 = Pack::<T, W>::load(rows, (12 + k) * stride + r);
                x = t4.mul_add(p1[k], x);
                y = t4.mul_add(s[3 + k], y);
            }
            x.store(dq, at + r);
            y.store(dv, at + r);
            z.store(da, at + r);
            r += W;
        }
        zero(body.dofs_end..nv, at, dq, dv, da);
    }
}

#[inline(always)]
fn zero<T: Real>(rows: core::ops::Range<usize>, at: usize, dq: &mut [T], dv: &mut [T], da: &mut [T]) {
    dq[at + rows.start..at + rows.end].fill(T::zero());
    dv[at + rows.start..at + rows.end].fill(T::zero());
    da[at + rows.start..at + rows.end].fill(T::zero());
}
