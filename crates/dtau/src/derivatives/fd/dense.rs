//! −M⁻¹ ∂ID as a product of dense matrices.
//!
//! `R` rows of `C` columns of the product are held in registers while the inner index runs; a result overwrites its factor,
//! which is why `C` columns of that are set aside first. O(N³), but the loops are as simple as loops can be.
//! Source: [Singh22] §IV-E ("DMM").

use super::lanes::{MOST, gather};
use crate::dispatch::{Kernel, Twin};
use crate::scalar::Real;
use crate::workspace::Scratch as All;

pub(super) struct Apply<'a, T> {
    pub(super) minv: &'a [T],
    pub(super) dq: &'a mut [T],
    pub(super) dv: &'a mut [T],
}

impl<T: Real> Kernel<T> for Apply<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) {
        let (minv, wide) = (S::slice(self.minv), &mut scratch.fd.lanes.wide[..]);
        for x in [S::slice_mut(self.dq), S::slice_mut(self.dv)] {
            if S::IS_PACKED {
                multiply::<S, 1, 1>(minv, x, wide);
            } else {
                multiply::<S, 8, 4>(minv, x, wide);
            }
        }
    }
}

/// `X ← −A X`, all square.
#[inline(always)]
fn multiply<T: Real, const R: usize, const C: usize>(A: &[T], X: &mut [T], wide: &mut [T]) {
    const { assert!(C <= MOST) };
    let n = A.len().isqrt();
    if n == 0 {
        return;
    }
    for X in X.chunks_mut(C * n) {
        gather::<T, C>(X, n, 0..n, wide);
        let mut r = 0;
        while r + R <= n {
            rows::<T, R, C>(A, n, r, wide, X);
            r += R;
        }
        while r < n {
            rows::<T, 1, C>(A, n, r, wide, X);
            r += 1;
        }
    }
}

/// `R` rows of the product, from row `r` on.
#[inline(always)]
fn rows<T: Real, const R: usize, const C: usize>(A: &[T], n: usize, r: usize, wide: &[T], X: &mut [T]) {
    let mut sum = [[T::zero(); R]; C];
    for (column, x) in A.chunks_exact(n).zip(wide.chunks_exact(C)) {
        let a = &column[r..r + R];
        for c in 0..C {
            for w in 0..R {
                sum[c][w] = a[w].neg_mul_add(x[c], sum[c][w]);
            }
        }
    }
    for (column, sum) in X.chunks_exact_mut(n).zip(&sum) {
        column[r..r + R].copy_from_slice(sum);
    }
}
