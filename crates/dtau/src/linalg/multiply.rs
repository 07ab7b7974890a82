//! `X ← −A X` for dense square matrices with the zeros of a tree.
//!
//! A column of the products is held in registers, all of it or a good part, while the inner index runs; then it overwrites its
//! factor. O(N³), but the loops are as simple as loops can be.
//!
//! With A = M⁻¹ and X = ∂ID this is [Singh22] §IV-E ("DMM"). Departure: the columns of ∂ID are zero but on their path to the root and in
//! their subtree, so the inner index runs over these alone.

use super::sum::{Part, add_rows, longest, parts, with_registers};
use crate::dispatch::{Register, Step, step};
use crate::engines::Scratch;
use crate::model::Tree;
use crate::scalar::Real;
use core::ops::Range;

/// `X ← −A X` for `M` matrices. X is zero as ∂ID is; or, for a degree of freedom, all columns of `A` are zero but those on its path and in
/// its subtree. Without a tree there may be no zeros: where joints mimic others.
#[inline(always)]
pub(crate) fn negated<T: Real, const M: usize>(
    tree: Option<&Tree>,
    dof: Option<usize>,
    s: &mut Scratch<T>,
    A: &[T],
    X: [&mut [T]; M],
) {
    step(s.proof, Negated { tree, dof, s, A, X });
}

struct Negated<'a, T: Real, const M: usize> {
    tree: Option<&'a Tree>,
    dof: Option<usize>,
    s: &'a mut Scratch<T>,
    A: &'a [T],
    X: [&'a mut [T]; M],
}

impl<T: Real, const M: usize> Step for Negated<'_, T, M> {
    type Output = ();

    /// Branches of the world have nothing to do with each other, so they go one by one.
    #[inline(always)]
    fn run(self) {
        let Self { tree, dof, s, A, mut X } = self;
        let copies = &mut s.fd.columns[..];
        let (n, mut start) = (copies.len() / COPIES, 0);
        while start < n {
            let rows = start..tree.map_or(n, |tree| tree.bodies[tree.dofs[start].body].dofs_end);
            start = rows.end;
            Branch { tree, dof, A, n, rows, columns: 0..0, X: &mut X, copies }.multiply();
        }
    }
}

/// Number of columns that are copied at a time, where `A` is larger than the L2 cache.
const COPIED: usize = 4;
/// Largest size at which it is not.
const NEAR: usize = 256;
/// Room for the copies, in numbers a row.
pub(crate) const COPIES: usize = 2 * COPIED;

/// A branch of the world, or all there is.
struct Branch<'a, 'x, T, const M: usize> {
    tree: Option<&'a Tree>,
    dof: Option<usize>,
    A: &'a [T],
    n: usize,
    /// Its rows and columns: all others are zero in these.
    rows: Range<usize>,
    /// Columns that are computed together.
    columns: Range<usize>,
    X: &'a mut [&'x mut [T]; M],
    copies: &'a mut [T],
}

impl<T: Real, const M: usize> Branch<'_, '_, T, M> {
    /// Goes part by part, for some columns at a time. If there are several parts, these columns are copied first, since the parts
    /// overwrite them. If `A` does not fit into the L2 cache, every part of it is read once for a few columns.
    #[inline(always)]
    fn multiply(mut self) {
        let (n, rows) = (self.n, self.rows.clone());
        let some = match rows.len() {
            _ if self.in_one_part() => rows.len(),
            _ if n <= NEAR => 1,
            _ => COPIED,
        };
        self.columns.end = rows.start;
        while self.columns.end < rows.end {
            self.columns = self.columns.end..rows.end.min(self.columns.end + some);
            if !self.in_one_part() {
                for m in 0..M {
                    let entries = &self.X[m][self.columns.start * n..self.columns.end * n];
                    self.copies[m * COPIED * n..][..entries.len()].copy_from_slice(entries);
                }
            }
            for (some, part) in parts::<T>(rows.clone()) {
                with_registers!(some, R => self.part::<R>(part));
            }
        }
        if rows.len() < n {
            for column in self.X.iter_mut().flat_map(|X| X[rows.start * n..rows.end * n].chunks_exact_mut(n)) {
                column[..rows.start].fill(T::zero());
                column[rows.end..].fill(T::zero());
            }
        }
    }

    #[inline(always)]
    fn in_one_part(&self) -> bool {
        self.rows.len() <= longest::<T>()
    }

    /// Rows of column `c` of X that are not zero, or columns of `A`: above, and below.
    #[inline(always)]
    fn inner(&self, c: usize) -> (&[Range<usize>], Range<usize>) {
        match self.tree {
            None => (&[], 0..self.n),
            Some(tree) => {
                let body = &tree.bodies[tree.dofs[self.dof.unwrap_or(c)].body];
                (&tree.path_runs()[body.path.clone()], body.v.start..body.dofs_end)
            }
        }
    }

    /// A part of some columns of the products.
    #[inline(always)]
    fn part<const R: usize>(&mut self, part: Part) {
        let n = self.n;
        part.check::<T, R>(n);
        for c in self.columns.clone() {
            let mut x = [&[][..]; M];
            for m in 0..M {
                x[m] = if self.in_one_part() {
                    &self.X[m][c * n..][..n]
                } else {
                    &self.copies[(m * COPIED + c - self.columns.start) * n..][..n]
                };
            }
            let mut sums = [[Register::<T>::zero(); R]; M];
            let (above, below) = self.inner(c);
            for run in above.iter().chain([&below]) {
                let mut own = x;
                for m in 0..M {
                    own[m] = &x[m][run.clone()];
                }
                let factors = (0..run.len()).map(|k| {
                    let mut factors = [T::zero(); M];
                    for m in 0..M {
                        factors[m] = own[m][k];
                    }
                    factors
                });
                sums = add_rows::<T, R, M, false>(sums, part, &self.A[run.start * n..], n, factors);
            }
            for m in 0..M {
                part.store::<T, R>(&sums[m], &mut self.X[m][c * n..][..n]);
            }
        }
    }
}
