"""Live comparison with Pinocchio on every robot of example-robot-data, with the tools of `parity/`."""

import zlib

import compare
import dtau
import numpy as np
import pytest
from calls import FUNCTIONS
from claims import tried
from oracle import DERIVATIVES, LIVE, NEED_INVERSE, NEED_MASS, QUANTITIES, Oracle
from pinocchio_parity import SINGULAR
from robots import BUNDLED, Robot, Unsupported, example_urdfs, has_mimics
from states import random_states

STATES = 3  # the neutral one, one of several turns, an ordinary one; `parity/` takes more
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
        if mimic == "honour":  # mimicry of a missing joint
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
            for what in QUANTITIES + DERIVATIVES + LIVE
            if not (what in NEED_INVERSE and not regular[k]) and not (what in NEED_MASS and weightless)
        ]
        want = oracle.evaluate(state, asked, links)
        conditioning = oracle.conditioning(state) if NEED_INVERSE & set(asked) else None
        for what in asked:
            difference = compare.Difference()
            got = OURS[what](model, state, links)
            difference.update(k, want[what], got, compare.tolerances(what, want[what], conditioning), what)
            assert not difference.failed, difference.where
    if all(regular) and not weightless:
        tried("Pinocchio, Python", ours.called & FUNCTIONS.keys(), FUNCTIONS)

    # A batch without wrenches, in lanes, has the same bits as single states, on all of these robots too.
    q, v, a = (np.stack([getattr(state, name) for state in states]) for name in ("q", "v", "a"))
    many = dtau.id_derivatives(model, q, v, a)
    for k in range(STATES):
        one = dtau.id_derivatives(model, q[k], v[k], a[k])
        assert all(np.array_equal(x[k], y) for x, y in zip(many, one, strict=True))


def wrenches(state):
    return [dtau.Wrench(w["frame"], w["force"], w["torque"], axes=w["axes"]) for w in state.wrenches]


class Recorder:
    """Wraps the module and records which of its functions are called."""

    def __init__(self):
        self.called = set()

    def __getattr__(self, name):
        self.called.add(name)
        return getattr(dtau, name)


ours = Recorder()


def place(model, link):
    return next(frame.index for frame in model.frames if frame.name == link and frame.kind == "link")


def kinematics(model, s, links):
    all_frames = ours.forward_kinematics(model, s.q, s.v, s.a, "local")
    out = {}
    for link in links:
        placement, velocity, acceleration = (x[place(model, link)] for x in all_frames)
        out[link] = {"position": placement[:, 3], "rotation": placement[:, :3], "velocity": velocity, "acceleration": acceleration}
    return out


def frame_motions(model, s, links):
    def motions(link, axes):
        return {
            "velocity": ours.frame_velocity(model, s.q, s.v, link, axes),
            "acceleration": ours.frame_acceleration(model, s.q, s.v, s.a, link, axes),
            "classical_acceleration": ours.frame_classical_acceleration(model, s.q, s.v, s.a, link, axes),
        }

    def at(link):
        one, every = ours.frame_placement(model, s.q, link), ours.placements(model, s.q)
        return {"placement": one, "placements": every[place(model, link)], **{axes: motions(link, axes) for axes in AXES}}

    return {link: at(link) for link in links}


def frame_derivatives(model, s, links):
    def at(link, axes):
        velocity = ours.frame_velocity_derivatives(model, s.q, s.v, link, axes)
        acceleration = ours.frame_acceleration_derivatives(model, s.q, s.v, s.a, link, axes)
        motion = ours.frame_motion_derivatives(model, s.q, s.v, s.a, link, axes)
        return {"velocity": velocity._asdict(), "acceleration": acceleration._asdict(), "motion": motion._asdict()}

    return {link: {axes: at(link, axes) for axes in ("local", "world")} for link in links}


AXES = ("local", "world", "local_world_aligned")


def per_link_and_axes(jacobian):
    return lambda model, s, links: {link: {a: jacobian(model, s, link, a) for a in AXES} for link in links}


def renamed(result, *names):
    return dict(zip(names, result[1:], strict=True))


OURS = {
    "rnea": lambda m, s, _: ours.rnea(m, s.q, s.v, s.a, f_ext=wrenches(s)),
    "aba": lambda m, s, _: ours.aba(m, s.q, s.v, s.tau, f_ext=wrenches(s)),
    "crba": lambda m, s, _: ours.crba(m, s.q),
    "minverse": lambda m, s, _: ours.minverse(m, s.q),
    "bias": lambda m, s, _: ours.bias(m, s.q, s.v, f_ext=wrenches(s)),
    "gravity": lambda m, s, _: ours.gravity_torques(m, s.q),
    "coriolis": lambda m, s, _: ours.coriolis(m, s.q, s.v),
    "com": lambda m, s, _: ours.centre_of_mass(m, s.q, s.v, s.a)._asdict(),
    "com_jacobian": lambda m, s, _: ours.com_jacobian(m, s.q),
    "energy": lambda m, s, _: ours.energy(m, s.q, s.v)._asdict(),
    "centroidal": lambda m, s, _: {"matrix": ours.centroidal_matrix(m, s.q), "momentum": ours.centroidal_momentum(m, s.q, s.v)},
    "mass": lambda m, s, _: m.mass,
    "kinematics": kinematics,
    "jacobians": per_link_and_axes(lambda m, s, link, axes: ours.frame_jacobian(m, s.q, link, axes)),
    "jacobian_rates": per_link_and_axes(lambda m, s, link, axes: ours.frame_jacobian_rate(m, s.q, s.v, link, axes)),
    "id-derivatives": lambda m, s, _: renamed(
        ours.id_derivatives(m, s.q, s.v, s.a, f_ext=wrenches(s)), "dtau_dq", "dtau_dv", "dtau_da"
    ),
    "fd-derivatives": lambda m, s, _: renamed(
        ours.fd_derivatives(m, s.q, s.v, s.tau, f_ext=wrenches(s)), "ddq_dq", "ddq_dv", "ddq_dtau"
    ),
    "regressor": lambda m, s, _: ours.joint_torque_regressor(m, s.q, s.v, s.a),
    "centroidal_rate": lambda m, s, _: ours.centroidal_momentum_rate(m, s.q, s.v, s.a),
    "gravity_derivatives": lambda m, s, _: ours.gravity_derivatives(m, s.q).dtau_dq,
    "frame_motions": frame_motions,
    "frame_derivatives": frame_derivatives,
    "com_derivatives": lambda m, s, _: ours.com_velocity_derivatives(m, s.q, s.v)._asdict(),
    "centroidal_derivatives": lambda m, s, _: ours.centroidal_derivatives(m, s.q, s.v, s.a)._asdict(),
}


@pytest.mark.parametrize("name", ["panda", "talos_reduced", "hyq_no_sensors"])
def test_the_regressor_times_the_parameters_is_the_torque_of_pinocchio(name):
    path = next(path for other, path in example_urdfs() if other == name)
    robot = Robot(path, name, "floating")
    model = dtau.Model.from_urdf(path, root="floating", mimic="free", order="alphabetical", damping=False, friction=False)
    oracle = Oracle(robot)
    (state,) = random_states(oracle.tree, 3, 1, [])[2:]
    tau = oracle.evaluate(state, ["rnea"], [])["rnea"] - robot.model.armature * state.a
    got = dtau.joint_torque_regressor(model, state.q, state.v, state.a) @ model.inertial_parameters
    assert np.abs(got - tau).max() < 1e-11 * max(1, np.abs(tau).max())
