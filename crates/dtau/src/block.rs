//! Six-vectors of many degrees of freedom, a few side by side: what the inverse of the mass matrix streams over.
//!
//! A block is always read and written at the same place in memory: what was just written is at hand, where a read across
//! two writes would have to wait for both. (Compare [`crate::derivatives::fill`], which only reads.)

use crate::scalar::Real;

/// Six components of `W` neighbours. For plain numbers the compiler makes six SIMD registers of it.
#[derive(Clone, Copy)]
pub(crate) struct Block<T, const W: usize>([[T; W]; 6]);

/// How many numbers the blocks of `n` six-vectors take, for any `W` up to 4.
pub(crate) fn room(n: usize) -> usize {
    6 * n.next_multiple_of(4)
}

impl<T: Real, const W: usize> Block<T, W> {
    /// The block that starts at six-vector `first`, a multiple of `W`.
    #[inline(always)]
    pub(crate) fn load(x: &[T], first: usize) -> Self {
        let x = &x[6 * first..][..6 * W];
        let mut out = [[T::zero(); W]; 6];
        for k in 0..6 {
            out[k].copy_from_slice(&x[k * W..][..W]);
        }
        Self(out)
    }

    #[inline(always)]
    pub(crate) fn store(&self, x: &mut [T], first: usize) {
        let x = &mut x[6 * first..][..6 * W];
        for k in 0..6 {
            x[k * W..][..W].copy_from_slice(&self.0[k]);
        }
    }

    /// Writes the single six-vector `j`.
    #[inline(always)]
    pub(crate) fn put(x: &mut [T], j: usize, six: [T; 6]) {
        let x = &mut x[6 * (j / W * W)..][..6 * W];
        for k in 0..6 {
            x[k * W + j % W] = six[k];
        }
    }

    /// `y + x · six` for each of the neighbours.
    #[inline(always)]
    pub(crate) fn dot_add(&self, x: &[T; 6], mut y: [T; W]) -> [T; W] {
        for k in 0..6 {
            for w in 0..W {
                y[w] = self.0[k][w].mul_add(x[k], y[w]);
            }
        }
        y
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
