//! Scalars: every algorithm is written once over [`Real`]; the scalar decides what comes out.
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

/// A number the algorithms run on.
///
/// Branches on values go through [`lt`](Real::lt) and [`select`](Real::select), because lanes may disagree: both sides
/// are computed and must be harmless where they are not chosen.
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
    /// The outcome of a comparison: `bool`, or one a lane.
    type Mask: Copy;

    /// What it is computed with: [`Portable`] for a scalar of your own. Plain numbers and lanes of them have others, which find
    /// out at run time what the CPU can do; these and what belongs to them are the library's own.
    type Hardware: Hardware<Self>;

    /// Whether it is several numbers already, so that packing more of them into a register gains nothing.
    const IS_PACKED: bool = false;
    /// The distance from 1 to the next larger number.
    const EPSILON: f64 = f64::EPSILON;

    /// A constant.
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

    /// `self · b + c`. One rounding or two: the scalar's choice, and explicit, since Rust never contracts.
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

    /// [`sin_cos`](Real::sin_cos) of many angles at once; the same values, bit for bit.
    #[inline(always)]
    fn sin_cos_all(angles: &[Self], sin_cos: &mut [(Self, Self)]) {
        trig::one_by_one(angles, sin_cos);
    }

    /// The angle of the point (`x`, `self`).
    fn atan2(self, x: Self) -> Self;

    /// Whether the real part is smaller than `other`'s.
    fn lt(self, other: Self) -> Self::Mask;

    /// `a` where the mask holds, `b` elsewhere.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;

    /// Whether every lane and part is finite.
    fn is_finite(self) -> bool;

    /// Whether the real part of any lane is smaller than `bound`: for checks that end in an error.
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
