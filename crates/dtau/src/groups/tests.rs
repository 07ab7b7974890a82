//! One test suite for every group; a new group is one more line in [`GROUPS`].

use super::Group;
use crate::scalar::{Complex, Dual, Lanes, Real};
use alloc::vec;
use alloc::vec::Vec;
use core::f64::consts::PI;

const GROUPS: [Group; 6] = [Group::Vector(1), Group::Vector(3), Group::Vector(8), Group::So3, Group::Se2, Group::Se3];

const SEEDS: u64 = 50;

/// SplitMix64, in [0, 1).
fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x2545_F491_4F6C_DD1D);
    move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn random(group: Group, uniform: &mut impl FnMut() -> f64) -> Vec<f64> {
    let mut q = vec![f64::NAN; group.nq()];
    group.random(uniform, f64::NEG_INFINITY, f64::INFINITY, &mut q);
    q
}

fn neutral(group: Group) -> Vec<f64> {
    let mut q = vec![f64::NAN; group.nq()];
    group.neutral(&mut q);
    q
}

fn integrate<T: Real>(group: Group, q: &[T], v: &[T]) -> Vec<T> {
    let mut out = vec![T::from_f64(f64::NAN); group.nq()];
    group.integrate(q, v, &mut out);
    out
}

fn difference<T: Real>(group: Group, q0: &[T], q1: &[T]) -> Vec<T> {
    let mut out = vec![T::from_f64(f64::NAN); group.nv()];
    group.difference(q0, q1, &mut out);
    out
}

fn d_integrate<T: Real>(group: Group, q: &[T], v: &[T]) -> [Vec<T>; 2] {
    let n = group.nv() * group.nv();
    let [mut by_q, mut by_v] = [vec![T::from_f64(f64::NAN); n], vec![T::from_f64(f64::NAN); n]];
    group.d_integrate(q, v, &mut by_q, &mut by_v);
    [by_q, by_v]
}

fn d_difference<T: Real>(group: Group, q0: &[T], q1: &[T]) -> [Vec<T>; 2] {
    let n = group.nv() * group.nv();
    let [mut by_q0, mut by_q1] = [vec![T::from_f64(f64::NAN); n], vec![T::from_f64(f64::NAN); n]];
    group.d_difference(q0, q1, &mut by_q0, &mut by_q1);
    [by_q0, by_q1]
}

/// Range of the angular components of a tangent.
fn angular(group: Group) -> core::ops::Range<usize> {
    match group {
        Group::Vector(_) => 0..0,
        Group::So3 => 0..3,
        Group::Se2 => 2..3,
        Group::Se3 => 3..6,
    }
}

/// A tangent of random direction whose rotation is by `angle`, and whose linear part has size `linear`.
fn tangent(group: Group, angle: f64, linear: f64, uniform: &mut impl FnMut() -> f64) -> Vec<f64> {
    let mut v: Vec<f64> = (0..group.nv()).map(|_| linear * (2.0 * uniform() - 1.0)).collect();
    let turning = &mut v[angular(group)];
    for x in &mut *turning {
        *x = 2.0 * uniform() - 1.0;
    }
    let norm = turning.iter().map(|x| x * x).sum::<f64>().sqrt();
    for x in turning {
        *x *= angle / norm;
    }
    v
}

/// Tangents of all relevant sizes: for the series, their switches (θ/2 = 1, tan(θ/2) = 0.1) and the cut at π.
fn tangents(group: Group, uniform: &mut impl FnMut() -> f64) -> Vec<Vec<f64>> {
    let mut all = vec![vec![0.0; group.nv()]];
    for angle in [0.0, 1e-200, 1e-20, 1e-9, 1e-5, 1e-3, 0.19, 0.21, 0.9, 1.999, 2.001, 3.0, 3.13] {
        all.push(tangent(group, angle, 1.0, uniform));
        all.push(tangent(group, angle, angle, uniform));
    }
    all.push(tangent(group, PI - 1e-9, 1.0, uniform));
    all
}

/// The tangents above, and some with rotations beyond π: ⊕ accepts them, ⊖ does not return them.
fn long_tangents(group: Group, uniform: &mut impl FnMut() -> f64) -> Vec<Vec<f64>> {
    let mut all = tangents(group, uniform);
    all.extend([3.16, 3.17, 4.0, 2.0 * PI, 8.0].map(|angle| tangent(group, angle, 1.0, uniform)));
    all
}

fn assert_close(what: &str, context: (Group, u64), got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let off = g - w;
        assert!(off.abs() <= tolerance, "{what}, {context:?}: [{i}] got {g:e}, want {w:e}, difference {off:e}");
    }
}

fn assert_jacobian_close(what: &str, context: (Group, &[f64]), got: &[f64], want: &[f64], tolerance: f64) {
    let n = context.0.nv();
    assert_eq!((got.len(), want.len()), (n * n, n * n));
    for j in 0..n {
        for i in 0..n {
            let (g, w) = (got[j * n + i], want[j * n + i]);
            let off = g - w;
            assert!(
                off.abs() <= tolerance,
                "{what}, {context:?}: ({i}, {j}) got {g:e}, want {w:e}, difference {off:e}"
            );
        }
    }
}

/// Compares configurations: q and −q are the same rotation, and angles of the plane are equal up to whole
/// turns.
fn assert_same_place(what: &str, context: (Group, u64), got: &[f64], want: &[f64], tolerance: f64) {
    let mut got = got.to_vec();
    match context.0 {
        Group::So3 | Group::Se3 => {
            let n = got.len();
            let dot: f64 = got[n - 4..].iter().zip(&want[n - 4..]).map(|(a, b)| a * b).sum();
            got[n - 4..].iter_mut().for_each(|x| *x *= dot.signum());
        }
        Group::Se2 => got[2] -= 2.0 * PI * ((got[2] - want[2]) / (2.0 * PI)).round(),
        Group::Vector(_) => {}
    }
    assert_close(what, context, &got, want, tolerance);
}

// ---- ⊕ and ⊖ ----

/// Positions are sums of numbers of size 1 to 4, each rounded: 1e-14 is about ten roundings. The last
/// tangents rotate by π − 1e-9, where a wrong branch would give positions that differ by about 2.
#[test]
fn difference_undoes_integrate() {
    for group in GROUPS {
        for seed in 0..SEEDS {
            let uniform = &mut uniform(seed);
            let q = random(group, uniform);
            for v in tangents(group, uniform) {
                let back = difference(group, &q, &integrate(group, &q, &v));
                assert_close("(q ⊕ v) ⊖ q", (group, seed), &back, &v, 1e-14);
            }
        }
    }
}

/// From the identity, rounding of `q` loses nothing: tiny angles come back with all their digits.
#[test]
fn difference_undoes_integrate_from_neutral_to_relative_accuracy() {
    for group in GROUPS {
        let start = neutral(group);
        for seed in 0..SEEDS {
            let uniform = &mut uniform(seed);
            for v in tangents(group, uniform) {
                let back = difference(group, &start, &integrate(group, &start, &v));
                let turning = angular(group);
                let size = v[turning.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
                assert_close("angular part", (group, seed), &back[turning.clone()], &v[turning], 1e-15 * size);
            }
        }
    }
}

#[test]
fn integrate_undoes_difference() {
    for group in GROUPS {
        for seed in 0..SEEDS {
            let uniform = &mut uniform(seed);
            let (q0, q1) = (random(group, uniform), random(group, uniform));
            let there = integrate(group, &q0, &difference(group, &q0, &q1));
            assert_same_place("q0 ⊕ (q1 ⊖ q0)", (group, seed), &there, &q1, 1e-14);
        }
    }
}

/// At π both signs of the axis are correct; either must lead to the target. Just below and above π too.
#[test]
fn integrate_undoes_difference_at_half_a_turn() {
    for group in GROUPS {
        for seed in 0..SEEDS {
            let uniform = &mut uniform(seed);
            let q0 = random(group, uniform);
            for angle in [PI - 1e-3, PI - 1e-9, PI - 1e-15, PI, PI + 1e-9, PI + 1e-3, 5.0, 2.0 * PI, 9.0, 100.0] {
                let q1 = integrate(group, &q0, &tangent(group, angle, 1.0, uniform));
                let v = difference(group, &q0, &q1);
                let turned = v[angular(group)].iter().map(|x| x * x).sum::<f64>().sqrt();
                assert!(turned <= PI * (1.0 + 1e-15), "{group:?}, seed {seed}: turned by {turned} > π");
                // θ itself, of size 100, is rounded to 1.4e-14 in the plane; 1e-12 covers what follows.
                assert_same_place("q0 ⊕ (q1 ⊖ q0)", (group, seed), &integrate(group, &q0, &v), &q1, 1e-12);
            }
        }
    }
}

#[test]
fn difference_of_equal_configurations_is_zero() {
    for group in GROUPS {
        for seed in 0..SEEDS {
            let q = random(group, &mut uniform(seed));
            assert_close("q ⊖ q", (group, seed), &difference(group, &q, &q), &vec![0.0; group.nv()], 1e-15);
        }
    }
}

/// Checks Exp((a + b) v) = Exp(a v) Exp(b v).
#[test]
fn steps_along_one_tangent_add() {
    for group in GROUPS {
        for seed in 0..SEEDS {
            let uniform = &mut uniform(seed);
            let q = random(group, uniform);
            for v in tangents(group, uniform) {
                let part = |k: f64| v.iter().map(|x| k * x).collect::<Vec<_>>();
                let twice = integrate(group, &integrate(group, &q, &part(0.3)), &part(0.45));
                assert_same_place("q ⊕ av ⊕ bv", (group, seed), &twice, &integrate(group, &q, &part(0.75)), 1e-14);
            }
        }
    }
}

/// The motion as a 4 × 4 matrix, computed independently.
fn matrix(group: Group, q: &[f64]) -> [[f64; 4]; 4] {
    let mut m = [[0.0; 4]; 4];
    for i in 0..4 {
        m[i][i] = 1.0;
    }
    if let Group::Se2 = group {
        let (sin, cos) = q[2].sin_cos();
        (m[0][0], m[0][1], m[1][0], m[1][1]) = (cos, -sin, sin, cos);
        (m[0][3], m[1][3]) = (q[0], q[1]);
        return m;
    }
    let [x, y, z, w] = q[q.len() - 4..] else { unreachable!() };
    // By the definition q p q*, not by the library's formula.
    for (j, p) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into_iter().enumerate() {
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let t = cross([x, y, z], p).map(|x| 2.0 * x);
        let u = cross([x, y, z], t);
        for i in 0..3 {
            m[i][j] = p[i] + w * t[i] + u[i];
        }
    }
    if let Group::Se3 = group {
        for i in 0..3 {
            m[i][3] = q[i];
        }
    }
    m
}

/// The tangent as a 4 × 4 matrix: [Sola18] eq. (153), (169).
fn hat(group: Group, v: &[f64]) -> [[f64; 4]; 4] {
    let (p, w) = match group {
        Group::Se2 => ([v[0], v[1], 0.0], [0.0, 0.0, v[2]]),
        Group::So3 => ([0.0; 3], [v[0], v[1], v[2]]),
        Group::Se3 => ([v[0], v[1], v[2]], [v[3], v[4], v[5]]),
        Group::Vector(_) => unreachable!(),
    };
    [[0.0, -w[2], w[1], p[0]], [w[2], 0.0, -w[0], p[1]], [-w[1], w[0], 0.0, p[2]], [0.0; 4]]
}

fn multiply(a: [[f64; 4]; 4], b: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
    core::array::from_fn(|i| core::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

/// The matrix exponential by scaling and squaring: twenty terms at a sixteenth of the argument, then four
/// squarings.
fn matrix_exponential(a: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
    let a = a.map(|row| row.map(|x| x / 16.0));
    let identity: [[f64; 4]; 4] = core::array::from_fn(|i| core::array::from_fn(|j| f64::from(u8::from(i == j))));
    let mut sum = identity;
    for k in (1..=20).rev() {
        let product = multiply(a, sum);
        sum = core::array::from_fn(|i| core::array::from_fn(|j| identity[i][j] + product[i][j] / f64::from(k)));
    }
    (0..4).fold(sum, |e, _| multiply(e, e))
}

/// Squaring four times multiplies rounding by sixteen: 1e-14 for entries of size 4. Angles go beyond a whole turn.
#[test]
fn integrate_multiplies_by_the_matrix_exponential() {
    for group in [Group::So3, Group::Se2, Group::Se3] {
        for seed in 0..SEEDS {
            let uniform = &mut uniform(seed);
            let q = random(group, uniform);
            for v in long_tangents(group, uniform) {
                let got = matrix(group, &integrate(group, &q, &v));
                let want = multiply(matrix(group, &q), matrix_exponential(hat(group, &v)));
                assert_close("q ⊕ v", (group, seed), got.as_flattened(), want.as_flattened(), 3e-14);
            }
        }
    }
}

#[test]
fn a_difference_in_the_plane_takes_the_short_way_round() {
    let (q0, q1) = ([0.3, -0.2, 0.1], [0.5, 0.4, 0.2 + 6.0 * PI]);
    let v = difference(Group::Se2, &q0, &q1);
    assert!((v[2] - 0.1).abs() < 1e-14, "turned by {}", v[2]);
    assert_same_place("q0 ⊕ v", (Group::Se2, 0), &integrate(Group::Se2, &q0, &v), &q1, 1e-14);
}

/// Quaternions read from a file have six digits. Only their rotation matters, on both sides of the series'
/// switch.
#[test]
fn differences_of_rotations_ignore_the_length_of_quaternions() {
    let group = Group::So3;
    for seed in 0..SEEDS {
        let uniform = &mut uniform(seed);
        let q = random(group, uniform);
        for v in tangents(group, uniform) {
            let p = integrate(group, &q, &v).iter().map(|x| 1.7 * x).collect::<Vec<_>>();
            assert_close("1.7 (q ⊕ v) ⊖ q", (group, seed), &difference(group, &q, &p), &v, 1e-14);
        }
    }
}

#[test]
fn normalise_touches_quaternions_only() {
    for group in GROUPS {
        let q = random(group, &mut uniform(1));
        let mut scaled = q.clone();
        if let Group::So3 | Group::Se3 = group {
            let n = scaled.len();
            scaled[n - 4..].iter_mut().for_each(|x| *x *= 3.0);
        }
        group.normalise(&mut scaled);
        // Positions and angles must be unchanged to the last bit, quaternions up to rounding.
        assert_close("normalise", (group, 1), &scaled, &q, if q.len() == group.nv() { 0.0 } else { 3e-16 });
    }
}

/// Over ten thousand steps, the length of a quaternion stays one up to rounding and does not drift.
#[test]
fn integrate_keeps_quaternions_at_unit_length() {
    for (group, at) in [(Group::So3, 0), (Group::Se3, 3)] {
        let uniform = &mut uniform(3);
        let mut q = random(group, uniform);
        for _ in 0..10_000 {
            q = integrate(group, &q, &tangent(group, 0.1, 0.1, uniform));
        }
        let length = q[at..].iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() <= 4e-16, "{group:?}: length − 1 = {:e}", length - 1.0);
    }
}

// ---- Jacobians ----

const H: f64 = 1e-30;

fn complex(x: &[f64]) -> Vec<Complex> {
    x.iter().map(|&x| Complex::new(x, 0.0)).collect()
}

/// The Jacobian of `f` along n tangents, by complex step. `f` gets i h e_k.
fn by_complex_step(n: usize, f: impl Fn(&[Complex]) -> Vec<Complex>) -> Vec<f64> {
    (0..n)
        .flat_map(|k| {
            let mut step = vec![Complex::new(0.0, 0.0); n];
            step[k].im = H;
            f(&step).into_iter().map(|x| x.im / H)
        })
        .collect()
}

/// The Jacobian by dual numbers.
fn by_dual(n: usize, f: impl Fn(&[Dual]) -> Vec<Dual>) -> Vec<f64> {
    (0..n)
        .flat_map(|k| {
            let mut step = vec![Dual::new(0.0, [0.0]); n];
            step[k].eps[0] = 1.0;
            f(&step).into_iter().map(|x| x.eps[0])
        })
        .collect()
}

fn dual(x: &[f64]) -> Vec<Dual> {
    x.iter().map(|&x| Dual::new(x, [0.0])).collect()
}

fn add<T: Real>(a: &[T], b: &[T]) -> Vec<T> {
    a.iter().zip(b).map(|(&a, &b)| a + b).collect()
}

/// Entries are of size 1 to 4 and result from a few dozen roundings: 1e-13 is a safe bound.
const JACOBIAN_TOLERANCE: f64 = 1e-13;

#[test]
fn d_integrate_is_the_complex_step_derivative_of_integrate() {
    for group in GROUPS {
        let n = group.nv();
        for seed in 0..SEEDS {
            let uniform = &mut uniform(seed);
            let q = random(group, uniform);
            for v in long_tangents(group, uniform) {
                let [by_q, by_v] = d_integrate(group, &q, &v);
                let (there, qc, vc) = (complex(&integrate(group, &q, &v)), complex(&q), complex(&v));
                let q_oracle = by_complex_step(n, |step| {
                    difference(group, &there, &integrate(group, &integrate(group, &qc, step), &vc))
                });
                let v_oracle =
                    by_complex_step(n, |step| difference(group, &there, &integrate(group, &qc, &add(&vc, step))));
                assert_jacobian_close("D(q ⊕ v)/Dq", (group, &v), &by_q, &q_oracle, JACOBIAN_TOLERANCE);
                assert_jacobian_close("D(q ⊕ v)/Dv", (group, &v), &by_v, &v_oracle, JACOBIAN_TOLERANCE);
            }
        }
    }
}

#[test]
fn d_integrate_is_the_dual_derivative_of_integrate() {
    for group in GROUPS {
        let n = group.nv();
        for seed in 0..SEEDS {
            let uniform = &mut uniform(seed);
            let q = random(group, uniform);
            for v in long_tangents(group, uniform) {
                let [by_q, by_v] = d_integrate(group, &q, &v);
                let (there, qd, vd) = (dual(&integrate(group, &q, &v)), dual(&q), dual(&v));
                let q_oracle =
                    by_dual(n, |step| difference(group, &there, &integrate(group, &integrate(group, &qd, step), &vd)));
                let v_oracle = by_dual(n, |step| difference(group, &there, &integrate(group, &qd, &add(&vd, step))));
                assert_jacobian_close("D(q ⊕ v)/Dq", (group, &v), &by_q, &q_oracle, JACOBIAN_TOLERANCE);
                assert_jacobian_close("D(q ⊕ v)/Dv", (group, &v), &by_v, &v_oracle, JACOBIAN_TOLERANCE);
            }
        }
    }
}

/// Pairs of configurations: random, equal, a tiny step apart, and up to half a turn.
fn pairs(group: Group, seed: u64) -> Vec<[Vec<f64>; 2]> {
    let uniform = &mut uniform(seed);
    let q0 = random(group, uniform);
    let mut all = vec![[q0.clone(), random(group, uniform)]];
    for v in tangents(group, uniform) {
        let q1 = integrate(group, &q0, &v);
        all.push([q0.clone(), q1]);
    }
    all
}

#[test]
fn d_difference_is_the_complex_step_derivative_of_difference() {
    for group in GROUPS {
        let n = group.nv();
        for seed in 0..SEEDS {
            for [q0, q1] in pairs(group, seed) {
                let [by_q0, by_q1] = d_difference(group, &q0, &q1);
                let (c0, c1) = (complex(&q0), complex(&q1));
                let oracle0 = by_complex_step(n, |step| difference(group, &integrate(group, &c0, step), &c1));
                let oracle1 = by_complex_step(n, |step| difference(group, &c0, &integrate(group, &c1, step)));
                let v = difference(group, &q0, &q1);
                assert_jacobian_close("D(q1 ⊖ q0)/Dq0", (group, &v), &by_q0, &oracle0, JACOBIAN_TOLERANCE);
                assert_jacobian_close("D(q1 ⊖ q0)/Dq1", (group, &v), &by_q1, &oracle1, JACOBIAN_TOLERANCE);
            }
        }
    }
}

#[test]
fn d_difference_is_the_dual_derivative_of_difference() {
    for group in GROUPS {
        let n = group.nv();
        for seed in 0..SEEDS {
            for [q0, q1] in pairs(group, seed) {
                let [by_q0, by_q1] = d_difference(group, &q0, &q1);
                let (d0, d1) = (dual(&q0), dual(&q1));
                let oracle0 = by_dual(n, |step| difference(group, &integrate(group, &d0, step), &d1));
                let oracle1 = by_dual(n, |step| difference(group, &d0, &integrate(group, &d1, step)));
                let v = difference(group, &q0, &q1);
                assert_jacobian_close("D(q1 ⊖ q0)/Dq0", (group, &v), &by_q0, &oracle0, JACOBIAN_TOLERANCE);
                assert_jacobian_close("D(q1 ⊖ q0)/Dq1", (group, &v), &by_q1, &oracle1, JACOBIAN_TOLERANCE);
            }
        }
    }
}

fn identity(n: usize, k: f64) -> Vec<f64> {
    (0..n * n).map(|i| if i % (n + 1) == 0 { k } else { 0.0 }).collect()
}

/// Exact to the last bit: nothing is rounded at zero.
#[test]
fn jacobians_at_zero_are_identities() {
    for group in GROUPS {
        let (n, q) = (group.nv(), neutral(group));
        let zero = vec![0.0; n];
        let [by_q, by_v] = d_integrate(group, &q, &zero);
        let [by_q0, by_q1] = d_difference(group, &q, &q);
        assert_jacobian_close("D(q ⊕ 0)/Dq", (group, &zero), &by_q, &identity(n, 1.0), 0.0);
        assert_jacobian_close("D(q ⊕ v)/Dv at 0", (group, &zero), &by_v, &identity(n, 1.0), 0.0);
        assert_jacobian_close("D(q ⊖ q0)/Dq0 at q", (group, &zero), &by_q0, &identity(n, -1.0), 0.0);
        assert_jacobian_close("D(q1 ⊖ q)/Dq1 at q", (group, &zero), &by_q1, &identity(n, 1.0), 0.0);
    }
}

/// ∂J/∂v at zero, from the Jacobians themselves: J_r = 1 − ½ ad(v) + …, J_r⁻¹ = 1 + ½ ad(v) + …, Ad⁻¹ = 1 − ad(v) + …
/// A series that is not analytic in θ² is wrong here, if it is not NaN.
#[test]
fn jacobians_can_be_differentiated_at_zero() {
    for group in GROUPS {
        let (n, q) = (group.nv(), neutral(group));
        let zero = vec![0.0; n];
        for k in 0..n {
            let mut v = dual(&zero);
            v[k].eps[0] = 1.0;
            let qd = dual(&q);
            let [by_q, by_v] = d_integrate(group, &qd, &v);
            let [_, by_q1] = d_difference(group, &qd, &integrate(group, &qd, &v));
            let eps = |x: Vec<Dual>, scale: f64| x.iter().map(|x| scale * x.eps[0]).collect::<Vec<_>>();
            let ad = eps(by_q, -1.0);
            assert_jacobian_close("−2 J_r′", (group, &zero), &eps(by_v, -2.0), &ad, 1e-15);
            assert_jacobian_close("2 (J_r⁻¹)′", (group, &zero), &eps(by_q1, 2.0), &ad, 1e-15);
            let flat = matches!(group, Group::Vector(_));
            assert_eq!(flat, ad.iter().all(|&x| x == 0.0), "{group:?}: ad(e{k}) = {ad:?}");
        }
    }
}

// ---- lanes ----

/// Lanes on both sides of every switch. Each must equal its single computation to the last bit.
#[test]
fn lanes_equal_single_states_bit_for_bit() {
    const N: usize = 4;
    let lanes = |states: &[Vec<f64>]| -> Vec<Lanes<N>> {
        (0..states[0].len()).map(|i| Lanes(core::array::from_fn(|lane| states[lane][i]))).collect()
    };
    let assert_same = |what: &str, group: Group, got: &[Lanes<N>], lane: usize, want: &[f64]| {
        for (i, (g, w)) in got.iter().zip(want).enumerate() {
            assert_eq!(g.0[lane].to_bits(), w.to_bits(), "{what}, {group:?}, lane {lane}: [{i}] got {g:?}, want {w:e}");
        }
    };
    for group in GROUPS {
        for seed in 0..SEEDS {
            let uniform = &mut uniform(seed);
            let mut angles = [0.0, 1e-9, 0.5, 1.5, 2.5, 3.0, PI, 4.0, 9.0];
            angles.rotate_left(seed as usize % 9);
            let q: Vec<_> = (0..N).map(|_| random(group, uniform)).collect();
            let v: Vec<_> = (0..N).map(|lane| tangent(group, angles[lane], 1.0, uniform)).collect();
            let p: Vec<_> = (0..N).map(|lane| integrate(group, &q[lane], &v[lane])).collect();

            let (ql, vl, pl) = (lanes(&q), lanes(&v), lanes(&p));
            let sum = integrate(group, &ql, &vl);
            let back = difference(group, &ql, &pl);
            let [by_q, by_v] = d_integrate(group, &ql, &vl);
            let [by_q0, by_q1] = d_difference(group, &ql, &pl);
            let mut unit = ql.clone();
            group.normalise(&mut unit);
            for lane in 0..N {
                let (q, v, p) = (&q[lane], &v[lane], &p[lane]);
                assert_same("integrate", group, &sum, lane, p);
                assert_same("difference", group, &back, lane, &difference(group, q, p));
                let [by_q_one, by_v_one] = d_integrate(group, q, v);
                assert_same("d_integrate by q", group, &by_q, lane, &by_q_one);
                assert_same("d_integrate by v", group, &by_v, lane, &by_v_one);
                let [by_q0_one, by_q1_one] = d_difference(group, q, p);
                assert_same("d_difference by q0", group, &by_q0, lane, &by_q0_one);
                assert_same("d_difference by q1", group, &by_q1, lane, &by_q1_one);
                let mut unit_one = q.clone();
                group.normalise(&mut unit_one);
                assert_same("normalise", group, &unit, lane, &unit_one);
            }
        }
    }
}

// ---- random ----

#[test]
fn random_quaternions_have_unit_length_and_seeds_repeat() {
    for group in GROUPS {
        for seed in 0..SEEDS {
            let q = random(group, &mut uniform(seed));
            assert_eq!(q, random(group, &mut uniform(seed)), "{group:?}, seed {seed}");
            assert_ne!(q, random(group, &mut uniform(seed + 1)), "{group:?}, seed {seed}");
            if let Group::So3 | Group::Se3 = group {
                let length = q[q.len() - 4..].iter().map(|x| x * x).sum::<f64>().sqrt();
                assert!((length - 1.0).abs() <= 5e-16, "{group:?}, seed {seed}: length − 1 = {:e}", length - 1.0);
            }
        }
    }
}

/// Uniform on SO(3): the matrix has mean 0 and every entry mean square 1/3. 20,000 samples: the standard deviation of
/// a mean is 0.004, so 0.02 is five of them.
#[test]
fn random_rotations_prefer_no_direction() {
    let uniform = &mut uniform(7);
    let count = 20_000;
    let (mut mean, mut square) = ([[0.0; 4]; 4], [[0.0; 4]; 4]);
    for _ in 0..count {
        let m = matrix(Group::So3, &random(Group::So3, uniform));
        for i in 0..3 {
            for j in 0..3 {
                mean[i][j] += m[i][j] / f64::from(count);
                square[i][j] += m[i][j] * m[i][j] / f64::from(count);
            }
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            assert!(mean[i][j].abs() < 0.02, "({i}, {j}): mean {}", mean[i][j]);
            assert!((square[i][j] - 1.0 / 3.0).abs() < 0.02, "({i}, {j}): mean square {}", square[i][j]);
        }
    }
}

#[test]
fn random_numbers_fill_their_bounds() {
    let inf = f64::INFINITY;
    for (lower, upper, low, high) in [
        (-0.5, 2.0, -0.5, 2.0),
        (-inf, inf, -PI, PI),
        (5.0, inf, 5.0, 5.0 + 2.0 * PI),
        (-inf, -5.0, -5.0 - 2.0 * PI, -5.0),
        (1.0, 1.0, 1.0, 1.0),
    ] {
        let uniform = &mut uniform(11);
        let (mut least, mut most) = (inf, -inf);
        for _ in 0..1000 {
            let mut q = [f64::NAN; 3];
            Group::Vector(3).random(uniform, lower, upper, &mut q);
            least = q.into_iter().fold(least, f64::min);
            most = q.into_iter().fold(most, f64::max);
        }
        let slack = 0.01 * (high - low);
        assert!(low <= least && least <= low + slack, "[{lower}, {upper}]: least {least}");
        assert!(high - slack <= most && most <= high, "[{lower}, {upper}]: most {most}");
    }
}
