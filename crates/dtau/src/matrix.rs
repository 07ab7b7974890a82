//! Matrices for results.

use crate::error::Error;
use crate::model::Model;
use crate::room;
use crate::scalar::Real;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut, Index, IndexMut};

/// A column-major matrix. It can be passed wherever an algorithm writes a slice of its entries.
#[derive(Clone, Debug)]
pub struct Matrix<T> {
    rows: usize,
    columns: usize,
    entries: Vec<T>,
    /// The model whose derivatives were last written here, unless an entry was changed since. The structural
    /// zeros are then already in place. For a bushy tree, writing zeros would be most of the work.
    zeros_of: Option<usize>,
}

impl<T: PartialEq> PartialEq for Matrix<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.rows, self.columns, &self.entries) == (other.rows, other.columns, &other.entries)
    }
}

impl<T: Real> Matrix<T> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, entries: vec![T::zero(); rows * columns], zeros_of: None }
    }

    /// A matrix of zeros with a shape: rows and columns.
    pub(crate) fn of_shape((rows, columns): (usize, usize)) -> Self {
        Self::zeros(rows, columns)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Column `j`.
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

/// An array of three indices, each of length nv: entry (i, j, k) is at `i + n (j + n k)`. It can be passed
/// wherever an algorithm writes a slice of its entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor<T>(Matrix<T>);

impl<T: Real> Tensor<T> {
    /// A tensor of zeros for a model.
    ///
    /// # Errors
    /// If there is not enough memory, of kind [`ErrorKind::Memory`](crate::ErrorKind::Memory).
    pub fn zeros(model: &Model) -> Result<Self, Error> {
        let [tensor] = Self::several(model)?;
        Ok(tensor)
    }

    /// Several tensors at once; allocates all or none.
    pub(crate) fn several<const N: usize>(model: &Model) -> Result<[Self; N], Error> {
        let nv = model.nv();
        let bytes = nv.saturating_mul(nv).saturating_mul(nv).saturating_mul(N * size_of::<T>());
        room::ask(bytes, || format!("the second derivatives of model \"{}\"", model.name()))?;
        Ok(core::array::from_fn(|_| Self(Matrix::zeros(nv, nv * nv))))
    }

    /// The length of each index.
    pub fn len_of_index(&self) -> usize {
        self.0.rows
    }

    /// The matrix for one value of the last index, column-major.
    pub fn matrix(&self, k: usize) -> &[T] {
        let n = self.0.rows;
        &self.0.entries[k * n * n..][..n * n]
    }
}

impl<T> Deref for Tensor<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for Tensor<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T> Index<(usize, usize, usize)> for Tensor<T> {
    type Output = T;
    fn index(&self, (i, j, k): (usize, usize, usize)) -> &T {
        let n = self.0.rows;
        assert!(j < n, "({i}, {j}, {k}) is outside a tensor of {n} × {n} × {n}");
        &self.0[(i, j + n * k)]
    }
}

impl<'a, T> From<&'a mut Tensor<T>> for MatrixMut<'a, T> {
    fn from(tensor: &'a mut Tensor<T>) -> Self {
        (&mut tensor.0).into()
    }
}

/// Output of a function: a [`Matrix`], which remembers its zeros, or a slice. Matrices are column-major.
#[derive(Debug)]
#[repr(C)]
pub struct MatrixMut<'a, T> {
    /// The entries. All of them must be written,
    pub(crate) entries: &'a mut [T],
    /// except the zeros of the tree if these are already in place. An engine sets this flag.
    pub(crate) zeros_in_place: bool,
    zeros_of: Option<&'a mut Option<usize>>,
}

impl<'a, T> MatrixMut<'a, T> {
    #[inline(always)]
    fn new(entries: &'a mut [T], zeros_of: Option<&'a mut Option<usize>>) -> Self {
        Self { entries, zeros_in_place: false, zeros_of }
    }

    /// Outputs without entries.
    #[inline(always)]
    pub(crate) fn nowhere<const N: usize>() -> [Self; N] {
        core::array::from_fn(|_| Self::new(&mut [], None))
    }

    /// Reborrows the entries.
    #[inline(always)]
    pub(crate) fn reborrow(&mut self) -> MatrixMut<'_, T> {
        MatrixMut { entries: &mut *self.entries, zeros_in_place: self.zeros_in_place, zeros_of: None }
    }

    /// True if the zeros of this model's derivatives are in place.
    #[inline(always)]
    pub(crate) fn has_zeros_of(&self, model: &Model) -> bool {
        self.zeros_of.as_ref().is_some_and(|zeros_of| **zeros_of == Some(model.id()))
    }

    /// Records whose zeros the entries will have after writing: those of a model's derivatives, or none.
    #[inline(always)]
    pub(crate) fn will_have_zeros_of(&mut self, model: Option<&Model>) {
        if let Some(zeros_of) = &mut self.zeros_of {
            **zeros_of = model.map(Model::id);
        }
    }
}

impl<'a, T> From<&'a mut Matrix<T>> for MatrixMut<'a, T> {
    #[inline(always)]
    fn from(matrix: &'a mut Matrix<T>) -> Self {
        Self::new(&mut matrix.entries, Some(&mut matrix.zeros_of))
    }
}

impl<'a, T> From<&'a mut [T]> for MatrixMut<'a, T> {
    #[inline(always)]
    fn from(entries: &'a mut [T]) -> Self {
        Self::new(entries, None)
    }
}

impl<'a, T> From<&'a mut Vec<T>> for MatrixMut<'a, T> {
    #[inline(always)]
    fn from(entries: &'a mut Vec<T>) -> Self {
        Self::new(entries, None)
    }
}

impl<'a, T, const N: usize> From<&'a mut [T; N]> for MatrixMut<'a, T> {
    #[inline(always)]
    fn from(entries: &'a mut [T; N]) -> Self {
        Self::new(entries, None)
    }
}

impl<'a, T> From<&'a mut T> for MatrixMut<'a, T> {
    #[inline(always)]
    fn from(entry: &'a mut T) -> Self {
        Self::new(core::slice::from_mut(entry), None)
    }
}
