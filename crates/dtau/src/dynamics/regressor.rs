//! The joint torque regressor: inverse dynamics is linear in the inertial parameters of the links.
//!
//! In the coordinates of a link, `v = (v, ω)` and `a = (a, α)` are its velocity and acceleration, the world accelerating against gravity,
//! and `s = (s, σ)` is the axis of a degree of freedom that moves it.
//!
//! ```text
//! π = (m, m c, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz)                I about the link's origin
//! τ = s · (I a + v ×* I v)  is linear in π; with d = a + ω × v it is
//!     by m      s·d                                                                         (1)
//!     by m c    s × α + ω × (ω × s) + d × σ                                                 (2)
//!     by I      the entries of σ αᵀ + (σ × ω) ωᵀ, those of xy and yx together               (3)
//! ```
//!
//! Source: [Atkeson86] §2, the recursion of RNEA ([RBDA] Table 5.1) with parameters taken out; (2) and (3) are the columns' products
//! with the axis by the rules of the triple product. Neighbouring degrees of freedom, rows of Y, go side by side.

use crate::dispatch::Register;
use crate::door::Size::{Nq, Nv, Parameters};
use crate::door::{Algorithm, Done, Out, Surrounding, declare};
use crate::engines::Scratch;
use crate::model::{FrameId, Tree};
use crate::scalar::{Real, Wide};
use crate::scene::Scene;
use crate::spatial::{Mat3, Motion, Transform, Vec3};
use crate::sweeps::bodies::Placed;
use crate::sweeps::side_by_side::width;
use alloc::vec;
use alloc::vec::Vec;

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
        let Scratch { turns, bodies, regressor: Room { moved }, .. } = s;
        bodies.move_all::<false>(tree, turns.update(tree, q), q, qd, Some(qdd), Vec3::lift(scene.gravity));

        for (link, y) in y.chunks_exact_mut((10 * nv).max(1)).enumerate() {
            let frame = &model.frames()[link]; // frames of links come first
            let slot = tree.bodies[frame.body_index()].slot;
            let Placed { X, v, a } = bodies.placed.get(slot);
            let X = X * Transform::lift(&frame.placement);
            let (X, v, a) = (splat_transform(&X), splat_motion(X.act_inv(v)), splat_motion(X.act_inv(a)));
            moved.fill(0);
            for (_, body) in model.path(FrameId(link)) {
                for dof in body.v.clone() {
                    moved[dof / width::<T>()] |= 1 << (dof % width::<T>());
                }
            }
            for ((k, &bits), S) in moved.iter().enumerate().zip(&bodies.S.neighbours) {
                let mut rows = [Register::<T>::zero(); 10];
                if bits != 0 {
                    for (row, x) in rows.iter_mut().zip(torques(X.act_inv(*S), v, a)) {
                        *row = Register::<T>::pick(bits, x, Register::<T>::zero());
                    }
                }
                for (row, column) in rows.into_iter().zip(y.chunks_exact_mut(nv)) {
                    row.store(&mut column[k * width::<T>()..]);
                }
            }
        }
        Ok(())
    }
}

/// (1) to (3), in the coordinates of the link.
#[inline(always)]
fn torques<W: Real>(S: Motion<W>, v: Motion<W>, a: Motion<W>) -> [W; 10] {
    let (s, sigma, w, alpha) = (S.lin, S.ang, v.ang, a.ang);
    let d = w.cross_add(v.lin, a.lin);
    let by_moment = d.cross_add(sigma, w.cross_add(w.cross(s), s.cross(alpha))); // (2)
    let u = sigma.cross(w);
    let entry = |s: W, a: W, u: W, w: W| u.mul_add(w, s * a); // (3)
    [
        s.dot(d), // (1)
        by_moment.x,
        by_moment.y,
        by_moment.z,
        entry(sigma.x, alpha.x, u.x, w.x),
        entry(sigma.x, alpha.y, u.x, w.y) + entry(sigma.y, alpha.x, u.y, w.x),
        entry(sigma.y, alpha.y, u.y, w.y),
        entry(sigma.x, alpha.z, u.x, w.z) + entry(sigma.z, alpha.x, u.z, w.x),
        entry(sigma.y, alpha.z, u.y, w.z) + entry(sigma.z, alpha.y, u.z, w.y),
        entry(sigma.z, alpha.z, u.z, w.z),
    ]
}

/// The same in every lane.
#[inline(always)]
fn splat_transform<T: Real>(X: &Transform<T>) -> Transform<Register<T>> {
    let [x, y, z] = X.rot.cols;
    Transform { rot: Mat3::from_cols(splat(x), splat(y), splat(z)), pos: splat(X.pos) }
}

#[inline(always)]
fn splat_motion<T: Real>(m: Motion<T>) -> Motion<Register<T>> {
    Motion::new(splat(m.lin), splat(m.ang))
}

#[inline(always)]
fn splat<T: Real>(x: Vec3<T>) -> Vec3<Register<T>> {
    Vec3::new(Register::<T>::splat(x.x), Register::<T>::splat(x.y), Register::<T>::splat(x.z))
}

/// Room for this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Room {
    /// Which degrees of freedom move the link at hand, a bit each.
    moved: Vec<u8>,
}

impl Room {
    pub(crate) fn new<T: Real>(tree: &Tree) -> Self {
        Self { moved: vec![0; tree.dofs.len().div_ceil(width::<T>())] }
    }
}
