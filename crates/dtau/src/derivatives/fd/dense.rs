//! −M⁻¹ ∂ID as a product of dense matrices.
//!
//! A column of both products is held in registers, all of it or a good part, while the inner index runs; then it overwrites its
//! factor. O(N³), but the loops are as simple as loops can be.
//!
//! Source: [Singh22] §IV-E ("DMM"). Departure: the columns of ∂ID are zero but on their path to the root and in their
//! subtree, so the inner index runs over these alone.

use crate::bodies::width;
use crate::dispatch::{Kernel, Twin};
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::workspace::Scratch as All;
use core::ops::Range;

pub(super) struct Apply<'a, T> {
    /// Where entries of ∂ID are not zero; nothing is known about mimicking joints.
    pub(super) tree: Option<&'a Tree>,
    pub(super) minv: &'a [T],
    pub(super) dq: &'a mut [T],
    pub(super) dv: &'a mut [T],
}

impl<T: Real> Kernel<T> for Apply<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) {
        let (minv, room) = (S::slice(self.minv), &mut scratch.fd.columns[..]);
        let n = room.len() / 2;
        let both = [S::slice_mut(self.dq), S::slice_mut(self.dv)];
        multiply(self.tree, minv, n, both, room);
    }
}

/// Registers of rows: twice that many sums, some of a column of `A` and what they are multiplied with fill 16 registers.
const MOST: usize = 6;

/// `X ← −A X` for both, all square.
#[inline(always)]
fn multiply<T: Real>(tree: Option<&Tree>, A: &[T], n: usize, Xs: [&mut [T]; 2], room: &mut [T]) {
    let [X, Y] = Xs;
    for c in 0..n {
        let (x, y) = (&mut X[c * n..][..n], &mut Y[c * n..][..n]);
        let inner = Inner::of(tree, c, n);
        let rows = inner.rows.clone();
        if rows.len() < width::<T>() {
            inner.times::<T, T>(A, n, [x, y], room);
        } else {
            inner.times::<T, T::Wide>(A, n, [x, y], room);
        }
        if rows.len() < n {
            for column in [x, y] {
                column[..rows.start].fill(T::zero());
                column[rows.end..].fill(T::zero());
            }
        }
    }
}

/// Where a column of ∂ID is not zero.
struct Inner<'a> {
    above: &'a [Range<usize>],
    below: Range<usize>,
    /// The rows of the product that are not zero.
    rows: Range<usize>,
}

impl<'a> Inner<'a> {
    #[inline(always)]
    fn of(tree: Option<&'a Tree>, c: usize, n: usize) -> Self {
        let Some(tree) = tree else {
            return Inner { above: &[], below: 0..n, rows: 0..n };
        };
        let body = &tree.bodies[tree.dofs[c].body];
        let above = &tree.path_runs[body.path.clone()];
        let root = above.first().map_or(body, |run| &tree.bodies[tree.dofs[run.start].body]);
        Inner { above, below: body.v.start..body.dofs_end, rows: root.v.start..root.dofs_end }
    }

    /// `x ← −A x` for both, in registers `W`.
    #[inline(always)]
    fn times<T: Real, W: Wide<T>>(&self, A: &[T], n: usize, columns: [&mut [T]; 2], room: &mut [T]) {
        let mut registers = self.rows.len().div_ceil(W::WIDTH);
        let [x, y] = columns;
        if registers <= MOST {
            let both = [&*x, &*y];
            return match registers {
                0 | 1 => self.sums::<T, W, 1>(A, n, self.rows.start, both).store(&self.rows, self.rows.start, [x, y]),
                2 => self.sums::<T, W, 2>(A, n, self.rows.start, both).store(&self.rows, self.rows.start, [x, y]),
                3 => self.sums::<T, W, 3>(A, n, self.rows.start, both).store(&self.rows, self.rows.start, [x, y]),
                4 => self.sums::<T, W, 4>(A, n, self.rows.start, both).store(&self.rows, self.rows.start, [x, y]),
                5 => self.sums::<T, W, 5>(A, n, self.rows.start, both).store(&self.rows, self.rows.start, [x, y]),
                _ => self.sums::<T, W, 6>(A, n, self.rows.start, both).store(&self.rows, self.rows.start, [x, y]),
            };
        }
        // In parts, so that the column has to be remembered.
        let copies = room.split_at_mut(n);
        copies.0.copy_from_slice(x);
        copies.1.copy_from_slice(y);
        let both = [&*copies.0, &*copies.1];
        let mut r = self.rows.start;
        while registers > 0 {
            let some = registers.div_ceil(registers.div_ceil(MOST));
            match some {
                ..=3 => self.sums::<T, W, 3>(A, n, r, both).store(&self.rows, r, [&mut *x, &mut *y]),
                4 => self.sums::<T, W, 4>(A, n, r, both).store(&self.rows, r, [&mut *x, &mut *y]),
                5 => self.sums::<T, W, 5>(A, n, r, both).store(&self.rows, r, [&mut *x, &mut *y]),
                _ => self.sums::<T, W, 6>(A, n, r, both).store(&self.rows, r, [&mut *x, &mut *y]),
            }
            registers -= some;
            r += some * W::WIDTH;
        }
    }

    /// `R` registers of both products, from row `r` on; the last of them ends where the rows do, at the latest.
    #[inline(always)]
    fn sums<T: Real, W: Wide<T>, const R: usize>(&self, A: &[T], n: usize, r: usize, [x, y]: [&[T]; 2]) -> Sums<W, R> {
        let most = (R - 1) * W::WIDTH;
        let last = (r + most).min(self.rows.end - W::WIDTH);
        assert!(r <= last && last <= n && n - r >= most && n - last >= W::WIDTH); // once, rather than for every load
        let mut sums = [[W::zero(); R]; 2];
        for run in self.above.iter().chain([&self.below]) {
            let mut rest = &A[run.start * n..];
            for (&x, &y) in x[run.clone()].iter().zip(&y[run.clone()]) {
                let column;
                (column, rest) = rest.split_at(n);
                let (x, y) = (W::splat(x), W::splat(y));
                let (most, end) = (&column[r..][..most], &column[last..][..W::WIDTH]);
                for w in 0..R {
                    let a = if w + 1 < R { W::load(&most[w * W::WIDTH..]) } else { W::load(end) };
                    sums[0][w] = a.neg_mul_add(x, sums[0][w]);
                    sums[1][w] = a.neg_mul_add(y, sums[1][w]);
                }
            }
        }
        Sums(sums)
    }
}

/// Some rows of both products.
struct Sums<W, const R: usize>([[W; R]; 2]);

impl<W, const R: usize> Sums<W, R> {
    #[inline(always)]
    fn store<T: Real>(self, rows: &Range<usize>, r: usize, columns: [&mut [T]; 2])
    where
        W: Wide<T>,
    {
        let last = (r + (R - 1) * W::WIDTH).min(rows.end - W::WIDTH) - r;
        for (sums, column) in self.0.iter().zip(columns) {
            let column = &mut column[r..];
            for w in 0..R {
                let at = if w + 1 < R { w * W::WIDTH } else { last };
                sums[w].store(&mut column[at..at + W::WIDTH]);
            }
        }
    }
}
