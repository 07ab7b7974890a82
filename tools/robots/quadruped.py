from math import pi

from solids import box, cylinder, sphere
from urdf import X, Y, fixed, frame, link, mirrored, revolute, robot

COMMENT = """
An electric quadruped of the 40 kg class. Legs lf, rf, lh, rh: hip abduction about x,
hip flexion and knee about y. At zero the legs are straight down, feet 0.59 m under the
trunk's origin; it stands at hip flexion 0.7, knee -1.4. The trunk is boxes, the
actuators and shanks are cylinders, the thighs boxes with a cylinder, the feet spheres.
"""

ALONG_X = 0, pi / 2, 0
ALONG_Y = pi / 2, 0, 0


def urdf():
    trunk = link("trunk",
                 box(15, 0.56, 0.22, 0.16),
                 box(4, 0.30, 0.14, 0.06, at=(-0.02, 0, -0.10)),
                 box(1.5, 0.08, 0.14, 0.10, at=(0.32, 0, 0.03)))
    lf, lh = leg("lf", 1), leg("lh", -1)
    rf = mirrored(lf, lambda name: name.replace("lf_", "rf_"))
    rh = mirrored(lh, lambda name: name.replace("lh_", "rh_"))
    return robot("quadruped", COMMENT, [trunk, *frame("imu", "trunk", (-0.05, 0, 0.06)), *lf, *rf, *lh, *rh])


def leg(name, fore):
    """Makes a left leg. `fore` is 1 in front and -1 behind."""
    return [
        revolute(f"{name}_hip_abduction", "trunk", f"{name}_hip", (fore * 0.29, 0.11, 0), X, (-0.6, 0.8, 90, 12)),
        link(f"{name}_hip",
             cylinder(1.1, 0.045, 0.08, at=(fore * 0.02, 0.01, 0), rpy=ALONG_X),
             cylinder(1.3, 0.055, 0.06, at=(fore * 0.01, 0.07, 0), rpy=ALONG_Y)),
        revolute(f"{name}_hip_flexion", f"{name}_hip", f"{name}_thigh", (0, 0.11, 0), Y, (-1.2, 2.6, 90, 12)),
        link(f"{name}_thigh",
             cylinder(1.2, 0.055, 0.05, at=(0, 0.005, 0), rpy=ALONG_Y),
             box(1.1, 0.06, 0.036, 0.24, at=(-0.006, 0, -0.16))),
        revolute(f"{name}_knee", f"{name}_thigh", f"{name}_shank", (0, 0, -0.29), Y, (-2.7, 0.1, 110, 14)),
        link(f"{name}_shank", cylinder(0.45, 0.018, 0.28, at=(0.004, 0, -0.145), rpy=(0, -0.03, 0))),
        fixed(f"{name}_shank", f"{name}_foot", (0, 0, -0.30)),
        link(f"{name}_foot", sphere(0.08, 0.025)),
    ]
