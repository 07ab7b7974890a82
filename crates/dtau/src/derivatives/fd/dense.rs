//! −M⁻¹ ∂ID as a product of dense matrices.
//!
//! `R` rows of `C` columns of the product are held in registers while the inner index runs; a result overwrites its factor,
//! which is why it is kept aside until `C` columns are done. O(N³), but the loops are as simple as loops can be.
//!
//! Source: [Singh22] §IV-E ("DMM"). Departure: the columns of ∂ID are zero but on their path to the root and in their
//! subtree, so the inner index runs over these alone.

use super::lanes::{MOST, Reach};
use crate::dispatch::{Kernel, Twin};
use crate::model::Tree;
use crate::scalar::Real;
use crate::workspace::Scratch as All;
use core::hint::black_box;
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
        let (minv, product) = (S::slice(self.minv), &mut scratch.fd.lanes.wide[..]);
        let both = [S::slice_mut(self.dq), S::slice_mut(self.dv)];
        if S::IS_PACKED {
            multiply::<S, 4, 2>(self.tree, minv, both, product);
        } else {
            multiply::<S, 8, 4>(self.tree, minv, both, product);
        }
    }
}

/// `X ← −A X` for both, all square.
#[inline(always)]
fn multiply<T: Real, const R: usize, const C: usize>(
    tree: Option<&Tree>,
    A: &[T],
    Xs: [&mut [T]; 2],
    product: &mut [T],
) {
    const { assert!(C <= MOST) };
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
        for X in [X, Y] {
            let product = &mut product[..X.len()];
            if rows.len() < n {
                product.fill(T::zero());
            }
            if columns.len() < C {
                all_rows::<T, 4, 1>(A, n, rows.clone(), &inner, X, product);
            } else if rows.len() >= R {
                all_rows::<T, R, C>(A, n, rows.clone(), &inner, X, product);
            } else {
                all_rows::<T, 4, C>(A, n, rows.clone(), &inner, X, product);
            }
            X.copy_from_slice(product);
        }
    }
}

/// Where columns of ∂ID are not zero.
struct Inner<'a> {
    above: &'a [Range<usize>],
    below: Range<usize>,
}

/// `C` columns after the other, `R` rows at a time; the last may be some that are done already.
#[inline(always)]
fn all_rows<T: Real, const R: usize, const C: usize>(
    A: &[T],
    n: usize,
    rows: Range<usize>,
    inner: &Inner<'_>,
    X: &[T],
    product: &mut [T],
) {
    for (X, product) in X.chunks_exact(C * n).zip(product.chunks_exact_mut(C * n)) {
        let mut r = rows.start;
        while r + R <= rows.end {
            some_rows::<T, R, C>(A, n, r, inner, X, product);
            r += R;
        }
        if r < rows.end && rows.len() >= R {
            some_rows::<T, R, C>(A, n, rows.end - R, inner, X, product);
        } else {
            while r < rows.end {
                some_rows::<T, 1, C>(A, n, r, inner, X, product);
                r += 1;
            }
        }
    }
}

#[inline(always)]
fn some_rows<T: Real, const R: usize, const C: usize>(
    A: &[T],
    n: usize,
    r: usize,
    inner: &Inner<'_>,
    X: &[T],
    product: &mut [T],
) {
    let mut sums = [[T::zero(); R]; C];
    for run in inner.above.iter().chain([&inner.below]) {
        let mut x: [&[T]; C] = [&[]; C];
        for c in 0..C {
            x[c] = &X[c * n + run.start..][..run.len()];
        }
        for (k, column) in A[run.start * n..run.end * n].chunks_exact(n).enumerate() {
            black_box(()); // keeps the compiler from gathering; see `block.rs`
            let a = &column[r..r + R];
            for c in 0..C {
                for w in 0..R {
                    sums[c][w] = a[w].neg_mul_add(x[c][k], sums[c][w]);
                }
            }
        }
    }
    for c in 0..C {
        product[c * n + r..][..R].copy_from_slice(&sums[c]);
    }
}
