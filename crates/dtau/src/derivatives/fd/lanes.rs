//! Sweeps over the tree that carry a six-vector for each of several columns of a matrix.
//!
//! A sweep goes from body to body in the order of their numbers. The next body is nearly always the parent or the first
//! child, so what is carried stays in registers; only where limbs meet is it put aside, at the level
//! [`Body::forks`](crate::model::Body) of the body where they meet: inward, what later limbs have sent there; outward, what
//! later limbs will start from.

use crate::dispatch::Register;
use crate::linalg::six::{Lanes, zeros};
use crate::model::Tree;
use crate::scalar::Real;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// The most registers side by side.
pub(super) const MOST_REGISTERS: usize = 4;

/// Room for sweeps: O(N), and O(1) more for every fork that a path passes.
#[derive(Debug)]
pub(super) struct Room<T: Real> {
    /// The columns, row by row.
    pub(super) wide: Vec<Register<T>>,
    /// What later limbs have sent to where limbs meet; zero between sweeps.
    pub(super) sent: Aside<T>,
    /// What later limbs will start from.
    pub(super) kept: Aside<T>,
}

impl<T: Real> Room<T> {
    pub(super) fn new(tree: &Tree) -> Self {
        let wide = vec![Register::<T>::zero(); MOST_REGISTERS * tree.dofs.len()];
        Self { wide, sent: Aside::new(tree, 6), kept: Aside::new(tree, 6 + 9) }
    }
}

/// What sweeps put aside: some numbers for each column, by level.
#[derive(Debug)]
pub(super) struct Aside<T: Real> {
    numbers: Vec<Register<T>>,
    /// Distance between levels.
    level: usize,
}

impl<T: Real> Aside<T> {
    fn new(tree: &Tree, count: usize) -> Self {
        let levels = 1 + tree.bodies.iter().map(|body| body.forks).max().unwrap_or(0);
        Self { numbers: vec![Register::<T>::zero(); levels * count * MOST_REGISTERS], level: count * MOST_REGISTERS }
    }

    /// Adds to what is at a level.
    #[inline(always)]
    pub(super) fn add<const K: usize, const P: usize>(&mut self, level: usize, x: &Lanes<T, K, P>) {
        let numbers = &mut self.numbers[level * self.level..][..K * P];
        for k in 0..K {
            for p in 0..P {
                numbers[k * P + p] += x[k][p];
            }
        }
    }

    /// Adds what is at a level to `x`, and leaves zeros.
    #[inline(always)]
    pub(super) fn take<const K: usize, const P: usize>(&mut self, level: usize, x: &mut Lanes<T, K, P>) {
        let numbers = &mut self.numbers[level * self.level..][..K * P];
        for k in 0..K {
            for p in 0..P {
                x[k][p] += numbers[k * P + p];
                numbers[k * P + p] = Register::<T>::zero();
            }
        }
    }

    /// Writes at a level, after `before` others.
    #[inline(always)]
    pub(super) fn put<const K: usize, const P: usize>(&mut self, level: usize, before: usize, x: &Lanes<T, K, P>) {
        let numbers = &mut self.numbers[level * self.level + before * P..][..K * P];
        for k in 0..K {
            for p in 0..P {
                numbers[k * P + p] = x[k][p];
            }
        }
    }

    /// Reads at a level, after `before` others.
    #[inline(always)]
    pub(super) fn get<const K: usize, const P: usize>(&self, level: usize, before: usize) -> Lanes<T, K, P> {
        let numbers = &self.numbers[level * self.level + before * P..][..K * P];
        let mut x = zeros::<T, K, P>();
        for k in 0..K {
            for p in 0..P {
                x[k][p] = numbers[k * P + p];
            }
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
    tree.path_runs()[tree.bodies[i].path.clone()].first().map_or(i, |run| tree.dofs[run.start].body)
}

/// Inward, from body `i` to the one before it: what is carried goes to the parent, now or when the other limbs there have been seen.
#[inline(always)]
pub(super) fn to_parent<T: Real, const P: usize>(tree: &Tree, i: usize, p: &mut Lanes<T, 6, P>, sent: &mut Aside<T>) {
    let body = &tree.bodies[i];
    let level = tree.bodies[body.parent].forks;
    if body.parent == 0 {
        *p = zeros::<T, 6, P>();
    } else if body.parent + 1 < i {
        sent.add(level, p);
        *p = zeros::<T, 6, P>();
    } else if body.forks > level {
        sent.take(level, p);
    }
}

/// Outward, to body `i` from the one before it: what is carried is the parent's.
#[inline(always)]
pub(super) fn from_parent<T: Real, const P: usize>(tree: &Tree, i: usize, a: &mut Lanes<T, 6, P>, kept: &Aside<T>) {
    let parent = tree.bodies[i].parent;
    if parent == 0 {
        *a = zeros::<T, 6, P>();
    } else if parent + 1 < i {
        *a = kept.get(tree.bodies[parent].forks, 0);
    }
}

/// Whether the acceleration of body `i` is asked for by others than the next body.
#[inline(always)]
pub(super) fn is_fork(tree: &Tree, i: usize) -> bool {
    let end = tree.bodies[i].bodies_end;
    i + 1 < end && tree.bodies[i + 1].bodies_end < end
}

/// One row of all columns.
#[inline(always)]
pub(super) fn row<T: Real, const P: usize>(wide: &[Register<T>], i: usize) -> [Register<T>; P] {
    let mut x = [Register::<T>::zero(); P];
    x.copy_from_slice(&wide[i * P..][..P]);
    x
}
