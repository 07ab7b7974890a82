//! IDSVA of the first paper: trees of single-dof joints.
//!
//! Ground coordinates: every vector is at the world's origin in the world's axes. `φ` is the axis of a joint,
//! `λ(i)` the parent of `i`, `j ⪯ i` an ancestor of `i` or `i` itself.
//!
//! ```text
//! φ̇ = v × φ           φ̈ = a × φ + v × φ̇                                                     (1)
//! 2B = (v ×*) I − I (v ×) + (I v) ×̄*                                                        (2)
//! ∂τᵢ/∂q_j = φ̇_j·2Bᶜᵢᵀ φᵢ + φ̈_j·Iᶜᵢ φᵢ          ∂τ_j/∂qᵢ = φ_j·(2Bᶜᵢ φ̇ᵢ + Iᶜᵢ φ̈ᵢ + φᵢ ×* fᶜᵢ)   (3)
//! ∂τᵢ/∂q̇_j = φᵢ·2Bᶜᵢ φ_j + 2φ̇_j·Iᶜᵢ φᵢ          ∂τ_j/∂q̇ᵢ = 2φ_j·(Bᶜᵢ φᵢ + Iᶜᵢ φ̇ᵢ)              (4)
//! ```
//!
//! Source: [Singh21] Algorithm 1; (1) its lines 5 and 6, (2) eq. (22), (3) eq. (35), (4) eq. (36). With one
//! degree of freedom φ̇ᵢ may use the velocity of the body or of its parent. With several it may not, hence
//! the restriction.

use crate::TreeState;
use crate::six::Mat6;
use crate::steps::{add_armature, against, placement, subspace, world};
use dtau::scalar::Real;
use dtau::spatial::{Force, Inertia, Motion, Transform};

/// State of a body during the passes, and its joint.
#[derive(Clone, Copy)]
struct BodyState<T> {
    X: Transform<T>,
    phi: Motion<T>,
    phi_dot: Motion<T>,
    phi_ddot: Motion<T>,
    v: Motion<T>,
    a: Motion<T>,
    I: Inertia<T>,
    twice_B: Mat6<T>,
    f: Force<T>,
}

/// Fills `τ`, `∂τ/∂q`, `∂τ/∂q̇` and `M`; see [`crate::IdMethod`].
///
/// # Panics
/// If a joint has more than one degree of freedom.
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
    assert_eq!(n + 1, tree.bodies.len(), "[Singh21] is for joints with one degree of freedom");
    let body_of_joint = |i: usize| i - 1; // bodies count from the world, degrees of freedom from the first joint
    for out in [&mut *dq, dv, da] {
        out.fill(T::zero());
    }

    // line 1
    let zero = Motion::zero();
    let mut bodies = vec![BodyState {
        X: world(state.tree, state.q),
        phi: zero,
        phi_dot: zero,
        phi_ddot: zero,
        v: zero,
        a: against(state.gravity),
        I: Inertia::zero(),
        twice_B: Mat6::zero(),
        f: Force::zero(),
    }];
    for i in 1..=n {
        // line 2
        let body = &tree.bodies[i];
        let parent = bodies[body.parent];
        let (qd, qdd) = (state.v[body.v.start], a[body.v.start]);
        let X = parent.X * placement(body, state.q);
        let phi: Motion<T> = subspace(body, &X).next().expect("one degree of freedom");
        let v = parent.v + phi * qd; // line 3
        let a = parent.a + phi * qdd + v.cross(phi * qd); // line 4
        let phi_dot = v.cross(phi); // line 5
        let phi_ddot = a.cross(phi) + v.cross(phi_dot); // line 6
        let I = Inertia::lift(&body.inertia).transform(&X);
        let twice_B = Mat6::twice_b(&I, v); // line 7
        let f = I * a + v.cross_force(I * v) - X.act_force(state.external[i]); // line 8
        bodies.push(BodyState { X, phi, phi_dot, phi_ddot, v, a, I, twice_B, f });
    }
    for i in (1..=n).rev() {
        // line 10
        let BodyState { phi, phi_dot, phi_ddot, I, twice_B, f, .. } = bodies[i];
        let row = body_of_joint(i);
        let two = T::from_f64(2.0);
        let t1 = I * phi; // line 11
        let t2 = twice_B * phi + (I * phi_dot) * two; // line 12
        let t3 = twice_B * phi_dot + I * phi_ddot + phi.cross_force(f); // line 13
        let t4 = twice_B.tr_mul(phi); // line 14
        tau[row] = phi.dot(f);
        let mut j = i; // line 15
        while j > 0 {
            // line 16
            let above = &bodies[j];
            let column = body_of_joint(j);
            dq[row * n + column] = above.phi.dot(t3); // line 17
            // Line 18 after line 17: for j = i both give the same number up to rounding.
            dq[column * n + row] = above.phi_ddot.dot(t1) + above.phi_dot.dot(t4); // line 18
            dv[row * n + column] = above.phi.dot(t2); // line 19
            dv[column * n + row] = two * above.phi_dot.dot(t1) + above.phi.dot(t4); // line 20
            // Beyond [Singh21]: M too.
            da[row * n + column] = above.phi.dot(t1);
            da[column * n + row] = da[row * n + column];
            j = tree.bodies[j].parent; // line 21
        }
        let parent = &mut bodies[tree.bodies[i].parent];
        parent.I += I; // line 24
        parent.twice_B += twice_B;
        parent.f += f; // line 25
    }
    add_armature(state.armature, a, tau, da);
}
