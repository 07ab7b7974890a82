//! The factor of `J M⁻¹ Jᵀ`, for any rank, also in lanes.
//!
//! ```text
//! G = L D Lᵀ      a pivot D that is nothing beside Gᵢᵢ is dropped: 1/D ← 0, its column of L ← 0       (1)
//! x = L⁻ᵀ D⁻¹ L⁻¹ b               a solution of G x = b, if there is one, with zeros where pivots were dropped   (2)
//! Z = L⁻ᵀ e_d                     for dropped d: what G does not see, G Z = 0                        (3)
//! x − Z (ZᵀZ)⁻¹ Zᵀ x              the solution of least norm                                         (4)
//! (L⁻¹ b)_d = 0                   for dropped d, or there is no solution                             (5)
//! ```
//!
//! Rows are not exchanged. The dropped pivots may differ between lanes. (3) to (5) are computed only if some
//! lane has dropped a pivot; they do not change the other lanes.

use crate::dispatch::Register;
use crate::linalg::sum::{add_row, add_sum};
use crate::scalar::{Real, Wide};
use crate::sweeps::side_by_side::width;
use alloc::vec::Vec;
use core::ops::Range;

/// Smallest accepted pivot, relative to its diagonal. Single precision loses its digits before rows become
/// equal.
pub(super) const fn tolerance<T: Real>() -> f64 {
    if T::EPSILON < 1e-10 { 4096.0 * T::EPSILON } else { 256.0 * T::EPSILON }
}

/// A factor by columns, `stride` apart.
#[derive(Debug, Default)]
pub(super) struct Factor<T> {
    pub(super) rows: usize,
    pub(super) stride: usize,
    /// G below the diagonal, then L.
    pub(super) l: Vec<T>,
    pub(super) d_inv: Vec<T>,
    /// One if a pivot was dropped, else zero.
    pub(super) dropped: Vec<T>,
    /// True if any pivot was dropped.
    pub(super) any_dropped: bool,
    /// (3), and a factor of ZᵀZ; used only if a pivot was dropped.
    z: Vec<T>,
    zz: Vec<T>,
    zz_inv: Vec<T>,
    room: Vec<T>,
}

/// Magnitude of the real part.
#[inline(always)]
fn size<T: Real>(x: T) -> T {
    T::select(x.lt(T::zero()), -x, x)
}

impl<T: Real> Factor<T> {
    /// Allocates memory for `rows`.
    pub(super) fn make_room(&mut self, rows: usize) {
        self.rows = rows;
        self.stride = rows.next_multiple_of(width::<T>());
        let (line, square) = (self.stride, self.stride * self.stride);
        for (x, len) in [
            (&mut self.l, square),
            (&mut self.d_inv, line),
            (&mut self.dropped, line),
            (&mut self.z, square),
            (&mut self.zz, square),
            (&mut self.zz_inv, line),
            (&mut self.room, line),
        ] {
            x.clear();
            x.resize(len, T::zero());
        }
    }

    /// Extends a range of rows to whole registers.
    #[inline(always)]
    pub(super) fn whole(&self, rows: &Range<usize>) -> Range<usize> {
        let width = width::<T>();
        rows.start / width * width..rows.end.next_multiple_of(width)
    }

    /// (1), in place in `l`: from each column the contributions of the previous ones are subtracted.
    #[inline(always)]
    pub(super) fn factorise(&mut self) {
        let (rows, stride, width) = (self.rows, self.stride, width::<T>());
        let mut worst = T::zero();
        for c in 0..rows {
            let (left, own) = self.l.split_at_mut(c * stride);
            let (from, before) = (c / width * width, own[c]);
            let factors = left[c..].iter().step_by(stride).zip(&self.d_inv[..c]).map(|(&x, &d_inv)| x * d_inv);
            add_sum::<T, false>(&mut own[from..stride], from, left, stride, factors);
            let pivot = own[c];
            let keep = (before * T::from_f64(tolerance::<T>())).lt(pivot);
            let inverse = T::select(keep, T::select(keep, pivot, T::one()).recip(), T::zero());
            let redundant = T::select(T::zero().lt(before), T::one(), T::zero());
            self.d_inv[c] = inverse;
            self.dropped[c] = T::select(keep, T::zero(), redundant);
            worst -= self.dropped[c];
        }
        for (c, (column, &d_inv)) in self.l.chunks_exact_mut(stride.max(1)).zip(&self.d_inv).enumerate().take(rows) {
            let d_inv = Register::<T>::splat(d_inv);
            for x in column[c / width * width..].chunks_exact_mut(width) {
                (Register::<T>::load(x) * d_inv).store(x);
            }
        }
        self.any_dropped = worst.any_below(-0.5);
        if self.any_dropped {
            self.find_null_space();
        }
    }

    /// `b ← L⁻¹ b`.
    #[inline(always)]
    pub(super) fn forward(&self, b: &mut [T]) {
        for j in 0..self.rows {
            let column = &self.l[j * self.stride..][..self.rows];
            let x = b[j];
            for (b, &l) in b[j + 1..self.rows].iter_mut().zip(&column[j + 1..]) {
                *b = l.neg_mul_add(x, *b);
            }
        }
    }

    /// `b ← L⁻ᵀ D⁻¹ b`.
    #[inline(always)]
    pub(super) fn backward(&self, b: &mut [T]) {
        for j in (0..self.rows).rev() {
            let column = &self.l[j * self.stride..][..self.rows];
            let mut x = b[j] * self.d_inv[j];
            for (&b, &l) in b[j + 1..self.rows].iter().zip(&column[j + 1..]) {
                x = l.neg_mul_add(b, x);
            }
            b[j] = x;
        }
    }

    /// Λ = L⁻ᵀ D⁻¹ L⁻¹, both triangles, by columns.
    #[inline(always)]
    pub(super) fn invert(&self, out: &mut [T]) {
        let (rows, stride) = (self.rows, self.stride);
        debug_assert!(out.len() >= rows * stride, "Λ has a column for every row");
        out.fill(T::zero());
        for j in 0..rows {
            out[j * stride + j] = T::one();
        }
        // First L⁻¹ by rows, each zero after its diagonal. Then the rows of D⁻¹ L⁻¹, and the upper rows from
        // the lower ones.
        for j in 0..rows {
            let (above, below) = out.split_at_mut((j + 1) * stride);
            let own = &above[j * stride..][..(j + 1).next_multiple_of(width::<T>())];
            for i in j + 1..rows {
                add_row::<T, false>(&mut below[(i - j - 1) * stride..][..own.len()], self.l[j * stride + i], own);
            }
        }
        for j in (0..rows).rev() {
            let (above, below) = out.split_at_mut((j + 1) * stride);
            let own = &mut above[j * stride..][..stride];
            for x in &mut *own {
                *x *= self.d_inv[j];
            }
            for (x, &l) in below.chunks_exact(stride).zip(&self.l[j * stride..][j + 1..rows]) {
                add_row::<T, false>(own, l, x);
            }
        }
        for c in 0..rows {
            for r in c + 1..rows {
                out[r * stride + c] = out[c * stride + r];
            }
        }
    }

    /// (3), and the factor of ZᵀZ, with ones for the accepted pivots.
    #[inline(always)]
    fn find_null_space(&mut self) {
        let (rows, stride) = (self.rows, self.stride);
        for d in 0..rows {
            let z = &mut self.z[d * stride..][..rows];
            z.fill(T::zero());
            z[d] = self.dropped[d];
            for j in (0..d).rev() {
                let mut x = T::zero();
                for i in j + 1..=d {
                    x = self.l[j * stride + i].neg_mul_add(z[i], x);
                }
                z[j] = x;
            }
        }
        for d in 0..rows {
            for e in d..rows {
                let mut sum = if d == e { T::one() - self.dropped[d] } else { T::zero() };
                for i in 0..rows {
                    sum = self.z[d * stride + i].mul_add(self.z[e * stride + i], sum);
                }
                self.zz[d * stride + e] = sum;
            }
        }
        for j in 0..rows {
            let (left, right) = self.zz.split_at_mut((j + 1) * stride);
            let column = &mut left[j * stride..];
            self.zz_inv[j] = column[j].recip();
            for i in j + 1..rows {
                let l = column[i] * self.zz_inv[j];
                for k in i..rows {
                    let x = &mut right[(i - j - 1) * stride + k];
                    *x = l.neg_mul_add(column[k], *x);
                }
            }
            for x in &mut column[j + 1..rows] {
                *x *= self.zz_inv[j];
            }
        }
    }

    /// (4). Call it only if a pivot was dropped.
    #[inline(always)]
    pub(super) fn make_least_norm(&mut self, x: &mut [T]) {
        let (rows, stride) = (self.rows, self.stride);
        for d in 0..rows {
            let mut sum = T::zero();
            for i in 0..rows {
                sum = self.z[d * stride + i].mul_add(x[i], sum);
            }
            self.room[d] = sum;
        }
        for j in 0..rows {
            for i in j + 1..rows {
                self.room[i] = self.zz[j * stride + i].neg_mul_add(self.room[j], self.room[i]);
            }
        }
        for j in (0..rows).rev() {
            let mut y = self.room[j] * self.zz_inv[j];
            for i in j + 1..rows {
                y = self.zz[j * stride + i].neg_mul_add(self.room[i], y);
            }
            self.room[j] = y;
        }
        for d in 0..rows {
            for i in 0..rows {
                x[i] = self.z[d * stride + i].neg_mul_add(self.room[d], x[i]);
            }
        }
    }

    /// (5): returns the first row of `y = L⁻¹ b` without a solution, if any. `scale` has the magnitudes that
    /// b was computed from. Call it only if a pivot was dropped.
    #[inline(always)]
    pub(super) fn contradiction(&self, y: &[T], scale: &[T]) -> Option<usize> {
        let allowed = T::from_f64(64.0 * libm::sqrt(T::EPSILON));
        (0..self.rows).find(|&d| {
            let mut most = scale[d];
            for j in 0..d {
                most += size(self.l[j * self.stride + d] * y[j]);
            }
            // A lane that kept this row has no condition to satisfy.
            let excess = (size(y[d]) - most * allowed) * self.dropped[d];
            (-excess).any_below(0.0)
        })
    }

    /// True if row `d` depends on `row`.
    #[cold]
    pub(super) fn depends(&self, d: usize, row: usize) -> bool {
        let z = self.z[d * self.stride + row];
        (-size(z)).any_below(-1e-6)
    }

    /// The rank.
    #[inline(always)]
    pub(super) fn rank(&self) -> T {
        let mut rank = T::zero();
        for &d_inv in &self.d_inv[..self.rows] {
            rank += T::select(T::zero().lt(d_inv), T::one(), T::zero());
        }
        rank
    }
}
