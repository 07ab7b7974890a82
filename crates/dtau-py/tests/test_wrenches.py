"""External forces: all forms, for one state and for many, and their derivatives."""

import dtau
import numpy as np
import pytest
from conftest import random_state

FORCE, TORQUE, POINT = np.array([[1.0, -2, 3], [0.3, 0.2, -0.1], [0.1, 0.2, 0.3]])


def wrenches(frame):
    return {
        "local": dtau.Wrench.local(frame, FORCE, TORQUE),
        "aligned": dtau.Wrench.local_world_aligned(frame, FORCE, TORQUE),
        "world": dtau.Wrench.world(frame, FORCE, TORQUE),
        "point of the body": dtau.Wrench(frame, FORCE, TORQUE, point=POINT),
        "world at a point of the body": dtau.Wrench(frame, FORCE, TORQUE, axes="world", point=POINT),
        "point of space": dtau.Wrench(frame, FORCE, TORQUE, axes="world", point=POINT, point_in="world"),
    }


@pytest.mark.parametrize("kind", wrenches("x"))
def test_a_wrench_lowers_the_torques_by_its_jacobian(model, kind):
    frame = model.bodies[-1].name
    q, v, a, tau = random_state(model, 1)
    wrench = wrenches(frame)[kind]
    J = {r: dtau.frame_jacobian(model, q, frame, r) for r in ("local", "world", "local_world_aligned")}
    R = dtau.frame_placement(model, q, frame)[:, :3]

    def at(point):
        return np.concatenate([FORCE, TORQUE + np.cross(point, FORCE)])

    want = {
        "local": lambda: J["local"].T @ at(np.zeros(3)),
        "aligned": lambda: J["local_world_aligned"].T @ at(np.zeros(3)),
        "world": lambda: J["world"].T @ at(np.zeros(3)),
        "point of the body": lambda: J["local"].T @ at(POINT),
        "world at a point of the body": lambda: J["local_world_aligned"].T @ at(R @ POINT),
        "point of space": lambda: J["world"].T @ at(POINT),
    }[kind]()
    assert np.allclose(dtau.rnea(model, q, v, a) - dtau.rnea(model, q, v, a, f_ext=[wrench]), want)
    assert np.allclose(dtau.aba(model, q, v, dtau.rnea(model, q, v, a, f_ext=[wrench]), f_ext=[wrench]), a)
    two = dtau.rnea(model, q, v, a, f_ext=(wrench, wrench))
    assert np.allclose(dtau.rnea(model, q, v, a) - two, 2 * want)


@pytest.mark.parametrize("kind", wrenches("x"))
def test_derivatives_take_wrenches_as_given(model, kind):
    f_ext = [wrenches(model.bodies[-1].name)[kind]]
    q, v, a, _ = random_state(model, 2)
    d, h = dtau.id_derivatives(model, q, v, a, f_ext=f_ext), 1e-6
    columns = h * np.eye(model.nv)
    ahead, behind = (dtau.rnea(model, model.integrate(q, s * columns), v, a, f_ext=f_ext) for s in (1, -1))
    assert np.allclose(d.dtau_dq, (ahead - behind).T / (2 * h), atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_forces_may_differ_from_state_to_state(quadruped, dtype):
    shape = (3, 4)
    q, v, a, _ = (x.astype(dtype) for x in random_state(quadruped, 3, shape))
    force, torque = np.random.default_rng(0).normal(size=(2, *shape, 3))
    common = dtau.Wrench.local("trunk", FORCE, TORQUE)
    foot = quadruped.bodies[-1].name
    many = [dtau.Wrench(foot, force, torque[0], axes="world", point=POINT), common]
    got = dtau.rnea(quadruped, q, v, a, f_ext=many)
    for i, j in np.ndindex(shape):
        one = [dtau.Wrench(foot, force[i, j], torque[0, j], axes="world", point=POINT), common]
        want = dtau.rnea(quadruped, q[i, j], v[i, j], a[i, j], f_ext=one)
        assert got.dtype == dtype and np.array_equal(got[i, j], want)


def test_what_a_wrench_tells():
    wrench = dtau.Wrench("hand", force=[1, 2, 3])
    assert (wrench.frame, wrench.axes, wrench.point, wrench.point_in) == ("hand", "frame", None, "frame")
    assert wrench.force.tolist() == [1, 2, 3] and wrench.torque.tolist() == [0, 0, 0]
    assert repr(wrench) == 'dtau.Wrench("hand", force=[1.0, 2.0, 3.0], torque=[0.0, 0.0, 0.0], axes="frame")'
    assert "array of shape (4, 3)" in repr(dtau.Wrench("hand", force=np.zeros((4, 3))))
