//! [`Lanes`]: several states at once.
//!
//! Plain arrays with per-element operators. In an entry point compiled for AVX2 the compiler emits 256-bit
//! instructions; elsewhere the code is still correct.

use super::trig::Quadrant;
use super::{Fused, Native, Portable, Real};
use crate::dispatch::LanesHardware;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A scalar that can be in a lane: `f64`, `f32` or their [`Fused`](super::Fused) versions.
pub trait Element: Real<Mask = bool> {
    /// Sine and cosine of each number. Results do not depend on the other lanes, bit for bit.
    fn sin_cos_lanes<const N: usize>(x: [Self; N]) -> ([Self; N], [Self; N]);
}

/// `N` numbers of `N` different states.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes<const N: usize, F = f64>(pub [F; N]);

impl<const N: usize, F: Element> Default for Lanes<N, F> {
    #[inline(always)]
    fn default() -> Self {
        Lanes([F::zero(); N])
    }
}

impl<const N: usize, F: Element> Lanes<N, F> {
    #[inline(always)]
    fn map(self, f: impl Fn(F) -> F) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = f(self.0[i]);
        }
        out
    }

    #[inline(always)]
    fn zip(self, b: Self, f: impl Fn(F, F) -> F) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = f(self.0[i], b.0[i]);
        }
        out
    }

    #[inline(always)]
    fn zip3(self, b: Self, c: Self, f: impl Fn(F, F, F) -> F) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = f(self.0[i], b.0[i], c.0[i]);
        }
        out
    }
}

macro_rules! lane_operator {
    ($trait:ident $method:ident, $assign_trait:ident $assign_method:ident, $op:tt) => {
        impl<const N: usize, F: Element> $trait for Lanes<N, F> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                self.zip(b, |a, b| a $op b)
            }
        }
        impl<const N: usize, F: Element> $assign_trait for Lanes<N, F> {
            #[inline(always)]
            fn $assign_method(&mut self, b: Self) {
                *self = *self $op b;
            }
        }
    };
}

lane_operator!(Add add, AddAssign add_assign, +);
lane_operator!(Sub sub, SubAssign sub_assign, -);
lane_operator!(Mul mul, MulAssign mul_assign, *);

impl<const N: usize, F: Element> Div for Lanes<N, F> {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        self.zip(b, |a, b| a / b)
    }
}

impl<const N: usize, F: Element> Neg for Lanes<N, F> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

macro_rules! lanes_of {
    ($($element:ty, on $hardware:ty;)*) => {$(
        impl<const N: usize> Real for Lanes<N, $element> {
            type Mask = [bool; N];
            type Hardware = $hardware;
            const IS_PACKED: bool = true;
            const EPSILON: f64 = <$element as Real>::EPSILON;

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                Lanes([<$element as Real>::from_f64(x); N])
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                self.zip3(b, c, <$element as Real>::mul_add)
            }
            #[inline(always)]
            fn neg_mul_add(self, b: Self, c: Self) -> Self {
                self.zip3(b, c, <$element as Real>::neg_mul_add)
            }
            #[inline(always)]
            fn mul_sub(self, b: Self, c: Self) -> Self {
                self.zip3(b, c, <$element as Real>::mul_sub)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.map(<$element as Real>::sqrt)
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                let (sin, cos) = <$element as Element>::sin_cos_lanes(self.0);
                (Lanes(sin), Lanes(cos))
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                self.zip(x, <$element as Real>::atan2)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> [bool; N] {
                let mut mask = [false; N];
                for i in 0..N {
                    mask[i] = self.0[i].lt(other.0[i]);
                }
                mask
            }
            #[inline(always)]
            fn select(mask: [bool; N], a: Self, b: Self) -> Self {
                let mut out = b;
                for i in 0..N {
                    out.0[i] = <$element as Real>::select(mask[i], a.0[i], b.0[i]);
                }
                out
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.0.iter().all(|x| x.is_finite())
            }
            #[inline(always)]
            fn any_below(self, bound: f64) -> bool {
                self.0.iter().any(|x| x.any_below(bound))
            }
        }
    )*};
}

lanes_of! {
    f64, on LanesHardware;
    f32, on LanesHardware;
    Fused<f64>, on Portable;
    Fused<f32>, on Portable;
    Native<f64>, on LanesHardware;
    Native<f32>, on LanesHardware;
}

macro_rules! turning_lanes_of {
    ($($element:ty),*) => {$(
        impl<const N: usize> Quadrant for Lanes<N, $element> {
            #[inline(always)]
            fn turn(sin: Self, cos: Self, shifted: Self) -> (Self, Self) {
                let (mut s, mut c) = (sin, cos);
                for i in 0..N {
                    (s.0[i], c.0[i]) = <$element>::turn(sin.0[i], cos.0[i], shifted.0[i]);
                }
                (s, c)
            }
        }
    )*};
}

turning_lanes_of!(f64, Fused<f64>, Native<f64>);
