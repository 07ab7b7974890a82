//! Stumpff functions: the coefficients of all exponentials and Jacobians of rotations and rigid motions.
//!
//! ```text
//! cₖ(s) = Σⱼ (−s)ʲ / (2j + k)!                                       (1)
//! with s = θ²:  c₀ = cos θ,  c₁ = sin θ / θ,  c₂ = (1 − cos θ) / θ²,  c₃ = (θ − sin θ) / θ³, …
//! cₖ = 1/k! − s cₖ₊₂                                                 (2)
//! 2 dcₖ/ds = k cₖ₊₂ − cₖ₊₁                                           (3)
//! c₁(4x) = c₀(x) c₁(x),  2 c₂(4x) = c₁(x)²                           (4)
//! ```
//!
//! They are entire in `s`, so derivatives at zero are correct if the code does not divide by `s` there: it
//! uses a series below a switch, closed forms above it. The switch is chosen by rounding errors, not by
//! truncation: the closed forms subtract nearly equal numbers for small `s`, in the derivatives more than in
//! the values. The functions are those of [Stumpff59]; (2) and (3) follow from (1) term by term, (4) from the
//! double-angle formulas.

use crate::scalar::Real;

/// Below this switch (sin θ/θ, cos θ) come from the series. Above it, the derivative with respect to `s`
/// loses 1/s units in the last place.
const SWITCH_SINC: f64 = 1.0;

/// Below this switch c₃, c₄, c₅ come from the series. At 10 both sides lose two bits: above, 1/6 − c₃ is 0.4
/// of 1/6; below, the terms of the series add up to 1.6 times their sum. It is above π² = 9.87 anyway.
const SWITCH_HIGH: f64 = 10.0;

/// [c₀(s), …, c₅(s)].
///
/// c₂ … c₅ to a few units in the last place, relative to the value; c₀ and c₁ relative to 1 at their zeros.
#[inline(always)]
pub(crate) fn stumpff<T: Real>(s: T) -> [T; 6] {
    let x = s * T::from_f64(0.25);
    let (sinc, cos) = sinc_cos(x);
    let c0 = (x * sinc).neg_mul_add(sinc, cos * cos);
    let c1 = sinc * cos; // (4)
    let c2 = sinc * sinc * T::from_f64(0.5); // (4)

    let small = s.lt(T::from_f64(SWITCH_HIGH));
    let sixth = T::from_f64(1.0 / 6.0);
    let by_s = T::select(small, T::one(), s).recip();
    // (2) upwards, if `s` is large enough to divide by
    let above3 = (T::one() - c1) * by_s;
    let above4 = (T::from_f64(0.5) - c2) * by_s;
    let above5 = (sixth - above3) * by_s;
    // (1), and (2) downwards
    let below4 = series::<T, 4, 13>(s);
    let below5 = series::<T, 5, 13>(s);
    let below3 = s.neg_mul_add(below5, sixth);

    let [c3, c4, c5] =
        [(below3, above3), (below4, above4), (below5, above5)].map(|(below, above)| T::select(small, below, above));
    [c0, c1, c2, c3, c4, c5]
}

/// (sin √s / √s, cos √s) = (c₁(s), c₀(s)).
#[inline(always)]
pub(super) fn sinc_cos<T: Real>(s: T) -> (T, T) {
    let small = s.lt(T::from_f64(SWITCH_SINC));
    let root = T::select(small, T::one(), s).sqrt();
    let (sin, cos) = root.sin_cos();
    (T::select(small, series::<T, 1, 10>(s), sin / root), T::select(small, series::<T, 0, 10>(s), cos))
}

/// The first `TERMS` terms of c_K, by Horner's scheme. The truncation error is below 1e-17 of the sum for
/// K = 0, 1 and ten terms at s ≤ 1, and for K = 4, 5 and thirteen terms at s ≤ 10.
#[inline(always)]
fn series<T: Real, const K: usize, const TERMS: usize>(s: T) -> T {
    let coefficients = const { coefficients::<K, TERMS>() };
    let mut sum = T::from_f64(coefficients[TERMS - 1]);
    for j in (0..TERMS - 1).rev() {
        sum = sum.mul_add(s, T::from_f64(coefficients[j]));
    }
    sum
}

/// (−1)ʲ / (2j + K)!
const fn coefficients<const K: usize, const TERMS: usize>() -> [f64; TERMS] {
    let mut out = [0.0; TERMS];
    let mut j = 0;
    while j < TERMS {
        // Factorials up to 29! are integers of 103 bits: exact in u128, so each coefficient is rounded twice
        // at most.
        let (mut factorial, mut n) = (1_u128, 2_u128);
        while n <= (2 * j + K) as u128 {
            factorial *= n;
            n += 1;
        }
        let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
        out[j] = sign / factorial as f64;
        j += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Dual;

    /// cₖ(m/2^`bits`)·2¹⁰⁰ by the series in exact integers (except for the last bit of each term).
    fn exact(k: u32, m: i128, bits: u32) -> i128 {
        let factorial: i128 = (1..=i128::from(k)).product();
        let mut term = (1_i128 << 100) / factorial;
        let mut sum = 0;
        let mut n = i128::from(k);
        while term != 0 {
            sum += term;
            term = -(((term * m) >> bits) / ((n + 1) * (n + 2)));
            n += 2;
        }
        sum
    }

    /// (got − want, want)
    fn error(got: f64, want: i128) -> (f64, f64) {
        let unit = (100.0_f64).exp2();
        (((got * unit) as i128 - want) as f64 / unit, want as f64 / unit)
    }

    /// Five rounding errors (2⁻⁵³ each) relative to the value: the bound is 5.5e-16. At the zeros of c₀ and
    /// c₁ the rounding of the angle √s matters instead.
    #[test]
    fn stumpff_functions_are_right_to_five_roundings_on_both_sides_of_the_switches() {
        let mut worst = [0.0_f64; 6];
        for m in 0..14_336 {
            let s = f64::from(m) / 1024.0;
            let (sinc, cos) = sinc_cos(s);
            for (k, got) in stumpff(s).into_iter().enumerate() {
                let (difference, want) = error(got, exact(k as u32, i128::from(m), 10));
                let scale = if k < 2 { 1.0 } else { want };
                worst[k] = worst[k].max((difference / scale).abs());
                assert!(
                    (difference / scale).abs() <= 5.5e-16,
                    "c{k}({s}): got {got}, want {want}, off by {difference:e}"
                );
            }
            for (k, got) in [cos, sinc].into_iter().enumerate() {
                let (difference, want) = error(got, exact(k as u32, i128::from(m), 10));
                let bound = 4e-16 * want.abs() + if s < SWITCH_SINC { 0.0 } else { 1.2e-16 * s.sqrt() };
                assert!(difference.abs() <= bound, "sinc_cos({s})[{k}]: got {got}, want {want}, off by {difference:e}");
            }
        }
        assert!(worst.iter().all(|&w| w > 0.0), "an exact reference and rounding must differ somewhere: {worst:?}");
    }

    /// Beyond half a turn only (2) and (4) are used, no series. The angle's own rounding counts: 1.1e-16 θ,
    /// doubled by (4).
    #[test]
    fn stumpff_functions_are_right_after_whole_turns() {
        for m in 10 * 64..60 * 64 {
            let s = f64::from(m) / 64.0;
            for (k, got) in stumpff(s).into_iter().enumerate() {
                let (difference, want) = error(got, exact(k as u32, i128::from(m), 6));
                assert!(
                    difference.abs() <= 3e-16 * s.sqrt(),
                    "c{k}({s}): got {got}, want {want}, off by {difference:e}"
                );
            }
        }
    }

    /// (3), by dual numbers. Above the switches a derivative loses another 1/s: 1e-15 covers it.
    #[test]
    fn stumpff_derivatives_are_stumpff_functions() {
        for m in 0..2000 {
            let s = f64::from(m) / 100.0;
            let c = stumpff(Dual::new(s, [1.0]));
            for k in 0..4 {
                let (got, want) = (2.0 * c[k].eps[0], k as f64 * c[k + 2].re - c[k + 1].re);
                assert!((got - want).abs() <= 1e-15, "2 c{k}′({s}): got {got}, want {want}, off by {:e}", got - want);
            }
        }
    }
}
