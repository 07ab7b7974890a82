//! Sums of columns, kept in registers while they grow.

use crate::dispatch::Register;
use crate::scalar::{Real, Wide};
use crate::sweeps::side_by_side::width;

/// Registers of a column at a time: for two columns, twice that many sums and what they are made of fill 16 registers.
const MOST: usize = 6;

/// `y += Σᵣ kᵣ xᵣ` for each of `N`, where xᵣ begins at `r * stride` of `x`.
#[inline(always)]
pub(super) fn add_product<T: Real, const N: usize>(y: [&mut [T]; N], k: [&[T]; N], x: &[T], stride: usize) {
    product::<T, N, true>(y, k, x, stride);
}

/// `y −= Σᵣ kᵣ xᵣ`, likewise.
#[inline(always)]
pub(super) fn subtract_product<T: Real, const N: usize>(y: [&mut [T]; N], k: [&[T]; N], x: &[T], stride: usize) {
    product::<T, N, false>(y, k, x, stride);
}

#[inline(always)]
fn product<T: Real, const N: usize, const ADDS: bool>(mut y: [&mut [T]; N], k: [&[T]; N], x: &[T], stride: usize) {
    let len = y[0].len();
    if len == 0 || k[0].is_empty() {
        return;
    }
    if len < width::<T>() {
        parts::<T, T, N, ADDS>(&mut y, k, x, stride);
    } else {
        parts::<T, Register<T>, N, ADDS>(&mut y, k, x, stride);
    }
}

#[inline(always)]
fn parts<T: Real, W: Wide<T>, const N: usize, const ADDS: bool>(
    y: &mut [&mut [T]; N],
    k: [&[T]; N],
    x: &[T],
    stride: usize,
) {
    let mut left = y[0].len().div_ceil(W::WIDTH);
    let mut at = 0;
    while left > 0 {
        let some = left.div_ceil(left.div_ceil(MOST));
        match some {
            1 => part::<T, W, 1, N, ADDS>(y, k, x, stride, at),
            2 => part::<T, W, 2, N, ADDS>(y, k, x, stride, at),
            3 => part::<T, W, 3, N, ADDS>(y, k, x, stride, at),
            4 => part::<T, W, 4, N, ADDS>(y, k, x, stride, at),
            5 => part::<T, W, 5, N, ADDS>(y, k, x, stride, at),
            _ => part::<T, W, 6, N, ADDS>(y, k, x, stride, at),
        }
        left -= some;
        at += some * W::WIDTH;
    }
}

/// `R` registers from row `at` on; the last of them ends where the column does, at the latest. It may overlap the one before: both
/// begin from what was there, and come to the same.
#[inline(always)]
fn part<T: Real, W: Wide<T>, const R: usize, const N: usize, const ADDS: bool>(
    y: &mut [&mut [T]; N],
    k: [&[T]; N],
    x: &[T],
    stride: usize,
    at: usize,
) {
    let len = y[0].len();
    let (most, last) = ((R - 1) * W::WIDTH, (at + (R - 1) * W::WIDTH).min(len - W::WIDTH));
    let place = |w: usize| if w + 1 < R { at + w * W::WIDTH } else { last };
    let mut sums = [[W::zero(); R]; N];
    for n in 0..N {
        for w in 0..R {
            sums[n][w] = W::load(&y[n][place(w)..][..W::WIDTH]);
        }
    }
    for r in 0..k[0].len() {
        let column = &x[r * stride..][..len];
        let (whole, end) = (&column[at..][..most], &column[last..][..W::WIDTH]);
        let mut factors = [W::zero(); N];
        for n in 0..N {
            factors[n] = W::splat(k[n][r]);
        }
        for w in 0..R {
            let x = if w + 1 < R { W::load(&whole[w * W::WIDTH..]) } else { W::load(end) };
            for n in 0..N {
                sums[n][w] =
                    if ADDS { factors[n].mul_add(x, sums[n][w]) } else { factors[n].neg_mul_add(x, sums[n][w]) };
            }
        }
    }
    for n in 0..N {
        for w in 0..R {
            sums[n][w].store(&mut y[n][place(w)..][..W::WIDTH]);
        }
    }
}
