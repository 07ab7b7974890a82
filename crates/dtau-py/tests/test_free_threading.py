"""Many threads on the same objects, on any Python: results have the bits of a serial call, or an error gives the
reason.

With a free-threaded Python they really run in parallel, and importing dtau must not enable the lock.
"""

import os
import sys
import sysconfig
import threading
import time

import dtau
import numpy as np
import pytest
from conftest import DEADLINE, LONG, random_state, run

THREADS = 8
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


@pytest.fixture(autouse=True)
def change_threads_often():
    """Switches threads often where they take turns, so that they also meet in the middle of operations."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(work):
    """Returns the results of `work(k)` from several threads that start together, or raises the first exception."""
    barrier, results, errors = threading.Barrier(THREADS), [None] * THREADS, []

    def one(k):
        try:
            barrier.wait(DEADLINE)
            results[k] = work(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=one, args=(k,), daemon=True) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + DEADLINE
    for thread in threads:
        thread.join(deadline - time.monotonic())
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]
    return results


def bits(result):
    return [np.asarray(x).tobytes() for x in (result if isinstance(result, tuple) else (result,))]


def robot():
    return dtau.Model.bundled("quadruped", root="floating")


def calls(model):
    """Functions of a model and keywords: one state, many states, both precisions, nested threads, forces."""
    q, v, a, tau = random_state(model, 7, 70)
    push = [dtau.Wrench(model.bodies[-1].name, force=(1.0, 2.0, 3.0))]
    single = [x.astype(np.float32) for x in (q, v, a)]
    return {
        "rnea": lambda m, **k: dtau.rnea(m, q[0], v[0], a[0], **k),
        "rnea, forces": lambda m, **k: dtau.rnea(m, q[1], v[1], a[1], f_ext=push, gravity=(0, 0, -1.62), **k),
        "id_derivatives": lambda m, **k: dtau.id_derivatives(m, q[2], v[2], a[2], **k),
        "fd_derivatives": lambda m, **k: dtau.fd_derivatives(m, q[3], v[3], tau[3], **k),
        "forward_kinematics": lambda m, **k: dtau.forward_kinematics(m, q[4], **k),
        "rnea, many": lambda m, **k: dtau.rnea(m, q, v, a, **k),
        "rnea, single precision": lambda m, **k: dtau.rnea(m, *single, **k),
        "id_derivatives, many": lambda m, **k: dtau.id_derivatives(m, q, v, a, **k),
        "fd_derivatives, many": lambda m, **k: dtau.fd_derivatives(m, q, v, tau, **k),
        "fd_derivatives, threads": lambda m, **k: dtau.fd_derivatives(m, q, v, tau, threads=2, **k),
    }


def test_importing_leaves_the_lock_as_it_is():
    program = "import sys, dtau; print(getattr(sys, '_is_gil_enabled', lambda: True)())"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    done = run([sys.executable, "-W", "error::RuntimeWarning", "-c", program], env=environment)
    assert (done.stdout.strip(), done.stderr) == (str(not FREE_THREADED), "")


def test_the_same_bits_from_many_threads():
    serial = robot()
    functions = calls(serial)
    want = {name: bits(call(serial)) for name, call in functions.items()}
    model, names = robot(), list(functions)  # not used by any call yet: many threads create its scratch and hash at once

    def work(k):
        own = dtau.Workspace(model)
        assert model == serial and hash(model) == hash(serial)
        for turn in range(60 if LONG else 10):
            for name in np.roll(names, k + turn):
                keywords = {"workspace": own} if turn % 2 else {}
                assert bits(functions[name](model, **keywords)) == want[name], name
        return True

    assert all(at_once(work))


def test_a_shared_workspace_gives_right_results_or_an_error():
    model = robot()
    functions, shared = calls(model), dtau.Workspace(model)
    want = {name: bits(call(model)) for name, call in functions.items()}

    def work(k):
        done = 0
        for turn in range(20):
            for name in np.roll(list(functions), k + turn):
                try:
                    result = functions[name](model, workspace=shared)
                except RuntimeError as error:
                    assert "in use by another thread; make one dtau.Workspace a thread" in str(error)
                else:
                    assert bits(result) == want[name], name
                    done += 1
        return done

    assert sum(at_once(work)) > 0
    for name, call in functions.items():
        assert bits(call(model, workspace=shared)) == want[name], name


@pytest.mark.parametrize("strided", [False, True])
def test_a_shared_result_is_written_by_one_call_at_a_time(arm, strided):
    """Calls on the same result are refused. Without Python's lock this must happen: they repeat until it does."""
    q, v, a, _ = random_state(arm, 1)
    shared = np.zeros((arm.nv, 2))[:, 0] if strided else np.zeros(arm.nv)
    want = dtau.rnea(arm, q, v, a)
    refused, deadline = threading.Event(), time.monotonic() + 30

    def work(k):
        turn = 0
        while turn < 500 or (FREE_THREADED and not refused.is_set() and time.monotonic() < deadline):
            turn += 1
            try:
                dtau.rnea(arm, q, v, a, out=shared)
            except ValueError as error:
                assert "`out` shares memory" in str(error)
                refused.set()

    at_once(work)
    assert np.array_equal(shared, want)
    if FREE_THREADED and not sys._is_gil_enabled() and (os.cpu_count() or 1) > 1:
        assert refused.is_set()


def test_results_side_by_side_in_one_array(quadruped):
    """Threads may write to disjoint parts of one array."""
    q, v, a, _ = random_state(quadruped, 2, THREADS)
    want = dtau.rnea(quadruped, q, v, a)
    out = np.zeros_like(want)

    def work(k):
        for _ in range(300):
            dtau.rnea(quadruped, q[k], v[k], a[k], out=out[k])

    at_once(work)
    assert np.array_equal(out, want)


def test_a_builder_loses_nothing():
    """Two threads use one builder: a link is added, or the call raises an error."""
    builder = dtau.ModelBuilder("shared")

    def work(k):
        done = 0
        for n in range(200):
            try:
                builder.link(f"{k}/{n}", mass=1.0)
            except RuntimeError:
                continue
            done += 1
        return done

    done = sum(at_once(work))
    assert f"{done} links" in repr(builder)
