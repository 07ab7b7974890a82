//! Errors of entries, in units of the smallest error that can be expected.

use crate::dense::{absolute, matrix, product, row_sizes, times_vector};
use dtau::Matrix;
use serde::Serialize;

/// Largest error of an exact method, in those units: the tests' tolerance.
pub const TOLERANCE: f64 = 1e-12;

/// An entry and its expected value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Name of the matrix, such as `dtau_dq`.
    pub matrix: &'static str,
    /// The joints, by degree of freedom.
    pub row: String,
    pub column: String,
    /// Index of the random state.
    pub state: usize,
    pub got: f64,
    pub want: f64,
    /// The unit of the error.
    pub scale: f64,
}

/// The worst entry so far.
#[derive(Clone, Debug, Default)]
pub struct Worst {
    pub error: f64,
    pub entry: Option<Entry>,
}

impl Worst {
    /// Compares all entries. `names` are used for rows and columns if their number matches.
    pub fn compare(
        &mut self,
        what: &'static str,
        state: usize,
        got: &Matrix<f64>,
        want: &Matrix<f64>,
        scales: &[f64],
        names: &[String],
    ) {
        self.compare_named(what, state, got, want, scales, [names; 2]);
    }

    /// Compares all entries, with names for the rows and for the columns.
    pub fn compare_named(
        &mut self,
        what: &'static str,
        state: usize,
        got: &Matrix<f64>,
        want: &Matrix<f64>,
        scales: &[f64],
        names: [&[String]; 2],
    ) {
        let columns = want.columns();
        for j in 0..columns {
            for i in 0..want.rows() {
                let (got, want, scale) = (got[(i, j)], want[(i, j)], scales[i]);
                let difference = (got - want).abs();
                let error = if difference == 0.0 { 0.0 } else { difference / scale };
                // NaN is worse than anything, and stays.
                if error > self.error || (error.is_nan() && !self.error.is_nan()) || self.entry.is_none() {
                    let name = |names: &[String], of: usize, k: usize| {
                        if of == names.len() { names[k].clone() } else { String::new() }
                    };
                    let (row, column) = (name(names[0], scales.len(), i), name(names[1], columns, j));
                    self.entry = Some(Entry { matrix: what, row, column, state, got, want, scale });
                    self.error = error;
                }
            }
        }
    }

    /// True if the error is within the tolerance; false for NaN.
    pub fn is_good(&self) -> bool {
        self.error <= TOLERANCE
    }
}

/// Factor from the size of added terms to the unit of the error: 64 roundings of the terms count as the
/// tolerance. The terms are rounded even if their sum cancels.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON / TOLERANCE;

/// Units for torques and their derivatives: the largest entry of the row, or the size of the terms if that is
/// much larger.
///
/// Entries of a row are torques of one joint for unit steps of different joints: sums over the same bodies
/// and lever arms. So the row's largest entry is the size of the terms, unless the whole row cancels.
pub fn of_rows(want: &Matrix<f64>, added: &[f64]) -> Vec<f64> {
    at_least(&row_sizes(want), added)
}

/// Sizes of rows, or of the added terms if these are much larger.
pub fn at_least(sizes: &[f64], added: &[f64]) -> Vec<f64> {
    sizes.iter().zip(added).map(|(size, added)| size.max(ROUNDINGS * added).max(f64::MIN_POSITIVE)).collect()
}

/// Units for accelerations and their derivatives: the effect on the solution of M x = b of rounding M and b
/// once.
///
/// To first order that is 2 ε |M⁻¹| (|M| |x| + |b|), entry by entry (Skeel), and |b| ≤ |M| |x|. It contains
/// the conditioning of M and does not depend on units, and no method can guarantee less. If terms cancel in M
/// or b, the size of the terms replaces that of the result.
pub fn of_solutions(condition: &Condition, want: &Matrix<f64>, added: &[f64]) -> Vec<f64> {
    let rounded: Vec<f64> = added.iter().map(|added| ROUNDINGS * added).collect();
    let from_b = times_vector(&condition.inverse, &rounded);
    let from_m = row_sizes(&matrix(want.rows(), &product(&condition.both, &absolute(want))));
    from_m.iter().zip(from_b).map(|(m, b)| (m + b).max(f64::MIN_POSITIVE)).collect()
}

/// |M⁻¹| and |M⁻¹| |M|.
pub struct Condition {
    inverse: Matrix<f64>,
    pub both: Matrix<f64>,
}

impl Condition {
    /// `added` is the size of the terms of M.
    pub fn new(m: &Matrix<f64>, minv: &Matrix<f64>, added: &Matrix<f64>) -> Self {
        let mut sizes = absolute(m);
        sizes.iter_mut().zip(added.iter()).for_each(|(m, added)| *m = m.max(ROUNDINGS * added));
        let inverse = absolute(minv);
        Self { both: matrix(m.rows(), &product(&inverse, &sizes)), inverse }
    }
}
