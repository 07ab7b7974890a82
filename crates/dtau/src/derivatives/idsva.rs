//! Derivatives of inverse dynamics: IDSVA.
//!
//! Ground coordinates throughout: every vector is at the world's origin in the world's axes. `p` is the parent of `i`.
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

use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::ground;
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::spatial::{Coriolis, Force, Inertia, Motion, Transform, Vec3};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// A body on the way.
#[derive(Clone, Copy, Debug, Default)]
struct BodyState<T> {
    X: Transform<T>,
    v: Motion<T>,
    a: Motion<T>,
    I: Inertia<T>,
    B: Coriolis<T>,
    f: Force<T>,
}

/// A degree of freedom as a column of the outputs.
#[derive(Clone, Copy, Debug, Default)]
struct Column<T> {
    S: Motion<T>,
    psi_dot: Motion<T>,
    psi_ddot: Motion<T>,
    /// Ṡ + Ψ̇
    rate: Motion<T>,
    t1: Force<T>,
    t2: Force<T>,
    t3: Force<T>,
}

/// Scratch of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    bodies: Vec<BodyState<T>>,
    columns: Vec<Column<T>>,
    /// S, t₁, t₄ by component, then by dof: what the fill streams over.
    rows: Vec<T>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self {
            bodies: vec![BodyState::default(); tree.bodies.len()],
            columns: vec![Column::default(); tree.dofs.len()],
            rows: vec![T::zero(); 15 * tree.dofs.len()],
        }
    }
}

/// IDSVA.
pub fn id_derivatives<T: Dispatch>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    tau: &mut [T],
    dq: &mut [T],
    dv: &mut [T],
    da: &mut [T],
) {
    ws.run(IdDerivatives { model, q, v, a, tau, dq, dv, da });
}

struct IdDerivatives<'a, T> {
    model: &'a Model,
    q: &'a [T],
    v: &'a [T],
    a: &'a [T],
    tau: &'a mut [T],
    dq: &'a mut [T],
    dv: &'a mut [T],
    da: &'a mut [T],
}

impl<T: Real> Kernel<T> for IdDerivatives<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut crate::workspace::Scratch<S>) {
        let tree = self.model.tree();
        let q = S::slice(self.q);
        let turns = scratch.turns.update(tree, q);
        let gravity = Vec3::lift(self.model.gravity().into());
        let s = &mut scratch.idsva;
        outward(tree, turns, q, S::slice(self.v), S::slice(self.a), gravity, s);
        inward(tree, s, S::slice_mut(self.tau));
        fill(tree, s, S::slice_mut(self.dq), S::slice_mut(self.dv), S::slice_mut(self.da));
    }
}

#[inline(always)]
fn outward<T: Real>(
    tree: &Tree,
    turns: &[(T, T)],
    q: &[T],
    qd: &[T],
    qdd: &[T],
    gravity: Vec3<T>,
    scratch: &mut Scratch<T>,
) {
    let state = &mut scratch.bodies;
    state[0] = BodyState { X: Transform::identity(), a: Motion::new(-gravity, Vec3::zero()), ..Default::default() };

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
fn inward<T: Real>(tree: &Tree, scratch: &mut Scratch<T>, tau: &mut [T]) {
    let nv = tree.dofs.len();
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
            let mut put = |k: usize, x: T| scratch.rows[k * nv + dof] = x;
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

#[inline(always)]
fn fill<T: Real>(tree: &Tree, scratch: &Scratch<T>, dq: &mut [T], dv: &mut [T], da: &mut [T]) {
    let nv = tree.dofs.len();
    dq.fill(T::zero());
    dv.fill(T::zero());
    da.fill(T::zero());
    let row = |k: usize| &scratch.rows[k * nv..][..nv];
    for (c, column) in scratch.columns.iter().enumerate() {
        let (dq, dv, da) = (&mut dq[c * nv..][..nv], &mut dv[c * nv..][..nv], &mut da[c * nv..][..nv]);
        let body = &tree.bodies[tree.dofs[c].body];

        // (7), (8), (10): one run over the subtree
        let (lo, hi) = (body.v.start, body.dofs_end);
        let s = column.S.to_array();
        let p1 = column.psi_dot.ang.to_array();
        let p2 = column.psi_ddot.to_array();
        let u = column.rate.to_array();
        let n = hi - lo;
        let t1: [&[T]; 6] = core::array::from_fn(|k| &row(6 + k)[lo..hi][..n]);
        let t4: [&[T]; 3] = core::array::from_fn(|k| &row(12 + k)[lo..hi][..n]);
        let (dq_run, dv_run, da_run) = (&mut dq[lo..hi][..n], &mut dv[lo..hi][..n], &mut da[lo..hi][..n]);
        for r in 0..n {
            let (mut x, mut y, mut z) = (t1[0][r] * p2[0], t1[0][r] * u[0], t1[0][r] * s[0]);
            for k in 1..6 {
                x = t1[k][r].mul_add(p2[k], x);
                y = t1[k][r].mul_add(u[k], y);
                z = t1[k][r].mul_add(s[k], z);
            }
            for k in 0..3 {
                x = t4[k][r].mul_add(p1[k], x);
                y = t4[k][r].mul_add(s[3 + k], y);
            }
            dq_run[r] = x;
            dv_run[r] = y;
            da_run[r] = z;
        }

        // (9), (10): the path to the root
        let mut ancestor = body.parent;
        let (t1, t2, t3) = (column.t1.to_array(), column.t2.to_array(), column.t3.to_array());
        while ancestor > 0 {
            for r in tree.bodies[ancestor].v.clone() {
                let S = &scratch.columns[r].S.to_array();
                let (mut x, mut y, mut z) = (S[0] * t3[0], S[0] * t2[0], S[0] * t1[0]);
                for k in 1..6 {
                    x = S[k].mul_add(t3[k], x);
                    y = S[k].mul_add(t2[k], y);
                    z = S[k].mul_add(t1[k], z);
                }
                dq[r] = x;
                dv[r] = y;
                da[r] = z;
            }
            ancestor = tree.bodies[ancestor].parent;
        }
    }
}
