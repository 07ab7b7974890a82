"""Functions of dtau.jax and dtau.torch for both tests: arguments, and order of derivatives."""

import numpy as np
from conftest import random_state

# Differentiated arguments of each function, and the order of derivatives.
ORDERS = {
    "rnea": ("q v a", 2),
    "aba": ("q v tau", 2),
    "bias": ("q v", 2),
    "gravity_torques": ("q", 2),
    "crba": ("q", 1),
    "minverse": ("q", 1),
    "mass_times": ("q x", 2),
    "mass_solve": ("q x", 2),
    "coriolis": ("q v", 1),
    "energy": ("q v", 2),
    "placements": ("q", 2),
    "frame_placement": ("q", 2),
    "frame_jacobian": ("q", 1),
    "frame_jacobian_rate": ("v", 1),
    "frame_velocity": ("q v", 1),
    "frame_acceleration": ("q v a", 1),
    "frame_classical_acceleration": ("q v a", 1),
    "frame_error": ("q", 2),
    "centre_of_mass": ("q", 2),
    "com_jacobian": ("q", 1),
    "com_velocity": ("q v", 1),
    "centroidal_momentum": ("q v", 1),
    "centroidal_momentum_rate": ("q v a", 1),
    "centroidal_matrix": ("q", 1),
    "integrate": ("q v", 1),
    "difference": ("q0 q1", 1),
    "step": ("q v tau", 1),
}
VALUES_ONLY = {"joint_torque_regressor": "q v a"}
ARGUMENTS = {"frame_jacobian_rate": "q v", "frame_error": "q target"}
# Functions that the library's list has under another name, as several results, or not at all.
OTHERS = {"step", "com_velocity", "centre_of_mass", "energy"}


def by(name):
    return ORDERS[name][0].split()


def arguments(model, name, seed=0, shape=()):
    """Returns NumPy arrays by name, and keywords."""
    q, v, a, tau = random_state(model, seed, shape)
    q1 = random_state(model, seed + 100, shape)[0]
    rng = np.random.default_rng(seed)
    turn = rng.normal(size=4)
    target = np.concatenate([rng.normal(size=3), turn / np.linalg.norm(turn)])
    known = {"q": q, "v": v, "a": a, "tau": tau, "x": a, "q0": q, "q1": q1, "target": np.broadcast_to(target, (*shape, 7))}
    keys = ARGUMENTS.get(name) or (VALUES_ONLY.get(name) or ORDERS[name][0])
    keywords = {}
    if name.startswith("frame_"):
        keywords["frame"] = model.frames[-1]
    if name == "step":
        keywords["dt"] = 0.01
    return {key: known[key] for key in keys.split()}, keywords
