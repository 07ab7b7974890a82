//! Scratch memory of a call: from the model's pool, or from the caller's `Workspace`.

use crate::check::Looked;
use crate::compiled::PyCompiled;
use crate::errors::OrRaise;
use crate::model::PyModel;
use dtau::model::Model;
use dtau::{Batch, BatchScalar, Compiled, Error, Function, Scene, Workspace};
use numpy::Element;
use pyo3::Borrowed;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Engines of a call: for one state, for many, and for compiled code. The last two are made when needed.
pub(crate) struct Scratch {
    one: Workspace,
    many: Kept<Batch<f64>>,
    many_single: Kept<Batch<f32>>,
    compiled: Kept<Compiled>,
    /// Configurations with normalised quaternions, in either precision.
    pub(crate) unit: Vec<f64>,
    pub(crate) unit_single: Vec<f32>,
}

/// Engine of a call on many states.
pub(crate) enum Many<'a, F: BatchScalar> {
    Library(&'a mut Batch<F>),
    Compiled(&'a mut Compiled<F>),
}

impl<F: BatchScalar> Many<'_, F> {
    pub(crate) fn threads(&self) -> usize {
        match self {
            Many::Library(batch) => batch.threads(),
            Many::Compiled(compiled) => compiled.threads(),
        }
    }

    pub(crate) fn call(
        &mut self,
        function: Function,
        scene: Scene<'_, F>,
        x: &[&[F]],
        y: &mut [&mut [F]],
    ) -> Result<(), Error> {
        match self {
            Many::Library(batch) => function.call(scene, *batch, x, y),
            Many::Compiled(compiled) => function.call(scene, *compiled, x, y),
        }
    }
}

/// Precisions that arrays may have.
pub(crate) trait Number: BatchScalar + Element + Looked {
    /// Returns the engine of this precision. Compiled code exists for one precision only.
    fn many<'a>(
        scratch: &'a mut Scratch,
        model: &Model,
        code: Option<&PyCompiled>,
        threads: usize,
    ) -> Result<Many<'a, Self>, Error>;
}

impl Number for f64 {
    fn many<'a>(
        scratch: &'a mut Scratch,
        model: &Model,
        code: Option<&PyCompiled>,
        threads: usize,
    ) -> Result<Many<'a, f64>, Error> {
        match code {
            None => scratch.many.of(0, threads, || Batch::with_threads(model, threads)).map(Many::Library),
            Some(code) => {
                let make = || Compiled::with_threads(model, &code.code, threads);
                scratch.compiled.of(code.number, threads, make).map(Many::Compiled)
            }
        }
    }
}

impl Number for f32 {
    fn many<'a>(
        scratch: &'a mut Scratch,
        model: &Model,
        _: Option<&PyCompiled>,
        threads: usize,
    ) -> Result<Many<'a, f32>, Error> {
        scratch.many_single.of(0, threads, || Batch::with_threads(model, threads)).map(Many::Library)
    }
}

/// The last engine, kept for the next call with the same code and number of threads.
struct Kept<E>(Option<Engine<E>>);

struct Engine<E> {
    code: usize,
    threads: usize,
    /// Process id. Threads do not survive a fork, so an engine of the parent process would wait for them forever.
    process: u32,
    engine: E,
}

impl<E> Kept<E> {
    fn of(&mut self, code: usize, threads: usize, make: impl FnOnce() -> Result<E, Error>) -> Result<&mut E, Error> {
        let process = std::process::id();
        if let Some(kept) = self.0.take_if(|kept| kept.process != process) {
            std::mem::forget(kept); // after a fork: dropping would join threads that exist only in the parent
        }
        if self.0.as_ref().is_none_or(|kept| (kept.code, kept.threads) != (code, threads)) {
            let engine = make()?;
            self.0 = Some(Engine { code, threads, process, engine });
        }
        Ok(&mut self.0.as_mut().expect("it was made").engine)
    }
}

impl Scratch {
    pub(crate) fn new(model: &Model) -> Result<Self, Error> {
        let one = Workspace::try_new(model)?;
        let (unit, unit_single) = (Vec::new(), Vec::new());
        Ok(Self { one, many: Kept(None), many_single: Kept(None), compiled: Kept(None), unit, unit_single })
    }

    /// Calls a function on one state, by compiled code if available.
    #[inline(always)]
    pub(crate) fn call_one(
        &mut self,
        code: Option<&PyCompiled>,
        function: Function,
        scene: Scene<'_, f64>,
        x: &[&[f64]],
        y: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        match code {
            None => function.call(scene, &mut self.one, x, y),
            Some(code) => self.call_compiled(code, function, scene, x, y),
        }
    }

    #[inline(never)]
    fn call_compiled(
        &mut self,
        code: &PyCompiled,
        function: Function,
        scene: Scene<'_, f64>,
        x: &[&[f64]],
        y: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        // One state uses no threads, so an engine with any number of threads will do.
        let compiled = match &mut self.compiled.0 {
            Some(kept) if kept.code == code.number => &mut kept.engine,
            other => {
                let engine = Compiled::new(scene.model, &code.code)?;
                let process = std::process::id();
                if let Some(old) = other.take_if(|kept| kept.process != process) {
                    std::mem::forget(old);
                }
                &mut other.insert(Engine { code: code.number, threads: 1, process, engine }).engine
            }
        };
        function.call(scene, compiled, x, y)
    }
}

/// Pool of unused scratch. Concurrent calls take one each, so it grows to the largest number of concurrent calls.
///
/// Boxed, because it is large and is moved for every call.
#[derive(Default)]
#[allow(clippy::vec_box)]
pub(crate) struct Pool(Mutex<Vec<Box<Scratch>>>);

impl Pool {
    #[allow(clippy::vec_box)]
    fn idle(&self) -> MutexGuard<'_, Vec<Box<Scratch>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner) // a panic elsewhere cannot leave the vector half-written
    }

    /// Takes scratch for the model, to be returned later.
    pub(crate) fn take(&self, model: &Model) -> Result<Box<Scratch>, Error> {
        let idle = self.idle().pop();
        idle.map_or_else(|| Scratch::new(model).map(Box::new), Ok)
    }

    pub(crate) fn put(&self, scratch: Box<Scratch>) {
        self.idle().push(scratch);
    }

    /// Runs `work` with scratch for the model. After a panic, the scratch is dropped.
    pub(crate) fn with<R>(&self, model: &Model, work: impl FnOnce(&mut Scratch) -> PyResult<R>) -> PyResult<R> {
        let mut scratch = self.take(model).or_raise()?;
        let result = work(&mut scratch);
        self.put(scratch);
        result
    }
}

/// Scratch memory for a model, for loops that must not allocate.
///
/// Every function accepts one as ``workspace=``. Together with ``out=``, a call then does not allocate.
/// Without it, a call borrows scratch from the model, so a workspace is rarely needed. A workspace can be
/// used by one thread at a time; make one for each thread.
///
/// >>> import dtau, numpy as np
/// >>> model = dtau.Model.bundled("arm6")
/// >>> workspace, tau = dtau.Workspace(model), np.empty(model.nv)
/// >>> q, v, a = model.neutral(), np.zeros(model.nv), np.zeros(model.nv)
/// >>> dtau.rnea(model, q, v, a, workspace=workspace, out=tau) is tau
/// True
#[pyclass(name = "Workspace", module = "dtau")]
pub(crate) struct PyWorkspace {
    model: Py<PyModel>,
    scratch: Box<Scratch>,
}

#[pymethods]
impl PyWorkspace {
    #[new]
    fn new(model: Py<PyModel>) -> PyResult<Self> {
        let scratch = Box::new(Scratch::new(&model.get().model).or_raise()?);
        Ok(Self { model, scratch })
    }

    /// Model that it was made for.
    #[getter]
    fn model(&self, py: Python<'_>) -> Py<PyModel> {
        self.model.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        format!("<dtau.Workspace of \"{}\">", self.model.get().model.name())
    }
}

/// Runs `work` with the caller's workspace, or with scratch from the pool of the code or of the model.
pub(crate) fn with_scratch<R>(
    model: &PyModel,
    code: Option<&PyCompiled>,
    workspace: Option<Borrowed<'_, '_, PyWorkspace>>,
    work: impl FnOnce(&mut Scratch) -> PyResult<R>,
) -> PyResult<R> {
    let pool = code.map_or(&model.pool, |code| &code.pool);
    let Some(workspace) = workspace else { return pool.with(&model.model, work) };
    let Ok(mut workspace) = workspace.try_borrow_mut() else {
        return Err(PyRuntimeError::new_err(
            "`workspace` is in use by another thread; make one dtau.Workspace a thread",
        ));
    };
    let theirs = &workspace.model.get().model;
    if !std::ptr::eq(theirs.tree(), model.model.tree()) {
        let (theirs, ours) = (theirs.name(), model.model.name());
        let message = format!(
            "`workspace` was made for model \"{theirs}\", not for this model \"{ours}\"; make one with dtau.Workspace(model)"
        );
        return Err(PyValueError::new_err(message));
    }
    work(&mut workspace.scratch)
}
