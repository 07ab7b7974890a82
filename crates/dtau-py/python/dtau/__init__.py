"""Rigid-body dynamics and their exact derivatives.

- A :class:`Model` is a robot, from a URDF or MJCF, from code, or bundled. It is immutable. :func:`load` finds a robot
  by name.
- A function takes a model and arrays: ``dtau.rnea(model, q, v, a)``. The functions are those of the Rust
  library. Arrays of one state have the shape ``(nq,)`` or ``(nv,)``. Leading axes are many states, which are
  computed in SIMD lanes and, with ``threads=``, on several cores. Leading axes broadcast. ``float32`` arrays
  are computed in ``float32``. Arrays that are not contiguous are copied first.
- Spatial vectors have the linear part first. A free-flyer's q is ``[x y z, qx qy qz qw]``, and its v is in
  the body's axes. Derivatives by q are along tangent directions, so every Jacobian has nv columns. SI units.
- :meth:`Model.show` shows a robot in the browser, see :mod:`dtau.view`.
- :mod:`dtau.jax` and :mod:`dtau.torch` differentiate the same functions. :mod:`dtau.casadi` makes them functions of
  CasADi. :mod:`dtau.convert` converts data of Pinocchio, MuJoCo and Drake. :mod:`dtau.ray` computes states on several
  machines.

>>> import dtau, numpy as np
>>> model = dtau.Model.bundled("quadruped", root="floating")
>>> q, v = model.neutral(), np.zeros(model.nv)
>>> d = dtau.fd_derivatives(model, q, v, tau=np.zeros(model.nv))
>>> d.qdd[2].round(2).item(), d.dqdd_dq.shape                     # falling
(-9.81, (18, 18))
"""

import sys as _sys
from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import _dtau, _names, _results
from ._dtau import *
from ._errors import UnknownNameError
from ._load import load
from ._results import *

__version__ = _version("dtau")

__all__ = ["UnknownNameError", "load"]
__all__ += _dtau.__all__
__all__ += _results.__all__

if not _TYPE_CHECKING:  # for a type checker there are no other names

    def __getattr__(name: str) -> _Any:
        """Raises the error of a missing name. It translates the names of other libraries."""
        _names.of_module(_sys.modules[__name__], name)
