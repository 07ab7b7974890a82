//! The numbers that batches are made of, and the one place where the lane kernels are compiled.

use crate::dispatch::{Dispatch, F32x8, F64x4};
use crate::scalar::Unfused;

/// `f64` or `f32`.
///
/// Sealed: the kernels of a batch are compiled with this crate, once, and not again in every program that calls them.
pub trait BatchScalar: Dispatch + sealed::Sealed {}

pub(super) mod sealed {
    use super::super::arrays::{Part, Task};
    use super::super::engine::Worker;
    use super::super::lanes::Packed;
    use super::super::queue::Failure;
    use crate::dispatch::Dispatch;
    use crate::model::Model;

    pub trait Sealed: Dispatch {
        /// Several states side by side, with fused multiply-add.
        type Lanes: Packed<Self>;
        /// One state, on the instructions of every CPU.
        type Single: Packed<Self, Plain = Self::Single>;
        /// How many.
        const LANES: usize = <Self::Lanes as Packed<Self>>::STATES;

        fn worker(model: &Model) -> Worker<Self>;
        fn plain_worker(model: &Model) -> Worker<Self>;
        fn compute(worker: &mut Worker<Self>, task: &Task<'_, Self>, part: Part<'_, Self>) -> Result<(), Failure>;
    }
}

macro_rules! batch_scalar {
    ($float:ty, $lanes:ty) => {
        impl BatchScalar for $float {}

        impl sealed::Sealed for $float {
            type Lanes = $lanes;
            type Single = Unfused<$float>;

            fn worker(model: &Model) -> Worker<Self> {
                Worker::new(model)
            }
            fn plain_worker(model: &Model) -> Worker<Self> {
                Worker::plain(model)
            }
            #[inline(never)]
            fn compute(worker: &mut Worker<Self>, task: &Task<'_, Self>, part: Part<'_, Self>) -> Result<(), Failure> {
                worker.compute(task, part)
            }
        }
    };
}

use super::arrays::{Part, Task};
use super::engine::Worker;
use super::queue::Failure;
use crate::model::Model;

// 256 bits each.
batch_scalar!(f64, F64x4);
batch_scalar!(f32, F32x8);
