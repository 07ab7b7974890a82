//! Six-vectors side by side, and their products: of neighbouring degrees of freedom in a [`Block`], of
//! columns of a matrix in [`Lanes`].
//!
//! A block is always read and written as a whole. Data just written is then available at once; a read that
//! spans two writes would wait for both.

use crate::dispatch::Register;
use crate::scalar::{Real, Wide};
use crate::sweeps::side_by_side::width;

/// Six components of the neighbours in a register, or six numbers for each of them.
pub(crate) type Block<W> = [W; 6];

/// Number of blocks for the six-vectors of `n` degrees of freedom.
pub(crate) fn count<T: Real>(n: usize) -> usize {
    n.div_ceil(width::<T>())
}

/// Writes the single six-vector `j`.
#[inline(always)]
pub(crate) fn put<T: Real>(blocks: &mut [Block<Register<T>>], j: usize, x: [T; 6]) {
    let (block, bits) = (&mut blocks[j / width::<T>()], 1 << (j % width::<T>()));
    // Not a store to one lane: loading the whole register after it would wait for the store (no store
    // forwarding).
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

/// Copies one six-vector to all neighbours.
#[inline(always)]
pub(crate) fn all<T: Real>(x: [T; 6]) -> Block<Register<T>> {
    let mut out = [Register::<T>::zero(); 6];
    for k in 0..6 {
        out[k] = Register::<T>::splat(x[k]);
    }
    out
}

/// Copies the number in one lane to all lanes of a register, possibly of another width.
#[inline(always)]
pub(crate) fn splat<T: Real, W: Wide<T>, V: Wide<T>>(x: &W, lane: usize) -> V {
    V::splat(x.lane(lane))
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

/// `out[r] = x · blocks[r]` for `r` in `start..end`, and for other rows of `out` in the same blocks.
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

/// Number of registers of columns side by side: a sweep then keeps its numbers in the registers of a CPU.
pub(crate) const P: usize = 2;

/// One number for each of several columns side by side.
pub(crate) type Columns<T> = [Register<T>; P];

/// `K` numbers for each of these columns.
pub(crate) type Lanes<T, const K: usize> = [Columns<T>; K];

/// Zeros.
#[inline(always)]
pub(crate) fn zeros<T: Real, const K: usize>() -> Lanes<T, K> {
    [[Register::<T>::zero(); P]; K]
}

/// `start − x · a` for each column.
#[inline(always)]
pub(crate) fn minus_dot<T: Real, const K: usize>(start: Columns<T>, x: &[T], a: &Lanes<T, K>) -> Columns<T> {
    // Two independent sums, as in `dot`.
    let (mut y, mut z) = (start, [Register::<T>::zero(); P]);
    for k in 0..K {
        let x = Register::<T>::splat(x[k]);
        for p in 0..P {
            if k % 2 == 0 {
                y[p] = x.neg_mul_add(a[k][p], y[p]);
            } else {
                z[p] = x.mul_add(a[k][p], z[p]);
            }
        }
    }
    for p in 0..P {
        y[p] -= z[p];
    }
    y
}

/// `a += x y` for each column.
#[inline(always)]
pub(crate) fn add_columns<T: Real, const K: usize>(a: &mut Lanes<T, K>, x: &[T; K], y: Columns<T>) {
    for k in 0..K {
        let x = Register::<T>::splat(x[k]);
        for p in 0..P {
            a[k][p] = x.mul_add(y[p], a[k][p]);
        }
    }
}

/// Writes one column, or adds to it.
#[inline(always)]
pub(crate) fn set<T: Real, const K: usize, const ADD: bool>(a: &mut Lanes<T, K>, column: usize, x: &[T]) {
    // A blend, not a store at a run-time index: that would force all of `a` into memory.
    for p in 0..P {
        let bits = if column / width::<T>() == p { 1 << (column % width::<T>()) } else { 0 };
        for k in 0..K {
            let x = Register::<T>::splat(x[k]);
            a[k][p] = Register::<T>::pick(bits, if ADD { a[k][p] + x } else { x }, a[k][p]);
        }
    }
}
