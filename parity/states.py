"""States for comparisons: seeded, in dtau's coordinates, and in the format of a dtau state file."""

from dataclasses import dataclass, field

import numpy as np

from robots import FREE_FLYER


@dataclass
class State:
    """A state in dtau's coordinates; `wrenches` as in a dtau state file."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    wrenches: list = field(default_factory=list)

    def as_json(self):
        numbers = {name: getattr(self, name).tolist() for name in ("q", "v", "a", "tau")}
        return {**numbers, "wrenches": self.wrenches} if self.wrenches else numbers


def random_states(tree, count, seed, links=()):
    """Draws `count` states of the robot of an oracle.Tree.

    Number 0 is the neutral position without wrenches, number 1 has angles of several turns, the others are
    ordinary. Torques correspond to random accelerations of ordinary size. Random torques would accelerate a
    finger of 1e-7 kg m² to 1e8 rad/s², and it would dominate every comparison of accelerations.
    """
    rng, nv, states = np.random.default_rng(seed), tree.robot.nv, []
    for k in range(count):
        state = State(
            q=_random_q(tree.robot, rng, turns={0: 0.0, 1: 5.0}.get(k, 1.0)),
            v=rng.uniform(-3, 3, nv),
            a=rng.uniform(-10, 10, nv),
            tau=np.zeros(nv),
            wrenches=_random_wrenches(rng, links) if k > 0 else [],
        )
        state.tau = tree.inverse_dynamics(state, rng.uniform(-10, 10, nv))
        states.append(state)
    return states


def _random_q(robot, rng, turns):
    """Draws angles of up to ±`turns` half turns, regardless of limits. The neutral position if `turns` is 0."""
    q = np.zeros(robot.nq)
    for c in robot.coordinates:
        if c.kind == FREE_FLYER:
            quaternion = rng.normal(size=4)
            q[c.q : c.q + 3] = rng.uniform(-1, 1, 3) if turns else 0.0
            q[c.q + 3 : c.q + 7] = quaternion / np.linalg.norm(quaternion) if turns else [0, 0, 0, 1]
        elif c.prismatic:
            q[c.q] = rng.uniform(-0.5, 0.5) if turns else 0.0
        else:
            q[c.q] = turns * rng.uniform(-np.pi, np.pi)
    return q


def _random_wrenches(rng, links):
    """Draws a wrench in the link's own axes and one in the world's, on two links."""
    chosen = rng.choice(links, size=min(2, len(links)), replace=False) if len(links) else []
    return [
        {
            "frame": str(link),
            "axes": axes,
            "force": rng.uniform(-20, 20, 3).tolist(),
            "torque": rng.uniform(-5, 5, 3).tolist(),
        }
        for link in chosen
        for axes in ("frame", "world")
    ]
