//! The numbers of arrays without bookkeeping, for calls that keep Python's lock from beginning to end.
//!
//! Anybody may hold a NumPy array, so rust-numpy keeps a table of what is borrowed. To enter seven arrays and to strike
//! them out again is a good part of a call for a small robot. A call that keeps the lock needs no table: nobody runs beside it but
//! calls that have let go of the lock, and these are counted here. What is left to see is that the call's own arrays lie apart.
//!
//! A free-threaded Python has no such lock, so a build for one always asks the table. Known when it is built, not asked of the
//! interpreter: that switches a lock on while some thread imports an extension, and off again.
//!
//! So is how Python calls a function of the list: see [`function`].
//!
//! With `unsafe`, as `plans/xla.rs` alone beside it.
#![allow(unsafe_code)]

use crate::arrays::MOST;
use crate::functions;
use numpy::npyffi::{_PyArray_GET_ITEM_DATA, NPY_ARRAY_WRITEABLE};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PySystemError;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use pyo3::{Borrowed, ffi};
use std::ffi::CStr;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{ptr, slice};

type Array<'py> = Bound<'py, PyArrayDyn<f64>>;

/// Whether a call can keep other threads out at all.
pub(crate) const POSSIBLE: bool = !cfg!(Py_GIL_DISABLED);

/// How many refer to an object. Of use only where [`POSSIBLE`].
pub(crate) fn references<T>(object: &Bound<'_, T>) -> isize {
    // SAFETY: the object is alive, and reading its count changes nothing.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}

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
#[inline(always)]
pub(crate) fn with<'a, 'py: 'a, R>(
    _: Python<'py>,
    x: impl Iterator<Item = &'a Array<'py>> + Clone,
    y: impl Iterator<Item = &'a Array<'py>> + Clone,
    work: impl FnOnce(&[&[f64]], &mut [&mut [f64]]) -> R,
) -> Option<R> {
    if !POSSIBLE || BORROWING.load(Relaxed) != 0 || !lie_apart(x.clone(), y.clone()) {
        return None;
    }
    let (mut read, mut write): ([&[f64]; MOST], [&mut [f64]; MOST]) = Default::default();
    let (mut reads, mut writes) = (0, 0);
    for (to, x) in read.iter_mut().zip(x) {
        // SAFETY: NumPy keeps the memory of an array that is held, as all of these are, and resizes it only in Python code, which
        // cannot run before `work` ends. Nobody else looks at it meanwhile: this thread keeps the lock, and no call of ours
        // without the lock holds slices. Among the slices, those that are written to overlap with none.
        *to = unsafe { x.as_slice() }.ok()?; // `None` if it is not contiguous
        reads += 1;
    }
    for (to, y) in write.iter_mut().zip(y) {
        // SAFETY: as above.
        *to = unsafe { y.as_slice_mut() }.ok()?;
        writes += 1;
    }
    Some(work(&read[..reads], &mut write[..writes]))
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

/// Whether all of `y` may be written to, and overlap with nothing.
#[inline(always)]
fn lie_apart<'a, 'py: 'a>(x: impl Iterator<Item = &'a Array<'py>>, y: impl Iterator<Item = &'a Array<'py>>) -> bool {
    let mut taken = [const { 0..0 }; 2 * MOST];
    let mut count = 0;
    for x in x {
        taken[count] = range(x);
        count += 1;
    }
    for y in y {
        let own = range(y);
        if !is_writeable(y) || taken[..count].iter().any(|other| own.start < other.end && other.start < own.end) {
            return false;
        }
        taken[count] = own;
        count += 1;
    }
    true
}

/// What Python hands over to a function: references that it holds until the function returns.
pub(crate) struct Arguments<'a, 'py> {
    py: Python<'py>,
    /// Those without names first.
    pointers: &'a [*mut ffi::PyObject],
    names: Option<Borrowed<'a, 'py, PyTuple>>,
}

impl<'a, 'py> Arguments<'a, 'py> {
    /// How many have no name.
    #[inline]
    pub(crate) fn positional(&self) -> usize {
        self.pointers.len() - self.names.map_or(0, |names| names.len())
    }

    #[inline]
    pub(crate) fn get(&self, k: usize) -> Borrowed<'a, 'py, PyAny> {
        // SAFETY: Python holds what it points to.
        unsafe { Borrowed::from_ptr(self.py, self.pointers[k]) }
    }

    /// The names of those that have one.
    #[inline]
    pub(crate) fn names(&self) -> impl Iterator<Item = Borrowed<'_, 'py, PyAny>> {
        let names = self.names.as_deref();
        let count = names.map_or(0, |names| names.len());
        (0..count).filter_map(move |k| names?.get_borrowed_item(k).ok())
    }
}

/// A function of the module whose calls go to `functions::call`, with its place in the list. As the `#[pyfunction]` of PyO3, but
/// made when the module is, from a list.
pub(crate) fn function<'py>(
    module: &Bound<'py, PyModule>,
    place: usize,
    name: &'static CStr,
    doc: &'static CStr,
) -> PyResult<Bound<'py, PyAny>> {
    let (definition, module_name) = (define(TABLE, place, name, doc)?, module.name()?);
    // SAFETY: the definition and its texts stay for ever, and the entry is of the kind that the flags tell.
    unsafe {
        let function = ffi::PyCFunction_NewEx(definition, module.as_ptr(), module_name.as_ptr());
        Bound::from_owned_ptr_or_err(module.py(), function)
    }
}

/// A method of a class, whose calls go to `functions::call_method`.
pub(crate) fn method<'py>(
    class: &Bound<'py, PyType>,
    place: usize,
    name: &'static CStr,
    doc: &'static CStr,
) -> PyResult<Bound<'py, PyAny>> {
    let definition = define(METHODS, place, name, doc)?;
    // SAFETY: as above.
    unsafe {
        let method = ffi::PyDescr_NewMethod(class.as_type_ptr(), definition);
        Bound::from_owned_ptr_or_err(class.py(), method)
    }
}

/// What Python is to know of a function, for ever.
fn define(
    table: &[ffi::PyCFunctionFastWithKeywords],
    place: usize,
    name: &'static CStr,
    doc: &'static CStr,
) -> PyResult<&'static mut ffi::PyMethodDef> {
    let entry =
        *table.get(place).ok_or_else(|| PySystemError::new_err("the list of functions is longer than the table"))?;
    Ok(Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: entry },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: doc.as_ptr(),
    })))
}

/// One entry for each place of the list, since Python says nothing of a function but where it begins and whose it is: the module's, or a
/// class's.
///
/// # Safety
/// Python calls it, attached to the interpreter: `count` arguments, and behind them as many as there are names.
unsafe extern "C" fn entry<const PLACE: usize, const IS_METHOD: bool>(
    owner: *mut ffi::PyObject,
    pointers: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: it is attached, says the caller.
    let py = unsafe { Python::assume_attached() };
    let run = || {
        // SAFETY: a tuple or null.
        let names = unsafe { Borrowed::from_ptr_or_opt(py, names).map(|names| names.cast_unchecked::<PyTuple>()) };
        let count = count.unsigned_abs() + names.map_or(0, |names| names.len());
        // SAFETY: so many pointers; null may stand for none.
        let pointers = if count == 0 { &[] } else { unsafe { slice::from_raw_parts(pointers, count) } };
        let arguments = Arguments { py, pointers, names };
        if !IS_METHOD {
            return functions::call(py, PLACE, &arguments);
        }
        // SAFETY: Python holds whom it calls a method of.
        functions::call_method(unsafe { Borrowed::from_ptr(py, owner) }, PLACE, &arguments)
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(result)) => result.into_ptr(),
        Ok(Err(error)) => raise(error),
        Err(_) => raise(PanicException::new_err("a function of dtau panicked; its message is on standard error")),
    }
}

/// Not only assumed here: PyO3 keeps what errors hold until it attaches.
#[cold]
fn raise(error: PyErr) -> *mut ffi::PyObject {
    Python::attach(|py| error.restore(py));
    ptr::null_mut()
}

macro_rules! table {
    ($method:literal: $($tens:literal)*) => { table! { @ $($method $tens [0 1 2 3 4 5 6 7 8 9])* } };
    (@ $($method:literal $tens:literal [$($ones:literal)*])*) => { &[$($(entry::<{ 10 * $tens + $ones }, $method>),*),*] };
}

static TABLE: &[ffi::PyCFunctionFastWithKeywords] = table![false: 0 1 2 3 4 5 6 7 8 9];
static METHODS: &[ffi::PyCFunctionFastWithKeywords] = table![true: 0 1 2 3 4 5 6 7 8 9];
