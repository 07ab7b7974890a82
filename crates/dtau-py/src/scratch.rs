//! Scratch memory: what a call borrows from the model's pool, or from a `Workspace` that the caller keeps.

use crate::check::Looked;
use crate::errors::OrRaise;
use crate::model::PyModel;
use dtau::model::Model;
use dtau::{Batch, BatchScalar, Workspace};
use numpy::Element;
use pyo3::Borrowed;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The engines of a call: for one state, and for many, which are made when they are needed.
pub(crate) struct Scratch {
    pub(crate) one: Workspace,
    many: KeptBatch<f64>,
    many_single: KeptBatch<f32>,
}

/// The precisions that arrays may have.
pub(crate) trait Number: BatchScalar + Element + Looked {
    /// The batch engine of this precision.
    fn batch(scratch: &mut Scratch) -> &mut KeptBatch<Self>;
}

impl Number for f64 {
    fn batch(scratch: &mut Scratch) -> &mut KeptBatch<f64> {
        &mut scratch.many
    }
}

impl Number for f32 {
    fn batch(scratch: &mut Scratch) -> &mut KeptBatch<f32> {
        &mut scratch.many_single
    }
}

/// The batch engine that served last, for the next call with as many threads.
pub(crate) struct KeptBatch<F: BatchScalar>(Option<Kept<F>>);

struct Kept<F: BatchScalar> {
    threads: usize,
    /// Threads do not survive a fork; an engine of the parent process would wait for them for ever.
    process: u32,
    batch: Batch<F>,
}

impl<F: BatchScalar> KeptBatch<F> {
    pub(crate) fn of(&mut self, model: &Model, threads: usize) -> PyResult<&mut Batch<F>> {
        let process = std::process::id();
        if let Some(kept) = self.0.take_if(|kept| kept.process != process) {
            std::mem::forget(kept); // after a fork: dropping would join threads that only the parent has
        }
        if self.0.as_ref().is_none_or(|kept| kept.threads != threads) {
            let batch = Batch::with_threads(model, threads).or_raise()?;
            self.0 = Some(Kept { threads, process, batch });
        }
        Ok(&mut self.0.as_mut().expect("it was made").batch)
    }
}

impl Scratch {
    pub(crate) fn new(model: &Model) -> PyResult<Self> {
        Ok(Self { one: Workspace::try_new(model).or_raise()?, many: KeptBatch(None), many_single: KeptBatch(None) })
    }
}

/// Scratch that is not in use. Calls at the same time take one each, and it grows to as many as there were.
///
/// In boxes, because it is large and is moved in and out for every call.
#[derive(Default)]
#[allow(clippy::vec_box)]
pub(crate) struct Pool(Mutex<Vec<Box<Scratch>>>);

impl Pool {
    #[allow(clippy::vec_box)]
    fn idle(&self) -> MutexGuard<'_, Vec<Box<Scratch>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner) // a panic elsewhere cannot leave the vector half-written
    }

    /// Runs with scratch for the model. After a panic its scratch is dropped.
    pub(crate) fn with<R>(&self, model: &Model, work: impl FnOnce(&mut Scratch) -> PyResult<R>) -> PyResult<R> {
        let idle = self.idle().pop();
        let mut scratch = idle.map_or_else(|| Scratch::new(model).map(Box::new), Ok)?;
        let result = work(&mut scratch);
        self.idle().push(scratch);
        result
    }
}

/// Scratch memory for a model, for loops that must not allocate.
///
/// Every function takes one as ``workspace=``; together with ``out=`` a call then allocates nothing. Without it a call
/// borrows scratch that the model keeps, so that a workspace is worth having only where the last allocation counts. One
/// thread uses it at a time; make one a thread.
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
        let scratch = Box::new(Scratch::new(&model.get().model)?);
        Ok(Self { model, scratch })
    }

    /// The model it was made for.
    #[getter]
    fn model(&self, py: Python<'_>) -> Py<PyModel> {
        self.model.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        format!("<dtau.Workspace of \"{}\">", self.model.get().model.name())
    }
}

/// Runs with the caller's workspace, or with scratch from the model's pool.
pub(crate) fn with_scratch<R>(
    model: &PyModel,
    workspace: Option<Borrowed<'_, '_, PyWorkspace>>,
    work: impl FnOnce(&mut Scratch) -> PyResult<R>,
) -> PyResult<R> {
    let Some(workspace) = workspace else { return model.pool.with(&model.model, work) };
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
