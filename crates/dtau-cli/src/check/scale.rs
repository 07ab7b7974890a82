//! How far an entry is from what it should be, in units of what can be asked for.

use crate::dense::{absolute, matrix, product, row_sizes};
use dtau::Matrix;
use serde::Serialize;

/// What exact methods must keep, in those units: the tests' tolerance.
pub const TOLERANCE: f64 = 1e-12;

/// An entry and what it should be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Such as `dtau_dq`.
    pub matrix: &'static str,
    /// The joints, by degree of freedom.
    pub row: String,
    pub column: String,
    /// Which of the random states.
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
    /// Compares all entries; `names` are those of rows and columns, where there are so many.
    pub fn compare(
        &mut self,
        what: &'static str,
        state: usize,
        got: &Matrix<f64>,
        want: &Matrix<f64>,
        scales: &[f64],
        names: &[String],
    ) {
        let columns = want.columns();
        for j in 0..columns {
            for i in 0..want.rows() {
                let (got, want, scale) = (got[(i, j)], want[(i, j)], scales[i]);
                let difference = (got - want).abs();
                let error = if difference == 0.0 { 0.0 } else { difference / scale };
                // NaN is worse than anything, and stays.
                if error > self.error || (error.is_nan() && !self.error.is_nan()) || self.entry.is_none() {
                    let name = |of: usize, k: usize| if of == names.len() { names[k].clone() } else { String::new() };
                    let (row, column) = (name(scales.len(), i), name(columns, j));
                    self.entry = Some(Entry { matrix: what, row, column, state, got, want, scale });
                    self.error = error;
                }
            }
        }
    }

    /// Not for NaN either.
    pub fn is_good(&self) -> bool {
        self.error <= TOLERANCE
    }
}

/// For torques and their derivatives: the largest entry of the row.
///
/// Entries of a row are torques of one joint for a unit step of this or that joint: sums over the same bodies and lever arms,
/// so the row's largest entry is the size of what was added up. Where all of a row cancels, as for a balanced wheel, what is
/// left is the rounding of what was added up elsewhere, of which `floor` is the size.
pub fn of_rows(want: &Matrix<f64>, floor: &[f64]) -> Vec<f64> {
    row_sizes(want).into_iter().zip(floor).map(|(size, &floor)| size.max(floor)).collect()
}

/// For accelerations and their derivatives: the largest entry of |M⁻¹| |M| |X| in each row of X.
///
/// A column solves M x = b. Rounding each entry of M and b once moves x by at most 2 ε |M⁻¹| |M| |x|, entry by entry (Skeel):
/// this holds the conditioning of M, does not depend on units, and no method can promise less. Entries of X below `floor`
/// count as `floor`: where terms of that order cancel, what is left is their rounding.
pub fn of_solutions(condition: &Matrix<f64>, want: &Matrix<f64>, floor: f64) -> Vec<f64> {
    let magnitudes = crate::dense::map(want, |x| x.abs().max(floor));
    row_sizes(&matrix(want.rows(), &product(condition, &magnitudes)))
}

/// |M⁻¹| |M|.
pub fn condition(m: &Matrix<f64>, minv: &Matrix<f64>) -> Matrix<f64> {
    matrix(m.rows(), &product(&absolute(minv), &absolute(m)))
}
