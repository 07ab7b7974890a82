//! One entry for every function: arguments to slices, the algorithm, results to arrays.
//!
//! One state of `float64` goes to a [`Workspace`](dtau::Workspace), several to the batch engine in slices of a few
//! milliseconds, between which Python may interrupt. The results of a batch do not depend on how it is split.

use crate::arrays::{self, Input, Numbers, OutName, Output, Precision, Rows, Shape, Space, try_array};
use crate::check;
use crate::direct::{self, Borrowing};
use crate::errors::{OrRaise, exception, with_message};
use crate::model::PyModel;
use crate::results::Results;
use crate::scene::{Scenes, Surroundings};
use crate::scratch::{Number, PyWorkspace, Scratch, with_scratch};
use dtau::batch::{Batch, BatchScalar};
use dtau::model::Model;
use dtau::{Error, Scene};
use numpy::{PyArray1, PyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;
use std::time::{Duration, Instant};
use std::{array, mem};

/// From this number of degrees of freedom a single state takes long enough to let other threads run meanwhile. Below,
/// handing over Python's lock would take longer than the call.
const RELEASE_FROM_NV: usize = 64;

const PLAIN: &str = "it was made or checked to be contiguous";

/// More than any machine has; more would be a mistake.
const MOST_THREADS: usize = 1024;

/// A function of `I` arguments with `O` results, for one state.
pub(crate) trait Algorithm<const I: usize, const O: usize>: Sync {
    /// Names and lengths of the arguments.
    fn inputs(&self, model: &Model) -> [Input; I];

    /// Names and shapes of the results.
    fn outputs(&self, model: &Model) -> [(&'static str, Shape); O];

    /// Computes one state.
    fn one(
        &self,
        scene: Scene<'_, f64>,
        scratch: &mut Scratch,
        x: [&[f64]; I],
        y: [&mut [f64]; O],
    ) -> Result<(), Error>;

    /// Computes many states, one after the other in each array.
    fn many<F: BatchScalar>(
        &self,
        scenes: Scenes<'_, F>,
        batch: &mut Batch<F>,
        x: [&[F]; I],
        y: [&mut [F]; O],
    ) -> Result<(), Error>;
}

/// What a call was given beside its arrays.
pub(crate) struct Call<'a, 'py> {
    pub(crate) model: &'a Bound<'py, PyModel>,
    pub(crate) surroundings: Surroundings<'a, 'py>,
    pub(crate) threads: isize,
    pub(crate) workspace: Option<&'a Bound<'py, PyWorkspace>>,
}

impl<'py> Call<'_, 'py> {
    /// Runs an algorithm and gives its results as the caller wants them.
    pub(crate) fn give<const I: usize, const O: usize>(
        &self,
        algorithm: &impl Algorithm<I, O>,
        x: [&Bound<'py, PyAny>; I],
        out: Option<&Bound<'py, PyAny>>,
        results: Results,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(out) = out
            && let Some(done) = self.at_once(algorithm, x, out, results)
        {
            return done.map(|()| out.clone());
        }
        let arrays = self.run(algorithm, x, results.split(out)?)?;
        results.give(self.model.py(), out, arrays)
    }

    /// The short way for what a loop calls with: one small state, contiguous arrays of `float64` everywhere, and nobody else at
    /// work. `None`, and nothing is done, if that is not so.
    #[inline]
    fn at_once<const I: usize, const O: usize>(
        &self,
        algorithm: &impl Algorithm<I, O>,
        x: [&Bound<'py, PyAny>; I],
        out: &Bound<'py, PyAny>,
        results: Results,
    ) -> Option<PyResult<()>> {
        let model = &self.model.get().model;
        if !direct::POSSIBLE || self.releases() || !self.surroundings.are_plain() {
            return None;
        }
        let inputs = algorithm.inputs(model);
        let rows = arrays::plain_rows(&inputs, x)?;
        let targets = arrays::plain_targets(&algorithm.outputs(model), results.look(out)?)?;
        direct::with(self.model.py(), rows, targets.each_ref().map(|y| &**y), |x, y| {
            self.compute_one(algorithm, &inputs, self.surroundings.scene(model, &[])?, x, y)
        })
    }

    /// Whether a single state takes long enough to let go of Python's lock.
    #[inline]
    fn releases(&self) -> bool {
        self.model.get().model.nv() >= RELEASE_FROM_NV
    }

    /// Looks at the numbers of a single state, and computes.
    #[inline]
    fn compute_one<const I: usize, const O: usize>(
        &self,
        algorithm: &impl Algorithm<I, O>,
        inputs: &[Input; I],
        scene: Scene<'_, f64>,
        x: [&[f64]; I],
        y: [&mut [f64]; O],
    ) -> PyResult<()> {
        let shared = self.model.get();
        for k in 0..I {
            check::one(shared, inputs[k], x[k])?;
        }
        with_scratch(shared, self.workspace, |scratch| {
            let run = || algorithm.one(scene, scratch, x, y);
            if self.releases() { self.model.py().detach(run) } else { run() }.or_raise()
        })
    }

    /// Runs an algorithm on arrays of any number of states; `out` may hold an array for each result.
    pub(crate) fn run<const I: usize, const O: usize>(
        &self,
        algorithm: &impl Algorithm<I, O>,
        x: [&Bound<'py, PyAny>; I],
        out: [Option<Bound<'py, PyAny>>; O],
    ) -> PyResult<[Bound<'py, PyAny>; O]> {
        let inputs = algorithm.inputs(&self.model.get().model);
        if let Some(rows) = arrays::plain_rows(&inputs, x) {
            return self.one(algorithm, &inputs, rows.map(Bound::clone), out);
        }
        let numbers: [Numbers<'py>; I] = try_array(|k| Numbers::new(inputs[k], x[k]))?;
        let lead = arrays::lead(&numbers)?;
        match arrays::precision(&numbers) {
            Precision::Double if lead.is_empty() => {
                self.one(algorithm, &inputs, arrays::all_rows(&numbers, &lead)?, out)
            }
            Precision::Double => self.many::<f64, I, O>(algorithm, &inputs, &numbers, &lead, out),
            Precision::Single => self.many::<f32, I, O>(algorithm, &inputs, &numbers, &lead, out),
        }
    }

    fn one<const I: usize, const O: usize>(
        &self,
        algorithm: &impl Algorithm<I, O>,
        inputs: &[Input; I],
        rows: [Rows<'py, f64>; I],
        out: [Option<Bound<'py, PyAny>>; O],
    ) -> PyResult<[Bound<'py, PyAny>; O]> {
        let (py, shared) = (self.model.py(), self.model.get());
        let outputs = prepare(py, &algorithm.outputs(&shared.model), &[], out)?;
        let wrenches = self.surroundings.wrenches(shared)?;
        let scene = self.surroundings.scene(&shared.model, &wrenches)?;
        let compute = |x: [&[f64]; I], y: [&mut [f64]; O]| self.compute_one(algorithm, inputs, scene, x, y);
        let plain = if self.releases() { None } else { try_array(|k| outputs[k].plain().ok_or(())).ok() };
        let done = plain.and_then(|y| direct::with(py, rows.each_ref(), y, compute));
        if let Some(result) = done {
            result?;
            return finish(outputs);
        }
        let _borrowing = Borrowing::begin(py);
        {
            let rows = arrays::borrow(inputs, &rows)?;
            let mut memory: [_; O] = try_array(|k| outputs[k].borrow())?;
            compute(
                rows.each_ref().map(|x| x.as_slice().expect(PLAIN)),
                memory.each_mut().map(|y| y.as_slice_mut().expect(PLAIN)),
            )?;
        }
        finish(outputs)
    }

    fn many<F: Number, const I: usize, const O: usize>(
        &self,
        algorithm: &impl Algorithm<I, O>,
        inputs: &[Input; I],
        numbers: &[Numbers<'py>; I],
        lead: &[usize],
        out: [Option<Bound<'py, PyAny>>; O],
    ) -> PyResult<[Bound<'py, PyAny>; O]> {
        let (py, shared) = (self.model.py(), self.model.get());
        let states = lead.iter().product();
        let rows: [Rows<'py, F>; I] = arrays::all_rows(numbers, lead)?;
        let _borrowing = Borrowing::begin(py);
        let rows = arrays::borrow(inputs, &rows)?;
        let x = rows.each_ref().map(|row| row.as_slice().expect(PLAIN));
        for k in 0..I {
            check::many(shared, inputs[k], lead, x[k])?;
        }
        let shapes = algorithm.outputs(&shared.model);
        let outputs = prepare::<F, O>(py, &shapes, lead, out)?;
        let mut memory: [_; O] = try_array(|k| outputs[k].borrow())?;
        let mut y = memory.each_mut().map(|y| y.as_slice_mut().expect(PLAIN));
        let external = self.surroundings.external_forces::<F>(shared, lead)?;
        let scene = self.surroundings.scene(&shared.model, &external.wrenches)?;
        let threads = threads(self.threads)?;

        with_scratch(shared, self.workspace, |scratch| {
            let batch = F::batch(scratch).of(&shared.model, threads)?;
            let mut slices = Slices::new(states, batch.threads(), shared.model.nv());
            while let Some(part) = slices.next() {
                let x = array::from_fn(|k| &x[k][part.start * inputs[k].length..part.end * inputs[k].length]);
                let y = array::from_fn(|k| {
                    let (now, later) = mem::take(&mut y[k]).split_at_mut(part.len() * shapes[k].1.len());
                    y[k] = later;
                    now
                });
                let scenes = Scenes { scene, forces: external.forces_of(&part) };
                let started = Instant::now();
                let result = py.detach(|| algorithm.many(scenes, batch, x, y));
                result.map_err(|error| in_state(&error, part.start, lead))?;
                slices.took(part.len(), started.elapsed());
                py.check_signals()?;
            }
            Ok(())
        })?;
        drop(memory);
        finish(outputs)
    }
}

/// How many threads a caller asks for; 0 is one a core.
fn threads(given: isize) -> PyResult<usize> {
    match usize::try_from(given) {
        Ok(threads) if threads <= MOST_THREADS => Ok(threads),
        _ => Err(PyValueError::new_err(format!(
            "`threads` is {given}; it must be from 1 to {MOST_THREADS}, or 0 for one a core"
        ))),
    }
}

/// An error of a state of a slice that begins at `first`, with the state's place in the caller's array.
fn in_state(error: &Error, first: usize, lead: &[usize]) -> PyErr {
    match error.state() {
        Some(state) => {
            let place = check::place(lead, first + state); // the batch engine counts within what it was given
            with_message(error.kind(), format!("state {place}: {}", error.message()))
        }
        None => exception(error),
    }
}

/// The parts that a batch is computed in: each some milliseconds long, so that Python may interrupt in between. How long
/// states take is learnt on the way.
struct Slices {
    next: usize,
    total: usize,
    size: usize,
}

/// What a part should take.
const SLICE: Duration = Duration::from_millis(20);

/// Parts are multiples of what the batch engine computes between two looks at its queue.
const STEP: usize = 64;

/// What a state takes in nanoseconds for each entry of an nv × nv matrix, at the most: the first part is as long as this allows,
/// since every part costs a little.
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

fn prepare<'py, T: numpy::Element, const O: usize>(
    py: Python<'py>,
    outputs: &[(&'static str, Shape); O],
    lead: &[usize],
    out: [Option<Bound<'py, PyAny>>; O],
) -> PyResult<[Output<'py, T>; O]> {
    try_array(|k| {
        let (field, shape) = outputs[k];
        let name = OutName((O > 1).then_some(field));
        Output::new(py, name, shape, lead, out[k].as_ref())
    })
}

fn finish<'py, T: numpy::Element, const O: usize>(outputs: [Output<'py, T>; O]) -> PyResult<[Bound<'py, PyAny>; O]> {
    let mut outputs = outputs.into_iter();
    try_array(|_| outputs.next().expect("as many as results").finish())
}

/// An argument that is a configuration.
pub(crate) fn configuration(name: &'static str, model: &Model) -> Input {
    Input { name, space: Space::Configuration, length: model.nq() }
}

/// An argument of `nq` numbers whose quaternions need not have unit length.
pub(crate) fn raw_configuration(name: &'static str, model: &Model) -> Input {
    Input { name, space: Space::Coordinates, length: model.nq() }
}

/// An argument that is a velocity, an acceleration or torques.
pub(crate) fn tangent(name: &'static str, model: &Model) -> Input {
    Input { name, space: Space::Tangent, length: model.nv() }
}

/// Zero velocities, for all states, in the precision of an array.
pub(crate) fn zeros_like_velocity<'py>(model: &Model, like: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = like.py();
    Ok(match like.cast::<PyArrayDyn<f32>>() {
        Ok(_) => PyArray1::<f32>::zeros(py, model.nv(), false).into_any(),
        Err(_) => PyArray1::<f64>::zeros(py, model.nv(), false).into_any(),
    })
}
