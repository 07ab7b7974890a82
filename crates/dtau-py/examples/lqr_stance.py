"""A quadruped stands on four point feet, balanced by LQR about its stance; dtau gives the linearisation exactly.

The feet are a set of constraints, so one call linearises the dynamics with the feet on the ground:

    q̈ = constrained_fd(q, v, τ)      δq̈ = ∂q̈/∂q δq + ∂q̈/∂v δv + ∂q̈/∂τ δτ      (`constrained_fd_derivatives`)

Feet that stand leave six ways to move, q = q₀ ⊕ Z y with J Z = 0: LQR is designed there. The robot is pushed; with LQR it
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


def standing_torques(model, feet, q):
    """Torques of the joints in the stance: of the many that hold it, those with the least contact forces."""
    g, J = dtau.gravity_torques(model, q), dtau.constraint_jacobian(model, feet, q)
    forces = np.linalg.lstsq(J[:, :6].T, g[:6], rcond=None)[0]  # nothing else carries the trunk
    return g - J.T @ forces


def lqr(A, B, Q, R):
    """The gain of continuous-time LQR, from the stable subspace of the Hamiltonian."""
    n, G = len(A), B @ np.linalg.solve(R, B.T)
    values, vectors = np.linalg.eig(np.block([[A, -G], [-Q, -A.T]]))
    stable = vectors[:, values.real < 0]
    assert stable.shape == (2 * n, n), "the stance cannot be stabilised"
    P = np.real(stable[n:] @ np.linalg.inv(stable[:n]))
    return np.linalg.solve(R, B.T @ P), P


def simulate(model, feet, q0, tau0, K, Z, push, duration, dt=2e-3):
    """Times and deviations of the trunk, in [m, rad], while the feet are held."""
    q, v = q0.copy(), push.copy()
    times, deviations = np.arange(0, duration, dt), []
    for _ in times:
        deviation = model.difference(q0, q)
        deviations.append(deviation[:6])
        if np.abs(deviation[:3]).max() > 0.3:
            break  # collapsed
        tau = tau0.copy()
        tau[ACTUATED] -= K @ np.concatenate([Z.T @ deviation, Z.T @ v])
        q, v, *_ = dtau.constrained_step(model, feet, q, v, tau, dt)
    return times[: len(deviations)], np.array(deviations)


def main(short=False, out="."):
    model = dtau.Model.bundled("quadruped", root="floating")
    q0 = stance(model)
    feet = dtau.Constraints(model)
    for foot in FEET:
        feet = feet.point(foot).at_world_here(q0)
    tau0 = standing_torques(model, feet, q0)
    d = dtau.constrained_fd_derivatives(model, feet, q0, np.zeros(model.nv), tau0)

    # The ways to move with the feet where they are: J Z = 0.
    Z = np.linalg.svd(dtau.constraint_jacobian(model, feet, q0))[2][12:].T
    n = Z.shape[1]
    A = np.block([[np.zeros((n, n)), np.eye(n)], [Z.T @ d.dqdd_dq @ Z, Z.T @ d.dqdd_dv @ Z]])
    B = np.vstack([np.zeros((n, 12)), Z.T @ d.dqdd_dtau[:, ACTUATED]])
    K, _ = lqr(A, B, np.diag([1e3] * n + [1e1] * n), 0.1 * np.eye(12))
    open_loop, closed_loop = (np.linalg.eigvals(X).real.max() for X in (A, A - B @ K))
    print(f"fastest mode: {open_loop:+.2f} 1/s with constant torques, slowest {closed_loop:+.2f} 1/s with LQR")

    knock = np.array([0.4, 0.3, 0.0, 0.3, 0.4, 0.3])  # velocity of the trunk [m/s, rad/s]; the legs follow
    push = Z @ np.linalg.solve(Z[:6], knock)
    duration = 1.0 if short else 2.5
    balanced = simulate(model, feet, q0, tau0, K, Z, push, duration)
    collapsed = simulate(model, feet, q0, tau0, 0 * K, Z, push, duration)

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
