"""Functions on any number of states: shapes, layouts, precisions, and output arrays."""

import dtau
import numpy as np
import pytest
from calls import ALL_CALLS, CALLS, FUNCTIONS, arrays
from conftest import random_state
from claims import tried


@pytest.mark.parametrize("call", ALL_CALLS.values(), ids=ALL_CALLS)
def test_a_batch_is_its_states_to_the_last_bit(model, call):
    shape = (2, 3)
    state = random_state(model, 1, shape)
    many = arrays(call(model, state))
    for index in np.ndindex(shape):
        one = arrays(call(model, [x[index] for x in state]))
        for name in many:
            assert np.array_equal(many[name][index], one[name]), (name, index)
            assert np.shape(many[name]) == shape + np.shape(one[name])


def test_every_function_is_called():
    """The module has the functions of the library's list. The calls in these tests are made from it."""
    tried("Python, many", (name for name in ALL_CALLS if name in FUNCTIONS), FUNCTIONS)


@pytest.mark.parametrize("call", ALL_CALLS.values(), ids=ALL_CALLS)
def test_float32_computes_in_float32(model, call):
    state = random_state(model, 2, 5)
    double = arrays(call(model, state))
    single = arrays(call(model, [x.astype(np.float32) for x in state]))
    one = arrays(call(model, [x[0].astype(np.float32) for x in state]))
    for name in double:
        assert single[name].dtype == np.float32, name
        assert one[name].dtype == np.float32, name
        assert np.array_equal(single[name][0], one[name]), name
        scale = np.abs(double[name]).max() + 1e-3
        # 24 bits, of which a few are lost along a limb and in M⁻¹ (condition about 1e3).
        assert np.abs(single[name] - double[name]).max() < 5e-3 * scale, name
        assert not np.array_equal(single[name], double[name].astype(np.float32)) or scale < 2e-3 or name in EXACT, name


# Results that may be matrices of zeros and ones, which are exact in both precisions. A rank is an integer.
EXACT = {"by_q0", "by_q1", "by_q", "by_v", "rank", ""}


@pytest.mark.parametrize("call", ALL_CALLS.values(), ids=ALL_CALLS)
def test_results_are_written_into_out(model, call):
    state, other = random_state(model, 3, 4), random_state(model, 4, 4)
    want = arrays(call(model, state))
    out = call(model, other)
    assert call(model, state, out=out) is out
    for name, array in arrays(out).items():
        assert np.array_equal(array, want[name]), name
    single = call(model, [x[1] for x in other])
    if not any(np.isscalar(array) for array in arrays(single).values()):  # energies and ranks of one state are plain numbers
        assert call(model, [x[1] for x in state], out=single) is single
        for name, array in arrays(single).items():
            assert np.array_equal(array, want[name][1]), name


@pytest.mark.parametrize("order", ["C", "F"])
def test_out_may_have_any_layout(quadruped, order):
    q = random_state(quadruped, 5, 7)[0]
    want = dtau.id_derivatives(quadruped, q, np.ones(18), np.ones(18)).dtau_dq
    for out in (np.empty((7, 18, 18), order=order), np.empty((18, 7, 36), order=order).transpose(1, 0, 2)[:, :, ::2]):
        result = dtau.gravity_derivatives(quadruped, q)
        result = result._replace(dtau_dq=out)
        dtau.id_derivatives(quadruped, q, np.ones(18), np.ones(18), out=result)
        assert np.array_equal(out, want)
    mass = np.empty((18, 18), order=order)
    assert np.array_equal(dtau.crba(quadruped, q[0], out=mass), dtau.crba(quadruped, q[0]))


def test_matrices_index_by_row_and_column(arm):
    """∂τ/∂q is not symmetric, so a transposed one would be detected."""
    q, v, a, _ = random_state(arm, 6)
    d = dtau.id_derivatives(arm, q, v, a)
    step = 1e-6
    for j in range(arm.nv):
        e = np.eye(arm.nv)[j] * step
        column = (dtau.rnea(arm, q + e, v, a) - dtau.rnea(arm, q - e, v, a)) / (2 * step)
        assert np.allclose(d.dtau_dq[:, j], column, atol=1e-5)
    assert not np.allclose(d.dtau_dq, d.dtau_dq.T, atol=1e-3)


def test_leading_axes_broadcast(quadruped):
    q, v, a, _ = random_state(quadruped, 7, (4, 1, 3))
    one_v, some_a = v[0, 0, 0], a[0]
    got = dtau.rnea(quadruped, q, one_v, some_a)
    assert got.shape == (4, 1, 3, 18)
    assert np.array_equal(got[2, 0, 1], dtau.rnea(quadruped, q[2, 0, 1], one_v, some_a[0, 1]))
    assert dtau.rnea(quadruped, q, one_v, np.ones((5, 1, 18))).shape == (4, 5, 3, 18)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: np.asfortranarray(x),
        lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
        lambda x: x[..., ::-1].copy()[..., ::-1],
        lambda x: x.astype(">f8"),
        lambda x: x.tolist(),
        lambda x: np.lib.stride_tricks.as_strided(np.frombuffer(b"\0" + x.tobytes() + b"\0" * 7, np.uint8)[1:-7], (1,), (1,)).base
        and np.frombuffer(b"\0" + x.tobytes(), np.float64, offset=1).reshape(x.shape),
    ],
    ids=["Fortran", "strided", "reversed", "big-endian", "lists", "unaligned"],
)
def test_arrays_of_any_layout_work(arm, change):
    q, v, a, _ = random_state(arm, 8, (3, 5))
    want = dtau.rnea(arm, q, v, a)
    assert np.array_equal(dtau.rnea(arm, change(q), change(v), change(a)), want)
    assert np.array_equal(dtau.rnea(arm, change(q[0, 0]), change(v[0, 0]), change(a[0, 0])), want[0, 0])


def test_integers_are_numbers(arm):
    assert np.array_equal(dtau.rnea(arm, [0] * 6, np.ones(6, int), np.ones(6, np.uint8)), dtau.rnea(arm, np.zeros(6), *np.ones((2, 6))))


def test_float32_and_float64_together_are_float64(arm):
    q = np.zeros(6, np.float32)
    assert dtau.rnea(arm, q, np.zeros(6), q).dtype == np.float64
    assert dtau.rnea(arm, q, q, q).dtype == np.float32


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_no_states_are_states(arm, call):
    for name, array in arrays(call(arm, random_state(arm, 9, (0, 2)))).items():
        assert array.shape[:2] == (0, 2), name


def test_a_robot_without_joints_computes():
    b = dtau.ModelBuilder("rock")
    b.link("rock", mass=1.0, inertia=(1, 1, 1))
    rock = b.build()
    empty = np.zeros((3, 0))
    assert dtau.rnea(rock, empty, empty, empty).shape == (3, 0)
    assert dtau.crba(rock, np.zeros(0)).shape == (0, 0)
    assert dtau.energy(rock, np.zeros(0), np.zeros(0)).kinetic == 0


@pytest.mark.parametrize("states", [1, 3, 4, 5, 64, 1000])
def test_results_do_not_depend_on_threads_or_splits(quadruped, states):
    q, v, _, tau = random_state(quadruped, 10, states)
    want = dtau.fd_derivatives(quadruped, q, v, tau)
    for threads in (0, 2, 3):
        got = dtau.fd_derivatives(quadruped, q, v, tau, threads=threads)
        assert all(np.array_equal(x, y) for x, y in zip(got, want, strict=True)), threads
    half = states // 2
    parts = [dtau.fd_derivatives(quadruped, q[i], v[i], tau[i]).dqdd_dq for i in (slice(half), slice(half, None))]
    assert np.array_equal(np.concatenate(parts), want.dqdd_dq)


def test_optional_velocities(quadruped):
    q, v, a, _ = random_state(quadruped, 11, 4)
    placed, moved = dtau.forward_kinematics(quadruped, q), dtau.forward_kinematics(quadruped, q, v)
    assert not placed.velocity.any() and not placed.classical_acceleration.any()
    assert np.array_equal(placed.placement, moved.placement) and np.array_equal(placed.placement, dtau.placements(quadruped, q))
    assert np.array_equal(moved.acceleration, dtau.forward_kinematics(quadruped, q, v, 0 * v).acceleration)
    assert np.array_equal(moved.acceleration, dtau.forward_kinematics(quadruped, q, v, a=None).acceleration)
    assert dtau.forward_kinematics(quadruped, q, out=placed) is placed
    assert np.array_equal(dtau.centre_of_mass(quadruped, q).position, dtau.centre_of_mass(quadruped, q, v, a).position)
    assert dtau.centre_of_mass(quadruped, q.astype(np.float32)).position.dtype == np.float32
    homogeneous = moved.homogeneous
    assert homogeneous.shape == (4, len(quadruped.frames), 4, 4) and np.all(homogeneous[..., 3, :] == [0, 0, 0, 1])


def test_kinematics_of_all_frames_are_those_of_each(model):
    q, v, a, _ = random_state(model, 12, 3)
    for reference in ("local", "world", "local_world_aligned"):
        everything = dtau.forward_kinematics(model, q, v, a, reference)
        classical = everything.classical_acceleration
        names = [frame.name for frame in model.frames]
        for frame in model.frames[:: max(1, len(names) // 5)]:
            if names.count(frame.name) > 1:
                continue  # a joint and a link have the same name
            placement = dtau.frame_placement(model, q, frame.name)
            assert np.array_equal(placement, everything.placement[:, frame.index])
            assert np.array_equal(placement[..., :3], everything.rotation[:, frame.index])
            assert np.array_equal(placement[..., 3], everything.position[:, frame.index])
            of_frame = frame.name, reference
            assert np.allclose(dtau.frame_velocity(model, q, v, *of_frame), everything.velocity[:, frame.index], atol=1e-12)
            assert np.array_equal(dtau.frame_acceleration(model, q, v, a, *of_frame), everything.acceleration[:, frame.index])
            assert np.allclose(dtau.frame_classical_acceleration(model, q, v, a, *of_frame), classical[:, frame.index])


def test_the_library_writes_into_the_arrays_themselves(quadruped):
    """Matrices of one state are column-major, as the library writes them."""
    q, v, a, _ = random_state(quadruped, 13)
    d = dtau.id_derivatives(quadruped, q, v, a)
    assert all(matrix.flags.f_contiguous and matrix.flags.owndata for matrix in d[1:])
