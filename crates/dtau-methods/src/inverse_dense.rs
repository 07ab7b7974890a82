//! M⁻¹ by a dense Cholesky factorisation that ignores the structure of M.
//!
//! ```text
//! M = L Lᵀ                    Lⱼⱼ = √(Mⱼⱼ − Σ Lⱼₖ²),  Lᵢⱼ = (Mᵢⱼ − Σ Lᵢₖ Lⱼₖ)/Lⱼⱼ,   k < j < i      (1)
//! L y = e_c,  Lᵀ x = y        x is column c of M⁻¹                                                   (2)
//! ```
//!
//! M by [`crba`]. O(N³).

use crate::TreeState;
use crate::crba_plain::crba;
use dtau::scalar::Real;

/// Fills `M⁻¹`; see [`crate::InverseMethod`].
pub fn inverse<T: Real>(state: &TreeState<'_, T>, minv: &mut [T]) {
    let n = state.tree.dofs.len();
    let mut L = vec![T::zero(); n * n]; // by columns; the upper triangle keeps M and is not read
    crba(state, &mut L);
    for j in 0..n {
        let diagonal = (0..j).fold(L[j * n + j], |sum, k| L[k * n + j].neg_mul_add(L[k * n + j], sum)).sqrt(); // (1)
        L[j * n + j] = diagonal;
        for i in j + 1..n {
            let rest = (0..j).fold(L[j * n + i], |sum, k| L[k * n + i].neg_mul_add(L[k * n + j], sum));
            L[j * n + i] = rest / diagonal;
        }
    }
    for (c, x) in minv.chunks_exact_mut(n).enumerate() {
        x.fill(T::zero());
        x[c] = T::one();
        for i in c..n {
            let rest = (c..i).fold(x[i], |sum, k| L[k * n + i].neg_mul_add(x[k], sum)); // (2)
            x[i] = rest / L[i * n + i];
        }
        for i in (0..n).rev() {
            let rest = (i + 1..n).fold(x[i], |sum, k| L[i * n + k].neg_mul_add(x[k], sum));
            x[i] = rest / L[i * n + i];
        }
    }
}
