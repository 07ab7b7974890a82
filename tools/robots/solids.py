"""Homogeneous solids, and the inertia of a link made of several of them."""

from dataclasses import dataclass, replace
from math import cos, sin


@dataclass(frozen=True)
class Solid:
    """A homogeneous solid with its centre at `xyz` and orientation `rpy`, in the frame of its link."""

    shape: str  # "box", "cylinder" or "sphere"
    size: tuple  # box: x, y, z; cylinder: radius, length along z; sphere: radius
    mass: float
    xyz: tuple
    rpy: tuple

    def principal_moments(self):
        """Returns moments about the centre, along the solid's own axes."""
        m = self.mass
        if self.shape == "box":
            x, y, z = self.size
            return m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12
        if self.shape == "cylinder":
            r, l = self.size
            across = m * (3 * r * r + l * l) / 12
            return across, across, m * r * r / 2
        (r,) = self.size
        return (2 * m * r * r / 5,) * 3

    def mirrored(self):
        """Returns the reflection in the plane y = 0. These solids are their own mirror images."""
        return replace(self, xyz=mirror_point(self.xyz), rpy=mirror_rpy(self.rpy))


def box(mass, x, y, z, at=(0, 0, 0), rpy=(0, 0, 0)):
    return Solid("box", (x, y, z), mass, at, rpy)


def cylinder(mass, radius, length, at=(0, 0, 0), rpy=(0, 0, 0)):
    return Solid("cylinder", (radius, length), mass, at, rpy)


def sphere(mass, radius, at=(0, 0, 0)):
    return Solid("sphere", (radius,), mass, at, (0, 0, 0))


def mirror_point(p):
    return p[0], -p[1], p[2]


def mirror_rpy(rpy):
    """Mirrors angles, diag(1, -1, 1) R diag(1, -1, 1): pitch keeps its sign, roll and yaw change theirs."""
    return -rpy[0], rpy[1], -rpy[2]


def composite(solids, axes):
    """Returns mass, centre of mass, and inertia about it along axes with the orientation `axes`."""
    mass = sum(s.mass for s in solids)
    com = tuple(sum(s.mass * s.xyz[i] for s in solids) / mass for i in range(3))
    A = rotation(axes)
    I = [[0.0] * 3 for _ in range(3)]
    for s in solids:
        R = product(transpose(A), rotation(s.rpy))
        d = [sum(A[k][i] * (s.xyz[k] - com[k]) for k in range(3)) for i in range(3)]
        dd = sum(x * x for x in d)
        J = s.principal_moments()
        # I += R J Rᵀ + m (|d|² 1 − d dᵀ)
        for i in range(3):
            for j in range(3):
                I[i][j] += sum(R[i][k] * J[k] * R[j][k] for k in range(3))
                I[i][j] += s.mass * ((dd if i == j else 0) - d[i] * d[j])
    return mass, com, I


def rotation(rpy):
    """Returns R = Rz(yaw) Ry(pitch) Rx(roll), URDF's fixed-axis angles."""
    (cr, cp, cy), (sr, sp, sy) = map(cos, rpy), map(sin, rpy)
    return [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]


def transpose(A):
    return [list(row) for row in zip(*A)]


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
