//! [`Fused`]: a number with a multiply-add that rounds once; and [`Native`], the same inside kernels.

use super::trig::{self, Quadrant};
use super::{Element, Portable, Real};
use crate::dispatch;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number whose [`mul_add`](Real::mul_add) rounds once on any CPU. Use it to compare, bit for bit, with
/// kernels on CPUs that have the instruction. On others every multiply-add is a library call, correct but
/// slow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Fused<F>(pub F);

/// Scalar of the kernels on CPUs with fused multiply-add: [`Fused`], with neighbours side by side in
/// registers. It is safe only inside a kernel ([`dispatch`]), so it is private to this crate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Native<F>(pub F);

/// A wrapped `f64` or `f32` with its own multiply-add.
macro_rules! wrapped {
    ($name:ident<$float:ident>, on $hardware:ty, sines by $sin_cos_all:path, |$a:ident, $b:ident, $c:ident| $mul_add:expr) => {
        impl Add for $name<$float> {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                $name(self.0 + b.0)
            }
        }
        impl Sub for $name<$float> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                $name(self.0 - b.0)
            }
        }
        impl Mul for $name<$float> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                $name(self.0 * b.0)
            }
        }
        impl Div for $name<$float> {
            type Output = Self;
            #[inline(always)]
            fn div(self, b: Self) -> Self {
                $name(self.0 / b.0)
            }
        }
        impl Neg for $name<$float> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $name(-self.0)
            }
        }
        super::assign_operators!($name<$float>);

        impl Real for $name<$float> {
            type Mask = bool;
            type Hardware = $hardware;
            const EPSILON: f64 = $float::EPSILON as f64;

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                $name(x as $float)
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                let ($a, $b, $c) = (self.0, b.0, c.0);
                $name($mul_add)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $name(Real::sqrt(self.0))
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                let ([sin], [cos]) = Self::sin_cos_lanes([self]);
                (sin, cos)
            }
            #[inline(always)]
            fn sin_cos_all(angles: &[Self], sin_cos: &mut [(Self, Self)]) {
                $sin_cos_all(angles, sin_cos);
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                $name(Real::atan2(self.0, x.0))
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

macro_rules! fma {
    ($libm:ident($a:ident, $b:ident, $c:ident)) => {{
        #[cfg(feature = "std")]
        let fma = $a.mul_add($b, $c);
        #[cfg(not(feature = "std"))]
        let fma = libm::$libm($a, $b, $c);
        fma
    }};
}

wrapped!(Fused<f64>, on Portable, sines by trig::one_by_one, |a, b, c| fma!(fma(a, b, c)));
wrapped!(Fused<f32>, on Portable, sines by trig::one_by_one, |a, b, c| fma!(fmaf(a, b, c)));
wrapped!(Native<f64>, on dispatch::F64Hardware, sines by trig::sin_cos_all, |a, b, c| fma!(fma(a, b, c)));
wrapped!(Native<f32>, on dispatch::F32Hardware, sines by trig::sin_cos_all, |a, b, c| fma!(fmaf(a, b, c)));

macro_rules! sines {
    ($name:ident) => {
        impl Element for $name<f64> {
            #[inline(always)]
            fn sin_cos_lanes<const N: usize>(x: [Self; N]) -> ([Self; N], [Self; N]) {
                trig::sin_cos_lanes(x, |x| x.0)
            }
        }

        impl Element for $name<f32> {
            #[inline(always)]
            fn sin_cos_lanes<const N: usize>(x: [Self; N]) -> ([Self; N], [Self; N]) {
                let (sin, cos) = $name::<f64>::sin_cos_lanes(x.map(|x| $name(f64::from(x.0))));
                (sin.map(|s| $name(s.0 as f32)), cos.map(|c| $name(c.0 as f32)))
            }
        }

        impl Quadrant for $name<f64> {
            #[inline(always)]
            fn turn(sin: Self, cos: Self, shifted: Self) -> (Self, Self) {
                let (sin, cos) = f64::turn(sin.0, cos.0, shifted.0);
                ($name(sin), $name(cos))
            }
        }
    };
}

sines!(Fused);
sines!(Native);
