"""Constrained dynamics compared live with Pinocchio in cases where it is right, with the tools of
`parity/constraints.py`."""

import constraints
import pytest


@pytest.mark.parametrize("scene", constraints.SCENES)
def test_constrained_dynamics_are_those_of_pinocchio(scene):
    worst = constraints.compare(scene, states=2)
    assert len(worst) >= 6 and max(worst.values()) < constraints.TOLERANCE, worst
