"""Rigid-body dynamics and their exact derivatives.

- A :class:`Model` is a robot, from a URDF, from code, or bundled. It is immutable.
- A function takes a model and arrays: ``dtau.rnea(model, q, v, a)``. The functions are those of the Rust
  library. Arrays of one state have the shape ``(nq,)`` or ``(nv,)``. Leading axes are many states, which are
  computed in SIMD lanes and, with ``threads=``, on several cores. Leading axes broadcast. ``float32`` arrays
  are computed in ``float32``. Arrays that are not contiguous are copied first.
- Spatial vectors have the linear part first. A free-flyer's q is ``[x y z, qx qy qz qw]``, and its v is in
  the body's axes. Derivatives by q are along tangent directions, so every Jacobian has nv columns. SI units.
- :mod:`dtau.jax` and :mod:`dtau.torch` differentiate the same functions. :mod:`dtau.convert` converts data of
  Pinocchio, MuJoCo and Drake. :mod:`dtau.ray` computes states on several machines.

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
