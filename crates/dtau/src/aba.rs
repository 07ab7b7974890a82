//! Forward dynamics: the articulated-body algorithm (ABA).
//!
//! Ground coordinates throughout, with the origin of `ground::origin`. `p` is the parent of `i`.
//!
//! ```text
//! outward   v = vₚ + S q̇                    a° = a°ₚ + vₚ × S q̇                  (1)
//!           f = I a° + v ×* I v − fᵉˣᵗ                                           (2)
//! inward    Iᴬ, f, U, D, u                                     [`articulate`]    (3)
//! outward   q̈                                                  [`articulate`]    (4)
//! ```
//!
//! Source: [RBDA] Table 7.1. Departures:
//! - The velocity-product acceleration never meets an articulated inertia. `a°` is the acceleration of a body when all
//!   q̈ are zero (the world accelerates against gravity), `f` what it takes.
//! - A joint of several degrees of freedom is a chain of single ones with nothing in between: (1) has taken care of its
//!   velocities, so the chain is at rest.

use crate::articulate;
use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ltdl::crba_factor;
use crate::rnea::bias;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::singular::Singular;
use crate::spatial::Vec3;
use crate::workspace::{Scratch as All, Workspace};

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
        let (q, v, tau, qdd) = (S::slice(self.q), S::slice(self.v), S::slice(self.tau), S::slice_mut(self.qdd));
        compute::<T, S, false>(&self.scene, scratch, q, v, tau, qdd)
    }
}

/// The accelerations of a tree without mimicking joints; leaves the articulated tree, and the bodies as (1) and (2) have them or, for
/// derivatives, moving with q̈.
#[inline(always)]
pub(crate) fn compute<T: Real, S: Twin<T>, const FOR_DERIVATIVES: bool>(
    scene: &Scene<'_, T>,
    scratch: &mut All<S>,
    q: &[S],
    v: &[S],
    tau: &[S],
    qdd: &mut [S],
) -> Result<(), Singular> {
    let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
    let All { turns, bodies, articulated, .. } = scratch;
    bodies.move_all::<FOR_DERIVATIVES>(tree, turns.update(tree, q), q, v, None, Vec3::lift(scene.gravity)); // (1)
    bodies.weigh(tree);
    bodies.load_all(); // (2)
    bodies.push(scene);
    effects.net_torques(tree, v, tau, qdd);
    articulate::inward(tree, &effects, bodies, Some(qdd), articulated)?; // (3)
    articulate::accelerate::<S, FOR_DERIVATIVES>(tree, bodies, articulated, qdd); // (4)
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FrameId, Model, Options, Root, generate};
    use crate::{Axes, Point, Random, Wrench, rnea};
    use alloc::vec;
    use alloc::vec::Vec;

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
