"""Library calls that are prepared once and made by number, see `plans` in the compiled part."""

from __future__ import annotations

import hashlib
import inspect
import pickle
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from . import _dtau
from ._dtau import Model


@dataclass(frozen=True)
class Place:
    """Point and axes of a wrench: everything except its numbers."""

    frame: str
    axes: str
    point: tuple[float, ...] | None
    point_in: str

    def wrench(self) -> Any:
        return _dtau.Wrench(self.frame, axes=self.axes, point=self.point, point_in=self.point_in)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Options:
    """Arguments of a call other than its arrays."""

    frame: str | None = None
    reference: str = "local_world_aligned"
    gravity: tuple[float, ...] | None = None
    damping: bool = True
    friction: bool = True
    armature: bool = True
    f_ext: tuple[Place, ...] = ()
    threads: int = 1
    errors: str = "nan"


@dataclass(frozen=True)
class Plan:
    """A call: its number, the length of every input array for one state, and for each result its shape and the
    number of trailing axes that are reversed in memory."""

    number: int
    lengths: tuple[int, ...]
    shapes: tuple[tuple[tuple[int, ...], int], ...]


_contents: dict[int, tuple[str, Model]] = {}


def plan(model: Model, name: str, options: Options) -> Plan:
    """Returns the call of a function of the library's list."""
    own = {key: getattr(options, key) for key in _keywords(name)}
    return _plan(model, name, Options(**own, errors=options.errors))


@lru_cache(maxsize=None)
def _keywords(name: str) -> tuple[str, ...]:
    """Returns the options that a function accepts."""
    parameters = inspect.signature(getattr(_dtau, name)).parameters
    return tuple(field.name for field in fields(Options) if field.name in parameters)


@lru_cache(maxsize=None)
def _plan(model: Model, name: str, options: Options) -> Plan:
    # Programs that JAX stores in files contain the number. So it is a hash of the call's content, the same in
    # every process.
    content = f"{name} {options}"
    digest = hashlib.blake2b(content.encode() + b"\0" + pickle.dumps(model, 4), digest_size=8).digest()
    number = int.from_bytes(digest, "little", signed=True)
    known = _contents.setdefault(number, (content, model))
    if known != (content, model):
        raise RuntimeError(f"two calls have one number, {number}: {known[0]}, and {content}; change a name in the model")
    parameters: dict[str, Any] = {key: getattr(options, key) for key in ("frame", "reference") if key in _keywords(name)}
    lengths, shapes = _dtau._plan(
        number,
        model,
        name,
        parameters,
        gravity=options.gravity,
        damping=options.damping,
        friction=options.friction,
        armature=options.armature,
        wrenches=[place.wrench() for place in options.f_ext],
        threads=options.threads,
        strict=options.errors == "raise",
    )
    return Plan(number, tuple(lengths), tuple((tuple(axes), turned) for axes, turned in shapes))
