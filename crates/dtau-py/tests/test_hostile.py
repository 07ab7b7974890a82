"""Input that could crash the process, or give wrong numbers silently."""

import os
import sys
import textwrap

import dtau
import numpy as np
import pytest
from calls import ALL_CALLS, arrays
from conftest import random_state, run

Q, V = np.zeros(6), np.zeros(6)


def under_limit(mebibytes, code):
    """Returns a program's output, with this memory limit in addition to that of Python, NumPy and dtau."""
    begin = f"""
    import resource, threading
    import dtau, numpy as np
    arm = dtau.Model.bundled("arm6")
    dtau.rnea(arm, np.zeros(6), np.zeros(6), np.zeros(6))
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ({mebibytes} << 20), resource.RLIM_INFINITY))
    def attempt(f):
        try:
            f()
            print("done")
        except MemoryError as error:
            print("MemoryError:", error)
    """
    return run([sys.executable, "-c", textwrap.dedent(begin) + textwrap.dedent(code)]).stdout


linux = pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are Linux's")


@linux
def test_more_configurations_than_memory_are_a_memory_error():
    said = under_limit(200, "attempt(lambda: arm.random(0, 10**9)); attempt(lambda: arm.random(0, (10**5, 10**4)))")
    assert said.count("MemoryError: ") == 2 and "done" not in said
    assert "allocate" in said


@linux
@pytest.mark.parametrize("limit", [4, 40, 160, 400, 1500])
def test_a_long_chain_under_a_memory_limit_is_built_or_a_memory_error(limit):
    """It takes 340 MB."""
    said = under_limit(limit, "attempt(lambda: dtau.generate_tree(100_000))")
    assert said.startswith("done" if limit > 1000 else ("MemoryError: ", "done") if limit > 300 else "MemoryError: ")


@linux
@pytest.mark.parametrize("limit", [4, 40, 160])
def test_other_robots_under_a_memory_limit_are_built_or_a_memory_error(limit):
    said = under_limit(
        limit,
        """
        attempt(lambda: dtau.generate_random(0, 20_000))
        link = '<link name="l%d"/><joint name="j%d" type="fixed"><parent link="l%d"/><child link="l%d"/></joint>'
        links = lambda: "".join(link % (i, i, i - 1, i) for i in range(1, 20_000))
        attempt(lambda: dtau.Model.from_urdf('<robot name="r"><link name="l0"/>' + links() + "</robot>"))
        """,
    )
    assert all(line.startswith(("MemoryError: ", "done")) for line in said.splitlines()) and len(said.splitlines()) == 2


@linux
@pytest.mark.parametrize("function", ["rnea", "crba", "minverse", "id_derivatives", "fd_derivatives"])
def test_scratch_and_results_of_a_large_robot_are_there_or_a_memory_error(function):
    """Matrices of 3,000 × 3,000 take 72 MB each, in addition to factors and plans."""
    said = under_limit(
        400,
        f"""
        chain = dtau.generate_tree(3000)
        x = np.zeros(3000)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        for more in (1, 20, 60, 100, 150, 200):
            resource.setrlimit(resource.RLIMIT_AS, (used + (more << 20), resource.RLIM_INFINITY))
            attempt(lambda: dtau.{function}(chain, *([x] if "{function}" in ("crba", "minverse") else [x, x, x])))
        """,
    )
    said = said.splitlines()
    assert len(said) == 6 and all(line.startswith(("MemoryError", "done")) for line in said)
    assert said[0].startswith("MemoryError")


@pytest.mark.parametrize("call", ALL_CALLS.values(), ids=ALL_CALLS)
@pytest.mark.parametrize("shape", [(), (70,)])
@pytest.mark.parametrize("dtype, huge", [(np.float64, 1e200), (np.float32, 1e30)])
def test_what_overflows_is_an_error_that_says_so(quadruped, call, shape, dtype, huge):
    """Results of finite numbers that are not finite raise an error. Returned results are finite."""
    for place in range(4):
        state = [x.astype(dtype).copy() for x in random_state(quadruped, 0, shape)]
        if place == 0:
            state[0][..., :3] = huge  # distance of the base
        else:
            state[place][...] = huge
        with np.errstate(all="ignore"):
            try:
                results = arrays(call(quadruped, state)).values()
            except ValueError as error:
                assert "not finite" in str(error), error
                continue
        assert all(np.isfinite(x).all() for x in results)


def test_an_overflow_names_the_function_the_argument_and_the_state(arm):
    with pytest.raises(ValueError, match=r"rnea: .*not finite.*`v`"):
        dtau.rnea(arm, Q, np.full(6, 1e200), V)
    many = np.zeros((100, 6))
    many[70] = 1e200
    with pytest.raises(ValueError, match=r"state 70: rnea: .*not finite.*`v`"):
        dtau.rnea(arm, Q, many, V)
    with pytest.raises(ValueError, match=r"not finite.*`f_ext`|not finite.*wrench"):
        push = dtau.Wrench(arm.bodies[-1].name, [1e300] * 3, point=[1e300, 0, 0])
        dtau.rnea(arm, Q, V, V, f_ext=[push])
    with pytest.raises(ValueError, match=r"not finite.*gravity"):
        dtau.rnea(arm, Q, V, V, gravity=[0, 0, 1e308])


def test_large_numbers_that_do_not_overflow_are_computed(arm):
    v = np.linspace(1, 2, 6)
    for f in (lambda v: dtau.rnea(arm, Q, v, V, gravity=[0, 0, 0]), lambda v: dtau.id_derivatives(arm, Q, v, V, gravity=[0, 0, 0]).dtau_dq):
        assert np.allclose(f(1e100 * v) / 1e200, f(v), rtol=1e-12)


def test_a_quaternion_without_direction_cannot_be_normalised(quadruped):
    q = quadruped.neutral()
    for quaternion in ([0, 0, 0, 0], [1e-200, 0, 0, 0]):
        q[3:7] = quaternion
        with pytest.raises(ValueError, match=r"`q\[3:7\]` is the quaternion.*\"root_joint\".*no direction"):
            quadruped.normalise(q)
        many = np.tile(quadruped.neutral(), (5, 1))
        many[3] = q
        with pytest.raises(ValueError, match=r"`q\[3\]\[3:7\]` is the quaternion"):
            quadruped.normalise(many)
    q[3:7] = [0, 0, 3e-100, 4e-100]
    assert np.allclose(quadruped.normalise(q)[3:7], [0, 0, 0.6, 0.8])


def test_out_that_overlaps_itself_is_refused(arm):
    q = np.random.default_rng(0).uniform(-1, 1, (5, 6))
    one = np.zeros(6)
    overlapping = np.lib.stride_tricks.as_strided(one, (5, 6), (0, 8))
    with pytest.raises(ValueError, match="`out` overlaps itself"):
        dtau.rnea(arm, q, V, V, out=overlapping)
    with pytest.raises(ValueError, match="`out` overlaps itself"):
        dtau.rnea(arm, Q, V, V, out=np.lib.stride_tricks.as_strided(np.zeros(1), (6,), (0,)))
    shifted = np.lib.stride_tricks.as_strided(np.zeros(10), (5, 6), (8, 8))
    with pytest.raises(ValueError, match="`out` overlaps itself"):
        dtau.rnea(arm, q, V, V, out=shifted)
    same = np.lib.stride_tricks.as_strided(np.zeros(36), (5, 6, 6), (0, 48, 8))
    with pytest.raises(ValueError, match="`out` overlaps itself"):
        dtau.crba(arm, q, out=same)
    # Strided, reversed, and with axes of length one: not overlapping.
    apart = np.zeros((5, 12))[::-1, ::-2]
    assert np.array_equal(dtau.rnea(arm, q, V, V, out=apart), dtau.rnea(arm, q, V, V))
    one = np.lib.stride_tricks.as_strided(np.zeros(6), (1, 6), (0, 8))
    assert np.array_equal(dtau.rnea(arm, q[:1], V, V, out=one), dtau.rnea(arm, q[:1], V, V))


def test_masks_are_refused(arm):
    masked = np.ma.masked_array(np.ones(6), mask=[0, 0, 1, 0, 0, 0])
    for arguments in ((masked, V, V), (Q, masked, V), ([Q, Q], V, masked)):
        with pytest.raises(TypeError, match="masked array"):
            dtau.rnea(arm, *arguments)
    with pytest.raises(TypeError, match="`out` is a masked array"):
        dtau.rnea(arm, Q, V, V, out=np.ma.masked_array(np.zeros(6), mask=[0, 0, 1, 0, 0, 0]))
    with pytest.raises(TypeError, match="`gravity` is a masked array"):
        dtau.rnea(arm, Q, V, V, gravity=np.ma.masked_array([0, 0, -9.81], mask=[0, 0, 1]))
    with pytest.raises(TypeError, match="`force` is a masked array"):
        dtau.Wrench("base", force=np.ma.masked_array([0, 0, 1], mask=[0, 0, 1]))
    for out in (None, np.ma.masked_array(np.zeros(6))):
        with pytest.raises(TypeError, match="masked array"):
            dtau.rnea(arm, np.ma.masked_array(Q), V, V, out=out)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads by what Linux tells of them")
def test_no_more_threads_are_started_than_help(arm):
    """1,024 threads for a batch of a few hundred states took 200 times as long as two, on two cores."""

    def running():
        return len(os.listdir("/proc/self/task"))

    before = running()
    dtau.rnea(arm, np.zeros((2000, 6)), V, V, threads=1024)
    assert running() - before < max(os.cpu_count(), 8)


@pytest.mark.parametrize("threads", [-1, 10**9, -(10**30), 10**30])
@pytest.mark.parametrize("shape", [(6,), (3, 6)])
def test_a_number_of_threads_that_is_none_is_refused_for_one_state_and_many(arm, threads, shape):
    with pytest.raises(ValueError, match=r"`threads` is -?1.*; it must be from 1 to 1024, or 0 for one a core"):
        dtau.rnea(arm, np.zeros(shape), V, V, threads=threads)
