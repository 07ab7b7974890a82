"""A user's program, to be checked by mypy in strict mode and run."""

from typing import Any

import dtau
import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

model = dtau.Model.bundled("quadruped", root="floating", gravity=(0, 0, -9.81))
q = model.random(np.random.default_rng(0), 10)
v = np.zeros(model.nv)

assert_type(q, NDArray[np.float64])
assert_type(dtau.rnea(model, q, v, v), NDArray[Any])
d = dtau.id_derivatives(model, q, v, v, f_ext=[dtau.Wrench.local("trunk", force=[0, 0, 1])], threads=2)
assert_type(d, dtau.IdDerivatives)
assert_type(d.dtau_dq, NDArray[Any])
assert_type(dtau.fd_derivatives(model, q, v, v), dtau.FdDerivatives)
assert_type([joint.name for joint in model.joints], list[str])
assert_type(model.joints[0].mimic, dtau.Mimic | None)
kinematics = dtau.forward_kinematics(model, q, reference="local")
assert_type(kinematics.position, NDArray[Any])
assert_type(kinematics.velocity, NDArray[Any])
assert_type(dtau.frame_placement(model, q, "trunk"), NDArray[Any])
q[0, model.joints[1].q] = 0.5

try:
    dtau.Model.bundled("arm6", root="flying")  # type: ignore[arg-type]  # a mistake that mypy must see
except ValueError:
    pass
