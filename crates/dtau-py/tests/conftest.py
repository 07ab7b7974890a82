"""Common parts of the tests: robots, states, deadlines, and the parity tools of the repository."""

import faulthandler
import os
import subprocess
import sys
from pathlib import Path

import dtau
import numpy as np
import pytest

PACKAGE = Path(__file__).resolve().parent.parent
REPOSITORY = PACKAGE.parent.parent
sys.path.insert(0, str(REPOSITORY / "parity"))


# With DTAU_LONG, tests have more robots, sizes and repetitions.
LONG = "DTAU_LONG" in os.environ

# No test takes a minute on a slow machine. After five minutes, a test counts as hanging.
DEADLINE = 300


def pytest_configure(config):
    # Before pytest captures standard error: the output of a hanging test must be visible.
    config.dtau_stderr = os.fdopen(os.dup(2), "w")


@pytest.fixture(autouse=True)
def deadline(request):
    """If a test hangs, prints the stack of every thread and ends the run, because later tests cannot be trusted."""
    # Later than the deadlines of programs and threads, which give more information and end only one test.
    faulthandler.dump_traceback_later(2 * DEADLINE, exit=True, file=request.config.dtau_stderr)
    yield
    faulthandler.cancel_dump_traceback_later()


def run(command, **keywords):
    """Runs a program, which must succeed before the deadline. Returns its output."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=DEADLINE, **keywords)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def random_state(model, seed, shape=()):
    """Returns q, v, a and τ for states of this shape. The torques give accelerations of ordinary size. Random
    torques would accelerate the lightest body so much that it dominates every comparison."""
    rng = np.random.default_rng(seed)
    shape = (shape,) if isinstance(shape, int) else shape
    q = model.random(rng, shape)
    v, a, other = (rng.uniform(-1, 1, (*shape, model.nv)) for _ in range(3))
    return q, v, a, dtau.rnea(model, q, v, other)


ROBOTS = {
    "arm": lambda: dtau.Model.bundled("arm6"),
    "gripper": lambda: dtau.Model.bundled("arm7_gripper"),  # with a mimicking joint
    "quadruped": lambda: dtau.Model.bundled("quadruped", root="floating"),
    "humanoid": lambda: dtau.Model.bundled("humanoid", root="floating"),
    "general": lambda: dtau.generate_random(seed=3, bodies=10, root="floating"),  # every joint type
}


# Robots for tests that accept any robot: mimicry, and every joint type on a floating base.
@pytest.fixture(params=ROBOTS if LONG else ["gripper", "general"], scope="module")
def model(request):
    return ROBOTS[request.param]()


@pytest.fixture(scope="module")
def quadruped():
    return ROBOTS["quadruped"]()


@pytest.fixture(scope="module")
def arm():
    return ROBOTS["arm"]()


@pytest.fixture(scope="module")
def small():
    """A free-flyer, a ball joint, a planar joint and a screw: every kind of coordinates, with few bodies."""
    return dtau.generate_random(seed=2, bodies=3, root="floating")
