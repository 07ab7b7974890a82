"""dtau.jax: values, derivatives in both modes, transformations, and XLA's interface."""

import doctest
import inspect
import json
import os
import shutil
import sys
from functools import partial

import dtau
import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="install jax[cpu] to test dtau.jax")
jax.config.update("jax_enable_x64", True)

import dtau.jax
import jax.numpy as jnp
from conftest import ROBOTS, random_state, run
from dtau._functions import PUBLIC
from dtau._manifold import coordinates, coordinates_transposed, tangent, tangent_transposed
from jax.test_util import check_grads
from listed import ORDERS, OTHERS, VALUES_ONLY, arguments, by

CLOSE = {"eps": 1e-6, "atol": 1e-4, "rtol": 1e-4}
CLOSE_TWICE = {"eps": 1e-6, "atol": 1e-3, "rtol": 1e-3}


@pytest.fixture(scope="module")
def general():
    return ROBOTS["general"]()


def call(model, name, seed=0, shape=()):
    """Returns a function of its differentiable arguments, and these arguments."""
    arrays, keywords = arguments(model, name, seed, shape)
    fixed = {key: jnp.asarray(x) for key, x in arrays.items() if key not in by(name)}
    f = lambda *x: getattr(dtau.jax, name)(model, **dict(zip(by(name), x, strict=True)), **fixed, **keywords)
    return f, [jnp.asarray(arrays[key]) for key in by(name)]


def state(model, name, seed=0, shape=()):
    arrays, _ = arguments(model, name, seed, shape)
    return [jnp.asarray(x) for x in arrays.values()]


def test_the_list_is_whole():
    assert set(PUBLIC) == set(ORDERS) | set(VALUES_ONLY) == set(dtau.jax.__all__) - {"Wrench"}


@pytest.mark.parametrize("name", sorted((set(ORDERS) | set(VALUES_ONLY)) - OTHERS))
def test_values_are_those_of_numpy_under_jit_and_vmap(general, name):
    arrays, keywords = arguments(general, name, 1, (7,))
    f = lambda **x: getattr(dtau.jax, name)(general, **x, **keywords)
    got = f(**arrays)
    unit = {key: general.normalise(x) if key.startswith("q") else x for key, x in arrays.items()}
    want = getattr(dtau, name)(general, **unit, **keywords)
    if name.startswith("mass_"):  # through rnea and aba
        assert np.allclose(got, want, rtol=1e-11, atol=1e-11 * np.abs(want).max())
    else:
        assert np.array_equal(got, want)
    for other in (jax.vmap(f), jax.jit(jax.vmap(f))):
        assert np.array_equal(other(**arrays), got)


def test_values_that_are_several_results(general):
    q, v, a, _ = random_state(general, 2)
    unit = general.normalise(q)
    com = dtau.centre_of_mass(general, unit, v, a)
    assert np.array_equal(dtau.jax.centre_of_mass(general, q), com.position)
    assert np.allclose(dtau.jax.com_velocity(general, q, v), com.velocity, rtol=1e-14)
    assert np.array_equal(dtau.jax.energy(general, q, v), dtau.energy(general, unit, v))


@pytest.mark.parametrize("name", sorted(set(ORDERS) - {"coriolis", "rnea", "aba"}))
def test_derivatives_are_those_of_the_values_in_both_modes(general, small, name):
    """Covers every joint type, to second order if the library has it."""
    check_grads(*call(general, name, 3), order=1, modes=("fwd", "rev"), **CLOSE)
    if ORDERS[name][1] == 2:
        check_grads(*call(small, name, 3), order=2, modes=("fwd", "rev"), **CLOSE_TWICE)


@pytest.mark.parametrize("name", ["coriolis", "step"])
def test_derivatives_where_every_joint_has_one_degree_of_freedom(arm, name):
    f, x = call(arm, name, 4)
    check_grads(f, x, order=2 if name == "step" else 1, modes=("fwd", "rev"), **CLOSE_TWICE)


@pytest.mark.parametrize("name", ["rnea", "aba"])
def test_second_derivatives_are_those_of_the_first_in_all_modes(model, name):
    """With quaternions, and by coordinates, so that E's own derivative is included."""
    f, x = call(model, name, 12)
    check_grads(f, x, order=2, modes=("fwd", "rev"), **CLOSE_TWICE)


PLACES = [
    {"axes": "frame"},
    {"axes": "world"},
    {"axes": "frame", "point": (0.1, -0.2, 0.3)},
    {"axes": "world", "point": (0.1, -0.2, 0.3), "point_in": "world"},
]


@pytest.mark.parametrize("name", ["rnea", "aba", "bias", "step"])
def test_wrenches_are_those_of_numpy_and_differentiate(small, name):
    """Differentiates forces and torques of several wrenches in all axes, together with the states, once and twice."""
    frames = [small.frames[k].name for k in (-1, 1, -1, -2)]

    def f(numbers, *x):
        wrenches = [
            dtau.jax.Wrench(frame, six[:3], six[3:], **place) for frame, six, place in zip(frames, numbers, PLACES, strict=True)
        ]
        more = [0.01] if name == "step" else []
        return getattr(dtau.jax, name)(small, *x, *more, f_ext=wrenches)

    x = state(small, name, 5)
    numbers = jnp.asarray(np.random.default_rng(5).normal(size=(4, 6)))
    if name != "step":
        same = [dtau.Wrench(frame, six[:3], six[3:], **place) for frame, six, place in zip(frames, np.asarray(numbers), PLACES, strict=True)]
        want = getattr(dtau, name)(small, *map(np.asarray, x), f_ext=same)
        got = f(numbers, *x)
        assert np.allclose(got, want, rtol=1e-11, atol=1e-11 * np.abs(want).max())
        assert np.array_equal(got, getattr(dtau.jax, name)(small, *x, f_ext=same))
    check_grads(f, [numbers, *x], order=1 if name == "step" else 2, modes=("fwd", "rev"), **CLOSE_TWICE)


def test_a_wrench_is_a_tree_of_its_numbers(arm):
    push = dtau.jax.Wrench(arm.frames[-1], jnp.ones(3), axes="world")
    f = jax.jit(lambda wrench, q: dtau.jax.rnea(arm, q, jnp.zeros(6), jnp.zeros(6), f_ext=[wrench]))
    q = jnp.asarray(random_state(arm, 6)[0])
    gradient = jax.grad(lambda wrench: f(wrench, q).sum())(push)
    jacobian = dtau.frame_jacobian(arm, np.asarray(q), arm.frames[-1])
    assert np.allclose(gradient.force, -jacobian[:3].sum(axis=1), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name, derivatives", [("rnea", dtau.id_derivatives), ("aba", dtau.fd_derivatives)])
def test_jacobians_are_the_matrices(model, name, derivatives):
    f, x = call(model, name, 2)
    _, dq, dv, dx = derivatives(model, *map(np.asarray, x))
    dq = tangent_transposed(np, model, np.broadcast_to(x[0], (model.nv, model.nq)), dq)
    for jacobian in (jax.jacfwd, jax.jacrev):
        got = jax.jit(jacobian(f, argnums=(0, 1, 2)))(*x)
        for a, b in zip(got, (dq, dv, dx), strict=True):
            assert np.allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max())


def test_vmap_is_one_call_of_a_batch(quadruped):
    f, x = call(quadruped, "rnea", 5, (9,))
    text = jax.jit(jax.vmap(f)).lower(*x).as_text()
    assert text.count("@dtau(") == 1 and "tensor<9x19xf64>" in text and "while" not in text
    one_v = jax.vmap(f, in_axes=(0, None, 0))(x[0], x[1][0], x[2])
    assert np.array_equal(one_v, f(x[0], x[1][0], x[2]))
    gradients = jax.jit(jax.vmap(jax.grad(lambda *x: (f(*x) ** 2).sum(), argnums=(0, 1, 2))))(*x)
    for k in (0, 8):
        one = jax.grad(lambda *x: (f(*x) ** 2).sum(), argnums=(0, 1, 2))(*(y[k] for y in x))
        for a, b in zip(gradients, one, strict=True):
            assert np.allclose(a[k], b, rtol=1e-12, atol=1e-9)
    assert jax.vmap(jax.vmap(jax.jacfwd(f)))(*state(quadruped, "rnea", 4, (2, 3))).shape == (2, 3, 18, 19)


def test_threads_change_nothing(quadruped):
    x = state(quadruped, "aba", 6, (300,))
    one, two = (jax.jit(partial(dtau.jax.aba, quadruped, threads=n))(*x) for n in (1, 2))
    q, *rest = map(np.asarray, x)
    assert np.array_equal(one, two) and np.array_equal(one, dtau.aba(quadruped, quadruped.normalise(q), *rest))


def test_a_step_is_semi_implicit_euler_on_the_manifold(quadruped):
    q, v, _, tau = random_state(quadruped, 6)
    q_next, v_next = dtau.jax.step(quadruped, q, v, tau, 0.02)
    want_v = v + 0.02 * dtau.aba(quadruped, q, v, tau)
    assert np.allclose(v_next, want_v, rtol=1e-14) and np.allclose(q_next, quadruped.integrate(q, 0.02 * want_v), rtol=1e-14)
    assert np.isclose(np.linalg.norm(q_next[3:7]), 1, rtol=1e-14)
    h = 1e-6
    slope = jax.jacfwd(lambda dt: dtau.jax.step(quadruped, q, v, tau, dt)[0])(0.02)
    ends = [dtau.jax.step(quadruped, q, v, tau, 0.02 + d)[0] for d in (h, -h)]
    assert np.allclose(slope, (ends[0] - ends[1]) / (2 * h), atol=1e-7)


def test_a_rollout_differentiates(quadruped):
    """Ten steps of a scan with a rotating floating base, compared with central differences."""
    q, v, _, _ = random_state(quadruped, 7)

    @jax.jit
    def end(tau):
        step = lambda x, _: (dtau.jax.step(quadruped, *x, tau, 0.005), None)
        (q1, v1), _ = jax.lax.scan(step, (jnp.asarray(q), jnp.asarray(v)), None, length=10)
        return q1.sum() + (v1**2).sum()

    tau, d, h = jnp.zeros(18), jax.random.normal(jax.random.key(0), (18,)), 1e-5
    assert np.isclose(jax.grad(end)(tau) @ d, (end(tau + h * d) - end(tau - h * d)) / (2 * h), rtol=1e-6)


def test_float32_stays_float32(arm):
    for name in sorted(ORDERS):
        arrays, keywords = arguments(arm, name, 8, (3,))
        f = lambda x: jax.tree.leaves(getattr(dtau.jax, name)(arm, **x, **keywords))
        single = f({key: jnp.asarray(x, jnp.float32) for key, x in arrays.items()})
        for a, b in zip(single, f(arrays), strict=True):
            assert a.dtype == jnp.float32 and np.allclose(a, b, rtol=1e-3, atol=1e-3 * np.abs(b).max())
    x = [y.astype(jnp.float32) for y in state(arm, "rnea", 8)]
    assert jax.jacrev(partial(dtau.jax.rnea, arm))(*x).dtype == jnp.float32
    assert dtau.jax.rnea(arm, x[0].astype(jnp.float64), *x[1:]).dtype == jnp.float64
    assert dtau.jax.rnea(arm, jnp.zeros(6, int), x[1], x[2]).dtype == jnp.float32


def test_keywords_reach_the_functions(arm):
    x = state(arm, "rnea", 9)
    options = {"gravity": (0, 0, -1.62), "damping": False, "friction": False, "armature": False}
    got = jax.jit(partial(dtau.jax.rnea, arm, **options))(*x)
    assert np.array_equal(got, dtau.rnea(arm, *map(np.asarray, x), **options))
    check_grads(partial(dtau.jax.rnea, arm, **options), x, order=1, modes=("fwd", "rev"), **CLOSE)
    _, potential = dtau.jax.energy(arm, x[0], x[1], gravity=(0, 0, -1))
    assert np.isclose(potential, dtau.energy(arm, np.asarray(x[0]), np.asarray(x[1]), gravity=(0, 0, -1)).potential)


def test_a_model_may_be_a_static_argument(arm):
    f = jax.jit(dtau.jax.rnea, static_argnums=0)
    x = state(arm, "rnea", 10)
    assert np.array_equal(f(arm, *x), f(dtau.Model.bundled("arm6"), *x))


@pytest.mark.parametrize("name, hessian", [("rnea", dtau.id_hessian), ("aba", dtau.fd_hessian)])
def test_hessians_are_the_matrices(arm, name, hessian):
    g, x = call(arm, name, 13)
    w = jnp.arange(1.0, 7.0)
    f = lambda q, v, u: w @ g(q, v, u)
    want = hessian(arm, *map(np.asarray, x), np.asarray(w))
    forward_over_reverse = jax.jacfwd(jax.grad(f, argnums=(0, 1, 2)), argnums=(0, 1, 2))
    reverse_over_reverse = jax.jacrev(jax.grad(f, argnums=(0, 1, 2)), argnums=(0, 1, 2))
    for second in (forward_over_reverse, reverse_over_reverse):
        (qq, qv, qx), (vq, vv, vx), (xq, xv, xx) = jax.jit(second)(*x)
        for got, block in ((qq, want[3]), (qv, want[4]), (vq, want[4].T), (vv, want[5]), (qx, want[6]), (xq, want[6].T)):
            assert np.allclose(got, block, rtol=1e-11, atol=1e-11 * np.abs(block).max())
        assert not any(np.any(zero) for zero in (vx, xv, xx))


def test_hessians_under_vmap(quadruped):
    f = lambda q, v, a: (dtau.jax.rnea(quadruped, q, v, a) ** 2).sum()
    x = state(quadruped, "rnea", 14, (3,))
    many = jax.jit(jax.vmap(jax.hessian(f)))(*x)
    assert many.shape == (3, 19, 19)
    one = jax.hessian(f)(*(y[1] for y in x))
    assert np.allclose(many[1], one, rtol=1e-11, atol=1e-11 * np.abs(one).max())
    assert np.allclose(one, one.T, rtol=1e-9, atol=1e-9 * np.abs(one).max())  # by coordinates, the order does not matter


def test_derivatives_that_the_library_has_not_are_refused_clearly(arm, quadruped):
    zero, one = jnp.zeros(6), jnp.ones(6)
    refuse = partial(pytest.raises, NotImplementedError)
    with refuse(match=r"dtau.jax: inverse dynamics \(rnea\) has first and second derivatives only"):
        jax.jacfwd(jax.hessian(lambda q: dtau.jax.rnea(arm, q, zero, zero).sum()))(one)
    with refuse(match="the mass matrix is, first ones"):
        jax.hessian(lambda q: dtau.jax.crba(arm, q).sum())(one)
    q, v = jnp.asarray(quadruped.neutral()), jnp.zeros(18)
    with refuse(match="and so step, has first derivatives only"):
        jax.hessian(lambda q: dtau.jax.step(quadruped, q, v, v, 0.01)[0].sum())(q)
    with refuse(match="coriolis of joints with several degrees of freedom"):
        jax.jacfwd(lambda q: dtau.jax.coriolis(quadruped, q, v))(q)
    with refuse(match="no derivative by its target"):
        jax.jacfwd(lambda target: dtau.jax.frame_error(arm, zero, target, arm.frames[-1]))(jnp.eye(7)[6])
    with refuse(match="joint_torque_regressor has no derivatives"):
        jax.jacfwd(lambda q: dtau.jax.joint_torque_regressor(arm, q, zero, zero))(zero)


@pytest.mark.parametrize(
    "x, options, error, message",
    [
        ((jnp.zeros(5), jnp.zeros(6), jnp.zeros(6)), {}, ValueError, r"`q` has shape \(5,\); it must be \(6,\)"),
        ((jnp.zeros(6), jnp.zeros(()), jnp.zeros(6)), {}, ValueError, r"`v` has shape \(\)"),
        ((jnp.zeros(6, complex), jnp.zeros(6), jnp.zeros(6)), {}, TypeError, "complex128; they must be float32 or float64"),
        ((jnp.zeros(6), jnp.zeros(6)), {}, TypeError, r"missing 1 required argument\(s\): a"),
        ((jnp.zeros(6),) * 3, {"gravitation": 1}, TypeError, "unexpected keyword argument 'gravitation'"),
        ((jnp.zeros(6),) * 3, {"errors": "ignore"}, ValueError, '`errors` is \'ignore\'; it must be "nan" or "raise"'),
        ((jnp.zeros(6),) * 3, {"f_ext": dtau.Wrench("tool")}, TypeError, "it must be a list of them"),
        ((jnp.zeros(6),) * 3, {"f_ext": [1]}, TypeError, "a list of wrenches, but it has a int"),
        ((jnp.zeros(6),) * 3, {"f_ext": [dtau.Wrench("toool")]}, dtau.UnknownNameError, "toool"),
        ((jnp.zeros(6),) * 3, {"threads": -1}, ValueError, "`threads` is -1"),
    ],
)
def test_wrong_arguments(arm, x, options, error, message):
    with pytest.raises(error, match=message):
        dtau.jax.rnea(arm, *x, **options)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
@pytest.mark.parametrize("states, bad", [(1, [0]), (9, [3]), (200, [0, 70, 199])])
def test_a_nan_stays_in_its_state(quadruped, states, bad, dtype):
    q, v, tau = (np.asarray(x, dtype) for x in state(quadruped, "aba", 15, (states,)))
    want = np.asarray(dtau.jax.aba(quadruped, q, v, tau)).copy()
    v = v.copy()
    v[bad, 5] = np.nan
    want[bad] = np.nan
    for f in (partial(dtau.jax.aba, quadruped), jax.jit(jax.vmap(partial(dtau.jax.aba, quadruped, threads=2)))):
        assert np.array_equal(f(q, v, tau), want, equal_nan=True)
    after = map(np.asarray, dtau.jax.step(quadruped, q, v, tau, 0.01))
    assert all(np.isnan(x[bad]).all() and np.isfinite(np.delete(x, bad, 0)).all() for x in after)
    q = q.copy()
    q[bad] = 0  # a quaternion that has no direction
    gradient = jax.jit(jax.vmap(jax.grad(lambda q: dtau.jax.rnea(quadruped, q, tau[0], tau[0]).sum())))(q)
    assert np.isnan(gradient[np.asarray(bad)]).all() and np.isfinite(np.delete(gradient, bad, 0)).all()


def test_errors_may_be_asked_for(arm):
    q = np.zeros((5, 6))
    q[3, 1] = np.nan
    with pytest.raises(Exception, match=r"dtau: aba: state 3: .*not finite"):
        dtau.jax.aba(arm, q, np.zeros(6), np.zeros(6), errors="raise").block_until_ready()
    assert np.isnan(dtau.jax.aba(arm, q, np.zeros(6), np.zeros(6))[3]).all()


def test_a_line_search_survives(arm):
    """A step that is far too long gives NaN, and the line search halves it."""
    f = lambda q: (dtau.jax.rnea(arm, q, jnp.ones(6), jnp.ones(6)) ** 2).sum()
    steps = jnp.asarray([jnp.inf, 1e-3, 1e-4])
    values = jax.jit(jax.vmap(lambda t: f(jnp.ones(6) - t * jax.grad(f)(jnp.ones(6)))))(steps)
    assert np.isnan(values[0]) and np.isfinite(values[1:]).all() and jnp.nanmin(values) <= values[2]


ON_DEVICES = """
import jax; jax.config.update("jax_enable_x64", True)
import dtau, dtau.jax, numpy as np, jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec as P
model = dtau.Model.bundled("quadruped", root="floating")
q, v = model.random(np.random.default_rng(0), 64), np.random.default_rng(1).normal(size=(2, 64, 18))
f = lambda q, v, tau: dtau.jax.aba(model, q, v, tau)
mesh = Mesh(np.array(jax.devices()), "states")
assert mesh.size == 4
shard_map = getattr(jax, "shard_map", None) or __import__("jax.experimental.shard_map", fromlist=["shard_map"]).shard_map
spread = jax.jit(shard_map(f, mesh=mesh, in_specs=(P("states"),) * 3, out_specs=P("states")))
out = spread(q, *v)
assert len(out.sharding.device_set) == 4
assert np.array_equal(out, dtau.aba(model, model.normalise(q), *v))
# JAX's check of what differs between devices does not see through the call.
unchecked = {"check_vma": False} if hasattr(jax, "shard_map") else {"check_rep": False}
gradient = shard_map(jax.vmap(jax.grad(lambda *x: f(*x).sum())), mesh=mesh, in_specs=(P("states"),) * 3, out_specs=P("states"), **unchecked)
assert np.allclose(jax.jit(gradient)(q, *v), jax.vmap(jax.grad(lambda *x: f(*x).sum()))(q, *v), rtol=1e-12, atol=1e-9)
"""


def test_states_are_spread_over_devices():
    run([sys.executable, "-c", ON_DEVICES], env={**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"})


def test_an_unknown_plan_is_an_error(arm):
    """A program of another process has a number that is unknown in this one."""
    x = jax.ShapeDtypeStruct((6,), jnp.float64)
    strange = lambda *given, **attributes: jax.ffi.ffi_call("dtau", [x], vmap_method="broadcast_all")(*given, **attributes)
    with pytest.raises(Exception, match="there is no call number 12345 in this process"):
        strange(*[jnp.zeros(6)] * 3, plan=np.int64(12345))[0].block_until_ready()
    with pytest.raises(Exception, match="the attribute `plan`, an int64, is missing"):
        strange(*[jnp.zeros(6)] * 3, call=np.int64(12345))[0].block_until_ready()
    number = np.int64(dtau._plans.plan(arm, "aba", dtau._plans.Options()).number)
    for given, message in (
        ([jnp.zeros(6)] * 2, "reads 3 arrays and writes 1, but was given 2 and 1"),
        ([jnp.zeros(7)] * 3, "an array has 7 numbers; 1 states have 6 each"),
        ([jnp.zeros(6), jnp.zeros(6, jnp.float32), jnp.zeros(6)], "do not go together"),
        ([jnp.zeros(6)] * 11, "too many arrays"),
        ([jnp.zeros(6, int)] * 3, "do not go together"),
    ):
        with pytest.raises(Exception, match=message):
            strange(*given, plan=number)[0].block_until_ready()
    with pytest.raises(Exception, match="they must be float64 or float32"):
        jax.ffi.ffi_call("dtau", [jax.ShapeDtypeStruct((6,), jnp.int32)])(jnp.zeros(6), plan=number)[0].block_until_ready()


def test_numbers_of_plans_are_the_same_in_every_process(arm):
    program = "import dtau, dtau._plans as p; print(p.plan(dtau.Model.bundled('arm6'), 'aba', p.Options()).number)"
    assert int(run([sys.executable, "-c", program]).stdout) == dtau._plans.plan(arm, "aba", dtau._plans.Options()).number


def test_the_layout_of_structs_is_that_of_the_header(tmp_path):
    """Compares field offsets and constants with the header of JAX, as the C compiler sees it."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    layout = dict(dtau._dtau._xla_layout())
    lines = []
    for name in layout:
        if "." in name:
            value = "offsetof(struct {}, {})".format(*name.split("."))
        else:
            value = f"sizeof(struct {name.split()[1]})" if name.startswith("sizeof") else name
        comma = ", " if lines else ""
        lines.append(f'printf("{comma}\\"{name}\\": %zu", (size_t)({value}));')
    source = tmp_path / "layout.c"
    source.write_text('#include <stdio.h>\n#include "xla/ffi/api/c_api.h"\nint main(void) { printf("{");\n' + "\n".join(lines) + '\nprintf("}"); }\n')
    program = tmp_path / "layout"
    run([compiler, "-I", jax.ffi.include_dir(), str(source), "-o", str(program)])
    theirs = json.loads(run([str(program)]).stdout)
    assert theirs == layout


def test_tangents_and_coordinates_are_inverse_and_their_transposes(model):
    q, v, g, _ = random_state(model, 11, (3,))
    h, d = 1e-7, np.random.default_rng(11).normal(size=q.shape)
    L, E = partial(coordinates, np, model, q), partial(tangent, np, model, q)
    assert np.allclose(E(L(v)), v, rtol=1e-12)
    moved = (model.integrate(q, h * v) - model.integrate(q, -h * v)) / (2 * h)
    assert np.allclose(L(v), moved, atol=1e-7)
    dot = partial(np.einsum, "ij,ij->i")
    assert np.allclose(dot(g, E(d)), dot(tangent_transposed(np, model, q, g), d), rtol=1e-12)
    assert np.allclose(dot(d, L(v)), dot(coordinates_transposed(np, model, q, d), v), rtol=1e-12)


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
