//! Sums of rows, kept in registers while they grow. Rows here are whole registers long.

use crate::dispatch::Register;
use crate::scalar::{Real, Wide};
use crate::sweeps::side_by_side::width;

/// Registers of a row at a time.
const MOST: usize = 6;

/// `y += Σ k x`
#[inline(always)]
pub(super) fn add_sum<'a, T: Real>(y: &mut [T], terms: impl Iterator<Item = (T, &'a [T])> + Clone) {
    sum::<T, true>(y, terms);
}

/// `y −= Σ k x`
#[inline(always)]
pub(super) fn subtract_sum<'a, T: Real>(y: &mut [T], terms: impl Iterator<Item = (T, &'a [T])> + Clone) {
    sum::<T, false>(y, terms);
}

#[inline(always)]
fn sum<'a, T: Real, const ADD: bool>(y: &mut [T], terms: impl Iterator<Item = (T, &'a [T])> + Clone) {
    let mut left = y.len() / width::<T>();
    let mut at = 0;
    while left > 0 {
        let some = left.div_ceil(left.div_ceil(MOST));
        match some {
            1 => part::<T, 1, ADD>(y, at, terms.clone()),
            2 => part::<T, 2, ADD>(y, at, terms.clone()),
            3 => part::<T, 3, ADD>(y, at, terms.clone()),
            4 => part::<T, 4, ADD>(y, at, terms.clone()),
            5 => part::<T, 5, ADD>(y, at, terms.clone()),
            _ => part::<T, 6, ADD>(y, at, terms.clone()),
        }
        left -= some;
        at += some * width::<T>();
    }
}

/// `R` registers from number `at` on.
#[inline(always)]
fn part<'a, T: Real, const R: usize, const ADD: bool>(
    y: &mut [T],
    at: usize,
    terms: impl Iterator<Item = (T, &'a [T])>,
) {
    let own = &mut y[at..][..R * width::<T>()];
    let mut sums = [Register::<T>::zero(); R];
    for w in 0..R {
        sums[w] = Register::<T>::load(&own[w * width::<T>()..]);
    }
    for (k, x) in terms {
        let (k, x) = (Register::<T>::splat(k), &x[at..][..R * width::<T>()]);
        for w in 0..R {
            let x = Register::<T>::load(&x[w * width::<T>()..]);
            sums[w] = if ADD { k.mul_add(x, sums[w]) } else { k.neg_mul_add(x, sums[w]) };
        }
    }
    for w in 0..R {
        sums[w].store(&mut own[w * width::<T>()..]);
    }
}
