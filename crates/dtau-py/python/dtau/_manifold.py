"""Between coordinates and tangents: what `dtau.jax` and `dtau.torch` need to differentiate by q as it stands in memory.

Along a tangent δξ the coordinates move by δq = L(q) δξ; a change δq of coordinates is the tangent δξ = E(q) δq. E L = 1.

    joint            E                                                L
    plain            1                                                1
    quaternion       2/|q| [w 1 − x×, −x]      for q = (x, w)         ½ [w 1 + x×; −xᵀ]
    free-flyer       Rᵀ for the position, then as above               R, then as above
    planar           Rz(θ)ᵀ for x and y                               Rz(θ)

E takes a quaternion of any length for the rotation it stands for, so it has no derivative along itself.
"""

from __future__ import annotations

import numpy as np

from ._dtau import Model
from ._results import Array


def tangent_by_coordinates(model: Model, q: Array) -> Array:
    """E(q), of shape (..., nv, nq)."""
    out = np.zeros((*q.shape[:-1], model.nv, model.nq), q.dtype)
    for joint in model.joints:
        if joint.mimic is not None:
            continue
        block, own = out[..., joint.v, joint.q], q[..., joint.q]
        if joint.kind == "spherical":
            block[...] = _tangent_by_quaternion(own)
        elif joint.kind == "free-flyer":
            block[..., :3, :3] = rotation(own[..., 3:]).swapaxes(-1, -2)
            block[..., 3:, 3:] = _tangent_by_quaternion(own[..., 3:])
        elif joint.kind == "planar":
            block[..., :2, :2] = _turn(own[..., 2]).swapaxes(-1, -2)
            block[..., 2, 2] = 1
        else:
            block[...] = np.eye(joint.nv, dtype=q.dtype)
    return out


def coordinates_by_tangent(model: Model, q: Array) -> Array:
    """L(q), of shape (..., nq, nv), for quaternions of unit length."""
    out = np.zeros((*q.shape[:-1], model.nq, model.nv), q.dtype)
    for joint in model.joints:
        if joint.mimic is not None:
            continue
        block, own = out[..., joint.q, joint.v], q[..., joint.q]
        if joint.kind == "spherical":
            block[...] = _quaternion_by_tangent(own)
        elif joint.kind == "free-flyer":
            block[..., :3, :3] = rotation(own[..., 3:])
            block[..., 3:, 3:] = _quaternion_by_tangent(own[..., 3:])
        elif joint.kind == "planar":
            block[..., :2, :2] = _turn(own[..., 2])
            block[..., 2, 2] = 1
        else:
            block[...] = np.eye(joint.nv, dtype=q.dtype)
    return out


def rotation(quaternion: Array) -> Array:
    """The rotation matrices (..., 3, 3) of quaternions [x y z w], of any length but zero."""
    x, w = quaternion[..., :3], quaternion[..., 3]
    scale = 2 / np.sum(quaternion * quaternion, axis=-1)
    cross = _cross(x)
    eye = np.eye(3, dtype=quaternion.dtype)
    return np.asarray(eye + (scale * w)[..., None, None] * cross + scale[..., None, None] * (cross @ cross))


def _tangent_by_quaternion(quaternion: Array) -> Array:
    length = np.sqrt(np.sum(quaternion * quaternion, axis=-1))
    unit = quaternion / length[..., None]
    x, w = unit[..., :3], unit[..., 3]
    turned = w[..., None, None] * np.eye(3, dtype=quaternion.dtype) - _cross(x)
    both = np.concatenate([turned, -x[..., None]], axis=-1)
    return np.asarray(both * (2 / length)[..., None, None])


def _quaternion_by_tangent(quaternion: Array) -> Array:
    x, w = quaternion[..., :3], quaternion[..., 3]
    turned = w[..., None, None] * np.eye(3, dtype=quaternion.dtype) + _cross(x)
    return np.asarray(np.concatenate([turned, -x[..., None, :]], axis=-2) / 2)


def _cross(x: Array) -> Array:
    """x×, of shape (..., 3, 3)."""
    out = np.zeros((*x.shape[:-1], 3, 3), x.dtype)
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = x[..., 0], x[..., 1], x[..., 2]
    return out - out.swapaxes(-1, -2)


def _turn(angle: Array) -> Array:
    sin, cos = np.sin(angle), np.cos(angle)
    return np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
