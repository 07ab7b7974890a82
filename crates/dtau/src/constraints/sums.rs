//! Sums of columns, kept in registers while they grow.
//!
//! Columns here are whole registers long.

use crate::dispatch::Register;
use crate::scalar::{Real, Wide};
use crate::sweeps::side_by_side::width;

/// Registers of a column at a time: for two columns, twice that many sums and what they are made of fill 16 registers.
const MOST: usize = 6;

/// Some of the terms of a sum: `Σᵣ kᵣ xᵣ` for each of `N`, where xᵣ begins at `r * stride` of `x`.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a, T, const N: usize> {
    pub(super) k: [&'a [T]; N],
    pub(super) x: &'a [T],
}

/// `y += Σᵣ kᵣ xᵣ`, as in [`Terms`].
#[inline(always)]
pub(super) fn add_product<T: Real>(y: &mut [T], k: &[T], x: &[T], stride: usize) {
    sum::<T, 1, ADD>([y], [Terms { k: [k], x }].into_iter(), stride);
}

/// `y −= Σᵣ kᵣ xᵣ`, likewise.
#[inline(always)]
pub(super) fn subtract_product<T: Real>(y: &mut [T], k: &[T], x: &[T], stride: usize) {
    sum::<T, 1, SUBTRACT>([y], [Terms { k: [k], x }].into_iter(), stride);
}

/// `y = Σ` of all terms.
#[inline(always)]
pub(super) fn set_sum<'a, T: Real, const N: usize>(
    y: [&mut [T]; N],
    terms: impl Iterator<Item = Terms<'a, T, N>> + Clone,
    stride: usize,
) {
    sum::<T, N, SET>(y, terms, stride);
}

// What becomes of y.
const SET: u8 = 0;
const ADD: u8 = 1;
const SUBTRACT: u8 = 2;

#[inline(always)]
fn sum<'a, T: Real, const N: usize, const HOW: u8>(
    mut y: [&mut [T]; N],
    terms: impl Iterator<Item = Terms<'a, T, N>> + Clone,
    stride: usize,
) {
    let mut left = y[0].len() / width::<T>();
    let mut at = 0;
    while left > 0 {
        let some = left.div_ceil(left.div_ceil(MOST));
        match some {
            1 => part::<T, 1, N, HOW>(&mut y, terms.clone(), stride, at),
            2 => part::<T, 2, N, HOW>(&mut y, terms.clone(), stride, at),
            3 => part::<T, 3, N, HOW>(&mut y, terms.clone(), stride, at),
            4 => part::<T, 4, N, HOW>(&mut y, terms.clone(), stride, at),
            5 => part::<T, 5, N, HOW>(&mut y, terms.clone(), stride, at),
            _ => part::<T, 6, N, HOW>(&mut y, terms.clone(), stride, at),
        }
        left -= some;
        at += some * width::<T>();
    }
}

/// `R` registers from row `at` on.
#[inline(always)]
fn part<'a, T: Real, const R: usize, const N: usize, const HOW: u8>(
    y: &mut [&mut [T]; N],
    terms: impl Iterator<Item = Terms<'a, T, N>>,
    stride: usize,
    at: usize,
) {
    let mut sums = [[Register::<T>::zero(); R]; N];
    if HOW != SET {
        for n in 0..N {
            let own = &y[n][at..][..R * width::<T>()];
            for w in 0..R {
                sums[n][w] = Register::<T>::load(&own[w * width::<T>()..]);
            }
        }
    }
    for Terms { k, x } in terms {
        let (count, mut own) = (k[0].len(), k);
        for n in 0..N {
            own[n] = &k[n][..count]; // so that the loop needs no checks of them
        }
        for r in 0..count {
            let column = &x[r * stride + at..][..R * width::<T>()];
            let mut factors = [Register::<T>::zero(); N];
            for n in 0..N {
                factors[n] = Register::<T>::splat(own[n][r]);
            }
            for w in 0..R {
                let x = Register::<T>::load(&column[w * width::<T>()..]);
                for n in 0..N {
                    sums[n][w] = if HOW == SUBTRACT {
                        factors[n].neg_mul_add(x, sums[n][w])
                    } else {
                        factors[n].mul_add(x, sums[n][w])
                    };
                }
            }
        }
    }
    for n in 0..N {
        let own = &mut y[n][at..][..R * width::<T>()];
        for w in 0..R {
            sums[n][w].store(&mut own[w * width::<T>()..]);
        }
    }
}
