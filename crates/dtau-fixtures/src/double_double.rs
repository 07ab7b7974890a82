//! A scalar of about 32 digits: an unevaluated sum of two doubles. The accuracy reference, run on the same
//! source.
//!
//! Source: \[Dekker71\] for the sums and products of two doubles, and for the operations on pairs.

use dtau::scalar::{Portable, Real};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// `hi + lo`, with |lo| at most half a unit in the last place of `hi`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleDouble {
    pub hi: f64,
    pub lo: f64,
}

impl DoubleDouble {
    pub const fn new(hi: f64, lo: f64) -> Self {
        Self { hi, lo }
    }

    /// `a + b` exactly.
    fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let of_b = hi - a;
        Self { hi, lo: (a - (hi - of_b)) + (b - of_b) }
    }

    /// `a + b` exactly, for |a| ≥ |b|.
    fn quick_sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        Self { hi, lo: b - (hi - a) }
    }

    /// Error of `got`.
    pub fn error_of(self, got: f64) -> f64 {
        ((got - self.hi) - self.lo).abs()
    }

    /// `a b` exactly, unless it overflows. Split into halves: `f64::mul_add` is slow without the instruction.
    fn product(a: f64, b: f64) -> Self {
        let halves = |x: f64| {
            let shifted = x * 134_217_729.0; // 2²⁷ + 1
            let high = shifted - (shifted - x);
            (high, x - high)
        };
        let ((ah, al), (bh, bl), hi) = (halves(a), halves(b), a * b);
        Self { hi, lo: ((ah * bh - hi) + ah * bl + al * bh) + al * bl }
    }

    fn times(self, b: f64) -> Self {
        let p = Self::product(self.hi, b);
        Self::quick_sum(p.hi, p.lo + self.lo * b)
    }

    fn over(self, b: f64) -> Self {
        let quotient = self.hi / b;
        let p = Self::product(quotient, b);
        Self::quick_sum(quotient, ((self.hi - p.hi) - p.lo + self.lo) / b)
    }

    /// π/2 in three doubles: enough to reduce large angles.
    #[allow(clippy::approx_constant, clippy::excessive_precision)]
    const HALF_PI: [f64; 3] = [1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33];
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        // Not the quick sums: if the `hi`s cancel, the `lo`s may be larger.
        let (high, low) = (Self::sum(self.hi, b.hi), Self::sum(self.lo, b.lo));
        let middle = Self::sum(high.hi, high.lo + low.hi);
        Self::sum(middle.hi, middle.lo + low.lo)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        self + -b
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let p = Self::product(self.hi, b.hi);
        Self::quick_sum(p.hi, p.lo + (self.hi * b.lo + self.lo * b.hi))
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    /// Long division: three digits of 53 bits each.
    fn div(self, b: Self) -> Self {
        let first = self.hi / b.hi;
        let rest = self - b.times(first);
        let second = rest.hi / b.hi;
        let third = (rest - b.times(second)).hi / b.hi;
        Self::quick_sum(first, second) + Self::new(third, 0.0)
    }
}

impl AddAssign for DoubleDouble {
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl SubAssign for DoubleDouble {
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl MulAssign for DoubleDouble {
    fn mul_assign(&mut self, b: Self) {
        *self = *self * b;
    }
}

impl Real for DoubleDouble {
    type Mask = bool;
    type Hardware = Portable;

    fn from_f64(x: f64) -> Self {
        Self::new(x, 0.0)
    }

    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }

    /// One Newton step from the root of `hi`, y ← y + (x − y²)/2y, doubles its digits.
    fn sqrt(self) -> Self {
        if self.hi == 0.0 {
            return self;
        }
        let y = self.hi.sqrt();
        let rest = self - Self::product(y, y);
        Self::quick_sum(y, rest.hi / (2.0 * y))
    }

    /// Taylor series after subtracting a multiple of π/2: for |r| ≤ π/4 the terms after r²⁹ are below 1e-33.
    fn sin_cos(self) -> (Self, Self) {
        let turns = (self.hi / Self::HALF_PI[0]).round();
        let r = Self::HALF_PI.iter().fold(self, |r, &part| r - Self::product(turns, part));
        let z = -(r * r);
        let series = |first: Self, start: u32| {
            let (mut sum, mut term) = (first, first);
            for k in (start..start + 28).step_by(2) {
                term = (term * z).over(f64::from((k + 1) * (k + 2)));
                sum += term;
            }
            sum
        };
        let (sin, cos) = (series(r, 1), series(Self::one(), 0));
        match turns.rem_euclid(4.0) as u8 {
            0 => (sin, cos),
            1 => (cos, -sin),
            2 => (-sin, -cos),
            _ => (-cos, sin),
        }
    }

    /// The angle in doubles, plus the small remaining angle, which equals its tangent to all digits.
    fn atan2(self, x: Self) -> Self {
        let near = Self::from_f64(self.hi.atan2(x.hi));
        let (sin, cos) = near.sin_cos();
        near + (self * cos - x * sin) / (x * cos + self * sin)
    }

    fn lt(self, other: Self) -> bool {
        (self - other).hi < 0.0
    }

    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }

    fn is_finite(self) -> bool {
        self.hi.is_finite() && self.lo.is_finite()
    }

    fn any_below(self, bound: f64) -> bool {
        self.lt(Self::from_f64(bound))
    }
}

/// The distance from |x| to the next larger `f64`.
pub fn ulp(x: f64) -> f64 {
    f64::from_bits(x.abs().to_bits() + 1) - x.abs()
}

/// The distance from |x| to the next larger `f32`.
pub fn ulp_f32(x: f32) -> f64 {
    f64::from(f32::from_bits(x.abs().to_bits() + 1)) - f64::from(x.abs())
}

/// Identities that hold only with 30 digits, not with doubles.
#[test]
fn double_double_keeps_thirty_digits() {
    let small = |x: DoubleDouble| x.hi.abs() < 1e-30;
    let third = DoubleDouble::one() / DoubleDouble::from_f64(3.0);
    assert!(small(third + third + third - DoubleDouble::one()));
    let two = DoubleDouble::from_f64(2.0);
    assert!(small(two.sqrt() * two.sqrt() - two));
    for x in [-7.3, -0.1, 0.0, 0.4, 1.0, 2.5, 40.0] {
        let (sin, cos) = DoubleDouble::from_f64(x).sin_cos();
        assert!(small(sin * sin + cos * cos - DoubleDouble::one()), "{x}");
        let (sin_2x, cos_2x) = DoubleDouble::from_f64(2.0 * x).sin_cos();
        assert!(small(two * sin * cos - sin_2x) && small(cos * cos - sin * sin - cos_2x), "{x}");
        assert!((sin.hi - x.sin()).abs() < 1e-15 && (cos.hi - x.cos()).abs() < 1e-15, "{x}");
    }
}

/// Compares with decimal expansions of 40 digits, given as the nearest double and the nearest double of the
/// rest.
#[test]
#[allow(clippy::approx_constant, clippy::excessive_precision)]
fn double_double_has_the_digits_of_known_constants() {
    let of = DoubleDouble::from_f64;
    let (one, two) = (of(1.0), of(2.0));
    let known = [
        ("π", one.atan2(of(0.0)) * two, 3.141592653589793, 1.2246467991473532e-16),
        ("−π + π/4", (-one).atan2(-one) + one.atan2(one) * of(4.0), 0.7853981633974483, 3.061616997868383e-17),
        ("atan ½", one.atan2(two), 0.4636476090008061, 2.2698777452961687e-17),
        ("√2", two.sqrt(), 1.4142135623730951, -9.667293313452913e-17),
        ("1/7", of(7.0).recip(), 0.14285714285714285, 7.93016446160826e-18),
        ("sin 1", one.sin_cos().0, 0.8414709848078965, 1.776845092935536e-18),
        ("cos 1", one.sin_cos().1, 0.5403023058681398, -4.760954612604417e-17),
        ("sin 40", of(40.0).sin_cos().0, 0.7451131604793488, -4.800921719561452e-17),
        ("cos 40", of(40.0).sin_cos().1, -0.6669380616522619, 3.771106789024549e-17),
        ("sin 1e5", of(1e5).sin_cos().0, 0.03574879797201651, 1.5429743706109861e-18),
    ];
    for (name, got, hi, lo) in known {
        let error = (got - DoubleDouble::new(hi, lo)).hi.abs();
        // At 1e5, π/2 in 161 bits leaves about 1e-28.
        let bound = if name == "sin 1e5" { 1e-27 } else { 1e-31 };
        assert!(error < bound, "{name}: {got:?}, want {hi:e} + {lo:e}, off by {error:e}");
    }
}

/// Sums and products of two doubles are exact, even with cancellation.
#[test]
fn double_double_sums_and_products_are_exact() {
    let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
    let product = DoubleDouble::product(a, b); // 1 − ε²
    assert_eq!((product.hi, product.lo), (1.0, -f64::EPSILON * f64::EPSILON));
    let sum = DoubleDouble::from_f64(1e16) + DoubleDouble::from_f64(1.0) - DoubleDouble::from_f64(1e16);
    assert_eq!((sum.hi, sum.lo), (1.0, 0.0));
    let tiny = DoubleDouble::from_f64(1e-20);
    let one = DoubleDouble::one();
    assert_eq!(((one + tiny) - one).hi, 1e-20);
    assert!(one.lt(one + tiny) && !one.lt(one) && (one - tiny).any_below(1.0));
}
