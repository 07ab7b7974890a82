"""A four-bar is driven round: its loop stays closed, and the torque and the pin force of a turn are drawn. Then it swings on its own.

The tree has three bars; a pin that holds the coupler's end on the rocker's makes it a loop, and a drive turns the crank as it is told:

    M q̈ + b = τ + Jᵀλ,      two rows for the pin, one for the drive, whose λ is the torque it takes          (1)

`dtau.assemble` finds the configurations of a turn, `dtau.project_velocity` the velocities, `dtau.constrained_fd` the forces, and
`dtau.constrained_step` lets it swing. The rocker's angle is compared with the formula of the textbooks. Needs NumPy alone; saves
four_bar.html, a page that needs no network.

    python four_bar.py [--short] [--out DIRECTORY]
"""

import common
import dtau
import numpy as np
import page

GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.3, 0.9, 0.7  # lengths [m]: the shortest bar goes round, since 0.3 + 1 < 0.9 + 0.7
TRACED = (0.45, 0.28)  # a point of the coupler [m], along it and across it
RATE = 2 * np.pi  # of the crank [rad/s]


def four_bar():
    """Bars of 1 kg a metre in the x–z plane, along their own x, with a frame at the end of each; angles from x to z."""
    text = ['<robot name="four_bar"><link name="base"/>']
    bars = [("crank", "base", 0.0, CRANK), ("coupler", "crank", CRANK, COUPLER), ("rocker", "base", GROUND, ROCKER)]
    for name, parent, at, length in bars:
        across = length**3 / 12
        text.append(
            f'<link name="{name}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="{length}"/>'
            f'<inertia ixx="{across}" ixy="0" ixz="0" iyy="{across}" iyz="0" izz="{across}"/></inertial></link>'
            f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{name}"/>'
            f'<origin xyz="{at} 0 0"/><axis xyz="0 -1 0"/></joint><link name="{name}_end"/>'
            f'<joint name="{name}_end" type="fixed"><parent link="{name}"/><child link="{name}_end"/><origin xyz="{length} 0 0"/></joint>'
        )
    return dtau.Model.from_urdf("".join(text) + "</robot>")


def rocker_angle(crank):
    """By the two triangles that the diagonal from the crank's end to the rocker's joint makes; the loop that does not cross itself."""
    x, z = CRANK * np.cos(crank) - GROUND, CRANK * np.sin(crank)
    diagonal = np.hypot(x, z)
    return np.arctan2(z, x) - np.arccos((ROCKER**2 + diagonal**2 - COUPLER**2) / (2 * ROCKER * diagonal))


def turn(model, driven, crank):
    """Configurations, velocities and forces of a turn at a constant rate; each configuration is the guess for the next."""
    q, states, rates, forces = np.array([0.0, 1.0, 1.5]), [], [], []
    for angle in crank:
        desired = np.zeros((3, driven.rows))
        desired[:2, driven["drive"].rows] = [[angle], [RATE]]
        q = dtau.assemble(model, driven, q, tolerance=1e-13, desired=desired).q
        v = dtau.project_velocity(model, driven, q, np.zeros(model.nv), desired=desired)
        out = dtau.constrained_fd(model, driven, q, v, np.zeros(model.nv), desired=desired)
        states.append(q), rates.append(v), forces.append(out.lambda_)
    return np.array(states), np.array(rates), np.array(forces)


def swing(model, loop, q, seconds, dt=1e-3):
    """Let go at q: times, crank angles, energies."""
    v, times, angles, energies = np.zeros(model.nv), [], [], []
    for k in range(int(seconds / dt)):
        energy = dtau.energy(model, q, v)
        times.append(k * dt), angles.append(q[0]), energies.append(energy.kinetic + energy.potential)
        q, v, *_ = dtau.constrained_step(model, loop, q, v, np.zeros(model.nv), dt)
    return np.array(times), np.array(angles), np.array(energies)


def points(states):
    """Where the pins are, (..., 2): those of the crank and of the rocker at the ground, their ends, and the traced point."""
    crank, bent, rocker = np.moveaxis(states, -1, 0)
    along = lambda angle: np.stack([np.cos(angle), np.sin(angle)], -1)
    knee = CRANK * along(crank)
    coupler = along(crank + bent)
    across = np.stack([-coupler[..., 1], coupler[..., 0]], -1)
    return knee, np.array([GROUND, 0.0]) + ROCKER * along(rocker), knee + TRACED[0] * coupler + TRACED[1] * across


def sketch(states, shown, main, force):
    """The mechanism at some of the states, one of them in full with the force of its pin, and the curve of the traced point."""

    def draw(width):
        small, height = width < 500, width * 0.63
        scale, x0, y0 = width / 1.95, width * 0.24, width * 0.455
        slim = " slim" if small else ""
        xy = lambda p: (x0 + scale * p[0], y0 - scale * p[1])
        path = lambda ps, style: '<polyline class="{}" points="{}"/>'.format(style, " ".join("{:.1f},{:.1f}".format(*xy(p)) for p in ps))
        knee, end, traced = points(states)
        out = [f'<svg viewBox="0 0 {width} {height:.0f}" role="img" aria-label="The four-bar over a turn of its crank">']
        out.append(path([(-0.42, 0), (1.5, 0)], "axis"))
        circle = np.stack([CRANK * np.cos(np.linspace(0, 2 * np.pi, 90)), CRANK * np.sin(np.linspace(0, 2 * np.pi, 90))], -1)
        out.append(path(circle, "curve s0 thin") + path(end, "curve s2 thin") + path(np.vstack([traced, traced[:1]]), "curve s1"))
        for k in [*shown, main]:
            style = slim if k == main else slim + " ghost"
            a, b, c = knee[k], end[k], traced[k]
            out.append('<polygon class="plate{}" points="{}"/>'.format(style, " ".join("{:.1f},{:.1f}".format(*xy(p)) for p in (a, b, c))))
            out.append(path([(0, 0), a], "bar s0" + style) + path([a, b], "bar s3" + style) + path([(GROUND, 0), b], "bar s2" + style))
        for p in [(0, 0), (GROUND, 0), knee[main], end[main]]:
            out.append('<circle class="pin" cx="{:.1f}" cy="{:.1f}" r="{}"/>'.format(*xy(p), 4 if small else 6))
        out.append(page.arrow(xy(end[main]), xy(end[main] + force / 60), "ink"))
        size = 11 if small else 14
        words = [("crank", knee[main] * 0.5, -10, "end"), ("coupler", (knee[main] + end[main]) / 2, 14, "start")]
        words.append(("rocker", (np.array([GROUND, 0]) + end[main]) / 2, 12, "start"))
        for name, p, dx, anchor in words:
            x, y = xy(p)
            out.append(f'<text x="{x + dx:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}" style="font-size: {size}px">{name}</text>')
        return "".join(out) + "</svg>"

    return page.both(draw, 900, 350)


def main(short=False, out="."):
    model = four_bar()
    pin = dtau.Constraints(model).point("coupler_end").called("pin").on_line_of("rocker_end", [0, 0, 0], [0, 1, 0])
    driven = pin.joints({"crank": 1}).called("drive").sum_to(0)
    crank = np.linspace(0, 2 * np.pi, 73 if short else 361)
    states, rates, forces = turn(model, driven, crank)
    torque, pins = forces[:, 2], np.hypot(forces[:, 0], forces[:, 1])

    wrong = np.abs(np.angle(np.exp(1j * (states[:, 2] - rocker_angle(crank))))).max()  # but for whole turns
    energy = dtau.energy(model, states, rates)
    work = np.sum((torque[1:] + torque[:-1]) / 2 * np.diff(crank))
    gained = np.gradient(energy.kinetic + energy.potential, crank)
    print(f"rocker angle: {wrong:.0e} rad beside the formula; torque {torque.min():.2f} to {torque.max():.2f} N m, work of a turn {work:.1e} J")
    assert wrong < 1e-11, "the loop is that of the textbooks"
    assert np.allclose(states[-1] - states[0], [2 * np.pi, -2 * np.pi, 0], atol=1e-9), "after a turn the bars are where they were"
    assert abs(work) < 1e-2 * np.abs(torque).max(), "a turn takes no energy"
    assert np.abs(torque - gained)[2:-2].max() < (0.05 if short else 0.005) * np.abs(torque).max(), "the drive's power is what the energy gains"
    assert dtau.freedom(model, pin, states[0]) == 1, "a loop of four bars moves in one way"

    times, angles, energies = swing(model, pin, states[len(crank) // 6], 0.3 if short else 3.0)
    drift = np.abs(energies - energies[0]).max() / (energy.potential.max() - energy.potential.min())
    print(f"left alone for {times[-1] + 1e-3:.1f} s: energy within {100 * drift:.1f} % of what a turn stores")
    assert drift < 0.05

    degrees = np.degrees(crank)
    stored = energy.potential.max() - energy.potential.min()
    main_at = len(crank) // 6
    wrench = driven.wrenches(states[main_at], forces[main_at])[0]  # on the coupler, in the world's axes
    shown = range(0, len(crank) - 1, (len(crank) - 1) // 12)
    body = f"""<header><h1>A four-bar, driven round</h1>
<p class="lead">Three bars in a tree, a pin that closes the loop, a drive that turns the crank once a second: configurations, velocities and forces of a turn,
from constraints alone.</p>{page.facts([("bars", f"{GROUND:g}, {CRANK:g}, {COUPLER:g}, {ROCKER:g} m"), ("free in", "1 way"),
    ("rocker swings", f"{np.degrees(np.ptp(states[:, 2])):.0f}°"), ("beside the formula", f"{wrong:.0e} rad"),
    ("most torque", f"{np.abs(torque).max():.1f} N m"), ("most force in the pin", f"{pins.max():.0f} N")])}</header><main>
<section class="figure"><h2>A turn</h2><p class="small">Every 30° of the crank, one of them in full, with the force of the pin on the coupler; the
orange curve is drawn by a point of the coupler.</p>{sketch(states, shown, main_at, np.asarray(wrench.force)[[0, 2]])}</section>
<section class="figure"><h2>The rocker follows the crank</h2><p class="small">Angle of the rocker over that of the crank [°]. Found by closing the loop
step by step; the formula of the two triangles is {wrong:.0e} rad away at the most.</p>
{page.curves(degrees, [np.degrees(states[:, 2])], "crank [°]", "rocker [°]", from_zero=False)}</section>
<section class="figure"><h2>What the drive and the pin bear</h2><p class="small">At one turn a second, under gravity. The torque is the λ of the drive's row; over a
turn it adds up to nothing ({abs(work):.0e} J), since the loop gives back what it takes.</p>{page.legend(["torque of the drive [N m]", "force in the pin [N]"])}
{page.curves(degrees, [torque, pins], "crank [°]", "N m, N")}</section>
<section class="figure"><h2>Left alone</h2><p class="small">Let go at {np.degrees(states[main_at, 0]):.0f}°, it swings: crank angle over time, by steps of
1 ms that keep the loop closed to 0.1 nm. The energy stays within {100 * drift:.1f} % of the {stored:.1f} J that a turn stores.</p>
{page.curves(times, [np.degrees(angles)], "time [s]", "crank [°]")}</section></main>
<footer>Made by <code>four_bar.py</code> with dtau {dtau.__version__}.</footer>"""
    page.save(out, "four_bar.html", "A four-bar, driven round", body)


if __name__ == "__main__":
    main(**common.arguments(__doc__))
