"""Rigid-body dynamics and their exact derivatives.

- A :class:`Model` is a robot, from a URDF, from code, or bundled; it never changes.
- A function takes a model and arrays: ``dtau.rnea(model, q, v, a)``; the functions are those of the Rust library. Arrays of one state have the shape ``(nq,)`` or
  ``(nv,)``; with axes in front they are many states, which run side by side in SIMD lanes and, with ``threads=``, on
  several cores. Leading axes broadcast. ``float32`` arrays compute in ``float32``, and arrays that are not contiguous are
  copied first.
- Spatial vectors are linear part first; a free-flyer's q is ``[x y z, qx qy qz qw]``, its v is in the body's axes.
  Derivatives by q are along tangent directions, so every Jacobian has nv columns. SI units.
- :meth:`Model.show` shows a robot in the browser, see :mod:`dtau.view`.
- :mod:`dtau.jax` and :mod:`dtau.torch` differentiate through the same functions; :mod:`dtau.convert` takes data of
  Pinocchio, MuJoCo and Drake; :mod:`dtau.ray` takes more states than one machine.

>>> import dtau, numpy as np
>>> model = dtau.Model.bundled("quadruped", root="floating")
>>> q, v = model.neutral(), np.zeros(model.nv)
>>> d = dtau.fd_derivatives(model, q, v, tau=np.zeros(model.nv))
>>> d.qdd[2].round(2).item(), d.dqdd_dq.shape                     # falling
(-9.81, (18, 18))
"""

from importlib.metadata import version as _version

from . import _dtau, _results
from ._dtau import *
from ._errors import UnknownNameError
from ._results import *

__version__ = _version("dtau")

__all__ = ["UnknownNameError"]
__all__ += _dtau.__all__
__all__ += _results.__all__
