#!/usr/bin/env python3
"""dtau under JAX: XLA's calls against a Python callback, against dtau on NumPy arrays, and against libraries that are written in JAX.

    python bench/jax_bench.py [--robot arm6 | --robot PATH.urdf] [--quick] [--only NAME]

One process, one thread for dtau, float64, the same robot and states for all. Of mjx, brax and jaxsim those that are installed take part, with
the robot from the same URDF without its meshes, coupled joints free, welded links as one; how far their accelerations are from dtau's is in the table, since not all of them
model a robot alike. Times are the least of many short rounds, of a call that waits for its result.
"""

import argparse
import re
import time
from functools import partial
from pathlib import Path

import jax

jax.config.update("jax_enable_x64", True)

import dtau
import dtau.jax
import jax.numpy as jnp
import numpy as np

BATCH = 1024
LOOP = 1000  # calls in one program


def least(call, seconds):
    """Returns microseconds per call: the least of many short rounds, so that other processes do not matter."""
    jax.block_until_ready(call())
    start = time.perf_counter()
    jax.block_until_ready(call())
    count = max(1, int(1e-4 / (time.perf_counter() - start)))
    least, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(count):
            jax.block_until_ready(call())
        least = min(least, (time.perf_counter() - start) / count)
    return 1e6 * least


def in_a_loop(f):
    """Makes many calls in one program. Each uses the last result in its arguments, so that none is optimised
    away or hoisted out of the loop."""

    def program(q, v, tau):
        body = lambda _, a: f(q + 1e-9 * a, v, tau)  # a fixed base: as many coordinates as velocities
        return jax.lax.fori_loop(0, LOOP, body, jnp.zeros_like(v))

    return jax.jit(program)


def by_callback(model):
    """Computes the same through a Python callback, without the foreign-function interface."""

    def f(q, v, tau):
        result = jax.ShapeDtypeStruct(jnp.broadcast_shapes(q.shape, v.shape), v.dtype)
        call = lambda *x: dtau.aba(model, *(np.asarray(y) for y in x))
        return jax.pure_callback(call, result, q, v, tau, vmap_method="expand_dims")

    return f


def bare(urdf):
    """Removes visual and collision shapes, which do not affect the dynamics and whose files may be missing, and
    mimic joints, which not all libraries support."""
    return re.sub(r"<(visual|collision|mimic)\b[^>]*?(/>|>.*?</\1>)", "", urdf, flags=re.S)


def mujoco_model(urdf):
    import mujoco

    compiler = '<mujoco><compiler discardvisual="true" fusestatic="true"/></mujoco>'
    model = mujoco.MjModel.from_xml_string(re.sub(r"(<robot\b[^>]*>)", rf"\1{compiler}", urdf, count=1))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    return model


def mjx(urdf):
    from mujoco import mjx

    model = mujoco_model(urdf)
    device = mjx.put_model(model)
    data = mjx.make_data(device)
    return lambda q, v, tau: mjx.forward(device, data.replace(qpos=q, qvel=v, qfrc_applied=tau)).qacc


def brax(urdf):
    from brax import kinematics
    from brax.generalized import dynamics, mass
    from brax.generalized.base import State
    from brax.io import mjcf

    system = mjcf.load_model(mujoco_model(urdf))

    def f(q, v, tau):
        x, xd = kinematics.forward(system, q, v)
        state = State.init(q, v, x, xd)
        state = dynamics.transform_com(system, state)
        state = mass.matrix_inv(system, state, 0)
        return state.mass_mx_inv @ dynamics.forward(system, state, tau)

    return f


def jaxsim(urdf):
    import jaxsim.api as js

    model = js.model.JaxSimModel.build_from_model_description(urdf, is_urdf=True)

    def f(q, v, tau):
        data = js.data.JaxSimModelData.build(model, joint_positions=q, joint_velocities=v)
        return js.model.forward_dynamics_aba(model, data, joint_forces=tau)[1]

    return f


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="arm6")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="those whose name has this in it")
    given = parser.parse_args()
    seconds = 0.5 if given.quick else 3
    path = Path(given.robot)
    urdf = bare(path.read_text() if path.suffix == ".urdf" else dtau.bundled_urdf(given.robot))
    model = dtau.Model.from_urdf(urdf)
    rng = np.random.default_rng(0)
    q = model.random(rng, BATCH)
    v, a = rng.uniform(-1, 1, (2, BATCH, model.nv))
    x = (q, v, dtau.rnea(model, q, v, a))
    one, many = [jnp.asarray(y[0]) for y in x], [jnp.asarray(y) for y in x]

    workspace, out = dtau.Workspace(model), np.empty(model.nv)
    kernel = least(lambda: dtau.aba(model, *(y[0] for y in x), workspace=workspace, out=out), seconds)
    arrays = least(lambda: dtau.aba(model, *x), seconds)
    nothing = jax.jit(lambda q, v, tau: tau)
    dispatch = least(lambda: nothing(*one), seconds)
    print(f"{model.name}, nv = {model.nv}; JAX {jax.__version__}; microseconds")
    print(f"dtau.aba from Python, one state into its own memory: {kernel:.2f}; {BATCH} states: {arrays:.0f}")
    print(f"a jitted function that does nothing: {dispatch:.2f}\n")
    print("| forward dynamics | one jitted call | in a loop of one program | gradient, one call | vmap of 1,024 | off by |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    contestants = {
        "dtau.jax": lambda _: partial(dtau.jax.aba, model),
        "dtau by pure_callback": lambda _: by_callback(model),
        "mjx": mjx,
        "brax, generalized": brax,
        "jaxsim": jaxsim,
    }
    want = dtau.aba(model, *x)
    for name, make in contestants.items():
        if given.only not in name:
            continue
        try:
            f = make(urdf)
            got = np.asarray(jax.jit(jax.vmap(f))(*many))
            off = np.abs(got - want).max() / np.abs(want).max()
        except Exception as error:  # not installed, or it cannot read this robot: report and continue
            print(f"| {name} | {type(error).__name__}: {str(error).splitlines()[0][:90] if str(error) else ''} | | | | |")
            continue
        call, batch, loop = jax.jit(f), jax.jit(jax.vmap(f)), in_a_loop(f)
        row = [least(lambda: call(*one), seconds), least(lambda: loop(*one), seconds) / LOOP]
        if name == "dtau by pure_callback":
            row.append(float("nan"))
        else:
            gradient = jax.jit(jax.grad(lambda *y: (f(*y) ** 2).sum(), argnums=(0, 1, 2)))
            row.append(least(lambda: gradient(*one), seconds))
        row.append(least(lambda: batch(*many), seconds))
        print(f"| {name} | " + " | ".join("–" if np.isnan(t) else f"{t:.1f}" for t in row) + f" | {off:.0e} |")


if __name__ == "__main__":
    main()
