//! Recycles the memory of large results.
//!
//! Python returns the memory of a large array to the system, and a new array costs a page fault for each
//! page. For derivatives of many states, this takes as long as the computation, or longer. So the last few
//! arrays are kept here, and an array without other references is used again. The caller gets a view, and
//! every view holds a reference to the array.

use crate::arrays::empty;
use crate::direct;
use numpy::{Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Minimum size for recycling. Smaller arrays come from the allocator, without the system \[bytes\].
const LEAST: usize = 1 << 20;

/// Limit of memory that is kept, including arrays in use \[bytes\].
const MOST: usize = 128 << 20;

/// Kept arrays, oldest first.
static KEPT: Mutex<Vec<Py<PyUntypedArray>>> = Mutex::new(Vec::new());

/// Returns a contiguous array without other users and with arbitrary content, or raises NumPy's MemoryError.
pub(crate) fn array<'py, T: Element>(py: Python<'py>, axes: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let bytes = axes.iter().try_fold(size_of::<T>(), |bytes, &n| bytes.checked_mul(n));
    let Some(bytes) = bytes.filter(|bytes| (LEAST..=MOST).contains(bytes)) else { return empty(py, axes) };
    // Without a global lock, reference counts are not reliable.
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

/// Returns the array, if it fits and nothing else refers to it or a view of it.
fn idle<'py, T: Element>(array: &Bound<'py, PyUntypedArray>, axes: &[usize]) -> Option<Bound<'py, PyArrayDyn<T>>> {
    if direct::references(array) > 1 || array.shape() != axes || !array.is_c_contiguous() {
        return None;
    }
    let array = array.cast::<PyArrayDyn<T>>().ok()?;
    let is_writeable = array.try_readwrite().is_ok();
    is_writeable.then(|| array.clone())
}
