//! Six-vectors of many degrees of freedom, four side by side: what fills of matrices stream over.
//!
//! One load of a `[T; 4]` brings four neighbours, so loops over degrees of freedom become loops over blocks, in SIMD
//! instructions where the entry point has them. (Six separate rows would make the compiler check each for overlap with the
//! output before every run, which costs more than the run.)

use crate::scalar::Real;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// How many degrees of freedom stand side by side.
pub(crate) const WIDTH: usize = 4;

/// Six components of four neighbours.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct Block<T>([[T; WIDTH]; 6]);

impl<T: Real> Block<T> {
    /// `x · column` for each of the four.
    #[inline(always)]
    pub(crate) fn dot(&self, x: &[T; 6]) -> [T; WIDTH] {
        let mut y = self.0[0].map(|b| b * x[0]);
        for k in 1..6 {
            for l in 0..WIDTH {
                y[l] = self.0[k][l].mul_add(x[k], y[l]);
            }
        }
        y
    }

    /// `column += x y` for each of the four.
    #[inline(always)]
    pub(crate) fn add_outer(&self, x: &[T; 6], y: [T; WIDTH]) -> Self {
        let mut out = *self;
        for k in 0..6 {
            for l in 0..WIDTH {
                out.0[k][l] = x[k].mul_add(y[l], self.0[k][l]);
            }
        }
        out
    }
}

/// Room for `n` six-vectors.
pub(crate) fn blocks<T: Real>(n: usize) -> Vec<Block<T>> {
    vec![Block::default(); n.div_ceil(WIDTH)]
}

/// Writes the six-vector of degree of freedom `k`.
#[inline(always)]
pub(crate) fn put<T: Real>(blocks: &mut [Block<T>], k: usize, x: [T; 6]) {
    let block = &mut blocks[k / WIDTH];
    for (row, x) in block.0.iter_mut().zip(x) {
        row[k % WIDTH] = x;
    }
}

/// `out[r] = x · blocks[r]` for every `r` of a range.
#[inline(always)]
pub(crate) fn dots<T: Real>(blocks: &[Block<T>], range: Range<usize>, x: &[T; 6], out: &mut [T]) {
    for b in range.start / WIDTH..range.end.div_ceil(WIDTH) {
        let first = b * WIDTH;
        let y = blocks[b].dot(x);
        if range.start <= first && first + WIDTH <= range.end {
            out[first..first + WIDTH].copy_from_slice(&y);
        } else {
            for l in range.start.saturating_sub(first)..(range.end - first).min(WIDTH) {
                out[first + l] = y[l];
            }
        }
    }
}

/// Reads the six-vector of degree of freedom `k`.
#[inline(always)]
pub(crate) fn get<T: Real>(blocks: &[Block<T>], k: usize) -> [T; 6] {
    blocks[k / WIDTH].0.map(|row| row[k % WIDTH])
}
