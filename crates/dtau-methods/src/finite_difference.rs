//! Finite differences on the manifold.
//!
//! ```text
//! forward   ∂f/∂uⱼ ≈ (f(u ⊕ h eⱼ) − f(u)) / h                     error ≈ ½ h f″ + ε f/h      (1)
//! central   ∂f/∂uⱼ ≈ (f(u ⊕ h eⱼ) − f(u ⊕ −h eⱼ)) / 2h            error ≈ ⅙ h² f‴ + ε f/h     (2)
//! ```
//!
//! `q ⊕ δ` moves along the configuration space, so a column is along a tangent direction for every joint
//! type. The steps balance truncation and rounding if f, f″ and f‴ have the same magnitude: h = √ε for (1),
//! with an error of √ε ≈ 1e-8 of the entry; h = ∛ε for (2), with ε^⅔ ≈ 4e-11. Velocities and accelerations
//! have no natural size, so their step grows with the number. A tangent vector is an angle or a length, whose
//! natural size is 1.

use crate::functions::StateFunction;
use dtau::Matrix;
use dtau::model::Model;

/// `[f, ∂f/∂q, ∂f/∂v, ∂f/∂x]`; the first has one column.
pub type Jacobians = [Matrix<f64>; 4];

/// Forward differences (1): nv + 1 evaluations for each argument.
pub fn forward(f: &impl StateFunction, q: &[f64], v: &[f64], x: &[f64]) -> Jacobians {
    differences_of(Scheme::Forward, f.model(), f.len(), &mut f.over(), q, v, x)
}

/// Central differences (2): 2 nv evaluations for each argument.
pub fn central(f: &impl StateFunction, q: &[f64], v: &[f64], x: &[f64]) -> Jacobians {
    differences_of(Scheme::Central, f.model(), f.len(), &mut f.over(), q, v, x)
}

/// Kind of differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Forward differences (1).
    Forward,
    /// Central differences (2).
    Central,
}

/// [`forward`] or [`central`] for a function of `rows` numbers whose scratch is already allocated.
pub fn differences_of(
    scheme: Scheme,
    model: &Model,
    rows: usize,
    evaluate: &mut impl FnMut(&[f64], &[f64], &[f64], &mut [f64]),
    q: &[f64],
    v: &[f64],
    x: &[f64],
) -> Jacobians {
    let (nv, central) = (model.nv(), scheme == Scheme::Central);
    let step = if central { f64::EPSILON.cbrt() } else { f64::EPSILON.sqrt() };
    let mut out = [Matrix::zeros(rows, 1), Matrix::zeros(rows, nv), Matrix::zeros(rows, nv), Matrix::zeros(rows, nv)];
    evaluate(q, v, x, &mut out[0]);
    let here = out[0].to_vec();
    let (mut ahead, mut behind) = (vec![0.0; rows], here);
    for (argument, value) in [None, Some(v), Some(x)].into_iter().enumerate() {
        for j in 0..nv {
            // A power of two, so that u + h − u equals h.
            let size = value.map_or(1.0, |u| u[j].abs().max(1.0));
            let h = power_of_two(step * size);
            let mut at = |h: f64, out: &mut [f64]| match argument {
                0 => {
                    let (mut delta, mut moved) = (vec![0.0; nv], q.to_vec());
                    delta[j] = h;
                    model.integrate(q, &delta, &mut moved).expect("lengths that fit the model");
                    evaluate(&moved, v, x, out);
                }
                1 => evaluate(q, &moved(v, j, h), x, out),
                _ => evaluate(q, v, &moved(x, j, h), out),
            };
            at(h, &mut ahead);
            if central {
                at(-h, &mut behind);
            }
            let width = if central { 2.0 * h } else { h };
            for i in 0..rows {
                out[1 + argument][(i, j)] = (ahead[i] - behind[i]) / width;
            }
        }
    }
    out
}

fn moved(u: &[f64], j: usize, h: f64) -> Vec<f64> {
    let mut out = u.to_vec();
    out[j] += h;
    out
}

/// Largest power of two that is not above `x`.
fn power_of_two(x: f64) -> f64 {
    x.log2().floor().exp2()
}
