"""Constrained dynamics and their derivatives, live against Pinocchio where it is right.

    $(parity/setup.sh) parity/constraints.py [--states 20]        needs the package dtau in the same Python

Contacts with the world are compared at random states, on and off the manifold: a contact's rows are the same numbers in both, in the axes
of the frame that is held (`pin.LOCAL`), so q̈, λ and all derivatives must agree. Pinocchio's sign and position error, as found by running it:

    M q̈ + b = τ + Jᵀλ,  λ on joint 1;      a + Kd v − Kp log(c1Mc2) = 0                                                        (1)

so that its error is ours, to first order for 6-D: gains are compared where the placement error is zero.

Loops are the same constraint in other rows: ours are coordinates in the second frame and a force at one point, Pinocchio's the motion seen from the
first frame and a force at each body's own point. Both residuals vanish on the manifold c = 0, ċ = 0 and nowhere need they agree otherwise. So there q̈ and λ are
compared, and derivatives in directions along it:

    J δq = 0,      J δv + ∂(J v)/∂q δq = 0                                                                                     (2)

Left out, since Pinocchio 4.1.0 is wrong there against finite differences: 3-D loops on a fixed base, 6-D in LOCAL_WORLD_ALIGNED with Kp and an error,
impulses with loops, impulse derivatives from the second call on, joint 1 = world; redundant constraints (NaN).
"""

import argparse
import sys

import numpy as np
import pinocchio as pin
from robots import example_urdfs

import dtau

# Robot, root, constraints: frames held by the world, or pairs of frames; positions only (3-D) or complete (6-D).
SCENES = {
    "hyq, four feet": ("hyq_no_sensors", "floating", 3, ["lf_foot", "rf_foot", "lh_foot", "rh_foot"]),
    "hyq, two feet": ("hyq_no_sensors", "floating", 3, ["lf_foot", "rh_foot"]),
    "anymal, four feet": ("anymal_b_simple/anymal", "floating", 3, ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"]),
    "go2, four feet": ("go2", "floating", 3, ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]),
    "talos, two soles": ("talos_reduced", "floating", 6, ["left_sole_link", "right_sole_link"]),
    "talos, one sole": ("talos_reduced", "floating", 6, ["left_sole_link"]),
    "panda, hand": ("panda", "fixed", 6, ["panda_hand_tcp"]),
    "talos, hands together 6-D": ("talos_reduced", "floating", 6, [("gripper_left_base_link", "gripper_right_base_link")]),
    "talos, hands together 3-D": ("talos_reduced", "floating", 3, [("gripper_left_base_link", "gripper_right_base_link")]),
    "hyq, two feet together": ("hyq_no_sensors", "floating", 3, [("lf_foot", "rh_foot")]),
}

# Relative to the largest entry of a row, or of a vector; for ∂q̈/∂τ, see `minuends`. Both programs solve with
# M and J M⁻¹Jᵀ, so it includes their condition numbers.
TOLERANCE = 1e-10


class Scene:
    """A robot in both programs, in the same coordinates."""

    def __init__(self, name):
        robot, root, self.size, self.held = SCENES[name]
        path = str(dict(example_urdfs())[robot])
        options = {"order": "alphabetical", "mimic": "free", "damping": False, "friction": False, "armature": False}
        self.model = dtau.Model.from_urdf(path, root=root, **options)
        self.pin = pin.buildModelFromUrdf(path, *([pin.JointModelFreeFlyer()] if root == "floating" else []))
        self.pin.armature[:] = 0
        assert (self.model.nq, self.model.nv) == (self.pin.nq, self.pin.nv), "a robot without continuous joints"
        self.is_loop = isinstance(self.held[0], tuple)

    def sets(self, q, kp, kd):
        """Returns the constraints at q, in both programs."""
        data, ours, theirs = self.pin.createData(), dtau.Constraints(self.model), []
        pin.framesForwardKinematics(self.pin, data, q)
        for held in self.held:
            first, second = held if self.is_loop else (held, None)
            f = self.pin.frames[self.pin.getFrameId(first)]
            joint2, placement2 = 0, data.oMf[self.pin.getFrameId(first)]
            if second:
                other = self.pin.frames[self.pin.getFrameId(second)]
                joint2, placement2 = other.parentJoint, data.oMi[other.parentJoint].actInv(placement2)
            kind = pin.ContactType.CONTACT_3D if self.size == 3 else pin.ContactType.CONTACT_6D
            theirs.append(pin.RigidConstraintModel(kind, self.pin, f.parentJoint, f.placement, joint2, placement2, pin.LOCAL))
            gains = theirs[-1].m_baumgarte_parameters
            gains.Kp, gains.Kd = kp, kd
            item = (ours.point(first) if self.size == 3 else ours.frame(first)).axes("first")
            ours = item.with_here(second, q) if second else item.at_world_here(q)
        return ours.stabilise(kp, kd), theirs

    def jacobian(self, q):
        """Returns J of the loops on the manifold, in the world's axes."""
        each = lambda frame: dtau.frame_jacobian(self.model, q, frame)[: self.size]
        return np.concatenate([each(first) - self.of_second(q, first, second, each) for first, second in self.held])

    def of_second(self, q, first, second, each):
        """Returns `each` for the second body at the first's point, through a frame there on the second's link."""
        return each(self.twin(q, first, second))

    def twin(self, q, first, second):
        """Returns the name of a frame on the second body that coincides with the first at q."""
        name = f"{first} on {second}"
        if name not in {frame.name for frame in self.model.frames}:
            here = lambda frame: np.vstack([dtau.frame_placement(self.model, q, frame), [0, 0, 0, 1]])
            self.model = self.model.with_frame(name, second, np.linalg.inv(here(second)) @ here(first))
        return name


def theirs(scene, constraints, q, v, tau):
    model, data = scene.pin, scene.pin.createData()
    constraints = pin.StdVec_RigidConstraintModel(constraints)
    datas = pin.StdVec_RigidConstraintData([c.createData() for c in constraints])
    settings = pin.ProximalSettings(1e-14, 0.0, 1)
    pin.initConstraintDynamics(model, data, constraints, datas)
    pin.constraintDynamics(model, data, q, v, tau, constraints, datas, settings)
    pin.computeConstraintDynamicsDerivatives(model, data, constraints, datas, settings)
    names = ("ddq", "lambda_c", "ddq_dq", "ddq_dv", "ddq_dtau", "dlambda_dq", "dlambda_dv", "dlambda_dtau")
    return [np.array(getattr(data, name)) for name in names]


def difference(got, want, size=None):
    """Returns the largest difference, relative to the largest entry of the row or vector, or to `size`."""
    if size is None:
        size = np.abs(want).max(axis=-1, keepdims=True) if want.ndim > 1 else np.abs(want).max()
    return float((np.abs(got - want) / np.maximum(size, 1e-6)).max())


def minuends(scene, q):
    """Returns the scales of ∂q̈/∂τ = M⁻¹ − X Λ Xᵀ: rows of M⁻¹. An arm with a constrained hand hardly moves: of
    a row of size 8, the constraint leaves 1e-3 (panda), with the rounding of the larger terms."""
    return np.abs(dtau.minverse(scene.model, q)).max(axis=1, keepdims=True)


def contact(scene, rng):
    """A contact at a random state. With gains, the placement error is zero."""
    worst = {}
    q, v = scene.model.random(rng), rng.uniform(-1, 1, scene.model.nv)
    tau = dtau.rnea(scene.model, q, v, rng.uniform(-5, 5, scene.model.nv))
    for kp, kd in ((0.0, 0.0), (70.0, 9.0)):
        ours, constraints = scene.sets(q, kp, kd)
        got, want = dtau.constrained_fd_derivatives(scene.model, ours, q, v, tau), theirs(scene, constraints, q, v, tau)
        for name, g, w in zip(got._fields, got, want, strict=True):
            size = minuends(scene, q) if name == "dqdd_dtau" else None
            worst[name] = max(worst.get(name, 0.0), difference(g, w, size))
    return worst


def loop(scene, rng):
    """A loop on the manifold, with derivatives along it (2)."""
    q = scene.model.random(rng)
    J = scene.jacobian(q)
    v = rng.uniform(-1, 1, scene.model.nv)
    v -= np.linalg.pinv(J) @ (J @ v)
    tau = dtau.rnea(scene.model, q, v, rng.uniform(-5, 5, scene.model.nv))
    ours, constraints = scene.sets(q, 0.0, 0.0)
    got, want = dtau.constrained_fd_derivatives(scene.model, ours, q, v, tau), theirs(scene, constraints, q, v, tau)
    worst = {name: difference(getattr(got, name), want[k]) for k, name in enumerate(got._fields[:2])}
    null = np.linalg.svd(J)[2][len(J) :].T
    by_q = lambda frame: dtau.frame_velocity_derivatives(scene.model, q, v, frame).dv_dq[: scene.size]
    rate = np.concatenate([by_q(first) - by_q(scene.twin(q, first, second)) for first, second in scene.held])
    dv = -np.linalg.pinv(J) @ (rate @ null)
    for of, theirs_q, theirs_v in (("qdd", want[2], want[3]), ("lambda", want[5], want[6])):
        g = getattr(got, f"d{of}_dq") @ null + getattr(got, f"d{of}_dv") @ dv
        worst[f"d{of} along it"] = difference(g, theirs_q @ null + theirs_v @ dv)
    worst["dqdd_dtau"] = difference(got.dqdd_dtau, want[4], minuends(scene, q))
    worst["dlambda_dtau"] = difference(got.dlambda_dtau, want[7])
    return worst


def compare(name, states, seed=0):
    """Returns the worst difference of every result, over random states."""
    scene, rng, worst = Scene(name), np.random.default_rng(seed), {}
    for _ in range(states):
        scene_now = Scene(name) if scene.is_loop else scene  # a loop is closed by frames that depend on the state
        for key, value in (loop if scene.is_loop else contact)(scene_now, rng).items():
            worst[key] = max(worst.get(key, 0.0), value)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=20, help="random states of every scene (default 20)")
    states, failed = parser.parse_args().states, False
    for name in SCENES:
        worst = compare(name, states)
        bad = max(worst.values()) > TOLERANCE
        failed |= bad
        print(f"{name:28} {'FAILED' if bad else 'ok':6} " + "  ".join(f"{key} {value:.0e}" for key, value in worst.items()))
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
