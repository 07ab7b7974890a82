"""Compare dtau with MuJoCo, live, on the MJCF files of Python packages.

    $(parity/mujoco_setup.sh) parity/mujoco_parity.py [--states 10] [--all] [--only gymnasium/] [--verbose]

Of every file that MuJoCo loads, at random states: M, the torques that keep a velocity, inverse and forward dynamics with damping,
springs and armature, placements of bodies and sites, Jacobians. Without --all, a few dozen small ones.
Exit status: 0 if everything that dtau loads agrees and enough is loaded, 1 if not.

Conventions: dtau's q is MuJoCo's qpos with quaternions as [x y z w]. v is qvel but for free joints, whose linear velocity MuJoCo has in
the world's axes and dtau in the body's. With T the matrix that takes dtau's velocities to MuJoCo's, and c = dT/dt v,

    v_m = T v,   a_m = T a + c,   M = Tᵀ M_m T,   τ = Tᵀ τ_m,   J = J_m T
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small

import mujoco
import numpy as np

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = Path(os.environ.get("DTAU_MUJOCO", REPOSITORY / "target/mujoco")) / "packages"
# Packages of the goal. Other packages are compared too, and counted separately.
NAMED = ("dm_control", "playground", "gymnasium-robotics", "brax", "myosuite", "gymnasium")
TOLERANCE = 1e-10
# For models with masses from meshes: MuJoCo 4.0.0 computes the moments of a mesh to 1e-15, but its principal
# axes only to about 1e-8 (R diag(m) Rᵀ against the integral over the same triangles, whose trace and
# eigenvalues agree).
TOLERANCE_OF_MESHES = 1e-7
FRAMES = 12  # bodies and sites of a model whose Jacobians are compared
# Features beyond rigid-body dynamics, excluded from the goal.
BEYOND = re.compile(r"tendon|fluid")
FREE, BALL, _, HINGE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ("FREE", "BALL", "SLIDE", "HINGE"))


def main():
    args = arguments()
    files = sorted(path for path in PACKAGES.glob("**/*.xml") if re.search(args.only, name_of(path)))
    if not files:
        sys.exit(f"no model in {PACKAGES} matches {args.only!r}; parity/mujoco_setup.sh installs them")
    if not args.all:
        files = small(files)
    for package in NAMED:
        if not (PACKAGES / package).exists():
            print(f"PACKAGE {package} IS NOT THERE: its models are not compared", flush=True)
    results = []
    for path in files:
        result = compare(path, args)
        results.append(result)
        if args.verbose or result.verdict == "FAILED":
            print(f"{result.verdict}: {name_of(path)}: {result.reason}", flush=True)
    return report(results, args)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtau", default=str(REPOSITORY / "target/release/dtau"), help="the command to test")
    parser.add_argument("--states", type=int, default=3, help="states per model (default 3)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="every file")
    parser.add_argument("--only", default="", metavar="REGEX", help="only files whose package and path match")
    parser.add_argument("--verbose", action="store_true", help="a line for each file")
    return parser.parse_args()


def small(files):
    """Returns the files of a short run: those that are one small file each."""
    chosen = [p for p in files if p.stat().st_size < 20_000 and "<include" not in p.read_text(errors="replace")]
    return chosen[:: max(1, len(chosen) // 60)]


def name_of(path):
    return str(path.relative_to(PACKAGES))


Result = collections.namedtuple("Result", "path verdict reason nv worst")


def compare(path, args):
    """Compares a file. Returns MuJoCo's refusal (`not MuJoCo's`), dtau's (`refused`), or the differences
    (`agrees`, `FAILED`)."""
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        return Result(path, "not MuJoCo's", " ".join(str(error).split())[:120], 0, 0.0)
    info = run([args.dtau, "info", str(path), "--allow-massless", "--format", "json"])
    if info.returncode == 2:
        message = info.stderr.strip().splitlines()[-1]
        return Result(path, "refused", message.removeprefix(f"error: {path}"), model.nv, 0.0)
    if info.returncode != 0:
        return Result(path, "FAILED", f"exit status {info.returncode}: {info.stderr[-300:]}", model.nv, 0.0)
    ours = json.loads(info.stdout)
    if ours["nv"] != model.nv or ours["nq"] != model.nq:
        return Result(path, "FAILED", f"nq, nv: {ours['nq']}, {ours['nv']}; MuJoCo: {model.nq}, {model.nv}", model.nv, 0.0)
    if model.nv == 0:
        return Result(path, "agrees", "nothing moves", 0, 0.0)
    split = {j["name"] for j in ours["joints"] if j["type"] == "translation"}
    oracle = Oracle(model, split)
    rng = np.random.default_rng(zlib.crc32(f"{args.seed} {name_of(path)}".encode()))
    states = [oracle.random(rng) for _ in range(args.states)]
    try:
        answers = evaluate(args.dtau, path, oracle, states)
    except RuntimeError as error:
        return Result(path, "FAILED", str(error), model.nv, 0.0)
    worst, where = 0.0, ""
    for state, answer in zip(states, answers, strict=True):
        for what, error in oracle.errors(state, answer):
            if not error <= worst:
                worst, where = error, what
    tolerance = TOLERANCE_OF_MESHES if has_mass_of_meshes(path, model) else TOLERANCE
    verdict = "agrees" if worst <= tolerance else "FAILED"
    if tolerance > TOLERANCE:
        where += "; masses of meshes"
    return Result(path, verdict, f"largest difference {worst:.1e} ({where})", model.nv, worst)


def has_mass_of_meshes(path, model):
    """True if a moving body has its mass from a mesh."""
    if not np.any(model.geom_type == int(mujoco.mjtGeom.mjGEOM_MESH)):
        return False
    spec = mujoco.MjSpec.from_file(str(path))
    always = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    mesh = mujoco.mjtGeom.mjGEOM_MESH
    return any((always or not body.explicitinertial) and any(g.type == mesh for g in body.geoms) for body in spec.bodies)


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def evaluate(dtau, path, oracle, states):
    """Computes everything to compare with `dtau eval`, for each state."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([{k: state[k].tolist() for k in ("q", "v", "a", "tau")} for state in states], file)
        file.flush()
        frames = [word for name in oracle.frames for word in ("--frame", name)]
        answers = [{} for _ in states]
        for what in (["crba,bias,rnea,placements", "aba"] + (["frame_jacobian"] if frames else [])):
            command = [dtau, "eval", str(path), "--state", file.name, "--what", what, "--no-friction", "--allow-massless"]
            command += ["--reference", "local_world_aligned", *frames]
            done = run(command)
            if what == "aba" and done.returncode == 2:
                continue  # singular mass matrix: MuJoCo has the same problem, without an error
            if done.returncode != 0:
                raise RuntimeError(f"dtau eval {what}: {done.stderr[-300:]}")
            for answer, found in zip(answers, json.loads(done.stdout), strict=True):
                answer.update(found)
    return answers


class Oracle:
    """A MuJoCo model in dtau's coordinates. Constraints, actuators and dry friction are off."""

    def __init__(self, model, split):
        self.model, self.data = model, mujoco.MjData(model)
        flags = mujoco.mjtDisableBit
        model.opt.disableflags |= flags.mjDSBL_CONSTRAINT | flags.mjDSBL_ACTUATION
        self.split = split
        bodies = [f"link:{model.body(i).name}" for i in range(1, model.nbody) if model.body(i).name]
        taken = {model.body(i).name for i in range(model.nbody)}
        sites = [model.site(i).name for i in range(model.nsite) if model.site(i).name]
        self.sites = {f"frame:{name}/site" if name in taken else f"frame:{name}": name for name in sites}
        step = max(1, len(bodies) // FRAMES)
        self.frames = bodies[::step] + list(self.sites)[:: max(1, len(self.sites) // FRAMES)]

    def random(self, rng):
        """Draws a state in both coordinates."""
        m = self.model
        qpos = np.zeros(m.nq)
        for j in range(m.njnt):
            at, kind = int(m.jnt_qposadr[j]), int(m.jnt_type[j])
            if kind == FREE:
                qpos[at : at + 3] = rng.uniform(-1, 1, 3)
                at += 3
            if kind in (FREE, BALL):
                quat = rng.normal(size=4)
                qpos[at : at + 4] = quat / np.linalg.norm(quat)
            elif kind == HINGE:
                qpos[at] = rng.uniform(-np.pi, np.pi)
            else:
                qpos[at] = rng.uniform(-1, 1)
        q = self.q_from(qpos)
        v, a, tau = (rng.normal(size=m.nv) for _ in range(3))
        return {"q": q, "v": v, "a": a, "tau": tau, "qpos": qpos}

    def q_from(self, qpos):
        q = qpos.copy()
        for j in range(self.model.njnt):
            at, kind = int(self.model.jnt_qposadr[j]), int(self.model.jnt_type[j])
            if kind == FREE:
                at += 3
            if kind in (FREE, BALL):
                q[at : at + 4] = qpos[[at + 1, at + 2, at + 3, at]]
        return q

    def velocity_map(self, state):
        """Returns T and c of the module's documentation."""
        m = self.model
        T, c = np.eye(m.nv), np.zeros(m.nv)
        for j in range(m.njnt):
            if int(m.jnt_type[j]) != FREE or self.is_split(j):
                continue
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, state["qpos"][m.jnt_qposadr[j] + 3 :][:4])
            R, at = R.reshape(3, 3), m.jnt_dofadr[j]
            T[at : at + 3, at : at + 3] = R
            c[at : at + 3] = R @ np.cross(state["v"][at + 3 : at + 6], state["v"][at : at + 3])
        return T, c

    def is_split(self, j):
        """True if dtau splits a free joint into two parts, the first in the world's axes."""
        return bool(self.split) and self.model.dof_armature[self.model.jnt_dofadr[j]] != 0

    def values(self, state):
        """Computes MuJoCo's results, in dtau's coordinates."""
        m, d = self.model, self.data
        T, c = self.velocity_map(state)
        d.qpos, d.qvel = state["qpos"], T @ state["v"]
        d.qacc = T @ state["a"] + c
        mujoco.mj_inverse(m, d)
        inverse = T.T @ d.qfrc_inverse
        d.qfrc_applied = np.linalg.solve(T.T, state["tau"])
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        M = T.T @ M @ T
        # Torques partly cancel, so the scale is the largest of their terms.
        size = np.max(np.abs(T.T @ d.qfrc_bias)) + np.max(np.abs(d.qfrc_passive)) + np.max(np.abs(M) @ np.abs(state["a"]))
        frames = {}
        for name in self.frames:
            kind, bare = name.split(":", 1)
            J = np.zeros((6, m.nv))
            if kind == "link":
                thing = d.body(bare)
                mujoco.mj_jac(m, d, J[:3], J[3:], thing.xpos, m.body(bare).id)
            else:
                thing = d.site(self.sites[name])
                mujoco.mj_jacSite(m, d, J[:3], J[3:], m.site(self.sites[name]).id)
            frames[name] = thing.xpos.copy(), thing.xmat.reshape(3, 3).copy(), J @ T
        return {
            "crba": M,
            "bias": T.T @ (d.qfrc_bias - d.qfrc_passive) + M @ np.linalg.solve(T, c),
            "rnea": inverse,
            "aba": np.linalg.solve(T, d.qacc - c),
            "size": size,
            "frames": frames,
        }

    def errors(self, state, answer):
        """Returns (what, relative difference) for every quantity."""
        want = self.values(state)
        M, size = want["crba"], want["size"]
        scale = np.sqrt(np.outer(np.diag(M), np.diag(M)))
        yield "M", np.max(np.abs(np.array(answer["crba"]) - M) / np.maximum(scale, 1e-300), initial=0.0)
        yield "bias", np.max(np.abs(np.array(answer["bias"]) - want["bias"])) / size
        yield "inverse dynamics", np.max(np.abs(np.array(answer["rnea"]) - want["rnea"])) / size
        if "aba" in answer:
            # Differences of accelerations are scaled as torques.
            size = size + np.max(np.abs(M) @ np.abs(want["aba"]))
            yield "forward dynamics", np.max(np.abs(M @ (np.array(answer["aba"]) - want["aba"]))) / size
        reach = 1.0 + np.max(np.abs(self.data.xpos))

        def ours(what, name):
            """Returns dtau's result. If no joint has the same name, the command omits the kind."""
            return np.array(answer[what].get(name, answer[what].get(name.split(":", 1)[1])))

        for name, (pos, rot, J) in want["frames"].items():
            placement = ours("placements", name)
            yield f"placement of {name}", np.max(np.abs(placement[:, 3] - pos)) / reach
            yield f"axes of {name}", np.max(np.abs(placement[:, :3] - rot))
            yield f"Jacobian of {name}", np.max(np.abs(ours("frame_jacobian", name) - J)) / reach


def report(results, args):
    count, failed = collections.Counter, False
    loaded = [r for r in results if r.verdict != "not MuJoCo's"]
    print(f"{len(results)} XML files; MuJoCo {mujoco.__version__} loads {len(loaded)} as models of their own")
    for group, members in (("named packages", NAMED), ("others", None)):
        mine = [r for r in loaded if (name_of(r.path).split("/")[0] in NAMED) == (members is not None)]
        if not mine:
            continue
        verdicts = count(r.verdict for r in mine)
        refused = [r for r in mine if r.verdict == "refused"]
        rigid = len(mine) - sum(bool(BEYOND.search(r.reason)) for r in refused)
        accepted = len(mine) - len(refused)
        print(f"\n{group}: {len(mine)} models, dtau loads {accepted}; of {rigid} that are rigid bodies without fluids or tendons that pull, {accepted / max(rigid, 1):.1%}")
        print("  " + ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()))
        for why, n in count(reason(r) for r in refused).most_common():
            print(f"  refused {n}: {why}")
        agrees = [r for r in mine if r.verdict == "agrees"]
        if agrees:
            for what, some in (("", [r for r in agrees if "meshes" not in r.reason]), (" with masses of meshes", [r for r in agrees if "meshes" in r.reason])):
                if some:
                    worst = max(some, key=lambda r: r.worst)
                    print(f"  {len(some)} agree{what}: largest difference {worst.worst:.1e} in {name_of(worst.path)}, nv up to {max(r.nv for r in some)}")
        # The goal: nine out of ten.
        if members is not None and accepted < 0.9 * rigid:
            print("FAILED: fewer than nine of ten are loaded")
            failed = True
    for result in results:
        if result.verdict == "FAILED":
            print(f"FAILED: {name_of(result.path)} (nv {result.nv}): {result.reason}")
            failed = True
    if not any(r.verdict == "agrees" for r in results):
        print("FAILED: nothing was compared")
        failed = True
    return 1 if failed else 0


def reason(result):
    """Returns a refusal without names, for counting."""
    text = re.sub(r"^(error: )?(/[^:]*)?[:\d]+ *", "", result.reason)
    text = re.sub(r'^[<\w]+>?( "[^"]*")?: ', "", text)
    return re.sub(r'"[^"]*"', "…", text.split(";")[0])[:110]


if __name__ == "__main__":
    sys.exit(main())
