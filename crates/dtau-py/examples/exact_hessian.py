"""Reaching with an arm: exact Hessians of the dynamics against Gauss–Newton, in one solver.

Differential dynamic programming on steps of semi-implicit Euler,

    v' = v + h q̈(q, v, τ),   q' = q + h v'                                                              (1)

The second derivatives of a step enter a sweep contracted with the gradient (V_q, V_v) of the cost to go:

    V_q·∂²q' + V_v·∂²v' = ∂²(wᵀ q̈),   w = h (V_v + h V_q)                                               (2)

which is one call of `fd_hessian`. iLQR, the Gauss–Newton method of this family, leaves (2) out; everything else is the same code. Both
find the same motion. Near it, iLQR gains a constant factor a sweep, the worse the more cost is left at the solution, and the exact method
doubles the digits. So they are compared for several weights of the effort. Needs NumPy alone; saves exact_hessian.html,
a page that needs no network.

    python exact_hessian.py [--short] [--out DIRECTORY]
"""

import time

import common
import dtau
import numpy as np
import page

H = 0.02
EFFORTS = (0.01, 0.1, 1.0, 10.0)


class Reach:
    """From rest to rest in another posture: effort on the way, weights on where and how fast the arm ends."""

    def __init__(self, model, steps, start, goal, effort):
        self.model, self.steps, self.n, self.effort = model, steps, model.nv, effort
        self.x0 = np.concatenate([start, np.zeros(self.n)])
        self.goal = np.concatenate([goal, np.zeros(self.n)])
        self.weights = np.concatenate([np.full(self.n, 100.0), np.full(self.n, 10.0)])
        self.running = H * np.ones(2 * self.n)
        # Torques are counted from those that hold the goal.
        self.hold = dtau.gravity_torques(model, goal)
        self.workspace = dtau.Workspace(model)

    def step(self, x, u):
        n = self.n
        v = x[n:] + H * dtau.aba(self.model, x[:n], x[n:], self.hold + u, workspace=self.workspace)  # (1)
        return np.concatenate([x[:n] + H * v, v])

    def linearise(self, xs, us):
        """A (steps, 2n, 2n) and B (steps, 2n, n) along a trajectory: one call for all of it."""
        n, one = self.n, np.eye(self.n)
        d = dtau.fd_derivatives(self.model, xs[:-1, :n], xs[:-1, n:], self.hold + us)
        v_by = np.concatenate([H * d.dqdd_dq, one + H * d.dqdd_dv, H * d.dqdd_dtau], axis=2)
        q_by = H * v_by
        q_by[:, :, :n] += one
        by = np.concatenate([q_by, v_by], axis=1)
        return by[:, :, : 2 * n], by[:, :, 2 * n :]

    def curvature(self, x, u, Vx):
        """(2), by x and x, and by u and x; there is none by u and u."""
        n = self.n
        h = dtau.fd_hessian(self.model, x[:n], x[n:], self.hold + u, H * (Vx[n:] + H * Vx[:n]), workspace=self.workspace)
        return np.block([[h.qq, h.qv], [h.qv.T, h.vv]]), np.concatenate([h.qtau.T, np.zeros((n, n))], axis=1)

    def guess(self):
        """Torques of a smooth motion along the straight line to the goal."""
        s = np.linspace(0.0, 1.0, self.steps, endpoint=False)[:, None]
        way, duration = self.goal[: self.n] - self.x0[: self.n], H * self.steps
        path = self.x0[: self.n] + way * (10 * s**3 - 15 * s**4 + 6 * s**5)
        rate = way * (30 * s**2 - 60 * s**3 + 30 * s**4) / duration
        return dtau.rnea(self.model, path, rate, way * (60 * s - 180 * s**2 + 120 * s**3) / duration**2) - self.hold

    def cost(self, xs, us):
        running = np.sum(self.running * (xs[:-1] - self.goal) ** 2) + H * self.effort * np.sum(us**2)
        return 0.5 * (running + np.sum(self.weights * (xs[-1] - self.goal) ** 2))


def rollout(problem, us, gains=None, around=None):
    xs, applied = [problem.x0], []
    for k in range(problem.steps):
        u = us[k] if gains is None else us[k] + gains[k] @ (xs[-1] - around[k])
        if not np.abs(xs[-1]).max() < 1e3 or not np.abs(u).max() < 1e5:
            return None
        applied.append(u)
        xs.append(problem.step(xs[-1], u))
    return np.array(xs), np.array(applied)


def backward(problem, xs, us, exact, regularisation):
    """One Riccati sweep: steps and gains of u ← u + α k + K δx, and the decrease they promise; None if it is not convex."""
    n, (A, B) = problem.n, problem.linearise(xs, us)
    Vx, Vxx = problem.weights * (xs[-1] - problem.goal), np.diag(problem.weights)
    k, K, promise = np.zeros((problem.steps, n)), np.zeros((problem.steps, n, 2 * n)), 0.0
    for t in reversed(range(problem.steps)):
        Qx, Qu = problem.running * (xs[t] - problem.goal) + A[t].T @ Vx, H * problem.effort * us[t] + B[t].T @ Vx
        Qxx, Qux = np.diag(problem.running) + A[t].T @ Vxx @ A[t], B[t].T @ Vxx @ A[t]
        Quu = H * problem.effort * np.eye(n) + B[t].T @ Vxx @ B[t] + regularisation * np.eye(n)
        if exact:
            xx, ux = problem.curvature(xs[t], us[t], Vx)
            Qxx, Qux = Qxx + xx, Qux + ux
        try:
            L = np.linalg.cholesky(Quu)
        except np.linalg.LinAlgError:
            return None
        solve = np.linalg.solve(L, np.column_stack([Qu, Qux]))
        k[t], K[t] = -np.linalg.solve(L.T, solve[:, 0]), -np.linalg.solve(L.T, solve[:, 1:])
        promise += 0.5 * solve[:, 0] @ solve[:, 0]
        Vx, Vxx = Qx - solve[:, 1:].T @ solve[:, 0], Qxx - solve[:, 1:].T @ solve[:, 1:]
    return k, K, promise


def solve(problem, exact, sweeps, tolerance=1e-13):
    """The costs sweep by sweep, until a sweep promises nothing more; and the motion."""
    xs, us = rollout(problem, problem.guess())
    costs, regularisation = [problem.cost(xs, us)], 1e-9
    for _ in range(sweeps):
        swept = backward(problem, xs, us, exact, regularisation)
        if swept is None:  # far from the solution the exact Hessian may not be convex; Gauss–Newton's is
            swept = backward(problem, xs, us, False, regularisation)
        if swept is not None:
            k, K, promise = swept
            if promise < tolerance * costs[-1]:
                break
            for alpha in 0.5 ** np.arange(10):
                tried = rollout(problem, us + alpha * k, K, xs)
                if tried is not None and problem.cost(*tried) <= costs[-1] - 1e-4 * alpha * promise:
                    break
            else:
                swept = None
        if swept is None:
            regularisation = max(10 * regularisation, 1e-9)
            if regularisation > 1e6:
                break
            costs.append(costs[-1])
            continue
        xs, us = tried
        costs.append(problem.cost(xs, us))
        regularisation = max(regularisation / 10, 1e-9)
    return np.array(costs), xs, us


def main(short=False, out="."):
    model = dtau.Model.bundled("arm6")
    start, goal = model.neutral(), np.array([1.2, -0.8, 1.0, 0.6, -0.9, 0.4])
    sections, most, times = [], 0.0, [0.0, 0.0]
    for effort in EFFORTS:
        problem = Reach(model, 25 if short else 40, start, goal, effort)
        results, seconds = [], []
        for name, exact in [("Gauss–Newton", False), ("exact Hessian", True)]:
            before = time.perf_counter()
            costs, xs, _ = solve(problem, exact, sweeps=400)
            results.append(costs)
            seconds.append(time.perf_counter() - before)
            off = np.degrees(np.abs(xs[-1] - problem.goal)[: model.nv]).max()
            print(f"effort {effort:5}, {name:13}: {len(costs) - 1:3} sweeps, {seconds[-1]:.2f} s, "
                  f"cost {costs[0]:.3f} → {costs[-1]:.9f}, {off:.1f}° off at the end")
        gauss, exact = results
        assert abs(gauss[-1] - exact[-1]) <= 1e-9 * gauss[-1], (gauss[-1], exact[-1])  # the same motion
        assert len(exact) < len(gauss), (len(exact), len(gauss))  # in fewer sweeps
        most, times = max(most, len(gauss) / len(exact)), [a + b for a, b in zip(times, seconds)]
        sections.append(figure(effort, results, seconds))
    body = f"""<header><h1>Exact Hessians reach the same motion in fewer sweeps</h1>
<p class="lead">An arm reaches for a pose in {H * (25 if short else 40):.1f} s, by differential dynamic programming: the same solver, once with the second derivatives
of forward dynamics (<code>fd_hessian</code>) and once without them (Gauss–Newton, iLQR).</p>{page.facts([("fewer sweeps, at best", f"{most:.1f}×"),
    ("Gauss–Newton, all four", f"{times[0]:.1f} s"), ("exact, all four", f"{times[1]:.1f} s"), ("the same cost to", "1e-9")])}</header><main>
<p class="small">Each picture is a weight of the effort: the cost above the least, as a power of ten, sweep by sweep. The more the effort weighs, the more
cost is left at the solution, and the more Gauss–Newton misses.</p>{page.legend(["Gauss–Newton", "exact Hessian"])}
<div class="pair">{"".join(sections)}</div></main>
<footer>Made by <code>exact_hessian.py</code> with dtau {dtau.__version__}; the solver is Python, times include it.</footer>"""
    page.save(out, "exact_hessian.html", "Exact Hessians in optimal control", body)


def figure(effort, results, seconds):
    """Both costs above the least, over their sweeps; one that has arrived stays where it is."""
    best, length = min(costs[-1] for costs in results), max(map(len, results))
    above = [np.log10(np.maximum(costs / best - 1, 1e-16)) for costs in results]
    lines = [np.pad(line, (0, length - len(line)), mode="edge") for line in above]
    sweeps = " and ".join(f"{len(costs) - 1} sweeps in {s:.2f} s" for costs, s in zip(results, seconds))
    return f"""<section class="figure"><h2>Effort {effort:g}</h2><p class="small">{sweeps}.</p>
{page.curves(np.arange(length), lines, "sweep", "log₁₀")}</section>"""


if __name__ == "__main__":
    main(**common.arguments(__doc__))
