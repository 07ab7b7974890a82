//! ∂FD by FDSVA: IDSVA at the accelerations of forward dynamics, then −M⁻¹ times it.
//!
//! ```text
//! q̈ = ABA(q, q̇, τ)                                                 (1)
//! ∂ID/∂q, ∂ID/∂q̇ = IDSVA(q, q̇, q̈)                                  (2)
//! ∂q̈/∂q = −M⁻¹ ∂ID/∂q,   ∂q̈/∂q̇ = −M⁻¹ ∂ID/∂q̇,   ∂q̈/∂τ = M⁻¹       (3)
//! ```
//!
//! Source: [Singh22] eq. (5) and §IV-E. This file has three ways to apply −M⁻¹ in (3). The fourth way, which
//! does not need (2), is [`response`](crate::response).
//!
//! | way | what it does | cost | source |
//! | --- | --- | --- | --- |
//! | DMM | M⁻¹ by the dedicated algorithm, then a product of dense matrices | O(N³) | [Singh22] §IV-E |
//! | AZA | a column at a time is the acceleration of the tree at rest | O(N²) | [Singh22] eq. (34) |
//! | LᵀDL | a column at a time by substitution in the factor of M | O(N²d) | [RBDA] §6.5 |

use crate::aba_plain::aba;
use crate::aza::Aza;
use crate::idsva_printed;
use crate::inverse_dedicated;
use crate::ltdl::Ltdl;
use crate::{IdMethod, TreeState};
use dtau::scalar::Real;

/// FDSVA by direct matrix multiplication; see [`crate::FdMethod`].
pub fn dmm<T: Real>(state: &TreeState<'_, T>, tau: &[T], qdd: &mut [T], dq: &mut [T], dv: &mut [T], dtau: &mut [T]) {
    by_product(idsva(), state, tau, qdd, dq, dv, dtau);
}

/// FDSVA by AZA; see [`crate::FdMethod`].
pub fn aza<T: Real>(state: &TreeState<'_, T>, tau: &[T], qdd: &mut [T], dq: &mut [T], dv: &mut [T], dtau: &mut [T]) {
    let aza = Aza::of(state);
    by_solving(|x| aza.solve(x), state, tau, qdd, dq, dv, dtau);
}

/// FDSVA by substitution in the tree-sparse factor; see [`crate::FdMethod`].
pub fn ltdl<T: Real>(state: &TreeState<'_, T>, tau: &[T], qdd: &mut [T], dq: &mut [T], dv: &mut [T], dtau: &mut [T]) {
    let factor = Ltdl::of(state);
    by_solving(|x| factor.solve(x), state, tau, qdd, dq, dv, dtau);
}

/// (3) alone, for one matrix: −M⁻¹ ∂ID as a product of dense matrices.
pub fn apply_dmm<T: Real>(minv: &[T], id: &[T], out: &mut [T]) {
    minus_product(minv, id, out);
}

/// (3) alone, for one matrix: −M⁻¹ ∂ID by AZA, kinematics and articulated inertias included.
pub fn apply_aza<T: Real>(state: &TreeState<'_, T>, id: &[T], out: &mut [T]) {
    let (aza, n) = (Aza::of(state), state.tree.dofs.len());
    for (x, b) in out.chunks_exact_mut(n).zip(id.chunks_exact(n)) {
        x.copy_from_slice(b);
        aza.solve(x);
        x.iter_mut().for_each(|x| *x = -*x);
    }
}

/// The method of (2): Algorithm 1 as printed.
fn idsva<T: Real>() -> IdMethod<T> {
    idsva_printed::id_derivatives
}

/// (1) to (3) for any method of (2): M⁻¹ by the dedicated algorithm, applied as a dense matrix. FDCR and
/// Pinocchio's way use it too.
pub(crate) fn by_product<T: Real>(
    id: IdMethod<T>,
    state: &TreeState<'_, T>,
    tau: &[T],
    qdd: &mut [T],
    dq: &mut [T],
    dv: &mut [T],
    dtau: &mut [T],
) {
    aba(state, tau, qdd); // (1)
    let [id_dq, id_dv] = id_derivatives(id, state, qdd); // (2)
    inverse_dedicated::inverse(state, dtau); // (3)
    minus_product(dtau, &id_dq, dq);
    minus_product(dtau, &id_dv, dv);
}

/// (1) to (3), where `solve` applies x ← M⁻¹ x to one column.
fn by_solving<T: Real>(
    solve: impl Fn(&mut [T]),
    state: &TreeState<'_, T>,
    tau: &[T],
    qdd: &mut [T],
    dq: &mut [T],
    dv: &mut [T],
    dtau: &mut [T],
) {
    let n = qdd.len();
    aba(state, tau, qdd); // (1)
    let [id_dq, id_dv] = id_derivatives(idsva(), state, qdd); // (2)
    for (id, out) in [(id_dq, dq), (id_dv, dv)] {
        for (x, b) in out.chunks_exact_mut(n).zip(id.chunks_exact(n)) {
            x.copy_from_slice(b); // (3)
            solve(x);
            x.iter_mut().for_each(|x| *x = -*x);
        }
    }
    for (c, x) in dtau.chunks_exact_mut(n).enumerate() {
        x.fill(T::zero());
        x[c] = T::one();
        solve(x);
    }
}

fn id_derivatives<T: Real>(id: IdMethod<T>, state: &TreeState<'_, T>, qdd: &[T]) -> [Vec<T>; 2] {
    let n = qdd.len();
    let square = || vec![T::zero(); n * n];
    let (mut dq, mut dv, mut da) = (square(), square(), square());
    id(state, qdd, &mut vec![T::zero(); n], &mut dq, &mut dv, &mut da);
    [dq, dv]
}

/// `out = −A B`, square and by columns.
fn minus_product<T: Real>(A: &[T], B: &[T], out: &mut [T]) {
    let n = A.len().isqrt();
    for (column, b) in out.chunks_exact_mut(n).zip(B.chunks_exact(n)) {
        column.fill(T::zero());
        for (a, &b) in A.chunks_exact(n).zip(b) {
            for (x, &a) in column.iter_mut().zip(a) {
                *x = a.neg_mul_add(b, *x);
            }
        }
    }
}
