"""The picture of docs/viewing.md: a quadruped that stands, the forces of the ground, and a gradient of theirs.

Orange: the forces of the ground λ. Blue: ∂λ/∂τ, summed over both front knees, from `dtau.constrained_fd_derivatives`: how the forces
change when these motors turn harder. Needs `pip install viser trimesh pycollada` and Chromium; saves quadruped.png and quadruped.html.

    python picture.py [--out DIRECTORY]
"""

import io
from pathlib import Path

import browser
import common
import dtau
import numpy as np
from dtau.view import BLUE
from standing_push import crouched, standing_on, standing_torques


def view_of_standing():
    model = dtau.Model.bundled("quadruped", root="floating")
    q, v = crouched(model), np.zeros(model.nv)
    feet = standing_on(model, q)
    tau = standing_torques(model, feet, q)
    forces = dtau.constrained_fd(model, feet, q, v, tau).lambda_
    knees = [model.joint(f"{leg}_knee").v.start for leg in ("lf", "rf")]
    gradient = dtau.constrained_fd_derivatives(model, feet, q, v, tau).dlambda_dtau[:, knees].sum(axis=1)
    view = model.show(q, port=0).forces(feet, forces).forces(feet, gradient, color=BLUE)
    return view.camera((1.05, -1.0, 0.3), (0.0, 0.0, -0.22))


def main(short=False, out="."):
    from PIL import Image

    view = view_of_standing()
    page = Path(out) / "quadruped.html"
    view.save(page)
    view.close()
    width, height = (400, 240) if short else (900, 540)
    with browser.opened(page, width, height) as seen:
        seen.hide("button")
        picture = Image.open(io.BytesIO(seen.screenshot())).convert("RGB")
    path = Path(out) / "quadruped.png"
    picture.quantize(192).save(path, optimize=True)
    print(f"saved {page} and {path}")


if __name__ == "__main__":
    main(**common.arguments(__doc__))
