"""A quadruped stands on four feet and is pushed: contact forces over time, and how they follow the torques.

The feet are points that the ground holds (`dtau.Constraints`); accelerations and contact forces are those of

    M q̈ + b = τ + Jᵀλ,      c̈ + kd ċ + kp c = 0 at every foot                                           (1)

by `dtau.constrained_fd`, and ∂λ/∂τ is that of `dtau.constrained_fd_derivatives`. The ground can only push, and friction is
limited: both are looked at, not enforced. Needs NumPy alone; saves standing_push.html, a page that needs no network.

    python standing_push.py [--short] [--out DIRECTORY]
"""

import common
import dtau
import numpy as np
import page

LEGS = {"lf": "left front", "rf": "right front", "lh": "left hind", "rh": "right hind"}
PUSH = (0.3, 0.5, [45.0, 60.0, 0.0])  # from, to [s], force on the trunk [N], in the world's axes


def crouched(model):
    """Knees bent by 1.4 rad, every foot under its hip."""
    q = model.neutral()
    for leg in LEGS:
        q[model.joint(f"{leg}_hip_flexion").q] = 0.7
        q[model.joint(f"{leg}_knee").q] = -1.4
    return q


def standing_on(model, q):
    """The four feet, held where they are at q."""
    feet = dtau.Constraints(model)
    for leg, name in LEGS.items():
        feet = feet.point(f"{leg}_foot").called(name).at_world_here(q)
    return feet.stabilise(kp=400, kd=40)


def standing_torques(model, feet, q):
    """The torques that hold the stance: of all, those with the least contact forces that carry the trunk."""
    g, J = dtau.gravity_torques(model, q), np.concatenate([dtau.frame_jacobian(model, q, c.frame)[:3] for c in feet])
    forces = np.linalg.lstsq(J[:, :6].T, g[:6], rcond=None)[0]
    return g - J.T @ forces


def simulate(model, feet, q0, hold, seconds, dt=1e-3):
    """Semi-implicit steps, with joints that are springs about the stance; times, contact forces, configurations."""
    q, v, times, forces, states = q0, np.zeros(model.nv), [], [], []
    for k in range(int(seconds / dt)):
        t = k * dt
        push = PUSH[2] if PUSH[0] <= t < PUSH[1] else [0.0, 0.0, 0.0]
        tau = hold.copy()
        tau[6:] -= 160 * model.difference(q0, q)[6:] + 9 * v[6:]
        out = dtau.constrained_fd(model, feet, q, v, tau, f_ext=[dtau.Wrench.local_world_aligned("trunk", force=push)])
        times.append(t), forces.append(out.lambda_), states.append(q)
        v = v + dt * out.qdd
        q = model.integrate(q, dt * v)
    return np.array(times), np.array(forces), np.array(states)


def gradients(model, feet, q, tau):
    """∂λ/∂τ of the actuated joints, and that it is what small changes of the torques do."""
    v = np.zeros(model.nv)
    d = dtau.constrained_fd_derivatives(model, feet, q, v, tau)
    step = np.zeros((model.nv - 6, model.nv))
    step[:, 6:] = 1e-3 * np.eye(model.nv - 6)
    there, back = (dtau.constrained_fd(model, feet, q, v, tau + s).lambda_ for s in (step, -step))
    np.testing.assert_allclose(d.dlambda_dtau[:, 6:], (there - back).T / 2e-3, atol=1e-7)  # λ is linear in τ
    return d.dlambda_dtau[:, 6:]


def sketch(model, q, feet, forces, push):
    """The robot from its side, with the forces of the ground; the far legs are fainter."""

    def draw(width):
        kinematics = dtau.forward_kinematics(model, q)
        at = lambda name: kinematics.position[model.frame(name).index]
        scale, height = width / 1.5, width * 0.72
        ground = min(at(f"{leg}_foot")[2] for leg in LEGS)
        xy = lambda p: (width / 2 + scale * p[0], height * 0.86 - scale * (p[2] - ground))
        line = lambda a, b, style: '<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>'.format(style, *xy(a), *xy(b))
        out = [f'<svg viewBox="0 0 {width} {height:.0f}" role="img" aria-label="The robot from its side">']
        floor = height * 0.86
        out.append(f'<line class="axis" x1="0" x2="{width}" y1="{floor:.1f}" y2="{floor:.1f}"/>')
        for k, leg in sorted(enumerate(LEGS), key=lambda item: item[1][0] == "l"):
            far = "" if leg[0] == "l" else " far"
            hip, knee, foot = (at(f"{leg}_{part}") for part in ("thigh", "shank", "foot"))
            out.append(line(hip, knee, "bone" + far) + line(knee, foot, "bone" + far))
            force = forces[feet[LEGS[leg]].rows]
            out.append(line(foot, foot + force / 500, f"arrow s{k}{far}"))
        out.append(line(at("lh_thigh"), at("lf_thigh"), "bone"))
        if np.any(push):
            centre = at("trunk")
            out.append(line(centre - np.array(push) / 250, centre, "arrow s3"))
            x, y = xy(centre - np.array(push) / 250)
            out.append(f'<text class="soft" text-anchor="end" x="{x - 5:.1f}" y="{y - 8:.1f}">push</text>')
        return "".join(out) + "</svg>"

    return page.both(draw, 520, 350)


def main(short=False, out="."):
    model = dtau.Model.bundled("quadruped", root="floating")
    q0 = crouched(model)
    feet = standing_on(model, q0)
    hold = standing_torques(model, feet, q0)
    still = dtau.constrained_fd(model, feet, q0, np.zeros(model.nv), hold)
    assert np.abs(still.qdd).max() < 1e-9, "the stance holds"

    times, forces, states = simulate(model, feet, q0, hold, 0.6 if short else 1.6)
    each = forces.reshape(len(times), 4, 3)
    weight, vertical = 9.81 * model.mass, each[..., 2]
    friction = np.hypot(each[..., 0], each[..., 1]) / vertical
    moved = np.linalg.norm(model.difference(np.broadcast_to(q0, states.shape), states)[:, :3], axis=1)
    slipped = max(np.abs(dtau.frame_placement(model, states[-1], c.frame)[:, 3] - dtau.frame_placement(model, q0, c.frame)[:, 3]).max() for c in feet)
    print(f"weight {weight:.0f} N; the least force on a foot {vertical.min():.0f} N, the trunk moved {1e3 * moved.max():.0f} mm, feet {slipped:.0e} m")
    assert np.isclose(vertical[0].sum(), weight, rtol=1e-9), "standing, the feet carry the weight"
    assert vertical.min() > 0, "no foot would have to be pulled to the ground"
    assert friction.max() < 0.8 and slipped < 1e-5, "feet stay where they are, on rubber"
    assert moved.max() > 0.005, "the push is felt"
    by_torques = gradients(model, feet, q0, hold)

    names = list(LEGS.values())
    peak = int(np.argmax(np.where((times >= PUSH[0]) & (times < PUSH[1]), vertical.max(axis=1) - vertical.min(axis=1), 0)))
    joints = [joint.name.replace("_", " ") for joint in model.joints if joint.v.start >= 6]
    push = np.hypot(*PUSH[2][:2])
    body = f"""<header><h1>A quadruped stands and is pushed</h1>
<p class="lead">Four feet are held by the ground; accelerations and contact forces come from one call, their gradients by the torques from
another, exact.</p>{page.facts([("mass", f"{model.mass:.1f} kg"), ("push", f"{push:.0f} N for {PUSH[1] - PUSH[0]:.1f} s"),
    ("the trunk moves", f"{1e3 * moved.max():.0f} mm"), ("least vertical force", f"{vertical.min():.0f} N"),
    ("most friction needed", f"{friction.max():.2f}"), ("constraint rows", str(feet.rows))])}</header><main>
<section class="figure"><h2>Vertical contact forces</h2><p class="small">On each foot, positive upwards [N]. At rest they add up to the weight of
{weight:.0f} N; the push, to the front and the left, loads the left front and unloads the right hind.</p>
{page.legend(names)}{page.curves(times, vertical.T, "time [s]", "force [N]", (PUSH[0], PUSH[1], "push"))}</section>
<section class="figure"><h2>At rest, and pushed</h2><p class="small">From the left, forces of the ground on the feet as lines; right legs are
fainter.</p><div class="pair">{sketch(model, states[0], feet, forces[0], [0, 0, 0])}{sketch(model, states[peak], feet, forces[peak], PUSH[2])}</div></section>
<section class="figure"><h2>Contact forces by torques: ∂λ/∂τ</h2><p class="small">At rest. A row is a direction of a foot's force, in the world's
axes; a column the torque of a joint [N per N m]. Every torque reaches every foot: the trunk carries it there.</p>
{page.heat(by_torques, feet.row_names, joints, "N per N m")}</section></main>
<footer>Made by <code>standing_push.py</code> with dtau {dtau.__version__}, from {len(times):,} calls of <code>constrained_fd</code>.</footer>"""
    page.save(out, "standing_push.html", "A quadruped stands and is pushed", body)


if __name__ == "__main__":
    main(**common.arguments(__doc__))
