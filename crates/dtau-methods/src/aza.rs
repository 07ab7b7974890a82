//! AZA, the "ABA-zero algorithm": M⁻¹ b as the acceleration of the tree at rest, without gravity, under
//! torques b.
//!
//! Ground coordinates. Degrees of freedom form a tree, in which a joint of several is a chain. λ is the next
//! one towards the root.
//!
//! ```text
//! once      inward    U = Iᴬ S,  D = Sᵀ U + armature,  Iᴬ_λ += Iᴬ − U Uᵀ/D        (1)
//! a column  inward    u = b − Sᵀ p,                    p_λ += p + U u/D            (2)
//!           outward   x = (u − Uᵀ a_λ)/D,              a = a_λ + S x               (3)
//! ```
//!
//! Source: [Singh22] eq. (34), M⁻¹ b = ABA(q, 0, b, 0), and the text below it: kinematics and articulated
//! inertias are computed once. [RBDA] Table 7.1 with v = 0. O(N) per column.

use crate::TreeState;
use crate::placed::Placed;
use dtau::model::Tree;
use dtau::scalar::Real;
use dtau::spatial::{ArticulatedInertia, Force, Inertia, Motion};

/// Data shared by all columns, by degree of freedom.
pub(crate) struct Aza<'a, T> {
    pub tree: &'a Tree,
    pub S: Vec<Motion<T>>,
    pub U: Vec<Force<T>>,
    pub D: Vec<T>,
}

impl<'a, T: Real> Aza<'a, T> {
    pub(crate) fn of(state: &TreeState<'a, T>) -> Self {
        let Placed { S, I, .. } = Placed::of(state);
        Self::from_placed(state, S, &I)
    }

    pub(crate) fn from_placed(state: &TreeState<'a, T>, S: Vec<Motion<T>>, I: &[Inertia<T>]) -> Self {
        let (tree, n) = (state.tree, state.tree.dofs.len());
        let mut IA: Vec<_> = I.iter().map(|&I| ArticulatedInertia::from(I)).collect();
        let (mut U, mut D) = (vec![Force::zero(); n], vec![T::zero(); n]);
        for (i, body) in tree.bodies.iter().enumerate().skip(1).rev() {
            let mut inertia = IA[i];
            for k in body.v.clone().rev() {
                U[k] = inertia * S[k]; // (1)
                D[k] = S[k].dot(U[k]) + state.armature[k];
                inertia = inertia.sub_outer(U[k] * D[k].recip(), U[k]);
            }
            IA[body.parent] += inertia;
        }
        Self { tree, S, U, D }
    }

    /// `x ← M⁻¹ x`.
    pub(crate) fn solve(&self, x: &mut [T]) {
        let (S, U, D) = (&self.S, &self.U, &self.D);
        let n = x.len();
        let mut p = vec![Force::zero(); n];
        for k in (0..n).rev() {
            x[k] -= S[k].dot(p[k]); // (2): x holds u
            if let Some(parent) = self.tree.dofs[k].parent {
                let passed = p[k] + U[k] * (x[k] / D[k]);
                p[parent] += passed;
            }
        }
        let mut a = vec![Motion::zero(); n];
        for k in 0..n {
            let before = self.tree.dofs[k].parent.map_or(Motion::zero(), |parent| a[parent]);
            x[k] = (x[k] - before.dot(U[k])) / D[k]; // (3)
            a[k] = S[k].scale_add(x[k], before);
        }
    }
}
