"""Parity with Pinocchio, live, on every robot of example-robot-data: the tools are those of `parity/`."""

import zlib

import compare
import dtau
import numpy as np
import pytest
from oracle import DERIVATIVES, NEED_INVERSE, NEED_MASS, QUANTITIES, Oracle
from pinocchio_parity import SINGULAR
from robots import BUNDLED, Robot, Unsupported, example_urdfs, has_mimics
from states import random_states

STATES = 3  # the neutral one, one of several turns, an ordinary one; `parity/` itself takes more
JOBS = {
    f"{name}, {root} root{', mimic' * (mimic == 'honour')}": (path, root, mimic)
    for name, path in example_urdfs() + [(f"{p.stem} (bundled)", p) for p in sorted(BUNDLED.glob("*.urdf"))]
    for root in ("fixed", "floating")
    for mimic in (["free", "honour"] if has_mimics(path) else ["free"])
}


@pytest.mark.parametrize("job", JOBS)
def test_results_are_those_of_pinocchio(job):
    path, root, mimic = JOBS[job]
    options = {"root": root, "mimic": mimic, "order": "alphabetical", "damping": False, "friction": False}
    try:
        robot = Robot(path, job, root, mimic)
    except Unsupported as reason:
        if mimic == "honour":  # mimicry of a joint that is not there
            with pytest.raises(ValueError):
                dtau.Model.from_urdf(path, **options)
            return
        pytest.skip(str(reason))
    oracle, links = Oracle(robot), robot.sample_links(3)
    states = random_states(oracle.tree, STATES, zlib.crc32(job.encode()), links)
    regular = [oracle.condition(state) < SINGULAR for state in states]
    model = dtau.Model.from_urdf(path, **options, allow_massless=bool(robot.massless_bodies()) or not all(regular))

    assert (model.nq, model.nv) == (robot.nq, robot.nv)
    weightless = model.mass == 0.0
    for k, state in enumerate(states):
        asked = [
            what
            for what in QUANTITIES + DERIVATIVES
            if not (what in NEED_INVERSE and not regular[k]) and not (what in NEED_MASS and weightless)
        ]
        want = oracle.evaluate(state, asked, links)
        conditioning = oracle.conditioning(state) if NEED_INVERSE & set(asked) else None
        for what in asked:
            difference = compare.Difference()
            got = OURS[what](model, state, links)
            difference.update(k, want[what], got, compare.tolerances(what, want[what], conditioning), what)
            assert not difference.failed, difference.where

    # A batch without wrenches, on lanes, is the states one by one, to the last bit, on all of these robots too.
    q, v, a = (np.stack([getattr(state, name) for state in states]) for name in ("q", "v", "a"))
    many = dtau.id_derivatives(model, q, v, a)
    for k in range(STATES):
        one = dtau.id_derivatives(model, q[k], v[k], a[k])
        assert all(np.array_equal(x[k], y) for x, y in zip(many, one, strict=True))


def wrenches(state):
    return [dtau.Wrench(w["frame"], w["force"], w["torque"], axes=w["axes"]) for w in state.wrenches]


def kinematics(model, s, links):
    out = {}
    for link in links:
        placement = dtau.frame_placement(model, s.q, link)
        velocity = dtau.frame_velocity(model, s.q, s.v, link, "local")
        acceleration = dtau.frame_acceleration(model, s.q, s.v, s.a, link, "local")
        out[link] = {"position": placement[:, 3], "rotation": placement[:, :3], "velocity": velocity, "acceleration": acceleration}
    return out


def per_link_and_axes(jacobian):
    axes = ("local", "world", "local_world_aligned")
    return lambda model, s, links: {link: {a: jacobian(model, s, link, a) for a in axes} for link in links}


def renamed(result, *names):
    return dict(zip(names, result[1:], strict=True))


OURS = {
    "rnea": lambda m, s, _: dtau.rnea(m, s.q, s.v, s.a, f_ext=wrenches(s)),
    "aba": lambda m, s, _: dtau.aba(m, s.q, s.v, s.tau, f_ext=wrenches(s)),
    "crba": lambda m, s, _: dtau.crba(m, s.q),
    "minverse": lambda m, s, _: dtau.minverse(m, s.q),
    "bias": lambda m, s, _: dtau.bias(m, s.q, s.v, f_ext=wrenches(s)),
    "gravity": lambda m, s, _: dtau.gravity_torques(m, s.q),
    "coriolis": lambda m, s, _: dtau.coriolis(m, s.q, s.v),
    "com": lambda m, s, _: dtau.centre_of_mass(m, s.q, s.v, s.a)._asdict(),
    "com_jacobian": lambda m, s, _: dtau.com_jacobian(m, s.q),
    "energy": lambda m, s, _: dtau.energy(m, s.q, s.v)._asdict(),
    "centroidal": lambda m, s, _: {"matrix": dtau.centroidal_matrix(m, s.q), "momentum": dtau.centroidal_momentum(m, s.q, s.v)},
    "mass": lambda m, s, _: m.mass,
    "kinematics": kinematics,
    "jacobians": per_link_and_axes(lambda m, s, link, axes: dtau.frame_jacobian(m, s.q, link, axes)),
    "jacobian_rates": per_link_and_axes(lambda m, s, link, axes: dtau.frame_jacobian_rate(m, s.q, s.v, link, axes)),
    "id-derivatives": lambda m, s, _: renamed(
        dtau.id_derivatives(m, s.q, s.v, s.a, f_ext=wrenches(s)), "dtau_dq", "dtau_dv", "dtau_da"
    ),
    "fd-derivatives": lambda m, s, _: renamed(
        dtau.fd_derivatives(m, s.q, s.v, s.tau, f_ext=wrenches(s)), "ddq_dq", "ddq_dv", "ddq_dtau"
    ),
}


@pytest.mark.parametrize("name", ["panda", "talos_reduced", "hyq"])
def test_the_regressor_is_that_of_pinocchio(name):
    """Pinocchio has ten parameters a body, those of the link its joint carries among ours; both give the torques."""
    pin = pytest.importorskip("pinocchio")
    path = next(path for other, path in example_urdfs() if other == name)
    theirs = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data, generator = theirs.createData(), np.random.default_rng(1)
    model = dtau.Model.from_urdf(path, root="floating", mimic="free", order="alphabetical", damping=False, friction=False)
    q, v, a = pin.randomConfiguration(theirs, -np.ones(theirs.nq), np.ones(theirs.nq)), *generator.normal(size=(2, theirs.nv))
    got = dtau.joint_torque_regressor(model, q, v, a)
    want = pin.computeJointTorqueRegressor(theirs, data, q, v, a)
    links = [frame.name for frame in model.frames if frame.kind == "link"]
    scale = np.abs(want).max()
    for i, joint in enumerate(model.joints):
        k = links.index(joint.link)
        j = theirs.getJointId(joint.name) - 1
        assert np.abs(got[:, 10 * k : 10 * k + 10] - want[:, 10 * j : 10 * j + 10]).max() < 1e-12 * scale, joint.name
    tau = pin.rnea(theirs, data, q, v, a) - theirs.armature * a
    assert np.abs(got @ model.inertial_parameters - tau).max() < 1e-11 * max(1, np.abs(tau).max())
