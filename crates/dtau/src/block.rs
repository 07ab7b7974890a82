//! Six-vectors of many degrees of freedom, a few side by side: what the fills of matrices stream over.
//!
//! `W` neighbours make a block of 6 × W numbers, contiguous in memory, at a multiple of `W`. A loop over blocks checks one
//! bound a block where six separate rows would need six; and since a block is always read and written at the same place,
//! what was just written is at hand, where a read across two writes would have to wait for both.

use crate::scalar::Real;

/// Six components of `W` neighbours. For plain numbers the compiler makes six SIMD registers of it.
#[derive(Clone, Copy)]
pub(crate) struct Block<T, const W: usize>([[T; W]; 6]);

/// How many numbers the blocks of `n` six-vectors take, for any `W` up to 4.
pub(crate) fn room(n: usize) -> usize {
    6 * n.next_multiple_of(4)
}

/// Writes the single six-vector `j`.
#[inline(always)]
pub(crate) fn put<T: Real, const W: usize>(blocks: &mut [T], j: usize, x: [T; 6]) {
    let block = &mut blocks[j / W * 6 * W..][..6 * W];
    for k in 0..6 {
        block[k * W + j % W] = x[k];
    }
}

/// Reads the single six-vector `j`.
#[inline(always)]
pub(crate) fn get<T: Real, const W: usize>(blocks: &[T], j: usize) -> [T; 6] {
    let block = &blocks[j / W * 6 * W..][..6 * W];
    let mut x = [T::zero(); 6];
    for k in 0..6 {
        x[k] = block[k * W + j % W];
    }
    x
}

impl<T: Real, const W: usize> Block<T, W> {
    /// From its 6 × W numbers.
    #[inline(always)]
    pub(crate) fn load(numbers: &[T]) -> Self {
        // A block fills registers already. Told nothing, the compiler takes a loop over blocks four blocks at a time, and
        // gathers; an empty instruction it knows nothing about keeps it from that.
        core::hint::black_box(());
        let numbers = &numbers[..6 * W];
        let mut out = [[T::zero(); W]; 6];
        for k in 0..6 {
            out[k].copy_from_slice(&numbers[k * W..][..W]);
        }
        Self(out)
    }

    #[inline(always)]
    pub(crate) fn store(&self, numbers: &mut [T]) {
        let numbers = &mut numbers[..6 * W];
        for k in 0..6 {
            numbers[k * W..][..W].copy_from_slice(&self.0[k]);
        }
    }

    /// `x · six` for each of the neighbours.
    #[inline(always)]
    pub(crate) fn dot(&self, x: &[T; 6]) -> [T; W] {
        let mut y = self.0[0].map(|s| s * x[0]);
        for k in 1..6 {
            for w in 0..W {
                y[w] = self.0[k][w].mul_add(x[k], y[w]);
            }
        }
        y
    }

    /// `six − x y` for each of the neighbours.
    #[inline(always)]
    pub(crate) fn sub_outer(mut self, x: &[T; 6], y: [T; W]) -> Self {
        for k in 0..6 {
            for w in 0..W {
                self.0[k][w] = x[k].neg_mul_add(y[w], self.0[k][w]);
            }
        }
        self
    }

    /// `six + x y` for each of the neighbours.
    #[inline(always)]
    pub(crate) fn add_outer(mut self, x: &[T; 6], y: [T; W]) -> Self {
        for k in 0..6 {
            for w in 0..W {
                self.0[k][w] = x[k].mul_add(y[w], self.0[k][w]);
            }
        }
        self
    }
}

/// `out[r] = x · blocks[r]` for `r` in `start..end`, and for those that share a block with one of them, if they are rows of
/// `out`.
#[inline(always)]
pub(crate) fn dots<T: Real, const W: usize>(blocks: &[T], start: usize, end: usize, x: &[T; 6], out: &mut [T]) {
    let first = start / W * W;
    let whole = end.next_multiple_of(W).min(out.len() / W * W);
    let mut at = 6 * first;
    for out in out[first..whole].chunks_exact_mut(W) {
        out.copy_from_slice(&Block::<T, W>::load(&blocks[at..at + 6 * W]).dot(x));
        at += 6 * W;
    }
    if whole < end {
        let y = Block::<T, W>::load(&blocks[6 * whole..]).dot(x);
        for (out, &y) in out[whole..].iter_mut().zip(&y) {
            *out = y;
        }
    }
}

/// Makes a square matrix symmetric: copies what is below the diagonal to above it, `W` columns at a time.
#[inline(always)]
pub(crate) fn mirror<T: Real, const W: usize>(n: usize, matrix: &mut [T]) {
    let mut first = 0;
    while first < n {
        let end = n.min(first + W);
        for i in first..end {
            for j in i + 1..end {
                matrix[j * n + i] = matrix[i * n + j];
            }
        }
        let (from, to) = matrix.split_at_mut(end * n);
        if end < n {
            let from: [&[T]; W] = core::array::from_fn(|w| &from[(first + w) * n..][..n][end..]);
            for j in 0..n - end {
                let row: [T; W] = core::array::from_fn(|w| from[w][j]);
                to[j * n..][first..first + W].copy_from_slice(&row);
            }
        }
        first = end;
    }
}
