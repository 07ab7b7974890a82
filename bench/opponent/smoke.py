#!/usr/bin/env python3
"""Checks libopponent.so against itself, then prints nanoseconds per call, the least of several passes.

    bench/opponent/build.sh && target/venv/bin/python bench/opponent/smoke.py [path to libopponent.so]
"""

import ctypes
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = """rnea aba crba minverse id_derivatives fd_derivatives kinematic_derivatives second_order_id regressor coriolis
forward_kinematics joint_jacobians centroidal_map aba_world crba_world id_derivatives_data fd_derivatives_data
watched_derivatives watched_jacobians""".split()
REVOLUTE, PRISMATIC, HELICAL, SPHERICAL, PLANAR, TRANSLATION, FREE_FLYER, REVOLUTE_UNBOUNDED = range(8)
NQ = {SPHERICAL: 4, PLANAR: 4, TRANSLATION: 3, FREE_FLYER: 7, REVOLUTE_UNBOUNDED: 2}

F64, I32, Doubles = ctypes.c_double, ctypes.c_int32, np.ctypeslib.ndpointer(np.float64, flags="C")


class Body(ctypes.Structure):
    _fields_ = [
        ("parent", I32), ("kind", I32), ("axis", F64 * 3), ("pitch", F64), ("rotation", F64 * 9),
        ("translation", F64 * 3), ("mass", F64), ("com", F64 * 3), ("inertia", F64 * 9), ("armature", F64),
    ]  # fmt: skip


def load(path):
    lib = ctypes.CDLL(str(path))
    signatures = {
        "new": (ctypes.c_void_p, [ctypes.POINTER(Body), I32, Doubles]),
        "free": (None, [ctypes.c_void_p]),
        "nq": (I32, [ctypes.c_void_p]),
        "nv": (I32, [ctypes.c_void_p]),
        "watch": (I32, [ctypes.c_void_p, ctypes.POINTER(I32), I32]),
        "size": (ctypes.c_int64, [ctypes.c_void_p, I32]),
        "run": (I32, [ctypes.c_void_p, I32] + [Doubles] * 4),
        "time": (F64, [ctypes.c_void_p, I32] + [Doubles] * 3 + [I32, I32]),
        "about": (ctypes.c_char_p, []),
        "fma_peak": (F64, []),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(lib, "opponent_" + name)
        function.restype, function.argtypes = result, arguments
    return lib


class Opponent:
    """A model in the shared object, with 16 random states."""

    def __init__(self, lib, bodies, seed=1):
        self.lib = lib
        self.handle = lib.opponent_new((Body * len(bodies))(*bodies), len(bodies), np.array([0, 0, -9.81]))
        assert self.handle, "opponent_new failed"
        assert lib.opponent_watch(self.handle, (I32 * 1)(len(bodies) - 1), 1) == 0
        self.nq, self.nv = lib.opponent_nq(self.handle), lib.opponent_nv(self.handle)
        rng = np.random.default_rng(seed)
        self.q = np.array([np.concatenate([random_q(rng, b.kind) for b in bodies]) for _ in range(16)])
        self.v, self.x = rng.uniform(-1, 1, (2, 16, self.nv))
        assert self.q.shape[1] == self.nq

    def run(self, name, x=None):
        """Returns the result at the first state. Square matrices have two axes."""
        quantity, nv = NAMES.index(name), self.nv
        out = np.full(self.lib.opponent_size(self.handle, quantity), np.nan)
        x = self.x[0] if x is None else x
        assert self.lib.opponent_run(self.handle, quantity, self.q[0], self.v[0], x, out) == 0
        return out.reshape(-1, nv, nv).transpose(0, 2, 1) if out.size in (nv**2, 3 * nv**2) else out

    def nanoseconds(self, name, passes=5, pass_ns=3e7):
        def time(reps):
            states = (self.q, self.v, self.x)
            return self.lib.opponent_time(self.handle, NAMES.index(name), *states, 16, reps) / reps

        reps = max(1, int(pass_ns / time(1)))
        return min(time(reps) for _ in range(passes))


def random_q(rng, kind):
    q = rng.uniform(-1, 1, NQ.get(kind, 1))
    unit = {SPHERICAL: slice(0, 4), FREE_FLYER: slice(3, 7), PLANAR: slice(2, 4), REVOLUTE_UNBOUNDED: slice(0, 2)}
    if kind in unit:
        q[unit[kind]] /= np.linalg.norm(q[unit[kind]])
    return q


def link(parent, kind=REVOLUTE, axis=(0, 0, 1), translation=(1, 0, 0), armature=0.0):
    """A rod of 1 kg and 1 m along x."""
    inertia = np.diag([1e-3, 1 / 12, 1 / 12]).ravel()
    return Body(
        parent, kind, tuple(axis), 0.3, tuple(np.eye(3).ravel()), tuple(translation), 1.0, (0.5, 0, 0), tuple(inertia),
        armature,
    )  # fmt: skip


def chain(n):
    return [link(i - 1) for i in range(n)]


def quadruped():
    legs = [link(3 * leg + j if j else 0, axis=axis) for leg in range(4) for j, axis in enumerate(np.eye(3)[[0, 1, 1]])]
    return [link(-1, FREE_FLYER)] + legs


def every_joint():
    """Every joint about every kind of axis, two branches at every third body, some with armature."""
    axes = [*np.eye(3), np.array([1, -2, 3])]
    kinds = [(k, a) for k in (REVOLUTE, PRISMATIC, HELICAL, REVOLUTE_UNBOUNDED) for a in axes]
    kinds = [(FREE_FLYER, axes[0])] + kinds + [(k, axes[0]) for k in (SPHERICAL, PLANAR, TRANSLATION)]
    return [link(i - 2 if i % 3 == 2 else i - 1, k, a, (0.3, 0.2, 0.1), 0.1 * (i % 2)) for i, (k, a) in enumerate(kinds)]


def check(lib):
    """Different algorithms must agree. Relative to the largest entry; 1e-9 leaves room for cond(M)."""

    def agree(claim, got, want):
        error = np.abs(got - want).max() / np.abs(want).max()
        assert error < 1e-9, f"{claim}: relative error {error:.1e}"

    o = Opponent(lib, every_joint())
    tau, M = o.run("rnea"), o.run("crba")[0]
    dtau_dq, dtau_dv, dtau_da = o.run("id_derivatives")
    ddq_dq, ddq_dv, ddq_dtau = o.run("fd_derivatives", tau)
    agree("aba inverts rnea", o.run("aba", tau), o.x[0])
    agree("aba world / aba", o.run("aba_world", tau), o.x[0])
    agree("crba world / crba", o.run("crba_world")[0], M)
    agree("minverse / inverse of crba", o.run("minverse")[0] @ M, np.eye(o.nv))
    agree("dtau/da / crba", dtau_da, M)
    agree("ddq/dtau / minverse", ddq_dtau, o.run("minverse")[0])
    agree("M ddq/dq / -dtau/dq", M @ ddq_dq, -dtau_dq)
    agree("M ddq/dv / -dtau/dv", M @ ddq_dv, -dtau_dv)
    agree("id derivatives into data", o.run("id_derivatives_data"), np.array([dtau_dq, dtau_dv, dtau_da]))
    agree("fd derivatives into data", o.run("fd_derivatives_data", tau), np.array([ddq_dq, ddq_dv, ddq_dtau]))
    for name in NAMES:
        assert np.isfinite(o.run(name)).all(), f"{name}: not all written"
    lib.opponent_free(o.handle)


def main():
    lib = load(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/opponent/libopponent.so")
    print(lib.opponent_about().decode())
    print(f"peak: {max(lib.opponent_fma_peak() for _ in range(20)):.1f} multiply-adds a nanosecond")
    check(lib)
    models = [Opponent(lib, chain(100)), Opponent(lib, quadruped())]
    print(f"{'ns a call':24}{'chain 100':>12}{'quadruped':>12}")
    for name in NAMES:
        print(f"{name:24}" + "".join(f"{o.nanoseconds(name):12,.0f}" for o in models))


if __name__ == "__main__":
    main()
