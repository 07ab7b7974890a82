//! Forward dynamics: the articulated-body algorithm (ABA).
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`](crate::sweeps::ground::origin). `p`
//! is the parent of `i`.
//!
//! ```text
//! outward   v = vₚ + S q̇                    a° = a°ₚ + vₚ × S q̇                  (1)
//!           f = I a° + v ×* I v − fᵉˣᵗ                                           (2)
//! inward    Iᴬ, f, U, D, u                                     [`articulate`]    (3)
//! outward   q̈                                                  [`articulate`]    (4)
//! ```
//!
//! Source: [RBDA] Table 7.1. Departures:
//! - The velocity-product acceleration is never multiplied by an articulated inertia. `a°` is the
//!   acceleration of a body if all q̈ are zero (the world accelerates against gravity), `f` the force that
//!   this needs.
//! - A joint of several degrees of freedom is a chain of single ones, with massless bodies in between. (1)
//!   already contains its velocities, so the chain is at rest.

use super::{Bias, exact, ltdl};
use crate::dispatch::step;
use crate::door::Size::{Nq, Nv};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare, nested};
use crate::engines::{Memory, Scratch};
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::Vec3;
use crate::sweeps::articulate;

declare! {
    /// Forward dynamics: the accelerations due to the torques `tau`,
    /// `q̈ = M(q)⁻¹ (τ − C(q, v) v − g(q) + Jᵀ f_ext)`. The inverse of [`rnea`](crate::rnea()).
    ///
    /// - `q` (nq), `v`, `tau`, `qdd` (nv), in the model's order; O(N).
    /// - Joint effects (armature, damping, friction) are included unless the scene switches them off.
    /// - With mimicking joints the mass matrix is factorised instead, in O(N d²): such a joint moves bodies
    ///   of several branches at once, so the articulated-body recursion does not apply.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model, or if a body has no inertia along its joint. After
    /// an error the contents of `qdd` are undefined.
    fn aba(q: Nq, v: Nv, tau: Nv) -> (slice qdd: Nv) by Aba, under Surrounding::ALL
}

impl Algorithm<3, 1> for Aba {
    const RESERVES: bool = true;
    const MIMICRY: Mimicry = Mimicry::Own;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, tau]: In<T, 3>, [qdd]: To<T, 1>) -> Done {
        if scene.model.options().exact {
            return exact_accelerations(scene, s, q, v, tau, qdd.entries);
        }
        accelerations::<T, false>(scene, s, q, v, tau, qdd.entries)
    }

    fn reserve<T: Real>(self, model: &Model, scratch: &mut Scratch<T>) {
        scratch.ltdl.make_room(model);
    }

    /// `M q̈ = τ − bias`, with a factor of M.
    #[inline(always)]
    fn compute_mimicking<T: Real>(
        self,
        scene: &Scene<T>,
        memory: &mut Memory<T>,
        [q, v, tau]: In<T, 3>,
        [qdd]: To<T, 1>,
    ) -> Done {
        ltdl::factor_of(scene, memory, q)?;
        accelerations_by_factor(scene, memory, q, v, tau, qdd.entries)
    }
}

/// Computes the accelerations in body coordinates. Shared by several functions.
#[inline(never)] // its closure borrows the arguments, which would then be in memory on the usual way too
pub(crate) fn exact_accelerations<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    qdd: &mut [T],
) -> Done {
    step!(s.proof, || exact::accelerations(scene, s, q, v, tau, qdd))
}

/// Computes the accelerations with the factor of M that [`ltdl::factor_of`] left in the scratch.
#[inline(always)]
pub(crate) fn accelerations_by_factor<T: Real>(
    scene: &Scene<'_, T>,
    memory: &mut Memory<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    qdd: &mut [T],
) -> Done {
    nested(Bias {}, scene, memory, [q, v], [&mut *qdd])?;
    for (x, &tau) in qdd.iter_mut().zip(tau) {
        *x = tau - *x;
    }
    memory.scratch.ltdl.solve(scene.model.elimination(), qdd);
    Ok(())
}

/// Computes the accelerations of a tree without mimicking joints, and leaves the articulated tree. The bodies
/// are those of (1) and (2) or, for derivatives, move with q̈.
#[inline(always)]
pub(crate) fn accelerations<T: Real, const FOR_DERIVATIVES: bool>(
    scene: &Scene<'_, T>,
    scratch: &mut Scratch<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    qdd: &mut [T],
) -> Done {
    let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
    let Scratch { turns, bodies, articulated, .. } = scratch;
    bodies.move_all::<FOR_DERIVATIVES>(tree, turns.update(tree, q), q, v, None, Vec3::lift(scene.gravity)); // (1)
    bodies.weigh(tree);
    bodies.load_all(); // (2)
    bodies.push(scene);
    effects.net_torques(tree, q, v, tau, qdd);
    articulate::inward(tree, &effects, bodies, Some(qdd), articulated)?; // (3)
    articulate::accelerate::<T, FOR_DERIVATIVES>(tree, bodies, articulated, qdd); // (4)
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FrameId, Model, Options, Root, generate};
    use crate::{Axes, Point, Random, Workspace, Wrench, rnea};
    use alloc::vec;
    use alloc::vec::Vec;

    /// With wrenches of every kind on every frame, ABA inverts RNEA up to round-off.
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
