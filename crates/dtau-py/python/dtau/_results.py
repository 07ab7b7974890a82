"""Results with names. Each is a tuple, so it unpacks, pickles, and is a pytree for JAX; ``out=`` takes one back.

Shapes are those of one state; a batch has its axes in front of them.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple, Union, cast

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "AccelerationDerivatives",
    "Assembled",
    "CentroidalDerivatives",
    "Com",
    "Constrained",
    "ConstrainedEfforts",
    "ConstrainedFdDerivatives",
    "ConstrainedIdDerivatives",
    "ConstrainedStep",
    "ConstrainedTangent",
    "ConstraintErrors",
    "Delassus",
    "DesiredDerivatives",
    "DifferenceDerivatives",
    "Energy",
    "EnergyRegressor",
    "FdDerivatives",
    "FdGradient",
    "FdHessian",
    "FdSecondDerivatives",
    "IdDerivatives",
    "IdGradient",
    "IdHessian",
    "IdSecondDerivatives",
    "Impulse",
    "ImpulseDerivatives",
    "IntegrateDerivatives",
    "KinematicHessian",
    "Kinematics",
    "MotionDerivatives",
    "VelocityDerivatives",
]

Array = NDArray[Any]
Scalar = Union[float, Array]


class IdDerivatives(NamedTuple):
    """Inverse dynamics and its derivatives: ``[i, j]`` is that of torque i by coordinate j."""

    tau: Array
    """The torques τ, (nv,)."""
    dtau_dq: Array
    """∂τ/∂q along tangent directions, (nv, nv)."""
    dtau_dv: Array
    """∂τ/∂q̇, (nv, nv)."""
    dtau_da: Array
    """∂τ/∂q̈, the mass matrix, (nv, nv)."""


class FdDerivatives(NamedTuple):
    """Forward dynamics and its derivatives: ``[i, j]`` is that of acceleration i by coordinate j."""

    qdd: Array
    """The accelerations q̈, (nv,)."""
    dqdd_dq: Array
    """∂q̈/∂q along tangent directions, (nv, nv)."""
    dqdd_dv: Array
    """∂q̈/∂q̇, (nv, nv)."""
    dqdd_dtau: Array
    """∂q̈/∂τ, the inverse of the mass matrix, (nv, nv)."""


class Constrained(NamedTuple):
    """Accelerations under constraints, and the forces of these: ``M q̈ + b = τ + Jᵀλ``."""

    qdd: Array
    """The accelerations q̈, (nv,)."""
    lambda_: Array
    """The forces λ along the rows of the constraints, on the frames that are held, (rows,); see ``Constraints.row_names``."""


class ConstrainedFdDerivatives(NamedTuple):
    """Accelerations and forces under constraints and their derivatives: ``[i, j]`` is that of acceleration, or row, i by coordinate j."""

    qdd: Array
    """The accelerations q̈, (nv,)."""
    lambda_: Array
    """The forces λ along the rows, (rows,)."""
    dqdd_dq: Array
    """∂q̈/∂q along tangent directions, (nv, nv)."""
    dqdd_dv: Array
    """∂q̈/∂q̇, (nv, nv)."""
    dqdd_dtau: Array
    """∂q̈/∂τ, symmetric, of rank nv less that of the constraints, (nv, nv)."""
    dlambda_dq: Array
    """∂λ/∂q along tangent directions, (rows, nv)."""
    dlambda_dv: Array
    """∂λ/∂q̇, (rows, nv)."""
    dlambda_dtau: Array
    """∂λ/∂τ, (rows, nv)."""


class ConstrainedEfforts(NamedTuple):
    """Torques of actuated joints, and forces of constraints, for wished accelerations: ``τ + Jᵀλ = M q̈ + b``."""

    tau: Array
    """The torques τ, zero where there is no actuator, (nv,)."""
    lambda_: Array
    """The forces λ along the rows, on the frames that are held, (rows,)."""


class ConstrainedIdDerivatives(NamedTuple):
    """Torques and forces for wished accelerations and their derivatives: ``[i, j]`` is that of torque, or row, i by coordinate j."""

    tau: Array
    """The torques τ, (nv,)."""
    lambda_: Array
    """The forces λ along the rows, (rows,)."""
    dtau_dq: Array
    """∂τ/∂q along tangent directions, (nv, nv)."""
    dtau_dv: Array
    """∂τ/∂q̇, (nv, nv)."""
    dtau_da: Array
    """∂τ/∂q̈, (nv, nv)."""
    dlambda_dq: Array
    """∂λ/∂q along tangent directions, (rows, nv)."""
    dlambda_dv: Array
    """∂λ/∂q̇, (rows, nv)."""
    dlambda_da: Array
    """∂λ/∂q̈, (rows, nv)."""


class ConstraintErrors(NamedTuple):
    """How far constraints are from what they hold, a number for each row."""

    position: Array
    """c − c* [m, rad], (rows,)."""
    velocity: Array
    """ċ − ċ* [m/s, rad/s], (rows,)."""


class ConstrainedTangent(NamedTuple):
    """How constrained forward dynamics changes along a direction."""

    dqdd: Array
    """Of the accelerations q̈, (nv,)."""
    dlambda: Array
    """Of the forces λ, (rows,)."""


class DesiredDerivatives(NamedTuple):
    """Derivatives of constrained forward dynamics by the desired motion: column j is that by row j."""

    dqdd_dposition: Array
    """∂q̈/∂c*, (nv, rows)."""
    dqdd_dvelocity: Array
    """∂q̈/∂ċ*, (nv, rows)."""
    dqdd_dacceleration: Array
    """∂q̈/∂c̈*, (nv, rows)."""
    dlambda_dposition: Array
    """∂λ/∂c*, (rows, rows)."""
    dlambda_dvelocity: Array
    """∂λ/∂ċ*, (rows, rows)."""
    dlambda_dacceleration: Array
    """∂λ/∂c̈*, (rows, rows)."""


class Assembled(NamedTuple):
    """A configuration that obeys constraints, and how it was found."""

    q: Array
    """The configuration, (nq,)."""
    iterations: Union[int, Array]
    """Steps it took, ()."""
    residual: Scalar
    """The largest that is left of any row [m, rad], ()."""


class ConstrainedStep(NamedTuple):
    """A state after a step of a simulation under constraints."""

    q: Array
    """The configuration, (nq,)."""
    v: Array
    """The velocity, (nv,)."""
    iterations: Union[int, Array]
    """Steps that closing the positions took, ()."""
    residual: Scalar
    """The largest that is left of any row [m, rad], ()."""


class Delassus(NamedTuple):
    """The inverse inertia along the rows of constraints."""

    delassus: Array
    """J M⁻¹ Jᵀ, (rows, rows)."""
    inverse: Array
    """Its inverse; where rows depend on others, a generalised one with zeros in theirs, (rows, rows)."""
    rank: Scalar
    """How many rows are independent, ()."""


class Impulse(NamedTuple):
    """A collision with constraints: ``M (v⁺ − v) = Jᵀ p``."""

    v_after: Array
    """The velocity after it, v⁺, (nv,)."""
    impulse: Array
    """The impulses p along the rows, on the frames that are held [N s, N m s], (rows,)."""


class ImpulseDerivatives(NamedTuple):
    """A collision with constraints and its derivatives."""

    v_after: Array
    """The velocity after it, v⁺, (nv,)."""
    impulse: Array
    """The impulses p along the rows, (rows,)."""
    dv_after_dq: Array
    """∂v⁺/∂q along tangent directions, (nv, nv)."""
    dv_after_dv: Array
    """∂v⁺/∂q̇, (nv, nv)."""
    dimpulse_dq: Array
    """∂p/∂q along tangent directions, (rows, nv)."""
    dimpulse_dv: Array
    """∂p/∂q̇, (rows, nv)."""


class IdGradient(NamedTuple):
    """The gradient of wᵀ τ."""

    dq: Array
    """By q, along tangent directions, (nv,)."""
    dv: Array
    """By q̇, (nv,)."""
    da: Array
    """By q̈, (nv,)."""


class FdGradient(NamedTuple):
    """The gradient of wᵀ q̈."""

    dq: Array
    """By q, along tangent directions, (nv,)."""
    dv: Array
    """By q̇, (nv,)."""
    dtau: Array
    """By τ, (nv,)."""


class IdHessian(NamedTuple):
    """The gradient and the second derivatives of wᵀ τ; by q along tangent directions."""

    dq: Array
    """By q, (nv,)."""
    dv: Array
    """By q̇, (nv,)."""
    da: Array
    """By q̈, (nv,)."""
    qq: Array
    """Twice by q, (nv, nv)."""
    qv: Array
    """By q, rows, and q̇, columns, (nv, nv)."""
    vv: Array
    """Twice by q̇, (nv, nv)."""
    qa: Array
    """By q, rows, and q̈, columns, (nv, nv)."""


class FdHessian(NamedTuple):
    """The gradient and the second derivatives of wᵀ q̈; by q along tangent directions."""

    dq: Array
    """By q, (nv,)."""
    dv: Array
    """By q̇, (nv,)."""
    dtau: Array
    """By τ, (nv,)."""
    qq: Array
    """Twice by q, (nv, nv)."""
    qv: Array
    """By q, rows, and q̇, columns, (nv, nv)."""
    vv: Array
    """Twice by q̇, (nv, nv)."""
    qtau: Array
    """By q, rows, and τ, columns, (nv, nv)."""



class IdSecondDerivatives(NamedTuple):
    """The second derivatives of τ, whole: ``[i, j, k]`` is that of torque i by coordinates j and k; by q along tangent directions."""

    qq: Array
    """Twice by q, symmetric in j and k, (nv, nv, nv)."""
    qv: Array
    """By q, j, and q̇, k, (nv, nv, nv)."""
    vv: Array
    """Twice by q̇, symmetric in j and k, (nv, nv, nv)."""
    qa: Array
    """By q, j, and q̈, k, (nv, nv, nv)."""


class FdSecondDerivatives(NamedTuple):
    """The second derivatives of q̈, whole: ``[i, j, k]`` is that of acceleration i by coordinates j and k; by q along tangent directions."""

    qq: Array
    """Twice by q, symmetric in j and k, (nv, nv, nv)."""
    qv: Array
    """By q, j, and q̇, k, (nv, nv, nv)."""
    vv: Array
    """Twice by q̇, symmetric in j and k, (nv, nv, nv)."""
    qtau: Array
    """By q, j, and τ, k, (nv, nv, nv)."""


class KinematicHessian(NamedTuple):
    """The gradient and the second derivatives of a function of the configuration, along tangent directions."""

    dq: Array
    """The gradient, (nv,)."""
    qq: Array
    """The Hessian, symmetric, (nv, nv)."""


class EnergyRegressor(NamedTuple):
    """Kinetic and potential energy by the inertial parameters of the links."""

    dkinetic_dpi: Array
    """∂T/∂π, (10 links,)."""
    dpotential_dpi: Array
    """∂V/∂π, (10 links,)."""


class Kinematics(NamedTuple):
    """Where every frame is, and how it moves in the reference asked for; in the order of ``model.frames``, linear part first."""

    placement: Array
    """[R | p] in the world, (frames, 3, 4)."""
    velocity: Array
    """Velocity [m/s, rad/s], (frames, 6)."""
    acceleration: Array
    """Spatial acceleration [m/s², rad/s²], (frames, 6); its linear part is not that of a point."""

    @property
    def rotation(self) -> Array:
        """R, whose columns are the frame's axes in the world, (frames, 3, 3); a view of ``placement``."""
        return self.placement[..., :3]

    @property
    def position(self) -> Array:
        """The frame's origin in the world [m], (frames, 3); a view of ``placement``."""
        return self.placement[..., 3]

    @property
    def homogeneous(self) -> Array:
        """The placement as a homogeneous matrix, (frames, 4, 4)."""
        last_row = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (*self.placement.shape[:-2], 1, 4))
        return np.concatenate([self.placement, last_row.astype(self.placement.dtype)], axis=-2)

    @property
    def classical_acceleration(self) -> Array:
        """The acceleration of the point, a + [ω × v; 0], (frames, 6)."""
        result: Array = self.acceleration.copy()
        result[..., :3] += np.cross(self.velocity[..., 3:], self.velocity[..., :3])
        return result


class VelocityDerivatives(NamedTuple):
    """The derivatives of a frame's velocity, or of the centre of mass's, which has three rows; linear rows first."""

    dv_dq: Array
    """By q, along tangent directions, (6, nv)."""
    dv_dv: Array
    """By q̇: the Jacobian, (6, nv)."""


class AccelerationDerivatives(NamedTuple):
    """The derivatives of a frame's acceleration; linear rows first."""

    da_dq: Array
    """By q, along tangent directions, (6, nv)."""
    da_dv: Array
    """By q̇, (6, nv)."""
    da_da: Array
    """By q̈: the Jacobian, (6, nv)."""


class MotionDerivatives(NamedTuple):
    """The derivatives of a frame's velocity and acceleration; linear rows first."""

    dv_dq: Array
    """Of the velocity by q, along tangent directions, (6, nv)."""
    da_dq: Array
    """Of the acceleration by q, along tangent directions, (6, nv)."""
    da_dv: Array
    """Of the acceleration by q̇, (6, nv)."""
    da_da: Array
    """Of the acceleration by q̈, and of the velocity by q̇: the Jacobian, (6, nv)."""


class Com(NamedTuple):
    """The centre of mass in world coordinates."""

    position: Array
    """Where it is [m], (3,)."""
    velocity: Array
    """How it moves [m/s], (3,)."""
    acceleration: Array
    """How that changes [m/s²], (3,); gravity plays no part."""


class CentroidalDerivatives(NamedTuple):
    """The centroidal momentum h, its rate ḣ, and their derivatives; by q along tangent directions."""

    h: Array
    """The momentum [N s, N m s], (6,)."""
    hdot: Array
    """Its rate [N, N m], (6,)."""
    dh_dq: Array
    """∂h/∂q, (6, nv)."""
    dhdot_dq: Array
    """∂ḣ/∂q, (6, nv)."""
    dhdot_dv: Array
    """∂ḣ/∂q̇, (6, nv)."""
    dhdot_da: Array
    """∂ḣ/∂q̈, and ∂h/∂q̇: the centroidal matrix, (6, nv)."""


class Energy(NamedTuple):
    """The energy of a robot [J]."""

    kinetic: Scalar
    """Of its motion."""
    potential: Scalar
    """Of its height: zero where the centre of mass is in the plane through the world's origin across gravity."""


class IntegrateDerivatives(NamedTuple):
    """The derivatives of q ⊕ v along tangent directions."""

    by_q: Array
    """By q, (nv, nv)."""
    by_v: Array
    """By v, (nv, nv)."""


class DifferenceDerivatives(NamedTuple):
    """The derivatives of q1 ⊖ q0 along tangent directions."""

    by_q0: Array
    """By q0, (nv, nv)."""
    by_q1: Array
    """By q1, (nv, nv)."""


def _class_of(function: str, fields: tuple[str, ...]) -> type[Any]:
    """The class of a function's results: the one with these fields, or a new one without documentation of its own."""
    for known in globals().values():
        if getattr(known, "_fields", None) == fields:
            return cast("type[Any]", known)
    name = function.title().replace("_", "")
    made = globals()[name] = namedtuple(name, fields, module=__name__)
    return made
