"""Robots as both programs see them, and the way from dtau's coordinates to Pinocchio's.

Both number joints depth-first, and Pinocchio (through urdfdom) visits children in the byte order of their joint names,
which is dtau's `--order alphabetical`. Their coordinates then differ in two places only:

    joint          dtau                          Pinocchio
    continuous     one angle                     (cos, sin)
    mimic          no coordinates (honour)       its own, as if it were free (mimic=False, the default)

So with q_f, v_f the coordinates of the free tree, one angle per continuous joint,

    q_f = G q + offset,   v_f = G v,   a_f = G a                                                        (1)

G is the identity for a robot without mimic joints, or with `--mimic free`; the free-flyer's quaternion is copied.
"""

import os
import tempfile
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pinocchio as pin

REPOSITORY = Path(__file__).resolve().parent.parent
BUNDLED = REPOSITORY / "crates" / "dtau" / "robots"

FREE_FLYER, UNBOUNDED, PLAIN = (7, 6), (2, 1), (1, 1)  # (nq, nv) in Pinocchio


class Unsupported(Exception):
    """Pinocchio, or this comparison, cannot express the robot; the message says why."""


def example_urdfs():
    """Every URDF of the package example-robot-data, as (short name, path), sorted by name."""
    prefix = next(p for p in Path(pin.__file__).parents if p.name == "cmeel.prefix")
    paths = sorted((prefix / "share/example-robot-data/robots").rglob("*.urdf"))
    stems = [p.stem for p in paths]
    named = []
    for path in paths:
        package = path.relative_to(prefix / "share/example-robot-data/robots").parts[0]
        unique = stems.count(path.stem) == 1
        named.append((path.stem if unique else f"{package.removesuffix('_description')}/{path.stem}", path))
    return sorted(named)


@dataclass(frozen=True)
class Mimic:
    """q(joint) = multiplier · q(source) + offset."""

    source: str
    multiplier: float
    offset: float


def read_mimics(path):
    """{joint name: Mimic} of the moving mimic joints; chains are followed to the joint that really moves.

    Raises Unsupported if one follows a joint that does not exist, is fixed, or follows itself.
    """
    joints = {j.get("name"): j for j in ET.parse(path).getroot().findall("joint")}
    moving = {name for name, j in joints.items() if j.get("type") != "fixed"}

    def own(name):
        tag = joints[name].find("mimic")
        if tag is None:
            return None
        return Mimic(tag.get("joint"), float(tag.get("multiplier", 1)), float(tag.get("offset", 0)))

    def resolve(name, seen=()):
        mimic = own(name)
        if mimic.source not in moving or mimic.source in seen:
            raise Unsupported(f'joint "{name}" mimics "{mimic.source}", which does not exist, is fixed, or mimics it')
        if own(mimic.source) is None:
            return mimic
        further = resolve(mimic.source, (*seen, name))
        return Mimic(
            further.source, mimic.multiplier * further.multiplier, mimic.multiplier * further.offset + mimic.offset
        )

    return {name: resolve(name) for name in joints if name in moving and own(name) is not None}


def has_mimics(path):
    joints = ET.parse(path).getroot().findall("joint")
    return any(j.find("mimic") is not None and j.get("type") != "fixed" for j in joints)


def build_model(path, root, mimic=False):
    with captured_stderr() as complaints:
        try:
            if root == "floating":
                return pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer(), mimic)
            return pin.buildModelFromUrdf(str(path), mimic)
        except (ValueError, RuntimeError) as error:
            reason = str(error).replace(str(path), Path(path).name) + " " + complaints()
            raise Unsupported("Pinocchio: " + " ".join(reason.split())) from error


@contextmanager
def captured_stderr():
    """urdfdom writes the reason of a refusal to standard error, from C++."""
    with tempfile.TemporaryFile() as file:

        def text():
            file.seek(0)
            return file.read().decode()

        saved = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield text
        finally:
            os.dup2(saved, 2)
            os.close(saved)


@dataclass
class Coordinate:
    """Where one Pinocchio joint finds its values in dtau's q and v."""

    kind: tuple  # (nq, nv) in Pinocchio
    q: int
    v: int
    multiplier: float = 1.0
    offset: float = 0.0
    prismatic: bool = False


@dataclass
class State:
    """A state in dtau's coordinates; `wrenches` as in a dtau state file."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    wrenches: list = field(default_factory=list)

    def as_json(self):
        numbers = {name: getattr(self, name).tolist() for name in ("q", "v", "a", "tau")}
        return {**numbers, "wrenches": self.wrenches} if self.wrenches else numbers


class Robot:
    """A URDF with a root and a reading of its mimic joints."""

    def __init__(self, path, name=None, root="fixed", mimic="free"):
        self.path, self.name, self.root, self.mimic = Path(path), name or Path(path).stem, root, mimic
        self.model = build_model(path, root)  # the free tree
        self.mimics = read_mimics(path) if mimic == "honour" else {}
        self._number_coordinates()
        self.links = [f.name for f in self.model.frames if f.type == pin.FrameType.BODY]

    def _number_coordinates(self):
        self.coordinates, by_name, self.nq, self.nv = [], {}, 0, 0
        joints = list(zip(self.model.names, self.model.joints))[1:]
        for name, joint in joints:
            kind = (joint.nq, joint.nv)
            if kind not in (FREE_FLYER, UNBOUNDED, PLAIN):
                raise Unsupported(f'joint "{name}": {joint.shortname()} has no counterpart here')
            if name in self.mimics:
                continue
            prismatic = joint.shortname().startswith("JointModelP")
            by_name[name] = Coordinate(kind, self.nq, self.nv, prismatic=prismatic)
            self.nq += 7 if kind == FREE_FLYER else 1
            self.nv += joint.nv
        for name, joint in joints:  # a mimic joint may come before the joint it follows
            mimic = self.mimics.get(name)
            if mimic is None:
                self.coordinates.append(by_name[name])
            else:
                source = by_name[mimic.source]
                kind = (joint.nq, joint.nv)
                self.coordinates.append(Coordinate(kind, source.q, source.v, mimic.multiplier, mimic.offset))
        self.joint_names = list(by_name)

        self.G = np.zeros((self.model.nv, self.nv))  # (1)
        for c, joint in zip(self.coordinates, list(self.model.joints)[1:]):
            for k in range(joint.nv):
                self.G[joint.idx_v + k, c.v + k] = c.multiplier

    def pinocchio_q(self, q):
        """(1), with (cos, sin) for continuous joints."""
        out = np.empty(self.model.nq)
        for c, joint in zip(self.coordinates, list(self.model.joints)[1:]):
            if c.kind == FREE_FLYER:
                out[joint.idx_q : joint.idx_q + 7] = q[c.q : c.q + 7]
                continue
            angle = c.multiplier * q[c.q] + c.offset
            out[joint.idx_q : joint.idx_q + joint.nq] = [angle] if c.kind == PLAIN else [np.cos(angle), np.sin(angle)]
        return out

    def native_q(self, native, q):
        """q for the model that Pinocchio builds with mimic=True: the same numbering, no slots for mimic joints."""
        out = np.empty(native.nq)
        for name, joint, c in zip(self.model.names[1:], list(native.joints)[1:], self.coordinates):
            if name in self.mimics:
                continue
            if c.kind == UNBOUNDED:
                out[joint.idx_q : joint.idx_q + 2] = [np.cos(q[c.q]), np.sin(q[c.q])]
            else:
                n = c.kind[0]
                out[joint.idx_q : joint.idx_q + n] = q[c.q : c.q + n]
        return out

    def massless_bodies(self):
        """Names of the moving joints whose body, with everything welded to it, weighs nothing."""
        inertias = list(self.model.inertias)
        return [n for n, inertia in zip(self.model.names[1:], inertias[1:]) if inertia.mass == 0.0]

    def sample_links(self, count=6):
        """Up to `count` links spread over the robot: half of them at the ends of limbs, half from everywhere."""
        joints = ET.parse(self.path).getroot().findall("joint")
        parents = {j.find("parent").get("link") for j in joints}
        ends = [link for link in self.links if link not in parents]
        half = count // 2
        return list(dict.fromkeys(_spread(ends, count - half) + _spread(self.links, half)))

    def random_states(self, count, seed, links=()):
        """Seeded states. Number 0 is the neutral position without wrenches, number 1 has angles of many turns.

        Torques are those of a random acceleration of ordinary size: random torques would throw a finger of 1e-7 kg m²
        around at 1e8 rad/s², and every comparison of accelerations would be one of that finger.
        """
        from oracle import Tree  # here, because oracle needs Robot

        rng, tree, states = np.random.default_rng(seed), Tree(self), []
        for k in range(count):
            state = State(
                q=self._random_q(rng, turns={0: 0.0, 1: 5.0}.get(k, 1.0)),
                v=rng.uniform(-3, 3, self.nv),
                a=rng.uniform(-10, 10, self.nv),
                tau=np.zeros(self.nv),
                wrenches=_random_wrenches(rng, links) if k > 0 else [],
            )
            state.tau = tree.inverse_dynamics(state, rng.uniform(-10, 10, self.nv))
            states.append(state)
        return states

    def _random_q(self, rng, turns):
        q = np.zeros(self.nq)
        for c in self.coordinates:
            if c.kind == FREE_FLYER:
                quaternion = rng.normal(size=4)
                q[c.q : c.q + 3] = turns and rng.uniform(-1, 1, 3)
                q[c.q + 3 : c.q + 7] = quaternion / np.linalg.norm(quaternion) if turns else [0, 0, 0, 1]
            else:
                q[c.q] = rng.uniform(-0.5, 0.5) * bool(turns) if c.prismatic else turns * rng.uniform(-np.pi, np.pi)
        return q


def _spread(items, count):
    """`count` of the items, evenly spaced, first and last among them."""
    if len(items) <= count:
        return list(items)
    return [items[round(k * (len(items) - 1) / (count - 1))] for k in range(count)]


def _random_wrenches(rng, links):
    """A wrench in the link's own axes and one in the world's, on two links."""
    chosen = rng.choice(links, size=min(2, len(links)), replace=False) if len(links) else []
    return [
        {
            "frame": str(link),
            "axes": axes,
            "force": rng.uniform(-20, 20, 3).tolist(),
            "torque": rng.uniform(-5, 5, 3).tolist(),
        }
        for link in chosen
        for axes in ("frame", "world")
    ]
