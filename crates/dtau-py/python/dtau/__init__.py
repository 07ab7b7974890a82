"""Rigid-body dynamics and their exact derivatives.

- A :class:`Model` is a robot, from a URDF, from code, or bundled; it never changes.
- A function takes a model and arrays: ``dtau.rnea(model, q, v, a)``. Arrays of one state have the shape ``(nq,)`` or
  ``(nv,)``; with axes in front they are many states, which run side by side in SIMD lanes and, with ``threads=``, on
  several cores. Leading axes broadcast. ``float32`` arrays compute in ``float32``, and arrays that are not contiguous are
  copied first.
- Spatial vectors are linear part first; a free-flyer's q is ``[x y z, qx qy qz qw]``, its v is in the body's axes.
  Derivatives by q are along tangent directions, so every Jacobian has nv columns. SI units.
- :mod:`dtau.jax` and :mod:`dtau.torch` differentiate through the same functions; :mod:`dtau.convert` takes data of
  Pinocchio, MuJoCo and Drake.

>>> import dtau, numpy as np
>>> model = dtau.Model.bundled("quadruped", root="floating")
>>> q, v = model.neutral(), np.zeros(model.nv)
>>> d = dtau.fd_derivatives(model, q, v, tau=np.zeros(model.nv))
>>> d.qdd[2].round(2).item(), d.dq.shape                          # falling
(-9.81, (18, 18))
"""

from importlib.metadata import version as _version

from ._dtau import (
    Body,
    Frame,
    Joint,
    Limits,
    Mimic,
    Model,
    ModelBuilder,
    Workspace,
    Wrench,
    aba,
    bias,
    bias_derivatives,
    bundled_names,
    bundled_urdf,
    centroidal,
    centroidal_derivatives,
    com,
    com_jacobian,
    com_velocity_derivatives,
    coriolis,
    crba,
    energy,
    fd_derivatives,
    fd_jvp,
    fd_vjp,
    forward_kinematics,
    frame_jacobian,
    frame_jacobian_rate,
    generate_random,
    generate_tree,
    gravity,
    gravity_derivatives,
    id_derivatives,
    id_jvp,
    id_vjp,
    inertial_derivatives,
    kinematic_derivatives,
    mass_solve,
    mass_times,
    minverse,
    rnea,
)
from ._errors import UnknownNameError
from ._results import (
    Centroidal,
    CentroidalDerivatives,
    Com,
    ComVelocityDerivatives,
    DifferenceDerivatives,
    Energy,
    FdDerivatives,
    FdGradient,
    IdDerivatives,
    IdGradient,
    IntegrateDerivatives,
    KinematicDerivatives,
    Kinematics,
)

__version__ = _version("dtau")

__all__ = [
    "Body",
    "Centroidal",
    "CentroidalDerivatives",
    "Com",
    "ComVelocityDerivatives",
    "DifferenceDerivatives",
    "Energy",
    "FdDerivatives",
    "FdGradient",
    "Frame",
    "IdDerivatives",
    "IdGradient",
    "IntegrateDerivatives",
    "Joint",
    "KinematicDerivatives",
    "Kinematics",
    "Limits",
    "Mimic",
    "Model",
    "ModelBuilder",
    "UnknownNameError",
    "Workspace",
    "Wrench",
    "aba",
    "bias",
    "bias_derivatives",
    "bundled_names",
    "bundled_urdf",
    "centroidal",
    "centroidal_derivatives",
    "com",
    "com_jacobian",
    "com_velocity_derivatives",
    "coriolis",
    "crba",
    "energy",
    "fd_derivatives",
    "fd_jvp",
    "fd_vjp",
    "forward_kinematics",
    "frame_jacobian",
    "frame_jacobian_rate",
    "generate_random",
    "generate_tree",
    "gravity",
    "gravity_derivatives",
    "id_derivatives",
    "id_jvp",
    "id_vjp",
    "inertial_derivatives",
    "kinematic_derivatives",
    "mass_solve",
    "mass_times",
    "minverse",
    "rnea",
]
