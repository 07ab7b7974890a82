//! The joint torque regressor: inverse dynamics is linear in the inertial parameters of the links.
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`]. Link `ℓ` is a part of body `i`, at `X_ℓ`; `v = (v, ω)` and
//! `a = (a, α)` are its velocity and acceleration in its own coordinates, the world accelerating against gravity.
//!
//! ```text
//! π_ℓ = (m, m c, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz)          I about the link's origin
//! f_ℓ = I a + v ×* I v  is linear in π_ℓ; with d = a + ω × v its columns are
//!       by m         ( d ,                       0       )                                  (1)
//!       by (m c)ₖ    ( α × eₖ + ω × (ω × eₖ) ,   eₖ × d  )                                  (2)
//!       by I         ( 0 ,                       E α + ω × E ω )    E: one entry of I       (3)
//! τ_j = Σ S_j · X_ℓ f_ℓ   over the links that j moves                                       (4)
//! ```
//!
//! Source: [Atkeson86] §2, the recursion of RNEA ([RBDA] Table 5.1) with parameters taken out; (2) by Jacobi's identity.

use crate::door::Size::{Nq, Nv, Parameters};
use crate::door::{Algorithm, Done, Out, Surrounding, declare};
use crate::engines::Scratch;
use crate::model::FrameId;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Force, Motion, Transform, Vec3};
use crate::sweeps::ground;

declare! {
    /// The matrix `Y(q, v, a)` with `τ = Y π`: inverse dynamics by the inertial parameters of the links, for identification and
    /// adaptive control.
    ///
    /// - `q` (nq), `v`, `a` (nv); `y`: nv × 10 links, by columns; O(N d) beside the zeros.
    /// - Ten columns for every link of the description, in its order, those that were merged into one body too: mass, first moment
    ///   `m c`, and the rotational inertia about the link's origin as xx, xy, yy, xz, yz, zz, in the axes of the link. The robot's own
    ///   are [`Model::inertial_parameters`](crate::model::Model::inertial_parameters). Links welded to the world have zeros.
    /// - Gravity counts. External forces and joint effects (armature, damping, friction) do not: they have other parameters.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn joint_torque_regressor(q: Nq, v: Nv, a: Nv) -> (slice y: Parameters) by Regressor, under &[Surrounding::Gravity]
}

impl Algorithm<3, 1> for Regressor {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<'_, T>,
        s: &mut Scratch<T>,
        [q, qd, qdd]: [&[T]; 3],
        [y]: [Out<'_, T>; 1],
    ) -> Done {
        let (model, tree) = (scene.model, scene.model.tree());
        let (nv, y) = (tree.dofs.len(), y.entries);
        let Scratch { turns, X, v, a, .. } = s;
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        ground::move_all(tree, X, qd, qdd, v, a);
        let against_gravity = Motion::new(-Vec3::lift(scene.gravity), Vec3::zero());

        y.fill(T::zero());
        for link in 0..model.description().links.len() {
            let frame = &model.frames()[link]; // frames of links come first
            let i = frame.body_index();
            let X_link = X[i] * Transform::lift(&frame.placement);
            let columns = forces(X_link.act_inv(v[i]), X_link.act_inv(a[i] + against_gravity));
            for (p, f) in columns.into_iter().enumerate() {
                let column = &mut y[(10 * link + p) * nv..][..nv];
                let f = X_link.act_force(f);
                for (b, body) in model.path(FrameId(link)) {
                    for (k, dof) in body.v.clone().enumerate() {
                        column[dof] = body.joint.axis(k, &X[b]).dot(f); // (4)
                    }
                }
            }
        }
        Ok(())
    }
}

/// (1) to (3), in the coordinates of the link.
#[inline(always)]
fn forces<T: Real>(v: Motion<T>, a: Motion<T>) -> [Force<T>; 10] {
    let (zero, one) = (T::zero(), T::one());
    let (w, alpha, none) = (v.ang, a.ang, Vec3::zero());
    let d = w.cross_add(v.lin, a.lin);
    let axes = [Vec3::new(one, zero, zero), Vec3::new(zero, one, zero), Vec3::new(zero, zero, one)];
    let moment = |e: Vec3<T>| Force::new(w.cross_add(w.cross(e), alpha.cross(e)), e.cross(d)); // (2)
    // E x of the six entries, in their order.
    let entry = |x: Vec3<T>| {
        [
            Vec3::new(x.x, zero, zero),
            Vec3::new(x.y, x.x, zero),
            Vec3::new(zero, x.y, zero),
            Vec3::new(x.z, zero, x.x),
            Vec3::new(zero, x.z, x.y),
            Vec3::new(zero, zero, x.z),
        ]
    };
    let (by_alpha, by_w) = (entry(alpha), entry(w));
    let turning = |k: usize| Force::new(none, w.cross_add(by_w[k], by_alpha[k])); // (3)
    [
        Force::new(d, none), // (1)
        moment(axes[0]),
        moment(axes[1]),
        moment(axes[2]),
        turning(0),
        turning(1),
        turning(2),
        turning(3),
        turning(4),
        turning(5),
    ]
}
