//! Products with the derivatives, without the matrices: what forward and reverse automatic differentiation need.

use super::{Maybe, algorithm, function, vector};
use crate::results::Results;
use dtau::batch;
use dtau::model::Model;
use dtau::{FdCotangent, FdTangent, IdCotangent, IdTangent};
use pyo3::prelude::*;

algorithm! { IdJvp, (q: configuration, v: tangent, a: tangent, dq: tangent, dv: tangent, da: tangent) -> (dtau: vector),
one(scene, scratch): dtau::id_jvp(scene, &mut scratch.one, q, v, a, IdTangent { q: dq, v: dv, a: da }, dtau),
many(scene, batch): batch::id_jvp(scene, batch, q, v, a, IdTangent { q: dq, v: dv, a: da }, dtau) }

function! {
    /// The derivative of inverse dynamics along a direction: ∂τ/∂q δq + ∂τ/∂q̇ δq̇ + ∂τ/∂q̈ δq̈, in O(N).
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// v, a : arrays of shape (nv,) or (..., nv)
    ///     Velocity and acceleration.
    /// dq, dv, da : arrays of shape (nv,) or (..., nv)
    ///     The direction; δq is a tangent of the configuration, so it has nv numbers.
    ///
    /// Returns
    /// -------
    /// array of shape (nv,) or (..., nv)
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> q, v, a, d = model.neutral(), np.ones(6), np.zeros(6), np.arange(6.0)
    /// >>> J = dtau.id_derivatives(model, q, v, a)
    /// >>> np.allclose(dtau.id_jvp(model, q, v, a, d, d, d), J.dq @ d + J.dv @ d + J.da @ d)
    /// True
    #[doc = include_str!("../text/surroundings.txt")]
    id_jvp(q, v, a, dq, dv, da; f_ext: Maybe<'_, 'py> = None, gravity: Maybe<'_, 'py> = None, damping: bool = true,
           friction: bool = true, armature: bool = true) -> Results::Array, IdJvp
}

algorithm! { IdVjp, (q: configuration, v: tangent, a: tangent, w: tangent) -> (dq: vector, dv: vector, da: vector),
one(scene, scratch): dtau::id_vjp(scene, &mut scratch.one, q, v, a, w, IdCotangent { q: dq, v: dv, a: da }),
many(scene, batch): batch::id_vjp(scene, batch, q, v, a, w, IdCotangent { q: dq, v: dv, a: da }) }

function! {
    /// The gradient of wᵀ τ by q, v and a: wᵀ times the derivatives of inverse dynamics, in O(N).
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// v, a, w : arrays of shape (nv,) or (..., nv)
    ///     Velocity, acceleration, and the weights of the torques.
    ///
    /// Returns
    /// -------
    /// dtau.IdGradient
    ///     ``.dq`` (along tangent directions), ``.dv`` and ``.da``, each of shape (nv,) or (..., nv).
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> q, v, a, w = model.neutral(), np.ones(6), np.zeros(6), np.arange(6.0)
    /// >>> np.allclose(dtau.id_vjp(model, q, v, a, w).dq, w @ dtau.id_derivatives(model, q, v, a).dq)
    /// True
    #[doc = include_str!("../text/surroundings.txt")]
    id_vjp(q, v, a, w; f_ext: Maybe<'_, 'py> = None, gravity: Maybe<'_, 'py> = None, damping: bool = true,
           friction: bool = true, armature: bool = true) -> Results::Named("IdGradient"), IdVjp
}

algorithm! { FdJvp, (q: configuration, v: tangent, tau: tangent, dq: tangent, dv: tangent, dtau: tangent) -> (dqdd: vector),
one(scene, scratch): dtau::fd_jvp(scene, &mut scratch.one, q, v, tau, FdTangent { q: dq, v: dv, tau: dtau }, dqdd),
many(scene, batch): batch::fd_jvp(scene, batch, q, v, tau, FdTangent { q: dq, v: dv, tau: dtau }, dqdd) }

function! {
    /// The derivative of forward dynamics along a direction: ∂q̈/∂q δq + ∂q̈/∂q̇ δq̇ + ∂q̈/∂τ δτ, in O(N).
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// v, tau : arrays of shape (nv,) or (..., nv)
    ///     Velocity, and torques and forces [N m, N].
    /// dq, dv, dtau : arrays of shape (nv,) or (..., nv)
    ///     The direction; δq is a tangent of the configuration, so it has nv numbers.
    ///
    /// Returns
    /// -------
    /// array of shape (nv,) or (..., nv)
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> q, v, tau, d = model.neutral(), np.ones(6), np.zeros(6), np.arange(6.0)
    /// >>> J = dtau.fd_derivatives(model, q, v, tau)
    /// >>> np.allclose(dtau.fd_jvp(model, q, v, tau, d, d, d), J.dq @ d + J.dv @ d + J.dtau @ d)
    /// True
    #[doc = include_str!("../text/surroundings.txt")]
    fd_jvp(q, v, tau, dq, dv, dtau; f_ext: Maybe<'_, 'py> = None, gravity: Maybe<'_, 'py> = None, damping: bool = true,
           friction: bool = true, armature: bool = true) -> Results::Array, FdJvp
}

algorithm! { FdVjp, (q: configuration, v: tangent, tau: tangent, w: tangent) -> (dq: vector, dv: vector, dtau: vector),
one(scene, scratch): dtau::fd_vjp(scene, &mut scratch.one, q, v, tau, w, FdCotangent { q: dq, v: dv, tau: dtau }),
many(scene, batch): batch::fd_vjp(scene, batch, q, v, tau, w, FdCotangent { q: dq, v: dv, tau: dtau }) }

function! {
    /// The gradient of wᵀ q̈ by q, v and tau: wᵀ times the derivatives of forward dynamics, in O(N).
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// v, tau, w : arrays of shape (nv,) or (..., nv)
    ///     Velocity, torques and forces [N m, N], and the weights of the accelerations.
    ///
    /// Returns
    /// -------
    /// dtau.FdGradient
    ///     ``.dq`` (along tangent directions), ``.dv`` and ``.dtau``, each of shape (nv,) or (..., nv).
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> q, v, tau, w = model.neutral(), np.ones(6), np.zeros(6), np.arange(6.0)
    /// >>> np.allclose(dtau.fd_vjp(model, q, v, tau, w).dq, w @ dtau.fd_derivatives(model, q, v, tau).dq)
    /// True
    #[doc = include_str!("../text/surroundings.txt")]
    fd_vjp(q, v, tau, w; f_ext: Maybe<'_, 'py> = None, gravity: Maybe<'_, 'py> = None, damping: bool = true,
           friction: bool = true, armature: bool = true) -> Results::Named("FdGradient"), FdVjp
}
