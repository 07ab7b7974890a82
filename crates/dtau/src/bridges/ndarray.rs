//! ndarray: arrays by rows, unless they are made by columns.
//!
//! ```
//! use dtau::model::{Model, Options};
//! use dtau::{Matrix, MatrixMut, Workspace, crba};
//! use ndarray::{Array2, ArrayView2, ShapeBuilder};
//!
//! let model = Model::bundled("arm6", &Options::default())?;
//! let (mut ws, q) = (Workspace::new(&model), [0.3; 6]);
//!
//! let mut m = Array2::zeros((6, 6).f()); // by columns
//! crba(&model, &mut ws, &q, MatrixMut::try_from(&mut m)?)?;
//!
//! let mut own = Matrix::zeros(6, 6);
//! crba(&model, &mut ws, &q, &mut own)?;
//! let view = ArrayView2::from(&own); // a view of a matrix of dtau
//! assert_eq!(view, m);
//!
//! let mut by_rows = Array2::<f64>::zeros((6, 6));
//! assert!(MatrixMut::<f64>::try_from(&mut by_rows).is_err());
//! # Ok::<(), dtau::Error>(())
//! ```

use crate::error::{Error, ErrorKind};
use crate::matrix::{Matrix, MatrixMut};
use crate::scalar::Real;
use ::ndarray::{Array2, ArrayView2, ArrayViewMut2, ShapeBuilder};
use alloc::format;

const FITS: &str = "a matrix has rows × columns entries";

impl<'a, T: Real> From<&'a Matrix<T>> for ArrayView2<'a, T> {
    fn from(matrix: &'a Matrix<T>) -> Self {
        ArrayView2::from_shape((matrix.rows(), matrix.columns()).f(), matrix).expect(FITS)
    }
}

impl<'a, T: Real> From<&'a mut Matrix<T>> for ArrayViewMut2<'a, T> {
    fn from(matrix: &'a mut Matrix<T>) -> Self {
        let shape = (matrix.rows(), matrix.columns()).f();
        ArrayViewMut2::from_shape(shape, matrix).expect(FITS)
    }
}

/// Makes it an output of a function. The number of entries must be right. Fails if the array is not by
/// columns.
impl<'a, T: Real> TryFrom<&'a mut Array2<T>> for MatrixMut<'a, T> {
    type Error = Error;

    fn try_from(array: &'a mut Array2<T>) -> Result<Self, Error> {
        let (rows, columns) = array.dim();
        // The transpose of an array by columns is one by rows.
        match array.view_mut().reversed_axes().into_slice() {
            Some(entries) => Ok(entries.into()),
            None => Err(Error::new(
                ErrorKind::Value,
                format!("the array is not by columns; make it by Array2::zeros(({rows}, {columns}).f())"),
            )),
        }
    }
}
