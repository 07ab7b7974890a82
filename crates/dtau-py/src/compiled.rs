//! `model.compiled`: the library's functions in code generated for one robot.
//!
//! They are methods of `Compiled`, made from the library's list like the module's functions
//! (`functions::add_methods`). Calls use the common path (`call`) with another engine.

use crate::arrays::{Given, describe};
use crate::constraints::PyConstraints;
use crate::errors::exception;
use crate::functions;
use crate::model::PyModel;
use crate::scratch::Pool;
use dtau::model::Model;
use dtau::{Code, Constraints, Function, Parameter};
use dtau_generate::load::{self, Build};
use pyo3::exceptions::{PyNotImplementedError, PyOSError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Time between two checks for a Python interrupt during a compilation.
const LOOK: Duration = Duration::from_millis(50);

/// The functions of dtau in code that was generated and compiled for one model. Made by
/// :meth:`Model.compiled`.
///
/// It has every function of :mod:`dtau`, without the model: ``fast.rnea(q, v, a)`` is ``dtau.rnea(model, q,
/// v, a)``. The library computes functions that were not compiled, and calls that compiled code does not
/// support (``f_ext``, ``float32``, a joint effect switched off, gravity along another axis). :meth:`covers`
/// tells. Results equal those of the library except for the last digits.
#[pyclass(name = "Compiled", module = "dtau", frozen, weakref)]
pub(crate) struct PyCompiled {
    pub(crate) model: Py<PyModel>,
    pub(crate) code: Code,
    /// Unique number in this process. 0 means no code.
    pub(crate) number: usize,
    pub(crate) pool: Pool,
    /// Requested functions: names, or names with parameters.
    functions: Py<PyTuple>,
}

#[pymethods]
impl PyCompiled {
    /// Model that it was compiled for.
    #[getter]
    fn model(&self, py: Python<'_>) -> Py<PyModel> {
        self.model.clone_ref(py)
    }

    /// True if a function was compiled for these parameters.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     The function.
    /// frame, reference, way, constraints
    ///     Same as for the function. Without constraints: true if it was compiled for any set.
    #[pyo3(signature = (name, **parameters))]
    fn covers(&self, name: &str, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<bool> {
        if !parameters.map(|all| all.contains("constraints")).transpose()?.unwrap_or(false) {
            let all = functions::with_parameters(self.model.get(), name, parameters)?;
            return Ok(all.iter().all(|function| self.code.covers(function)));
        }
        let all = asked_for(self.model.get(), name, parameters)?;
        Ok(all.iter().all(|(function, set)| match set {
            Some(set) => self.code.covers_under(set, function),
            None => self.code.covers(function),
        }))
    }

    fn __repr__(&self) -> String {
        let mut names: Vec<&str> = self.code.functions().map(|function| function.declaration().name).collect();
        names.dedup();
        format!("<dtau.Compiled of \"{}\": {}>", self.model.get().model.name(), names.join(", "))
    }

    /// Another process compiles the code again, or finds it in the cache.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("dtau._dtau")?.getattr("_unpickle_compiled")?;
        Ok((make, (self.model(py), &self.functions).into_pyobject(py)?))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }
}

#[pymethods]
impl PyModel {
    /// Compiles functions of dtau for this robot: generates C, compiles it with this machine's C compiler,
    /// and loads it.
    ///
    /// Compiling takes seconds for an arm and minutes for a humanoid's derivatives, but only once. Compiled
    /// code is cached in ``$DTAU_CACHE``, ``$XDG_CACHE_HOME/dtau`` or ``~/.cache/dtau``. It also serves
    /// robots that differ from this one only in numbers that are not 0 or ±1.
    ///
    /// Parameters
    /// ----------
    /// functions : str, or an iterable of names or of (name, parameters)
    ///     Functions to compile, such as ``"rnea"``
    ///     or ``("frame_jacobian", {"frame": "tool", "reference": "local"})``. For a list of frames, each one
    ///     is compiled. Functions of constraints are compiled for one set:
    ///     ``("constrained_fd", {"constraints": feet})``. Another set is compiled again.
    /// compiler : str, optional
    ///     C compiler. Default: ``$CC``, or the first available of cc, gcc and clang.
    /// cache : path, optional
    ///     Cache folder.
    ///
    /// Returns
    /// -------
    /// dtau.Compiled
    ///
    /// Examples
    /// --------
    /// >>> import dtau, numpy as np
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> fast = model.compiled(["rnea", ("frame_jacobian", {"frame": "tool0"})])
    /// >>> q, v, a = model.neutral(), np.ones(6), np.ones(6)
    /// >>> np.allclose(fast.rnea(q, v, a), dtau.rnea(model, q, v, a), rtol=1e-9)
    /// True
    /// >>> fast.frame_jacobian(model.random(0, 1000), "tool0").shape
    /// (1000, 6, 6)
    #[pyo3(signature = (functions, *, compiler=None, cache=None))]
    fn compiled<'py>(
        slf: &Bound<'py, Self>,
        functions: &Bound<'py, PyAny>,
        compiler: Option<String>,
        cache: Option<PathBuf>,
    ) -> PyResult<PyCompiled> {
        let py = slf.py();
        let (asked, requests) = read(slf.get(), functions)?;
        let code = compile(py, slf.get(), requests, Build { compiler, cache, ..Build::default() })?;
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let (number, model) = (1 + NUMBER.fetch_add(1, Relaxed), slf.clone().unbind());
        Ok(PyCompiled { model, code, number, pool: Pool::default(), functions: asked.unbind() })
    }
}

/// Reads the requested functions. Returns them as given (to request the same again) and as library functions.
fn read<'py>(model: &PyModel, given: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyTuple>, Vec<Asked>)> {
    let py = given.py();
    let items = match given.cast::<PyString>() {
        Ok(_) => vec![given.clone()],
        Err(_) => given.try_iter().map_err(|_| wrong("functions", given.as_borrowed()))?.collect::<PyResult<_>>()?,
    };
    let (mut asked, mut functions) = (Vec::new(), Vec::new());
    for (k, item) in items.iter().enumerate() {
        let (name, parameters) = match (item.cast::<PyString>(), item.extract::<(String, Bound<'py, PyDict>)>()) {
            (Ok(name), _) => (name.to_str()?.to_owned(), None),
            (_, Ok((name, parameters))) => (name, Some(parameters)),
            _ => return Err(wrong(&format!("functions[{k}]"), item.as_borrowed())),
        };
        functions.extend(asked_for(model, &name, parameters.as_ref())?);
        asked.push(match parameters {
            None => item.clone(),
            Some(parameters) => (name, by_name(&parameters)?).into_pyobject(py)?.into_any(),
        });
    }
    Ok((PyTuple::new(py, asked)?, functions))
}

/// Function with its parameters, and its constraints if it acts on some.
type Asked = (Function, Option<Constraints>);

/// Returns a function by its name and parameters. If several frames are given, returns several.
fn asked_for(model: &PyModel, name: &str, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<Asked>> {
    let declaration = dtau::function(name).map_err(|error| exception(&error))?;
    if !declaration.parameters.contains(&Parameter::Constraints) {
        return Ok(functions::with_parameters(model, name, parameters)?.into_iter().map(|f| (f, None)).collect());
    }
    let given = parameters.map(|all| all.get_item("constraints")).transpose()?.flatten();
    let Some(given) = given else {
        return Err(PyTypeError::new_err(format!(
            "{name} is compiled for constraints; name them, as in (\"{name}\", {{\"constraints\": feet}})"
        )));
    };
    let Ok(set) = given.cast::<PyConstraints>() else {
        let got = describe(&given.as_borrowed());
        return Err(PyTypeError::new_err(format!("`constraints` of {name} is {got}; it must be a dtau.Constraints")));
    };
    let set = &set.get().set;
    let rest = parameters.map(|all| all.copy()).transpose()?;
    if let Some(rest) = &rest {
        rest.del_item("constraints")?;
    }
    let all = functions::with_parameters(model, name, rest.as_ref())?;
    Ok(all.into_iter().map(|function| (function, Some(set.clone()))).collect())
}

/// Replaces frames and joints in parameters by their names, because other processes do not have the objects.
fn by_name<'py>(parameters: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let by_name = parameters.copy()?;
    if let Some(frame) = parameters.get_item("frame")? {
        let name = |frame: &Bound<'py, PyAny>| crate::frames::GivenFrame::new("frame", frame.as_borrowed());
        if frame.is_instance_of::<PyList>() || frame.is_instance_of::<PyTuple>() {
            let names = frame.try_iter()?.map(|frame| Ok(name(&frame?)?.name)).collect::<PyResult<Vec<_>>>()?;
            by_name.set_item("frame", names)?;
        } else {
            by_name.set_item("frame", name(&frame)?.name)?;
        }
    }
    Ok(by_name)
}

#[cold]
fn wrong(name: &str, given: Given<'_, '_>) -> PyErr {
    let got = describe(&given);
    PyTypeError::new_err(format!(
        "`{name}` is {got}; it must be the name of a function, or a name with parameters as in (\"frame_jacobian\", {{\"frame\": \
         \"tool\"}}){}",
        if name == "functions" { ", or a list of such" } else { "" }
    ))
}

/// Compiles on a separate thread, so that Python can interrupt. An interrupted compilation continues and
/// fills the cache.
fn compile(py: Python<'_>, model: &PyModel, functions: Vec<Asked>, build: Build) -> PyResult<Code> {
    let model = model.model.clone();
    let work = std::thread::spawn(move || code(&model, &functions, &build));
    let mut pause = Duration::from_millis(1);
    while !work.is_finished() {
        py.detach(|| std::thread::sleep(pause));
        py.check_signals()?;
        pause = (2 * pause).min(LOOK);
    }
    match work.join() {
        Ok(code) => code.map_err(|error| raised(&error)),
        Err(_) => Err(PyRuntimeError::new_err("compiling panicked; its message is on standard error")),
    }
}

/// Returns code of functions of the robot, and of each set of constraints.
fn code(model: &Model, asked: &[Asked], build: &Build) -> Result<Code, load::Error> {
    let of = |set: Option<&Constraints>| -> Vec<Function> {
        let is_of = |other: &Option<Constraints>| match (set, other) {
            (Some(set), Some(other)) => set.is(other),
            (None, None) => true,
            _ => false,
        };
        asked.iter().filter(|(_, other)| is_of(other)).map(|(function, _)| *function).collect()
    };
    let mut sets: Vec<&Constraints> = Vec::new();
    for set in asked.iter().filter_map(|(_, set)| set.as_ref()) {
        if !sets.iter().any(|other| other.is(set)) {
            sets.push(set);
        }
    }
    sets.iter().try_fold(load::code(model, &of(None), build)?, |code, &set| {
        Ok(code.and(&load::code(set, &of(Some(set)), build)?)?)
    })
}

fn raised(error: &load::Error) -> PyErr {
    match error {
        load::Error::Function(error) => exception(error),
        load::Error::TooLarge(message) => PyNotImplementedError::new_err(message.clone()),
        load::Error::Files(message) => PyOSError::new_err(message.clone()),
        other => PyRuntimeError::new_err(other.to_string()),
    }
}

/// Restores compiled functions from the output of `Compiled.__reduce__`.
#[pyfunction(name = "_unpickle_compiled")]
pub(crate) fn unpickle_compiled<'py>(
    model: &Bound<'py, PyModel>,
    functions: &Bound<'py, PyAny>,
) -> PyResult<PyCompiled> {
    PyModel::compiled(model, functions, None, None)
}
