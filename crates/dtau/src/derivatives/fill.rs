//! Streaming over rows: the O(Nd) part of IDSVA, and of every algorithm with the same sparsity pattern.
//!
//! A column has rows of three kinds: on the path to it, in its subtree, and zeros. Rows are processed in
//! blocks. A row has 15 numbers; each fills `K` registers for a block, which are kept while the columns are
//! processed. If a block has rows of several kinds in a column, both are computed and then selected. See
//! [`Blocks`]. A [`Pattern`] defines the entries.

use crate::dispatch::Register;
use crate::linalg::six::splat;
use crate::model::Tree;
use crate::model::fill::{Blocks, Kind, Segment, may_pair};
use crate::scalar::{Real, Wide};
use crate::spatial::{Force, Motion, Vec3};
use crate::sweeps::side_by_side::width;
use alloc::vec;
use alloc::vec::Vec;

/// Formulas for the entries of `N` matrices.
pub(super) trait Pattern<T: Real, const N: usize> {
    /// Number of values per row.
    const NUMBERS: usize;
    /// Number of symmetric matrices, which come first. Only their lower triangle is written; it is mirrored
    /// later.
    const MIRRORED: usize = 0;
    /// Factors of several columns side by side.
    type Column;

    /// Rows on the path to a column: for each value of the rows, `K` registers.
    fn above<const K: usize>(rows: &[Register<T>], column: &Self::Column, lane: usize) -> Entries<T, K, N>;

    /// Rows in the subtree of the column, its own included.
    fn below<const K: usize>(rows: &[Register<T>], column: &Self::Column, lane: usize) -> Entries<T, K, N>;
}

/// Values of the rows, in blocks.
#[derive(Debug)]
pub(super) struct RowBlocks<T: Real, const NUMBERS: usize> {
    /// Number of registers per value of a block, 1 or 2.
    registers: usize,
    blocks: Vec<Register<T>>,
}

/// S, t₁, t₄ of every degree of freedom, in blocks.
pub(super) type Rows<T> = RowBlocks<T, NUMBERS>;

const NUMBERS: usize = 15;

/// The matrices, by columns.
pub(super) type Outputs<'a, T, const N: usize> = [&'a mut [T]; N];

/// Factors of several columns of ∂τ, side by side.
#[derive(Clone, Copy, Debug, Default)]
struct Factors<W> {
    /// t₃, t₂, t₁: factors of S for a row on the path.
    above: [[W; 6]; 3],
    /// Ψ̈, Ṡ + Ψ̇, S: factors of t₁ for a row of the subtree.
    below: [[W; 6]; 3],
    /// Angular part of Ψ̇: factor of t₄ for a row of the subtree.
    psi_dot: [W; 3],
}

/// Factors of all columns.
#[derive(Debug)]
pub(super) struct ColumnFactors<T: Real>(Vec<Factors<Register<T>>>);

impl<T: Real> ColumnFactors<T> {
    pub(super) fn new(tree: &Tree) -> Self {
        Self(vec![Factors::default(); tree.dofs.len().div_ceil(width::<T>())])
    }

    /// Writes the columns from `first` on, one per lane: t₃, t₂, t₁; Ψ̈, Ṡ + Ψ̇, S; Ψ̇.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        first: usize,
        [t3, t2, t1]: [Force<Register<T>>; 3],
        [psi_ddot, rate, S]: [Motion<Register<T>>; 3],
        psi_dot: Vec3<Register<T>>,
    ) {
        self.0[first / width::<T>()] = Factors {
            above: [t3.to_array(), t2.to_array(), t1.to_array()],
            below: [psi_ddot.to_array(), rate.to_array(), S.to_array()],
            psi_dot: psi_dot.to_array(),
        };
    }

    /// Subtracts `F` from t₃ of column `c`.
    #[inline(always)]
    pub(super) fn sub_t3(&mut self, c: usize, F: Force<T>) {
        let (factors, lane) = (&mut self.0[c / width::<T>()], c % width::<T>());
        for (t3, F) in factors.above[0].iter_mut().zip(F.to_array()) {
            t3.set_lane(lane, t3.lane(lane) - F);
        }
    }
}

impl<T: Real, const NUMBERS: usize> RowBlocks<T, NUMBERS> {
    pub(super) fn new() -> Self {
        Self { registers: 1, blocks: Vec::new() }
    }

    /// Allocates the blocks of the plan.
    pub(super) fn make_room(&mut self, tree: &Tree) {
        let plan = tree.fill_plan(width::<T>());
        if !self.blocks.is_empty() {
            return; // already allocated: a workspace belongs to one model
        }
        self.registers = plan.registers;
        let blocks = tree.dofs.len().div_ceil(plan.rows);
        self.blocks.resize(NUMBERS * self.registers * blocks, Register::<T>::zero());
    }

    /// Writes the rows from `first` on, one per lane.
    #[inline(always)]
    pub(super) fn put_all(&mut self, first: usize, x: [Register<T>; NUMBERS]) {
        let (registers, group) = (self.registers, first / width::<T>());
        let block = &mut self.blocks[group / registers * NUMBERS * registers..][..NUMBERS * registers];
        for k in 0..NUMBERS {
            block[k * registers + group % registers] = x[k];
        }
    }

    /// Returns the register and the lane of value `k` of a row.
    #[inline(always)]
    pub(super) fn number(&mut self, row: usize, k: usize) -> (&mut Register<T>, usize) {
        let (registers, group) = (self.registers, row / width::<T>());
        let at = (group / registers * NUMBERS + k) * registers + group % registers;
        (&mut self.blocks[at], row % width::<T>())
    }

    /// Writes the matrices; `columns` has the columns, several side by side. If the zeros are already in
    /// place, only those that the previous column may have overwritten are written again.
    #[inline(always)]
    pub(super) fn fill_as<P: Pattern<T, N>, const N: usize>(
        &self,
        tree: &Tree,
        columns: &[P::Column],
        out: &mut Outputs<'_, T, N>,
        zeros_in_place: bool,
    ) {
        let (n, plan) = (tree.dofs.len(), tree.fill_plan(width::<T>()));
        assert_eq!(plan.registers, self.registers, "the blocks are those of the plan");
        if !may_pair(width::<T>()) || self.registers == 1 {
            fill_blocks::<T, P, 1, N>(plan, n, &self.blocks, columns, out, zeros_in_place);
        } else {
            fill_blocks::<T, P, 2, N>(plan, n, &self.blocks, columns, out, zeros_in_place);
        }
    }
}

impl<T: Real> Rows<T> {
    /// Writes the rows from `first` on, one per lane.
    #[inline(always)]
    pub(super) fn put(&mut self, first: usize, S: Motion<Register<T>>, t1: Force<Register<T>>, t4: Vec3<Register<T>>) {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l], [m, n, o]) = (S.to_array(), t1.to_array(), t4.to_array());
        self.put_all(first, [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o]);
    }

    /// Returns all values of a degree of freedom as a row and as a column: S, t₁, t₄, t₃, t₂, Ψ̈, Ṡ + Ψ̇, and
    /// the angular part of Ψ̇.
    pub(super) fn parts(&mut self, columns: &ColumnFactors<T>, k: usize) -> [T; 42] {
        let (factors, lane) = (&columns.0[k / width::<T>()], k % width::<T>());
        let (above, below) = (factors.above[..2].as_flattened(), factors.below[..2].as_flattened());
        let mut of_column = above.iter().chain(below).chain(&factors.psi_dot).map(|x| x.lane(lane));
        core::array::from_fn(|number| match number < NUMBERS {
            true => {
                let (x, lane) = self.number(k, number);
                x.lane(lane)
            }
            false => of_column.next().unwrap_or_default(),
        })
    }

    /// Writes ∂τ/∂q and, if there are more matrices, ∂τ/∂q̇ and ∂τ/∂q̈.
    #[inline(always)]
    pub(super) fn fill<const N: usize>(
        &self,
        tree: &Tree,
        columns: &ColumnFactors<T>,
        out: &mut Outputs<'_, T, N>,
        zeros_in_place: bool,
    ) {
        self.fill_as::<FirstOrder, N>(tree, &columns.0, out, zeros_in_place);
    }
}

#[inline(always)]
fn fill_blocks<T: Real, P: Pattern<T, N>, const K: usize, const N: usize>(
    plan: &Blocks,
    n: usize,
    rows: &[Register<T>],
    columns: &[P::Column],
    out: &mut Outputs<'_, T, N>,
    zeros_in_place: bool,
) {
    let rows_of_block = K * width::<T>();
    // The last block of a column may overwrite the first rows of the next column. So blocks go backwards, and
    // zeros are written last.
    for (p, panel) in plan.segments.iter().enumerate() {
        for (b, segments) in panel.iter().enumerate().rev() {
            let block = &rows[b * P::NUMBERS * K..][..P::NUMBERS * K];
            for segment in segments {
                times::<T, P, K, N>(block, segment, columns, rows_of_block * b, n, out);
            }
        }
        let first = p * plan.panel;
        for c in first..n.min(first + plan.panel) {
            for run in &plan.zeros[c] {
                if zeros_in_place && run.start > 0 {
                    continue;
                }
                zero(out, c * n + rows_of_block * run.start, c * n + n.min(rows_of_block * run.end));
            }
        }
    }
}

#[inline(always)]
fn zero<T: Real, const N: usize>(out: &mut Outputs<'_, T, N>, start: usize, end: usize) {
    for out in out {
        for out in out[start..end].chunks_mut(width::<T>()) {
            Register::<T>::zero().store(out);
        }
    }
}

/// Entries of `K` registers of rows in `N` matrices.
pub(super) type Entries<T, const K: usize, const N: usize> = [[Register<T>; K]; N];

/// Writes a block of rows in some columns.
#[inline(always)]
fn times<T: Real, P: Pattern<T, N>, const K: usize, const N: usize>(
    rows: &[Register<T>],
    segment: &Segment,
    columns: &[P::Column],
    first_row: usize,
    n: usize,
    out: &mut Outputs<'_, T, N>,
) {
    // One loop per kind: a branch inside the loop would be taken for every entry.
    macro_rules! each_column {
        ($from:expr, $column:ident, $lane:ident => $entries:expr) => {
            for c in segment.columns.clone() {
                let ($column, $lane) = (&columns[c / width::<T>()], c % width::<T>());
                store(out, $from, c * n + first_row, $entries);
            }
        };
    }
    let Segment { above, below, .. } = *segment;
    match segment.kind {
        Kind::Above => each_column!(P::MIRRORED, x, lane => P::above::<K>(rows, x, lane)),
        Kind::Below => each_column!(0, x, lane => P::below::<K>(rows, x, lane)),
        Kind::SomeAbove => {
            each_column!(0, x, lane => pick::<T, K, N>(above, P::above::<K>(rows, x, lane), zeros::<T, K, N>()));
        }
        Kind::SomeBelow => {
            each_column!(0, x, lane => pick::<T, K, N>(below, P::below::<K>(rows, x, lane), zeros::<T, K, N>()));
        }
        Kind::Mixed => each_column!(0, x, lane => {
            let below = pick::<T, K, N>(below, P::below::<K>(rows, x, lane), zeros::<T, K, N>());
            pick::<T, K, N>(above, P::above::<K>(rows, x, lane), below)
        }),
    }
}

/// ∂τ/∂q, ∂τ/∂q̇ and, if there is a third matrix, ∂τ/∂q̈: (7) to (10) of IDSVA. A row consists of S, t₁ and
/// t₄ by component.
struct FirstOrder;

impl<T: Real, const N: usize> Pattern<T, N> for FirstOrder {
    const NUMBERS: usize = NUMBERS;
    type Column = Factors<Register<T>>;

    #[inline(always)]
    fn above<const K: usize>(rows: &[Register<T>], column: &Self::Column, lane: usize) -> Entries<T, K, N> {
        dots::<T, K, N>(&rows[..6 * K], &column.above, lane)
    }

    #[inline(always)]
    fn below<const K: usize>(rows: &[Register<T>], column: &Self::Column, lane: usize) -> Entries<T, K, N> {
        let mut sums = dots::<T, K, N>(&rows[6 * K..12 * K], &column.below, lane);
        let t4 = &rows[12 * K..15 * K];
        for k in 0..3 {
            let x: Register<T> = splat(&column.psi_dot[k], lane);
            let y: Register<T> = splat(&column.below[2][3 + k], lane);
            for j in 0..K {
                sums[0][j] = t4[k * K + j].mul_add(x, sums[0][j]);
                if N > 1 {
                    sums[1][j] = t4[k * K + j].mul_add(y, sums[1][j]);
                }
            }
        }
        sums
    }
}

/// Dot products of six-vectors of some rows with the first N of three columns.
#[inline(always)]
fn dots<T: Real, const K: usize, const N: usize>(
    rows: &[Register<T>],
    x: &[[Register<T>; 6]; 3],
    lane: usize,
) -> Entries<T, K, N> {
    let mut sums = zeros::<T, K, N>();
    for k in 0..6 {
        let row = &rows[k * K..][..K];
        for m in 0..N {
            let x: Register<T> = splat(&x[m][k], lane);
            for j in 0..K {
                sums[m][j] = if k == 0 { row[j] * x } else { row[j].mul_add(x, sums[m][j]) };
            }
        }
    }
    sums
}

#[inline(always)]
pub(super) fn zeros<T: Real, const K: usize, const N: usize>() -> Entries<T, K, N> {
    [[Register::<T>::zero(); K]; N]
}

/// Selects `a` in the rows whose bits are set, `b` in the others.
#[inline(always)]
fn pick<T: Real, const K: usize, const N: usize>(
    bits: u8,
    a: Entries<T, K, N>,
    b: Entries<T, K, N>,
) -> Entries<T, K, N> {
    let mut out = b;
    for m in 0..N {
        for j in 0..K {
            out[m][j] = Register::<T>::pick(bits >> (j * width::<T>()), a[m][j], b[m][j]);
        }
    }
    out
}

/// Writes a block of the matrices after the first `from`; at the end of the last column, only the part that
/// fits.
#[inline(always)]
fn store<T: Real, const K: usize, const N: usize>(
    out: &mut Outputs<'_, T, N>,
    from: usize,
    at: usize,
    x: Entries<T, K, N>,
) {
    let width = width::<T>();
    if at + K * width <= out[0].len() {
        for m in from..N {
            let out = &mut out[m][at..at + K * width];
            for j in 0..K {
                x[m][j].store(&mut out[j * width..][..width]);
            }
        }
    } else {
        store_some::<T, K, N>(out, at, &x);
    }
}

#[cold]
#[inline(never)]
fn store_some<T: Real, const K: usize, const N: usize>(
    out: &mut Outputs<'_, T, N>,
    at: usize,
    x: &[[Register<T>; K]; N],
) {
    for m in 0..N {
        for (x, out) in x[m].iter().zip(out[m][at..].chunks_mut(width::<T>())) {
            x.store(out);
        }
    }
}
