//! Streaming over rows: the O(Nd) part of IDSVA.
//!
//! A column is made of contiguous runs of rows, see [`Tree::path_runs`](crate::model::Tree). Rows are taken `W` at a time;
//! a run may write up to `W − 1` rows past its end, because what comes after (the next run, or zeros) is written later.

use crate::scalar::Real;

/// `W` rows side by side; for plain numbers the compiler makes one SIMD register of them.
#[derive(Clone, Copy)]
pub(super) struct Pack<T, const W: usize>([T; W]);

impl<T: Real, const W: usize> Pack<T, W> {
    #[inline(always)]
    pub(super) fn load(x: &[T], at: usize) -> Self {
        let mut out = [T::zero(); W];
        out.copy_from_slice(&x[at..at + W]);
        Self(out)
    }

    #[inline(always)]
    pub(super) fn times(mut self, k: T) -> Self {
        for w in 0..W {
            self.0[w] *= k;
        }
        self
    }

    /// `self · k + c`.
    #[inline(always)]
    pub(super) fn mul_add(mut self, k: T, c: Self) -> Self {
        for w in 0..W {
            self.0[w] = self.0[w].mul_add(k, c.0[w]);
        }
        self
    }

    /// Writes as many as there is room for.
    #[inline(always)]
    pub(super) fn store(self, out: &mut [T], at: usize) {
        match out.get_mut(at..at + W) {
            Some(target) => {
                for w in 0..W {
                    target[w] = self.0[w];
                }
            }
            None => {
                for w in 0..W {
                    if at + w < out.len() {
                        out[at + w] = self.0[w];
                    }
                }
            }
        }
    }
}
