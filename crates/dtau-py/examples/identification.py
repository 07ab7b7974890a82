"""Identification of an arm's inertias and of what it holds, from a noisy motion.

Torques are linear in the inertial parameters π of the links, but motions tell only some combinations of them apart:

    τ = Y(q, v, a) π = Y_base π_base                       `joint_torque_regressor`, `model.base_parameters()`     (1)

1. **Links.** The arm follows a trajectory; torques are measured with noise. Least squares on (1) give π_base and, from the noise, how
   well each of its combinations is known, by name. Ten parameters for every link would leave the system singular.
2. **Load.** The same arm holds something it does not know, and moves under given torques; its accelerations are measured with noise.
   Gauss–Newton on q̈, with ∂q̈/∂π of `fd_regressor`, over the log-Cholesky parameters of the load, which reach possible bodies only.

Both against the truth. Needs NumPy alone; saves identification.html, a page that needs no network.

    python identification.py [--short] [--out DIRECTORY]
"""

import re
from html import escape

import common
import dtau
import numpy as np
import page

TORQUE_NOISE = 0.1  # N m, standard deviation
ACCELERATION_NOISE = 0.5  # rad/s²
LOAD = {"mass": 2.3, "com": [0.03, -0.02, 0.11], "inertia": [[0.012, 0.001, 0.0], [0.001, 0.015, -0.002], [0.0, -0.002, 0.009]]}
RATE = 100  # Hz


def excitation(model, duration, seed):
    """Sums of sines: every joint moves, with several frequencies each."""
    rng = np.random.default_rng(seed)
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
    theta = np.array([0.0, -2, -2, -2, 0, 0, 0, 0, 0, 0])  # 1 kg within some 14 cm
    pi, costs = arm.inertial_parameters, []
    own = slice(10 * link, 10 * link + 10)
    for _ in range(10):
        trial = pi.copy()
        trial[own] += dtau.from_log_cholesky(theta)
        held = arm.with_parameters(trial)
        left = (measured - dtau.aba(held, q, v, tau)).ravel()
        costs.append(left @ left / ACCELERATION_NOISE**2 / left.size)
        by_pi = dtau.fd_regressor(held, q, v, tau)[..., own].reshape(-1, 10)
        by_theta = by_pi @ dtau.log_cholesky_derivative(theta)
        step = np.linalg.lstsq(by_theta, left, rcond=None)[0]
        theta = theta + step * min(1.0, 0.5 / np.linalg.norm(step))  # no further than the model is trusted
    return dtau.from_log_cholesky(theta), np.array(costs)


def main(short=False, out="."):
    arm = dtau.Model.bundled("arm6", damping=False, friction=False, armature=False)
    rng = np.random.default_rng(2)
    q, v, a = excitation(arm, 6.0 if short else 30.0, seed=1)

    # 1. Links.
    measured = dtau.rnea(arm, q, v, a) + rng.normal(scale=TORQUE_NOISE, size=v.shape)
    base, estimate, sigma = identify_links(arm, q, v, a, measured)
    truth = base(arm.inertial_parameters)
    print(f"{len(base)} base parameters of {len(arm.inertial_parameters)}; the best known and the least known:")
    for k in np.argsort(sigma)[[0, 1, -2, -1]]:
        print(f"  {estimate[k]:9.4f} ± {sigma[k]:.4f} (true {truth[k]:.4f})  {base.names[k]}")
    # On a motion that was not learnt from: what the estimate predicts, beside the truth.
    columns = dtau.joint_torque_regressor(arm, *excitation(arm, 5.0, seed=3))[..., base.independent]
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

    write(out, base, truth, estimate, sigma, prediction, load, found, costs)
    assert np.abs((estimate - truth) / sigma).max() < 5  # as far off as the noise says
    assert prediction.std() < TORQUE_NOISE / 3  # and together they predict better than one measures
    assert abs(found[0] - load[0]) < 0.02 * load[0] and np.abs(found[1:4] / found[0] - LOAD["com"]).max() < 5e-3
    assert eigenvalues.min() > 0 and abs(costs[-1] - 1) < 0.1  # nothing but the noise is left


def errors(base, off):
    """Every combination by name, and how far its estimate is off, in standard deviations."""

    def draw(width):
        small = width < 500
        left, right, top, tall = (6, 6, 26, 34) if small else (520, 16, 26, 22)
        height, middle = top + tall * len(base) + 30, (left + width - right) / 2
        to_x = lambda x: middle + x / 4 * (width - right - left) / 2
        out = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="Errors of the base parameters">']
        out.append(f'<rect class="mark" x="{to_x(-2):.1f}" y="{top - 6}" width="{to_x(2) - to_x(-2):.1f}" height="{tall * len(base) + 6}"/>')
        for x in range(-4, 5, 2):
            out.append(f'<line class="grid" x1="{to_x(x):.1f}" x2="{to_x(x):.1f}" y1="{top - 6}" y2="{top + tall * len(base)}"/>')
            anchor = "middle" if abs(x) < 4 else ("start" if x < 0 else "end")
            out.append(f'<text class="soft" text-anchor="{anchor}" x="{to_x(x):.1f}" y="14">{x:+d} σ</text>'.replace("+0 σ", "0"))
        for k, name in enumerate(base.names):
            y = top + tall * (k + 0.5)
            if small:
                out.append(f'<text class="soft" x="{left}" y="{y - 3:.1f}" style="font-size: 10px">{escape(shorten(name))}</text>')
            else:
                out.append(f'<text text-anchor="end" x="{left - 10}" y="{y + 4:.1f}" style="font-size: 12px">{escape(shorten(name, 74))}</text>')
            at = y + 8 if small else y
            out.append(f'<circle cx="{to_x(off[k]):.1f}" cy="{at:.1f}" r="4.5" style="fill: var(--h0)"><title>{escape(name)}: {off[k]:+.2f} σ</title></circle>')
        return "".join(out) + "</svg>"

    return page.both(draw)


def found_beside_truth(load, found):
    """Ten parameters: how far each is off, in per cent of the truth."""
    names = ["mass [kg]", "m x [kg m]", "m y", "m z", *[f"I {axes}" + " [kg m²]" * (k == 0) for k, axes in enumerate(("xx", "xy", "yy", "xz", "yz", "zz"))]]
    off = 100 * (found - load) / np.abs(load)
    limit = float(np.ceil(np.abs(off).max()))

    def draw(width):
        small = width < 500
        left, right, top, tall, size = (84, 122, 26, 30, 11) if small else (150, 190, 26, 28, 13)
        to_x = lambda x: left + (x + limit) / (2 * limit) * (width - left - right)
        out = [f'<svg viewBox="0 0 {width} {top + tall * 10 + 4}" role="img" aria-label="Parameters of the load, how far off">']
        for x in (-limit, 0.0, limit):
            out.append(f'<line class="grid" x1="{to_x(x):.1f}" x2="{to_x(x):.1f}" y1="{top - 6}" y2="{top + tall * 10}"/>')
            out.append(f'<text class="soft" text-anchor="middle" x="{to_x(x):.1f}" y="14">{x:+g} %</text>'.replace("+0 %", "0"))
        for k, name in enumerate(names):
            y = top + tall * (k + 0.5)
            out.append(f'<text text-anchor="end" x="{left - 8}" y="{y + 4:.1f}" style="font-size: {size}px">{escape(name)}</text>')
            out.append(f'<circle cx="{to_x(off[k]):.1f}" cy="{y:.1f}" r="5" style="fill: var(--h0)"><title>{escape(name)}: {off[k]:+.2f} %</title></circle>')
            out.append(f'<text class="soft" text-anchor="end" x="{width - 2}" y="{y + 4:.1f}" style="font-size: {size}px">{found[k]:.4f} ({load[k]:.4f})</text>')
        return "".join(out) + "</svg>"

    return page.both(draw)


def write(out, base, truth, estimate, sigma, prediction, load, found, costs):
    off, most = (estimate - truth) / sigma, np.abs(prediction).max(-1)
    millimetres = 1e3 * np.abs(found[1:4] / found[0] - LOAD["com"]).max()
    body = f"""<header><h1>What a noisy motion tells of an arm, and of its load</h1>
<p class="lead">Torques are linear in the inertial parameters of the links, but motions tell only some combinations of them apart. Least squares find these;
then Gauss–Newton finds what the arm holds from its accelerations.</p>{page.facts([("parameters of the links", str(len(base.matrix[0]))),
    ("combinations that can be told", str(len(base))), ("noise of torques", f"{TORQUE_NOISE:g} N m"), ("within 2 σ", f"{(np.abs(off) < 2).sum()} of {len(base)}"),
    ("load's mass off by", f"{1e3 * abs(found[0] - load[0]):.0f} g"), ("its centre by", f"{millimetres:.1f} mm")])}</header><main>
<section class="figure"><h2>{len(base)} combinations, by name</h2><p class="small">How far each estimate is from the truth, in the standard deviations that
the noise gives it; 95 % should be in the band.</p>{errors(base, off)}</section>
<section class="figure"><h2>Torques of a motion that was not learnt from</h2><p class="small">The largest error of any joint [N m], as the estimate predicts
it; one measurement has a noise of {TORQUE_NOISE:g} N m.</p>{page.curves(np.arange(len(most)) / RATE, [most], "time [s]", "error [N m]")}</section>
<section class="figure"><h2>The load</h2><p class="small">How far each parameter is off, and its value with the truth in brackets. The estimate moves over log-Cholesky
parameters, so it is a possible body at every step.</p>{found_beside_truth(load, found)}</section>
<section class="figure"><h2>Steps of Gauss–Newton</h2><p class="small">Squares left over, in those of the noise, as powers of ten: 0 is nothing but
noise.</p>{page.curves(np.arange(len(costs)), [np.log10(costs)], "step", "log₁₀")}</section></main>
<footer>Made by <code>identification.py</code> with dtau {dtau.__version__}.</footer>"""
    page.save(out, "identification.html", "Identification of an arm and its load", body)


def shorten(name, most=62):
    """The terms that fit beside a plot."""
    while len(name) > most:
        name = re.sub(r" [+−] [^+−]*$", "", name.removesuffix(" …")) + " …"
    return name


if __name__ == "__main__":
    main(**common.arguments(__doc__))
