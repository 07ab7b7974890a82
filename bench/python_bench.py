#!/usr/bin/env python3
"""dtau against pin, both called from Python, one state a call, in turns. Writes rows for `head-to-head report`.

    python bench/python_bench.py --robots ROBOTS --out rows.json [--quick] [--only PATTERN]

ROBOTS has a line "name <tab> path <tab> fixed or floating" for each robot; `head-to-head robots` prints them. Where the package
dtau is not installed, a notice is written instead of rows.
"""

import argparse
import json
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "parity"))
from robots import Robot  # noqa: E402  (parity/robots.py: converts dtau's coordinates to Pinocchio's)

try:
    import dtau
    from constraints import Scene
except ImportError:
    dtau = None

STATES = 32
OPPONENT = "Pinocchio, from Python"
PROMISED = {"id_derivatives", "fd_derivatives"}, {"hyq", "talos_reduced", "talos_full"}, 2.5
PROMISED_HELD = 2.0
# Robots with constrained frames: names in parity/constraints.py, and in the head-to-head.
HELD = {
    "hyq, four feet": "hyq, four feet",
    "go2, four feet": "go2, four feet",
    "talos, two soles": "talos_reduced, two soles",
    "panda, hand": "panda, hand",
}
TOLERANCE = 1e-7  # of the largest entry; parity/ compares strictly


@dataclass
class Contest:
    """One quantity of one robot: a call on each side, over the same states, and the result of a call."""

    name: str
    nv: int
    theirs: str  # text of the timed call, with the names in `scope` and a state's q, v and x
    ours: str
    scope: dict
    states: list  # of (their arguments, our arguments)
    their_result: callable
    our_result: callable

    def difference(self):
        worst = 0.0
        for theirs, ours in self.states[:4]:
            for a, b in zip(self.our_result(*ours), self.their_result(*theirs), strict=True):
                worst = max(worst, np.abs(a - b).max() / max(np.abs(b).max(), 1e-300))
        return worst

    def race(self, block, passes):
        """Returns [(least, median) nanoseconds per call] of theirs and ours."""
        calls = [loop(self.theirs, self.scope), loop(self.ours, self.scope)]
        sides = [(call, [s[k] for s in self.states]) for k, call in enumerate(calls)]
        rounds = [max(1, int(block / cycle(*side))) for side in sides]
        times = [[], []]
        for _ in range(passes):
            for side, n, out in zip(sides, rounds, times):
                out.append(cycle(*side, n))
        return [(min(t), float(np.median(t))) for t in (np.array(times) / STATES)]


def loop(call, scope):
    """Makes a function that calls for every state, several times. It is compiled from the text of the call, like
    `timeit`, so that the loop contains only what a user writes."""
    text = f"def loop(states, rounds, {', '.join(scope)}):\n for _ in range(rounds):\n  for q, v, x in states:\n   {call}"
    names = {"dtau": dtau, "pin": pin}
    exec(text, names)
    return lambda states, rounds: names["loop"](states, rounds, **scope)


def cycle(call, arguments, rounds=1):
    """Returns the nanoseconds for one call with every state, as a mean over rounds."""
    start = time.perf_counter_ns()
    call(arguments, rounds)
    return (time.perf_counter_ns() - start) / rounds


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


def with_symmetric(dq, dv, upper):
    return dq, dv, symmetric(upper)


def contests(name, path, root):
    """Returns the comparisons on a robot. dtau is called as in a loop: with a workspace, into preallocated memory."""
    robot = Robot(path, name, root)
    model, data = robot.model, robot.model.createData()
    # Pinocchio's joint order and treatment of mimicry, and, as there, dynamics without damping or friction.
    options = {"order": "alphabetical", "mimic": "free", "damping": False, "friction": False}
    own = dtau.Model.from_urdf(path, root=root, **options)
    ws, rng = dtau.Workspace(own), np.random.default_rng(1)
    accelerations, torques = [], []
    for _ in range(STATES):
        q = random_configuration(robot, rng)
        v, a = rng.uniform(-1, 1, (2, own.nv))
        p = robot.pinocchio_q(q)
        tau = dtau.rnea(own, q, v, a)
        accelerations.append(((p, v, a), (q, v, a)))
        torques.append(((p, v, tau), (q, v, tau)))

    def contest(name, states, theirs, ours, out, their_result, our_result):
        scope = {"model": model, "data": data, "own": own, "ws": ws, "out": out}
        return Contest(name, own.nv, theirs, ours, scope, states, their_result, our_result)

    q, v, a = accelerations[0][1]
    yield contest(
        "rnea",
        accelerations,
        "pin.rnea(model, data, q, v, x)",
        "dtau.rnea(own, q, v, x, workspace=ws, out=out)",
        dtau.rnea(own, q, v, a),
        lambda *s: [pin.rnea(model, data, *s)],
        lambda *s: [dtau.rnea(own, *s)],
    )
    yield contest(
        "aba",
        torques,
        "pin.aba(model, data, q, v, x)",
        "dtau.aba(own, q, v, x, workspace=ws, out=out)",
        dtau.aba(own, q, v, a),
        lambda *s: [pin.aba(model, data, *s)],
        lambda *s: [dtau.aba(own, *s)],
    )
    yield contest(
        "crba",
        accelerations,
        "pin.crba(model, data, q)",
        "dtau.crba(own, q, workspace=ws, out=out)",
        dtau.crba(own, q),
        lambda q, *_: [symmetric(pin.crba(model, data, q))],
        lambda q, *_: [dtau.crba(own, q)],
    )
    yield contest(
        "id_derivatives",
        accelerations,
        "pin.computeRNEADerivatives(model, data, q, v, x)",
        "dtau.id_derivatives(own, q, v, x, workspace=ws, out=out)",
        dtau.id_derivatives(own, q, v, a),
        lambda *s: with_symmetric(*pin.computeRNEADerivatives(model, data, *s)),
        lambda *s: dtau.id_derivatives(own, *s)[1:],
    )
    yield contest(
        "fd_derivatives",
        torques,
        "pin.computeABADerivatives(model, data, q, v, x)",
        "dtau.fd_derivatives(own, q, v, x, workspace=ws, out=out)",
        dtau.fd_derivatives(own, q, v, a),
        lambda *s: with_symmetric(*pin.computeABADerivatives(model, data, *s)),
        lambda *s: dtau.fd_derivatives(own, *s)[1:],
    )


def held_contests(name):
    """Returns the comparisons on a robot with frames held at their places in its first state."""
    scene, rng = Scene(name), np.random.default_rng(1)
    model, data, own = scene.pin, scene.pin.createData(), scene.model
    states = []
    for _ in range(STATES):
        q, v, a = own.random(rng), *rng.uniform(-1, 1, (2, own.nv))
        states.append(((q, v, dtau.rnea(own, q, v, a)),) * 2)
    held, models = scene.sets(states[0][0][0], 0.0, 0.0)
    models = pin.StdVec_RigidConstraintModel(models)
    datas = pin.StdVec_RigidConstraintData([c.createData() for c in models])
    pin.initConstraintDynamics(model, data, models, datas)
    scope = {"model": model, "data": data, "models": models, "datas": datas, "settings": pin.ProximalSettings()}
    scope |= {"own": own, "held": held, "ws": dtau.Workspace(own)}
    forward = "pin.constraintDynamics(model, data, q, v, x, models, datas, settings)"

    def run(text, names):
        def result(q, v, x):
            exec(text, {"pin": pin, "q": q, "v": v, "x": x, **scope})
            return [np.array(getattr(data, name)) for name in names]

        return result

    for function, theirs, names, of_ours in [
        ("constrained_fd", forward, ["ddq"], lambda y: y[:1]),
        (
            "constrained_fd_derivatives",
            forward + "; pin.computeConstraintDynamicsDerivatives(model, data, models, datas, settings)",
            ["ddq", "ddq_dq", "ddq_dv"],
            lambda y: (y.qdd, y.dqdd_dq, y.dqdd_dv),
        ),
    ]:
        call = getattr(dtau, function)
        yield Contest(
            function,
            own.nv,
            theirs,
            f"dtau.{function}(own, held, q, v, x, workspace=ws, out=out)",
            {**scope, "out": call(own, held, *states[0][1])},
            states,
            run(theirs, names),
            lambda q, v, x, call=call, of_ours=of_ours: of_ours(call(own, held, q, v, x)),
        )


def random_configuration(robot, rng):
    """Draws a configuration in dtau's coordinates, with angles and positions within ±1, which all joints allow."""
    q = rng.uniform(-1, 1, robot.nq)
    if robot.root == "floating":
        q[3:7] /= np.linalg.norm(q[3:7])
    return q


def row(name, contest, theirs, ours, difference):
    quantities, robots, promised = PROMISED
    if contest.name.startswith("constrained"):
        quantities, robots, promised = {contest.name}, {name}, PROMISED_HELD
    return {
        "robot": name,
        "nv": contest.nv,
        "quantity": contest.name,
        "mode": "python",
        "scalar": "f64",
        "opponent": OPPONENT,
        "opponent_way": "pin " + pin.__version__,
        "opponent_ns": theirs[0],
        "dtau_ns": ours[0],
        "ratio": theirs[0] / ours[0],
        "floor": promised if contest.name in quantities and name in robots else None,
        "opponent_spread": theirs[1] / theirs[0] - 1,
        "dtau_spread": ours[1] / ours[0] - 1,
        "difference": difference,
    }


def measure(lines, only, block, passes):
    rows = []
    robots = [line.split("\t") for line in lines]
    subjects = [(name, lambda name=name, rest=rest: contests(name, *rest)) for name, *rest in robots]
    subjects += [(name, lambda scene=scene: held_contests(scene)) for scene, name in HELD.items()]
    for i, (name, all_of) in enumerate(subjects):
        summary = []
        for contest in all_of():
            if only and not re.search(only, f"{name} {contest.name} python"):
                continue
            difference = contest.difference()
            if not difference < TOLERANCE:
                sys.exit(f"{name} {contest.name}: dtau and pin differ by {difference:.1e} of the largest entry")
            theirs, ours = contest.race(block, passes)
            rows.append(row(name, contest, theirs, ours, difference))
            summary.append(f"{contest.name} {rows[-1]['ratio']:.1f}×")
        print(f"[{i + 1}/{len(subjects)}] {name}: " + " ".join(summary), file=sys.stderr)
    return rows


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--robots", required=True, type=Path)
    options.add_argument("--out", required=True, type=Path)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--only")
    options = options.parse_args()
    results = {"rows": [], "notices": []}
    if dtau is None:
        results["notices"].append("The Python package dtau is not installed, so nothing was measured from Python.")
        print(results["notices"][0], file=sys.stderr)
    else:
        block, passes = (2e6, 8) if options.quick else (4e6, 40)
        results["rows"] = measure(options.robots.read_text().splitlines(), options.only, block, passes)
    options.out.write_text(json.dumps(results))


if __name__ == "__main__":
    main()
