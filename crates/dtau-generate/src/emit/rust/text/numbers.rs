#[inline(always)]
fn r_fma(a: Real, b: Real, c: Real) -> Real {
    Real::multiply_add(a, b, c)
}
#[inline(always)]
fn r_fms(a: Real, b: Real, c: Real) -> Real {
    Real::multiply_add(a, b, -c)
}
#[inline(always)]
fn r_fnma(a: Real, b: Real, c: Real) -> Real {
    Real::multiply_add(-a, b, c)
}
#[inline(always)]
fn r_select(a: Real, b: Real, c: Real, d: Real) -> Real {
    if a < b { c } else { d }
}
#[inline(always)]
fn r_sin(x: Real) -> Real {
    r_sin_cos(x).0
}
#[inline(always)]
fn r_cos(x: Real) -> Real {
    r_sin_cos(x).1
}

/// Sine and cosine, in double precision: n = round(2x/π), r = x − n π/2 in three parts, sin r = r + r³ P(r²),
/// cos r = 1 − r²/2 + r⁴ Q(r²).
#[inline(always)]
fn r_sin_cos(x: Real) -> (Real, Real) {
    const P: [f64; 6] = [-0.16666666666666666, 0.008333333333330946, -0.0001984126983675497, 2.755731610068312e-06, -2.5051131455447428e-08, 1.591810123167728e-10];
    const Q: [f64; 6] = [0.041666666666666664, -0.0013888888888887395, 2.4801587298763433e-05, -2.7557317270560385e-07, 2.087614602470193e-09, -1.1382614869434128e-11];
    let x = f64::from(x);
    // Beyond this the reduction is not exact.
    if !(x.abs() <= 1.0e6) {
        let (sin, cos) = sin_cos_of_large(x);
        return (sin as Real, cos as Real);
    }
    let fma = f64::multiply_add;
    let shift = 6_755_399_441_055_744.0; // leaves the nearest integer in the low bits
    let shifted = fma(x, core::f64::consts::FRAC_2_PI, shift);
    let n = shifted - shift;
    let (h0, h1, h2) = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21);
    let a = fma(-n, h0, x);
    let r0 = fma(-n, h1, a);
    let r1 = fma(-n, h2, fma(-n, h1, a - r0));
    let z = r0 * r0;
    let (mut p, mut q) = (P[5], Q[5]);
    for k in [4, 3, 2, 1, 0] {
        (p, q) = (fma(p, z, P[k]), fma(q, z, Q[k]));
    }
    let half = z * 0.5;
    let sin = r0 + fma(r0 * z, p, fma(-half, r1, r1));
    let c0 = 1.0 - half;
    let cos = c0 + fma(z * z, q, fma(-r0, r1, (1.0 - c0) - half));
    // Turned by the quadrant.
    let (s, c, quadrant) = (sin.to_bits(), cos.to_bits(), shifted.to_bits());
    let swap = (s ^ c) & (quadrant & 1).wrapping_neg();
    let (s, c) = (s ^ swap ^ ((quadrant & 2) << 62), c ^ swap ^ ((quadrant.wrapping_add(1) & 2) << 62));
    (f64::from_bits(s) as Real, f64::from_bits(c) as Real)
}

/// b ← −m b and c ← −m c for a symmetric m of SIZE × SIZE, by columns; of column k of b and c the runs of rows that are not zero.
#[inline(always)]
fn product<const SIZE: usize>(runs: &[&[(usize, usize)]; SIZE], m: &[Real], b: &mut [Real], c: &mut [Real]) {
    for ((b, c), runs) in b.chunks_exact_mut(SIZE).zip(c.chunks_exact_mut(SIZE)).zip(runs) {
        let (mut x, mut y) = ([0.0; SIZE], [0.0; SIZE]);
        for &(from, to) in *runs {
            for ((m, &b), &c) in m[SIZE * from..SIZE * to].chunks_exact(SIZE).zip(&b[from..to]).zip(&c[from..to]) {
                for i in 0..SIZE {
                    x[i] = r_fnma(m[i], b, x[i]);
                    y[i] = r_fnma(m[i], c, y[i]);
                }
            }
        }
        b.copy_from_slice(&x);
        c.copy_from_slice(&y);
    }
}
