//! Derivatives of forward dynamics by the response form: FDSVA without ∂ID.
//!
//! Ground coordinates throughout. A column of −M⁻¹ ∂ID is the acceleration of the tree under forces on its
//! bodies, at rest and without gravity. By [Singh22] eqs. (30), (32), with I, B of single bodies, the torques
//! of column c are those of
//! ```text
//! F = I y + 2B x        on every body in the subtree of c                                 (1)
//!     by q:   x = Ψ̇,  y = Ψ̈            by q̇:   x = S,  y = Ṡ + Ψ̇        of c
//! G = S ×* fᶜ           on the parent of c, by q only                                     (2)
//! ```
//!
//! A joint of several degrees of freedom is a chain of single ones. Let the articulated sum of F in a subtree
//! be p = Iᴬ y + Bᴬ x. Then ABA's inward pass gives at a degree of freedom
//!
//! ```text
//! U = Iᴬ S      D = Sᵀ U + armature      w = Bᴬᵀ S/D                                      (3)
//! u = −Sᵀ p = −(Uᵀ y + D wᵀ x)                                                            (4)
//! p + U u/D = (Iᴬ − U Uᵀ/D) y + (Bᴬ − U wᵀ) x                                             (5)
//! ```
//!
//! so p has the same form above it, with Iᴬ ← Iᴬ − U Uᵀ/D and Bᴬ ← Bᴬ − U wᵀ, computed once for all columns.
//! Both are summed over children and start from I, 2B. Let λ be the previous degree of freedom and a_λ its
//! acceleration. Then a column is
//!
//! ```text
//! above joint c           p = Iᴬ y + Bᴬ x + G          Iᴬ, Bᴬ without the joint's own      (6)
//! on the path, inward     u = −Sᵀ p,    p ← p + U u/D                                     (7)
//! on the path, outward    q̈ = u/D − Uᵀ a_λ/D                                              (8)
//! subtree of c            q̈ = −wᵀ x − Uᵀ (a_λ + y)/D         by (4)                       (9)
//! elsewhere               q̈ = −Uᵀ a_λ/D                                                   (10)
//! ```
//!
//! In (9) the sum a_λ + y is passed outward, so all three are one line of code: y is added where the subtree
//! begins.
//!
//! B ignores the linear part of x, so x has 3 numbers. External forces that do not move with their bodies add
//! Q S on every body of the subtree, see [`Stiffness::lag`]: 6 more columns beside those of 2B, with S beside
//! x. Damping and friction are a diagonal in ∂ID/∂q̇, so they add columns of M⁻¹.

use super::lanes::{self, Reach, is_fork};
use crate::derivatives::idsva::{self, Rates};
use crate::derivatives::stiffness::{self, Stiffness};
use crate::dispatch::{Register, step};
use crate::dynamics::minverse::inverse_mass;
use crate::engines::Scratch;
use crate::linalg::six::{P, add_columns, minus_dot, set, zeros};
use crate::linalg::transpose::scatter;
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::scene::{JointEffects, Scene};
use crate::spatial::{ArticulatedInertia, Coriolis, Force, Motion};
use crate::sweeps::articulate::DofState;
use crate::sweeps::bodies::{Bodies, Load};
use crate::sweeps::side_by_side::width;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// ∂q̈/∂q, ∂q̈/∂q̇ and M⁻¹, from the bodies that ABA left moving with q̈.
#[inline(always)]
pub(in crate::derivatives) fn respond<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    v: &[T],
    [dq, dv, dtau]: [&mut [T]; 3],
) {
    step!(s.proof, || {
        let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
        let Scratch { bodies, id: idsva, articulated, fd, .. } = &mut *s;

        bodies.load_all();
        bodies.push(scene);
        idsva::rates(tree, bodies, idsva);
        let (dofs, own) = (&mut articulated.dofs[..], &mut fd.response);
        if stiffness::all_move_with_bodies(scene) {
            let state = &State { bodies, idsva };
            inward::<T, 3>(tree, &effects, state, &[], dofs, own);
            columns::<T, 3>(tree, dofs, own, &mut fd.lanes, &mut *dq, dv);
        } else {
            stiffness::of_bodies(scene, bodies, &mut idsva.stiffness);
            let state = &State { bodies, idsva };
            inward::<T, 9>(tree, &effects, state, &idsva.stiffness, dofs, own);
            columns::<T, 9>(tree, dofs, own, &mut fd.lanes, &mut *dq, dv);
        }
        inverse_mass(tree, s, &mut *dtau);
        let n = v.len();
        if effects.pull() {
            for k in 0..n {
                let stiffness = effects.stiffness::<T>(tree, k);
                for (dq, &minv) in dq[k * n..][..n].iter_mut().zip(&dtau[k * n..][..n]) {
                    *dq = stiffness.neg_mul_add(minv, *dq);
                }
            }
        }
        if effects.resist() {
            for k in 0..n {
                let slope = effects.resistance_slope(tree, k, v[k]);
                for (dv, &minv) in dv[k * n..][..n].iter_mut().zip(&dtau[k * n..][..n]) {
                    *dv = slope.neg_mul_add(minv, *dv);
                }
            }
        }
    });
}

/// The bodies, and the results of IDSVA for them.
struct State<'a, T: Real> {
    bodies: &'a Bodies<T>,
    idsva: &'a idsva::Room<T>,
}

impl<T: Real> State<'_, T> {
    #[inline(always)]
    fn axis(&self, k: usize) -> Axis<T> {
        Axis { S: self.bodies.S.get(k), rates: self.idsva.rates.get(k) }
    }
}

/// Motion of a degree of freedom.
struct Axis<T> {
    S: Motion<T>,
    rates: Rates<T>,
}

/// State of a body during the passes.
#[derive(Clone, Copy, Debug, Default)]
struct Articulated<T> {
    I: ArticulatedInertia<T>,
    /// Bᴬ by columns; with forces that do not move with their bodies, also the columns of Q.
    B: [Force<T>; 9],
    /// fᶜ
    f: Force<T>,
}

/// Data of a degree of freedom as a column and as a row.
#[derive(Clone, Copy, Debug, Default)]
struct DofLoad<T> {
    /// x, y and p above the joint (6), with respect to q and to q̇.
    x: [[T; 9]; 2],
    y: [[T; 6]; 2],
    p: [Force<T>; 2],
    w: [T; 9],
}

/// Workspace of this algorithm: O(N).
#[derive(Debug)]
pub(super) struct Room<T> {
    bodies: Vec<Articulated<T>>,
    loads: Vec<DofLoad<T>>,
}

impl<T: Real> Room<T> {
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            bodies: vec![Articulated::default(); tree.bodies.len()],
            loads: vec![DofLoad::default(); tree.dofs.len()],
        }
    }
}

/// x of a column, with respect to q and to q̇; with S beside it if there are forces that do not move with
/// their bodies.
#[inline(always)]
fn x<T: Real, const K: usize>(column: &Axis<T>) -> [[T; K]; 2] {
    let (psi_dot, S) = (column.rates.psi_dot.ang.to_array(), column.S.to_array());
    let mut x = [[T::zero(); K]; 2];
    for k in 0..K {
        x[0][k] = if k < 3 { psi_dot[k] } else { S[k - 3] };
        x[1][k] = if k < 3 { S[3 + k] } else { T::zero() };
    }
    x
}

/// (3), (5), (6).
#[inline(always)]
fn inward<T: Real, const K: usize>(
    tree: &Tree,
    effects: &JointEffects,
    state: &State<'_, T>,
    lags: &[Stiffness<T>],
    dofs: &mut [DofState<T>],
    scratch: &mut Room<T>,
) {
    let Room { bodies, loads } = scratch;
    for i in 0..bodies.len() {
        let slot = tree.bodies[i].slot;
        let (Load { I, f }, B): (Load<T>, Coriolis<T>) = (state.bodies.load.get(slot), state.idsva.B.get(slot));
        bodies[i].I = I.into();
        bodies[i].f = f;
        bodies[i].B[..3].copy_from_slice(&B.columns());
        if K > 3 {
            bodies[i].B[3..].copy_from_slice(&lags[i].lag());
        }
    }
    for (i, body) in tree.inward() {
        let (before, rest) = bodies.split_at_mut(i);
        let (parent, Articulated { I, B, f }) = (&mut before[body.parent], &mut rest[0]);
        for k in body.v.clone().rev() {
            let S: Motion<T> = state.bodies.S.get(k);
            let U = *I * S; // (3)
            let D = S.dot(U) + effects.armature(tree, k);
            let D_inv = D.recip();
            let U_D = U * D_inv;
            *I = I.sub_outer(U_D, U); // (5)
            for j in 0..K {
                let w = S.dot(B[j]) * D_inv;
                B[j] = U.scale_add(-w, B[j]);
                loads[k].w[j] = w;
            }
            dofs[k] = DofState::new(S, U_D, D_inv);
        }
        for k in body.v.clone() {
            let column = &state.axis(k);
            let ys = [column.rates.psi_ddot, column.rates.rate];
            let Gs = [column.S.cross_force(*f), Force::zero()]; // (2)
            let xs = x::<T, K>(column);
            for by in 0..2 {
                let mut p = *I * ys[by] + Gs[by]; // (6)
                for j in 0..K {
                    p = B[j].scale_add(xs[by][j], p);
                }
                loads[k].x[by][..K].copy_from_slice(&xs[by]);
                loads[k].y[by] = ys[by].to_array();
                loads[k].p[by] = p;
            }
        }
        parent.I += *I;
        parent.f += *f;
        for j in 0..K {
            parent.B[j] += B[j];
        }
    }
}

/// All columns, several of ∂q̈/∂q and as many of ∂q̈/∂q̇ side by side: each takes half of the registers.
#[inline(always)]
fn columns<T: Real, const K: usize>(
    tree: &Tree,
    dofs: &[DofState<T>],
    scratch: &Room<T>,
    lanes: &mut lanes::Room<T>,
    dq: &mut [T],
    dv: &mut [T],
) {
    let (n, loads, half) = (dofs.len(), &scratch.loads[..], P / 2 * width::<T>());
    for first in (0..n).step_by(half) {
        let columns = first..n.min(first + half);
        let reach = Reach::of(tree, columns.clone());
        lanes.wide[reach.rows.start..columns.end].fill([Register::<T>::zero(); P]);
        root_ward(tree, columns.clone(), dofs, loads, lanes);
        outward::<T, K>(tree, columns.clone(), reach.bodies, dofs, loads, lanes);
        let entries = columns.start * n..columns.end * n;
        scatter(&lanes.wide, 0, reach.rows.clone(), n, &mut dq[entries.clone()]);
        scatter(&lanes.wide, P / 2, reach.rows, n, &mut dv[entries]);
    }
}

/// (6), (7): u/D on the path of each column.
///
/// The columns are neighbours, so the path of any of them lies between them or on the path of the first.
#[inline(always)]
fn root_ward<T: Real>(
    tree: &Tree,
    columns: Range<usize>,
    dofs: &[DofState<T>],
    loads: &[DofLoad<T>],
    lanes: &mut lanes::Room<T>,
) {
    let lanes::Room { wide, sent, .. } = lanes;
    let half = P / 2 * width::<T>();
    let first = tree.dofs[columns.start].body;
    let mut i = tree.dofs[columns.end - 1].body;
    let mut p = zeros::<T, 6>();
    while i > 0 {
        let body = &tree.bodies[i];
        for k in body.v.clone().rev() {
            let DofState { S, U_D, D_inv, .. } = &dofs[k];
            let u = minus_dot([Register::<T>::zero(); P], &S.to_array(), &p); // (7)
            for r in 0..P {
                wide[k][r] = u[r] * Register::<T>::splat(*D_inv);
            }
            add_columns(&mut p, &U_D.to_array(), u);
        }
        for c in body.v.start.max(columns.start)..body.v.end.min(columns.end) {
            for by in 0..2 {
                set::<T, 6, false>(&mut p, by * half + c - columns.start, &loads[c].p[by].to_array()); // (6)
            }
        }
        let (parent, level) = (body.parent, tree.bodies[body.parent].forks);
        let next = if i > first { i - 1 } else { parent };
        if parent == 0 {
            p = zeros::<T, 6>();
        } else if next != parent {
            sent.add(level, &p);
            p = zeros::<T, 6>();
        } else if body.forks > level {
            sent.take(level, &mut p);
        }
        i = next;
    }
}

/// (8) to (10), from u/D to q̈.
#[inline(always)]
fn outward<T: Real, const K: usize>(
    tree: &Tree,
    columns: Range<usize>,
    bodies: Range<usize>,
    dofs: &[DofState<T>],
    loads: &[DofLoad<T>],
    lanes: &mut lanes::Room<T>,
) {
    let lanes::Room { wide, kept, .. } = lanes;
    let half = P / 2 * width::<T>();
    let start = tree.bodies[tree.dofs[columns.start].body].v.start; // no subtree of a column begins before this
    let (mut a, mut xs) = (zeros::<T, 6>(), zeros::<T, K>());
    for i in bodies {
        let body = &tree.bodies[i];
        let level = tree.bodies[body.parent].forks;
        if body.parent == 0 {
            (a, xs) = (zeros::<T, 6>(), zeros::<T, K>());
        } else if body.parent + 1 < i {
            (a, xs) = (kept.get(level, 0), kept.get(level, 6));
        }
        for c in body.v.start.max(columns.start)..body.v.end.min(columns.end) {
            for by in 0..2 {
                let column = by * half + c - columns.start;
                set::<T, 6, true>(&mut a, column, &loads[c].y[by]); // (9)
                set::<T, K, false>(&mut xs, column, &loads[c].x[by]);
            }
        }
        for k in body.v.clone() {
            let DofState { S, U_D, .. } = &dofs[k];
            let mut qdd = if k < columns.end { wide[k] } else { [Register::<T>::zero(); P] };
            if k >= start {
                qdd = minus_dot(qdd, &loads[k].w, &xs);
            }
            qdd = minus_dot(qdd, &U_D.to_array(), &a);
            wide[k] = qdd;
            add_columns(&mut a, &S.to_array(), qdd);
        }
        if is_fork(tree, i) {
            kept.put(body.forks, 0, &a);
            kept.put(body.forks, 6, &xs);
        }
    }
}
