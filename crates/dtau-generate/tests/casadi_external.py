"""Every kind of derivative that CasADi finds in generated code, against differences, and against each other.

    python casadi_external.py DTAU           DTAU: the command

Jacobians against central differences of the function itself (h = 1e-6: 1e-7 of the largest entry is left), forward and reverse products
against the Jacobian (1e-11: round-off). Functions without derivatives of the library, quaternions of any length, zeros that are declared.
"""

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path

import casadi as ca
import numpy as np

# Robot, options, functions, and the number of Jacobian entries that may be declared: all except structural zeros.
CASES = [
    ("arm6", ["--frame", "tool0", "--reference", "world"], "aba,rnea,bias,crba,energy,centre_of_mass,centroidal_momentum,"
     "frame_placement,frame_jacobian,frame_velocity,id_vjp"),
    ("quadruped", [], "aba,rnea"),
    ("quadruped", ["--root", "floating"], "aba,rnea,integrate,difference,centre_of_mass,energy"),
]
# For the quadruped held at its trunk, the legs are independent.
BLOCKS_OF_LEGS = {("quadruped", "aba"): 3 * 4 * 9, ("quadruped", "rnea"): 3 * 4 * 9}


def differences(f, x, h=1e-6):
    columns = []
    for k in range(len(x)):
        step = np.zeros(len(x))
        step[k] = h
        columns.append((f(x + step) - f(x - step)) / (2 * h))
    return np.array(columns).T


def check(f, most, rng):
    """Checks one function at a random state. Returns what was found."""
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


def linked(to, robot, rng):
    """Checks functions with the names, arguments and integer types that acados generates with CasADi, linked
    with generated code and called from C."""
    aba = ca.external(f"{robot}_aba", str(to / f"{robot}.so"))
    n = aba.numel_in(1)
    x, u, seed_x, seed_u = ca.MX.sym("x", 2 * n), ca.MX.sym("u", n), ca.MX.sym("Sx", 2 * n, 2 * n), ca.MX.sym("Su", 2 * n, n)
    weights, f = ca.MX.sym("lam", 2 * n), ca.vertcat(x[n:], aba(x[:n], x[n:], u))
    forward = [f, ca.jtimes(f, x, seed_x), ca.jacobian(f, u) + ca.jtimes(f, x, seed_u)]
    functions = [
        ca.Function(f"{robot}_expl_ode_fun", [x, u], [f]),
        ca.Function(f"{robot}_expl_vde_forw", [x, seed_x, seed_u, u], forward),
        ca.Function(f"{robot}_expl_vde_adj", [x, weights, u], [ca.jtimes(f, ca.vertcat(x, u), weights, True)]),
    ]
    sources = []
    for function in functions:
        function.generate(f"{function.name()}.c", {"casadi_int": "int", "casadi_real": "double"})
        sources.append(Path(f"{function.name()}.c").rename(to / f"{function.name()}.c"))
    library = to / "linked.so"
    subprocess.run(["gcc", "-O0", "-shared", "-fPIC", "-o", library, *sources, to / f"{robot}.c", "-lm"], check=True)
    library, good = ctypes.CDLL(str(library)), True
    for function in functions:
        inputs = [rng.uniform(-1, 1, function.size_in(k)) for k in range(function.n_in())]
        outputs = [np.full(function.size_out(k), np.nan) for k in range(function.n_out())]
        outputs = [np.asfortranarray(y) for y in outputs]
        sizes = [ctypes.c_int() for _ in range(4)]
        getattr(library, f"{function.name()}_work")(*map(ctypes.byref, sizes))
        n_arg, n_res, n_iw, n_w = (size.value for size in sizes)
        columns = [np.asfortranarray(x) for x in inputs]
        arg, res = (ctypes.c_void_p * (n_arg + 1))(), (ctypes.c_void_p * (n_res + 1))()
        for place, x in enumerate(columns):
            arg[place] = x.ctypes.data
        for place, y in enumerate(outputs):
            res[place] = y.ctypes.data
        status = getattr(library, function.name())(arg, res, (ctypes.c_int * (n_iw + 1))(), (ctypes.c_double * (n_w + 1))(), 0)
        want = function(*inputs)
        want = want if isinstance(want, tuple) else (want,)
        off = 0.0
        for k, (got, want) in enumerate(zip(outputs, want)):
            # The written entries are the nonzeros, by columns.
            flat, whole = got.ravel(order="F"), np.zeros(function.size_out(k))
            rows, ends = function.sparsity_out(k).row(), function.sparsity_out(k).colind()
            for column in range(whole.shape[1]):
                for at in range(ends[column], ends[column + 1]):
                    whole[rows[at], column] = flat[at]
            off = max(off, np.abs(whole - np.array(ca.DM(want))).max())
        print(f"{function.name():32} called from C as acados calls it: differs by {off:.1e}")
        good &= status == 0 and off < 1e-12
    return good


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
        good &= linked(Path(directory) / "0", "arm6", rng)
    sys.exit(0 if good else "they are not the same")


if __name__ == "__main__":
    main()
