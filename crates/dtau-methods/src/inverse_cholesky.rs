//! M⁻¹ by the tree-sparse factorisation: M = Lᵀ D L (`ltdl.rs`), then one substitution per column.
//!
//! ```text
//! Lᵀ D L x_c = e_c,      x_c is column c of M⁻¹
//! ```
//!
//! Source: [RBDA] §6.5. [Carpentier18] §IV-C, eqs. (25), (26), compares the dedicated algorithm with this
//! standard way. O(Nd²) to factorise, O(N²d) to substitute.

use crate::TreeState;
use crate::ltdl::Ltdl;
use dtau::scalar::Real;

/// Fills `M⁻¹`; see [`crate::InverseMethod`].
pub fn inverse<T: Real>(state: &TreeState<'_, T>, minv: &mut [T]) {
    let n = state.tree.dofs.len();
    let factor = Ltdl::of(state);
    for (c, x) in minv.chunks_exact_mut(n).enumerate() {
        x.fill(T::zero());
        x[c] = T::one();
        factor.solve(x);
    }
}
