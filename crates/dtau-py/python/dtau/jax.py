"""dtau under JAX: :func:`rnea`, :func:`aba` and :func:`step` with ``jit``, ``vmap``, ``grad``, ``jacfwd``, ``jacrev``.

Values and derivatives are dtau's own: analytical, in the arrays' precision. They are computed on the host through
``jax.pure_callback``; ``vmap`` becomes one batch. First and second derivatives of :func:`rnea` and :func:`aba` in both modes, so that
``jax.hessian`` is exact; of :func:`step` first ones. Second ones take nv³ numbers a state, by :func:`dtau.id_second_derivatives`.

>>> import dtau, dtau.jax, jax, jax.numpy as jnp
>>> model = dtau.Model.bundled("arm6")
>>> q = jnp.zeros(model.nq)
>>> torque = jax.jit(lambda q: dtau.jax.rnea(model, q, jnp.zeros(6), jnp.zeros(6)))
>>> torque(q).shape, jax.jacrev(torque)(q).shape, jax.vmap(jax.jacfwd(torque))(jnp.zeros((100, 6))).shape
((6,), (6, 6), (100, 6, 6))
>>> jax.hessian(lambda q: (torque(q) ** 2).sum())(q).shape
(6, 6)

Derivatives by q are by its numbers as they stand in memory, so that they chain with the rest of a JAX program: of a robot
with quaternions ``jacfwd`` gives (nv, nq). A quaternion stands for the rotation that it has when scaled to unit length, so
the derivative along itself is zero. For derivatives along tangent directions, use :func:`dtau.id_derivatives`.

Needs JAX: ``pip install dtau[jax]``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _host
from ._dtau import Model

__all__ = ["aba", "rnea", "step"]


class _Options(dict[str, Any]):
    """Keywords of a call. Hashable by identity, as JAX wants of arguments that it does not trace."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


def rnea(model: Model, q: jax.Array, v: jax.Array, a: jax.Array, **options: Any) -> jax.Array:
    """Inverse dynamics, as :func:`dtau.rnea`: q (..., nq), v and a (..., nv) give τ (..., nv).

    Keywords (``f_ext``, ``gravity``, ``damping``, ``friction``, ``armature``, ``threads``) are those of
    :func:`dtau.rnea`; they are constants to JAX.

    >>> import dtau, dtau.jax, jax, jax.numpy as jnp
    >>> model = dtau.Model.bundled("arm6")
    >>> effort = lambda q: (dtau.jax.rnea(model, q, jnp.zeros(6), jnp.zeros(6), gravity=(0, 0, -1.62)) ** 2).sum()
    >>> jax.grad(effort)(jnp.ones(6)).shape
    (6,)
    """
    q, v, a = _arrays(model, q=q, v=v, a=a)
    return _dynamics("rnea", model, _Options(options), q, v, a)


def aba(model: Model, q: jax.Array, v: jax.Array, tau: jax.Array, **options: Any) -> jax.Array:
    """Forward dynamics, as :func:`dtau.aba`: q (..., nq), v and tau (..., nv) give q̈ (..., nv).

    Keywords are those of :func:`dtau.aba`; they are constants to JAX.

    >>> import dtau, dtau.jax, jax, jax.numpy as jnp
    >>> model = dtau.Model.bundled("arm6")
    >>> jax.jacfwd(dtau.jax.aba, argnums=3)(model, jnp.zeros(6), jnp.zeros(6), jnp.zeros(6)).shape    # M⁻¹
    (6, 6)
    """
    q, v, tau = _arrays(model, q=q, v=v, tau=tau)
    return _dynamics("aba", model, _Options(options), q, v, tau)


def step(
    model: Model, q: jax.Array, v: jax.Array, tau: jax.Array, dt: float, **options: Any
) -> tuple[jax.Array, jax.Array]:
    """One step of semi-implicit (symplectic) Euler on the configuration manifold: (q', v').

    v' = v + dt · aba(q, v, tau), then q' = q ⊕ dt · v'. For a floating base ⊕ is the exponential of SE(3), so that
    quaternions stay of unit length; for plain joints it is a sum. ``dt`` [s] is a constant to JAX.

    >>> import dtau, dtau.jax, jax, jax.numpy as jnp
    >>> model = dtau.Model.bundled("quadruped", root="floating")
    >>> q, v = jnp.asarray(model.neutral()), jnp.zeros(18)
    >>> def height(tau):
    ...     x = (q, v)
    ...     for _ in range(3):
    ...         x = dtau.jax.step(model, *x, tau, 0.01)
    ...     return x[0][2]
    >>> jax.grad(height)(jnp.zeros(18)).shape
    (18,)
    """
    q, v, tau = _arrays(model, q=q, v=v, tau=tau)
    q_next, v_next = _step(model, _Options(options), float(dt), q, v, tau)
    return q_next, v_next


def _arrays(model: Model, **given: Any) -> tuple[jax.Array, ...]:
    """The arguments in one precision, of the right lengths."""
    dtype = jnp.result_type(*given.values(), jnp.float32)
    if dtype not in (jnp.float32, jnp.float64):
        raise TypeError(f"the arrays have dtype {dtype}; they must be float32 or float64")
    arrays = []
    for name, x in given.items():
        x = jnp.asarray(x, dtype)
        length = model.nq if name == "q" else model.nv
        if x.ndim == 0 or x.shape[-1] != length:
            raise ValueError(f"`{name}` has shape {x.shape}; it must be ({length},) or (..., {length})")
        arrays.append(x)
    return tuple(arrays)


def _on_host(function: Callable[..., Any], shapes: tuple[tuple[int, ...], ...], *x: jax.Array) -> Any:
    """Calls a function of NumPy arrays with all states at once; `shapes` are those of its results for one."""
    lead = np.broadcast_shapes(*(array.shape[:-1] for array in x))
    results = tuple(jax.ShapeDtypeStruct((*lead, *shape), x[0].dtype) for shape in shapes)  # type: ignore[no-untyped-call]

    def call(*arrays: Any) -> Any:
        out = function(*(np.asarray(array) for array in arrays))
        return out if isinstance(out, tuple) else (out,)

    # Axes that an argument does not have are given it with length 1; dtau's functions broadcast.
    return jax.pure_callback(call, results, *x, vmap_method="expand_dims")


def _product(jacobian: jax.Array, tangent: jax.Array) -> jax.Array:
    return jnp.einsum("...ij,...j->...i", jacobian, tangent)


@partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def _once(function: Callable[..., Any], shapes: tuple[tuple[int, ...], ...], refusal: str, *x: jax.Array) -> Any:
    """Derivatives from the host. Linear in nothing, so they serve forward and reverse mode; they have no derivative themselves."""
    return _on_host(function, shapes, *x)


@_once.defjvp
def _once_jvp(function: Any, shapes: Any, refusal: str, primals: Any, tangents: Any) -> Any:
    raise NotImplementedError(f"dtau.jax.{refusal}")


def _tangent(model: Model, q: jax.Array, dq: jax.Array) -> jax.Array:
    """E(q) δq, in JAX: it is to be differentiated with the rest."""
    if model.nq == model.nv and not any(joint.kind == "planar" for joint in model.joints):
        return dq
    parts = []
    for joint in model.joints:
        if joint.mimic is not None:
            continue
        own, d = q[..., joint.q], dq[..., joint.q]
        if joint.kind == "spherical":
            parts.append(_turned(own, d))
        elif joint.kind == "free-flyer":
            x, w, p = own[..., 3:6], own[..., 6:], d[..., :3]
            scale = 2 / jnp.sum(own[..., 3:] ** 2, axis=-1, keepdims=True)
            across = jnp.cross(x, p)
            parts += [p + scale * (jnp.cross(x, across) - w * across), _turned(own[..., 3:], d[..., 3:])]
        elif joint.kind == "planar":
            sin, cos, x, y = jnp.sin(own[..., 2]), jnp.cos(own[..., 2]), d[..., 0], d[..., 1]
            parts.append(jnp.stack([cos * x + sin * y, cos * y - sin * x, d[..., 2]], -1))
        else:
            parts.append(d)
    return jnp.concatenate(parts, -1)


def _turned(quaternion: jax.Array, d: jax.Array) -> jax.Array:
    """The rotation that a change of a quaternion of any length is, in the body's axes."""
    x, w, dx, dw = quaternion[..., :3], quaternion[..., 3:], d[..., :3], d[..., 3:]
    return 2 * (w * dx - jnp.cross(x, dx) - x * dw) / jnp.sum(quaternion**2, axis=-1, keepdims=True)


@partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def _dynamics(name: str, model: Model, options: _Options, *x: jax.Array) -> jax.Array:
    """Inverse or forward dynamics, by name."""
    (y,) = _on_host(partial(_host.DYNAMICS[name].value, model, options), ((model.nv,),), *x)
    return y  # type: ignore[no-any-return]


@_dynamics.defjvp
def _dynamics_jvp(name: str, model: Model, options: _Options, primals: Any, tangents: Any) -> Any:
    matrices = _jacobians(name, model, options, *primals)
    along = (_tangent(model, primals[0], tangents[0]), *tangents[1:])
    return _dynamics(name, model, options, *primals), sum(map(_product, matrices, along))


@partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def _jacobians(name: str, model: Model, options: _Options, *x: jax.Array) -> Any:
    """∂y/∂ξ, ∂y/∂v, ∂y/∂x: along tangents."""
    square = (model.nv, model.nv)
    return tuple(_on_host(partial(_host.DYNAMICS[name].jacobians, model, options), (square,) * 3, *x))


@_jacobians.defjvp
def _jacobians_jvp(name: str, model: Model, options: _Options, primals: Any, tangents: Any) -> Any:
    refusal = f"{name} has first and second derivatives only; third ones were asked for"
    twice = partial(_host.DYNAMICS[name].twice, model, options)
    qq, qv, vv, qx = _once(twice, ((model.nv,) * 3,) * 4, refusal, *primals)
    dq, dv, dx = _tangent(model, primals[0], tangents[0]), tangents[1], tangents[2]
    last = partial(jnp.einsum, "...ijk,...k->...ij")
    middle = partial(jnp.einsum, "...ijk,...j->...ik")
    changes = (last(qq, dq) + last(qv, dv) + last(qx, dx), middle(qv, dq) + last(vv, dv), middle(qx, dq))
    return _jacobians(name, model, options, *primals), changes


@partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def _step(model: Model, options: _Options, dt: float, q: jax.Array, v: jax.Array, tau: jax.Array) -> Any:
    q_next, v_next = _on_host(partial(_host.step, model, options, dt), ((model.nq,), (model.nv,)), q, v, tau)
    return q_next, v_next


@_step.defjvp
def _step_jvp(model: Model, options: _Options, dt: float, primals: Any, tangents: Any) -> Any:
    nq, nv = model.nq, model.nv
    shapes = ((nq, nq), (nq, nv), (nq, nv), (nv, nq), (nv, nv), (nv, nv))
    refusal = "step has first derivatives only; second ones were asked for"
    jacobians = _once(partial(_host.step_jacobians, model, options, dt), shapes, refusal, *primals)
    dq = sum(map(_product, jacobians[:3], tangents))
    dv = sum(map(_product, jacobians[3:], tangents))
    return _step(model, options, dt, *primals), (dq, dv)
