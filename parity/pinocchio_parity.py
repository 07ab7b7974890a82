"""Compare dtau with Pinocchio, live, on every robot of example-robot-data.

    $(parity/setup.sh) parity/pinocchio_parity.py [--states 1000] [--derivatives] [--only talos]

Each robot is compared with a fixed and with a floating root, and once more with its mimic joints honoured if it has any.
Exit status: 0 if everything passed, 1 if not.
"""

import argparse
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small, the processes are many

import numpy as np

import compare
from claims import tried
from oracle import DERIVATIVES, LIVE, NEED_INVERSE, NEED_MASS, QUANTITIES, Oracle
from robots import BUNDLED, REPOSITORY, Robot, Unsupported, example_urdfs, has_mimics
from states import random_states

SINGULAR = 1e12  # condition of M above which its inverse has no accurate digits
NUMBERS_PER_RUN = 5e6  # in one dtau output; 20 states of the largest robot fit, 1000 are split


def main():
    args = arguments()
    robots = example_urdfs() + [(f"{p.stem} (bundled)", p) for p in sorted(BUNDLED.glob("*.urdf"))]
    robots += [(Path(p).stem, Path(p)) for p in args.urdf]
    jobs = [
        (name, path, root, mimic, args)
        for name, path in robots
        if re.search(args.only, name)
        for root in ("fixed", "floating")
        for mimic in (["free", "honour"] if has_mimics(path) else ["free"])
    ]
    if not jobs:
        sys.exit(f"no robot matches {args.only!r}")
    if not Path(args.dtau).exists():
        sys.exit(f"{args.dtau} does not exist; build it with `cargo build --release`, or give --dtau PATH")

    tried("Pinocchio", (f for functions in FUNCTIONS.values() for f in functions), library_functions(args.dtau))
    rows = []
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        for row in pool.imap(compare_robot, jobs):
            rows.append(row)
            passed, failed, skipped = row.counts()
            verdict = f"{failed} FAILED" if failed else "ok" if passed else "skipped"
            print(f"[{len(rows)}/{len(jobs)}] {row.robot}, {row.root} root: {verdict}", flush=True)

    compare.print_table(rows, quantities(args))
    compare.print_failures_and_notes(rows)
    return 1 if compare.print_counts(rows) else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtau", default=str(REPOSITORY / "target/release/dtau"), help="the command to test")
    parser.add_argument("--states", type=int, default=20, help="states per robot and root (default 20)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--derivatives", action="store_true", help="compare the derivatives too")
    parser.add_argument("--only", default="", metavar="REGEX", help="only robots whose name matches")
    parser.add_argument("--urdf", nargs="*", default=[], metavar="FILE", help="further robots")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    return parser.parse_args()


def quantities(args):
    return ["info"] + QUANTITIES + (DERIVATIVES + LIVE if args.derivatives else [])


def library_functions(dtau):
    """Returns the names of all functions, from the help of `dtau eval`."""
    help_text = subprocess.run([dtau, "eval", "--help"], capture_output=True, text=True, timeout=600, check=True).stdout
    return re.findall(r"^ +(\w+): .* → ", help_text, re.MULTILINE)


def compare_robot(job):
    name, path, root, mimic, args = job
    label = root if mimic == "free" else f"{root}+mimic"
    everything = quantities(args)
    try:
        robot = Robot(path, name, root, mimic)
    except Unsupported as reason:
        if mimic == "honour":
            return refusal_row(job, label, str(reason))
        return compare.Row(name, "-", label, 0, {"info": "skip"}, [f"skipped: {reason}"])

    oracle = Oracle(robot)
    links = robot.sample_links()
    seed = zlib.crc32(f"{args.seed} {name} {label}".encode())  # a robot's states do not depend on the other robots
    states = random_states(oracle.tree, args.states, seed, links)
    options = ["--root", root, "--order", "alphabetical", "--mimic", mimic, "--no-damping", "--no-friction"]

    cells, notes = {}, []
    conditions = np.array([oracle.condition(state) for state in states])
    regular, singular = np.flatnonzero(conditions < SINGULAR), np.flatnonzero(~(conditions < SINGULAR))
    inverse = [what for what in everything if what in NEED_INVERSE]
    if len(singular):
        which = f"{len(singular)} of {len(states)} states" if len(regular) else "all states"
        notes.append(f"{', '.join(inverse)} left out in {which}: M is singular (condition {conditions.max():.0e})")
    if not len(regular):
        cells |= {what: "sing." for what in inverse}
    if oracle.evaluate(states[0], ["mass"], [])["mass"] == 0.0:
        cells |= {what: "mass 0" for what in everything if what in NEED_MASS}
        notes.append(f"{', '.join(w for w in cells if w in NEED_MASS)} skipped: nothing that moves has mass")
    if oracle.native_refused:
        notes.append(f"honoured by projection only, {oracle.native_refused}")
    massless = robot.massless_bodies()
    if massless or len(singular):
        options.append("--allow-massless")
        bodies = f"{len(massless)} massless moving bodies" if massless else "point masses on their own axes"
        notes.append(f"dtau was given --allow-massless: {bodies}")

    results = {what: compare.Difference() for what in everything if what not in cells}
    asked = [what for what in results if what != "info"]
    try:
        info = run_dtau(args.dtau, "info", path, options)
        compare_numbering(results["info"], robot, info)
    except DtauFailed as failure:
        info = {}
        results["info"].fail(str(failure))
    try:
        for group, names in groups(regular, singular, asked, len(states)):
            for batch in batches(group, robot.nv, len(links), 10 * robot.nv * len(robot.file_links)):
                answers = evaluate_with_dtau(args.dtau, path, [states[k] for k in batch], names, links, options)
                for k, answer in zip(batch, answers, strict=True):
                    compare_state(results, k, oracle, states[k], names, links, {"mass": info.get("mass"), **answer})
    except DtauFailed as failure:
        for what in asked:
            results[what].fail(str(failure))
    return compare.Row(name, robot.nv, label, len(states), {**results, **cells}, notes)


def groups(regular, singular, asked, count):
    """Splits states by requested quantities: no inverses if M is singular, and LIVE quantities, which are large,
    only for the first three or a tenth of the states."""
    few = max(3, count // 10)
    for states, names in ((regular, asked), (singular, [what for what in asked if what not in NEED_INVERSE])):
        yield states[states < few], names
        yield states[states >= few], [what for what in names if what not in LIVE]


def batches(indices, nv, links, regressor):
    """Splits states into pieces for one run of dtau: one piece, except for hundreds of states of a large robot."""
    numbers_per_state = 11 * nv * nv + links * (250 * nv + 100) + 60 * nv + 50 + regressor
    size = max(1, int(NUMBERS_PER_RUN / numbers_per_state))
    return [indices[k : k + size] for k in range(0, len(indices), size)]


def refusal_row(job, label, reason):
    """Tests mimic joints that follow a missing joint: dtau must refuse with exit status 2 and a message."""
    name, path, root, mimic, args = job
    difference = compare.Difference()
    command = [args.dtau, "info", str(path), "--root", root, "--mimic", mimic, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 2 or not done.stderr.strip():
        difference.fail(f"exit status {done.returncode}, want 2 and a message: {reason}")
    return compare.Row(name, "-", label, 0, {"info": difference}, [f"must be refused: {reason}"])


def compare_state(results, index, oracle, state, asked, links, answer):
    want = oracle.evaluate(state, asked, links)
    conditioning = oracle.conditioning(state) if NEED_INVERSE & set(asked) else None
    for what in asked:
        if what not in answer:
            results[what].fail(f"state {index}: missing in dtau's answer")
            continue
        tolerance = compare.tolerances(what, want[what], conditioning)
        results[what].update(index, want[what], answer[what], tolerance, what)


def compare_numbering(difference, robot, info):
    """Compares numbering: same sizes, and the same joints in the same order."""
    moving = [j["name"] for j in info["joints"] if j["nv"] == 1]
    wanted = [n for n, c in zip(robot.model.names[1:], robot.coordinates) if c.kind[1] == 1 and n in robot.joint_names]
    got, want = (info["nq"], info["nv"], moving), (robot.nq, robot.nv, wanted)
    if got != want:
        at = next((k for k, (g, w) in enumerate(zip(moving, wanted)) if g != w), min(len(moving), len(wanted)))
        difference.fail(
            f"got nq {got[0]}, nv {got[1]}, joint {at} {moving[at : at + 1]}; "
            f"want nq {want[0]}, nv {want[1]}, joint {at} {wanted[at : at + 1]}"
        )


class DtauFailed(Exception):
    pass


def evaluate_with_dtau(dtau, path, states, what, links, options):
    """Computes the quantities of oracle.py for every state with dtau's functions."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([_with_kinds(state.as_json()) for state in states], file)
        file.flush()
        frames = [word for link in links for word in ("--frame", f"link:{link}")]
        answers = [{} for _ in states]
        for reference in REFERENCES:
            functions = [f for name in what for f in FUNCTIONS[name] if reference == "local" or f in OF_REFERENCES]
            if not functions:
                continue
            asked = ["--state", file.name, "--what", ",".join(functions), "--reference", reference, *frames]
            found = run_dtau(dtau, "eval", path, asked + options)
            if not isinstance(found, list) or len(found) != len(states):
                raise DtauFailed(f"the answer is not a list of {len(states)} states")
            for answer, functions in zip(answers, found):
                answer[reference] = functions
    return [{name: OURS[name](answer) for name in what if FUNCTIONS[name]} for answer in answers]


def _with_kinds(state):
    """Same, with wrenches explicitly on links, in case joints have the same names."""
    wrenches = [wrench | {"frame": f"link:{wrench['frame']}"} for wrench in state.get("wrenches", [])]
    return state | {"wrenches": wrenches}


def _name(frame):
    return frame.removeprefix("link:")


REFERENCES = ("local", "world", "local_world_aligned")
MOTIONS = ("velocity", "acceleration", "classical_acceleration")

# Functions of dtau that give each quantity of oracle.py. The mass is in `dtau info`.
FUNCTIONS = {
    **{name: [name] for name in ("rnea", "aba", "crba", "minverse", "bias", "coriolis", "com_jacobian", "energy")},
    "gravity": ["gravity_torques"],
    "com": ["centre_of_mass"],
    "centroidal": ["centroidal_momentum", "centroidal_matrix"],
    "mass": [],
    "kinematics": ["forward_kinematics"],
    "jacobians": ["frame_jacobian"],
    "jacobian_rates": ["frame_jacobian_rate"],
    "id-derivatives": ["id_derivatives"],
    "fd-derivatives": ["fd_derivatives"],
    "regressor": ["joint_torque_regressor"],
    "centroidal_rate": ["centroidal_momentum_rate"],
    "gravity_derivatives": ["gravity_derivatives"],
    "frame_motions": ["frame_placement", "placements", *(f"frame_{motion}" for motion in MOTIONS)],
    "frame_derivatives": ["frame_velocity_derivatives", "frame_acceleration_derivatives", "frame_motion_derivatives"],
    "com_derivatives": ["com_velocity_derivatives"],
    "centroidal_derivatives": ["centroidal_derivatives"],
}
OF_REFERENCES = {
    "frame_jacobian",
    "frame_jacobian_rate",
    *(f"frame_{motion}" for motion in MOTIONS),
    *FUNCTIONS["frame_derivatives"],
}


def _kinematics(answer):
    motion = answer["local"]["forward_kinematics"]
    return {_name(link): _motion(motion, link) for link in motion["placement"]}


def _motion(motion, link):
    placement = np.array(motion["placement"][link])
    return {
        "position": placement[:, 3],
        "rotation": placement[:, :3],
        "velocity": motion["velocity"][link],
        "acceleration": motion["acceleration"][link],
    }


def _frame_motions(x):
    def motions(link):
        return {r: {motion: x[r][f"frame_{motion}"][link] for motion in MOTIONS} for r in REFERENCES}

    one, every = x["local"]["frame_placement"], x["local"]["placements"]
    return {_name(link): {"placement": one[link], "placements": every[link], **motions(link)} for link in one}


def _frame_derivatives(x):
    def at(r, link):
        return dict(zip(("velocity", "acceleration", "motion"), (x[r][f][link] for f in FUNCTIONS["frame_derivatives"]), strict=True))

    links = x["local"]["frame_velocity_derivatives"]
    return {_name(link): {r: at(r, link) for r in ("local", "world")} for link in links}


def _by_reference(function):
    return lambda x: {_name(link): {r: x[r][function][link] for r in REFERENCES} for link in x["local"][function]}


# Converts the answers in all references to the quantities of oracle.py.
OURS = {
    **{name: lambda x, f=functions[0]: x["local"][f] for name, functions in FUNCTIONS.items() if len(functions) == 1},
    "centroidal": lambda x: {
        "momentum": x["local"]["centroidal_momentum"],
        "matrix": x["local"]["centroidal_matrix"],
    },
    "kinematics": _kinematics,
    "jacobians": _by_reference("frame_jacobian"),
    "jacobian_rates": _by_reference("frame_jacobian_rate"),
    "gravity_derivatives": lambda x: x["local"]["gravity_derivatives"]["dtau_dq"],
    "frame_motions": _frame_motions,
    "frame_derivatives": _frame_derivatives,
    "fd-derivatives": lambda x: {
        f"ddq_d{by}": x["local"]["fd_derivatives"][f"dqdd_d{by}"] for by in ("q", "v", "tau")
    },
}


def run_dtau(dtau, verb, path, options):
    command = [dtau, verb, str(path), *options, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    if done.returncode != 0:
        raise DtauFailed(f"dtau {verb} ended with {done.returncode}: {' '.join(done.stderr.split())[:500]}")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise DtauFailed(f"dtau {verb} wrote no JSON: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
