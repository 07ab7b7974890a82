//! The arrays of a call: how long they must be, and which part of them belongs to which state.

use super::algorithm::Algorithm;
use super::scene::BatchScene;
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use alloc::format;
use alloc::string::String;
use core::array;

/// The most arrays that an algorithm reads or writes.
pub const MOST: usize = 6;

/// How many numbers of an array belong to one state.
#[derive(Clone, Copy, Debug)]
pub enum Size {
    Nq,
    Nv,
    /// nv × nv
    Square,
    /// Rows × nv
    Wide(usize),
    /// nv × columns
    Columns(usize),
    /// Frames × numbers
    Frames(usize),
    /// Wrenches × 6
    Wrenches(usize),
    Fixed(usize),
}

impl Size {
    pub fn of(self, model: &Model) -> usize {
        match self {
            Size::Nq => model.nq(),
            Size::Nv => model.nv(),
            Size::Square => model.nv() * model.nv(),
            Size::Wide(rows) => rows * model.nv(),
            Size::Columns(columns) => model.nv() * columns,
            Size::Frames(n) => model.frames().len() * n,
            Size::Wrenches(n) => 6 * n,
            Size::Fixed(n) => n,
        }
    }

    fn rule(self) -> String {
        match self {
            Size::Nq => "nq".into(),
            Size::Nv => "nv".into(),
            Size::Square => "nv × nv".into(),
            Size::Wide(rows) => format!("{rows} × nv"),
            Size::Columns(columns) => format!("nv × {columns}"),
            Size::Frames(n) => format!("frames × {n}"),
            Size::Wrenches(_) => "wrenches × 6".into(),
            Size::Fixed(n) => format!("{n}"),
        }
    }

    /// An array that is read, by its name in messages.
    pub fn read<'a, F>(self, name: &'static str, data: &'a [F]) -> Input<'a, F> {
        Input { name, size: self, data }
    }

    /// An array that is written, by its name in messages.
    pub fn write<'a, F>(self, name: &'static str, data: &'a mut [F]) -> Output<'a, F> {
        Output { name, size: self, data }
    }
}

/// An array that is read.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a, F> {
    name: &'static str,
    size: Size,
    pub data: &'a [F],
}

/// An array that is written.
#[derive(Debug)]
pub struct Output<'a, F> {
    name: &'static str,
    size: Size,
    data: &'a mut [F],
}

/// What all workers know of a call.
#[derive(Debug)]
pub struct Task<'a, F> {
    pub algorithm: Algorithm,
    pub scene: BatchScene<'a, F>,
    pub states: usize,
    pub inputs: [&'a [F]; MOST],
    /// Numbers a state.
    pub input_sizes: [usize; MOST],
    pub output_sizes: [usize; MOST],
}

/// Some of the states of a call, with their parts of the outputs.
#[derive(Debug)]
pub struct Part<'a, F> {
    pub first: usize,
    pub count: usize,
    pub outputs: [&'a mut [F]; MOST],
}

impl<'a, F> Task<'a, F> {
    /// Counts the states and checks all lengths.
    pub fn new<const I: usize, const O: usize>(
        algorithm: Algorithm,
        scene: BatchScene<'a, F>,
        inputs: [Input<'a, F>; I],
        outputs: [Output<'a, F>; O],
    ) -> Result<(Self, [&'a mut [F]; MOST]), Error> {
        const { assert!(I <= MOST && O <= MOST) };
        let model = scene.scene.model;
        let forces = scene.forces.map(|f| Size::Wrenches(scene.scene.wrenches.len()).read("forces", f));

        let lengths = || {
            let inputs = inputs.iter().map(|x| (x.name, x.size, x.data.len()));
            let outputs = outputs.iter().map(|x| (x.name, x.size, x.data.len()));
            inputs.chain(outputs).chain(forces.iter().map(|x| (x.name, x.size, x.data.len())))
        };
        let states = match lengths().find(|(_, size, _)| size.of(model) > 0) {
            Some((name, size, len)) => count_states(model, name, size, len)?,
            None => 0,
        };
        for (name, size, len) in lengths() {
            if len != states * size.of(model) {
                return Err(wrong_length(model, name, size, len, states));
            }
        }

        let input_sizes = array::from_fn(|i| inputs.get(i).map_or(0, |x| x.size.of(model)));
        let output_sizes = array::from_fn(|i| outputs.get(i).map_or(0, |x| x.size.of(model)));
        let inputs = array::from_fn(|i| inputs.get(i).map_or(&[][..], |x| x.data));
        let mut data = outputs.into_iter().map(|x| x.data);
        let outputs = array::from_fn(|_| data.next().unwrap_or_default());
        Ok((Self { algorithm, scene, states, inputs, input_sizes, output_sizes }, outputs))
    }
}

/// How many states an array has.
pub fn count_states(model: &Model, name: &str, size: Size, len: usize) -> Result<usize, Error> {
    let one = size.of(model);
    if len.is_multiple_of(one.max(1)) {
        return Ok(len / one.max(1));
    }
    let (model, rule) = (model.name(), size.rule());
    let message =
        format!("`{name}` has {len} numbers, but model \"{model}\" needs states × {rule}, a multiple of {one}");
    Err(Error::new(ErrorKind::Length, message))
}

#[cold]
fn wrong_length(model: &Model, name: &str, size: Size, len: usize, states: usize) -> Error {
    let (rule, one, model) = (size.rule(), size.of(model), model.name());
    let (got, want) = (format!("`{name}` has {len} numbers"), states * one);
    let message = format!("{got}, but model \"{model}\" needs states × {rule} = {states} × {one} = {want}");
    Error::new(ErrorKind::Length, message)
}
