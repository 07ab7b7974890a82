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

/// −M⁻¹ times two matrices that are zero where ∂ID is; for that matter, minus any matrix times them.
pub(crate) struct Apply<'a, T: Real> {
    /// Where entries of ∂ID are not zero; nothing is known about mimicking joints.
    pub(crate) tree: Option<&'a Tree>,
    pub(crate) s: &'a mut Scratch<T>,
    pub(crate) minv: &'a [T],
    pub(crate) dq: &'a mut [T],
    pub(crate) dv: &'a mut [T],
}

impl<T: Real> Step for Apply<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let room = &mut self.s.fd.columns[..];
        let n = room.len() / ROOM;
        multiply(self.tree, None, self.minv, n, [self.dq, self.dv], room);
    }
}

/// The same for one matrix.
pub(crate) struct ApplyToOne<'a, T: Real> {
    pub(crate) tree: Option<&'a Tree>,
    pub(crate) s: &'a mut Scratch<T>,
    pub(crate) minv: &'a [T],
    pub(crate) x: &'a mut [T],
}

impl<T: Real> Step for ApplyToOne<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let room = &mut self.s.fd.columns[..];
        let n = room.len() / ROOM;
        multiply(self.tree, None, self.minv, n, [self.x], room);
    }
}

/// −A times `M` matrices, where the columns of `A` are zero but for those on the path to `j` and in its subtree.
pub(in crate::derivatives) struct ApplyRelated<'a, T: Real, const M: usize> {
    pub(in crate::derivatives) tree: Option<&'a Tree>,
    pub(in crate::derivatives) s: &'a mut Scratch<T>,
    pub(in crate::derivatives) j: usize,
    pub(in crate::derivatives) A: &'a [T],
    pub(in crate::derivatives) x: [&'a mut [T]; M],
}

impl<T: Real, const M: usize> Step for ApplyRelated<'_, T, M> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { tree, s, j, A, x } = self;
        let room = &mut s.fd.columns[..];
        multiply(tree, Some(j), A, room.len() / ROOM, x, room);
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

/// `X ← −A X` for all `M`, all square; branches of the world, which have nothing to do with each other, one by one. Zeros are those of
/// the columns of `X`, or those of the columns of `A` for a degree of freedom.
#[inline(always)]
fn multiply<T: Real, const M: usize>(
    tree: Option<&Tree>,
    of: Option<usize>,
    A: &[T],
    n: usize,
    mut Xs: [&mut [T]; M],
    room: &mut [T],
) {
    let mut start = 0;
    while start < n {
        let rows = start..tree.map_or(n, |tree| tree.bodies[tree.dofs[start].body].dofs_end);
        start = rows.end;
        let branch = Branch { tree, of, A, n, rows };
        if branch.rows.len() < width::<T>() {
            branch.multiply::<T, M>(&mut Xs, room);
        } else {
            branch.multiply::<Register<T>, M>(&mut Xs, room);
        }
    }
}

/// A branch of the world, or all there is.
struct Branch<'a, T> {
    tree: Option<&'a Tree>,
    of: Option<usize>,
    A: &'a [T],
    n: usize,
    /// Its rows and columns: all others are zero in these.
    rows: Range<usize>,
}

impl<T: Real> Branch<'_, T> {
    /// `X ← −A X` for all, in registers `W`.
    #[inline(always)]
    fn multiply<W: Wide<T>, const M: usize>(&self, Xs: &mut [&mut [T]; M], room: &mut [T]) {
        match self.rows.len().div_ceil(W::WIDTH) {
            1 => self.whole_columns::<W, 1, M>(Xs),
            2 => self.whole_columns::<W, 2, M>(Xs),
            3 => self.whole_columns::<W, 3, M>(Xs),
            4 => self.whole_columns::<W, 4, M>(Xs),
            5 => self.whole_columns::<W, 5, M>(Xs),
            6 => self.whole_columns::<W, 6, M>(Xs),
            registers if self.n <= NEAR => self.columns_in_parts::<W, M>(registers, Xs, room),
            registers => self.few_columns_in_parts::<W, M>(registers, Xs, room),
        }
    }

    #[inline(always)]
    fn whole_columns<W: Wide<T>, const R: usize, const M: usize>(&self, Xs: &mut [&mut [T]; M]) {
        for c in self.rows.clone() {
            let mut x = [&[][..]; M];
            for m in 0..M {
                x[m] = &Xs[m][c * self.n..][..self.n];
            }
            let sums = self.sums::<W, R, M>(&self.inner(c), self.rows.start, x);
            self.store(sums, self.rows.start, Xs, c);
            self.clear(Xs, c);
        }
    }

    /// The same where a column needs more than `MOST_REGISTERS` registers: it is copied first, since its parts overwrite it.
    #[inline(always)]
    fn columns_in_parts<W: Wide<T>, const M: usize>(&self, registers: usize, Xs: &mut [&mut [T]; M], room: &mut [T]) {
        for c in self.rows.clone() {
            for m in 0..M {
                self.copy(room, m).copy_from_slice(&Xs[m][c * self.n..][..self.n]);
            }
            let inner = self.inner(c);
            let mut parts = Parts::of(registers, self.rows.start);
            while let Some((some, r)) = parts.next::<T, W>() {
                self.part::<W, M>(some, &inner, r, self.copies(room, 0), Xs, c);
            }
            self.clear(Xs, c);
        }
    }

    /// The same where `A` does not fit into the L2 cache: a part of the rows for a few columns, then the next part.
    #[inline(always)]
    fn few_columns_in_parts<W: Wide<T>, const M: usize>(
        &self,
        registers: usize,
        Xs: &mut [&mut [T]; M],
        room: &mut [T],
    ) {
        let n = self.n;
        for first in self.rows.clone().step_by(COPIED) {
            let columns = first..self.rows.end.min(first + COPIED);
            for m in 0..M {
                let entries = &Xs[m][columns.start * n..columns.end * n];
                room[m * COPIED * n..][..entries.len()].copy_from_slice(entries);
            }
            let mut parts = Parts::of(registers, self.rows.start);
            while let Some((some, r)) = parts.next::<T, W>() {
                for (k, c) in columns.clone().enumerate() {
                    self.part::<W, M>(some, &self.inner(c), r, self.copies(room, k), Xs, c);
                }
            }
            for c in columns {
                self.clear(Xs, c);
            }
        }
    }

    /// Room for the first column of matrix `m`.
    #[inline(always)]
    fn copy<'r>(&self, room: &'r mut [T], m: usize) -> &'r mut [T] {
        &mut room[m * COPIED * self.n..][..self.n]
    }

    /// The copies of the `k`-th column.
    #[inline(always)]
    fn copies<'r, const M: usize>(&self, room: &'r [T], k: usize) -> [&'r [T]; M] {
        let mut x = [&[][..]; M];
        for m in 0..M {
            x[m] = &room[(m * COPIED + k) * self.n..][..self.n];
        }
        x
    }

    /// Some registers of column `c`, from row `r` on.
    #[inline(always)]
    fn part<W: Wide<T>, const M: usize>(
        &self,
        registers: usize,
        inner: &Inner<'_>,
        r: usize,
        x: [&[T]; M],
        Xs: &mut [&mut [T]; M],
        c: usize,
    ) {
        match registers {
            ..=3 => self.store(self.sums::<W, 3, M>(inner, r, x), r, Xs, c),
            4 => self.store(self.sums::<W, 4, M>(inner, r, x), r, Xs, c),
            5 => self.store(self.sums::<W, 5, M>(inner, r, x), r, Xs, c),
            _ => self.store(self.sums::<W, 6, M>(inner, r, x), r, Xs, c),
        }
    }

    /// Where column `c` of ∂ID is not zero, or `A` is not.
    #[inline(always)]
    fn inner(&self, c: usize) -> Inner<'_> {
        match self.tree {
            None => Inner { above: &[], below: 0..self.n },
            Some(tree) => {
                let body = &tree.bodies[tree.dofs[self.of.unwrap_or(c)].body];
                Inner { above: &tree.path_runs()[body.path.clone()], below: body.v.start..body.dofs_end }
            }
        }
    }

    /// `R` registers of all products, from row `r` on; the last of them ends where the rows do, at the latest.
    #[inline(always)]
    fn sums<W: Wide<T>, const R: usize, const M: usize>(
        &self,
        inner: &Inner<'_>,
        r: usize,
        x: [&[T]; M],
    ) -> [[W; R]; M] {
        let n = self.n;
        let most = (R - 1) * W::WIDTH;
        let last = (r + most).min(self.rows.end - W::WIDTH);
        assert!(r <= last && last <= n && n - r >= most && n - last >= W::WIDTH); // so that LLVM drops the bounds checks of all loads
        let mut sums = [[W::zero(); R]; M];
        for run in inner.above.iter().chain([&inner.below]) {
            let (mut rest, mut factors) = (&self.A[run.start * n..], [&[][..]; M]);
            for m in 0..M {
                factors[m] = &x[m][run.clone()];
            }
            for k in 0..run.len() {
                let column;
                (column, rest) = rest.split_at(n);
                let mut x = [W::zero(); M];
                for m in 0..M {
                    x[m] = W::splat(factors[m][k]);
                }
                let (most, end) = (&column[r..][..most], &column[last..][..W::WIDTH]);
                for w in 0..R {
                    let a = if w + 1 < R { W::load(&most[w * W::WIDTH..]) } else { W::load(end) };
                    for m in 0..M {
                        sums[m][w] = a.neg_mul_add(x[m], sums[m][w]);
                    }
                }
            }
        }
        sums
    }

    #[inline(always)]
    fn store<W: Wide<T>, const R: usize, const M: usize>(
        &self,
        sums: [[W; R]; M],
        r: usize,
        Xs: &mut [&mut [T]; M],
        c: usize,
    ) {
        let last = (r + (R - 1) * W::WIDTH).min(self.rows.end - W::WIDTH);
        for m in 0..M {
            let column = &mut Xs[m][c * self.n..][..self.n];
            for w in 0..R {
                let at = if w + 1 < R { r + w * W::WIDTH } else { last };
                sums[m][w].store(&mut column[at..at + W::WIDTH]);
            }
        }
    }

    /// Zeros in the rows of other branches.
    #[inline(always)]
    fn clear<const M: usize>(&self, Xs: &mut [&mut [T]; M], c: usize) {
        if self.rows.len() < self.n {
            for m in 0..M {
                let column = &mut Xs[m][c * self.n..][..self.n];
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
