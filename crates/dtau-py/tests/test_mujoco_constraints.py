"""Constrained dynamics compared with MuJoCo's `connect` and `weld`, without their softness.

MuJoCo's equality constraints are soft: it solves (A + R) f = …, with R = (1 − d)/d · diag A and the impedance
d at most 0.9999. On the manifold, at rest along the rows, its stabilisation has no effect, and accelerations
are a smooth function of ε = (1 − d)/d. Three of them, extrapolated by a parabola to ε = 0, leave an error of
ε³ in units of the condition of A.
"""

import dtau
import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="pip install mujoco")

SOFTNESS = np.array([2e-4, 4e-4, 8e-4])  # below 1e-4 it is limited


def held_in_mujoco(model, body, anchor, q, v, tau, softness):
    """Returns q̈ with a body's point held at its place. The arm has one angle per joint, in the same order in
    both programs."""
    text = dtau.bundled_urdf("arm6")
    text = text.replace("<link", '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco><link', 1)
    spec = mujoco.MjSpec.from_string(text)
    equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=body)
    equality.data[:3] = anchor
    d = 1 / (1 + softness)
    equality.solimp[:] = [d, d, 0.001, 0.5, 2]
    theirs = spec.compile()
    theirs.opt.iterations, theirs.opt.tolerance, theirs.opt.disableflags = 200, 0, mujoco.mjtDisableBit.mjDSBL_CONTACT
    theirs.dof_damping[:] = theirs.dof_frictionloss[:] = theirs.dof_armature[:] = 0
    placement = dtau.frame_placement(model, q, body)
    theirs.eq_data[0, 3:6] = placement[:, :3] @ anchor + placement[:, 3]  # otherwise it would use the point at its own zero
    data = mujoco.MjData(theirs)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
    mujoco.mj_forward(theirs, data)
    equalities = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    assert equalities.sum() == data.nefc == 3 and np.abs(data.efc_pos).max() < 1e-9, data.efc_pos
    return data.qacc.copy()


def test_a_point_that_is_held_is_that_of_mujoco():
    model = dtau.Model.bundled("arm6", damping=False, friction=False, armature=False)
    rng, body, anchor = np.random.default_rng(1), model.bodies[-1].name, np.array([0.05, 0.02, 0.1])
    for _ in range(3):
        q, v = 0.5 * model.random(rng), rng.uniform(-1, 1, model.nv)  # half way to the limits, which MuJoCo enforces
        held = dtau.Constraints(model).point(body).at(anchor).at_world_here(q)
        J = dtau.constraint_jacobian(model, held, q)
        v -= np.linalg.pinv(J) @ (J @ v)
        tau = dtau.rnea(model, q, v, rng.uniform(-3, 3, model.nv))
        ours = dtau.constrained_fd(model, held, q, v, tau).qdd
        soft = [held_in_mujoco(model, body, anchor, q, v, tau, softness) for softness in SOFTNESS]
        size = np.abs(ours).max()
        assert np.abs(soft[-1] - ours).max() > 1e-6 * size, "there was softness to take out"
        np.testing.assert_allclose(np.polyfit(SOFTNESS, soft, 2)[-1], ours, atol=1e-7 * size)


def snake():
    """Nine links, each rotated relative to the one before, with inertias of boxes. Enough joints remain free if
    a frame is held."""
    text = ['<robot name="snake"><link name="base"/>']
    for k in range(1, 10):
        axis = "1 0 0" if k % 3 == 0 else "0 1 0" if k % 3 == 1 else "0 0 1"
        parent, at = ("base", "0 0 0") if k == 1 else (f"link{k - 1}", "0.3 0.02 -0.05")
        text.append(
            f'<link name="link{k}"><inertial><origin xyz="0.15 0.01 0.02"/><mass value="{1 + 0.1 * k}"/>'
            f'<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0.002" izz="0.025"/></inertial></link>'
            f'<joint name="joint{k}" type="continuous"><parent link="{parent}"/><child link="link{k}"/>'
            f'<origin xyz="{at}" rpy="0.2 0.1 -0.3"/><axis xyz="{axis}"/></joint>'
        )
    return "".join(text) + "</robot>"


def welded_in_mujoco(text, body, other, q, v, tau, softness):
    """Returns q̈ with a body held at its place, in another body or in the world."""
    text = text.replace("<link", '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco><link', 1)
    spec = mujoco.MjSpec.from_string(text)
    equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=body)
    if other is not None:
        equality.name2 = other
    d = 1 / (1 + softness)
    equality.solimp[:] = [d, d, 0.001, 0.5, 2]
    theirs = spec.compile()
    theirs.opt.iterations, theirs.opt.tolerance, theirs.opt.disableflags = 200, 0, mujoco.mjtDisableBit.mjDSBL_CONTACT
    theirs.dof_damping[:] = theirs.dof_frictionloss[:] = theirs.dof_armature[:] = 0
    data = mujoco.MjData(theirs)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
    mujoco.mj_kinematics(theirs, data)
    first, second = theirs.body(body).id, 0 if other is None else theirs.body(other).id
    # A point of the first body, the same in the second, and the second's orientation in the first, all at this state.
    turned, back = np.zeros(4), np.zeros(4)
    mujoco.mju_negQuat(back, data.xquat[first])
    mujoco.mju_mulQuat(turned, back, data.xquat[second])
    theirs.eq_data[0, 0:3] = data.xmat[second].reshape(3, 3).T @ (data.xpos[first] - data.xpos[second])
    theirs.eq_data[0, 3:6], theirs.eq_data[0, 6:10], theirs.eq_data[0, 10] = 0, turned, 1
    mujoco.mj_forward(theirs, data)
    equalities = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    assert equalities.sum() == data.nefc == 6 and np.abs(data.efc_pos).max() < 1e-9, data.efc_pos
    return data.qacc.copy()


@pytest.mark.parametrize("other", [None, "link2"])
def test_a_frame_that_is_held_is_that_of_mujoco(other):
    """In the world, and in another link, which closes a loop. A is worse conditioned than for a point, so the
    extrapolation has more terms. Each one gains two digits, and five leave 1e-11, as measured."""
    softness = np.linspace(1.05e-4, 4e-4, 9)
    text = snake()
    model = dtau.Model.from_urdf(text)
    rng = np.random.default_rng(2)
    for _ in range(3):
        q = rng.uniform(-0.8, 0.8, model.nq)
        frame = dtau.Constraints(model).frame("link9")
        held = frame.at_world_here(q) if other is None else frame.with_here(other, q)
        v = dtau.project_velocity(model, held, q, rng.uniform(-1, 1, model.nv))
        tau = dtau.rnea(model, q, v, rng.uniform(-3, 3, model.nv))
        ours = dtau.constrained_fd(model, held, q, v, tau).qdd
        soft = [welded_in_mujoco(text, "link9", other, q, v, tau, each) for each in softness]
        size = np.abs(ours).max()
        assert np.abs(soft[-1] - ours).max() > 1e-6 * size, "there was softness to take out"
        np.testing.assert_allclose(np.polyfit(softness / softness.max(), soft, 5)[-1], ours, atol=1e-9 * size)
