"""dtau under JAX: dynamics, kinematics and steps with ``jit``, ``vmap``, ``scan``, ``shard_map``, ``grad``, ``jacfwd``, ``hessian``.

Values and derivatives are dtau's own: analytical, in the arrays' precision. JAX computes in ``float32`` unless the
program begins with ``jax.config.update("jax_enable_x64", True)``. XLA calls the library directly on the CPU, through its
foreign-function interface, without Python and its lock. ``vmap`` becomes one batch. All functions have first
derivatives in both modes, and second derivatives if the library has them. Missing derivatives raise
NotImplementedError and name the derivative.

>>> import dtau, dtau.jax, jax, jax.numpy as jnp
>>> model = dtau.Model.bundled("arm6")
>>> q = jnp.zeros(model.nq)
>>> torque = jax.jit(lambda q: dtau.jax.rnea(model, q, jnp.zeros(6), jnp.zeros(6)))
>>> torque(q).shape, jax.jacrev(torque)(q).shape, jax.vmap(jax.jacfwd(torque))(jnp.zeros((100, 6))).shape
((6,), (6, 6), (100, 6, 6))
>>> jax.hessian(lambda q: (torque(q) ** 2).sum())(q).shape
(6, 6)

Keywords of all functions: ``threads`` as for :func:`dtau.rnea`. With ``errors="nan"``, the results of an
invalid state (for example with NaN) are all NaN, and other states are unaffected. The alternative is
``errors="raise"``. Keywords of dynamics: ``gravity``, ``damping``, ``friction``, ``armature``, and ``f_ext``,
a list of :class:`dtau.jax.Wrench`, whose forces and torques can be differentiated, or of
:class:`dtau.Wrench`.

Derivatives by q are with respect to its numbers in memory, so that they chain with the rest of a JAX program:
for a robot with quaternions, ``jacfwd`` gives (nv, nq). Quaternions are normalised, so the derivative along
the quaternion itself is zero. For derivatives along tangent directions, use :func:`dtau.id_derivatives`.

A model that was used here is kept until the process ends, because compiled programs may refer to it.

Needs JAX: ``pip install jax``.
"""

from __future__ import annotations

import warnings
from functools import cache, partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from . import _calculus, _dtau
from ._calculus import lengths, wrenches_of
from ._dtau import Model
from ._functions import PUBLIC, public
from ._plans import Options

__all__ = ["Wrench", *PUBLIC]

_TARGET = "dtau"
jax.ffi.register_ffi_target(_TARGET, _dtau._xla_handler(), platform="cpu")


class _Calculus(_calculus.Calculus):
    name = "jax"
    xp: ClassVar[Any] = jnp

    def raw(self, name: str, *x: Any, wrenches: bool = False, **changes: Any) -> tuple[Any, ...]:
        plan = self.plan(name, wrenches, changes)
        lead = np.broadcast_shapes(*(own.shape[:-1] for own in x))
        x = tuple(jnp.broadcast_to(own, (*lead, n)) for own, n in zip(x, plan.lengths, strict=True))
        in_memory = [(*axes[: len(axes) - turned], *axes[len(axes) - turned :][::-1]) for axes, turned in plan.shapes]
        results = [jax.ShapeDtypeStruct((*lead, *axes), x[0].dtype) for axes in in_memory]  # type: ignore[no-untyped-call]
        call = jax.ffi.ffi_call(_TARGET, results, vmap_method="broadcast_all")
        out = call(*x, plan=np.int64(plan.number))
        return tuple(_turned(y, turned) for y, (_, turned) in zip(out, plan.shapes, strict=True))

    def differentiable(self, name: str, *x: Any) -> tuple[Any, ...]:
        return tuple(_function((name, self.model, self.options), *x))

    def constant(self, x: Any, like: Any) -> Any:
        return jnp.asarray(x, like.dtype)


def _turned(y: jax.Array, turned: int) -> jax.Array:
    """Reverses the last axes."""
    kept = y.ndim - turned
    return y if turned == 0 else jnp.transpose(y, (*range(kept), *range(kept, y.ndim)[::-1]))


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _function(task: Any, *x: jax.Array) -> Any:
    """Calls a function of the table of rules."""
    name, model, options = task
    return _Calculus(model, options).value(name, *x)


@partial(_function.defjvp, symbolic_zeros=True)
def _function_jvp(task: Any, primals: Any, tangents: Any) -> Any:
    name, model, options = task
    zero = jax.custom_derivatives.SymbolicZero
    y = _function(task, *primals)
    given = [None if isinstance(d, zero) else d for d in tangents]
    changes = _Calculus(model, options).tangents(name, primals, y, given)
    return y, tuple(jnp.zeros_like(own) if d is None else d for own, d in zip(y, changes, strict=True))


@jax.tree_util.register_pytree_node_class
class Wrench(_calculus.Wrench):
    __doc__ = _calculus.Wrench.__doc__

    def tree_flatten(self) -> Any:
        return (self.force, self.torque), self.place

    @classmethod
    def tree_unflatten(cls, place: Any, numbers: Any) -> Wrench:
        wrench = object.__new__(cls)
        wrench.place, (wrench.force, wrench.torque) = place, numbers
        return wrench


@cache
def _warn_of_float32() -> None:
    """Warns once that JAX's default precision is float32."""
    warnings.warn(
        "dtau.jax computes in float32, as JAX does by default: about 6 digits, and fewer in derivatives. For float64 write "
        'jax.config.update("jax_enable_x64", True) at the start of the program. To keep float32 without this warning write '
        'warnings.filterwarnings("ignore", "dtau.jax computes in float32").',
        stacklevel=4,
    )


def _begin(model: Model, options: dict[str, Any], given: dict[str, Any]) -> tuple[_Calculus, Any, list[jax.Array]]:
    wrenches = wrenches_of(Wrench, options)
    numbers = [x for wrench in wrenches for x in (wrench.force, wrench.torque)]
    dtype = jnp.result_type(*given.values(), *(x for x in numbers if isinstance(x, jax.Array)), jnp.float32)
    if dtype not in (jnp.float32, jnp.float64):
        raise TypeError(f"the arrays have dtype {dtype}; they must be float32 or float64")
    if dtype == jnp.float32 and not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        _warn_of_float32()
    arrays = []
    for key, length in lengths(model, given).items():
        x = jnp.asarray(given[key], dtype)
        if x.ndim == 0 or x.shape[-1] != length:
            raise ValueError(f"`{key}` has shape {x.shape}; it must be ({length},) or (..., {length})")
        arrays.append(x)
    w = None
    if wrenches:
        each = [jnp.zeros(3, dtype) if x is None else jnp.asarray(x, dtype) for x in numbers]
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in each))
        w = jnp.concatenate([jnp.broadcast_to(x, (*lead, 3)) for x in each], -1)
    return _Calculus(model, Options(**options)), w, arrays


_public = partial(public, _begin, __name__)

rnea = _public(
    "rnea",
    """
>>> import dtau, dtau.jax, jax, jax.numpy as jnp
>>> model = dtau.Model.bundled("arm6")
>>> effort = lambda q: (dtau.jax.rnea(model, q, jnp.zeros(6), jnp.zeros(6), gravity=(0, 0, -1.62)) ** 2).sum()
>>> jax.grad(effort)(jnp.ones(6)).shape
(6,)
""",
)
aba = _public(
    "aba",
    """
>>> import dtau, dtau.jax, jax, jax.numpy as jnp
>>> model = dtau.Model.bundled("arm6")
>>> jax.jacfwd(dtau.jax.aba, argnums=3)(model, jnp.zeros(6), jnp.zeros(6), jnp.zeros(6)).shape    # M⁻¹
(6, 6)
>>> push = lambda force: dtau.jax.Wrench(model.frames[-1], force, axes="world")
>>> f = lambda force: dtau.jax.aba(model, jnp.zeros(6), jnp.zeros(6), jnp.zeros(6), f_ext=[push(force)])
>>> jax.jacrev(f)(jnp.zeros(3)).shape                                                             # M⁻¹Jᵀ
(6, 3)
""",
)
step = _public(
    "step",
    """
>>> import dtau, dtau.jax, jax, jax.numpy as jnp
>>> model = dtau.Model.bundled("quadruped", root="floating")
>>> q, v = jnp.asarray(model.neutral()), jnp.zeros(18)
>>> def height(tau):
...     x = (q, v)
...     for _ in range(3):
...         x = dtau.jax.step(model, *x, tau, 0.01)
...     return x[0][2]
>>> jax.grad(height)(jnp.zeros(18)).shape
(18,)
""",
)
bias = _public("bias")
centre_of_mass = _public("centre_of_mass")
centroidal_matrix = _public("centroidal_matrix")
centroidal_momentum = _public("centroidal_momentum")
centroidal_momentum_rate = _public("centroidal_momentum_rate")
com_jacobian = _public("com_jacobian")
com_velocity = _public("com_velocity")
coriolis = _public("coriolis")
crba = _public("crba")
difference = _public("difference")
energy = _public("energy")
frame_acceleration = _public("frame_acceleration")
frame_classical_acceleration = _public("frame_classical_acceleration")
frame_error = _public("frame_error")
frame_jacobian = _public("frame_jacobian")
frame_jacobian_rate = _public("frame_jacobian_rate")
frame_placement = _public("frame_placement")
frame_velocity = _public("frame_velocity")
gravity_torques = _public("gravity_torques")
integrate = _public("integrate")
joint_torque_regressor = _public("joint_torque_regressor")
mass_solve = _public("mass_solve")
mass_times = _public("mass_times")
minverse = _public("minverse")
placements = _public("placements")
