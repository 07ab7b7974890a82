//! Interprets a program. Tests compare the library and the generated code with it.

use crate::limbs::LANES;
use crate::program::{Op, Program};
use dtau::scalar::Fused;

/// Computes the outputs from inputs and a table. Returns `None` if the mass matrix is singular: nothing
/// resists some joint.
///
/// Multiply-adds round once, as on every CPU with such an instruction.
pub fn interpret(program: &Program, table: &[f64], x: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
    let mut values: Vec<[Fused<f64>; LANES]> = Vec::with_capacity(program.values.len());
    for op in &program.values {
        let at = |value: u32, k: usize| values[value as usize][k];
        let lanes = |k: usize| match *op {
            Op::Parameter(p) => Fused(table[p as usize]),
            Op::Input(array, k) => match x.get(array as usize) {
                Some(x) => Fused(x[k as usize]),
                None => at(program.results[program.outputs.len()][k as usize], 0),
            },
            Op::Gather(g) => program.gathers[g as usize].get(k).map_or(Fused(0.0), |&value| at(value, 0)),
            Op::Splat(a) => at(a, 0),
            Op::Turn(a, by) => at(a, (k + by as usize) % LANES),
            Op::Lane(a, lane) => at(a, lane as usize),
            ref op => op.compute(|value| at(value, k)).expect("all others compute"),
        };
        let all = core::array::from_fn(lanes);
        values.push(all);
    }
    // NaN is not healthy.
    if program.health.map(|value| values[value as usize][0].0).is_some_and(|x| x.is_nan() || x < 0.0) {
        return None;
    }
    let mut y: Vec<Vec<f64>> =
        program.results.iter().map(|all| all.iter().map(|&value| values[value as usize][0].0).collect()).collect();
    let parts = y.split_off(program.outputs.len()).pop().unwrap_or_default();
    for kernel in &program.kernels {
        kernel.interpret(&parts, &mut y);
    }
    for product in &program.products {
        let n = product.rows.len();
        for &out in &product.outputs {
            for c in 0..n {
                let mut column = vec![0.0; n];
                for r in product.rows[c].clone().into_iter().flatten() {
                    for (i, sum) in column.iter_mut().enumerate() {
                        *sum = (-y[product.left][r * n + i]).mul_add(y[out][c * n + r], *sum);
                    }
                }
                y[out][c * n..][..n].copy_from_slice(&column);
            }
        }
    }
    Some(y)
}
