"""Wrong input raises the right exception, with the argument's name, the given value and the expected one. Never
a crash."""

import dtau
import numpy as np
import pytest
from calls import ALL_CALLS
from conftest import random_state

Q, V = np.zeros(6), np.zeros(6)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((np.zeros(5), V, V), ValueError, r"`q` has shape \(5,\); it must be \(6,\), or \(\.\.\., 6\).*nq = 6"),
        ((Q, np.zeros((3, 7)), V), ValueError, r"`v` has shape \(3, 7\).*nv = 6"),
        ((Q, V, 3.0), ValueError, r"`a` has shape \(\); it must be \(6,\)"),
        ((np.zeros((3, 6)), np.zeros((4, 6)), V), ValueError, r"do not broadcast: `q` \(3, 6\), `v` \(4, 6\), `a` \(6,\)"),
        ((Q.astype(complex), V, V), TypeError, r"`q` must be an array of float64.*dtype complex128"),
        ((Q, V.astype(bool), V), TypeError, r"`v` must be.*dtype bool"),
        ((Q, V, np.array(["x"] * 6)), TypeError, r"`a` must be.*dtype <U1"),
        ((Q, V, [[1, 2], [3]]), TypeError, r"`a` must be.*a list"),
        ((Q, V, object()), TypeError, r"`a` must be.*dtype is object"),
        ((Q, V, None), TypeError, r"`a` must be"),
        ((Q, [0, 0, np.nan, 0, 0, 0], V), ValueError, r"`v\[2\]` is nan; every number must be finite"),
        ((Q, V, [0, -np.inf, 0, 0, 0, 0]), ValueError, r"`a\[1\]` is -inf"),
    ],
)
def test_wrong_arrays(arm, arguments, error, message):
    with pytest.raises(error, match=message):
        dtau.rnea(arm, *arguments)


def test_the_place_of_a_nan_in_a_batch(arm):
    q = np.zeros((4, 5, 6))
    q[3, 1, 2] = np.nan
    with pytest.raises(ValueError, match=r"`q\[3, 1, 2\]` is nan"):
        dtau.rnea(arm, q, V, V)
    with pytest.raises(ValueError, match=r"`q\[3, 1, 2\]` is nan"):
        dtau.rnea(arm, q.astype(np.float32), V.astype(np.float32), V.astype(np.float32))


@pytest.mark.parametrize("call", ALL_CALLS.values(), ids=ALL_CALLS)
def test_every_function_refuses_what_is_not_finite(quadruped, call):
    for shape in ((), (3,)):
        state = list(random_state(quadruped, 0, shape))
        state[0] = state[0].copy()
        state[0][..., 8] = np.nan
        with pytest.raises(ValueError, match="q.* is nan"):
            call(quadruped, state)


@pytest.mark.parametrize("call", ALL_CALLS.values(), ids=ALL_CALLS)
def test_every_function_refuses_wrong_shapes(quadruped, call):
    state = random_state(quadruped, 0)
    with pytest.raises(ValueError, match=r"q0?` has shape \(18,\); it must be \(19,\)"):
        call(quadruped, [state[0][:-1], *state[1:]])
    with pytest.raises((ValueError, TypeError), match="`out"):
        call(quadruped, state, out=np.zeros(3))


def test_quaternions_must_have_unit_length(quadruped):
    zero = np.zeros(18)
    with pytest.raises(ValueError, match=r"`q\[3:7\]` is the quaternion .* of joint \"root_joint\" and has length 0.0000"):
        dtau.rnea(quadruped, np.zeros(19), zero, zero)
    q = np.tile(quadruped.neutral(), (5, 1))
    q[4, 3:7] = [0, 0, 0, 2]
    with pytest.raises(ValueError, match=r"`q\[4\]\[3:7\]` is the quaternion.*length 2.0000.*model.normalise"):
        dtau.rnea(quadruped, q, zero, zero)
    assert np.allclose(quadruped.normalise(q)[4], quadruped.neutral())
    q[4, 3:7] = [0, 0, 0, 1.00005]  # as written with few digits
    dtau.rnea(quadruped, q, zero, zero)


@pytest.mark.parametrize(
    "out, error, message",
    [
        (np.zeros(5), ValueError, r"`out` has shape \(5,\); it must be \(6,\)"),
        (np.zeros(6, np.float32), TypeError, r"`out` is an array of shape \(6,\) and dtype float32; it must be.*float64"),
        ([0.0] * 6, TypeError, r"`out` is a list"),
        (np.broadcast_to(0.0, 6), ValueError, r"`out` is read-only"),
    ],
)
def test_wrong_out(arm, out, error, message):
    with pytest.raises(error, match=message):
        dtau.rnea(arm, Q, V, V, out=out)


def test_wrong_named_out(arm):
    with pytest.raises(TypeError, match=r"`out` is an array.*it must be a dtau.IdDerivatives"):
        dtau.id_derivatives(arm, Q, V, V, out=np.zeros((6, 6)))
    good = dtau.id_derivatives(arm, Q, V, V)
    with pytest.raises(ValueError, match=r"`out.dtau_dv` has shape \(5, 6\); it must be \(6, 6\)"):
        dtau.id_derivatives(arm, Q, V, V, out=good._replace(dtau_dv=np.zeros((5, 6))))
    with pytest.raises(ValueError, match=r"`out.dtau_dv` shares memory"):
        dtau.id_derivatives(arm, Q, V, V, out=good._replace(dtau_dv=good.dtau_dq))


def test_out_must_not_be_an_argument(arm):
    q = np.zeros(6)
    with pytest.raises(ValueError, match="`out` shares memory"):
        dtau.rnea(arm, q, V, V, out=q)
    with pytest.raises(ValueError, match="`out` shares memory"):
        both = np.zeros((2, 6))
        dtau.rnea(arm, both, V, V, out=both[:, ::-1])


@pytest.mark.parametrize(
    "use",
    [
        lambda m: m.joint("elbov"),
        lambda m: dtau.frame_placement(m, Q, "elbov"),
        lambda m: dtau.frame_jacobian(m, Q, "elbov"),
        lambda m: dtau.rnea(m, Q, V, V, f_ext=[dtau.Wrench("elbov")]),
        lambda m: dtau.rnea(m, [Q], V, V, f_ext=[dtau.Wrench("elbov")]),
        lambda m: m.lock({"elbov": 0}),
        lambda m: m.attach("elbov", m, prefix="x"),
        lambda m: m.with_payload("elbov", 1),
        lambda m: dtau.Model.bundled("elbov"),
        lambda m: dtau.bundled_urdf("elbov"),
    ],
)
def test_unknown_names_are_key_errors_that_help(arm, use):
    with pytest.raises(KeyError) as caught:
        use(arm)
    assert isinstance(caught.value, dtau.UnknownNameError)
    assert str(caught.value).startswith("there is no ") and '"elbov"' in str(caught.value)
    assert "did you mean" in str(caught.value) or "there are" in str(caught.value)


@pytest.mark.parametrize(
    "use, error, message",
    [
        (lambda: dtau.Model.bundled("arm6", root="float"), ValueError, r'`root` is "float"; it must be one of "fixed", "fl'),
        (lambda: dtau.Model.bundled("arm6", root=1), TypeError, r"`root` is an int; it must be a string"),
        (lambda: dtau.Model.bundled("arm6", rot="fixed"), TypeError, r"unexpected keyword argument 'rot'; there are root,"),
        (lambda: dtau.Model.bundled("arm6", order="x"), ValueError, r'`order` is "x"'),
        (lambda: dtau.Model.bundled("arm6", mimic="x"), ValueError, r'`mimic` is "x"'),
        (lambda: dtau.Model.bundled("arm6", gravity=[1, 2]), ValueError, r"`gravity` has shape \(2,\); it must be \(3,\)"),
        (lambda: dtau.Model.bundled("arm6", gravity=[1, 2, np.nan]), ValueError, r"`gravity` has the number NaN"),
        (lambda: dtau.Model.bundled("arm6", gravity="down"), TypeError, r"`gravity` must be numbers, but it is a str"),
        (lambda: dtau.Model.bundled("arm6", friction_speed=0), ValueError, r"friction_speed is 0"),
        (lambda: dtau.Model.bundled("arm6", root_placement=np.ones((4, 4))), ValueError, r"`root_placement` is not a placement"),
        (lambda: dtau.Model.bundled("arm6", root_placement=[1, 2]), ValueError, r"`root_placement` has shape \(2,\)"),
        (lambda: dtau.Model.from_urdf("missing.urdf"), FileNotFoundError, r"missing.urdf: there is no such file"),
        (lambda: dtau.Model.from_urdf(3), TypeError, r"`source` is an int"),
        (lambda: dtau.Model.from_urdf("<robot"), ValueError, r"line 1"),
        (lambda: dtau.Model.from_urdf("/"), OSError, r"/: cannot be read"),
        (lambda: dtau.generate_tree(0), ValueError, r"`links` is 0"),
        (lambda: dtau.generate_tree(3, 0), ValueError, r"`branching` is 0"),
    ],
)
def test_wrong_options(use, error, message):
    with pytest.raises(error, match=message):
        use()


@pytest.mark.parametrize(
    "keywords, error, message",
    [
        ({"f_ext": dtau.Wrench("base")}, TypeError, r"`f_ext` is one dtau.Wrench; it must be a list"),
        ({"f_ext": [1]}, TypeError, r"`f_ext` must be a list of dtau.Wrench, but item 0 is an int"),
        ({"f_ext": 1}, TypeError, r"`f_ext` must be a list of dtau.Wrench, but it is an int"),
        ({"gravity": [0, 0]}, ValueError, r"`gravity` has shape \(2,\)"),
        ({"threads": -1}, ValueError, r"`threads` is -1; it must be from 1 to 1024"),
        ({"threads": 10**9}, ValueError, r"`threads` is 1000000000"),
        ({"workspace": 3}, TypeError, r"workspace"),
        ({"damping": "no"}, TypeError, r"`damping` is a str; it must be True or False"),
        ({"damping": None}, TypeError, r"`damping` is a NoneType; it must be True or False"),
    ],
)
def test_wrong_keywords(arm, keywords, error, message):
    with pytest.raises(error, match=message):
        dtau.rnea(arm, np.zeros((2, 6)), V, V, **keywords)


def test_wrenches_that_do_not_fit(arm):
    frame = arm.frames[-1].name
    with pytest.raises(ValueError, match=r"`f_ext\[0\].force` has shape \(4, 3\), but there is one state"):
        dtau.rnea(arm, Q, V, V, f_ext=[dtau.Wrench(frame, np.zeros((4, 3)))])
    with pytest.raises(ValueError, match=r"`f_ext\[1\].torque` has shape \(4, 3\); before the last axis it must broadcast.*\(5,\)"):
        dtau.rnea(arm, np.zeros((5, 6)), V, V, f_ext=[dtau.Wrench(frame), dtau.Wrench(frame, torque=np.zeros((4, 3)))])
    with pytest.raises(ValueError, match=r"`f_ext\[0\].point` has shape \(5, 3\); it must be \(3,\)"):
        dtau.rnea(arm, np.zeros((5, 6)), V, V, f_ext=[dtau.Wrench(frame, point=np.zeros((5, 3)))])
    with pytest.raises(ValueError, match=r"`force` is a list; it must have the shape \(3,\)"):
        dtau.Wrench(frame, [1, 2])
    with pytest.raises(ValueError, match=r'`axes` is "body"; it must be "frame" or "world"'):
        dtau.Wrench(frame, axes="body")


def test_a_workspace_of_another_model_is_refused(arm, quadruped):
    with pytest.raises(ValueError, match=r"`workspace` was made for model \"quadruped\", not for this model"):
        dtau.rnea(arm, Q, V, V, workspace=dtau.Workspace(quadruped))


@pytest.mark.parametrize(
    "use, message",
    [
        (lambda m: dtau.rnea(), r"rnea\(\) missing 4 required arguments: 'model', 'q', 'v', 'a'"),
        (lambda m: dtau.rnea(m, Q, a=V), r"rnea\(\) missing 1 required argument: 'v'"),
        (lambda m: dtau.rnea(m, Q, V, V, V), r"rnea\(\) takes 4 positional arguments but 5 were given"),
        (lambda m: dtau.rnea(m, Q, V, V, q=Q), r"rnea\(\) got multiple values for argument 'q'"),
        (lambda m: dtau.rnea(m, Q, V, V, fext=[]), r"rnea\(\) got an unexpected keyword argument 'fext'"),
        (lambda m: dtau.crba(m, Q, gravity=V), r"crba\(\) got an unexpected keyword argument 'gravity'"),
        (lambda m: dtau.rnea(3, Q, V, V), r"`model` is an int; it must be a dtau.Model"),
        (lambda m: dtau.frame_jacobian(m, Q), r"frame_jacobian\(\) missing 1 required argument: 'frame'"),
        (lambda m: dtau.frame_jacobian(m, Q, 3), r"`frame` is an int; it must be a name, a dtau.Frame"),
        (lambda m: dtau.frame_jacobian(m, Q, "base", 3), r"`reference` is an int; it must be a string"),
        (lambda m: dtau.rnea(m, Q, V, V, threads="two"), r"`threads` is a str; it must be a number"),
    ],
)
def test_wrong_arguments(arm, use, message):
    with pytest.raises(TypeError, match=message):
        use(arm)


def test_names_of_arguments_need_not_be_interned(arm):
    keywords = {"".join(["gra", "vity"]): [0, 0, 0], "".join(["o", "ut"]): np.empty(6)}
    assert dtau.rnea(arm, Q, V, V, **keywords) is keywords["out"]


def test_ways_of_forward_dynamics(arm):
    want = dtau.fd_derivatives(arm, Q, V, V).dqdd_dq
    for way in ("dense", "aza", "ltdl", "response"):
        assert np.allclose(dtau.fd_derivatives(arm, Q, V, V, way=way).dqdd_dq, want)
    with pytest.raises(ValueError, match=r'`way` is "fast"; it must be "dense", "aza", "ltdl" or "response"'):
        dtau.fd_derivatives(arm, Q, V, V, way="fast")


def test_unknown_references_are_refused(arm):
    with pytest.raises(ValueError, match=r'`reference` is "body"; it must be "local", "world"'):
        dtau.forward_kinematics(arm, Q, reference="body")


def test_singular_states_name_the_joint_and_the_state():
    b = dtau.ModelBuilder("string")
    b.link("base")
    b.link("bead", mass=1.0, com=(0, 0, 0.1))
    b.joint("turn", "revolute", parent="base", child="bead", axis=(0, 0, 1))
    string = b.build()  # a point mass on its own axis
    with pytest.raises(np.linalg.LinAlgError, match="turn"):
        dtau.aba(string, [0.0], [0.0], [1.0])
    with pytest.raises(np.linalg.LinAlgError, match=r"state 0: .*turn"):
        dtau.aba(string, np.zeros((200, 1)), [0.0], [1.0])
    with pytest.raises(np.linalg.LinAlgError, match=r"state \(0, 0\): .*turn"):
        dtau.minverse(string, np.zeros((2, 100, 1)))


def test_only_a_later_state_is_singular():
    """Two hinges that may align. The state's index refers to the caller's array, in whatever part it was computed."""
    b = dtau.ModelBuilder("elbow")
    b.link("base")
    b.link("upper", mass=1.0, com=(0, 0, 0), inertia=(0, 0, 0))
    b.link("lower", mass=1.0, com=(1, 0, 0), inertia=(0, 0, 0))
    b.joint("swing", "revolute", parent="base", child="upper", axis=(0, 0, 1))
    b.joint("bend", "revolute", parent="upper", child="lower", axis=(0, 1, 0))
    elbow = b.build()
    q = np.zeros((3, 700, 2))
    q[2, 650, 1] = np.pi / 2  # the mass is on the first axis
    with pytest.raises(np.linalg.LinAlgError, match=r"state \(2, 650\): .*swing"):
        dtau.aba(elbow, q, np.zeros(2), np.zeros(2))
