//! A compiled function, loaded. The only module of this crate with `unsafe`.
#![allow(unsafe_code)]

use crate::program::Program;
use core::ffi::c_int;
use core::ptr;
use std::path::Path;

/// `dtau_entry` of the C: states, table, inputs, outputs.
type Entry = unsafe extern "C" fn(usize, *const f64, *const *const f64, *const *mut f64) -> c_int;

/// The most arrays that a function reads, or writes.
const MOST: usize = 8;

/// How many numbers of a state a function reads and writes, and how many its table has.
#[derive(Debug)]
pub(super) struct Sizes {
    table: usize,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl Sizes {
    pub(super) fn of(program: &Program, table: usize) -> Self {
        let sizes = |arrays: &[crate::program::Array]| arrays.iter().map(|array| array.len()).collect();
        Self { table, inputs: sizes(&program.inputs), outputs: sizes(&program.outputs) }
    }

    #[inline]
    fn fit(&self, table: &[f64], states: usize, x: &[&[f64]], y: &[&mut [f64]]) -> bool {
        let fits = |sizes: &[usize], lengths: &mut dyn Iterator<Item = usize>| {
            sizes.iter().all(|size| size.checked_mul(states) == lengths.next()) && lengths.next().is_none()
        };
        table.len() == self.table
            && self.inputs.len().max(self.outputs.len()) <= MOST
            && fits(&self.inputs, &mut x.iter().map(|x| x.len()))
            && fits(&self.outputs, &mut y.iter().map(|y| y.len()))
    }
}

/// A function for one robot.
#[derive(Debug)]
pub(super) struct Library {
    entry: Entry,
    /// It holds the code that `entry` points to.
    _code: libloading::Library,
}

impl Library {
    /// Loads a file of the cache, which has compared it with its checksum.
    pub(super) fn open(file: &Path) -> Result<Self, String> {
        // SAFETY: whoever loads a library runs what is in it. This one was compiled from C that this crate wrote, has nothing that runs
        // when it is loaded, and is as it was compiled, says its checksum; that no stranger writes to the cache is the user's matter, as
        // it is with their programs.
        let code = unsafe { libloading::Library::new(file) }.map_err(|error| error.to_string())?;
        // SAFETY: the C that this crate wrote defines it so; the pointer lives as long as the library, which is kept beside it.
        let entry = unsafe { code.get::<Entry>(b"dtau_entry\0") }.map(|entry| *entry).map_err(|e| e.to_string())?;
        Ok(Self { entry, _code: code })
    }

    /// Computes some states; not 0 where one failed, or the arrays are not of their sizes.
    #[inline]
    pub(super) fn run(&self, sizes: &Sizes, table: &[f64], states: usize, x: &[&[f64]], y: &mut [&mut [f64]]) -> i32 {
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
