//! −M⁻¹ ∂ID as a product of dense matrices.
//!
//! Some rows of some columns of both products are held in registers while the inner index runs. A result overwrites its factor,
//! of which a copy is made: those numbers that are not zero, in the order in which they are asked for. O(N³), but the loops are
//! as simple as loops can be.
//!
//! Source: [Singh22] §IV-E ("DMM"). Departure: the columns of ∂ID are zero but on their path to the root and in their
//! subtree, so the inner index runs over these alone.

use super::lanes::Reach;
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
        let (minv, room) = (S::slice(self.minv), &mut scratch.fd.packed[..]);
        let both = [S::slice_mut(self.dq), S::slice_mut(self.dv)];
        multiply(self.tree, minv, both, room);
    }
}

/// Columns side by side: of each of both factors.
const C: usize = 3;
/// Room for these columns, in numbers a row.
pub(super) const PACKED: usize = 2 * C;
/// Registers of rows: 2 × 2 × `C` sums, what is multiplied and with what make 15 of 16 registers.
const R: usize = 2;

/// `X ← −A X` for both, all square.
#[inline(always)]
fn multiply<T: Real>(tree: Option<&Tree>, A: &[T], Xs: [&mut [T]; 2], packed: &mut [T]) {
    let n = A.len().isqrt();
    let [X, Y] = Xs;
    for (k, (X, Y)) in X.chunks_mut(C * n.max(1)).zip(Y.chunks_mut(C * n.max(1))).enumerate() {
        let columns = k * C..n.min(k * C + C);
        // The rows of X that are not zero, in runs, and those of the product.
        let (above, below, rows) = match tree {
            None => (&[][..], 0..n, 0..n),
            Some(tree) => {
                let reach = Reach::of(tree, columns.clone());
                let body = &tree.bodies[tree.dofs[columns.start].body];
                let below = body.v.start..tree.bodies[reach.last_below - 1].v.end;
                (&tree.path_runs[body.path.clone()], below, reach.rows)
            }
        };
        let inner = Inner { above, below };
        if columns.len() == C {
            inner.pack::<T, C>(n, [&*X, &*Y], packed);
            all_rows::<T, C>(A, n, rows.clone(), &inner, packed, [&mut *X, &mut *Y]);
        } else {
            for c in 0..columns.len() {
                let (X, Y) = (&mut X[c * n..(c + 1) * n], &mut Y[c * n..(c + 1) * n]);
                inner.pack::<T, 1>(n, [&*X, &*Y], packed);
                all_rows::<T, 1>(A, n, rows.clone(), &inner, packed, [X, Y]);
            }
        }
        if rows.len() < n {
            for column in X.chunks_exact_mut(n).chain(Y.chunks_exact_mut(n)) {
                column[..rows.start].fill(T::zero());
                column[rows.end..].fill(T::zero());
            }
        }
    }
}

/// Where columns of ∂ID are not zero.
struct Inner<'a> {
    above: &'a [Range<usize>],
    below: Range<usize>,
}

impl Inner<'_> {
    /// The entries that are not zero, those of a row together.
    #[inline(always)]
    fn pack<T: Real, const C: usize>(&self, n: usize, Xs: [&[T]; 2], packed: &mut [T]) {
        let packed = packed.as_chunks_mut::<C>().0.as_chunks_mut::<2>().0;
        let mut at = 0;
        for run in self.above.iter().chain([&self.below]) {
            for k in run.clone() {
                for c in 0..C {
                    packed[at][0][c] = Xs[0][c * n + k];
                    packed[at][1][c] = Xs[1][c * n + k];
                }
                at += 1;
            }
        }
    }
}

/// All rows of `C` columns, some at a time; the last may be some that are done already.
#[inline(always)]
fn all_rows<T: Real, const C: usize>(
    A: &[T],
    n: usize,
    rows: Range<usize>,
    inner: &Inner<'_>,
    packed: &[T],
    mut products: [&mut [T]; 2],
) {
    let (two, one) = (R * width::<T>(), width::<T>());
    let mut r = rows.start;
    while r + two <= rows.end {
        some_rows::<T, T::Wide, R, C>(A, n, r, inner, packed, &mut products);
        r += two;
    }
    if r + one < rows.end && rows.len() >= two {
        some_rows::<T, T::Wide, R, C>(A, n, rows.end - two, inner, packed, &mut products);
        return;
    }
    while r + one <= rows.end {
        some_rows::<T, T::Wide, 1, C>(A, n, r, inner, packed, &mut products);
        r += one;
    }
    if r < rows.end && rows.len() >= one {
        some_rows::<T, T::Wide, 1, C>(A, n, rows.end - one, inner, packed, &mut products);
        return;
    }
    while r < rows.end {
        some_rows::<T, T, 1, C>(A, n, r, inner, packed, &mut products);
        r += 1;
    }
}

/// `R` registers of rows.
#[inline(always)]
fn some_rows<T: Real, W: Wide<T>, const R: usize, const C: usize>(
    A: &[T],
    n: usize,
    r: usize,
    inner: &Inner<'_>,
    packed: &[T],
    products: &mut [&mut [T]; 2],
) {
    let mut sums = [[[W::zero(); R]; C]; 2];
    let mut packed = packed.as_chunks::<C>().0.as_chunks::<2>().0.iter();
    for run in inner.above.iter().chain([&inner.below]) {
        let mut at = run.start * n + r;
        for x in packed.by_ref().take(run.len()) {
            let column = &A[at..at + R * W::WIDTH];
            at += n;
            let mut a = [W::zero(); R];
            for w in 0..R {
                a[w] = W::load(&column[w * W::WIDTH..]);
            }
            for m in 0..2 {
                for c in 0..C {
                    let x = W::splat(x[m][c]);
                    for w in 0..R {
                        sums[m][c][w] = a[w].neg_mul_add(x, sums[m][c][w]);
                    }
                }
            }
        }
    }
    for m in 0..2 {
        for c in 0..C {
            for w in 0..R {
                sums[m][c][w].store(&mut products[m][c * n + r + w * W::WIDTH..][..W::WIDTH]);
            }
        }
    }
}
