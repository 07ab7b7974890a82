//! Transposition of columns to rows and back, by registers; and the two triangles of square matrices.

use super::six::{Columns, P};
use crate::dispatch::Register;
use crate::model::paths::Paths;
use crate::scalar::{Real, Wide};
use crate::sweeps::side_by_side::width;
use core::ops::Range;

/// Largest number of lanes of a register.
pub(crate) const MOST_LANES: usize = 8;

/// A square of numbers of the size of a register: each register is a row, or a column. Registers beyond the
/// width are undefined.
pub(crate) type Tile<T> = [Register<T>; MOST_LANES];

/// Transposes columns to rows, from row `row` on. Columns that have ended are continued by zeros.
#[inline(always)]
pub(crate) fn to_rows<T: Real>(columns: &[&[T]; MOST_LANES], row: usize) -> Tile<T> {
    let (width, mut tile) = (width::<T>(), [Register::<T>::zero(); MOST_LANES]);
    for lane in 0..width {
        let column = columns[lane].get(row..).unwrap_or_default();
        if column.is_empty() {
            continue; // a masked load of nothing, from no address, takes hundreds of cycles
        }
        tile[lane] = if column.len() < width { Register::<T>::load_some(column) } else { Register::<T>::load(column) };
    }
    Register::<T>::transpose(&mut tile[..width]);
    tile
}

/// Rows of several columns of `n` numbers, side by side as in [`Columns`]; missing columns are zero.
#[inline(always)]
pub(crate) fn gather<T: Real>(columns: &[T], n: usize, rows: Range<usize>, wide: &mut [Columns<T>]) {
    let (width, mut columns) = (width::<T>(), columns.chunks_exact(n));
    for p in 0..P {
        let mut own = [&[][..]; MOST_LANES];
        for lane in 0..width {
            own[lane] = columns.next().map_or(&[][..], |column| &column[..rows.end]);
        }
        for i in rows.clone().step_by(width) {
            let tile = to_rows::<T>(&own, i);
            for w in 0..width.min(rows.end - i) {
                wide[i + w][p] = tile[w];
            }
        }
    }
}

/// The inverse of [`gather`], for registers from `first` on; other rows are zero.
#[inline(always)]
pub(crate) fn scatter<T: Real>(wide: &[Columns<T>], first: usize, rows: Range<usize>, n: usize, columns: &mut [T]) {
    let width = width::<T>();
    for (p, columns) in columns.chunks_mut(width * n).enumerate() {
        for column in columns.chunks_exact_mut(n) {
            column[..rows.start].fill(T::zero());
            column[rows.end..].fill(T::zero());
        }
        for i in rows.clone().step_by(width) {
            let (count, mut tile) = (width.min(rows.end - i), [Register::<T>::zero(); MOST_LANES]);
            for w in 0..count {
                tile[w] = wide[i + w][first + p];
            }
            Register::<T>::transpose(&mut tile[..width]);
            for (lane, column) in columns.chunks_exact_mut(n).enumerate() {
                tile[lane].store(&mut column[i..][..count]);
            }
        }
    }
}

/// Makes a square matrix symmetric: copies the lower triangle to the upper one.
#[inline(always)]
pub(crate) fn mirror<T: Real>(n: usize, matrix: &mut [T]) {
    exchange::<T, MIRROR>(n, matrix, |_| n);
}

/// [`mirror`] for a matrix whose upper triangle is already zero off the paths.
#[inline(always)]
pub(crate) fn mirror_paths<T: Real>(paths: &Paths, n: usize, matrix: &mut [T]) {
    exchange::<T, MIRROR>(n, matrix, |columns| columns.fold(0, |end, c| paths.below(c).end.max(end)));
}

/// Makes an array of three indices symmetric in the last two.
#[inline(always)]
pub(crate) fn mirror_cube<T: Real>(n: usize, cube: &mut [T]) {
    for k in 0..n {
        for j in k + 1..n {
            cube.copy_within((k * n + j) * n..(k * n + j + 1) * n, (j * n + k) * n);
        }
    }
}

/// Transposes a square matrix in place.
#[inline(always)]
pub(crate) fn transpose<T: Real>(n: usize, matrix: &mut [T]) {
    exchange::<T, SWAP>(n, matrix, |_| n);
}

/// Adds its transpose to a square matrix, in place: both triangles are equal bit for bit.
#[inline(always)]
pub(crate) fn add_transpose<T: Real>(n: usize, matrix: &mut [T]) {
    exchange::<T, ADD>(n, matrix, |_| n);
}

// Operations on two entries across the diagonal.

/// Copies the lower one.
const MIRROR: u8 = 0;
/// Swaps them.
const SWAP: u8 = 1;
/// Replaces both by their sum.
const ADD: u8 = 2;

/// Visits all entries with their transposed ones, in tiles. `end` returns the end of the non-zero rows of a
/// range of columns.
#[inline(always)]
fn exchange<T: Real, const KIND: u8>(n: usize, matrix: &mut [T], end: impl Fn(Range<usize>) -> usize) {
    let width = width::<T>();
    let whole = n / width * width;
    for first in (0..whole).step_by(width) {
        let columns = first..first + width;
        for c in columns.clone() {
            for r in c + 1..columns.end {
                exchange_two::<T, KIND>(n, matrix, r, c);
            }
        }
        for row in (columns.end..end(columns).next_multiple_of(width).min(whole)).step_by(width) {
            let mut low = load::<T>(n, matrix, row, first);
            if KIND == MIRROR {
                Register::<T>::transpose(&mut low[..width]);
                store::<T>(n, matrix, first, row, &low);
                continue;
            }
            let mut high = load::<T>(n, matrix, first, row);
            Register::<T>::transpose(&mut high[..width]);
            if KIND == ADD {
                for w in 0..width {
                    high[w] += low[w];
                }
                low = high;
            }
            Register::<T>::transpose(&mut low[..width]);
            store::<T>(n, matrix, row, first, &high);
            store::<T>(n, matrix, first, row, &low);
        }
    }
    for r in whole..n {
        for c in 0..r {
            exchange_two::<T, KIND>(n, matrix, r, c);
        }
    }
    if KIND == ADD {
        for k in 0..n {
            matrix[k * n + k] += matrix[k * n + k];
        }
    }
}

/// Updates the entry at a row and column, and the transposed one.
#[inline(always)]
fn exchange_two<T: Real, const KIND: u8>(n: usize, matrix: &mut [T], r: usize, c: usize) {
    let (low, high) = (matrix[c * n + r], matrix[r * n + c]);
    (matrix[c * n + r], matrix[r * n + c]) = match KIND {
        MIRROR => (low, low),
        SWAP => (high, low),
        _ => (low + high, low + high),
    };
}

/// Loads a tile of a matrix, one register per column.
#[inline(always)]
fn load<T: Real>(n: usize, matrix: &[T], row: usize, column: usize) -> Tile<T> {
    let mut tile = [Register::<T>::zero(); MOST_LANES];
    for w in 0..width::<T>() {
        tile[w] = Register::<T>::load(&matrix[(column + w) * n + row..]);
    }
    tile
}

#[inline(always)]
fn store<T: Real>(n: usize, matrix: &mut [T], row: usize, column: usize, tile: &Tile<T>) {
    for w in 0..width::<T>() {
        tile[w].store(&mut matrix[(column + w) * n + row..][..width::<T>()]);
    }
}
