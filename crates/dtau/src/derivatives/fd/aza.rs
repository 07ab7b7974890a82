//! −M⁻¹ ∂ID by AZA, the "ABA-zero algorithm": M⁻¹ b is the acceleration of the tree under the torques b, at
//! rest and without gravity.
//!
//! Ground coordinates throughout. A joint of several degrees of freedom is a chain of single ones. λ is the
//! previous degree of freedom towards the root. U and D are those of the articulated inertias.
//!
//! ```text
//! inward    u = b − Sᵀ p           p_λ += p + U u/D                                     (1)
//! outward   x = u/D − Uᵀ a_λ/D     a = a_λ + S x                                        (2)
//! ```
//!
//! Source: [Singh22] eq. (34). Several columns are computed side by side, with b = −∂ID.

use super::lanes::{self, Aside, Reach, from_parent, is_fork, to_parent};
use crate::dispatch::{Register, step};
use crate::engines::Scratch;
use crate::linalg::six::{Columns, P, add_columns, minus_dot, zeros};
use crate::linalg::transpose::{gather, scatter};
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::sweeps::articulate::DofState;
use crate::sweeps::side_by_side::width;
use core::ops::Range;

/// `X ← −M⁻¹ X` for both `X`, with S, U/D and 1/D of the articulated tree from ABA.
#[inline(always)]
pub(super) fn apply<T: Real>(tree: &Tree, s: &mut Scratch<T>, [dq, dv]: [&mut [T]; 2]) {
    step!(s.proof, || for x in [&mut *dq, &mut *dv] {
        apply_to(tree, &s.articulated.dofs, &mut s.fd.lanes, x);
    });
}

#[inline(always)]
fn apply_to<T: Real>(tree: &Tree, dofs: &[DofState<T>], lanes: &mut lanes::Room<T>, x: &mut [T]) {
    let n = dofs.len();
    let lanes::Room { wide, sent, kept } = lanes;
    let count = P * width::<T>();
    for first in (0..n).step_by(count) {
        let columns = first..n.min(first + count);
        let x = &mut x[columns.start * n..columns.end * n];
        let reach = Reach::of(tree, columns);
        let below = reach.bodies.start..reach.last_below;
        let rows_end = tree.bodies[reach.last_below - 1].v.end;
        gather(x, n, reach.rows.start..rows_end, wide);
        inward(tree, dofs, below, wide, sent);
        outward(tree, dofs, reach.bodies.clone(), rows_end, wide, kept);
        scatter(wide, 0, reach.rows, n, x);
    }
}

/// (1), from −b to u/D.
#[inline(always)]
fn inward<T: Real>(
    tree: &Tree,
    dofs: &[DofState<T>],
    bodies: Range<usize>,
    wide: &mut [Columns<T>],
    sent: &mut Aside<T>,
) {
    let mut p = zeros::<T, 6>();
    for i in bodies.rev() {
        let body = &tree.bodies[i];
        for k in body.v.clone().rev() {
            let DofState { S, U_D, D_inv, .. } = &dofs[k];
            let mut u = wide[k];
            for u in &mut u {
                *u = -*u;
            }
            u = minus_dot(u, &S.to_array(), &p);
            for r in 0..P {
                wide[k][r] = u[r] * Register::<T>::splat(*D_inv);
            }
            add_columns(&mut p, &U_D.to_array(), u);
        }
        to_parent(tree, i, &mut p, sent);
    }
}

/// (2). From `rows_end` on no torque acts, so u is zero.
#[inline(always)]
fn outward<T: Real>(
    tree: &Tree,
    dofs: &[DofState<T>],
    bodies: Range<usize>,
    rows_end: usize,
    wide: &mut [Columns<T>],
    kept: &mut Aside<T>,
) {
    let mut a = zeros::<T, 6>();
    for i in bodies {
        let body = &tree.bodies[i];
        from_parent(tree, i, &mut a, kept);
        for k in body.v.clone() {
            let DofState { S, U_D, .. } = &dofs[k];
            let u = if k < rows_end { wide[k] } else { [Register::<T>::zero(); P] };
            wide[k] = minus_dot(u, &U_D.to_array(), &a);
            add_columns(&mut a, &S.to_array(), wide[k]);
        }
        if is_fork(tree, i) {
            kept.put(body.forks, 0, &a);
        }
    }
}
