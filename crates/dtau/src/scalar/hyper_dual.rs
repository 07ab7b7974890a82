//! [`HyperDual`]: exact second derivatives.
//!
//! ```text
//! f(x + a ε₁ + b ε₂) = f(x) + f′ a ε₁ + f′ b ε₂ + f″ a b ε₁ε₂        ε₁² = ε₂² = 0
//! ```
//!
//! Source: [Fike11]. Comparisons use the value.

use super::Real;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// `re + e1 ε₁ + e2 ε₂ + e12 ε₁ε₂`: a value, its derivatives along two directions, and its second derivative
/// along both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HyperDual {
    /// The value.
    pub re: f64,
    /// The derivative along the first direction.
    pub e1: f64,
    /// The derivative along the second direction.
    pub e2: f64,
    /// The second derivative along both directions.
    pub e12: f64,
}

impl HyperDual {
    /// A value with these rates along the two directions.
    #[inline(always)]
    pub fn new(re: f64, e1: f64, e2: f64) -> Self {
        Self { re, e1, e2, e12: 0.0 }
    }

    /// `f(self)` from its value and its first two derivatives.
    #[inline(always)]
    fn chain(self, re: f64, d: f64, dd: f64) -> Self {
        Self { re, e1: d * self.e1, e2: d * self.e2, e12: dd * self.e1 * self.e2 + d * self.e12 }
    }
}

impl Add for HyperDual {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { re: self.re + b.re, e1: self.e1 + b.e1, e2: self.e2 + b.e2, e12: self.e12 + b.e12 }
    }
}

impl Sub for HyperDual {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self { re: self.re - b.re, e1: self.e1 - b.e1, e2: self.e2 - b.e2, e12: self.e12 - b.e12 }
    }
}

impl Mul for HyperDual {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self {
            re: self.re * b.re,
            e1: self.re * b.e1 + self.e1 * b.re,
            e2: self.re * b.e2 + self.e2 * b.re,
            e12: (self.re * b.e12 + self.e12 * b.re) + (self.e1 * b.e2 + self.e2 * b.e1),
        }
    }
}

impl Div for HyperDual {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        let reciprocal = 1.0 / b.re;
        let square = reciprocal * reciprocal;
        let Self { e1, e2, e12, .. } = self * b.chain(reciprocal, -square, 2.0 * square * reciprocal);
        Self { re: self.re / b.re, e1, e2, e12 } // the value rounds once, as in f64
    }
}

impl Neg for HyperDual {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { re: -self.re, e1: -self.e1, e2: -self.e2, e12: -self.e12 }
    }
}

super::assign_operators!(HyperDual);

impl Real for HyperDual {
    type Mask = bool;
    type Hardware = super::Portable;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self::new(x, 0.0, 0.0)
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    /// At zero the derivatives do not exist, and the result is infinite or NaN, as with
    /// [`Dual`](super::Dual).
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = Real::sqrt(self.re);
        let slope = 0.5 / root;
        self.chain(root, slope, -0.5 * slope / self.re)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = Real::sin_cos(self.re);
        (self.chain(sin, cos, -sin), self.chain(cos, -sin, -cos))
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        // With r eⁱᶿ = x + i y: dθ = Im(e⁻ⁱᶿ d(x + i y))/r. Its derivative d₂ also includes e⁻ⁱᶿ and 1/r.
        let radius = libm::hypot(self.re, x.re);
        let (c, s) = (x.re / radius, self.re / radius);
        let along = |dy: f64, dx: f64| (c * dx + s * dy) / radius;
        let turn = |dy: f64, dx: f64| (c * dy - s * dx) / radius;
        let (e1, e2) = (turn(self.e1, x.e1), turn(self.e2, x.e2));
        let bend = e1 * along(self.e2, x.e2) + e2 * along(self.e1, x.e1);
        Self { re: libm::atan2(self.re, x.re), e1, e2, e12: turn(self.e12, x.e12) - bend }
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self.re < other.re
    }
    #[inline(always)]
    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        [self.re, self.e1, self.e2, self.e12].iter().all(|x| x.is_finite())
    }
    #[inline(always)]
    fn any_below(self, bound: f64) -> bool {
        self.re < bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Complex, Dual};

    /// A function of two numbers that uses every operation.
    fn exercise<T: Real>(x: T, y: T) -> T {
        let (sin, cos) = (x * y).sin_cos();
        let root = (x * x + y * y + T::one()).sqrt();
        let angle = (y + sin).atan2(x - cos);
        (sin / root - cos * angle).mul_add(root.recip(), -x / (y + T::from_f64(3.0))) - angle * angle
    }

    /// Compares first derivatives with dual numbers and a complex step; second ones with differences of dual
    /// derivatives.
    #[test]
    fn hyper_dual_numbers_are_the_derivatives_of_dual_ones() {
        for (x, y) in [(0.3, 0.7), (-1.2, 0.4), (2.0, -1.5)] {
            let (a, b) = ((0.8, -0.3), (0.5, 1.1));
            let got = exercise(HyperDual::new(x, a.0, b.0), HyperDual::new(y, a.1, b.1));
            let slope = |h: f64| exercise(Dual::new(x + h * b.0, [a.0]), Dual::new(y + h * b.1, [a.1])).eps[0];
            let step = 1e-30;
            let complex = exercise(Complex::new(x, step * b.0), Complex::new(y, step * b.1));
            assert_eq!(got.re, exercise(x, y));
            assert!((got.e1 - slope(0.0)).abs() <= 1e-14 * got.e1.abs().max(1.0), "{} {}", got.e1, slope(0.0));
            assert!((got.e2 - complex.im / step).abs() <= 1e-14 * got.e2.abs().max(1.0));
            // A central difference of fourth order: truncation h⁴ and rounding ε/h balance near 1e-3, at 1e-12.
            let h = 1e-3;
            let second = (8.0 * (slope(h) - slope(-h)) - (slope(2.0 * h) - slope(-2.0 * h))) / (12.0 * h);
            assert!((got.e12 - second).abs() <= 1e-9 * second.abs().max(1.0), "{} {second}", got.e12);
        }
    }
}
