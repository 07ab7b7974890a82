//! [`Complex`]: for complex-step derivatives.
//!
//! ```text
//! f′(x) = Im f(x + i h) / h      exact to rounding, since no difference is taken
//! ```
//!
//! Source: [Lyness67]. Comparisons use the real part, so branches are the same as without the step.

use super::Real;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex<F = f64> {
    /// The real part.
    pub re: F,
    /// The imaginary part.
    pub im: F,
}

impl<F> Complex<F> {
    /// `re + i·im`.
    #[inline(always)]
    pub fn new(re: F, im: F) -> Self {
        Self { re, im }
    }
}

impl Add for Complex {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self::new(self.re + b.re, self.im + b.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::new(self.re - b.re, self.im - b.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self::new(self.re * b.re - self.im * b.im, self.re * b.im + self.im * b.re)
    }
}

impl Div for Complex {
    type Output = Self;
    /// Divides by the larger part of `b` first (\[Smith62\]). So intermediate results overflow only if the
    /// quotient does, and dividing by a real number equals real division.
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        if b.re.abs() >= b.im.abs() {
            let ratio = b.im / b.re;
            let denominator = b.re + b.im * ratio;
            Self::new((self.re + self.im * ratio) / denominator, (self.im - self.re * ratio) / denominator)
        } else {
            let ratio = b.re / b.im;
            let denominator = b.re * ratio + b.im;
            Self::new((self.re * ratio + self.im) / denominator, (self.im * ratio - self.re) / denominator)
        }
    }
}

impl Neg for Complex {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.re, -self.im)
    }
}

super::assign_operators!(Complex);

impl Real for Complex {
    type Mask = bool;
    type Hardware = super::Portable;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self::new(x, 0.0)
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    /// The principal root: its real part is not negative. At zero the derivative does not exist, and a step
    /// from there returns an undefined number: [`select`](Real::select) a safe argument first.
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = Real::sqrt(0.5 * (self.re.abs() + libm::hypot(self.re, self.im)));
        let other = if root == 0.0 { 0.0 } else { self.im / (2.0 * root) };
        if self.re >= 0.0 { Self::new(root, other) } else { Self::new(other.abs(), libm::copysign(root, self.im)) }
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = Real::sin_cos(self.re);
        let (sinh, cosh) = (libm::sinh(self.im), libm::cosh(self.im));
        (Self::new(sin * cosh, cos * sinh), Self::new(cos * cosh, -sin * sinh))
    }
    /// First order in the imaginary parts, which is enough for a complex step.
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let radius = libm::hypot(self.re, x.re); // two divisions, since its square may overflow
        let (cos, sin) = (x.re / radius, self.re / radius);
        Self::new(libm::atan2(self.re, x.re), (cos * self.im - sin * x.im) / radius)
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
        self.re.is_finite() && self.im.is_finite()
    }
    #[inline(always)]
    fn any_below(self, bound: f64) -> bool {
        self.re < bound
    }
}
