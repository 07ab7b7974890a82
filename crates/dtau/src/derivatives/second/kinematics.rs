//! Second derivatives of a frame's placement and of the centre of mass, contracted with a covector.
//!
//! Ground coordinates with the world's origin. `J = S_lin + S_ang × p` is the motion of the point `p` with a
//! degree of freedom. For the centre of mass, `J = (mᶜ S_lin + S_ang × hᶜ) / Σ m` is the column of its
//! Jacobian. `f` is the covector of the point, `w` that of the orientation error `e = log(R*ᵀ R)`.
//!
//! ```text
//! gradient   g_c = J_c·f + S_ang,c·γ                    γ = R J_r⁻ᵀ(e) w                             (1)
//! Hessian    H_ce = S_ang,c·(J_e × f + S_ang,e × γ + R A Rᵀ S_ang,e)      c above e on the path      (2)
//!            A x: how J_r⁻ᵀ(e) w changes as the frame turns by x in its own axes                     (3)
//! ```
//!
//! (2): everything that `c` carries turns with it, so the derivative of g_e along `c` is the work of a turn.
//! For c above e the order of the two motions does not matter. Inside a joint the symmetric part is taken: it
//! is the Hessian of δ ↦ φ(q ⊕ δ), as in [`id_hessian`](crate::id_hessian()).
//! Source: (1) differentiated by (3) of `docs/notation.md`.

use crate::door::Size::{Fixed, Nq, Nv, Symmetric};
use crate::door::{Algorithm, Done, In, To, declare, results};
use crate::engines::Scratch;
use crate::kinematics::com::Lump;
use crate::kinematics::{Apart, BodyMotions, move_frame};
use crate::model::{FrameId, Model, Tree};
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::Vec3;
use crate::sweeps::ground;

results! {
    /// Gradient and Hessian of a function of the configuration: the result of [`frame_hessian`] or
    /// [`com_hessian`].
    pub struct KinematicHessian(model: Model) as [KinematicHessianMut] {
        /// The gradient: nv, along tangent directions of the configuration.
        dq: Nv,
    } {
        /// The Hessian: nv × nv, by columns, symmetric.
        qq: Symmetric,
    }
}

declare! {
    /// Hessian of `w_frame · e(q)` and its gradient, with `e` the [`frame_error`](crate::frame_error()) of a
    /// frame relative to a target. Pose costs need it beyond Gauss–Newton.
    ///
    /// - `q` (nq); `target` (7) as in [`frame_error`](crate::frame_error()); `w_frame` (6): weights of the
    ///   position error and of the orientation error.
    /// - `out.dq` (nv) is the gradient, the transposed derivative of the error times the weights. `out.qq`
    ///   (nv × nv) is the Hessian of `δ ↦ w_frame · e(q ⊕ δ)` at zero, symmetric bit for bit. Only the
    ///   degrees of freedom that move the frame have non-zero entries; O(N + d²).
    /// - The Hessian of the cost `½ eᵀ W e` is `Eᵀ W E + qq`, with `E` of
    ///   [`frame_error_derivatives`](crate::frame_error_derivatives()) and `w_frame = W e`.
    ///
    /// # Errors
    /// Same as for [`frame_error`](crate::frame_error()), and if the result does not fit the model.
    fn frame_hessian { frame: FrameId }(q: Nq, target: Fixed(7), w_frame: Fixed(6))
    -> KinematicHessianMut { dq: Nv, qq: Symmetric } by FrameTwice, under &[]
}

declare! {
    /// Hessian of `w_com · c(q)` and its gradient, with `c` the centre of mass in world coordinates.
    ///
    /// - `q` (nq), `w_com` (3). `out.dq` (nv) is the gradient, the transposed
    ///   [Jacobian](crate::com_jacobian()) times the weights. `out.qq` (nv × nv) is the Hessian of
    ///   `δ ↦ w_com · c(q ⊕ δ)` at zero, symmetric bit for bit; O(N d).
    /// - With `w_com = −m g` it is the Hessian of the potential energy, for every joint type.
    /// - Links welded to the world do not count. Returns an error if no moving link has mass.
    ///
    /// # Errors
    /// If a length, the engine or the result does not fit the model.
    fn com_hessian(q: Nq, w_com: Fixed(3)) -> KinematicHessianMut { dq: Nv, qq: Symmetric } by ComTwice, under &[]
}

impl Algorithm<3, 2> for FrameTwice {
    // Measured: computing the zeros beside the path pays off up to about 28 degrees of freedom.
    const MOST_IN_LANES: usize = 28 * 29;

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, target, w]: In<T, 3>,
        [dq, qq]: To<T, 2>,
    ) -> Done {
        let (model, tree) = (scene.model, scene.model.tree());
        let bodies = move_frame(scene, s, self.frame, q, None, None);
        let Apart { X, turn, .. } = Apart::new(bodies.frame_X(model, self.frame), target);
        let (f, w) = (Vec3::new(w[0], w[1], w[2]), Vec3::new(w[3], w[4], w[5]));
        let gamma = X.rot * turn.pull(w); // (1)

        dq.entries.fill(T::zero());
        qq.entries.fill(T::zero());
        for (i, body) in model.path(self.frame) {
            for (k, e) in body.v.clone().enumerate() {
                let S = body.joint.axis(k, &bodies.body_X(i));
                let J = S.ang.cross_add(X.pos, S.lin);
                let bent = X.rot * turn.bend(w, X.rot.tr_mul(S.ang)); // (3)
                let t = J.cross_add(f, S.ang.cross_add(gamma, bent));
                dq.entries[e] = J.dot(f) + S.ang.dot(gamma);
                put_above(tree, i, e, |b, k| tree.bodies[b].joint.axis(k, &bodies.body_X(b)).ang.dot(t), qq.entries);
            }
        }
        settle(tree, model.path(self.frame).map(|(i, _)| i), qq.entries);
        Ok(())
    }
}

impl Algorithm<2, 2> for ComTwice {
    // Measured: it pays off for an arm of 6 (1.4 times as fast), but not for a quadruped (0.65).
    const MOST_IN_LANES: usize = 12 * 13;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, w]: In<T, 2>, [dq, qq]: To<T, 2>) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, lumps, .. } = s;
        ground::place_all(tree, q, turns.update(tree, q), X);
        Lump::of_subtrees(tree, X, lumps);
        let (f, per_mass) = (Vec3::new(w[0], w[1], w[2]), lumps[0].mass.recip());

        qq.entries.fill(T::zero());
        for (i, body) in tree.outward() {
            for (k, e) in body.v.clone().enumerate() {
                let J = lumps[i].moved_by(body.joint.axis(k, &X[i])) * per_mass;
                let t = J.cross(f);
                dq.entries[e] = J.dot(f); // (1)
                put_above(tree, i, e, |b, k| tree.bodies[b].joint.axis(k, &X[b]).ang.dot(t), qq.entries);
            }
        }
        settle(tree, 1..tree.bodies.len(), qq.entries);
        Ok(())
    }
}

/// (2) for the degree of freedom `e` of body `i` and all on the path to it, those of its own joint included:
/// fills column `e`.
#[inline(always)]
fn put_above<T: Real>(tree: &Tree, i: usize, e: usize, entry: impl Fn(usize, usize) -> T, qq: &mut [T]) {
    let (n, mut above) = (tree.dofs.len(), i);
    while above > 0 {
        for (k, c) in tree.bodies[above].v.clone().enumerate() {
            qq[e * n + c] = entry(above, k);
        }
        above = tree.bodies[above].parent;
    }
}

/// Takes the symmetric part inside joints, and copies the computed triangle to the other one.
#[inline(always)]
fn settle<T: Real>(tree: &Tree, bodies: impl Iterator<Item = usize>, qq: &mut [T]) {
    let n = tree.dofs.len();
    for i in bodies {
        let body = &tree.bodies[i];
        for e in body.v.clone() {
            for c in body.v.start..e {
                let mean = (qq[e * n + c] + qq[c * n + e]) * T::from_f64(0.5);
                (qq[e * n + c], qq[c * n + e]) = (mean, mean);
            }
            let mut above = body.parent;
            while above > 0 {
                for c in tree.bodies[above].v.clone() {
                    qq[c * n + e] = qq[e * n + c];
                }
                above = tree.bodies[above].parent;
            }
        }
    }
}
