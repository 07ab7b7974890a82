"""dtau under PyTorch: dynamics, kinematics and steps with autograd, for one state and for many. Same
functions as :mod:`dtau.jax`.

Values and derivatives are dtau's own: analytical, in the tensors' precision, ``float64`` or ``float32``.
Leading axes are states, which are computed as one batch. CPU tensors are read and written in place; tensors
of other devices are copied through the host. The backward pass of :func:`rnea` and :func:`aba` is a product
with derivatives that are never formed, in O(N) per state, and so is a second one. All functions have first
derivatives, and second derivatives if the library has them. Missing derivatives raise NotImplementedError and
name the derivative. PyTorch 2 also supports ``torch.func``: ``grad``, ``jacrev``, ``jacfwd``, ``vmap``.

>>> import dtau, dtau.torch, torch                                      # doctest: +SKIP
>>> model = dtau.Model.bundled("arm6")                                  # doctest: +SKIP
>>> q = torch.zeros(100, 6, dtype=torch.float64, requires_grad=True)    # doctest: +SKIP
>>> tau = dtau.torch.rnea(model, q, torch.zeros(6), torch.zeros(6))     # doctest: +SKIP
>>> (tau**2).sum().backward()                                           # doctest: +SKIP
>>> q.grad.shape                                                        # doctest: +SKIP
torch.Size([100, 6])

Keywords of all functions: ``threads`` as for :func:`dtau.rnea`. With ``errors="nan"``, the results of an
invalid state (for example with NaN) are all NaN, and other states are unaffected. The alternative is
``errors="raise"``. Keywords of dynamics: ``gravity``, ``damping``, ``friction``, ``armature``, and ``f_ext``,
a list of :class:`dtau.torch.Wrench`, whose forces and torques get gradients, or of :class:`dtau.Wrench`.

Gradients by q are with respect to its numbers in memory, so that they chain with the rest of a program.
Quaternions are normalised, so the derivative along the quaternion itself is zero.

A model that was used here is kept until the process ends.

Needs PyTorch: ``pip install torch``.
"""

# PyTorch is optional. If it is not installed, its classes have no types.
# mypy: disable-error-code="import-not-found, misc, unused-ignore, no-any-return, no-untyped-call"

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from . import _calculus, _dtau
from ._calculus import lengths, wrenches_of
from ._dtau import Model
from ._functions import PUBLIC, public
from ._plans import Options

__all__ = ["Wrench", *PUBLIC]

_DTYPES = {torch.float32: np.float32, torch.float64: np.float64}


class _Calculus(_calculus.Calculus):
    name = "torch"
    xp = SimpleNamespace(
        concatenate=torch.cat,
        cos=torch.cos,
        cross=torch.linalg.cross,
        einsum=torch.einsum,
        moveaxis=torch.moveaxis,
        sin=torch.sin,
        stack=torch.stack,
        swapaxes=torch.swapaxes,
        zeros_like=torch.zeros_like,
    )

    def raw(self, name: str, *x: Any, wrenches: bool = False, **changes: Any) -> tuple[Any, ...]:
        plan = self.plan(name, wrenches, changes)
        lead = np.broadcast_shapes(*(own.shape[:-1] for own in x))
        arrays = [own.detach().cpu().expand(*lead, n).contiguous().numpy() for own, n in zip(x, plan.lengths)]
        in_memory = [(*axes[: len(axes) - turned], *axes[len(axes) - turned :][::-1]) for axes, turned in plan.shapes]
        out = [np.empty((*lead, *axes), _DTYPES[x[0].dtype]) for axes in in_memory]
        _dtau._run(plan.number, arrays, out)
        return tuple(_turned(torch.from_numpy(y), turned).to(x[0].device) for y, (_, turned) in zip(out, plan.shapes))

    def differentiable(self, name: str, *x: Any) -> tuple[Any, ...]:
        lead = np.broadcast_shapes(*(own.shape[:-1] for own in x))
        # All arguments get the same leading axes, so that autograd sums over broadcast axes.
        return _Function.apply((self, name), *(own.expand(*lead, own.shape[-1]) for own in x))

    def constant(self, x: Any, like: Any) -> Any:
        return torch.as_tensor(x, dtype=like.dtype, device=like.device)


def _turned(y: torch.Tensor, turned: int) -> torch.Tensor:
    """Reverses the last axes."""
    kept = y.dim() - turned
    return y if turned == 0 else y.permute(*range(kept), *range(kept, y.dim())[::-1])


class _Function(torch.autograd.Function):
    """Calls a function of the table of rules."""

    @staticmethod
    def forward(task: Any, *x: torch.Tensor) -> Any:
        f, name = task
        return f.value(name, *x)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.task, *x = inputs
        ctx.count = len(x)
        ctx.save_for_backward(*x, *output)
        ctx.save_for_forward(*x, *output)

    @staticmethod
    def backward(ctx: Any, *w: torch.Tensor) -> Any:
        (f, name), saved = ctx.task, ctx.saved_tensors
        x, y = saved[: ctx.count], saved[ctx.count :]
        return None, *f.gradients(name, x, y, w, ctx.needs_input_grad[1:])

    @staticmethod
    def jvp(ctx: Any, _: Any, *dx: Any) -> Any:
        (f, name), saved = ctx.task, ctx.saved_tensors
        x, y = saved[: ctx.count], saved[ctx.count :]
        changes = f.tangents(name, x, y, dx)
        return tuple(torch.zeros_like(own) if d is None else d for own, d in zip(y, changes))

    @staticmethod
    def vmap(info: Any, in_dims: Any, task: Any, *x: torch.Tensor) -> Any:
        """Computes one batch: the mapped axis comes first."""
        f, name = task
        x = tuple(own[None] if at is None else own.movedim(at, 0) for own, at in zip(x, in_dims[1:]))
        out = f.differentiable(name, *x)
        return out, (0,) * len(out)


if not hasattr(torch, "func"):  # before PyTorch 2, `forward` also does the work of `setup_context`

    def _forward(ctx: Any, task: Any, *x: torch.Tensor) -> Any:
        f, name = task
        output = f.value(name, *x)
        _Function.setup_context(ctx, (task, *x), output)
        return output

    _Function.forward = staticmethod(_forward)  # type: ignore[method-assign, assignment]


class Wrench(_calculus.Wrench):
    __doc__ = _calculus.Wrench.__doc__


def _begin(model: Model, options: dict[str, Any], given: dict[str, Any]) -> tuple[_Calculus, Any, list[torch.Tensor]]:
    wrenches = wrenches_of(Wrench, options)
    numbers = [x for wrench in wrenches for x in (wrench.force, wrench.torque)]
    key, first = next(iter(given.items()))
    if not isinstance(first, torch.Tensor):
        raise TypeError(f"`{key}` is a {type(first).__name__}; it must be a torch.Tensor")
    tensors = {key: torch.as_tensor(x, device=first.device) for key, x in given.items()}
    own = [*tensors.values(), *(x for x in numbers if isinstance(x, torch.Tensor))]
    dtype = torch.float64 if any(x.dtype == torch.float64 for x in own) else torch.float32
    for key, length in lengths(model, given).items():
        x = tensors[key]
        if x.dtype not in _DTYPES:
            raise TypeError(f"`{key}` has dtype {x.dtype}; it must be torch.float64 or torch.float32")
        if x.dim() == 0 or x.shape[-1] != length:
            raise ValueError(f"`{key}` has shape {tuple(x.shape)}; it must be ({length},) or (..., {length})")
    w = None
    if wrenches:
        each = [torch.zeros(3) if x is None else torch.as_tensor(x) for x in numbers]
        each = [x.to(first.device, dtype) for x in each]
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in each))
        w = torch.cat([x.expand(*lead, 3) for x in each], -1)
    return _Calculus(model, Options(**options)), w, [x.to(dtype) for x in tensors.values()]


_public = partial(public, _begin, __name__)

aba = _public("aba")
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
rnea = _public("rnea")
step = _public("step")
