//! Bodies: their placements, their motions, and the forces that these need.
//!
//! Ground coordinates throughout, with world axes. Different limbs of the world never interact in these
//! algorithms. So every limb has its own origin at its first body, its *foot*. `p` is the parent of `i`.
//!
//! ```text
//! X = Xₚ X_tree X_J(q)        S: the joint's axes                                (1)
//! v = vₚ + S q̇                a = aₚ + S q̈ + vₚ × S q̇                            (2)
//! I: the inertia              f = I a + v ×* I v                                 (3)
//! ```
//!
//! (1) and (2) go from body to body, since a body depends on its parent. (3) has no such dependency, so it is
//! computed for several bodies side by side ([`SideBySide`]), with the same gain on chains as on bushes.

use crate::dispatch::Register;
use crate::model::{Body, Tree};
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Force, Inertia, Motion, Transform, Vec3, lanewise};
use crate::sweeps::ground;
use crate::sweeps::side_by_side::{SideBySide, width};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Add;

/// All bodies of a tree.
#[derive(Debug)]
pub(crate) struct Bodies<T: Real> {
    // by body
    pub(crate) placed: SideBySide<T, Placed<Register<T>>>,
    pub(crate) load: SideBySide<T, Load<Register<T>>>,
    // by degree of freedom
    pub(crate) S: SideBySide<T, Motion<Register<T>>>,
    /// Motion of the parent.
    pub(crate) parent: SideBySide<T, Moving<Register<T>>>,
    /// Positions in the world of the bodies whose parent is the world.
    feet: Vec<Vec3<T>>,
}

/// Placement and motion of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Placed<W> {
    pub(crate) X: Transform<W>,
    pub(crate) v: Motion<W>,
    pub(crate) a: Motion<W>,
}

/// Velocity and acceleration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moving<W> {
    pub(crate) v: Motion<W>,
    pub(crate) a: Motion<W>,
}

/// Inertia of a body or a subtree, and the force it needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load<W> {
    pub(crate) I: Inertia<W>,
    pub(crate) f: Force<W>,
}

lanewise! {
    Placed { X, v, a }
    Moving { v, a }
    Load { I, f }
}

impl<T: Real> Add for Load<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { I: self.I + other.I, f: self.f + other.f }
    }
}

impl<T: Real> Bodies<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self {
            placed: SideBySide::new(tree),
            load: SideBySide::new(tree),
            S: SideBySide::new(tree),
            parent: SideBySide::new(tree),
            feet: vec![Vec3::zero(); tree.bodies.len()],
        }
    }

    /// (1)
    #[inline(always)]
    pub(crate) fn place(&mut self, tree: &Tree, turns: &[(T, T)], q: &[T]) {
        let placed = &mut self.placed;
        placed.set_field(tree.bodies[0].slot, |world| &mut world.X, Transform::identity());
        for (i, body) in tree.outward() {
            let parent: Placed<T> = placed.get(body.parent_slot);
            let X = from_foot(body, ground::place(body, &parent.X, q, turns), &mut self.feet[i]);
            for (k, dof) in body.v.clone().enumerate() {
                self.S.set(dof, body.joint.axis(k, &X));
            }
            placed.set_field(body.slot, |body| &mut body.X, X);
        }
    }

    /// (1), (2); without `qdd`, q̈ is zero. The world accelerates against gravity. Derivatives also need the
    /// motions of the parents.
    #[inline(always)]
    pub(crate) fn move_all<const FOR_DERIVATIVES: bool>(
        &mut self,
        tree: &Tree,
        turns: &[(T, T)],
        q: &[T],
        qd: &[T],
        qdd: Option<&[T]>,
        gravity: Vec3<T>,
    ) {
        let a_world = Motion::new(-gravity, Vec3::zero());
        let world = Placed { X: Transform::identity(), v: Motion::zero(), a: a_world };
        self.placed.set(tree.bodies[0].slot, world);

        for (i, body) in tree.outward() {
            let Placed { X: X_p, v: v_p, a: a_p } = self.placed.get(body.parent_slot);
            let X = from_foot(body, ground::place(body, &X_p, q, turns), &mut self.feet[i]);
            let (mut v_joint, mut a) = (Motion::zero(), a_p);
            for (k, dof) in body.v.clone().enumerate() {
                let S = body.joint.axis(k, &X);
                v_joint = S.scale_add(qd[dof], v_joint);
                if let Some(qdd) = qdd {
                    a = S.scale_add(qdd[dof], a);
                }
                self.S.set(dof, S);
                if FOR_DERIVATIVES {
                    self.parent.set(dof, Moving { v: v_p, a: a_p });
                }
            }
            self.placed.set(body.slot, Placed { X, v: v_p + v_joint, a: v_p.cross_add(v_joint, a) });
        }
    }

    /// Adds the contribution of q̈ to bodies that move with q̈ = 0; `r`, by body, receives their change of
    /// acceleration.
    #[inline(always)]
    pub(crate) fn accelerate(&mut self, tree: &Tree, qdd: &[T], r: &mut [Motion<T>]) {
        r[0] = Motion::zero();
        for (i, body) in tree.outward() {
            let of_parent = r[body.parent];
            let mut of_body = of_parent;
            for dof in body.v.clone() {
                of_body = self.S.get(dof).scale_add(qdd[dof], of_body);
                self.parent.add_field(dof, |parent| &mut parent.a, of_parent);
            }
            self.placed.add_field(body.slot, |placed| &mut placed.a, of_body);
            r[i] = of_body;
        }
    }

    /// I of (3).
    #[inline(always)]
    pub(crate) fn weigh(&mut self, tree: &Tree) {
        for (k, (load, placed)) in self.load.neighbours.iter_mut().zip(&self.placed.neighbours).enumerate() {
            let (mass, com, about_com) = tree.inertias.at::<T, Register<T>>(k * width::<T>());
            load.I = ground::inertia_of(mass, com, about_com, &placed.X);
        }
    }

    /// f of (3).
    #[inline(always)]
    pub(crate) fn load_all(&mut self) {
        for (load, &Placed { v, a, .. }) in self.load.neighbours.iter_mut().zip(&self.placed.neighbours) {
            load.f = load.I.load(v, a);
        }
    }

    /// Subtracts the scene's wrenches from the forces of the bodies they act on.
    #[inline(always)]
    pub(crate) fn push(&mut self, scene: &Scene<'_, T>) {
        let tree = scene.model.tree();
        for wrench in scene.each_wrench() {
            if let Some((i, placement)) = ground::locate(scene.model, &wrench, |i| self.X(tree, i)) {
                let F = wrench.in_ground(&self.world(tree, i), &placement);
                self.load.add_field(tree.bodies[i].slot, |load| &mut load.f, -F);
            }
        }
    }

    /// Replaces the inertias by those of subtrees, in the slots of all degrees of freedom.
    #[inline(always)]
    pub(crate) fn sum_inertias(&mut self, tree: &Tree) {
        for (_, body) in tree.inward() {
            let Load { I, .. } = self.load.get(body.slot);
            self.load.add_field(body.parent_slot, |load| &mut load.I, I);
        }
        self.load.spread::<Load<T>>(tree);
    }

    /// Placement of the world as seen from body `i`: in coordinates with the origin at the foot of its limb.
    #[inline(always)]
    pub(crate) fn world(&self, tree: &Tree, i: usize) -> Transform<T> {
        let mut foot = i;
        while tree.bodies[foot].parent > 0 {
            foot = tree.bodies[foot].parent;
        }
        Transform::translation(-self.feet[foot])
    }

    /// Placement of body `i`.
    #[inline(always)]
    pub(crate) fn X(&self, tree: &Tree, i: usize) -> Transform<T> {
        let Placed { X, .. } = self.placed.get(tree.bodies[i].slot);
        X
    }
}

/// Placement of a body relative to the foot of its limb. A body on the world is a foot itself; its position
/// goes to `foot`.
#[inline(always)]
fn from_foot<T: Real>(body: &Body, mut X: Transform<T>, foot: &mut Vec3<T>) -> Transform<T> {
    if body.parent == 0 {
        *foot = X.pos;
        X.pos = Vec3::zero();
    }
    X
}
