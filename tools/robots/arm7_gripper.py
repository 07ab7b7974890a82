from math import pi

from solids import box, cylinder
from urdf import Y, Z, fixed, frame, link, prismatic, revolute, robot

COMMENT = """
A seven-axis torque-controlled arm of the 7 kg class, 22.5 kg, with a two-finger gripper
whose right finger mimics the left. Every arm joint turns about the z axis of its own
frame, and the frames alternate by quarter turns; at zero the arm points straight up.
Housings are cylinders; the wrist fork, the gripper and its fingers are boxes.
"""

ALONG_Y = pi / 2, 0, 0
PITCH = -pi / 2, 0, 0  # to a frame with z sideways and −y up
UP = pi / 2, 0, 0  # and back to a frame with z up


def urdf():
    return robot("arm7_gripper", COMMENT, arm() + gripper())


def arm():
    strong, weak = (1.2, 0.7), (0.5, 0.35)  # damping, friction
    return [
        link("base", cylinder(3.5, 0.08, 0.15, at=(0, 0, 0.075))),
        revolute("joint_1", "base", "link_1", (0, 0, 0.32), Z, (-2.9, 2.9, 120, 2.2), dynamics=strong),
        link("link_1",
             cylinder(2.3, 0.06, 0.16, at=(0, 0, -0.09)),
             cylinder(1.4, 0.058, 0.12, rpy=ALONG_Y)),
        revolute("joint_2", "link_1", "link_2", (0, 0, 0), Z, (-1.9, 1.9, 120, 2.2), rpy=PITCH, dynamics=strong),
        link("link_2",
             cylinder(2.6, 0.058, 0.16, at=(0, -0.13, 0), rpy=ALONG_Y),
             box(0.9, 0.09, 0.10, 0.06, at=(0, -0.02, 0.05))),
        revolute("joint_3", "link_2", "link_3", (0, -0.33, 0), Z, (-2.9, 2.9, 100, 2.2), rpy=UP, dynamics=strong),
        link("link_3",
             cylinder(2.1, 0.055, 0.12, at=(0, 0, -0.06)),
             cylinder(1.1, 0.048, 0.10, at=(0.06, 0, 0), rpy=ALONG_Y)),
        revolute("joint_4", "link_3", "link_4", (0.06, 0, 0), Z, (-0.1, 2.7, 100, 2.2), rpy=PITCH, dynamics=strong),
        link("link_4",
             cylinder(1.0, 0.048, 0.09),
             cylinder(2.1, 0.05, 0.15, at=(-0.05, -0.11, 0), rpy=ALONG_Y)),
        revolute("joint_5", "link_4", "link_5", (-0.06, -0.37, 0), Z, (-2.9, 2.9, 40, 2.6), rpy=UP, dynamics=weak),
        link("link_5",
             cylinder(1.9, 0.047, 0.17, at=(0, 0, -0.13)),
             box(0.8, 0.07, 0.04, 0.14, at=(0, 0.05, -0.02))),
        revolute("joint_6", "link_5", "link_6", (0, 0, 0), Z, (-2.0, 2.0, 40, 2.6), rpy=PITCH, dynamics=weak),
        link("link_6",
             cylinder(0.9, 0.043, 0.08),
             cylinder(0.6, 0.044, 0.06, at=(0, -0.06, 0), rpy=ALONG_Y)),
        revolute("joint_7", "link_6", "link_7", (0, -0.10, 0), Z, (-3.0, 3.0, 40, 2.6), rpy=UP, dynamics=weak),
        link("link_7", cylinder(0.5, 0.042, 0.05, at=(0, 0, 0.03))),
        *frame("flange", "link_7", (0, 0, 0.055)),
    ]


def gripper():
    grip = 4, 1.5
    return [
        fixed("flange", "hand", (0, 0, 0), rpy=(0, 0, pi / 4)),
        link("hand", box(0.7, 0.05, 0.18, 0.06, at=(0, 0, 0.03))),
        prismatic("finger_left_slide", "hand", "finger_left", (0, 0, 0.06), Y, (0, 0.04, 30, 0.1), dynamics=grip),
        link("finger_left", finger(1)),
        prismatic("finger_right_slide", "hand", "finger_right", (0, 0, 0.06), Y, (-0.04, 0, 30, 0.1), dynamics=grip,
                  mimic=("finger_left_slide", -1)),
        link("finger_right", finger(-1)),
        *frame("grasp", "hand", (0, 0, 0.10)),
    ]


def finger(side):
    return box(0.045, 0.02, 0.016, 0.05, at=(0, side * 0.008, 0.025))
