"""A quadruped stands on four point feet, balanced by LQR about its stance; dtau gives the linearisation exactly.

With the feet fixed to the ground, acceleration a and contact forces f follow from

    r₁ = rnea(q, v, a; f) − S u = 0        f: forces on the feet, in the world's axes                    (1)
    r₂ = acceleration of the feet(q, v, a) = 0                                                           (2)

and their derivatives by those of (1) and (2), which are `id_derivatives` and
`frame_classical_acceleration_derivatives`:

    [M  −Jᵀ] [δa]     [∂r₁/∂q]      [∂r₁/∂v]      [S]
    [J   0 ] [δf] = − [∂r₂/∂q] δq − [∂r₂/∂v] δv + [0] δu                                                 (3)

Feet that stand leave six ways to move, q = q₀ ⊕ Z y with J Z = 0; there LQR is designed. The robot is pushed; with LQR it
comes back, with the torques of the stance alone it collapses. Saves lqr_stance.png.

    python lqr_stance.py [--short] [--out DIRECTORY]
"""

import common
import dtau
import numpy as np

FEET = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"]
ACTUATED = slice(6, 18)


def stance(model):
    """Knees bent by 1.2 rad, every foot under its hip."""
    q, bend = model.neutral(), 1.2
    for leg in ("lf", "rf", "lh", "rh"):
        hip, knee, foot = (dtau.frame_placement(model, q, f"{leg}_{part}")[:, 3] for part in ("thigh", "shank", "foot"))
        thigh, shank = hip[2] - knee[2], knee[2] - foot[2]  # they hang straight down at zero
        q[model.joint(f"{leg}_hip_flexion").q] = np.arctan2(shank * np.sin(bend), thigh + shank * np.cos(bend))
        q[model.joint(f"{leg}_knee").q] = -bend
    return q


def wrenches(forces):
    return [dtau.Wrench.local_world_aligned(foot, force=f) for foot, f in zip(FEET, forces.reshape(4, 3))]


def feet_jacobian(model, q):
    return np.vstack([dtau.frame_jacobian(model, q, foot)[:3] for foot in FEET])


def constrained_acceleration(model, q, v, u, slack=0.0):
    """a and f of (1) and (2). `slack` are accelerations of the feet that undo the drift of a simulation."""
    M, J = dtau.crba(model, q), feet_jacobian(model, q)
    tau = np.zeros(model.nv)
    tau[ACTUATED] = u
    drift = np.concatenate(
        [dtau.frame_classical_acceleration(model, q, v, np.zeros(model.nv), foot)[:3] for foot in FEET]
    )
    solution = np.linalg.solve(
        np.block([[M, -J.T], [J, np.zeros((12, 12))]]),
        np.concatenate([tau - dtau.bias(model, q, v), slack - drift]),
    )
    return solution[: model.nv], solution[model.nv :]


def linearise(model, q, u):
    """∂a/∂q, ∂a/∂v and ∂a/∂u of (3) at rest."""
    v = np.zeros(model.nv)
    a, f = constrained_acceleration(model, q, v, u)
    r1 = dtau.id_derivatives(model, q, v, a, f_ext=wrenches(f))
    r2 = [dtau.frame_classical_acceleration_derivatives(model, q, v, a, foot) for foot in FEET]
    J = feet_jacobian(model, q)
    S = np.zeros((model.nv, 12))
    S[ACTUATED] = np.eye(12)
    kkt = np.block([[r1.dtau_da, -J.T], [J, np.zeros((12, 12))]])
    by_q = np.vstack([r1.dtau_dq, *(d.da_dq[:3] for d in r2)])
    by_v = np.vstack([r1.dtau_dv, *(d.da_dv[:3] for d in r2)])
    by_u = np.vstack([S, np.zeros((12, 12))])
    return [np.linalg.solve(kkt, x)[: model.nv] for x in (-by_q, -by_v, by_u)]


def standing_torques(model, q):
    """Torques and contact forces of the stance: the least of the many that hold it, J_baseᵀ f = gravity on the base."""
    g, J = dtau.gravity_torques(model, q), feet_jacobian(model, q)
    f = np.linalg.lstsq(J[:, :6].T, g[:6], rcond=None)[0]
    return (g - J.T @ f)[ACTUATED]


def lqr(A, B, Q, R):
    """The gain of continuous-time LQR, from the stable subspace of the Hamiltonian."""
    n, G = len(A), B @ np.linalg.solve(R, B.T)
    values, vectors = np.linalg.eig(np.block([[A, -G], [-Q, -A.T]]))
    stable = vectors[:, values.real < 0]
    assert stable.shape == (2 * n, n), "the stance cannot be stabilised"
    P = np.real(stable[n:] @ np.linalg.inv(stable[:n]))
    return np.linalg.solve(R, B.T @ P), P


def simulate(model, q0, u0, K, Z, push, duration, dt=2e-3):
    """Semi-implicit Euler with the feet held; returns times and deviations of the trunk, in [m, rad]."""
    q, v = q0.copy(), push.copy()
    stand = np.concatenate([dtau.frame_placement(model, q0, foot)[:, 3] for foot in FEET])
    times, deviations = np.arange(0, duration, dt), []
    for _ in times:
        deviation = model.difference(q0, q)
        deviations.append(deviation[:6])
        if np.abs(deviation[:3]).max() > 0.3:
            break  # collapsed
        y, yd = Z.T @ deviation, Z.T @ v
        u = u0 - K @ np.concatenate([y, yd])
        J = feet_jacobian(model, q)
        now = np.concatenate([dtau.frame_placement(model, q, foot)[:, 3] for foot in FEET])
        slack = -100.0 * (now - stand) - 20.0 * (J @ v)  # Baumgarte: the feet stay where they were put
        a, _ = constrained_acceleration(model, q, v, u, slack)
        v = v + dt * a
        q = model.integrate(q, dt * v)
    return times[: len(deviations)], np.array(deviations)


def main(short=False, out="."):
    model = dtau.Model.bundled("quadruped", root="floating")
    q0 = stance(model)
    u0 = standing_torques(model, q0)
    by_q, by_v, by_u = linearise(model, q0, u0)

    # The ways to move with the feet where they are: J Z = 0, with the trunk's motion as coordinates.
    J = feet_jacobian(model, q0)
    Z = np.linalg.svd(J)[2][12:].T
    n = Z.shape[1]
    A = np.block([[np.zeros((n, n)), np.eye(n)], [Z.T @ by_q @ Z, Z.T @ by_v @ Z]])
    B = np.vstack([np.zeros((n, 12)), Z.T @ by_u])
    K, _ = lqr(A, B, np.diag([1e3] * n + [1e1] * n), 0.1 * np.eye(12))
    open_loop, closed_loop = (np.linalg.eigvals(X).real.max() for X in (A, A - B @ K))
    print(f"fastest mode: {open_loop:+.2f} 1/s with constant torques, slowest {closed_loop:+.2f} 1/s with LQR")

    knock = np.array([0.4, 0.3, 0.0, 0.3, 0.4, 0.3])  # velocity of the trunk [m/s, rad/s]; the legs follow
    push = Z @ np.linalg.solve(Z[:6], knock)
    duration = 1.0 if short else 2.5
    balanced = simulate(model, q0, u0, K, Z, push, duration)
    collapsed = simulate(model, q0, u0, 0 * K, Z, push, duration)

    plt = common.pyplot()
    figure, axes = plt.subplots(2, 1, sharex=True, figsize=(8, 6))
    for axis, name, (times, deviations) in ((axes[0], "LQR", balanced), (axes[1], "constant torques", collapsed)):
        axis.plot(times, 100 * deviations[:, :3], label=["x [cm]", "y [cm]", "z [cm]"])
        axis.plot(times, np.degrees(deviations[:, 3:]), "--", label=["roll [°]", "pitch [°]", "yaw [°]"])
        axis.set(title=name, ylabel="trunk, from the stance")
        axis.legend(ncol=2, fontsize="small")
    axes[1].set_xlabel("time [s]")
    common.save(figure, out, "lqr_stance.png")

    largest, last = np.abs(balanced[1]).max(), np.abs(balanced[1][-1]).max()
    print(f"LQR: at most {largest:.3f}, at the end {last:.2e}; constant torques: {np.abs(collapsed[1]).max():.3f}")
    assert open_loop > 1.0 > 0.0 > closed_loop
    assert largest > 0.01 and last < (5e-3 if short else 1e-4), (largest, last)
    assert np.abs(collapsed[1]).max() > 0.1


if __name__ == "__main__":
    main(**common.arguments(__doc__))
