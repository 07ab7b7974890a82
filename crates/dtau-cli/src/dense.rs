//! A little dense linear algebra for the checks.

use dtau::Matrix;

pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

pub fn sum(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + y).collect()
}

pub fn magnitudes(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x.abs()).collect()
}

pub fn times_vector(m: &Matrix<f64>, x: &[f64]) -> Vec<f64> {
    (0..m.rows()).map(|i| (0..m.columns()).map(|j| m[(i, j)] * x[j]).sum()).collect()
}

/// Returns the product, column-major.
pub fn product(a: &Matrix<f64>, b: &Matrix<f64>) -> Vec<f64> {
    (0..b.columns()).flat_map(|j| times_vector(a, b.column(j))).collect()
}

pub fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| f64::from(k % (n + 1) == 0)).collect()
}

pub fn absolute(m: &Matrix<f64>) -> Matrix<f64> {
    let mut out = m.clone();
    out.iter_mut().for_each(|x| *x = x.abs());
    out
}

pub fn transposed(m: &Matrix<f64>) -> Matrix<f64> {
    let mut out = Matrix::zeros(m.columns(), m.rows());
    for i in 0..m.rows() {
        for j in 0..m.columns() {
            out[(j, i)] = m[(i, j)];
        }
    }
    out
}

/// A matrix of `rows` rows from column-major entries.
pub fn matrix(rows: usize, entries: &[f64]) -> Matrix<f64> {
    let mut out = Matrix::zeros(rows, entries.len() / rows.max(1));
    out.copy_from_slice(entries);
    out
}

/// The largest magnitude in each row.
pub fn row_sizes(m: &Matrix<f64>) -> Vec<f64> {
    (0..m.rows()).map(|i| (0..m.columns()).fold(0.0, |size: f64, j| size.max(m[(i, j)].abs()))).collect()
}
