"""MuJoCo's humanoid: the exact derivatives of its forward dynamics, beside MuJoCo's own by finite differences.

The robot is Gymnasium's humanoid.xml, as it is: a free joint, springs, armature, damping. With T the matrix that takes dtau's
velocities to MuJoCo's (at the free joint the linear velocity turns from the body's axes to the world's),

    q̈ = T⁻¹ (q̈_m − Ṫ v)                                                                                     (1)

so that the columns of ∂q̈/∂τ and ∂q̈/∂v can be compared with differences of `mj_forward` along T. Saves humanoid_derivatives.png.

    python humanoid_derivatives.py [--short] [--out DIRECTORY]
"""

import importlib.util
from pathlib import Path

import common
import dtau
import numpy as np


def humanoid():
    """The file, from the package gymnasium, which need not be imported."""
    package = Path(importlib.util.find_spec("gymnasium").submodule_search_locations[0])
    return package / "envs/mujoco/assets/humanoid.xml"


class MuJoCo:
    """Forward dynamics by MuJoCo, in dtau's coordinates; contacts, limits and actuators are off."""

    def __init__(self, path, model):
        import mujoco

        self.mujoco, self.theirs = mujoco, mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.theirs)
        flags = mujoco.mjtDisableBit
        self.theirs.opt.disableflags |= flags.mjDSBL_CONSTRAINT | flags.mjDSBL_ACTUATION
        self.model = model

    def aba(self, q, v, tau):
        R = np.zeros(9)
        qpos = q.copy()
        qpos[3:7] = q[[6, 3, 4, 5]]
        self.mujoco.mju_quat2Mat(R, qpos[3:7])
        R = R.reshape(3, 3)
        data = self.data
        data.qpos = qpos
        data.qvel = np.concatenate([R @ v[:3], v[3:]])
        data.qfrc_applied = np.concatenate([R @ tau[:3], tau[3:]])
        self.mujoco.mj_forward(self.theirs, data)
        return np.concatenate([R.T @ data.qacc[:3] - np.cross(v[3:6], v[:3]), data.qacc[3:]])  # (1)

    def slopes(self, q, v, tau, step=1e-5):
        """∂q̈/∂q, ∂q̈/∂v and ∂q̈/∂τ by central differences."""
        n = self.model.nv
        eye = np.eye(n) * step

        def central(moved):
            return np.stack([(self.aba(*moved(d)) - self.aba(*moved(-d))) / (2 * step) for d in eye], axis=1)

        return (
            central(lambda d: (self.model.integrate(q, d), v, tau)),
            central(lambda d: (q, v + d, tau)),
            central(lambda d: (q, v, tau + d)),
        )


def main(short, out):
    path = humanoid()
    model = dtau.Model.from_mjcf(path, friction=False)
    rng = np.random.default_rng(0)
    q = model.integrate(model.pose("qpos0"), 0.2 * rng.normal(size=model.nv))
    v, tau = 0.5 * rng.normal(size=model.nv), rng.normal(size=model.nv)
    d = dtau.fd_derivatives(model, q, v, tau)

    theirs = MuJoCo(path, model)
    far = np.abs(d.qdd - theirs.aba(q, v, tau)).max() / np.abs(d.qdd).max()
    print(f"{model.name}: nv {model.nv}; q̈ of dtau and MuJoCo differ by {far:.1e}")
    assert far < 1e-9
    ours = (d.dqdd_dq, d.dqdd_dv, d.dqdd_dtau)
    for name, exact, differences in zip(("∂q̈/∂q", "∂q̈/∂v", "∂q̈/∂τ"), ours, theirs.slopes(q, v, tau), strict=True):
        far = np.abs(exact - differences).max() / np.abs(exact).max()
        print(f"{name}: differences of MuJoCo are {far:.1e} away")  # their own error
        assert far < 1e-5

    plt = common.pyplot()
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.6))
    for ax, name, matrix in zip(axes, ("∂q̈/∂q", "∂q̈/∂v", "∂q̈/∂τ"), ours, strict=True):
        image = ax.imshow(np.log10(np.abs(matrix) + 1e-12), cmap="viridis", vmin=-4)
        ax.set_title(f"log₁₀ |{name}| of MuJoCo's humanoid")
        figure.colorbar(image, ax=ax, shrink=0.8)
    common.save(figure, out, "humanoid_derivatives.png")


if __name__ == "__main__":
    main(**common.arguments(__doc__))
