//! Forward dynamics: the articulated-body algorithm, plain. ABACR differentiates it line by line; complex
//! step and dual numbers run it.
//!
//! Body coordinates: every quantity of body `i` is in its own frame. `p` is the parent of `i`; `X` places `i`
//! in `p`.
//!
//! ```text
//! outward   v = X⁻¹ vₚ + S q̇                      c = v × S q̇                       (1)
//!           Iᴬ = I                                pᴬ = v ×* I v − fᵉˣᵗ              (2)
//! inward    for each degree of freedom of the joint, the last one first:
//!           U = Iᴬ S,  D = Sᵀ U + armature        u = τ − Sᵀ pᴬ                     (3)
//!           Iᴬ ← Iᴬ − U Uᵀ/D                      pᴬ ← pᴬ + U u/D                   (4)
//!           then pᴬ ← pᴬ + Iᴬ c                                                     (5)
//!           Iᴬₚ += X* Iᴬ X⁻¹                      pᴬₚ += X* pᴬ                      (6)
//! outward   a = X⁻¹ aₚ + c                        a₀ = −g                           (7)
//!           for each degree of freedom of the joint, the first one first:
//!           q̈ = (u − Uᵀ a)/D                      a ← a + S q̈                       (8)
//! ```
//!
//! Source: [RBDA] Table 7.1: (1), (2) its pass 1; (3) to (6) its pass 2; (7), (8) its pass 3. Departures:
//! The world is body 0, so the base needs no special case. A joint of several degrees of freedom is a chain
//! of single ones with massless bodies in between, so `D` is a number, not a matrix to invert. Armature is
//! added to `D`.

use crate::TreeState;
use crate::articulated::transform;
use crate::steps::{placement, subspace};
use dtau::scalar::Real;
use dtau::spatial::{ArticulatedInertia, Force, Inertia, Motion, Transform, Vec3};

/// Forward dynamics, `q̈`; O(N).
pub fn aba<T: Real>(state: &TreeState<'_, T>, tau: &[T], qdd: &mut [T]) {
    qdd.copy_from_slice(&Aba::run(state, tau).qdd);
}

/// All intermediate results of ABA.
pub(crate) struct Aba<T> {
    pub bodies: Vec<AbaBody<T>>,
    pub dofs: Vec<AbaDof<T>>,
    pub qdd: Vec<T>,
}

/// Quantities of a body; the world's come first.
#[derive(Clone, Copy, Default)]
pub(crate) struct AbaBody<T> {
    pub X: Transform<T>,
    pub I: Inertia<T>,
    pub v: Motion<T>,
    /// S q̇
    pub vj: Motion<T>,
    pub c: Motion<T>,
    /// Iᴬ and pᴬ as passed to the parent, after (5).
    pub IA: ArticulatedInertia<T>,
    pub pA: Force<T>,
    pub a: Motion<T>,
}

/// Quantities of a degree of freedom.
#[derive(Clone, Copy, Default)]
pub(crate) struct AbaDof<T> {
    pub S: Motion<T>,
    pub U: Force<T>,
    pub D: T,
    pub u: T,
    /// Acceleration at the input of (8): it includes the joint's earlier degrees of freedom, but not this one
    /// and the later ones.
    pub a: Motion<T>,
}

impl<T: Real> Aba<T> {
    pub(crate) fn run(state: &TreeState<'_, T>, tau: &[T]) -> Self {
        let tree = state.tree;
        let mut b = vec![AbaBody::<T>::default(); tree.bodies.len()];
        let mut d = vec![AbaDof::<T>::default(); tree.dofs.len()];
        let mut qdd = vec![T::zero(); tree.dofs.len()];

        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            let X = placement(body, state.q);
            let I = Inertia::lift(&body.inertia);
            for (k, S) in body.v.clone().zip(subspace(body, &Transform::identity())) {
                d[k].S = S;
            }
            let vj = body.v.clone().fold(Motion::zero(), |vj, k| d[k].S.scale_add(state.v[k], vj));
            let v = X.act_inv(b[body.parent].v) + vj; // (1)
            let c = v.cross(vj);
            let pA = v.cross_force(I * v) - state.external[i]; // (2)
            b[i] = AbaBody { X, I, v, vj, c, IA: I.into(), pA, a: Motion::zero() };
        }

        for (i, body) in tree.bodies.iter().enumerate().skip(1).rev() {
            let (mut IA, mut pA) = (b[i].IA, b[i].pA);
            for k in body.v.clone().rev() {
                let S = d[k].S;
                let U = IA * S; // (3)
                let D = S.dot(U) + state.armature[k];
                let u = tau[k] - S.dot(pA);
                IA = IA.sub_outer(U * D.recip(), U); // (4)
                pA += U * (u / D);
                d[k] = AbaDof { U, D, u, ..d[k] };
            }
            pA += IA * b[i].c; // (5)
            (b[i].IA, b[i].pA) = (IA, pA);
            let X = b[i].X;
            b[body.parent].IA += transform(&IA, &X); // (6)
            b[body.parent].pA += X.act_force(pA);
        }

        b[0].a = Motion::new(-state.gravity, Vec3::zero());
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            let mut a = b[i].X.act_inv(b[body.parent].a) + b[i].c; // (7)
            for k in body.v.clone() {
                d[k].a = a;
                qdd[k] = (d[k].u - a.dot(d[k].U)) / d[k].D; // (8)
                a = d[k].S.scale_add(qdd[k], a);
            }
            b[i].a = a;
        }
        Self { bodies: b, dofs: d, qdd }
    }
}
