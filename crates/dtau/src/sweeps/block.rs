//! Six-vectors of many degrees of freedom, neighbours side by side: what the fills of matrices stream over.
//!
//! A block holds the six components of as many neighbours as fill a register ([`Wide`]). It is always read and written whole:
//! what was just written is at hand, where a read across two writes would have to wait for both.

use crate::dispatch::Register;
use crate::model::paths::Paths;
use crate::scalar::{Real, Wide};
use crate::sweeps::side_by_side::width;

/// Six components of some neighbours, or one number for each of them six times.
pub(crate) type Block<W> = [W; 6];

/// As many neighbours as the widest register holds.
pub(crate) const MOST_LANES: usize = 8;

/// How many blocks the six-vectors of `n` degrees of freedom take.
pub(crate) fn count<T: Real>(n: usize) -> usize {
    n.div_ceil(width::<T>())
}

/// Writes the single six-vector `j`.
#[inline(always)]
pub(crate) fn put<T: Real>(blocks: &mut [Block<Register<T>>], j: usize, x: [T; 6]) {
    let (block, bits) = (&mut blocks[j / width::<T>()], 1 << (j % width::<T>()));
    // Not a store to one lane: loading the whole register after it would wait for the store (no store forwarding).
    for k in 0..6 {
        block[k] = Register::<T>::pick(bits, Register::<T>::splat(x[k]), block[k]);
    }
}

/// Reads the single six-vector `j`, for all neighbours.
#[inline(always)]
pub(crate) fn get<T: Real>(blocks: &[Block<Register<T>>], j: usize) -> Block<Register<T>> {
    let (block, lane) = (&blocks[j / width::<T>()], j % width::<T>());
    let mut x = [T::zero(); 6];
    for k in 0..6 {
        x[k] = block[k].lane(lane);
    }
    all::<T>(x)
}

/// A single six-vector for all neighbours.
#[inline(always)]
pub(crate) fn all<T: Real>(x: [T; 6]) -> Block<Register<T>> {
    let mut out = [Register::<T>::zero(); 6];
    for k in 0..6 {
        out[k] = Register::<T>::splat(x[k]);
    }
    out
}

/// `a · b`.
#[inline(always)]
pub(crate) fn dot<W: Real>(a: &Block<W>, b: &Block<W>) -> W {
    // Two independent sums halve the chain of multiply-adds: this product is on the critical path.
    let x = a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]));
    let y = a[5].mul_add(b[5], a[4].mul_add(b[4], a[3] * b[3]));
    x + y
}

/// `a − b y`.
#[inline(always)]
pub(crate) fn sub_outer<W: Real>(a: &mut Block<W>, b: &Block<W>, y: W) {
    for k in 0..6 {
        a[k] = b[k].neg_mul_add(y, a[k]);
    }
}

/// `a + b y`.
#[inline(always)]
pub(crate) fn add_outer<W: Real>(a: &mut Block<W>, b: &Block<W>, y: W) {
    for k in 0..6 {
        a[k] = b[k].mul_add(y, a[k]);
    }
}

/// `out[r] = x · blocks[r]` for `r` in `start..end`, and for those that share a block with one of them, if they are rows of
/// `out`.
#[inline(always)]
pub(crate) fn dots<T: Real>(
    blocks: &[Block<Register<T>>],
    start: usize,
    end: usize,
    x: &Block<Register<T>>,
    out: &mut [T],
) {
    let width = width::<T>();
    for (b, block) in blocks.iter().enumerate().take(end.div_ceil(width)).skip(start / width) {
        dot(block, x).store(&mut out[b * width..]);
    }
}

/// Makes a square matrix symmetric: copies what is below the diagonal to above it, in square blocks.
#[inline(always)]
pub(crate) fn mirror<T: Real>(n: usize, matrix: &mut [T]) {
    let whole = n / width::<T>() * width::<T>();
    for first in (0..whole).step_by(width::<T>()) {
        mirror_columns(n, matrix, first, whole);
    }
    mirror_last_rows(n, matrix, whole);
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

/// The transpose of a square matrix, in its place.
#[inline(always)]
pub(crate) fn transpose<T: Real>(n: usize, matrix: &mut [T]) {
    exchange::<T, false>(n, matrix);
}

/// A square matrix plus its transpose, in its place: the same bits on both sides of the diagonal.
#[inline(always)]
pub(crate) fn add_transpose<T: Real>(n: usize, matrix: &mut [T]) {
    exchange::<T, true>(n, matrix);
}

/// Entries across the diagonal are exchanged, or added up; in square blocks.
#[inline(always)]
fn exchange<T: Real, const ADD: bool>(n: usize, matrix: &mut [T]) {
    let width = width::<T>();
    let whole = n / width * width;
    for first in (0..whole).step_by(width) {
        let mut own = load_block(n, matrix, first, first);
        let before = own;
        Register::<T>::transpose(&mut own[..width]);
        if ADD {
            add_block(&mut own, &before);
        }
        store_block(n, matrix, first, first, &own);
        for row in (first + width..whole).step_by(width) {
            let (mut low, mut high) = (load_block(n, matrix, row, first), load_block(n, matrix, first, row));
            Register::<T>::transpose(&mut high[..width]);
            if ADD {
                add_block(&mut high, &low);
                low = high;
            }
            Register::<T>::transpose(&mut low[..width]);
            store_block(n, matrix, row, first, &high);
            store_block(n, matrix, first, row, &low);
        }
    }
    for r in whole..n {
        for c in 0..=r {
            let (low, high) = (matrix[c * n + r], matrix[r * n + c]);
            (matrix[c * n + r], matrix[r * n + c]) = if ADD { (low + high, low + high) } else { (high, low) };
        }
    }
}

/// A square block from a row and a column on, a register a column.
#[inline(always)]
fn load_block<T: Real>(n: usize, matrix: &[T], row: usize, column: usize) -> [Register<T>; MOST_LANES] {
    let mut block = [Register::<T>::zero(); MOST_LANES];
    for w in 0..width::<T>() {
        block[w] = Register::<T>::load(&matrix[(column + w) * n + row..]);
    }
    block
}

#[inline(always)]
fn store_block<T: Real>(n: usize, matrix: &mut [T], row: usize, column: usize, block: &[Register<T>; MOST_LANES]) {
    let width = width::<T>();
    for w in 0..width {
        block[w].store(&mut matrix[(column + w) * n + row..][..width]);
    }
}

#[inline(always)]
fn add_block<W: Real>(a: &mut [W; MOST_LANES], b: &[W; MOST_LANES]) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a += b;
    }
}

/// [`mirror`] for a matrix that is zero off the paths, above the diagonal already.
#[inline(always)]
pub(crate) fn mirror_paths<T: Real>(paths: &Paths, n: usize, matrix: &mut [T]) {
    let width = width::<T>();
    let whole = n / width * width;
    for first in (0..whole).step_by(width) {
        let end = (first..first + width).fold(0, |end, c| paths.below(c).end.max(end));
        mirror_columns(n, matrix, first, end.next_multiple_of(width).min(whole));
    }
    mirror_last_rows(n, matrix, whole);
}

/// As many columns as a block has, from `first` to row `end`.
#[inline(always)]
fn mirror_columns<T: Real>(n: usize, matrix: &mut [T], first: usize, end: usize) {
    let width = width::<T>();
    for c in first..first + width {
        for r in c + 1..first + width {
            matrix[r * n + c] = matrix[c * n + r];
        }
    }
    for row in (first + width..end).step_by(width) {
        let mut block = [Register::<T>::zero(); MOST_LANES];
        for w in 0..width {
            block[w] = Register::<T>::load(&matrix[(first + w) * n + row..]);
        }
        Register::<T>::transpose(&mut block[..width]);
        for w in 0..width {
            block[w].store(&mut matrix[(row + w) * n + first..][..width]);
        }
    }
}

/// The rows that do not fill a block.
#[inline(always)]
fn mirror_last_rows<T: Real>(n: usize, matrix: &mut [T], whole: usize) {
    for r in whole..n {
        for c in 0..r {
            matrix[r * n + c] = matrix[c * n + r];
        }
    }
}
