//! A matrix to write results into.

use crate::scalar::Real;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut, Index, IndexMut};

/// A matrix by columns; passes for the slice of its entries wherever an algorithm writes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    rows: usize,
    columns: usize,
    entries: Vec<T>,
}

impl<T: Real> Matrix<T> {
    /// Zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, entries: vec![T::zero(); rows * columns] }
    }

    /// From its entries by columns.
    #[cfg(feature = "batch")]
    pub(crate) fn from_entries(rows: usize, columns: usize, entries: Vec<T>) -> Self {
        debug_assert_eq!(entries.len(), rows * columns);
        Self { rows, columns, entries }
    }

    /// Its entries by columns.
    #[cfg(feature = "batch")]
    pub(crate) fn into_entries(self) -> Vec<T> {
        self.entries
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One column.
    pub fn column(&self, j: usize) -> &[T] {
        &self.entries[j * self.rows..][..self.rows]
    }
}

impl<T> Deref for Matrix<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.entries
    }
}

impl<T> DerefMut for Matrix<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.entries
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        assert!(i < self.rows && j < self.columns, "({i}, {j}) is outside a {} × {} matrix", self.rows, self.columns);
        &self.entries[j * self.rows + i]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        assert!(i < self.rows && j < self.columns, "({i}, {j}) is outside a {} × {} matrix", self.rows, self.columns);
        &mut self.entries[j * self.rows + i]
    }
}
