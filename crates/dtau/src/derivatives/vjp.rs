//! Gradient of inverse dynamics: a vector-Jacobian product, without the Jacobian.
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`]. The algorithm is [`jvp`](super::jvp)
//! in reverse: each of its vectors x has a covector x̄, with `wᵀ δτ = x̄·δx + …`. `p` is the parent of `i`,
//! and `vJ = S q̇`.
//!
//! ```text
//! outward   v = vₚ + vJ             a = aₚ + S q̈ + vₚ × vJ          z = zₚ + S w                    (1)
//!           f = I a + v ×* I v      ā = I z          v̄ = −(z ×* I v + I (v × z))                   (2)
//! inward    y = v̄ + vJ ×* ā                          what (3) of the jvp passes back                (3)
//!           σ̄ = −(zₚ ×* f + vₚ ×* y + aₚ ×* ā)                                                      (4)
//!           w_q = Sᵀ σ̄              w_v = Sᵀ (v̄ − vₚ ×* ā)          w_a = Sᵀ ā                      (5)
//!           fₚ += f                 āₚ += ā          v̄ₚ += y                                        (6)
//! ```
//!
//! `z` is the motion of a body when the joints move with `w`. During the pass, `ā` is the force of M w, so
//! `w_a = M w`. Wrenches are subtracted from `f`. Nothing else is needed if they move with their bodies.
//! Others act on the displacement: `s̄ = −(Wᵀ z + z ×* F)`, summed over the subtree and added to σ̄, with `W`
//! of [`stiffness`](super::stiffness). (7)
//!
//! Source: the transpose of [`jvp`](super::jvp).

use super::stiffness::Stiffness;
use crate::dispatch::step;
use crate::door::Size::{Nq, Nv};
use crate::door::{Algorithm, Done, In, Surrounding, To, declare};
use crate::engines::Scratch;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Force, Motion, Transform, Vec3};
use crate::sweeps::ground;
use alloc::vec;
use alloc::vec::Vec;

/// Output buffers of [`id_vjp`]: `nv` numbers each, in a batch states × nv.
#[derive(Debug)]
pub struct IdGradientMut<'a, T> {
    /// `(∂τ/∂q)ᵀ w`, along tangent directions of the configuration.
    pub dq: &'a mut [T],
    /// `(∂τ/∂q̇)ᵀ w`.
    pub dv: &'a mut [T],
    /// `(∂τ/∂q̈)ᵀ w = M w`.
    pub da: &'a mut [T],
}

declare! {
    /// Gradient of `wᵀ τ` with respect to the arguments of [`rnea`](crate::rnea()): `wᵀ ∂τ/∂(q, q̇, q̈)`, in
    /// O(N).
    ///
    /// - `q` (nq), `v`, `a`, `w` and the outputs (nv).
    /// - The result is the product of `w` with the matrices of [`id_derivatives`](crate::id_derivatives()),
    ///   including external forces, joint effects and mimicking joints. Reverse-mode automatic
    ///   differentiation needs this product.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn id_vjp(q: Nq, v: Nv, a: Nv, w: Nv) -> IdGradientMut { dq: Nv, dv: Nv, da: Nv } by IdVjp, under Surrounding::ALL
}

impl Algorithm<4, 3> for IdVjp {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, a, w]: In<T, 4>,
        [wq, wv, wa]: To<T, 3>,
    ) -> Done {
        back(scene, s, (q, v, a), w, (wq.entries, wv.entries, wa.entries));
        Ok(())
    }
}

/// Computes `(wq, wv, wa)` at `(q, v, a)`. Shared by two functions.
#[inline(always)]
pub(super) fn back<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    (q, v, a): (&[T], &[T], &[T]),
    w: &[T],
    (wq, wv, wa): (&mut [T], &mut [T], &mut [T]),
) {
    step!(s.proof, || {
        move_all(scene, s, (q, v, a), w);
        collect(scene, s, v, w, (&mut *wq, &mut *wv, &mut *wa));
    });
}

/// (1), (2), and the wrenches of (7). The caller may add further forces to the bodies before [`collect`].
#[inline(always)]
pub(crate) fn move_all<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, (q, v, a): (&[T], &[T], &[T]), w: &[T]) {
    let (model, tree) = (scene.model, scene.model.tree());
    let Scratch { turns, X, vjp: Room { bodies, axes }, .. } = s;
    let turns = turns.update(tree, q);
    outward(tree, turns, (q, v, a, w), Vec3::lift(scene.gravity), X, bodies, axes);
    for wrench in scene.each_wrench() {
        if let Some((i, placement)) = ground::locate(model, &wrench, |i| X[i]) {
            let W = Stiffness::of(&wrench, &X[0], &placement);
            let body = &mut bodies[i];
            body.f -= W.F;
            if !wrench.moves_with_body() {
                body.s_bar -= W.row(body.z); // (7)
            }
        }
    }
}

/// (3) to (6), and the effects of joints.
#[inline(always)]
pub(crate) fn collect<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    v: &[T],
    w: &[T],
    (wq, wv, wa): (&mut [T], &mut [T], &mut [T]),
) {
    let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
    let Room { bodies, axes } = &mut s.vjp;
    inward(tree, bodies, axes, wq, wv, wa);
    for k in 0..tree.dofs.len() {
        wv[k] = effects.resistance_slope::<T>(tree, k, v[k]).mul_add(w[k], wv[k]);
        wa[k] = effects.armature::<T>(tree, k).mul_add(w[k], wa[k]);
        if effects.pull() {
            wq[k] = effects.stiffness::<T>(tree, k).mul_add(w[k], wq[k]);
        }
    }
}

/// State of a body during the passes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodyState<T> {
    vJ: Motion<T>,
    pub(crate) v: Motion<T>,
    pub(crate) a: Motion<T>,
    pub(crate) z: Motion<T>,
    pub(crate) f: Force<T>,
    pub(crate) v_bar: Force<T>,
    pub(crate) a_bar: Force<T>,
    pub(crate) s_bar: Force<T>,
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
    (q, qd, qdd, w): (&[T], &[T], &[T], &[T]),
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
        let (mut vJ, mut a, mut z) = (Motion::zero(), parent.a, parent.z);
        for (k, dof) in body.v.clone().enumerate() {
            let S = body.joint.axis(k, &X[i]);
            axes[dof] = S;
            vJ = S.scale_add(qd[dof], vJ);
            a = S.scale_add(qdd[dof], a);
            z = S.scale_add(w[dof], z); // (1)
        }
        let (v, a) = (parent.v + vJ, parent.v.cross_add(vJ, a));
        let I = ground::inertia(body, &X[i]);
        let h = I * v;
        let f = v.cross_force_add(h, I * a); // (2)
        let v_bar = -z.cross_force_add(h, I * v.cross(z));
        *this = BodyState { vJ, v, a, z, f, v_bar, a_bar: I * z, s_bar: Force::zero() };
    }
}

#[inline(always)]
fn inward<T: Real>(
    tree: &Tree,
    bodies: &mut [BodyState<T>],
    axes: &[Motion<T>],
    wq: &mut [T],
    wv: &mut [T],
    wa: &mut [T],
) {
    for (i, body) in tree.inward() {
        let (before, rest) = bodies.split_at_mut(i);
        let parent = &mut before[body.parent];
        let BodyState { vJ, f, v_bar, a_bar, s_bar, .. } = rest[0];

        let y = vJ.cross_force_add(a_bar, v_bar); // (3)
        let back = parent.v.cross_force_add(y, parent.a.cross_force(a_bar));
        let sigma_bar = s_bar - parent.z.cross_force_add(f, back); // (4), (7)
        let along_v = v_bar - parent.v.cross_force(a_bar);
        for k in body.v.clone() {
            let S = axes[k];
            (wq[k], wv[k], wa[k]) = (S.dot(sigma_bar), S.dot(along_v), S.dot(a_bar)); // (5)
        }
        parent.f += f; // (6)
        parent.a_bar += a_bar;
        parent.v_bar += y;
        parent.s_bar += s_bar;
    }
}
