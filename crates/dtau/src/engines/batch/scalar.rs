//! The scalars of batches, and the one place where the lane kernels are compiled.

use super::queue::Failure;
use super::worker::{Part, Task, Worker};
#[cfg(feature = "f32")]
use crate::dispatch::F32x8;
use crate::dispatch::F64x4;
use crate::door::{COUNT, Function, Job, Kernel};
use crate::engines::compiled;
use crate::scalar::Real;

/// `f64`, or with the feature `f32` also `f32`.
///
/// Sealed: the kernels of a batch are compiled once, with this crate, not again in every program that calls
/// them.
pub trait BatchScalar: Real + sealed::Sealed {}

pub(super) mod sealed {
    use super::*;
    use crate::engines::batch::lanes::Packed;

    pub trait Sealed: Real {
        /// Several states side by side, with fused multiply-add.
        type Lanes: Packed<Self>;
        /// Number of states in the lanes.
        const LANES: usize = <Self::Lanes as Packed<Self>>::STATES;
        /// True if the library has kernels for single states on CPUs with lanes too.
        const HAS_SINGLE: bool;

        /// Code for states side by side.
        fn lanes() -> &'static [Kernel<Self::Lanes>; COUNT];
        /// A function with its code for single states.
        fn single(function: Function) -> Job<Self>;
        /// Computes a part of a call.
        fn compute(worker: &mut Worker<Self>, task: &Task<'_, Self>, part: Part<'_, Self>) -> Result<(), Failure>;
    }
}

macro_rules! batch_scalar {
    ($float:ty, $lanes:ty, $has_single:literal, $code:path, $single:path) => {
        impl BatchScalar for $float {}

        impl sealed::Sealed for $float {
            type Lanes = $lanes;
            const HAS_SINGLE: bool = $has_single;

            fn lanes() -> &'static [Kernel<$lanes>; COUNT] {
                &$code
            }
            fn single(function: Function) -> Job<Self> {
                $single(function)
            }
            #[inline(never)]
            fn compute(worker: &mut Worker<Self>, task: &Task<'_, Self>, part: Part<'_, Self>) -> Result<(), Failure> {
                worker.compute(task, part)
            }
        }
    };
}

// 256 bits each.
batch_scalar!(f64, F64x4, true, compiled::LANES_F64, compiled::job);
#[cfg(feature = "f32")]
batch_scalar!(f32, F32x8, false, compiled::LANES_F32, compiled::job_f32);
