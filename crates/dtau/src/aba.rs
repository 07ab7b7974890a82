//! Forward dynamics: the articulated-body algorithm (ABA).
//!
//! Ground coordinates throughout: every vector is at the world's origin in the world's axes. `p` is the parent of `i`.
//!
//! ```text
//! outward   v = vₚ + S q̇                    a° = a°ₚ + vₚ × v                    (1)
//!           f = I a° + v ×* I v − fᵉˣᵗ                                           (2)
//! inward    for each degree of freedom of the joint, the last one first:
//!           U = Iᴬ S                        D = Sᵀ U + armature                  (3)
//!           u = τ − Sᵀ f                                                         (4)
//!           Iᴬ ← Iᴬ − U Uᵀ/D                f ← f + U u/D                        (5)
//!           then                            Iᴬₚ += Iᴬ,  fₚ += f                  (6)
//! outward   for each degree of freedom of the joint, the first one first:
//!           q̈ = (u − Uᵀ a)/D                a ← a + S q̈                          (7)
//! ```
//!
//! Source: [RBDA] Table 7.1. Departures:
//! - The velocity-product acceleration never meets an articulated inertia. `a°` is the acceleration of a body when all
//!   q̈ are zero (the world accelerates against gravity), `f` what it takes; `a` is only what the q̈ add. So (5) has no
//!   Iᴬ c, and c = vₚ × S q̇ = vₚ × v costs one cross product whatever the joint.
//! - A joint of several degrees of freedom is a chain of single ones with nothing in between: (1) has taken care of its
//!   velocities, so the chain is at rest.
//! - In ground coordinates (6) is a sum.

use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::ltdl::crba_factor;
use crate::model::Tree;
use crate::rnea::bias;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::singular::{Health, Singular, margin};
use crate::spatial::{ArticulatedInertia, Force, Motion, Transform, Vec3};
use crate::workspace::{Scratch as All, Workspace};
use alloc::vec;
use alloc::vec::Vec;

/// The accelerations that the torques `tau` give: `q̈ = M(q)⁻¹ (τ − C(q, v) v − g(q) + Jᵀ f_ext)`, the inverse of
/// [`rnea`](crate::rnea).
///
/// - `q` (nq), `v`, `tau`, `qdd` (nv), in the model's order; O(N).
/// - Joint effects (armature, damping, friction) count unless the scene switches them off.
/// - With mimicking joints the articulated recursion does not apply, since such a joint moves bodies of several branches
///   at once; then the mass matrix is factorised instead, in O(N d²).
///
/// # Errors
/// If a length or the workspace does not fit the model, or if a body has no inertia along its joint. After an error the
/// contents of `qdd` mean nothing.
pub fn aba<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    qdd: &mut [T],
) -> Result<(), Error> {
    let scene = scene.into();
    scene.check()?;
    Check::new(scene.model, ws)?.nq("q", q)?.nv("v", v)?.nv("tau", tau)?.nv("qdd", qdd)?;
    if scene.model.mimic().is_some() {
        return ws.with_factor(scene.model, |ws, factor| {
            crba_factor(scene, ws, q, factor)?;
            bias(scene, ws, q, v, qdd)?;
            for (x, &tau) in qdd.iter_mut().zip(tau) {
                *x = tau - *x;
            }
            factor.solve(ws, qdd)
        });
    }
    ws.run(Aba { scene, q, v, tau, qdd }).map_err(|singular| singular.error(scene.model))
}

struct Aba<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    v: &'a [T],
    tau: &'a [T],
    qdd: &'a mut [T],
}

impl<T: Real> Kernel<T> for Aba<'_, T> {
    type Output = Result<(), Singular>;

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) -> Self::Output {
        let (tree, effects) = (self.scene.model.tree(), JointEffects::of(&self.scene));
        let (q, v, qdd) = (S::slice(self.q), S::slice(self.v), S::slice_mut(self.qdd));
        let All { turns, X, aba: Scratch { bodies, dofs }, .. } = scratch;

        outward(tree, turns.update(tree, q), q, v, Vec3::lift(self.scene.gravity), X, bodies, dofs);
        for wrench in self.scene.wrenches {
            if let Some((i, placement)) = ground::locate(self.scene.model, wrench, |i| X[i]) {
                bodies[i].f -= wrench.recast::<S>().in_ground(&X[0], &placement); // (2)
            }
        }
        effects.net_torques(tree, v, S::slice(self.tau), qdd);
        inward(tree, &effects, qdd, bodies, dofs)?;
        accelerate(tree, bodies, dofs, qdd);
        Ok(())
    }
}

/// A body on the way.
#[derive(Clone, Copy, Debug, Default)]
struct BodyState<T> {
    v: Motion<T>,
    /// a° on the way out and in, then a.
    a: Motion<T>,
    f: Force<T>,
    I: ArticulatedInertia<T>,
    /// What the subtree would weigh if it were rigid: its mass, and the trace of its rotational inertia.
    weight: (T, T),
}

/// A degree of freedom on the way.
#[derive(Clone, Copy, Debug, Default)]
struct DofState<T> {
    S: Motion<T>,
    /// U/D
    U_D: Force<T>,
    /// u/D
    u_D: T,
    margin: T,
}

/// Scratch of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    bodies: Vec<BodyState<T>>,
    dofs: Vec<DofState<T>>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { bodies: vec![BodyState::default(); tree.bodies.len()], dofs: vec![DofState::default(); tree.dofs.len()] }
    }
}

#[inline(always)]
fn outward<T: Real>(
    tree: &Tree,
    turns: &[(T, T)],
    q: &[T],
    qd: &[T],
    gravity: Vec3<T>,
    X: &mut [Transform<T>],
    bodies: &mut [BodyState<T>],
    dofs: &mut [DofState<T>],
) {
    X[0] = ground::origin(tree, q, turns);
    bodies[0] = BodyState { a: Motion::new(-gravity, Vec3::zero()), ..BodyState::default() };

    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        let (before, rest) = bodies.split_at_mut(i);
        let (parent, this) = (&before[body.parent], &mut rest[0]);

        X[i] = ground::place(body, &X[body.parent], q, turns);
        let mut v = parent.v;
        for (k, dof) in body.v.clone().enumerate() {
            let S = body.joint.axis(k, &X[i]);
            v = S.scale_add(qd[dof], v); // (1)
            dofs[dof].S = S;
        }
        let a = parent.v.cross_add(v, parent.a);
        let I = ground::inertia(body, &X[i]);
        let f = v.cross_force_add(I * v, I * a); // (2)
        *this = BodyState { v, a, f, weight: (I.mass, I.rot.trace()), I: I.into() };
    }
}

#[inline(always)]
fn inward<T: Real>(
    tree: &Tree,
    effects: &JointEffects,
    tau: &[T],
    bodies: &mut [BodyState<T>],
    dofs: &mut [DofState<T>],
) -> Result<(), Singular> {
    let mut health = Health::good();
    for i in (1..tree.bodies.len()).rev() {
        let body = &tree.bodies[i];
        let (before, rest) = bodies.split_at_mut(i);
        let (parent, this) = (&mut before[body.parent], &rest[0]);
        let (mut I, mut f, weight) = (this.I, this.f, this.weight);

        for k in body.v.clone().rev() {
            let dof = &mut dofs[k];
            let (S, armature) = (dof.S, effects.armature(tree, k));
            let U = I * S; // (3)
            let D = (S.lin.dot(U.lin) + armature) + S.ang.dot(U.ang);
            let u = tau[k] - S.dot(f); // (4)
            let D_inv = D.recip();
            let U_D = U * D_inv;
            I = I.sub_outer(U_D, U); // (5)
            f = U_D.scale_add(u, f);

            let margin = margin(D, weight.0.mul_add(S.lin.norm_squared(), weight.1 * S.ang.norm_squared()));
            health = health.and_positive(margin);
            (dof.U_D, dof.u_D, dof.margin) = (U_D, u * D_inv, margin);
        }
        // (6)
        parent.I += I;
        parent.f += f;
        parent.weight = (parent.weight.0 + weight.0, parent.weight.1 + weight.1);
    }
    health.check(dofs.iter().map(|dof| dof.margin).enumerate().rev())
}

#[inline(always)]
fn accelerate<T: Real>(tree: &Tree, bodies: &mut [BodyState<T>], dofs: &[DofState<T>], qdd: &mut [T]) {
    bodies[0].a = Motion::zero();
    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        let mut a = bodies[body.parent].a;
        for k in body.v.clone() {
            let dof = &dofs[k];
            qdd[k] = dof.u_D - a.dot(dof.U_D); // (7)
            a = dof.S.scale_add(qdd[k], a);
        }
        bodies[i].a = a;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FrameId, Model, Options, Root, generate};
    use crate::{Axes, Point, Random, Wrench, rnea};

    /// Wrenches of every kind, on every frame: what RNEA takes away, ABA must give back, to round-off.
    #[test]
    fn aba_inverts_rnea_under_wrenches() {
        for seed in 0..10 {
            let options = Options { root: Root::Floating, ..Options::default() };
            let model = Model::build(&generate::random_tree(seed, 9), &options).unwrap();
            let random = &mut Random::seeded(seed);
            let mut numbers = |n: usize| (0..n).map(|_| random.within(-1.0, 1.0)).collect::<Vec<_>>();
            let (mut q, v, a) = (numbers(model.nq()), numbers(model.nv()), numbers(model.nv()));
            for joint in model.joints() {
                let (nq, nv) = (joint.q.len(), joint.v.len());
                if nq != nv {
                    q[joint.q.clone()][nq - 4..].copy_from_slice(&[0.5, -0.5, 0.5, 0.5]);
                }
            }
            let mut wrenches = Vec::new();
            for frame in 0..model.frames().len() {
                let x = numbers(9);
                let three = |i: usize| [x[i], x[i + 1], x[i + 2]];
                let at = [Point::Origin, Point::InFrame(three(0)), Point::InWorld(three(0))][frame % 3];
                let axes = [Axes::Frame, Axes::World][frame % 2];
                wrenches.push(Wrench { frame: FrameId(frame), axes, at, force: three(3), torque: three(6) });
            }
            let mut ws = Workspace::new(&model);
            let (mut tau, mut qdd) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
            rnea(model.scene().wrenches(&wrenches), &mut ws, &q, &v, &a, &mut tau).unwrap();
            aba(model.scene().wrenches(&wrenches), &mut ws, &q, &v, &tau, &mut qdd).unwrap();
            for k in 0..model.nv() {
                assert!((qdd[k] - a[k]).abs() < 1e-9, "seed {seed}, dof {k}: got {}, want {}", qdd[k], a[k]);
            }
        }
    }
}
