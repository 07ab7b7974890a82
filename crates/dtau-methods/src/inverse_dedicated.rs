//! M⁻¹ by the dedicated three-pass algorithm: ABA on all columns of the identity together, without the affine
//! terms.
//!
//! Ground coordinates. Degrees of freedom form a tree, in which a joint of several is a chain. λ is the next
//! one towards the root. Column j involves only what its torque can move: inward, the path from j to the
//! root; outward, by symmetry, only the rows up to j.
//!
//! ```text
//! outward   X, S, I                                                                           (1)
//! inward    Uᵢ = Iᴬ Sᵢ,  Dᵢ = Sᵢᵀ Uᵢ + armature,  Iᴬ_λ += Iᴬ − Uᵢ Uᵢᵀ/Dᵢ                     (2)
//!           M⁻¹ᵢᵢ = 1/Dᵢ,   M⁻¹ᵢⱼ = −Sᵢᵀ Fⱼ/Dᵢ       j in the subtree of i                    (3)
//!           Fⱼ ← Fⱼ + Uᵢ M⁻¹ᵢⱼ                       j = i and in the subtree of i            (4)
//! outward   M⁻¹ᵢⱼ −= Uᵢᵀ P_λⱼ/Dᵢ                     j ≥ i                                    (5)
//!           Pᵢⱼ = P_λⱼ + Sᵢ M⁻¹ᵢⱼ                                                             (6)
//! ```
//!
//! Fⱼ is the force that the torque on j sends towards the root. Pᵢⱼ is the acceleration that it causes after i.
//! Source: [Carpentier18] §IV-C describes it (three passes, a rewriting of ABA without Coriolis and
//! gravity, one triangle only); the report with the details is [Carpentier18b]. The lines are derived here
//! from ABA: (3), (4) are its inward pass with u = 1 at j, (5), (6) its outward pass. O(N²).

use crate::TreeState;
use crate::placed::Placed;
use dtau::scalar::Real;
use dtau::spatial::{ArticulatedInertia, Force, Motion};

/// Fills `M⁻¹`; see [`crate::InverseMethod`].
pub fn inverse<T: Real>(state: &TreeState<'_, T>, minv: &mut [T]) {
    let (tree, n) = (state.tree, state.tree.dofs.len());
    let Placed { S, I, .. } = Placed::of(state); // (1)
    let mut IA: Vec<_> = I.into_iter().map(ArticulatedInertia::from).collect();
    let (mut U, mut D) = (vec![Force::zero(); n], vec![T::zero(); n]);
    let mut F = vec![Force::zero(); n];
    minv.fill(T::zero());
    let at = |row: usize, column: usize| column * n + row;

    for (i, body) in tree.bodies.iter().enumerate().skip(1).rev() {
        let mut inertia = IA[i];
        for k in body.v.clone().rev() {
            U[k] = inertia * S[k]; // (2)
            D[k] = S[k].dot(U[k]) + state.armature[k];
            inertia = inertia.sub_outer(U[k] * D[k].recip(), U[k]);
            minv[at(k, k)] = D[k].recip(); // (3)
            F[k] = U[k] * minv[at(k, k)]; // (4)
            for j in k + 1..body.dofs_end {
                minv[at(k, j)] = -S[k].dot(F[j]) / D[k]; // (3)
                F[j] += U[k] * minv[at(k, j)]; // (4)
            }
        }
        IA[body.parent] += inertia;
    }

    let mut P = vec![Motion::zero(); n * n];
    for k in 0..n {
        for j in k..n {
            let before = tree.dofs[k].parent.map_or(Motion::zero(), |parent| P[at(parent, j)]);
            minv[at(k, j)] -= before.dot(U[k]) / D[k]; // (5)
            minv[at(j, k)] = minv[at(k, j)];
            P[at(k, j)] = S[k].scale_add(minv[at(k, j)], before); // (6)
        }
    }
}
