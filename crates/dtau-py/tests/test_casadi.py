"""Functions for CasADi: values and derivatives are those of the library. Compiled code is cached."""

import doctest
import inspect

import dtau
import numpy as np
import pytest

casadi = pytest.importorskip("casadi")
import dtau.casadi  # noqa: E402

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("casadi")


@pytest.fixture(scope="module")
def pendulum():
    return dtau.Model.bundled("double_pendulum")


def symbols(f):
    return [casadi.MX.sym(f.name_in(k), f.sparsity_in(k)) for k in range(f.n_in())]


def at(state, x, y):
    return np.array(casadi.Function("at", x, [y])(*state))


def test_forward_dynamics_with_first_and_second_derivatives(pendulum, cache):
    model = pendulum.with_options(gravity=(0, 1, -3))
    rng = np.random.default_rng(0)
    state = [rng.uniform(-1, 1, 2) for _ in range(3)]
    aba = dtau.casadi.aba(model, cache=cache)
    x, want = symbols(aba), dtau.fd_derivatives(model, *state)
    y, weights = aba(*x), rng.uniform(-1, 1, 2)
    assert aba.name_in() == ["q", "v", "tau"] and aba.name_out() == ["qdd"]
    assert np.allclose(at(state, x, y).ravel(), want.qdd, rtol=1e-12)
    for by, block in zip(x, (want.dqdd_dq, want.dqdd_dv, want.dqdd_dtau), strict=True):
        assert np.allclose(at(state, x, casadi.jacobian(y, by)), block, rtol=1e-12, atol=1e-12)
    hessian = casadi.hessian(casadi.dot(weights, y), casadi.vertcat(*x))[0]
    want = dtau.fd_hessian(model, *state, weights)
    assert np.allclose(at(state, x, hessian)[:2, :2], want.qq, rtol=1e-11, atol=1e-11)
    assert np.allclose(at(state, x, hessian)[:2, 4:], want.qtau, rtol=1e-11, atol=1e-11)


def test_functions_of_frames_and_of_constraints(pendulum, cache):
    q = np.array([0.3, -0.7])
    tip = pendulum.frames[-1]
    for frame in (tip, tip.name):
        place = dtau.casadi.frame_placement(pendulum, frame=frame, cache=cache)
        x = symbols(place)
        assert np.allclose(np.array(casadi.reshape(place(q), 3, 4)), dtau.frame_placement(pendulum, q, tip))
    h = 1e-6
    slope = (dtau.frame_placement(pendulum, q + [h, 0], tip) - dtau.frame_placement(pendulum, q - [h, 0], tip)) / (2 * h)
    assert np.allclose(at([q], x, casadi.jacobian(place(*x), x[0]))[:, 0], slope.T.ravel(), atol=1e-8)

    held = dtau.Constraints(pendulum).joints({"shoulder": 1.0, "elbow": 1.0}).sum_to(-0.4)
    fd = dtau.casadi.constrained_fd(pendulum, held, cache=cache)
    want = dtau.constrained_fd(pendulum, held, q, 0 * q, 1 + q)
    for got, name in zip(fd(q, 0 * q, 1 + q), ("qdd", "lambda_"), strict=True):
        assert np.allclose(np.array(got).ravel(), getattr(want, name)), name


def test_it_serves_a_solver(pendulum, cache):
    """IPOPT finds the torques without acceleration, which balance gravity, with exact derivatives."""
    aba = dtau.casadi.aba(pendulum, cache=cache)
    q, opti = np.array([0.3, -0.7]), casadi.Opti()
    tau = opti.variable(2)
    opti.minimize(casadi.sumsqr(aba(q, np.zeros(2), tau)))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    assert np.allclose(opti.solve().value(tau), dtau.gravity_torques(pendulum, q), atol=1e-6)


def test_what_was_compiled_is_kept(pendulum, cache):
    dtau.casadi.energy(pendulum, cache=cache)
    before = {file: file.stat().st_mtime_ns for file in cache.iterdir()}
    dtau.casadi.energy(pendulum, cache=cache)
    assert {file: file.stat().st_mtime_ns for file in cache.iterdir()} == before
    dtau.casadi.energy(pendulum.with_gravity((0, 0, -1)), cache=cache)  # its numbers are in the code
    assert len(list(cache.iterdir())) == len(before) + 1


def test_names_of_robots_that_casadi_would_refuse(cache):
    for name in ("my--arm-", "_2"):
        b = dtau.ModelBuilder(name)
        b.link("base")
        b.link("tip", mass=1, com=(0, 0, 1))
        b.joint("j", "revolute", "base", "tip")
        assert float(dtau.casadi.crba(b.build(), cache=cache)(0.0)) == 1


def test_all_functions_of_arrays_are_there_and_wrong_calls_say_so(pendulum, cache):
    functions = {name: getattr(dtau, name) for name in dtau.__all__ if inspect.isbuiltin(getattr(dtau, name))}
    of_arrays = {name for name, f in functions.items() if "threads" in inspect.signature(f).parameters}
    assert set(dtau.casadi.__all__) == of_arrays <= set(dir(dtau.casadi)) and len(of_arrays) > 60
    assert str(inspect.signature(dtau.casadi.frame_jacobian)).startswith("(model, frame, reference='local_world_aligned', *")
    for use, error, message in [
        (lambda: dtau.casadi.frame_jacobian(pendulum), TypeError, r"dtau\.casadi\.frame_jacobian\(.*missing .* 'frame'"),
        (lambda: dtau.casadi.frame_jacobian(pendulum, frame=["a"]), KeyError, r'no frame called "a"'),
        (lambda: dtau.casadi.aba(3), TypeError, r"`model` is of type int; it must be a dtau\.Model"),
        (lambda: dtau.casadi.aba(pendulum, q=3), TypeError, r"unexpected keyword argument 'q'"),
        (lambda: dtau.casadi.constrained_fd(pendulum, 3), TypeError, r"`constraints` of constrained_fd is an int"),
        (lambda: dtau.casadi.assemble, AttributeError, r"no attribute 'assemble'; it has the functions of arrays"),
        (lambda: dtau.casadi.aba(pendulum, compiler="no-cc", cache=cache), RuntimeError, r'compiler "no-cc" does not work'),
    ]:
        with pytest.raises(error, match=message):
            use()


def test_the_examples_run(cache, monkeypatch):
    monkeypatch.setenv("DTAU_CACHE", str(cache))
    assert doctest.testmod(dtau.casadi) == (0, 6)
