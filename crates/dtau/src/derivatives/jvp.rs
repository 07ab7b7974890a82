//! How inverse dynamics changes along a direction: a Jacobian-vector product, without the Jacobian.
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`]. `δ` of a body's quantity is its change along the
//! direction as seen from the body, that is, less what comes from the body's own displacement; so inertias and axes do not
//! change. `p` is the parent of `i`.
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
//! Wrenches are subtracted from `f`. One that moves with its body has no `δ`; for others `δF = W s − s ×* F`, where `s` is
//! the sum of σ over the path and `W` the geometric stiffness, see [`stiffness`](super::stiffness). (8)
//!
//! Source: RNEA ([RBDA] Table 5.1), differentiated.

use super::stiffness::Stiffness;
use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Force, Motion, Transform, Vec3};
use crate::workspace::{Scratch as All, Workspace, full_q, full_v};
use alloc::vec;
use alloc::vec::Vec;

/// A direction in which the arguments of inverse dynamics change; `nv` numbers each.
#[derive(Clone, Copy, Debug)]
pub struct IdTangent<'a, T> {
    /// Of the configuration, a tangent vector: `q ⊕ δq`.
    pub q: &'a [T],
    /// Of the velocity.
    pub v: &'a [T],
    /// Of the acceleration.
    pub a: &'a [T],
}

/// The derivative of [`rnea`](crate::rnea) along a direction: `∂τ/∂q δq + ∂τ/∂q̇ δq̇ + ∂τ/∂q̈ δq̈`, in O(N).
///
/// - `q` (nq), `v`, `a`, the tangents and `dtau` (nv).
/// - The product of the matrices of [`id_derivatives`](crate::id_derivatives) with the direction, in everything: external
///   forces, joint effects, mimicking joints.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn id_jvp<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    tangent: IdTangent<'_, T>,
    dtau: &mut [T],
) -> Result<(), Error> {
    let scene = scene.into();
    scene.check()?;
    Check::new(scene.model, ws)?
        .nq("q", q)?
        .nv("v", v)?
        .nv("a", a)?
        .nv("tangent.q", tangent.q)?
        .nv("tangent.v", tangent.v)?
        .nv("tangent.a", tangent.a)?
        .nv("dtau", dtau)?;
    ws.run(IdJvp { scene, q, v, a, tangent, dtau });
    Ok(())
}

struct IdJvp<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    v: &'a [T],
    a: &'a [T],
    tangent: IdTangent<'a, T>,
    dtau: &'a mut [T],
}

impl<T: Real> Kernel<T> for IdJvp<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) {
        let (q, v, a) = (S::slice(self.q), S::slice(self.v), S::slice(self.a));
        let IdTangent { q: dq, v: dv, a: da } = self.tangent;
        let (dq, dv, da) = (S::slice(dq), S::slice(dv), Some(S::slice(da)));
        compute(&self.scene, scratch, (q, v, a), (dq, dv, da), S::slice_mut(self.dtau));
    }
}

/// `dtau` in the model's coordinates, of `(q, v, a)` along `(dq, dv, da)`; without `da`, that is zero.
#[inline(always)]
pub(super) fn compute<T: Real, S: Twin<T>>(
    scene: &Scene<'_, T>,
    scratch: &mut All<S>,
    (q, v, a): (&[S], &[S], &[S]),
    (dq, dv, da): (&[S], &[S], Option<&[S]>),
    dtau: &mut [S],
) {
    let (model, tree, effects) = (scene.model, scene.model.tree(), JointEffects::of(scene));
    let All { turns, full, zeros, X, jvp: Scratch { bodies, axes, full: [full_dq, full_dv, full_da] }, .. } = scratch;
    let q = full_q(model, q, &mut full.q);
    let v = full_v(model, v, &mut full.v);
    let a = full_v(model, a, &mut full.a);
    let dq = full_v(model, dq, full_dq);
    let dv = full_v(model, dv, full_dv);
    let da = da.map_or(&zeros[..], |da| full_v(model, da, full_da));
    let full_dtau = if model.mimic().is_some() { &mut full.tau[..] } else { &mut *dtau };

    let turns = turns.update(tree, q);
    outward(tree, turns, (q, v, a), (dq, dv, da), Vec3::lift(scene.gravity), X, bodies, axes);
    for wrench in scene.wrenches {
        if let Some((i, placement)) = ground::locate(model, wrench, |i| X[i]) {
            let W = Stiffness::of(&wrench.recast::<S>(), &X[0], &placement);
            let body = &mut bodies[i];
            body.f -= W.F;
            if !wrench.moves_with_body() {
                body.df -= W.mul(body.s) - body.s.cross_force(W.F); // (8)
            }
        }
    }
    inward(tree, bodies, axes, full_dtau);
    for k in 0..tree.dofs.len() {
        let along_v = effects.resistance_slope(tree, k, v[k]) * dv[k];
        full_dtau[k] += effects.armature::<S>(tree, k).mul_add(da[k], along_v);
    }

    if let Some(map) = model.mimic() {
        map.reduce(&full.tau, dtau);
    }
}

/// A body on the way; a `d` before a name is the δ of the text.
#[derive(Clone, Copy, Debug, Default)]
struct BodyState<T> {
    /// Displacement against the parent, σ, and against the world.
    sigma: Motion<T>,
    s: Motion<T>,
    v: Motion<T>,
    a: Motion<T>,
    dv: Motion<T>,
    da: Motion<T>,
    f: Force<T>,
    df: Force<T>,
}

/// Scratch of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    bodies: Vec<BodyState<T>>,
    /// S of every degree of freedom.
    axes: Vec<Motion<T>>,
    /// The direction in full coordinates, for models with mimicking joints.
    full: [Vec<T>; 3],
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(model: &Model) -> Self {
        let tree = model.tree();
        let full = vec![T::zero(); model.mimic().map_or(0, |_| tree.dofs.len())];
        Self {
            bodies: vec![BodyState::default(); tree.bodies.len()],
            axes: vec![Motion::zero(); tree.dofs.len()],
            full: [full.clone(), full.clone(), full],
        }
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
    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
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
    for i in (1..tree.bodies.len()).rev() {
        let body = &tree.bodies[i];
        let BodyState { sigma, f, df, .. } = bodies[i];
        for k in body.v.clone() {
            dtau[k] = axes[k].dot(df);
        }
        let parent = &mut bodies[body.parent];
        parent.f += f;
        parent.df += sigma.cross_force_add(f, df);
    }
}
