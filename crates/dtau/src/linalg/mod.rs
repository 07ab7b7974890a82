//! Linear algebra on rows in registers, for single states and for lanes.
//!
//! Matrices are stored by columns. A *row* is a run of neighbouring numbers, several registers long: a column
//! of a matrix, or one number of many right-hand sides. Sums of rows stay in registers until they are
//! complete.

pub(crate) mod multiply;
pub(crate) mod six;
pub(crate) mod sum;
#[cfg(test)]
mod tests;
pub(crate) mod transpose;
