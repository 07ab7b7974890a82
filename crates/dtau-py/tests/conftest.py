"""What the tests share: robots of every sort, states of theirs, deadlines, and the parity tools of the repository."""

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


# With DTAU_LONG tests have more robots, sizes and repetitions.
LONG = "DTAU_LONG" in os.environ

# Nothing here takes a minute on a slow machine; what takes five hangs.
DEADLINE = 300


def pytest_configure(config):
    # Before pytest takes standard error for itself: what a hanging test leaves behind must be seen.
    config.dtau_stderr = os.fdopen(os.dup(2), "w")


@pytest.fixture(autouse=True)
def deadline(request):
    """A test that hangs, in Python or below, shows what every thread does and ends the run: no later test can be trusted."""
    # Later than the deadlines of programs and threads, which say more and end one test only.
    faulthandler.dump_traceback_later(2 * DEADLINE, exit=True, file=request.config.dtau_stderr)
    yield
    faulthandler.cancel_dump_traceback_later()


def run(command, **keywords):
    """What a program wrote, of one that succeeds before the deadline."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=DEADLINE, **keywords)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def random_state(model, seed, shape=()):
    """q, v, a and τ for as many states as `shape` says. The torques give accelerations of ordinary size: random ones would
    throw the lightest body around, and every comparison would be one of that body."""
    rng = np.random.default_rng(seed)
    shape = (shape,) if isinstance(shape, int) else shape
    q = model.random(rng, shape)
    v, a, other = (rng.uniform(-1, 1, (*shape, model.nv)) for _ in range(3))
    return q, v, a, dtau.rnea(model, q, v, other)


ROBOTS = {
    "arm": lambda: dtau.Model.bundled("arm6"),
    "gripper": lambda: dtau.Model.bundled("arm7"),  # with a mimicking joint
    "quadruped": lambda: dtau.Model.bundled("quadruped", root="floating"),
    "humanoid": lambda: dtau.Model.bundled("humanoid", root="floating"),
    "general": lambda: dtau.generate_random(seed=3, bodies=10, root="floating"),  # every kind of joint
}


# Tests that take any robot take these: mimicry, and every kind of joint on a floating base.
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
    """A free-flyer, a ball joint, a planar joint and a screw: every kind of coordinates, in few bodies."""
    return dtau.generate_random(seed=2, bodies=3, root="floating")
