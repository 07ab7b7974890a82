//! A matrix to write results into.

use crate::model::Model;
use crate::scalar::Real;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut, Index, IndexMut};

/// A matrix by columns; passes for the slice of its entries wherever an algorithm writes one.
#[derive(Clone, Debug)]
pub struct Matrix<T> {
    rows: usize,
    columns: usize,
    entries: Vec<T>,
    /// The model whose derivatives were written here last, if nobody has changed an entry since: then what is zero by its
    /// structure is zero already. In a bush, writing zeros would be most of the work.
    zeros_of: Option<usize>,
}

impl<T: PartialEq> PartialEq for Matrix<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.rows, self.columns, &self.entries) == (other.rows, other.columns, &other.entries)
    }
}

impl<T: Real> Matrix<T> {
    /// Zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, entries: vec![T::zero(); rows * columns], zeros_of: None }
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
        self.zeros_of = None;
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
        self.zeros_of = None;
        &mut self.entries[j * self.rows + i]
    }
}

/// Where a function writes a matrix by columns: a [`Matrix`], which remembers what is zero in it, or a slice.
#[derive(Debug)]
pub struct MatrixMut<'a, T> {
    entries: &'a mut [T],
    zeros_of: Option<&'a mut Option<usize>>,
}

impl<'a, T> MatrixMut<'a, T> {
    /// Nowhere.
    pub(crate) fn none() -> Self {
        Self { entries: &mut [], zeros_of: None }
    }

    /// The entries.
    #[inline(always)]
    pub(crate) fn entries(&self) -> &[T] {
        self.entries
    }

    /// Whether the zeros of this model's derivatives are in place.
    #[inline(always)]
    pub(crate) fn has_zeros_of(&self, model: &Model) -> bool {
        self.zeros_of.as_ref().is_some_and(|zeros_of| **zeros_of == Some(model.id()))
    }

    /// The entries, for writing a matrix of this model that is zero where its derivatives are, zeros and all.
    #[inline(always)]
    pub(crate) fn of(self, model: &Model) -> &'a mut [T] {
        if let Some(zeros_of) = self.zeros_of {
            *zeros_of = Some(model.id());
        }
        self.entries
    }

    /// The entries, for writing anything.
    #[inline(always)]
    pub(crate) fn changed(self) -> &'a mut [T] {
        if let Some(zeros_of) = self.zeros_of {
            *zeros_of = None;
        }
        self.entries
    }
}

impl<'a, T> From<&'a mut Matrix<T>> for MatrixMut<'a, T> {
    fn from(matrix: &'a mut Matrix<T>) -> Self {
        Self { entries: &mut matrix.entries, zeros_of: Some(&mut matrix.zeros_of) }
    }
}

impl<'a, T> From<&'a mut [T]> for MatrixMut<'a, T> {
    fn from(entries: &'a mut [T]) -> Self {
        Self { entries, zeros_of: None }
    }
}

impl<'a, T> From<&'a mut Vec<T>> for MatrixMut<'a, T> {
    fn from(entries: &'a mut Vec<T>) -> Self {
        Self { entries, zeros_of: None }
    }
}

impl<'a, T, const N: usize> From<&'a mut [T; N]> for MatrixMut<'a, T> {
    fn from(entries: &'a mut [T; N]) -> Self {
        Self { entries, zeros_of: None }
    }
}

impl<'a, T> From<&'a mut T> for MatrixMut<'a, T> {
    fn from(entry: &'a mut T) -> Self {
        Self { entries: core::slice::from_mut(entry), zeros_of: None }
    }
}
