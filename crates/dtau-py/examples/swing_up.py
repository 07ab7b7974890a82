"""iLQR swing-up of the double pendulum, by the torque of its elbow alone, on dtau's derivatives.

Dynamics are steps of semi-implicit Euler,

    v' = v + h q̈(q, v, τ),   q' = q + h v'                                                              (1)

and a sweep of iLQR needs their derivatives at every step of the trajectory: one batched call of `fd_derivatives`,

    ∂v' = [h ∂q̈/∂q, 1 + h ∂q̈/∂v, h ∂q̈/∂τ],   ∂q' = [1, 0, 0] + h ∂v'                                    (2)

From hanging down to standing, in four to five seconds. Saves swing_up.png.

    python swing_up.py [--short] [--out DIRECTORY]
"""

import common
import dtau
import numpy as np

H = 0.02
GOAL = np.array([np.pi, 0.0, 0.0, 0.0])
ELBOW = 1
WEIGHTS = {"running": np.array([0.1, 0.1, 0.01, 0.01]), "final": np.array([2000.0, 2000.0, 400.0, 400.0]), "torque": 0.02}


class Problem:
    def __init__(self, model, steps):
        self.model, self.steps = model, steps
        self.workspace, self.qdd, self.tau = dtau.Workspace(model), np.empty(2), np.zeros(2)

    def step(self, x, u):
        self.tau[ELBOW] = u
        dtau.aba(self.model, x[:2], x[2:], self.tau, workspace=self.workspace, out=self.qdd)
        v = x[2:] + H * self.qdd  # (1)
        return np.concatenate([x[:2] + H * v, v])

    def linearise(self, xs, us):
        """A (steps, 4, 4) and B (steps, 4) along a trajectory."""
        tau = np.zeros((self.steps, 2))
        tau[:, ELBOW] = us
        d = dtau.fd_derivatives(self.model, xs[:-1, :2], xs[:-1, 2:], tau)
        v_by_q, v_by_v, v_by_u = H * d.dqdd_dq, np.eye(2) + H * d.dqdd_dv, H * d.dqdd_dtau[:, :, ELBOW]  # (2)
        A = np.block([[np.eye(2) + H * v_by_q, H * v_by_v], [v_by_q, v_by_v]])
        return A, np.concatenate([H * v_by_u, v_by_u], axis=1)

    def cost(self, xs, us):
        running = np.sum(WEIGHTS["running"] * (xs[:-1] - GOAL) ** 2) + WEIGHTS["torque"] * np.sum(us**2)
        return H * running + np.sum(WEIGHTS["final"] * (xs[-1] - GOAL) ** 2)


def rollout(problem, x0, us, gains=None, around=None):
    """States and torques; None if the motion leaves all bounds, as too large a step of the solver may make it do."""
    xs = [x0]
    applied = []
    for k in range(problem.steps):
        u = us[k] if gains is None else us[k] + gains[k] @ (xs[-1] - around[k])
        if not np.abs(xs[-1]).max() < 1e3 or not abs(u) < 1e5:
            return None
        applied.append(u)
        xs.append(problem.step(xs[-1], u))
    return np.array(xs), np.array(applied)


def backward(problem, xs, us, regularisation):
    """One Riccati sweep: steps `k` and gains `K` of u ← u + α k + K δx, and the decrease they promise."""
    A, B = problem.linearise(xs, us)
    Vx, Vxx = 2 * WEIGHTS["final"] * (xs[-1] - GOAL), np.diag(2 * WEIGHTS["final"])
    k, K, promise = np.zeros(problem.steps), np.zeros((problem.steps, 4)), 0.0
    for t in reversed(range(problem.steps)):
        Qx = 2 * H * WEIGHTS["running"] * (xs[t] - GOAL) + A[t].T @ Vx
        Qu = 2 * H * WEIGHTS["torque"] * us[t] + B[t] @ Vx
        Qxx = np.diag(2 * H * WEIGHTS["running"]) + A[t].T @ Vxx @ A[t]
        Qux = B[t] @ Vxx @ A[t]
        Quu = 2 * H * WEIGHTS["torque"] + B[t] @ Vxx @ B[t] + regularisation
        k[t], K[t] = -Qu / Quu, -Qux / Quu
        promise += 0.5 * Qu**2 / Quu
        Vx = Qx - Qux * Qu / Quu
        Vxx = Qxx - np.outer(Qux, Qux) / Quu
    return k, K, promise


def solve(problem, x0, us, sweeps, tolerance=1e-7):
    xs, us = rollout(problem, x0, us)
    costs, regularisation, K = [problem.cost(xs, us)], 1.0, None
    for _ in range(sweeps):
        k, K, promise = backward(problem, xs, us, regularisation)
        if promise < tolerance * costs[-1]:
            break
        for alpha in 0.5 ** np.arange(12):
            tried = rollout(problem, x0, us + alpha * k, K, xs)
            if tried is not None and problem.cost(*tried) < costs[-1] - 1e-4 * alpha * promise:
                (xs, us), regularisation = tried, max(1e-6, regularisation / 3)
                costs.append(problem.cost(xs, us))
                break
        else:
            regularisation *= 10
            if regularisation > 1e9:
                break
    return xs, us, K, costs


def main(short=False, out="."):
    model = dtau.Model.bundled("double_pendulum")
    problem = Problem(model, steps=200 if short else 250)
    x0 = np.zeros(4)
    guess = 0.5 * np.sin(2 * np.pi * 0.45 * H * np.arange(problem.steps))  # the pendulum's own rhythm, to get going
    xs, us, K, costs = solve(problem, x0, guess, sweeps=150 if short else 500)
    error = np.abs(xs[-1] - GOAL)
    print(f"{len(costs) - 1} sweeps, cost {costs[0]:.0f} → {costs[-1]:.3f}; at the end {np.degrees(error[:2]).round(3)}° off, "
          f"{error[2:].round(4)} rad/s; largest torque {np.abs(us).max():.2f} N m")

    tip = dtau.frame_placement(model, xs[:, :2], "tip")[:, 2, 3]
    plt = common.pyplot()
    figure, axes = plt.subplots(3, 1, figsize=(8, 8))
    time = H * np.arange(len(xs))
    axes[0].plot(time, np.degrees(xs[:, :2]), label=["shoulder", "elbow"])
    axes[0].set(ylabel="angle [°]")
    axes[0].legend()
    axes[1].plot(time, tip, label="height of the tip [m]")
    axes[1].step(time[:-1], us, label="torque of the elbow [N m]", where="post")
    axes[1].set(xlabel="time [s]")
    axes[1].legend()
    axes[2].semilogy(costs)
    axes[2].set(xlabel="sweep", ylabel="cost")
    common.save(figure, out, "swing_up.png")

    assert tip[0] < -1.99 and tip[-1] > 1.99, (tip[0], tip[-1])  # from hanging to standing: the rods are 1 m each
    assert error.max() < 0.05, error


if __name__ == "__main__":
    main(**common.arguments(__doc__))
