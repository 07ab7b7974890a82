"""Threads: shared objects, parallel calls, and interruption by Ctrl-C."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import dtau
import numpy as np
import pytest
from conftest import DEADLINE, random_state


def batch_lasting(seconds, model):
    """Returns arguments of `fd_derivatives` with as many states as take about this time, on any build and machine."""
    q, v, _, tau = random_state(model, 0, 64)
    dtau.fd_derivatives(model, q, v, tau)
    started = time.perf_counter()
    dtau.fd_derivatives(model, q, v, tau)
    times = 1 + int(seconds / (time.perf_counter() - started))
    return [np.tile(x, (times, 1)) for x in (q, v, tau)]


def test_threads_share_a_model(quadruped):
    states = [random_state(quadruped, seed, 50) for seed in range(8)]
    want = [dtau.fd_derivatives(quadruped, q, v, tau) for q, v, _, tau in states]
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(dtau.fd_derivatives, quadruped, q, v, tau) for q, v, _, tau in states * 5]
    for k, future in enumerate(futures):
        assert all(np.array_equal(x, y) for x, y in zip(future.result(DEADLINE), want[k % 8], strict=True))


def test_single_states_in_threads(quadruped):
    q, v, a, _ = random_state(quadruped, 1, 40)
    want = dtau.rnea(quadruped, q, v, a)

    def work(k):
        return all(np.array_equal(dtau.rnea(quadruped, q[i], v[i], a[i]), want[i]) for i in range(k, 40, 4) for _ in range(20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4), timeout=DEADLINE))


def errors_while(call, attempt):
    """Returns the messages of errors that `attempt` raises while `call` runs in another thread. Without a lock,
    an attempt may be first and `call` is refused; then it is repeated."""
    errors, started = [], threading.Event()

    def run():
        started.set()
        for _ in range(1000):
            try:
                return call()
            except (RuntimeError, ValueError) as error:
                refused = error
        raise refused

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    deadline = time.monotonic() + DEADLINE
    assert started.wait(DEADLINE)
    while thread.is_alive():
        assert time.monotonic() < deadline, "the call hangs"
        try:
            attempt()
        except (RuntimeError, ValueError) as error:
            errors.append(str(error))
            time.sleep(0.005)
    thread.join()
    return errors


def test_a_workspace_serves_one_thread_at_a_time():
    """The other thread gets an error, not a crash. Afterwards the workspace is unchanged."""
    model = dtau.generate_tree(60, branching=2)
    workspace = dtau.Workspace(model)
    q, v, tau = batch_lasting(0.5, model)
    errors = errors_while(
        lambda: dtau.fd_derivatives(model, q, v, tau, workspace=workspace),
        lambda: dtau.rnea(model, q[0], v[0], v[0], workspace=workspace),
    )
    assert errors and all("in use by another thread; make one dtau.Workspace a thread" in e for e in errors)
    assert np.array_equal(dtau.rnea(model, q[0], v[0], v[0], workspace=workspace), dtau.rnea(model, q[0], v[0], v[0]))


ATTEMPTS = {
    "many": (lambda m, q, v, out: dtau.fd_derivatives(m, q[:1], v[:1], v[:1], out=dtau.FdDerivatives(*(x[:1] for x in out))), "shares"),
    "one": (lambda m, q, v, out: dtau.rnea(m, q[0], v[0], v[0], out=out.qdd[0]), "shares memory"),
    "the last": (lambda m, q, v, out: dtau.crba(m, q[0], out=out.dqdd_dq[-1]), "shares memory"),
    "read": (lambda m, q, v, out: dtau.rnea(m, q[0], out.qdd[0], v[0]), "`v` is being written to by another call"),
    "argument": (lambda m, q, v, out: dtau.rnea(m, q[-1], v[0], v[0], out=v[-1]), "shares memory"),
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_an_array_is_written_by_one_call_at_a_time(quadruped, attempt):
    q, v, tau = batch_lasting(0.5, quadruped)
    out = dtau.fd_derivatives(quadruped, q, v, tau)
    call, message = ATTEMPTS[attempt]
    errors = errors_while(lambda: dtau.fd_derivatives(quadruped, q, v, tau, out=out), lambda: call(quadruped, q, v, out))
    assert errors and all(message in e for e in errors)


def test_others_read_the_arguments_of_a_batch(quadruped):
    q, v, tau = batch_lasting(0.3, quadruped)
    want = dtau.rnea(quadruped, q[0], v[0], v[0])
    got = []
    errors = errors_while(
        lambda: dtau.fd_derivatives(quadruped, q, v, tau), lambda: got.append(dtau.rnea(quadruped, q[0], v[0], v[0]))
    )
    assert not errors and got and all(np.array_equal(x, want) for x in got)


@pytest.mark.parametrize("threads", [1, 2])
def test_others_run_during_a_batch(quadruped, threads):
    q, v, tau = batch_lasting(0.5, quadruped)
    thread = threading.Thread(target=lambda: dtau.fd_derivatives(quadruped, q, v, tau, threads=threads), daemon=True)
    thread.start()
    ticks, deadline = 0, time.monotonic() + DEADLINE
    while thread.is_alive():
        assert time.monotonic() < deadline, "the batch hangs"
        ticks += 1
        time.sleep(0.001)
    assert ticks > 10  # with the lock held there would be one or two


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_interrupts_a_long_batch(threads):
    """A batch of minutes ends within one or two seconds of the signal."""
    # A background program starts with SIGINT ignored, and Python then installs no handler, so the child
    # installs its own.
    program = textwrap.dedent(
        f"""
        import dtau, numpy as np, signal, time
        signal.signal(signal.SIGINT, signal.default_int_handler)
        model = dtau.generate_tree(50)
        q = np.lib.stride_tricks.as_strided(np.zeros(50), (20_000, 50), (0, 8)).copy()
        v = np.zeros(50)
        small = dtau.fd_derivatives(model, q[:64], v, v, threads={threads})
        print("ready", flush=True)
        started = time.monotonic()
        try:
            while True:
                dtau.fd_derivatives(model, q, v, v, threads={threads})
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        again = dtau.fd_derivatives(model, q[:64], v, v, threads={threads})  # and it works as before
        print(np.array_equal(small.dqdd_dq, again.dqdd_dq), flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    # Once killed, it closes its pipe, and the lines below are empty.
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        waited = time.monotonic() - sent
        assert process.stdout.readline() == "True\n"
        assert process.wait(timeout=60) == 0
    finally:
        watchdog.cancel()
        process.kill()
        process.wait(timeout=60)
    assert waited < 5, waited


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_has_threads_of_its_own(quadruped):
    q, v, _, tau = random_state(quadruped, 0, 200)
    workspace = dtau.Workspace(quadruped)
    want = dtau.fd_derivatives(quadruped, q, v, tau, threads=2, workspace=workspace).dqdd_dq.copy()
    child = os.fork()
    if child == 0:
        got = dtau.fd_derivatives(quadruped, q, v, tau, threads=2, workspace=workspace).dqdd_dq
        os._exit(0 if np.array_equal(got, want) else 1)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")
