"""Every function of arrays, as a call with one state of random arguments: {name: f(model, state, **keywords)}."""

import dtau


def last_frame(model):
    return model.frames[-1].name


CALLS = {
    "rnea": lambda m, s, **k: dtau.rnea(m, s[0], s[1], s[2], **k),
    "bias": lambda m, s, **k: dtau.bias(m, s[0], s[1], **k),
    "gravity": lambda m, s, **k: dtau.gravity(m, s[0], **k),
    "aba": lambda m, s, **k: dtau.aba(m, s[0], s[1], s[3], **k),
    "crba": lambda m, s, **k: dtau.crba(m, s[0], **k),
    "minverse": lambda m, s, **k: dtau.minverse(m, s[0], **k),
    "coriolis": lambda m, s, **k: dtau.coriolis(m, s[0], s[1], **k),
    "mass_times": lambda m, s, **k: dtau.mass_times(m, s[0], s[1], **k),
    "mass_solve": lambda m, s, **k: dtau.mass_solve(m, s[0], s[1], **k),
    "energy": lambda m, s, **k: dtau.energy(m, s[0], s[1], **k),
    "com": lambda m, s, **k: dtau.com(m, s[0], s[1], s[2], **k),
    "com_jacobian": lambda m, s, **k: dtau.com_jacobian(m, s[0], **k),
    "com_velocity_derivatives": lambda m, s, **k: dtau.com_velocity_derivatives(m, s[0], s[1], **k),
    "centroidal": lambda m, s, **k: dtau.centroidal(m, s[0], s[1], s[2], **k),
    "centroidal_derivatives": lambda m, s, **k: dtau.centroidal_derivatives(m, s[0], s[1], s[2], **k),
    "forward_kinematics": lambda m, s, **k: dtau.forward_kinematics(m, s[0], s[1], s[2], **k),
    "forward_kinematics of a frame": lambda m, s, **k: dtau.forward_kinematics(
        m, s[0], s[1], s[2], frame=last_frame(m), reference="local", **k
    ),
    "frame_jacobian": lambda m, s, **k: dtau.frame_jacobian(m, s[0], last_frame(m), **k),
    "frame_jacobian_rate": lambda m, s, **k: dtau.frame_jacobian_rate(m, s[0], s[1], last_frame(m), "world", **k),
    "kinematic_derivatives": lambda m, s, **k: dtau.kinematic_derivatives(m, s[0], s[1], s[2], last_frame(m), **k),
    "classical kinematic_derivatives": lambda m, s, **k: dtau.kinematic_derivatives(
        m, s[0], s[1], s[2], last_frame(m), "local", classical=True, **k
    ),
    "id_derivatives": lambda m, s, **k: dtau.id_derivatives(m, s[0], s[1], s[2], **k),
    "fd_derivatives": lambda m, s, **k: dtau.fd_derivatives(m, s[0], s[1], s[3], **k),
    "inertial_derivatives": lambda m, s, **k: dtau.inertial_derivatives(m, s[0], s[2], **k),
    "bias_derivatives": lambda m, s, **k: dtau.bias_derivatives(m, s[0], s[1], **k),
    "gravity_derivatives": lambda m, s, **k: dtau.gravity_derivatives(m, s[0], **k),
    "id_jvp": lambda m, s, **k: dtau.id_jvp(m, s[0], s[1], s[2], s[3], s[1], s[2], **k),
    "id_vjp": lambda m, s, **k: dtau.id_vjp(m, s[0], s[1], s[2], s[3], **k),
    "fd_jvp": lambda m, s, **k: dtau.fd_jvp(m, s[0], s[1], s[3], s[2], s[1], s[3], **k),
    "fd_vjp": lambda m, s, **k: dtau.fd_vjp(m, s[0], s[1], s[3], s[2], **k),
}

SPACE_CALLS = {
    "integrate": lambda m, s, **k: m.integrate(s[0], s[1], **k),
    "difference": lambda m, s, **k: m.difference(s[0], m.integrate(s[0], s[1]), **k),
    "integrate_derivatives": lambda m, s, **k: m.integrate_derivatives(s[0], s[1], **k),
    "difference_derivatives": lambda m, s, **k: m.difference_derivatives(s[0], m.integrate(s[0], s[1]), **k),
    "normalise": lambda m, s, **k: m.normalise(s[0], **k),
}

ALL_CALLS = CALLS | SPACE_CALLS


def arrays(result):
    """The arrays of a result, by name."""
    return result._asdict() if hasattr(result, "_asdict") else {"": result}
