//! The tree-sparse factorisation of the mass matrix, M = Lᵀ D L, and solving with it.
//!
//! λ is the next degree of freedom towards the root; "ancestors" follow λ.
//!
//! ```text
//! factorise   for k from the last to the first, i over the ancestors of k, the nearest first:
//!             l = M_ki/D_k                                                       (1)
//!             M_ij −= l M_kj     for j = i and over the ancestors of i           (2)
//!             L_ki = l,  D_k = M_kk
//! solve       M x = b:
//!             x ← L⁻ᵀ b:   for i from the last:  xⱼ −= Lᵢⱼ xᵢ  over the ancestors j of i      (3)
//!             x ← D⁻¹ x                                                                       (4)
//!             x ← L⁻¹ x:   for i from the first: xᵢ −= Lᵢⱼ xⱼ  over the ancestors j of i      (5)
//! ```
//!
//! L has a unit diagonal, and is non-zero only where M is: elimination from the leaves causes no fill-in.
//! Source: [RBDA] §6.5: Table 6.3 for (1), (2); its back-substitution for (3), (5).

use crate::TreeState;
use crate::crba_plain::crba;
use dtau::model::Tree;
use dtau::scalar::Real;

/// L (unit diagonal not stored) in the lower triangle and D on the diagonal, by rows.
pub(crate) struct Ltdl<'a, T> {
    tree: &'a Tree,
    factor: Vec<T>,
}

impl<'a, T: Real> Ltdl<'a, T> {
    pub(crate) fn of(state: &TreeState<'a, T>) -> Self {
        let (tree, n) = (state.tree, state.tree.dofs.len());
        let mut H = vec![T::zero(); n * n];
        crba(state, &mut H); // symmetric, so its columns equal its rows
        for k in (0..n).rev() {
            for i in ancestors(tree, k) {
                let l = H[k * n + i] / H[k * n + k]; // (1)
                H[i * n + i] = l.neg_mul_add(H[k * n + i], H[i * n + i]); // (2)
                for j in ancestors(tree, i) {
                    H[i * n + j] = l.neg_mul_add(H[k * n + j], H[i * n + j]);
                }
                H[k * n + i] = l; // not read again: (2) of the farther ancestors starts at them
            }
        }
        Self { tree, factor: H }
    }

    /// `x ← M⁻¹ x`; O(Nd).
    pub(crate) fn solve(&self, x: &mut [T]) {
        let n = self.tree.dofs.len();
        let L = |i: usize, j: usize| self.factor[i * n + j];
        for i in (0..n).rev() {
            for j in ancestors(self.tree, i) {
                x[j] = L(i, j).neg_mul_add(x[i], x[j]); // (3)
            }
        }
        for i in 0..n {
            let start = x[i] / L(i, i); // (4)
            x[i] = ancestors(self.tree, i).fold(start, |sum, j| L(i, j).neg_mul_add(x[j], sum)); // (5)
        }
    }
}

/// Degrees of freedom between `k` and the root, the nearest first.
pub(crate) fn ancestors(tree: &Tree, k: usize) -> impl Iterator<Item = usize> + '_ {
    core::iter::successors(tree.dofs[k].parent, |&k| tree.dofs[k].parent)
}
