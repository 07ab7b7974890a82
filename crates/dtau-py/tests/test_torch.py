"""dtau.torch: values, gradients, batches. Run with a Python that has PyTorch (see test.sh)."""

from functools import partial

import dtau
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="install PyTorch to test dtau.torch")

import dtau.torch
from conftest import random_state
from dtau._manifold import tangent_by_coordinates
from torch.autograd import gradcheck, gradgradcheck

FUNCTIONS = {
    "rnea": lambda model: partial(dtau.torch.rnea, model),
    "aba": lambda model: partial(dtau.torch.aba, model),
    "step": lambda model: partial(dtau.torch.step, model, dt=0.01),
}


def arguments(model, name, seed=0, shape=(), dtype=torch.float64):
    q, v, a, tau = random_state(model, seed, shape)
    return [torch.tensor(x, dtype=dtype, requires_grad=True) for x in (q, v, a if name == "rnea" else tau)]


@pytest.mark.parametrize("shape", [(), (3,)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_those_of_the_values(model, name, shape):
    assert gradcheck(FUNCTIONS[name](model), arguments(model, name, 1, shape), eps=1e-6, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_arguments_that_broadcast(quadruped, name):
    q, v, x = arguments(quadruped, name, 2, (2, 1))
    v, x = (torch.tensor(y.detach().numpy()[index], requires_grad=True) for y, index in ((v, (0, 0)), (x, (slice(1),))))
    assert gradcheck(FUNCTIONS[name](quadruped), [q, v, x], eps=1e-6, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name, derivatives", [("rnea", dtau.id_derivatives), ("aba", dtau.fd_derivatives)])
def test_jacobians_are_the_matrices(model, name, derivatives):
    x = arguments(model, name, 3)
    arrays = [y.detach().numpy() for y in x]
    _, dq, dv, dx = derivatives(model, *arrays)
    want = [dq @ tangent_by_coordinates(model, arrays[0]), dv, dx]
    got = torch.autograd.functional.jacobian(FUNCTIONS[name](model), tuple(x))
    for a, b in zip(got, want):
        assert np.allclose(a, b, rtol=1e-11, atol=1e-11 * np.abs(b).max())


def test_values_are_those_of_numpy(model):
    x = arguments(model, "rnea", 4, (5,))
    arrays = [y.detach().numpy() for y in x]
    assert np.array_equal(dtau.torch.rnea(model, *x).detach(), dtau.rnea(model, model.normalise(arrays[0]), *arrays[1:]))


def test_a_step_is_semi_implicit_euler_on_the_manifold(quadruped):
    q, v, tau = arguments(quadruped, "step", 5)
    q_next, v_next = dtau.torch.step(quadruped, q, v, tau, 0.02)
    arrays = [x.detach().numpy() for x in (q, v, tau)]
    want_v = arrays[1] + 0.02 * dtau.aba(quadruped, *arrays)
    assert np.allclose(v_next.detach(), want_v, rtol=1e-14)
    assert np.allclose(q_next.detach(), quadruped.integrate(arrays[0], 0.02 * want_v), rtol=1e-14)


def test_a_rollout_learns(arm):
    """Gradient descent on a constant torque that brings the arm to rest."""
    q, v, _ = arguments(arm, "step", 6)
    tau = torch.zeros(6, dtype=torch.float64, requires_grad=True)
    losses = []
    for _ in range(20):
        x = (q.detach(), v.detach())
        for _ in range(5):
            x = dtau.torch.step(arm, *x, tau, 0.01)
        loss = (x[1] ** 2).sum()
        losses.append(loss.item())
        (gradient,) = torch.autograd.grad(loss, tau)
        scale = np.linalg.inv(dtau.minverse(arm, q.detach().numpy()))
        tau = (tau - 2 * torch.from_numpy(scale @ scale @ gradient.numpy()) / 0.05**2 / 4).detach().requires_grad_()
    assert losses[-1] < 0.05 * losses[0], losses


@pytest.mark.parametrize("shape", [(), (2,)])
@pytest.mark.parametrize("name", ["rnea", "aba"])
def test_second_gradients_are_those_of_the_first(model, name, shape):
    assert gradgradcheck(FUNCTIONS[name](model), arguments(model, name, 10, shape), eps=1e-6, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("name, hessian", [("rnea", dtau.id_hessian), ("aba", dtau.fd_hessian)])
def test_hessians_are_the_matrices(arm, name, hessian):
    x = arguments(arm, name, 11)
    w = torch.arange(1.0, 7.0, dtype=torch.float64)
    want = hessian(arm, *(y.detach().numpy() for y in x), w.numpy())
    f = lambda *x: w @ FUNCTIONS[name](arm)(*x)
    (qq, qv, qx), (_, vv, vx), (_, _, xx) = torch.autograd.functional.hessian(f, tuple(x))
    for got, block in ((qq, want[3]), (qv, want[4]), (vv, want[5]), (qx, want[6])):
        assert np.allclose(got, block, rtol=1e-11, atol=1e-11 * np.abs(block).max())
    assert not vx.any() and not xx.any()


def test_a_third_backward_pass_is_refused_clearly(arm):
    x = arguments(arm, "rnea", 12)
    (gradient,) = torch.autograd.grad((dtau.torch.rnea(arm, *x) ** 2).sum(), x[0], create_graph=True)
    (second,) = torch.autograd.grad(gradient.sum(), x[0], create_graph=True)
    with pytest.raises(NotImplementedError, match="dtau.torch.rnea has first and second derivatives only"):
        second.sum().backward()


def test_double_backward_of_a_step_is_refused_clearly(arm, name="step"):
    """Also where the second pass would come through an argument, or through the first pass's weights, alone."""
    x = arguments(arm, name, 7)
    value = FUNCTIONS[name](arm)(*x)[0].sum()
    for argument in x:
        (gradient,) = torch.autograd.grad(value, argument, create_graph=True)
        with pytest.raises(NotImplementedError, match=f"dtau.torch.{name} has first derivatives only"):
            (gradient.sum() + value).backward(retain_graph=True)
    (gradient,) = torch.autograd.grad(value, x[0], create_graph=True)
    assert gradient.requires_grad and torch.isfinite(gradient).all()  # as a value it is good


def test_float32_stays_float32(arm):
    x = arguments(arm, "rnea", 8, (4,), torch.float32)
    tau = dtau.torch.rnea(arm, *x)
    tau.sum().backward()
    assert tau.dtype == x[0].grad.dtype == torch.float32
    assert dtau.torch.rnea(arm, x[0].double(), *x[1:]).dtype == torch.float64


def test_keywords_reach_the_functions(arm):
    x = arguments(arm, "aba", 9)
    options = {"gravity": (0, 0, -1.62), "f_ext": [dtau.Wrench.world(arm.bodies[-1].name, force=[1, 2, 3])]}
    assert np.array_equal(dtau.torch.aba(arm, *x, **options).detach(), dtau.aba(arm, *(y.detach().numpy() for y in x), **options))
    assert gradcheck(partial(dtau.torch.aba, arm, **options), x, eps=1e-6, atol=1e-4, rtol=1e-4)


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
