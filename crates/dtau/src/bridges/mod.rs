//! Matrices of other libraries as views of [`Matrix`](crate::Matrix), and outputs in theirs. Nothing is copied.

#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;
