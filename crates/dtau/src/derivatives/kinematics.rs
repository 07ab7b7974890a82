//! Derivatives of the velocity and the acceleration of a frame.
//!
//! Ground coordinates inside. Column `j` belongs to a degree of freedom of a body `b`, with parent `p`, on
//! the path from the world to the frame F of body `i`; all other columns are zero. Along `q ⊕ δ` all bodies
//! from `b` outward move by `Sⱼ`, and so does the motion of `i` relative to `p`:
//!
//! ```text
//! ∂vᵢ/∂qⱼ = (vₚ − vᵢ) × Sⱼ                           ∂vᵢ/∂q̇ⱼ = Sⱼ                        (1)
//! ∂aᵢ/∂qⱼ = (aₚ − aᵢ) × Sⱼ + (vₚ − vᵢ) × Ψ̇ⱼ          Ψ̇ⱼ = vₚ × Sⱼ                        (2)
//! ∂aᵢ/∂q̇ⱼ = (v_b − vᵢ) × Sⱼ + Ψ̇ⱼ                     ∂aᵢ/∂q̈ⱼ = Sⱼ                        (3)
//! ```
//!
//! F moves too. So in a reference frame that is tied to F, the derivatives with respect to `q` have the terms
//! of a frame that moves with "velocity" `Sⱼ`: `ṁ_F` of [`Reference`], with `Sⱼ` for `v` and (1) or (2) for
//! `ṁ` (4). Source: [Singh22] App. C: (1) is eq. (52) and J8, (2) the sum of J6 and J7, (3) J9 with
//! ∂γ/∂q̇ = 0; (4) is derived here.

use crate::dispatch::{Proof, step};
use crate::door::Size::{Nq, Nv, Wide};
use crate::door::check;
use crate::door::{Algorithm, Done, In, To, declare};
use crate::engines::Scratch;
use crate::error::Error;
use crate::kinematics::{BodyMotions, InScratch, Kinematics, Reference, move_frame};
use crate::model::mimic::JacobianMut;
use crate::model::{FrameId, Model};
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::Motion;

/// Output buffers of [`frame_velocity_derivatives`]: 6 × nv each, by columns, in a batch states × 6 × nv.
#[derive(Debug)]
pub struct VelocityDerivativesMut<'a, T> {
    /// Derivative with respect to `q`.
    pub dv_dq: &'a mut [T],
    /// Derivative with respect to `v`.
    pub dv_dv: &'a mut [T],
}

/// Output buffers of [`frame_acceleration_derivatives`] and [`frame_classical_acceleration_derivatives`]:
/// 6 × nv each, by columns, in a batch states × 6 × nv.
#[derive(Debug)]
pub struct AccelerationDerivativesMut<'a, T> {
    /// Derivative with respect to `q`.
    pub da_dq: &'a mut [T],
    /// Derivative with respect to `v`.
    pub da_dv: &'a mut [T],
    /// Derivative with respect to `a`.
    pub da_da: &'a mut [T],
}

/// Output buffers of [`frame_motion_derivatives`]: 6 × nv each, by columns, in a batch states × 6 × nv.
#[derive(Debug)]
pub struct MotionDerivativesMut<'a, T> {
    /// Derivative of the velocity with respect to `q`.
    pub dv_dq: &'a mut [T],
    /// Derivative of the acceleration with respect to `q`.
    pub da_dq: &'a mut [T],
    /// Derivative of the acceleration with respect to `v`.
    pub da_dv: &'a mut [T],
    /// Derivative of the acceleration with respect to `a`, and of the velocity with respect to `v`: they are
    /// equal.
    pub da_da: &'a mut [T],
}

declare! {
    /// Derivatives of the velocity of a frame with respect to `q` and `v`, in the given reference frame.
    ///
    /// - `q` (nq), `v` (nv); matrices are 6 × nv by columns, linear rows first; O(N).
    /// - Derivatives with respect to `q` are along tangent directions, `q ⊕ δ`. The one with respect to `v`
    ///   is the [Jacobian](crate::frame_jacobian()).
    /// - The results differentiate the numbers that [`frame_velocity`](crate::frame_velocity()) returns,
    ///   including the motion of the point and the turning of the axes with the frame. Pinocchio's
    ///   `getFrameVelocityDerivatives` agrees in `Local` and `World`. In its `LOCAL_WORLD_ALIGNED` the point
    ///   is fixed; that is `World` here with `lin + ang × p`. (Its `getPointVelocityDerivatives` agrees in
    ///   both of its reference frames.)
    /// - For a body, use its [`link_frame`](Model::link_frame).
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_velocity_derivatives { frame: FrameId, reference: Reference }(q: Nq, v: Nv)
    -> VelocityDerivativesMut { dv_dq: Wide(6), dv_dv: Wide(6) } by FrameVelocityPartials, under &[]
}

declare! {
    /// Derivatives of the spatial acceleration of a frame with respect to `q`, `v` and `a`, in the given
    /// reference frame.
    ///
    /// - `q` (nq), `v`, `a` (nv); matrices are 6 × nv by columns, linear rows first; O(N).
    /// - Derivatives with respect to `q` are along tangent directions, `q ⊕ δ`. The one with respect to `a`
    ///   is the [Jacobian](crate::frame_jacobian()).
    /// - The results differentiate the numbers in every reference frame, see [`frame_velocity_derivatives`].
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_acceleration_derivatives { frame: FrameId, reference: Reference }(q: Nq, v: Nv, a: Nv)
    -> AccelerationDerivativesMut { da_dq: Wide(6), da_dv: Wide(6), da_da: Wide(6) }
    by FrameAccelerationPartials, under &[]
}

declare! {
    /// Derivatives of the velocity and of the spatial acceleration together, in one pass. There is no fifth
    /// matrix, since ∂v/∂q̇ = ∂a/∂q̈.
    ///
    /// - See [`frame_velocity_derivatives`] and [`frame_acceleration_derivatives`].
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_motion_derivatives { frame: FrameId, reference: Reference }(q: Nq, v: Nv, a: Nv)
    -> MotionDerivativesMut { dv_dq: Wide(6), da_dq: Wide(6), da_dv: Wide(6), da_da: Wide(6) }
    by FrameMotionPartials, under &[]
}

declare! {
    /// Derivatives of the classical acceleration of a frame with respect to `q`, `v` and `a`, in the given
    /// reference frame. Constraints on points of a robot need them.
    ///
    /// - See [`frame_acceleration_derivatives`].
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_classical_acceleration_derivatives { frame: FrameId, reference: Reference }(q: Nq, v: Nv, a: Nv)
    -> AccelerationDerivativesMut { da_dq: Wide(6), da_dv: Wide(6), da_da: Wide(6) }
    by FrameClassicalAccelerationPartials, under &[]
}

impl Algorithm<2, 2> for FrameVelocityPartials {
    const DIVIDES: bool = false;

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v]: In<T, 2>,
        [dv_dq, dv_dv]: To<T, 2>,
    ) -> Done {
        let bodies = move_frame(scene, s, self.frame, q, Some(v), None);
        let out = [JacobianMut::new(None, dv_dq.entries), JacobianMut::new(None, dv_dv.entries)];
        velocity_columns(scene.model, &bodies, self.frame, self.reference, out);
        Ok(())
    }
}

impl Algorithm<3, 3> for FrameAccelerationPartials {
    const DIVIDES: bool = false;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, a]: In<T, 3>, [x, y, z]: To<T, 3>) -> Done {
        let (proof, bodies) = (s.proof, move_frame(scene, s, self.frame, q, Some(v), Some(a)));
        let out = [x.entries, y.entries, z.entries];
        acceleration_step(proof, scene.model, bodies, self.frame, self.reference, Kind::Spatial, None, out);
        Ok(())
    }
}

impl Algorithm<3, 4> for FrameMotionPartials {
    const DIVIDES: bool = false;

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, a]: In<T, 3>,
        [dv_dq, x, y, z]: To<T, 4>,
    ) -> Done {
        let (proof, bodies) = (s.proof, move_frame(scene, s, self.frame, q, Some(v), Some(a)));
        let (dv_dq, out) = (Some(dv_dq.entries), [x.entries, y.entries, z.entries]);
        acceleration_step(proof, scene.model, bodies, self.frame, self.reference, Kind::Spatial, dv_dq, out);
        Ok(())
    }
}

impl Algorithm<3, 3> for FrameClassicalAccelerationPartials {
    const DIVIDES: bool = false;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, a]: In<T, 3>, [x, y, z]: To<T, 3>) -> Done {
        let (proof, bodies) = (s.proof, move_frame(scene, s, self.frame, q, Some(v), Some(a)));
        let out = [x.entries, y.entries, z.entries];
        acceleration_step(proof, scene.model, bodies, self.frame, self.reference, Kind::Classical, None, out);
        Ok(())
    }
}

impl<T: Real> Kinematics<T> {
    /// Derivatives of [`velocity`](Self::velocity) with respect to `q` and `v`; see
    /// [`frame_velocity_derivatives`].
    ///
    /// - `dv_dq`, `dv_dv`: 6 × nv by columns, linear rows first; every entry is written. O(depth), plus
    ///   writing the zeros.
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
        let out = [JacobianMut::new(model.mimic(), dv_dq), JacobianMut::new(model.mimic(), dv_dv)];
        velocity_columns(model, self, frame, reference, out);
        Ok(())
    }

    /// Derivatives of the spatial [`acceleration`](Self::acceleration) with respect to `q`, `v` and `a`; see
    /// [`frame_acceleration_derivatives`].
    ///
    /// - `da_dq`, `da_dv`, `da_da`: 6 × nv by columns, linear rows first; every entry is written. O(depth),
    ///   plus writing the zeros.
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
        let model = self.check(frame, &[("da_dq", da_dq), ("da_dv", da_dv), ("da_da", da_da)])?;
        acceleration_columns(model, self, frame, reference, Kind::Spatial, None, [da_dq, da_dv, da_da], true);
        Ok(())
    }

    /// Derivatives of the velocity and of the spatial acceleration together; see
    /// [`frame_motion_derivatives`].
    ///
    /// - `dv_dq`, `da_dq`, `da_dv`, `da_da`: 6 × nv by columns.
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
        let model = self.check(frame, &[("dv_dq", dv_dq), ("da_dq", da_dq), ("da_dv", da_dv), ("da_da", da_da)])?;
        acceleration_columns(model, self, frame, reference, Kind::Spatial, Some(dv_dq), [da_dq, da_dv, da_da], true);
        Ok(())
    }

    /// Derivatives of the [`classical_acceleration`](Self::classical_acceleration) with respect to `q`, `v`
    /// and `a`; see [`frame_classical_acceleration_derivatives`].
    ///
    /// - See [`acceleration_derivatives`](Self::acceleration_derivatives).
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
        let model = self.check(frame, &[("da_dq", da_dq), ("da_dv", da_dv), ("da_da", da_da)])?;
        acceleration_columns(model, self, frame, reference, Kind::Classical, None, [da_dq, da_dv, da_da], true);
        Ok(())
    }

    /// Returns the model if the frame belongs to it and all matrices are 6 × nv.
    #[inline]
    fn check(&self, frame: FrameId, matrices: &[(&'static str, &mut [T])]) -> Result<&Model, Error> {
        let model = self.model();
        check::frame(model, frame)?;
        for (name, matrix) in matrices {
            check::jacobian(model, name, matrix)?;
        }
        Ok(model)
    }
}

/// (1)
#[inline(always)]
fn velocity_columns<T: Real>(
    model: &Model,
    bodies: &impl BodyMotions<T>,
    frame: FrameId,
    reference: Reference,
    [mut dv_dq, mut dv_dv]: [JacobianMut<'_, T, 6>; 2],
) {
    let (X_F, v_F) = (bodies.frame_X(model, frame), bodies.body_v(model.frames()[frame.0].body_index()));
    for (i, body) in model.path(frame) {
        let (X, v_p) = (bodies.body_X(i), bodies.body_v(body.parent));
        for (k, dof) in body.v.clone().enumerate() {
            let S = body.joint.axis(k, &X);
            let by_q = (v_p - v_F).cross(S); // (1)
            dv_dq.put(dof, reference.express_rate(&X_F, S, v_F, by_q).to_array()); // (4)
            dv_dv.put(dof, reference.express(&X_F, S).to_array());
        }
    }
}

/// [`acceleration_columns`] on an engine, shared by three functions.
#[inline(always)]
fn acceleration_step<T: Real>(
    proof: Proof<T>,
    model: &Model,
    bodies: InScratch<'_, T>,
    frame: FrameId,
    reference: Reference,
    kind: Kind,
    mut dv_dq: Option<&mut [T]>,
    [dq, dv, da]: [&mut [T]; 3],
) {
    step!(proof, || {
        let (dv_dq, out) = (dv_dq.as_deref_mut(), [&mut *dq, &mut *dv, &mut *da]);
        acceleration_columns(model, &bodies, frame, reference, kind, dv_dq, out, false);
    });
}

/// (2), (3), and (1) on request. If `reduces`, the columns are those of the model, else those of the full
/// tree.
#[inline(always)]
fn acceleration_columns<T: Real>(
    model: &Model,
    bodies: &impl BodyMotions<T>,
    frame: FrameId,
    reference: Reference,
    kind: Kind,
    dv_dq: Option<&mut [T]>,
    [da_dq, da_dv, da_da]: [&mut [T]; 3],
    reduces: bool,
) {
    let map = if reduces { model.mimic() } else { None };
    let i = model.frames()[frame.0].body_index();
    let (X_F, v_F, a_F) = (bodies.frame_X(model, frame), bodies.body_v(i), bodies.body_a(i));
    let v = reference.express(&X_F, v_F);
    let mut dv_dq = dv_dq.map(|dv_dq| JacobianMut::<T, 6>::new(map, dv_dq));
    let mut da_dq = JacobianMut::<T, 6>::new(map, da_dq);
    let mut da_dv = JacobianMut::<T, 6>::new(map, da_dv);
    let mut da_da = JacobianMut::<T, 6>::new(map, da_da);
    for (i, body) in model.path(frame) {
        let (X, v_b) = (bodies.body_X(i), bodies.body_v(i));
        let (v_p, a_p) = (bodies.body_v(body.parent), bodies.body_a(body.parent));
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
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Spatial,
    Classical,
}

/// Derivative of `a + [ω × v; 0]` from those of `a` and `v`.
#[inline(always)]
fn add_centripetal<T: Real>(da: Motion<T>, v: Motion<T>, dv: Motion<T>) -> Motion<T> {
    Motion::new(dv.ang.cross_add(v.lin, v.ang.cross_add(dv.lin, da.lin)), da.ang)
}
