//! Placements, inertias and axes in ground coordinates: the input of the methods of forward dynamics.
//!
//! ```text
//! Xᵢ = Xₚ X_tree X_J(q)         (1)
//! Sₖ = Xᵢ Sₖ of the body        (2)      one column a degree of freedom
//! Iᵢ = Xᵢ* Iᵢ of the body Xᵢ⁻¹  (3)
//! ```
//!
//! Source: [RBDA] §4.1, §2.13.

use crate::TreeState;
use crate::steps::{placement, subspace, world};
use dtau::scalar::Real;
use dtau::spatial::{Inertia, Motion, Transform};

/// Placements and inertias by body (the world's first), axes by degree of freedom; ground coordinates.
pub(crate) struct Placed<T> {
    pub X: Vec<Transform<T>>,
    pub I: Vec<Inertia<T>>,
    pub S: Vec<Motion<T>>,
}

impl<T: Real> Placed<T> {
    pub(crate) fn of(state: &TreeState<'_, T>) -> Self {
        let mut X = vec![world(state.tree, state.q)];
        let mut I = vec![Inertia::zero()];
        let mut S = Vec::new();
        for (i, body) in state.tree.bodies.iter().enumerate().skip(1) {
            X.push(X[body.parent] * placement(body, state.q)); // (1)
            S.extend(subspace(body, &X[i])); // (2)
            I.push(Inertia::lift(&body.inertia).transform(&X[i])); // (3)
        }
        Self { X, I, S }
    }
}
