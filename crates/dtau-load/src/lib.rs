//! A function that was compiled for one robot, loaded and called: the part of `dtau-generate` that every call goes through.
//!
//! A crate of its own, so that it is optimised: `dtau-generate`, which records, instantiates every algorithm and is built as it comes.
#![allow(unsafe_code)]

use core::ffi::c_int;
use core::ptr;
use std::path::Path;
use std::sync::Arc;

/// `dtau_entry` of the C: states, table, inputs, outputs.
type Entry = unsafe extern "C" fn(usize, *const f64, *const *const f64, *const *mut f64) -> c_int;

/// The most arrays that a function reads, or writes.
const MOST: usize = 8;

/// How many numbers a function's table has, and how many of a state it reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    table: usize,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl Sizes {
    /// Of arrays in the order of the declaration; none where there are more of them than any function has.
    pub fn new(table: usize, inputs: Vec<usize>, outputs: Vec<usize>) -> Option<Self> {
        (inputs.len().max(outputs.len()) <= MOST).then_some(Self { table, inputs, outputs })
    }

    fn fit(&self, table: &[f64], states: usize, x: &[&[f64]], y: &[&mut [f64]]) -> bool {
        table.len() == self.table
            && x.len() == self.inputs.len()
            && y.len() == self.outputs.len()
            && self.inputs.iter().zip(x).all(|(size, x)| size.checked_mul(states) == Some(x.len()))
            && self.outputs.iter().zip(y).all(|(size, y)| size.checked_mul(states) == Some(y.len()))
    }
}

/// What runs a function: its table, the number of states, inputs and outputs. As `dtau::Routine<f64>`.
pub type Routine = dyn Fn(&[f64], usize, &[&[f64]], &mut [&mut [f64]]) -> i32 + Send + Sync;

/// A function for one robot.
#[derive(Debug)]
pub struct Library {
    entry: Entry,
    /// It holds the code that `entry` points to.
    _code: libloading::Library,
}

impl Library {
    /// Loads a file of the cache, which has compared it with its checksum.
    ///
    /// # Errors
    /// If the system cannot load it, or it is not of this kind.
    pub fn open(file: &Path) -> Result<Self, String> {
        // SAFETY: whoever loads a library runs what is in it. This one was compiled from C that `dtau-generate` wrote, has nothing that runs
        // when it is loaded, and is as it was compiled, says its checksum; that no stranger writes to the cache is the user's matter, as
        // it is with their programs.
        let code = unsafe { libloading::Library::new(file) }.map_err(|error| error.to_string())?;
        // SAFETY: the C that `dtau-generate` wrote defines it so; the pointer lives as long as the library, which is kept beside it.
        let entry = unsafe { code.get::<Entry>(b"dtau_entry\0") }.map(|entry| *entry).map_err(|e| e.to_string())?;
        Ok(Self { entry, _code: code })
    }

    /// As what an engine runs.
    pub fn into_routine(self, sizes: Sizes) -> Arc<Routine> {
        Arc::new(move |table, states, x, y| self.run(&sizes, table, states, x, y))
    }

    /// Computes some states; not 0 where one failed, or the arrays are not of their sizes.
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
