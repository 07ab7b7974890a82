//! Memory of large results, kept warm.
//!
//! A large array is given back to the system when Python lets go of it, and a new one costs a page fault for every page that is
//! written: for derivatives of many states as much as computing them, or more. So the last few arrays stay known here, and one that
//! nobody else refers to any more serves again. The caller gets a view of it, and every view of that refers to the array too.

use crate::arrays::empty;
use crate::direct;
use numpy::{Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Smaller arrays are handed out by the allocator without the system \[bytes\].
const LEAST: usize = 1 << 20;

/// As much as is kept, by whomever it is used \[bytes\].
const MOST: usize = 128 << 20;

/// The last arrays, the oldest first.
static KEPT: Mutex<Vec<Py<PyUntypedArray>>> = Mutex::new(Vec::new());

/// An array that nobody else has, contiguous, its numbers anything; or NumPy's MemoryError.
pub(crate) fn array<'py, T: Element>(py: Python<'py>, axes: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let bytes = axes.iter().try_fold(size_of::<T>(), |bytes, &n| bytes.checked_mul(n));
    let Some(bytes) = bytes.filter(|bytes| (LEAST..=MOST).contains(bytes)) else { return empty(py, axes) };
    // Without a global lock, to count references says nothing.
    if !direct::POSSIBLE {
        return empty(py, axes);
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let idle = kept.iter().find_map(|array| idle::<T>(array.bind(py), axes));
    let array = match idle {
        Some(array) => array,
        None => {
            let array = empty::<T>(py, axes)?;
            let size = |array: &Py<PyUntypedArray>| {
                let array = array.bind(py);
                array.len() * array.dtype().itemsize()
            };
            while kept.iter().map(size).sum::<usize>() + bytes > MOST {
                kept.remove(0);
            }
            kept.push(array.as_untyped().clone().unbind());
            array
        }
    };
    Ok(array.call_method0("view")?.cast_into()?)
}

/// The array, if it fits and nobody has it or a view of it.
fn idle<'py, T: Element>(array: &Bound<'py, PyUntypedArray>, axes: &[usize]) -> Option<Bound<'py, PyArrayDyn<T>>> {
    if direct::references(array) > 1 || array.shape() != axes || !array.is_c_contiguous() {
        return None;
    }
    let array = array.cast::<PyArrayDyn<T>>().ok()?;
    let is_writeable = array.try_readwrite().is_ok();
    is_writeable.then(|| array.clone())
}
