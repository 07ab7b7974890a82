//! The numbers of arrays without bookkeeping, for calls that keep Python's lock from beginning to end.
//!
//! Anybody may hold a NumPy array, so rust-numpy keeps a table of what is borrowed. To enter seven arrays and to strike
//! them out again is a good part of a call for a small robot. A call that keeps the lock needs no table: nobody runs beside it but
//! calls that have let go of the lock, and these are counted here. What is left to see is that the call's own arrays lie apart.
//!
//! A free-threaded Python has no such lock, so a build for one always asks the table. Known when it is built, not asked of the
//! interpreter: that switches a lock on while some thread imports an extension, and off again.
//!
//! The only module of the package with `unsafe`.
#![allow(unsafe_code)]

use numpy::npyffi::{_PyArray_GET_ITEM_DATA, NPY_ARRAY_WRITEABLE};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

type Array<'py> = Bound<'py, PyArrayDyn<f64>>;

/// Whether a call can keep other threads out at all.
pub(crate) const POSSIBLE: bool = !cfg!(Py_GIL_DISABLED);

/// How many [`Borrowing`]s there are. They come and go with Python's lock held, which orders what they do.
static BORROWING: AtomicUsize = AtomicUsize::new(0);

/// A call that holds slices of arrays while others may run; rust-numpy's table knows them.
pub(crate) struct Borrowing<'py>(#[allow(dead_code)] Python<'py>);

impl<'py> Borrowing<'py> {
    pub(crate) fn begin(py: Python<'py>) -> Self {
        BORROWING.fetch_add(1, Relaxed);
        Self(py)
    }
}

impl Drop for Borrowing<'_> {
    fn drop(&mut self) {
        BORROWING.fetch_sub(1, Relaxed);
    }
}

/// Runs with the numbers of `x` and `y`, which must be contiguous. `work` may call nothing that runs Python code, makes a Python
/// object or lets go of the lock.
///
/// `None`, and nothing is done, where that would not be safe or right; rust-numpy's table then tells why.
#[inline]
pub(crate) fn with<'py, R, const I: usize, const O: usize>(
    _: Python<'py>,
    x: [&Array<'py>; I],
    y: [&Array<'py>; O],
    work: impl FnOnce([&[f64]; I], [&mut [f64]; O]) -> R,
) -> Option<R> {
    let others_borrow = !POSSIBLE || BORROWING.load(Relaxed) != 0;
    if others_borrow || !y.iter().all(|y| is_writeable(y)) || !lie_apart(x.map(range), y.map(range)) {
        return None;
    }
    // SAFETY: NumPy keeps the memory of an array that is held, as all of these are, and resizes it only in Python code, which
    // cannot run before `work` ends. Nobody else looks at it meanwhile: this thread keeps the lock, and no call of ours without
    // the lock holds slices. Among the slices, those that are written to overlap with none.
    let (x, y) = unsafe { (x.map(|x| x.as_slice()), y.map(|y| y.as_slice_mut())) };
    if x.iter().any(Result::is_err) || y.iter().any(Result::is_err) {
        return None; // not contiguous
    }
    Some(work(x.map(Result::unwrap_or_default), y.map(Result::unwrap_or_default)))
}

fn is_writeable(array: &Array<'_>) -> bool {
    // SAFETY: it points to an array that is held; the flags are a number in it.
    unsafe { (*_PyArray_GET_ITEM_DATA(array.as_array_ptr())).flags & NPY_ARRAY_WRITEABLE != 0 }
}

/// Where the numbers are, if they are contiguous.
fn range(array: &Array<'_>) -> Range<usize> {
    let start = array.data() as usize;
    start..start + size_of::<f64>() * array.len()
}

fn lie_apart<const I: usize, const O: usize>(x: [Range<usize>; I], y: [Range<usize>; O]) -> bool {
    let apart = |a: &Range<usize>, b: &Range<usize>| a.end <= b.start || b.end <= a.start;
    (0..O).all(|k| x.iter().chain(&y[..k]).all(|other| apart(&y[k], other)))
}
