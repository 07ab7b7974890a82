//! The robot as a whole: centre of mass and momentum.

use super::{Maybe, algorithm, function, wide};
use crate::arrays::Shape;
use crate::call::{Call, zeros_like_velocity};
use crate::model::PyModel;
use crate::results::{Results, named};
use crate::scene::Surroundings;
use crate::scratch::PyWorkspace;
use dtau::batch::{self, CentroidalDerivativesMut, ComMut};
use dtau::model::Model;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn three(_: &Model) -> Shape {
    Shape::Vector(3)
}

fn six(_: &Model) -> Shape {
    Shape::Vector(6)
}

fn three_rows(model: &Model) -> Shape {
    wide(3, model)
}

fn six_rows(model: &Model) -> Shape {
    wide(6, model)
}

algorithm! { Com, (q: configuration, v: tangent, a: tangent) -> (position: three, velocity: three, acceleration: three),
one(scene, scratch): {
    let com = dtau::centre_of_mass(scene.model, &mut scratch.one, q, v, a)?;
    position.copy_from_slice(&com.position.to_array());
    velocity.copy_from_slice(&com.velocity.to_array());
    acceleration.copy_from_slice(&com.acceleration.to_array());
    Ok(())
},
many(scene, batch): batch::centre_of_mass(scene.model(), batch, q, v, a, ComMut { position, velocity, acceleration }) }

/// The centre of mass of all that moves, in world coordinates.
///
/// Links welded to the world do not count. NaN if nothing that moves has mass.
///
/// Parameters
/// ----------
/// model : dtau.Model
/// q : array of shape (nq,) or (..., nq)
///     Configuration [rad, m].
/// v, a : arrays of shape (nv,) or (..., nv), optional
///     Velocity and acceleration; zero if left out.
///
/// Returns
/// -------
/// dtau.Com
///     ``.position`` [m], ``.velocity`` [m/s], ``.acceleration`` [m/s²], each of shape (3,) or (..., 3). Gravity plays no
///     part.
///
/// Examples
/// --------
/// >>> import dtau, numpy as np
/// >>> model = dtau.Model.bundled("humanoid", root="floating")
/// >>> v = np.zeros(model.nv)
/// >>> v[:3] = [1, 2, 3]
/// >>> dtau.com(model, model.neutral(), v).velocity.round(12).tolist()
/// [1.0, 2.0, 3.0]
#[doc = include_str!("../text/common.txt")]
#[pyfunction]
#[pyo3(signature = (model, q, v=None, a=None, *, threads=1, workspace=None, out=None))]
pub(crate) fn com<'py>(
    model: &Bound<'py, PyModel>,
    q: &Bound<'py, PyAny>,
    v: Maybe<'_, 'py>,
    a: Maybe<'_, 'py>,
    threads: isize,
    workspace: Option<&Bound<'py, PyWorkspace>>,
    out: Maybe<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let call = Call { model, surroundings: Surroundings::default(), threads, workspace };
    let zeros = zeros_like_velocity(&model.get().model, v.unwrap_or(q))?;
    call.give(&Com {}, [q, v.unwrap_or(&zeros), a.unwrap_or(&zeros)], out, Results::Named("Com"))
}

algorithm! { ComJacobian, (q: configuration) -> (j: three_rows),
one(scene, scratch): dtau::com_jacobian(scene.model, &mut scratch.one, q, j),
many(scene, batch): batch::com_jacobian(scene.model(), batch, q, j) }

function! {
    /// The Jacobian of the centre of mass: its velocity is J v.
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    ///
    /// Returns
    /// -------
    /// array of shape (3, nv) or (..., 3, nv)
    ///     In the world's axes.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("humanoid", root="floating")
    /// >>> q, v = model.neutral(), np.ones(model.nv)
    /// >>> np.allclose(dtau.com_jacobian(model, q) @ v, dtau.com(model, q, v).velocity)
    /// True
    #[doc = include_str!("../text/common.txt")]
    com_jacobian(q;) -> Results::Array, ComJacobian
}

algorithm! { ComVelocityDerivatives, (q: configuration, v: tangent) -> (dv_dq: three_rows, dv_dv: three_rows),
one(scene, scratch): dtau::com_velocity_derivatives(scene.model, &mut scratch.one, q, v, dv_dq, dv_dv),
many(scene, batch): batch::com_velocity_derivatives(scene.model(), batch, q, v, dv_dq, dv_dv) }

function! {
    /// The derivatives of the velocity of the centre of mass by q (along tangent directions) and by v.
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// v : array of shape (nv,) or (..., nv)
    ///     Velocity.
    ///
    /// Returns
    /// -------
    /// dtau.ComVelocityDerivatives
    ///     ``.dv_dq`` and ``.dv_dv``, each of shape (3, nv) or (..., 3, nv), in the world's axes.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("humanoid", root="floating")
    /// >>> q, v = model.neutral(), np.ones(model.nv)
    /// >>> np.allclose(dtau.com_velocity_derivatives(model, q, v).dv_dv, dtau.com_jacobian(model, q))
    /// True
    #[doc = include_str!("../text/common.txt")]
    com_velocity_derivatives(q, v;) -> Results::Named("ComVelocityDerivatives"), ComVelocityDerivatives
}

algorithm! { Momentum, (q: configuration, v: tangent) -> (momentum: six),
one(scene, scratch): {
    momentum.copy_from_slice(&dtau::centroidal_momentum(scene.model, &mut scratch.one, q, v)?.to_array());
    Ok(())
},
many(scene, batch): batch::centroidal_momentum(scene.model(), batch, q, v, momentum) }

algorithm! { MomentumRate, (q: configuration, v: tangent, a: tangent) -> (rate: six),
one(scene, scratch): {
    rate.copy_from_slice(&dtau::centroidal_momentum_rate(scene.model, &mut scratch.one, q, v, a)?.to_array());
    Ok(())
},
many(scene, batch): batch::centroidal_momentum_rate(scene.model(), batch, q, v, a, rate) }

algorithm! { MomentumMatrix, (q: configuration) -> (matrix: six_rows),
one(scene, scratch): dtau::centroidal_matrix(scene.model, &mut scratch.one, q, matrix),
many(scene, batch): batch::centroidal_matrix(scene.model(), batch, q, matrix) }

/// The momentum of all that moves about its centre of mass, in the world's axes.
///
/// Parameters
/// ----------
/// model : dtau.Model
/// q : array of shape (nq,) or (..., nq)
///     Configuration [rad, m].
/// v, a : arrays of shape (nv,) or (..., nv), optional
///     Velocity and acceleration. Without ``v`` there is the matrix alone, without ``a`` no rate.
///
/// Returns
/// -------
/// dtau.Centroidal
///     ``.matrix`` (..., 6, nv) maps v to the momentum; ``.momentum`` (..., 6), linear part first [N s, N m s];
///     ``.rate`` (..., 6), its time derivative [N, N m]: the sum of the external forces, gravity among them, that the
///     motion takes.
///
/// Examples
/// --------
/// >>> import dtau, numpy as np
/// >>> model = dtau.Model.bundled("humanoid", root="floating")
/// >>> q, v = model.neutral(), np.ones(model.nv)
/// >>> h = dtau.centroidal(model, q, v)
/// >>> np.allclose(h.matrix @ v, h.momentum), h.rate is None
/// (True, True)
#[doc = include_str!("../text/common.txt")]
#[pyfunction]
#[pyo3(signature = (model, q, v=None, a=None, *, threads=1, workspace=None, out=None))]
pub(crate) fn centroidal<'py>(
    model: &Bound<'py, PyModel>,
    q: &Bound<'py, PyAny>,
    v: Maybe<'_, 'py>,
    a: Maybe<'_, 'py>,
    threads: isize,
    workspace: Option<&Bound<'py, PyWorkspace>>,
    out: Maybe<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = model.py();
    if a.is_some() && v.is_none() {
        return Err(PyValueError::new_err("`a` is given without `v`; give both, or neither"));
    }
    let call = Call { model, surroundings: Surroundings::default(), threads, workspace };
    let [into_matrix, into_momentum, into_rate] = Results::Named("Centroidal").split(out)?;
    let none = || py.None().into_bound(py);
    let [matrix] = call.run(&MomentumMatrix {}, [q], [into_matrix])?;
    let [momentum] = match v {
        None => [none()],
        Some(v) => call.run(&Momentum {}, [q, v], [into_momentum])?,
    };
    let [rate] = match (v, a) {
        (Some(v), Some(a)) => call.run(&MomentumRate {}, [q, v, a], [into_rate])?,
        _ => [none()],
    };
    out.map_or_else(|| named(py, "Centroidal", [matrix, momentum, rate]), |out| Ok(out.clone()))
}

algorithm! { CentroidalDerivatives, (q: configuration, v: tangent, a: tangent)
    -> (dh_dq: six_rows, dhdot_dq: six_rows, dhdot_dv: six_rows, dhdot_da: six_rows, h: six, hdot: six),
one(scene, scratch): {
    let mut out = dtau::CentroidalDerivatives::new(scene.model);
    dtau::centroidal_derivatives(scene.model, &mut scratch.one, q, v, a, &mut out)?;
    h.copy_from_slice(&out.h.to_array());
    hdot.copy_from_slice(&out.hdot.to_array());
    dh_dq.copy_from_slice(&out.dh_dq);
    dhdot_dq.copy_from_slice(&out.dhdot_dq);
    dhdot_dv.copy_from_slice(&out.dhdot_dv);
    dhdot_da.copy_from_slice(&out.dhdot_da);
    Ok(())
},
many(scene, batch): {
    let out = CentroidalDerivativesMut { h, hdot, dh_dq, dhdot_dq, dhdot_dv, dhdot_da };
    batch::centroidal_derivatives(scene.model(), batch, q, v, a, out)
} }

function! {
    /// The derivatives of the centroidal momentum h and of its rate ḣ by q (along tangent directions), v and a.
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// v, a : arrays of shape (nv,) or (..., nv)
    ///     Velocity and acceleration.
    ///
    /// Returns
    /// -------
    /// dtau.CentroidalDerivatives
    ///     ``.dh_dq, .dhdot_dq, .dhdot_dv, .dhdot_da`` of shape (6, nv) or (..., 6, nv), and ``.h``, ``.hdot`` of shape
    ///     (6,) or (..., 6): linear part first, in the world's axes about the centre of mass. ∂h/∂v is ``dhdot_da``.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("humanoid", root="floating")
    /// >>> q, v, a = model.neutral(), np.ones(model.nv), np.zeros(model.nv)
    /// >>> d = dtau.centroidal_derivatives(model, q, v, a)
    /// >>> np.allclose(d.dhdot_da @ v, d.h)
    /// True
    #[doc = include_str!("../text/common.txt")]
    centroidal_derivatives(q, v, a;) -> Results::Named("CentroidalDerivatives"), CentroidalDerivatives
}
