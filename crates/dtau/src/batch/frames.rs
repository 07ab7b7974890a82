//! What single states compute outside of a workspace, in plain numbers: quantities of frames, and the configuration space.
//!
//! Packed states compute it in plain lanes, for the same bits, but inside the workspace's entry point, for its instructions.

use super::arrays::MOST;
use super::lanes::Packed;
use crate::dispatch::{Kernel, Twin};
use crate::error::Error;
use crate::kinematics::{Kinematics, forward_kinematics_into, placements_into};
use crate::model::{FrameId, Model};
use crate::reference::Reference;
use crate::workspace::{Scratch, Workspace};
use alloc::vec::Vec;

/// Quantities of one frame or of all.
#[derive(Clone, Copy, Debug)]
pub enum Frames {
    Placements,
    Motions(Reference),
    Placement(FrameId),
    Jacobian(FrameId, Reference),
    JacobianRate(FrameId, Reference),
    Velocity(FrameId, Reference),
    Acceleration(FrameId, Reference),
    ClassicalAcceleration(FrameId, Reference),
    VelocityDerivatives(FrameId, Reference),
    AccelerationDerivatives(FrameId, Reference),
    MotionDerivatives(FrameId, Reference),
    ClassicalAccelerationDerivatives(FrameId, Reference),
}

/// Maps of the configuration space.
#[derive(Clone, Copy, Debug)]
pub enum Space {
    Integrate,
    Difference,
    IntegrateDerivatives,
    DifferenceDerivatives,
    Normalise,
}

pub fn of_frames<F, T: Packed<F>>(
    what: Frames,
    model: &Model,
    ws: &mut Workspace<T>,
    kinematics: &mut Kinematics<T::Plain>,
    x: &[Vec<T>; MOST],
    y: &mut [Vec<T>; MOST],
) -> Result<(), Error> {
    let [q, v, a, ..] = x;
    match what {
        Frames::Placements | Frames::Placement(_) | Frames::Jacobian(..) => {
            placements_into(model, ws, q, kinematics.placements_mut())?;
        }
        // Velocities do not depend on accelerations, so `v` stands in for them.
        Frames::JacobianRate(..) | Frames::Velocity(..) | Frames::VelocityDerivatives(..) => {
            forward_kinematics_into(model, ws, q, v, v, kinematics)?;
        }
        _ => forward_kinematics_into(model, ws, q, v, a, kinematics)?,
    }
    ws.run(OfFrames { what, model, kinematics, y: plain_mut::<F, T>(y) })
}

struct OfFrames<'a, D> {
    what: Frames,
    model: &'a Model,
    kinematics: &'a Kinematics<D>,
    y: [&'a mut [D]; MOST],
}

impl<D: crate::scalar::Real, T: Twin<D>> Kernel<T> for OfFrames<'_, D> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run<S: Twin<T>>(self, _: &mut Scratch<S>) -> Self::Output {
        let Self { what, model, kinematics: k, y: [y0, y1, y2, y3, ..] } = self;
        let frames = || (0..model.frames().len()).map(FrameId);
        match what {
            Frames::Placements => {
                for (frame, out) in frames().zip(y0.as_chunks_mut::<12>().0) {
                    *out = k.placements().frame(frame).to_array();
                }
            }
            Frames::Motions(reference) => {
                for (frame, out) in frames().zip(y0.as_chunks_mut::<12>().0) {
                    *out = k.placements().frame(frame).to_array();
                }
                let motions = y1.as_chunks_mut::<6>().0.iter_mut().zip(y2.as_chunks_mut::<6>().0);
                for (frame, (v, a)) in frames().zip(motions) {
                    *v = k.velocity(frame, reference).to_array();
                    *a = k.acceleration(frame, reference).to_array();
                }
            }
            Frames::Placement(frame) => y0.copy_from_slice(&k.placements().frame(frame).to_array()),
            Frames::Jacobian(frame, reference) => k.placements().jacobian(frame, reference, y0)?,
            Frames::JacobianRate(frame, reference) => k.jacobian_rate(frame, reference, y0)?,
            Frames::Velocity(frame, reference) => y0.copy_from_slice(&k.velocity(frame, reference).to_array()),
            Frames::Acceleration(frame, reference) => y0.copy_from_slice(&k.acceleration(frame, reference).to_array()),
            Frames::ClassicalAcceleration(frame, reference) => {
                y0.copy_from_slice(&k.classical_acceleration(frame, reference).to_array());
            }
            Frames::VelocityDerivatives(frame, reference) => k.velocity_derivatives(frame, reference, y0, y1)?,
            Frames::AccelerationDerivatives(frame, reference) => {
                k.acceleration_derivatives(frame, reference, y0, y1, y2)?;
            }
            Frames::MotionDerivatives(frame, reference) => k.motion_derivatives(frame, reference, y0, y1, y2, y3)?,
            Frames::ClassicalAccelerationDerivatives(frame, reference) => {
                k.classical_acceleration_derivatives(frame, reference, y0, y1, y2)?;
            }
        }
        Ok(())
    }
}

pub fn in_space<F, T: Packed<F>>(
    what: Space,
    model: &Model,
    ws: &mut Workspace<T>,
    x: &[Vec<T>; MOST],
    y: &mut [Vec<T>; MOST],
) -> Result<(), Error> {
    let x = x.each_ref().map(|x| T::plain(x));
    ws.run(InSpace { what, model, x, y: plain_mut::<F, T>(y) })
}

struct InSpace<'a, D> {
    what: Space,
    model: &'a Model,
    x: [&'a [D]; MOST],
    y: [&'a mut [D]; MOST],
}

impl<D: crate::scalar::Real, T: Twin<D>> Kernel<T> for InSpace<'_, D> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run<S: Twin<T>>(self, _: &mut Scratch<S>) -> Self::Output {
        let Self { what, model, x: [q, x1, ..], y: [y0, y1, ..] } = self;
        match what {
            Space::Integrate => model.integrate(q, x1, y0),
            Space::Difference => model.difference(q, x1, y0),
            Space::IntegrateDerivatives => model.integrate_derivatives(q, x1, y0, y1),
            Space::DifferenceDerivatives => model.difference_derivatives(q, x1, y0, y1),
            Space::Normalise => {
                y0.copy_from_slice(q);
                model.normalise(y0)
            }
        }
    }
}

fn plain_mut<F, T: Packed<F>>(y: &mut [Vec<T>; MOST]) -> [&mut [T::Plain]; MOST] {
    y.each_mut().map(|y| T::plain_mut(y))
}
