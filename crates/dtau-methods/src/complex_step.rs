//! The complex step on the manifold.
//!
//! ```text
//! ∂f/∂uⱼ = Im f(u ⊕ i h eⱼ) / h          error ≈ ⅙ h² f‴
//! ```
//!
//! No difference is taken, so there is no cancellation and `h` may be very small: at h = 1e-30 the truncation
//! error is far below rounding. The derivative is that of the source itself, run on complex numbers. Source:
//! [Lyness67]; on Lie groups [Cossette20], here with `q ⊕ i h eⱼ` by the model's own exponential, which is
//! analytic.

use crate::finite_difference::Jacobians;
use crate::functions::StateFunction;
use dtau::Matrix;
use dtau::model::Model;
use dtau::scalar::{Complex, Real};

const H: f64 = 1e-30;

/// `[f, ∂f/∂q, ∂f/∂v, ∂f/∂x]`; the first has one column. nv evaluations for each argument.
pub fn jacobians(f: &impl StateFunction, q: &[f64], v: &[f64], x: &[f64]) -> Jacobians {
    jacobians_of(f.model(), f.len(), &mut f.over(), q, v, x)
}

/// Same as [`jacobians`], for a function of `rows` numbers whose scratch is already allocated.
pub fn jacobians_of(
    model: &Model,
    rows: usize,
    evaluate: &mut impl FnMut(&[Complex], &[Complex], &[Complex], &mut [Complex]),
    q: &[f64],
    v: &[f64],
    x: &[f64],
) -> Jacobians {
    let nv = model.nv();
    let lift = |u: &[f64]| -> Vec<Complex> { u.iter().copied().map(Complex::from_f64).collect() };
    let (q, v, x) = (lift(q), lift(v), lift(x));
    let mut out = [Matrix::zeros(rows, 1), Matrix::zeros(rows, nv), Matrix::zeros(rows, nv), Matrix::zeros(rows, nv)];
    let mut value = lift(&vec![0.0; rows]);
    evaluate(&q, &v, &x, &mut value);
    for i in 0..rows {
        out[0][(i, 0)] = value[i].re;
    }
    let step = Complex::new(0.0, H);
    for argument in 0..3 {
        for j in 0..nv {
            let (mut q, mut v, mut x) = (q.clone(), v.clone(), x.clone());
            match argument {
                0 => {
                    let mut delta = lift(&vec![0.0; nv]);
                    delta[j] = step;
                    let here = q.clone();
                    model.integrate(&here, &delta, &mut q).expect("lengths that fit the model");
                }
                1 => v[j] += step,
                _ => x[j] += step,
            }
            evaluate(&q, &v, &x, &mut value);
            for i in 0..rows {
                out[1 + argument][(i, j)] = value[i].im / H;
            }
        }
    }
    out
}
