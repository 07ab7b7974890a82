"""Converts q and v from and to Pinocchio, MuJoCo and Drake.

Each converter is made once for a pair of models and works on arrays of any number of states:

>>> import dtau, numpy as np
>>> model = dtau.Model.bundled("quadruped", root="floating")
>>> import pinocchio as pin                                             # doctest: +SKIP
>>> theirs = pin.buildModelFromUrdf("quadruped.urdf", pin.JointModelFreeFlyer())  # doctest: +SKIP
>>> convert = dtau.convert.Pinocchio(model, theirs)                     # doctest: +SKIP
>>> q = convert.q_from(pin.randomConfiguration(theirs))                 # doctest: +SKIP

Joints are matched by name, so their order and fixed links between them do not matter. Differences:

=============  =====================================  ===================================  ================================
joint          dtau                                   Pinocchio                            MuJoCo; Drake
=============  =====================================  ===================================  ================================
continuous     one angle                              (cos, sin)                           one angle
spherical      [x y z w]; ω in the body's axes        the same                             MuJoCo: [w x y z]; ω the same
planar         [x y θ]; v in the body's axes          [x y cos sin]; the same              not converted
free-flyer q   [x y z, qx qy qz qw]                   the same                             MuJoCo: [x y z, qw qx qy qz];
                                                                                           Drake: [qw qx qy qz, x y z]
free-flyer v   [linear, angular], the body's axes     the same                             MuJoCo: linear in the world's,
                                                                                           angular in the body's axes;
                                                                                           Drake: [angular, linear], both
                                                                                           in the world's axes
mimicking      none                                   its own                              its own
=============  =====================================  ===================================  ================================

The linear velocity is that of the body's origin everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _manifold
from ._dtau import Joint, Model
from ._results import Array

__all__ = ["Drake", "MuJoCo", "Pinocchio"]


@dataclass(frozen=True)
class _Form:
    """Representation of one joint in the other program. `q` is always dtau's. Functions keep leading axes."""

    nq: int
    nv: int
    q_to: Callable[[Array], Array]
    q_from: Callable[[Array], Array]
    v_to: Callable[[Array, Array], Array] = lambda q, v: v
    v_from: Callable[[Array, Array], Array] = lambda q, v: v


@dataclass(frozen=True)
class _Pair:
    """A joint in both programs. If ours mimics another joint, its numbers are `multiplier` times its leader's,
    and so on."""

    ours: Joint
    form: _Form
    q: slice
    v: slice


class _Converter:
    """Common part of the three converters."""

    program: str
    nq: int
    nv: int

    def __init__(self, model: Model, pairs: list[_Pair]) -> None:
        self._model = model
        self._pairs = pairs

    def q_to(self, q: Any) -> Array:
        """Returns the other program's coordinates of the configurations q, of shape (..., nq)."""
        q = self._checked("q", q, self._model.nq)
        out = np.zeros((*q.shape[:-1], self.nq), q.dtype)
        for pair in self._pairs:
            own = q[..., pair.ours.q]
            if pair.ours.mimic is not None:
                own = pair.ours.mimic.multiplier * own + pair.ours.mimic.offset
            out[..., pair.q] = pair.form.q_to(own)
        return out

    def q_from(self, their_q: Any) -> Array:
        """Returns the configurations for the other program's coordinates, of shape (..., nq)."""
        theirs = self._checked("their_q", their_q, self.nq)
        out = np.zeros((*theirs.shape[:-1], self._model.nq), theirs.dtype)
        for pair in self._pairs:
            if pair.ours.mimic is None:
                out[..., pair.ours.q] = pair.form.q_from(theirs[..., pair.q])
        return out

    def v_to(self, q: Any, v: Any) -> Array:
        """Returns the other program's velocities at the configurations q."""
        q, v = self._checked("q", q, self._model.nq), self._checked("v", v, self._model.nv)
        lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
        out = np.zeros((*lead, self.nv), np.result_type(q, v))
        for pair in self._pairs:
            own = v[..., pair.ours.v]
            if pair.ours.mimic is not None:
                own = pair.ours.mimic.multiplier * own
            out[..., pair.v] = pair.form.v_to(q[..., pair.ours.q], own)
        return out

    def v_from(self, q: Any, their_v: Any) -> Array:
        """Returns the velocities for the other program's velocities, at dtau's configurations q."""
        q, theirs = self._checked("q", q, self._model.nq), self._checked("their_v", their_v, self.nv)
        lead = np.broadcast_shapes(q.shape[:-1], theirs.shape[:-1])
        out = np.zeros((*lead, self._model.nv), np.result_type(q, theirs))
        for pair in self._pairs:
            if pair.ours.mimic is None:
                out[..., pair.ours.v] = pair.form.v_from(q[..., pair.ours.q], theirs[..., pair.v])
        return out

    def _checked(self, name: str, given: Any, length: int) -> Array:
        array = np.asarray(given)
        if array.dtype.kind not in "fiu":
            raise TypeError(f"`{name}` must be numbers, but its dtype is {array.dtype}")
        if array.ndim == 0 or array.shape[-1] != length:
            raise ValueError(f"`{name}` has shape {array.shape}; it must be ({length},) or (..., {length})")
        return array if array.dtype.kind == "f" else array.astype(np.float64)

    def __repr__(self) -> str:
        return f'<dtau.convert.{type(self).__name__} of "{self._model.name}": nq {self._model.nq} ↔ {self.nq}, nv {self._model.nv} ↔ {self.nv}>'


def _same(n: int, m: int) -> _Form:
    return _Form(n, m, lambda q: q, lambda q: q)


def _unsupported(program: str, joint: Joint, theirs: str) -> ValueError:
    return ValueError(f'joint "{joint.name}" is {joint.kind} in dtau and {theirs} in {program}: there is no conversion')


def _missing(program: str, name: str, side: str) -> ValueError:
    other = "dtau.Model" if side == program else program
    return ValueError(
        f'joint "{name}" of the {side if side == program else "dtau.Model"} has no counterpart in the {other}; '
        "make both models from the same robot, with the same root"
    )


def _matched(program: str, model: Model, theirs: dict[str, Any], by_body: dict[str, str]) -> Iterator[tuple[Joint, Any]]:
    """Matches our joints with theirs, by name or by the body that they move. Raises an error if a joint is
    unmatched on either side."""
    theirs = dict(theirs)
    for joint in model.joints:
        name = joint.name if joint.name in theirs else by_body.get(joint.link)
        if name is None or name not in theirs:
            raise _missing(program, joint.name, "dtau.Model")
        yield joint, theirs.pop(name)
    for name in theirs:
        raise _missing(program, name, program)


# Pinocchio


class Pinocchio(_Converter):
    """Converts between a :class:`dtau.Model` and a ``pinocchio.Model`` of the same robot.

    Both sides may have any joint order, and ours may have mimicking joints.
    """

    program = "pinocchio.Model"

    def __init__(self, model: Model, pin_model: Any) -> None:
        theirs = dict(zip(list(pin_model.names)[1:], list(pin_model.joints)[1:]))
        self.nq, self.nv = int(pin_model.nq), int(pin_model.nv)
        pairs = []
        for joint in model.joints:
            their = theirs.pop(joint.name, None)
            if their is None:
                if joint.mimic is not None:
                    continue  # built with mimic=True: it has no coordinates there either
                raise _missing(self.program, joint.name, "dtau.Model")
            form = self._form(joint, their)
            if form.nv != 0:
                pairs.append(_Pair(joint, form, _part(their.idx_q, form.nq), _part(their.idx_v, form.nv)))
        for name in theirs:
            raise _missing(self.program, name, self.program)
        super().__init__(model, pairs)

    def _form(self, joint: Joint, their: Any) -> _Form:
        kind, shape = joint.kind, (int(their.nq), int(their.nv))
        if joint.mimic is not None and "Mimic" in their.shortname():
            return _same(0, 0)
        if kind in ("continuous", "revolute") and shape == (2, 1):
            return _Form(2, 1, lambda q: np.concatenate([np.cos(q), np.sin(q)], -1), lambda q: np.arctan2(q[..., 1:], q[..., :1]))
        if kind == "planar" and shape == (4, 3):
            return _Form(
                4,
                3,
                lambda q: np.concatenate([q[..., :2], np.cos(q[..., 2:]), np.sin(q[..., 2:])], -1),
                lambda q: np.concatenate([q[..., :2], np.arctan2(q[..., 3:], q[..., 2:3])], -1),
            )
        if shape == (joint.nq, joint.nv):
            return _same(*shape)
        raise _unsupported("Pinocchio", joint, their.shortname())


def _part(start: int, count: int) -> slice:
    return slice(int(start), int(start) + count)


# MuJoCo

_FREE, _BALL, _SLIDE, _HINGE = range(4)  # mjtJoint


class MuJoCo(_Converter):
    """Converts between a :class:`dtau.Model` and a ``mujoco.MjModel`` of the same robot.

    A free joint of MuJoCo need not have the name "root_joint": it is matched by the body that it moves.
    """

    program = "mujoco.MjModel"

    def __init__(self, model: Model, mj_model: Any) -> None:
        self.nq, self.nv = int(mj_model.nq), int(mj_model.nv)
        theirs = {mj_model.joint(k).name: k for k in range(mj_model.njnt)}
        by_body = {mj_model.body(mj_model.jnt_bodyid[k]).name: name for name, k in theirs.items() if mj_model.jnt_type[k] == _FREE}
        pairs = []
        for joint, k in _matched(self.program, model, theirs, by_body):
            # A model read from MJCF uses qpos itself. Other models have zero at MuJoCo's "ref".
            zero = 0.0 if "qpos0" in model.poses else float(mj_model.qpos0[mj_model.jnt_qposadr[k]])
            form = self._form(joint, int(mj_model.jnt_type[k]), zero)
            pairs.append(_Pair(joint, form, _part(mj_model.jnt_qposadr[k], form.nq), _part(mj_model.jnt_dofadr[k], form.nv)))
        super().__init__(model, pairs)

    @staticmethod
    def _form(joint: Joint, kind: int, zero: float) -> _Form:
        if kind == _FREE and joint.kind == "free-flyer":
            return _Form(
                7,
                6,
                lambda q: np.concatenate([q[..., :3], q[..., 6:], q[..., 3:6]], -1),
                lambda q: np.concatenate([q[..., :3], q[..., 4:], q[..., 3:4]], -1),
                lambda q, v: np.concatenate([_to_world(q, v[..., :3]), _wide(q, v[..., 3:])], -1),
                lambda q, v: np.concatenate([_to_body(q, v[..., :3]), _wide(q, v[..., 3:])], -1),
            )
        if kind == _BALL and joint.kind == "spherical":
            return _Form(
                4,
                3,
                lambda q: np.concatenate([q[..., 3:], q[..., :3]], -1),
                lambda q: np.concatenate([q[..., 1:], q[..., :1]], -1),
            )
        if (kind == _HINGE and joint.kind in ("revolute", "continuous")) or (kind == _SLIDE and joint.kind == "prismatic"):
            return _Form(1, 1, lambda q: q + zero, lambda q: q - zero)  # MuJoCo's "ref"
        raise _unsupported("MuJoCo", joint, ["free", "ball", "slide", "hinge"][kind])


# Drake


class Drake(_Converter):
    """Converts between a :class:`dtau.Model` and a finalised ``pydrake.multibody.plant.MultibodyPlant`` of
    the same robot.

    The plant's floating joint is matched by the body that it moves. If the plant has several robots, select
    one: ``Drake(model, plant, instance)``. q and v are those of the whole plant.
    """

    program = "MultibodyPlant"

    def __init__(self, model: Model, plant: Any, instance: Any = None) -> None:
        self.nq, self.nv = int(plant.num_positions()), int(plant.num_velocities())
        indices = plant.GetJointIndices() if instance is None else plant.GetJointIndices(instance)
        moving = [joint for joint in map(plant.get_joint, indices) if joint.num_velocities() > 0]
        theirs = {joint.name(): joint for joint in moving}
        floating = {joint.child_body().name(): joint.name() for joint in moving if joint.num_velocities() == 6}
        pairs = []
        for joint, their in _matched(self.program, model, theirs, floating):
            form = self._form(joint, their.type_name(), int(their.num_positions()))
            pairs.append(_Pair(joint, form, _part(their.position_start(), form.nq), _part(their.velocity_start(), form.nv)))
        super().__init__(model, pairs)

    @staticmethod
    def _form(joint: Joint, kind: str, nq: int) -> _Form:
        if kind == "quaternion_floating" and joint.kind == "free-flyer":
            return _Form(
                7,
                6,
                lambda q: np.concatenate([q[..., 6:], q[..., 3:6], q[..., :3]], -1),
                lambda q: np.concatenate([q[..., 4:], q[..., 1:4], q[..., :1]], -1),
                lambda q, v: np.concatenate([_to_world(q, v[..., 3:]), _to_world(q, v[..., :3])], -1),
                lambda q, v: np.concatenate([_to_body(q, v[..., 3:]), _to_body(q, v[..., :3])], -1),
            )
        if (kind == "revolute" and joint.kind in ("revolute", "continuous")) or kind == joint.kind == "prismatic":
            return _same(1, 1)
        raise _unsupported("Drake", joint, kind)


def _to_world(q: Array, x: Array) -> Array:
    """Transforms a free-flyer's vectors from the body's to the world's axes."""
    return np.asarray(_manifold.to_world(np, q[..., 3:7], x))


def _to_body(q: Array, x: Array) -> Array:
    return np.asarray(_manifold.to_body(np, q[..., 3:7], x))


def _wide(q: Array, x: Array) -> Array:
    """Broadcasts to the leading axes of `_to_world`'s result."""
    return np.broadcast_to(x, (*np.broadcast_shapes(q.shape[:-1], x.shape[:-1]), x.shape[-1]))
