"""Derivatives of library functions, in one table that `dtau.jax` and `dtau.torch` use.

An entry defines the value of a function and its derivative: one block for every pair of result and argument,
whose last axis is that of the argument. Blocks are computed by functions of the table, so second derivatives
follow from the entries of first derivatives, if the library has them.

    y = f(x)      δy = Σ B(x) δx      x̄ = Σ B(x)ᵀ ȳ

For configurations, blocks are along tangents ξ. `_manifold` converts from and to coordinates. `f` is a
`Calculus`: `f(name, …)` calls a function of the table, differentiably; `f.raw(name, …)` calls a library
function, not differentiably. Matrices [i, j], tensors [i, j, k].

    N = H + ½ y_ξ [e, c]      the derivative, along e, of a derivative along c, from a Hessian H, which is symmetric      (1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ._manifold import half_brackets

if TYPE_CHECKING:
    from ._calculus import Calculus

Block: TypeAlias = Any
"""An array; None for zero; a function without arguments that returns an array, if a separate call is needed; or
a text that says why there is no derivative."""
Blocks: TypeAlias = Sequence[Sequence[Block]]


@dataclass(frozen=True)
class Rule:
    """Function of the table."""

    inputs: str
    """Names of its arguments. q, q0, q1 are configurations."""
    blocks: Callable[..., Blocks] | str
    """Function of the calculus, results and arguments; or a text that says why there are no derivatives."""
    value: Callable[..., tuple[Any, ...]] | None = None
    """Function of the calculus and arguments, if it is not the library function of the same name."""
    gradient: Callable[..., tuple[Any, ...]] | None = None
    """Function of the calculus, weights ȳ and arguments that returns x̄ without the blocks, if the library has it."""
    gives_q: bool = False
    """True if its result is a configuration."""


def _corrected(f: Calculus, hessian: Any, first: Any) -> Any:
    """Returns N of (1), of results i: (..., i, c, e)."""
    if (brackets := half_brackets(f.model)) is None:
        return hessian
    bracket, rows = (f.constant(each, first) for each in brackets)
    own = f.xp.einsum("...im,wm->...iw", first, rows)
    return hessian + f.xp.einsum("...iw,wec,cj,ek->...ijk", own, bracket, rows, rows)


def _each(f: Calculus, name: str, count: int, q: Any) -> Any:
    """Evaluates a function of q and a linear argument at each unit vector of that argument: (..., count, result)."""
    return f(name, q[..., None, :], f.eye(count, q))[0]


# Inverse and forward dynamics.


def _dynamics_blocks(derivatives: str, f: Calculus, y: Any, q: Any, v: Any, x: Any) -> Blocks:
    return [f(derivatives, q, v, x)[1:]]


def _second_blocks(tensors: str, f: Calculus, y: Any, q: Any, v: Any, x: Any) -> Blocks:
    qq, qv, vv, qx = f(tensors, q, v, x)
    return [
        y[1:],
        [_corrected(f, qq, y[1]), qv, qx],
        [f.swap(qv), vv, None],
        [f.swap(qx), None, None],
    ]


def _product(of: str, f: Calculus, w: Any, q: Any, v: Any, x: Any) -> tuple[Any, ...]:
    return f(f"{of}_vjp", q, v, x, w[0])


def _product_gradient(of: str, f: Calculus, u: Any, q: Any, v: Any, x: Any, w: Any) -> tuple[Any, ...]:
    """Returns uᵀ times the derivatives of wᵀ ∂y by ξ, v, x and w, in O(N)."""
    dq, dv, dx = f(f"{of}_hvp", q, v, x, w, *u)
    if (brackets := half_brackets(f.model)) is not None:  # Nᵀ u of (1)
        bracket, rows = (f.constant(each, q) for each in brackets)
        by_q = f(f"{of}_vjp", q, v, x, w)[0]
        dq = dq + f.xp.einsum("...m,wm,wec,cj,...j,ek->...k", by_q, rows, bracket, rows, u[0], rows)
    return dq, dv, dx, f(f"{of}_jvp", q, v, x, *u)[0]


def _product_blocks(of: str, f: Calculus, y: Any, q: Any, v: Any, x: Any, w: Any) -> Blocks:
    h, d = f(f"{of}_vjp_derivatives", q, v, x, w), f(f"{of}_derivatives", q, v, x)
    return [
        [h[3], h[4], h[6], f.swap(d[1])],
        [f.swap(h[4]), h[5], None, f.swap(d[2])],
        [f.swap(h[6]), None, None, f.swap(d[3])],
    ]


TWICE = "has first and second derivatives only, and what is a derivative of it, as the mass matrix is, first ones; more were asked for"
ONCE = "has first derivatives only; second ones were asked for"


def _dynamics(function: str, derivatives: str, tensors: str, of: str, x: str) -> dict[str, Rule]:
    words = {"id": "inverse dynamics (rnea)", "fd": "forward dynamics (aba)"}[of]
    return {
        function: Rule(f"q v {x}", partial(_dynamics_blocks, derivatives), gradient=partial(_product, of)),
        derivatives: Rule(f"q v {x}", partial(_second_blocks, tensors)),
        tensors: Rule(f"q v {x}", f"{words} {TWICE}"),
        f"{of}_vjp": Rule(f"q v {x} w", partial(_product_blocks, of), gradient=partial(_product_gradient, of)),
        f"{of}_vjp_derivatives": Rule(f"q v {x} w", f"{words} {TWICE}"),
        f"{of}_hvp": Rule(f"q v {x} w dq dv d{x}", f"{words} {TWICE}"),
        f"{of}_jvp": Rule(f"q v {x} dq dv d{x}", f"{words} {TWICE}"),
    }


def _bias(f: Calculus, y: Any, q: Any, v: Any) -> Blocks:
    return [f("id_derivatives", q, v, f.xp.zeros_like(v))[1:3]]


def _gravity(f: Calculus, y: Any, q: Any) -> Blocks:
    still = f.still(q)
    return [f("id_derivatives", q, still, still)[1:2]]


def _mass_matrix(f: Calculus, y: Any, q: Any) -> Blocks:
    still = f.still(q)
    return [[f.swap(f("id_second_derivatives", q, still, still)[3])]]


def _inverse(f: Calculus, y: Any, q: Any) -> Blocks:
    still = f.still(q)
    return [[f.swap(f("fd_second_derivatives", q, still, still)[3])]]


def _coriolis(f: Calculus, y: Any, q: Any, v: Any) -> Blocks:
    """Linear in v. For commuting joints it is half of ∂τ/∂q̇, without damping and friction."""

    def by_q() -> Any:
        tensors = f("id_second_derivatives", q, v, f.xp.zeros_like(v), damping=False, friction=False)
        return f.swap(tensors[1]) / 2

    why = "coriolis of joints with several degrees of freedom that do not commute has no derivative by q in the library"
    by_v = lambda: f.xp.moveaxis(_each(f, "coriolis", f.model.nv, q), -3, -1)
    return [[by_q if f.has_single_joints else why, by_v]]


def _energy(f: Calculus, y: Any, q: Any, v: Any) -> Blocks:
    """T = ½ vᵀ M v, and ∂V/∂ξ is the gravity torque."""
    _, by_q, _, mass = f("id_derivatives", q, f.xp.zeros_like(v), v, gravity=(0.0, 0.0, 0.0))
    kinetic = [f.xp.einsum("...i,...ij->...j", v, by_q) / 2, f.xp.einsum("...ij,...j->...i", mass, v)]
    return [kinetic, [lambda: f("gravity_torques", q)[0], None]]


# Wrenches. Their torques Jᵀ w are those by which they reduce inverse dynamics at rest without gravity. They
# are linear in w.


def _pull(f: Calculus, name: str, take: int, q: Any, w: Any) -> Any:
    still = f.still(q)
    return -f.raw(name, q, still, still, w, wrenches=True, gravity=(0.0, 0.0, 0.0))[take]


def _pull_blocks(f: Calculus, y: Any, q: Any, w: Any) -> Blocks:
    by_w = lambda: f.swap(_each(f, "wrench_torques", w.shape[-1], q))
    return [[lambda: f("wrench_torques_by_q", q, w)[0], by_w]]


def _pull_second_blocks(f: Calculus, y: Any, q: Any, w: Any) -> Blocks:
    by_q = lambda: _corrected(f, f("wrench_torques_twice", q, w)[0], y[0])
    by_w = lambda: f.xp.moveaxis(_each(f, "wrench_torques_by_q", w.shape[-1], q), -3, -1)
    return [[by_q, by_w]]


# Frames and centres of mass.

_LEVI_CIVITA = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _LEVI_CIVITA[_i, _j, _k], _LEVI_CIVITA[_i, _k, _j] = 1, -1

# [R | p] turns by R ω× and moves by R v, with (v, ω) = J δξ of the frame itself: entry [a, c] by row m of J, through R[a, b].
_PLACED = np.zeros((3, 4, 6))
_PLACED[:, :3, 3:] = _LEVI_CIVITA.transpose(0, 2, 1)
_PLACED[:, 3, :3] = np.eye(3)


def _placement(f: Calculus, y: Any, q: Any) -> Blocks:
    jacobian = f("frame_jacobian", q, reference="local")[0]
    return [[f.xp.einsum("...ab,bcm,...mk->...ack", y[0][..., :3], f.constant(_PLACED, q), jacobian)]]


def _columns(derivatives: str, take: int, f: Calculus, y: Any, q: Any, more: int = 0) -> Blocks:
    """Blocks of a matrix whose columns are those of a velocity at each unit velocity."""
    unit, spread = f.eye(f.model.nv, q), q[..., None, :]
    by_q = f(derivatives, spread, unit, *[f.xp.zeros_like(unit)] * more)[take]
    return [[f.xp.swapaxes(by_q, -3, -2)]]


def _velocity(derivatives: str, f: Calculus, y: Any, *x: Any) -> Blocks:
    return [f(derivatives, *x)]


def _jacobian_rate(f: Calculus, y: Any, q: Any, v: Any) -> Blocks:
    by_v = lambda: f.xp.moveaxis(_each(f, "frame_jacobian_rate", f.model.nv, q), -3, -1)
    return [["frame_jacobian_rate has no derivative by q in the library", by_v]]


def _error(f: Calculus, y: Any, q: Any, target: Any) -> Blocks:
    why = "frame_error has no derivative by its target in the library; differentiate by q"
    return [[lambda: f("frame_error_derivatives", q, target)[0], why]]


def _error_second(f: Calculus, y: Any, q: Any, target: Any) -> Blocks:
    why = "frame_error has no derivative by its target in the library; differentiate by q"

    def by_q() -> Any:
        hessians = f("frame_hessian", q[..., None, :], target[..., None, :], f.eye(6, q))[1]
        return _corrected(f, hessians, y[0])

    return [[by_q, why]]


def _com(f: Calculus, q: Any) -> tuple[Any, ...]:
    still = f.still(q)
    return f.raw("centre_of_mass", q, still, still)[:1]


def _com_jacobian(f: Calculus, y: Any, q: Any) -> Blocks:
    return [[_corrected(f, f("com_hessian", q[..., None, :], f.eye(3, q))[1], y[0])]]


def _momentum(f: Calculus, y: Any, q: Any, v: Any) -> Blocks:
    d = f("centroidal_derivatives", q, v, f.xp.zeros_like(v))
    return [[d[2], d[5]]]


def _placements(f: Calculus, y: Any, q: Any) -> Blocks:
    each = [f.at_frame(frame.name, _placement, (y[0][..., k, :, :],), q)[0][0] for k, frame in enumerate(f.model.frames)]
    return [[f.xp.stack(each, -4)]]


def _once(of: str, inputs: str) -> Rule:
    return Rule(inputs, f"{of} {ONCE}")


RULES: dict[str, Rule] = {
    **_dynamics("rnea", "id_derivatives", "id_second_derivatives", "id", "a"),
    **_dynamics("aba", "fd_derivatives", "fd_second_derivatives", "fd", "tau"),
    "bias": Rule("q v", _bias),
    "gravity_torques": Rule("q", _gravity),
    "crba": Rule("q", _mass_matrix),
    "minverse": Rule("q", _inverse),
    "coriolis": Rule("q v", _coriolis),
    "energy": Rule("q v", _energy),
    "joint_torque_regressor": Rule("q v a", "joint_torque_regressor has no derivatives in the library"),
    "wrench_torques": Rule("q w", _pull_blocks, lambda f, q, w: (_pull(f, "rnea", 0, q, w),)),
    "wrench_torques_by_q": Rule("q w", _pull_second_blocks, lambda f, q, w: (_pull(f, "id_derivatives", 1, q, w),)),
    "wrench_torques_twice": Rule(
        "q w", f"a wrench {TWICE}", lambda f, q, w: (_pull(f, "id_second_derivatives", 0, q, w),)
    ),
    "placements": Rule("q", _placements),
    "frame_placement": Rule("q", _placement),
    "frame_jacobian": Rule("q", partial(_columns, "frame_velocity_derivatives", 0)),
    "frame_jacobian_rate": Rule("q v", _jacobian_rate),
    "frame_velocity": Rule("q v", partial(_velocity, "frame_velocity_derivatives")),
    "frame_velocity_derivatives": _once("frame_velocity, or what it is a derivative of,", "q v"),
    "frame_acceleration": Rule("q v a", partial(_velocity, "frame_acceleration_derivatives")),
    "frame_acceleration_derivatives": _once("frame_acceleration", "q v a"),
    "frame_classical_acceleration": Rule("q v a", partial(_velocity, "frame_classical_acceleration_derivatives")),
    "frame_classical_acceleration_derivatives": _once("frame_classical_acceleration", "q v a"),
    "frame_error": Rule("q target", _error),
    "frame_error_derivatives": Rule("q target", _error_second),
    "frame_hessian": Rule("q target w_frame", f"frame_error {TWICE}"),
    "centre_of_mass": Rule("q", lambda f, y, q: [[f("com_jacobian", q)[0]]], _com),
    "com_jacobian": Rule("q", _com_jacobian),
    "com_hessian": Rule("q w_com", f"centre_of_mass {TWICE}"),
    "com_velocity": Rule(
        "q v",
        partial(_velocity, "com_velocity_derivatives"),
        lambda f, q, v: f.raw("centre_of_mass", q, v, f.xp.zeros_like(v))[1:2],
    ),
    "com_velocity_derivatives": _once("com_velocity", "q v"),
    "centroidal_momentum": Rule("q v", _momentum),
    "centroidal_momentum_rate": Rule("q v a", lambda f, y, *x: [f("centroidal_derivatives", *x)[3:]]),
    "centroidal_matrix": Rule("q", partial(_columns, "centroidal_derivatives", 2, more=1)),
    "centroidal_derivatives": _once("centroidal momentum", "q v a"),
    "integrate": Rule("q v", partial(_velocity, "integrate_derivatives"), gives_q=True),
    "integrate_derivatives": _once("integrate of joints whose coordinates are no tangents, and so step,", "q v"),
    "difference": Rule("q0 q1", partial(_velocity, "difference_derivatives")),
    "difference_derivatives": _once("difference of joints whose coordinates are no tangents", "q0 q1"),
}
