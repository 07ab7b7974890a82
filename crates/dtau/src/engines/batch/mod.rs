//! Many states at once: every function of the library, on SIMD lanes and, with the feature `rayon`, on threads.
//!
//! A [`Batch`] replaces the workspace, and every array has one row per state:
//!
//! ```
//! use dtau::model::{Model, Options};
//! use dtau::{Batch, rnea};
//!
//! let model = Model::bundled("arm6", &Options::default())?;
//! let states = 1000;
//! let (q, v) = (vec![0.1; states * model.nq()], vec![0.2; states * model.nv()]);
//! let (a, mut tau) = (vec![0.0; states * model.nv()], vec![0.0; states * model.nv()]);
//!
//! let mut batch = Batch::new(&model);
//! rnea(&model, &mut batch, &q, &v, &a, &mut tau)?;
//! # Ok::<(), dtau::Error>(())
//! ```
//!
//! - An array has states × its size numbers, state after state. A matrix of a state is contiguous and
//!   column-major. The number of states may be any, also zero. It follows from the length of `q`; for a model
//!   without `q`, from the first array that is not empty.
//! - Results are those of a [`Workspace`](crate::Workspace) for one state, bit for bit, for any number and
//!   order of states and any number of threads.
//! - After an error, the contents of the outputs are unspecified. If states fail, the error names the first one.
//! - On one thread, only the first call of a function allocates.
//!
//! How it works is in `docs/batches.md`.

mod lanes;
mod queue;
mod scalar;
#[cfg(feature = "rayon")]
mod threads;
mod worker;

pub use scalar::BatchScalar;
pub(super) use worker::Task;

use super::Call;
use crate::door::check::{self, Lengths};
use crate::door::{Job, MOST_ARRAYS};
use crate::error::{Error, ErrorKind};
use crate::matrix::MatrixMut;
use crate::model::Model;
#[cfg(feature = "rayon")]
use crate::room;
use crate::scene::Scene;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;
use queue::Queue;
use worker::Worker;

/// Scratch memory for many states of one model, with the threads that compute them.
///
/// It carries no information from call to call, as a [`Workspace`](crate::Workspace).
pub struct Batch<F: BatchScalar = f64> {
    /// One per thread.
    workers: Vec<Worker<F>>,
    #[cfg(feature = "rayon")]
    threads: Option<threads::Threads>,
    progress: Option<Box<OnProgress>>,
}

/// Progress of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of finished states.
    pub done: usize,
    /// Number of states of the call.
    pub total: usize,
}

type OnProgress = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;

impl<F: BatchScalar> Batch<F> {
    /// Creates a batch for a model, on the calling thread with the fastest instructions of this CPU: several
    /// states side by side if it has AVX2 and fused multiply-add (or is an ARM), one by one otherwise.
    pub fn new(model: &Model) -> Self {
        Self::with(vec![Worker::new(model)])
    }

    /// Creates a batch for a model, on the calling thread with the fastest instructions of this CPU, but
    /// state by state for every function: for comparisons.
    pub fn one_by_one(model: &Model) -> Self {
        Self::with(vec![Worker::one_by_one(model)])
    }

    /// Creates a batch for a model, on the calling thread with the instructions that every CPU has, state by
    /// state: for comparisons. Its calls are errors unless [`ANY_CPU`](crate::ANY_CPU).
    pub fn plain(model: &Model) -> Self {
        Self::with(vec![Worker::plain(model)])
    }

    /// Creates a batch for a model, on `threads` threads including the calling one; 0 means one per core.
    /// More threads than cores do not help.
    ///
    /// # Errors
    /// If the system provides no threads, or no memory.
    #[cfg(feature = "rayon")]
    pub fn with_threads(model: &Model, threads: usize) -> Result<Self, Error> {
        let threads = if threads > 0 { threads } else { std::thread::available_parallelism().map_or(1, usize::from) };
        room::for_scratch(model, threads.saturating_mul(size_of::<F::Lanes>()))?;
        let batch = Self::with((0..threads).map(|_| Worker::new(model)).collect());
        if threads == 1 {
            return Ok(batch);
        }
        Ok(Self { threads: Some(threads::Threads::new(threads)?), ..batch })
    }

    fn with(workers: Vec<Worker<F>>) -> Self {
        Self {
            workers,
            #[cfg(feature = "rayon")]
            threads: None,
            progress: None,
        }
    }

    /// Calls `f` after every few dozen states. If it returns `Break`, no further states are started and the
    /// call ends with [`ErrorKind::Interrupted`].
    ///
    /// The calls never overlap and `done` only grows. With several threads, any of them may call.
    pub fn on_progress(mut self, f: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        self.progress = Some(Box::new(f));
        self
    }

    /// Number of threads that compute.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Computes a call that has been checked.
    pub(super) fn run(&mut self, task: &Task<'_, F>, outputs: [&mut [F]; MOST_ARRAYS]) -> Result<(), Error> {
        let chunk = queue::chunk(task.states, self.workers.len(), F::LANES);
        let mut queue = Queue::new(task, outputs, chunk, self.progress.as_deref());
        #[cfg(feature = "rayon")]
        if let Some(threads) = &self.threads {
            threads.run(&mut self.workers, task, &mut queue);
            return queue.result();
        }
        let worker = &mut self.workers[0];
        while let Some(part) = queue.next() {
            let count = part.count;
            queue.report(count, F::compute(worker, task, part));
        }
        queue.result()
    }

    fn check(&self, model: &Model) -> Result<(), Error> {
        if self.workers[0].fits(model) {
            return Ok(());
        }
        let name = model.name();
        let message = format!("the batch was made for another model than \"{name}\"; make one with Batch::new");
        Err(Error::new(ErrorKind::Length, message))
    }
}

impl<F: BatchScalar> Call<F> for Batch<F> {
    fn call(&mut self, job: Job<F>, scene: &Scene<'_, F>, x: &[&[F]], y: &mut [MatrixMut<'_, F>]) -> Result<(), Error> {
        self.check(scene.model)?;
        let declaration = job.function.declaration();
        check::surroundings(&job.function, declaration, scene)?;
        let lengths = Lengths::of(declaration, scene, x, y)?;
        self.run(&Task::new(job.function, *scene, lengths, x), outputs(y))
    }
}

/// The outputs of a call; their contents are ignored.
pub(super) fn outputs<'a, F>(y: &'a mut [MatrixMut<'_, F>]) -> [&'a mut [F]; MOST_ARRAYS] {
    let mut outputs: [&mut [F]; MOST_ARRAYS] = Default::default();
    for (to, y) in outputs.iter_mut().zip(y) {
        y.will_have_zeros_of(None);
        *to = &mut *y.entries;
    }
    outputs
}

impl<F: BatchScalar> fmt::Debug for Batch<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("threads", &self.threads()).finish_non_exhaustive()
    }
}
