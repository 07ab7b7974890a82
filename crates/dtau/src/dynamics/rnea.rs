//! Inverse dynamics: the recursive Newton–Euler algorithm (RNEA).
//!
//! ```text
//! outward   vᵢ = Xᵢ⁻¹ vₚ + Sᵢ q̇ᵢ                 (1)
//!           aᵢ = Xᵢ⁻¹ aₚ + Sᵢ q̈ᵢ + vᵢ × Sᵢ q̇ᵢ    (2)
//!           fᵢ = Iᵢ aᵢ + vᵢ ×* Iᵢ vᵢ − fᵢᵉˣᵗ     (3)
//! inward    τᵢ = Sᵢᵀ fᵢ                          (4)
//!           fₚ += Xᵢ fᵢ                          (5)
//! ```
//!
//! `p` is the parent of `i`; `Xᵢ` is the placement of `i` in `p`. Every quantity of body `i` is in its own
//! coordinates. Source: [RBDA] Table 5.1. Departure: the world is body 0, so the base needs no special case.
//! The world accelerates against gravity.

use crate::dispatch::step;
use crate::door::Size::{Nq, Nv};
use crate::door::{Algorithm, Done, In, Surrounding, To, declare};
use crate::engines::Scratch;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Force, Inertia, Motion, Transform, Vec3};
use crate::sweeps::ground;

declare! {
    /// Inverse dynamics: the torques for the accelerations `a`, `τ = M(q) a + C(q, v) v + g(q) − Jᵀ f_ext`,
    /// plus joint effects.
    ///
    /// - `q` (nq), `v`, `a`, `tau` (nv), in the model's order; O(N).
    /// - Joint effects (armature, damping, friction) are included unless the scene switches them off.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn rnea(q: Nq, v: Nv, a: Nv) -> (slice tau: Nv) by Rnea, under Surrounding::ALL
}

impl Algorithm<3, 1> for Rnea {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, a]: In<T, 3>, [tau]: To<T, 1>) -> Done {
        torques(scene, s, q, Some(v), Some(a), tau.entries);
        Ok(())
    }
}

declare! {
    /// Bias torques: [`rnea`] at zero acceleration, `C(q, v) v + g(q) − Jᵀ f_ext` plus the joints'
    /// resistance.
    ///
    /// - `q` (nq), `v`, `tau` (nv); O(N).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn bias(q: Nq, v: Nv) -> (slice tau: Nv) by Bias, under Surrounding::ALL
}

impl Algorithm<2, 1> for Bias {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v]: In<T, 2>, [tau]: To<T, 1>) -> Done {
        torques(scene, s, q, Some(v), None, tau.entries);
        Ok(())
    }
}

declare! {
    /// Gravity torques `g(q)`, which hold the robot against gravity. External forces are ignored.
    ///
    /// - `q` (nq), `tau` (nv); O(N).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn gravity_torques(q: Nq) -> (slice tau: Nv) by GravityTorques, under &[Surrounding::Gravity]
}

impl Algorithm<1, 1> for GravityTorques {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, [tau]: To<T, 1>) -> Done {
        torques(&scene.wrenches(&[]).springs(false), s, q, None, None, tau.entries);
        Ok(())
    }
}

/// Computes the torques; `None` means zeros. Shared by several functions.
#[inline(always)]
pub(crate) fn torques<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    q: &[T],
    v: Option<&[T]>,
    a: Option<&[T]>,
    tau: &mut [T],
) {
    let (tree, v, a) = (scene.model.tree(), v.unwrap_or(&s.zeros), a.unwrap_or(&s.zeros));
    step!(s.proof, || {
        let turns = s.turns.update(tree, q);
        forces(scene, turns, q, v, a, &mut s.X, &mut s.rnea);
        inward(tree, &mut s.rnea, tau);
        JointEffects::of(scene).add_torques(tree, q, v, a, tau);
    });
}

/// (1) to (3): motions of the bodies, and the force that each needs.
#[inline(always)]
pub(crate) fn forces<T: Real>(
    scene: &Scene<'_, T>,
    turns: &[(T, T)],
    q: &[T],
    v: &[T],
    a: &[T],
    X: &mut [Transform<T>],
    state: &mut [BodyState<T>],
) {
    let (model, tree) = (scene.model, scene.model.tree());
    outward(tree, turns, q, v, a, Vec3::lift(scene.gravity), state);
    if !scene.wrenches.is_empty() {
        ground::place_all(tree, q, turns, X);
        for wrench in scene.each_wrench() {
            if let Some((i, placement)) = ground::locate(model, &wrench, |i| X[i]) {
                state[i].f -= X[i].act_force_inv(wrench.in_ground(&X[0], &placement)); // (3)
            }
        }
    }
}

/// State of a body during the passes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodyState<T> {
    /// Placement in the parent.
    pub(crate) X: Transform<T>,
    v: Motion<T>,
    a: Motion<T>,
    pub(crate) f: Force<T>,
}

#[inline(always)]
fn outward<T: Real>(
    tree: &Tree,
    turns: &[(T, T)],
    q: &[T],
    qd: &[T],
    qdd: &[T],
    gravity: Vec3<T>,
    state: &mut [BodyState<T>],
) {
    state[0] = BodyState { a: Motion::new(-gravity, Vec3::zero()), ..BodyState::default() };

    for (i, body) in tree.outward() {
        let (before, rest) = state.split_at_mut(i);
        let (parent, this) = (&before[body.parent], &mut rest[0]);
        let (q, qd, qdd) = (&q[body.q.clone()], &qd[body.v.clone()], &qdd[body.v.clone()]);
        let I = Inertia::lift(&body.inertia);

        let X = body.joint.place(Transform::lift(&body.x_tree), q, turns[body.angle]);
        let v = body.joint.add_motion(X.act_inv(parent.v), qd); // (1)
        let a = body.joint.add_cross(body.joint.add_motion(X.act_inv(parent.a), qdd), v, qd); // (2)
        let f = I.load(v, a); // (3)
        *this = BodyState { X, v, a, f };
    }
}

#[inline(always)]
fn inward<T: Real>(tree: &Tree, state: &mut [BodyState<T>], tau: &mut [T]) {
    for (i, body) in tree.inward() {
        let (before, rest) = state.split_at_mut(i);
        let (parent, this) = (&mut before[body.parent], &rest[0]);

        body.joint.project(this.f, &mut tau[body.v.clone()]); // (4)
        parent.f += this.X.act_force(this.f); // (5)
    }
}
