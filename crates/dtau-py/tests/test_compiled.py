"""`model.compiled`: the module's functions in code that was compiled for a robot."""

import copy
import inspect
import os
import pickle
import subprocess
import sys
import threading

import dtau
import numpy as np
import pytest
from calls import FUNCTIONS, arrays

# Compiled code does the library's operations, with three exceptions: atan2 is the system's, products with M⁻¹
# may be summed in another order, and entries of rotations within 1e-11 of 0 or 1 are set to it.
TOLERANCE = 1e-9

ASKED = ["rnea", "aba", "crba", "fd_derivatives", ("frame_jacobian", {"frame": ["tool0", "forearm"]})]


@pytest.fixture(scope="module")
def model():
    return dtau.Model.bundled("arm6")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def fast(model, cache):
    return model.compiled(ASKED, cache=cache)


@pytest.fixture
def counting(tmp_path):
    """Returns a compiler that records its compilations, and a function that counts them."""
    log, script = tmp_path / "log", tmp_path / "counting.sh"
    script.write_text(f'case "$*" in\n*-dM*) ;;\n*) echo compiled >>"{log}" ;;\nesac\nexec cc "$@"\n')
    return f"sh {script}", lambda: len(log.read_text().splitlines()) if log.exists() else 0


def state(model, seed, *lead):
    rng = np.random.default_rng(seed)
    numbers = (rng.uniform(-1, 1, (*lead, model.nv)) for _ in range(3))
    return model.random(rng, lead), *numbers


def assert_same(got, want):
    assert type(got) is type(want)
    for (name, got), want in zip(arrays(got).items(), arrays(want).values(), strict=True):
        assert got.shape == want.shape and got.dtype == want.dtype, name
        np.testing.assert_allclose(got, want, rtol=0, atol=TOLERANCE * max(1.0, np.abs(want).max(initial=0)), err_msg=name)


@pytest.mark.parametrize("lead", [(), (1,), (7,), (3, 5), (0,)])
def test_results_are_those_of_the_module(model, fast, lead):
    q, v, a, tau = state(model, 1, *lead)
    assert_same(fast.rnea(q, v, a), dtau.rnea(model, q, v, a))
    assert_same(fast.aba(q, v, tau), dtau.aba(model, q, v, tau))
    assert_same(fast.crba(q), dtau.crba(model, q))
    assert_same(fast.fd_derivatives(q, v, tau=tau), dtau.fd_derivatives(model, q, v, tau))
    for frame in ("tool0", model.frame("forearm"), ["forearm", "tool0"], "upper_arm"):
        assert_same(fast.frame_jacobian(q, frame), dtau.frame_jacobian(model, q, frame))
    assert_same(fast.frame_jacobian(q, "tool0", "local"), dtau.frame_jacobian(model, q, "tool0", "local"))
    assert_same(fast.minverse(q), dtau.minverse(model, q))


def test_it_is_code_that_computes(model, tmp_path):
    """If the compiled source is modified, only results of covered functions change."""
    script = tmp_path / "altering.sh"
    script.write_text(
        'for word; do case "$word" in *robot.c) sed -i "/^int robot_f(/,/^}/s/return 0;/tau[0] = 42; return 0;/" "$word" ;; esac; done\nexec cc "$@"\n'
    )
    altered = model.compiled("rnea", compiler=f"sh {script}", cache=tmp_path / "cache")
    q, v, a, _ = state(model, 2)
    assert altered.rnea(q, v, a)[0] == 42 and dtau.rnea(model, q, v, a)[0] != 42
    assert_same(altered.rnea(q, v, a)[1:], dtau.rnea(model, q, v, a)[1:])
    assert (altered.bias(q, v) == dtau.bias(model, q, v)).all()
    push = [dtau.Wrench.local("tool0", [1.0, 2.0, 3.0])]
    assert (altered.rnea(q, v, a, f_ext=push) == dtau.rnea(model, q, v, a, f_ext=push)).all()


def test_states_have_the_same_bits_in_any_company(model, fast):
    q, v, _, tau = state(model, 3, 203)
    together = fast.fd_derivatives(q, v, tau)
    for threads in (2, 0):
        assert all((x == y).all() for x, y in zip(fast.fd_derivatives(q, v, tau, threads=threads), together))
    for k in (0, 5, 202):
        assert all((x == y[k]).all() for x, y in zip(fast.fd_derivatives(q[k], v[k], tau[k]), together))


def test_gravity_forces_and_precision_are_those_of_the_module(model, fast):
    q, v, a, tau = state(model, 4, 6)
    push = [dtau.Wrench.local("tool0", [1.0, 2.0, 3.0])]
    for more in (
        {"gravity": [0, 0, -1.62]},
        {"gravity": [0, 0, 0]},
        {"gravity": [1, 0, -9.81]},
        {"f_ext": push},
        {"damping": False, "friction": False, "armature": False},
    ):
        assert_same(fast.rnea(q, v, a, **more), dtau.rnea(model, q, v, a, **more))
        assert_same(fast.aba(q[0], v[0], tau[0], **more), dtau.aba(model, q[0], v[0], tau[0], **more))
        assert_same(fast.rnea(q, v, a), dtau.rnea(model, q, v, a))
    single = [x.astype(np.float32) for x in (q, v, a)]
    assert (fast.rnea(*single) == dtau.rnea(model, *single)).all()


def test_out_and_workspace_are_those_of_the_module(model, fast):
    q, v, _, tau = state(model, 5)
    workspace, out = dtau.Workspace(model), fast.fd_derivatives(q, v, tau)
    for array in out:
        array[...] = np.nan
    assert fast.fd_derivatives(q, v, tau, out=out, workspace=workspace) is out
    assert_same(out, dtau.fd_derivatives(model, q, v, tau))
    many = np.full((2, 9, model.nv), np.nan)
    q, v, _, tau = state(model, 6, 2, 9)
    assert fast.aba(q, v, tau, out=many, workspace=workspace, threads=2) is many
    assert_same(many, dtau.aba(model, q, v, tau))
    with pytest.raises(ValueError, match="`out` has shape"):
        fast.aba(q, v, tau, out=np.empty(3))


def test_errors_are_those_of_the_module(model, fast):
    q, v, a, _ = state(model, 7)

    def error(call):
        with pytest.raises(Exception) as caught:
            call()
        return caught.type, str(caught.value)

    bad = np.stack([v, v * np.nan])
    for ours, theirs in (
        (lambda: fast.rnea(q[:2], v, a), lambda: dtau.rnea(model, q[:2], v, a)),
        (lambda: fast.rnea(q, v * np.nan, a), lambda: dtau.rnea(model, q, v * np.nan, a)),
        (lambda: fast.rnea(q, bad, a), lambda: dtau.rnea(model, q, bad, a)),
        (lambda: fast.rnea(q, 1e200 * v, a), lambda: dtau.rnea(model, q, 1e200 * v, a)),
        (lambda: fast.frame_jacobian(q, "nobody"), lambda: dtau.frame_jacobian(model, q, "nobody")),
        (lambda: fast.rnea(q, v, a, threads=-1), lambda: dtau.rnea(model, q, v, a, threads=-1)),
        (lambda: fast.rnea(q, v), lambda: dtau.rnea(model, q, v)),
        (lambda: fast.rnea(q, v, a, sideways=1), lambda: dtau.rnea(model, q, v, a, sideways=1)),
        (lambda: fast.rnea(q, v, a, q=q), lambda: dtau.rnea(model, q, v, a, q=q)),
    ):
        assert error(ours) == error(theirs)
    assert error(lambda: fast.rnea(model, q, v, a)) == (TypeError, "rnea() takes 3 positional arguments but 4 were given")
    assert error(lambda: fast.rnea(q, v, a, model=model)) == (TypeError, "rnea() got an unexpected keyword argument 'model'")


def test_it_has_every_function_with_the_signature_of_the_module(fast):
    for name, function in FUNCTIONS.items():
        ours, theirs = inspect.signature(getattr(fast, name)), inspect.signature(function)
        assert list(ours.parameters.values()) == list(theirs.parameters.values())[1:], name
    assert fast.rnea.__self__ is fast and "dtau.rnea" in fast.rnea.__doc__
    with pytest.raises(TypeError, match="Compiled"):
        dtau.Compiled.rnea(3)


def test_it_says_what_was_compiled(model, fast):
    assert fast.model is model
    assert repr(fast) == f'<dtau.Compiled of "{model.name}": rnea, aba, crba, frame_jacobian, fd_derivatives>'
    assert fast.covers("rnea") and not fast.covers("bias")
    assert fast.covers("frame_jacobian", frame="forearm") and fast.covers("frame_jacobian", frame=["forearm", "tool0"])
    assert not fast.covers("frame_jacobian", frame="forearm", reference="world")
    assert not fast.covers("frame_jacobian", frame=["forearm", "upper_arm"])


def test_functions_under_constraints_are_compiled_for_a_set(cache, monkeypatch):
    model = dtau.Model.bundled("quadruped", root="floating")
    q, v, tau, _ = state(model, 5, 6)

    def held(*feet):
        constraints = dtau.Constraints(model)
        for foot in feet:
            constraints = constraints.point(foot).at_world_here(q[0])
        return constraints.stabilise(kp=100.0, kd=20.0)

    diagonal, front, all_feet = held("lf_foot", "rh_foot"), held("lf_foot", "rf_foot"), held("lf_foot", "rf_foot", "lh_foot")
    asked = ["rnea", *(("constrained_fd", {"constraints": feet}) for feet in (diagonal, front))]
    fast = model.compiled(asked, cache=cache)
    for feet, is_compiled in ((diagonal, True), (front, True), (all_feet, False)):
        assert fast.covers("constrained_fd", constraints=feet) is is_compiled
        got, want = fast.constrained_fd(feet, q, v, tau), dtau.constrained_fd(model, feet, q, v, tau)
        assert_same(got.qdd, want.qdd)
        assert_same(got.lambda_, want.lambda_)
        one = fast.constrained_fd(feet, q[2], v[2], tau[2])
        assert (one.qdd == got.qdd[2]).all() and (one.lambda_ == got.lambda_[2]).all()
    assert fast.covers("constrained_fd") and not fast.covers("impulse") and fast.covers("rnea")
    monkeypatch.setenv("DTAU_CACHE", str(cache))
    again, feet = pickle.loads(pickle.dumps((fast, diagonal)))
    assert (again.constrained_fd(feet, q, v, tau).qdd == fast.constrained_fd(diagonal, q, v, tau).qdd).all()
    with pytest.raises(TypeError, match="constrained_fd is compiled for constraints"):
        model.compiled("constrained_fd", cache=cache)
    with pytest.raises(TypeError, match="must be a dtau.Constraints"):
        model.compiled([("constrained_fd", {"constraints": "feet"})], cache=cache)
    with pytest.raises(ValueError, match="another robot"):
        dtau.Model.bundled("arm6").compiled([("constrained_fd", {"constraints": diagonal})], cache=cache)


def test_what_cannot_be_compiled_is_refused(model, cache):
    for functions, error, text in (
        (["rneaa"], dtau.UnknownNameError, "rnea"),
        (["frame_jacobian"], ValueError, "compiled for a frame"),
        ([("frame_jacobian", {"frame": "nobody"})], dtau.UnknownNameError, "nobody"),
        ([("rnea", {"frame": "tool0"})], TypeError, "no parameter 'frame'"),
        ([("frame_jacobian", {"frame": "tool0", "reference": "sideways"})], ValueError, "sideways"),
        ([3], TypeError, r"`functions\[0\]`"),
        (3, TypeError, "`functions` is"),
    ):
        with pytest.raises(error, match=text):
            model.compiled(functions, cache=cache)
    assert repr(model.compiled([], cache=cache)).endswith(": >")


def test_without_a_compiler_it_says_so(model, tmp_path, monkeypatch):
    with pytest.raises(RuntimeError, match='"/no/such/cc" does not work.*CC may name another'):
        model.compiled("rnea", cache=tmp_path, compiler="/no/such/cc")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="there is no C compiler .*gcc or clang"):
        model.compiled("rnea", cache=tmp_path)
    (tmp_path / "file").write_text("")
    monkeypatch.undo()
    with pytest.raises(OSError, match="DTAU_CACHE"):
        model.compiled("rnea", cache=tmp_path / "file")


def test_what_was_compiled_is_kept(model, tmp_path, counting, monkeypatch):
    compiler, compiled = counting
    monkeypatch.setenv("DTAU_CACHE", str(tmp_path / "kept"))
    monkeypatch.setenv("CC", compiler)
    first = model.compiled(["rnea", "crba"])
    assert compiled() == 2
    again, fewer = model.compiled(["crba", "rnea", "rnea"]), model.compiled("rnea")
    q, v, a, _ = state(model, 8, 4)
    assert (first.rnea(q, v, a) == again.rnea(q, v, a)).all() and (first.rnea(q, v, a) == fewer.rnea(q, v, a)).all()
    # The same code serves a robot with other numbers, but not one with other zeros.
    moon, tilted = model.with_gravity([0, 0, -1.62]), model.with_gravity([0, 2.5, -9.5])
    assert_same(moon.compiled("rnea").rnea(q, v, a), dtau.rnea(moon, q, v, a))
    assert compiled() == 2
    assert_same(tilted.compiled("rnea").rnea(q, v, a), dtau.rnea(tilted, q, v, a))
    assert compiled() == 3
    for file in (tmp_path / "kept").iterdir():
        size = file.stat().st_size
        file.unlink()  # it is in use: replaced by another file, not modified
        file.write_bytes(b"x" * size)
    assert_same(model.compiled("rnea").rnea(q, v, a), dtau.rnea(model, q, v, a))
    assert compiled() == 4


def test_it_is_pickled_as_what_was_asked_for(model, cache, monkeypatch):
    monkeypatch.setenv("DTAU_CACHE", str(cache))
    fast = model.compiled([("frame_jacobian", {"frame": [model.frame("tool0"), "forearm"]}), "rnea"])
    assert copy.copy(fast) is fast and copy.deepcopy(fast) is fast
    again = pickle.loads(pickle.dumps(fast))
    assert again.model == model and repr(again) == repr(fast) and again.covers("frame_jacobian", frame="tool0")
    q, v, a, _ = state(model, 9)
    assert (again.rnea(q, v, a) == fast.rnea(q, v, a)).all()


def test_threads_share_it(model, fast):
    q, v, _, tau = state(model, 10, 40)
    want = fast.aba(q, v, tau)
    wrong = []

    def work():
        for k in range(200):
            if (fast.aba(q[k % 40], v[k % 40], tau[k % 40]) != want[k % 40]).any() or (fast.aba(q, v, tau, threads=2) != want).any():
                wrong.append(k)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)
    assert not wrong and not any(worker.is_alive() for worker in workers)


def test_processes_compile_the_same_at_once(tmp_path):
    program = (
        "import dtau, numpy as np; model = dtau.Model.bundled('double_pendulum')\n"
        "fast = model.compiled(['crba', 'aba']); q, v = np.full(model.nq, 0.3), np.ones(model.nv)\n"
        "assert np.allclose(fast.aba(q, v, v), dtau.aba(model, q, v, v))\n"
    )
    environment = {**os.environ, "DTAU_CACHE": str(tmp_path / "cache")}
    both = [subprocess.Popen([sys.executable, "-c", program], env=environment) for _ in range(3)]
    assert [process.wait(timeout=120) for process in both] == [0, 0, 0]
    assert len(list((tmp_path / "cache").iterdir())) >= 2


def test_a_fork_computes_on(model, fast):
    """Threads of the parent do not exist in the child, which must not wait for them."""
    q, v, _, tau = state(model, 11, 300)
    want = fast.aba(q, v, tau, threads=2)
    child = os.fork()
    if child == 0:
        same = (fast.aba(q, v, tau, threads=2) == want).all() and (fast.aba(q[0], v[0], tau[0]) == want[0]).all()
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_compiler_that_hangs_can_be_interrupted(tmp_path):
    """Ctrl-C ends the wait long before the deadline of minutes."""
    script = tmp_path / "hanging.sh"
    script.write_text('case "$*" in\n*-dM*) ;;\n*) echo begun; sleep 100 ;;\nesac\nexec cc "$@"\n')
    program = (
        "import dtau, signal, _thread, threading; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "threading.Timer(1.0, _thread.interrupt_main).start()\n"
        f"try: dtau.Model.bundled('double_pendulum').compiled('rnea', compiler='sh {script}', cache='{tmp_path / 'c'}')\n"
        "except KeyboardInterrupt: print('interrupted', flush=True); import os; os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr
