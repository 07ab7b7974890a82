//! `X ← −A X` for dense square matrices with the zeros of a tree.
//!
//! A column of the product, or a large part of it, is held in registers while the inner index runs; then it
//! overwrites its factor. The cost is O(N³), but the loops are very simple.
//!
//! With A = M⁻¹ and X = ∂ID this is [Singh22] §IV-E ("DMM"). Departure: the columns of ∂ID are non-zero only
//! on their path to the root and in their subtree, so the inner index runs only over these.

use super::sum::{Part, add_rows, longest, parts, with_registers};
use crate::dispatch::{Register, Step, step};
use crate::engines::Scratch;
use crate::model::Tree;
use crate::scalar::Real;
use core::ops::Range;

/// `X ← −A X` for `M` matrices, either with X as sparse as ∂ID, or, for a degree of freedom `dof`, with all
/// columns of `A` zero except those on its path and in its subtree. Without a tree the matrices are dense:
/// used with mimicking joints.
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

    /// Limbs of the world are independent, so they are processed one by one.
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

/// Number of columns that are copied at a time, if `A` is larger than the L2 cache.
const COPIED: usize = 4;
/// Largest size at which `A` fits into the L2 cache.
const NEAR: usize = 256;
/// Size of the copies, in numbers per row.
pub(crate) const COPIES: usize = 2 * COPIED;

/// A limb of the world, or the whole matrix.
struct Branch<'a, 'x, T, const M: usize> {
    tree: Option<&'a Tree>,
    dof: Option<usize>,
    A: &'a [T],
    n: usize,
    /// Rows and columns of the limb: all other entries in these are zero.
    rows: Range<usize>,
    /// Columns that are computed together.
    columns: Range<usize>,
    X: &'a mut [&'x mut [T]; M],
    copies: &'a mut [T],
}

impl<T: Real, const M: usize> Branch<'_, '_, T, M> {
    /// Multiplies part by part, for several columns at a time. If there are several parts, these columns are
    /// copied first, since the parts overwrite them. If `A` does not fit into the L2 cache, every part of it
    /// is read once for several columns.
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

    /// Non-zero rows of column `c` of X, or non-zero columns of `A`: those above, and those below.
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

    /// Computes a part of some columns of the product.
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
