"""Identification of an arm's inertias and of what it holds, from a noisy motion.

Torques are linear in the inertial parameters π of the links, but motions tell only some combinations of them apart:

    τ = Y(q, v, a) π = Y_base π_base                       `joint_torque_regressor`, `model.base_parameters()`     (1)

1. **Links.** The arm follows a trajectory; torques are measured with noise. Least squares on (1) give π_base and, from the noise, how
   well each of its combinations is known, by name. Ten parameters for every link would leave the system singular.
2. **Load.** The same arm holds something it does not know, and moves under given torques; its accelerations are measured with noise.
   Gauss–Newton on q̈, with ∂q̈/∂π of `fd_regressor`, over the log-Cholesky parameters of the load, which reach possible bodies only.

Both against the truth. Saves identification.png.

    python identification.py [--short] [--out DIRECTORY]
"""

import common
import dtau
import numpy as np

TORQUE_NOISE = 0.1  # N m, standard deviation
ACCELERATION_NOISE = 0.5  # rad/s²
LOAD = {"mass": 2.3, "com": [0.03, -0.02, 0.11], "inertia": [[0.012, 0.001, 0.0], [0.001, 0.015, -0.002], [0.0, -0.002, 0.009]]}
RATE = 100  # Hz


def excitation(model, duration):
    """Sums of sines: every joint moves, with several frequencies each."""
    rng = np.random.default_rng(1)
    t = np.arange(0, duration, 1 / RATE)[:, None, None]
    w = 2 * np.pi * rng.uniform(0.1, 0.9, (model.nv, 5))
    size, phase = rng.uniform(0.1, 0.5, (model.nv, 5)), rng.uniform(0, 2 * np.pi, (model.nv, 5))
    angle = w * t + phase
    return (size * np.sin(angle)).sum(-1), (size * w * np.cos(angle)).sum(-1), (-size * w**2 * np.sin(angle)).sum(-1)


def identify_links(model, q, v, a, measured):
    """π_base, the standard deviation of each, by least squares on (1)."""
    base = model.base_parameters()
    Y = dtau.joint_torque_regressor(model, q, v, a)[..., base.independent].reshape(-1, len(base))
    estimate, _, rank, _ = np.linalg.lstsq(Y, measured.ravel(), rcond=None)
    assert rank == len(base), "the motion does not excite every base parameter"
    sigma = TORQUE_NOISE * np.sqrt(np.diag(np.linalg.inv(Y.T @ Y)))
    return base, estimate, sigma


def identify_load(arm, link, q, v, tau, measured):
    """The ten parameters of a load on `link`, by Gauss–Newton over its log-Cholesky parameters θ; and the cost of every step."""
    theta = dtau.log_cholesky(dtau.from_log_cholesky([0.0, -2, -2, -2, 0, 0, 0, 0, 0, 0]))  # 1 kg within some 14 cm
    pi, costs = arm.inertial_parameters, []
    own = slice(10 * link, 10 * link + 10)
    for _ in range(12):
        trial = pi.copy()
        trial[own] += dtau.from_log_cholesky(theta)
        held = arm.with_parameters(trial)
        left = (measured - dtau.aba(held, q, v, tau)).ravel()
        costs.append(left @ left / ACCELERATION_NOISE**2 / left.size)
        by_pi = dtau.fd_regressor(held, q, v, tau)[..., own].reshape(-1, 10)
        by_theta = by_pi @ dtau.log_cholesky_derivative(theta)
        theta = theta + np.linalg.lstsq(by_theta, left, rcond=None)[0]
    return dtau.from_log_cholesky(theta), np.array(costs)


def main(short=False, out="."):
    arm = dtau.Model.bundled("arm6", damping=False, friction=False, armature=False)
    rng = np.random.default_rng(2)
    q, v, a = excitation(arm, 6.0 if short else 30.0)

    # 1. Links.
    measured = dtau.rnea(arm, q, v, a) + rng.normal(scale=TORQUE_NOISE, size=v.shape)
    base, estimate, sigma = identify_links(arm, q, v, a, measured)
    truth = base(arm.inertial_parameters)
    print(f"{len(base)} base parameters of {len(arm.inertial_parameters)}; the best known and the least known:")
    for k in np.argsort(sigma)[[0, 1, -2, -1]]:
        print(f"  {estimate[k]:9.4f} ± {sigma[k]:.4f} (true {truth[k]:.4f})  {base.names[k]}")
    # On a motion that was not learnt from: what the estimate predicts, beside the truth.
    fresh = [x[::-1] for x in excitation(arm, 5.0)]
    fresh[1] = -fresh[1]
    columns = dtau.joint_torque_regressor(arm, *fresh)[..., base.independent]
    prediction = columns @ estimate - columns @ truth

    # 2. Load.
    link = [frame.name for frame in arm.frames if frame.kind == "link"].index("tool0")
    loaded = arm.with_payload("tool0", **LOAD)
    load = loaded.inertial_parameters[10 * link : 10 * link + 10] - arm.inertial_parameters[10 * link : 10 * link + 10]
    tau = dtau.rnea(arm, q, v, a)  # what the controller thinks it needs
    seen = dtau.aba(loaded, q, v, tau) + rng.normal(scale=ACCELERATION_NOISE, size=v.shape)
    found, costs = identify_load(arm, link, q, v, tau, seen)
    print(f"load: mass {found[0]:.4f} kg (true {load[0]}), centre of mass {(1e3 * found[1:4] / found[0]).round(1)} mm (true {1e3 * np.array(LOAD['com'])})")
    eigenvalues = np.linalg.eigvalsh(dtau.pseudo_inertia(found))
    print(f"its pseudo-inertia has the eigenvalues {eigenvalues.round(5)}: a possible body")

    picture(out, base, truth, estimate, sigma, prediction, load, found, costs)
    assert np.abs((estimate - truth) / sigma).max() < 5  # as far off as the noise says
    assert np.abs(prediction).max() < TORQUE_NOISE  # and together they predict better than one measures
    assert abs(found[0] - load[0]) < 0.02 * load[0] and np.abs(found[1:4] / found[0] - LOAD["com"]).max() < 5e-3
    assert eigenvalues.min() > 0 and abs(costs[-1] - 1) < 0.1  # nothing but the noise is left


def picture(out, base, truth, estimate, sigma, prediction, load, found, costs):
    plt = common.pyplot()
    figure = plt.figure(figsize=(11, 13))
    grid = figure.add_gridspec(3, 2, height_ratios=[3.2, 1, 1])
    top = figure.add_subplot(grid[0, :])
    order = np.arange(len(base))[::-1]
    off = (estimate - truth) / sigma
    top.axvspan(-2, 2, color="#dbe7f5", lw=0)
    top.axvline(0, color="#5b6b7c", lw=0.8)
    top.plot(off, order, "o", color="#1f5fa8", ms=5)
    top.set_yticks(order, [shorten(name) for name in base.names], fontsize=8)
    top.set(xlabel="error of the estimate, in standard deviations (95 % within the band)", xlim=(-4, 4), ylim=(-1, len(base)))
    top.set_title(f"{len(base)} combinations that motions tell, of {len(base.matrix[0])} parameters", loc="left")
    top.tick_params(length=0)
    for side in ("top", "right", "left"):
        top.spines[side].set_visible(False)

    left = figure.add_subplot(grid[1, :])
    left.plot(np.arange(len(prediction)) / RATE, prediction, lw=0.9)
    left.axhspan(-TORQUE_NOISE, TORQUE_NOISE, color="#eeeeee", lw=0, zorder=0)
    left.set(xlabel="time [s] of a motion that was not learnt from", ylabel="error [N m]")
    left.set_title("Torques that the estimate predicts; the noise of a measurement in grey", loc="left")

    bars = figure.add_subplot(grid[2, 0])
    place, scale = np.arange(10), np.array([1, 10, 10, 10, *[20] * 6])
    bars.bar(place - 0.2, load * scale, 0.4, color="#c9d3df", label="truth")
    bars.bar(place + 0.2, found * scale, 0.4, color="#1f5fa8", label="found")
    names = ["m", "10 mx", "10 my", "10 mz", *[f"20 I{axes}" for axes in ("xx", "xy", "yy", "xz", "yz", "zz")]]
    bars.set_xticks(place, names, rotation=45, ha="right", fontsize=8)
    bars.set_title("The load: kg, kg m, kg m²", loc="left")
    bars.legend(frameon=False)

    steps = figure.add_subplot(grid[2, 1])
    steps.semilogy(np.arange(len(costs)), costs, "o-", color="#1f5fa8", ms=4)
    steps.axhline(1, color="#5b6b7c", lw=0.8)
    steps.set(xlabel="step of Gauss–Newton")
    steps.set_title("Squares left over, in those of the noise", loc="left")
    common.save(figure, out, "identification.png")


def shorten(name, most=70):
    """What fits beside a plot."""
    return name if len(name) <= most else name[: most - 2].rsplit(" ", 2)[0] + " …"


if __name__ == "__main__":
    main(**common.arguments(__doc__))
