//! [`Dual`]: forward-mode automatic differentiation, `N` directions at once.

use super::Real;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// `re + Σ epsₖ εₖ` with εₖ εₗ = 0: a value and its derivatives along `N` directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<const N: usize = 1> {
    /// The value.
    pub re: f64,
    /// The derivatives.
    pub eps: [f64; N],
}

impl<const N: usize> Default for Dual<N> {
    fn default() -> Self {
        Self::new(0.0, [0.0; N])
    }
}

impl<const N: usize> Dual<N> {
    /// A value with its derivatives.
    #[inline(always)]
    pub fn new(re: f64, eps: [f64; N]) -> Self {
        Self { re, eps }
    }

    /// `f(a, b)` from its value and its two partial derivatives.
    #[inline(always)]
    fn chain2(re: f64, a: Self, da: f64, b: Self, db: f64) -> Self {
        let mut eps = [0.0; N];
        for k in 0..N {
            eps[k] = da * a.eps[k] + db * b.eps[k];
        }
        Self { re, eps }
    }

    /// `f(a)` from its value and its derivative.
    #[inline(always)]
    fn chain(re: f64, a: Self, da: f64) -> Self {
        Self { re, eps: a.eps.map(|e| da * e) }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self::chain2(self.re + b.re, self, 1.0, b, 1.0)
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::chain2(self.re - b.re, self, 1.0, b, -1.0)
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self::chain2(self.re * b.re, self, b.re, b, self.re)
    }
}

impl<const N: usize> Div for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        let quotient = self.re / b.re;
        Self::chain2(quotient, self, 1.0 / b.re, b, -quotient / b.re)
    }
}

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::chain(-self.re, self, -1.0)
    }
}

super::assign_operators!(Dual<N>, const N: usize);

impl<const N: usize> Real for Dual<N> {
    type Mask = bool;
    type Hardware = super::Portable;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self::new(x, [0.0; N])
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    /// At zero the derivatives do not exist, and the result is infinite or NaN, even along a direction in
    /// which the argument is constant: an oracle must not hide a kink such as √(x²). [`select`](Real::select)
    /// a safe argument first.
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = Real::sqrt(self.re);
        Self::chain(root, self, 0.5 / root)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = Real::sin_cos(self.re);
        (Self::chain(sin, self, cos), Self::chain(cos, self, -sin))
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let radius = libm::hypot(self.re, x.re); // two divisions, since its square may overflow
        let (cos, sin) = (x.re / radius, self.re / radius);
        Self::chain2(libm::atan2(self.re, x.re), self, cos / radius, x, -sin / radius)
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
        self.re.is_finite() && self.eps.iter().all(|e| e.is_finite())
    }
    #[inline(always)]
    fn any_below(self, bound: f64) -> bool {
        self.re < bound
    }
}
