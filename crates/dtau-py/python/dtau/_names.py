"""Names of other libraries. The error of such a name says what to write instead.

The tables are data. Tests check that every dtau name in them exists, and that the pages `docs/migrating-from-*.md`
have every row. A line has one or more names and the expression to write, or a sentence after a colon.
"""

from __future__ import annotations

from typing import Any, NoReturn

PINOCCHIO = """
buildModelFromUrdf, buildModelFromXML, buildModelsFromUrdf, RobotWrapper -> dtau.Model.from_urdf(path)
buildModelFromMJCF -> dtau.Model.from_mjcf(path)
JointModelFreeFlyer -> dtau.Model.from_urdf(path, root="floating")
Data, createData -> : there is no `data`, a call returns its results: tau = dtau.rnea(model, q, v, a)
buildReducedModel -> model.lock({"elbow": 0.3})
appendModel -> a.attach("frame", b, prefix="b/")
randomConfiguration -> model.random(rng)
dIntegrate -> model.integrate_derivatives(q, v)
dDifference -> model.difference_derivatives(q0, q1)
normalize -> model.normalise(q)
nonLinearEffects -> dtau.bias(model, q, v)
computeGeneralizedGravity -> dtau.gravity_torques(model, q)
computeMinverse -> dtau.minverse(model, q)
computeCoriolisMatrix -> dtau.coriolis(model, q, v)
computeRNEADerivatives -> dtau.id_derivatives(model, q, v, a)
computeABADerivatives -> dtau.fd_derivatives(model, q, v, tau)
computeStaticTorqueDerivatives, computeGeneralizedGravityDerivatives -> dtau.gravity_derivatives(model, q)
forwardKinematics, framesForwardKinematics, updateFramePlacements, updateFramePlacement -> dtau.placements(model, q)
getFrameVelocity, getVelocity -> dtau.frame_velocity(model, q, v, "tool", "local")
getFrameAcceleration, getAcceleration -> dtau.frame_acceleration(model, q, v, a, "tool", "local")
getFrameClassicalAcceleration, getClassicalAcceleration -> dtau.frame_classical_acceleration(model, q, v, a, "tool", "local")
computeFrameJacobian, getFrameJacobian, computeJointJacobian, computeJointJacobians, getJointJacobian -> \
dtau.frame_jacobian(model, q, "tool", "local")
getFrameJacobianTimeVariation, frameJacobianTimeVariation -> dtau.frame_jacobian_rate(model, q, v, "tool", "local")
getFrameVelocityDerivatives, getFrameAccelerationDerivatives -> dtau.frame_motion_derivatives(model, q, v, a, "tool", "local")
centerOfMass -> dtau.centre_of_mass(model, q, v, a)
jacobianCenterOfMass -> dtau.com_jacobian(model, q)
computeKineticEnergy, computePotentialEnergy, computeMechanicalEnergy -> dtau.energy(model, q, v)
ccrba, computeCentroidalMap -> dtau.centroidal_matrix(model, q)
computeCentroidalMomentum -> dtau.centroidal_momentum(model, q, v)
computeCentroidalMomentumTimeVariation, dccrba -> dtau.centroidal_momentum_rate(model, q, v, a)
computeCentroidalDynamicsDerivatives -> dtau.centroidal_derivatives(model, q, v, a)
computeTotalMass -> model.mass
computeJointTorqueRegressor -> dtau.joint_torque_regressor(model, q, v, a)
rneaInParallel, abaInParallel -> dtau.rnea(model, q, v, a, threads=n)
RigidConstraintModel, RigidContactModel -> dtau.Constraints(model)
initConstraintDynamics -> : there is nothing to initialise, dtau.Constraints(model) is made once
constraintDynamics -> dtau.constrained_fd(model, feet, q, v, tau)
computeConstraintDynamicsDerivatives -> dtau.constrained_fd_derivatives(model, feet, q, v, tau)
impulseDynamics -> dtau.impulse(model, feet, q, v, restitution)
computeImpulseDynamicsDerivatives -> dtau.impulse_derivatives(model, feet, q, v, restitution)
LOCAL, WORLD, LOCAL_WORLD_ALIGNED, ReferenceFrame -> : it is a word in lower case, such as reference="local"
getFrameId, existFrame, getBodyId -> model.frame(name)
getJointId, existJointName -> model.joint(name)
lowerPositionLimit -> model.lower
upperPositionLimit -> model.upper
velocityLimit -> model.speed
effortLimit -> model.effort
referenceConfigurations -> model.pose(name)
addFrame -> model.with_frame(name, on)
addJoint, appendBodyToJoint -> dtau.ModelBuilder(name)
inertias -> model.inertial_parameters
njoints -> len(model.joints)
nframes -> len(model.frames)
nbodies -> len(model.bodies)
"""

MUJOCO = """
MjModel, from_xml_path, from_xml_string -> dtau.Model.from_mjcf(path)
MjData -> : there is no `data`, a call returns its results: qdd = dtau.aba(model, q, v, tau)
MjSpec -> dtau.ModelBuilder(name)
mj_forward -> dtau.aba(model, q, v, tau)
mj_inverse -> dtau.rnea(model, q, v, a)
mj_rne, qfrc_bias -> dtau.bias(model, q, v, damping=False, friction=False)
mj_crb, mj_fullM, qM -> dtau.crba(model, q)
mj_mulM -> dtau.mass_times(model, q, x)
mj_solveM, mj_factorM -> dtau.mass_solve(model, q, x)
mj_kinematics, mj_fwdPosition, xpos, xmat -> dtau.placements(model, q)
mj_jac, mj_jacBody, mj_jacSite, mj_jacBodyCom, mj_jacGeom -> dtau.frame_jacobian(model, q, "tool")
mj_jacDot -> dtau.frame_jacobian_rate(model, q, v, "tool")
mj_jacSubtreeCom -> dtau.com_jacobian(model, q)
mj_objectVelocity -> dtau.frame_velocity(model, q, v, "tool")
mj_objectAcceleration -> dtau.frame_classical_acceleration(model, q, v, a, "tool")
mj_subtreeVel, subtree_linvel, subtree_angmom -> dtau.centroidal_momentum(model, q, v)
subtree_com -> dtau.centre_of_mass(model, q)
mj_energyPos, mj_energyVel -> dtau.energy(model, q, v)
mj_integratePos -> model.integrate(q, dt * v)
mj_differentiatePos -> model.difference(q0, q1)
mj_normalizeQuat -> model.normalise(q)
mj_applyFT, xfrc_applied -> dtau.rnea(model, q, v, a, f_ext=[dtau.Wrench.world(frame, force, torque)])
mjd_transitionFD -> dtau.fd_derivatives(model, q, v, tau)
mjd_inverseFD -> dtau.id_derivatives(model, q, v, a)
mj_step, mj_step1, mj_step2 -> dtau.constrained_step(model, feet, q, v, tau, dt)
mj_name2id, mj_id2name -> model.frame(name)
mj_getTotalmass, body_mass -> model.mass
qpos0, key_qpos -> model.pose("qpos0")
jnt_range -> model.lower
"""

DRAKE = """
MultibodyPlant, AddMultibodyPlantSceneGraph, Parser, AddModels -> dtau.Model.from_file(path)
CreateDefaultContext, SetPositions, SetVelocities, SetPositionsAndVelocities -> \
: there is no context, q and v are arguments: tau = dtau.rnea(model, q, v, a)
CalcMassMatrix, CalcMassMatrixViaInverseDynamics -> dtau.crba(model, q)
CalcInverseDynamics -> dtau.rnea(model, q, v, a)
CalcBiasTerm -> dtau.bias(model, q, v, gravity=(0, 0, 0), damping=False, friction=False)
CalcGravityGeneralizedForces -> -dtau.gravity_torques(model, q)
EvalTimeDerivatives, CalcTimeDerivatives, get_generalized_acceleration_output_port -> dtau.aba(model, q, v, tau)
CalcRelativeTransform, EvalBodyPoseInWorld, CalcPointsPositions -> dtau.frame_placement(model, q, "tool")
EvalBodySpatialVelocityInWorld, CalcSpatialVelocity -> dtau.frame_velocity(model, q, v, "tool")
EvalBodySpatialAccelerationInWorld, CalcSpatialAcceleration -> dtau.frame_classical_acceleration(model, q, v, a, "tool")
CalcJacobianSpatialVelocity, CalcJacobianTranslationalVelocity, CalcJacobianAngularVelocity -> dtau.frame_jacobian(model, q, "tool")
CalcBiasSpatialAcceleration, CalcBiasTranslationalAcceleration -> \
dtau.frame_classical_acceleration(model, q, v, np.zeros(model.nv), "tool")
CalcCenterOfMassPositionInWorld, CalcCenterOfMassTranslationalVelocityInWorld -> dtau.centre_of_mass(model, q, v)
CalcJacobianCenterOfMassTranslationalVelocity -> dtau.com_jacobian(model, q)
CalcSpatialMomentumInWorldAboutPoint -> dtau.centroidal_momentum(model, q, v)
CalcKineticEnergy, CalcPotentialEnergy, EvalKineticEnergy, EvalPotentialEnergy -> dtau.energy(model, q, v)
CalcTotalMass -> model.mass
num_positions -> model.nq
num_velocities -> model.nv
num_joints -> len(model.joints)
num_bodies -> len(model.bodies)
GetFrameByName, GetBodyByName -> model.frame(name)
GetJointByName -> model.joint(name)
GetPositionLowerLimits -> model.lower
GetPositionUpperLimits -> model.upper
GetVelocityUpperLimits -> model.speed
GetEffortUpperLimits -> model.effort
MapVelocityToQDot, MapQDotToVelocity -> model.integrate_derivatives(q, v)
WeldFrames -> a.attach("frame", b, prefix="b/")
AddBallConstraint, AddDistanceConstraint, AddWeldConstraint -> dtau.Constraints(model)
MultibodyForces, ExternallyAppliedSpatialForce -> dtau.rnea(model, q, v, a, f_ext=[dtau.Wrench.world(frame, force, torque)])
ToAutoDiffXd -> dtau.id_derivatives(model, q, v, a)
ToSymbolic -> dtau.casadi.rnea(model)
InverseKinematics -> : dtau has no such solver; dtau.frame_error and dtau.frame_error_derivatives are the residual and its Jacobian
"""

BRAX = """
load_model, load_mjmodel, System -> dtau.Model.from_mjcf(path)
pipeline_init -> : there is no state object, q and v are arguments: qdd = dtau.jax.aba(model, q, v, tau)
pipeline_step -> dtau.jax.step(model, q, v, tau, dt)
init_q -> model.neutral()
q_size -> model.nq
qd_size, act_size -> model.nv
link_names, num_links -> model.bodies
mass_mx -> dtau.jax.crba(model, q)
mass_mx_inv -> dtau.jax.minverse(model, q)
root_com -> dtau.jax.centre_of_mass(model, q)
"""

CROCODDYL = """
StateMultibody -> model.integrate(q, v)
DifferentialActionModelFreeFwdDynamics -> dtau.fd_derivatives(model, q, v, tau)
DifferentialActionModelFreeInvDynamics -> dtau.id_derivatives(model, q, v, a)
DifferentialActionModelContactFwdDynamics, DifferentialActionModelContactInvDynamics -> \
dtau.constrained_fd_derivatives(model, feet, q, v, tau)
ActionModelImpulseFwdDynamics -> dtau.impulse_derivatives(model, feet, q, v, restitution)
IntegratedActionModelEuler, IntegratedActionModelRK -> dtau.jax.step(model, q, v, tau, dt)
ContactModelMultiple, ImpulseModelMultiple -> dtau.Constraints(model)
ContactModel3D, ImpulseModel3D -> dtau.Constraints(model).point("foot").at_world_here(q)
ContactModel6D, ImpulseModel6D -> dtau.Constraints(model).frame("foot").at_world_here(q)
ResidualModelState -> model.difference(q0, q1)
ResidualModelFramePlacement, ResidualModelFrameTranslation, ResidualModelFrameRotation -> \
dtau.frame_error_derivatives(model, q, target, "tool")
ResidualModelFrameVelocity -> dtau.frame_velocity_derivatives(model, q, v, "tool")
ResidualModelCoMPosition -> dtau.com_jacobian(model, q)
ResidualModelCentroidalMomentum -> dtau.centroidal_derivatives(model, q, v, a)
ActuationModelFull, ActuationModelFloatingBase -> \
: tau has one entry for every degree of freedom, the first six of a floating base are zero
SolverFDDP, SolverBoxFDDP, SolverDDP, SolverIntro, ShootingProblem -> \
: dtau has no optimal-control solver; examples/swing_up.py has an iLQR, and dtau.casadi.aba(model) works in CasADi's solvers
"""

PLAIN = """
load_urdf, from_urdf, from_mjcf, from_file, Robot -> dtau.load("robot.urdf")
mass_matrix, inertia_matrix, joint_space_inertia -> dtau.crba(model, q)
inverse_mass_matrix -> dtau.minverse(model, q)
jacobian, geometric_jacobian, body_jacobian, space_jacobian -> dtau.frame_jacobian(model, q, "tool")
inverse_dynamics -> dtau.rnea(model, q, v, a)
forward_dynamics -> dtau.aba(model, q, v, tau)
inverse_dynamics_derivatives, rnea_derivatives -> dtau.id_derivatives(model, q, v, a)
forward_dynamics_derivatives, aba_derivatives -> dtau.fd_derivatives(model, q, v, tau)
nonlinear_effects, bias_forces -> dtau.bias(model, q, v)
generalized_gravity, gravity_vector -> dtau.gravity_torques(model, q)
coriolis_matrix -> dtau.coriolis(model, q, v)
center_of_mass, com -> dtau.centre_of_mass(model, q, v)
total_mass -> model.mass
inverse_kinematics, ik -> : dtau has no such solver; dtau.frame_error and dtau.frame_error_derivatives are the residual and its Jacobian
contact_dynamics, constrained_forward_dynamics -> dtau.constrained_fd(model, feet, q, v, tau)
"""

TABLES = {"Pinocchio": PINOCCHIO, "MuJoCo": MUJOCO, "Drake": DRAKE, "Brax": BRAX, "Crocoddyl": CROCODDYL, "": PLAIN}

MODULES = ("casadi", "convert", "jax", "ray", "torch")


def rows(table: str) -> list[tuple[list[str], str]]:
    """Returns the names and the expression of each line."""
    lines = (line.split(" -> ") for line in table.strip().splitlines())
    return [(names.split(", "), what) for names, what in lines]


def _find(name: str) -> str:
    for library, table in TABLES.items():
        for names, what in rows(table):
            if name in names:
                if what.startswith(": "):
                    return f"; {what[2:]}"
                return f"; {library}'s {name} is {what} here" if library else f"; write {what}"
    return ""


def of_module(module: Any, name: str) -> NoReturn:
    """Raises the error of a name that a module does not have."""
    found = "" if name.startswith("_") else _find(name)
    if name in MODULES:
        found = f"; write `import dtau.{name}` first"
    if not found and not name.startswith("_") and hasattr(module.Model, name):
        found = f"; it belongs to a model: model.{name}"
    raise _error(f"module '{module.__name__}' has no attribute '{name}'{found}", name, module, found)


def of_model(model: Any, name: str) -> NoReturn:
    """Raises the error of a name that a model does not have."""
    import dtau

    found = "" if name.startswith("_") else _find(name)
    if not found and name in dtau.__all__:
        found = f"; write dtau.{name}(model, …)"
    raise _error(f"'dtau.Model' object has no attribute '{name}'{found}", name, model, found)


def _error(message: str, name: str, owner: Any, found: str) -> AttributeError:
    # With `name` and `obj`, Python suggests similar names.
    return AttributeError(message) if found else AttributeError(message, name=name, obj=owner)
