//! Frames: where they are, how they move, and the derivatives of both.

use super::{Maybe, algorithm, wide};
use crate::arrays::Shape;
use crate::call::{Call, zeros_like_velocity};
use crate::errors::OrRaise;
use crate::model::PyModel;
use crate::results::{Results, named};
use crate::scene::Surroundings;
use crate::scratch::PyWorkspace;
use dtau::Reference;
use dtau::batch::{self, AccelerationDerivativesMut, KinematicsMut, VelocityDerivativesMut};
use dtau::model::{FrameId, Model};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// `[R | p]`, three rows and four columns.
const PLACEMENT: Shape = Shape::Matrix(3, 4);

fn all_placements(model: &Model) -> Shape {
    Shape::Matrices(model.frames().len(), 3, 4)
}

fn all_motions(model: &Model) -> Shape {
    Shape::Vectors(model.frames().len(), 6)
}

fn six(_: &Model) -> Shape {
    Shape::Vector(6)
}

fn jacobian(model: &Model) -> Shape {
    wide(6, model)
}

/// The reference from its name.
pub(crate) fn reference(name: &str) -> PyResult<Reference> {
    match name {
        "local" => Ok(Reference::Local),
        "world" => Ok(Reference::World),
        "local_world_aligned" => Ok(Reference::LocalWorldAligned),
        _ => Err(PyValueError::new_err(format!(
            "`reference` is {name:?}; it must be \"local\", \"world\" or \"local_world_aligned\""
        ))),
    }
}

algorithm! { AllPlacements, (q: configuration) -> (placement: all_placements),
one(scene, scratch): {
    let (ws, out) = scratch.placements(scene.model);
    dtau::placements(scene.model, ws, q, out)?;
    for (frame, to) in scene.model.frame_ids().zip(placement.chunks_exact_mut(12)) {
        to.copy_from_slice(&out.frame(frame).to_array());
    }
    Ok(())
},
many(scene, batch): batch::placements(scene.model(), batch, q, placement) }

algorithm! { AllMotions { reference: Reference },
(q: configuration, v: tangent, a: tangent)
    -> (placement: all_placements, velocity: all_motions, acceleration: all_motions),
one(scene, scratch): {
    let (ws, out) = scratch.kinematics(scene.model);
    dtau::forward_kinematics(scene.model, ws, q, v, a, out)?;
    for (k, frame) in scene.model.frame_ids().enumerate() {
        placement[12 * k..][..12].copy_from_slice(&out.placements().frame(frame).to_array());
        velocity[6 * k..][..6].copy_from_slice(&out.velocity(frame, reference).to_array());
        acceleration[6 * k..][..6].copy_from_slice(&out.acceleration(frame, reference).to_array());
    }
    Ok(())
},
many(scene, batch): {
    let out = KinematicsMut { placements: placement, velocities: velocity, accelerations: acceleration };
    batch::forward_kinematics(scene.model(), batch, reference, q, v, a, out)
} }

algorithm! { OnePlacement { frame: FrameId }, (q: configuration) -> (placement: |_: &Model| PLACEMENT),
one(scene, scratch): {
    let (ws, out) = scratch.placements(scene.model);
    dtau::placements(scene.model, ws, q, out)?;
    placement.copy_from_slice(&out.frame(frame).to_array());
    Ok(())
},
many(scene, batch): batch::frame_placement(scene.model(), batch, frame, q, placement) }

algorithm! { OneMotion { frame: FrameId, reference: Reference },
(q: configuration, v: tangent, a: tangent)
    -> (placement: |_: &Model| PLACEMENT, velocity: six, acceleration: six),
one(scene, scratch): {
    let (ws, out) = scratch.kinematics(scene.model);
    dtau::forward_kinematics(scene.model, ws, q, v, a, out)?;
    placement.copy_from_slice(&out.placements().frame(frame).to_array());
    velocity.copy_from_slice(&out.velocity(frame, reference).to_array());
    acceleration.copy_from_slice(&out.acceleration(frame, reference).to_array());
    Ok(())
},
many(scene, batch): {
    batch::frame_placement(scene.model(), batch, frame, q, placement)?;
    batch::frame_velocity(scene.model(), batch, frame, reference, q, v, velocity)?;
    batch::frame_acceleration(scene.model(), batch, frame, reference, q, v, a, acceleration)
} }

/// Where frames are and how they move.
///
/// Parameters
/// ----------
/// model : dtau.Model
/// q : array of shape (nq,) or (..., nq)
///     Configuration [rad, m].
/// v, a : arrays of shape (nv,) or (..., nv), optional
///     Velocity and acceleration. Without ``v`` there are placements only; without ``a`` it is zero, and the
///     accelerations are those of J̇ v.
/// frame : str, optional
///     The frame; if left out, all of them in the order of ``model.frames``, as an axis before the last.
/// reference : "local", "world" or "local_world_aligned"
///     Axes and point of velocity and acceleration: the frame's; the world's; the world's axes at the frame's origin.
///
/// Returns
/// -------
/// dtau.Kinematics
///     ``.placement`` (..., 3, 4) is [R | p] in the world, with ``.rotation`` (..., 3, 3) and ``.position`` (..., 3) [m]
///     as views of it; ``.velocity`` (..., 6), ``.acceleration`` (..., 6), linear part first [m/s, rad/s], spatial, None
///     without ``v``; ``.classical_acceleration`` (..., 6) is that of the point. Gravity plays no part.
///
/// Examples
/// --------
/// >>> import dtau, numpy as np
/// >>> model = dtau.Model.bundled("quadruped", root="floating")
/// >>> q, v = model.neutral(), np.zeros(model.nv)
/// >>> v[0] = 1.0                                            # forwards
/// >>> foot = dtau.forward_kinematics(model, q, v, frame=model.frames[-1].name)
/// >>> foot.position.shape, foot.velocity[0].item()
/// ((3,), 1.0)
/// >>> dtau.forward_kinematics(model, q).placement.shape == (len(model.frames), 3, 4)
/// True
#[doc = include_str!("../text/common.txt")]
#[pyfunction]
#[pyo3(signature = (model, q, v=None, a=None, *, frame=None, reference="local_world_aligned", threads=1, workspace=None, out=None))]
pub(crate) fn forward_kinematics<'py>(
    model: &Bound<'py, PyModel>,
    q: &Bound<'py, PyAny>,
    v: Maybe<'_, 'py>,
    a: Maybe<'_, 'py>,
    frame: Option<&str>,
    reference: &str,
    threads: isize,
    workspace: Option<&Bound<'py, PyWorkspace>>,
    out: Maybe<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = model.py();
    let reference = self::reference(reference)?;
    let call = Call { model, surroundings: Surroundings::default(), threads, workspace };
    let frame = frame.map(|name| model.get().frame(name).or_raise()).transpose()?;
    let results = Results::Named("Kinematics");
    if let Some(v) = v {
        let zeros;
        let a = match a {
            Some(a) => a,
            None => {
                zeros = zeros_like_velocity(&model.get().model, v)?;
                &zeros
            }
        };
        return match frame {
            None => call.give(&AllMotions { reference }, [q, v, a], out, results),
            Some(frame) => call.give(&OneMotion { frame, reference }, [q, v, a], out, results),
        };
    }
    if a.is_some() {
        return Err(PyValueError::new_err("`a` is given without `v`; give both, or neither"));
    }
    let [into, ..] = results.split::<3>(out)?;
    let [placement] = match frame {
        None => call.run(&AllPlacements {}, [q], [into])?,
        Some(frame) => call.run(&OnePlacement { frame }, [q], [into])?,
    };
    let none = || py.None().into_bound(py);
    out.map_or_else(|| named(py, "Kinematics", [placement, none(), none()]), |out| Ok(out.clone()))
}

algorithm! { FrameJacobian { frame: FrameId, reference: Reference }, (q: configuration) -> (j: jacobian),
one(scene, scratch): {
    let (ws, out) = scratch.placements(scene.model);
    dtau::placements(scene.model, ws, q, out)?;
    out.jacobian(frame, reference, j)
},
many(scene, batch): batch::frame_jacobian(scene.model(), batch, frame, reference, q, j) }

/// The Jacobian of a frame: its velocity is J v.
///
/// Parameters
/// ----------
/// model : dtau.Model
/// q : array of shape (nq,) or (..., nq)
///     Configuration [rad, m].
/// frame : str
///     The frame.
/// reference : "local", "world" or "local_world_aligned"
///     Axes and point of the velocity: the frame's; the world's; the world's axes at the frame's origin.
///
/// Returns
/// -------
/// array of shape (6, nv) or (..., 6, nv)
///     Linear rows first.
///
/// Examples
/// --------
/// >>> import dtau, numpy as np
/// >>> model = dtau.Model.bundled("arm7")
/// >>> q, v, tool = model.neutral(), np.ones(model.nv), model.frames[-1].name
/// >>> J = dtau.frame_jacobian(model, q, tool)
/// >>> np.allclose(J @ v, dtau.forward_kinematics(model, q, v, frame=tool).velocity)
/// True
#[doc = include_str!("../text/common.txt")]
#[pyfunction]
#[pyo3(signature = (model, q, frame, reference="local_world_aligned", *, threads=1, workspace=None, out=None))]
pub(crate) fn frame_jacobian<'py>(
    model: &Bound<'py, PyModel>,
    q: &Bound<'py, PyAny>,
    frame: &str,
    reference: &str,
    threads: isize,
    workspace: Option<&Bound<'py, PyWorkspace>>,
    out: Maybe<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let (frame, reference) = (model.get().frame(frame).or_raise()?, self::reference(reference)?);
    let call = Call { model, surroundings: Surroundings::default(), threads, workspace };
    call.give(&FrameJacobian { frame, reference }, [q], out, Results::Array)
}

algorithm! { FrameJacobianRate { frame: FrameId, reference: Reference },
(q: configuration, v: tangent) -> (dj: jacobian),
one(scene, scratch): {
    let (ws, out) = scratch.kinematics(scene.model);
    dtau::forward_kinematics(scene.model, ws, q, v, v, out)?; // it does not depend on accelerations
    out.jacobian_rate(frame, reference, dj)
},
many(scene, batch): batch::frame_jacobian_rate(scene.model(), batch, frame, reference, q, v, dj) }

/// The time derivative of :func:`dtau.frame_jacobian`, as the robot moves with ``v``.
///
/// Parameters
/// ----------
/// model : dtau.Model
/// q : array of shape (nq,) or (..., nq)
///     Configuration [rad, m].
/// v : array of shape (nv,) or (..., nv)
///     Velocity.
/// frame : str
///     The frame.
/// reference : "local", "world" or "local_world_aligned"
///     As for the Jacobian; where axes turn or the point moves with the frame, that counts.
///
/// Returns
/// -------
/// array of shape (6, nv) or (..., 6, nv)
///
/// Examples
/// --------
/// >>> import dtau, numpy as np
/// >>> model = dtau.Model.bundled("arm7")
/// >>> q, v, tool = model.neutral(), np.ones(model.nv), model.frames[-1].name
/// >>> dJ = dtau.frame_jacobian_rate(model, q, v, tool)
/// >>> np.allclose(dJ @ v, dtau.forward_kinematics(model, q, v, frame=tool).classical_acceleration)
/// True
#[doc = include_str!("../text/common.txt")]
#[pyfunction]
#[pyo3(signature = (model, q, v, frame, reference="local_world_aligned", *, threads=1, workspace=None, out=None))]
pub(crate) fn frame_jacobian_rate<'py>(
    model: &Bound<'py, PyModel>,
    q: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
    frame: &str,
    reference: &str,
    threads: isize,
    workspace: Option<&Bound<'py, PyWorkspace>>,
    out: Maybe<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let (frame, reference) = (model.get().frame(frame).or_raise()?, self::reference(reference)?);
    let call = Call { model, surroundings: Surroundings::default(), threads, workspace };
    call.give(&FrameJacobianRate { frame, reference }, [q, v], out, Results::Array)
}

algorithm! { KinematicDerivatives { frame: FrameId, reference: Reference, classical: bool },
(q: configuration, v: tangent, a: tangent)
    -> (dv_dq: jacobian, dv_dv: jacobian, da_dq: jacobian, da_dv: jacobian, da_da: jacobian),
one(scene, scratch): {
    let (ws, out) = scratch.kinematics(scene.model);
    dtau::forward_kinematics(scene.model, ws, q, v, a, out)?;
    out.velocity_derivatives(frame, reference, dv_dq, dv_dv)?;
    if classical {
        out.classical_acceleration_derivatives(frame, reference, da_dq, da_dv, da_da)
    } else {
        out.acceleration_derivatives(frame, reference, da_dq, da_dv, da_da)
    }
},
many(scene, batch): {
    let (of_v, of_a) = (VelocityDerivativesMut { dv_dq, dv_dv }, AccelerationDerivativesMut { da_dq, da_dv, da_da });
    batch::frame_velocity_derivatives(scene.model(), batch, frame, reference, q, v, of_v)?;
    if classical {
        batch::frame_classical_acceleration_derivatives(scene.model(), batch, frame, reference, q, v, a, of_a)
    } else {
        batch::frame_acceleration_derivatives(scene.model(), batch, frame, reference, q, v, a, of_a)
    }
} }

/// The derivatives of a frame's velocity and acceleration by q, v and a.
///
/// By q along tangent directions, q ⊕ δ, so every matrix has nv columns.
///
/// Parameters
/// ----------
/// model : dtau.Model
/// q : array of shape (nq,) or (..., nq)
///     Configuration [rad, m].
/// v, a : arrays of shape (nv,) or (..., nv)
///     Velocity and acceleration.
/// frame : str
///     The frame.
/// reference : "local", "world" or "local_world_aligned"
///     Axes and point; the derivatives are those of the numbers in this reference.
/// classical : bool
///     Whether to differentiate the acceleration of the point at the frame's origin, instead of the spatial one.
///
/// Returns
/// -------
/// dtau.KinematicDerivatives
///     ``.dv_dq, .dv_dv, .da_dq, .da_dv, .da_da``, each of shape (6, nv) or (..., 6, nv), linear rows first.
///
/// Examples
/// --------
/// >>> import dtau, numpy as np
/// >>> model = dtau.Model.bundled("arm7")
/// >>> q, v, a, tool = model.neutral(), np.ones(model.nv), np.zeros(model.nv), model.frames[-1].name
/// >>> d = dtau.kinematic_derivatives(model, q, v, a, tool)
/// >>> np.array_equal(d.dv_dv, dtau.frame_jacobian(model, q, tool))
/// True
#[doc = include_str!("../text/common.txt")]
#[pyfunction]
#[pyo3(signature = (model, q, v, a, frame, reference="local_world_aligned", *, classical=false, threads=1, workspace=None, out=None))]
pub(crate) fn kinematic_derivatives<'py>(
    model: &Bound<'py, PyModel>,
    q: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
    a: &Bound<'py, PyAny>,
    frame: &str,
    reference: &str,
    classical: bool,
    threads: isize,
    workspace: Option<&Bound<'py, PyWorkspace>>,
    out: Maybe<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let (frame, reference) = (model.get().frame(frame).or_raise()?, self::reference(reference)?);
    let call = Call { model, surroundings: Surroundings::default(), threads, workspace };
    let algorithm = KinematicDerivatives { frame, reference, classical };
    call.give(&algorithm, [q, v, a], out, Results::Named("KinematicDerivatives"))
}
