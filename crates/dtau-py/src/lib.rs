//! The Python package `dtau`: thin wrappers of the library, called from `python/dtau`.
//!
//! | module | content |
//! | --- | --- |
//! | `model/`, `builder` | `Model`, `ModelBuilder`: making, asking, editing, pickling, printing |
//! | `functions`, `text` | the functions of the library's list, with signatures and documentation from it |
//! | `call` | their common path: arguments, the function for one state or many, results |
//! | `arrays`, `check`, `numbers`, `results` | NumPy arrays in and out; NaN checks; small arrays; named results |
//! | `constraints` | `Constraints`: contacts, closed loops, coupled joints |
//! | `closing` | configurations and velocities that satisfy them, a simulation step |
//! | `frames` | frames by name or handle, several at once |
//! | `compiled` | `model.compiled`: the same functions as generated code |
//! | `direct` | direct array access for short calls, Python's call interface; with `unsafe` |
//! | `parameters` | inertial parameters of links: physical consistency, identifiability |
//! | `plans/` | prepared calls, made by number without Python: for XLA (`xla`, with `unsafe`) and PyTorch |
//! | `scene`, `scratch`, `warm`, `errors` | wrenches and gravity; scratch memory; memory of large results; exceptions |
//! | `command` | the command `dtau` |

mod arrays;
mod builder;
mod call;
mod check;
mod closing;
mod command;
mod compiled;
mod constraints;
mod direct;
mod errors;
mod frames;
mod functions;
mod model;
mod numbers;
mod parameters;
mod plans;
mod results;
mod scene;
mod scratch;
mod text;
mod warm;

use pyo3::prelude::*;

/// Compiled part of dtau. Import `dtau` instead.
#[pymodule(gil_used = false)]
mod _dtau {
    #[pymodule_export]
    use crate::builder::PyModelBuilder;
    #[pymodule_export]
    use crate::closing::{assemble, constrained_step, freedom, project_velocity};
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::compiled::{PyCompiled, unpickle_compiled};
    #[pymodule_export]
    use crate::constraints::{PyConstraint, PyConstraints, PyFrameOf, PyJointsOf, PyPointOf, unpickle_constraints};
    #[pymodule_export]
    use crate::model::make::{generate_random, generate_tree, names_of_bundled, urdf_of_bundled};
    #[pymodule_export]
    use crate::model::{PyBody, PyFrame, PyJoint, PyLimits, PyMimic, PyModel, unpickle_model};
    #[pymodule_export]
    use crate::parameters::{
        PyBaseParameters, from_log_cholesky, from_pseudo_inertia, log_cholesky, log_cholesky_derivative, pseudo_inertia,
    };
    #[pymodule_export]
    use crate::plans::python::{plan, run_plan, xla_handler, xla_layout};
    #[pymodule_export]
    use crate::scene::{PyWrench, unpickle_wrench};
    #[pymodule_export]
    use crate::scratch::PyWorkspace;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::functions::add(module)?;
        let py = module.py();
        crate::functions::add_methods(&py.get_type::<PyCompiled>(), ", by compiled code where there is some", &[])?;
        crate::functions::add_methods(&py.get_type::<PyModel>(), "", crate::model::space::METHODS)?;
        let names: Vec<String> = module.index()?.extract()?;
        let public: Vec<String> = names.into_iter().filter(|name| !name.starts_with('_')).collect();
        module.setattr("__all__", public)
    }
}
