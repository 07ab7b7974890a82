//! The functions for single numbers and for lanes, compiled once, here, not again in every program that calls
//! them.

#[cfg(feature = "f32")]
use crate::dispatch::F32x8;
#[cfg(feature = "batch")]
use crate::dispatch::F64x4;
use crate::door::{COUNT, Function, Job, Kernel};
use crate::scalar::Native;

/// True if this build has code for CPUs without AVX2 and FMA. Without it, every call on such a CPU returns an
/// error.
///
/// It is true with the feature `any-cpu`, if the build machine is such a CPU, or if the target is not x86-64
/// or ARM.
pub const ANY_CPU: bool = cfg!(dtau_any_cpu);

static NATIVE_F64: [Kernel<Native<f64>>; COUNT] = Kernel::ALL;

/// Code for the instructions of every CPU; see `build.rs`.
#[cfg(dtau_any_cpu)]
static PLAIN_F64: [Kernel<f64>; COUNT] = Kernel::ALL;

/// A function with its code in `f64`.
#[inline]
pub fn job(function: Function) -> Job<f64> {
    let place = function.place();
    Job {
        function,
        #[cfg(dtau_any_cpu)]
        plain: Some(&PLAIN_F64[place]),
        #[cfg(not(dtau_any_cpu))]
        plain: None,
        native: Some(&NATIVE_F64[place]),
    }
}

/// Code for states side by side.
#[cfg(feature = "batch")]
pub static LANES_F64: [Kernel<F64x4>; COUNT] = Kernel::ALL;

/// Code for states side by side.
#[cfg(feature = "f32")]
pub static LANES_F32: [Kernel<F32x8>; COUNT] = Kernel::ALL;

#[cfg(all(feature = "f32", dtau_any_cpu))]
static PLAIN_F32: [Kernel<f32>; COUNT] = Kernel::ALL;

/// A function with its code in `f32`, for CPUs without lanes.
#[cfg(feature = "f32")]
pub fn job_f32(function: Function) -> Job<f32> {
    Job {
        function,
        #[cfg(dtau_any_cpu)]
        plain: Some(&PLAIN_F32[function.place()]),
        #[cfg(not(dtau_any_cpu))]
        plain: None,
        native: None,
    }
}
