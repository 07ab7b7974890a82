//! Streaming over rows: the O(Nd) part of IDSVA.
//!
//! A column has rows of three kinds: on the path to it, in its subtree, and zeros. Rows go a block at a time: the 15
//! numbers of each of `W` neighbours that make them rows, contiguous in memory, stay in registers while the columns pass
//! by. A block that is of several kinds in a column is computed as both, and picked from. See [`Blocks`].

use crate::model::Tree;
use crate::model::fill::{Blocks, Kind, MOST, Segment};
use crate::scalar::{Real, Wide};
use crate::spatial::{Force, Motion, Vec3};
use alloc::vec;
use alloc::vec::Vec;
use core::hint::black_box;

/// S, t₁, t₄ of every degree of freedom, in blocks.
#[derive(Debug)]
pub(super) struct Rows<T> {
    width: usize,
    blocks: Vec<T>,
}

const NUMBERS: usize = 15;

/// The matrices, by columns: ∂τ/∂q, ∂τ/∂q̇ and, if there is a third, ∂τ/∂q̈.
pub(super) type Outputs<'a, T, const N: usize> = [&'a mut [T]; N];

/// What columns are made from, several side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns<W> {
    /// t₃, t₂, t₁: what S of a row on the path is multiplied with.
    pub(super) above: [[W; 6]; 3],
    /// Ψ̈, Ṡ + Ψ̇, S: what t₁ of a row of the subtree is multiplied with,
    pub(super) below: [[W; 6]; 3],
    /// and the angular part of Ψ̇, what its t₄ is; and that of S, again.
    pub(super) psi_dot: [W; 3],
}

impl<T: Real> Rows<T> {
    pub(super) fn new(tree: &Tree) -> Self {
        let plan = if T::IS_PACKED { &tree.fill.single } else { &tree.fill.wide };
        let room = tree.dofs.len().next_multiple_of(MOST);
        Self { width: plan.width, blocks: vec![T::zero(); NUMBERS * room] }
    }

    /// Writes the rows from `first` on, one a lane.
    #[inline(always)]
    pub(super) fn put<W: Wide<T>>(&mut self, first: usize, S: Motion<W>, t1: Force<W>, t4: Vec3<W>) {
        if T::IS_PACKED {
            put::<T, W, 1>(&mut self.blocks, first, S, t1, t4);
        } else if self.width == 4 {
            put::<T, W, 4>(&mut self.blocks, first, S, t1, t4);
        } else {
            put::<T, W, 8>(&mut self.blocks, first, S, t1, t4);
        }
    }

    /// Writes the matrices; `columns` tells the columns, several side by side. Where zeros are in place, only those are
    /// written that the column before may have spilled into.
    #[inline(always)]
    pub(super) fn fill<const N: usize>(
        &self,
        tree: &Tree,
        columns: &[Columns<T::Wide>],
        mut out: Outputs<'_, T, N>,
        zeros_in_place: bool,
    ) {
        let out = &mut out;
        let (n, blocks) = (tree.dofs.len(), &self.blocks[..]);
        if T::IS_PACKED {
            fill::<T, 1, N>(&tree.fill.single, n, blocks, columns, out, zeros_in_place);
        } else if self.width == 4 {
            fill::<T, 4, N>(&tree.fill.wide, n, blocks, columns, out, zeros_in_place);
        } else {
            fill::<T, 8, N>(&tree.fill.wide, n, blocks, columns, out, zeros_in_place);
        }
    }
}

/// Blocks may be wider or narrower than what arrives.
#[inline(always)]
fn put<T: Real, L: Wide<T>, const W: usize>(blocks: &mut [T], first: usize, S: Motion<L>, t1: Force<L>, t4: Vec3<L>) {
    let (S, t1, t4) = (S.to_array(), t1.to_array(), t4.to_array());
    if L::WIDTH <= W {
        let block = &mut blocks[first / W * NUMBERS * W..][..NUMBERS * W];
        for k in 0..6 {
            S[k].store(&mut block[k * W + first % W..]);
            t1[k].store(&mut block[(6 + k) * W + first % W..]);
        }
        for k in 0..3 {
            t4[k].store(&mut block[(12 + k) * W + first % W..]);
        }
    } else {
        for lane in 0..L::WIDTH {
            let row = first + lane;
            let block = &mut blocks[row / W * NUMBERS * W..][..NUMBERS * W];
            for k in 0..6 {
                block[k * W + row % W] = S[k].lane(lane);
                block[(6 + k) * W + row % W] = t1[k].lane(lane);
            }
            for k in 0..3 {
                block[(12 + k) * W + row % W] = t4[k].lane(lane);
            }
        }
    }
}

#[inline(always)]
fn fill<T: Real, const W: usize, const N: usize>(
    plan: &Blocks,
    n: usize,
    rows: &[T],
    columns: &[Columns<T::Wide>],
    out: &mut Outputs<'_, T, N>,
    zeros_in_place: bool,
) {
    // The last block of a column may write the first rows of the next column. So blocks go backwards, then come the zeros.
    for (p, panel) in plan.segments.iter().enumerate() {
        for (b, segments) in panel.iter().enumerate().rev() {
            let row = Row::<T, W>(&rows[b * NUMBERS * W..][..NUMBERS * W]);
            for segment in segments {
                row.times(segment, columns, b, n, out);
            }
        }
        let first = p * plan.panel;
        for c in first..n.min(first + plan.panel) {
            for run in &plan.zeros[c] {
                if zeros_in_place && run.start > 0 {
                    continue;
                }
                zero::<T, W, N>(out, c * n + W * run.start, c * n + n.min(W * run.end));
            }
        }
    }
}

#[inline(always)]
fn store<T: Real, const W: usize, const N: usize>(out: &mut Outputs<'_, T, N>, at: usize, x: [[T; W]; N]) {
    if at + W <= out[0].len() {
        for m in 0..N {
            out[m][at..at + W].copy_from_slice(&x[m]);
        }
    } else {
        for m in 0..N {
            for w in 0..out[m].len() - at {
                out[m][at + w] = x[m][w];
            }
        }
    }
}

#[inline(always)]
fn zero<T: Real, const W: usize, const N: usize>(out: &mut Outputs<'_, T, N>, start: usize, end: usize) {
    for out in out {
        let out = &mut out[start..end];
        if out.len() > 16 * W {
            out.fill(T::zero());
            continue;
        }
        let (blocks, rest) = out.as_chunks_mut();
        for block in blocks {
            black_box(()); // a few stores, not a call
            *block = [T::zero(); W];
        }
        for x in rest {
            *x = T::zero();
        }
    }
}

/// `W` rows: S, t₁ and t₄ by component.
struct Row<'a, T, const W: usize>(&'a [T]);

impl<T: Real, const W: usize> Row<'_, T, W> {
    /// These rows in some columns.
    #[inline(always)]
    fn times<const N: usize>(
        &self,
        segment: &Segment,
        columns: &[Columns<T::Wide>],
        b: usize,
        n: usize,
        out: &mut Outputs<'_, T, N>,
    ) {
        // One loop a kind: a choice inside the loop would be made for every entry.
        macro_rules! each_column {
            ($column:ident, $lane:ident => $entries:expr) => {
                for c in segment.columns.clone() {
                    // Told nothing, the compiler takes several columns at a time, and gathers; see `block.rs`.
                    black_box(());
                    let ($column, $lane) = (&columns[c / T::Wide::WIDTH], c % T::Wide::WIDTH);
                    store(out, c * n + W * b, $entries);
                }
            };
        }
        let Segment { above, below, .. } = segment;
        match segment.kind {
            Kind::Above => each_column!(x, lane => self.above(x, lane)),
            Kind::Below => each_column!(x, lane => self.below(x, lane)),
            Kind::SomeAbove => each_column!(x, lane => pick(above, self.above(x, lane), zeros())),
            Kind::SomeBelow => each_column!(x, lane => pick(below, self.below(x, lane), zeros())),
            Kind::Mixed => each_column!(x, lane => {
                pick(above, self.above(x, lane), pick(below, self.below(x, lane), zeros()))
            }),
        }
    }

    #[inline(always)]
    fn above<const N: usize>(&self, column: &Columns<T::Wide>, lane: usize) -> [[T; W]; N] {
        dots(&self.0[..6 * W], &column.above, lane)
    }

    #[inline(always)]
    fn below<const N: usize>(&self, column: &Columns<T::Wide>, lane: usize) -> [[T; W]; N] {
        let mut sums: [[T; W]; N] = dots(&self.0[6 * W..12 * W], &column.below, lane);
        let t4 = &self.0[12 * W..15 * W];
        for k in 0..3 {
            let (x, y) = (column.psi_dot[k].lane(lane), column.below[2][3 + k].lane(lane));
            for w in 0..W {
                sums[0][w] = t4[k * W + w].mul_add(x, sums[0][w]);
                sums[1][w] = t4[k * W + w].mul_add(y, sums[1][w]);
            }
        }
        sums
    }
}

/// Six numbers of `W` rows, times the first N of three columns.
#[inline(always)]
fn dots<T: Real, const W: usize, const N: usize>(rows: &[T], x: &[[T::Wide; 6]; 3], lane: usize) -> [[T; W]; N] {
    let mut sums = zeros();
    for k in 0..6 {
        let row = &rows[k * W..][..W];
        for m in 0..N {
            let x = x[m][k].lane(lane);
            for w in 0..W {
                sums[m][w] = if k == 0 { row[w] * x } else { row[w].mul_add(x, sums[m][w]) };
            }
        }
    }
    sums
}

#[inline(always)]
fn zeros<T: Real, const W: usize, const N: usize>() -> [[T; W]; N] {
    [[T::zero(); W]; N]
}

/// `a` in the rows of the mask, `b` in the others.
#[inline(always)]
fn pick<T: Real, const W: usize, const N: usize>(mask: &[u64; MOST], a: [[T; W]; N], b: [[T; W]; N]) -> [[T; W]; N] {
    let mut out = b;
    for m in 0..N {
        for w in 0..W {
            out[m][w] = T::blend(mask[w], a[m][w], b[m][w]);
        }
    }
    out
}
