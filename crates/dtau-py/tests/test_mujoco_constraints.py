"""Constrained dynamics against MuJoCo's `connect`, with its softness taken out.

MuJoCo's equality constraints give way: it solves (A + R) f = …, with R = (1 − d)/d · diag A and the impedance d at most 0.9999. On the manifold, at rest
along the rows, its stabilisation does nothing, and accelerations are a smooth function of ε = (1 − d)/d: three of them, extrapolated by a
parabola to ε = 0, leave an error of ε³ in units of the condition of A.
"""

import dtau
import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="pip install mujoco")

SOFTNESS = np.array([2e-4, 4e-4, 8e-4])  # below 1e-4 there is none


def held_in_mujoco(model, body, anchor, q, v, tau, softness):
    """q̈ with a body's point held where it is; the arm has one angle a joint, in one order in both programs."""
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
    theirs.eq_data[0, 3:6] = placement[:, :3] @ anchor + placement[:, 3]  # it would take the point of its own zero
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
