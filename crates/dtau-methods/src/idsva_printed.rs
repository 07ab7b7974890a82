//! IDSVA in ground coordinates, as printed: the plain version of the product's kernel.
//!
//! Ground coordinates: every vector is at the world's origin in the world's axes. `λ(i)` is the parent of
//! `i`, `ν(i)` its subtree, `ν̄(i)` the subtree without `i`.
//!
//! ```text
//! Ṡ = v × S           Ψ̇ = v_λ × S           Ψ̈ = a_λ × S + v_λ × Ψ̇                            (1)
//! 2B = (v ×*) I − I (v ×) + (I v) ×̄*        f = I a + v ×* I v                               (2)
//! t₁ = Iᶜ S                                 t₂ = 2Bᶜ S + Iᶜ (Ṡ + Ψ̇)                          (3)
//! t₃ = 2Bᶜ Ψ̇ + Iᶜ Ψ̈ + fᶜ ×̄* S               t₄ = 2Bᶜᵀ S                                      (4)
//! ∂τ/∂q [i, ν̄(i)] = Sᵢᵀ t₃[ν̄(i)]            ∂τ/∂q̇ [i, ν̄(i)] = Sᵢᵀ t₂[ν̄(i)]                   (5)
//! ∂τ/∂q [ν(i), i] = t₄ᵀ Ψ̇ᵢ + t₁ᵀ Ψ̈ᵢ         ∂τ/∂q̇ [ν(i), i] = t₄ᵀ Sᵢ + t₁ᵀ (Ṡᵢ + Ψ̇ᵢ)         (6)
//! ```
//!
//! Source: [Singh22] Alg. 1; B is a full 6×6 matrix, eq. (28).

use crate::TreeState;
use crate::six::Mat6;
use crate::steps::{add_armature, against, placement, subspace, world};
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
    t1: Force<T>,
    t2: Force<T>,
    t3: Force<T>,
    t4: Force<T>,
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
    let zero = Force::zero();
    let mut columns: Vec<Column<T>> = Vec::with_capacity(n);
    for out in [&mut *dq, dv, da] {
        out.fill(T::zero());
    }

    // line 1
    let mut bodies = vec![BodyState {
        X: world(state.tree, state.q),
        v: Motion::zero(),
        a: against(state.gravity),
        I: Inertia::zero(),
        twice_B: Mat6::zero(),
        f: zero,
    }];
    for i in 1..tree.bodies.len() {
        // line 2
        let body = &tree.bodies[i];
        let parent = bodies[body.parent];
        let X = parent.X * placement(body, state.q);
        let vJ = X.act(body.joint.add_motion(Motion::zero(), &state.v[body.v.clone()]));
        let aJ = X.act(body.joint.add_motion(Motion::zero(), &a[body.v.clone()]));
        let v = parent.v + vJ; // line 3
        let a = parent.a + aJ + v.cross(vJ); // line 4
        for S in subspace(body, &X) {
            let S_dot = v.cross(S); // line 5
            let psi_dot = parent.v.cross(S); // line 6
            let psi_ddot = parent.a.cross(S) + parent.v.cross(psi_dot); // line 7
            columns.push(Column { S, S_dot, psi_dot, psi_ddot, t1: zero, t2: zero, t3: zero, t4: zero });
        }
        let I = Inertia::lift(&body.inertia).transform(&X); // line 8
        let twice_B = Mat6::twice_b(&I, v); // line 9
        let f = I * a + v.cross_force(I * v) - X.act_force(state.external[i]); // line 10
        bodies.push(BodyState { X, v, a, I, twice_B, f });
    }
    for i in (1..tree.bodies.len()).rev() {
        // line 12
        let body = &tree.bodies[i];
        let BodyState { I, twice_B, f, .. } = bodies[i];
        for c in body.v.clone() {
            let Column { S, S_dot, psi_dot, psi_ddot, .. } = columns[c];
            columns[c].t1 = I * S; // line 13
            columns[c].t2 = twice_B * S + I * (S_dot + psi_dot); // line 14
            columns[c].t3 = twice_B * psi_dot + I * psi_ddot + f.cross_bar(S); // line 15
            columns[c].t4 = twice_B.tr_mul(S); // line 16
            tau[c] = S.dot(f);
        }
        for c in body.v.clone() {
            let Column { S, S_dot, psi_dot, psi_ddot, .. } = columns[c];
            for below in body.v.end..body.dofs_end {
                dq[below * n + c] = S.dot(columns[below].t3); // line 17
                dv[below * n + c] = S.dot(columns[below].t2); // line 18
                da[below * n + c] = S.dot(columns[below].t1); // beyond [Singh22]: M too
            }
            for row in body.v.start..body.dofs_end {
                let Column { t1, t4, .. } = columns[row];
                dq[c * n + row] = psi_dot.dot(t4) + psi_ddot.dot(t1); // line 19
                dv[c * n + row] = S.dot(t4) + (S_dot + psi_dot).dot(t1); // line 20
                da[c * n + row] = S.dot(t1);
            }
        }
        let parent = &mut bodies[body.parent]; // line 21: summing to the world is harmless
        parent.I += I; // line 22
        parent.twice_B += twice_B;
        parent.f += f; // line 23
    }
    add_armature(state.armature, a, tau, da);
}
