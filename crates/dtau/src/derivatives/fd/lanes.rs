//! Sweeps over the tree with one six-vector per column, for several columns of a matrix at a time.
//!
//! A sweep visits the bodies in the order of their numbers. The next body is nearly always the parent or the
//! first child, so the six-vectors stay in registers. They are stored only at forks, at the level
//! [`Body::forks`](crate::model::Body) of the body at the fork. Inward, the stored value is the sum sent by
//! later limbs. Outward, it is the value where later limbs start.

use crate::linalg::six::{Columns, Lanes, P, zeros};
use crate::model::Tree;
use crate::scalar::Real;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Workspace of sweeps: O(N), plus O(1) for every fork on a path.
#[derive(Debug)]
pub(super) struct Room<T: Real> {
    /// Rows of some columns of two matrices, one matrix after the other.
    pub(super) wide: Vec<Columns<T>>,
    /// Sums that later limbs have sent to a fork; zero between sweeps.
    pub(super) sent: Aside<T>,
    /// Values (six-vectors and more) at forks, where later limbs start.
    pub(super) kept: Aside<T>,
}

impl<T: Real> Room<T> {
    pub(super) fn new(tree: &Tree) -> Self {
        let [zeros] = zeros::<T, 1>();
        Self { wide: vec![zeros; 2 * tree.dofs.len()], sent: Aside::new(tree, 6), kept: Aside::new(tree, 6 + 9) }
    }
}

/// Numbers stored by a sweep: several per column, ordered by level.
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

    /// Numbers at a level, skipping the first `before`.
    #[inline(always)]
    fn at<const K: usize>(&mut self, level: usize, before: usize) -> &mut Lanes<T, K> {
        self.numbers[level * self.level + before..].first_chunk_mut().expect("a level has room for what is put there")
    }

    /// Adds `x` to the numbers at a level.
    #[inline(always)]
    pub(super) fn add<const K: usize>(&mut self, level: usize, x: &Lanes<T, K>) {
        let numbers = self.at::<K>(level, 0);
        for k in 0..K {
            for p in 0..P {
                numbers[k][p] += x[k][p];
            }
        }
    }

    /// Adds the numbers at a level to `x`, and resets them to zero.
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

    /// Writes at a level, skipping the first `before` numbers.
    #[inline(always)]
    pub(super) fn put<const K: usize>(&mut self, level: usize, before: usize, x: &Lanes<T, K>) {
        *self.at(level, before) = *x;
    }

    /// Reads at a level, skipping the first `before` numbers.
    #[inline(always)]
    pub(super) fn get<const K: usize>(&mut self, level: usize, before: usize) -> Lanes<T, K> {
        *self.at(level, before)
    }
}

/// Bodies and rows that a few neighbouring columns involve.
pub(super) struct Reach {
    /// Bodies from the first root on the columns' paths to the last body that moves with one of these roots.
    pub(super) bodies: Range<usize>,
    /// Degrees of freedom of these bodies: all other rows are zero.
    pub(super) rows: Range<usize>,
    /// One past the last body in the subtree of a column.
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

/// Returns the first body on the path from the world to body `i`.
#[inline(always)]
fn root(tree: &Tree, i: usize) -> usize {
    tree.path_runs()[tree.bodies[i].path.clone()].first().map_or(i, |run| tree.dofs[run.start].body)
}

/// Inward, from body `i` to the previous one: adds the carried value to the parent, now or when its other
/// limbs have been visited.
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

/// Outward, from the previous body to body `i`: makes the carried value that of the parent.
#[inline(always)]
pub(super) fn from_parent<T: Real>(tree: &Tree, i: usize, a: &mut Lanes<T, 6>, kept: &mut Aside<T>) {
    let parent = tree.bodies[i].parent;
    if parent == 0 {
        *a = zeros::<T, 6>();
    } else if parent + 1 < i {
        *a = kept.get(tree.bodies[parent].forks, 0);
    }
}

/// True if bodies other than the next one need the acceleration of body `i`.
#[inline(always)]
pub(super) fn is_fork(tree: &Tree, i: usize) -> bool {
    let end = tree.bodies[i].bodies_end;
    i + 1 < end && tree.bodies[i + 1].bodies_end < end
}
