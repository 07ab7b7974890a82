//! [`Complex`]: for complex-step derivatives.
//!
//! ```text
//! f′(x) = Im f(x + i h) / h      exact to rounding, since no difference is taken
//! ```
//!
//! Source: [Lyness67]. Comparisons look at the real part, so a branch is taken as it would be without the step.

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
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        let norm = b.re * b.re + b.im * b.im;
        Self::new((self.re * b.re + self.im * b.im) / norm, (self.im * b.re - self.re * b.im) / norm)
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

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self::new(x, 0.0)
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // The principal root; its real part is positive off the negative axis.
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
    /// To first order in the imaginary parts, which is all a complex step asks for.
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let norm = self.re * self.re + x.re * x.re;
        Self::new(libm::atan2(self.re, x.re), (x.re * self.im - self.re * x.im) / norm)
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
