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
//! `p` is the parent of `i`; `Xᵢ` is the placement of `i` in `p`. Every quantity of body `i` is in its own coordinates.
//! Source: [RBDA] Table 5.1. Departure: the world is body 0, so the base needs no branch of its own; it accelerates
//! against gravity.

use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Force, Inertia, Motion, Transform, Vec3};
use crate::workspace::{Scratch, Workspace, full_q, full_v};

/// The torques that give the accelerations `a`: `τ = M(q) a + C(q, v) v + g(q) − Jᵀ f_ext`, and what the joints add.
///
/// - `q` (nq), `v`, `a`, `tau` (nv), in the model's order; O(N).
/// - Joint effects (armature, damping, friction) count unless the scene switches them off.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn rnea<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    tau: &mut [T],
) -> Result<(), Error> {
    let scene = scene.into();
    scene.check()?;
    Check::new(scene.model, ws)?.nq("q", q)?.nv("v", v)?.nv("a", a)?.nv("tau", tau)?;
    ws.run(Rnea { scene, q, v: Some(v), a: Some(a), tau });
    Ok(())
}

/// The torques that keep the velocity: [`rnea`] at zero acceleration, `C(q, v) v + g(q) − Jᵀ f_ext` and the joints'
/// resistance.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn bias<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &mut [T],
) -> Result<(), Error> {
    let scene = scene.into();
    scene.check()?;
    Check::new(scene.model, ws)?.nq("q", q)?.nv("v", v)?.nv("tau", tau)?;
    ws.run(Rnea { scene, q, v: Some(v), a: None, tau });
    Ok(())
}

/// The torques that hold the robot against gravity, `g(q)`; external forces do not count.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn gravity_torques<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    tau: &mut [T],
) -> Result<(), Error> {
    let scene = scene.into().wrenches(&[]);
    Check::new(scene.model, ws)?.nq("q", q)?.nv("tau", tau)?;
    ws.run(Rnea { scene, q, v: None, a: None, tau });
    Ok(())
}

/// `None` stands for zeros.
struct Rnea<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    v: Option<&'a [T]>,
    a: Option<&'a [T]>,
    tau: &'a mut [T],
}

impl<T: Real> Kernel<T> for Rnea<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut Scratch<S>) {
        let model = self.scene.model;
        let tree = model.tree();
        let Scratch { turns, full, zeros, X, rnea: state, .. } = scratch;
        let q = full_q(model, S::slice(self.q), &mut full.q);
        let v = self.v.map_or(&zeros[..], |v| full_v(model, S::slice(v), &mut full.v));
        let a = self.a.map_or(&zeros[..], |a| full_v(model, S::slice(a), &mut full.a));
        let tau = S::slice_mut(self.tau);
        let full_tau = if model.mimic().is_some() { &mut full.tau[..] } else { &mut *tau };

        let turns = turns.update(tree, q);
        outward(tree, turns, q, v, a, Vec3::lift(self.scene.gravity), state);
        if !self.scene.wrenches.is_empty() {
            ground::place_all(tree, q, turns, X);
            for wrench in self.scene.wrenches {
                if let Some((i, placement)) = ground::locate(model, wrench, |i| X[i]) {
                    state[i].f -= X[i].act_force_inv(wrench.recast::<S>().in_ground(&X[0], &placement)); // (3)
                }
            }
        }
        inward(tree, state, full_tau);
        JointEffects::of(&self.scene).add_torques(tree, v, a, full_tau);

        if let Some(map) = model.mimic() {
            map.reduce(&full.tau, tau);
        }
    }
}

/// A body on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodyState<T> {
    X: Transform<T>,
    v: Motion<T>,
    a: Motion<T>,
    f: Force<T>,
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

    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        let (before, rest) = state.split_at_mut(i);
        let (parent, this) = (&before[body.parent], &mut rest[0]);
        let (q, qd, qdd) = (&q[body.q.clone()], &qd[body.v.clone()], &qdd[body.v.clone()]);
        let I = Inertia::lift(&body.inertia);

        let X = body.joint.place(Transform::lift(&body.x_tree), q, turns[body.angle]);
        let v = body.joint.add_motion(X.act_inv(parent.v), qd); // (1)
        let a = body.joint.add_cross(body.joint.add_motion(X.act_inv(parent.a), qdd), v, qd); // (2)
        let f = v.cross_force_add(I * v, I * a); // (3)
        *this = BodyState { X, v, a, f };
    }
}

#[inline(always)]
fn inward<T: Real>(tree: &Tree, state: &mut [BodyState<T>], tau: &mut [T]) {
    for i in (1..tree.bodies.len()).rev() {
        let body = &tree.bodies[i];
        let (before, rest) = state.split_at_mut(i);
        let (parent, this) = (&mut before[body.parent], &rest[0]);

        body.joint.project(this.f, &mut tau[body.v.clone()]); // (4)
        parent.f += this.X.act_force(this.f); // (5)
    }
}
