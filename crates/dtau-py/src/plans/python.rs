//! Python functions to make and run plans.

use super::xla::{self, Handler};
use super::{Plan, Planned, Surroundings, run};
use crate::arrays::MOST;
use crate::call::threads;
use crate::errors::OrRaise;
use crate::functions;
use crate::model::PyModel;
use crate::numbers::triple;
use crate::scene::PyWrench;
use dtau::{Parameter, Parameters};
use numpy::ndarray::Dimension;
use numpy::{Element, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

/// Shape of a result, and the number of its trailing axes that are reversed in memory.
type ShapeInMemory = (Vec<usize>, usize);

/// Keeps a function with its parameters and surroundings under a number. Returns the length of every input
/// array for one state, and the shapes of the results.
#[pyfunction(name = "_plan")]
#[pyo3(signature = (number, model, name, parameters, *, gravity, damping, friction, armature, wrenches, threads, strict))]
#[allow(clippy::too_many_arguments)] // the arguments of a call
pub(crate) fn plan(
    number: i64,
    model: &Bound<'_, PyModel>,
    name: &str,
    parameters: &Bound<'_, PyDict>,
    gravity: Option<&Bound<'_, PyAny>>,
    damping: bool,
    friction: bool,
    armature: bool,
    wrenches: Vec<Bound<'_, PyWrench>>,
    threads: &Bound<'_, PyAny>,
    strict: bool,
) -> PyResult<(Vec<usize>, Vec<ShapeInMemory>)> {
    let threads = self::threads(threads.as_borrowed())?;
    let function = functions::with_parameters(model.get(), name, Some(parameters))?;
    let &[function] = &function[..] else {
        return Err(PyTypeError::new_err(format!("`frame` of {name} must be one frame here")));
    };
    let declaration = function.declaration();
    if declaration.parameters.contains(&Parameter::Constraints) {
        return Err(PyTypeError::new_err(format!("{name} takes constraints, and cannot be called so")));
    }
    let wrenches = || wrenches.iter().map(Bound::get).enumerate();
    let plan = Plan {
        model: model.clone().unbind(),
        function,
        normalise: dtau::function("normalise").or_raise()?.with(&Parameters::default()).or_raise()?,
        surroundings: Surroundings {
            gravity: gravity.map(|gravity| triple("gravity", gravity)).transpose()?,
            damping,
            friction,
            armature,
            wrenches: wrenches().map(|(k, wrench)| wrench.of_states(k, model.get())).collect::<PyResult<_>>()?,
            wrenches_single: wrenches().map(|(k, wrench)| wrench.of_states(k, model.get())).collect::<PyResult<_>>()?,
        },
        threads,
        strict,
    };
    let shapes = plan.shapes().map(|shape| (shape.axes(&[]).slice().to_vec(), shape.turned())).collect();
    let lengths = plan.input_lengths().collect();
    plan.keep(number);
    Ok((lengths, shapes))
}

/// Computes a plan on contiguous arrays of one precision.
#[pyfunction(name = "_run")]
pub(crate) fn run_plan(number: i64, x: Vec<Bound<'_, PyAny>>, y: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
    if x.len() > MOST + 1 || y.len() > MOST {
        return Err(PyValueError::new_err("these are too many arrays"));
    }
    match y.first().map(|y| y.cast::<PyArrayDyn<f32>>().is_ok()) {
        Some(true) => run_arrays::<f32>(number, &x, &y),
        _ => run_arrays::<f64>(number, &x, &y),
    }
}

fn run_arrays<F: Planned + Element>(number: i64, x: &[Bound<'_, PyAny>], y: &[Bound<'_, PyAny>]) -> PyResult<()> {
    let Some(py) = y.first().map(Bound::py) else { return Err(PyValueError::new_err("there is nothing to write to")) };
    let x = x.iter().map(|x| Ok(x.cast::<PyArrayDyn<F>>()?.try_readonly()?)).collect::<PyResult<Vec<_>>>()?;
    let mut y = y.iter().map(|y| Ok(y.cast::<PyArrayDyn<F>>()?.try_readwrite()?)).collect::<PyResult<Vec<_>>>()?;
    let x = x.iter().map(|x| Ok(x.as_slice()?)).collect::<PyResult<Vec<_>>>()?;
    let mut y = y.iter_mut().map(|y| Ok(y.as_slice_mut()?)).collect::<PyResult<Vec<_>>>()?;
    py.detach(|| run(number, &x, &mut y)).map_err(PyValueError::new_err)
}

/// Returns the function that XLA calls, in the form that `jax.ffi.register_ffi_target` takes.
#[pyfunction(name = "_xla_handler")]
pub(crate) fn xla_handler(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    xla::capsule(py, xla::handle as Handler)
}

/// Returns the sizes and field offsets of XLA's structs, for comparison with its header.
#[pyfunction(name = "_xla_layout")]
pub(crate) fn xla_layout() -> Vec<(&'static str, usize)> {
    xla::layout()
}
