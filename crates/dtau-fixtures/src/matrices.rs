//! Matrices by columns with the plainest loops, and error bounds of solutions with M.

/// `A x` or `A B` by columns; `A` has `rows` rows.
pub fn product(rows: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    let columns = a.len().checked_div(rows).unwrap_or(0);
    let entry = |i: usize, x: &[f64]| (0..columns).map(|k| a[k * rows + i] * x[k]).sum();
    b.chunks_exact(columns.max(1)).flat_map(|x| (0..rows).map(move |i| entry(i, x))).collect()
}

/// `Aᵀ x`.
pub fn transposed_times(a: &[f64], x: &[f64]) -> Vec<f64> {
    a.chunks_exact(x.len()).map(|column| dot(column, x)).collect()
}

pub fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|at| f64::from(u8::from(at % n == at / n))).collect()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

pub fn negative(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| -x).collect()
}

pub fn absolute(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x.abs()).collect()
}

/// The largest magnitude.
pub fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// The largest magnitude in each of `n` rows.
pub fn largest_in_rows(n: usize, x: &[f64]) -> Vec<f64> {
    (0..n).map(|i| x.iter().skip(i).step_by(n).fold(0.0, |scale, x| x.abs().max(scale))).collect()
}

/// |M⁻¹| |M|.
pub fn condition(n: usize, m: &[f64], minv: &[f64]) -> Vec<f64> {
    product(n, &absolute(minv), &absolute(m))
}

/// Error scale by rows: the largest entry of |M⁻¹| |M| |X| in each row of X; `condition` is |M⁻¹| |M|.
///
/// A column of ∂FD, like q̈ and a column of M⁻¹, solves M x = b. Rounding each entry of M and b once,
/// relatively by ε, moves x by at most 2 ε |M⁻¹| |M| |x|, entry by entry (Skeel). This bound includes the
/// conditioning of M, does not depend on units, and no method can guarantee less. Entries of X below `floor`
/// count as `floor`: if terms of that order cancel, as for a pendulum, whose acceleration does not depend on
/// its velocity, the result is their rounding.
pub fn scales(n: usize, condition: &[f64], x: &[f64], floor: f64) -> Vec<f64> {
    let magnitudes: Vec<f64> = x.iter().map(|x| x.abs().max(floor)).collect();
    largest_in_rows(n, &product(n, condition, &magnitudes))
}

/// ε times the condition number of M bounds the error of q̈. It is estimated from M, and the tests allow 100
/// times that.
pub fn conditioning(m: &[f64], minv: &[f64]) -> f64 {
    100.0 * f64::EPSILON * (1.0 + largest(m) * largest(minv))
}
