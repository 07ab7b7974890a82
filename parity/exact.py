"""How exact dtau and Pinocchio are, beside the truth in 32 digits, on every robot of example-robot-data.

    $(parity/setup.sh) parity/exact.py [--states 100] [--only talos] [--exact] [--all]

`cargo run --example exact` of dtau-fixtures runs dtau's functions on `f64` and, the same generic source, on double-doubles,
and tells the constants of its tree. Pinocchio gets that tree, bit for bit, so both are judged by one truth.

The error of a row is |got − truth| / max |truth|, the largest over the row's columns and all states; rows of a vector in space
(x, y, z) share one scale. Of a robot and a quantity: the worst row counts. Exit status: 0 if dtau's error is nowhere more than three
times Pinocchio's, `FACTOR`, nor above ten roundings, `FLOOR`. An acceleration is also right if the torques, rounded once, have it: |M⁻¹| |τ| ε/2.
What `Options::exact` is for is judged with `--exact` only, and `KNOWN` says what is above even so.
"""

import argparse
import json
import multiprocessing
import os
import re
import subprocess
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small, the processes are many

import numpy as np
import pinocchio as pin

from oracle import symmetric
from robots import REPOSITORY, example_urdfs

EPSILON = np.finfo(float).eps
FACTOR = 3.0
FLOOR = 10 * EPSILON
NOTHING = 1e-13  # of the largest row: smaller values come from rounding of the robot's constants, such as the sine of π
ZERO = 1e-20  # in SI units: if the truth is zero, 32 digits leave about 1e-32


def main():
    args = arguments()
    jobs = [
        (name, path, root, args) for name, path in example_urdfs() if re.search(args.only, name) for root in ("fixed", "floating")
    ]
    if not jobs:
        sys.exit(f"no robot matches {args.only!r}")
    rows = []
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        for found in pool.imap(measure, jobs):
            rows += found
    report(rows, args)
    return 1 if any(row.failed for row in rows) else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program = REPOSITORY / "target/release/examples/exact"
    parser.add_argument("--program", default=str(program), help="the example `exact` of dtau-fixtures")
    parser.add_argument("--states", type=int, default=10, help="states per robot and root (default 10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", metavar="REGEX", help="only robots whose name matches")
    parser.add_argument("--exact", action="store_true", help="build the models with `Options::exact`")
    parser.add_argument("--all", action="store_true", help="print every robot and quantity")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    return parser.parse_args()


@dataclass
class Row:
    """One array of one function on one robot, or the reason why it was not compared."""

    robot: str
    root: str
    quantity: str
    ours: float = 0.0
    theirs: float = 0.0
    note: str = ""
    exact: bool = False
    judged: float = 0.0  # `ours` without the part explained by the rounding of the torques

    @property
    def ratio(self):
        """Returns the error ratio. 1 if both errors are a few roundings."""
        return max(self.ours, 4 * EPSILON) / max(self.theirs, 4 * EPSILON)

    @property
    def above(self):
        return not self.judged <= max(FACTOR * self.theirs, FLOOR)

    @property
    def failed(self):
        return self.above and not self.known

    @property
    def known(self):
        if self.quantity in BY_OPTION and not self.exact:
            return True
        who = f"{self.robot}, {self.root}"
        excused = KNOWN if self.exact else KNOWN + KNOWN_WITHOUT_OPTION
        listed = any(re.fullmatch(robots, who) and re.fullmatch(names, self.quantity) for robots, names in excused)
        return listed and self.ours <= max(KNOWN_FACTOR * self.theirs, 2 * FLOOR)


def measure(job):
    name, path, root, args = job
    seed = zlib.crc32(f"{args.seed} {name} {root}".encode())
    command = [args.program, str(path), root, str(args.states), str(seed), *(["exact"] if args.exact else [])]
    done = subprocess.run(command, capture_output=True, timeout=3600)
    if done.returncode != 0:
        return [Row(name, root, "", note=" ".join(done.stderr.decode().split())[:200])]
    header, numbers = done.stdout.split(b"\n", 1)
    robot, numbers = json.loads(header), np.frombuffer(numbers, dtype="<f8")
    if robot["nv"] == 0:
        return [Row(name, root, "", note="nothing moves")]
    theirs = Pinocchio(robot)
    rows, at = [], 0
    for array in robot["arrays"]:
        shape = (robot["count"], array["columns"], array["rows"])
        size = np.prod(shape)
        ours, high, low = (numbers[at + k * size :][:size].reshape(shape).transpose(0, 2, 1) for k in range(3))
        at += 3 * size
        found = theirs.evaluate(array["name"])
        if found is None:
            continue
        scale = scales(array, high)
        if scale.max() < ZERO:
            continue
        if array["name"].startswith("integrate"):
            found = signed(robot, found, high)
        errors = [np.abs((got - high) - low) for got in (ours, found)]
        if array["name"].endswith(" qdd"):
            explained = EPSILON / 2 * np.einsum("kij,kj->ki", np.abs(minverse(robot, numbers)), np.abs(robot["tau"]))
            judged = worst(np.where(errors[0] <= explained[:, :, None], 0.0, errors[0]), scale)
        else:
            judged = worst(errors[0], scale)
        both = (worst(error, scale) for error in errors)
        rows.append(Row(name, root, quantity(array["name"]), *both, exact=args.exact, judged=judged))
    return rows


def minverse(robot, numbers):
    """Returns the true M⁻¹, state by state."""
    at = 0
    for array in robot["arrays"]:
        shape = (robot["count"], array["columns"], array["rows"])
        size = np.prod(shape)
        if array["name"] == "minverse minv":
            return numbers[at + size :][:size].reshape(shape)
        at += 3 * size


def signed(robot, q, truth):
    """Resolves signs: a quaternion and its negative are the same rotation."""
    if robot["bodies"][0]["kind"] == "free-flyer":
        q[:, 3:7] *= np.sign((q[:, 3:7] * truth[:, 3:7]).sum(axis=1, keepdims=True))
    return q


def quantity(name):
    """Returns the name without the frame."""
    words = name.split()
    return " ".join(words if len(words) < 4 else [words[0], words[-2], words[-1]])


def scales(array, truth):
    """Returns max |truth| of every row over all states and columns. The three rows of a spatial vector share one
    scale, and so do zero rows."""
    scale = np.abs(truth).max(axis=(0, 2))
    if array["name"].split()[0] not in IN_JOINTS:
        for k in range(0, len(scale), 3):
            scale[k : k + 3] = scale[k : k + 3].max()
    return np.where(scale < NOTHING * scale.max(), scale.max(), scale)


def worst(errors, scale):
    relative = errors.max(axis=(0, 2))[scale > 0] / scale[scale > 0]
    relative = np.where(np.isfinite(relative), relative, np.inf)
    return float(relative.max(initial=0.0))


# Quantities that `Options::exact` makes exact.
BY_OPTION = {"aba qdd", "crba m", "id_derivatives dtau_da", "fd_derivatives qdd"}

# Quantities for which dtau's error exceeds three times Pinocchio's even with the option, or without it, and
# the allowed factor (or twice the floor). docs/accuracy.md explains each one with its numbers.
KNOWN_FACTOR = 5.0
KNOWN = [
    (r"tiago(_dual)?, (fixed|floating)", r"centroidal_momentum h|centroidal_momentum_rate hdot"),
    (r"laikago, fixed", r"centroidal_derivatives dhdot_dv"),
    (r"centauro, fixed", r"frame_velocity_derivatives Local dv_dq"),
]
KNOWN_WITHOUT_OPTION = [(r"human, fixed", r"minverse minv|fd_derivatives dqdd_dtau")]

# Functions whose rows are degrees of freedom.
IN_JOINTS = {
    *("rnea", "bias", "gravity_torques", "aba", "crba", "minverse", "coriolis", "energy"),
    *("id_derivatives", "gravity_derivatives", "fd_derivatives"),
}


class Pinocchio:
    """dtau's tree in Pinocchio. Each method is one of dtau's functions, for one state at a time."""

    def __init__(self, robot):
        self.robot, self.model = robot, pin.Model()
        kinds = {"revolute": pin.JointModelRZ, "prismatic": pin.JointModelPZ, "free-flyer": pin.JointModelFreeFlyer}
        for i, body in enumerate(robot["bodies"], start=1):
            joint = self.model.addJoint(body["parent"], kinds[body["kind"]](), se3(body["placement"]), f"joint {i}")
            inertia = pin.Inertia.Zero()  # filled part by part: the constructor refuses some that occur in files
            inertia.mass, inertia.lever, inertia.inertia = body["mass"], np.array(body["com"]), np.array(body["about_com"])
            self.model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        self.frames = {}
        for k, frame in enumerate(robot["frames"]):
            body, placement = frame["body"], se3(frame["placement"])
            index = self.model.addFrame(pin.Frame(f"frame {k}", body, placement, pin.FrameType.OP_FRAME))
            self.frames.setdefault(frame["name"], index)
        self.data = self.model.createData()
        self.done = {}

    def evaluate(self, name):
        """Returns an array of dtau's by the name of function, frame, reference and output: states × rows ×
        columns. None if there is none."""
        function, *given, output = name.split(" ")
        key = (function, *given)
        if key not in self.done:
            method = getattr(self, function, None)
            if method is None:
                return None
            self.done = {key: [method(k, *self.parameters(given)) for k in range(self.robot["count"])]}
        if output not in self.done[key][0]:
            return None
        found = np.array([state[output] for state in self.done[key]])
        return found.reshape(len(found), found.shape[1], -1)

    def parameters(self, given):
        references = {"Local": pin.ReferenceFrame.LOCAL, "World": pin.ReferenceFrame.WORLD}
        if len(given) == 1:
            return [references[given[0]]]
        return [self.frames[" ".join(given[:-1])], references[given[-1]]] if given else []

    def state(self, k):
        return (np.array(self.robot[name][k]) for name in ("q", "v", "a"))

    def rnea(self, k):
        return {"tau": pin.rnea(self.model, self.data, *self.state(k)).copy()}

    def bias(self, k):
        q, v, _ = self.state(k)
        return {"tau": pin.nonLinearEffects(self.model, self.data, q, v).copy()}

    def gravity_torques(self, k):
        q, *_ = self.state(k)
        return {"tau": pin.computeGeneralizedGravity(self.model, self.data, q).copy()}

    def aba(self, k):
        q, v, _ = self.state(k)
        return {"qdd": pin.aba(self.model, self.data, q, v, np.array(self.robot["tau"][k])).copy()}

    def crba(self, k):
        q, *_ = self.state(k)
        return {"m": symmetric(pin.crba(self.model, self.data, q))}

    def minverse(self, k):
        q, *_ = self.state(k)
        return {"minv": symmetric(pin.computeMinverse(self.model, self.data, q))}

    def coriolis(self, k):
        q, v, _ = self.state(k)
        return {"c": pin.computeCoriolisMatrix(self.model, self.data, q, v).copy()}

    def energy(self, k):
        q, v, _ = self.state(k)
        return {
            "kinetic": [pin.computeKineticEnergy(self.model, self.data, q, v)],
            "potential": [pin.computePotentialEnergy(self.model, self.data, q)],
        }

    def placements(self, k):
        q, *_ = self.state(k)
        pin.framesForwardKinematics(self.model, self.data, q)
        return {"placement": np.array([self._placement(f) for f in self._all_frames()]).T}

    def forward_kinematics(self, k, reference):
        pin.forwardKinematics(self.model, self.data, *self.state(k))
        pin.updateFramePlacements(self.model, self.data)
        each = self._all_frames()
        velocity = [pin.getFrameVelocity(self.model, self.data, f, reference).vector for f in each]
        acceleration = [pin.getFrameAcceleration(self.model, self.data, f, reference).vector for f in each]
        return {
            "placement": np.array([self._placement(f) for f in each]).T,
            "velocity": np.array(velocity).T,
            "acceleration": np.array(acceleration).T,
        }

    def _all_frames(self):
        return range(self.model.nframes - len(self.robot["frames"]), self.model.nframes)

    def _placement(self, frame):
        placement = self.data.oMf[frame]
        return [*placement.rotation.T.flatten(), *placement.translation]

    def frame_classical_acceleration(self, k, frame, reference):
        pin.forwardKinematics(self.model, self.data, *self.state(k))
        pin.updateFramePlacements(self.model, self.data)
        return {"acceleration": pin.getFrameClassicalAcceleration(self.model, self.data, frame, reference).vector.copy()}

    def frame_jacobian(self, k, frame, reference):
        q, *_ = self.state(k)
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        return {"j": pin.getFrameJacobian(self.model, self.data, frame, reference)}

    def frame_jacobian_rate(self, k, frame, reference):
        q, v, _ = self.state(k)
        pin.computeJointJacobiansTimeVariation(self.model, self.data, q, v)
        pin.updateFramePlacements(self.model, self.data)
        return {"dj": pin.getFrameJacobianTimeVariation(self.model, self.data, frame, reference)}

    def centre_of_mass(self, k):
        pin.centerOfMass(self.model, self.data, *self.state(k))
        data = self.data
        return {"position": data.com[0].copy(), "velocity": data.vcom[0].copy(), "acceleration": data.acom[0].copy()}

    def com_jacobian(self, k):
        q, *_ = self.state(k)
        return {"j": pin.jacobianCenterOfMass(self.model, self.data, q).copy()}

    def centroidal_momentum(self, k):
        q, v, _ = self.state(k)
        return {"h": pin.computeCentroidalMomentum(self.model, self.data, q, v).vector.copy()}

    def centroidal_momentum_rate(self, k):
        return {"hdot": pin.computeCentroidalMomentumTimeVariation(self.model, self.data, *self.state(k)).vector.copy()}

    def centroidal_matrix(self, k):
        q, *_ = self.state(k)
        return {"a_g": pin.computeCentroidalMap(self.model, self.data, q).copy()}

    def id_derivatives(self, k):
        dq, dv, da = pin.computeRNEADerivatives(self.model, self.data, *self.state(k))
        return {"dtau_dq": dq.copy(), "dtau_dv": dv.copy(), "dtau_da": symmetric(da)}

    def gravity_derivatives(self, k):
        q, *_ = self.state(k)
        return {"dtau_dq": pin.computeGeneralizedGravityDerivatives(self.model, self.data, q).copy()}

    def fd_derivatives(self, k):
        q, v, _ = self.state(k)
        dq, dv, dtau = pin.computeABADerivatives(self.model, self.data, q, v, np.array(self.robot["tau"][k]))
        return {"qdd": self.data.ddq.copy(), "dqdd_dq": dq.copy(), "dqdd_dv": dv.copy(), "dqdd_dtau": symmetric(dtau)}

    def frame_velocity_derivatives(self, k, frame, reference):
        pin.computeForwardKinematicsDerivatives(self.model, self.data, *self.state(k))
        pin.updateFramePlacements(self.model, self.data)
        dq, dv = pin.getFrameVelocityDerivatives(self.model, self.data, frame, reference)
        return {"dv_dq": dq, "dv_dv": dv}

    def frame_acceleration_derivatives(self, k, frame, reference):
        pin.computeForwardKinematicsDerivatives(self.model, self.data, *self.state(k))
        pin.updateFramePlacements(self.model, self.data)
        _, dq, dv, da = pin.getFrameAccelerationDerivatives(self.model, self.data, frame, reference)
        return {"da_dq": dq, "da_dv": dv, "da_da": da}

    def com_velocity_derivatives(self, k):
        q, v, a = self.state(k)
        pin.computeForwardKinematicsDerivatives(self.model, self.data, q, v, a)
        pin.centerOfMass(self.model, self.data, q, v)
        return {"dv_dq": pin.getCenterOfMassVelocityDerivatives(self.model, self.data).copy()}

    def centroidal_derivatives(self, k):
        dh, dhdot_dq, dhdot_dv, dhdot_da = pin.computeCentroidalDynamicsDerivatives(self.model, self.data, *self.state(k))
        return {"dh_dq": dh, "dhdot_dq": dhdot_dq, "dhdot_dv": dhdot_dv, "dhdot_da": dhdot_da}

    def integrate(self, k):
        q, v, _ = self.state(k)
        return {"q_next": pin.integrate(self.model, q, v)}

    def difference(self, k):
        q, *_ = self.state(k)
        return {"v": pin.difference(self.model, q, np.array(self.robot["q1"][k]))}


def se3(placement):
    """Makes a placement from the columns of the rotation and the origin."""
    return pin.SE3(np.array(placement[:9]).reshape(3, 3).T, np.array(placement[9:]))


def report(rows, args):
    measured = [row for row in rows if not row.note]
    for row in rows:
        if row.note:
            print(f"not compared: {row.robot}, {row.root}: {row.note}")
    robots = len({(row.robot, row.root) for row in measured})
    print(f"\n{robots} robots with a root, {args.states} states each; errors of the worst row, and dtau's / Pinocchio's")
    head = f"{'quantity':46} {'median':>23} {'worst':>23} {'ratio':>15}   worst ratio at"
    print(head)
    print(f"{'':46} {'dtau':>11} {'Pinocchio':>11} {'dtau':>11} {'Pinocchio':>11} {'median':>7} {'worst':>7}")
    for name in dict.fromkeys(row.quantity for row in measured):
        of_it = [row for row in measured if row.quantity == name]
        ours, theirs, ratios = (np.array([getattr(row, key) for row in of_it]) for key in ("ours", "theirs", "ratio"))
        worst = of_it[int(np.argmax(ratios))]
        print(
            f"{name:46} {np.median(ours):11.1e} {np.median(theirs):11.1e} {ours.max():11.1e} {theirs.max():11.1e} "
            f"{np.median(ratios):7.2f} {ratios.max():7.1f}   {worst.robot}, {worst.root}: {worst.ours:.1e}, {worst.theirs:.1e}"
        )
    for row in measured:
        if row.above or args.all:
            verdict = "FAILED" if row.failed else "known" if row.above else "ok"
            print(f"{verdict} {row.robot}, {row.root}, {row.quantity}: {row.ours:.1e}, Pinocchio {row.theirs:.1e}, {row.ratio:.1f}")
    failed = sum(row.failed for row in measured)
    print(f"{len(measured) - failed} passed, {failed} failed")


if __name__ == "__main__":
    sys.exit(main())
