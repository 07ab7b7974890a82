//! Products with the Hessian of wᵀτ, without forming it.
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`]. The equations are those of
//! [`vjp`](crate::derivatives::vjp), differentiated along a direction as in [`jvp`](crate::derivatives::jvp):
//! δ of a body's quantity is its change as seen from the body, so inertias and axes do not change. `p` is the
//! parent of `i`, and σ = S δq. Seen from i, a vector x of the parent changes by δxₚ′ = δxₚ + xₚ × σ.
//!
//! ```text
//! outward   v, a, z, f, ā, v̄ as in the vjp                                                               (1)
//!           δv = δvₚ′ + S δq̇        δz = δzₚ′            δa = δaₚ′ + S δq̈ + δvₚ′ × S q̇ + vₚ × S δq̇       (2)
//!           δf = I δa + δv ×* I v + v ×* I δv            δā = I δz                                        (3)
//!           δv̄ = −(δz ×* I v + z ×* I δv + I (δv × z + v × δz))                                          (4)
//! inward    y = v̄ + vJ ×* ā         δy = δv̄ + S δq̇ ×* ā + vJ ×* δā                                       (5)
//!           σ̄ = −(zₚ ×* f + vₚ ×* y + aₚ ×* ā)
//!           δσ̄ = −(δzₚ′ ×* f + zₚ ×* δf + δvₚ′ ×* y + vₚ ×* δy + δaₚ′ ×* ā + aₚ ×* δā)                   (6)
//!           (H δ)_q = Sᵀ (δσ̄ + ½ σ ×* σ̄)    (H δ)_v = Sᵀ (δv̄ − δvₚ′ ×* ā − vₚ ×* δā)    (H δ)_a = Sᵀ δā   (7)
//!           f, ā, y go to the parent, and their δ with what the displacement adds: δfₚ += δf + σ ×* f      (8)
//! ```
//!
//! Sᵀ δσ̄ is the change of the gradient, N δ. The term −½ (N − Nᵀ) δ is added; it is zero for one degree of
//! freedom.
//!
//! Wrenches are subtracted from f. Nothing else is needed if they move with their bodies. Others change by
//! δF = W s and act on the displacement by s̄ = −k, with δs̄ = −(Wᵀ δz + Q s − s ×* k). W, k, Q are those of
//! [`stiffness`](super::stiffness); s is the sum of σ over the path. Both enter as in the vjp. (9)
//!
//! Source: the transpose of [`jvp`](crate::derivatives::jvp), differentiated.

use super::stiffness::Curvature;
use crate::derivatives::jvp::IdTangent;
use crate::derivatives::vjp::IdGradientMut;
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

/// Product of the Hessian of `wᵀ τ` with a direction, in O(N): the matrices of
/// [`id_hessian`](crate::id_hessian()) times `(δq, δq̇, δq̈)`.
///
/// - `q` (nq), `v`, `a`, `w`, the tangents and the outputs (nv).
/// - External forces, joint effects and mimicking joints are included, as in
///   [`id_hessian`](crate::id_hessian()).
///
/// # Errors
/// If a length or the engine does not fit the model.
pub fn id_hvp<'m, 'o, T: Real>(
    scene: impl Into<Scene<'m, T>>,
    on: &mut impl Engine<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    w: &[T],
    tangent: IdTangent<'_, T>,
    out: impl Into<IdGradientMut<'o, T>>,
) -> Result<(), Error> {
    let (IdTangent { dq, dv, da }, out) = (tangent, out.into());
    call(on, IdHvp {}, &scene.into(), [q, v, a, w, dq, dv, da], [out.dq.into(), out.dv.into(), out.da.into()])
}

declare! {
    @algorithm IdHvp {}, id_hvp, "The product of the Hessian of `wᵀ τ` with a direction, in O(N).",
    [
        Arg::new("q", Nq),
        Arg::new("v", Nv),
        Arg::new("a", Nv),
        Arg::new("w", Nv),
        Arg::new("dq", Nv).of("tangent."),
        Arg::new("dv", Nv).of("tangent."),
        Arg::new("da", Nv).of("tangent.")
    ],
    [Arg::new("dq", Nv).of("out."), Arg::new("dv", Nv).of("out."), Arg::new("da", Nv).of("out.")],
    Surrounding::ALL
}

impl Algorithm<7, 3> for IdHvp {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, a, w, dq, dv, da]: In<T, 7>,
        [hq, hv, ha]: To<T, 3>,
    ) -> Done {
        times(scene, s, (q, v, a, w), (dq, dv, da), (hq.entries, hv.entries, ha.entries));
        Ok(())
    }
}

/// Computes `H (dq, dv, da)` at `(q, v, a, w)`. Shared by two functions.
#[inline(always)]
pub(super) fn times<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    at: (&[T], &[T], &[T], &[T]),
    tangent: (&[T], &[T], &[T]),
    (hq, hv, ha): (&mut [T], &mut [T], &mut [T]),
) {
    step!(s.proof, || {
        let (model, tree, effects) = (scene.model, scene.model.tree(), JointEffects::of(scene));
        let ((q, v, _, w), (_, dv, _)) = (at, tangent);
        let Scratch { turns, X, hvp: Room { bodies, axes }, .. } = &mut *s;

        outward(tree, turns.update(tree, q), at, tangent, Vec3::lift(scene.gravity), X, bodies, axes);
        for wrench in scene.each_wrench() {
            if let Some((i, placement)) = ground::locate(model, &wrench, |i| X[i]) {
                let body = &mut bodies[i];
                let of_wrench = Curvature::of(&wrench, &X[0], &placement, body.z.x);
                body.f.x -= of_wrench.W.F;
                if !wrench.moves_with_body() {
                    body.f.dx -= of_wrench.W.behind(body.s); // (9)
                    body.s_bar.x -= of_wrench.k;
                    let turned = of_wrench.W.row(body.z.dx) + of_wrench.mul(body.s);
                    body.s_bar.dx -= turned - body.s.cross_force(of_wrench.k);
                }
            }
        }
        inward(tree, bodies, axes, (&mut *hq, &mut *hv, &mut *ha));
        for k in 0..tree.dofs.len() {
            hv[k] = (effects.friction_curvature::<T>(tree, k, v[k]) * w[k]).mul_add(dv[k], hv[k]);
        }
    });
}

/// A value and its δ.
#[derive(Clone, Copy, Debug, Default)]
struct Pair<X> {
    x: X,
    dx: X,
}

/// State of a body during the passes.
#[derive(Clone, Copy, Debug, Default)]
struct BodyState<T> {
    /// Displacement relative to the parent, σ, and to the world.
    sigma: Motion<T>,
    s: Motion<T>,
    /// S q̇.
    vJ: Pair<Motion<T>>,
    v: Pair<Motion<T>>,
    a: Pair<Motion<T>>,
    z: Pair<Motion<T>>,
    f: Pair<Force<T>>,
    v_bar: Pair<Force<T>>,
    a_bar: Pair<Force<T>>,
    s_bar: Pair<Force<T>>,
}

/// Workspace of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Room<T> {
    bodies: Vec<BodyState<T>>,
    /// S of every degree of freedom.
    axes: Vec<Motion<T>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { bodies: vec![BodyState::default(); tree.bodies.len()], axes: vec![Motion::zero(); tree.dofs.len()] }
    }
}

/// Motion of the parent and its change, as seen from a child that is displaced by `sigma`.
#[inline(always)]
fn seen<T: Real>(parent: Pair<Motion<T>>, sigma: Motion<T>) -> Pair<Motion<T>> {
    Pair { x: parent.x, dx: parent.x.cross_add(sigma, parent.dx) }
}

#[inline(always)]
fn outward<T: Real>(
    tree: &Tree,
    turns: &[(T, T)],
    (q, qd, qdd, w): (&[T], &[T], &[T], &[T]),
    (dq, dqd, dqdd): (&[T], &[T], &[T]),
    gravity: Vec3<T>,
    X: &mut [Transform<T>],
    bodies: &mut [BodyState<T>],
    axes: &mut [Motion<T>],
) {
    X[0] = ground::origin(tree, q, turns);
    let a = Pair { x: Motion::new(-gravity, Vec3::zero()), dx: Motion::zero() };
    bodies[0] = BodyState { a, ..BodyState::default() };
    for (i, body) in tree.outward() {
        let (before, rest) = bodies.split_at_mut(i);
        let (parent, this) = (&before[body.parent], &mut rest[0]);

        X[i] = ground::place(body, &X[body.parent], q, turns);
        let (mut sigma, mut vJ) = (Motion::zero(), Pair { x: Motion::zero(), dx: Motion::zero() });
        let (mut aJ, mut daJ, mut zJ) = (Motion::zero(), Motion::zero(), Motion::zero());
        for (k, dof) in body.v.clone().enumerate() {
            let S = body.joint.axis(k, &X[i]);
            axes[dof] = S;
            sigma = S.scale_add(dq[dof], sigma);
            vJ = Pair { x: S.scale_add(qd[dof], vJ.x), dx: S.scale_add(dqd[dof], vJ.dx) };
            (aJ, daJ) = (S.scale_add(qdd[dof], aJ), S.scale_add(dqdd[dof], daJ));
            zJ = S.scale_add(w[dof], zJ);
        }
        let (v_p, a_p, z_p) = (seen(parent.v, sigma), seen(parent.a, sigma), seen(parent.z, sigma));
        let v = Pair { x: v_p.x + vJ.x, dx: v_p.dx + vJ.dx }; // (1), (2)
        let z = Pair { x: z_p.x + zJ, dx: z_p.dx };
        let a = Pair {
            x: v_p.x.cross_add(vJ.x, a_p.x + aJ),
            dx: v_p.dx.cross_add(vJ.x, v_p.x.cross_add(vJ.dx, a_p.dx + daJ)),
        };
        let I = ground::inertia(body, &X[i]);
        let h = Pair { x: I * v.x, dx: I * v.dx };
        let f = Pair {
            x: v.x.cross_force_add(h.x, I * a.x),
            dx: v.dx.cross_force_add(h.x, v.x.cross_force_add(h.dx, I * a.dx)), // (3)
        };
        let v_bar = Pair {
            x: -z.x.cross_force_add(h.x, I * v.x.cross(z.x)),
            dx: -z.dx.cross_force_add(h.x, z.x.cross_force_add(h.dx, I * v.dx.cross_add(z.x, v.x.cross(z.dx)))), // (4)
        };
        let a_bar = Pair { x: I * z.x, dx: I * z.dx };
        let s_bar = Pair { x: Force::zero(), dx: Force::zero() };
        *this = BodyState { sigma, s: parent.s + sigma, vJ, v, a, z, f, v_bar, a_bar, s_bar };
    }
}

#[inline(always)]
fn inward<T: Real>(
    tree: &Tree,
    bodies: &mut [BodyState<T>],
    axes: &[Motion<T>],
    (hq, hv, ha): (&mut [T], &mut [T], &mut [T]),
) {
    let half = T::from_f64(0.5);
    for (i, body) in tree.inward() {
        let (before, rest) = bodies.split_at_mut(i);
        let parent = &mut before[body.parent];
        let BodyState { sigma, vJ, f, v_bar, a_bar, s_bar, .. } = rest[0];

        let (v_p, a_p, z_p) = (seen(parent.v, sigma), seen(parent.a, sigma), seen(parent.z, sigma));
        let y = Pair {
            x: vJ.x.cross_force_add(a_bar.x, v_bar.x),
            dx: vJ.dx.cross_force_add(a_bar.x, vJ.x.cross_force_add(a_bar.dx, v_bar.dx)), // (5)
        };
        let back = z_p.x.cross_force_add(f.x, v_p.x.cross_force_add(y.x, a_p.x.cross_force(a_bar.x)));
        let carried = z_p.dx.cross_force_add(f.x, v_p.dx.cross_force_add(y.x, a_p.dx.cross_force(a_bar.x)));
        let own = z_p.x.cross_force_add(f.dx, v_p.x.cross_force_add(y.dx, a_p.x.cross_force(a_bar.dx)));
        let (sigma_bar, dsigma_bar) = (s_bar.x - back, s_bar.dx - (carried + own)); // (6), (9)
        let along_q = (sigma * half).cross_force_add(sigma_bar, dsigma_bar);
        let along_v = v_bar.dx - v_p.dx.cross_force_add(a_bar.x, v_p.x.cross_force(a_bar.dx));
        for k in body.v.clone() {
            let S = axes[k];
            (hq[k], hv[k], ha[k]) = (S.dot(along_q), S.dot(along_v), S.dot(a_bar.dx)); // (7)
        }
        for (to, from) in [
            (&mut parent.f, f), // (8)
            (&mut parent.a_bar, a_bar),
            (&mut parent.v_bar, y),
            (&mut parent.s_bar, s_bar),
        ] {
            to.x += from.x;
            to.dx += sigma.cross_force_add(from.x, from.dx);
        }
    }
}
