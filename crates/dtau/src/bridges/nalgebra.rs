//! nalgebra: matrices by columns, as here.
//!
//! ```
//! use dtau::model::{Model, Options};
//! use dtau::{Matrix, Workspace, crba};
//! use nalgebra::{DMatrix, DMatrixView, DVector};
//!
//! let model = Model::bundled("arm6", &Options::default())?;
//! let (mut ws, q) = (Workspace::new(&model), DVector::from_element(6, 0.3));
//!
//! let mut m = DMatrix::<f64>::zeros(6, 6);
//! crba(&model, &mut ws, q.as_slice(), &mut m)?; // into a matrix of nalgebra
//!
//! let mut own = Matrix::zeros(6, 6);
//! crba(&model, &mut ws, q.as_slice(), &mut own)?;
//! let view = DMatrixView::from(&own); // a view of a matrix of dtau
//! assert_eq!(view, m);
//! # Ok::<(), dtau::Error>(())
//! ```

use crate::matrix::{Matrix, MatrixMut};
use crate::scalar::Real;
use ::nalgebra::{DMatrix, DMatrixView, DMatrixViewMut, Scalar};

impl<'a, T: Real + Scalar> From<&'a Matrix<T>> for DMatrixView<'a, T> {
    fn from(matrix: &'a Matrix<T>) -> Self {
        DMatrixView::from_slice(matrix, matrix.rows(), matrix.columns())
    }
}

impl<'a, T: Real + Scalar> From<&'a mut Matrix<T>> for DMatrixViewMut<'a, T> {
    fn from(matrix: &'a mut Matrix<T>) -> Self {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        DMatrixViewMut::from_slice(matrix, rows, columns)
    }
}

/// Makes it an output of a function. The number of entries must be right.
impl<'a, T: Real + Scalar> From<&'a mut DMatrix<T>> for MatrixMut<'a, T> {
    fn from(matrix: &'a mut DMatrix<T>) -> Self {
        matrix.as_mut_slice().into()
    }
}
