"""dtau under PyTorch: :func:`rnea`, :func:`aba` and :func:`step` with autograd, for one state and for many.

The backward pass is dtau's own: a product with the analytical derivatives that never forms them, in O(N) a state.
``float64`` and ``float32``; tensors on another device go through the host. A second backward pass through :func:`rnea` and :func:`aba`
is a product with their second derivatives, in O(N) a state too; through :func:`step` it is refused, and so is a third.

>>> import dtau, dtau.torch, torch                                      # doctest: +SKIP
>>> model = dtau.Model.bundled("arm6")                                  # doctest: +SKIP
>>> q = torch.zeros(100, 6, dtype=torch.float64, requires_grad=True)    # doctest: +SKIP
>>> tau = dtau.torch.rnea(model, q, torch.zeros(6), torch.zeros(6))     # doctest: +SKIP
>>> (tau**2).sum().backward()                                           # doctest: +SKIP
>>> q.grad.shape                                                        # doctest: +SKIP
torch.Size([100, 6])

Gradients by q are by its numbers as they stand in memory, so that they chain with the rest of a program. A quaternion
stands for the rotation that it has when scaled to unit length, so the derivative along itself is zero.

Needs PyTorch: ``pip install dtau[torch]``.
"""

# PyTorch is optional: where it is not installed, its classes are of no type.
# mypy: disable-error-code="import-not-found, misc, unused-ignore, no-any-return, no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from . import _host
from ._dtau import Model
from ._results import Array

__all__ = ["aba", "rnea", "step"]


def rnea(model: Model, q: torch.Tensor, v: torch.Tensor, a: torch.Tensor, **options: Any) -> torch.Tensor:
    """Inverse dynamics, as :func:`dtau.rnea`: q (..., nq), v and a (..., nv) give τ (..., nv).

    Keywords (``f_ext``, ``gravity``, ``damping``, ``friction``, ``armature``, ``threads``) are those of
    :func:`dtau.rnea`; no gradient goes to them.
    """
    return _Dynamics.apply("rnea", model, options, *_expanded(_tensors(model, q=q, v=v, a=a)))


def aba(model: Model, q: torch.Tensor, v: torch.Tensor, tau: torch.Tensor, **options: Any) -> torch.Tensor:
    """Forward dynamics, as :func:`dtau.aba`: q (..., nq), v and tau (..., nv) give q̈ (..., nv).

    Keywords are those of :func:`dtau.aba`; no gradient goes to them.
    """
    return _Dynamics.apply("aba", model, options, *_expanded(_tensors(model, q=q, v=v, tau=tau)))


def step(
    model: Model, q: torch.Tensor, v: torch.Tensor, tau: torch.Tensor, dt: float, **options: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """One step of semi-implicit (symplectic) Euler on the configuration manifold: (q', v').

    v' = v + dt · aba(q, v, tau), then q' = q ⊕ dt · v'. For a floating base ⊕ is the exponential of SE(3), so that
    quaternions stay of unit length; for plain joints it is a sum. No gradient goes to ``dt`` [s].
    """
    return _Step.apply(model, options, float(dt), *_tensors(model, q=q, v=v, tau=tau))


def _tensors(model: Model, **given: Any) -> tuple[torch.Tensor, ...]:
    """The arguments in one precision and on one device, of the right lengths."""
    first = given["q"]
    if not isinstance(first, torch.Tensor):
        raise TypeError(f"`q` is a {type(first).__name__}; it must be a torch.Tensor")
    tensors = {name: torch.as_tensor(x, device=first.device) for name, x in given.items()}
    double = any(x.dtype == torch.float64 for x in tensors.values())
    out = []
    for name, x in tensors.items():
        if x.dtype not in (torch.float32, torch.float64):
            raise TypeError(f"`{name}` has dtype {x.dtype}; it must be torch.float64 or torch.float32")
        length = model.nq if name == "q" else model.nv
        if x.dim() == 0 or x.shape[-1] != length:
            raise ValueError(f"`{name}` has shape {tuple(x.shape)}; it must be ({length},) or (..., {length})")
        out.append(x.to(torch.float64 if double else torch.float32))
    return tuple(out)


def _expanded(x: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """All with the same leading axes, so that autograd sums over those that were broadcast."""
    lead = torch.broadcast_shapes(*(each.shape[:-1] for each in x))
    return tuple(each.expand(*lead, each.shape[-1]) for each in x)


def _array(x: torch.Tensor) -> Array:
    return np.asarray(x.detach().cpu().numpy())


def _tensor(x: Array, like: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(x)).to(like.device)


def _gradients(ctx: Any, arrays: tuple[Array, ...], *weights: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Gradients in the shapes of the arguments: axes that were broadcast are summed over."""
    gradients = []
    for gradient, x in zip(arrays, ctx.saved_tensors):
        extra = gradient.ndim - x.dim()
        gradient = gradient.sum(axis=tuple(range(extra)))
        wide = tuple(k for k in range(x.dim()) if x.shape[k] == 1 != gradient.shape[k])
        gradients.append(_tensor(gradient.sum(axis=wide, keepdims=True), x))
    if torch.is_grad_enabled():  # create_graph=True: somebody means to differentiate these again
        message = "step has first derivatives only; a second backward pass was asked for"
        gradients = [_Refuse.apply(message, gradient, *ctx.saved_tensors, *weights) for gradient in gradients]
    return tuple(gradients)


class _Refuse(torch.autograd.Function):
    """A gradient that depends on the arguments, in a way that is not known: better an error than a wrong zero."""

    @staticmethod
    def forward(ctx: Any, message: str, gradient: torch.Tensor, *x: torch.Tensor) -> torch.Tensor:
        ctx.message = message
        return gradient.clone()

    @staticmethod
    def backward(ctx: Any, *w: torch.Tensor) -> Any:
        raise NotImplementedError(f"dtau.torch.{ctx.message}")


class _Dynamics(torch.autograd.Function):
    """Inverse or forward dynamics, by name."""

    @staticmethod
    def forward(ctx: Any, name: str, model: Model, options: Any, *x: torch.Tensor) -> torch.Tensor:
        ctx.name, ctx.model, ctx.options = name, model, options
        ctx.save_for_backward(*x)
        return _tensor(_host.DYNAMICS[name].value(model, options, *map(_array, x)), x[0])

    @staticmethod
    def backward(ctx: Any, w: torch.Tensor) -> Any:
        q, v, x = ctx.saved_tensors
        along, *rest = _Gradient.apply(ctx.name, ctx.model, ctx.options, q, v, x, w)
        return None, None, None, _by_coordinates(ctx.model, q, along), *rest


class _Gradient(torch.autograd.Function):
    """The gradient of wᵀ y along tangents, by ξ, v and x."""

    @staticmethod
    def forward(ctx: Any, name: str, model: Model, options: Any, *x: torch.Tensor) -> Any:
        ctx.name, ctx.model, ctx.options = name, model, options
        ctx.save_for_backward(*x)
        gradient = _host.DYNAMICS[name].vjp(model, options, *map(_array, x))
        return tuple(_tensor(each, x[0]) for each in gradient)

    @staticmethod
    def backward(ctx: Any, *u: torch.Tensor) -> Any:
        q, v, x, w = ctx.saved_tensors
        host = _host.DYNAMICS[ctx.name]
        along_q, along_v, along_x = map(_array, u)
        at = (_array(q), _array(v), _array(x), _array(w))
        arrays = host.vjp_transposed(ctx.model, ctx.options, *at, (along_q, along_v, along_x))
        along, *rest = (_tensor(each, q) for each in arrays)
        gradients = [_by_coordinates(ctx.model, q, along), *rest]
        if torch.is_grad_enabled():
            message = f"{ctx.name} has first and second derivatives only; a third backward pass was asked for"
            gradients = [_Refuse.apply(message, gradient, *ctx.saved_tensors, *u) for gradient in gradients]
        return None, None, None, *gradients


def _by_coordinates(model: Model, q: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
    """E(q)ᵀ g, in PyTorch: it is to be differentiated with the rest."""
    if model.nq == model.nv and not any(joint.kind == "planar" for joint in model.joints):
        return g
    parts = []
    for joint in model.joints:
        if joint.mimic is not None:
            continue
        own, d = q[..., joint.q], g[..., joint.v]
        if joint.kind == "spherical":
            parts.append(_by_quaternion(own, d))
        elif joint.kind == "free-flyer":
            x, w, f = own[..., 3:6], own[..., 6:], d[..., :3]
            scale = 2 / (own[..., 3:] ** 2).sum(-1, keepdim=True)
            across = torch.linalg.cross(x, f)
            parts += [f + scale * (torch.linalg.cross(x, across) + w * across), _by_quaternion(own[..., 3:], d[..., 3:])]
        elif joint.kind == "planar":
            sin, cos, x, y = torch.sin(own[..., 2]), torch.cos(own[..., 2]), d[..., 0], d[..., 1]
            parts.append(torch.stack([cos * x - sin * y, cos * y + sin * x, d[..., 2]], -1))
        else:
            parts.append(d)
    return torch.cat(parts, -1)


def _by_quaternion(quaternion: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
    x, w = quaternion[..., :3], quaternion[..., 3:]
    both = torch.cat([w * g + torch.linalg.cross(x, g), -(x * g).sum(-1, keepdim=True)], -1)
    return 2 * both / (quaternion**2).sum(-1, keepdim=True)


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, model: Model, options: Any, dt: float, q: torch.Tensor, v: torch.Tensor, tau: torch.Tensor) -> Any:
        ctx.model, ctx.options, ctx.dt = model, options, dt
        ctx.save_for_backward(q, v, tau)
        q_next, v_next = _host.step(model, options, dt, _array(q), _array(v), _array(tau))
        return _tensor(q_next, q), _tensor(v_next, q)

    @staticmethod
    def backward(ctx: Any, w_q: torch.Tensor, w_v: torch.Tensor) -> Any:
        q, v, tau = map(_array, ctx.saved_tensors)
        arrays = _host.step_vjp(ctx.model, ctx.options, ctx.dt, q, v, tau, _array(w_q), _array(w_v))
        return None, None, None, *_gradients(ctx, arrays, w_q, w_v)
