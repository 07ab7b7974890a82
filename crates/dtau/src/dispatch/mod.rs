//! Run-time choice of instructions. This is the only module with `unsafe`.
//!
//! A [`Step`] is a piece of an algorithm: a closure. [`step`] runs it with the instructions of its scalar.
//! For [`Native`] numbers and registers it runs inside [`with_avx2_fma`](Step::with_avx2_fma), where all
//! inlined code (all of it is `#[inline(always)]`) is compiled with those instructions. No build flags are
//! needed.
//!
//! [`Hardware`] maps a scalar that users know to the scalars of the kernels. It is public in a private
//! module. Users' scalars name [`Portable`], but code outside cannot name the trait, and so cannot reach
//! `Native` or a register.
//!
//! There are two reasons for `unsafe`:
//! - entering a function compiled for CPU features, and using their instructions ([`avx2`], [`avx512`]). It
//!   is sound because a [`Proof`] exists only if they were detected;
//! - reading a slice of `f64` as [`Native<f64>`](Native) (and lanes likewise). It is sound because the
//!   layouts are the same by `repr(transparent)` and `repr(C)`.
//!
//! `--cfg dtau_portable` compiles the code of other architectures, to test it on this one.
#![allow(unsafe_code)]

#[cfg(any(not(target_arch = "x86_64"), dtau_portable))]
mod arrays;
#[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
mod avx512;

/// Scalar with as many `f64` as the widest registers of this architecture. Not every CPU has those registers.
#[cfg(any(not(target_arch = "x86_64"), dtau_portable))]
pub use arrays::F64x4 as WidestF64;
/// Scalars for four `f64` and eight `f32` side by side, with fused multiply-add.
#[cfg(any(not(target_arch = "x86_64"), dtau_portable))]
pub use arrays::{F32x8, F64x4};
#[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
pub use avx2::{F32x8, F64x4};
#[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
pub use avx512::F64x8 as WidestF64;

use crate::door::{Algorithm, Function, Job, Kernel};
use crate::matrix::MatrixMut;
use crate::scalar::{Join, Lanes, Native, Real, Wide};
use crate::scene::{Scene, Wrench};
use core::marker::PhantomData;

/// Maps a scalar to the scalars that kernels compute in.
pub trait Hardware<T: Real>: 'static {
    /// The twin of `T` with the CPU's fused multiply-add, or `T`.
    type Native: Twin<T>;
    /// Several numbers side by side in a SIMD register, for steps that are the same for many bodies. It is
    /// `T` if that already holds several numbers or is not a plain number.
    type Wide: Wide<T>;
    /// More numbers side by side, for steps with enough work. [`step`] needs a proof that the CPU has such
    /// registers.
    type Widest: Wide<T> + Join<Self::Wide>;
    /// True if `T` itself uses those instructions.
    const NATIVE: bool = false;
    /// True if it uses 512-bit registers.
    const WIDEST: bool = false;
    /// True if it is one or several plain numbers: without derivatives, and without operation counts.
    const PLAIN: bool = true;

    /// True if there is a twin, and this CPU has its instructions.
    fn has_native() -> bool {
        false
    }

    /// A function with its code. The calling crate compiles it, unless the library has precompiled it.
    #[inline(always)]
    fn job<A: Algorithm<I, O>, const I: usize, const O: usize>(algorithm: A) -> Job<T> {
        Job {
            function: algorithm.into(),
            plain: Some(const { &Kernel::of::<A, I, O>() }),
            native: Some(const { &Kernel::of::<A, I, O>() }),
        }
    }

    /// A function of the list with its code. This compiles all functions for `T`.
    fn job_of(function: Function) -> Job<T> {
        let place = function.place();
        Job { function, plain: Some(&const { &Kernel::ALL }[place]), native: Some(&const { &Kernel::ALL }[place]) }
    }
}

/// A SIMD register of several `T`.
pub type Register<T> = <<T as Real>::Hardware as Hardware<T>>::Wide;

/// The widest SIMD register of several `T`.
pub type Widest<T> = <<T as Real>::Hardware as Hardware<T>>::Widest;

/// The scalar of the kernels on CPUs with fused multiply-add.
pub type NativeOf<T> = <<T as Real>::Hardware as Hardware<T>>::Native;

/// The hardware of a scalar of your own: generic code, compiled for every CPU.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl<T: Real> Hardware<T> for Portable {
    type Native = T;
    type Wide = T;
    type Widest = T;
    const PLAIN: bool = false;
}

/// The hardware of plain and `Native` lanes.
#[derive(Clone, Copy, Debug)]
pub struct LanesHardware;

/// The hardware of registers.
#[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
#[derive(Clone, Copy, Debug)]
pub struct RegisterHardware;

/// The hardware of 512-bit registers.
#[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
#[derive(Clone, Copy, Debug)]
pub struct WideRegisterHardware;

macro_rules! hardware_of_lanes {
    ($($float:ty),*) => {$(
        impl<const N: usize> Hardware<Lanes<N, $float>> for LanesHardware {
            type Native = Lanes<N, Native<$float>>;
            type Wide = Lanes<N, $float>;
            type Widest = Lanes<N, $float>;
            fn has_native() -> bool {
                cpu_has_fma()
            }
        }

        impl<const N: usize> Hardware<Lanes<N, Native<$float>>> for LanesHardware {
            type Native = Lanes<N, Native<$float>>;
            type Wide = Lanes<N, Native<$float>>;
            type Widest = Lanes<N, Native<$float>>;
            const NATIVE: bool = true;
        }
    )*};
}
hardware_of_lanes!(f64, f32);

/// Hardware of a plain number and its twin. The functions in `f64` are precompiled in the library.
macro_rules! hardware_of_floats {
    ($($name:ident: $float:ty, side by side $wide:ty | $widest:ty $(, compiled as $job:path)?;)*) => {$(
        /// Hardware of a plain number and its `Native` twin.
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Hardware<$float> for $name {
            type Native = Native<$float>;
            type Wide = $float;
            type Widest = $float;

            fn has_native() -> bool {
                cpu_has_fma()
            }

            $(
                #[inline(always)]
                fn job<A: Algorithm<I, O>, const I: usize, const O: usize>(algorithm: A) -> Job<$float> {
                    $job(algorithm.into())
                }

                #[inline]
                fn job_of(function: Function) -> Job<$float> {
                    $job(function)
                }
            )?
        }

        impl Hardware<Native<$float>> for $name {
            type Native = Native<$float>;
            type Wide = $wide;
            type Widest = $widest;
            const NATIVE: bool = true;
        }
    )*};
}
hardware_of_floats! {
    F64Hardware: f64, side by side F64x4 | WidestF64, compiled as crate::engines::compiled::job;
    F32Hardware: f32, side by side F32x8 | F32x8;
}

/// A scalar with the same memory layout as `T`.
pub trait Twin<T: Real>: Real {
    /// Views a slice as the twin.
    fn slice(x: &[T]) -> &[Self];
    /// Views a mutable slice as the twin.
    fn slice_mut(x: &mut [T]) -> &mut [Self];
    /// Views a slice as the plain scalar.
    fn plain(x: &[Self]) -> &[T];
    /// Views a mutable slice as the plain scalar.
    fn plain_mut(x: &mut [Self]) -> &mut [T];
    /// Views arrays as the twin.
    fn slices<'a, 'b>(x: &'b [&'a [T]]) -> &'b [&'a [Self]];
    /// Views outputs as the twin.
    fn outs<'a, 'b>(y: &'b mut [MatrixMut<'a, T>]) -> &'b mut [MatrixMut<'a, Self>];
    /// Views a scene as the twin.
    fn scene<'a, 'b>(scene: &'b Scene<'a, T>) -> &'b Scene<'a, Self>;
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
    #[inline(always)]
    fn slices<'a, 'b>(x: &'b [&'a [T]]) -> &'b [&'a [T]] {
        x
    }
    #[inline(always)]
    fn outs<'a, 'b>(y: &'b mut [MatrixMut<'a, T>]) -> &'b mut [MatrixMut<'a, T>] {
        y
    }
    #[inline(always)]
    fn scene<'a, 'b>(scene: &'b Scene<'a, T>) -> &'b Scene<'a, T> {
        scene
    }
}

/// Views slices of a scalar as slices of its twin.
macro_rules! same_layout {
    ($({$($generics:tt)*})? $plain:ty => $twin:ty) => {
        impl $(<$($generics)*>)? Twin<$plain> for $twin {
            #[inline(always)]
            fn slice(x: &[$plain]) -> &[$twin] {
                // SAFETY: the twins have the same layout (`repr(transparent)` inside `repr(C)`), every bit pattern is
                // valid for both, and length and lifetime are kept.
                unsafe { core::slice::from_raw_parts(x.as_ptr().cast(), x.len()) }
            }
            #[inline(always)]
            fn slice_mut(x: &mut [$plain]) -> &mut [$twin] {
                // SAFETY: as above; the exclusive borrow is passed on.
                unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) }
            }
            #[inline(always)]
            fn plain(x: &[$twin]) -> &[$plain] {
                // SAFETY: as above.
                unsafe { core::slice::from_raw_parts(x.as_ptr().cast(), x.len()) }
            }
            #[inline(always)]
            fn plain_mut(x: &mut [$twin]) -> &mut [$plain] {
                // SAFETY: as above.
                unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) }
            }
            #[inline(always)]
            fn slices<'a, 'b>(x: &'b [&'a [$plain]]) -> &'b [&'a [$twin]] {
                // SAFETY: as above; the layout of a reference to a slice does not depend on the type of its elements.
                unsafe { core::slice::from_raw_parts(x.as_ptr().cast(), x.len()) }
            }
            #[inline(always)]
            fn outs<'a, 'b>(y: &'b mut [MatrixMut<'a, $plain>]) -> &'b mut [MatrixMut<'a, $twin>] {
                // SAFETY: as above; an output is `repr(C)`: references and a flag. The exclusive borrow is passed on, and
                // every value of one type is valid for the other, so that neither can be left with a wrong one.
                unsafe { core::slice::from_raw_parts_mut(y.as_mut_ptr().cast(), y.len()) }
            }
            #[inline(always)]
            fn scene<'a, 'b>(scene: &'b Scene<'a, $plain>) -> &'b Scene<'a, $twin> {
                // SAFETY: as above; a scene, its wrenches and what they are made of are `repr(C)`, so their layout follows from the scalar's.
                unsafe { &*core::ptr::from_ref(scene).cast() }
            }
        }
    };
}

same_layout!(f64 => Native<f64>);
same_layout!(f32 => Native<f32>);
same_layout!({const N: usize} Lanes<N, f64> => Lanes<N, Native<f64>>);
same_layout!({const N: usize} Lanes<N, f32> => Lanes<N, Native<f32>>);

const _: () = {
    assert!(size_of::<f64>() == size_of::<Native<f64>>());
    assert!(size_of::<MatrixMut<'_, f64>>() == size_of::<MatrixMut<'_, Native<f64>>>());
    assert!(align_of::<MatrixMut<'_, f64>>() == align_of::<MatrixMut<'_, Native<f64>>>());
    assert!(size_of::<&[f64]>() == size_of::<&[Native<f64>]>());
    assert!(size_of::<Scene<'_, f64>>() == size_of::<Scene<'_, Native<f64>>>());
    assert!(align_of::<Scene<'_, f64>>() == align_of::<Scene<'_, Native<f64>>>());
    assert!(size_of::<Wrench<f64>>() == size_of::<Wrench<Native<f64>>>());
    assert!(align_of::<Wrench<f64>>() == align_of::<Wrench<Native<f64>>>());
    assert!(size_of::<Lanes<4, f64>>() == size_of::<Lanes<4, Native<f64>>>());
    assert!(align_of::<Lanes<4, f64>>() == align_of::<Lanes<4, Native<f64>>>());
    assert!(size_of::<Lanes<8, f32>>() == size_of::<Lanes<8, Native<f32>>>());
    assert!(align_of::<Lanes<8, f32>>() == align_of::<Lanes<8, Native<f32>>>());
};

/// Proof that this CPU has the instructions for `T`.
#[derive(Debug)]
pub struct Proof<T> {
    /// True if it has AVX-512 too. Only tested if it is useful.
    avx512: bool,
    scalar: PhantomData<fn() -> T>,
}

impl<T> Clone for Proof<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Proof<T> {}

impl<T: Real> Proof<T> {
    /// Detects the instructions; `None` if the CPU lacks them.
    pub fn find() -> Option<Self> {
        let fused = !<T::Hardware as Hardware<T>>::NATIVE || cpu_has_fma();
        let wide = !<T::Hardware as Hardware<T>>::WIDEST || cpu_has_avx512();
        (fused && wide).then(|| Self { avx512: has_wider::<T>() && cpu_has_avx512(), scalar: PhantomData })
    }
}

/// A piece of an algorithm: a closure, see `step!`, or a type with an `#[inline(always)]` method `run`.
///
/// The entries are trait methods, not functions: the compiler places a method beside the type it is called
/// on, so steps of different files are compiled in parallel.
pub trait Step: Sized {
    /// Type of its result.
    type Output;
    /// Runs it.
    fn run(self) -> Self::Output;

    /// Runs it with AVX2 and FMA.
    ///
    /// # Safety
    /// The CPU must have both.
    #[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn with_avx2_fma(self) -> Self::Output {
        self.run()
    }

    /// Runs it with AVX-512 too.
    ///
    /// # Safety
    /// The CPU must have AVX2, FMA and the features tested by [`cpu_has_avx512`].
    #[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
    #[target_feature(enable = "avx2,fma,avx512f,avx512dq,avx512vl")]
    unsafe fn with_avx512(self) -> Self::Output {
        self.run()
    }

    /// Runs it with the instructions of every CPU.
    #[inline(never)]
    fn plainly(self) -> Self::Output {
        self.run()
    }
}

// `FnMut`, because the compiler does not inline `FnOnce::call_once` of a closure: multiply-adds would become
// library calls.
impl<R, F: FnMut() -> R> Step for F {
    type Output = R;

    #[inline(always)]
    fn run(mut self) -> R {
        self()
    }
}

/// Runs a closure as a step: `step!(proof, || …)`.
macro_rules! inlined_step {
    ($proof:expr, || $body:expr) => {
        $crate::dispatch::step(
            $proof,
            #[inline(always)]
            || $body,
        )
    };
}
pub(crate) use inlined_step as step;

/// Runs a step as `step!` does, with the best instructions of this CPU.
macro_rules! inlined_best_step {
    ($proof:expr, || $body:expr) => {
        $crate::dispatch::best_step(
            $proof,
            #[inline(always)]
            || $body,
        )
    };
}
pub(crate) use inlined_best_step as best_step;

/// Runs a step with the instructions of `T`, in its own function, so that it is not compiled again at every
/// call.
#[inline(always)]
pub fn step<T: Real, S: Step>(_: Proof<T>, step: S) -> S::Output {
    #[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
    if <T::Hardware as Hardware<T>>::WIDEST {
        // SAFETY: the proof says that the CPU has AVX2, FMA and AVX-512.
        return unsafe { step.with_avx512() };
    }
    #[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
    if <T::Hardware as Hardware<T>>::NATIVE {
        // SAFETY: the proof says that the CPU has AVX2 and FMA.
        return unsafe { step.with_avx2_fma() };
    }
    step.plainly()
}

/// Runs a step as [`step`] does, with the best instructions of this CPU. AVX-512 has twice as many registers of any width, and
/// an instruction can broadcast a number to all lanes as it reads it. Results are rounded as without it. Such
/// a step is compiled twice, so use it only where it pays (regressor 15 to 18 %, `id_hessian` 5 to 10 %;
/// first derivatives did not gain).
#[inline(always)]
pub fn best_step<T: Real, S: Step>(proof: Proof<T>, work: S) -> S::Output {
    if has_wider::<T>() && proof.avx512 {
        #[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
        // SAFETY: the proof says that the CPU has AVX2, FMA and AVX-512.
        return unsafe { work.with_avx512() };
    }
    step(proof, work)
}

/// True if some CPUs that compute in `T` have wider registers for it.
const fn has_wider<T: Real>() -> bool {
    <T::Hardware as Hardware<T>>::NATIVE
        && !<T::Hardware as Hardware<T>>::WIDEST
        && <<Widest<T> as Real>::Hardware as Hardware<Widest<T>>>::WIDEST
}

/// True if the CPU has fast `Native` numbers.
fn cpu_has_fma() -> bool {
    #[cfg(any(target_arch = "aarch64", dtau_portable))]
    return true; // part of ARM's base instruction set
    #[cfg(all(target_arch = "x86_64", feature = "std", not(dtau_portable)))]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(all(target_arch = "x86_64", not(feature = "std"), not(dtau_portable)))]
    return cfg!(all(target_feature = "avx2", target_feature = "fma"));
    #[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64", dtau_portable)))]
    return false;
}

/// True if there are 512-bit registers with masks, and AVX-512 instructions for shorter registers.
fn cpu_has_avx512() -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std", not(dtau_portable)))]
    return std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl");
    #[cfg(all(target_arch = "x86_64", not(feature = "std"), not(dtau_portable)))]
    return cfg!(all(target_feature = "avx512f", target_feature = "avx512dq", target_feature = "avx512vl"));
    #[cfg(any(not(target_arch = "x86_64"), dtau_portable))]
    return false;
}

#[cfg(test)]
mod tests;
