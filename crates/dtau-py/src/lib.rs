//! The Python package `dtau`: thin wrappers around the library, called from `python/dtau`.
//!
//! | module | what |
//! | --- | --- |
//! | `model/`, `builder` | `Model`, `ModelBuilder`: making, asking, editing, pickling, printing |
//! | `functions/` | one declaration a function, with its documentation |
//! | `call` | the one entry that they share: arguments, the algorithm for one state or many, results |
//! | `arrays`, `check`, `numbers`, `results` | NumPy arrays in and out; numbers that are none; small arrays; named results |
//! | `direct` | the numbers of arrays for short calls; the only module with `unsafe` |
//! | `scene`, `scratch`, `errors` | wrenches and gravity; memory; exceptions |

mod arrays;
mod builder;
mod call;
mod check;
mod direct;
mod errors;
mod functions;
mod model;
mod numbers;
mod results;
mod scene;
mod scratch;

use pyo3::prelude::*;

/// The compiled part of dtau. Import `dtau` instead.
#[pymodule(gil_used = false)]
mod _dtau {
    #[pymodule_export]
    use crate::builder::PyModelBuilder;
    #[pymodule_export]
    use crate::functions::derivatives::{
        bias_derivatives, fd_derivatives, gravity_derivatives, id_derivatives, inertial_derivatives,
    };
    #[pymodule_export]
    use crate::functions::dynamics::{
        aba, bias, coriolis, crba, energy, gravity, mass_solve, mass_times, minverse, rnea,
    };
    #[pymodule_export]
    use crate::functions::kinematics::{
        forward_kinematics, frame_jacobian, frame_jacobian_rate, kinematic_derivatives,
    };
    #[pymodule_export]
    use crate::functions::products::{fd_jvp, fd_vjp, id_jvp, id_vjp};
    #[pymodule_export]
    use crate::functions::whole::{centroidal, centroidal_derivatives, com, com_jacobian, com_velocity_derivatives};
    #[pymodule_export]
    use crate::model::make::{generate_random, generate_tree, names_of_bundled, urdf_of_bundled};
    #[pymodule_export]
    use crate::model::{PyBody, PyFrame, PyJoint, PyLimits, PyMimic, PyModel, unpickle_model};
    #[pymodule_export]
    use crate::scene::{PyWrench, unpickle_wrench};
    #[pymodule_export]
    use crate::scratch::PyWorkspace;
}
