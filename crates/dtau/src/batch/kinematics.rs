//! Where frames are and how they move: what a caller sees.
//!
//! One state keeps its kinematics in [`Placements`](crate::Placements) and [`Kinematics`](crate::Kinematics) and is asked
//! for frames afterwards; many states say at once what they want.

use super::algorithm::Algorithm;
use super::arrays::Size::{Fixed, Frames as AllFrames, Nq, Nv, Wide};
use super::arrays::{Input, Output};
use super::frames::Frames;
use super::{Batch, BatchScalar};
use crate::check;
use crate::error::Error;
use crate::model::{FrameId, Model};
use crate::reference::Reference;

/// Where every frame is, see [`placements`](crate::placements()).
///
/// - `q` (states × nq); `out` (states × frames × 12): the three columns of the rotation, then the origin, see
///   [`Transform::to_array`](crate::spatial::Transform::to_array).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn placements<F: BatchScalar>(model: &Model, batch: &mut Batch<F>, q: &[F], out: &mut [F]) -> Result<(), Error> {
    let algorithm = Algorithm::Frames(Frames::Placements);
    batch.run(algorithm, model.into(), [Nq.read("q", q)], [AllFrames(12).write("out", out)])
}

/// Where [`forward_kinematics`] writes, frame by frame in the model's order.
#[derive(Debug)]
pub struct KinematicsMut<'a, F> {
    /// As [`placements`] writes them: states × frames × 12.
    pub placements: &'a mut [F],
    /// Linear part first: states × frames × 6.
    pub velocities: &'a mut [F],
    /// Spatial ones, linear part first: states × frames × 6.
    pub accelerations: &'a mut [F],
}

/// Where every frame is and how it moves, in a reference; see [`forward_kinematics`](crate::forward_kinematics()).
///
/// - `q` (states × nq), `v`, `a` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn forward_kinematics<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    reference: Reference,
    q: &[F],
    v: &[F],
    a: &[F],
    out: KinematicsMut<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    let outputs = [
        AllFrames(12).write("out.placements", out.placements),
        AllFrames(6).write("out.velocities", out.velocities),
        AllFrames(6).write("out.accelerations", out.accelerations),
    ];
    batch.run(Algorithm::Frames(Frames::Motions(reference)), model.into(), inputs, outputs)
}

/// Where one frame is, see [`Placements::frame`](crate::Placements::frame).
///
/// - `q` (states × nq), `out` (states × 12), as in [`placements`].
///
/// # Errors
/// If a length, the frame or the batch does not fit the model.
pub fn frame_placement<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    q: &[F],
    out: &mut [F],
) -> Result<(), Error> {
    of_frame(model, batch, frame, Frames::Placement(frame), [Nq.read("q", q)], [Fixed(12).write("out", out)])
}

/// The Jacobian of a frame, see [`Placements::jacobian`](crate::Placements::jacobian).
///
/// - `q` (states × nq), `j` (states × 6 × nv).
///
/// # Errors
/// If a length, the frame or the batch does not fit the model.
pub fn frame_jacobian<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    reference: Reference,
    q: &[F],
    j: &mut [F],
) -> Result<(), Error> {
    let what = Frames::Jacobian(frame, reference);
    of_frame(model, batch, frame, what, [Nq.read("q", q)], [Wide(6).write("j", j)])
}

/// The rate of the Jacobian of a frame, see [`Kinematics::jacobian_rate`](crate::Kinematics::jacobian_rate).
///
/// - `q` (states × nq), `v` (states × nv), `dj` (states × 6 × nv).
///
/// # Errors
/// If a length, the frame or the batch does not fit the model.
pub fn frame_jacobian_rate<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    reference: Reference,
    q: &[F],
    v: &[F],
    dj: &mut [F],
) -> Result<(), Error> {
    let what = Frames::JacobianRate(frame, reference);
    of_frame(model, batch, frame, what, [Nq.read("q", q), Nv.read("v", v)], [Wide(6).write("dj", dj)])
}

/// The velocity of a frame, see [`Kinematics::velocity`](crate::Kinematics::velocity).
///
/// - `q` (states × nq), `v` (states × nv), `out` (states × 6).
///
/// # Errors
/// If a length, the frame or the batch does not fit the model.
pub fn frame_velocity<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    reference: Reference,
    q: &[F],
    v: &[F],
    out: &mut [F],
) -> Result<(), Error> {
    let what = Frames::Velocity(frame, reference);
    of_frame(model, batch, frame, what, [Nq.read("q", q), Nv.read("v", v)], [Fixed(6).write("out", out)])
}

/// The spatial acceleration of a frame, see [`Kinematics::acceleration`](crate::Kinematics::acceleration).
///
/// - `q` (states × nq), `v`, `a` (states × nv), `out` (states × 6).
///
/// # Errors
/// If a length, the frame or the batch does not fit the model.
pub fn frame_acceleration<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    reference: Reference,
    q: &[F],
    v: &[F],
    a: &[F],
    out: &mut [F],
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    of_frame(model, batch, frame, Frames::Acceleration(frame, reference), inputs, [Fixed(6).write("out", out)])
}

/// The classical acceleration of a frame, see
/// [`Kinematics::classical_acceleration`](crate::Kinematics::classical_acceleration).
///
/// - `q` (states × nq), `v`, `a` (states × nv), `out` (states × 6).
///
/// # Errors
/// If a length, the frame or the batch does not fit the model.
pub fn frame_classical_acceleration<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    reference: Reference,
    q: &[F],
    v: &[F],
    a: &[F],
    out: &mut [F],
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    of_frame(model, batch, frame, Frames::ClassicalAcceleration(frame, reference), inputs, [Fixed(6).write("out", out)])
}

/// Where [`frame_velocity_derivatives`] writes: states × 6 × nv each.
#[derive(Debug)]
pub struct VelocityDerivativesMut<'a, F> {
    /// By `q`.
    pub dv_dq: &'a mut [F],
    /// By `v`.
    pub dv_dv: &'a mut [F],
}

/// The derivatives of the velocity of a frame, see
/// [`Kinematics::velocity_derivatives`](crate::Kinematics::velocity_derivatives).
///
/// - `q` (states × nq), `v` (states × nv).
///
/// # Errors
/// If a length, the frame or the batch does not fit the model.
pub fn frame_velocity_derivatives<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    reference: Reference,
    q: &[F],
    v: &[F],
    out: VelocityDerivativesMut<'_, F>,
) -> Result<(), Error> {
    let outputs = [Wide(6).write("out.dv_dq", out.dv_dq), Wide(6).write("out.dv_dv", out.dv_dv)];
    let what = Frames::VelocityDerivatives(frame, reference);
    of_frame(model, batch, frame, what, [Nq.read("q", q), Nv.read("v", v)], outputs)
}

/// Where [`frame_acceleration_derivatives`] and [`frame_classical_acceleration_derivatives`] write: states × 6 × nv each.
#[derive(Debug)]
pub struct AccelerationDerivativesMut<'a, F> {
    /// By `q`.
    pub da_dq: &'a mut [F],
    /// By `v`.
    pub da_dv: &'a mut [F],
    /// By `a`.
    pub da_da: &'a mut [F],
}

impl<'a, F> AccelerationDerivativesMut<'a, F> {
    fn outputs(self) -> [Output<'a, F>; 3] {
        [
            Wide(6).write("out.da_dq", self.da_dq),
            Wide(6).write("out.da_dv", self.da_dv),
            Wide(6).write("out.da_da", self.da_da),
        ]
    }
}

/// The derivatives of the spatial acceleration of a frame, see
/// [`Kinematics::acceleration_derivatives`](crate::Kinematics::acceleration_derivatives).
///
/// - `q` (states × nq), `v`, `a` (states × nv).
///
/// # Errors
/// If a length, the frame or the batch does not fit the model.
pub fn frame_acceleration_derivatives<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    reference: Reference,
    q: &[F],
    v: &[F],
    a: &[F],
    out: AccelerationDerivativesMut<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    of_frame(model, batch, frame, Frames::AccelerationDerivatives(frame, reference), inputs, out.outputs())
}

/// Where [`frame_motion_derivatives`] writes: states × 6 × nv each.
#[derive(Debug)]
pub struct MotionDerivativesMut<'a, F> {
    /// Of the velocity by `q`.
    pub dv_dq: &'a mut [F],
    /// Of the acceleration by `q`.
    pub da_dq: &'a mut [F],
    /// Of the acceleration by `v`.
    pub da_dv: &'a mut [F],
    /// Of the acceleration by `a`, which is that of the velocity by `v`.
    pub da_da: &'a mut [F],
}

/// The derivatives of the velocity and of the spatial acceleration of a frame together, see
/// [`Kinematics::motion_derivatives`](crate::Kinematics::motion_derivatives).
///
/// - `q` (states × nq), `v`, `a` (states × nv).
///
/// # Errors
/// If a length, the frame or the batch does not fit the model.
pub fn frame_motion_derivatives<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    reference: Reference,
    q: &[F],
    v: &[F],
    a: &[F],
    out: MotionDerivativesMut<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    let outputs = [
        Wide(6).write("out.dv_dq", out.dv_dq),
        Wide(6).write("out.da_dq", out.da_dq),
        Wide(6).write("out.da_dv", out.da_dv),
        Wide(6).write("out.da_da", out.da_da),
    ];
    of_frame(model, batch, frame, Frames::MotionDerivatives(frame, reference), inputs, outputs)
}

/// The derivatives of the classical acceleration of a frame, see
/// [`Kinematics::classical_acceleration_derivatives`](crate::Kinematics::classical_acceleration_derivatives).
///
/// - `q` (states × nq), `v`, `a` (states × nv).
///
/// # Errors
/// If a length, the frame or the batch does not fit the model.
pub fn frame_classical_acceleration_derivatives<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    reference: Reference,
    q: &[F],
    v: &[F],
    a: &[F],
    out: AccelerationDerivativesMut<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    of_frame(model, batch, frame, Frames::ClassicalAccelerationDerivatives(frame, reference), inputs, out.outputs())
}

/// Runs `what`, if the frame is one of the model's.
fn of_frame<F: BatchScalar, const I: usize, const O: usize>(
    model: &Model,
    batch: &mut Batch<F>,
    frame: FrameId,
    what: Frames,
    inputs: [Input<'_, F>; I],
    outputs: [Output<'_, F>; O],
) -> Result<(), Error> {
    check::frame(model, frame)?;
    batch.run(Algorithm::Frames(what), model.into(), inputs, outputs)
}
