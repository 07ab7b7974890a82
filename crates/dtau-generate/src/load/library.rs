//! A function that was compiled for one robot, loaded and called.
//!
//! Every call goes through here, and this crate is not optimised: it records, and instantiates every algorithm for that. What is called is
//! therefore `#[inline]` and reached from [`code`](super::code), which is generic: it is compiled in the crate that asks for code, as
//! that crate is optimised.
#![allow(unsafe_code)]

use core::ffi::c_int;
use core::ptr;
use dtau::Routine;
use std::path::Path;
use std::sync::Arc;

/// `dtau_entry` of the C: states, table, inputs, outputs.
type Entry = unsafe extern "C" fn(usize, *const f64, *const *const f64, *const *mut f64) -> c_int;

/// The most arrays that a function reads, or writes.
const MOST: usize = 8;

/// Lengths of a function's table, and of its arrays for one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    table: usize,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl Sizes {
    /// Lengths of arrays in the order of the declaration. None if there are more arrays than any function has.
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

/// A function for one robot.
#[derive(Debug)]
pub struct Library {
    entry: Entry,
    /// It holds the code that `entry` points to.
    _code: libloading::Library,
}

impl Library {
    /// Loads a file of the cache, which has compared it with its checksum.
    pub fn open(file: &Path) -> Result<Self, String> {
        // SAFETY: whoever loads a library runs what is in it. This one was compiled from C that `dtau-generate` wrote, has nothing that runs
        // when it is loaded, and is as it was compiled, says its checksum; that no stranger writes to the cache is the user's matter, as
        // it is with their programs.
        let code = unsafe { libloading::Library::new(file) }.map_err(|error| error.to_string())?;
        // SAFETY: the C that `dtau-generate` wrote defines it so; the pointer lives as long as the library, which is kept beside it.
        let entry = unsafe { code.get::<Entry>(b"dtau_entry\0") }.map(|entry| *entry).map_err(|e| e.to_string())?;
        Ok(Self { entry, _code: code })
    }

    /// Converts it into what an engine runs.
    #[inline]
    pub fn into_routine(self, sizes: Sizes) -> Arc<Routine<f64>> {
        Arc::new(move |table, states, x, y| self.run(&sizes, table, states, x, y))
    }

    /// Computes some states. Returns 0 if all is well; another number if a state failed, or an array has a wrong length.
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
        // SAFETY: the function reads and writes the arrays of its program, of `states` times their sizes, and the table, and all of these
        // have just been seen to be as long as that. What is written is borrowed for writing, so it overlaps with nothing. The code
        // keeps no pointer, has no variables of its own, and does not unwind.
        unsafe { (self.entry)(states, table.as_ptr(), from.as_ptr(), to.as_ptr()) }
    }
}
