//! Derivatives of inverse dynamics, complete and term by term. The algorithm is in [`idsva`](super::idsva).
//!
//! ```text
//! τ = M(q) a + bias(q, v)              bias = C(q, v) v + resistance(v) + g(q) − Jᵀ f_ext
//! ```
//!
//! The derivatives of a term are the complete ones with the arguments of the other terms set to zero, so they
//! add up. The derivatives of the velocity terms alone are those of the bias in a scene without gravity and
//! external forces.

use super::idsva::{self, idsva};
use crate::dispatch::step;
use crate::door::Size::{Nq, Nv, Square};
use crate::door::{Algorithm, Done, In, Surrounding, To, declare, results};
use crate::dynamics::crba;
use crate::engines::Scratch;
use crate::matrix::MatrixMut;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::Vec3;

results! {
    /// Inverse dynamics and its derivatives: the result of [`id_derivatives`].
    pub struct IdDerivatives(model: Model) as [IdDerivativesMut] {
        /// The torques τ: nv.
        tau: Nv,
    } {
        /// ∂τ/∂q: nv × nv, by columns, along tangent directions of the configuration.
        dtau_dq: Square,
        /// ∂τ/∂q̇: nv × nv, by columns.
        dtau_dv: Square,
        /// ∂τ/∂q̈, the mass matrix: nv × nv, by columns.
        dtau_da: Square,
    }
}

declare! {
    /// Derivatives of [`rnea`](crate::rnea()) with respect to `q`, `v` and `a`, and the torques: IDSVA, O(N
    /// d) with `d` the depth of the tree.
    ///
    /// - ∂τ/∂q is along tangent directions, `q ⊕ δ`; every matrix is `nv × nv`, complete, by columns.
    /// - External forces are differentiated as given: fixed in the body, in the world, or a mixture.
    /// - Damping, friction, armature and mimicking joints are included, as in [`rnea`](crate::rnea()).
    ///
    /// # Errors
    /// If a length, the engine or the result does not fit the model.
    fn id_derivatives(q: Nq, v: Nv, a: Nv) -> IdDerivativesMut { tau: Nv, dtau_dq: Square, dtau_dv: Square, dtau_da: Square }
    by Id, under Surrounding::ALL, zeros of tree
}

declare! {
    /// Derivatives of the inertial torques `M(q) a`, armature included, and the torques.
    ///
    /// - `q` (nq), `a` (nv); `out.dtau_dq` is ∂(M a)/∂q, `out.dtau_da` is M, `out.dtau_dv` is zero; O(N d),
    ///   plus writing the matrices.
    /// - Gravity, external forces and damping have no effect.
    ///
    /// # Errors
    /// If a length, the engine or `out` does not fit the model.
    fn inertial_derivatives(q: Nq, a: Nv) -> IdDerivativesMut { tau: Nv, dtau_dq: Square, dtau_dv: Square, dtau_da: Square }
    by Inertial, under &[Surrounding::Armature]
}

declare! {
    /// Derivatives of [`bias`](crate::bias()), and the bias.
    ///
    /// - `q` (nq), `v` (nv); `out.dtau_dq` is ∂bias/∂q, `out.dtau_dv` is ∂bias/∂q̇, `out.dtau_da` is zero;
    ///   O(N d), plus writing the matrices.
    /// - External forces and joint effects are included, as in [`bias`](crate::bias()).
    ///
    /// # Errors
    /// If a length, the engine or `out` does not fit the model.
    fn bias_derivatives(q: Nq, v: Nv) -> IdDerivativesMut { tau: Nv, dtau_dq: Square, dtau_dv: Square, dtau_da: Square }
    by BiasPartials, under Surrounding::ALL
}

declare! {
    /// Derivatives of [`gravity_torques`](crate::gravity_torques()), and the torques.
    ///
    /// - `q` (nq); `out.dtau_dq` is ∂g/∂q, the Hessian of the potential energy if all joints have one degree
    ///   of freedom; `out.dtau_dv` and `out.dtau_da` are zero; O(N d), plus writing the matrices.
    /// - External forces have no effect.
    ///
    /// # Errors
    /// If a length, the engine or `out` does not fit the model.
    fn gravity_derivatives(q: Nq) -> IdDerivativesMut { tau: Nv, dtau_dq: Square, dtau_dv: Square, dtau_da: Square }
    by GravityPartials, under &[Surrounding::Gravity]
}

impl Algorithm<3, 4> for Id {
    const DIVIDES: bool = false;
    const RESERVES: bool = true;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, a]: In<T, 3>, mut out: To<T, 4>) -> Done {
        partials(scene, s, q, Some(v), Some(a), &mut out);
        exact_mass(scene, s, q, &mut out[3]);
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.id.make_room(model.tree());
    }
}

impl Algorithm<2, 4> for Inertial {
    const DIVIDES: bool = false;
    const RESERVES: bool = true;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, a]: In<T, 2>, mut out: To<T, 4>) -> Done {
        let scene = scene.gravity([0.0; 3]).wrenches(&[]).damping(false).friction(false).springs(false);
        partials(&scene, s, q, None, Some(a), &mut out);
        exact_mass(&scene, s, q, &mut out[3]);
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.id.make_room(model.tree());
    }
}

impl Algorithm<2, 4> for BiasPartials {
    const DIVIDES: bool = false;
    const RESERVES: bool = true;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v]: In<T, 2>, mut out: To<T, 4>) -> Done {
        partials(scene, s, q, Some(v), None, &mut out);
        out[3].entries.fill(T::zero()); // this was M, which the bias does not contain
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.id.make_room(model.tree());
    }
}

impl Algorithm<1, 4> for GravityPartials {
    const DIVIDES: bool = false;
    const RESERVES: bool = true;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, mut out: To<T, 4>) -> Done {
        let scene = scene.wrenches(&[]).damping(false).friction(false).springs(false);
        partials(&scene, s, q, None, None, &mut out);
        out[3].entries.fill(T::zero());
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.id.make_room(model.tree());
    }
}

/// Computes the torques and their derivatives; `None` means zeros.
#[inline(always)]
fn partials<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    q: &[T],
    v: Option<&[T]>,
    a: Option<&[T]>,
    [tau, dq, dv, da]: &mut [MatrixMut<'_, T>; 4],
) {
    let out = [&mut *tau.entries, &mut *dq.entries, &mut *dv.entries, &mut *da.entries];
    partials_step(scene, s, q, (v, a), out, dq.zeros_in_place);
}

/// Computes the torques and their derivatives of the full tree, into plain arrays.
#[inline(always)]
pub(crate) fn id_partials<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, [q, v, a]: [&[T]; 3], out: [&mut [T]; 4]) {
    partials_step(scene, s, q, (Some(v), Some(a)), out, false);
}

/// [`partials`], shared by several functions.
#[inline(always)]
fn partials_step<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    q: &[T],
    (v, a): (Option<&[T]>, Option<&[T]>),
    [tau, dq, dv, da]: [&mut [T]; 4],
    zeros_in_place: bool,
) {
    step!(s.proof, || {
        let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
        let Scratch { turns, zeros, bodies, id, .. } = &mut *s;
        let (v, a) = (v.unwrap_or(zeros), a.unwrap_or(zeros));
        bodies.move_all::<true>(tree, turns.update(tree, q), q, v, Some(a), Vec3::lift(scene.gravity));
        bodies.weigh(tree);
        idsva(scene, bodies, id, tau, [&mut *dq, &mut *dv, &mut *da], zeros_in_place);
        effects.add_torques(tree, q, v, a, tau);
        effects.add_stiffness(tree, dq);
        effects.add_armature(tree, da);
        effects.add_resistance_slopes(tree, v, dv);
    });
}

/// Computes M again in body coordinates, if the model's options ask for it.
#[inline(always)]
fn exact_mass<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, q: &[T], da: &mut MatrixMut<'_, T>) {
    if scene.model.options().exact {
        crba::exact_mass(scene, s, q, da.entries);
    }
}

/// Workspace of these algorithms: O(N), plus that of the fill once it is needed.
pub(crate) type Room<T> = idsva::Room<T>;
