//! Direct access to the numbers of arrays, for calls that hold Python's lock from beginning to end.
//!
//! Any code may hold a NumPy array, so rust-numpy keeps a table of borrows. Entering and removing seven
//! arrays is a large part of a call for a small robot. A call that holds the lock needs no table: only calls
//! that released the lock run at the same time, and these are counted here. It remains to check that the
//! call's own arrays do not overlap.
//!
//! A free-threaded Python has no such lock, so its build always uses the table. This is decided at build
//! time. The interpreter's answer at run time changes: it enables a lock while a thread imports an extension.
//!
//! This file also defines how Python calls a function of the list: see [`function`].
//!
//! Only this file and `plans/xla.rs` use `unsafe`.
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

/// True if a call can keep other threads out.
pub(crate) const POSSIBLE: bool = !cfg!(Py_GIL_DISABLED);

/// Returns the reference count of an object. Meaningful only if [`POSSIBLE`].
pub(crate) fn references<T>(object: &Bound<'_, T>) -> isize {
    // SAFETY: the object is alive, and reading its count changes nothing.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}

/// Number of live [`Borrowing`]s. It changes only with Python's lock held, which orders the accesses.
static BORROWING: AtomicUsize = AtomicUsize::new(0);

/// Marks a call that holds slices of arrays while other threads may run. rust-numpy's table has these arrays.
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

/// Runs `work` on the numbers of `x` and `y`, which must be contiguous. `work` must not run Python code,
/// create Python objects or release the lock.
///
/// Returns `None` and does nothing if that would be unsafe or wrong. rust-numpy's table then gives the reason.
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
        // SAFETY: all arrays are referenced, so NumPy keeps their memory. It resizes arrays only in Python
        // code, which cannot run before `work` ends. No other thread accesses the memory: this thread holds the
        // lock, and no call without the lock holds slices. Slices that are written do not overlap with others.
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
    // SAFETY: it points to a live array, and the flags are a field of it.
    unsafe { (*_PyArray_GET_ITEM_DATA(array.as_array_ptr())).flags & NPY_ARRAY_WRITEABLE != 0 }
}

/// Returns the memory range of the numbers, if they are contiguous.
fn range(array: &Array<'_>) -> Range<usize> {
    let start = array.data() as usize;
    start..start + size_of::<f64>() * array.len()
}

/// True if all of `y` are writeable and do not overlap with any other array.
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

/// Arguments of a Python call: references that Python holds until the function returns.
pub(crate) struct Arguments<'a, 'py> {
    py: Python<'py>,
    /// Positional arguments, then keyword arguments.
    pointers: &'a [*mut ffi::PyObject],
    names: Option<Borrowed<'a, 'py, PyTuple>>,
}

impl<'a, 'py> Arguments<'a, 'py> {
    /// Number of positional arguments.
    #[inline]
    pub(crate) fn positional(&self) -> usize {
        self.pointers.len() - self.names.map_or(0, |names| names.len())
    }

    #[inline]
    pub(crate) fn get(&self, k: usize) -> Borrowed<'a, 'py, PyAny> {
        // SAFETY: Python holds the referenced object.
        unsafe { Borrowed::from_ptr(self.py, self.pointers[k]) }
    }

    /// Returns the names of the keyword arguments.
    #[inline]
    pub(crate) fn names(&self) -> impl Iterator<Item = Borrowed<'_, 'py, PyAny>> {
        let names = self.names.as_deref();
        let count = names.map_or(0, |names| names.len());
        (0..count).filter_map(move |k| names?.get_borrowed_item(k).ok())
    }
}

/// Makes a function of the module, whose calls go to `functions::call` with its index in the list. Like
/// PyO3's `#[pyfunction]`, but created from a list when the module is initialised.
pub(crate) fn function<'py>(
    module: &Bound<'py, PyModule>,
    place: usize,
    name: &'static CStr,
    doc: &'static CStr,
) -> PyResult<Bound<'py, PyAny>> {
    let (definition, module_name) = (define(TABLE, place, name, doc)?, module.name()?);
    // SAFETY: the definition and its strings are never freed, and the entry has the type that the flags state.
    unsafe {
        let function = ffi::PyCFunction_NewEx(definition, module.as_ptr(), module_name.as_ptr());
        Bound::from_owned_ptr_or_err(module.py(), function)
    }
}

/// Makes a method of a class, whose calls go to `functions::call_method`.
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

/// Makes the definition of a function, which is never freed.
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

/// Entry point for each index of the list. Python passes only the object that the function belongs to (the
/// module, or an instance), so every function needs its own address.
///
/// # Safety
/// Python must call it, attached to the interpreter, with `count` arguments, followed by one argument for each name.
unsafe extern "C" fn entry<const PLACE: usize, const IS_METHOD: bool>(
    owner: *mut ffi::PyObject,
    pointers: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the caller is attached.
    let py = unsafe { Python::assume_attached() };
    let run = || {
        // SAFETY: a tuple or null.
        let names = unsafe { Borrowed::from_ptr_or_opt(py, names).map(|names| names.cast_unchecked::<PyTuple>()) };
        let count = count.unsigned_abs() + names.map_or(0, |names| names.len());
        // SAFETY: there are that many pointers. The pointer may be null if there are none.
        let pointers = if count == 0 { &[] } else { unsafe { slice::from_raw_parts(pointers, count) } };
        let arguments = Arguments { py, pointers, names };
        if !IS_METHOD {
            return functions::call(py, PLACE, &arguments);
        }
        // SAFETY: Python holds the object whose method it calls.
        functions::call_method(unsafe { Borrowed::from_ptr(py, owner) }, PLACE, &arguments)
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(result)) => result.into_ptr(),
        Ok(Err(error)) => raise(error),
        Err(_) => raise(PanicException::new_err("a function of dtau panicked; its message is on standard error")),
    }
}

/// Attaches explicitly, because PyO3 defers releasing what errors hold until it is attached.
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
