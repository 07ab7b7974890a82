"""MJCF in Python: models compared with MuJoCo itself, poses, saving, messages."""

import sys

import dtau
import dtau.convert
import numpy as np
import pytest
from conftest import run

ROBOT = """<mujoco model="runner">
  <option gravity="0 0 -3"/>
  <default><geom density="400"/><joint damping="0.1" armature="0.02"/></default>
  <worldbody>
    <body name="torso" pos="0 0 1"><freejoint name="root"/><geom type="box" size="0.1 0.2 0.3"/><site name="imu" pos="0.1 0 0"/>
      <body name="thigh" pos="0 0.1 -0.3"><joint name="hip_x" axis="1 0 0"/><joint name="hip_y" axis="0 1 0" pos="0 0 0.05" ref="10"/>
        <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.4"/>
        <body name="shin" pos="0 0 -0.4"><joint name="knee" axis="0 1 0" stiffness="4" springref="-30"/><geom size="0.1" pos="0 0 -0.2"/>
        </body></body></body>
  </worldbody>
  <actuator><motor name="push" joint="knee" gear="30"/></actuator>
  <keyframe><key name="crouch" qpos="0 0 0.7 0 1 0 0 0.1 0.2 -0.9"/></keyframe>
</mujoco>"""


def test_forward_dynamics_are_mujocos():
    mujoco = pytest.importorskip("mujoco")
    model, theirs = dtau.Model.from_mjcf(ROBOT), mujoco.MjModel.from_xml_string(ROBOT)
    convert = dtau.convert.MuJoCo(model, theirs)
    data, rng = mujoco.MjData(theirs), np.random.default_rng(0)
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    for _ in range(5):
        q = model.integrate(model.pose("qpos0"), 0.5 * rng.normal(size=model.nv))
        v = rng.normal(size=model.nv)
        data.qpos = q[[0, 1, 2, 6, 3, 4, 5, 7, 8, 9]]
        data.qvel = convert.v_to(q, v)
        mujoco.mj_forward(theirs, data)
        linear = data.qvel[:3].copy()
        R = data.xmat[1].reshape(3, 3)
        want = data.qacc.copy()
        want[:3] = R.T @ want[:3] - np.cross(v[3:6], R.T @ linear)
        got = dtau.aba(model, q, v, np.zeros(model.nv))
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-10 * np.abs(want).max())
        np.testing.assert_allclose(dtau.frame_placement(model, q, "imu")[:3, 3], data.site("imu").xpos, atol=1e-12)


def test_what_the_file_says_is_there():
    model = dtau.Model.from_mjcf(ROBOT)
    assert model.gravity.tolist() == [0, 0, -3]
    assert dtau.Model.from_mjcf(ROBOT, gravity=(0, 0, -9.81)).gravity.tolist() == [0, 0, -9.81]
    assert model.poses == ("qpos0", "crouch")
    assert model.pose("qpos0").tolist() == [0, 0, 1, 0, 0, 0, 1, 0, np.deg2rad(10), 0]
    assert model.pose("crouch").tolist() == [0, 0, 0.7, 1, 0, 0, 0, 0.1, 0.2, -0.9]
    assert model.actuators == [("push", "motor", "joint", "knee", [30.0, 0.0, 0.0, 0.0, 0.0, 0.0])]
    with pytest.raises(KeyError, match="there is no pose"):
        model.pose("crunch")


def test_a_model_is_saved_and_read_back_to_the_same_bits(tmp_path):
    model = dtau.Model.from_mjcf(ROBOT, gravity=(0, 0, -9.81))
    rng = np.random.default_rng(1)
    q, v = model.integrate(model.pose("qpos0"), rng.normal(size=model.nv)), rng.normal(size=model.nv)
    want = dtau.aba(model, q, v, v)
    for again in (dtau.Model.from_urdf(model.to_urdf()), dtau.Model.from_json(model.to_json())):
        assert dtau.aba(again, q, v, v).tobytes() == want.tobytes()
    with pytest.raises(NotImplementedError, match="URDF cannot hold it: gravity is"):
        dtau.Model.from_mjcf(ROBOT).to_urdf()
    with pytest.raises(ValueError, match="it is no JSON of a dtau.Model"):
        dtau.Model.from_json("{}")


def test_the_text_says_what_it_is_and_errors_say_where(tmp_path):
    path = tmp_path / "robot.urdf"  # the name gives no format
    path.write_text(ROBOT)
    assert dtau.Model.from_urdf(path).nv == dtau.Model.from_mjcf(str(path)).nv == 9
    path.write_text(ROBOT.replace('gravity="0 0 -3"', 'density="1.2"'))
    with pytest.raises(NotImplementedError, match=r'robot.urdf:2: <option>: density="1.2" surrounds the robot with a fluid'):
        dtau.Model.from_mjcf(path)
    with pytest.raises(FileNotFoundError, match="read as an MJCF"):
        dtau.Model.from_mjcf(tmp_path / "none.xml")


def test_the_command_takes_it(tmp_path):
    path = tmp_path / "runner.xml"
    path.write_text(ROBOT)
    done = run([sys.executable, "-m", "dtau", "info", str(path), "--format", "json"])
    assert '"nv": 9' in done.stdout
    run([sys.executable, "-m", "dtau", "verify", str(path)])
    assert "degrees of freedom" in run([sys.executable, "-m", "dtau", "check", str(path)]).stdout


def test_effects_are_ignored_by_name():
    fluid = '<mujoco><option density="1"/><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>'
    with pytest.raises(NotImplementedError, match=r'ignore=\["fluid"\]'):
        dtau.Model.from_mjcf(fluid)
    for ignore in (["fluid"], "fluid"):
        (warning,) = dtau.Model.from_mjcf(fluid, ignore=ignore).warnings
        assert "left out as asked, which changes the dynamics: fluid" in warning
    with pytest.raises(ValueError, match='`ignore` is "fluids"; it must be one of "fluid", "springdamper"'):
        dtau.Model.from_mjcf(fluid, ignore=["fluids"])
    with pytest.raises(TypeError, match="`ignore` is an int; it must be a list of strings"):
        dtau.Model.from_mjcf(fluid, ignore=3)


def test_all_faults_of_a_file_are_told_at_once():
    with pytest.raises(ValueError) as told:
        dtau.Model.from_urdf('<robot name="r"><link name="a"/>\n<link/>\n<link name="c"><inertial/></link></robot>')
    assert [line.split(":")[0] for line in str(told.value).splitlines()] == ["line 2", "line 3", "line 3"]
