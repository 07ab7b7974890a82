//! Sums of rows: `y ± Σ kᵢ xᵢ`, with `y` in registers until the sum is complete.

use crate::dispatch::Register;
use crate::scalar::{Real, Wide};
use crate::sweeps::side_by_side::width;
use core::ops::Range;

/// Largest number of registers of a row at a time. Two sums of that length, part of a row and its factors
/// fill the 16 registers of a CPU.
const MOST: usize = 6;

/// Length of the longest rows that are summed in one part.
pub(super) const fn longest<T: Real>() -> usize {
    MOST * width::<T>()
}

/// Several registers of a row. If the row is not a multiple of a register, the last register overlaps the
/// previous one. If the row is shorter than a register, that register is not full.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// The first number.
    pub(super) first: usize,
    /// The first number of the last register.
    pub(super) last: usize,
    /// One past the last number.
    pub(super) end: usize,
}

impl Part {
    /// Checks the bounds of all rows of a sum once, so that LLVM removes the checks in the loop.
    #[inline(always)]
    pub(super) fn check<T: Real, const R: usize>(self, stride: usize) {
        let Self { first, last, end } = self;
        let most = (R - 1) * width::<T>();
        assert!(first <= last && last <= end && end <= stride && stride - first >= most);
        assert!(if R > 1 { end - last == width::<T>() } else { end - last <= width::<T>() });
    }

    /// Writes `R` registers of a row.
    #[inline(always)]
    pub(super) fn store<T: Real, const R: usize>(self, x: &[Register<T>; R], row: &mut [T]) {
        for w in 0..R {
            let at = if w + 1 < R { self.first + w * width::<T>() } else { self.last };
            let end = if R > 1 { at + width::<T>() } else { self.end };
            x[w].store(&mut row[at..end]);
        }
    }
}

/// Splits a range of row numbers into parts of about the same size, with the number of registers of each.
#[inline(always)]
pub(super) fn parts<T: Real>(numbers: Range<usize>) -> impl Iterator<Item = (usize, Part)> {
    let (mut left, mut first) = (numbers.len().div_ceil(width::<T>()), numbers.start);
    core::iter::from_fn(move || {
        let some = if left <= MOST { left } else { left.div_ceil(left.div_ceil(MOST)) };
        let end = numbers.end.min(first + some * width::<T>());
        let part = Part { first, last: end.saturating_sub(width::<T>()).max(first), end };
        (left, first) = (left - some, end);
        (some > 0).then_some((some, part))
    })
}

/// An expression with the number of registers as a constant.
macro_rules! with_registers {
    ($some:expr, $R:ident => $body:expr) => {
        with_registers!(@match $some, $R => $body, 1 2 3 4 5, 6)
    };
    (@match $some:expr, $R:ident => $body:expr, $($few:literal)*, $most:literal) => {
        match $some {
            $($few => { const $R: usize = $few; $body })*
            _ => { const $R: usize = $most; $body }
        }
    };
}
pub(super) use with_registers;

/// `sum ± k x`
#[inline(always)]
fn fused<W: Real, const ADD: bool>(k: W, x: W, sum: W) -> W {
    if ADD { k.mul_add(x, sum) } else { k.neg_mul_add(x, sum) }
}

/// `sums ± Σ k x` for `M` sums over the same rows, which are `stride` apart. There must be a row for every
/// factor.
#[inline(always)]
pub(super) fn add_rows<T: Real, const R: usize, const M: usize, const ADD: bool>(
    mut sums: [[Register<T>; R]; M],
    part: Part,
    mut rows: &[T],
    stride: usize,
    factors: impl Iterator<Item = [T; M]>,
) -> [[Register<T>; R]; M] {
    part.check::<T, R>(stride);
    for factors in factors {
        let row;
        (row, rows) = rows.split_at(stride);
        let mut k = [Register::<T>::zero(); M];
        for m in 0..M {
            k[m] = Register::<T>::splat(factors[m]);
        }
        let (most, end) = (&row[part.first..][..(R - 1) * width::<T>()], &row[part.last..part.end]);
        for w in 0..R {
            let x = if w + 1 < R { &most[w * width::<T>()..] } else { end };
            let x = if R == 1 && x.len() < width::<T>() { Register::<T>::load_some(x) } else { Register::<T>::load(x) };
            for m in 0..M {
                sums[m][w] = fused::<_, ADD>(k[m], x, sums[m][w]);
            }
        }
    }
    sums
}

/// `y ± Σ k x`, where row `x` begins at number `from` of one of the `rows`, which are `stride` apart. `y` is
/// whole registers long. There must be a row for every factor.
#[inline(always)]
pub(crate) fn add_sum<T: Real, const ADD: bool>(
    y: &mut [T],
    from: usize,
    rows: &[T],
    stride: usize,
    factors: impl Iterator<Item = T> + Clone,
) {
    debug_assert!(y.len().is_multiple_of(width::<T>()), "registers that overlap would be added twice");
    for (some, part) in parts::<T>(from..from + y.len()) {
        let (y, factors) = (&mut y[part.first - from..part.end - from], factors.clone().map(|k| [k]));
        with_registers!(some, R => add_part::<T, R, ADD>(y, part, rows, stride, factors));
    }
}

#[inline(always)]
fn add_part<T: Real, const R: usize, const ADD: bool>(
    y: &mut [T],
    part: Part,
    rows: &[T],
    stride: usize,
    factors: impl Iterator<Item = [T; 1]>,
) {
    let (width, y) = (width::<T>(), &mut y[..R * width::<T>()]);
    let mut sums = [[Register::<T>::zero(); R]];
    for w in 0..R {
        sums[0][w] = Register::<T>::load(&y[w * width..]);
    }
    sums = add_rows::<T, R, 1, ADD>(sums, part, rows, stride, factors);
    for w in 0..R {
        sums[0][w].store(&mut y[w * width..][..width]);
    }
}

/// `y ± k x`, whole registers.
#[inline(always)]
pub(crate) fn add_row<T: Real, const ADD: bool>(y: &mut [T], k: T, x: &[T]) {
    debug_assert!(y.len() == x.len() && y.len().is_multiple_of(width::<T>()));
    let (width, k) = (width::<T>(), Register::<T>::splat(k));
    for (y, x) in y.chunks_exact_mut(width).zip(x.chunks_exact(width)) {
        fused::<_, ADD>(k, Register::<T>::load(x), Register::<T>::load(y)).store(y);
    }
}

/// `sum ± Σ k x` over rows of registers, with a factor for each.
#[inline(always)]
pub(crate) fn add_registers<'a, T: Real, const R: usize, const ADD: bool>(
    sum: &mut [Register<T>; R],
    mut factors: impl Iterator<Item = &'a T>,
    rows: &[[Register<T>; R]],
) {
    let mut out = *sum;
    for x in rows {
        let k = Register::<T>::splat(*factors.next().expect("every row has a factor"));
        for w in 0..R {
            out[w] = fused::<_, ADD>(k, x[w], out[w]);
        }
    }
    *sum = out;
}
