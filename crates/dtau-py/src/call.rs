//! One entry for every function: arguments to slices, the algorithm, results to arrays.
//!
//! One state of `float64` goes to a [`Workspace`](dtau::Workspace), several to the batch engine in slices of a few
//! milliseconds, between which Python may interrupt. The results of a batch do not depend on how it is split.

use crate::arrays::{self, Input, Numbers, OutName, Output, Shape, Space, try_array};
use crate::check;
use crate::errors::OrRaise;
use crate::model::PyModel;
use crate::results::Results;
use crate::scene::Surroundings;
use crate::scratch::{PyWorkspace, Scratch, with_scratch};
use dtau::model::Model;
use dtau::{Error, Scene};
use numpy::{PyArray1, PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::prelude::*;

/// From this number of degrees of freedom a single state takes long enough to let other threads run meanwhile. Below,
/// handing over Python's lock would take longer than the call.
const RELEASE_FROM_NV: usize = 64;

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
        let arrays = self.run(algorithm, x, results.split(out)?)?;
        results.give(self.model.py(), out, arrays)
    }

    /// Runs an algorithm on arrays of any number of states; `out` may hold an array for each result.
    pub(crate) fn run<const I: usize, const O: usize>(
        &self,
        algorithm: &impl Algorithm<I, O>,
        x: [&Bound<'py, PyAny>; I],
        out: [Option<Bound<'py, PyAny>>; O],
    ) -> PyResult<[Bound<'py, PyAny>; O]> {
        let inputs = algorithm.inputs(&self.model.get().model);
        if let Some(rows) = arrays::plain_rows(&inputs, &x) {
            return self.one(algorithm, &inputs, rows, out);
        }
        let numbers: [Numbers<'py>; I] = try_array(|k| Numbers::new(inputs[k], x[k]))?;
        let lead = arrays::lead(&numbers)?;
        let precision = arrays::precision(&numbers);
        if lead.is_empty() {
            return self.one(algorithm, &inputs, arrays::all_rows::<f64, I>(&numbers, &lead)?, out);
        }
        let _ = (precision, self.threads);
        todo!("batches")
    }

    fn one<const I: usize, const O: usize>(
        &self,
        algorithm: &impl Algorithm<I, O>,
        inputs: &[Input; I],
        rows: [PyReadonlyArrayDyn<'py, f64>; I],
        out: [Option<Bound<'py, PyAny>>; O],
    ) -> PyResult<[Bound<'py, PyAny>; O]> {
        let (py, shared) = (self.model.py(), self.model.get());
        let x = rows.each_ref().map(|row| row.as_slice().expect("rows are contiguous"));
        for k in 0..I {
            check::one(shared, inputs[k], x[k])?;
        }
        let mut outputs = prepare(py, &algorithm.outputs(&shared.model), &[], out)?;
        let y = outputs.each_mut().map(Output::slice);
        let wrenches = self.surroundings.wrenches(shared)?;
        let scene = self.surroundings.scene(&shared.model, &wrenches)?;
        with_scratch(shared, self.workspace, |scratch| {
            let run = || algorithm.one(scene, scratch, x, y);
            if shared.model.nv() < RELEASE_FROM_NV { run() } else { py.detach(run) }.or_raise()
        })?;
        finish(outputs)
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

fn finish<'py, T: numpy::Element, const O: usize>(
    outputs: [Output<'py, T>; O],
) -> PyResult<[Bound<'py, PyAny>; O]> {
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
