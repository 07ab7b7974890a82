"""Robots in both programs, and the conversion from dtau's coordinates to Pinocchio's.

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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

REPOSITORY = Path(__file__).resolve().parent.parent
BUNDLED = REPOSITORY / "crates" / "dtau" / "robots"

FREE_FLYER, UNBOUNDED, PLAIN = (7, 6), (2, 1), (1, 1)  # (nq, nv) in Pinocchio


class Unsupported(Exception):
    """Pinocchio, or this comparison, does not support the robot. The message says why."""


def example_urdfs():
    """Returns every URDF of the package example-robot-data, as (short name, path), sorted by name."""
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
    """Returns {joint name: Mimic} of the moving mimic joints. Chains are followed to the independent joint.

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
    """Captures standard error, where urdfdom writes the reason of a refusal from C++."""
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
    """Place of one Pinocchio joint's values in dtau's q and v."""

    kind: tuple  # (nq, nv) in Pinocchio
    q: int
    v: int
    multiplier: float = 1.0
    offset: float = 0.0
    prismatic: bool = False


class Robot:
    """A URDF with a root and a treatment of its mimic joints."""

    def __init__(self, path, name=None, root="fixed", mimic="free"):
        self.path, self.name, self.root, self.mimic = Path(path), name or Path(path).stem, root, mimic
        self.model = build_model(path, root)  # the free tree
        self.mimics = read_mimics(path) if mimic == "honour" else {}
        self._number_coordinates()
        self.links = [f.name for f in self.model.frames if f.type == pin.FrameType.BODY]
        self.file_links = [link.get("name") for link in ET.parse(path).getroot().findall("link")]

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
        """Applies (1), with (cos, sin) for continuous joints."""
        out = np.empty(self.model.nq)
        for c, joint in zip(self.coordinates, list(self.model.joints)[1:]):
            if c.kind == FREE_FLYER:
                out[joint.idx_q : joint.idx_q + 7] = q[c.q : c.q + 7]
                continue
            angle = c.multiplier * q[c.q] + c.offset
            out[joint.idx_q : joint.idx_q + joint.nq] = [angle] if c.kind == PLAIN else [np.cos(angle), np.sin(angle)]
        return out

    def native_q(self, native, q):
        """Returns q for the model that Pinocchio builds with mimic=True: the same numbering, without mimic joints."""
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
        """Returns the names of moving joints whose body, with everything welded to it, is massless."""
        inertias = list(self.model.inertias)
        return [n for n, inertia in zip(self.model.names[1:], inertias[1:]) if inertia.mass == 0.0]

    def sample_links(self, count=6):
        """Returns up to `count` links spread over the robot: half at the ends of limbs, half anywhere."""
        joints = ET.parse(self.path).getroot().findall("joint")
        parents = {j.find("parent").get("link") for j in joints}
        ends = [link for link in self.links if link not in parents]
        half = count // 2
        return list(dict.fromkeys(_spread(ends, count - half) + _spread(self.links, half)))


def _spread(items, count):
    """Returns `count` of the items, evenly spaced, including first and last. If `count` is one, the middle one."""
    if len(items) <= count:
        return list(items)
    if count == 1:
        return [items[len(items) // 2]]
    return [items[round(k * (len(items) - 1) / (count - 1))] for k in range(count)]
