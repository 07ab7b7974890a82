//! The tree that the algorithms read: the given bodies and everything derived from them.

use super::fill::{Blocks, FillPlans};
use super::inertias::Inertias;
use super::paths::Paths;
use crate::joints::{Joint, Translation};
use crate::spatial::{Inertia, Sym3, Transform, Vec3};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;
use once_cell::race::OnceBox;

/// The tree that the algorithms read; every joint has its own degrees of freedom. For writing further
/// algorithms.
///
/// Coordinates are *full*: a joint that mimics another has its own. Frames are *internal*: `z` is the joint's
/// axis. Memory is O(bodies), except for the parts that are built on first use.
#[derive(Debug, Default)]
pub struct Tree {
    /// The world, then the bodies, depth-first.
    pub bodies: Vec<Body>,
    /// The degrees of freedom of all bodies, depth-first.
    pub dofs: Vec<Dof>,
    /// The bodies on joints with several degrees of freedom.
    pub(crate) wide_joints: Vec<usize>,
    /// The inertias of the bodies, for steps that process several side by side.
    pub(crate) inertias: Inertias,
    /// The paths of the degrees of freedom to the root.
    pub(crate) paths: Paths,
    /// Number of coordinates of all bodies.
    pub nq: usize,
    /// Indices of the coordinates that are angles, whose sine and cosine are needed.
    pub angles: Vec<usize>,
    /// True if any degree of freedom has a rotor inertia.
    pub has_armature: bool,
    /// True if any has viscous damping.
    pub has_damping: bool,
    /// True if any has Coulomb friction.
    pub has_friction: bool,
    /// True if any has a spring.
    pub has_springs: bool,
    path_runs: OnceBox<Vec<Range<usize>>>,
    fill_plans: FillPlans,
}

/// A moving body and the joint it hangs on.
#[derive(Clone, Debug)]
pub struct Body {
    /// Index of its parent. The world is 0 and its own parent.
    pub parent: usize,
    /// Its joint.
    pub joint: Joint,
    /// Placement of the joint's fixed side in the parent's internal frame.
    pub x_tree: Transform<f64>,
    /// Inertia about the origin of the internal frame.
    pub inertia: Inertia<f64>,
    /// Centre of mass.
    pub com: Vec3<f64>,
    /// Rotational inertia about the centre of mass.
    pub about_com: Sym3<f64>,
    /// Its coordinates.
    pub q: Range<usize>,
    /// Its degrees of freedom.
    pub v: Range<usize>,
    /// Index of its entry in [`Tree::angles`]; 0 if it needs none.
    pub angle: usize,
    /// Index of its storage in algorithms that process bodies side by side: its last degree of freedom. The
    /// world comes after all bodies.
    pub(crate) slot: usize,
    /// Slot of its parent.
    pub(crate) parent_slot: usize,
    /// One past the last body of its subtree.
    pub bodies_end: usize,
    /// One past the last degree of freedom of its subtree.
    pub dofs_end: usize,
    /// Its entries of [`Tree::path_runs`].
    pub path: Range<usize>,
    /// Number of bodies on its path that have later siblings: the quantities to keep during the outward pass.
    pub(crate) forks: usize,
}

/// A degree of freedom.
#[derive(Clone, Debug)]
pub struct Dof {
    /// The body it moves.
    pub body: usize,
    /// The next one towards the root; `None` at the root.
    pub parent: Option<usize>,
    /// Reflected rotor inertia.
    pub armature: f64,
    /// Viscous damping.
    pub damping: f64,
    /// Coulomb friction.
    pub friction: f64,
    /// Stiffness of a spring, zero on joints of several degrees of freedom.
    pub stiffness: f64,
    /// The coordinate at which the spring force is zero.
    pub rest: f64,
}

/// The given data of a body. See [`Body`] and [`Dof`] for the meanings.
#[derive(Clone, Debug)]
pub(super) struct GivenBody {
    pub(super) parent: usize,
    pub(super) joint: Joint,
    pub(super) x_tree: Transform<f64>,
    pub(super) inertia: Inertia<f64>,
    /// Applies to every degree of freedom of the joint; so do the next two.
    pub(super) armature: f64,
    pub(super) damping: f64,
    pub(super) friction: f64,
    /// For joints of one degree of freedom only.
    pub(super) stiffness: f64,
    pub(super) rest: f64,
}

impl GivenBody {
    /// Body 0. It has no degrees of freedom, and its joint is never read.
    pub(super) fn world() -> Self {
        Self {
            parent: 0,
            joint: Joint::Translation(Translation),
            x_tree: Transform::identity(),
            inertia: Inertia::zero(),
            armature: 0.0,
            damping: 0.0,
            friction: 0.0,
            stiffness: 0.0,
            rest: 0.0,
        }
    }
}

impl Tree {
    /// Builds the tree from the world and the bodies, depth-first. Time and memory: O(bodies).
    pub(super) fn new(given: &[GivenBody]) -> Self {
        let mut tree = Tree { bodies: Vec::with_capacity(given.len()), ..Tree::default() };
        for body in given {
            tree.push(body);
        }
        tree.close_subtrees();
        tree.measure_paths();
        tree.bodies[0].slot = tree.dofs.len();
        for i in 0..tree.bodies.len() {
            tree.bodies[i].parent_slot = tree.bodies[tree.bodies[i].parent].slot;
        }
        tree.wide_joints = (0..tree.bodies.len()).filter(|&i| tree.bodies[i].v.len() > 1).collect();
        tree.inertias = Inertias::of(&tree.bodies);
        tree.paths = Paths::new(tree.dofs.iter().map(|dof| dof.parent));
        tree.has_armature = tree.dofs.iter().any(|dof| dof.armature != 0.0);
        tree.has_damping = tree.dofs.iter().any(|dof| dof.damping != 0.0);
        tree.has_friction = tree.dofs.iter().any(|dof| dof.friction != 0.0);
        tree.has_springs = tree.dofs.iter().any(|dof| dof.stiffness != 0.0);
        tree
    }

    /// The moving bodies with their indices, parents before children.
    #[inline(always)]
    pub fn outward(&self) -> impl Iterator<Item = (usize, &Body)> {
        self.moving()
    }

    /// The moving bodies with their indices, children before parents.
    #[inline(always)]
    pub fn inward(&self) -> impl Iterator<Item = (usize, &Body)> {
        self.moving().rev()
    }

    /// The bodies on the path from the world to `target`, which is included, parents before children.
    #[inline(always)]
    pub(crate) fn path_to(&self, target: usize) -> impl Iterator<Item = (usize, &Body)> {
        let mut next = 1;
        core::iter::from_fn(move || {
            while next <= target {
                let (i, body) = (next, &self.bodies[next]);
                if target < body.bodies_end {
                    next += 1;
                    return Some((i, body));
                }
                next = body.bodies_end; // depth-first numbering: a subtree without the target is skipped whole
            }
            None
        })
    }

    #[inline(always)]
    fn moving(&self) -> impl DoubleEndedIterator<Item = (usize, &Body)> {
        (1..self.bodies.len()).map(|i| (i, &self.bodies[i]))
    }

    /// For each body, the degrees of freedom on its path to the root (its own not included) as contiguous
    /// runs, in ascending order; see [`Body::path`].
    ///
    /// Built on first use: it takes O(bodies · depth) if every body of a long path has a branch before it.
    #[inline]
    pub fn path_runs(&self) -> &[Range<usize>] {
        self.path_runs.get_or_init(|| Box::new(self.trace_paths()))
    }

    /// Kinds of the entries of the derivatives, for registers of `width` numbers. Built on first use, in
    /// O(dofs²).
    #[inline(always)]
    pub(crate) fn fill_plan(&self, width: usize) -> &Blocks {
        self.fill_plans.for_width(self, width)
    }

    /// The given data of a body.
    pub(super) fn given(&self, body: &Body) -> GivenBody {
        let dof = self.dofs.get(body.v.start).filter(|_| !body.v.is_empty());
        let &Body { parent, joint, x_tree, inertia, .. } = body;
        let plain = GivenBody { parent, joint, x_tree, inertia, ..GivenBody::world() };
        dof.map_or(plain.clone(), |&Dof { armature, damping, friction, stiffness, rest, .. }| GivenBody {
            armature,
            damping,
            friction,
            stiffness,
            rest,
            ..plain
        })
    }

    /// Numbers the coordinates and degrees of freedom of the next body. The first body is the world.
    fn push(&mut self, given: &GivenBody) {
        let (index, q, v) = (self.bodies.len(), self.nq, self.dofs.len());
        debug_assert!(given.parent <= index, "parents come before their children");
        let (nq, nv) = if index == 0 { (0, 0) } else { (given.joint.group().nq(), given.joint.group().nv()) };
        let angle = given.joint.angle().filter(|_| index > 0).map_or(0, |k| {
            self.angles.push(q + k);
            self.angles.len() - 1
        });
        for k in 0..nv {
            let parent = if k > 0 { Some(v + k - 1) } else { self.last_dof(given.parent) };
            let GivenBody { armature, damping, friction, stiffness, rest, .. } = *given;
            self.dofs.push(Dof { body: index, parent, armature, damping, friction, stiffness, rest });
        }
        self.nq += nq;
        let Inertia { mass, h, .. } = given.inertia;
        let com = if mass > 0.0 { h * (1.0 / mass) } else { Vec3::zero() };
        self.bodies.push(Body {
            parent: given.parent,
            joint: given.joint,
            x_tree: given.x_tree,
            inertia: given.inertia,
            com,
            about_com: given.inertia.about(com),
            q: q..q + nq,
            v: v..v + nv,
            angle,
            slot: (v + nv).saturating_sub(1),
            parent_slot: 0,
            bodies_end: index + 1,
            dofs_end: v + nv,
            path: 0..0,
            forks: 0,
        });
    }

    /// The last degree of freedom of a body: the parent of the next one towards the leaves.
    fn last_dof(&self, body: usize) -> Option<usize> {
        self.bodies[body].v.end.checked_sub(1).filter(|_| body > 0)
    }

    fn close_subtrees(&mut self) {
        let bodies = &mut self.bodies;
        for i in (1..bodies.len()).rev() {
            let (p, bodies_end, dofs_end) = (bodies[i].parent, bodies[i].bodies_end, bodies[i].dofs_end);
            bodies[p].bodies_end = bodies[p].bodies_end.max(bodies_end);
            bodies[p].dofs_end = bodies[p].dofs_end.max(dofs_end);
        }
        for i in 1..bodies.len() {
            let p = bodies[i].parent;
            let has_later_siblings = bodies[i].bodies_end < bodies[p].bodies_end;
            bodies[i].forks = bodies[p].forks + usize::from(has_later_siblings);
        }
    }

    /// Computes the range of every path in the runs. A path has the runs of the parent's path. The parent's
    /// own degrees of freedom extend the last run or, after a branch, start a new one.
    fn measure_paths(&mut self) {
        let mut start = 0_usize;
        for i in 1..self.bodies.len() {
            let parent = &self.bodies[self.bodies[i].parent];
            let count = parent.path.len() + usize::from(!parent.v.is_empty() && !self.goes_on(parent));
            // Saturating: on a small machine the count may overflow, and the runs may never be needed.
            let end = start.saturating_add(count);
            self.bodies[i].path = start..end;
            start = end;
        }
    }

    /// True if the degrees of freedom of a body directly follow those of its parent.
    fn goes_on(&self, body: &Body) -> bool {
        let parent = &self.bodies[body.parent];
        !parent.v.is_empty() && parent.v.end == body.v.start
    }

    fn trace_paths(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::with_capacity(self.bodies.last().map_or(0, |body| body.path.end));
        for body in &self.bodies[1..] {
            let parent = &self.bodies[body.parent];
            runs.extend_from_within(parent.path.clone());
            match runs[body.path.start..].last_mut() {
                Some(run) if run.end == parent.v.start => run.end = parent.v.end,
                _ if parent.v.is_empty() => {}
                _ => runs.push(parent.v.clone()),
            }
            debug_assert_eq!(runs.len(), body.path.end);
        }
        runs
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // a path of one run
mod tests {
    use super::*;
    use crate::joints::{Revolute, Spherical};
    use alloc::vec;

    /// A tree with these parents. Every third body is on a spherical joint, the others on a revolute one.
    fn tree(parents: &[usize]) -> Tree {
        let mut given = vec![GivenBody::world()];
        for (i, &parent) in parents.iter().enumerate() {
            let joint = if i % 3 == 2 { Joint::Spherical(Spherical) } else { Joint::Revolute(Revolute) };
            given.push(GivenBody { parent, joint, ..GivenBody::world() });
        }
        Tree::new(&given)
    }

    /// 1 carries 2, which carries 3 and 4. 1 also carries 5. The world carries 6.
    #[test]
    fn everything_follows_from_the_parents() {
        let tree = tree(&[0, 1, 2, 2, 1, 0]);
        let each = |what: fn(&Body) -> usize| tree.bodies.iter().map(what).collect::<Vec<_>>();
        assert_eq!(each(|b| b.bodies_end), [7, 6, 5, 4, 5, 6, 7]);
        assert_eq!(each(|b| b.v.start), [0, 0, 1, 2, 5, 6, 7]);
        assert_eq!(each(|b| b.dofs_end), [10, 7, 6, 5, 6, 7, 10]);
        assert_eq!(each(|b| b.slot), [10, 0, 1, 4, 5, 6, 9]);
        assert_eq!(each(|b| b.parent_slot), [10, 10, 0, 1, 1, 0, 10]);
        assert_eq!(each(|b| b.forks), [0, 1, 2, 3, 2, 1, 0]);
        let walked = |bodies: &mut dyn Iterator<Item = (usize, &Body)>| {
            bodies.map(|(i, body)| (i, body.parent)).collect::<Vec<_>>()
        };
        let mut outward = vec![(1, 0), (2, 1), (3, 2), (4, 2), (5, 1), (6, 0)];
        assert_eq!(walked(&mut tree.outward()), outward);
        outward.reverse();
        assert_eq!(walked(&mut tree.inward()), outward);
        assert_eq!((tree.nq, tree.dofs.len(), &tree.wide_joints[..]), (12, 10, &[3, 6][..]));
        assert_eq!(tree.angles, [0, 1, 6, 7]);
        let parents: Vec<_> = tree.dofs.iter().map(|dof| dof.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(3), Some(1), Some(0), None, Some(7), Some(8)]);
        let paths: Vec<_> = tree.bodies.iter().map(|b| &tree.path_runs()[b.path.clone()]).collect();
        assert_eq!(paths, [&[][..], &[], &[0..1], &[0..2], &[0..2], &[0..1], &[]]);
    }

    /// A comb, each tooth numbered before the next piece of the back: every path has one run per piece.
    #[test]
    fn a_run_ends_where_a_branch_was_passed_over() {
        let tree = tree(&[0, 1, 1, 3, 3, 5]);
        let runs = |i: usize| tree.path_runs()[tree.bodies[i].path.clone()].to_vec();
        assert_eq!((runs(2), runs(3)), (vec![0..1], vec![0..1]));
        assert_eq!((runs(4), runs(6)), (vec![0..1, 2..5], vec![0..1, 2..5, 6..7]));
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            let mut by_dofs: Vec<_> = tree.paths.above(body.v.start).collect();
            by_dofs.reverse();
            assert_eq!(by_dofs, runs(i), "body {i}");
        }
    }

    #[test]
    fn the_world_alone_is_a_tree() {
        let tree = tree(&[]);
        assert_eq!((tree.bodies.len(), tree.bodies[0].bodies_end, tree.bodies[0].dofs_end), (1, 1, 0));
        assert_eq!((tree.dofs.len(), tree.nq, tree.path_runs().len()), (0, 0, 0));
    }
}
