from math import pi

from solids import box, cylinder
from urdf import X, Y, Z, frame, link, mirrored, revolute, robot

COMMENT = """
An electric humanoid, 1.73 m and 74 kg, of 33 joints: 6 a leg, 3 in the waist, 7 an arm,
1 a hand, 2 in the neck. x is forward and y left; at zero it stands straight, arms down
and palms inward, soles 0.96 m under the pelvis's origin. The right side is the left
reflected in y = 0 with the same joint axes, so limits about x and z change sign.
Actuators, arms and neck are cylinders; trunk, legs, feet, head and hands are boxes.
"""

ALONG_X = 0, pi / 2, 0
ALONG_Y = pi / 2, 0, 0


def urdf():
    left_leg, left_arm = leg("left"), arm("left")
    right_leg, right_arm = mirrored(left_leg, to_right), mirrored(left_arm, to_right)
    return robot("humanoid", COMMENT, [
        link("pelvis", box(7, 0.16, 0.20, 0.14)),
        *frame("imu", "pelvis", (-0.06, 0, 0.05)),
        *left_leg,
        *right_leg,
        *trunk(),
        *left_arm,
        *right_arm,
        *head(),
    ])


def to_right(name):
    return name.replace("left_", "right_")


def leg(side):
    return [
        revolute(f"{side}_hip_yaw", "pelvis", f"{side}_hip_carrier", (0, 0.10, -0.06), Z, (-0.6, 1.0, 110, 10)),
        link(f"{side}_hip_carrier", cylinder(1.3, 0.05, 0.08, at=(-0.01, 0, -0.01))),
        revolute(f"{side}_hip_roll", f"{side}_hip_carrier", f"{side}_hip_cross", (0, 0, -0.05), X, (-0.4, 0.9, 160, 9)),
        link(f"{side}_hip_cross", cylinder(1.4, 0.05, 0.08, at=(-0.01, 0.005, 0), rpy=ALONG_X)),
        revolute(f"{side}_hip_pitch", f"{side}_hip_cross", f"{side}_thigh", (0, 0, 0), Y, (-2.1, 0.8, 220, 10)),
        link(f"{side}_thigh",
             cylinder(2.0, 0.06, 0.08, at=(0, 0.02, 0), rpy=ALONG_Y),
             box(4.2, 0.12, 0.11, 0.28, at=(0.012, 0.008, -0.20))),
        revolute(f"{side}_knee", f"{side}_thigh", f"{side}_shank", (0, 0, -0.38), Y, (-0.05, 2.4, 250, 12)),
        link(f"{side}_shank",
             cylinder(1.2, 0.055, 0.09, rpy=ALONG_Y),
             box(2.6, 0.10, 0.09, 0.27, at=(-0.01, 0.004, -0.19))),
        revolute(f"{side}_ankle_pitch", f"{side}_shank", f"{side}_ankle_cross", (0, 0, -0.38), Y, (-0.9, 0.6, 110, 10)),
        link(f"{side}_ankle_cross", box(0.35, 0.06, 0.05, 0.05)),
        revolute(f"{side}_ankle_roll", f"{side}_ankle_cross", f"{side}_foot", (0, 0, -0.02), X, (-0.4, 0.4, 60, 10)),
        link(f"{side}_foot",
             box(0.3, 0.08, 0.06, 0.04, at=(0, 0, -0.02)),
             box(1.1, 0.24, 0.10, 0.03, at=(0.04, 0.005, -0.055))),
        *frame(f"{side}_sole", f"{side}_foot", (0, 0, -0.07)),
    ]


def trunk():
    return [
        revolute("waist_yaw", "pelvis", "waist_carrier", (0, 0, 0.08), Z, (-1.5, 1.5, 120, 6)),
        link("waist_carrier", cylinder(1.4, 0.07, 0.05, at=(0, 0, 0.01))),
        revolute("waist_roll", "waist_carrier", "waist_cross", (0, 0, 0.06), X, (-0.5, 0.5, 150, 5)),
        link("waist_cross", cylinder(1.2, 0.045, 0.10, at=(-0.01, 0, 0), rpy=ALONG_X)),
        revolute("waist_pitch", "waist_cross", "torso", (0, 0, 0.02), Y, (-0.3, 1.2, 180, 5)),
        link("torso",
             cylinder(1.4, 0.05, 0.12, rpy=ALONG_Y),
             box(12.5, 0.18, 0.28, 0.30, at=(0.01, 0, 0.19)),
             box(3.5, 0.08, 0.22, 0.24, at=(-0.12, 0, 0.20))),
    ]


def arm(side):
    return [
        revolute(f"{side}_shoulder_pitch", "torso", f"{side}_shoulder_carrier", (0, 0.18, 0.26), Y, (-3.0, 1.2, 70, 8)),
        link(f"{side}_shoulder_carrier", cylinder(1.1, 0.045, 0.07, rpy=ALONG_Y)),
        revolute(f"{side}_shoulder_roll", f"{side}_shoulder_carrier", f"{side}_shoulder_cross", (0, 0.06, 0), X,
                 (-0.3, 2.6, 70, 8)),
        link(f"{side}_shoulder_cross", cylinder(1.0, 0.042, 0.08, at=(-0.005, 0.005, 0), rpy=ALONG_X)),
        revolute(f"{side}_shoulder_yaw", f"{side}_shoulder_cross", f"{side}_upper_arm", (0, 0.01, -0.05), Z,
                 (-1.6, 1.6, 45, 8)),
        link(f"{side}_upper_arm", cylinder(2.1, 0.045, 0.20, at=(0, 0, -0.11), rpy=(0.02, 0, 0))),
        revolute(f"{side}_elbow", f"{side}_upper_arm", f"{side}_elbow_cross", (0, 0, -0.24), Y, (-2.4, 0.05, 45, 8)),
        link(f"{side}_elbow_cross",
             cylinder(0.8, 0.04, 0.08, at=(0, 0.004, 0), rpy=ALONG_Y),
             cylinder(0.4, 0.036, 0.05, at=(0.006, 0, -0.065))),
        revolute(f"{side}_wrist_yaw", f"{side}_elbow_cross", f"{side}_forearm", (0, 0, -0.10), Z, (-1.8, 1.8, 20, 9)),
        link(f"{side}_forearm", cylinder(1.1, 0.036, 0.12, at=(0, 0, -0.06))),
        revolute(f"{side}_wrist_pitch", f"{side}_forearm", f"{side}_wrist_cross", (0, 0, -0.15), Y, (-1.2, 1.2, 12, 9)),
        link(f"{side}_wrist_cross", cylinder(0.2, 0.022, 0.05, rpy=ALONG_Y)),
        revolute(f"{side}_wrist_roll", f"{side}_wrist_cross", f"{side}_palm", (0, 0, -0.02), X, (-0.6, 0.9, 12, 9)),
        link(f"{side}_palm", box(0.45, 0.08, 0.03, 0.09, at=(0.004, 0.002, -0.055), rpy=(0, 0.05, 0))),
        revolute(f"{side}_grip", f"{side}_palm", f"{side}_fingers", (0, 0, -0.10), X, (-1.5, 0.05, 5, 6)),
        link(f"{side}_fingers", box(0.16, 0.075, 0.02, 0.08, at=(0, 0, -0.04))),
        *frame(f"{side}_hand", f"{side}_palm", (0, -0.03, -0.08)),
    ]


def head():
    return [
        revolute("neck_yaw", "torso", "neck", (0, 0, 0.36), Z, (-1.4, 1.4, 8, 6)),
        link("neck", cylinder(0.5, 0.035, 0.06, at=(0, 0, 0.03))),
        revolute("neck_pitch", "neck", "head", (0, 0, 0.06), Y, (-0.6, 0.8, 8, 6)),
        link("head", box(3.0, 0.17, 0.15, 0.20, at=(0.01, 0, 0.09))),
        *frame("camera", "head", (0.095, 0, 0.10), rpy=(-pi / 2, 0, -pi / 2)),
    ]
