//! Sine and cosine in double-double arithmetic, about 100 bits: the truth that the kernel is measured against.
#![allow(dead_code)] // only the scalars' tests take it

/// π/2 in 160 bits.
#[allow(clippy::excessive_precision, clippy::approx_constant)]
const HALF_PI: [f64; 3] = [1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33];

/// `hi + lo`, not rounded together.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    pub hi: f64,
    pub lo: f64,
}

impl Exact {
    fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let b_part = hi - a;
        Self { hi, lo: (a - (hi - b_part)) + (b - b_part) }
    }

    fn product(a: f64, b: f64) -> Self {
        let hi = a * b;
        Self { hi, lo: a.mul_add(b, -hi) }
    }

    fn add(self, b: Self) -> Self {
        let high = Self::sum(self.hi, b.hi);
        let low = Self::sum(self.lo, b.lo);
        let middle = Self::sum(high.hi, high.lo + low.hi);
        Self::sum(middle.hi, middle.lo + low.lo)
    }

    fn mul(self, b: Self) -> Self {
        let high = Self::product(self.hi, b.hi);
        Self::sum(high.hi, high.lo + (self.hi * b.lo + self.lo * b.hi))
    }

    fn div(self, b: f64) -> Self {
        let quotient = self.hi / b;
        let product = Self::product(quotient, b);
        let remainder = (self.hi - product.hi) - product.lo + self.lo;
        Self::sum(quotient, remainder / b)
    }

    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }

    /// How far `got` is from the truth.
    pub fn error_of(self, got: f64) -> f64 {
        ((got - self.hi) - self.lo).abs()
    }
}

/// (sin x, cos x) for |x| ≤ 1e7, to about 1e-30 of each.
pub fn sin_cos(x: f64) -> (Exact, Exact) {
    let n = (x / HALF_PI[0]).round();
    let mut r = Exact { hi: x, lo: 0.0 };
    for part in HALF_PI {
        r = r.add(Exact::product(n, part).neg());
    }
    let z = r.mul(r).neg();
    // Taylor: the terms after r²⁷/27! are below 1e-31 of the sum for |r| ≤ π/4.
    let series = |first: Exact, start: f64| {
        let (mut sum, mut term, mut k) = (first, first, start);
        while k < 28.0 {
            term = term.mul(z).div((k + 1.0) * (k + 2.0));
            sum = sum.add(term);
            k += 2.0;
        }
        sum
    };
    let (sin, cos) = (series(r, 1.0), series(Exact { hi: 1.0, lo: 0.0 }, 0.0));
    match n.rem_euclid(4.0) as u8 {
        0 => (sin, cos),
        1 => (cos, sin.neg()),
        2 => (sin.neg(), cos.neg()),
        _ => (cos.neg(), sin),
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
