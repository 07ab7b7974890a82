//! The numbers that batches are made of, and the one place where the lane kernels are compiled.

use super::Batch;
use super::queue::Failure;
use super::worker::{Part, Task, Worker};
#[cfg(feature = "f32")]
use crate::dispatch::F32x8;
use crate::dispatch::F64x4;
use crate::door::{Function, MOST_ARRAYS, Out, Outcome};
use crate::engines::{Compiled, Instructions, compiled};
use crate::error::Error;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::Scene;

/// `f64`, or with the feature `f32` also `f32`.
///
/// Sealed: the kernels of a batch are compiled with this crate, once, and not again in every program that calls them.
pub trait BatchScalar: Real + sealed::Sealed {}

pub(super) mod sealed {
    use super::*;
    use crate::engines::batch::lanes::Packed;

    pub trait Sealed: Real {
        /// Several states side by side, with fused multiply-add.
        type Lanes: Packed<Self>;
        /// How many.
        const LANES: usize = <Self::Lanes as Packed<Self>>::STATES;

        fn worker(model: &Model) -> Worker<Self>;
        fn one_by_one_worker(model: &Model) -> Worker<Self>;
        fn plain_worker(model: &Model) -> Worker<Self>;
        /// One state.
        fn run(
            function: Function,
            scene: &Scene<'_, Self>,
            on: &mut Instructions<Self>,
            x: &[&[Self]],
            y: &mut [Out<'_, Self>],
        ) -> Outcome;
        fn compute(worker: &mut Worker<Self>, task: &Task<'_, Self>, part: Part<'_, Self>) -> Result<(), Failure>;
        fn call(
            batch: &mut Batch<Self>,
            function: Function,
            scene: Scene<'_, Self>,
            x: &[&[Self]],
            y: &mut [Option<&mut [Self]>],
        ) -> Result<(), Error>
        where
            Self: BatchScalar;
        fn call_compiled(
            compiled: &mut Compiled<Self>,
            function: Function,
            scene: Scene<'_, Self>,
            x: &[&[Self]],
            y: [&mut [Self]; MOST_ARRAYS],
        ) -> Result<(), Error>
        where
            Self: BatchScalar;
    }
}

macro_rules! batch_scalar {
    ($float:ty, $lanes:ty, $run:path) => {
        impl BatchScalar for $float {}

        impl sealed::Sealed for $float {
            type Lanes = $lanes;

            fn worker(model: &Model) -> Worker<Self> {
                Worker::new(model)
            }
            fn one_by_one_worker(model: &Model) -> Worker<Self> {
                Worker::one_by_one(model)
            }
            fn plain_worker(model: &Model) -> Worker<Self> {
                Worker::plain(model)
            }
            fn run(
                function: Function,
                scene: &Scene<'_, Self>,
                on: &mut Instructions<Self>,
                x: &[&[Self]],
                y: &mut [Out<'_, Self>],
            ) -> Outcome {
                $run(function, scene, on, x, y)
            }
            #[inline(never)]
            fn compute(worker: &mut Worker<Self>, task: &Task<'_, Self>, part: Part<'_, Self>) -> Result<(), Failure> {
                worker.compute(task, part)
            }
            fn call(
                batch: &mut Batch<Self>,
                function: Function,
                scene: Scene<'_, Self>,
                x: &[&[Self]],
                y: &mut [Option<&mut [Self]>],
            ) -> Result<(), Error> {
                batch.call_function(function, scene, x, y)
            }
            fn call_compiled(
                compiled: &mut Compiled<Self>,
                function: Function,
                scene: Scene<'_, Self>,
                x: &[&[Self]],
                y: [&mut [Self]; MOST_ARRAYS],
            ) -> Result<(), Error> {
                compiled.call_function(function, scene, x, y)
            }
        }
    };
}

// 256 bits each.
batch_scalar!(f64, F64x4, compiled::run_f64);
#[cfg(feature = "f32")]
batch_scalar!(f32, F32x8, compiled::run_f32);
