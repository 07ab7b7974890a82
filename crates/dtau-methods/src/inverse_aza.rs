//! M⁻¹ by AZA on the columns of the identity.
//!
//! ```text
//! M⁻¹ e_c = ABA(q, 0, e_c, 0)
//! ```
//!
//! Source: [Singh21] §IV-A, last sentence: "we loop over the AZA with input vectors as columns of an identity
//! matrix"; [Singh22] eq. (34). The recursion is in `aza.rs`. O(N²).

use crate::TreeState;
use crate::aza::Aza;
use dtau::scalar::Real;

/// Fills `M⁻¹`; see [`crate::InverseMethod`].
pub fn inverse<T: Real>(state: &TreeState<'_, T>, minv: &mut [T]) {
    let n = state.tree.dofs.len();
    let aza = Aza::of(state);
    for (c, x) in minv.chunks_exact_mut(n).enumerate() {
        x.fill(T::zero());
        x[c] = T::one();
        aza.solve(x);
    }
}
