//! One worker: packs a group of states, computes it, unpacks the results, and takes the next group. It goes
//! state by state if packing does not pay, or if the CPU has no SIMD registers.

use super::lanes::Packed;
use super::queue::Failure;
use super::scalar::sealed::Sealed;
use crate::dispatch::{Proof, Step, step};
use crate::door::check::Lengths;
use crate::door::finite::Failed;
use crate::door::{Counts, Function, MOST_ARRAYS, Outcome};
use crate::engines::code::Ready;
use crate::engines::{Instructions, Memory};
use crate::error::Error;
use crate::matrix::MatrixMut;
use crate::model::Model;
use crate::room;
use crate::scalar::Real;
use crate::scene::{Point, Scene, Wrench};
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

/// Data of a call, shared by all workers.
#[derive(Debug)]
pub struct Task<'a, F> {
    pub function: Function,
    pub scene: Scene<'a, F>,
    pub states: usize,
    counts: Counts,
    inputs: [&'a [F]; MOST_ARRAYS],
    /// Numbers per state.
    input_sizes: [usize; MOST_ARRAYS],
    pub output_sizes: [usize; MOST_ARRAYS],
    /// Generated code that replaces the library's.
    code: Option<Ready<'a, F>>,
}

impl<'a, F> Task<'a, F> {
    pub fn new(function: Function, scene: Scene<'a, F>, lengths: Lengths, x: &[&'a [F]]) -> Self {
        let (model, declaration) = (scene.model, function.declaration());
        let Lengths { states, counts } = lengths;
        let (mut inputs, mut input_sizes, mut output_sizes) =
            ([&[][..]; MOST_ARRAYS], [0; MOST_ARRAYS], [0; MOST_ARRAYS]);
        for (k, (arg, x)) in declaration.inputs.iter().zip(x).enumerate() {
            (inputs[k], input_sizes[k]) = (x, arg.size.of(model, counts));
        }
        for (size, arg) in output_sizes.iter_mut().zip(declaration.outputs) {
            *size = arg.size.of(model, counts);
        }
        Self { function, scene, states, counts, inputs, input_sizes, output_sizes, code: None }
    }

    /// Adds generated code, if there is some.
    pub fn by(self, code: Option<Ready<'a, F>>) -> Self {
        Self { code, ..self }
    }

    fn pays_in_lanes(&self) -> bool {
        self.function.pays_in_lanes(self.output_sizes.iter().sum())
    }
}

/// Some of the states of a call, with their parts of the outputs.
#[derive(Debug)]
pub struct Part<'a, F> {
    pub first: usize,
    pub count: usize,
    pub outputs: [&'a mut [F]; MOST_ARRAYS],
}

impl<F: Real> Part<'_, F> {
    /// One of its states, as a part.
    fn state(&mut self, k: usize, task: &Task<'_, F>) -> Part<'_, F> {
        let mut outputs: [&mut [F]; MOST_ARRAYS] = Default::default();
        for ((one, all), &size) in outputs.iter_mut().zip(&mut self.outputs).zip(&task.output_sizes) {
            *one = &mut all[k * size..][..size];
        }
        Part { first: self.first + k, count: 1, outputs }
    }

    /// Computes it by generated code; true on success.
    fn is_computed_by(&mut self, code: &Ready<'_, F>, task: &Task<'_, F>) -> bool {
        let declaration = task.function.declaration();
        let mut x = [&[][..]; MOST_ARRAYS];
        for ((x, all), &size) in x.iter_mut().zip(&task.inputs).zip(&task.input_sizes) {
            *x = &all[self.first * size..][..self.count * size];
        }
        let (x, y) = (&x[..declaration.inputs.len()], &mut self.outputs[..declaration.outputs.len()]);
        code.computes(&task.scene, declaration, self.count, x, y)
    }
}

/// The scratch of one thread.
pub struct Worker<F: Sealed> {
    /// Several states side by side, if the CPU has fused multiply-add.
    lanes: Option<Packer<F::Lanes>>,
    /// Number of states side by side.
    most: usize,
    /// Single states; created on first use.
    single: Option<Instructions<F>>,
    shape: u64,
}

impl<F: Sealed> Worker<F> {
    /// Creates a worker with the fastest instructions of this CPU.
    pub fn new(model: &Model) -> Self {
        let lanes = Proof::find().map(|proof| Packer::new(model, proof));
        Self { lanes, most: F::LANES, single: None, shape: model.shape() }
    }

    /// Creates a worker with the fastest instructions of this CPU, but state by state.
    pub fn one_by_one(model: &Model) -> Self {
        match F::HAS_SINGLE {
            true => Self { lanes: None, most: 1, single: None, shape: model.shape() },
            false => Self { most: 1, ..Self::new(model) }, // one state in all lanes
        }
    }

    /// Creates a worker that goes state by state, with the instructions of every CPU.
    pub fn plain(model: &Model) -> Self {
        Self { lanes: None, most: 1, single: Some(Instructions::plain(model)), shape: model.shape() }
    }

    pub fn fits(&self, model: &Model) -> bool {
        self.shape == model.shape()
    }

    #[inline(always)]
    pub fn compute(&mut self, task: &Task<'_, F>, mut part: Part<'_, F>) -> Result<(), Failure> {
        let Some(code) = &task.code else { return self.compute_by_library(task, part) };
        if part.is_computed_by(code, task) {
            return Ok(());
        }
        // One by one, so that no state depends on another. If the code fails, the library computes the state
        // or returns the error.
        for k in 0..part.count {
            let mut one = part.state(k, task);
            if !one.is_computed_by(code, task) {
                self.compute_by_library(task, one)?;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn compute_by_library(&mut self, task: &Task<'_, F>, part: Part<'_, F>) -> Result<(), Failure> {
        match &mut self.lanes {
            Some(packer) if task.pays_in_lanes() || !F::HAS_SINGLE => packer.compute(task, part, self.most),
            _ => {
                let (model, state) = (task.scene.model, part.first);
                if self.single.is_none() {
                    room::for_scratch(model, size_of::<F>()).map_err(|error| Failure { state, error })?;
                }
                compute_single(self.single.get_or_insert_with(|| Instructions::fastest(model)), task, part)
            }
        }
    }
}

/// Computes state by state, directly on the arrays.
fn compute_single<F: Sealed>(on: &mut Instructions<F>, task: &Task<'_, F>, part: Part<'_, F>) -> Result<(), Failure> {
    let (declaration, job) = (task.function.declaration(), F::single(task.function));
    let Part { first, count, mut outputs } = part;
    let wrenches = 6 * task.scene.wrenches.len();
    for k in 0..count {
        let state = first + k;
        let (mut x, mut y) = ([&[][..]; MOST_ARRAYS], MatrixMut::nowhere::<MOST_ARRAYS>());
        for ((x, from), &size) in x.iter_mut().zip(&task.inputs).zip(&task.input_sizes) {
            *x = &from[state * size..][..size];
        }
        for ((y, to), &size) in y.iter_mut().zip(&mut outputs).zip(&task.output_sizes) {
            y.entries = &mut to[k * size..][..size];
        }
        let forces = task.scene.forces.map(|forces| &forces[state * wrenches..][..wrenches]);
        let (active, desired) = (of_state(task.scene.active, state, task), of_state(task.scene.desired, state, task));
        let scene = Scene { forces, active, desired, ..task.scene };
        let (x, y) = (&x[..declaration.inputs.len()], &mut y[..declaration.outputs.len()]);
        on.run(&job, declaration, task.counts, &scene, x, y).map_err(|error| Failure { state, error })?;
    }
    Ok(())
}

/// The part of one state in an array of all.
fn of_state<'a, F>(all: Option<&'a [F]>, state: usize, task: &Task<'_, F>) -> Option<&'a [F]> {
    let all = all?;
    let one = all.len() / task.states.max(1);
    Some(&all[state * one..][..one])
}

/// Scratch for one group of states in the scalar `T`.
pub struct Packer<T: Real> {
    memory: Memory<T>,
    /// The function's inputs and outputs, packed.
    x: [Vec<T>; MOST_ARRAYS],
    y: [Vec<T>; MOST_ARRAYS],
    /// The scene's wrenches, and their values that differ between states.
    wrenches: Vec<Wrench<T>>,
    forces: Vec<T>,
    /// Values of the scene's constraints that differ between states.
    active: Vec<T>,
    desired: Vec<T>,
}

impl<T: Real> Packer<T> {
    fn new(model: &Model, proof: Proof<T>) -> Self {
        Self {
            memory: Memory::new(model, proof),
            x: Default::default(),
            y: Default::default(),
            wrenches: Vec::new(),
            forces: Vec::new(),
            active: Vec::new(),
            desired: Vec::new(),
        }
    }

    /// Computes a part of a call, `most` states at a time.
    fn compute<F: Sealed<Lanes = T>>(
        &mut self,
        task: &Task<'_, F>,
        part: Part<'_, F>,
        most: usize,
    ) -> Result<(), Failure>
    where
        T: Packed<F>,
    {
        let Part { first, count, mut outputs } = part;
        self.prepare(task).map_err(|error| Failure { state: first, error })?;
        for start in (0..count).step_by(most) {
            let (begin, end) = (first + start, first + count.min(start + most));
            self.load(task, begin, end - 1);
            if let Err(failed) = self.group(task, start > 0) {
                return Err(self.blame(task, begin, end, failed));
            }
            let to = &mut outputs;
            step(
                self.memory.proof(),
                Store { from: &self.y, to, sizes: &task.output_sizes, states: start..start + (end - begin) },
            );
        }
        Ok(())
    }

    /// Allocates the packed arrays, and copies the scene's wrenches.
    fn prepare<F: Sealed<Lanes = T>>(&mut self, task: &Task<'_, F>) -> Result<(), Error>
    where
        T: Packed<F>,
    {
        let kernel = &F::lanes()[task.function.place()];
        self.memory.reserve(kernel, &task.function, task.function.declaration(), task.scene.model, task.counts)?;
        let sizes = || task.input_sizes.iter().chain(&task.output_sizes);
        if self.x.iter().chain(&self.y).zip(sizes()).any(|(packed, &size)| packed.capacity() < size) {
            let bytes = sizes().sum::<usize>().saturating_mul(size_of::<T>());
            room::ask(bytes, || format!("states of {} side by side", task.function.declaration().name))?;
        }
        for (x, &size) in self.x.iter_mut().zip(&task.input_sizes) {
            x.resize(size, T::zero());
        }
        for (y, &size) in self.y.iter_mut().zip(&task.output_sizes) {
            y.resize(size, T::zero());
        }
        let wrenches = task.scene.wrenches;
        self.forces.resize(if task.scene.forces.is_some() { 6 * wrenches.len() } else { 0 }, T::zero());
        let one = |all: Option<&[F]>| all.map_or(0, |all| all.len() / task.states.max(1));
        self.active.resize(one(task.scene.active), T::zero());
        self.desired.resize(one(task.scene.desired), T::zero());
        self.wrenches.clear();
        self.wrenches.extend(wrenches.iter().map(|w| Wrench {
            frame: w.frame,
            axes: w.axes,
            at: match w.at {
                Point::Origin => Point::Origin,
                Point::InFrame(point) => Point::InFrame(point.map(T::all)),
                Point::InWorld(point) => Point::InWorld(point.map(T::all)),
            },
            force: w.force.map(T::all),
            torque: w.torque.map(T::all),
        }));
        Ok(())
    }

    /// Packs the states from `first` to `last`.
    fn load<F: Copy>(&mut self, task: &Task<'_, F>, first: usize, last: usize)
    where
        T: Packed<F>,
    {
        let Self { memory, x, forces, active, desired, .. } = self;
        let scene = &task.scene;
        let of_scene = [(scene.forces, forces), (scene.active, active), (scene.desired, desired)];
        step(memory.proof(), Load { inputs: &task.inputs, of_scene, first, last, x });
    }

    /// Computes the packed states. `again` means that the outputs are those of another group of this call.
    fn group<F: Sealed<Lanes = T>>(&mut self, task: &Task<'_, F>, again: bool) -> Outcome
    where
        T: Packed<F>,
    {
        let Self { memory, x, y, wrenches, forces, active, desired } = self;
        let Scene { model, gravity, constraints, damping, friction, armature, springs, .. } = task.scene;
        let forces = task.scene.forces.map(|_| &forces[..]);
        let active = task.scene.active.map(|_| &active[..]);
        let desired = task.scene.desired.map(|_| &desired[..]);
        let wrenches = &wrenches[..];
        let scene = Scene {
            model,
            gravity,
            wrenches,
            forces,
            constraints,
            active,
            desired,
            damping,
            friction,
            armature,
            springs,
        };
        let declaration = task.function.declaration();
        let (inputs, outputs) = (declaration.inputs.len(), declaration.outputs);
        let (mut from, mut to) = ([&[][..]; MOST_ARRAYS], MatrixMut::nowhere::<MOST_ARRAYS>());
        for (from, x) in from.iter_mut().zip(x) {
            *from = x;
        }
        for ((to, y), arg) in to.iter_mut().zip(y).zip(outputs) {
            *to = y.into();
            to.zeros_in_place = again && arg.has_zeros_of_tree;
        }
        let kernel = &F::lanes()[task.function.place()];
        memory.run(kernel, &task.function, declaration, &scene, &from[..inputs], &mut to[..outputs.len()])
    }

    /// Finds the failed state among those from `begin` on, by computing each alone.
    #[cold]
    fn blame<F: Sealed<Lanes = T>>(&mut self, task: &Task<'_, F>, begin: usize, end: usize, of_group: Failed) -> Failure
    where
        T: Packed<F>,
    {
        for state in begin..end {
            self.load(task, state, state);
            if let Err(failed) = self.group(task, false) {
                return Failure { state, error: self.error(task, failed) };
            }
        }
        Failure { state: begin, error: self.error(task, of_group) }
    }

    /// The error for the packed states.
    #[cold]
    fn error<F>(&self, task: &Task<'_, F>, failed: Failed) -> Error {
        let declaration = task.function.declaration();
        let x: Vec<&[T]> = self.x[..declaration.inputs.len()].iter().map(|x| &x[..]).collect();
        let forces = task.scene.forces.map(|_| &self.forces[..]);
        let scene =
            Scene { forces, constraints: task.scene.constraints, ..task.scene.model.scene().wrenches(&self.wrenches) };
        failed.error(declaration, &scene.gravity(task.scene.gravity.to_array()), &x)
    }
}

/// Packs arrays.
struct Load<'a, F, T> {
    inputs: &'a [&'a [F]; MOST_ARRAYS],
    /// Arrays of the scene that differ between states.
    of_scene: [(Option<&'a [F]>, &'a mut Vec<T>); 3],
    first: usize,
    last: usize,
    x: &'a mut [Vec<T>; MOST_ARRAYS],
}

impl<F, T: Packed<F>> Step for Load<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (from, to) in self.inputs.iter().zip(self.x) {
            T::gather(from, self.first, self.last, to);
        }
        for (from, to) in self.of_scene {
            if let Some(from) = from {
                T::gather(from, self.first, self.last, to);
            }
        }
    }
}

/// Unpacks arrays.
struct Store<'a, 'o, F, T> {
    from: &'a [Vec<T>; MOST_ARRAYS],
    to: &'a mut [&'o mut [F]; MOST_ARRAYS],
    sizes: &'a [usize; MOST_ARRAYS],
    states: Range<usize>,
}

impl<F, T: Packed<F>> Step for Store<'_, '_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for ((from, to), &size) in self.from.iter().zip(self.to).zip(self.sizes) {
            T::scatter(from, &mut to[self.states.start * size..self.states.end * size]);
        }
    }
}
