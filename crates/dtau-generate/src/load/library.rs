//! Loads and calls a function that was compiled for one robot.
//!
//! Every call goes through here. The workspace does not optimise this crate, because it instantiates every
//! algorithm for recording. Functions on the call path are therefore `#[inline]`, and they are reached from
//! [`code`](super::code), which is generic. So they are compiled in the calling crate, with its optimisation level.
#![allow(unsafe_code)]

use core::ffi::c_int;
use core::ptr;
use dtau::Routine;
use std::path::Path;
use std::sync::Arc;

/// `dtau_entry` of the C: states, table, inputs, outputs.
type Entry = unsafe extern "C" fn(usize, *const f64, *const *const f64, *const *mut f64) -> c_int;

/// Limit of arrays that a function reads, or writes.
const MOST: usize = 8;

/// Lengths of a function's table, and of its arrays for one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    table: usize,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl Sizes {
    /// Lengths of arrays in the order of the declaration. Returns `None` if there are more arrays than any
    /// function has.
    pub fn new(table: usize, inputs: Vec<usize>, outputs: Vec<usize>) -> Option<Self> {
        (inputs.len().max(outputs.len()) <= MOST).then_some(Self { table, inputs, outputs })
    }

    #[inline]
    fn fit(&self, table: &[f64], states: usize, x: &[&[f64]], y: &[&mut [f64]]) -> bool {
        table.len() == self.table
            && x.len() == self.inputs.len()
            && y.len() == self.outputs.len()
            && self.inputs.iter().zip(x).all(|(size, x)| size.checked_mul(states) == Some(x.len()))
            && self.outputs.iter().zip(y).all(|(size, y)| size.checked_mul(states) == Some(y.len()))
    }
}

/// Loaded function for one robot.
#[derive(Debug)]
pub struct Library {
    entry: Entry,
    /// Owns the code that `entry` points to.
    _code: libloading::Library,
}

impl Library {
    /// Loads a file of the cache, which has verified its checksum.
    pub fn open(file: &Path) -> Result<Self, String> {
        // SAFETY: loading a library runs its initialisers. This one was compiled from C that `dtau-generate`
        // wrote, has no initialisers, and matches its checksum. The user must protect the cache from other
        // users, like any program.
        let code = unsafe { libloading::Library::new(file) }.map_err(|error| error.to_string())?;
        // SAFETY: the C that `dtau-generate` wrote defines it with this type. The pointer lives as long as
        // the library, which is stored with it.
        let entry = unsafe { code.get::<Entry>(b"dtau_entry\0") }.map(|entry| *entry).map_err(|e| e.to_string())?;
        Ok(Self { entry, _code: code })
    }

    /// Converts the library to a routine for an engine.
    #[inline]
    pub fn into_routine(self, sizes: Sizes) -> Arc<Routine<f64>> {
        Arc::new(move |table, states, x, y| self.run(&sizes, table, states, x, y))
    }

    /// Computes some states. Returns 0 on success, and another number if a state failed or an array has a
    /// wrong length.
    #[inline]
    fn run(&self, sizes: &Sizes, table: &[f64], states: usize, x: &[&[f64]], y: &mut [&mut [f64]]) -> i32 {
        if !sizes.fit(table, states, x, y) {
            return -1;
        }
        let (mut from, mut to) = ([ptr::null(); MOST], [ptr::null_mut(); MOST]);
        for (from, x) in from.iter_mut().zip(x) {
            *from = x.as_ptr();
        }
        for (to, y) in to.iter_mut().zip(y) {
            *to = y.as_mut_ptr();
        }
        // SAFETY: the function accesses the table and the arrays of its program, `states` times their sizes.
        // Their lengths were checked above. Outputs are borrowed mutably, so they do not overlap with others.
        // The code keeps no pointer, has no mutable globals, and does not unwind.
        unsafe { (self.entry)(states, table.as_ptr(), from.as_ptr(), to.as_ptr()) }
    }
}
