//! Claims about the scalars: each one computes the same numbers, with additional parts.
//!
//! `f64` and `f32` have their own `sin_cos`, so ours is written `Real::sin_cos` here.

#![cfg(feature = "std")] // for Counted

use dtau::scalar::{Complex, Counted, Dual, Element, Fused, Lanes, Operations, Real};
use dtau::spatial::{ArticulatedInertia, Force, Inertia, Motion, Transform, Vec3};
use dtau_fixtures::Rng;
use dtau_fixtures::double_double::{DoubleDouble, ulp, ulp_f32};
use dtau_fixtures::tables::{assert_close, assert_same_bits};
use std::f64::consts::{FRAC_PI_2, PI};

// ---------------------------------------------------------------------------------------------------------------------
// Sine and cosine

/// Angles up to the kernel's limit of 1e6: dense on [−10, 10], spread evenly and logarithmically beyond, and
/// around multiples of π/2 and π/4, where sine or cosine vanishes or the quadrant changes.
fn angles(rng: &mut Rng) -> Vec<f64> {
    let mut angles = vec![1.0e6, -1.0e6];
    angles.extend((-100_000..=100_000).map(|i| f64::from(i) * 1e-4));
    for _ in 0..50_000 {
        angles.push(rng.within(-10.0, 10.0));
        angles.push(rng.within(-1.0e6, 1.0e6));
        angles.push(rng.within(-1.0, 1.0) * 10f64.powf(rng.within(-320.0, 6.0)));
    }
    for n in (0..64).chain((0..3_000).map(|_| (rng.unit() * 1.27e6) as u64)) {
        let multiple = n as f64 * (0.5 * FRAC_PI_2);
        for step in -4..=4 {
            let near = f64::from_bits(multiple.to_bits().saturating_add_signed(step));
            angles.extend([near, -near, multiple + f64::from(step as i32) * 1e-9]);
        }
    }
    angles.retain(|x| x.abs() <= 1.0e6);
    angles
}

/// Returns the largest errors of `sin_cos` over `angles`: in units in the last place of each result, and absolute.
fn errors(angles: &[f64], sin_cos: impl Fn(f64) -> (f64, f64)) -> (f64, f64) {
    let (mut in_ulps, mut absolute) = (0.0, 0.0);
    for &x in angles {
        let (sin, cos) = sin_cos(x);
        let truth = DoubleDouble::from_f64(x).sin_cos();
        for (got, want) in [(sin, truth.0), (cos, truth.1)] {
            let error = want.error_of(got);
            in_ulps = f64::max(in_ulps, error / ulp(want.hi));
            absolute = f64::max(absolute, error);
            assert!(error.is_finite(), "sin_cos({x:e}) = {:?}", (sin, cos));
        }
    }
    (in_ulps, absolute)
}

/// Rounding the result costs 0.5 ulp. The polynomials, their rounding and the last correction cost the rest.
/// Beyond 1e5, the correction reaches 1e-15 and is truncated after its first term, which may cost another ulp.
#[test]
fn sine_and_cosine_are_right_to_an_ulp() {
    let angles = angles(&mut Rng::new(1));
    let (moderate, large): (Vec<f64>, Vec<f64>) = angles.iter().partition(|x| x.abs() <= 1.0e5);
    let fused = |x| {
        let (sin, cos) = Fused(x).sin_cos();
        (sin.0, cos.0)
    };
    for (range, angles, ulps, bound) in [("≤ 1e5", moderate, 1.0, 1e-16), ("≤ 1e6", large, 2.0, 2e-16)] {
        for (name, errors) in [("f64", errors(&angles, Real::sin_cos)), ("Fused<f64>", errors(&angles, fused))] {
            let (in_ulps, absolute) = errors;
            println!("{name}, {} angles {range}: {in_ulps:.3} ulp, {absolute:.3e}", angles.len());
            assert!(in_ulps < ulps && absolute < bound, "{name} {range}: {in_ulps} ulp, {absolute:e}");
        }
    }
}

/// Close to n π/2, one of the two is tiny and still accurate to its last place, because π/2 is subtracted
/// with 120 bits.
#[test]
fn no_multiple_of_half_pi_loses_digits() {
    let angles: Vec<f64> = (1..636_620).step_by(3).map(|n| f64::from(n) * FRAC_PI_2).collect();
    let (in_ulps, _) = errors(&angles, Real::sin_cos);
    println!("multiples of π/2: {in_ulps:.3} ulp");
    assert!(in_ulps < 2.0, "{in_ulps} ulp");
}

/// Computed in double precision and rounded: 0.5 ulp, except for rare doubles near the middle of two floats.
#[test]
fn single_precision_sine_and_cosine_are_correctly_rounded() {
    let mut rng = Rng::new(2);
    let mut worst = 0.0;
    for x in angles(&mut rng).into_iter().map(|x| x as f32).filter(|x| x.abs() <= 1.0e6) {
        let truth = DoubleDouble::from_f64(f64::from(x)).sin_cos();
        let (plain, fused) = (Real::sin_cos(x), Fused(x).sin_cos());
        for (got, want) in [(plain.0, truth.0), (plain.1, truth.1), (fused.0.0, truth.0), (fused.1.0, truth.1)] {
            worst = f64::max(worst, want.error_of(f64::from(got)) / ulp_f32(want.hi as f32));
        }
    }
    println!("f32, Fused<f32>: {worst:.7} ulp");
    assert!(worst < 0.5 + 1e-6, "{worst} ulp");
}

/// Angle, sine and cosine, correctly rounded from 1,400-bit arithmetic (mpmath). The last but five is the
/// double nearest to a multiple of π/2.
#[allow(clippy::excessive_precision)]
const HUGE: [[f64; 3]; 23] = [
    [1000000.0000000001, -0.34999350206224067, 0.9367521275738894],
    [1234567.891, -0.4951048886584622, -0.868833211397039],
    [1048576.0, 0.3304931400217347, 0.943808393901312],
    [10000000.0, 0.4205477931907825, -0.9072703861817396],
    [123456789.0, 0.9901147518020355, 0.14025968153390964],
    [2147483648.0, -0.9713101757929392, 0.23781619457280337],
    [10000000000.0, -0.4875060250875107, 0.873119622676856],
    [9007199254740992.0, -0.848925964814655, -0.5285117844130887],
    [1e16, 0.7796880066069788, -0.6261681981330862],
    [1e18, -0.9929693207404051, 0.11837199021871073],
    [1e22, -0.8522008497671888, 0.523214785395139],
    [3e25, 0.38946622587271873, 0.9210407476895148],
    [1e30, 0.009331468931175825, -0.9999564608959665],
    [1.2676506002282294e30, -0.8721836054182673, 0.48917865697472146],
    [1e50, -0.4805001434937588, 0.8769946477045781],
    [1e77, -0.1014125238115213, 0.9948444602118351],
    [1e100, -0.3806377310050287, 0.9247242387519338],
    [5.319372648326541e255, 1.0, -4.687165924254628e-19],
    [1e150, 0.6906310845321496, -0.7232072352223441],
    [1e200, -0.6439687185395058, 0.7650518214752429],
    [3.3e250, 0.6859873026970635, -0.727613510414978],
    [1e300, -0.8178819121159085, -0.5753861119575491],
    [f64::MAX, 0.004961954789184062, -0.9999876894265599],
];

/// The library is accurate to an ulp, and the table's rounding hides half of one. At the hardest angle, the
/// result is 4.7e-19 and loses its last three bits, which 1e-32 allows.
#[test]
fn huge_angles_are_reduced_exactly() {
    for [x, sin, cos] in HUGE {
        for sign in [1.0, -1.0] {
            let got = Real::sin_cos(sign * x);
            assert_close(got.0, sign * sin, ulp(sin) + 1e-32, &format!("sin {x:e}"));
            assert_close(got.1, cos, ulp(cos) + 1e-32, &format!("cos {x:e}"));
            let fused = Fused(sign * x).sin_cos();
            assert_eq!((fused.0.0, fused.1.0), got, "{x:e}");
        }
    }
}

#[test]
fn tiny_angles_are_their_own_sine() {
    for x in [0.0, -0.0, 5e-324, -5e-324, 1e-320, f64::MIN_POSITIVE, -1e-300, 1e-20, 2.0f64.powi(-27)] {
        assert_eq!(Real::sin_cos(x), (x, 1.0), "{x:e}");
        assert_eq!(Fused(x).sin_cos(), (Fused(x), Fused(1.0)), "{x:e}");
    }
    for x in [0.0f32, -0.0, 1e-45, -1e-45, f32::MIN_POSITIVE] {
        assert_eq!(Real::sin_cos(x), (x, 1.0), "{x:e}");
    }
}

#[test]
fn what_is_not_an_angle_has_no_sine() {
    for x in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (plain, fused, single) = (Real::sin_cos(x), Fused(x).sin_cos(), Real::sin_cos(x as f32));
        assert!(plain.0.is_nan() && plain.1.is_nan(), "f64 {x}: {plain:?}");
        assert!(fused.0.0.is_nan() && fused.1.0.is_nan(), "Fused {x}: {fused:?}");
        assert!(single.0.is_nan() && single.1.is_nan(), "f32 {x}: {single:?}");
    }
}

/// Ordinary, huge and NaN angles. In neighbouring lanes, they must not change an angle's result.
fn awkward_angles(rng: &mut Rng) -> Vec<f64> {
    let awkward = [f64::NAN, f64::INFINITY, 1e300, -1e7, 1e6, 1.0000001e6, 0.0, -0.0, 5e-324];
    (0..4_001)
        .map(|_| match rng.bits() % 8 {
            0 => awkward[(rng.bits() % awkward.len() as u64) as usize],
            1 => rng.within(-1e7, 1e7),
            _ => rng.within(-10.0, 10.0),
        })
        .collect()
}

/// Number type of a lane.
trait Bits: Element {
    fn value(self) -> f64;
}
impl Bits for f64 {
    fn value(self) -> f64 {
        self
    }
}
impl Bits for f32 {
    fn value(self) -> f64 {
        self.into()
    }
}
impl Bits for Fused<f64> {
    fn value(self) -> f64 {
        self.0
    }
}
impl Bits for Fused<f32> {
    fn value(self) -> f64 {
        self.0.into()
    }
}

fn lanes_are_single_values<const N: usize, F: Bits>(angles: &[f64])
where
    Lanes<N, F>: Real,
{
    for chunk in angles.chunks_exact(N) {
        let x: [F; N] = std::array::from_fn(|i| F::from_f64(chunk[i]));
        let (sin, cos) = Lanes(x).sin_cos();
        for i in 0..N {
            let want = x[i].sin_cos();
            let what = format!("lane {i} of {N}, angle {:e}", chunk[i]);
            assert_same_bits(sin.0[i].value(), want.0.value(), &what);
            assert_same_bits(cos.0[i].value(), want.1.value(), &what);
        }
    }
}

#[test]
fn lanes_take_the_sine_of_each_to_the_last_bit() {
    let angles = awkward_angles(&mut Rng::new(3));
    lanes_are_single_values::<1, f64>(&angles);
    lanes_are_single_values::<4, f64>(&angles);
    lanes_are_single_values::<8, f64>(&angles);
    lanes_are_single_values::<4, Fused<f64>>(&angles);
    lanes_are_single_values::<8, Fused<f64>>(&angles);
    lanes_are_single_values::<8, f32>(&angles);
    lanes_are_single_values::<8, Fused<f32>>(&angles);
}

fn all_at_once_is_one_by_one<F: Bits>(angles: &[f64]) {
    for count in (0..=9).chain([angles.len()]) {
        let x: Vec<F> = angles[..count].iter().map(|&x| F::from_f64(x)).collect();
        let mut got = vec![(F::from_f64(9.0), F::from_f64(9.0)); count];
        F::sin_cos_all(&x, &mut got);
        for i in 0..count {
            let want = x[i].sin_cos();
            let what = format!("angle {i} of {count}, {:e}", angles[i]);
            assert_same_bits(got[i].0.value(), want.0.value(), &what);
            assert_same_bits(got[i].1.value(), want.1.value(), &what);
        }
    }
}

#[test]
fn sines_of_many_angles_are_the_sines_of_each_to_the_last_bit() {
    let angles = awkward_angles(&mut Rng::new(4));
    all_at_once_is_one_by_one::<f64>(&angles);
    all_at_once_is_one_by_one::<f32>(&angles);
    all_at_once_is_one_by_one::<Fused<f64>>(&angles);
    all_at_once_is_one_by_one::<Fused<f32>>(&angles);
}

// ---------------------------------------------------------------------------------------------------------------------
// Rounding

/// (1 + ε)² − (1 + 2ε) is ε². A product that is rounded first loses it.
fn rounding_residues<T: Real>(epsilon: f64) -> [T; 3] {
    let t = T::from_f64;
    let (a, b) = (t(1.0 + epsilon), t(1.0 + 2.0 * epsilon));
    [a.mul_add(a, -b), a.mul_sub(a, b), -a.neg_mul_add(a, b)]
}

#[test]
fn fused_rounds_once_and_plain_floats_round_twice() {
    let epsilon = 2f64.powi(-30);
    let square = epsilon * epsilon;
    assert_eq!(rounding_residues::<f64>(epsilon), [0.0; 3]);
    assert_eq!(rounding_residues::<Fused<f64>>(epsilon), [Fused(square); 3]);
    assert_eq!(rounding_residues::<Lanes<4>>(epsilon), [Lanes([0.0; 4]); 3]);
    assert_eq!(rounding_residues::<Lanes<4, Fused<f64>>>(epsilon), [Lanes([Fused(square); 4]); 3]);

    let epsilon = 2f64.powi(-13);
    let square = (epsilon * epsilon) as f32;
    assert_eq!(rounding_residues::<f32>(epsilon), [0.0; 3]);
    assert_eq!(rounding_residues::<Fused<f32>>(epsilon), [Fused(square); 3]);
}

// ---------------------------------------------------------------------------------------------------------------------
// One generic function through every scalar

/// Every operation of [`Real`] in one function:
///
/// ```text
/// r = √(1 + y²),  a = atan2(2 + sin x, r),  d = 3 + cos x,  q = (x z − y) / d
/// f = q r + 1/a        where x < y
///     a − q r + 1/a    elsewhere
/// ```
fn exercise<T: Real>([x, y, z]: [T; 3]) -> T {
    let (s, c) = x.sin_cos();
    let r = y.mul_add(y, T::one()).sqrt();
    let mut above = T::from_f64(2.0);
    above += s;
    let a = above.atan2(r);
    let d = T::from_f64(3.0) + c;
    let q = x.mul_sub(z, y) / d;
    let mut chosen = T::select(x.lt(y), q * r, q.neg_mul_add(r, a));
    chosen -= -a.recip(); // minus minus, to test both
    chosen *= T::one();
    chosen
}

/// Gradient of [`exercise`], derived by hand.
fn gradient([x, y, z]: [f64; 3]) -> [f64; 3] {
    let (s, c) = (x.sin(), x.cos());
    let (r, d) = ((1.0 + y * y).sqrt(), 3.0 + c);
    let (a, q) = ((2.0 + s).atan2(r), (x * z - y) / d);
    let (above, n) = (2.0 + s, (2.0 + s) * (2.0 + s) + r * r);
    let r_y = y / r;
    let (a_x, a_y) = (r * c / n, -above * r_y / n);
    let (qr_x, qr_y, qr_z) = ((z + q * s) / d * r, q * r_y - r / d, x / d * r);
    let (sign, a_factor) = if x < y { (1.0, -1.0 / (a * a)) } else { (-1.0, 1.0 - 1.0 / (a * a)) };
    [sign * qr_x + a_factor * a_x, sign * qr_y + a_factor * a_y, sign * qr_z]
}

fn points(seed: u64) -> Vec<[f64; 3]> {
    let mut rng = Rng::new(seed);
    (0..1_000).map(|_| [(); 3].map(|()| rng.within(-2.0, 2.0))).collect()
}

/// The same operations in the same order give the same bits if the scalar only adds parts. Fused rounds less
/// often, so it agrees to a few roundings of 1.1e-16. f32 rounds at 6e-8, about ten times, with |f| ≤ 4.
#[test]
fn every_scalar_computes_the_same_function() {
    for point in points(5) {
        let want = exercise(point);
        let lift = |direction: f64| point.map(|x| Complex::new(x, 1e-30 * direction));
        assert_same_bits(exercise(lift(0.0)).re, want, "Complex");
        assert_same_bits(exercise(lift(1.0)).re, want, "Complex with a step");
        assert_same_bits(exercise(point.map(|x| Dual::new(x, [1.0, -2.0]))).re, want, "Dual");
        assert_same_bits(exercise(point.map(Counted)).0, want, "Counted");
        assert_close(exercise(point.map(Fused)).0, want, 2e-15, "Fused<f64>");
        assert_close(exercise(point.map(|x| x as f32)).into(), want, 3e-6, "f32");
        assert_close(exercise(point.map(|x| Fused(x as f32))).0.into(), want, 3e-6, "Fused<f32>");
    }
}

/// The lanes take both sides of the branch and do not affect each other.
#[test]
fn every_lane_computes_the_same_function() {
    fn check<const N: usize>(points: &[[f64; 3]]) {
        for chunk in points.chunks_exact(N) {
            let lanes = |k: usize| Lanes::<N>(std::array::from_fn(|i| chunk[i][k]));
            let fused = |k: usize| Lanes::<N, _>(lanes(k).0.map(Fused));
            let plain = exercise([lanes(0), lanes(1), lanes(2)]);
            let fused = exercise([fused(0), fused(1), fused(2)]);
            for i in 0..N {
                assert_same_bits(plain.0[i], exercise(chunk[i]), "Lanes");
                assert_same_bits(fused.0[i].0, exercise(chunk[i].map(Fused)).0, "Lanes of Fused");
            }
        }
    }
    check::<4>(&points(6));
    check::<8>(&points(7));
}

/// Three ways to differentiate: by hand, along three directions at once, and by complex steps. Each has about
/// ten roundings of terms of size 1: 1e-15 relative to the larger of the derivative and 1.
#[test]
fn dual_complex_step_and_hand_derivatives_agree() {
    const H: f64 = 1e-30;
    for point in points(8) {
        let unit = |k: usize| std::array::from_fn(|i| f64::from(u8::from(i == k)));
        let by_hand = gradient(point);
        let dual: [f64; 3] = exercise::<Dual<3>>(std::array::from_fn(|k| Dual::new(point[k], unit(k)))).eps;
        let step: [f64; 3] = std::array::from_fn(|k| {
            exercise::<Complex>(std::array::from_fn(|i| Complex::new(point[i], H * unit(k)[i]))).im / H
        });
        for k in 0..3 {
            let tolerance = 1e-15 * by_hand[k].abs().max(1.0);
            assert_close(dual[k], step[k], tolerance, "Dual against complex step");
            assert_close(dual[k], by_hand[k], tolerance, "Dual against the derivative by hand");
            assert_close(step[k], by_hand[k], tolerance, "complex step against the derivative by hand");
        }
    }
}

/// Directions are independent and linear: the derivative along a combination is the combination of the derivatives.
#[test]
fn dual_directions_are_linear() {
    let mut rng = Rng::new(9);
    for point in points(9) {
        let directions: [[f64; 3]; 3] = [(); 3].map(|()| [(); 3].map(|()| rng.integer()));
        let got = exercise::<Dual<3>>(std::array::from_fn(|i| Dual::new(point[i], directions.map(|d| d[i])))).eps;
        let gradient = gradient(point);
        let want = directions.map(|d| (0..3).map(|i| gradient[i] * d[i]).sum::<f64>());
        assert_close(got, want, 1e-13, "directional derivatives"); // 27 times the roundings of a unit direction
    }
}

#[test]
fn finite_means_every_part_and_below_means_any_lane() {
    assert!(Real::is_finite(1.0f64) && !Real::is_finite(f64::NAN) && !Real::is_finite(f32::INFINITY));
    assert!(Complex::new(1.0, 2.0).is_finite() && !Complex::new(1.0, f64::NAN).is_finite());
    assert!(Dual::new(1.0, [0.0; 2]).is_finite() && !Dual::new(1.0, [0.0, f64::INFINITY]).is_finite());
    assert!(Lanes([1.0; 4]).is_finite() && !Lanes([1.0, 1.0, f64::NAN, 1.0]).is_finite());
    assert!(Fused(1.0).is_finite() && !Fused(f64::NAN).is_finite() && !Counted(f64::NAN).is_finite());
    assert!(Lanes([1.0, 0.1, 1.0, 1.0]).any_below(0.5) && !Lanes([1.0; 4]).any_below(0.5));
    assert!(Complex::new(0.1, 9.0).any_below(0.5) && !Dual::new(0.9, [0.0]).any_below(0.5));
    assert!(Counted(0.1).any_below(0.5) && Fused(0.1f32).any_below(0.5) && !Real::any_below(0.5, 0.5));
}

// ---------------------------------------------------------------------------------------------------------------------
// Complex and dual numbers

fn complex(rng: &mut Rng) -> Complex {
    Complex::new(rng.normal(), rng.normal())
}

#[track_caller]
fn assert_complex(got: Complex, want: Complex, tolerance: f64, what: &str) {
    assert_close([got.re, got.im], [want.re, want.im], tolerance, what);
}

/// Integers have no rounding, so the axioms hold exactly.
#[test]
fn complex_numbers_are_a_ring() {
    let mut rng = Rng::new(10);
    for _ in 0..1_000 {
        let [a, b, c] = [(); 3].map(|()| Complex::new(rng.integer(), rng.integer()));
        assert_eq!(a * b, b * a);
        assert_eq!((a * b) * c, a * (b * c));
        assert_eq!(a * (b + c), a * b + a * c);
        assert_eq!(a + (b - a), b);
        assert_eq!(a + -a, Complex::zero());
        assert_eq!(a * Complex::one(), a);
        assert_eq!(a * b, Complex::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re));
        assert_eq!(a.mul_add(b, c), a * b + c);
        assert_eq!(a.mul_sub(b, c), a * b - c);
        assert_eq!(a.neg_mul_add(b, c), c - a * b);
    }
    let i = Complex::new(0.0, 1.0);
    assert_eq!(i * i, -Complex::one());
}

/// A quotient has about three roundings per part, relative to its modulus.
#[test]
fn complex_division_undoes_multiplication() {
    let mut rng = Rng::new(11);
    for _ in 0..1_000 {
        let (a, b) = (complex(&mut rng), complex(&mut rng));
        let norm = b.re * b.re + b.im * b.im;
        let want = Complex::new((a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm);
        let size = want.re.hypot(want.im);
        assert_complex(a / b, want, 1e-15 * size, "a / b");
        assert_complex(a / b * b, a, 2e-15 * a.re.hypot(a.im), "a / b · b");
        assert_complex(b.recip() * b, Complex::one(), 2e-15, "1 / b · b");
        assert_same_bits((a / Complex::from_f64(b.re)).re, a.re / b.re, "by a real number");
    }
}

/// The squared modulus of the divisor must not overflow or underflow.
#[test]
fn complex_division_survives_extreme_divisors() {
    for size in [1e-300, 1e-200, 1e200, 1e300] {
        for (re, im) in [(3.0, 4.0), (4.0, 3.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 1e-30)] {
            let b = Complex::new(re * size, im * size);
            assert_complex(b / b, Complex::one(), 1e-15, &format!("b / b, b = {b:?}"));
        }
    }
}

/// The square of the root is the number. The root lies in the right half-plane, and jumps only across the
/// negative axis.
#[test]
fn complex_square_root_is_the_principal_branch() {
    let mut rng = Rng::new(12);
    for _ in 0..1_000 {
        let z = complex(&mut rng);
        let root = z.sqrt();
        assert_complex(root * root, z, 1e-15 * z.re.hypot(z.im).max(1.0), "√z √z");
        assert!(root.re >= 0.0 && root.im.is_sign_negative() == z.im.is_sign_negative(), "√{z:?} = {root:?}");
    }
    assert_eq!(Complex::new(-4.0, 0.0).sqrt(), Complex::new(0.0, 2.0));
    assert_eq!(Complex::new(-4.0, -0.0).sqrt(), Complex::new(0.0, -2.0));
    assert_eq!(Complex::new(0.0, 2.0).sqrt(), Complex::new(1.0, 1.0));
    assert_eq!(Complex::new(0.0, -2.0).sqrt(), Complex::new(1.0, -1.0));
    assert_eq!(Complex::<f64>::zero().sqrt(), Complex::zero());
}

/// For large imaginary parts too, the functions are those of complex analysis.
#[test]
fn complex_sine_and_cosine_satisfy_their_identities() {
    let mut rng = Rng::new(13);
    for _ in 0..1_000 {
        let (z, w) = (complex(&mut rng), complex(&mut rng));
        let ((s, c), (s_w, c_w)) = (z.sin_cos(), w.sin_cos());
        // Rounding of terms as large as cosh(im)².
        let scale = 4e-15 * z.im.cosh() * z.im.cosh() * w.im.cosh() * w.im.cosh();
        assert_complex(s * s + c * c, Complex::one(), scale, "sin² + cos²");
        assert_complex((z + w).sin_cos().0, s * c_w + c * s_w, scale, "sin(z + w)");
        assert_complex((z + w).sin_cos().1, c * c_w - s * s_w, scale, "cos(z + w)");
    }
}

/// At the branch point of the square root and at the origin, there is no derivative. The values are still
/// correct, and a `select` keeps the other side.
#[test]
fn derivatives_that_do_not_exist_are_not_invented() {
    let zero = Dual::new(0.0, [1.0, 0.0]);
    assert_eq!(zero.sqrt().re, 0.0);
    assert_eq!(zero.sqrt().eps[0], f64::INFINITY);
    assert!(zero.sqrt().eps[1].is_nan());
    assert!((zero * zero).sqrt().eps[0].is_nan(), "|x| has a kink at 0");
    assert_eq!(zero.atan2(zero).re, 0.0);
    assert!(!zero.atan2(zero).is_finite());
    let chosen = Dual::select(zero.lt(Dual::one()), zero, zero.sqrt());
    assert_eq!(chosen, zero);
}

/// The squared modulus would overflow or vanish at these sizes.
#[test]
fn arc_tangents_have_derivatives_at_any_size() {
    for size in [1e-200, 1.0, 1e200] {
        let (y, x) = (3.0 * size, 4.0 * size);
        // ∂/∂y = x / (x² + y²), ∂/∂x = −y / (x² + y²)
        let want = [4.0 / 25.0, -3.0 / 25.0];
        let dual = Dual::new(y, [size, 0.0]).atan2(Dual::new(x, [0.0, size]));
        assert_close(dual.eps, want, 1e-16, "Dual");
        let h = 1e-30 * size;
        let step = [
            Complex::new(y, h).atan2(Complex::from_f64(x)).im / 1e-30,
            Complex::from_f64(y).atan2(Complex::new(x, h)).im / 1e-30,
        ];
        assert_close(step, want, 1e-16, "Complex");
    }
    // In every quadrant, with the identity atan2(sin t, cos t) = t.
    for t in [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, PI] {
        let (s, c) = Dual::new(t, [1.0]).sin_cos();
        let angle = s.atan2(c);
        assert_close([angle.re, angle.eps[0]], [t, 1.0], 1e-15, "atan2(sin t, cos t)");
        let (s, c) = Complex::new(t, 1e-30).sin_cos();
        let angle = s.atan2(c);
        assert_close([angle.re, angle.im * 1e30], [t, 1.0], 1e-15, "atan2(sin t, cos t)");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Operation counts

#[test]
fn each_operation_counts_once() {
    let (a, b, c) = (Counted(2.0), Counted(3.0), Counted(4.0));
    let count = |work: &dyn Fn() -> Counted| {
        Operations::of(|| {
            work();
        })
    };
    let none = Operations::default();
    assert_eq!(count(&|| a + b), Operations { adds: 1, ..none });
    assert_eq!(count(&|| a - b), Operations { adds: 1, ..none });
    assert_eq!(count(&|| a * b), Operations { muls: 1, ..none });
    assert_eq!(count(&|| a / b), Operations { divs: 1, ..none });
    assert_eq!(count(&|| a.recip()), Operations { divs: 1, ..none });
    assert_eq!(count(&|| a.sqrt()), Operations { sqrts: 1, ..none });
    assert_eq!(count(&|| a.sin_cos().0), Operations { trigs: 1, ..none });
    assert_eq!(count(&|| a.atan2(b)), Operations { trigs: 1, ..none });
    assert_eq!(count(&|| a.mul_add(b, c)), Operations { mul_adds: 1, ..none });
    assert_eq!(count(&|| a.mul_sub(b, c)), Operations { mul_adds: 1, ..none });
    assert_eq!(count(&|| a.neg_mul_add(b, c)), Operations { mul_adds: 1, ..none });
    assert_eq!(count(&|| Counted::select(a.lt(b), -a, b)), none);
    let all = Operations { mul_adds: 1, muls: 2, adds: 3, divs: 4, sqrts: 5, trigs: 6 };
    assert_eq!(all.instructions(), 15);
}

/// (multiply-adds, multiplications, additions) of the products used in the algorithms. No divisions, no roots.
#[test]
fn spatial_products_take_as_many_operations_as_documented() {
    let mut rng = Rng::new(14);
    let (u, v) = (Vec3::<Counted>::lift(rng.vec3()), Vec3::lift(rng.vec3()));
    let (m, n) = (Motion::<Counted>::lift(rng.motion()), Motion::lift(rng.motion()));
    let (f, g) = (Force::<Counted>::lift(rng.force()), Force::lift(rng.force()));
    let x = Transform::<Counted>::lift(&rng.transform());
    let inertia = Inertia::<Counted>::lift(&rng.inertia());
    let articulated = ArticulatedInertia::from(inertia);

    let check = |what: &str, (mul_adds, muls, adds): (u64, u64, u64), work: &dyn Fn()| {
        assert_eq!(Operations::of(work), Operations { mul_adds, muls, adds, ..Operations::default() }, "{what}");
    };
    check("dot", (2, 1, 0), &|| drop_it(u.dot(v)));
    check("cross", (3, 3, 0), &|| drop_it(u.cross(v)));
    check("cross_add", (6, 0, 0), &|| drop_it(u.cross_add(v, u)));
    check("scale_add", (3, 0, 0), &|| drop_it(u.scale_add(v.x, v)));
    check("motion cross", (12, 6, 0), &|| drop_it(m.cross(n)));
    check("motion cross_add", (18, 0, 0), &|| drop_it(m.cross_add(n, m)));
    check("cross_force", (12, 6, 0), &|| drop_it(m.cross_force(f)));
    check("cross_force_add", (18, 0, 0), &|| drop_it(m.cross_force_add(f, g)));
    check("power", (5, 1, 0), &|| drop_it(m.dot(f)));
    check("rotation", (6, 3, 0), &|| drop_it(x.rot * u));
    check("act", (18, 6, 0), &|| drop_it(x.act(m)));
    check("act_inv", (18, 6, 0), &|| drop_it(x.act_inv(m)));
    check("act_force", (18, 6, 0), &|| drop_it(x.act_force(f)));
    check("act_force_inv", (18, 6, 0), &|| drop_it(x.act_force_inv(f)));
    check("composition", (27, 9, 0), &|| drop_it(x * x));
    check("inertia times motion, 24 in all", (18, 6, 0), &|| drop_it(inertia * m));
    check("articulated inertia times motion, 42 in all", (24, 12, 6), &|| drop_it(articulated * m));
    check("sub_outer", (21, 0, 0), &|| drop_it(articulated.sub_outer(f, g)));
    check("sum of inertias", (0, 0, 10), &|| drop_it(inertia + inertia));
}

fn drop_it<A>(_: A) {}

/// Tests run in parallel, and their counts must not mix.
#[test]
fn threads_count_for_themselves() {
    let work = |n: u64| {
        let mut sum = Counted(0.0);
        for _ in 0..n {
            sum += Counted(1.0);
        }
    };
    std::thread::scope(|scope| {
        let counts = [1_000u64, 20_000, 300_000].map(|n| (n, scope.spawn(move || Operations::of(|| work(n)))));
        for (n, count) in counts {
            assert_eq!(count.join().unwrap(), Operations { adds: n, ..Operations::default() });
        }
    });
}
