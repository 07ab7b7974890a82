"""Converts between coordinates and tangents: `dtau.jax` and `dtau.torch` differentiate by the numbers of q.

Along a tangent δξ the coordinates move by δq = L(q) δξ. A change δq of coordinates is the tangent δξ = E(q) δq. E L = 1.

    joint            E                                                L
    plain            1                                                1
    quaternion       2/|q|² [w 1 − x×, −x]     for q = (x, w)         ½ [w 1 + x×; −xᵀ]
    free-flyer       Rᵀ for the position, then as above               R, then as above
    planar           Rz(θ)ᵀ for x and y                               Rz(θ)

E normalises quaternions of any length, so the derivative along the quaternion itself is zero.

`xp` is the array module of the caller: NumPy, or `cross`, `concatenate`, `einsum`, `stack`, `sin` and `cos`
of JAX and PyTorch. So these products are differentiated with the rest of a program.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ._dtau import Model
from ._results import Array


def is_plain(model: Model) -> bool:
    """True if coordinates are tangents: E = L = 1."""
    return model.nq == model.nv and not any(joint.kind == "planar" for joint in model.joints)


def tangent(xp: Any, model: Model, q: Any, d: Any) -> Any:
    """Returns E(q) d."""
    return _by_joints(xp, model, q, d, "q", _turn_of, to_body, -1)


def tangent_transposed(xp: Any, model: Model, q: Any, g: Any) -> Any:
    """Returns E(q)ᵀ g."""
    return _by_joints(xp, model, q, g, "v", _by_quaternion, to_world, 1)


def coordinates(xp: Any, model: Model, q: Any, d: Any) -> Any:
    """Returns L(q) d, for unit quaternions."""
    return _by_joints(xp, model, q, d, "v", lambda *x: _by_quaternion(*x) / 4, to_world, 1)


def coordinates_transposed(xp: Any, model: Model, q: Any, w: Any) -> Any:
    """Returns L(q)ᵀ w, for unit quaternions."""
    return _by_joints(xp, model, q, w, "q", lambda *x: _turn_of(*x) / 4, to_body, -1)


def _by_joints(
    xp: Any,
    model: Model,
    q: Any,
    d: Any,
    of: str,
    quaternion: Callable[[Any, Any, Any], Any],
    turn: Callable[[Any, Any, Any], Any],
    sign: int,
) -> Any:
    """Computes a product joint by joint, with a vector `d` of coordinates ("q") or of tangents ("v")."""
    if is_plain(model):
        return d
    parts = []
    for joint in model.joints:
        if joint.mimic is not None:
            continue
        own, x = q[..., joint.q], d[..., getattr(joint, of)]
        if joint.kind == "spherical":
            parts.append(quaternion(xp, own, x))
        elif joint.kind == "free-flyer":
            parts += [turn(xp, own[..., 3:], x[..., :3]), quaternion(xp, own[..., 3:], x[..., 3:])]
        elif joint.kind == "planar":
            sin, cos = sign * xp.sin(own[..., 2]), xp.cos(own[..., 2])
            parts.append(xp.stack([cos * x[..., 0] - sin * x[..., 1], sin * x[..., 0] + cos * x[..., 1], x[..., 2]], -1))
        else:
            parts.append(x)
    return xp.concatenate(parts, -1)


def _squared(xp: Any, quaternion: Any) -> Any:
    return xp.einsum("...i,...i->...", quaternion, quaternion)[..., None]


def _turn_of(xp: Any, quaternion: Any, d: Any) -> Any:
    """Returns the rotation that corresponds to a change of a quaternion of any length, in the body's axes."""
    x, w, dx, dw = quaternion[..., :3], quaternion[..., 3:], d[..., :3], d[..., 3:]
    return 2 * (w * dx - xp.cross(x, dx) - x * dw) / _squared(xp, quaternion)


def _by_quaternion(xp: Any, quaternion: Any, g: Any) -> Any:
    """Transpose of `_turn_of`. Also four times the change of a unit quaternion that corresponds to a rotation."""
    x, w = quaternion[..., :3], quaternion[..., 3:]
    last = -xp.einsum("...i,...i->...", x, g)[..., None]
    return 2 * xp.concatenate([w * g + xp.cross(x, g), last], -1) / _squared(xp, quaternion)


def to_world(xp: Any, quaternion: Any, p: Any) -> Any:
    """Returns R p, for the rotation R of quaternions [x y z w] of any nonzero length."""
    x, w, across = quaternion[..., :3], quaternion[..., 3:], xp.cross(quaternion[..., :3], p)
    return p + 2 * (xp.cross(x, across) + w * across) / _squared(xp, quaternion)


def to_body(xp: Any, quaternion: Any, p: Any) -> Any:
    """Returns Rᵀ p."""
    x, w, across = quaternion[..., :3], quaternion[..., 3:], xp.cross(quaternion[..., :3], p)
    return p + 2 * (xp.cross(x, across) - w * across) / _squared(xp, quaternion)


@lru_cache(maxsize=64)
def half_brackets(model: Model) -> tuple[Array, Array] | None:
    """Returns ½ [e, c], half the commutator of two directions, as components (m, e, c) over the degrees of
    freedom that do not all commute. Also returns these as rows of a matrix of zeros and ones, with nv
    columns. None if all of them commute."""
    wide = [(joint, own) for joint in model.joints if (own := _algebra(joint)) is not None]
    if not wide:
        return None
    places = np.concatenate([np.arange(model.nv)[joint.v] for joint, _ in wide])
    out, start = np.zeros((len(places),) * 3), 0
    for _, own in wide:
        here = slice(start, start + len(own))
        out[here, here, here] = own / 2
        start = here.stop
    return out, np.eye(model.nv)[places]


def _algebra(joint: Any) -> Array | None:
    """Returns [e, c], the commutator of two directions of a joint, as components (m, e, c). None if all of them
    commute."""
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
