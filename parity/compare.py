"""Element-wise comparison, with the tolerance of each element derived here, and the report.

Plain quantities:   |got − want| ≤ 1e-9 + 1e-11 |want|
∂τ/∂(q, q̇, q̈):      |got − want| ≤ 1e-9 + 1e-11 max_row |want|    an entry is a difference of terms of its row's size; so are
                    those of the regressor and of derivatives of motions and momenta

q̈, M⁻¹ and ∂q̈ solve with M. The forward error of x in M x = b is about cond(M) · ε · |x|: round-off gives every program
its own M + δM and b + δb, and to first order x moves by

    δx = M⁻¹ (δb − δM x)                                                                                (1)

One number cond(M) for the robot would let its lightest finger excuse errors in its hip. So (1) is applied row by row,
with absolute values, and M⁻¹ from Pinocchio's M:

    |δx| ≤ |M⁻¹| (ΔM |x| + Δb),    ΔM = c ε · inertia,   Δb = c ε · force                               (2)

`inertia` and `force` (oracle.Conditioning) are the sizes of the numbers a recursive algorithm adds up: it may work about
the world's origin, as dtau does, and then a finger of 1e-7 kg m² is a small difference of m r² = 1e-2 kg m². The same (2)
serves all three, with 1e-9 + 1e-11 |want| added:

    q̈         x = q̈
    M⁻¹       x = column of M⁻¹, b exact:    |δM⁻¹| ≤ |M⁻¹| ΔM |M⁻¹|
    ∂q̈        x = column of ∂q̈, b = −column of ∂τ at q̈:
              Δb = c ε · force + ΔM |δq̈| / (c ε)  for q        q̈ itself is off by (2), and |∂M/∂q| is at most of size ΔM / (c ε)
              Δb = ΔM Σ|q̇|                       for q̇

c counts roundings along a limb and back. Between two of Pinocchio's own ways (ABA in local and in world coordinates; M⁻¹
by recursion and by LU) the worst seen on any robot is c = 4; 20 leaves room for a third way.
"""

from dataclasses import dataclass

import numpy as np

RTOL, ATOL = 1e-11, 1e-9
C_EPSILON = 20 * np.finfo(float).eps
RELATIVE_TO_ROWS = {
    "id-derivatives",
    "gravity_derivatives",
    "frame_derivatives",
    "com_derivatives",
    "centroidal_derivatives",
    "regressor",
}


def tolerances(name, want, conditioning):
    """Returns arrays of tolerances in the nested shape of `want`."""
    if name == "fd-derivatives":
        return _fd_derivatives(want, conditioning)
    if isinstance(want, dict):
        return {key: tolerances(name, value, conditioning) for key, value in want.items()}
    if name in RELATIVE_TO_ROWS and want.ndim == 2:
        return _relative_to_rows(want)
    plain = ATOL + RTOL * np.abs(want)
    if name == "aba":
        return plain + _solution_error(conditioning, conditioning.ddq)
    if name == "minverse":
        return plain + _inverse_error(conditioning)
    return plain


def _relative_to_rows(want):
    return ATOL + RTOL * np.abs(want).max(axis=1, keepdims=True, initial=0.0) * np.ones_like(want)


def _solution_error(k, x):
    return k.inverse @ (C_EPSILON * (k.inertia @ x + k.force))  # (2)


def _inverse_error(k):
    return k.inverse @ (C_EPSILON * k.inertia) @ k.inverse


def _fd_derivatives(want, k):
    ddq_error = _solution_error(k, k.ddq)
    db = {
        "ddq_dq": C_EPSILON * k.force + k.inertia @ ddq_error,
        "ddq_dv": C_EPSILON * k.inertia.sum(axis=1) * k.speed,
    }
    out = {"ddq_dtau": ATOL + RTOL * np.abs(want["ddq_dtau"]) + _inverse_error(k)}
    for key, row_error in db.items():
        x = np.abs(want[key])
        out[key] = _relative_to_rows(want[key]) + k.inverse @ (C_EPSILON * k.inertia @ x + row_error[:, None])
    return out


@dataclass
class Difference:
    """The worst element of one quantity so far: |got − want| / tolerance, and its place. At most 1 passes."""

    scaled: float = 0.0
    where: str = ""

    @property
    def failed(self):
        return not self.scaled <= 1.0

    def fail(self, where):
        """Records an error other than a number. The first one is kept."""
        self._worse(np.inf, where)

    def update(self, state, want, got, tolerance, path=""):
        """Compares nested dicts of arrays, element by element."""
        if isinstance(want, dict):
            for key in want:
                if not isinstance(got, dict) or key not in got:
                    self.fail(f"state {state}, {path}/{key} is missing")
                    continue
                self.update(state, want[key], got[key], tolerance[key], f"{path}/{key}")
            return
        got = _as_array(got)
        if want.size == 0 and got.size == 0:
            return
        if got.shape != want.shape:
            self.fail(f"state {state}, {path} has shape {got.shape}, want {want.shape}")
            return
        scaled = np.abs(got - want) / tolerance
        scaled = np.where(np.isfinite(scaled), scaled, np.inf)
        at = np.unravel_index(np.argmax(scaled), want.shape)
        index = ", ".join(str(int(i)) for i in at)
        self._worse(
            float(scaled[at]),
            f"state {state}, {path}({index}): got {float(got[at])!r}, want {float(want[at])!r}, "
            f"difference {abs(got[at] - want[at]):.1e}, tolerance {tolerance[at]:.1e}",
        )

    def _worse(self, scaled, where):
        if scaled > self.scaled:
            self.scaled, self.where = scaled, where


def _as_array(value):
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError):  # null, text, or rows of unequal length
        return np.array(np.nan)


HEADS = {
    "minverse": "M⁻¹",
    "gravity": "grav",
    "coriolis": "corio",
    "com_jacobian": "Jcom",
    "energy": "energy",
    "centroidal": "centr",
    "kinematics": "kinem",
    "jacobians": "J",
    "jacobian_rates": "J̇",
    "id-derivatives": "∂ID",
    "fd-derivatives": "∂FD",
    "regressor": "Y",
    "centroidal_rate": "ḣ",
    "gravity_derivatives": "∂grav",
    "frame_motions": "motion",
    "frame_derivatives": "∂kinem",
    "com_derivatives": "∂com",
    "centroidal_derivatives": "∂centr",
}


@dataclass
class Row:
    """One robot with one root: a Difference for each quantity, or the reason (one word in the table) why it was
    not compared."""

    robot: str
    nv: object
    root: str
    states: int
    cells: dict  # quantity: Difference, or str
    notes: list  # complete sentences, printed below the table

    def counts(self):
        passed = sum(isinstance(c, Difference) and not c.failed for c in self.cells.values())
        failed = sum(isinstance(c, Difference) and c.failed for c in self.cells.values())
        return passed, failed, len(self.cells) - passed - failed


def print_table(rows, quantities):
    width = max([len(r.robot) for r in rows] + [5])
    heads = [HEADS.get(name, name) for name in quantities]
    print("\nworst |got − want| / tolerance; at most 1 passes")
    print(f"{'robot':{width}} {'nv':>3} {'root':<14} {'states':>6} " + " ".join(f"{_pad(h)}" for h in heads))
    for r in rows:
        cells = [_cell(r.cells.get(name)) for name in quantities]
        print(f"{r.robot:{width}} {r.nv:>3} {r.root:<14} {r.states:>6} " + " ".join(_pad(c) for c in cells))


def _pad(text, width=7):
    combining = sum(0x300 <= ord(ch) < 0x370 for ch in text)
    return text.rjust(width + combining)


def _cell(cell):
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    return ("" if not cell.failed else "!") + (f"{cell.scaled:.1e}" if cell.scaled else "0")


def print_failures_and_notes(rows):
    for r in rows:
        by_cause = {}
        for name, cell in r.cells.items():
            if isinstance(cell, Difference) and cell.failed:
                by_cause.setdefault(cell.where, []).append(name)
        for where, names in by_cause.items():
            what = ", ".join(names) if len(names) < 5 else f"{len(names)} quantities"
            print(f"FAILED {r.robot}, {r.root} root, {what}: {where}")
    for r in rows:
        for note in r.notes:
            print(f"note: {r.robot}, {r.root} root: {note}")


def print_counts(rows):
    """Prints the last line: `N passed, M failed[, K skipped]`. Each combination of robot, root and quantity counts."""
    passed, failed, skipped = (sum(column) for column in zip(*(r.counts() for r in rows))) if rows else (0, 0, 0)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return failed
