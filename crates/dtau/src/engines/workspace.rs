//! One state at a time.

use super::{Call, Memory};
use crate::dispatch::{Hardware, NativeOf, Proof, Twin};
use crate::door::list::run_checked;
use crate::door::{Algorithm, Counts, Function, Out, Outcome, check, functions};
use crate::error::{Error, ErrorKind};
use crate::matrix::MatrixMut;
use crate::model::Model;
use crate::room;
use crate::scalar::Real;
use crate::scene::Scene;
use alloc::format;

/// Scratch memory for one model and one scalar: the engine for one state.
///
/// It carries no information from call to call: any result depends on that call's arguments alone. One thread uses it at
/// a time; make one a thread.
///
/// Its size is O(N). Nothing is allocated later but by the first call of a function that needs more, such as the derivatives of a robot
/// with mimicking joints; [`reserve`](Self::reserve) does that ahead.
///
/// What is decided when it is made: whether the CPU's fused multiply-add is used.
#[derive(Debug)]
pub struct Workspace<T: Real = f64> {
    on: Instructions<T>,
    shape: u64,
}

/// Scratch on the instructions it is for.
#[derive(Debug)]
pub enum Instructions<T: Real> {
    /// Those of every CPU.
    Plain(Memory<T>),
    /// With fused multiply-add.
    Native(Memory<NativeOf<T>>),
}

impl<T: Real> Instructions<T> {
    pub(crate) fn fastest(model: &Model) -> Self {
        match Proof::find().filter(|_| <T::Hardware as Hardware<T>>::has_native()) {
            Some(proof) => Instructions::Native(Memory::new(model, proof)),
            None => Self::plain(model),
        }
    }

    pub(crate) fn plain(model: &Model) -> Self {
        let proof = Proof::find().expect("users cannot name scalars that need more");
        Instructions::Plain(Memory::new(model, proof))
    }

    /// Makes room for a function.
    pub(crate) fn reserve_function(&mut self, function: Function, model: &Model, counts: Counts) -> Result<(), Error> {
        match self {
            Instructions::Plain(memory) => function.reserve(model, memory, counts),
            Instructions::Native(memory) => function.reserve(model, memory, counts),
        }
    }

    /// Runs an algorithm that nobody has compiled yet.
    #[inline(always)]
    pub(crate) fn run<A: Algorithm<I, O>, const I: usize, const O: usize>(
        &mut self,
        algorithm: A,
        scene: &Scene<'_, T>,
        x: [&[T]; I],
        y: [Out<'_, T>; O],
    ) -> Outcome {
        match self {
            Instructions::Plain(memory) => run_checked(algorithm, scene, memory, x, y),
            Instructions::Native(memory) => {
                let (mut to_x, mut to_y) = ([&[][..]; I], Out::nowhere());
                for k in 0..I {
                    to_x[k] = NativeOf::<T>::slice(x[k]);
                }
                for (to, y) in to_y.iter_mut().zip(y) {
                    *to = Out { entries: NativeOf::<T>::slice_mut(y.entries), zeros_in_place: y.zeros_in_place };
                }
                run_checked(algorithm, &scene.recast(), memory, to_x, to_y)
            }
        }
    }

    #[inline]
    fn reserve<A: Algorithm<I, O>, const I: usize, const O: usize>(
        &mut self,
        f: A,
        model: &Model,
        counts: Counts,
    ) -> Result<(), Error> {
        match self {
            Instructions::Plain(memory) => memory.reserve(f, model, counts),
            Instructions::Native(memory) => memory.reserve(f, model, counts),
        }
    }
}

impl<T: Real> Workspace<T> {
    /// Scratch for a model, on the fastest instructions this CPU has. Ends the process if there is no memory for it, as a `Vec` does;
    /// [`try_new`](Self::try_new) does not.
    pub fn new(model: &Model) -> Self {
        Self { on: Instructions::fastest(model), shape: model.shape() }
    }

    /// [`new`](Self::new), for models of any size.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn try_new(model: &Model) -> Result<Self, Error> {
        room::for_scratch(model, size_of::<T>())?;
        Ok(Self::new(model))
    }

    /// Scratch for a model, on the instructions every CPU has: for comparing.
    pub fn plain(model: &Model) -> Self {
        Self { on: Instructions::plain(model), shape: model.shape() }
    }

    /// Makes room for a function that needs more than O(N), so that its first call allocates nothing either.
    ///
    /// The scene is `&model`, or one with the constraints that the function acts on.
    ///
    /// # Errors
    /// If the workspace was made for another model, the function has a frame of another, or there is no memory.
    pub fn reserve<'m>(&mut self, scene: impl Into<Scene<'m, T>>, function: Function) -> Result<(), Error> {
        let scene = scene.into();
        let model = scene.model;
        self.check(model)?;
        scene.check()?;
        function.check(model)?;
        self.on.reserve_function(function, model, Counts { columns: model.nv(), rows: scene.rows() })
    }

    /// Whether it was made for this model or one of the same shape.
    #[inline]
    pub(crate) fn check(&self, model: &Model) -> Result<(), Error> {
        if self.shape == model.shape() { Ok(()) } else { Err(other_model(model)) }
    }

    /// Runs a task on the workspace's instructions.
    #[inline(always)]
    pub(crate) fn run<K: OnTwin<T>>(&mut self, task: K) -> K::Output {
        match &mut self.on {
            Instructions::Plain(memory) => task.run(memory),
            Instructions::Native(memory) => task.run(memory),
        }
    }
}

/// What is not a function of the list, but runs on a workspace's instructions: by steps.
pub(crate) trait OnTwin<T: Real> {
    type Output;
    fn run<N: Twin<T>>(self, memory: &mut Memory<N>) -> Self::Output;
}

impl<T: Real> Call<T> for Workspace<T> {
    #[inline]
    fn call<A: Algorithm<I, O>, const I: usize, const O: usize>(
        &mut self,
        algorithm: A,
        scene: Scene<'_, T>,
        x: [&[T]; I],
        y: [MatrixMut<'_, T>; O],
    ) -> Result<(), Error> {
        let model = scene.model;
        self.check(model)?;
        scene.check()?;
        algorithm.check(model)?;
        let (mut from, mut to) = ([0; I], [0; O]);
        for k in 0..I {
            from[k] = x[k].len();
        }
        for k in 0..O {
            to[k] = y[k].entries().len();
        }
        if A::CONSTRAINED {
            check::has_constraints(&scene, functions()[A::PLACE].name)?;
            check::constrained(&scene, 1)?;
        }
        let counts = check::one_state::<A, I, O>(model, scene.rows(), from, to)?;
        if let Some(forces) = scene.forces {
            check::forces(&scene, forces.len(), 1)?;
        }
        if A::RESERVES || model.mimic().is_some() {
            self.on.reserve(algorithm, model, counts)?;
        }
        let mut in_place = true;
        for k in 0..O {
            if A::OUTPUTS[k].has_zeros_of_tree {
                in_place &= y[k].has_zeros_of(model);
            }
        }
        let mut out = Out::nowhere();
        for (k, (out, y)) in out.iter_mut().zip(y).enumerate() {
            let zeros_in_place = A::OUTPUTS[k].has_zeros_of_tree && in_place;
            let entries = if A::OUTPUTS[k].has_zeros_of_tree { y.of(model) } else { y.changed() };
            *out = Out { entries, zeros_in_place };
        }
        let outcome = T::Hardware::run(algorithm, &scene, &mut self.on, x, out);
        outcome.map_err(|failed| failed.error(&functions()[A::PLACE], &scene, &x))
    }
}

#[cold]
fn other_model(model: &Model) -> Error {
    let name = model.name();
    let message = format!("the workspace was made for another model than \"{name}\"; make one with Workspace::new");
    Error::new(ErrorKind::Length, message)
}
