"""A gradient-based trajectory under JAX: an arm reaches for a point, softly, by gradients through every step.

The torques u of all steps are what is searched for; a rollout is a scan of `dtau.jax.step`,

    (q', v') = step(q, v, g(q) + u, h)                                                                   (1)
    cost = |p(q_N) − p*|² w_p + |v_N|² w_v + h Σ |u|² w_u                                                (2)

with the torques of gravity g and the tool's position p. One jitted program gives the cost and its gradient, and L-BFGS with a line search
does the rest: a step that is too long gives a cost of NaN, which the search shortens. Saves jax_reach.png.

    python jax_reach.py [--short] [--out DIRECTORY]
"""

import common
import dtau
import dtau.jax
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

H = 0.02
WEIGHTS = {"position": 1000.0, "velocity": 10.0, "torque": 0.01}


def rollout(model, q0, torques):
    """All states (1)."""

    def step(x, u):
        q, v = x
        x = dtau.jax.step(model, q, v, dtau.jax.gravity_torques(model, q) + u, H)
        return x, x

    _, states = jax.lax.scan(step, (q0, jnp.zeros(model.nv)), torques)
    return states


def cost(model, frame, q0, goal, torques):
    """(2)."""
    q, v = rollout(model, q0, torques)
    tool = dtau.jax.frame_placement(model, q[-1], frame)[:, 3]
    ends = WEIGHTS["position"] * jnp.sum((tool - goal) ** 2) + WEIGHTS["velocity"] * jnp.sum(v[-1] ** 2)
    return ends + H * WEIGHTS["torque"] * jnp.sum(torques**2)


def minimise(value_and_gradient, x, iterations, memory=10):
    """L-BFGS, two loops, with halving of steps until the cost falls."""
    value, g = value_and_gradient(x)
    values, pairs = [float(value)], []
    for _ in range(iterations):
        d, kept = np.array(g), []
        for s, y in reversed(pairs):
            kept.append(np.vdot(s, d) / np.vdot(s, y))
            d -= kept[-1] * y
        if pairs:
            s, y = pairs[-1]
            s, y = pairs[-1]
            d *= np.vdot(s, y) / np.vdot(y, y)
        for (s, y), alpha in zip(pairs, reversed(kept)):
            d += (alpha - np.vdot(y, d) / np.vdot(s, y)) * s
        size = 1.0 if pairs else 1.0 / np.linalg.norm(d)
        for _ in range(30):
            tried = x - size * d
            new, new_g = value_and_gradient(tried)
            if new < value - 1e-4 * size * np.vdot(g, d):  # not where it is NaN
                break
            size /= 2
        else:
            break
        s, y = np.asarray(tried - x), np.asarray(new_g - g)
        if np.vdot(s, y) > 1e-12:
            pairs = [*pairs[-memory + 1 :], (s, y)]
        x, value, g = tried, new, new_g
        values.append(float(value))
    return x, values


def main(short=False, out="."):
    model = dtau.Model.bundled("arm6")
    frame, steps = model.frames[-1], 30 if short else 60
    q0 = jnp.asarray([0.0, 0.4, 0.6, 0.0, 0.3, 0.0])
    start = np.asarray(dtau.jax.frame_placement(model, q0, frame)[:, 3])
    goal = start + np.array([-0.15, 0.25, 0.1])
    # Searched for are accelerations, by the mass matrix at the start: a wrist is a thousand times as light as a shoulder.
    M = dtau.jax.crba(model, q0)
    f = jax.jit(jax.value_and_grad(lambda x: cost(model, frame, q0, goal, x @ M)))
    x, values = minimise(f, jnp.zeros((steps, model.nv)), iterations=60 if short else 200)
    torques = x @ M

    q, v = rollout(model, q0, torques)
    tool = np.asarray(dtau.jax.frame_placement(model, q, frame)[:, :, 3])
    off, speed = np.linalg.norm(tool[-1] - goal), np.abs(v[-1]).max()
    print(f"{len(values) - 1} iterations, cost {values[0]:.1f} → {values[-1]:.3f}; at the end {1000 * off:.1f} mm off, {speed:.3f} rad/s")

    plt = common.pyplot()
    figure, axes = plt.subplots(3, 1, figsize=(8, 8))
    time = H * np.arange(1, steps + 1)
    axes[0].plot(time, tool, label=["x", "y", "z"])
    axes[0].plot([time[-1]] * 3, goal, "k_", markersize=15, label="goal")
    axes[0].set(ylabel="tool [m]")
    axes[0].legend()
    axes[1].step(time, torques, where="post")
    axes[1].set(xlabel="time [s]", ylabel="torque beside gravity's [N m]")
    axes[2].semilogy(values)
    axes[2].set(xlabel="iteration", ylabel="cost")
    common.save(figure, out, "jax_reach.png")

    assert off < 0.01 and speed < 0.2, (off, speed)


if __name__ == "__main__":
    main(**common.arguments(__doc__))
