"""Constraints: construction, forces, masks and desired motion, files, pickling, errors."""

import pickle

import dtau
import numpy as np
import pytest
from calls import arrays
from conftest import random_state

FEET = ("lf_foot", "rf_foot", "lh_foot", "rh_foot")


def standing(model, q, names=FEET):
    feet = dtau.Constraints(model)
    for name in names:
        feet = feet.point(name).at_world_here(q)
    return feet.stabilise(kp=50, kd=8)


@pytest.fixture(scope="module")
def stand(quadruped):
    return standing(quadruped, quadruped.neutral())


# Every kind of constraint with its number of rows, each at a place where the robot is not.
TURN = np.array([[0.0, -1, 0, 0.1], [1, 0, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]])
WORDS = {
    "at_world": (lambda s, q: s.point("lf_foot").at([0, 0.1, 0]).at_world([0.3, 0.2, -0.4]), 3),
    "at_world_here": (lambda s, q: s.point("lf_foot").at_world_here(q), 3),
    "in its own axes": (lambda s, q: s.point("lf_foot").axes("first").at_world([0.3, 0.2, -0.4]), 3),
    "with_": (lambda s, q: s.point("lf_foot").with_("rh_foot", [0.1, 0.2, 0.3]), 3),
    "with_here": (lambda s, q: s.point("lf_foot").with_here("rh_foot", q), 3),
    "in_world_plane": (lambda s, q: s.point("lf_foot").in_world_plane([0, 0, -0.4], [0, 0, 2]), 1),
    "in_plane_of": (lambda s, q: s.point("lf_foot").in_plane_of("rh_foot", [0, 0, 0.1], [0, 1, 2]), 1),
    "on_world_line": (lambda s, q: s.point("lf_foot").on_world_line([0, 0, 0.1], [0, 1, 2]), 2),
    "on_line_of": (lambda s, q: s.point("lf_foot").on_line_of("rh_foot", [0, 0, 0.1], [0, 1, 2]), 2),
    "at_distance_of_world": (lambda s, q: s.point("lf_foot").at_distance_of_world([0, 0, 0.1], 0.7), 1),
    "at_distance_of": (lambda s, q: s.point("lf_foot").at_distance_of("rh_foot", [0, 0, 0.1], 0.7), 1),
    "frame at_world": (lambda s, q: s.frame("lf_foot").at_world(TURN), 6),
    "frame at_world_here": (lambda s, q: s.frame("lf_foot").axes("world").at_world_here(q), 6),
    "frame with_": (lambda s, q: s.frame("lf_foot").axes("second").with_("rh_foot", TURN), 6),
    "hinge": (lambda s, q: s.frame("lf_foot").hinge().with_here("rh_foot", q), 5),
    "only": (lambda s, q: s.frame("lf_foot").only(["z", "about x"]).at_world(TURN), 2),
    "sum_to": (lambda s, q: s.joints({"lf_hip_abduction": 1, "rf_hip_abduction": -2}).sum_to(0.1), 1),
    "sum_to_here": (lambda s, q: s.joints({"lf_hip_abduction": 1, "rf_hip_abduction": -2}).sum_to_here(q), 1),
}


@pytest.mark.parametrize("word", WORDS)
def test_every_word_makes_a_constraint_whose_forces_are_wrenches(quadruped, word):
    """M q̈ + b = τ + Jᵀλ, with λ as external forces of inverse dynamics, on and off the manifold."""
    make, rows = WORDS[word]
    set_ = make(dtau.Constraints(quadruped), quadruped.random(5)).stabilise(kp=10, kd=3)
    assert (set_.rows, len(set_), len(set_.row_names)) == (rows, 1, rows)
    q, v, _, tau = random_state(quadruped, 1, 7)
    out = dtau.constrained_fd(quadruped, set_, q, v, tau)
    assert np.abs(out.lambda_).max() > 1e-3
    if set_[0].frame is None:
        lever = np.zeros(quadruped.nv)
        lever[quadruped.joint("lf_hip_abduction").v], lever[quadruped.joint("rf_hip_abduction").v] = 1, -2
        back = dtau.rnea(quadruped, q, v, out.qdd) - out.lambda_ * lever
    else:
        wrenches = set_.wrenches(q, out.lambda_)
        assert len(wrenches) == 1 + (set_[0].other is not None)
        assert wrenches[0].frame.endswith("lf_foot") and wrenches[0].axes == "world"
        back = dtau.rnea(quadruped, q, v, out.qdd, f_ext=wrenches)
    np.testing.assert_allclose(back, tau, atol=1e-9 * np.abs(tau).max())


def test_one_state_is_a_state_of_many(quadruped, stand):
    q, v, _, tau = random_state(quadruped, 2, (3, 5))
    rng = np.random.default_rng(0)
    active = rng.integers(0, 2, (3, 5, 4))
    desired = rng.uniform(-1, 1, (3, 5, 3, 12))
    push = dtau.Wrench("lf_foot", force=rng.uniform(-5, 5, (3, 5, 3)))
    many = dtau.constrained_fd(quadruped, stand, q, v, tau, active=active, desired=desired, f_ext=[push], threads=2)
    for i in np.ndindex(3, 5):
        one = dtau.constrained_fd(
            quadruped, stand, q[i], v[i], tau[i], active=active[i], desired=desired[i], f_ext=[dtau.Wrench("lf_foot", force=push.force[i])]
        )
        for name, array in arrays(one).items():
            assert np.array_equal(array, arrays(many)[name][i]), (i, name)


def test_a_mask_is_a_smaller_set(quadruped, stand):
    q, v, _, tau = random_state(quadruped, 3)
    two = dtau.constrained_fd(quadruped, standing(quadruped, quadruped.neutral(), FEET[::2]), q, v, tau)
    masked = dtau.constrained_fd(quadruped, stand, q, v, tau, active=[True, False, True, False])
    np.testing.assert_allclose(masked.qdd, two.qdd, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(masked.lambda_.reshape(4, 3)[::2].ravel(), two.lambda_, rtol=1e-9, atol=1e-9)
    assert np.all(masked.lambda_.reshape(4, 3)[1::2] == 0)
    nobody = dtau.constrained_fd(quadruped, stand, q, v, tau, active=np.zeros(4))
    np.testing.assert_allclose(nobody.qdd, dtau.aba(quadruped, q, v, tau), rtol=1e-9, atol=1e-9)


def test_desired_motion_is_what_rows_do(quadruped):
    """The foot has the desired acceleration in the world's axes: desired[2] − kd ċ − kp c."""
    q, v, _, tau = random_state(quadruped, 4)
    target, (kp, kd) = np.array([0.1, 0.2, -0.3]), (30.0, 7.0)
    foot = dtau.Constraints(quadruped).point("lf_foot").gains(kp, kd).at_world(target)
    desired = np.array([[0.1, 0, 0.2], [0.3, -0.2, 0.1], [1.0, 2.0, 3.0]])
    out = dtau.constrained_fd(quadruped, foot, q, v, tau, desired=desired)
    at = dtau.frame_placement(quadruped, q, "lf_foot")[:, 3]
    speed = dtau.frame_velocity(quadruped, q, v, "lf_foot")[:3]
    got = dtau.frame_classical_acceleration(quadruped, q, v, out.qdd, "lf_foot")[:3]
    want = desired[2] - kd * (speed - desired[1]) - kp * (at - target - desired[0])
    np.testing.assert_allclose(got, want, atol=1e-9)


def test_a_standing_robot_carries_its_weight(quadruped, stand):
    q, zero = quadruped.neutral(), np.zeros(quadruped.nv)
    # The torques that hold it are those of gravity, minus those of the foot forces.
    g = dtau.gravity_torques(quadruped, q)
    jacobian = np.concatenate([dtau.frame_jacobian(quadruped, q, foot)[:3] for foot in FEET])
    lambda_ = np.linalg.lstsq(jacobian[:, :6].T, g[:6], rcond=None)[0]
    out = dtau.constrained_fd(quadruped, stand, q, zero, g - jacobian.T @ lambda_)
    np.testing.assert_allclose(out.qdd, 0, atol=1e-9)
    np.testing.assert_allclose(sum(out.lambda_[stand[foot].rows] for foot in FEET), [0, 0, 9.81 * quadruped.mass], atol=1e-8)


def test_sets_never_change(quadruped, stand):
    more = stand.point("trunk").at_world([0, 0, 1])
    assert (len(stand), len(more)) == (4, 5) and "trunk" in repr(more) and "trunk" not in repr(stand)
    growing = dtau.Constraints(quadruped).point("lf_foot")
    assert growing.called("a").at_world([0, 0, 0])[0].name == "a" and growing.at_world([0, 0, 0])[0].name == "lf_foot"


def test_pickled_with_its_model(quadruped):
    """Pickling is exact to the last bit, also if a place was taken from a configuration."""
    q = quadruped.random(8)
    set_ = standing(quadruped, q).frame("trunk").only(["z", "about x"]).at_world(TURN).joints({"lf_knee": 1, "rf_knee": 0.1}).sum_to(1 / 3)
    model, copy = pickle.loads(pickle.dumps((quadruped, set_)))
    assert copy.model is model and copy == set_ and hash(copy) == hash(set_) and copy.row_names == set_.row_names
    q, v, _, tau = random_state(quadruped, 9)
    for mine, theirs in zip(dtau.constrained_fd(model, copy, q, v, tau), dtau.constrained_fd(quadruped, set_, q, v, tau)):
        assert np.array_equal(mine, theirs)
    assert set_ != standing(quadruped, q) and set_ != "something else"


def test_on_another_model(quadruped, stand):
    loaded = quadruped.with_gravity([0, 0, -1.62])
    moon = stand.on(loaded)
    q, zero = loaded.neutral(), np.zeros(loaded.nv)
    out = dtau.constrained_fd(loaded, moon, q, zero, zero)
    assert out.lambda_.shape == (12,)
    with pytest.raises(ValueError, match=r"another model, \"quadruped\".*constraints.on\(model\)"):
        dtau.constrained_fd(loaded, stand, q, zero, zero)


def test_a_file_is_the_same_as_words(quadruped, stand, tmp_path):
    file = tmp_path / "feet.toml"
    feet = "".join(f'[[constraint]]\npoint = "{foot}"\nhere = true\n' for foot in FEET)
    file.write_text("# four feet\nstabilise = { kp = 50, kd = 8 }\n" + feet)
    read = dtau.Constraints.from_file(quadruped, file)
    q, v, _, tau = random_state(quadruped, 6)
    for mine, theirs in zip(dtau.constrained_fd(quadruped, read, q, v, tau), dtau.constrained_fd(quadruped, stand, q, v, tau)):
        assert np.array_equal(mine, theirs)
    file.write_text('[[constraint]]\npoint = "lf_foot"\nhear = true\n')
    with pytest.raises(ValueError, match=r"feet.toml:3.*hear"):
        dtau.Constraints.from_file(quadruped, file)
    file.write_text('[[constraint]]\npoint = "lf_fot"\nhere = true\n')
    with pytest.raises(LookupError, match=r'feet.toml: constraint "lf_fot": .*lf_foot'):
        dtau.Constraints.from_file(quadruped, file)
    with pytest.raises(FileNotFoundError, match="none.toml"):
        dtau.Constraints.from_file(quadruped, tmp_path / "none.toml")


def test_words_of_a_file_are_methods(quadruped):
    new, q, foot = dtau.Constraints(quadruped), quadruped.random(4), quadruped.frame("lf_foot")
    plane, through = {"through": np.zeros(3), "normal": [0, 0, 2]}, [0.1, 0, 0]
    for words, said in [
        ({"point": "lf_foot", "here": True}, new.point("lf_foot").at_world_here(quadruped.neutral())),
        ({"point": "lf_foot", "here": q, "at": through}, new.point("lf_foot").at(through).at_world_here(q)),
        ({"point": foot, "with_": "trunk", "plane": plane}, new.point(foot).in_plane_of("trunk", [0, 0, 0], [0, 0, 2])),
        ({"frame": "trunk", "position": TURN[:3, 3], "rotation": TURN[:3, :3], "only": ["z", "about x"]}, new.frame("trunk").only(["z", "about x"]).at_world(TURN)),
        ({"joints": {"lf_knee": 1, "rf_knee": -2.0}, "sum": 0.5, "gains": {"kp": 3, "kd": 1}}, new.joints({"lf_knee": 1, "rf_knee": -2}).gains(3, 1).sum_to(0.5)),
    ]:
        added = new.add(**words)
        j = [dtau.constraint_errors(quadruped, set_, q, np.ones(quadruped.nv)) for set_ in (added, said)]
        assert repr(added) == repr(said) and all(np.array_equal(a, b) for a, b in zip(*j))
    with pytest.raises(ValueError, match="unknown field `plan`"):
        new.add(point="lf_foot", plan=plane)
    with pytest.raises(ValueError, match='"lf_foot": say where it is held, by one of `here`, `position`, `plane`, `line` and `distance`'):
        new.add(point="lf_foot")
    with pytest.raises(ValueError, match="constraint number 1: it must have one of"):
        new.add()


MISTAKES = {
    "an unknown frame": (lambda m: dtau.Constraints(m).point("lf_fot").at_world([0, 0, 0]), LookupError, '"lf_fot".*lf_foot'),
    "the same body twice": (lambda m: dtau.Constraints(m).point("lf_foot").with_("lf_foot", [0, 0, 0]), ValueError, "one body"),
    "negative gains": (lambda m: dtau.Constraints(m).point("lf_foot").gains(-1, 0).at_world([0, 0, 0]), ValueError, '"lf_foot".*not negative'),
    "numbers that are none": (lambda m: dtau.Constraints(m).point("lf_foot").at_world([0, np.nan, 0]), ValueError, "finite"),
    "two numbers": (lambda m: dtau.Constraints(m).point("lf_foot").at_world([0, 0]), ValueError, r"\(3,\)"),
    "no direction": (lambda m: dtau.Constraints(m).point("lf_foot").in_world_plane([0, 0, 0], [0, 0, 0]), ValueError, "direction is zero"),
    "unknown axes": (lambda m: dtau.Constraints(m).point("lf_foot").axes("third"), ValueError, '"first", "second" or "world"'),
    "an unknown direction": (lambda m: dtau.Constraints(m).frame("lf_foot").only(["w"]).at_world([0, 0, 0]), ValueError, "about x"),
    "an unknown joint": (lambda m: dtau.Constraints(m).joints({"knee": 1}).sum_to(0), LookupError, "knee"),
    "a configuration of another size": (lambda m: dtau.Constraints(m).point("lf_foot").at_world_here([0, 0]), ValueError, "nq"),
    "an unknown name": (lambda m: dtau.Constraints(m)["foot"], KeyError, "foot"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told(quadruped, mistake):
    make, kind, message = MISTAKES[mistake]
    with pytest.raises(kind, match=message):
        make(quadruped)


def test_mistakes_of_calls(quadruped, stand):
    q, v, _, tau = random_state(quadruped, 7, 3)
    for keywords, message in [
        ({"active": [1, 1]}, r"`active` has shape \(2,\); it must be \(4,\)"),
        ({"active": np.ones((2, 4))}, r"broadcasting to the states \(3,\)"),
        ({"desired": np.zeros((3, 11))}, r"`desired` has shape \(3, 11\); it must be \(3, 12\)"),
        ({"desired": np.full((3, 12), np.nan)}, "finite"),
    ]:
        with pytest.raises(ValueError, match=message):
            dtau.constrained_fd(quadruped, stand, q, v, tau, **keywords)
    with pytest.raises(TypeError, match="`constraints` is an int; it must be a dtau.Constraints"):
        dtau.constrained_fd(quadruped, 3, q, v, tau)
    with pytest.raises(TypeError, match="missing 1 required argument: 'tau'"):
        dtau.constrained_fd(quadruped, stand, q, v)
    apart = dtau.Constraints(quadruped)
    for z in (0.0, 1.0):
        apart = apart.point("lf_foot").called(f"at {z}").gains(10, 1).at_world([0, 0, z])
    with pytest.raises(np.linalg.LinAlgError, match=r'"at 1.0" \(z\) contradicts "at 0.0"'):
        dtau.constrained_fd(quadruped, apart, q, v, tau)


def four_bar():
    """Returns three bars in a plane, and a pin that closes the loop."""
    text = ['<robot name="four_bar"><link name="base"/>']
    for name, parent, at, length in [("crank", "base", 0, 0.3), ("coupler", "crank", 0.3, 0.9), ("rocker", "base", 1, 0.7)]:
        text.append(
            f'<link name="{name}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="{length}"/>'
            f'<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>'
            f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{name}"/><origin xyz="{at} 0 0"/>'
            f'<axis xyz="0 -1 0"/></joint>'
        )
    model = dtau.Model.from_urdf("".join(text) + "</robot>")
    pin = dtau.Constraints(model).point("coupler").at([0.9, 0, 0]).called("pin").on_line_of("rocker", [0.7, 0, 0], [0, 1, 0])
    return model, pin


def test_loops_are_closed_and_moved_and_stay_closed():
    model, pin = four_bar()
    guess = np.array([[0.3, 1.0, 1.5], [2.0, -0.5, 1.2]])
    closed = dtau.assemble(model, pin, guess)
    assert closed.q.shape == (2, 3) and closed.residual.shape == closed.iterations.shape == (2,)
    assert closed.residual.max() <= 1e-10 and closed.iterations.min() >= 1
    errors = dtau.constraint_errors(model, pin, closed.q, np.zeros((2, 3)))
    assert np.abs(errors.position).max() <= 1e-10
    assert dtau.freedom(model, pin, closed.q[0]) == 1 and isinstance(dtau.freedom(model, pin, closed.q[0]), int)
    np.testing.assert_array_equal(dtau.freedom(model, pin, closed.q), [1, 1])
    np.testing.assert_array_equal(dtau.freedom(model, pin, closed.q, active=[[1], [0]]), [1, 3])
    # Velocities, and a simulation step.
    v = dtau.project_velocity(model, pin, closed.q, np.ones(3))
    assert v.shape == (2, 3) and np.abs(dtau.constraint_errors(model, pin, closed.q, v).velocity).max() < 1e-12
    step = dtau.constrained_step(model, pin, closed.q, v, np.zeros(3), 0.01)
    assert np.abs(dtau.constraint_errors(model, pin, step.q, step.v).position).max() <= 1e-10
    assert np.abs(dtau.constraint_errors(model, pin, step.q, step.v).velocity).max() < 1e-10
    # First order: q' ≈ q + dt v.
    assert np.abs(step.q - closed.q - 0.01 * v).max() < 0.01
    for k in range(2):
        one = dtau.constrained_step(model, pin, closed.q[k], v[k], np.zeros(3), 0.01)
        np.testing.assert_array_equal(one.q, step.q[k])
        np.testing.assert_array_equal(one.v, step.v[k])
        assert isinstance(one.iterations, int) and isinstance(one.residual, float)


def test_a_drive_is_a_desired_motion():
    model, pin = four_bar()
    driven = pin.joints({"crank": 1}).called("drive").sum_to(0)
    desired = np.zeros((3, 3))
    desired[:2, 2] = 0.7, 2.0
    q = dtau.assemble(model, driven, [0.3, 1.0, 1.5], desired=desired).q
    v = dtau.project_velocity(model, driven, q, np.zeros(3), desired=desired)
    assert abs(q[0] - 0.7) < 1e-10 and abs(v[0] - 2) < 1e-12 and dtau.freedom(model, driven, q) == 0
    heavy = dtau.constrained_step(model, pin, q, v, np.zeros(3), 0.01, gravity=[0, 0, -100])
    light = dtau.constrained_step(model, pin, q, v, np.zeros(3), 0.01, gravity=[0, 0, 0])
    pushed = dtau.constrained_step(model, pin, q, v, np.zeros(3), 0.01, gravity=[0, 0, 0], f_ext=[dtau.Wrench("coupler", force=[50, 0, 0])])
    assert np.abs(heavy.v - light.v).max() > 0.1 and np.abs(pushed.v - light.v).max() > 1e-3


def test_what_cannot_be_closed_is_told_with_its_name_and_state():
    model, pin = four_bar()
    far = pin.point("rocker").called("far").at_world([9, 0, 0])
    with pytest.raises(ValueError, match='do not close from this configuration: .*"far" has'):
        dtau.assemble(model, far, [0.3, 1.0, 1.5])
    with pytest.raises(ValueError, match="^state 0: the constraints do not close"):
        dtau.assemble(model, far, [[0.3, 1.0, 1.5]] * 2)
    with pytest.raises(ValueError, match="the tolerance is -1.0; give it a positive one|the tolerance is -1; give"):
        dtau.assemble(model, pin, [0.3, 1.0, 1.5], tolerance=-1)
    with pytest.raises(ValueError, match=r"`q` .*nq"):
        dtau.assemble(model, pin, [0.3, 1.0])
    with pytest.raises(ValueError, match="every number must be finite"):
        dtau.project_velocity(model, pin, [0.3, 1.0, np.nan], np.zeros(3))
    with pytest.raises(ValueError, match="`dt` is"):
        dtau.constrained_step(model, pin, [0.3, 1.0, 1.5], np.zeros(3), np.zeros(3), np.inf)
    with pytest.raises(np.linalg.LinAlgError, match="no velocity obeys all constraints"):
        twice = pin.joints({"crank": 1}).called("slow").sum_to(0).joints({"crank": 1}).called("fast").sum_to(0)
        desired = np.zeros((3, 4))
        desired[1, 2:] = 1, 2
        dtau.project_velocity(model, twice, dtau.assemble(model, twice, [0.3, 1.0, 1.5]).q, np.zeros(3), desired=desired)


def test_derivatives_by_the_desired_motion_are_differences(quadruped, stand):
    q, v, _, tau = random_state(quadruped, 3, ())
    d = dtau.constrained_fd_desired_derivatives(quadruped, stand, q)
    here = dtau.constrained_fd(quadruped, stand, q, v, tau)
    for order, (of_qdd, of_lambda) in enumerate(zip(d[:3], d[3:])):
        desired = np.zeros((stand.rows, 3, stand.rows))
        desired[np.arange(stand.rows), order, np.arange(stand.rows)] = 1  # it is linear
        there = dtau.constrained_fd(quadruped, stand, np.tile(q, (stand.rows, 1)), v, tau, desired=desired)
        scale = np.abs(there.lambda_).max()
        np.testing.assert_allclose(of_qdd, (there.qdd - here.qdd).T, atol=1e-9 * scale)
        np.testing.assert_allclose(of_lambda, (there.lambda_ - here.lambda_).T, atol=1e-9 * scale)
