//! RNEACR: the chain rule on RNEA, accumulated forward.
//!
//! Body coordinates: every quantity of body `i` is in its own frame; `p` is its parent, `Xᵢ` its placement in
//! `p`. `∂` is with respect to `u` = q or `u` = q̇.
//!
//! ```text
//! outward   ∂vᵢ = (∂Xᵢ⁻¹) vₚ + Xᵢ⁻¹ ∂vₚ + ∂v_J                                     (1)
//!           ∂hᵢ = Iᵢ ∂vᵢ                                                           (2)
//!           ∂aᵢ = (∂Xᵢ⁻¹) aₚ + Xᵢ⁻¹ ∂aₚ + ∂vᵢ × v_J + vᵢ × ∂v_J                    (3)
//!           ∂fᵢ = Iᵢ ∂aᵢ + ∂vᵢ ×* hᵢ + vᵢ ×* ∂hᵢ                                   (4)
//! inward    ∂τᵢ = Sᵢᵀ ∂fᵢ                                                          (5)
//!           ∂fₚ += (∂Xᵢ) fᵢ + Xᵢ ∂fᵢ                                               (6)
//! where     (∂Xᵢ⁻¹/∂qᵢ) m = (Xᵢ⁻¹ m) × Sᵢ          (∂Xᵢ/∂qᵢ) f = Xᵢ (Sᵢ ×* f)        (7)
//! ```
//!
//! Source: [Carpentier18] Algorithms 1, 2, 3; (7) is its eq. (13) and (14). All ∂v, ∂a, ∂f of every body are
//! stored: O(N²) storage, O(N d) of it used. M is computed by CRBA, as in [Carpentier18] §III-B: [RBDA] Table
//! 6.2.

use crate::TreeState;
use crate::steps::{add_armature, against, path, placement, related, subspace};
use dtau::scalar::Real;
use dtau::spatial::{Force, Inertia, Motion, Transform};

/// Argument with respect to which inverse dynamics is differentiated.
#[derive(Clone, Copy, PartialEq)]
enum Variable {
    Q,
    V,
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
    let bodies = rnea(state, a, tau);
    chain_rule(Variable::Q, state, &bodies, dq);
    chain_rule(Variable::V, state, &bodies, dv);
    crba(state, &bodies, da);
    add_armature(state.armature, a, tau, da);
}

/// Results of RNEA for a body.
struct BodyState<T> {
    X: Transform<T>,
    I: Inertia<T>,
    S: Vec<Motion<T>>,
    vJ: Motion<T>,
    v: Motion<T>,
    a: Motion<T>,
    h: Force<T>,
    /// Force of the whole subtree.
    f: Force<T>,
}

/// [Carpentier18] Algorithm 1.
fn rnea<T: Real>(state: &TreeState<'_, T>, a: &[T], tau: &mut [T]) -> Vec<BodyState<T>> {
    let tree = state.tree;
    let mut bodies: Vec<BodyState<T>> = Vec::with_capacity(tree.bodies.len());
    bodies.push(BodyState {
        X: Transform::identity(),
        I: Inertia::zero(),
        S: Vec::new(),
        vJ: Motion::zero(),
        v: Motion::zero(),         // line 2
        a: against(state.gravity), // line 3
        h: Force::zero(),
        f: Force::zero(),
    });
    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        let parent = &bodies[body.parent];
        let I = Inertia::lift(&body.inertia);
        let S: Vec<_> = subspace(body, &Transform::identity()).collect(); // line 6
        let vJ = body.joint.add_motion(Motion::zero(), &state.v[body.v.clone()]);
        let aJ = body.joint.add_motion(Motion::zero(), &a[body.v.clone()]);
        let X = placement(body, state.q); // line 7, the inverse of the paper's
        let v = X.act_inv(parent.v) + vJ; // line 8
        let a = X.act_inv(parent.a) + aJ + v.cross(vJ); // line 9; c_J = 0
        let h = I * v; // line 10
        let f = I * a + v.cross_force(h) - state.external[i]; // line 11
        bodies.push(BodyState { X, I, S, vJ, v, a, h, f });
    }
    for i in (1..tree.bodies.len()).rev() {
        let body = &tree.bodies[i];
        for (S, dof) in bodies[i].S.iter().zip(body.v.clone()) {
            tau[dof] = S.dot(bodies[i].f); // line 15
        }
        let carried = bodies[i].X.act_force(bodies[i].f);
        bodies[body.parent].f += carried; // line 17
    }
    bodies
}

/// [Carpentier18] Algorithms 2 and 3.
fn chain_rule<T: Real>(u: Variable, state: &TreeState<'_, T>, bodies: &[BodyState<T>], out: &mut [T]) {
    let tree = state.tree;
    let n = tree.dofs.len();
    let mut dv = vec![Motion::<T>::zero(); bodies.len() * n]; // [body, column]
    let mut da = vec![Motion::<T>::zero(); bodies.len() * n];
    let mut df = vec![Force::<T>::zero(); bodies.len() * n];
    out.fill(T::zero());

    // Algorithm 2
    for i in 1..bodies.len() {
        let body = &tree.bodies[i];
        let p = body.parent;
        let BodyState { X, I, S, vJ, v, h, .. } = &bodies[i];
        for k in path(tree, i).chain(body.v.clone()) {
            // line 2 is contained in (7)
            let mut dv_i = X.act_inv(dv[p * n + k]); // (1), line 3, for the joints above …
            let mut da_i = X.act_inv(da[p * n + k]);
            // line 1: … and this joint, where ∂S = ∂c_J = 0
            if body.v.contains(&k) {
                let S = S[k - body.v.start];
                match u {
                    Variable::Q => {
                        dv_i += X.act_inv(bodies[p].v).cross(S); // (7)
                        da_i += X.act_inv(bodies[p].a).cross(S);
                    }
                    // Differs from [Carpentier18] §III-C5, which drops v × ∂v_J because "v × S = 0": that
                    // holds for the first joint only, as v contains the parents' velocity. Line 5 as printed
                    // in the algorithm is correct.
                    Variable::V => {
                        dv_i += S;
                        da_i += v.cross(S);
                    }
                }
            }
            let dh_i = *I * dv_i; // (2), line 4
            da_i += dv_i.cross(*vJ); // (3), line 5
            dv[i * n + k] = dv_i;
            da[i * n + k] = da_i;
            df[i * n + k] = *I * da_i + dv_i.cross_force(*h) + v.cross_force(dh_i); // (4), line 6
        }
    }

    // Algorithm 3
    for i in (1..bodies.len()).rev() {
        let body = &tree.bodies[i];
        let BodyState { X, S, f, .. } = &bodies[i];
        for k in related(tree, i) {
            let mut df_i = df[i * n + k];
            for (S, r) in S.iter().zip(body.v.clone()) {
                out[k * n + r] = S.dot(df_i); // (5), line 1
            }
            if u == Variable::Q && body.v.contains(&k) {
                df_i += S[k - body.v.start].cross_force(*f); // (7)
            }
            df[body.parent * n + k] += X.act_force(df_i); // (6), line 3
        }
    }
}

/// `M` by composite inertias: `Fᵢ = Iᶜᵢ Sᵢ` is transformed from ancestor to ancestor. [RBDA] Table 6.2.
fn crba<T: Real>(state: &TreeState<'_, T>, bodies: &[BodyState<T>], m: &mut [T]) {
    let tree = state.tree;
    let n = tree.dofs.len();
    let mut composite: Vec<Inertia<T>> = bodies.iter().map(|body| body.I).collect();
    m.fill(T::zero());
    for i in (1..bodies.len()).rev() {
        let below = composite[i].transform(&bodies[i].X);
        composite[tree.bodies[i].parent] += below;
        for (S, c) in bodies[i].S.iter().zip(tree.bodies[i].v.clone()) {
            let (mut F, mut j) = (composite[i] * *S, i);
            while j > 0 {
                for (S, r) in bodies[j].S.iter().zip(tree.bodies[j].v.clone()) {
                    m[c * n + r] = S.dot(F);
                    m[r * n + c] = m[c * n + r];
                }
                F = bodies[j].X.act_force(F);
                j = tree.bodies[j].parent;
            }
        }
    }
}
