"""Common part of `dtau.jax` and `dtau.torch`: calls of functions in the table of rules, and their
differentiation."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from . import _dtau
from ._dtau import Model
from ._manifold import coordinates, coordinates_transposed, is_plain, tangent, tangent_transposed
from ._plans import Options, Place, Plan, plan
from ._rules import RULES

_CONFIGURATIONS = ("q", "q0", "q1")


class Wrench:
    """An external force and torque on a frame of the robot. Same arguments as :class:`dtau.Wrench`, but force
    and torque, (3,) or (..., 3), may be arrays of the framework, and can be differentiated."""

    def __init__(
        self,
        frame: Any,
        force: Any = None,
        torque: Any = None,
        *,
        axes: str = "frame",
        point: Any = None,
        point_in: str = "frame",
    ) -> None:
        like = _dtau.Wrench(frame, axes=axes, point=point, point_in=point_in)  # type: ignore[arg-type]
        at = None if like.point is None else tuple(map(float, like.point))
        self.place, self.force, self.torque = Place(like.frame, axes, at, point_in), force, torque

    @classmethod
    def of(cls, given: Any) -> Wrench:
        """Also accepts a :class:`dtau.Wrench`."""
        if isinstance(given, cls):
            return given
        if isinstance(given, _dtau.Wrench):
            return cls(
                given.frame, given.force, given.torque, axes=given.axes, point=given.point, point_in=given.point_in
            )
        raise TypeError(f"`f_ext` must be a list of wrenches, but it has a {type(given).__name__} in it")


class Calculus:
    """Functions of one model, with the same options, on arrays of a framework."""

    xp: ClassVar[Any]
    """The framework's functions on arrays, with NumPy's names."""
    name: ClassVar[str]

    def __init__(self, model: Model, options: Options) -> None:
        self.model, self.options = model, options

    def raw(self, name: str, *x: Any, wrenches: bool = False, **changes: Any) -> tuple[Any, ...]:
        """Calls a library function, not differentiable, with some options changed. Leading axes broadcast."""
        raise NotImplementedError

    def plan(self, name: str, wrenches: bool, changes: dict[str, Any]) -> Plan:
        """Returns the call that `raw` makes. It includes wrenches only on request."""
        f_ext = self.options.f_ext if wrenches else ()
        return plan(self.model, name, replace(self.options, f_ext=f_ext, **changes))

    def differentiable(self, name: str, *x: Any) -> tuple[Any, ...]:
        """Calls a function of the table, differentiably."""
        raise NotImplementedError

    def constant(self, x: Any, like: Any) -> Any:
        """Converts a NumPy array to the precision of another array."""
        raise NotImplementedError

    def eye(self, n: int, like: Any) -> Any:
        return self.constant(np.eye(n), like)

    def still(self, like: Any) -> Any:
        """Returns zero velocities."""
        return self.constant(np.zeros(self.model.nv), like)

    def __call__(self, name: str, *x: Any, **changes: Any) -> tuple[Any, ...]:
        """Calls a function of the table, with some options changed."""
        return self._with(**changes).differentiable(name, *x) if changes else self.differentiable(name, *x)

    def _with(self, **changes: Any) -> Calculus:
        return type(self)(self.model, replace(self.options, **changes))

    def at_frame(self, frame: str, blocks: Any, y: Any, *x: Any) -> Any:
        """Returns blocks of a function of another frame."""
        return blocks(self._with(frame=frame), y, *x)

    def swap(self, x: Any) -> Any:
        return self.xp.swapaxes(x, -1, -2)

    @cached_property
    def has_single_joints(self) -> bool:
        """True if every joint has one degree of freedom."""
        return all(joint.nv <= 1 for joint in self.model.joints)

    def value(self, name: str, *x: Any) -> tuple[Any, ...]:
        """Computes a function of the table, not differentiably."""
        rule = RULES[name]
        return self.raw(name, *x) if rule.value is None else rule.value(self, *x)

    def tangents(self, name: str, x: Any, y: Any, dx: Any) -> list[Any]:
        """Returns the change of the results for changes of the arguments, Σ B δx. None stands for zero."""
        rule = RULES[name]
        blocks = self._blocks(name, x, y)
        along = [self._along(kind, own, d) for kind, own, d in zip(rule.inputs.split(), x, dx)]
        out = []
        for result, row in zip(y, blocks):
            letters = self._letters(x, result)
            parts = [
                self.xp.einsum(f"...{letters}k,...k->...{letters}", self._block(block), d)
                for block, d in zip(row, along)
                if block is not None and d is not None
            ]
            change = sum(parts[1:], parts[0]) if parts else None
            if rule.gives_q and change is not None:
                change = coordinates(self.xp, self.model, result, change)
            out.append(change)
        return out

    def gradients(self, name: str, x: Any, y: Any, w: Any, wanted: Any) -> list[Any]:
        """Returns Σ Bᵀ w for every wanted argument. None stands for zero."""
        rule = RULES[name]
        if rule.gives_q:
            w = [coordinates_transposed(self.xp, self.model, result, each) for result, each in zip(y, w)]
        if rule.gradient is not None:
            found = list(rule.gradient(self, w, *x))
        else:
            found = self._sums(x, y, w, wanted, self._blocks(name, x, y))
        return [
            tangent_transposed(self.xp, self.model, own, g) if kind in _CONFIGURATIONS and g is not None else g
            for kind, own, g in zip(rule.inputs.split(), x, found)
        ]

    def _sums(self, x: Any, y: Any, w: Any, wanted: Any, blocks: Any) -> list[Any]:
        found: list[Any] = [None] * len(x)
        for result, each, row in zip(y, w, blocks):
            letters = self._letters(x, result)
            for k, block in enumerate(row):
                if wanted[k] and block is not None:
                    part = self.xp.einsum(f"...{letters}k,...{letters}->...k", self._block(block), each)
                    found[k] = part if found[k] is None else found[k] + part
        return found

    def _blocks(self, name: str, x: Any, y: Any) -> Any:
        blocks = RULES[name].blocks
        return self._block(blocks) if isinstance(blocks, str) else blocks(self, y, *x)

    def _block(self, block: Any) -> Any:
        if isinstance(block, str):
            raise NotImplementedError(f"dtau.{self.name}: {block}")
        return block() if callable(block) else block

    def _letters(self, x: Any, result: Any) -> str:
        """Returns letters for the axes of a result, without the states' axes."""
        lead = max(len(own.shape) - 1 for own in x)
        return "abcd"[: len(result.shape) - lead]

    def _along(self, kind: str, x: Any, d: Any) -> Any:
        return tangent(self.xp, self.model, x, d) if kind in _CONFIGURATIONS and d is not None else d

    # Values composed of several functions of the table.

    def inverse(self, name: str, w: Any, *x: Any) -> Any:
        """Computes inverse dynamics or a part of it, minus the torques of wrenches."""
        (tau,) = self(name, *x)
        return tau if w is None else tau - self("wrench_torques", x[0], w)[0]

    def forward(self, w: Any, q: Any, v: Any, tau: Any) -> Any:
        """Computes forward dynamics, with the torques of wrenches."""
        if w is not None:
            tau = tau + self("wrench_torques", q, w)[0]
        return self("aba", q, v, tau)[0]

    def integrate(self, q: Any, v: Any) -> Any:
        return q + v if is_plain(self.model) else self("integrate", q, v)[0]

    def step(self, w: Any, q: Any, v: Any, tau: Any, dt: Any) -> tuple[Any, Any]:
        v_next = v + dt * self.forward(w, q, v, tau)
        return self.integrate(q, dt * v_next), v_next


def wrenches_of(kind: type[Wrench], options: dict[str, Any]) -> list[Wrench]:
    """Returns the wrenches among the options of a call, and replaces them by those that `Options` needs."""
    if isinstance(options.get("f_ext"), (Wrench, _dtau.Wrench)):
        raise TypeError("`f_ext` is one wrench; it must be a list of them: f_ext=[wrench]")
    wrenches = [kind.of(wrench) for wrench in options.pop("f_ext", None) or ()]
    options["f_ext"] = tuple(wrench.place for wrench in wrenches)
    if options.get("gravity") is not None:
        options["gravity"] = tuple(map(float, options["gravity"]))
    if "frame" in options:
        options["frame"] = _dtau.Wrench(options["frame"]).frame  # name of the frame
    if options.get("errors", "nan") not in ("nan", "raise"):
        raise ValueError(f'`errors` is {options["errors"]!r}; it must be "nan" or "raise"')
    return wrenches


def lengths(model: Model, names: Any) -> dict[str, int]:
    """Returns the lengths of arguments with these names."""
    known = {"q": model.nq, "q0": model.nq, "q1": model.nq, "target": 7}
    return {name: known.get(name, model.nv) for name in names}

