//! Matrices of nalgebra and ndarray: the same entries in the same places, without copies.

#![cfg(any(feature = "nalgebra", feature = "ndarray"))]

use dtau::Matrix;

/// Rows 0 1 2, 10 11 12.
fn example() -> Matrix<f64> {
    let mut matrix = Matrix::zeros(2, 3);
    (0..2).for_each(|i| (0..3).for_each(|j| matrix[(i, j)] = (10 * i + j) as f64));
    matrix
}

#[cfg(feature = "nalgebra")]
#[test]
fn nalgebra_sees_the_same_entries() {
    use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut};
    let mut matrix = example();
    let view = DMatrixView::from(&matrix);
    assert_eq!((view.shape(), view[(1, 2)], view[(0, 1)]), ((2, 3), 12.0, 1.0));
    assert!(std::ptr::eq(view.as_ptr(), matrix.as_ptr()), "a copy");
    DMatrixViewMut::from(&mut matrix)[(1, 0)] = 5.0;
    assert_eq!(matrix[(1, 0)], 5.0);
    let mut theirs = DMatrix::<f64>::zeros(3, 3);
    let model = dtau::model::Model::bundled("double_pendulum", &Default::default()).unwrap();
    let mut ws = dtau::Workspace::new(&model);
    assert!(dtau::crba(&model, &mut ws, &[0.1, 0.2], &mut theirs).unwrap_err().to_string().contains("has 9 numbers"));
    let mut theirs = DMatrix::zeros(2, 2);
    dtau::crba(&model, &mut ws, &[0.1, 0.2], &mut theirs).unwrap();
    let mut ours = Matrix::zeros(2, 2);
    dtau::crba(&model, &mut ws, &[0.1, 0.2], &mut ours).unwrap();
    assert_eq!(DMatrixView::from(&ours), theirs);
}

#[cfg(feature = "ndarray")]
#[test]
fn ndarray_sees_the_same_entries() {
    use dtau::MatrixMut;
    use ndarray::{Array2, ArrayView2, ArrayViewMut2, ShapeBuilder};
    let mut matrix = example();
    let view = ArrayView2::from(&matrix);
    assert_eq!((view.dim(), view[(1, 2)], view[(0, 1)]), ((2, 3), 12.0, 1.0));
    assert!(std::ptr::eq(view.as_ptr(), matrix.as_ptr()), "a copy");
    ArrayViewMut2::from(&mut matrix)[(1, 0)] = 5.0;
    assert_eq!(matrix[(1, 0)], 5.0);
    let mut by_columns = Array2::<f64>::zeros((2, 3).f());
    assert!(MatrixMut::<f64>::try_from(&mut by_columns).is_ok());
    let error = MatrixMut::<f64>::try_from(&mut Array2::<f64>::zeros((2, 3))).unwrap_err();
    assert_eq!(error.to_string(), "the array is not by columns; make it by Array2::zeros((2, 3).f())");
}
