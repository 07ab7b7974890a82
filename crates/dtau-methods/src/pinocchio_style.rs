//! Pinocchio's way: the chain rule on RNEA in ground coordinates, O(N) outward and O(N d) inward, ancestor by
//! ancestor.
//!
//! Ground coordinates: every vector is at the world's origin, in world axes. `p` is the parent of `i`. `D` is
//! the derivative of a vector of body `k` in body coordinates, expressed in the ground's: D x = ∂x − S_j × x.
//! It is the same for every body below joint `j`, up to a term that is included in the inertia's rate:
//!
//! ```text
//! outward   D vₖ/∂q_j = vₚ × S_j =: Ψ̇_j             D aₖ/∂q_j = Ψ̈_j − vₖ × Ψ̇_j                 (1)
//!           D vₖ/∂q̇_j = S_j                          D aₖ/∂q̇_j = Ψ̇_j + Ṡ_j − vₖ × S_j           (2)
//!           İ = v ×* I − I v ×                       h = I v       f = I a + v ×* h              (3)
//! inward    with Iᶜ, İᶜ, hᶜ, fᶜ summed over the subtree, for the columns of joint i:
//!           F_q = Iᶜ Ψ̈ + İᶜ Ψ̇ + Ψ̇ ×* hᶜ             F_q̇ = Iᶜ (Ψ̇ + Ṡ) + İᶜ S + S ×* hᶜ           (4)
//!           G = Iᶜ S                                 H = İᶜ S − S ×* hᶜ                          (5)
//!           for i and each ancestor j, one dof after the other:
//!           ∂τᵢ/∂q_j = G·Ψ̈_j + H·Ψ̇_j                 ∂τᵢ/∂q̇_j = G·(Ψ̇_j + Ṡ_j) + H·S_j           (6)
//!           ∂τ_j/∂qᵢ = S_j·(F_q + S ×* fᶜ)           ∂τ_j/∂q̇ᵢ = S_j·F_q̇           (j ≠ i)        (7)
//! ```
//!
//! Source: the rules of [Carpentier18] eq. (2), (3) and Algorithms 2, 3, in the order of [Singh22] §I and
//! §V-C: an O(N) outward pass; inward, an innermost loop over the ancestors of each body, where IDSVA has a
//! product of matrices. Written from these descriptions, not from Pinocchio's code.

use crate::TreeState;
use crate::steps::{self, add_armature, against, path, placement, subspace};
use dtau::scalar::Real;
use dtau::spatial::{Force, Inertia, Mat3, Motion, Sym3, Transform, Vec3};

/// State of a body during the passes.
#[derive(Clone, Copy)]
struct BodyState<T> {
    X: Transform<T>,
    v: Motion<T>,
    a: Motion<T>,
    I: Inertia<T>,
    /// İ has the form of an inertia without mass.
    I_dot: Inertia<T>,
    h: Force<T>,
    f: Force<T>,
}

/// A degree of freedom.
#[derive(Clone, Copy)]
struct Column<T> {
    S: Motion<T>,
    psi_dot: Motion<T>,
    psi_ddot: Motion<T>,
    /// Ψ̇ + Ṡ
    rate: Motion<T>,
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
        let body = &tree.bodies[i];
        let BodyState { I, I_dot, h, f, .. } = bodies[i];
        for c in body.v.clone() {
            let Column { S, psi_dot, psi_ddot, rate } = columns[c];
            let F_q = I * psi_ddot + I_dot * psi_dot + psi_dot.cross_force(h) + S.cross_force(f); // (4), (7)
            let F_v = I * rate + I_dot * S + S.cross_force(h);
            let G = I * S; // (5)
            let H = I_dot * S - S.cross_force(h);
            tau[c] = S.dot(f);
            for j in path(tree, i).chain(body.v.clone()) {
                let above = &columns[j];
                dq[j * n + c] = above.psi_ddot.dot(G) + above.psi_dot.dot(H); // (6)
                dv[j * n + c] = above.rate.dot(G) + above.S.dot(H);
                da[j * n + c] = above.S.dot(G);
                if !body.v.contains(&j) {
                    dq[c * n + j] = above.S.dot(F_q); // (7)
                    dv[c * n + j] = above.S.dot(F_v);
                    da[c * n + j] = da[j * n + c];
                }
            }
        }
        let parent = &mut bodies[body.parent];
        parent.I += I;
        parent.I_dot += I_dot;
        parent.h += h;
        parent.f += f;
    }
    add_armature(state.armature, a, tau, da);
}

fn outward<T: Real>(state: &TreeState<'_, T>, a: &[T]) -> (Vec<BodyState<T>>, Vec<Column<T>>) {
    let tree = state.tree;
    let world = BodyState {
        X: steps::world(tree, state.q),
        v: Motion::zero(),
        a: against(state.gravity),
        I: Inertia::zero(),
        I_dot: Inertia::zero(),
        h: Force::zero(),
        f: Force::zero(),
    };
    let (mut bodies, mut columns) = (vec![world], Vec::with_capacity(tree.dofs.len()));
    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        let parent = bodies[body.parent];
        let X = parent.X * placement(body, state.q);
        let S: Vec<_> = subspace(body, &X).collect();
        let (mut v, mut acceleration) = (parent.v, parent.a);
        for (S, k) in S.iter().zip(body.v.clone()) {
            v += *S * state.v[k];
            acceleration += *S * a[k];
        }
        for (S, k) in S.iter().zip(body.v.clone()) {
            let (S, S_dot) = (*S, v.cross(*S));
            acceleration += S_dot * state.v[k];
            let psi_dot = parent.v.cross(S); // (1)
            let psi_ddot = parent.a.cross(S) + parent.v.cross(psi_dot);
            columns.push(Column { S, psi_dot, psi_ddot, rate: psi_dot + S_dot }); // (2)
        }
        let I = Inertia::lift(&body.inertia).transform(&X);
        let h = I * v; // (3)
        let f = I * acceleration + v.cross_force(h) - X.act_force(state.external[i]);
        bodies.push(BodyState { X, v, a: acceleration, I, I_dot: rate_of(&I, v, h), h, f });
    }
    (bodies, columns)
}

/// `İ = v ×* I − I v ×` (3): zero mass, the linear momentum as first moment, and
///
/// ```text
/// dĪ/dt = ω× Ī − Ī ω× − v× h× − h× v×          h: first moment
/// ```
fn rate_of<T: Real>(I: &Inertia<T>, v: Motion<T>, momentum: Force<T>) -> Inertia<T> {
    let (w, v, h, rot) = (Mat3::skew(v.ang), Mat3::skew(v.lin), I.h_skew(), I.rot.to_mat3());
    let rate = w * rot - rot * w - v * h - h * v;
    let first: Vec3<T> = momentum.lin;
    Inertia { mass: T::zero(), h: first, rot: Sym3::from_lower(&rate) }
}
