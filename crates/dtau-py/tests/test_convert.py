"""Converters compared with the programs themselves: the same state must be the same motion, on a floating robot.

Correct places of numbers are not enough. Positions, velocities and kinetic energy are compared, and each
program computes them from its own coordinates.
"""

import dtau
import dtau.convert
import numpy as np
import pytest
from conftest import random_state

NAMES = ["quadruped", "humanoid", "arm7_gripper"]  # arm7_gripper has a mimicking joint and, below, continuous joints


def urdf(name):
    """Returns a bundled robot with two joints made continuous, which Pinocchio represents as (cos, sin)."""
    text = dtau.bundled_urdf(name)
    first = text.find('type="revolute"')
    second = text.find('type="revolute"', first + 1)
    for at in (second, first):
        text = text[:at] + text[at:].replace('type="revolute"', 'type="continuous"', 1)
    return text


@pytest.fixture(params=NAMES, scope="module")
def ours(request):
    return urdf(request.param), dtau.Model.from_urdf(urdf(request.param), root="floating", damping=False, friction=False)


def states(model, count=5):
    q, v, _, _ = random_state(model, 1, count)
    return q, v


def assert_round_trip(convert, q, v, plain):
    """Converts there and back, for arrays of every shape. `plain` are the joints whose coordinates are compared
    directly."""
    for shape in ((), (5,), (1, 5)):
        x, y = (np.reshape(z[0] if shape == () else z, (*shape, z.shape[-1])) for z in (q, v))
        their_q, their_v = convert.q_to(x), convert.v_to(x, y)
        assert their_q.shape == (*shape, convert.nq) and their_v.shape == (*shape, convert.nv)
        back = convert.q_from(their_q)
        assert np.allclose(np.sin(back[..., plain] - x[..., plain]), 0, atol=1e-14)  # full turns are lost in (cos, sin)
        assert np.allclose(np.cos(back[..., plain] - x[..., plain]), 1, atol=1e-14)
        assert np.array_equal(back[..., :7], x[..., :7])
        assert np.allclose(convert.v_from(x, their_v), y, atol=1e-14)
    assert "dtau.convert." in repr(convert)


def plain_joints(model):
    return np.concatenate([np.arange(model.nq)[j.q] for j in model.joints if j.nq == 1 and j.mimic is None])


def our_motion(model, q, v, body):
    """Returns position and rotation of a body, and the velocity of its origin, in the world's axes."""
    placement = dtau.frame_placement(model, q, body)
    return placement[..., 3], placement[..., :3], dtau.frame_velocity(model, q, v, body)


def test_pinocchio(ours):
    pin = pytest.importorskip("pinocchio", reason="pip install pin")
    text, model = ours
    theirs = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    convert, data, (q, v) = dtau.convert.Pinocchio(model, theirs), theirs.createData(), states(model)
    assert theirs.nq >= model.nq + 2  # continuous joints have two numbers there
    for q_k, v_k in zip(q, v):
        their_q, their_v = convert.q_to(q_k), convert.v_to(q_k, v_k)
        pin.forwardKinematics(theirs, data, their_q, their_v)
        pin.updateFramePlacements(theirs, data)
        for body in model.bodies:
            frame = theirs.getFrameId(body.name, pin.FrameType.BODY)
            position, rotation, velocity = our_motion(model, q_k, v_k, body.name)
            assert np.allclose(data.oMf[frame].translation, position, atol=1e-12)
            assert np.allclose(data.oMf[frame].rotation, rotation, atol=1e-12)
            theirs_v = pin.getFrameVelocity(theirs, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            assert np.allclose(theirs_v.vector, velocity, atol=1e-11)
        energy = dtau.energy(model, q_k, v_k, armature=False).kinetic
        assert np.isclose(pin.computeKineticEnergy(theirs, data, their_q, their_v), energy, rtol=1e-12)
    assert_round_trip(convert, q, v, plain_joints(model))
    random = pin.randomConfiguration(theirs, -np.ones(theirs.nq), np.ones(theirs.nq))
    assert np.allclose(convert.q_to(convert.q_from(random))[:7], random[:7])


def test_pinocchio_with_its_mimicking_joints():
    pin = pytest.importorskip("pinocchio", reason="pip install pin")
    model = dtau.Model.bundled("arm7_gripper")
    for honoured in (True, False):
        theirs = pin.buildModelFromXML(dtau.bundled_urdf("arm7_gripper"), honoured)
        convert, (q, v) = dtau.convert.Pinocchio(model, theirs), states(model)
        data, tool = theirs.createData(), model.bodies[-1].name
        pin.framesForwardKinematics(theirs, data, convert.q_to(q[0]))
        position = dtau.frame_placement(model, q[0], tool)[:, 3]
        assert np.allclose(data.oMf[theirs.getFrameId(tool, pin.FrameType.BODY)].translation, position, atol=1e-12)
        assert np.allclose(convert.q_from(convert.q_to(q)), q)


def test_mujoco(ours):
    mujoco = pytest.importorskip("mujoco", reason="pip install mujoco")
    text, model = ours
    spec = mujoco.MjSpec.from_string(text.replace("<link", '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco><link', 1))
    root = model.bodies[0].name
    spec.body(root).add_freejoint(name="floating base")
    theirs = spec.compile()
    convert, data, (q, v) = dtau.convert.MuJoCo(model, theirs), mujoco.MjData(theirs), states(model)
    for q_k, v_k in zip(q, v):
        data.qpos[:], data.qvel[:] = convert.q_to(q_k), convert.v_to(q_k, v_k)
        mujoco.mj_fwdPosition(theirs, data)
        mujoco.mj_fwdVelocity(theirs, data)
        mujoco.mj_energyVel(theirs, data)
        for body in model.bodies:
            position, rotation, velocity = our_motion(model, q_k, v_k, body.name)
            index = theirs.body(body.name).id
            assert np.allclose(data.xpos[index], position, atol=1e-12)
            assert np.allclose(data.xmat[index].reshape(3, 3), rotation, atol=1e-12)
            their_velocity = np.zeros(6)
            mujoco.mj_objectVelocity(theirs, data, mujoco.mjtObj.mjOBJ_XBODY, index, their_velocity, 0)
            assert np.allclose(their_velocity[[3, 4, 5, 0, 1, 2]], velocity, atol=1e-11)  # angular first there
        energy = dtau.energy(model, q_k, v_k, armature=False).kinetic
        assert np.isclose(data.energy[1], energy, rtol=1e-9)  # MuJoCo keeps inertias as principal moments
    assert_round_trip(convert, q, v, plain_joints(model))


def test_mujoco_reference_positions():
    """MuJoCo's reference position of a hinge may be nonzero."""
    mujoco = pytest.importorskip("mujoco", reason="pip install mujoco")
    theirs = mujoco.MjModel.from_xml_string(
        '<mujoco><compiler angle="radian"/><worldbody><body name="rod"><joint name="hinge" type="hinge" axis="0 1 0" ref="0.5"/>'
        '<geom type="capsule" size="0.1" fromto="0 0 0 0 0 -1"/></body></worldbody></mujoco>'
    )
    b = dtau.ModelBuilder("rod")
    b.link("base")
    b.link("rod", mass=1, com=(0, 0, -0.5), inertia=(1, 1, 1))
    b.joint("hinge", "revolute", "base", "rod", axis=(0, 1, 0))
    convert, data = dtau.convert.MuJoCo(b.build(), theirs), mujoco.MjData(theirs)
    data.qpos[:] = convert.q_to([0.2])
    mujoco.mj_kinematics(theirs, data)
    rotation = dtau.frame_placement(b.build(), [0.2], "rod")[:, :3]
    assert np.isclose(data.qpos[0], 0.7) and np.allclose(data.xmat[1].reshape(3, 3), rotation)
    assert np.allclose(convert.q_from(data.qpos), 0.2)


def test_mujoco_ball_joints():
    mujoco = pytest.importorskip("mujoco", reason="pip install mujoco")
    theirs = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body name="ball"><joint name="socket" type="ball"/><geom size="0.1" pos="0 0 1"/></body></worldbody></mujoco>'
    )
    b = dtau.ModelBuilder("ball")
    b.link("base")
    b.link("ball", mass=1, inertia=(1, 1, 1))
    b.joint("socket", "spherical", "base", "ball")
    model = b.build()
    convert, data, (q, v) = dtau.convert.MuJoCo(model, theirs), mujoco.MjData(theirs), states(model)
    data.qpos[:], data.qvel[:] = convert.q_to(q[0]), convert.v_to(q[0], v[0])
    mujoco.mj_forward(theirs, data)
    position, rotation, velocity = our_motion(model, q[0], v[0], "ball")
    their_velocity = np.zeros(6)
    mujoco.mj_objectVelocity(theirs, data, mujoco.mjtObj.mjOBJ_XBODY, 1, their_velocity, 0)
    assert np.allclose(data.xmat[1].reshape(3, 3), rotation) and np.allclose(their_velocity[:3], velocity[3:])
    assert np.array_equal(convert.q_from(convert.q_to(q)), q) and np.array_equal(convert.v_from(q, convert.v_to(q, v)), v)


def test_drake(ours):
    pytest.importorskip("pydrake", reason="pip install drake")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    text, model = ours
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(text, "urdf")
    plant.Finalize()
    context = plant.CreateDefaultContext()
    convert, (q, v) = dtau.convert.Drake(model, plant), states(model)
    for q_k, v_k in zip(q, v):
        plant.SetPositions(context, convert.q_to(q_k))
        plant.SetVelocities(context, convert.v_to(q_k, v_k))
        for body in model.bodies:
            position, rotation, velocity = our_motion(model, q_k, v_k, body.name)
            their_body = plant.GetBodyByName(body.name)
            pose = plant.EvalBodyPoseInWorld(context, their_body)
            motion = plant.EvalBodySpatialVelocityInWorld(context, their_body)
            assert np.allclose(pose.translation(), position, atol=1e-12)
            assert np.allclose(pose.rotation().matrix(), rotation, atol=1e-12)
            assert np.allclose(np.concatenate([motion.translational(), motion.rotational()]), velocity, atol=1e-11)
        energy = dtau.energy(model, q_k, v_k, armature=False).kinetic
        assert np.isclose(plant.CalcKineticEnergy(context), energy, rtol=1e-12)
    assert_round_trip(convert, q, v, plain_joints(model))


def test_robots_that_do_not_match_are_refused():
    pin = pytest.importorskip("pinocchio", reason="pip install pin")
    fixed = pin.buildModelFromXML(dtau.bundled_urdf("arm6"))
    floating = dtau.Model.bundled("arm6", root="floating")
    with pytest.raises(ValueError, match='joint "root_joint" of the dtau.Model has no counterpart in the pinocchio.Model'):
        dtau.convert.Pinocchio(floating, fixed)
    free = pin.buildModelFromXML(dtau.bundled_urdf("arm6"), pin.JointModelFreeFlyer())
    with pytest.raises(ValueError, match='joint "root_joint" of the pinocchio.Model has no counterpart in the dtau.Model'):
        dtau.convert.Pinocchio(dtau.Model.bundled("arm6"), free)
    convert = dtau.convert.Pinocchio(dtau.Model.bundled("arm6"), fixed)
    with pytest.raises(ValueError, match=r"`q` has shape \(5,\); it must be \(6,\)"):
        convert.q_to(np.zeros(5))
    with pytest.raises(TypeError, match="`their_q` must be numbers"):
        convert.q_from(["x"] * 6)
