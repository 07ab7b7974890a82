//! Pose error of a frame relative to a target.
//!
//! `p`, `R` are position and orientation of the frame in the world, `p*`, `R*` those of the target. `S` is
//! the axis of a degree of freedom that moves the frame, in ground coordinates with the world's origin.
//!
//! ```text
//! e = (p − p*, log(R*ᵀ R))                                            (1)
//! ∂e/∂q = (S_lin + S_ang × p, J_r⁻¹(e_ang) Rᵀ S_ang)                  (2)
//! ```
//!
//! Source: [Sola18] eq. (144) for J_r⁻¹, the derivative of the logarithm along R Exp(δ).

use super::frames::{BodyMotions, move_frame};
use crate::door::Size::{Fixed, Nq, Wide};
use crate::door::{Algorithm, Done, In, To, declare};
use crate::engines::Scratch;
use crate::groups::RotationLog;
use crate::model::FrameId;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Quaternion, Transform, Vec3};

declare! {
    /// Pose error of a frame relative to a target: `(p − p*, log(R*ᵀ R))`, for costs and inverse kinematics.
    ///
    /// - `q` (nq); `error` (6); `target` (7): position and quaternion `[x y z, x y z w]`, as in the `q` of a
    ///   free flyer. The quaternion may have any non-zero length.
    /// - The first three numbers are in world axes \[m\]. The others are the rotation vector from the target
    ///   to the frame \[rad\], with the same coordinates in both. Its length is at most π, where it is
    ///   discontinuous.
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model, or if the quaternion is zero.
    fn frame_error { frame: FrameId }(q: Nq, target: Fixed(7)) -> (slice error: Fixed(6)) by FrameError, under &[]
}

declare! {
    /// Derivative of [`frame_error`] with respect to `q`, along tangent directions.
    ///
    /// - `q` (nq), `target` (7) as in [`frame_error`]; `derror_dq`: 6 × nv by columns, every entry is
    ///   written; O(N).
    /// - With `J` of [`frame_jacobian`](crate::frame_jacobian()), the position rows are those of
    ///   `LocalWorldAligned`. The others are `J_r⁻¹` times those of `Local`.
    ///
    /// # Errors
    /// Same as for [`frame_error`].
    fn frame_error_derivatives { frame: FrameId }(q: Nq, target: Fixed(7)) -> (slice derror_dq: Wide(6))
    by FrameErrorPartials, under &[]
}

/// A frame and its error relative to a target.
pub(crate) struct Apart<T> {
    /// Placement of the frame.
    pub(crate) X: Transform<T>,
    /// Position error.
    pub(crate) position: Vec3<T>,
    /// Orientation error.
    pub(crate) turn: RotationLog<T>,
}

impl<T: Real> Apart<T> {
    /// (1)
    #[inline(always)]
    pub(crate) fn new(X: Transform<T>, target: &[T]) -> Self {
        let wanted = Quaternion::from_slice(&target[3..]).normalised().to_matrix();
        let position = X.pos - Vec3::new(target[0], target[1], target[2]);
        Self { X, position, turn: RotationLog::of(&(wanted.transpose() * X.rot)) }
    }
}

impl Algorithm<2, 1> for FrameError {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, target]: In<T, 2>, [error]: To<T, 1>) -> Done {
        let bodies = move_frame(scene, s, self.frame, q, None, None);
        let apart = Apart::new(bodies.frame_X(scene.model, self.frame), target);
        error.entries[..3].copy_from_slice(&apart.position.to_array());
        error.entries[3..].copy_from_slice(&apart.turn.vector.to_array());
        Ok(())
    }
}

impl Algorithm<2, 1> for FrameErrorPartials {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, target]: In<T, 2>, [out]: To<T, 1>) -> Done {
        let (model, bodies) = (scene.model, move_frame(scene, s, self.frame, q, None, None));
        let Apart { X, turn, .. } = Apart::new(bodies.frame_X(model, self.frame), target);
        let columns = out.entries.as_chunks_mut::<6>().0;
        columns.fill([T::zero(); 6]);
        for (i, body) in model.path(self.frame) {
            for (k, dof) in body.v.clone().enumerate() {
                let S = body.joint.axis(k, &bodies.body_X(i));
                let (lin, ang) = (S.ang.cross_add(X.pos, S.lin), turn.rate(X.rot.tr_mul(S.ang))); // (2)
                columns[dof] = [lin.x, lin.y, lin.z, ang.x, ang.y, ang.z];
            }
        }
        Ok(())
    }
}
