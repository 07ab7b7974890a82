"""Write Pinocchio's numbers for the bundled robots to crates/dtau/tests/references/, for `cargo test` without Python.

    $(parity/setup.sh) parity/store_references.py

States are written so that they read back to the same doubles, Pinocchio's answers to 14 digits: a rounding of 5e-14 at
most, far below the tolerance of 1e-11. To keep the files small (300 kB together), the matrices of a robot with more than 5 degrees of
freedom are in its first state only, of one with more than 20 for one link instead of two, and ∂τ/∂q̈ and ∂q̈/∂τ are left out,
being `crba` and `minverse`.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import pinocchio as pin

from oracle import DERIVATIVES, QUANTITIES, Oracle
from robots import BUNDLED, REPOSITORY, Robot
from states import random_states

ROOTS = {
    "double_pendulum": "fixed",
    "arm6": "fixed",
    "arm7_gripper": "fixed",
    "quadruped": "floating",
    "humanoid": "floating",
}
SEED, DIGITS = 0, 14
MEDIUM, LARGE = 5, 20  # degrees of freedom
MATRICES = {"crba", "minverse", "coriolis", "com_jacobian", "centroidal", "jacobians", "jacobian_rates", *DERIVATIVES}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=Path, default=BUNDLED, metavar="DIR", help="folder of the URDFs")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "crates/dtau/tests/references", metavar="DIR")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name, root in ROOTS.items():
        file = args.out / f"{name}.json"
        file.write_text(reference(Robot(args.robots / f"{name}.urdf", name, root, "honour")))
        print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


def reference(robot):
    """Returns the file's text: a header, then one line per quantity, so that differences are readable."""
    oracle = Oracle(robot)
    links = robot.sample_links(3)[::-1][: 1 if robot.nv > LARGE else 2]
    header = {
        "robot": robot.name,
        "root": robot.root,
        "order": "alphabetical",
        "mimic": "honour",
        "damping": False,
        "friction": False,
        "made_with": f"pinocchio {pin.__version__}",
        "nq": robot.nq,
        "nv": robot.nv,
        "joints": robot.joint_names,
        "frames": links,
    }
    lines = [f"{_text(key)}:{_text(value)}" for key, value in header.items()]
    states = []
    neutral, turns, ordinary = random_states(oracle.tree, 3, SEED, links)
    for k, state in enumerate([ordinary, turns, neutral]):
        names = [n for n in QUANTITIES + DERIVATIVES if k == 0 or robot.nv <= MEDIUM or n not in MATRICES]
        expected = _rounded(oracle.evaluate(state, names, links))
        for name in DERIVATIVES:
            for same_as_other in ("dtau_da", "ddq_dtau"):
                expected.get(name, {}).pop(same_as_other, None)
        pieces = [f"{_text(key)}:{_text(value)}" for key, value in state.as_json().items()]
        values = [f"{_text(name)}:{_text(value)}" for name, value in expected.items()]
        pieces.append('"expected":{\n' + ",\n".join(values) + "}")
        states.append("{" + ",\n".join(pieces) + "}")
    lines.append('"states":[\n' + ",\n".join(states) + "]")
    return "{" + ",\n".join(lines) + "}\n"


def _text(value):
    return json.dumps(_plain(value), separators=(",", ":"))


def _rounded(value):
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return np.array([float(f"{x:.{DIGITS}g}") for x in value.flat]).reshape(value.shape)


def _plain(value):
    """Converts arrays to lists, with integers without `.0`, because 0 is the most frequent entry."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) > 0:
        return [_plain(item) for item in value]
    if isinstance(value, (float, np.ndarray)):
        number = float(value)
        return int(number) if number == int(number) and abs(number) < 2**53 else number
    return value


if __name__ == "__main__":
    main()
