//! The common path of every function: arguments to slices, the library function, results to arrays.
//!
//! A single state of `float64` uses a [`Workspace`](dtau::Workspace). Several states go to the batch engine
//! in parts of a few milliseconds, so that Python can interrupt in between. The results of a batch do not
//! depend on how it is split.

use crate::arrays::{self, Few, Given, Input, Numbers, OutName, Output, Precision, Rows, Shape};
use crate::check;
use crate::compiled::PyCompiled;
use crate::direct::{self, Borrowing};
use crate::errors::{OrRaise, exception, with_message};
use crate::model::PyModel;
use crate::results::Results;
use crate::scene::Surroundings;
use crate::scratch::{Number, PyWorkspace, with_scratch};
use dtau::model::Model;
use dtau::{Declaration, Error, Function, Scene};
use numpy::{Element, PyArray1, PyArrayDyn};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;
use std::mem;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Number of degrees of freedom from which a single state releases Python's lock. Below it, releasing takes
/// longer than the call.
const RELEASE_FROM_NV: usize = 64;

const PLAIN: &str = "it was made or checked to be contiguous";

/// Limit of threads. Larger numbers are mistakes.
const MOST_THREADS: usize = 1024;

/// Library function with its parameters, and the names of its results in Python.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) function: Function,
    pub(crate) declaration: &'static Declaration,
    pub(crate) results: &'a Results,
}

impl Task<'_> {
    fn inputs(&self, model: &Model, rows: usize) -> Vec<Input> {
        self.declaration.inputs.iter().map(|arg| Input::new(arg, model, rows)).collect()
    }

    #[inline(always)]
    fn shapes(&self, model: &Model, rows: usize) -> impl Iterator<Item = Shape> {
        self.declaration.outputs.iter().map(move |arg| Shape::new(arg.size, model, rows))
    }
}

/// Arguments of a call other than its arrays.
pub(crate) struct Call<'a, 'py> {
    pub(crate) model: Borrowed<'a, 'py, PyModel>,
    pub(crate) surroundings: Surroundings<'a, 'py>,
    pub(crate) threads: usize,
    pub(crate) workspace: Option<Borrowed<'a, 'py, PyWorkspace>>,
    /// Compiled code that replaces the library if it covers the call.
    pub(crate) code: Option<&'a PyCompiled>,
}

impl<'a, 'py> Call<'a, 'py> {
    /// Call with defaults.
    pub(crate) fn new(model: Borrowed<'a, 'py, PyModel>) -> Self {
        Self { model, surroundings: Surroundings::default(), threads: 1, workspace: None, code: None }
    }

    /// Runs a function and returns its results in the form that the caller wants.
    pub(crate) fn give(
        &self,
        task: Task<'_>,
        x: &[Given<'_, 'py>],
        out: Option<Given<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let out = out.as_deref();
        if let Some(done) = self.at_once(task, x, out) {
            return done;
        }
        let arrays = self.run(task, x, task.results.split(out)?)?;
        out.map_or_else(|| task.results.give(self.model.py(), arrays), |out| Ok(out.clone()))
    }

    /// Fast path for control loops: one small state, contiguous `float64` arrays everywhere, and no call
    /// running without the lock. Returns `None` and does nothing otherwise.
    #[inline(always)]
    fn at_once(
        &self,
        task: Task<'_>,
        x: &[Given<'_, 'py>],
        out: Option<&Bound<'py, PyAny>>,
    ) -> Option<PyResult<Bound<'py, PyAny>>> {
        let (py, model, rows) = (self.model.py(), &self.model.get().model, self.surroundings.rows());
        if !direct::POSSIBLE || self.releases() || !self.surroundings.are_plain() {
            return None;
        }
        let plain = arrays::plain_rows(task.declaration.inputs, model, rows, x)?;
        let plain = plain.iter().map(|x| &**x);
        let compute =
            |x: &[&[f64]], y: &mut [&mut [f64]]| self.compute_one(task, self.surroundings.scene(model, &[])?, x, y);
        if let Some(out) = out {
            let targets = arrays::plain_targets(task.shapes(model, rows), &task.results.look(out)?)?;
            let done = direct::with(py, plain, targets.iter().map(|y| &**y), compute)?;
            return Some(done.map(|()| out.clone()));
        }
        let fresh = arrays::fresh(py, task.results.count(), task.shapes(model, rows))?;
        let done = direct::with(py, plain, fresh.iter(), compute)?;
        Some(done.and_then(|()| task.results.give(py, fresh)))
    }

    /// True if a single state takes long enough to release Python's lock.
    #[inline]
    fn releases(&self) -> bool {
        self.model.get().model.nv() >= RELEASE_FROM_NV
    }

    /// Checks the numbers of a single state, then computes.
    #[inline(always)]
    fn compute_one(&self, task: Task<'_>, scene: Scene<'_, f64>, x: &[&[f64]], y: &mut [&mut [f64]]) -> PyResult<()> {
        let shared = self.model.get();
        for (arg, x) in task.declaration.inputs.iter().zip(x) {
            check::one(shared, Input::new(arg, &shared.model, self.surroundings.rows()), x)?;
        }
        let code = self.code;
        with_scratch(shared, code, self.workspace, |scratch| {
            let mut run = || scratch.call_one(code, task.function, scene, x, y);
            if self.releases() { self.model.py().detach(run) } else { run() }.or_raise()
        })
    }

    /// Runs a function on arrays of any number of states. `out` may hold an array for each result.
    fn run(
        &self,
        task: Task<'_>,
        x: &[Given<'_, 'py>],
        out: Option<Few<Given<'_, 'py>>>,
    ) -> PyResult<Few<Bound<'py, PyAny>>> {
        let model = &self.model.get().model;
        let length = self.surroundings.rows();
        if let Some(rows) = arrays::plain_rows(task.declaration.inputs, model, length, x) {
            let rows = Few::new(x.len(), |k| Ok::<_, PyErr>(rows[k].to_owned()))?;
            return self.one(task, &rows, out);
        }
        let inputs = task.inputs(model, length);
        let numbers = Few::new(x.len(), |k| Numbers::new(inputs[k], x[k]))?;
        let lead = arrays::lead(&numbers)?;
        match arrays::precision(&numbers) {
            Precision::Double if lead.is_empty() => self.one(task, &arrays::all_rows(&numbers, &lead)?, out),
            Precision::Double => self.many::<f64>(task, &inputs, &numbers, &lead, out),
            Precision::Single => self.many::<f32>(task, &inputs, &numbers, &lead, out),
        }
    }

    fn one(
        &self,
        task: Task<'_>,
        rows: &Few<Rows<'py, f64>>,
        out: Option<Few<Given<'_, 'py>>>,
    ) -> PyResult<Few<Bound<'py, PyAny>>> {
        let (py, shared) = (self.model.py(), self.model.get());
        let outputs = self.prepare(task, &[], out)?;
        let wrenches = self.surroundings.wrenches(shared)?;
        let held = self.surroundings.held(&[])?;
        let scene = held.of(self.surroundings.scene(&shared.model, &wrenches)?, &(0..1));
        let compute = |x: &[&[f64]], y: &mut [&mut [f64]]| self.compute_one(task, scene, x, y);
        let plain = || Few::new(task.results.count(), |k| outputs[k].plain().ok_or(())).ok();
        let plain = if self.releases() { None } else { plain() };
        let done = plain.and_then(|y| direct::with(py, rows.iter(), y.iter().copied(), compute));
        if let Some(result) = done {
            result?;
        } else {
            let _borrowing = Borrowing::begin(py);
            let rows = arrays::borrow(task.declaration.inputs, rows)?;
            let mut memory = Few::new(task.results.count(), |k| outputs[k].borrow())?;
            let x: Vec<_> = rows.iter().map(|x| x.as_slice().expect(PLAIN)).collect();
            let mut y: Vec<_> = memory.iter_mut().map(|y| y.as_slice_mut().expect(PLAIN)).collect();
            compute(&x, &mut y)?;
        }
        finish(outputs)
    }

    fn many<F: Number>(
        &self,
        task: Task<'_>,
        inputs: &[Input],
        numbers: &Few<Numbers<'py>>,
        lead: &[usize],
        out: Option<Few<Given<'_, 'py>>>,
    ) -> PyResult<Few<Bound<'py, PyAny>>> {
        let (py, shared) = (self.model.py(), self.model.get());
        let states = lead.iter().product();
        let rows: Few<Rows<'py, F>> = arrays::all_rows(numbers, lead)?;
        let _borrowing = Borrowing::begin(py);
        let rows = arrays::borrow(task.declaration.inputs, &rows)?;
        let x: Vec<_> = rows.iter().map(|row| row.as_slice().expect(PLAIN)).collect();
        for (input, x) in inputs.iter().zip(&x) {
            check::many(shared, *input, lead, x)?;
        }
        let outputs = self.prepare::<F>(task, lead, out)?;
        let mut memory = Few::new(task.results.count(), |k| outputs[k].borrow())?;
        let mut y: Vec<_> = memory.iter_mut().map(|y| y.as_slice_mut().expect(PLAIN)).collect();
        let external = self.surroundings.external_forces::<F>(shared, lead)?;
        let held = self.surroundings.held::<F>(lead)?;
        let scene = self.surroundings.scene(&shared.model, &external.wrenches)?;
        with_scratch(shared, self.code, self.workspace, |scratch| {
            let mut engine = F::many(scratch, &shared.model, self.code, self.threads).or_raise()?;
            let mut slices = Slices::new(states, engine.threads(), shared.model.nv());
            while let Some(part) = slices.next() {
                let (mut now_x, mut now_y): (Vec<&[F]>, Vec<&mut [F]>) = Default::default();
                for (x, input) in x.iter().zip(inputs.iter()) {
                    now_x.push(&x[part.start * input.length..part.end * input.length]);
                }
                for (y, shape) in y.iter_mut().zip(task.shapes(&shared.model, self.surroundings.rows())) {
                    let (now, later) = mem::take(y).split_at_mut(part.len() * shape.len());
                    now_y.push(now);
                    *y = later;
                }
                let scene = held.of(external.of(scene, &part), &part);
                let started = Instant::now();
                let result = py.detach(|| engine.call(task.function, scene, &now_x, &mut now_y));
                result.map_err(|error| in_state(&error, part.start, lead))?;
                slices.took(part.len(), started.elapsed());
                py.check_signals()?;
            }
            Ok(())
        })?;
        drop(memory);
        finish(outputs)
    }

    /// Prepares the memory of each result.
    fn prepare<T: Element>(
        &self,
        task: Task<'_>,
        lead: &[usize],
        out: Option<Few<Given<'_, 'py>>>,
    ) -> PyResult<Few<Output<'py, T>>> {
        let (py, model) = (self.model.py(), &self.model.get().model);
        Few::new(task.results.count(), |k| {
            let arg = &task.declaration.outputs[k];
            let name = OutName(task.results.have_names().then_some(arrays::python_name(arg.name)));
            let shape = Shape::new(arg.size, model, self.surroundings.rows());
            Output::new(py, name, shape, lead, out.as_ref().map(|out| out[k]))
        })
    }
}

fn finish<'py, T: Element>(outputs: Few<Output<'py, T>>) -> PyResult<Few<Bound<'py, PyAny>>> {
    let count = outputs.count();
    let mut outputs = outputs.into_iter();
    Few::new(count, |_| outputs.next().expect("as many as results").finish())
}

/// Returns zero velocities for all states, in the precision of an array.
pub(crate) fn zeros_like_velocity<'py>(model: &Model, like: Given<'_, 'py>) -> Bound<'py, PyAny> {
    let py = like.py();
    match like.cast::<PyArrayDyn<f32>>() {
        Ok(_) => PyArray1::<f32>::zeros(py, model.nv(), false).into_any(),
        Err(_) => PyArray1::<f64>::zeros(py, model.nv(), false).into_any(),
    }
}

/// Reads the requested number of threads. 0 means one per core.
pub(crate) fn threads(given: Given<'_, '_>) -> PyResult<usize> {
    if !given.is_instance_of::<PyInt>() && given.extract::<isize>().is_err() {
        let got = arrays::describe(&given);
        return Err(PyTypeError::new_err(format!("`threads` is {got}; it must be a number of threads")));
    }
    match given.extract() {
        Ok(threads @ 0..=1) => Ok(threads),
        Ok(threads) if threads <= MOST_THREADS => Ok(threads.min(cores())),
        _ => Err(PyValueError::new_err(format!(
            "`threads` is {}; it must be from 1 to {MOST_THREADS}, or 0 for one a core",
            given.str()?
        ))),
    }
}

/// Returns the limit of threads that are started: the number of cores, at least two. More threads only wait:
/// on two cores, 1,024 took 200 times as long as two.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from).max(2))
}

/// Converts the error of a state in a part that begins at `first`. The message has the state's place in the
/// caller's array.
fn in_state(error: &Error, first: usize, lead: &[usize]) -> PyErr {
    match error.state() {
        Some(state) => {
            let place = check::place(lead, first + state); // the batch engine counts from the start of its part
            with_message(error.kind(), format!("state {place}: {}", error.message()))
        }
        None => exception(error),
    }
}

/// Parts of a batch, each some milliseconds long, so that Python can interrupt in between. Their size adapts
/// to the measured time.
struct Slices {
    next: usize,
    total: usize,
    size: usize,
}

/// Target duration of a part.
const SLICE: Duration = Duration::from_millis(20);

/// Part sizes are multiples of the batch engine's block size.
const STEP: usize = 64;

/// Upper bound of nanoseconds per state and entry of an nv × nv matrix. It sets the size of the first part,
/// which should be as large as possible because every part has overhead.
const AT_MOST: usize = 30;

impl Slices {
    fn new(total: usize, threads: usize, nv: usize) -> Self {
        let states = SLICE.as_nanos() as usize / (AT_MOST * nv * nv).max(1);
        Self { next: 0, total, size: threads * states.next_multiple_of(STEP).max(STEP) }
    }

    fn next(&mut self) -> Option<Range<usize>> {
        let part = self.next..self.total.min(self.next + self.size);
        self.next = part.end;
        (!part.is_empty()).then_some(part)
    }

    fn took(&mut self, states: usize, time: Duration) {
        let ideal = SLICE.as_secs_f64() / time.as_secs_f64().max(1e-9) * states as f64;
        self.size = (ideal as usize).clamp(states / 4, 8 * states).next_multiple_of(STEP).max(STEP);
    }
}
