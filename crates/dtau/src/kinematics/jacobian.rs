//! Jacobians of frames, and their rates.
//!
//! Ground coordinates inside. Column `k` belongs to a degree of freedom of a body `i` on the path from the
//! world to the frame F; all other columns are zero.
//!
//! ```text
//! J_k = Sₖ            (1)        then expressed in the reference, see [`Reference`]
//! J̇_k = vᵢ × Sₖ       (2)        because Sₖ is constant in body i
//! ```

use super::Reference;
use super::forward::{Kinematics, Placements};
use super::frames::{BodyMotions, move_frame};
use crate::door::Size::{Nq, Nv, Wide};
use crate::door::check;
use crate::door::{Algorithm, Done, In, To, declare};
use crate::engines::Scratch;
use crate::error::Error;
use crate::model::mimic::JacobianMut;
use crate::model::{FrameId, Model};
use crate::scalar::Real;
use crate::scene::Scene;

declare! {
    /// Jacobian of a frame: its velocity is `J v`.
    ///
    /// - `q` (nq); `j`: 6 × nv by columns, linear rows first, every entry is written; O(depth), plus zeros
    ///   and sines.
    /// - For a body, use its [`link_frame`](crate::model::Model::link_frame). For many frames of one state,
    ///   use [`Placements`](crate::Placements).
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_jacobian { frame: FrameId, reference: Reference }(q: Nq) -> (slice j: Wide(6))
    by FrameJacobian, under &[]
}

declare! {
    /// Rate of the Jacobian of a frame: the time derivative of [`frame_jacobian`] in the same reference
    /// frame, as the robot moves with `v`.
    ///
    /// - `q` (nq), `v` (nv); `dj`: 6 × nv by columns, linear rows first, every entry is written; O(depth),
    ///   plus zeros and sines.
    /// - For `Local` and `LocalWorldAligned` it includes the motion of the frame's axes and origin.
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_jacobian_rate { frame: FrameId, reference: Reference }(q: Nq, v: Nv) -> (slice dj: Wide(6))
    by FrameJacobianRate, under &[]
}

impl Algorithm<1, 1> for FrameJacobian {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, [j]: To<T, 1>) -> Done {
        let bodies = move_frame(scene, s, self.frame, q, None, None);
        jacobian(scene.model, &bodies, self.frame, self.reference, JacobianMut::new(None, j.entries));
        Ok(())
    }
}

impl Algorithm<2, 1> for FrameJacobianRate {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v]: In<T, 2>, [dj]: To<T, 1>) -> Done {
        let bodies = move_frame(scene, s, self.frame, q, Some(v), None);
        jacobian_rate(scene.model, &bodies, self.frame, self.reference, JacobianMut::new(None, dj.entries));
        Ok(())
    }
}

impl<T: Real> Placements<T> {
    /// Jacobian of a frame: its velocity is `J v`; see [`frame_jacobian`].
    ///
    /// - `j`: 6 × nv by columns, linear rows first; every entry is written. O(depth), plus writing the zeros.
    ///
    /// # Errors
    /// If the length of `j` or the frame does not fit the model.
    #[inline]
    pub fn jacobian(&self, frame: FrameId, reference: Reference, j: &mut [T]) -> Result<(), Error> {
        let model = &self.model;
        check::frame(model, frame)?;
        check::jacobian(model, "j", j)?;
        jacobian(model, self, frame, reference, JacobianMut::new(model.mimic(), j));
        Ok(())
    }
}

impl<T: Real> Kinematics<T> {
    /// Rate of the Jacobian of a frame; see [`frame_jacobian_rate`].
    ///
    /// - `dj`: 6 × nv by columns, linear rows first; every entry is written. O(depth), plus writing the
    ///   zeros.
    ///
    /// # Errors
    /// If the length of `dj` or the frame does not fit the model.
    #[inline]
    pub fn jacobian_rate(&self, frame: FrameId, reference: Reference, dj: &mut [T]) -> Result<(), Error> {
        let model = self.model();
        check::frame(model, frame)?;
        check::jacobian(model, "dj", dj)?;
        jacobian_rate(model, self, frame, reference, JacobianMut::new(model.mimic(), dj));
        Ok(())
    }
}

/// (1)
#[inline(always)]
fn jacobian<T: Real>(
    model: &Model,
    bodies: &impl BodyMotions<T>,
    frame: FrameId,
    reference: Reference,
    mut j: JacobianMut<'_, T, 6>,
) {
    let X_F = bodies.frame_X(model, frame);
    for (i, body) in model.path(frame) {
        let X = bodies.body_X(i);
        for (k, dof) in body.v.clone().enumerate() {
            j.put(dof, reference.express(&X_F, body.joint.axis(k, &X)).to_array());
        }
    }
}

/// (2)
#[inline(always)]
fn jacobian_rate<T: Real>(
    model: &Model,
    bodies: &impl BodyMotions<T>,
    frame: FrameId,
    reference: Reference,
    mut dj: JacobianMut<'_, T, 6>,
) {
    let (X_F, v_F) = (bodies.frame_X(model, frame), bodies.body_v(model.frames()[frame.0].body_index()));
    for (i, body) in model.path(frame) {
        let (X, v) = (bodies.body_X(i), bodies.body_v(i));
        for (k, dof) in body.v.clone().enumerate() {
            let S = body.joint.axis(k, &X);
            dj.put(dof, reference.express_rate(&X_F, v_F, S, v.cross(S)).to_array());
        }
    }
}
