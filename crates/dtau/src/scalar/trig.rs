//! Sine and cosine by one branch-free kernel. Single states and lanes share it, so they agree bit for bit.
//!
//! ```text
//! n = round(2x/π),  r = x − n π/2 in three parts,  |r| ≤ π/4
//! sin r = r + r³ P(r²),  cos r = 1 − r²/2 + r⁴ Q(r²)
//! ```
//!
//! `P` and `Q` are Chebyshev fits on [0, (π/4)²] with errors of 2e-17 and 1.3e-18. π/2 is split into
//! 33 + 33 + 53 bits, so n times each of the first two is exact for |n| < 2²⁰. Larger angles use the `libm`
//! crate, one by one.
//!
//! Mathematics libraries are not used: they compute one angle at a time, or fix their instructions when
//! *they* are compiled. This kernel uses the instructions of the entry point it is inlined into.

use super::{Element, Lanes, Real, Wide};
use crate::dispatch::Register;

/// Beyond this angle the reduction is not exact.
pub(crate) const LARGEST_ANGLE: f64 = 1.0e6;

/// Adding this to a number of moderate size puts the nearest integer in the low bits.
const ROUNDING_SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²

const HALF_PI: [f64; 3] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];

const P: [f64; 6] = [
    -0.16666666666666666,
    0.008333333333330946,
    -0.0001984126983675497,
    2.755731610068312e-06,
    -2.5051131455447428e-08,
    1.591810123167728e-10,
];

const Q: [f64; 6] = [
    0.041666666666666664,
    -0.0013888888888887395,
    2.4801587298763433e-05,
    -2.7557317270560385e-07,
    2.087614602470193e-09,
    -1.1382614869434128e-11,
];

/// Numbers with accessible bits: `turn(s, c, shifted)` turns (sin r, cos r) by the quadrant in `shifted`'s
/// low bits.
pub(crate) trait Quadrant: Real {
    fn turn(sin: Self, cos: Self, shifted: Self) -> (Self, Self);
}

/// Sine and cosine of each angle. The results do not depend on the other angles: only the large ones are
/// passed to the library.
#[inline(always)]
pub(super) fn sin_cos_lanes<F: Element, const N: usize>(x: [F; N], value: impl Fn(F) -> f64) -> ([F; N], [F; N])
where
    Lanes<N, F>: Quadrant,
{
    let (mut sin, mut cos) = {
        let (sin, cos) = sin_cos(Lanes(x));
        (sin.0, cos.0)
    };
    if !x.iter().all(|&x| value(x).abs() <= LARGEST_ANGLE) {
        for i in 0..N {
            if value(x[i]).abs() > LARGEST_ANGLE {
                let (s, c) = libm::sincos(value(x[i]));
                (sin[i], cos[i]) = (F::from_f64(s), F::from_f64(c));
            }
        }
    }
    (sin, cos)
}

/// Computes one angle after the other.
#[inline(always)]
pub(super) fn one_by_one<T: Real>(angles: &[T], sin_cos: &mut [(T, T)]) {
    for (angle, out) in angles.iter().zip(sin_cos) {
        *out = angle.sin_cos();
    }
}

/// Computes a register of angles at a time.
#[inline(always)]
pub(super) fn sin_cos_all<T: Real>(angles: &[T], sin_cos: &mut [(T, T)]) {
    let width = <Register<T> as Wide<T>>::WIDTH;
    for (angles, out) in angles.chunks(width).zip(sin_cos.chunks_mut(width)) {
        let x = if angles.len() == width { Register::<T>::load(angles) } else { Register::<T>::load_some(angles) };
        let (sin, cos) = x.sin_cos();
        for (k, out) in out.iter_mut().enumerate() {
            *out = (sin.lane(k), cos.lane(k));
        }
    }
}

/// (sin x, cos x) for |x| ≤ [`LARGEST_ANGLE`].
///
/// The error of each is below 1 unit in its last place, and below 1e-16, for |x| ≤ 1e5. From there to 1e6 the
/// short form of the corrections is not enough for `r1`, and the error may reach 2 units and 2e-16.
/// sin(−0) = +0.
#[inline(always)]
pub(crate) fn sin_cos<T: Quadrant>(x: T) -> (T, T) {
    let shift = T::from_f64(ROUNDING_SHIFT);
    let shifted = x.mul_add(T::from_f64(core::f64::consts::FRAC_2_PI), shift);
    let n = shifted - shift;

    let [h0, h1, h2] = HALF_PI.map(T::from_f64);
    let a = n.neg_mul_add(h0, x); // exact
    let r0 = n.neg_mul_add(h1, a);
    let r1 = n.neg_mul_add(h2, n.neg_mul_add(h1, a - r0)); // rounding error of r0, and the third part

    let z = r0 * r0;
    let p = horner(z, &P);
    let q = horner(z, &Q);
    let half_z = z * T::from_f64(0.5);
    // sin(r0 + r1) = sin r0 + r1 cos r0, cos(r0 + r1) = cos r0 − r1 sin r0; the corrections need only a few
    // digits.
    let sin = r0 + (r0 * z).mul_add(p, half_z.neg_mul_add(r1, r1));
    let one = T::one();
    let c0 = one - half_z;
    let c1 = (one - c0) - half_z; // rounding error of c0
    let cos = c0 + (z * z).mul_add(q, r0.neg_mul_add(r1, c1));
    T::turn(sin, cos, shifted)
}

#[inline(always)]
fn horner<T: Real>(z: T, c: &[f64; 6]) -> T {
    let mut sum = T::from_f64(c[5]);
    for k in (0..5).rev() {
        sum = sum.mul_add(z, T::from_f64(c[k]));
    }
    sum
}
