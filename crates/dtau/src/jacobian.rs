//! Jacobians of frames, and their rates.
//!
//! Ground coordinates inside. Column `k` belongs to a degree of freedom of a body `i` on the path from the world to the
//! frame F; all others are zero.
//!
//! ```text
//! J_k = Sₖ            (1)        then expressed in the reference, see [`Reference`]
//! J̇_k = vᵢ × Sₖ       (2)        because Sₖ is constant in body i
//! ```

use crate::check;
use crate::error::Error;
use crate::kinematics::{Kinematics, Placements};
use crate::model::FrameId;
use crate::model::mimic::Columns;
use crate::reference::Reference;
use crate::scalar::Real;

impl<T: Real> Placements<T> {
    /// The Jacobian of a frame: its velocity is `J v`.
    ///
    /// - `j`: 6 × nv by columns, linear rows first; written whole. O(depth) beside the zeros.
    /// - For a body, take its [`link_frame`](crate::model::Model::link_frame).
    ///
    /// # Errors
    /// If the length of `j` or the frame does not fit the model.
    #[inline]
    pub fn jacobian(&self, frame: FrameId, reference: Reference, j: &mut [T]) -> Result<(), Error> {
        let model = &self.model;
        let mut i = check::frame(model, frame)?.body_index();
        check::jacobian(model, "j", j)?;
        let X_F = self.frame(frame);
        let mut columns = Columns::<T, 6>::new(model.mimic(), j);
        while i > 0 {
            let body = &model.tree().bodies[i];
            let X = self.body_X(i);
            for (k, dof) in body.v.clone().enumerate() {
                let S = body.joint.axis(k, &X); // (1)
                columns.put(dof, reference.express(&X_F, S).to_array());
            }
            i = body.parent;
        }
        Ok(())
    }
}

impl<T: Real> Kinematics<T> {
    /// The rate of the Jacobian of a frame: the time derivative of [`Placements::jacobian`] in the same reference, as the
    /// robot moves with `v`.
    ///
    /// - `dj`: 6 × nv by columns, linear rows first; written whole. O(depth) beside the zeros.
    /// - For `Local` and `LocalWorldAligned` the frame's own motion counts: its axes turn, its origin moves.
    ///
    /// # Errors
    /// If the length of `dj` or the frame does not fit the model.
    #[inline]
    pub fn jacobian_rate(&self, frame: FrameId, reference: Reference, dj: &mut [T]) -> Result<(), Error> {
        let placements = self.placements();
        let model = &placements.model;
        let mut i = check::frame(model, frame)?.body_index();
        check::jacobian(model, "dj", dj)?;
        let (X_F, v_F) = (placements.frame(frame), self.body_v(i));
        let mut columns = Columns::<T, 6>::new(model.mimic(), dj);
        while i > 0 {
            let body = &model.tree().bodies[i];
            let (X, v) = (placements.body_X(i), self.body_v(i));
            for (k, dof) in body.v.clone().enumerate() {
                let S = body.joint.axis(k, &X);
                let S_dot = v.cross(S); // (2)
                columns.put(dof, reference.express_rate(&X_F, v_F, S, S_dot).to_array());
            }
            i = body.parent;
        }
        Ok(())
    }
}
