"""The functions that `dtau.jax` and `dtau.torch` offer, with their derivatives by coordinates, in NumPy.

Quaternions are scaled to unit length first, so that every function is one of all of q's numbers, and has a derivative by
each. E and L are those of `_manifold`.

    rnea   τ(q, v, a)        ∂τ/∂q = ∂τ/∂ξ E
    aba    q̈(q, v, τ)        ∂q̈/∂q = ∂q̈/∂ξ E
    second derivatives are along tangents: N of the book, whose columns are changes along one; E has its own, where it is needed
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
    product: Callable[..., Array]
    """These times a direction."""
    hessian_product: Callable[..., tuple[Array, ...]]
    """The second derivatives of wᵀ y times a direction."""
    tensors: Callable[..., tuple[Array, ...]]
    """The second derivatives of y."""

    def value(self, model: Model, options: Options, q: Array, v: Array, x: Array) -> Array:
        return self.function(model, model.normalise(q), v, x, **options)

    def jacobians(self, model: Model, options: Options, q: Array, v: Array, x: Array) -> tuple[Array, ...]:
        """∂y/∂ξ, ∂y/∂v and ∂y/∂x (..., nv, nv)."""
        _, dq, dv, dx = self.derivatives(model, model.normalise(q), v, x, **options)
        return dq, dv, dx

    def vjp(self, model: Model, options: Options, q: Array, v: Array, x: Array, w: Array) -> tuple[Array, ...]:
        """wᵀ times these."""
        return tuple(self.gradient(model, model.normalise(q), v, x, w, **options))

    def twice(self, model: Model, options: Options, q: Array, v: Array, x: Array) -> tuple[Array, ...]:
        """How these change: ∂²y by ξ and ξ, ξ and v, v and v, ξ and x (..., nv, nv, nv)."""
        unit = model.normalise(q)
        qq, qv, vv, qx = self.tensors(model, unit, v, x, **options)
        if all(_algebra(joint) is None for joint in model.joints):
            return qq, qv, vv, qx
        _, dq, _, _ = self.derivatives(model, unit, v, x, **options)
        qq = qq.copy()
        for joint in model.joints:
            if (brackets := _algebra(joint)) is not None:  # N[c, e] = H[c, e] + ½ y_q·[e, c]
                own = dq[..., joint.v]
                qq[..., joint.v, joint.v] += np.einsum("...im,mec->...ice", own, brackets.astype(q.dtype) / 2)
        return qq, qv, vv, qx

    def vjp_transposed(
        self, model: Model, options: Options, q: Array, v: Array, x: Array, w: Array, u: tuple[Array, Array, Array]
    ) -> tuple[Array, ...]:
        """uᵀ times the derivatives of `vjp` by ξ, v, x and w, in O(N)."""
        unit = model.normalise(q)
        dq, dv, dx = self.hessian_product(model, unit, v, x, w, *u, **options)
        wide = [(joint.v, brackets) for joint in model.joints if (brackets := _algebra(joint)) is not None]
        if wide:  # Nᵀ u = H u + ½ y_q·[·, u]
            by_q = self.gradient(model, unit, v, x, w, **options)[0]
            dq = dq.copy()
            for own, brackets in wide:
                dq[..., own] += np.einsum("...m,mec,...c->...e", by_q[..., own], brackets.astype(q.dtype) / 2, u[0][..., own])
        return dq, dv, dx, self.product(model, unit, v, x, *u, **options)


DYNAMICS = {
    "rnea": Dynamics(
        _dtau.rnea, _dtau.id_derivatives, _dtau.id_vjp, _dtau.id_jvp, _dtau.id_hvp, _dtau.id_second_derivatives
    ),
    "aba": Dynamics(_dtau.aba, _dtau.fd_derivatives, _dtau.fd_vjp, _dtau.fd_jvp, _dtau.fd_hvp, _dtau.fd_second_derivatives),
}


def _algebra(joint: Any) -> Array | None:
    """[e, c], the commutator of two directions of a joint, by its components: (m, e, c); none if all of them commute."""
    turn = np.zeros((3, 3, 3))
    for m, e, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        turn[m, e, c], turn[m, c, e] = 1, -1
    if joint.mimic is not None:
        return None
    if joint.kind == "spherical":
        return turn
    if joint.kind == "free-flyer":  # (v, ω) × (v', ω') = (ω × v' + v × ω', ω × ω')
        out = np.zeros((6, 6, 6))
        out[:3, 3:, :3] = out[:3, :3, 3:] = out[3:, 3:, 3:] = turn
        return out
    if joint.kind == "planar":  # x, y and the angle
        out = np.zeros((3, 3, 3))
        out[1, 2, 0], out[1, 0, 2], out[0, 2, 1], out[0, 1, 2] = 1, -1, -1, 1
        return out
    return None


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
