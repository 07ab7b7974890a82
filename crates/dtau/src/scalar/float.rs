//! `f64` and `f32`: multiply, then add, which is the fastest on a baseline CPU.

use super::trig::{self, Quadrant};
use super::{Element, Real};

macro_rules! real_for_float {
    ($float:ident, $hardware:ident, $libm_sqrt:path, $libm_atan2:path) => {
        impl Real for $float {
            type Mask = bool;
            type Hardware = crate::dispatch::$hardware;
            const EPSILON: f64 = $float::EPSILON as f64;

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $float
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                self * b + c
            }
            #[inline(always)]
            fn neg_mul_add(self, b: Self, c: Self) -> Self {
                c - self * b
            }
            #[inline(always)]
            fn mul_sub(self, b: Self, c: Self) -> Self {
                self * b - c
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                #[cfg(feature = "std")]
                return self.sqrt();
                #[cfg(not(feature = "std"))]
                return $libm_sqrt(self);
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
                $libm_atan2(self, x)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn select(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $float::is_finite(self)
            }
            #[inline(always)]
            fn any_below(self, bound: f64) -> bool {
                self < bound as $float
            }
        }
    };
}

real_for_float!(f64, F64Hardware, libm::sqrt, libm::atan2);
real_for_float!(f32, F32Hardware, libm::sqrtf, libm::atan2f);

impl Element for f64 {
    #[inline(always)]
    fn sin_cos_lanes<const N: usize>(x: [Self; N]) -> ([Self; N], [Self; N]) {
        trig::sin_cos_lanes(x, |x| x)
    }
}

impl Element for f32 {
    /// In double precision: correctly rounded.
    #[inline(always)]
    fn sin_cos_lanes<const N: usize>(x: [Self; N]) -> ([Self; N], [Self; N]) {
        let (sin, cos) = f64::sin_cos_lanes(x.map(f64::from));
        (sin.map(|s| s as f32), cos.map(|c| c as f32))
    }
}

impl Quadrant for f64 {
    #[inline(always)]
    fn turn(sin: Self, cos: Self, shifted: Self) -> (Self, Self) {
        let quadrant = shifted.to_bits();
        let odd = (quadrant & 1).wrapping_neg(); // all ones or all zeros
        let (s, c) = (sin.to_bits(), cos.to_bits());
        let swap = (s ^ c) & odd;
        let sin_sign = (quadrant & 2) << 62;
        let cos_sign = (quadrant.wrapping_add(1) & 2) << 62;
        (f64::from_bits(s ^ swap ^ sin_sign), f64::from_bits(c ^ swap ^ cos_sign))
    }
}
