"""Turns the sign of one term of constrained dynamics at a time, and looks whether the tests fail: a test that cannot fail proves nothing.

    python3 tools/planted/constraints.py            plants all of them; minutes, most of it one build
    python3 tools/planted/constraints.py --list     says what would be planted

In a copy of the repository under the target directory every term is wrapped in a function that returns it, or minus it where an environment
variable names the term. One build, and a run of the tests for each term; the exit code is 1 if one is not caught.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = Path("crates/dtau/src/constraints")
# Quick ones first; the first that fails is told.
TESTS = [
    ("constrained_products", "constrained_products_are_those_with_the_matrices"),
    ("constraints", "derivatives_are_complex_steps_of_the_forward_function"),
    ("constraints", "accelerations_obey_the_constraints_and_forces_are_what_it_takes"),
    ("constrained_products", "constrained_products_have_desired_motions_wrenches_and_masks"),
    ("constrained_products", "derivatives_by_the_desired_motion_are_complex_steps"),
    ("constraints", "desired_motions_and_wrenches_are_differentiated_too"),
]
LONGEST = 600  # of a test [s]

# A file, a line of it (what it contains, once in the file), and the term.
TERMS = [
    # Forward: what a constraint is at a state.
    ("seen.rs", "self.v[0].cross_add(self.v[1], self.a[0] - self.a[1])", "self.v[1]"),
    ("seen.rs", "rho.lin = u.ang.cross_add(u.lin, rho.lin);", "u.ang"),
    ("seen.rs", "rho = seen.u().scale_add(", "seen.u()"),
    ("seen.rs", "rho = seen.error(held.is_frame).scale_add(", "seen.error(held.is_frame)"),
    ("seen.rs", "out[0] = n.dot(seen.acceleration(false).lin) + turning", "turning"),
    ("seen.rs", "let held = kp * (l - T::from_f64(*length));", "(l - T::from_f64(*length))"),
    ("seen.rs", "out[0] = kp.mul_add(position, kd * velocity);", "velocity"),
    ("seen.rs", "let S = seen.at_point(*side, bodies.S.get(c)) * sign;", "sign"),
    ("seen.rs", "*place = T::from_f64(term.factor).mul_add(active, *place);", "active"),
    # Matrices of derivatives.
    ("slope.rs", "let along = S.cross(v2);", "v2"),
    ("slope.rs", "let mut rho = [psi_dot.cross_add(both, psi_ddot)", "S.cross(a2)"),
    ("slope.rs", "let mut rho = [psi_dot.cross_add(both, psi_ddot) ", "v1.cross(along)"),
    ("slope.rs", "rho[k].lin = u[k].ang.cross_add(own.lin", "own.lin"),
    ("slope.rs", "change.rho[k] = change.u[k].scale_add(kd, change.rho[k]);", "kd"),
    ("slope.rs", "change.rho[0] = e.scale_add(kp, change.rho[0]); // (4)", "kp"),
    ("slope.rs", "Motion::new(log[0].mul_add(S.lin, log[1] * S.ang)", "log[1] * S.ang"),
    ("slope.rs", "let [lin, ang] = [rho.lin, rho.ang].map(|x| S.ang.cross(x));", "S.ang"),
    ("slope.rs", "let d_turning = (two * (u.dot(du) - rate * d_rate)", "turning * d_l"),
    ("slope.rs", "r_q[place] = d_n.dot(rho) + n.dot(change.rho[0].lin)", "d_n.dot(rho)"),
    ("slope.rs", "first.lin = n.scale_add(-n.dot(d_apart), d_apart) * (at.lambda[0] / l);", "(at.lambda[0] / l)"),
    ("slope.rs", "first = Force::new(F.lin.cross(S.ang), F.ang.cross(S.ang)),", "F.lin.cross(S.ang)"),
    ("slope.rs", "let second = S.cross_force_add(F, first);", "F"),
    ("slope.rs", "r_v[place] = factor.mul_add(T::from_f64(item.gains.kd), r_v[place]);", "factor"),
    # Products, forwards.
    ("along.rs", "let along = sigma.cross(v2);", "v2"),
    ("along.rs", "let mut drho = by.dv[0].cross_add(v2, sigma.cross_add(a2", "a2"),
    ("along.rs", "let mut drho = by.dv[0].cross_add(v2,", "v2"),
    ("along.rs", "drho = v1.cross_add(by.dv[1] - along, drho);", "along"),
    ("along.rs", "drho = v1.cross_add(by.dv[1] - along, drho); ", "by.dv[1]"),
    ("along.rs", "drho.lin = du.ang.cross_add(u.lin", "u.lin"),
    ("along.rs", "drho.lin = du.ang.cross_add(u.lin, u.ang", "du.lin"),
    ("along.rs", "let d_apart = seen.apart().cross_add(sigma.ang, sigma.lin);", "sigma.ang"),
    ("along.rs", "let [lin, ang] = turned(by.turning(held.turning()), F.lin, F.ang);", "F.lin"),
    ("along.rs", "dF = Force::new(F.lin.cross(sigma.ang), F.ang.cross(sigma.ang));", "F.lin.cross(sigma.ang)"),
    ("along.rs", "dF.lin = dn * under.lambda[0];", "under.lambda[0]"),
    ("along.rs", "[-dF, sigma.cross_force_add(force(self, seen, under.lambda), dF)]", "force(self, seen, under.lambda)"),
    ("along.rs", "let mut drho = du.scale_add(T::from_f64(self.gains.kd), drho);", "du"),
    ("along.rs", "Motion::new(both.mul_add(sigma.lin, mixed * sigma.ang), both * sigma.ang)", "mixed * sigma.ang"),
    ("along.rs", "drho = e.scale_add(T::from_f64(self.gains.kp), drho);", "e"),
    ("along.rs", "drho += Motion::new(lin, ang); // (5)", "lin"),
    ("along.rs", "let d_turning = (two * (u.dot(du) - rate * d_rate) - turning * dl) / l;", "turning * dl"),
    ("along.rs", "dn.dot(rho) + n.dot(drho) + d_turning + kd.mul_add(d_rate, kp * dl)", "dn.dot(rho)"),
    # Products, backwards.
    ("along.rs", "u_bar = Force::new(H.lin.cross(u.ang), u.lin.cross(H.lin));", "H.lin.cross(u.ang)"),
    ("along.rs", "u_bar = Force::new(H.lin.cross(u.ang), u.lin.cross(H.lin)); ", "u.lin.cross(H.lin)"),
    ("along.rs", "let mut sigma_bar = -z[1].cross_force(F);", "F"),
    ("along.rs", "u_bar = H.scale_add(T::from_f64(self.gains.kd), u_bar);", "H"),
    ("along.rs", "let ang = mixed.tr_mul(back.lin) + both.tr_mul(back.ang);", "mixed.tr_mul(back.lin)"),
    ("along.rs", "sigma_bar += Force::new(both.tr_mul(back.lin), ang);", "both.tr_mul(back.lin)"),
    ("along.rs", "d_bar = back.lin;", "back.lin"),
    ("along.rs", "turning = moment(rho.lin, rho.ang, H); // (5)", "H"),
    ("along.rs", "turning -= moment(F.lin, F.ang, held.force(kappa, &seen.axes(held.axes)));", "F.lin"),
    ("along.rs", "turning += between.lin.cross_add(F.lin, between.ang.cross(F.ang));", "F.lin"),
    ("along.rs", "d_bar = self.pull_distance(seen, eta[0], between.lin * under.lambda[0]", "between.lin * under.lambda[0]"),
    ("along.rs", "sigma_bar += Force::new(d_bar, d_bar.cross(apart)); // (4)", "d_bar.cross(apart)"),
    ("along.rs", "let back = v1.cross_force_add(H, u_bar);", "H"),
    ("along.rs", "sigma_bar += v2.cross_force_add(back, a2.cross_force(H)); // (8)", "a2.cross_force(H)"),
    ("along.rs", "sigma_bar += v2.cross_force_add(back, a2.cross_force(H)); // (8) ", "back"),
    ("along.rs", "Pull { s: [s_first + sigma_bar, -sigma_bar], v: [v2.cross_force_add(H, u_bar), -back], a: H }", "v2"),
    ("along.rs", "let rate_bar = eta * (kd - two * rate / l);", "two * rate / l"),
    ("along.rs", "*u_bar += u * (eta * two / l) + n * rate_bar;", "n * rate_bar"),
    ("along.rs", "let n_bar = n_bar + rho * eta + u * rate_bar;", "rho * eta"),
    ("along.rs", "let n_bar = n_bar + rho * eta + u * rate_bar; ", "u * rate_bar"),
    ("along.rs", "let l_bar = eta * (kp - turning / l);", "turning / l"),
    ("products.rs", "dr[0] = T::from_f64(term.factor).mul_add(change, dr[0]);", "change"),
    ("products.rs", "wq[term.dof] = pull.mul_add(T::from_f64(item.gains.kp), wq[term.dof]);", "pull"),
    ("products.rs", "wv[term.dof] = pull.mul_add(T::from_f64(item.gains.kd), wv[term.dof]);", "pull"),
    ("products.rs", "*out = lambda + turn;", "turn"),
    # By the desired motion.
    ("desired.rs", "room.r[row] = -scene.is_active(i);", "scene.is_active(i)"),
]

FLIP = '''//! For planted errors: see `tools/planted`.

extern crate std;

/// Minus `x` if the environment asks for this term.
#[inline(never)]
pub(crate) fn flip<X: core::ops::Neg<Output = X>>(term: usize, x: X) -> X {
    static PLANTED: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    let planted = PLANTED.get_or_init(|| std::env::var("DTAU_PLANTED").ok().and_then(|term| term.parse().ok()));
    if *planted == Some(term) { -x } else { x }
}
'''


def plant(copy):
    """Wraps every term, in the copy."""
    texts = {}
    for number, (name, line, term) in enumerate(TERMS):
        path = copy / SOURCES / name
        lines = texts.setdefault(path, path.read_text().splitlines())
        found = [k for k, text in enumerate(lines) if line.strip() in unwrapped(text)]
        if len(found) != 1 or term not in unwrapped(lines[found[0]]):
            sys.exit(f"{name}: {len(found)} lines have {line.strip()!r}, with the term {term!r}; bring the list up to date")
        text, k = lines[found[0]], found[0]
        # The term is where the line of the list has it: after what stands before it there.
        start = text.index(term)
        lines[k] = f"{text[:start]}crate::planted::flip({number}, {term}){text[start + len(term):]}"
    for path, lines in texts.items():
        path.write_text("\n".join(lines) + "\n")
    (copy / "crates/dtau/src/planted.rs").write_text(FLIP)
    library = copy / "crates/dtau/src/lib.rs"
    library.write_text(library.read_text().replace("\nmod constraints;", "\nmod constraints;\nmod planted;", 1))


def unwrapped(text):
    """A line without what was planted in it."""
    while (start := text.find("crate::planted::flip(")) >= 0:
        comma = text.index(", ", start)
        depth, end = 0, comma + 2
        while depth or text[end] != ")":
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = text[:start] + text[comma + 2 : end] + text[end + 1 :]
    return text


def build(copy, target):
    """The test programs, by name."""
    programs = {}
    environment = os.environ | {"CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0"}
    for test in dict.fromkeys(name for name, _ in TESTS):
        command = ["cargo", "test", "-p", "dtau", "--all-features", "--no-run", "--message-format", "json", "--test", test]
        done = subprocess.run(command, cwd=copy, env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=3600)
        for line in done.stdout.splitlines():
            message = json.loads(line)
            if message.get("executable") and message["target"]["name"] == test:
                programs[test] = message["executable"]
    return programs


def caught(copy, programs, term):
    """The first test that fails with this term planted."""
    environment = os.environ | {"RUST_MIN_STACK": "67108864", "RUST_BACKTRACE": "0"}
    environment |= {"DTAU_PLANTED": str(term)} if term is not None else {}
    for name, test in TESTS:
        command = [programs[name], "--exact", test]
        try:
            done = subprocess.run(command, cwd=copy / "crates/dtau", env=environment, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return f"{test} (no end)"
        if "1 passed" not in done.stdout and "1 failed" not in done.stdout:
            sys.exit(f"{test} was not run:\n{done.stdout}{done.stderr}")
        if done.returncode:
            return test
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="say what would be planted")
    parser.add_argument("--target", type=Path, default=REPOSITORY / "target/planted", help="where to copy and build")
    arguments = parser.parse_args()
    if arguments.list:
        for number, (name, line, term) in enumerate(TERMS):
            print(f"{number:3} {name}: `{term}` in `{line.strip()}`")
        return 0
    copy = arguments.target / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True, timeout=60)
    for name in filter(None, tracked.stdout.split("\0")):
        if (REPOSITORY / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(REPOSITORY / name, copy / name)
    plant(copy)
    programs = build(copy, arguments.target / "build")
    if test := caught(copy, programs, None):
        sys.exit(f"with nothing planted {test} fails")
    missed, begun = 0, time.monotonic()
    for number, (name, line, term) in enumerate(TERMS):
        test = caught(copy, programs, number)
        missed += test is None
        print(f"{number:3} {name}: `{term}` in `{line.strip()}`: {'NOT CAUGHT' if test is None else test}", flush=True)
    print(f"{len(TERMS)} planted, {len(TERMS) - missed} caught, in {time.monotonic() - begun:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
