//! Inverse and forward dynamics, the mass matrix and its relatives.

use super::{Maybe, algorithm, function, square, vector};
use crate::arrays::Shape;
use crate::results::Results;
use dtau::batch::{self, EnergyMut};
use dtau::model::Model;
use pyo3::prelude::*;

algorithm! { Rnea, (q: configuration, v: tangent, a: tangent) -> (tau: vector),
one(scene, scratch): dtau::rnea(scene, &mut scratch.one, q, v, a, tau),
many(scene, batch): batch::rnea(scene, batch, q, v, a, tau) }

function! {
    /// Inverse dynamics: the torques that give the accelerations ``a``.
    ///
    /// τ = M(q) a + C(q, v) v + g(q) − Jᵀ f_ext, and what the joints add: armature, damping, friction. By the recursive
    /// Newton–Euler algorithm, in O(N).
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m]; quaternions are [x, y, z, w].
    /// v, a : arrays of shape (nv,) or (..., nv)
    ///     Velocity and acceleration, in the body's axes for joints of several degrees of freedom. Leading axes broadcast.
    ///
    /// Returns
    /// -------
    /// array of shape (nv,) or (..., nv)
    ///     Torques and forces [N m, N]. ``float32`` if all arrays are, else ``float64``. Arrays that are not contiguous
    ///     are copied first.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> q = model.random(np.random.default_rng(0), 1000)      # 1,000 configurations
    /// >>> v = a = np.zeros(model.nv)                            # the same for all of them
    /// >>> dtau.rnea(model, q, v, a, threads=2).shape
    /// (1000, 6)
    #[doc = include_str!("../text/surroundings.txt")]
    rnea(q, v, a; f_ext: Maybe<'_, 'py> = None, gravity: Maybe<'_, 'py> = None, damping: bool = true,
         friction: bool = true, armature: bool = true) -> Results::Array, Rnea
}

algorithm! { Bias, (q: configuration, v: tangent) -> (tau: vector),
one(scene, scratch): dtau::bias(scene, &mut scratch.one, q, v, tau),
many(scene, batch): batch::bias(scene, batch, q, v, tau) }

function! {
    /// The torques that keep the velocity: inverse dynamics at zero acceleration.
    ///
    /// C(q, v) v + g(q) − Jᵀ f_ext, and the joints' damping and friction. In O(N).
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
    /// array of shape (nv,) or (..., nv)
    ///     Torques and forces [N m, N].
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> q, v = model.neutral(), np.ones(model.nv)
    /// >>> np.allclose(dtau.bias(model, q, v), dtau.rnea(model, q, v, np.zeros(model.nv)))
    /// True
    #[doc = include_str!("../text/surroundings.txt")]
    bias(q, v; f_ext: Maybe<'_, 'py> = None, gravity: Maybe<'_, 'py> = None, damping: bool = true,
         friction: bool = true, armature: bool = true) -> Results::Array, Bias
}

algorithm! { Gravity, (q: configuration) -> (tau: vector),
one(scene, scratch): dtau::gravity_torques(scene, &mut scratch.one, q, tau),
many(scene, batch): batch::gravity_torques(scene, batch, q, tau) }

function! {
    /// The torques that hold the robot against gravity, g(q).
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
    /// array of shape (nv,) or (..., nv)
    ///     Torques and forces [N m, N].
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> bool(abs(dtau.gravity(model, model.neutral(), gravity=[0, 0, 0])).max() == 0)
    /// True
    #[doc = include_str!("../text/common.txt")]
    gravity(q; gravity: Maybe<'_, 'py> = None) -> Results::Array, Gravity
}

algorithm! { Aba, (q: configuration, v: tangent, tau: tangent) -> (qdd: vector),
one(scene, scratch): dtau::aba(scene, &mut scratch.one, q, v, tau, qdd),
many(scene, batch): batch::aba(scene, batch, q, v, tau, qdd) }

function! {
    /// Forward dynamics: the accelerations that the torques ``tau`` give.
    ///
    /// q̈ = M(q)⁻¹ (τ − C(q, v) v − g(q) + Jᵀ f_ext), the inverse of :func:`dtau.rnea`. By the articulated-body algorithm,
    /// in O(N).
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
    /// array of shape (nv,) or (..., nv)
    ///     Accelerations [rad/s², m/s²].
    ///
    /// Raises
    /// ------
    /// numpy.linalg.LinAlgError
    ///     If nothing resists a joint: its body has no inertia along it.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> q, v, a = model.neutral(), np.ones(model.nv), np.ones(model.nv)
    /// >>> np.allclose(dtau.aba(model, q, v, dtau.rnea(model, q, v, a)), a)
    /// True
    #[doc = include_str!("../text/surroundings.txt")]
    aba(q, v, tau; f_ext: Maybe<'_, 'py> = None, gravity: Maybe<'_, 'py> = None, damping: bool = true,
        friction: bool = true, armature: bool = true) -> Results::Array, Aba
}

algorithm! { Crba, (q: configuration) -> (m: square),
one(scene, scratch): dtau::crba(scene, &mut scratch.one, q, m),
many(scene, batch): batch::crba(scene, batch, q, m) }

function! {
    /// The mass matrix M(q): both triangles, exactly symmetric.
    ///
    /// By the composite-rigid-body algorithm. With the joints' rotor inertia unless ``armature=False``.
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    ///
    /// Returns
    /// -------
    /// array of shape (nv, nv) or (..., nv, nv)
    ///     Mass matrix [kg m², kg m, kg].
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("quadruped", root="floating")
    /// >>> M = dtau.crba(model, model.neutral())
    /// >>> M.shape, bool(np.all(M == M.T)), bool(np.isclose(M[0, 0], model.mass))
    /// ((18, 18), True, True)
    #[doc = include_str!("../text/common.txt")]
    crba(q; armature: bool = true) -> Results::Array, Crba
}

algorithm! { Minverse, (q: configuration) -> (minv: square),
one(scene, scratch): dtau::minverse(scene, &mut scratch.one, q, minv),
many(scene, batch): batch::minverse(scene, batch, q, minv) }

function! {
    /// The inverse of the mass matrix, M(q)⁻¹, computed without M: both triangles, exactly symmetric.
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    ///
    /// Returns
    /// -------
    /// array of shape (nv, nv) or (..., nv, nv)
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm7")
    /// >>> q = model.neutral()
    /// >>> np.allclose(dtau.minverse(model, q) @ dtau.crba(model, q), np.eye(model.nv))
    /// True
    #[doc = include_str!("../text/common.txt")]
    minverse(q; armature: bool = true) -> Results::Array, Minverse
}

algorithm! { Coriolis, (q: configuration, v: tangent) -> (c: square),
one(scene, scratch): dtau::coriolis(scene.model, &mut scratch.one, q, v, c),
many(scene, batch): batch::coriolis(scene.model(), batch, q, v, c) }

function! {
    /// The Coriolis matrix C(q, v): C v are the Coriolis and centrifugal torques, and Ṁ = C + Cᵀ.
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
    /// array of shape (nv, nv) or (..., nv, nv)
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm7", damping=False, friction=False)
    /// >>> q, v = model.neutral(), np.ones(model.nv)
    /// >>> np.allclose(dtau.coriolis(model, q, v) @ v, dtau.bias(model, q, v) - dtau.gravity(model, q))
    /// True
    #[doc = include_str!("../text/common.txt")]
    coriolis(q, v;) -> Results::Array, Coriolis
}

algorithm! { MassTimes, (q: configuration, x: tangent) -> (y: vector),
one(scene, scratch): dtau::mass_times(scene, &mut scratch.one, q, x, y),
many(scene, batch): batch::mass_times(scene, batch, q, x, y) }

function! {
    /// M(q) x, without forming the mass matrix. In O(N).
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// x : array of shape (nv,) or (..., nv)
    ///
    /// Returns
    /// -------
    /// array of shape (nv,) or (..., nv)
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm7")
    /// >>> q, x = model.neutral(), np.arange(float(model.nv))
    /// >>> np.allclose(dtau.mass_times(model, q, x), dtau.crba(model, q) @ x)
    /// True
    #[doc = include_str!("../text/common.txt")]
    mass_times(q, x; armature: bool = true) -> Results::Array, MassTimes
}

algorithm! { MassSolve, (q: configuration, x: tangent) -> (y: vector),
one(scene, scratch): dtau::mass_solve(scene, &mut scratch.one, q, x, y),
many(scene, batch): batch::mass_solve(scene, batch, q, x, y) }

function! {
    /// M(q)⁻¹ x, without forming the mass matrix or its inverse. In O(N).
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// x : array of shape (nv,) or (..., nv)
    ///
    /// Returns
    /// -------
    /// array of shape (nv,) or (..., nv)
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm7")
    /// >>> q, x = model.neutral(), np.arange(float(model.nv))
    /// >>> np.allclose(dtau.mass_solve(model, q, dtau.mass_times(model, q, x)), x)
    /// True
    #[doc = include_str!("../text/common.txt")]
    mass_solve(q, x; armature: bool = true) -> Results::Array, MassSolve
}

algorithm! { Energy, (q: configuration, v: tangent) -> (kinetic: |_: &Model| Shape::Scalar, potential: |_: &Model| Shape::Scalar),
one(scene, scratch): {
    let energy = dtau::energy(scene, &mut scratch.one, q, v)?;
    (kinetic[0], potential[0]) = (energy.kinetic, energy.potential);
    Ok(())
},
many(scene, batch): batch::energy(scene, batch, q, v, EnergyMut { kinetic, potential }) }

function! {
    /// Kinetic energy ½ vᵀ M v and potential energy −g · Σ m c [J].
    ///
    /// Rotor inertia counts unless ``armature=False``. Links welded to the world do not count.
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// q : array of shape (nq,) or (..., nq)
    ///     Configuration [rad, m].
    /// v : array of shape (nv,) or (..., nv)
    ///     Velocity.
    /// gravity : array_like of shape (3,), optional
    ///     Gravity in the world's axes [m/s²] for this call; the model's if left out.
    ///
    /// Returns
    /// -------
    /// dtau.Energy
    ///     ``.kinetic`` and ``.potential``: a number each, or an array of shape (...).
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> q, v = model.neutral(), np.ones(model.nv)
    /// >>> bool(np.isclose(dtau.energy(model, q, v).kinetic, 0.5 * v @ dtau.crba(model, q) @ v))
    /// True
    #[doc = include_str!("../text/common.txt")]
    energy(q, v; gravity: Maybe<'_, 'py> = None, armature: bool = true) -> Results::Named("Energy"), Energy
}
