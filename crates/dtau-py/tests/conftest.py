"""What the tests share: robots of every sort, states of theirs, and the parity tools of the repository."""

import sys
from pathlib import Path

import dtau
import numpy as np
import pytest

PACKAGE = Path(__file__).resolve().parent.parent
REPOSITORY = PACKAGE.parent.parent
sys.path.insert(0, str(REPOSITORY / "parity"))


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


@pytest.fixture(params=ROBOTS, scope="module")
def model(request):
    return ROBOTS[request.param]()


@pytest.fixture(scope="module")
def quadruped():
    return ROBOTS["quadruped"]()


@pytest.fixture(scope="module")
def arm():
    return ROBOTS["arm"]()
