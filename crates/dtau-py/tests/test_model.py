"""Models: construction, properties, changes, and the configuration space."""

from pathlib import Path

import dtau
import numpy as np
import pytest
from conftest import random_state

ARM = """<robot name="two">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.5"/><mass value="2"/>
    <inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 0.5"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/>
    <axis xyz="0 2 0"/></joint>
</robot>"""


def test_from_urdf_takes_text_paths_and_pathlike(tmp_path):
    file = tmp_path / "two.urdf"
    file.write_text(ARM)
    assert dtau.Model.from_urdf(ARM) == dtau.Model.from_urdf(file) == dtau.Model.from_urdf(str(file))


def test_an_error_in_a_file_names_file_and_line(tmp_path):
    file = tmp_path / "broken.urdf"
    file.write_text(ARM.replace('xyz="0 2 0"', 'xyz="0 0 0"'))
    with pytest.raises(ValueError, match=r"broken.urdf:\d+: joint \"elbow\".*axis"):
        dtau.Model.from_urdf(file)


def test_what_a_model_tells():
    model = dtau.Model.from_urdf(ARM)
    assert (model.name, model.nq, model.nv, model.mass, model.root) == ("two", 2, 2, 3.0, "fixed")
    assert (model.order, model.mimic) == ("file", "honour")
    assert model.gravity.tolist() == [0, 0, -9.81]
    shoulder, elbow = model.joints
    assert (shoulder.name, shoulder.kind, shoulder.link, shoulder.parent) == ("shoulder", "revolute", "upper", None)
    assert (shoulder.q, shoulder.v, shoulder.nq, shoulder.nv) == (slice(0, 1), slice(0, 1), 1, 1)
    assert (shoulder.damping, shoulder.friction, shoulder.armature) == (0.5, 0.25, 0.0)
    limits = shoulder.limits
    assert (limits.lower, limits.upper, limits.velocity, limits.effort) == (-1, 2, 3, 4)
    assert elbow.axis == (0, 1, 0) and elbow.limits.upper == np.inf and elbow.parent == "shoulder" and elbow.mimic is None
    assert [f.name for f in model.frames] == ["base", "upper", "lower", "shoulder", "elbow"]
    assert [f.kind for f in model.frames] == ["link"] * 3 + ["joint"] * 2
    assert [f.body for f in model.frames] == [None, "upper", "lower", "upper", "lower"]
    upper, lower = model.bodies
    assert (upper.name, upper.joint, upper.parent, upper.links, lower.parent) == ("upper", "shoulder", None, ["upper"], "upper")
    assert np.allclose(lower.com, [0, 0, 0.5]) and np.allclose(lower.inertia, np.diag([0.1, 0.1, 0.01]))
    with pytest.raises(AttributeError):
        model.name = "other"


def test_joint_effects_can_be_left_out():
    v = np.array([2.0, 0.0])
    with_them, without = dtau.Model.from_urdf(ARM), dtau.Model.from_urdf(ARM, damping=False, friction=False)
    q, a = np.zeros(2), np.zeros(2)
    assert without.joints[0].damping == 0
    assert np.array_equal(dtau.rnea(with_them, q, v, a, damping=False, friction=False), dtau.rnea(without, q, v, a))
    assert np.isclose(dtau.rnea(with_them, q, v, a)[0] - dtau.rnea(without, q, v, a)[0], 2 * 0.5 + 0.25, atol=1e-4)


def test_gravity_can_be_another_for_a_call(arm):
    q, v, a, _ = random_state(arm, 0)
    moon = arm.with_gravity((0, 0, -1.62))
    assert np.array_equal(dtau.rnea(arm, q, v, a, gravity=[0, 0, -1.62]), dtau.rnea(moon, q, v, a))
    assert moon != arm and np.array_equal(moon.gravity, [0, 0, -1.62])


def test_the_builder_builds_what_the_reader_reads():
    b = dtau.ModelBuilder("two")
    b.link("base")
    b.link("upper", mass=2, com=(0, 0, 0.5), inertia=(0.2, 0.2, 0.01))
    b.link("lower", mass=1, com=(0, 0, 0.5), inertia=np.diag([0.1, 0.1, 0.01]))
    b.joint("shoulder", "revolute", "base", "upper", axis=(0, 1, 0), lower=-1, upper=2, velocity=3, effort=4, damping=0.5, friction=0.25)
    b.joint("elbow", "continuous", "upper", "lower", axis=(0, 2, 0), origin=(0, 0, 1))
    assert b.build() == dtau.Model.from_urdf(ARM)
    assert repr(b) == '<dtau.ModelBuilder "two": 3 links, 2 joints>'
    b.frame("tool", link="lower", placement=(0, 0, 1))
    assert [f.kind for f in b.build().frames][-1] == "custom"


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "helical", "spherical", "planar", "translation", "free-flyer", "fixed"])
def test_the_builder_knows_every_joint(kind):
    b = dtau.ModelBuilder("one")
    b.link("base")
    b.link("body", mass=1, inertia=(1, 1, 1))
    axis = {"axis": (0, 1, 0)} if kind in ("revolute", "continuous", "prismatic", "helical", "planar") else {}
    b.joint("j", kind, "base", "body", rpy=(0.1, 0.2, 0.3), **axis, **({"pitch": 0.1} if kind == "helical" else {}))
    model = b.build()
    assert [j.kind for j in model.joints] == ([] if kind == "fixed" else [kind])
    q, v, a, _ = random_state(model, 0)
    assert np.allclose(dtau.aba(model, q, v, dtau.rnea(model, q, v, a)), a)


def test_origins_are_rpy_or_matrices():
    """R = Rz(yaw) Ry(pitch) Rx(roll), as in a URDF."""
    def build(**origin):
        b = dtau.ModelBuilder("one")
        b.link("base")
        b.link("body", mass=1, inertia=(1, 1, 1))
        b.joint("j", "fixed", "base", "body", **origin)
        return np.vstack([dtau.frame_placement(b.build(), np.zeros(0), "body"), [0, 0, 0, 1]])

    T = build(origin=(1, 2, 3), rpy=(0.1, 0.2, 0.3))
    (cr, cp, cy), (sr, sp, sy) = np.cos([0.1, 0.2, 0.3]), np.sin([0.1, 0.2, 0.3])
    R = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ [[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]] @ [[1, 0, 0], [0, cr, -sr], [0, sr, cr]]
    assert np.allclose(T[:3, :3], R) and np.allclose(T[:3, 3], [1, 2, 3])
    assert np.allclose(build(origin=T), T)


@pytest.mark.parametrize(
    "use, message",
    [
        (lambda b: b.joint("j", "hinge", "a", "b"), r'`kind` is "hinge"; it must be one of "fixed", "revolute"'),
        (lambda b: b.joint("j", "spherical", "a", "b", axis=(1, 0, 0)), "a spherical joint has no `axis`"),
        (lambda b: b.joint("j", "helical", "a", "b"), "a helical joint needs `pitch`"),
        (lambda b: b.joint("j", "revolute", "a", "b", pitch=1), "a revolute joint has no `pitch`"),
        (lambda b: b.joint("j", "revolute", "a", "b", mimic="k"), "`mimic` is a str"),
        (lambda b: b.link("a", com=(1, 0, 0)), 'link "a" has `com` or `inertia` but no `mass`'),
        (lambda b: b.link("a", mass=1, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "`inertia` is not symmetric"),
        (lambda b: b.link("a", mass=float("nan")), "`mass` is NaN"),
        (lambda b: b.build(), "robot"),
    ],
)
def test_the_builder_refuses(use, message):
    with pytest.raises((ValueError, TypeError), match=message):
        use(dtau.ModelBuilder("x"))


def test_a_tree_needs_one_root():
    b = dtau.ModelBuilder("x")
    b.link("a")
    b.link("b")
    with pytest.raises(ValueError, match='2 links are root links: "a", "b"'):
        b.build()


def test_a_payload_adds_its_weight(arm):
    tool = arm.bodies[-1].name
    loaded = arm.with_payload(tool, mass=2.0, com=(0, 0, 0.1), inertia=(0.01, 0.01, 0.01))
    q, v, a, _ = random_state(arm, 1)
    weight = dtau.Wrench.local_world_aligned(tool, force=(0, 0, -2 * 9.81))
    weight = dtau.Wrench(tool, force=(0, 0, -2 * 9.81), axes="world", point=(0, 0, 0.1))
    zero = np.zeros(6)
    assert np.allclose(dtau.gravity_torques(loaded, q), dtau.rnea(arm, q, zero, zero, f_ext=[weight]))


def test_locked_joints_stand_still(model):
    joint = next(j for j in reversed(model.joints) if j.nv == 1 and j.mimic is None)
    q, v, a, _ = random_state(model, 2)
    v[joint.v] = a[joint.v] = 0
    followers = [j for j in model.joints if j.mimic is not None and j.mimic.joint == joint.name]
    locked = model.lock({joint.name: q[joint.q]})
    assert len(locked.joints) == len(model.joints) - 1 - len(followers)
    rest = [np.delete(x, joint.v) for x in (v, a, dtau.rnea(model, q, v, a))]
    assert np.allclose(dtau.rnea(locked, np.delete(q, joint.q), rest[0], rest[1]), rest[2])


def test_attached_robots_are_both(arm, quadruped):
    both = quadruped.attach("trunk", arm, prefix="arm/")
    assert both.nv == quadruped.nv + arm.nv and np.isclose(both.mass, quadruped.mass + arm.mass + welded_mass(arm))
    assert both.joints[-1].name.startswith("arm/")


def welded_mass(fixed):
    """Returns the mass that a floating root adds: the base, which is otherwise welded to the world."""
    return fixed.with_options(root="floating").mass - fixed.mass


def test_options_of_a_model_can_change(arm):
    floating = arm.with_options(root="floating", order="alphabetical")
    assert (floating.root, floating.order, floating.nv) == ("floating", "alphabetical", 12)
    assert floating.with_options(root="fixed", order="file") == arm


@pytest.mark.parametrize("root, nq, nv", [("fixed", 6, 6), ("floating", 13, 12), ("planar", 9, 9), ("spherical", 10, 9), ("translation", 9, 9)])
def test_roots(root, nq, nv):
    model = dtau.Model.bundled("arm6", root=root)
    assert (model.nq, model.nv) == (nq, nv)
    q, v, a, _ = random_state(model, 3)
    assert np.allclose(dtau.aba(model, q, v, dtau.rnea(model, q, v, a)), a)


def test_a_root_may_stand_anywhere(arm):
    moved = arm.with_options(root_placement=(1, 2, 3))
    tool, q = arm.bodies[-1].name, arm.random(0)
    positions = [dtau.frame_placement(m, q, tool)[:, 3] for m in (arm, moved)]
    assert np.allclose(positions[1] - positions[0], [1, 2, 3])


def test_mimicking_joints_are_told():
    model = dtau.Model.bundled("arm7_gripper")
    follower = next(j for j in model.joints if j.mimic is not None)
    leader = model.joint(follower.mimic.joint)
    assert follower.q == leader.q and follower.v == leader.v
    assert model.with_options(mimic="free").nv == model.nv + 1
    assert "Mimic" in repr(follower.mimic)


def test_random_configurations(model):
    rng = np.random.default_rng(0)
    q = model.random(rng, (20, 3))
    assert q.shape == (20, 3, model.nq) and not np.array_equal(q, model.random(rng, (20, 3)))
    assert np.array_equal(model.random(5), model.random(np.int64(5)))
    assert model.random(rng, 4).shape == (4, model.nq) and model.random(rng).shape == (model.nq,)
    for joint in model.joints:
        if joint.mimic is None and np.isfinite(joint.limits.lower) and joint.nq == 1:
            assert np.all(q[..., joint.q] >= joint.limits.lower) and np.all(q[..., joint.q] <= joint.limits.upper)
    with pytest.raises(TypeError, match="`rng` is a str"):
        model.random("seed")
    with pytest.raises(TypeError, match="`shape` is a float"):
        model.random(0, 1.5)
    with pytest.raises(MemoryError, match="`shape`"):
        model.random(0, (2**40, 2**40))


def test_plus_undoes_minus_and_derivatives_are_derivatives(model):
    q, v, _, _ = random_state(model, 4, 5)
    v *= 0.5
    q1 = model.integrate(q, v)
    assert np.allclose(model.difference(q, q1), v) and np.allclose(model.integrate(q, model.difference(q, q1)), q1)
    h, d = 1e-6, np.random.default_rng(0).normal(size=(5, model.nv))
    by = model.integrate_derivatives(q, v)
    moved = model.difference(q1, model.integrate(model.integrate(q, h * d), v)) / h
    assert np.allclose(np.einsum("bij,bj->bi", by.by_q, d), moved, atol=1e-4)
    moved = model.difference(q1, model.integrate(q, v + h * d)) / h
    assert np.allclose(np.einsum("bij,bj->bi", by.by_v, d), moved, atol=1e-4)
    by = model.difference_derivatives(q, q1)
    moved = (model.difference(model.integrate(q, h * d), q1) - v) / h
    assert np.allclose(np.einsum("bij,bj->bi", by.by_q0, d), moved, atol=1e-4)


def test_models_print_themselves(quadruped):
    assert repr(quadruped) == '<dtau.Model "quadruped": nq 19, nv 18, 13 bodies, root floating>'
    lines = str(quadruped).splitlines()
    assert len(lines) == 14 and lines[0].startswith("quadruped: nq 19") and "q[0:7]" in lines[1] and "lf_shank" in lines[4]
    for thing in (*quadruped.joints, *quadruped.frames, *quadruped.bodies, quadruped.joints[1].limits):
        assert repr(thing).startswith("<dtau.")
    assert repr(dtau.Workspace(quadruped)) == '<dtau.Workspace of "quadruped">'


def test_notebooks_show_the_tree_escaped():
    html = dtau.Model.from_urdf(ARM.replace('"two"', '"&lt;b&gt; &amp; co"'))._repr_html_()
    assert "&lt;b&gt; &amp; co" in html and "<b> & co" not in html
    assert html.count("<tr>") == 3 and "shoulder" in html and "-1.000 … 2.000" in html


def test_warnings_are_told():
    model = dtau.Model.from_urdf(ARM.replace("</robot>", "<oddity/></robot>"))
    assert any("oddity" in warning for warning in model.warnings) and "warnings" in model._repr_html_()


def test_bundled_robots_are_those_of_the_repository():
    robots = Path(__file__).resolve().parents[2] / "dtau" / "robots"
    for name in dtau.bundled_names():
        assert dtau.bundled_urdf(name) == (robots / f"{name}.urdf").read_text()
        assert dtau.Model.bundled(name) == dtau.Model.from_urdf(robots / f"{name}.urdf")
