from math import pi

from solids import box, cylinder
from urdf import Transmission, Y, Z, frame, link, revolute, robot

COMMENT = """
A six-axis collaborative arm of the 5 kg class: 19 kg, 0.9 m of reach, three parallel
pitch axes and an offset wrist. At zero the upper arm points up, the forearm forward
and the wrist down, the flange facing left. Tubes and joint housings are cylinders,
the wrist bracket is a box.
"""

ALONG_Y = pi / 2, 0, 0
QUARTER_PITCH = 0, pi / 2, 0
FULL_TURN = 2 * pi


def urdf():
    big = -FULL_TURN, FULL_TURN, 150, 3.2
    small = -FULL_TURN, FULL_TURN, 28, 3.2
    return robot("arm6", COMMENT, [
        link("base", cylinder(0.9, 0.095, 0.02, at=(0, 0, 0.01)), cylinder(3.1, 0.07, 0.09, at=(0, 0, 0.065))),
        revolute("joint_1", "base", "shoulder", (0, 0, 0.165), Z, big),
        link("shoulder",
             cylinder(2.4, 0.06, 0.11, at=(0, 0, 0)),
             cylinder(1.3, 0.058, 0.06, at=(0, 0.085, 0), rpy=ALONG_Y)),
        revolute("joint_2", "shoulder", "upper_arm", (0, 0.13, 0), Y, (-2.8, 2.8, 150, 3.2)),
        link("upper_arm",
             cylinder(2.6, 0.06, 0.12, rpy=ALONG_Y),
             cylinder(2.5, 0.045, 0.30, at=(0, 0, 0.21)),
             cylinder(1.7, 0.05, 0.11, at=(0, 0, 0.42), rpy=ALONG_Y)),
        revolute("joint_3", "upper_arm", "forearm", (0, -0.115, 0.42), Y, (-2.7, 2.7, 150, 3.2), rpy=QUARTER_PITCH),
        link("forearm",
             cylinder(1.3, 0.05, 0.09, rpy=ALONG_Y),
             cylinder(1.3, 0.037, 0.29, at=(0, 0, 0.19))),
        revolute("joint_4", "forearm", "wrist_1", (0, 0, 0.385), Y, small, rpy=QUARTER_PITCH),
        link("wrist_1",
             cylinder(0.75, 0.037, 0.09, at=(0, 0.03, 0), rpy=ALONG_Y),
             box(0.2, 0.05, 0.03, 0.06, at=(0.015, 0.09, -0.02), rpy=(0.3, 0, 0.2)),
             axes=(0.3, 0, 0.2)),
        revolute("joint_5", "wrist_1", "wrist_2", (0, 0.11, 0), Z, small),
        link("wrist_2",
             cylinder(0.6, 0.036, 0.08, at=(0, 0, 0.035)),
             cylinder(0.35, 0.036, 0.04, at=(0, 0.02, 0.095), rpy=ALONG_Y)),
        revolute("joint_6", "wrist_2", "wrist_3", (0, 0, 0.095), Y, small),
        link("wrist_3", cylinder(0.3, 0.036, 0.035, at=(0, 0.065, 0), rpy=ALONG_Y)),
        *frame("tool0", "wrist_3", (0, 0.0825, 0), rpy=(-pi / 2, 0, 0)),
        *(Transmission(f"joint_{i}", 101 if i <= 3 else 81) for i in range(1, 7)),
    ])
