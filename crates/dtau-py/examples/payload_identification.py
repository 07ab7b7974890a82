"""Identification of a payload: mass, centre of mass and inertia of what an arm holds, from its joint torques.

Torques are linear in the ten numbers θ = (m, m c, Ī) of a body, with Ī its inertia about the frame's origin:

    τ_measured − rnea(arm without load) = Y(q, v, a) θ                                                  (1)

Y has a column for each of ten loads that one could hang on the arm; dtau evaluates all states of each in one batch. Least
squares on noisy torques of a moving arm give θ. Saves payload_identification.png.

    python payload_identification.py [--short] [--out DIRECTORY]
"""

import common
import dtau
import numpy as np

FRAME = "tool0"
TRUTH = {"mass": 2.3, "com": np.array([0.03, -0.02, 0.11]), "inertia": np.array([[0.012, 0.001, 0.0], [0.001, 0.015, -0.002], [0.0, -0.002, 0.009]])}
NOISE = 0.05  # N m, standard deviation


def parameters(mass, com, inertia):
    """θ: mass, first moment, and the six numbers of the inertia about the origin of the frame."""
    com = np.asarray(com)
    about_origin = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
    return np.concatenate([[mass], mass * com, about_origin[np.triu_indices(3)]])


def load(theta):
    """Mass, centre of mass, and inertia about it, from θ."""
    mass, com = theta[0], theta[1:4] / theta[0]
    about_origin = np.zeros((3, 3))
    about_origin[np.triu_indices(3)] = theta[4:]
    about_origin += np.triu(about_origin, 1).T
    return mass, com, about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com))


def trial_loads():
    """Ten loads whose θ span all of them: a body, shifted and turned."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        yield 1.0 + rng.uniform(), rng.normal(size=3) / 5, turn @ np.diag([0.2, 0.3, 0.25] + 0.1 * rng.uniform(size=3)) @ turn.T


def regressor(arm, q, v, a):
    """Y of (1): states × joints × 10."""
    without = dtau.rnea(arm, q, v, a)
    thetas, torques = [], []
    for mass, com, inertia in trial_loads():
        thetas.append(parameters(mass, com, inertia))
        torques.append(dtau.rnea(arm.with_payload(FRAME, mass, com, inertia), q, v, a) - without)
    return np.linalg.solve(np.array(thetas), np.array(torques).reshape(10, -1)).T.reshape(*q.shape, 10)


def excitation(model, duration, rate=100):
    """Sums of sines: every joint moves, with several frequencies each."""
    rng = np.random.default_rng(1)
    t = np.arange(0, duration, 1 / rate)[:, None, None]
    w = 2 * np.pi * rng.uniform(0.1, 0.7, (model.nv, 4))
    size, phase = rng.uniform(0.1, 0.4, (2, model.nv, 4)) * [[[1]], [[20]]]
    angle = w * t + phase
    return (size * np.sin(angle)).sum(-1), (size * w * np.cos(angle)).sum(-1), (-size * w**2 * np.sin(angle)).sum(-1)


def main(short=False, out="."):
    arm = dtau.Model.bundled("arm6")
    q, v, a = excitation(arm, 5.0 if short else 20.0)
    loaded = arm.with_payload(FRAME, **TRUTH)
    measured = dtau.rnea(loaded, q, v, a) + np.random.default_rng(2).normal(scale=NOISE, size=v.shape)

    Y = regressor(arm, q, v, a)
    difference = measured - dtau.rnea(arm, q, v, a)
    counts, estimates = np.unique(np.geomspace(20, len(q), 25).astype(int)), []
    for count in counts:
        estimates.append(np.linalg.lstsq(Y[:count].reshape(-1, 10), difference[:count].ravel(), rcond=None)[0])
    mass, com, inertia = load(estimates[-1])
    print(f"mass {mass:.4f} kg (true {TRUTH['mass']}), centre of mass {1e3 * com.round(5)} mm (true {1e3 * TRUTH['com']})")
    print(f"inertia, principal {np.linalg.eigvalsh(inertia).round(4)} kg m² (true {np.linalg.eigvalsh(TRUTH['inertia']).round(4)})")

    plt = common.pyplot()
    figure, axes = plt.subplots(2, 1, figsize=(8, 6))
    truth = parameters(**TRUTH)
    axes[0].loglog(counts / 100, np.abs([theta[0] - truth[0] for theta in estimates]), label="mass [kg]")
    axes[0].loglog(counts / 100, [np.linalg.norm(load(theta)[1] - TRUTH["com"]) for theta in estimates], label="centre of mass [m]")
    axes[0].set(xlabel="seconds of data", ylabel="error")
    axes[0].legend()
    found = arm.with_payload(FRAME, mass, com, (inertia + inertia.T) / 2)
    residual = measured - dtau.rnea(found, q, v, a)
    axes[1].plot(np.arange(len(q)) / 100, residual, lw=0.5)
    axes[1].set(xlabel="time [s]", ylabel="torque left over [N m]")
    common.save(figure, out, "payload_identification.png")

    assert np.abs(Y @ truth - (dtau.rnea(loaded, q, v, a) - dtau.rnea(arm, q, v, a))).max() < 1e-9  # (1) is exact
    assert abs(mass - TRUTH["mass"]) < 0.01 * TRUTH["mass"]
    assert np.abs(com - TRUTH["com"]).max() < 2e-3
    assert abs(residual.std() - NOISE) < 0.05 * NOISE  # nothing but the noise is left


if __name__ == "__main__":
    main(**common.arguments(__doc__))
