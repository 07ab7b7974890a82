//! One worker: packs a group of states, computes it, unpacks the results, and goes on with the next group.

use super::algorithm::{self, Algorithm};
use super::arrays::{MOST, Part, Task};
use super::lanes::Packed;
use super::queue::Failure;
use super::scalar::sealed::Sealed;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::scene::{Point, Scene, Wrench};
use crate::workspace::{Scratch, Workspace};
use alloc::vec::Vec;

/// The scratch of one thread.
pub enum Worker<F: Sealed> {
    /// Several states side by side, where the CPU has fused multiply-add.
    Lanes(Engine<F::Lanes, Plain<F>>),
    /// State by state.
    Single(Engine<F::Single, F::Single>),
}

type Plain<F> = <<F as Sealed>::Lanes as Packed<F>>::Plain;

impl<F: Sealed> Worker<F> {
    pub fn new(model: &Model) -> Self {
        if <F::Lanes as Dispatch>::has_fused() {
            Worker::Lanes(Engine::new(model, Workspace::new(model)))
        } else {
            Self::plain(model)
        }
    }

    pub fn plain(model: &Model) -> Self {
        Worker::Single(Engine::new(model, Workspace::plain(model)))
    }

    pub fn fits(&self, model: &Model) -> bool {
        match self {
            Worker::Lanes(engine) => engine.ws.fits(model),
            Worker::Single(engine) => engine.ws.fits(model),
        }
    }

    #[inline(always)]
    pub fn compute(&mut self, task: &Task<'_, F>, part: Part<'_, F>) -> Result<(), Failure> {
        match self {
            Worker::Lanes(engine) => engine.compute(task, part),
            Worker::Single(engine) => engine.compute(task, part),
        }
    }
}

/// Scratch for one group of states in the scalar `T`; `D` is its plain twin.
pub struct Engine<T: Dispatch, D> {
    ws: Workspace<T>,
    /// What the algorithm reads, then what it writes, packed.
    x: [Vec<T>; MOST],
    y: [Vec<T>; MOST],
    kinematics: Kinematics<D>,
    /// The scene's, and what differs from state to state in them.
    wrenches: Vec<Wrench<T>>,
    forces: Vec<T>,
}

impl<T: Dispatch, D: crate::scalar::Real> Engine<T, D> {
    fn new(model: &Model, ws: Workspace<T>) -> Self {
        let (x, y) = Algorithm::room(model);
        Self {
            ws,
            x: x.map(Vec::with_capacity),
            y: y.map(Vec::with_capacity),
            kinematics: Kinematics::new(model),
            wrenches: Vec::new(),
            forces: Vec::new(),
        }
    }

    fn compute<F>(&mut self, task: &Task<'_, F>, part: Part<'_, F>) -> Result<(), Failure>
    where
        F: Copy,
        T: Packed<F, Plain = D>,
    {
        self.prepare(task);
        let Part { first, count, mut outputs } = part;
        for start in (0..count).step_by(T::STATES) {
            let (begin, end) = (first + start, first + count.min(start + T::STATES));
            self.load(task, begin, end - 1);
            if let Err(error) = self.step(task, start > 0) {
                return Err(self.blame(task, begin, end, error));
            }
            let parts = outputs.each_mut().map(|x| &mut x[..]);
            self.ws.run(Store { from: &self.y, to: parts, states: start..start + (end - begin) });
        }
        Ok(())
    }

    /// Sizes what is packed, and takes on the scene's wrenches.
    fn prepare<F: Copy>(&mut self, task: &Task<'_, F>)
    where
        T: Packed<F>,
    {
        for (x, &size) in self.x.iter_mut().zip(&task.input_sizes) {
            x.resize(size, T::zero());
        }
        for (y, &size) in self.y.iter_mut().zip(&task.output_sizes) {
            y.resize(size, T::zero());
        }
        let wrenches = task.scene.scene.wrenches;
        self.forces.resize(if task.scene.forces.is_some() { 6 * wrenches.len() } else { 0 }, T::zero());
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
    }

    /// Packs the states from `first` to `last`.
    fn load<F: Copy>(&mut self, task: &Task<'_, F>, first: usize, last: usize)
    where
        T: Packed<F>,
    {
        let Self { ws, x, forces, wrenches, .. } = self;
        ws.run(Load { inputs: &task.inputs, forces: task.scene.forces, first, last, x, to_forces: forces });
        for (wrench, six) in wrenches.iter_mut().zip(forces.chunks_exact(6)) {
            wrench.force.copy_from_slice(&six[..3]);
            wrench.torque.copy_from_slice(&six[3..]);
        }
    }

    /// Computes what is packed; `again` tells that the outputs are those of another group of this call.
    fn step<F>(&mut self, task: &Task<'_, F>, again: bool) -> Result<(), Error>
    where
        T: Packed<F, Plain = D>,
    {
        let Self { ws, x, y, kinematics, wrenches, .. } = self;
        let Scene { model, gravity, damping, friction, armature, .. } = task.scene.scene;
        let scene = Scene { model, gravity, wrenches: &wrenches[..], damping, friction, armature };
        algorithm::compute(task.algorithm, scene, ws, kinematics, x, y, again)
    }

    /// Which of the states from `begin` on failed, by computing each alone.
    #[cold]
    fn blame<F: Copy>(&mut self, task: &Task<'_, F>, begin: usize, end: usize, of_group: Error) -> Failure
    where
        T: Packed<F, Plain = D>,
    {
        for state in begin..end {
            self.load(task, state, state);
            if let Err(error) = self.step(task, false) {
                return Failure { state, error };
            }
        }
        Failure { state: begin, error: of_group }
    }
}

/// Packing, on the workspace's instructions.
struct Load<'a, F, T> {
    inputs: &'a [&'a [F]; MOST],
    forces: Option<&'a [F]>,
    first: usize,
    last: usize,
    x: &'a mut [Vec<T>; MOST],
    to_forces: &'a mut [T],
}

impl<F, T: Packed<F>> Kernel<T> for Load<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, _: &mut Scratch<S>) {
        for (from, to) in self.inputs.iter().zip(self.x) {
            T::gather(from, self.first, self.last, to);
        }
        if let Some(forces) = self.forces {
            T::gather(forces, self.first, self.last, self.to_forces);
        }
    }
}

/// Unpacking, likewise.
struct Store<'a, F, T> {
    from: &'a [Vec<T>; MOST],
    to: [&'a mut [F]; MOST],
    states: core::ops::Range<usize>,
}

impl<F, T: Packed<F>> Kernel<T> for Store<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, _: &mut Scratch<S>) {
        for (from, to) in self.from.iter().zip(self.to) {
            let size = from.len();
            T::scatter(from, &mut to[self.states.start * size..self.states.end * size]);
        }
    }
}
