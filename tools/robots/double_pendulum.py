from math import pi

from solids import box, cylinder
from urdf import Y, frame, link, revolute, robot

COMMENT = """
Two rods, 1 m and 1.2 kg each, hanging from a block and turning about y.
A rod is a cylinder of radius 0.02 m, so its moments are exact decimals:
m (3 r² + l²) / 12 = 0.10012 across and m r² / 2 = 0.00024 along.
"""

LIMIT = -pi, pi, 20, 20
DAMPING = 0.02, 0


def rod():
    return cylinder(1.2, 0.02, 1, at=(0, 0, -0.5))


def urdf():
    return robot("double_pendulum", COMMENT, [
        link("base", box(3, 0.1, 0.1, 0.1, at=(0, 0, 0.05))),
        revolute("shoulder", "base", "upper_rod", (0, 0, 0), Y, LIMIT, dynamics=DAMPING),
        link("upper_rod", rod()),
        revolute("elbow", "upper_rod", "lower_rod", (0, 0, -1), Y, LIMIT, dynamics=DAMPING),
        link("lower_rod", rod()),
        *frame("tip", "lower_rod", (0, 0, -1)),
    ])
