"""dtau.torch: values, gradients, batches, transforms. Needs a Python with PyTorch (see test.sh)."""

import sys
from functools import partial

import dtau
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="install PyTorch to test dtau.torch")

import dtau.torch
import listed
from conftest import PACKAGE, REPOSITORY, ROBOTS, random_state, run
from dtau._functions import PUBLIC
from dtau._manifold import tangent_transposed
from listed import ORDERS, OTHERS, VALUES_ONLY, by
from torch.autograd import gradcheck, gradgradcheck

CLOSE = {"eps": 1e-6, "atol": 1e-4, "rtol": 1e-4}
CLOSE_TWICE = {"eps": 1e-6, "atol": 1e-3, "rtol": 1e-3}


@pytest.fixture(scope="module")
def general():
    return ROBOTS["general"]()


def call(model, name, seed=0, shape=()):
    """Returns a function of its differentiable arguments, and these arguments."""
    arrays, keywords = listed.arguments(model, name, seed, shape)
    fixed = {key: torch.tensor(x) for key, x in arrays.items() if key not in by(name)}
    f = lambda *x: getattr(dtau.torch, name)(model, **dict(zip(by(name), x)), **fixed, **keywords)
    return f, [torch.tensor(arrays[key], requires_grad=True) for key in by(name)]


def test_the_list_is_whole():
    assert set(PUBLIC) == set(ORDERS) | set(VALUES_ONLY) == set(dtau.torch.__all__) - {"Wrench"}


@pytest.mark.parametrize("name", sorted((set(ORDERS) | set(VALUES_ONLY)) - OTHERS))
def test_values_are_those_of_numpy(general, name):
    arrays, keywords = listed.arguments(general, name, 1, (7,))
    got = getattr(dtau.torch, name)(general, **{key: torch.tensor(x) for key, x in arrays.items()}, **keywords)
    unit = {key: general.normalise(x) if key.startswith("q") else x for key, x in arrays.items()}
    want = getattr(dtau, name)(general, **unit, **keywords)
    assert np.array_equal(got, want) or (name.startswith("mass_") and np.allclose(got, want, rtol=1e-11))


@pytest.mark.parametrize("name", sorted(set(ORDERS) - {"coriolis"}))
def test_gradients_are_those_of_the_values(small, name):
    f, x = call(small, name, 1, (2,))
    assert gradcheck(f, x, **CLOSE)


@pytest.mark.parametrize("name", sorted(name for name in set(ORDERS) - {"rnea", "aba"} if ORDERS[name][1] == 2))
def test_second_gradients_where_the_library_has_them(small, name):
    f, x = call(small, name, 2)
    assert gradgradcheck(f, x, **CLOSE_TWICE)


@pytest.mark.parametrize("shape", [(), (2,)])
@pytest.mark.parametrize("name", ["rnea", "aba"])
def test_second_gradients_are_those_of_the_first(model, name, shape):
    f, x = call(model, name, 10, shape)
    if shape == () or model.nv < 15:
        assert gradcheck(f, x, **CLOSE) and gradgradcheck(f, x, **CLOSE_TWICE)


@pytest.mark.parametrize("name", ["coriolis", "step"])
def test_gradients_where_every_joint_has_one_degree_of_freedom(arm, name):
    f, x = call(arm, name, 3)
    assert gradcheck(f, x, **CLOSE)
    if name == "step":
        assert gradgradcheck(f, x, **CLOSE_TWICE)


@pytest.mark.parametrize("name", ["rnea", "aba", "step"])
def test_gradients_of_arguments_that_broadcast(small, name):
    f, (q, v, x) = call(small, name, 2, (2, 1))
    v, x = (torch.tensor(y.detach().numpy()[index], requires_grad=True) for y, index in ((v, (0, 0)), (x, (slice(1),))))
    assert gradcheck(f, [q, v, x], **CLOSE)


@pytest.mark.parametrize("name", ["rnea", "aba", "bias"])
def test_gradients_go_to_wrenches(small, name):
    frames = small.frames[-1].name, small.frames[1].name
    places = {"axes": "world"}, {"axes": "frame", "point": (0.1, -0.2, 0.3)}

    def f(numbers, *x):
        wrenches = [dtau.torch.Wrench(frame, six[:3], six[3:], **place) for frame, six, place in zip(frames, numbers, places)]
        return getattr(dtau.torch, name)(small, *x, f_ext=wrenches)

    arrays, _ = listed.arguments(small, name, 4)
    numbers = np.random.default_rng(4).normal(size=(2, 6))
    x = [torch.tensor(y, requires_grad=True) for y in (numbers, *arrays.values())]
    same = [dtau.Wrench(frame, six[:3], six[3:], **place) for frame, six, place in zip(frames, numbers, places)]
    want = getattr(dtau, name)(small, *arrays.values(), f_ext=same)
    assert np.allclose(f(*x).detach(), want, rtol=1e-11, atol=1e-11 * np.abs(want).max())
    assert np.allclose(getattr(dtau.torch, name)(small, *x[1:], f_ext=same).detach(), want, rtol=1e-11, atol=1e-11 * np.abs(want).max())
    assert gradcheck(f, x, **CLOSE) and gradgradcheck(f, x, **CLOSE_TWICE)


@pytest.mark.parametrize("name, derivatives", [("rnea", dtau.id_derivatives), ("aba", dtau.fd_derivatives)])
def test_jacobians_are_the_matrices(model, name, derivatives):
    f, x = call(model, name, 3)
    arrays = [y.detach().numpy() for y in x]
    _, dq, dv, dx = derivatives(model, *arrays)
    want = [tangent_transposed(np, model, np.broadcast_to(arrays[0], (model.nv, model.nq)), dq), dv, dx]
    got = torch.autograd.functional.jacobian(f, tuple(x))
    for a, b in zip(got, want):
        assert np.allclose(a, b, rtol=1e-11, atol=1e-11 * np.abs(b).max())


def test_a_step_is_semi_implicit_euler_on_the_manifold(quadruped):
    q, v, _, tau = random_state(quadruped, 5)
    q_next, v_next = dtau.torch.step(quadruped, *map(torch.tensor, (q, v, tau)), 0.02)
    want_v = v + 0.02 * dtau.aba(quadruped, q, v, tau)
    assert np.allclose(v_next, want_v, rtol=1e-14)
    assert np.allclose(q_next, quadruped.integrate(q, 0.02 * want_v), rtol=1e-14)


@pytest.mark.parametrize("name, hessian", [("rnea", dtau.id_hessian), ("aba", dtau.fd_hessian)])
def test_hessians_are_the_matrices(arm, name, hessian):
    g, x = call(arm, name, 11)
    w = torch.arange(1.0, 7.0, dtype=torch.float64)
    want = hessian(arm, *(y.detach().numpy() for y in x), w.numpy())
    (qq, qv, qx), (_, vv, vx), (_, _, xx) = torch.autograd.functional.hessian(lambda *x: w @ g(*x), tuple(x))
    for got, block in ((qq, want[3]), (qv, want[4]), (vv, want[5]), (qx, want[6])):
        assert np.allclose(got, block, rtol=1e-11, atol=1e-11 * np.abs(block).max())
    assert not vx.any() and not xx.any()


def test_derivatives_that_the_library_has_not_are_refused_clearly(arm, quadruped):
    """Also if the next pass comes only through one argument, or only through the first pass's weights."""
    f, x = call(arm, "rnea", 12)
    (gradient,) = torch.autograd.grad((f(*x) ** 2).sum(), x[0], create_graph=True)
    (second,) = torch.autograd.grad(gradient.sum(), x[0], create_graph=True)
    with pytest.raises(NotImplementedError, match=r"dtau.torch: inverse dynamics \(rnea\) has first and second derivatives only"):
        second.sum().backward()
    f, x = call(quadruped, "step", 7)
    value = f(*x)[0].sum()
    for argument in x:
        (gradient,) = torch.autograd.grad(value, argument, create_graph=True)
        with pytest.raises(NotImplementedError, match="and so step, has first derivatives only"):
            gradient.sum().backward(retain_graph=True)
        assert torch.isfinite(gradient).all()  # the value itself is valid


def test_float32_stays_float32(arm):
    for name in sorted(ORDERS):
        arrays, keywords = listed.arguments(arm, name, 8, (3,))
        x = {key: torch.tensor(y, dtype=torch.float32, requires_grad=key in by(name)) for key, y in arrays.items()}
        got = getattr(dtau.torch, name)(arm, **x, **keywords)
        got = got if isinstance(got, tuple) else (got,)
        sum(y.sum() for y in got).backward()
        assert all(y.dtype == torch.float32 for y in got)
        assert all(x[key].grad.dtype == torch.float32 for key in by(name) if x[key].grad is not None)
    f, x = call(arm, "rnea", 8)
    assert dtau.torch.rnea(arm, x[0], x[1].float(), x[2].float()).dtype == torch.float64


def test_memory_is_shared_with_numpy(arm):
    """Input is read in place, and the output's memory is visible to NumPy."""
    x = [torch.zeros(1000, 6, dtype=torch.float64) for _ in range(3)]
    tau = dtau.torch.rnea(arm, *x)
    assert np.shares_memory(tau.numpy(), tau.numpy()) and tau.is_contiguous()
    seen = []
    original = dtau.torch._dtau._run
    try:
        dtau.torch._dtau._run = lambda number, given, out: seen.append((given, out)) or original(number, given, out)
        tau = dtau.torch.rnea(arm, *x)
    finally:
        dtau.torch._dtau._run = original
    ((given, (out,)),) = seen
    assert all(a.ctypes.data == b.data_ptr() for a, b in zip(given, x)) and out.ctypes.data == tau.data_ptr()


def test_keywords_reach_the_functions(arm):
    f, x = call(arm, "aba", 9)
    options = {"gravity": (0, 0, -1.62), "damping": False, "threads": 2}
    arrays = [y.detach().numpy() for y in x]
    assert np.array_equal(dtau.torch.aba(arm, *x, **options).detach(), dtau.aba(arm, *arrays, **options))
    assert gradcheck(partial(dtau.torch.aba, arm, **options), x, **CLOSE)


def test_a_nan_stays_in_its_state(quadruped):
    q, v, _, tau = map(torch.tensor, random_state(quadruped, 13, (70,)))
    want = dtau.torch.aba(quadruped, q, v, tau)
    v[66, 3] = float("nan")
    want[66] = float("nan")
    assert torch.equal(dtau.torch.aba(quadruped, q, v, tau).nan_to_num(-1), want.nan_to_num(-1))
    with pytest.raises(ValueError, match="aba: state 66: .*not finite"):
        dtau.torch.aba(quadruped, q, v, tau, errors="raise")


@pytest.mark.parametrize(
    "x, error, message",
    [
        ((torch.zeros(5), torch.zeros(6), torch.zeros(6)), ValueError, r"`q` has shape \(5,\); it must be \(6,\)"),
        (([0.0] * 6, torch.zeros(6), torch.zeros(6)), TypeError, r"`q` is a list; it must be a torch.Tensor"),
        ((torch.zeros(6), torch.zeros(6, dtype=torch.int64), torch.zeros(6)), TypeError, r"`v` has dtype torch.int64"),
    ],
)
def test_wrong_arguments(arm, x, error, message):
    with pytest.raises(error, match=message):
        dtau.torch.rnea(arm, *x)


@pytest.mark.skipif(not hasattr(torch, "func"), reason="torch.func came with PyTorch 2")
@pytest.mark.parametrize("name", ["rnea", "aba", "crba", "energy", "frame_placement", "frame_velocity", "centre_of_mass", "integrate"])
def test_transforms_of_functions(small, name):
    f, x = call(small, name, 14, (3,))
    x = [y.detach() for y in x]
    one = [y[0] for y in x]
    several = lambda y: y if isinstance(y, tuple) else (y,)
    total = lambda *x: sum((y**2).sum() for y in several(f(*x)))
    everything = tuple(range(len(x)))
    want = torch.autograd.functional.jacobian(total, tuple(one))
    for got in (torch.func.grad(total, everything)(*one), torch.func.jacfwd(total, everything)(*one)):
        assert all(torch.allclose(a, b, rtol=1e-10, atol=1e-10) for a, b in zip(got, want))
    many = torch.func.vmap(torch.func.grad(total, everything))(*x)
    assert all(torch.allclose(a[0], b, rtol=1e-10, atol=1e-10) for a, b in zip(many, want))
    if ORDERS[name][1] == 2:
        want = torch.autograd.functional.hessian(total, tuple(one))
        for second in (torch.func.hessian(total, everything), torch.func.jacrev(torch.func.jacrev(total, everything), everything)):
            for a, b in zip(second(*one), want):
                assert all(torch.allclose(s, t, rtol=1e-9, atol=1e-9) for s, t in zip(a, b))


def test_the_example_learns(tmp_path):
    run([sys.executable, str(PACKAGE / "examples" / "torch_policy.py"), "--short", "--out", str(tmp_path)])


@pytest.mark.parametrize("page", ["README.md", "docs/frameworks.md"])
def test_pytorch_in_the_documentation_runs(page):
    """Runs the blocks marked `py` after the README's first program. The other blocks also run without PyTorch."""
    text, scope = (REPOSITORY / page).read_text(), {}
    before = [text.split("```python\n")[1].split("```")[0]] if page == "README.md" else []
    blocks = [block.split("```")[0] for block in text.split("```py\n")[1:]]
    assert blocks
    for number, block in enumerate(before + blocks):
        exec(compile(block, f"{page}, block {number + 1}", "exec"), scope)
