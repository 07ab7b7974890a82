//! A singular value decomposition of rows, for functions that are not called in loops.
//!
//! ```text
//! Jᵀ V = U Σ         V: rotations of pairs of columns, until all are orthogonal                (1)
//! rank: how many σ are more than 10⁻⁷ of the largest                                           (2)
//! Jᵀ (J Jᵀ + μ)⁻¹ e = Σₖ σₖuₖ (vₖ·e)/(σₖ² + μ)        the smallest x with J x = e, for μ = 0   (3)
//! ```
//!
//! Source: one-sided Jacobi, \[Hestenes58\]. It keeps the digits of small singular values, so dependent rows
//! can be distinguished from short rows.

use alloc::vec;
use alloc::vec::Vec;

/// Singular values below this fraction of the largest count as zero.
const NOTHING: f64 = 1e-7;
/// Maximum number of sweeps over all pairs; ten are already many.
const SWEEPS: usize = 60;

/// Singular values and vectors of some rows.
pub(super) struct Spectrum {
    n: usize,
    /// U Σ, by columns of n.
    columns: Vec<f64>,
    /// V, by columns.
    v: Vec<f64>,
    /// σ².
    squares: Vec<f64>,
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Rotates two columns.
fn rotate(x: &mut [f64], n: usize, i: usize, k: usize, (cos, sin): (f64, f64)) {
    let (left, right) = x.split_at_mut(k * n);
    for (a, b) in left[i * n..][..n].iter_mut().zip(&mut right[..n]) {
        (*a, *b) = (cos * *a - sin * *b, sin * *a + cos * *b);
    }
}

impl Spectrum {
    /// Decomposes rows of `n` numbers each.
    pub(super) fn of(n: usize, rows: Vec<f64>) -> Self {
        let (m, mut columns) = (rows.len().checked_div(n).unwrap_or(0), rows);
        let mut v = vec![0.0; m * m];
        (0..m).for_each(|k| v[k * m + k] = 1.0);
        for _ in 0..SWEEPS {
            let mut rotated = false;
            for i in 0..m {
                for k in i + 1..m {
                    let (a, b) = (&columns[i * n..][..n], &columns[k * n..][..n]);
                    let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
                    // Also false for NaN.
                    if ab * ab > 1e-30 * aa * bb {
                        let zeta = (bb - aa) / (2.0 * ab);
                        let tan = if zeta < 0.0 { -1.0 } else { 1.0 } / (zeta.abs() + libm::sqrt(1.0 + zeta * zeta));
                        let cos = 1.0 / libm::sqrt(1.0 + tan * tan);
                        rotate(&mut columns, n, i, k, (cos, cos * tan)); // (1)
                        rotate(&mut v, m, i, k, (cos, cos * tan));
                        rotated = true;
                    }
                }
            }
            if !rotated {
                break;
            }
        }
        let squares = (0..m).map(|k| dot(&columns[k * n..][..n], &columns[k * n..][..n])).collect();
        Self { n, columns, v, squares }
    }

    /// The largest σ².
    pub(super) fn largest(&self) -> f64 {
        self.squares.iter().copied().fold(0.0, f64::max)
    }

    /// σ²ₖ, uₖ σₖ and vₖ of the non-zero singular values (2).
    fn kept(&self) -> impl Iterator<Item = (f64, &[f64], &[f64])> {
        let (least, m) = (self.largest() * NOTHING * NOTHING, self.squares.len());
        self.squares
            .iter()
            .enumerate()
            .filter(move |(_, square)| **square > least)
            .map(move |(k, &square)| (square, &self.columns[k * self.n..][..self.n], &self.v[k * m..][..m]))
    }

    /// (2)
    pub(super) fn rank(&self) -> usize {
        self.kept().count()
    }

    /// (3)
    pub(super) fn solve(&self, e: &[f64], damping: f64) -> Vec<f64> {
        let mut x = vec![0.0; self.n];
        for (square, column, v) in self.kept() {
            let along = dot(v, e) / (square + damping);
            x.iter_mut().zip(column).for_each(|(x, column)| *x += along * column);
        }
        x
    }

    /// `(J Jᵀ)⁻¹ e`, or the least-norm solution if it is singular.
    pub(super) fn multipliers(&self, e: &[f64]) -> Vec<f64> {
        let mut p = vec![0.0; self.squares.len()];
        for (square, _, v) in self.kept() {
            let along = dot(v, e) / square;
            p.iter_mut().zip(v).for_each(|(p, v)| *p += along * v);
        }
        p
    }

    /// Part of `x` that is orthogonal to all rows.
    pub(super) fn unseen(&self, x: &[f64]) -> Vec<f64> {
        let mut out = x.to_vec();
        for (square, column, _) in self.kept() {
            let along = dot(column, x) / square;
            out.iter_mut().zip(column).for_each(|(x, column)| *x -= along * column);
        }
        out
    }
}
