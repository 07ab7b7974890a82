"""Frame arguments: names, names with their kind, objects, lists; added frames; limits as vectors."""

import inspect
import pickle

import dtau
import numpy as np
import pytest
from calls import FIXED, repeated
from conftest import random_state

# As in anymal_c: the joint KFE carries the shank, and the link KFE is a cover on the thigh. The joint HFE
# carries the link HFE.
LEG = """<robot name="leg">
  <link name="base"/>
  <link name="HFE"><inertial><mass value="1"/><origin xyz="0 0 -0.1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <link name="KFE"/>
  <link name="shank"><inertial><mass value="0.5"/><origin xyz="0 0 -0.1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <joint name="HFE" type="revolute"><parent link="base"/><child link="HFE"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" velocity="7" effort="40"/></joint>
  <joint name="cover" type="fixed"><parent link="HFE"/><child link="KFE"/><origin xyz="0 0.1 -0.25"/></joint>
  <joint name="KFE" type="continuous"><parent link="HFE"/><child link="shank"/><axis xyz="0 1 0"/><origin xyz="0 0 -0.3"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def leg():
    return dtau.Model.from_urdf(LEG, root="floating")


def test_a_name_of_two_frames_is_an_error_that_lists_them(leg):
    q, v = leg.neutral(), np.zeros(leg.nv)
    uses = [
        lambda: dtau.frame_jacobian(leg, q, "KFE"),
        lambda: dtau.rnea(leg, q, v, v, f_ext=[dtau.Wrench.local("KFE", [1, 0, 0])]),
        lambda: leg.with_payload("KFE", 1.0),
        lambda: leg.attach("KFE", leg, prefix="x"),
        lambda: leg.with_frame("tool", "KFE"),
        lambda: leg.frame("KFE"),
    ]
    for use in uses:
        with pytest.raises(ValueError, match=r'"KFE" is the name of a link and a joint.*"link:KFE" or "joint:KFE"'):
            use()


def test_a_name_of_two_frames_at_one_place_is_fine(leg):
    q = leg.random(0)
    frames = ["HFE", "link:HFE", "joint:HFE", leg.joint("HFE"), leg.frame("HFE")]
    placements = [dtau.frame_placement(leg, q, frame) for frame in frames]
    assert all(np.array_equal(x, placements[0]) for x in placements)


def test_kinds_and_handles_say_which_frame_is_meant(leg):
    q, v, a, _ = random_state(leg, 1)
    all_frames = dtau.placements(leg, q)
    place = {f"{f.kind}:{f.name}": all_frames[f.index] for f in leg.frames}
    assert not np.allclose(place["link:KFE"], place["joint:KFE"])
    assert np.array_equal(place["joint:KFE"], place["link:shank"])
    for frame, want in [
        ("link:KFE", "link:KFE"),
        ("joint:KFE", "joint:KFE"),
        (leg.joint("KFE"), "joint:KFE"),
        (leg.frame("joint:KFE"), "joint:KFE"),
        (leg.frame("link:KFE"), "link:KFE"),
        (leg.frames[2], "link:KFE"),
    ]:
        assert np.array_equal(dtau.frame_placement(leg, q, frame), place[want])
        push = dtau.Wrench.local_world_aligned(frame, [0, 0, 5])
        tau = dtau.rnea(leg, q, v, a) - dtau.frame_jacobian(leg, q, frame).T @ [0, 0, 5, 0, 0, 0]
        for wrench in (push, pickle.loads(pickle.dumps(push))):
            assert np.allclose(dtau.rnea(leg, q, v, a, f_ext=[wrench]), tau)
        assert leg.with_payload(frame, 1.0, com=[0.1, 0, 0]).mass == leg.mass + 1
    assert leg.frame("joint:KFE").kind == "joint" and leg.frame("link:KFE").kind == "link"
    assert leg.lock({leg.joint("KFE"): 0.2}) == leg.lock({"KFE": 0.2}) == leg.lock({"joint:KFE": 0.2})


def test_handles_of_another_model_are_looked_up_by_name(leg):
    heavier = leg.with_payload("shank", 1.0)
    q = leg.random(0)
    shank = leg.frame("shank")
    assert np.array_equal(dtau.frame_placement(heavier, q, shank), dtau.frame_placement(leg, q, shank))
    with pytest.raises(KeyError, match='no link called "shank"'):
        dtau.frame_placement(dtau.Model.bundled("arm6"), np.zeros(6), shank)


def test_unknown_names_with_a_kind_are_looked_for_in_that_kind(leg):
    with pytest.raises(KeyError, match=r'there is no joint called "KFEE"; did you mean "KFE"'):
        leg.frame("joint:KFEE")
    with pytest.raises(TypeError, match="`frame` is an int; it must be a name, a dtau.Frame or a dtau.Joint, or a list of such"):
        dtau.frame_placement(leg, leg.neutral(), 3)
    with pytest.raises(TypeError, match="`frame` is an int; it must be a name, a dtau.Frame or a dtau.Joint"):
        dtau.Wrench(3)


def test_root_joint_is_a_frame(leg, quadruped):
    for model in (leg, quadruped):
        q = model.random(0)
        base = model.bodies[0].name
        for frame in ("root_joint", "joint:root_joint", model.joint("root_joint"), model.joints[0]):
            assert np.array_equal(dtau.frame_placement(model, q, frame), dtau.frame_placement(model, q, base))
        assert model.attach("root_joint", dtau.Model.bundled("arm6"), prefix="a/").nv == model.nv + 6
    assert "root_joint" not in [f.name for f in dtau.Model.from_urdf(LEG).frames]


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_several_frames_in_one_call(leg, shape):
    q, v, a, _ = random_state(leg, 2, shape)
    frames = ["link:KFE", leg.joint("KFE"), "base"]
    for name in dir(dtau):
        if not name.startswith("frame_"):
            continue
        function = getattr(dtau, name)
        known = {"q": q, "v": v, "a": a} | {n: repeated(v, count) for n, count in FIXED.items()}
        given = {n: known[n] for n in inspect.signature(function).parameters if n in known}
        one = [function(leg, **given, frame=frame) for frame in frames]
        many = function(leg, **given, frame=frames)
        for field in getattr(many, "_fields", (None,)):
            got, want = (many, one) if field is None else (getattr(many, field), [getattr(x, field) for x in one])
            assert got.shape == (*shape, 3, *want[0].shape[len(shape) :]), name
            for k, each in enumerate(want):
                assert np.array_equal(got[(..., k) + (slice(None),) * (each.ndim - len(shape))], each), name
        again = function(leg, **given, frame=tuple(frames), out=many)
        assert again is many
    with pytest.raises(ValueError, match="`frame` is an empty list"):
        dtau.frame_placement(leg, q, [])
    with pytest.raises(ValueError, match=r"`out` has shape \(3,\); it must be"):
        dtau.frame_placement(leg, q, frames, out=np.zeros(3))


def test_limits_are_vectors(leg):
    inf = np.inf
    assert np.array_equal(leg.lower, [-inf] * 6 + [-1, -inf]) and np.array_equal(leg.upper, [inf] * 6 + [2, inf])
    assert np.array_equal(leg.speed, [inf] * 6 + [7, inf]) and np.array_equal(leg.effort, [inf] * 6 + [40, inf])
    humanoid = dtau.Model.bundled("humanoid", root="floating")
    for name, field in (("lower", "lower"), ("upper", "upper"), ("speed", "velocity"), ("effort", "effort")):
        vector = getattr(humanoid, name)
        assert vector.shape == (humanoid.nv,)
        for joint in humanoid.joints[1:]:
            assert (vector[joint.v] == getattr(joint.limits, field)).all()
    many = humanoid.random(0, 100)[:, 7:]
    assert (humanoid.lower[6:] <= many).all() and (many <= humanoid.upper[6:]).all()


def test_frames_are_added(leg):
    q = leg.random(0)
    turn = np.eye(4)
    turn[:3, :3], turn[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [0.1, 0.2, 0.3]
    for on in ("shank", "joint:KFE", leg.joint("KFE"), leg.frame("link:KFE")):
        more = leg.with_frame("tool", on, turn)
        X = np.vstack([dtau.frame_placement(leg, q, on), [0, 0, 0, 1]])
        assert np.allclose(dtau.frame_placement(more, q, "tool"), (X @ turn)[:3])
        assert more.frame("tool").kind == "custom" and len(more.frames) == len(leg.frames) + 1
        further = more.with_frame("tip", "tool", [0, 0, 1])
        assert np.allclose(dtau.frame_placement(further, q, "tip"), (X @ turn @ [0, 0, 1, 1])[:3].reshape(3, 1) * [0, 0, 0, 1] + dtau.frame_placement(more, q, "tool") * [1, 1, 1, 0])
        assert pickle.loads(pickle.dumps(further)) == further
    for taken, what in (("shank", "link"), ("cover", "joint"), ("root_joint", "joint")):
        with pytest.raises(ValueError, match=f'there is a {what} called "{taken}" already'):
            leg.with_frame(taken, "base")
    with pytest.raises(ValueError, match="not a placement"):
        leg.with_frame("tool", "base", np.ones((4, 4)))
