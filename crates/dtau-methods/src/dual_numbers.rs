//! Forward-mode automatic differentiation on the manifold: dual numbers.
//!
//! ```text
//! f(u ⊕ ε eⱼ) = f(u) + ε ∂f/∂uⱼ,   ε² = 0
//! ```
//!
//! The second exact oracle. It runs the same source as the complex step, on an independent scalar, with eight
//! directions at once.

use crate::finite_difference::Jacobians;
use crate::functions::StateFunction;
use dtau::Matrix;
use dtau::model::Model;
use dtau::scalar::{Dual, Real};

/// Number of directions at once.
pub const WIDTH: usize = 8;

/// `[f, ∂f/∂q, ∂f/∂v, ∂f/∂x]`; the first has one column. ⌈nv / 8⌉ evaluations for each argument.
pub fn jacobians(f: &impl StateFunction, q: &[f64], v: &[f64], x: &[f64]) -> Jacobians {
    jacobians_of(f.model(), f.len(), &mut f.over(), q, v, x)
}

/// Same as [`jacobians`], for a function of `rows` numbers whose scratch is already allocated.
pub fn jacobians_of(
    model: &Model,
    rows: usize,
    evaluate: &mut impl FnMut(&[Dual<WIDTH>], &[Dual<WIDTH>], &[Dual<WIDTH>], &mut [Dual<WIDTH>]),
    q: &[f64],
    v: &[f64],
    x: &[f64],
) -> Jacobians {
    let nv = model.nv();
    let lift = |u: &[f64]| -> Vec<Dual<WIDTH>> { u.iter().copied().map(Dual::from_f64).collect() };
    let (q, v, x) = (lift(q), lift(v), lift(x));
    let mut out = [Matrix::zeros(rows, 1), Matrix::zeros(rows, nv), Matrix::zeros(rows, nv), Matrix::zeros(rows, nv)];
    let mut value = lift(&vec![0.0; rows]);
    evaluate(&q, &v, &x, &mut value);
    for i in 0..rows {
        out[0][(i, 0)] = value[i].re;
    }
    for argument in 0..3 {
        for first in (0..nv).step_by(WIDTH) {
            let directions = first..nv.min(first + WIDTH);
            let mut delta = lift(&vec![0.0; nv]);
            for j in directions.clone() {
                delta[j].eps[j - first] = 1.0;
            }
            let (mut q, mut v, mut x) = (q.clone(), v.clone(), x.clone());
            let add = |u: &mut [Dual<WIDTH>]| u.iter_mut().zip(&delta).for_each(|(u, d)| *u += *d);
            match argument {
                0 => {
                    let here = q.clone();
                    model.integrate(&here, &delta, &mut q).expect("lengths that fit the model");
                }
                1 => add(&mut v),
                _ => add(&mut x),
            }
            evaluate(&q, &v, &x, &mut value);
            for j in directions {
                for i in 0..rows {
                    out[1 + argument][(i, j)] = value[i].eps[j - first];
                }
            }
        }
    }
    out
}
