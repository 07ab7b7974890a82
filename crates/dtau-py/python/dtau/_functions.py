"""The public functions of `dtau.jax` and `dtau.torch`, in one list. `_rules` defines their values and
derivatives."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._calculus import Calculus
from ._dtau import Model

ALL = ("threads", "errors")
MASS = (*ALL, "armature")
DYNAMICS = (*MASS, "gravity", "damping", "friction", "f_ext")


@dataclass(frozen=True)
class Public:
    """Function as callers see it: `name(model, arrays…, [frame, [reference]], **keywords)`."""

    arrays: str
    doc: str
    keywords: tuple[str, ...] = ALL
    value: Callable[..., Any] | None = None
    """Function of the calculus, the wrenches and the arrays, if it is not the first result of the table's function."""
    parameters: tuple[str, ...] = ()
    at_rest: bool = False
    """True if gravity is switched off, whatever the model's gravity."""


_FRAME, _MOVING = ("frame",), ("frame", "reference")

PUBLIC = {
    "rnea": Public(
        "q v a",
        "Inverse dynamics: q (..., nq), v and a (..., nv) give τ (..., nv).",
        DYNAMICS,
        lambda f, w, *x: f.inverse("rnea", w, *x),
    ),
    "aba": Public(
        "q v tau",
        "Forward dynamics: q (..., nq), v and tau (..., nv) give q̈ (..., nv).",
        DYNAMICS,
        lambda f, w, *x: f.forward(w, *x),
    ),
    "bias": Public(
        "q v", "The torques (..., nv) without accelerations.", DYNAMICS, lambda f, w, *x: f.inverse("bias", w, *x)
    ),
    "gravity_torques": Public("q", "The torques (..., nv) that hold the robot at rest.", (*ALL, "gravity")),
    "crba": Public("q", "The mass matrix M (..., nv, nv).", MASS),
    "minverse": Public("q", "M⁻¹ (..., nv, nv).", MASS),
    "mass_times": Public(
        "q x", "M x (..., nv), in O(N).", MASS, lambda f, w, q, x: f("rnea", q, f.xp.zeros_like(x), x)[0], at_rest=True
    ),
    "mass_solve": Public(
        "q x", "M⁻¹ x (..., nv), in O(N).", MASS, lambda f, w, q, x: f("aba", q, f.xp.zeros_like(x), x)[0], at_rest=True
    ),
    "coriolis": Public(
        "q v", "The Coriolis matrix (..., nv, nv). By q it differentiates where every joint has one degree of freedom."
    ),
    "energy": Public(
        "q v",
        "Kinetic and potential energy, both (...).",
        (*MASS, "gravity"),
        lambda f, w, *x: f("energy", *x),
    ),
    "joint_torque_regressor": Public(
        "q v a", "Y (..., nv, 10 links) with τ = Y π. It has no derivatives.", (*ALL, "gravity")
    ),
    "placements": Public("q", "[R | p] of every frame (..., frames, 3, 4)."),
    "frame_placement": Public("q", "[R | p] of a frame (..., 3, 4).", parameters=_FRAME),
    "frame_jacobian": Public("q", "The Jacobian of a frame (..., 6, nv).", parameters=_MOVING),
    "frame_jacobian_rate": Public(
        "q v", "How the Jacobian of a frame changes with time (..., 6, nv). It differentiates by v alone.", parameters=_MOVING
    ),
    "frame_velocity": Public("q v", "The velocity of a frame (..., 6).", parameters=_MOVING),
    "frame_acceleration": Public("q v a", "The spatial acceleration of a frame (..., 6).", parameters=_MOVING),
    "frame_classical_acceleration": Public(
        "q v a", "The acceleration of a frame's origin, and its angular one (..., 6).", parameters=_MOVING
    ),
    "frame_error": Public(
        "q target", "How far a frame is from a pose target (..., 7): (..., 6). It differentiates by q alone.", parameters=_FRAME
    ),
    "centre_of_mass": Public("q", "Where the centre of mass is (..., 3), in the world."),
    "com_velocity": Public("q v", "How the centre of mass moves (..., 3), in the world."),
    "com_jacobian": Public("q", "The Jacobian of the centre of mass (..., 3, nv)."),
    "centroidal_momentum": Public("q v", "The momentum about the centre of mass (..., 6)."),
    "centroidal_momentum_rate": Public("q v a", "How the momentum about the centre of mass changes with time (..., 6)."),
    "centroidal_matrix": Public("q", "The matrix (..., 6, nv) that gives the momentum from velocities."),
    "integrate": Public("q v", "q ⊕ v (..., nq).", value=lambda f, w, *x: f.integrate(*x)),
    "difference": Public("q0 q1", "q1 ⊖ q0 (..., nv)."),
    "step": Public(
        "q v tau",
        "One step of semi-implicit (symplectic) Euler on the configuration manifold: q' (..., nq) and v' (..., nv).\n\n"
        "v' = v + dt · aba(q, v, tau), then q' = q ⊕ dt · v'. For a floating base ⊕ is the exponential of SE(3), so that\n"
        "quaternions stay of unit length; for plain joints it is a sum, and a step has second derivatives too.",
        DYNAMICS,
        lambda f, w, *x: f.step(w, *x),
        parameters=("dt",),
    ),
}

Begin = Callable[[Model, dict[str, Any], dict[str, Any]], tuple[Calculus, Any, list[Any]]]
"""Converts options and arrays by name to a calculus, the numbers of the wrenches or None, and the arrays in one
precision."""


def public(begin: Begin, module: str, name: str, more: str = "") -> Callable[..., Any]:
    """Makes a public function. `more` is appended to its documentation."""
    own = PUBLIC[name]
    names = (*own.arrays.split(), *own.parameters)
    required = [each for each in names if each != "reference"]

    def function(model: Model, /, *args: Any, **options: Any) -> Any:
        if len(args) > len(names):
            raise TypeError(f"{name}() takes a model and {len(names)} arguments, but was given {len(args)}")
        given = dict(zip(names, args))
        for key in names[len(args) :]:
            if key in options:
                given[key] = options.pop(key)
        for key in options:
            if key in given:
                raise TypeError(f"{name}() got multiple values for argument '{key}'")
            if key not in own.keywords:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        if missing := [each for each in required if each not in given]:
            raise TypeError(f"{name}() missing {len(missing)} required argument(s): {', '.join(missing)}")
        if own.at_rest:
            options["gravity"] = (0.0, 0.0, 0.0)
        dt = [given.pop("dt")] if "dt" in given else []
        for key in _MOVING:
            if key in given:
                options[key] = given.pop(key)
        f, w, x = begin(model, options, given)
        return f(name, *x)[0] if own.value is None else own.value(f, w, *x, *dt)

    kind = inspect.Parameter
    parameters = [kind(each, kind.POSITIONAL_OR_KEYWORD) for each in ("model", *names)]
    if "reference" in names:
        parameters[-1] = parameters[-1].replace(default="local_world_aligned")
    parameters += [kind("options", kind.VAR_KEYWORD)]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    keywords = ", ".join(f"``{each}``" for each in own.keywords)
    function.__doc__ = f"{own.doc}\n\nKeywords: {keywords}; see :mod:`{module}`.\n{more}"
    return function
