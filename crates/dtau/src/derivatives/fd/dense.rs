//! −M⁻¹ ∂ID as a product of dense matrices.
//!
//! A column of both products is held in registers, all of it or a good part, while the inner index runs; then it overwrites its
//! factor. O(N³), but the loops are as simple as loops can be.
//!
//! Source: [Singh22] §IV-E ("DMM"). Departure: the columns of ∂ID are zero but on their path to the root and in their
//! subtree, so the inner index runs over these alone.

use crate::dispatch::{Register, Step};
use crate::engines::Scratch;
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::sweeps::side_by_side::width;
use core::ops::Range;

pub(super) struct Apply<'a, T: Real> {
    /// Where entries of ∂ID are not zero; nothing is known about mimicking joints.
    pub(super) tree: Option<&'a Tree>,
    pub(super) s: &'a mut Scratch<T>,
    pub(super) minv: &'a [T],
    pub(super) dq: &'a mut [T],
    pub(super) dv: &'a mut [T],
}

impl<T: Real> Step for Apply<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let room = &mut self.s.fd.columns[..];
        let n = room.len() / ROOM;
        multiply(self.tree, self.minv, n, [self.dq, self.dv], room);
    }
}

/// Registers of rows: twice that many sums, some of a column of `A` and what they are multiplied with fill 16 registers.
const MOST_REGISTERS: usize = 6;

/// How many columns are copied at a time, where `A` is larger than the L2 cache.
const COPIED: usize = 4;
/// Up to this size it is not.
const NEAR: usize = 256;
/// Room for them, in numbers a row.
pub(super) const ROOM: usize = 2 * COPIED;

/// `X ← −A X` for both, all square; branches of the world, which have nothing to do with each other, one by one.
#[inline(always)]
fn multiply<T: Real>(tree: Option<&Tree>, A: &[T], n: usize, Xs: [&mut [T]; 2], room: &mut [T]) {
    let [X, Y] = Xs;
    let mut start = 0;
    while start < n {
        let rows = start..tree.map_or(n, |tree| tree.bodies[tree.dofs[start].body].dofs_end);
        start = rows.end;
        let branch = Branch { tree, A, n, rows };
        if branch.rows.len() < width::<T>() {
            branch.multiply::<T>([&mut *X, &mut *Y], room);
        } else {
            branch.multiply::<Register<T>>([&mut *X, &mut *Y], room);
        }
    }
}

/// A branch of the world, or all there is.
struct Branch<'a, T> {
    tree: Option<&'a Tree>,
    A: &'a [T],
    n: usize,
    /// Its rows and columns: all others are zero in these.
    rows: Range<usize>,
}

impl<T: Real> Branch<'_, T> {
    /// `X ← −A X` for both, in registers `W`.
    #[inline(always)]
    fn multiply<W: Wide<T>>(&self, Xs: [&mut [T]; 2], room: &mut [T]) {
        match self.rows.len().div_ceil(W::WIDTH) {
            1 => self.whole_columns::<W, 1>(Xs),
            2 => self.whole_columns::<W, 2>(Xs),
            3 => self.whole_columns::<W, 3>(Xs),
            4 => self.whole_columns::<W, 4>(Xs),
            5 => self.whole_columns::<W, 5>(Xs),
            6 => self.whole_columns::<W, 6>(Xs),
            registers if self.n <= NEAR => self.columns_in_parts::<W>(registers, Xs, room),
            registers => self.few_columns_in_parts::<W>(registers, Xs, room),
        }
    }

    #[inline(always)]
    fn whole_columns<W: Wide<T>, const R: usize>(&self, [X, Y]: [&mut [T]; 2]) {
        for c in self.rows.clone() {
            let (x, y) = (&mut X[c * self.n..][..self.n], &mut Y[c * self.n..][..self.n]);
            let sums = self.sums::<W, R>(&self.inner(c), self.rows.start, [&*x, &*y]);
            self.store(sums, self.rows.start, [&mut *x, &mut *y]);
            self.clear([x, y]);
        }
    }

    /// The same where a column needs more than `MOST_REGISTERS` registers: it is copied first, since its parts overwrite it.
    #[inline(always)]
    fn columns_in_parts<W: Wide<T>>(&self, registers: usize, [X, Y]: [&mut [T]; 2], room: &mut [T]) {
        let copies = room.split_at_mut(COPIED * self.n);
        for c in self.rows.clone() {
            let (x, y) = (&mut X[c * self.n..][..self.n], &mut Y[c * self.n..][..self.n]);
            let (x_copy, y_copy) = (&mut copies.0[..self.n], &mut copies.1[..self.n]);
            x_copy.copy_from_slice(x);
            y_copy.copy_from_slice(y);
            let inner = self.inner(c);
            let mut parts = Parts::of(registers, self.rows.start);
            while let Some((some, r)) = parts.next::<T, W>() {
                self.part::<W>(some, &inner, r, [&*x_copy, &*y_copy], [&mut *x, &mut *y]);
            }
            self.clear([x, y]);
        }
    }

    /// The same where `A` does not fit into the L2 cache: a part of the rows for a few columns, then the next part.
    #[inline(always)]
    fn few_columns_in_parts<W: Wide<T>>(&self, registers: usize, [X, Y]: [&mut [T]; 2], room: &mut [T]) {
        let (n, copies) = (self.n, room.split_at_mut(COPIED * self.n));
        for first in self.rows.clone().step_by(COPIED) {
            let columns = first..self.rows.end.min(first + COPIED);
            let entries = columns.start * n..columns.end * n;
            let (X, Y) = (&mut X[entries.clone()], &mut Y[entries]);
            copies.0[..X.len()].copy_from_slice(X);
            copies.1[..Y.len()].copy_from_slice(Y);
            let mut parts = Parts::of(registers, self.rows.start);
            while let Some((some, r)) = parts.next::<T, W>() {
                for (k, c) in columns.clone().enumerate() {
                    let own = k * n..(k + 1) * n;
                    let both = [&copies.0[own.clone()], &copies.1[own.clone()]];
                    self.part::<W>(some, &self.inner(c), r, both, [&mut X[own.clone()], &mut Y[own]]);
                }
            }
            for (x, y) in X.chunks_exact_mut(n).zip(Y.chunks_exact_mut(n)) {
                self.clear([x, y]);
            }
        }
    }

    /// Some registers of a column, from row `r` on.
    #[inline(always)]
    fn part<W: Wide<T>>(&self, some: usize, inner: &Inner<'_>, r: usize, x: [&[T]; 2], out: [&mut [T]; 2]) {
        match some {
            ..=3 => self.store(self.sums::<W, 3>(inner, r, x), r, out),
            4 => self.store(self.sums::<W, 4>(inner, r, x), r, out),
            5 => self.store(self.sums::<W, 5>(inner, r, x), r, out),
            _ => self.store(self.sums::<W, 6>(inner, r, x), r, out),
        }
    }

    /// Where column `c` of ∂ID is not zero.
    #[inline(always)]
    fn inner(&self, c: usize) -> Inner<'_> {
        match self.tree {
            None => Inner { above: &[], below: 0..self.n },
            Some(tree) => {
                let body = &tree.bodies[tree.dofs[c].body];
                Inner { above: &tree.path_runs()[body.path.clone()], below: body.v.start..body.dofs_end }
            }
        }
    }

    /// `R` registers of both products, from row `r` on; the last of them ends where the rows do, at the latest.
    #[inline(always)]
    fn sums<W: Wide<T>, const R: usize>(&self, inner: &Inner<'_>, r: usize, [x, y]: [&[T]; 2]) -> [[W; R]; 2] {
        let n = self.n;
        let most = (R - 1) * W::WIDTH;
        let last = (r + most).min(self.rows.end - W::WIDTH);
        assert!(r <= last && last <= n && n - r >= most && n - last >= W::WIDTH); // so that LLVM drops the bounds checks of all loads
        let mut sums = [[W::zero(); R]; 2];
        for run in inner.above.iter().chain([&inner.below]) {
            let mut rest = &self.A[run.start * n..];
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
        sums
    }

    #[inline(always)]
    fn store<W: Wide<T>, const R: usize>(&self, sums: [[W; R]; 2], r: usize, columns: [&mut [T]; 2]) {
        let last = (r + (R - 1) * W::WIDTH).min(self.rows.end - W::WIDTH);
        for (sums, column) in sums.iter().zip(columns) {
            for w in 0..R {
                let at = if w + 1 < R { r + w * W::WIDTH } else { last };
                sums[w].store(&mut column[at..at + W::WIDTH]);
            }
        }
    }

    /// Zeros in the rows of other branches.
    #[inline(always)]
    fn clear(&self, columns: [&mut [T]; 2]) {
        if self.rows.len() < self.n {
            for column in columns {
                column[..self.rows.start].fill(T::zero());
                column[self.rows.end..].fill(T::zero());
            }
        }
    }
}

/// A column in parts of about the same size, at most [`MOST_REGISTERS`] registers each.
struct Parts {
    registers: usize,
    row: usize,
}

impl Parts {
    #[inline(always)]
    fn of(registers: usize, row: usize) -> Self {
        Self { registers, row }
    }

    /// How many registers are next, and from which row on.
    #[inline(always)]
    fn next<T: Real, W: Wide<T>>(&mut self) -> Option<(usize, usize)> {
        if self.registers == 0 {
            return None;
        }
        let (some, row) = (self.registers.div_ceil(self.registers.div_ceil(MOST_REGISTERS)), self.row);
        self.registers -= some;
        self.row += some * W::WIDTH;
        Some((some, row))
    }
}

/// Where a column of ∂ID is not zero.
struct Inner<'a> {
    above: &'a [Range<usize>],
    below: Range<usize>,
}
