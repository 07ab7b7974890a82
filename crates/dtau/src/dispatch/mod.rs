//! Run-time choice of instructions: the one module with `unsafe` in it.
//!
//! A [`Kernel`] is an algorithm with its arguments, generic over the scalar it computes in. A workspace decides, when it
//! is made, whether this CPU has fused multiply-add; if so, an `f64` kernel runs on [`Fused<f64>`](Fused) inside
//! [`with_avx2_fma`], where everything that is inlined (all of it: `#[inline(always)]`) is compiled with those
//! instructions. No build flags are needed.
//!
//! Two things here are `unsafe`, each for one reason:
//! - entering a function compiled for a CPU feature, and using its instructions ([`avx2`]): sound because the feature was
//!   detected;
//! - reading a slice of `f64` as `Fused<f64>` (and lanes likewise): sound because the layouts are the same by
//!   `repr(transparent)` and `repr(C)`.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;

/// What four `f64` and eight `f32` side by side are computed in, where multiply-adds are fused; and without fusing them, there.
#[cfg(target_arch = "x86_64")]
pub use avx2::{F32x8, F64x4};
#[cfg(all(target_arch = "x86_64", feature = "batch"))]
pub use avx2::{PlainF32x8, PlainF64x4};
#[cfg(not(target_arch = "x86_64"))]
pub use elsewhere::{F32x8, F64x4};
#[cfg(all(not(target_arch = "x86_64"), feature = "batch"))]
pub use elsewhere::{PlainF32x8, PlainF64x4};

#[cfg(not(target_arch = "x86_64"))]
mod elsewhere;

#[cfg(feature = "std")]
use crate::scalar::Counted;
use crate::scalar::{Complex, Dual, Fused, Lanes, Real};

/// An algorithm with its arguments over `T`, that can compute in any twin of `T`.
pub(crate) trait Kernel<T: Real> {
    /// What it returns.
    type Output;
    /// Runs it.
    fn run<S: Twin<T>>(self, scratch: &mut crate::workspace::Scratch<S>) -> Self::Output;
}

/// A scalar with the same memory layout as `T`.
pub trait Twin<T: Real>: Real {
    /// The same numbers.
    fn slice(x: &[T]) -> &[Self];
    /// The same numbers, to write.
    fn slice_mut(x: &mut [T]) -> &mut [Self];
    /// And back.
    fn plain(x: &[Self]) -> &[T];
    /// And back, to write.
    fn plain_mut(x: &mut [Self]) -> &mut [T];
}

impl<T: Real> Twin<T> for T {
    #[inline(always)]
    fn slice(x: &[T]) -> &[T] {
        x
    }
    #[inline(always)]
    fn slice_mut(x: &mut [T]) -> &mut [T] {
        x
    }
    #[inline(always)]
    fn plain(x: &[T]) -> &[T] {
        x
    }
    #[inline(always)]
    fn plain_mut(x: &mut [T]) -> &mut [T] {
        x
    }
}

/// Scalars that may have a faster twin.
pub trait Dispatch: Real {
    /// The twin with fused multiply-add, or `Self`.
    type Fused: Twin<Self>;
    /// Whether a workspace of this scalar may run on the instructions of every CPU. If not, none exists where the CPU has
    /// no fused multiply-add, and no kernel is compiled without.
    const RUNS_PLAIN: bool;
    /// Whether it may run with fused multiply-add. If not, no kernel is compiled with it.
    const RUNS_FUSED: bool;
    /// Whether this CPU runs the twin fast.
    fn has_fused() -> bool;
}

macro_rules! own_twin {
    ($runs_fused:literal: $($({$($generics:tt)*})? $type:ty;)*) => {$(
        impl $(<$($generics)*>)? Dispatch for $type {
            type Fused = Self;
            const RUNS_PLAIN: bool = !$runs_fused;
            const RUNS_FUSED: bool = $runs_fused;
            fn has_fused() -> bool {
                $runs_fused && cpu_has_fma()
            }
        }
    )*};
}

#[cfg(feature = "std")]
own_twin! { false:
    Counted;
}

own_twin! { false:
    Complex;
    {const N: usize} Dual<N>;
    Fused<f64>;
    Fused<f32>;
}

#[cfg(feature = "batch")]
own_twin! { false:
    crate::scalar::Unfused<f64>;
    crate::scalar::Unfused<f32>;
}

own_twin! { true:
    {const N: usize} Lanes<N, Fused<f64>>;
    {const N: usize} Lanes<N, Fused<f32>>;
}

/// Slices of a scalar seen as slices of its twin.
macro_rules! same_layout {
    ($({$($generics:tt)*})? $plain:ty => $fused:ty) => {
        impl $(<$($generics)*>)? Twin<$plain> for $fused {
            #[inline(always)]
            fn slice(x: &[$plain]) -> &[$fused] {
                // SAFETY: the twins have the same layout (`repr(transparent)` inside `repr(C)`), every bit pattern is
                // valid for both, and length and lifetime are kept.
                unsafe { core::slice::from_raw_parts(x.as_ptr().cast(), x.len()) }
            }
            #[inline(always)]
            fn slice_mut(x: &mut [$plain]) -> &mut [$fused] {
                // SAFETY: as above; the exclusive borrow is passed on.
                unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) }
            }
            #[inline(always)]
            fn plain(x: &[$fused]) -> &[$plain] {
                // SAFETY: as above.
                unsafe { core::slice::from_raw_parts(x.as_ptr().cast(), x.len()) }
            }
            #[inline(always)]
            fn plain_mut(x: &mut [$fused]) -> &mut [$plain] {
                // SAFETY: as above.
                unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) }
            }
        }
    };
}
use same_layout;

macro_rules! fused_twin {
    ($($({$($generics:tt)*})? $plain:ty => $fused:ty;)*) => {$(
        same_layout!($({$($generics)*})? $plain => $fused);
        impl $(<$($generics)*>)? Dispatch for $plain {
            type Fused = $fused;
            const RUNS_PLAIN: bool = true;
            const RUNS_FUSED: bool = true;
            fn has_fused() -> bool {
                cpu_has_fma()
            }
        }
    )*};
}

fused_twin! {
    f64 => Fused<f64>;
    f32 => Fused<f32>;
    {const N: usize} Lanes<N, f64> => Lanes<N, Fused<f64>>;
    {const N: usize} Lanes<N, f32> => Lanes<N, Fused<f32>>;
}

/// Whether the fused twins are fast here.
fn cpu_has_fma() -> bool {
    #[cfg(target_arch = "aarch64")]
    return true; // part of the base instruction set
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(all(target_arch = "x86_64", not(feature = "std")))]
    return cfg!(all(target_feature = "avx2", target_feature = "fma"));
    #[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
    return false;
}

/// Runs a kernel as it is. A function of its own, so that kernels are not compiled anew wherever they are called.
#[inline(never)]
pub(crate) fn run_plain<T: Dispatch, K: Kernel<T>>(kernel: K, scratch: &mut crate::workspace::Scratch<T>) -> K::Output {
    kernel.run::<T>(scratch)
}

/// Runs a kernel on the fused twin. Only for workspaces made where [`Dispatch::has_fused`].
#[inline(always)]
pub(crate) fn run_fused<T: Dispatch, K: Kernel<T>>(
    kernel: K,
    scratch: &mut crate::workspace::Scratch<T::Fused>,
) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a scratch of the fused twin exists only where the CPU was found to have AVX2 and FMA.
    return unsafe { with_avx2_fma::<T, K>(kernel, scratch) };
    #[cfg(not(target_arch = "x86_64"))]
    return kernel.run::<T::Fused>(scratch);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2_fma<T: Dispatch, K: Kernel<T>>(kernel: K, scratch: &mut crate::workspace::Scratch<T::Fused>) -> K::Output {
    kernel.run::<T::Fused>(scratch)
}

const _: () = {
    assert!(size_of::<f64>() == size_of::<Fused<f64>>());
    assert!(size_of::<Lanes<4, f64>>() == size_of::<Lanes<4, Fused<f64>>>());
    assert!(align_of::<Lanes<4, f64>>() == align_of::<Lanes<4, Fused<f64>>>());
    assert!(size_of::<Lanes<8, f32>>() == size_of::<Lanes<8, Fused<f32>>>());
    assert!(align_of::<Lanes<8, f32>>() == align_of::<Lanes<8, Fused<f32>>>());
};

#[cfg(test)]
mod tests;
