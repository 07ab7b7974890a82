//! [`Fused`]: the same number, with the CPU's fused multiply-add.

use super::trig::{self, Quadrant};
use super::{Element, Lanes, Real};
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number whose [`mul_add`](Real::mul_add) rounds once.
///
/// Fast only inside an entry point compiled for a CPU that has the instruction; elsewhere every multiply-add is a
/// (correct, slow) library call. The library enters it through run-time dispatch, see `dispatch.rs`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Fused<F>(pub F);

macro_rules! fused {
    ($float:ident, $width:literal, $libm_fma:path) => {
        impl Add for Fused<$float> {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                Fused(self.0 + b.0)
            }
        }
        impl Sub for Fused<$float> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                Fused(self.0 - b.0)
            }
        }
        impl Mul for Fused<$float> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                Fused(self.0 * b.0)
            }
        }
        impl Div for Fused<$float> {
            type Output = Self;
            #[inline(always)]
            fn div(self, b: Self) -> Self {
                Fused(self.0 / b.0)
            }
        }
        impl Neg for Fused<$float> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Fused(-self.0)
            }
        }
        super::assign_operators!(Fused<$float>);

        impl Real for Fused<$float> {
            type Mask = bool;
            type Wide = Lanes<$width, Fused<$float>>;
            const EPSILON: f64 = $float::EPSILON as f64;

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                Fused(x as $float)
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                #[cfg(feature = "std")]
                return Fused(self.0.mul_add(b.0, c.0));
                #[cfg(not(feature = "std"))]
                return Fused($libm_fma(self.0, b.0, c.0));
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Fused(Real::sqrt(self.0))
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                let ([sin], [cos]) = Self::sin_cos_lanes([self]);
                (sin, cos)
            }
            #[inline(always)]
            fn sin_cos_all(angles: &[Self], sin_cos: &mut [(Self, Self)]) {
                trig::sin_cos_all(angles, sin_cos);
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                Fused(Real::atan2(self.0, x.0))
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self.0 < other.0
            }
            #[inline(always)]
            fn select(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }
            #[inline(always)]
            fn blend(mask: u64, a: Self, b: Self) -> Self {
                Fused(Real::blend(mask, a.0, b.0))
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.0.is_finite()
            }
            #[inline(always)]
            fn any_below(self, bound: f64) -> bool {
                self.0 < bound as $float
            }
        }
    };
}

fused!(f64, 4, libm::fma);
fused!(f32, 8, libm::fmaf);

impl Element for Fused<f64> {
    #[inline(always)]
    fn sin_cos_lanes<const N: usize>(x: [Self; N]) -> ([Self; N], [Self; N]) {
        trig::sin_cos_lanes(x, |x| x.0)
    }
}

impl Element for Fused<f32> {
    #[inline(always)]
    fn sin_cos_lanes<const N: usize>(x: [Self; N]) -> ([Self; N], [Self; N]) {
        let (sin, cos) = Fused::<f64>::sin_cos_lanes(x.map(|x| Fused(f64::from(x.0))));
        (sin.map(|s| Fused(s.0 as f32)), cos.map(|c| Fused(c.0 as f32)))
    }
}

impl Quadrant for Fused<f64> {
    #[inline(always)]
    fn turn(sin: Self, cos: Self, shifted: Self) -> (Self, Self) {
        let (sin, cos) = f64::turn(sin.0, cos.0, shifted.0);
        (Fused(sin), Fused(cos))
    }
}
