//! Derivatives of the velocity and the acceleration of a frame.
//!
//! Ground coordinates inside. Column `j` belongs to a degree of freedom of a body `b`, with parent `p`, on the path from
//! the world to the frame F of body `i`; all others are zero. Along `q ⊕ δ` everything from `b` outward moves by `Sⱼ`, so
//! what `i` does beyond what `p` does is carried along:
//!
//! ```text
//! ∂vᵢ/∂qⱼ = (vₚ − vᵢ) × Sⱼ                           ∂vᵢ/∂q̇ⱼ = Sⱼ                        (1)
//! ∂aᵢ/∂qⱼ = (aₚ − aᵢ) × Sⱼ + (vₚ − vᵢ) × Ψ̇ⱼ          Ψ̇ⱼ = vₚ × Sⱼ                        (2)
//! ∂aᵢ/∂q̇ⱼ = (v_b − vᵢ) × Sⱼ + Ψ̇ⱼ                     ∂aᵢ/∂q̈ⱼ = Sⱼ                        (3)
//! ```
//!
//! F moves along, so in a reference that is tied to F the derivatives by `q` have the terms of a frame that moves with
//! "velocity" `Sⱼ`: `ṁ_F` of [`Reference`], with `Sⱼ` for `v` and (1) or (2) for `ṁ` (4). Source: [Singh22] App. C: (1) is
//! eq. (52) and J8, (2) the sum of J6 and J7, (3) J9 with ∂γ/∂q̇ = 0; (4) is derived here.

use crate::check;
use crate::error::Error;
use crate::kinematics::Kinematics;
use crate::model::mimic::Columns;
use crate::model::{Body, FrameId, Model};
use crate::reference::Reference;
use crate::scalar::Real;
use crate::spatial::Motion;

impl<T: Real> Kinematics<T> {
    /// The derivatives of [`velocity`](Self::velocity) by `q` and by `v`, in the same reference.
    ///
    /// - `dv_dq`, `dv_dv`: 6 × nv by columns, linear rows first; written whole. O(depth) beside the zeros.
    /// - By `q` along tangent directions, `q ⊕ δ`. By `v` it is the [Jacobian](crate::Placements::jacobian).
    /// - In every reference it is the derivative of the numbers that [`velocity`](Self::velocity) gives: where the point
    ///   moves or the axes turn with the frame, that counts. Pinocchio's `getFrameVelocityDerivatives` agrees in `Local`
    ///   and `World`; in its `LOCAL_WORLD_ALIGNED` the point stands still, which is `World` here with `lin + ang × p`.
    ///   (Its `getPointVelocityDerivatives` agrees in both references that it has.)
    /// - For a body, take its [`link_frame`](Model::link_frame).
    ///
    /// # Errors
    /// If a length or the frame does not fit the model.
    #[inline]
    pub fn velocity_derivatives(
        &self,
        frame: FrameId,
        reference: Reference,
        dv_dq: &mut [T],
        dv_dv: &mut [T],
    ) -> Result<(), Error> {
        let model = self.check(frame, &[("dv_dq", dv_dq), ("dv_dv", dv_dv)])?;
        let (X_F, v_F, _) = self.motion(frame);
        let mut dv_dq = Columns::<T, 6>::new(model.mimic(), dv_dq);
        let mut dv_dv = Columns::<T, 6>::new(model.mimic(), dv_dv);
        for (i, body) in path(model, frame) {
            let (X, v_p) = (self.placements().body_X(i), self.body_v(body.parent));
            for (k, dof) in body.v.clone().enumerate() {
                let S = body.joint.axis(k, &X);
                let by_q = (v_p - v_F).cross(S); // (1)
                dv_dq.put(dof, reference.express_rate(&X_F, S, v_F, by_q).to_array()); // (4)
                dv_dv.put(dof, reference.express(&X_F, S).to_array());
            }
        }
        Ok(())
    }

    /// The derivatives of the spatial [`acceleration`](Self::acceleration) by `q`, `v` and `a`, in the same reference.
    ///
    /// - `da_dq`, `da_dv`, `da_da`: 6 × nv by columns, linear rows first; written whole. O(depth) beside the zeros.
    /// - By `q` along tangent directions, `q ⊕ δ`. By `a` it is the [Jacobian](crate::Placements::jacobian).
    /// - The derivative of the numbers, in every reference, as [`velocity_derivatives`](Self::velocity_derivatives) says.
    ///
    /// # Errors
    /// If a length or the frame does not fit the model.
    #[inline]
    pub fn acceleration_derivatives(
        &self,
        frame: FrameId,
        reference: Reference,
        da_dq: &mut [T],
        da_dv: &mut [T],
        da_da: &mut [T],
    ) -> Result<(), Error> {
        self.acceleration_columns(frame, reference, Kind::Spatial, None, da_dq, da_dv, da_da)
    }

    /// Those of the velocity and of the spatial acceleration together, in one pass. There is no fifth matrix, since
    /// ∂v/∂q̇ = ∂a/∂q̈.
    ///
    /// - `dv_dq`, `da_dq`, `da_dv`, `da_da`: 6 × nv by columns, as in [`velocity_derivatives`](Self::velocity_derivatives) and
    ///   [`acceleration_derivatives`](Self::acceleration_derivatives).
    ///
    /// # Errors
    /// If a length or the frame does not fit the model.
    #[inline]
    pub fn motion_derivatives(
        &self,
        frame: FrameId,
        reference: Reference,
        dv_dq: &mut [T],
        da_dq: &mut [T],
        da_dv: &mut [T],
        da_da: &mut [T],
    ) -> Result<(), Error> {
        self.acceleration_columns(frame, reference, Kind::Spatial, Some(dv_dq), da_dq, da_dv, da_da)
    }

    /// The derivatives of the [`classical_acceleration`](Self::classical_acceleration) by `q`, `v` and `a`, in the same
    /// reference: what constraints on the points of a robot need.
    ///
    /// - As for [`acceleration_derivatives`](Self::acceleration_derivatives).
    ///
    /// # Errors
    /// If a length or the frame does not fit the model.
    #[inline]
    pub fn classical_acceleration_derivatives(
        &self,
        frame: FrameId,
        reference: Reference,
        da_dq: &mut [T],
        da_dv: &mut [T],
        da_da: &mut [T],
    ) -> Result<(), Error> {
        self.acceleration_columns(frame, reference, Kind::Classical, None, da_dq, da_dv, da_da)
    }

    #[inline(always)]
    fn acceleration_columns(
        &self,
        frame: FrameId,
        reference: Reference,
        kind: Kind,
        mut dv_dq: Option<&mut [T]>,
        da_dq: &mut [T],
        da_dv: &mut [T],
        da_da: &mut [T],
    ) -> Result<(), Error> {
        let model = self.check(frame, &[("da_dq", da_dq), ("da_dv", da_dv), ("da_da", da_da)])?;
        if let Some(dv_dq) = &mut dv_dq {
            self.check(frame, &[("dv_dq", dv_dq)])?;
        }
        let (X_F, v_F, a_F) = self.motion(frame);
        let v = reference.express(&X_F, v_F);
        let mut dv_dq = dv_dq.map(|dv_dq| Columns::<T, 6>::new(model.mimic(), dv_dq));
        let mut da_dq = Columns::<T, 6>::new(model.mimic(), da_dq);
        let mut da_dv = Columns::<T, 6>::new(model.mimic(), da_dv);
        let mut da_da = Columns::<T, 6>::new(model.mimic(), da_da);
        for (i, body) in path(model, frame) {
            let X = self.placements().body_X(i);
            let ((v_p, a_p), v_b) = (self.body_motion(body.parent), self.body_v(i));
            for (k, dof) in body.v.clone().enumerate() {
                let S = body.joint.axis(k, &X);
                let psi_dot = v_p.cross(S);
                let by_q = (v_p - v_F).cross_add(psi_dot, (a_p - a_F).cross(S)); // (2)
                let by_v = (v_b - v_F).cross_add(S, psi_dot); // (3)
                let mut by_q = reference.express_rate(&X_F, S, a_F, by_q); // (4)
                let mut by_v = reference.express(&X_F, by_v);
                let by_a = reference.express(&X_F, S);
                if kind == Kind::Classical || dv_dq.is_some() {
                    let v_by_q = reference.express_rate(&X_F, S, v_F, (v_p - v_F).cross(S)); // (1)
                    if kind == Kind::Classical {
                        by_q = add_centripetal(by_q, v, v_by_q);
                        by_v = add_centripetal(by_v, v, by_a);
                    }
                    if let Some(dv_dq) = &mut dv_dq {
                        dv_dq.put(dof, v_by_q.to_array());
                    }
                }
                da_dq.put(dof, by_q.to_array());
                da_dv.put(dof, by_v.to_array());
                da_da.put(dof, by_a.to_array());
            }
        }
        Ok(())
    }

    /// The model, if the frame is one of its and all matrices are 6 × nv.
    #[inline]
    fn check(&self, frame: FrameId, matrices: &[(&str, &mut [T])]) -> Result<&Model, Error> {
        let model = &self.placements().model;
        check::frame(model, frame)?;
        for (name, matrix) in matrices {
            check::jacobian(model, name, matrix)?;
        }
        Ok(model)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Spatial,
    Classical,
}

/// The bodies that move a frame, from its own towards the world, with their indices.
#[inline(always)]
fn path(model: &Model, frame: FrameId) -> impl Iterator<Item = (usize, &Body)> {
    let bodies = &model.tree().bodies;
    let first = model.frames()[frame.0].body_index();
    let moving = |i: usize| (i > 0).then(|| (i, &bodies[i]));
    core::iter::successors(moving(first), move |(_, body)| moving(body.parent))
}

/// The derivative of `a + [ω × v; 0]` from those of `a` and `v`.
#[inline(always)]
fn add_centripetal<T: Real>(da: Motion<T>, v: Motion<T>, dv: Motion<T>) -> Motion<T> {
    Motion::new(dv.ang.cross_add(v.lin, v.ang.cross_add(dv.lin, da.lin)), da.ang)
}
