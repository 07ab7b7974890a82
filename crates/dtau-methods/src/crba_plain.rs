//! The mass matrix: the composite-rigid-body algorithm, plain. The factorisations use it.
//!
//! Ground coordinates.
//!
//! ```text
//! inward    Iᶜᵢ = Iᵢ + Σ Iᶜ of the children                   (1)
//!           M_rc = M_cr = Sᵣᵀ Iᶜ S_c      r on the path from c to the root, Iᶜ of the body of c      (2)
//!           M_cc += armature                                  (3)
//! ```
//!
//! Source: [RBDA] Table 6.2; (2) without transforms, because everything is in one frame.

use crate::TreeState;
use crate::placed::Placed;
use dtau::scalar::Real;

/// Mass matrix by columns, zero if row and column are not on one path; O(Nd).
pub fn crba<T: Real>(state: &TreeState<'_, T>, m: &mut [T]) {
    let (tree, n) = (state.tree, state.tree.dofs.len());
    let Placed { S, mut I, .. } = Placed::of(state);
    m.fill(T::zero());
    for (i, body) in tree.bodies.iter().enumerate().skip(1).rev() {
        for c in body.v.clone() {
            let momentum = I[i] * S[c];
            let mut row = Some(c);
            while let Some(r) = row {
                m[c * n + r] = S[r].dot(momentum); // (2)
                m[r * n + c] = m[c * n + r];
                row = tree.dofs[r].parent;
            }
            m[c * n + c] += state.armature[c]; // (3)
        }
        let composite = I[i];
        I[body.parent] += composite; // (1)
    }
}
