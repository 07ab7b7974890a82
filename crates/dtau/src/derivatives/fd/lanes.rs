//! Several columns of a matrix side by side, and sweeps over the tree that carry a six-vector for each of them.
//!
//! A sweep goes from body to body in the order of their numbers. The next body is nearly always the parent or the first
//! child, so what is carried stays in registers; only where limbs meet is it put aside, at the level
//! [`Body::forks`](crate::model::Body) of the body where they meet: inward, what later limbs have sent there; outward, what
//! later limbs will start from.

use crate::model::Tree;
use crate::scalar::Real;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// The most columns side by side.
pub(super) const MOST: usize = 16;

/// `K` numbers for each of `L` columns. For plain numbers the compiler makes SIMD registers of it.
pub(super) type Lanes<T, const K: usize, const L: usize> = [[T; L]; K];

/// Zeros.
#[inline(always)]
pub(super) fn zeros<T: Real, const K: usize, const L: usize>() -> Lanes<T, K, L> {
    [[T::zero(); L]; K]
}

/// `start − x · a` for each column.
#[inline(always)]
pub(super) fn minus_dot<T: Real, const K: usize, const L: usize>(start: [T; L], x: &[T], a: &Lanes<T, K, L>) -> [T; L] {
    // Two sums: everything waits for this one.
    let (mut y, mut z) = (start, [T::zero(); L]);
    for k in 0..K {
        for l in 0..L {
            if k % 2 == 0 {
                y[l] = x[k].neg_mul_add(a[k][l], y[l]);
            } else {
                z[l] = x[k].mul_add(a[k][l], z[l]);
            }
        }
    }
    for l in 0..L {
        y[l] -= z[l];
    }
    y
}

/// `a += x y` for each column.
#[inline(always)]
pub(super) fn add_outer<T: Real, const K: usize, const L: usize>(a: &mut Lanes<T, K, L>, x: &[T; K], y: &[T; L]) {
    for k in 0..K {
        for l in 0..L {
            a[k][l] = x[k].mul_add(y[l], a[k][l]);
        }
    }
}

/// Scratch for sweeps: O(N), and O(1) more for every fork that a path passes.
#[derive(Debug)]
pub(super) struct Scratch<T> {
    /// The columns, row by row.
    pub(super) wide: Vec<T>,
    /// What later limbs have sent to where limbs meet; zero between sweeps.
    pub(super) sent: Aside<T>,
    /// What later limbs will start from.
    pub(super) kept: Aside<T>,
}

impl<T: Real> Scratch<T> {
    pub(super) fn new(tree: &Tree) -> Self {
        let wide = vec![T::zero(); MOST * tree.dofs.len()];
        Self { wide, sent: Aside::new(tree, 6), kept: Aside::new(tree, 6 + 9) }
    }
}

/// What sweeps put aside: some numbers for each column, by level.
#[derive(Debug)]
pub(super) struct Aside<T> {
    numbers: Vec<T>,
    /// Distance between levels.
    level: usize,
}

impl<T: Real> Aside<T> {
    fn new(tree: &Tree, count: usize) -> Self {
        let levels = 1 + tree.bodies.iter().map(|body| body.forks).max().unwrap_or(0);
        Self { numbers: vec![T::zero(); levels * count * MOST], level: count * MOST }
    }

    /// Adds to what is at a level.
    #[inline(always)]
    pub(super) fn add<const K: usize, const L: usize>(&mut self, level: usize, x: &Lanes<T, K, L>) {
        let numbers = &mut self.numbers[level * self.level..][..K * L];
        for k in 0..K {
            for l in 0..L {
                numbers[k * L + l] += x[k][l];
            }
        }
    }

    /// Adds what is at a level to `x`, and leaves zeros.
    #[inline(always)]
    pub(super) fn take<const K: usize, const L: usize>(&mut self, level: usize, x: &mut Lanes<T, K, L>) {
        let numbers = &mut self.numbers[level * self.level..][..K * L];
        for k in 0..K {
            for l in 0..L {
                x[k][l] += numbers[k * L + l];
            }
        }
        numbers.fill(T::zero());
    }

    /// Writes at a level, after `before` others.
    #[inline(always)]
    pub(super) fn put<const K: usize, const L: usize>(&mut self, level: usize, before: usize, x: &Lanes<T, K, L>) {
        let numbers = &mut self.numbers[level * self.level + before * L..][..K * L];
        for k in 0..K {
            numbers[k * L..][..L].copy_from_slice(&x[k]);
        }
    }

    /// Reads at a level, after `before` others.
    #[inline(always)]
    pub(super) fn get<const K: usize, const L: usize>(&self, level: usize, before: usize) -> Lanes<T, K, L> {
        let numbers = &self.numbers[level * self.level + before * L..][..K * L];
        let mut x = zeros();
        for k in 0..K {
            x[k].copy_from_slice(&numbers[k * L..][..L]);
        }
        x
    }
}

/// What a few neighbouring columns have to do with.
pub(super) struct Reach {
    /// The bodies from the first root on their paths to the last body that moves with one of these roots.
    pub(super) bodies: Range<usize>,
    /// Their degrees of freedom: no other row has anything but zeros.
    pub(super) rows: Range<usize>,
    /// One past the last body that is in the subtree of a column.
    pub(super) last_below: usize,
}

impl Reach {
    #[inline(always)]
    pub(super) fn of(tree: &Tree, columns: Range<usize>) -> Self {
        let (first, last) = (tree.dofs[columns.start].body, tree.dofs[columns.end - 1].body);
        let last_below = (first..=last).fold(0, |end, i| tree.bodies[i].bodies_end.max(end));
        let (start, end) = (root(tree, first), &tree.bodies[root(tree, last)]);
        Self { bodies: start..end.bodies_end, rows: tree.bodies[start].v.start..end.dofs_end, last_below }
    }
}

/// The first body on the path from the world to body `i`.
#[inline(always)]
fn root(tree: &Tree, i: usize) -> usize {
    tree.path_runs[tree.bodies[i].path.clone()].first().map_or(i, |run| tree.dofs[run.start].body)
}

/// Whether the acceleration of body `i` is asked for by others than the next body.
#[inline(always)]
pub(super) fn is_fork(tree: &Tree, i: usize) -> bool {
    let end = tree.bodies[i].bodies_end;
    i + 1 < end && tree.bodies[i + 1].bodies_end < end
}

/// Rows of up to `C` columns of `n` numbers, side by side; zeros for those that are missing.
#[inline(always)]
pub(super) fn gather<T: Real, const C: usize>(columns: &[T], n: usize, rows: Range<usize>, wide: &mut [T]) {
    let count = columns.len() / n;
    if count == C {
        for i in rows {
            for c in 0..C {
                wide[i * C + c] = columns[c * n + i];
            }
        }
    } else {
        for i in rows {
            for c in 0..C {
                wide[i * C + c] = if c < count { columns[c * n + i] } else { T::zero() };
            }
        }
    }
}

/// The inverse of [`gather`] for `L` lanes, of which those from `lane` on are these columns; other rows are zero.
#[inline(always)]
pub(super) fn scatter<T: Real, const L: usize>(
    wide: &[T],
    lane: usize,
    rows: Range<usize>,
    n: usize,
    columns: &mut [T],
) {
    for (c, column) in columns.chunks_exact_mut(n).enumerate() {
        column[..rows.start].fill(T::zero());
        for i in rows.clone() {
            column[i] = wide[i * L + lane + c];
        }
        column[rows.end..].fill(T::zero());
    }
}

/// One row of all lanes.
#[inline(always)]
pub(super) fn row<T: Real, const L: usize>(wide: &[T], i: usize) -> [T; L] {
    let mut x = [T::zero(); L];
    x.copy_from_slice(&wide[i * L..][..L]);
    x
}
