//! Forward dynamics, articulated inertias and the mass matrix in body coordinates, for
//! [`Options::exact`](crate::model::Options::exact).
//!
//! In ground coordinates sums over subtrees cost nothing. But an inertia there is `m r²` about a common
//! origin, and a joint needs the remainder about its own axis: light, thin or distant bodies lose digits.
//! Here every quantity of body `i` is in its own frame, whose `z` is the joint's axis, and `D` is a sum of
//! terms of equal magnitude. `X` is the placement of `i` in its parent `p`.
//!
//! ```text
//! outward   v, a°, f as [`rnea`] has them without q̈                                           (1)
//! inward    for each degree of freedom of the joint, the last one first:
//!           U = Iᴬ S      D = Sᵀ U + armature      u = τ − Sᵀ f                              (2)
//!           Iᴬ ← Iᴬ − U Uᵀ/D                       f ← f + U u/D                             (3)
//!           then          Iᴬₚ += X* Iᴬ X⁻¹         fₚ += X* f                                (4)
//! outward   r = X⁻¹ rₚ; for each degree of freedom of the joint, the first one first:
//!           q̈ = (u − Uᵀ r)/D                       r ← r + S q̈                               (5)
//!
//! M         inward    F = Iᶜ S                     Iᶜₚ += X* Iᶜ X⁻¹                          (6)
//!           then towards the root                  M = Sᵀ F,  F ← X* F                       (7)
//! ```
//!
//! M⁻¹ and products with it need S, U/D and D of every degree of freedom, which (2) computes without loss.
//! After the move to the ground ([`to_ground`]) the error of S and U/D is at most ε r, while that of the
//! inertia there is ε m r².
//!
//! Source: [RBDA] Tables 7.1 and 6.2. Departures: those of [`aba`](super::aba); armature is added to `D` and
//! to the diagonal of M.

use super::rnea;
use crate::door::Done;
use crate::engines::Scratch;
use crate::model::{Body, Tree};
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{ArticulatedInertia, Force, Inertia, Motion, Transform};
use crate::sweeps::articulate::DofState;
use crate::sweeps::bodies::Bodies;
use crate::sweeps::singular::{Health, margin};
use alloc::vec;
use alloc::vec::Vec;

/// Sums that the children send to a body.
#[derive(Clone, Copy, Debug, Default)]
struct Sum<T> {
    I: ArticulatedInertia<T>,
    f: Force<T>,
    /// Inertia of the subtree if it were rigid.
    rigid: Inertia<T>,
}

/// Workspace of these algorithms: O(N).
#[derive(Debug)]
pub(crate) struct Room<T> {
    sums: Vec<Sum<T>>,
    r: Vec<Motion<T>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let n = tree.bodies.len();
        Self { sums: vec![Sum::default(); n], r: vec![Motion::default(); n] }
    }
}

/// Computes the accelerations of a tree without mimicking joints, and leaves the articulated tree, each
/// degree of freedom in the frame of its body.
#[inline(always)]
pub(crate) fn accelerations<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    qdd: &mut [T],
) -> Done {
    let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
    let Scratch { turns, zeros, X, rnea: state, articulated, exact: room, .. } = s;
    rnea::forces(scene, turns.update(tree, q), q, v, zeros, X, state); // (1)
    effects.net_torques(tree, q, v, tau, qdd);
    let dofs = &mut articulated.dofs[..];
    inward(tree, &effects, state, Some(qdd), room, dofs)?;

    let r = &mut room.r;
    r[0] = Motion::zero();
    for (i, body) in tree.outward() {
        let mut sum = state[i].X.act_inv(r[body.parent]);
        for k in body.v.clone() {
            qdd[k] = dofs[k].accelerate(&mut sum); // (5)
        }
        r[i] = sum;
    }
    Ok(())
}

/// Computes only the articulated tree, in the ground coordinates of the placed bodies.
#[inline(always)]
pub(crate) fn articulate<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, q: &[T]) -> Done {
    let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
    let Scratch { turns, zeros, X, bodies, rnea: state, articulated, exact: room, .. } = s;
    let dofs = &mut articulated.dofs[..];
    rnea::forces(&scene.wrenches(&[]), turns.update(tree, q), q, zeros, zeros, X, state);
    inward(tree, &effects, state, None, room, dofs)?;
    to_ground(tree, bodies, dofs);
    Ok(())
}

/// From the frames of the bodies to the ground coordinates of the placed bodies.
#[inline(always)]
pub(crate) fn to_ground<T: Real>(tree: &Tree, bodies: &Bodies<T>, dofs: &mut [DofState<T>]) {
    for (i, body) in tree.outward() {
        let X = bodies.X(tree, i);
        for k in body.v.clone() {
            dofs[k].S = bodies.S.get(k);
            dofs[k].U_D = X.act_force(dofs[k].U_D);
        }
    }
}

/// (2) to (4); without torques, only inertias.
#[inline(always)]
fn inward<T: Real>(
    tree: &Tree,
    effects: &JointEffects,
    state: &[rnea::BodyState<T>],
    tau: Option<&[T]>,
    Room { sums, .. }: &mut Room<T>,
    dofs: &mut [DofState<T>],
) -> Done {
    sums.fill(Sum::default());
    let mut health = Health::good();
    for (i, body) in tree.inward() {
        let own = Inertia::lift(&body.inertia);
        let Sum { mut I, mut f, mut rigid } = sums[i];
        I += ArticulatedInertia::from(own);
        f += state[i].f;
        rigid += own;
        for (k, S) in axes(body).rev() {
            let U = I * S; // (2)
            let D = S.dot(U) + effects.armature(tree, k);
            let D_inv = D.recip();
            let (U_D, u) = (U * D_inv, tau.map_or(T::zero(), |tau| tau[k] - S.dot(f)));
            I = I.sub_outer(U_D, U); // (3)
            f = U_D.scale_add(u, f);
            let scale = rigid.mass.mul_add(S.lin.norm_squared(), rigid.rot.trace() * S.ang.norm_squared());
            let margin = margin(D, scale);
            health = health.and_positive(margin);
            dofs[k] = DofState::driven(S, U_D, D_inv, u, margin);
        }
        if body.parent > 0 {
            let (X, parent) = (&state[i].X, &mut sums[body.parent]);
            parent.I += I.transform(X); // (4)
            parent.f += X.act_force(f);
            parent.rigid += rigid.transform(X);
        }
    }
    health.check(dofs.iter().map(DofState::margin).enumerate().rev())
}

/// The complete mass matrix by columns.
#[inline(always)]
pub(crate) fn mass_matrix<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, q: &[T], m: &mut [T]) {
    let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
    let Scratch { turns, X, I, .. } = s;
    let (turns, n) = (turns.update(tree, q), tree.dofs.len());
    I[0] = Inertia::zero();
    for (i, body) in tree.outward() {
        X[i] = body.joint.place(Transform::lift(&body.x_tree), &q[body.q.clone()], turns[body.angle]);
        I[i] = Inertia::lift(&body.inertia);
    }
    m.fill(T::zero());
    for (i, body) in tree.inward() {
        for (c, S) in axes(body) {
            let mut F = I[i] * S; // (6)
            let (mut j, mut above) = (i, body);
            while j > 0 {
                for (r, S) in axes(above) {
                    m[c * n + r] = S.dot(F); // (7)
                    m[r * n + c] = m[c * n + r];
                }
                F = X[j].act_force(F);
                (j, above) = (above.parent, &tree.bodies[above.parent]);
            }
            m[c * n + c] += effects.armature(tree, c);
        }
        let moved = I[i].transform(&X[i]);
        I[body.parent] += moved;
    }
}

/// Degrees of freedom of a body, and their axes in its own frame.
#[inline(always)]
fn axes<T: Real>(body: &Body) -> impl DoubleEndedIterator<Item = (usize, Motion<T>)> + '_ {
    body.v.clone().enumerate().map(|(k, dof)| (dof, body.joint.axis(k, &Transform::identity())))
}
