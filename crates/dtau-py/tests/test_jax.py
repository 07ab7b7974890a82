"""dtau.jax: values, derivatives in both modes, and the transformations."""

import doctest
import inspect
from functools import partial

import dtau
import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="install jax[cpu] to test dtau.jax")
jax.config.update("jax_enable_x64", True)

import dtau.jax
import jax.numpy as jnp
from conftest import random_state
from dtau._manifold import coordinates_by_tangent, tangent_by_coordinates
from jax.test_util import check_grads

FUNCTIONS = {
    "rnea": lambda model: partial(dtau.jax.rnea, model),
    "aba": lambda model: partial(dtau.jax.aba, model),
    "step": lambda model: partial(dtau.jax.step, model, dt=0.01),
}


def arguments(model, name, seed=0, shape=()):
    q, v, a, tau = random_state(model, seed, shape)
    return [jnp.asarray(x) for x in (q, v, a if name == "rnea" else tau)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_the_values_in_both_modes(model, name):
    check_grads(FUNCTIONS[name](model), arguments(model, name), order=1, modes=("fwd", "rev"), eps=1e-6, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jit_vmap_and_batches_agree(model, name):
    f, x = FUNCTIONS[name](model), arguments(model, name, 1, (7,))
    whole = jax.tree.leaves(f(*x))
    for other in (jax.jit(f)(*x), jax.vmap(f)(*x), jax.jit(jax.vmap(f))(*x)):
        for a, b in zip(whole, jax.tree.leaves(other), strict=True):
            assert np.array_equal(a, b)
    one_v = jax.vmap(f, in_axes=(0, None, 0))(x[0], x[1][0], x[2])
    for a, b in zip(jax.tree.leaves(one_v), jax.tree.leaves(f(x[0], x[1][0], x[2])), strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("name, derivatives", [("rnea", dtau.id_derivatives), ("aba", dtau.fd_derivatives)])
def test_jacobians_are_the_matrices(model, name, derivatives):
    x = arguments(model, name, 2)
    _, dq, dv, dx = derivatives(model, *map(np.asarray, x))
    want = [dq @ tangent_by_coordinates(model, np.asarray(x[0])), dv, dx]
    f = FUNCTIONS[name](model)
    for jacobian in (jax.jacfwd, jax.jacrev):
        got = jax.jit(jacobian(f, argnums=(0, 1, 2)))(*x)
        for a, b in zip(got, want, strict=True):
            assert np.allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max())


def test_gradients_under_vmap(quadruped):
    f = lambda q, v, a: (dtau.jax.rnea(quadruped, q, v, a) ** 2).sum()
    x = arguments(quadruped, "rnea", 3, (5,))
    many = jax.jit(jax.vmap(jax.grad(f, argnums=(0, 1, 2))))(*x)
    for k in range(5):
        one = jax.grad(f, argnums=(0, 1, 2))(*(y[k] for y in x))
        for a, b in zip(many, one, strict=True):
            assert np.allclose(a[k], b, rtol=1e-12, atol=1e-9)
    assert jax.vmap(jax.vmap(jax.jacfwd(partial(dtau.jax.rnea, quadruped))))(*arguments(quadruped, "rnea", 4, (2, 3))).shape == (2, 3, 18, 19)


def test_vmap_is_one_batch(quadruped, monkeypatch):
    calls = []
    host = dtau._host.DYNAMICS["rnea"]
    function = lambda m, *x, **options: calls.append(x[0].shape) or host.function(m, *x, **options)
    monkeypatch.setitem(dtau._host.DYNAMICS, "rnea", host._replace(function=function))
    jax.vmap(partial(dtau.jax.rnea, quadruped))(*arguments(quadruped, "rnea", 5, (9,))).block_until_ready()
    assert calls == [(9, 19)]


def test_a_step_is_semi_implicit_euler_on_the_manifold(quadruped):
    q, v, _, tau = random_state(quadruped, 6)
    q_next, v_next = dtau.jax.step(quadruped, q, v, tau, 0.02)
    want_v = v + 0.02 * dtau.aba(quadruped, q, v, tau)
    assert np.allclose(v_next, want_v, rtol=1e-14) and np.allclose(q_next, quadruped.integrate(q, 0.02 * want_v), rtol=1e-14)
    assert np.isclose(np.linalg.norm(q_next[3:7]), 1, rtol=1e-14)


def test_a_rollout_differentiates(quadruped):
    """Through ten steps, a floating base turning: against central differences."""
    q, v, _, _ = random_state(quadruped, 7)

    @jax.jit
    def end(tau):
        step = lambda x, _: (dtau.jax.step(quadruped, *x, tau, 0.005), None)
        (q1, v1), _ = jax.lax.scan(step, (jnp.asarray(q), jnp.asarray(v)), None, length=10)
        return q1.sum() + (v1**2).sum()

    tau, d, h = jnp.zeros(18), jax.random.normal(jax.random.key(0), (18,)), 1e-5
    assert np.isclose(jax.grad(end)(tau) @ d, (end(tau + h * d) - end(tau - h * d)) / (2 * h), rtol=1e-6)


def test_float32_stays_float32(arm):
    x = [jnp.asarray(y, jnp.float32) for y in arguments(arm, "rnea", 8)]
    assert dtau.jax.rnea(arm, *x).dtype == jnp.float32
    assert jax.jacrev(partial(dtau.jax.rnea, arm))(*x).dtype == jnp.float32
    assert all(y.dtype == jnp.float32 for y in dtau.jax.step(arm, *x, 0.01))
    assert dtau.jax.rnea(arm, x[0].astype(jnp.float64), *x[1:]).dtype == jnp.float64
    assert dtau.jax.rnea(arm, jnp.zeros(6, int), x[1], x[2]).dtype == jnp.float32


def test_keywords_reach_the_functions(arm):
    x = arguments(arm, "rnea", 9)
    push = dtau.Wrench.world(arm.bodies[-1].name, force=[1, 2, 3])
    options = {"gravity": (0, 0, -1.62), "f_ext": [push], "damping": False}
    got = jax.jit(partial(dtau.jax.rnea, arm, **options))(*x)
    assert np.array_equal(got, dtau.rnea(arm, *map(np.asarray, x), **options))
    check_grads(partial(dtau.jax.rnea, arm, **options), x, order=1, modes=("fwd", "rev"), eps=1e-6, atol=1e-4, rtol=1e-4)


def test_a_model_may_be_a_static_argument(arm):
    f = jax.jit(dtau.jax.rnea, static_argnums=0)
    x = arguments(arm, "rnea", 10)
    assert np.array_equal(f(arm, *x), f(dtau.Model.bundled("arm6"), *x))


@pytest.mark.parametrize("name", ["rnea", "aba"])
def test_second_derivatives_are_those_of_the_first_in_all_modes(model, name):
    """Quaternions and all; by coordinates, so that E's own derivative is in it."""
    check_grads(FUNCTIONS[name](model), arguments(model, name, 12), order=2, modes=("fwd", "rev"), eps=1e-6, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("name, hessian", [("rnea", dtau.id_hessian), ("aba", dtau.fd_hessian)])
def test_hessians_are_the_matrices(arm, name, hessian):
    x = arguments(arm, name, 13)
    w = jnp.arange(1.0, 7.0)
    f = lambda q, v, u: w @ FUNCTIONS[name](arm)(q, v, u)
    want = hessian(arm, *map(np.asarray, x), np.asarray(w))
    forward_over_reverse = jax.jacfwd(jax.grad(f, argnums=(0, 1, 2)), argnums=(0, 1, 2))
    reverse_over_forward = jax.jacrev(jax.jacfwd(f, argnums=(0, 1, 2)), argnums=(0, 1, 2))
    reverse_over_reverse = jax.jacrev(jax.grad(f, argnums=(0, 1, 2)), argnums=(0, 1, 2))
    for second in (jax.hessian(f, argnums=(0, 1, 2)), forward_over_reverse, reverse_over_forward, reverse_over_reverse):
        (qq, qv, qx), (vq, vv, vx), (xq, xv, xx) = jax.jit(second)(*x)
        for got, block in ((qq, want[3]), (qv, want[4]), (vq, want[4].T), (vv, want[5]), (qx, want[6]), (xq, want[6].T)):
            assert np.allclose(got, block, rtol=1e-11, atol=1e-11 * np.abs(block).max())
        assert not any(np.any(zero) for zero in (vx, xv, xx))


def test_hessians_under_vmap(quadruped):
    f = lambda q, v, a: (dtau.jax.rnea(quadruped, q, v, a) ** 2).sum()
    x = arguments(quadruped, "rnea", 14, (3,))
    many = jax.jit(jax.vmap(jax.hessian(f)))(*x)
    assert many.shape == (3, 19, 19)
    for k in range(3):
        one = jax.hessian(f)(*(y[k] for y in x))
        assert np.allclose(many[k], one, rtol=1e-11, atol=1e-11 * np.abs(one).max())
        assert np.allclose(one, one.T, rtol=1e-9, atol=1e-9 * np.abs(one).max())  # by coordinates the order does not matter


def test_third_derivatives_and_second_ones_of_a_step_are_refused_clearly(arm):
    f = lambda q: dtau.jax.rnea(arm, q, jnp.zeros(6), jnp.zeros(6)).sum()
    with pytest.raises(NotImplementedError, match="dtau.jax.rnea has first and second derivatives only"):
        jax.jacfwd(jax.hessian(f))(jnp.ones(6))
    f = lambda q: dtau.jax.step(arm, q, jnp.zeros(6), jnp.zeros(6), 0.01)[0].sum()
    with pytest.raises(NotImplementedError, match="dtau.jax.step has first derivatives only"):
        jax.hessian(f)(jnp.ones(6))


@pytest.mark.parametrize(
    "x, error, message",
    [
        ((jnp.zeros(5), jnp.zeros(6), jnp.zeros(6)), ValueError, r"`q` has shape \(5,\); it must be \(6,\)"),
        ((jnp.zeros(6), jnp.zeros(()), jnp.zeros(6)), ValueError, r"`v` has shape \(\)"),
        ((jnp.zeros(6, complex), jnp.zeros(6), jnp.zeros(6)), TypeError, "complex128; they must be float32 or float64"),
    ],
)
def test_wrong_arguments(arm, x, error, message):
    with pytest.raises(error, match=message):
        dtau.jax.rnea(arm, *x)


def test_what_is_not_finite_is_an_error_not_a_crash(arm):
    with pytest.raises(Exception, match=r"`q\[0\]` is nan"):
        dtau.jax.rnea(arm, jnp.full(6, jnp.nan), jnp.zeros(6), jnp.zeros(6)).block_until_ready()


def test_tangents_and_coordinates_are_inverse(model):
    q, v, _, _ = random_state(model, 11, (3,))
    E, L, h = tangent_by_coordinates(model, q), coordinates_by_tangent(model, q), 1e-7
    assert np.allclose(E @ L, np.eye(model.nv))
    moved = (model.integrate(q, h * v) - model.integrate(q, -h * v)) / (2 * h)
    assert np.allclose(np.einsum("bij,bj->bi", L, v), moved, atol=1e-7)


def test_examples_in_the_documentation_run():
    jax.config.update("jax_enable_x64", False)  # as a reader would
    try:
        for thing in (dtau.jax, dtau.jax.rnea, dtau.jax.aba, dtau.jax.step):
            failures = []
            test = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), {}, thing.__name__, None, 0)
            doctest.DocTestRunner(verbose=False).run(test, out=failures.append)
            assert test.examples and not failures, "".join(failures)
    finally:
        jax.config.update("jax_enable_x64", True)
