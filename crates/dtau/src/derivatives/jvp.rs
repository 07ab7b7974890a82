//! Directional derivative of inverse dynamics: a Jacobian-vector product, without the Jacobian.
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`]. `δ` of a body's quantity is its
//! change along the direction as seen from the body: the change due to the body's own displacement is
//! subtracted. So inertias and axes do not change. `p` is the parent of `i`.
//!
//! ```text
//! outward   σ = S δq                                      the displacement of i against p          (1)
//!           v = vₚ + S q̇            a = aₚ + S q̈ + vₚ × S q̇                                        (2)
//!           δvₚ′ = δvₚ + vₚ × σ                           the change of vₚ as seen from i          (3)
//!           δv = δvₚ′ + S δq̇                                                                       (4)
//!           δa = δaₚ + aₚ × σ + S δq̈ + δvₚ′ × S q̇ + vₚ × S δq̇                                      (5)
//!           f = I a + v ×* I v      δf = I δa + δv ×* I v + v ×* I δv                              (6)
//! inward    δτ = Sᵀ δf              fₚ += f               δfₚ += δf + σ ×* f                       (7)
//! ```
//!
//! Wrenches are subtracted from `f`. A wrench that moves with its body has no `δ`. For others
//! `δF = W s − s ×* F`, where `s` is the sum of σ over the path and `W` the geometric stiffness, see
//! [`stiffness`](super::stiffness). (8)
//!
//! Source: RNEA ([RBDA] Table 5.1), differentiated.

use super::stiffness::Stiffness;
use crate::dispatch::step;
use crate::door::Size::{Nq, Nv};
use crate::door::{Algorithm, Arg, Done, In, Surrounding, To, call, declare};
use crate::engines::{Engine, Scratch};
use crate::error::Error;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Force, Motion, Transform, Vec3};
use crate::sweeps::ground;
use alloc::vec;
use alloc::vec::Vec;

/// Change of the arguments of inverse dynamics; `nv` numbers each.
#[derive(Clone, Copy, Debug)]
pub struct IdTangent<'a, T> {
    /// Change of the configuration, a tangent vector: `q ⊕ δq`.
    pub dq: &'a [T],
    /// Change of the velocity.
    pub dv: &'a [T],
    /// Change of the acceleration.
    pub da: &'a [T],
}

/// Derivative of [`rnea`](crate::rnea()) along a direction: `∂τ/∂q δq + ∂τ/∂q̇ δq̇ + ∂τ/∂q̈ δq̈`, in O(N).
///
/// - `q` (nq), `v`, `a`, the tangents and `dtau` (nv).
/// - The result is the product of the matrices of [`id_derivatives`](crate::id_derivatives()) with the
///   direction, including external forces, joint effects and mimicking joints.
///
/// # Errors
/// If a length or the engine does not fit the model.
pub fn id_jvp<'m, T: Real>(
    scene: impl Into<Scene<'m, T>>,
    on: &mut impl Engine<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    tangent: IdTangent<'_, T>,
    dtau: &mut [T],
) -> Result<(), Error> {
    let IdTangent { dq, dv, da } = tangent;
    call(on, IdJvp {}, &scene.into(), [q, v, a, dq, dv, da], [dtau.into()])
}

declare! {
    @algorithm IdJvp {}, id_jvp, "The derivative of `rnea` along a direction, in O(N).",
    [
        Arg::new("q", Nq),
        Arg::new("v", Nv),
        Arg::new("a", Nv),
        Arg::new("dq", Nv).of("tangent."),
        Arg::new("dv", Nv).of("tangent."),
        Arg::new("da", Nv).of("tangent.")
    ],
    [Arg::new("dtau", Nv)],
    Surrounding::ALL
}

impl Algorithm<6, 1> for IdJvp {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, a, dq, dv, da]: In<T, 6>,
        [dtau]: To<T, 1>,
    ) -> Done {
        along(scene, s, (q, v, a), (dq, dv, Some(da)), dtau.entries);
        Ok(())
    }
}

/// Computes `dtau` at `(q, v, a)` along `(dq, dv, da)`; `None` means zeros. Shared by two functions.
#[inline(always)]
pub(super) fn along<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    (q, v, a): (&[T], &[T], &[T]),
    (dq, dv, da): (&[T], &[T], Option<&[T]>),
    dtau: &mut [T],
) {
    step!(s.proof, || {
        move_all(scene, s, (q, v, a), (dq, dv, da));
        collect(scene, s, v, (dq, dv, da), dtau);
    });
}

/// (1) to (6) and (8). The caller may add further forces to the bodies before [`collect`].
#[inline(always)]
pub(crate) fn move_all<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    (q, v, a): (&[T], &[T], &[T]),
    (dq, dv, da): (&[T], &[T], Option<&[T]>),
) {
    let (model, tree) = (scene.model, scene.model.tree());
    let Scratch { turns, zeros, X, jvp: Room { bodies, axes }, .. } = s;
    let turns = turns.update(tree, q);
    outward(tree, turns, (q, v, a), (dq, dv, da.unwrap_or(zeros)), Vec3::lift(scene.gravity), X, bodies, axes);
    for wrench in scene.each_wrench() {
        if let Some((i, placement)) = ground::locate(model, &wrench, |i| X[i]) {
            let W = Stiffness::of(&wrench, &X[0], &placement);
            let body = &mut bodies[i];
            body.f -= W.F;
            if !wrench.moves_with_body() {
                body.df -= W.mul(body.s) - body.s.cross_force(W.F); // (8)
            }
        }
    }
}

/// (7), and the effects of joints.
#[inline(always)]
pub(crate) fn collect<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    v: &[T],
    (dq, dv, da): (&[T], &[T], Option<&[T]>),
    dtau: &mut [T],
) {
    let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
    let Scratch { zeros, jvp: Room { bodies, axes }, .. } = s;
    let da = da.unwrap_or(zeros);
    inward(tree, bodies, axes, dtau);
    for k in 0..tree.dofs.len() {
        let along_v = effects.resistance_slope(tree, k, v[k]) * dv[k];
        dtau[k] += effects.armature::<T>(tree, k).mul_add(da[k], along_v);
        if effects.pull() {
            dtau[k] = effects.stiffness::<T>(tree, k).mul_add(dq[k], dtau[k]);
        }
    }
}

/// State of a body during the passes; a `d` before a name is the δ of the text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodyState<T> {
    /// Displacement relative to the parent, σ, and to the world.
    sigma: Motion<T>,
    pub(crate) s: Motion<T>,
    pub(crate) v: Motion<T>,
    pub(crate) a: Motion<T>,
    pub(crate) dv: Motion<T>,
    pub(crate) da: Motion<T>,
    pub(crate) f: Force<T>,
    pub(crate) df: Force<T>,
}

/// Workspace of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Room<T> {
    pub(crate) bodies: Vec<BodyState<T>>,
    /// S of every degree of freedom.
    axes: Vec<Motion<T>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { bodies: vec![BodyState::default(); tree.bodies.len()], axes: vec![Motion::zero(); tree.dofs.len()] }
    }
}

#[inline(always)]
fn outward<T: Real>(
    tree: &Tree,
    turns: &[(T, T)],
    (q, qd, qdd): (&[T], &[T], &[T]),
    (dq, dqd, dqdd): (&[T], &[T], &[T]),
    gravity: Vec3<T>,
    X: &mut [Transform<T>],
    bodies: &mut [BodyState<T>],
    axes: &mut [Motion<T>],
) {
    X[0] = ground::origin(tree, q, turns);
    bodies[0] = BodyState { a: Motion::new(-gravity, Vec3::zero()), ..BodyState::default() };
    for (i, body) in tree.outward() {
        let (before, rest) = bodies.split_at_mut(i);
        let (parent, this) = (&before[body.parent], &mut rest[0]);

        X[i] = ground::place(body, &X[body.parent], q, turns);
        let (mut sigma, mut vJ, mut dvJ) = (Motion::zero(), Motion::zero(), Motion::zero());
        let (mut a, mut da) = (parent.a, parent.da);
        for (k, dof) in body.v.clone().enumerate() {
            let S = body.joint.axis(k, &X[i]);
            axes[dof] = S;
            sigma = S.scale_add(dq[dof], sigma); // (1)
            vJ = S.scale_add(qd[dof], vJ);
            dvJ = S.scale_add(dqd[dof], dvJ);
            a = S.scale_add(qdd[dof], a);
            da = S.scale_add(dqdd[dof], da);
        }
        let (v, a) = (parent.v + vJ, parent.v.cross_add(vJ, a)); // (2)
        let dv_p = parent.v.cross_add(sigma, parent.dv); // (3)
        let dv = dv_p + dvJ; // (4)
        let da = dv_p.cross_add(vJ, parent.v.cross_add(dvJ, parent.a.cross_add(sigma, da))); // (5)
        let I = ground::inertia(body, &X[i]);
        let h = I * v;
        let f = v.cross_force_add(h, I * a); // (6)
        let df = dv.cross_force_add(h, v.cross_force_add(I * dv, I * da));
        *this = BodyState { sigma, s: parent.s + sigma, v, a, dv, da, f, df };
    }
}

/// (7)
#[inline(always)]
fn inward<T: Real>(tree: &Tree, bodies: &mut [BodyState<T>], axes: &[Motion<T>], dtau: &mut [T]) {
    for (i, body) in tree.inward() {
        let BodyState { sigma, f, df, .. } = bodies[i];
        for k in body.v.clone() {
            dtau[k] = axes[k].dot(df);
        }
        let parent = &mut bodies[body.parent];
        parent.f += f;
        parent.df += sigma.cross_force_add(f, df);
    }
}
