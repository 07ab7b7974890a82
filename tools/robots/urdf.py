"""Links, joints and transmissions, and their URDF representation."""

from dataclasses import dataclass, replace
from typing import Optional

from solids import composite, mirror_point, mirror_rpy

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


@dataclass(frozen=True)
class Link:
    name: str
    solids: tuple
    axes: Optional[tuple]  # rpy the inertia is written along

    def mirrored(self, rename):
        axes = self.axes and mirror_rpy(self.axes)
        return Link(rename(self.name), tuple(s.mirrored() for s in self.solids), axes)

    def write(self):
        if not self.solids:
            return [f'<link name="{self.name}"/>']
        made_of = ", ".join(f"{s.shape} {number(s.mass)} kg" for s in self.solids)
        body = [f"<!-- {made_of} -->"] + self.write_inertial()
        for s in self.solids:
            geometry = {
                "box": lambda x, y, z: f'size="{numbers((x, y, z))}"',
                "cylinder": lambda r, l: f'radius="{number(r)}" length="{number(l)}"',
                "sphere": lambda r: f'radius="{number(r)}"',
            }[s.shape](*s.size)
            shape = f"<geometry><{s.shape} {geometry}/></geometry>"
            body += element("visual", [origin(s.xyz, s.rpy), shape])
        return element(f'link name="{self.name}"', body)

    def write_inertial(self):
        # A single solid uses its own principal axes by default.
        alone = self.solids[0].rpy if len(self.solids) == 1 else (0, 0, 0)
        axes = self.axes or alone
        mass, com, I = composite(self.solids, axes)
        # Round-off in a product of inertia is set to zero.
        dust = 1e-12 * (I[0][0] + I[1][1] + I[2][2])
        I = [[x if abs(x) > dust else 0.0 for x in row] for row in I]
        upper = {"ixx": I[0][0], "ixy": I[0][1], "ixz": I[0][2], "iyy": I[1][1], "iyz": I[1][2], "izz": I[2][2]}
        entries = " ".join(f'{key}="{x + 0.0:.8g}"' for key, x in upper.items())
        return element("inertial", [origin(com, axes), f'<mass value="{number(mass)}"/>', f"<inertia {entries}/>"])


@dataclass(frozen=True)
class Joint:
    name: str
    kind: str
    parent: str
    child: str
    xyz: tuple
    rpy: tuple
    axis: Optional[tuple] = None
    limit: Optional[tuple] = None  # lower, upper, effort, velocity
    dynamics: Optional[tuple] = None  # damping, friction
    mimic: Optional[tuple] = None  # joint, multiplier

    def mirrored(self, rename):
        """Mirrors the joint, keeping its axis. A reflection in y = 0 keeps the sign of an angle about y, and
        changes it about x or z."""
        limit = self.limit
        if limit and self.axis != Y:
            lower, upper, effort, velocity = limit
            limit = -upper, -lower, effort, velocity
        return replace(
            self,
            name=rename(self.name),
            parent=rename(self.parent),
            child=rename(self.child),
            xyz=mirror_point(self.xyz),
            rpy=mirror_rpy(self.rpy),
            limit=limit,
        )

    def write(self):
        body = [f'<parent link="{self.parent}"/>', f'<child link="{self.child}"/>', origin(self.xyz, self.rpy)]
        if self.axis:
            body.append(f'<axis xyz="{numbers(self.axis)}"/>')
        if self.limit:
            names = "lower", "upper", "effort", "velocity"
            body.append("<limit " + " ".join(f'{n}="{number(x)}"' for n, x in zip(names, self.limit)) + "/>")
        if self.dynamics:
            damping, friction = self.dynamics
            body.append(f'<dynamics damping="{number(damping)}" friction="{number(friction)}"/>')
        if self.mimic:
            leader, multiplier = self.mimic
            body.append(f'<mimic joint="{leader}" multiplier="{number(multiplier)}" offset="0"/>')
        return element(f'joint name="{self.name}" type="{self.kind}"', body)


@dataclass(frozen=True)
class Transmission:
    joint: str
    reduction: float

    def write(self):
        interface = "<hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface>"
        reduction = f"<mechanicalReduction>{number(self.reduction)}</mechanicalReduction>"
        return element(
            f'transmission name="{self.joint}_transmission"',
            ["<type>transmission_interface/SimpleTransmission</type>"]
            + element(f'joint name="{self.joint}"', [interface])
            + element(f'actuator name="{self.joint}_motor"', [reduction]),
        )


def link(name, *solids, axes=None):
    return Link(name, solids, axes)


def revolute(name, parent, child, at, axis, limit, rpy=(0, 0, 0), dynamics=None):
    return Joint(name, "revolute", parent, child, at, rpy, axis, limit, dynamics)


def prismatic(name, parent, child, at, axis, limit, dynamics=None, mimic=None):
    return Joint(name, "prismatic", parent, child, at, (0, 0, 0), axis, limit, dynamics, mimic)


def fixed(parent, child, at, rpy=(0, 0, 0)):
    return Joint(f"{child}_mount", "fixed", parent, child, at, rpy)


def frame(name, parent, at, rpy=(0, 0, 0)):
    """Makes a massless link, fixed to its parent."""
    return [fixed(parent, name, at, rpy), link(name)]


def mirrored(parts, rename):
    """Mirrors the parts of one side in y = 0, with the names of the other side."""
    return [part.mirrored(rename) for part in parts]


def robot(name, comment, parts):
    """Returns the complete file."""
    about = ["<!--"] + ["  " + line for line in comment.strip().splitlines()] + [
        "",
        "  Each link is a sum of homogeneous solids; its visuals are those solids, in the order of",
        "  the masses above them, and its inertia is computed from them.",
        "  The values are typical of the class and were written for dtau; they are no product's.",
        "  Written by tools/robots/generate.py.",
        "-->",
    ]
    body = [line.rstrip() for line in about]
    for part in parts:
        body += [""] + part.write()
    lines = ['<?xml version="1.0"?>'] + element(f'robot name="{name}"', body)
    return "\n".join(lines) + "\n"


def element(tag, body):
    return [f"<{tag}>"] + ["  " + line if line else "" for line in body] + [f"</{tag.split()[0]}>"]


def origin(xyz, rpy):
    # Angles keep all digits, so that a quarter turn is exact.
    angles = " ".join(str(x + 0.0).removesuffix(".0") for x in rpy)
    return f'<origin xyz="{numbers(xyz)}" rpy="{angles}"/>'


def number(x):
    x = round(x, 12)  # round-off in a sum of lengths is set to zero
    return f"{x + 0.0:.7g}"


def numbers(xs):
    return " ".join(number(x) for x in xs)
