//! The engine for one state at a time.

use super::{Call, Memory};
use crate::dispatch::{Hardware, NativeOf, Proof, Twin};
use crate::door::{Counts, Declaration, Function, Job, check};
use crate::error::{Error, ErrorKind};
use crate::matrix::MatrixMut;
use crate::model::Model;
use crate::room;
use crate::scalar::Real;
use crate::scene::Scene;
use alloc::format;

/// Scratch memory for one model and one scalar: the engine for one state.
///
/// It carries no information from call to call: a result depends on that call's arguments only. One thread
/// uses it at a time; create one per thread.
///
/// Its size is O(N). Later, only the first call of a function that needs more memory allocates, such as the
/// derivatives of a robot with mimicking joints; [`reserve`](Self::reserve) does that in advance.
///
/// Its creation decides whether the CPU's fused multiply-add is used.
#[derive(Debug)]
pub struct Workspace<T: Real = f64> {
    on: Instructions<T>,
    shape: u64,
}

/// Scratch for the chosen instructions.
#[derive(Debug)]
pub enum Instructions<T: Real> {
    /// Instructions that every CPU has.
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

    /// Allocates the memory of a function.
    fn reserve(&mut self, job: &Job<T>, model: &Model, counts: Counts) -> Result<(), Error> {
        let (function, declaration) = (&job.function, job.function.declaration());
        match self {
            Instructions::Plain(memory) => memory.reserve(built(job.plain)?, function, declaration, model, counts),
            Instructions::Native(memory) => memory.reserve(built(job.native)?, function, declaration, model, counts),
        }
    }

    /// Computes one state of a call that has been checked.
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        job: &Job<T>,
        declaration: &'static Declaration,
        counts: Counts,
        scene: &Scene<'_, T>,
        x: &[&[T]],
        y: &mut [MatrixMut<'_, T>],
    ) -> Result<(), Error> {
        let (function, model) = (&job.function, scene.model);
        let outcome = match self {
            Instructions::Plain(memory) => {
                let kernel = built(job.plain)?;
                memory.reserve(kernel, function, declaration, model, counts)?;
                memory.run(kernel, function, declaration, scene, x, y)
            }
            Instructions::Native(memory) => {
                let kernel = built(job.native)?;
                memory.reserve(kernel, function, declaration, model, counts)?;
                let (x, y) = (NativeOf::<T>::slices(x), NativeOf::<T>::outs(y));
                memory.run(kernel, function, declaration, scene.recast(), x, y)
            }
        };
        match outcome {
            Ok(()) => Ok(()),
            Err(failed) => Err(failed.error(declaration, scene, x)),
        }
    }
}

/// The code for this CPU, if this build has it.
#[inline(always)]
fn built<K>(kernel: Option<K>) -> Result<K, Error> {
    kernel.ok_or_else(|| {
        let message = "this build of dtau computes with AVX2 and FMA, which this CPU does not have; build dtau on this \
                       machine, or with its feature `any-cpu`";
        Error::new(ErrorKind::Unsupported, message)
    })
}

impl<T: Real> Workspace<T> {
    /// Creates scratch for a model, for the fastest instructions of this CPU. Aborts the process if there is
    /// no memory, as a `Vec` does; [`try_new`](Self::try_new) returns an error instead.
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

    /// Creates scratch for a model, for the instructions that every CPU has: for comparisons. In `f64` its
    /// calls are errors unless [`ANY_CPU`](crate::ANY_CPU).
    pub fn plain(model: &Model) -> Self {
        Self { on: Instructions::plain(model), shape: model.shape() }
    }

    /// Allocates the memory of a function that needs more than O(N), so that its first call does not allocate.
    ///
    /// The scene is `&model`, or one with the constraints that the function acts on.
    ///
    /// # Errors
    /// If the workspace was made for another model, the function has a frame of another model, or there is no
    /// memory.
    pub fn reserve<'m>(&mut self, scene: impl Into<Scene<'m, T>>, function: Function) -> Result<(), Error> {
        let scene = scene.into();
        let model = scene.model;
        self.check(model)?;
        scene.check()?;
        function.check(model)?;
        let counts = Counts { columns: model.nv(), rows: scene.rows() };
        self.on.reserve(&T::Hardware::job_of(function), model, counts)
    }

    /// Checks that it was made for this model or one of the same shape.
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

/// A task that is not a function of the list, but runs on a workspace's instructions.
pub(crate) trait OnTwin<T: Real> {
    type Output;
    fn run<N: Twin<T>>(self, memory: &mut Memory<N>) -> Self::Output;
}

impl<T: Real> Call<T> for Workspace<T> {
    fn call(&mut self, job: Job<T>, scene: &Scene<'_, T>, x: &[&[T]], y: &mut [MatrixMut<'_, T>]) -> Result<(), Error> {
        let (model, declaration) = (scene.model, job.function.declaration());
        self.check(model)?;
        check::surroundings(&job.function, declaration, scene)?;
        let counts = check::one_state(declaration, scene, x, y)?;
        let outputs = declaration.outputs; // as many as `y`, which was checked
        let in_place = declaration.has_zeros_of_tree
            && outputs.iter().zip(&*y).all(|(arg, y)| !arg.has_zeros_of_tree || y.has_zeros_of(model));
        for (arg, y) in outputs.iter().zip(&mut *y) {
            y.zeros_in_place = arg.has_zeros_of_tree && in_place;
            y.will_have_zeros_of(arg.has_zeros_of_tree.then_some(model));
        }
        self.on.run(&job, declaration, counts, scene, x, y)
    }
}

#[cold]
fn other_model(model: &Model) -> Error {
    let name = model.name();
    let message = format!("the workspace was made for another model than \"{name}\"; make one with Workspace::new");
    Error::new(ErrorKind::Length, message)
}
