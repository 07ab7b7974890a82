"""Every kind of derivative that CasADi finds in generated code, against differences, and against each other.

    python casadi_external.py DTAU           DTAU: the command, built with --features full

Jacobians against central differences of the function itself (h = 1e-6: 1e-7 of the largest entry is left), forward and reverse products
against the Jacobian (1e-11: round-off). Functions without derivatives of the library, quaternions of any length, zeros that are declared.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import casadi as ca
import numpy as np

# Robot, options, functions, and how many of the entries of the Jacobian may be declared: all but the zeros.
CASES = [
    ("arm6", ["--frame", "tool0", "--reference", "world"], "aba,rnea,bias,crba,energy,centre_of_mass,centroidal_momentum,"
     "frame_placement,frame_jacobian,frame_velocity,id_vjp"),
    ("quadruped", [], "aba,rnea"),
    ("quadruped", ["--root", "floating"], "aba,rnea,integrate,difference,centre_of_mass,energy"),
]
# Of the quadruped held at its trunk, nothing of one leg depends on another.
BLOCKS_OF_LEGS = {("quadruped", "aba"): 3 * 4 * 9, ("quadruped", "rnea"): 3 * 4 * 9}


def differences(f, x, h=1e-6):
    columns = []
    for k in range(len(x)):
        step = np.zeros(len(x))
        step[k] = h
        columns.append((f(x + step) - f(x - step)) / (2 * h))
    return np.array(columns).T


def check(f, most, rng):
    """One function at a random state; what was found."""
    sizes = [f.numel_in(k) for k in range(f.n_in())]
    x = ca.MX.sym("x", sum(sizes))
    parts = ca.vertsplit(x, list(np.cumsum([0, *sizes])))
    y = f(*[ca.reshape(p, f.sparsity_in(k).shape) for k, p in enumerate(parts)])
    y = ca.vertcat(*[ca.vec(part) for part in (y if isinstance(y, tuple) else (y,))])
    value = ca.Function("value", [x], [y])
    at = rng.uniform(-1, 1, sum(sizes))
    u, w = ca.MX.sym("u", sum(sizes)), ca.MX.sym("w", y.shape[0])
    j = ca.jacobian(y, x)
    jacobian = np.array(ca.DM(ca.Function("j", [x], [j])(at)))
    want = differences(lambda x: np.array(value(x)).ravel(), at)
    du, dw = rng.uniform(-1, 1, sum(sizes)), rng.uniform(-1, 1, y.shape[0])
    forward = np.array(ca.Function("f", [x, u], [ca.jtimes(y, x, u)])(at, du)).ravel()
    reverse = np.array(ca.Function("r", [x, w], [ca.jtimes(y, x, w, True)])(at, dw)).ravel()
    off = [np.abs(jacobian - want).max() / max(1, np.abs(want).max()),
           np.abs(forward - jacobian @ du).max() / max(1, np.abs(forward).max()),
           np.abs(reverse - jacobian.T @ dw).max() / max(1, np.abs(reverse).max())]
    print(f"{f.name():32} Jacobian {off[0]:.1e}, forward {off[1]:.1e}, reverse {off[2]:.1e}; {j.nnz()} of {j.numel()} entries")
    return off[0] < 1e-7 and off[1] < 1e-11 and off[2] < 1e-11 and (most is None or j.nnz() <= most)


def main():
    dtau, rng, good = sys.argv[1], np.random.default_rng(2), True
    with tempfile.TemporaryDirectory() as directory:
        for k, (robot, options, what) in enumerate(CASES):
            to = Path(directory) / str(k)
            subprocess.run([dtau, "generate", robot, *options, "--what", what, "--lang", "casadi", "--out", to],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            library = to / f"{robot}.so"
            flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC"]
            subprocess.run(["gcc", *flags, "-o", library, to / f"{robot}.c", "-lm"], check=True)
            for name in what.split(","):
                suffix = "_tool0" if name.startswith("frame") else ""
                most = BLOCKS_OF_LEGS.get((robot, name)) if not options else None
                good &= check(ca.external(f"{robot}_{name}{suffix}", str(library)), most, rng)
    sys.exit(0 if good else "they are not the same")


if __name__ == "__main__":
    main()
