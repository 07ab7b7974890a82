//! Sweeps over the tree that carry a six-vector for each of several columns of a matrix.
//!
//! A sweep goes from body to body in the order of their numbers. The next body is nearly always the parent or the first
//! child, so what is carried stays in registers; only where limbs meet is it put aside, at the level
//! [`Body::forks`](crate::model::Body) of the body where they meet: inward, what later limbs have sent there; outward, what
//! later limbs will start from.

use crate::linalg::six::{Columns, Lanes, P, zeros};
use crate::model::Tree;
use crate::scalar::Real;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Room for sweeps: O(N), and O(1) more for every fork that a path passes.
#[derive(Debug)]
pub(super) struct Room<T: Real> {
    /// Rows of some columns: of two matrices, one after the other.
    pub(super) wide: Vec<Columns<T>>,
    /// Sums that later limbs have sent to where limbs meet; zero between sweeps.
    pub(super) sent: Aside<T>,
    /// Six-vectors, and more, that later limbs will start from.
    pub(super) kept: Aside<T>,
}

impl<T: Real> Room<T> {
    pub(super) fn new(tree: &Tree) -> Self {
        let [zeros] = zeros::<T, 1>();
        Self { wide: vec![zeros; 2 * tree.dofs.len()], sent: Aside::new(tree, 6), kept: Aside::new(tree, 6 + 9) }
    }
}

/// Numbers that a sweep has put aside: some for each column, by level.
#[derive(Debug)]
pub(super) struct Aside<T: Real> {
    numbers: Vec<Columns<T>>,
    /// Distance between levels.
    level: usize,
}

impl<T: Real> Aside<T> {
    fn new(tree: &Tree, level: usize) -> Self {
        let levels = 1 + tree.bodies.iter().map(|body| body.forks).max().unwrap_or(0);
        let [zeros] = zeros::<T, 1>();
        Self { numbers: vec![zeros; levels * level], level }
    }

    /// Numbers at a level, after `before` others.
    #[inline(always)]
    fn at<const K: usize>(&mut self, level: usize, before: usize) -> &mut Lanes<T, K> {
        self.numbers[level * self.level + before..].first_chunk_mut().expect("a level has room for what is put there")
    }

    /// Adds to what is at a level.
    #[inline(always)]
    pub(super) fn add<const K: usize>(&mut self, level: usize, x: &Lanes<T, K>) {
        let numbers = self.at::<K>(level, 0);
        for k in 0..K {
            for p in 0..P {
                numbers[k][p] += x[k][p];
            }
        }
    }

    /// Adds what is at a level to `x`, and leaves zeros.
    #[inline(always)]
    pub(super) fn take<const K: usize>(&mut self, level: usize, x: &mut Lanes<T, K>) {
        let numbers = self.at::<K>(level, 0);
        for k in 0..K {
            for p in 0..P {
                x[k][p] += numbers[k][p];
            }
        }
        *numbers = zeros::<T, K>();
    }

    /// Writes at a level, after `before` others.
    #[inline(always)]
    pub(super) fn put<const K: usize>(&mut self, level: usize, before: usize, x: &Lanes<T, K>) {
        *self.at(level, before) = *x;
    }

    /// Reads at a level, after `before` others.
    #[inline(always)]
    pub(super) fn get<const K: usize>(&mut self, level: usize, before: usize) -> Lanes<T, K> {
        *self.at(level, before)
    }
}

/// Bodies and rows that a few neighbouring columns have to do with.
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
pub(super) fn to_parent<T: Real>(tree: &Tree, i: usize, p: &mut Lanes<T, 6>, sent: &mut Aside<T>) {
    let body = &tree.bodies[i];
    let level = tree.bodies[body.parent].forks;
    if body.parent == 0 {
        *p = zeros::<T, 6>();
    } else if body.parent + 1 < i {
        sent.add(level, p);
        *p = zeros::<T, 6>();
    } else if body.forks > level {
        sent.take(level, p);
    }
}

/// Outward, to body `i` from the one before it: what is carried is the parent's.
#[inline(always)]
pub(super) fn from_parent<T: Real>(tree: &Tree, i: usize, a: &mut Lanes<T, 6>, kept: &mut Aside<T>) {
    let parent = tree.bodies[i].parent;
    if parent == 0 {
        *a = zeros::<T, 6>();
    } else if parent + 1 < i {
        *a = kept.get(tree.bodies[parent].forks, 0);
    }
}

/// True if other bodies than the next one ask for the acceleration of body `i`.
#[inline(always)]
pub(super) fn is_fork(tree: &Tree, i: usize) -> bool {
    let end = tree.bodies[i].bodies_end;
    i + 1 < end && tree.bodies[i + 1].bodies_end < end
}
