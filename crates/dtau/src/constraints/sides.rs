//! Many right-hand sides at once, of accelerations and of forces, side by side in registers.
//!
//! ```text
//! M a − Jᵀλ = b          J a = s                                                                  (1)
//! z = L⁻ᵀ b              w = s − Yᵀ D⁻¹ z          λ = G⁻¹ w          a = L⁻¹ D⁻¹ (z + Y λ)        (2)
//! ```
//!
//! The factors are those of [`forward`](super::forward). Every row of (2) is a sum over rows that are already
//! complete, and stays in registers until it is complete. The columns that fit in the registers form a panel.
//! Panels are processed one after the other.

use super::factor::Factor;
use super::seen::Seen;
use super::{Constraints, Kind};
use crate::dispatch::Register;
use crate::linalg::sum::add_registers;
use crate::linalg::transpose::{MOST_LANES, to_rows};
use crate::model::paths::Paths;
use crate::scalar::{Real, Wide};
use crate::sweeps::side_by_side::width;
use alloc::vec::Vec;

/// Right-hand sides, then solutions. Every panel has b or a, one row for each degree of freedom, then s or λ.
/// The columns are those of several matrices, one after the other.
#[derive(Debug, Default)]
pub(super) struct Sides<T: Real> {
    /// Degrees of freedom: rows of a panel, and columns of each matrix.
    dofs: usize,
    /// Rows of constraints.
    rows: usize,
    matrices: usize,
    numbers: Vec<Register<T>>,
    /// A column of forces.
    column: Vec<T>,
}

/// Kind of rows of all panels.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Of {
    Accelerations,
    Forces,
}

/// Factors of (2).
pub(super) struct Factors<'a, T: Real> {
    pub(super) paths: &'a Paths,
    pub(super) constraints: &'a Constraints,
    /// L in both triangles.
    pub(super) m: &'a [T],
    pub(super) d_inv: &'a [T],
    /// D⁻¹Y
    pub(super) y: &'a [T],
    pub(super) g: &'a mut Factor<T>,
    pub(super) seen: &'a [Option<Seen<T>>],
}

/// Number of registers of the next panel when `left` remain: all sums of a row stay in registers.
#[inline(always)]
fn panel(left: usize) -> usize {
    match left.div_ceil(left.div_ceil(14)) {
        0..=4 => 4,
        5..=8 => 8,
        9..=10 => 10,
        _ => 14,
    }
}

impl<T: Real> Sides<T> {
    /// Allocates memory for `matrices`, each with a column for every degree of freedom.
    pub(super) fn make_room(&mut self, dofs: usize, rows: usize, matrices: usize) {
        if (self.dofs, self.rows, self.matrices) == (dofs, rows, matrices) {
            return;
        }
        (self.dofs, self.rows, self.matrices) = (dofs, rows, matrices);
        let registers = self.panels().map(|(_, wide)| wide).sum::<usize>();
        self.numbers.resize(registers * (dofs + rows), Register::<T>::zero());
        self.column.resize(rows, T::zero());
    }

    /// First register of every panel, and its number of registers.
    #[inline(always)]
    fn panels(&self) -> impl Iterator<Item = (usize, usize)> + use<T> {
        let (total, mut begin) = ((self.matrices * self.dofs).div_ceil(width::<T>()), 0);
        core::iter::from_fn(move || {
            let wide = panel(total.checked_sub(begin).filter(|&left| left > 0)?);
            begin += wide;
            Some((begin - wide, wide))
        })
    }

    #[inline(always)]
    fn rows(&self, of: Of) -> (usize, usize) {
        if of == Of::Accelerations { (0, self.dofs) } else { (self.dofs, self.rows) }
    }

    /// Writes matrices by columns `stride` apart, each times its factor. Missing matrices are zeros.
    #[inline(always)]
    pub(super) fn put<const N: usize>(&mut self, of: Of, matrices: [Option<(T, &[T])>; N], stride: usize) {
        let (width, n, height) = (width::<T>(), self.dofs, self.dofs + self.rows);
        let ((top, rows), mut next) = (self.rows(of), Column::default());
        for (begin, wide) in self.panels() {
            let panel = &mut self.numbers[begin * height..][..wide * height];
            for register in 0..wide {
                let (mut columns, mut factors) = ([&[][..]; MOST_LANES], Register::<T>::zero());
                for lane in 0..width {
                    if let Some(&Some((factor, matrix))) = matrices.get(next.matrix) {
                        columns[lane] = &matrix[next.index * stride..][..rows];
                        factors.set_lane(lane, factor);
                    }
                    next.advance(n);
                }
                for r in (0..rows).step_by(width) {
                    let r = r.min(rows.saturating_sub(width)); // the last registers may overlap
                    let tile = to_rows::<T>(&columns, r);
                    for t in 0..width.min(rows) {
                        panel[(top + r + t) * wide + register] = tile[t] * factors;
                    }
                }
            }
        }
    }

    /// Reads matrices by columns.
    #[inline(always)]
    pub(super) fn take<const N: usize>(&self, of: Of, mut matrices: [&mut [T]; N]) {
        let (width, n, height) = (width::<T>(), self.dofs, self.dofs + self.rows);
        let ((top, rows), mut next) = (self.rows(of), Column::default());
        for (begin, wide) in self.panels() {
            let panel = &self.numbers[begin * height..][..wide * height];
            for register in 0..wide {
                let first = next;
                for r in (0..rows).step_by(width) {
                    let (r, count) = (r.min(rows.saturating_sub(width)), width.min(rows));
                    let mut tile = [Register::<T>::zero(); MOST_LANES];
                    for t in 0..count {
                        tile[t] = panel[(top + r + t) * wide + register];
                    }
                    Register::<T>::transpose(&mut tile[..width]);
                    next = first;
                    for lane in 0..width {
                        if let Some(matrix) = matrices.get_mut(next.matrix) {
                            tile[lane].store(&mut matrix[next.index * rows + r..][..count]);
                        }
                        next.advance(n);
                    }
                }
            }
        }
    }

    /// Writes the identity into a zero matrix of accelerations.
    #[inline(always)]
    pub(super) fn put_identity(&mut self, matrix: usize) {
        let (width, n, height) = (width::<T>(), self.dofs, self.dofs + self.rows);
        for (begin, wide) in self.panels() {
            let panel = &mut self.numbers[begin * height..][..wide * height];
            for row in 0..n {
                let (register, lane) = ((matrix * n + row) / width, (matrix * n + row) % width);
                if (begin..begin + wide).contains(&register) {
                    panel[row * wide + register - begin].set_lane(lane, T::one());
                }
            }
        }
    }

    /// (2), then forces of least norm, turned to the axes of the constraints.
    #[inline(always)]
    pub(super) fn solve(&mut self, factors: &mut Factors<'_, T>) {
        let height = self.dofs + self.rows;
        for (begin, wide) in self.panels() {
            let (own, column) = (&mut self.numbers[begin * height..][..wide * height], &mut self.column[..]);
            match wide {
                4 => solve_panel::<T, 4>(own.as_chunks_mut().0, column, factors),
                8 => solve_panel::<T, 8>(own.as_chunks_mut().0, column, factors),
                10 => solve_panel::<T, 10>(own.as_chunks_mut().0, column, factors),
                _ => solve_panel::<T, 14>(own.as_chunks_mut().0, column, factors),
            }
        }
    }
}

/// A column of one of several matrices.
#[derive(Clone, Copy, Default)]
struct Column {
    matrix: usize,
    index: usize,
}

impl Column {
    #[inline(always)]
    fn advance(&mut self, count: usize) {
        self.index += 1;
        if self.index == count {
            *self = Self { matrix: self.matrix + 1, index: 0 };
        }
    }
}

#[inline(always)]
pub(super) fn solve_panel<T: Real, const R: usize>(
    x: &mut [[Register<T>; R]],
    column: &mut [T],
    &mut Factors { paths, constraints, m, d_inv, y, ref mut g, seen }: &mut Factors<'_, T>,
) {
    let (n, rows, stride) = (d_inv.len(), g.rows, g.stride);
    for i in (0..n).rev() {
        let (below, mut sum) = (paths.below(i), x[i]);
        add_registers::<T, R, false>(&mut sum, m[i * n..][below.clone()].iter(), &x[below]);
        x[i] = sum; // z
    }
    for (item, dofs) in constraints.items().iter().zip(constraints.dofs()) {
        for r in item.rows() {
            let (z, w) = x.split_at_mut(n);
            let mut sum = w[r];
            for run in dofs {
                add_registers::<T, R, false>(
                    &mut sum,
                    y[run.start * stride + r..].iter().step_by(stride),
                    &z[run.clone()],
                );
            }
            add_registers::<T, R, false>(&mut sum, g.l[r..].iter().step_by(stride), &w[..r]);
            w[r] = sum; // L_G⁻¹ w
        }
    }
    for r in (0..rows).rev() {
        let lambda = &mut x[n..];
        let mut sum = lambda[r];
        scale::<T, R>(&mut sum, g.d_inv[r]);
        add_registers::<T, R, false>(&mut sum, g.l[r * stride..][r + 1..rows].iter(), &lambda[r + 1..]);
        lambda[r] = sum;
    }
    for k in 0..n {
        let (span, mut sum) = (constraints.spans()[k].clone(), x[k]);
        scale::<T, R>(&mut sum, d_inv[k]);
        add_registers::<T, R, true>(&mut sum, y[k * stride..][span.clone()].iter(), &x[n..][span]);
        for run in paths.above(k) {
            add_registers::<T, R, false>(&mut sum, m[k * n..][run.clone()].iter(), &x[run]);
        }
        x[k] = sum; // a
    }
    if g.any_dropped {
        make_least_norm(&mut x[n..], column, g);
    }
    debug_assert!(seen.len() >= constraints.items().len(), "every constraint was seen");
    for (item, seen) in constraints.items().iter().zip(seen) {
        let (Kind::Held(held), Some(seen), true) = (&item.kind, seen, item.turns()) else { continue };
        let axes = seen.axes(held.axes).cols;
        for first in item.rows().step_by(3) {
            let own = &mut x[n + first..][..3];
            for w in 0..R {
                let from = [own[0][w], own[1][w], own[2][w]];
                for r in 0..3 {
                    let [x, y, z] = [axes[r].x, axes[r].y, axes[r].z].map(Register::<T>::splat);
                    own[r][w] = z.mul_add(from[2], y.mul_add(from[1], x * from[0]));
                }
            }
        }
    }
}

/// One column at a time, since it is rarely needed.
#[inline(never)]
fn make_least_norm<T: Real, const R: usize>(lambda: &mut [[Register<T>; R]], column: &mut [T], g: &mut Factor<T>) {
    debug_assert_eq!(column.len(), lambda.len());
    for w in 0..R {
        for lane in 0..width::<T>() {
            for (to, from) in column.iter_mut().zip(&*lambda) {
                *to = from[w].lane(lane);
            }
            g.make_least_norm(column);
            for (to, &from) in lambda.iter_mut().zip(&*column) {
                to[w].set_lane(lane, from);
            }
        }
    }
}

#[inline(always)]
fn scale<T: Real, const R: usize>(x: &mut [Register<T>; R], k: T) {
    let k = Register::<T>::splat(k);
    for w in 0..R {
        x[w] *= k;
    }
}
