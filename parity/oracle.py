"""Every quantity of `dtau eval`, computed by Pinocchio, in dtau's coordinates and JSON shape.

Pinocchio's conventions, found by running it (4.1.0), which dtau follows:

- Fixed root: the root link and everything welded to it lie in the universe (joint 0). They count in nothing: not in
  the total mass, nor the centre of mass, nor the centroidal momentum, nor the potential energy. A robot with no moving
  joint has mass 0 and no centre of mass (Pinocchio gives 0/0). Floating root: everything counts.
- Potential energy is −Σ m g·c, so m · 9.81 · z: it rises with height and is zero in the plane z = 0 of the world.
- Gravity is [0, 0, −9.81]. Damping, dry friction and armature from the URDF do not enter any algorithm used here
  (URDF has no armature, and Pinocchio leaves the other two to its user).
- crba and computeMinverse fill the upper triangle only; here they are made symmetric.
- External forces are given per joint, in the joint's own frame, about its origin; (2) below converts to that.
- Centroidal momentum and matrix: linear first, world axes, about the centre of mass.
- The Coriolis matrix is the one with Ṁ = C + Cᵀ.
- mimic=True: the mimic joint has no coordinates, τ and J are projected as in (3). Not supported there: aba,
  computeMinverse, energies, every derivative. Wrong there: computeCoriolisMatrix (Ṁ ≠ C + Cᵀ) and the Jacobians' rates
  (not those of finite differences). And a mimic joint must be numbered after the joint it follows, which Talos and
  Romeo violate.
- The Jacobian of a frame in a model without degrees of freedom ends the process.

Mimic joints are honoured here by projecting the free tree, which needs no support from Pinocchio. With G of robots.py,

    τ = Gᵀ τ_f,   M = Gᵀ M_f G,   C = Gᵀ C_f G,   J = J_f G,   ∂τ = Gᵀ ∂τ_f G                            (3)

and q̈ and its derivatives follow by solving with M. What Pinocchio supports with mimic=True is taken from there.
"""

import numpy as np
import pinocchio as pin

from robots import Unsupported, build_model

AXES = {
    "local": pin.ReferenceFrame.LOCAL,
    "world": pin.ReferenceFrame.WORLD,
    "local_world_aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}

KINEMATIC = ["kinematics", "jacobians", "jacobian_rates"]
DYNAMIC = ["rnea", "aba", "crba", "minverse", "bias", "gravity", "coriolis"]
WHOLE = ["com", "com_jacobian", "energy", "centroidal", "mass"]
DERIVATIVES = ["id-derivatives", "fd-derivatives"]
QUANTITIES = DYNAMIC + WHOLE + KINEMATIC
# Compared live only, in some states, because they are large. They are not in the stored results.
LIVE = ["regressor", "centroidal_rate", "gravity_derivatives", "frame_motions", "frame_derivatives", "com_derivatives", "centroidal_derivatives"]

NEED_INVERSE = {"aba", "minverse", "fd-derivatives"}  # meaningless where M is singular
NEED_MASS = {"com", "com_jacobian", "centroidal", "centroidal_rate", "com_derivatives", "centroidal_derivatives"}  # meaningless where nothing that moves has mass
NATIVE_MIMIC = {"rnea", "crba", "bias", "gravity", "com", "com_jacobian", "centroidal", "kinematics", "jacobians"}


class Oracle:
    """Evaluates a robot. `native` is true if Pinocchio's mimic=True is used, `native_refused` is the reason if not."""

    def __init__(self, robot):
        self.robot, self.tree, self.native, self.native_refused = robot, Tree(robot), None, None
        if robot.mimics:
            try:
                self.native = NativeMimicTree(robot)
            except Unsupported as refused:
                self.native_refused = str(refused)

    def evaluate(self, state, what, links):
        """Returns {name: value} for each name in `what`, where value is an array or nested dicts of arrays."""
        x = Evaluation(self.tree, state, links)
        values = {name: x.get(name) for name in what}
        if self.native:
            y = Evaluation(self.native, state, links)
            values |= {name: y.get(name) for name in what if name in NATIVE_MIMIC}
        return values

    def condition(self, state):
        """Returns cond₂(M), infinite if M is singular."""
        M = Evaluation(self.tree, state, []).crba()
        return np.linalg.cond(M) if len(M) else 1.0

    def conditioning(self, state):
        return Conditioning(self.tree, state)


class Tree:
    """The free tree in Pinocchio, and the projection to dtau's coordinates."""

    def __init__(self, robot):
        self.robot, self.model, self.G = robot, robot.model, robot.G
        self.data = self.model.createData()

    def coordinates(self, state):
        """Returns q, v, a for Pinocchio."""
        return self.robot.pinocchio_q(state.q), self.G @ state.v, self.G @ state.a

    def frame(self, link):
        return self.model.getFrameId(link, pin.FrameType.BODY)  # a joint may have the same name

    def joint_forces(self, q, wrenches):
        """Wrenches at frame origins as Pinocchio's forces per joint.

        φ = [f; n] in the frame's axes (from world axes: Rᵀf, Rᵀn);  joint force = ⱼXᶠ* φ               (2)
        """
        forces = pin.StdVec_Force([pin.Force.Zero() for _ in range(self.model.njoints)])
        pin.framesForwardKinematics(self.model, self.data, q)
        for wrench in wrenches:
            frame = self.model.frames[self.frame(wrench["frame"])]
            forces[frame.parentJoint] += frame.placement.act(self.wrench_in_frame(wrench))
        return forces

    def wrench_in_frame(self, wrench):
        """Returns φ of (2), after framesForwardKinematics."""
        f, n = np.array(wrench["force"]), np.array(wrench["torque"])
        if wrench["axes"] == "world":
            R = self.data.oMf[self.frame(wrench["frame"])].rotation
            f, n = R.T @ f, R.T @ n
        return pin.Force(f, n)

    def inverse_dynamics(self, state, a):
        q, v, _ = self.coordinates(state)
        forces = self.joint_forces(q, state.wrenches)
        return self.G.T @ pin.rnea(self.model, self.data, q, v, self.G @ a, forces)  # (3)


class NativeMimicTree(Tree):
    """The model that Pinocchio builds with mimic=True. Its coordinates are dtau's, except (cos, sin)."""

    def __init__(self, robot):
        self.robot, self.model = robot, build_model(robot.path, robot.root, mimic=True)
        self.data, self.G = self.model.createData(), np.eye(robot.nv)

    def coordinates(self, state):
        return self.robot.native_q(self.model, state.q), state.v, state.a


class Evaluation:
    """One state. Each method is a quantity. Results that Pinocchio leaves in `data` are copied immediately."""

    def __init__(self, tree, state, links):
        self.tree, self.state, self.links = tree, state, links
        self.model, self.data, self.G = tree.model, tree.data, tree.G
        self.q, self.v, self.a = tree.coordinates(state)
        self.forces = tree.joint_forces(self.q, state.wrenches)
        self.projected = bool(tree.robot.mimics)

    def get(self, name):
        return getattr(self, name.replace("-", "_"))()

    # Dynamics.

    def rnea(self):
        return self.G.T @ pin.rnea(self.model, self.data, self.q, self.v, self.a, self.forces)

    def bias(self):
        zero = np.zeros(self.model.nv)
        return self.G.T @ pin.rnea(self.model, self.data, self.q, self.v, zero, self.forces)

    def gravity(self):
        return self.G.T @ pin.computeGeneralizedGravity(self.model, self.data, self.q)

    def crba(self):
        return self.G.T @ symmetric(pin.crba(self.model, self.data, self.q)) @ self.G

    def coriolis(self):
        return self.G.T @ pin.computeCoriolisMatrix(self.model, self.data, self.q, self.v) @ self.G

    def minverse(self):
        if self.projected:
            return np.linalg.inv(self.crba())
        return symmetric(pin.computeMinverse(self.model, self.data, self.q))

    def aba(self):
        if self.projected:
            return np.linalg.solve(self.crba(), self.state.tau - self.bias())
        return pin.aba(self.model, self.data, self.q, self.v, self.state.tau, self.forces).copy()

    # The robot as a whole.

    def mass(self):
        return np.array(pin.computeTotalMass(self.model))

    def com(self):
        pin.centerOfMass(self.model, self.data, self.q, self.v, self.a)
        data = self.data
        return {"position": data.com[0].copy(), "velocity": data.vcom[0].copy(), "acceleration": data.acom[0].copy()}

    def com_jacobian(self):
        return pin.jacobianCenterOfMass(self.model, self.data, self.q) @ self.G

    def energy(self):
        return {
            "kinetic": np.array(pin.computeKineticEnergy(self.model, self.data, self.q, self.v)),
            "potential": np.array(pin.computePotentialEnergy(self.model, self.data, self.q)),
        }

    def centroidal(self):
        pin.ccrba(self.model, self.data, self.q, self.v)
        return {"momentum": self.data.hg.vector.copy(), "matrix": self.data.Ag @ self.G}

    def centroidal_rate(self):
        pin.computeCentroidalMomentumTimeVariation(self.model, self.data, self.q, self.v, self.a)
        return self.data.dhg.vector.copy()

    def regressor(self):
        """Ten columns per link, in the order of the file, from Pinocchio's ten per body: π_body = Σ T π_link, so
        Y_link = Y_body T."""
        Y = self.G.T @ pin.computeJointTorqueRegressor(self.model, self.data, self.q, self.v, self.a)
        columns = []
        for link in self.tree.robot.file_links:
            frame = self.model.frames[self.tree.frame(link)]
            body = frame.parentJoint - 1  # -1 is the universe
            columns.append(Y[:, 10 * body : 10 * body + 10] @ carried(frame.placement) if body >= 0 else np.zeros((len(Y), 10)))
        return np.hstack(columns)

    # Kinematics of links.

    def kinematics(self):
        pin.forwardKinematics(self.model, self.data, self.q, self.v, self.a)
        pin.updateFramePlacements(self.model, self.data)
        return {link: self._motion(self.tree.frame(link)) for link in self.links}

    def _motion(self, frame):
        placement = self.data.oMf[frame]
        local = pin.ReferenceFrame.LOCAL
        return {
            "position": placement.translation.copy(),
            "rotation": placement.rotation.copy(),
            "velocity": pin.getFrameVelocity(self.model, self.data, frame, local).vector.copy(),
            "acceleration": pin.getFrameAcceleration(self.model, self.data, frame, local).vector.copy(),
        }

    def jacobians(self):
        pin.computeJointJacobians(self.model, self.data, self.q)
        pin.updateFramePlacements(self.model, self.data)
        return self._per_link_and_axes(pin.getFrameJacobian)

    def jacobian_rates(self):
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q, self.v)
        pin.updateFramePlacements(self.model, self.data)
        return self._per_link_and_axes(pin.getFrameJacobianTimeVariation)

    def _per_link_and_axes(self, jacobian):
        return {link: {axes: self._at(jacobian, link, axes) for axes in AXES} for link in self.links}

    def _at(self, jacobian, link, axes):
        if self.model.nv == 0:
            return np.zeros((6, 0))  # Pinocchio would terminate the process
        return jacobian(self.model, self.data, self.tree.frame(link), AXES[axes]) @ self.G

    def frame_motions(self):
        pin.forwardKinematics(self.model, self.data, self.q, self.v, self.a)
        pin.updateFramePlacements(self.model, self.data)
        getters = {
            "velocity": pin.getFrameVelocity,
            "acceleration": pin.getFrameAcceleration,
            "classical_acceleration": pin.getFrameClassicalAcceleration,
        }

        def motions(frame):
            return {
                axes: {name: get(self.model, self.data, frame, AXES[axes]).vector.copy() for name, get in getters.items()}
                for axes in AXES
            }

        def at(link):
            frame = self.tree.frame(link)
            x = self.data.oMf[frame]
            placement = np.column_stack([x.rotation, x.translation])
            return {"placement": placement, "placements": placement, **motions(frame)}

        return {link: at(link) for link in self.links}

    # Derivatives, along tangent directions.

    def gravity_derivatives(self):
        return self.G.T @ pin.computeGeneralizedGravityDerivatives(self.model, self.data, self.q) @ self.G

    def frame_derivatives(self):
        pin.computeForwardKinematicsDerivatives(self.model, self.data, self.q, self.v, self.a)
        pin.updateFramePlacements(self.model, self.data)

        def together(dv_dq, dv_dv, da_dq, da_dv, da_da):
            acceleration = {"da_dq": da_dq, "da_dv": da_dv, "da_da": da_da}
            return {
                "velocity": {"dv_dq": dv_dq, "dv_dv": dv_dv},
                "acceleration": acceleration,
                "motion": {"dv_dq": dv_dq, **acceleration},
            }

        def at(link, axes):
            if self.model.nv == 0:
                return together(*[np.zeros((6, 0))] * 5)
            arguments = self.model, self.data, self.tree.frame(link), AXES[axes]
            dv_dq, dv_dv = (x @ self.G for x in pin.getFrameVelocityDerivatives(*arguments))
            _, da_dq, da_dv, da_da = (x @ self.G for x in pin.getFrameAccelerationDerivatives(*arguments))
            return together(dv_dq, dv_dv, da_dq, da_dv, da_da)

        # In LOCAL_WORLD_ALIGNED, Pinocchio keeps the point fixed and dtau moves it with the frame, so the
        # functions differ.
        return {link: {axes: at(link, axes) for axes in ("local", "world")} for link in self.links}

    def com_derivatives(self):
        pin.computeForwardKinematicsDerivatives(self.model, self.data, self.q, self.v, self.a)
        pin.centerOfMass(self.model, self.data, self.q, self.v)
        dv_dq = pin.getCenterOfMassVelocityDerivatives(self.model, self.data) @ self.G
        if not np.isfinite(dv_dq).all():  # it divides by the mass of every subtree, which may be zero
            dv_dq = self.centroidal_derivatives()["dh_dq"][:3] / pin.computeTotalMass(self.model)
        return {"dv_dq": dv_dq, "dv_dv": self.com_jacobian()}

    def centroidal_derivatives(self):
        found = pin.computeCentroidalDynamicsDerivatives(self.model, self.data, self.q, self.v, self.a)
        return dict(zip(("dh_dq", "dhdot_dq", "dhdot_dv", "dhdot_da"), (x @ self.G for x in found), strict=True))

    def id_derivatives(self):
        dtau_dq, dtau_dv, dtau_da = self._id_derivatives_at(self.a)
        return {"dtau_dq": dtau_dq, "dtau_dv": dtau_dv, "dtau_da": dtau_da}

    def fd_derivatives(self):
        """∂q̈ = −M⁻¹ ∂τ at q̈ = FD(q, q̇, τ)."""
        Minv = self.minverse()
        if self.projected:
            dtau_dq, dtau_dv, _ = self._id_derivatives_at(self.G @ self.aba())
            return {"ddq_dq": -Minv @ dtau_dq, "ddq_dv": -Minv @ dtau_dv, "ddq_dtau": Minv}
        ddq_dq, ddq_dv, _ = pin.computeABADerivatives(
            self.model, self.data, self.q, self.v, self.state.tau, self.forces
        )
        return {"ddq_dq": ddq_dq - Minv @ self._turning_wrenches(), "ddq_dv": ddq_dv.copy(), "ddq_dtau": Minv}

    def _id_derivatives_at(self, a):
        partials = pin.computeRNEADerivatives(self.model, self.data, self.q, self.v, a, self.forces)
        dtau_dq, dtau_dv, dtau_da = (self.G.T @ partial @ self.G for partial in partials)
        return dtau_dq + self._turning_wrenches(), dtau_dv, symmetric(dtau_da)

    def _turning_wrenches(self):
        """What Pinocchio leaves out of ∂τ/∂q: it holds every force constant in its joint's frame.

        A wrench that is constant in world axes turns in the link's axes. With J = [J_v; J_ω] the link's local Jacobian,
        τ = … − Jᵀ φ(q),  φ = [Rᵀf; Rᵀn],  ∂φ/∂qₖ = [(Rᵀf) × J_ωₖ; (Rᵀn) × J_ωₖ], and so

            ∂τ/∂q = … − Jᵀ ∂φ/∂q                                                                        (4)
        """
        pin.computeJointJacobians(self.model, self.data, self.q)
        pin.updateFramePlacements(self.model, self.data)
        extra = np.zeros((self.G.shape[1], self.G.shape[1]))
        for wrench in self.state.wrenches:
            if wrench["axes"] != "world":
                continue
            J = self._at(pin.getFrameJacobian, wrench["frame"], "local")
            phi = self.tree.wrench_in_frame(wrench)
            dphi_dq = np.vstack([np.cross(phi.linear, J[3:].T).T, np.cross(phi.angular, J[3:].T).T])
            extra -= J.T @ dphi_dq  # (4)
        return extra


class Conditioning:
    """How far round-off can move q̈ = M⁻¹(τ − h) and what is built on it: see compare.py, which uses this.

    inverse        |M⁻¹|
    inertia[i, k]  size of the numbers that are added up to M_ik: the inertia about the world's origin of the smaller of
                   the two subtrees
    force[i]       size of the numbers that are added up to τᵢ: the force through joint i about the world's origin
    speed          Σ|q̇|
    ddq            |q̈|
    """

    def __init__(self, tree, state):
        x, model, data, G = Evaluation(tree, state, []), tree.model, tree.data, np.abs(tree.G)
        self.inverse = np.abs(np.linalg.inv(x.crba()))
        self.ddq = np.abs(x.aba())
        self.speed = np.abs(state.v).sum()

        pin.crba(model, data, x.q, pin.Convention.WORLD)
        subtree = self._per_dof(model, [np.abs(Y.matrix()).max() for Y in data.oYcrb])
        self.inertia = G.T @ np.minimum.outer(subtree, subtree) @ G

        pin.rnea(model, data, x.q, x.v, x.a, x.forces)
        through = [np.abs(oMi.act(f).vector).max() for oMi, f in zip(data.oMi, data.f)]
        self.force = G.T @ self._per_dof(model, through) + np.abs(state.tau)

    @staticmethod
    def _per_dof(model, per_joint):
        return np.repeat(per_joint[1:], [joint.nv for joint in list(model.joints)[1:]])


def carried(placement):
    """T: ten parameters of a link (m, m c, I as xx, xy, yy, xz, yz, zz about its origin) in the axes of its joint.

    With Σ = ½ tr(I) 1 − I, the moments ∫ r rᵀ dm, they are one matrix that is carried like points:

        J = [ Σ, m c; (m c)ᵀ, m ],    J' = X J Xᵀ                                                         (5)
    """
    X, places = placement.homogeneous, [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]
    columns = []
    for parameters in np.eye(10):
        I = np.zeros((3, 3))
        for (i, k), value in zip(places, parameters[4:]):
            I[i, k] = I[k, i] = value
        J = np.zeros((4, 4))
        J[:3, :3] = 0.5 * np.trace(I) * np.eye(3) - I
        J[:3, 3] = J[3, :3] = parameters[1:4]
        J[3, 3] = parameters[0]
        J = X @ J @ X.T  # (5)
        I = np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3]
        columns.append([J[3, 3], *J[:3, 3], *(I[place] for place in places)])
    return np.array(columns).T


def symmetric(upper):
    """Completes a matrix of which Pinocchio wrote the upper triangle."""
    return np.triu(upper) + np.triu(upper, 1).T
