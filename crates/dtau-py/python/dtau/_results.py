"""Results with names. Each is a tuple, so it unpacks, pickles, and is a pytree for JAX. ``out=`` accepts one.

The classes are made from the list of functions when dtau is imported, except those of functions outside the
list. Shapes are for one state. A batch has additional leading axes.
"""

from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

__all__ = []

Array = NDArray[Any]
Scalar = Union[float, Array]
_TYPES = {"Array": Array, "Scalar": Scalar, "int | Array": Union[int, Array]}


class _OfKinematics:
    """Additional properties of ``Kinematics``."""

    @property
    def rotation(self):
        """R, whose columns are the frame's axes in the world, (frames, 3, 3); a view of ``placement``."""
        return self.placement[..., :3]

    @property
    def position(self):
        """Origin of the frame in the world [m], (frames, 3); a view of ``placement``."""
        return self.placement[..., 3]

    @property
    def homogeneous(self):
        """Placement as a homogeneous matrix, (frames, 4, 4)."""
        last_row = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (*self.placement.shape[:-2], 1, 4))
        return np.concatenate([self.placement, last_row.astype(self.placement.dtype)], axis=-2)

    @property
    def classical_acceleration(self):
        """Acceleration of the point, a + [ω × v; 0], (frames, 6)."""
        result = self.acceleration.copy()
        result[..., :3] += np.cross(self.velocity[..., 3:], self.velocity[..., :3])
        return result


def _class_of(function, name, documentation, fields):
    """Returns the class of a function's results: an existing one with these fields, or a new one of this name.

    A field is a name, its documentation, and its type.
    """
    for known in __all__:
        if globals()[known]._fields == tuple(field for field, _, _ in fields):
            return globals()[known]
    name = name or function.title().replace("_", "")
    made = NamedTuple(name, [(field, _TYPES[kind]) for field, _, kind in fields])
    made.__module__, made.__doc__ = __name__, documentation or f"The results of ``{function}``."
    for field, meaning, _ in fields:
        getattr(made, field).__doc__ = meaning
    for member, value in vars(globals().get(f"_Of{name}", object)).items():
        if isinstance(value, property):
            setattr(made, member, value)
    globals()[name] = made
    __all__.append(name)
    return made


_CONFIGURATION = ("q", "The configuration, (nq,).", "Array")
_RESIDUAL = ("residual", "Largest error that is left in any row [m, rad], ().", "Scalar")
_class_of(
    "assemble",
    "Assembled",
    "A configuration that obeys constraints, and how it was found.",
    [_CONFIGURATION, ("iterations", "Number of steps, ().", "int | Array"), _RESIDUAL],
)
_class_of(
    "constrained_step",
    "ConstrainedStep",
    "A state after a step of a simulation under constraints.",
    [
        _CONFIGURATION,
        ("v", "The velocity, (nv,).", "Array"),
        ("iterations", "Number of steps that closed the positions, ().", "int | Array"),
        _RESIDUAL,
    ],
)
