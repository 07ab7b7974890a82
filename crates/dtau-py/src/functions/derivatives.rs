//! Derivatives of inverse and forward dynamics.

use super::{Maybe, algorithm, function, square, vector};
use crate::results::Results;
use dtau::batch::{self, FdDerivativesMut, IdDerivativesMut};
use dtau::model::Model;
use pyo3::prelude::*;

algorithm! { IdDerivatives, (q: configuration, v: tangent, a: tangent) -> (tau: vector, dq: square, dv: square, da: square),
one(scene, scratch): scratch.id(scene.model, [tau, dq, dv, da], |ws, out| dtau::id_derivatives(scene, ws, q, v, a, out)),
many(scene, batch): batch::id_derivatives(scene, batch, q, v, a, IdDerivativesMut { tau, dq, dv, da }) }

function! {
    /// The derivatives of inverse dynamics (:func:`dtau.rnea`) by q, v and a, and the torques themselves.
    ///
    /// Analytical and exact, by IDSVA, in O(N d) for a tree of depth d. By q along tangent directions, q ⊕ δ, so every
    /// matrix is nv × nv. External forces are differentiated as they were given; damping, friction, armature and mimicking
    /// joints are in it.
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
    /// dtau.IdDerivatives
    ///     ``.tau`` (..., nv): the torques; ``.dq``, ``.dv``, ``.da`` (..., nv, nv): ∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈ = M.
    ///     ``[i, j]`` is the derivative of torque i by coordinate j.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("quadruped", root="floating")
    /// >>> q, v, a = model.neutral(), np.zeros(model.nv), np.zeros(model.nv)
    /// >>> d = dtau.id_derivatives(model, q, v, a)
    /// >>> d.dq.shape, np.allclose(d.da, dtau.crba(model, q))
    /// ((18, 18), True)
    /// >>> d is dtau.id_derivatives(model, q, v, a, out=d)       # again, into the same memory
    /// True
    #[doc = include_str!("../text/surroundings.txt")]
    id_derivatives(q, v, a; f_ext: Maybe<'_, 'py> = None, gravity: Maybe<'_, 'py> = None, damping: bool = true,
                   friction: bool = true, armature: bool = true) -> Results::Named("IdDerivatives"), IdDerivatives
}

algorithm! { FdDerivatives, (q: configuration, v: tangent, tau: tangent) -> (qdd: vector, dq: square, dv: square, dtau: square),
one(scene, scratch): dtau::fd_derivatives(scene, &mut scratch.one, q, v, tau, FdDerivativesMut { qdd, dq, dv, dtau }),
many(scene, batch): batch::fd_derivatives(scene, batch, q, v, tau, FdDerivativesMut { qdd, dq, dv, dtau }) }

function! {
    /// The derivatives of forward dynamics (:func:`dtau.aba`) by q, v and tau, and the accelerations themselves.
    ///
    /// Analytical and exact, by FDSVA. By q along tangent directions, q ⊕ δ, so every matrix is nv × nv. External forces
    /// are differentiated as they were given; damping, friction, armature and mimicking joints are in it.
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// v, tau : arrays of shape (nv,) or (..., nv)
    ///     Velocity, and torques and forces [N m, N].
    ///
    /// Returns
    /// -------
    /// dtau.FdDerivatives
    ///     ``.qdd`` (..., nv): the accelerations; ``.dq``, ``.dv``, ``.dtau`` (..., nv, nv): ∂q̈/∂q, ∂q̈/∂q̇ and
    ///     ∂q̈/∂τ = M⁻¹. ``[i, j]`` is the derivative of acceleration i by coordinate j.
    ///
    /// Raises
    /// ------
    /// numpy.linalg.LinAlgError
    ///     If nothing resists a joint: its body has no inertia along it.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("quadruped", root="floating")
    /// >>> q, v, tau = model.neutral(), np.ones(model.nv), np.ones(model.nv)
    /// >>> d = dtau.fd_derivatives(model, q, v, tau)
    /// >>> np.allclose(d.dq, -d.dtau @ dtau.id_derivatives(model, q, v, d.qdd).dq)
    /// True
    #[doc = include_str!("../text/surroundings.txt")]
    fd_derivatives(q, v, tau; f_ext: Maybe<'_, 'py> = None, gravity: Maybe<'_, 'py> = None, damping: bool = true,
                   friction: bool = true, armature: bool = true) -> Results::Named("FdDerivatives"), FdDerivatives
}

algorithm! { InertialDerivatives, (q: configuration, a: tangent) -> (tau: vector, dq: square, dv: square, da: square),
one(scene, scratch): scratch.id(scene.model, [tau, dq, dv, da], |ws, out| dtau::inertial_derivatives(scene, ws, q, a, out)),
many(scene, batch): batch::inertial_derivatives(scene, batch, q, a, IdDerivativesMut { tau, dq, dv, da }) }

function! {
    /// The derivatives of the inertial torques M(q) a, and the torques themselves.
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// a : array of shape (nv,) or (..., nv)
    ///     Acceleration.
    ///
    /// Returns
    /// -------
    /// dtau.IdDerivatives
    ///     ``.dq`` is ∂(M a)/∂q, ``.da`` is M, ``.dv`` is zero.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> q, a = model.neutral(), np.ones(6)
    /// >>> np.allclose(dtau.inertial_derivatives(model, q, a).tau, dtau.crba(model, q) @ a)
    /// True
    #[doc = include_str!("../text/common.txt")]
    inertial_derivatives(q, a; armature: bool = true) -> Results::Named("IdDerivatives"), InertialDerivatives
}

algorithm! { BiasDerivatives, (q: configuration, v: tangent) -> (tau: vector, dq: square, dv: square, da: square),
one(scene, scratch): scratch.id(scene.model, [tau, dq, dv, da], |ws, out| dtau::bias_derivatives(scene, ws, q, v, out)),
many(scene, batch): batch::bias_derivatives(scene, batch, q, v, IdDerivativesMut { tau, dq, dv, da }) }

function! {
    /// The derivatives of :func:`dtau.bias`, and the bias itself.
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
    /// dtau.IdDerivatives
    ///     ``.dq`` and ``.dv`` are those of the bias, ``.da`` is zero.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> q, v = model.neutral(), np.ones(6)
    /// >>> d, whole = dtau.bias_derivatives(model, q, v), dtau.id_derivatives(model, q, v, np.zeros(6))
    /// >>> np.allclose(d.dq, whole.dq), np.allclose(d.dv, whole.dv)
    /// (True, True)
    #[doc = include_str!("../text/surroundings.txt")]
    bias_derivatives(q, v; f_ext: Maybe<'_, 'py> = None, gravity: Maybe<'_, 'py> = None, damping: bool = true,
                     friction: bool = true, armature: bool = true) -> Results::Named("IdDerivatives"), BiasDerivatives
}

algorithm! { GravityDerivatives, (q: configuration) -> (tau: vector, dq: square, dv: square, da: square),
one(scene, scratch): scratch.id(scene.model, [tau, dq, dv, da], |ws, out| dtau::gravity_derivatives(scene, ws, q, out)),
many(scene, batch): batch::gravity_derivatives(scene, batch, q, IdDerivativesMut { tau, dq, dv, da }) }

function! {
    /// The derivatives of :func:`dtau.gravity`, and the torques themselves.
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// gravity : array_like of shape (3,), optional
    ///     Gravity in the world's axes [m/s²] for this call; the model's if left out.
    ///
    /// Returns
    /// -------
    /// dtau.IdDerivatives
    ///     ``.dq`` is ∂g/∂q; ``.dv`` and ``.da`` are zero.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> d = dtau.gravity_derivatives(model, model.neutral())
    /// >>> np.allclose(d.dq, d.dq.T)                             # the Hessian of the potential energy
    /// True
    #[doc = include_str!("../text/common.txt")]
    gravity_derivatives(q; gravity: Maybe<'_, 'py> = None) -> Results::Named("IdDerivatives"), GravityDerivatives
}
