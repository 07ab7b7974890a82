"""The functions that `dtau.jax` and `dtau.torch` offer, with their derivatives by coordinates, in NumPy.

Quaternions are scaled to unit length first, so that every function is one of all of q's numbers, and has a derivative by
each. E and L are those of `_manifold`.

    rnea   τ(q, v, a)        ∂τ/∂q = ∂τ/∂ξ E
    aba    q̈(q, v, τ)        ∂q̈/∂q = ∂q̈/∂ξ E
    step   v' = v + h q̈(q, v, τ)                                                                        (1)
           q' = q ⊕ h v'                                                                                (2)
           δv' = δv + h (∂q̈/∂ξ δξ + ∂q̈/∂v δv + ∂q̈/∂τ δτ)                                               (3)
           δξ' = D_q δξ + D_v h δv',   δq' = L(q') δξ',   δξ = E δq                                      (4)

D_q and D_v are the derivatives of ⊕ along tangents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from . import _dtau
from ._dtau import Model
from ._manifold import coordinates_by_tangent, tangent_by_coordinates
from ._results import Array

Options: TypeAlias = Mapping[str, Any]


class Dynamics(NamedTuple):
    """Inverse or forward dynamics: of (model, options, q, v, x) with accelerations or torques x."""

    function: Callable[..., Array]
    """y."""
    derivatives: Callable[..., tuple[Array, ...]]
    """y, and its derivatives along tangents."""
    gradient: Callable[..., tuple[Array, ...]]
    """wᵀ times these."""

    def value(self, model: Model, options: Options, q: Array, v: Array, x: Array) -> Array:
        return self.function(model, model.normalise(q), v, x, **options)

    def jacobians(self, model: Model, options: Options, q: Array, v: Array, x: Array) -> tuple[Array, ...]:
        """∂y/∂q (..., nv, nq), ∂y/∂v and ∂y/∂x (..., nv, nv)."""
        _, dq, dv, dx = self.derivatives(model, model.normalise(q), v, x, **options)
        return dq @ tangent_by_coordinates(model, q), dv, dx

    def vjp(self, model: Model, options: Options, q: Array, v: Array, x: Array, w: Array) -> tuple[Array, ...]:
        """wᵀ times these."""
        dq, dv, dx = self.gradient(model, model.normalise(q), v, x, w, **options)
        return _row(dq, tangent_by_coordinates(model, q)), dv, dx


DYNAMICS = {
    "rnea": Dynamics(_dtau.rnea, _dtau.id_derivatives, _dtau.id_vjp),
    "aba": Dynamics(_dtau.aba, _dtau.fd_derivatives, _dtau.fd_vjp),
}


def step(model: Model, options: Options, h: float, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
    """q' and v' of (1) and (2)."""
    q = model.normalise(q)
    h = q.dtype.type(h)
    v_next = v + h * _dtau.aba(model, q, v, tau, **options)  # (1)
    return model.integrate(q, h * v_next), v_next  # (2)


def step_jacobians(model: Model, options: Options, h: float, q: Array, v: Array, tau: Array) -> tuple[Array, ...]:
    """Of q' by q, v and τ, then of v' by q, v and τ."""
    E, q = tangent_by_coordinates(model, q), model.normalise(q)
    h = q.dtype.type(h)
    d = _dtau.fd_derivatives(model, q, v, tau, **options)
    v_next = v + h * d.qdd
    by = model.integrate_derivatives(q, h * v_next)
    L = coordinates_by_tangent(model, model.integrate(q, h * v_next))
    eye = np.eye(model.nv, dtype=q.dtype)
    v_by = (h * d.dqdd_dq, eye + h * d.dqdd_dv, h * d.dqdd_dtau)  # (3), by ξ
    into = h * (L @ by.by_v)
    q_by = (L @ by.by_q + into @ v_by[0], into @ v_by[1], into @ v_by[2])  # (4)
    return q_by[0] @ E, q_by[1], q_by[2], v_by[0] @ E, v_by[1], v_by[2]


def step_vjp(
    model: Model, options: Options, h: float, q: Array, v: Array, tau: Array, w_q: Array, w_v: Array
) -> tuple[Array, ...]:
    """w_qᵀ and w_vᵀ times these: (3) and (4) backwards."""
    E, q = tangent_by_coordinates(model, q), model.normalise(q)
    h = q.dtype.type(h)
    v_next = v + h * _dtau.aba(model, q, v, tau, **options)
    by = model.integrate_derivatives(q, h * v_next)
    w_xi = _row(w_q, coordinates_by_tangent(model, model.integrate(q, h * v_next)))
    w_v = w_v + h * _row(w_xi, by.by_v)
    g = _dtau.fd_vjp(model, q, v, tau, h * w_v, **options)
    return _row(_row(w_xi, by.by_q) + g.dq, E), w_v + g.dv, g.dtau


def _row(w: Array, matrix: Array) -> Array:
    """wᵀ M."""
    return np.asarray(np.einsum("...i,...ij->...j", w, matrix))
