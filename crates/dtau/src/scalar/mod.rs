//! Scalars: every algorithm is written once over [`Real`]; the scalar determines the kind of result.
//!
//! | scalar | gives |
//! | --- | --- |
//! | `f64`, `f32` | the plain result |
//! | [`Fused`] | the same with a multiply-add that rounds once, on any CPU |
//! | [`Lanes`] | several *states* at once, one per SIMD lane |
//! | [`Complex`] | complex-step derivatives: an exact oracle |
//! | [`Dual`] | forward-mode automatic differentiation: a second oracle |
//! | [`HyperDual`] | exact second derivatives: the oracle of Hessians |
//! | `Counted` | floating-point operation counts; needs the feature `std` |

/// `+=`, `-=` and `*=` in terms of `+`, `-` and `*`.
macro_rules! assign_operators {
    ($type:ty $(, $($generics:tt)*)?) => {
        impl $(<$($generics)*>)? AddAssign for $type {
            #[inline(always)]
            fn add_assign(&mut self, b: Self) {
                *self = *self + b;
            }
        }
        impl $(<$($generics)*>)? SubAssign for $type {
            #[inline(always)]
            fn sub_assign(&mut self, b: Self) {
                *self = *self - b;
            }
        }
        impl $(<$($generics)*>)? MulAssign for $type {
            #[inline(always)]
            fn mul_assign(&mut self, b: Self) {
                *self = *self * b;
            }
        }
    };
}
pub(crate) use assign_operators;

mod complex;
#[cfg(feature = "std")]
mod counted;
mod dual;
mod float;
mod fused;
mod hyper_dual;
mod lanes;
pub(crate) mod trig;
mod wide;

pub use complex::Complex;
#[cfg(feature = "std")]
pub use counted::{Counted, Operations};
pub use dual::Dual;
pub use fused::Fused;
pub(crate) use fused::Native;
pub use hyper_dual::HyperDual;
pub use lanes::{Element, Lanes};
#[cfg(all(target_arch = "x86_64", not(dtau_portable)))]
pub(crate) use trig::Quadrant;
pub(crate) use wide::{Join, Wide};

use crate::dispatch::Hardware;
pub use crate::dispatch::Portable;

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number type for the algorithms.
///
/// Branches on values use [`lt`](Real::lt) and [`select`](Real::select), because lanes may differ. Both sides
/// are computed, and must be harmless in lanes that do not select them.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// Result of a comparison: `bool`, or one per lane.
    type Mask: Copy;

    /// Hardware that computes with this scalar; use [`Portable`] for your own scalars. Plain numbers and
    /// their lanes detect the CPU's features at run time; their hardware types are private to the library.
    type Hardware: Hardware<Self>;

    /// True if it already consists of several numbers, so that packing into registers gains nothing.
    const IS_PACKED: bool = false;
    /// Distance from 1 to the next larger number.
    const EPSILON: f64 = f64::EPSILON;

    /// Converts a constant.
    fn from_f64(x: f64) -> Self;

    /// Zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::from_f64(0.0)
    }

    /// One.
    #[inline(always)]
    fn one() -> Self {
        Self::from_f64(1.0)
    }

    /// `self · b + c`, with one rounding or two, as the scalar defines. It is explicit, since Rust never
    /// contracts.
    fn mul_add(self, b: Self, c: Self) -> Self;

    /// `c − self · b`.
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        (-self).mul_add(b, c)
    }

    /// `self · b − c`.
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        self.mul_add(b, -c)
    }

    /// The reciprocal.
    #[inline(always)]
    fn recip(self) -> Self {
        Self::one() / self
    }

    /// The square root.
    fn sqrt(self) -> Self;

    /// Sine and cosine, in radians.
    fn sin_cos(self) -> (Self, Self);

    /// [`sin_cos`](Real::sin_cos) of many angles at once, with the same values bit for bit.
    #[inline(always)]
    fn sin_cos_all(angles: &[Self], sin_cos: &mut [(Self, Self)]) {
        trig::one_by_one(angles, sin_cos);
    }

    /// The angle of the point (`x`, `self`).
    fn atan2(self, x: Self) -> Self;

    /// True if the real part is smaller than that of `other`.
    fn lt(self, other: Self) -> Self::Mask;

    /// `a` if the mask is true, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;

    /// True if every lane and part is finite.
    fn is_finite(self) -> bool;

    /// True if the real part of any lane is smaller than `bound`. For checks that return an error.
    fn any_below(self, bound: f64) -> bool;
}

/// `a·b + c·d`.
#[inline(always)]
pub(crate) fn dot2<T: Real>(a: T, b: T, c: T, d: T) -> T {
    a.mul_add(b, c * d)
}

/// `a·b − c·d`.
#[inline(always)]
pub(crate) fn det2<T: Real>(a: T, b: T, c: T, d: T) -> T {
    a.mul_sub(b, c * d)
}
