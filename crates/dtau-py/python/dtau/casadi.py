"""dtau in CasADi: any function of arrays as a ``casadi.Function`` with exact derivatives.

The function is generated as C code for the robot, compiled by the C compiler of this machine, and loaded. Compiling takes
a few seconds for an arm. The result is cached, as for :meth:`dtau.Model.compiled`. The function works in ``Opti``, in
``nlpsol`` and in expressions of ``MX``.

>>> import casadi, dtau, dtau.casadi
>>> model = dtau.Model.bundled("double_pendulum")
>>> aba = dtau.casadi.aba(model)
>>> aba
Function(double_pendulum_aba:(q[2],v[2],tau[2])->(qdd[2]) External)
>>> q, v, tau = (casadi.MX.sym(name, 2) for name in ("q", "v", "tau"))
>>> casadi.jacobian(aba(q, v, tau), tau).shape                    # M⁻¹
(2, 2)

The arguments are the model and those of the :mod:`dtau` function that are not arrays:
``dtau.casadi.frame_placement(model, frame="tool0")``, ``dtau.casadi.constrained_fd(model, feet)``. Gravity and joint effects
are those of the model: ``model.with_options(friction=False)``. ``compiler=`` and ``cache=`` are those of
:meth:`dtau.Model.compiled`. A placement [R | p] is a column of 12 numbers; ``casadi.reshape(placement, 3, 4)`` is the matrix.

``aba`` and ``rnea`` have first and second derivatives. Second derivatives need joints with one degree of freedom or
translations. Other functions have first derivatives, except where the Jacobian would be too long: see
docs/generated-code.md. Derivatives by q are with respect to its coordinates.

Needs CasADi, ``pip install casadi``, and a C compiler.
"""

# CasADi is optional. Without it, its classes have no type.
# mypy: disable-error-code="import-not-found, import-untyped, unused-ignore, no-any-return"

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import casadi

from . import _dtau
from ._dtau import Model

_NAMES = [name for name in _dtau.__all__ if "workspace" in (getattr(getattr(_dtau, name), "__text_signature__", None) or "")]

__all__ = [*_NAMES]

_PARAMETERS = ("model", "constraints", "frame", "reference", "way")


def _public(name: str) -> Callable[..., casadi.Function]:
    kind = inspect.Parameter
    known = inspect.signature(getattr(_dtau, name)).parameters.values()
    parameters = [p.replace(kind=kind.POSITIONAL_OR_KEYWORD) for p in known if p.name in _PARAMETERS]
    parameters += [kind(each, kind.KEYWORD_ONLY, default=None) for each in ("compiler", "cache")]
    signature = inspect.Signature(parameters)

    def function(*args: Any, **keywords: Any) -> casadi.Function:
        try:
            given = signature.bind(*args, **keywords).arguments
        except TypeError as error:
            raise TypeError(f"dtau.casadi.{name}{signature}: {error}") from None
        model = given.pop("model")
        if not isinstance(model, Model):
            raise TypeError(f"`model` is of type {type(model).__name__}; it must be a dtau.Model")
        build = {key: given.pop(key) for key in ("compiler", "cache") if key in given}
        called, file = model._casadi(name, given, **build)
        return casadi.external(called, str(file))

    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = f":func:`dtau.{name}` as a ``casadi.Function``; see :mod:`dtau.casadi`."
    return function


def __getattr__(name: str) -> Callable[..., casadi.Function]:
    if name not in _NAMES:
        raise AttributeError(f"module 'dtau.casadi' has no attribute '{name}'; it has the functions of arrays of dtau, such as aba")
    function = globals()[name] = _public(name)
    return function


def __dir__() -> list[str]:
    return [*globals(), *_NAMES]
