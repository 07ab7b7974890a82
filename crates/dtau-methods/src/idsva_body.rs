//! IDSVA in body coordinates.
//!
//! Body coordinates: every quantity of body `i` is in its own frame; `p` is its parent, `Xᵢ` its placement in
//! `p`.
//!
//! ```text
//! outward   v̄ = Xᵢ⁻¹ vₚ,  ā = Xᵢ⁻¹ aₚ                                                        (1)
//!           v = v̄ + S q̇                 a = ā + S q̈ + v × S q̇                                (2)
//!           Ṡ = v × S                   Ψ̇ = v̄ × S                  Ψ̈ = ā × S + v̄ × Ψ̇         (3)
//!           2B = (v ×*) I − I (v ×) + (I v) ×̄*                     f = I a + v ×* I v         (4)
//! inward    t₁ = Iᶜ S                   t₂ = 2Bᶜ S + Iᶜ (Ṡ + Ψ̇)                               (5)
//!           t₃ = 2Bᶜ Ψ̇ + Iᶜ Ψ̈ + S ×* fᶜ                            t₄ = 2Bᶜᵀ S                (6)
//!           for j = i, then its ancestors; t ← X t from one to the next:
//!           ∂τᵢ/∂q_j = t₄·Ψ̇_j + t₁·Ψ̈_j          ∂τᵢ/∂q̇_j = t₄·S_j + t₁·(Ṡ_j + Ψ̇_j)            (7)
//!           ∂τ_j/∂qᵢ = S_j·t₃                   ∂τ_j/∂q̇ᵢ = S_j·t₂                   (j ≠ i)   (8)
//!           Iᶜₚ += Xᵢ Iᶜ,  Bᶜₚ += Xᵢ Bᶜ Xᵢᵀ,  fᶜₚ += Xᵢ fᶜ                                    (9)
//! ```
//!
//! Source: [Singh22] Alg. 1, with the loops of the variant in body coordinates, [Singh22] §V-B and [Singh21]
//! §V-B: inertias are not transformed outward, but every t is transformed inward through every ancestor's
//! frame.

use crate::TreeState;
use crate::six::Mat6;
use crate::steps::{add_armature, against, placement, subspace};
use dtau::scalar::Real;
use dtau::spatial::{Force, Inertia, Motion, Transform};

/// State of a body during the passes.
#[derive(Clone, Copy)]
struct BodyState<T> {
    X: Transform<T>,
    v: Motion<T>,
    a: Motion<T>,
    I: Inertia<T>,
    twice_B: Mat6<T>,
    f: Force<T>,
}

/// A degree of freedom.
#[derive(Clone, Copy)]
struct Column<T> {
    S: Motion<T>,
    S_dot: Motion<T>,
    psi_dot: Motion<T>,
    psi_ddot: Motion<T>,
}

/// Fills `τ`, `∂τ/∂q`, `∂τ/∂q̇` and `M`; see [`crate::IdMethod`].
pub fn id_derivatives<T: Real>(
    state: &TreeState<'_, T>,
    a: &[T],
    tau: &mut [T],
    dq: &mut [T],
    dv: &mut [T],
    da: &mut [T],
) {
    let tree = state.tree;
    let n = tree.dofs.len();
    let (mut bodies, columns) = outward(state, a);
    for out in [&mut *dq, dv, da] {
        out.fill(T::zero());
    }

    for i in (1..bodies.len()).rev() {
        // [Singh22] Alg. 1, line 12
        let body = &tree.bodies[i];
        let BodyState { X, I, twice_B, f, .. } = bodies[i];
        for c in body.v.clone() {
            let Column { S, S_dot, psi_dot, psi_ddot } = columns[c];
            let mut t1 = I * S; // line 13
            let mut t2 = twice_B * S + I * (S_dot + psi_dot); // line 14
            let mut t3 = twice_B * psi_dot + I * psi_ddot + f.cross_bar(S); // line 15
            let mut t4 = twice_B.tr_mul(S); // line 16
            tau[c] = S.dot(f);
            let mut j = i;
            while j > 0 {
                for k in tree.bodies[j].v.clone() {
                    let above = &columns[k];
                    if j != i {
                        dq[c * n + k] = above.S.dot(t3); // (8), line 17
                        dv[c * n + k] = above.S.dot(t2); // line 18
                        da[c * n + k] = above.S.dot(t1); // beyond [Singh22]: M too
                    }
                    dq[k * n + c] = above.psi_dot.dot(t4) + above.psi_ddot.dot(t1); // (7), line 19
                    dv[k * n + c] = above.S.dot(t4) + (above.S_dot + above.psi_dot).dot(t1); // line 20
                    da[k * n + c] = above.S.dot(t1);
                }
                let X = bodies[j].X;
                [t1, t2, t3, t4] = [t1, t2, t3, t4].map(|t| X.act_force(t));
                j = tree.bodies[j].parent;
            }
        }
        // (9)
        let parent = &mut bodies[body.parent];
        parent.I += I.transform(&X); // line 22
        parent.twice_B += twice_B.transform(&X);
        parent.f += X.act_force(f); // line 23
    }
    add_armature(state.armature, a, tau, da);
}

fn outward<T: Real>(state: &TreeState<'_, T>, a: &[T]) -> (Vec<BodyState<T>>, Vec<Column<T>>) {
    let tree = state.tree;
    let world = BodyState {
        X: Transform::identity(),
        v: Motion::zero(),
        a: against(state.gravity), // [Singh22] Alg. 1, line 1
        I: Inertia::zero(),
        twice_B: Mat6::zero(),
        f: Force::zero(),
    };
    let (mut bodies, mut columns) = (vec![world], Vec::with_capacity(tree.dofs.len()));
    for i in 1..tree.bodies.len() {
        // line 2
        let body = &tree.bodies[i];
        let parent = &bodies[body.parent];
        let X = placement(body, state.q);
        let (v_above, a_above) = (X.act_inv(parent.v), X.act_inv(parent.a)); // (1)
        let vJ = body.joint.add_motion(Motion::zero(), &state.v[body.v.clone()]);
        let aJ = body.joint.add_motion(Motion::zero(), &a[body.v.clone()]);
        let v = v_above + vJ; // line 3
        let a = a_above + aJ + v.cross(vJ); // line 4
        for S in subspace(body, &Transform::identity()) {
            let S_dot = v.cross(S); // line 5
            let psi_dot = v_above.cross(S); // line 6
            let psi_ddot = a_above.cross(S) + v_above.cross(psi_dot); // line 7
            columns.push(Column { S, S_dot, psi_dot, psi_ddot });
        }
        let I = Inertia::lift(&body.inertia); // line 8
        let twice_B = Mat6::twice_b(&I, v); // line 9
        let f = I * a + v.cross_force(I * v) - state.external[i]; // line 10
        bodies.push(BodyState { X, v, a, I, twice_B, f });
    }
    (bodies, columns)
}
