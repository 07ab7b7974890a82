//! Bodies side by side: where they are, how they move, what it takes.
//!
//! Ground coordinates throughout: the world's axes. Limbs that meet in the world alone never meet in these algorithms, so each has an
//! origin of its own, at its first body. `p` is the parent of `i`.
//!
//! ```text
//! X = Xₚ X_tree X_J(q)        S: the joint's axes                                (1)
//! v = vₚ + S q̇                a = aₚ + S q̈ + vₚ × S q̇                            (2)
//! I: the inertia              f = I a + v ×* I v                                 (3)
//! ```
//!
//! (1) and (2) go from body to body, since a body waits for its parent. (3) is the same for all and waits for nobody: several
//! bodies go side by side, one a lane ([`Wide`]), which gains on a chain as much as on a bush.

use crate::dispatch::Register;
use crate::model::{Body, Tree};
use crate::scalar::{Real, Wide};
use crate::scene::Scene;
use crate::spatial::{Force, Inertia, Lanewise, Motion, Transform, Vec3};
use crate::sweeps::ground;
use alloc::vec;
use alloc::vec::Vec;

/// Degrees of freedom side by side, and the bodies they move: degree of freedom `k` is in lane `k` mod `WIDTH`, and what
/// belongs to a body is in the lane of its last one, its *slot*.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group<W> {
    // of the body
    pub(crate) X: Transform<W>,
    pub(crate) v: Motion<W>,
    pub(crate) a: Motion<W>,
    pub(crate) I: Inertia<W>,
    pub(crate) f: Force<W>,
    // of the degree of freedom
    pub(crate) S: Motion<W>,
    /// Velocity and acceleration of the parent.
    pub(crate) v_p: Motion<W>,
    pub(crate) a_p: Motion<W>,
}

/// All bodies of a tree.
#[derive(Debug)]
pub(crate) struct Bodies<T: Real> {
    pub(crate) groups: Vec<Group<Register<T>>>,
    /// Where bodies that hang on the world are in it.
    feet: Vec<Vec3<T>>,
}

/// How many go side by side.
#[inline(always)]
pub(crate) const fn width<T: Real>() -> usize {
    <Register<T> as Wide<T>>::WIDTH
}

impl<T: Real> Bodies<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let slots = tree.dofs.len() + 1; // and the world's
        let feet = vec![Vec3::zero(); tree.bodies.len()];
        Self { groups: vec![Group::default(); slots.div_ceil(width::<T>())], feet }
    }

    /// The group and the lane of a slot.
    #[inline(always)]
    pub(crate) fn at(&self, slot: usize) -> (&Group<Register<T>>, usize) {
        (&self.groups[slot / width::<T>()], slot % width::<T>())
    }

    #[inline(always)]
    pub(crate) fn at_mut(&mut self, slot: usize) -> (&mut Group<Register<T>>, usize) {
        (&mut self.groups[slot / width::<T>()], slot % width::<T>())
    }

    /// Where body `i` is.
    #[inline(always)]
    pub(crate) fn X(&self, tree: &Tree, i: usize) -> Transform<T> {
        let (group, lane) = self.at(tree.bodies[i].slot);
        group.X.lane(lane)
    }

    /// The axis of degree of freedom `k`.
    #[inline(always)]
    pub(crate) fn S(&self, k: usize) -> Motion<T> {
        let (group, lane) = self.at(k);
        group.S.lane(lane)
    }

    /// The inertia of body `i`, and the force it takes.
    #[inline(always)]
    pub(crate) fn load(&self, tree: &Tree, i: usize) -> (Inertia<T>, Force<T>) {
        let (group, lane) = self.at(tree.bodies[i].slot);
        (group.I.lane(lane), group.f.lane(lane))
    }

    /// A body on the world is the origin of its limb.
    #[inline(always)]
    fn at_origin(&mut self, i: usize, body: &Body, mut X: Transform<T>) -> Transform<T> {
        if body.parent == 0 {
            self.feet[i] = X.pos;
            X.pos = Vec3::zero();
        }
        X
    }

    /// Where the world is, in the coordinates of body `i`'s limb.
    #[inline(always)]
    pub(crate) fn world(&self, tree: &Tree, i: usize) -> Transform<T> {
        let mut i = i;
        while tree.bodies[i].parent > 0 {
            i = tree.bodies[i].parent;
        }
        Transform::translation(-self.feet[i])
    }

    /// (1)
    #[inline(always)]
    pub(crate) fn place(&mut self, tree: &Tree, turns: &[(T, T)], q: &[T]) {
        let (group, lane) = self.at_mut(tree.bodies[0].slot);
        group.X.set_lane(lane, Transform::identity());
        for i in 1..tree.bodies.len() {
            let body = &tree.bodies[i];
            let X = self.at_origin(i, body, ground::place(body, &self.X(tree, body.parent), q, turns));
            for (k, dof) in body.v.clone().enumerate() {
                let (group, lane) = self.at_mut(dof);
                group.S.set_lane(lane, body.joint.axis(k, &X));
            }
            let (group, lane) = self.at_mut(body.slot);
            group.X.set_lane(lane, X);
        }
    }

    /// (1), (2); no `qdd` stands for zeros. The world accelerates against gravity. Derivatives need to know how the parents
    /// move.
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
        let (group, lane) = self.at_mut(tree.bodies[0].slot);
        group.X.set_lane(lane, Transform::identity());
        group.v.set_lane(lane, Motion::zero());
        group.a.set_lane(lane, Motion::new(-gravity, Vec3::zero()));

        for i in 1..tree.bodies.len() {
            let body = &tree.bodies[i];
            let (parent, lane) = self.at(tree.bodies[body.parent].slot);
            let X_p: Transform<T> = parent.X.lane(lane);
            let (v_p, a_p): (Motion<T>, Motion<T>) = (parent.v.lane(lane), parent.a.lane(lane));

            let X = self.at_origin(i, body, ground::place(body, &X_p, q, turns));
            let (mut v_joint, mut a) = (Motion::zero(), a_p);
            for (k, dof) in body.v.clone().enumerate() {
                let S = body.joint.axis(k, &X);
                v_joint = S.scale_add(qd[dof], v_joint);
                if let Some(qdd) = qdd {
                    a = S.scale_add(qdd[dof], a);
                }
                let (group, lane) = self.at_mut(dof);
                group.S.set_lane(lane, S);
                if FOR_DERIVATIVES {
                    group.v_p.set_lane(lane, v_p);
                    group.a_p.set_lane(lane, a_p);
                }
            }
            let (group, lane) = self.at_mut(body.slot);
            group.X.set_lane(lane, X);
            group.v.set_lane(lane, v_p + v_joint);
            group.a.set_lane(lane, v_p.cross_add(v_joint, a));
        }
    }

    /// I of (3).
    #[inline(always)]
    pub(crate) fn weigh(&mut self, tree: &Tree) {
        for (k, group) in self.groups.iter_mut().enumerate() {
            let (mass, com, about_com) = tree.inertias.at::<T, Register<T>>(k * width::<T>());
            group.I = ground::inertia_of(mass, com, about_com, &group.X);
        }
    }

    /// The inertias become those of subtrees; where a joint has several degrees of freedom, the sum is copied to the lane of each.
    #[inline(always)]
    pub(crate) fn sum_inertias(&mut self, tree: &Tree) {
        for i in (1..tree.bodies.len()).rev() {
            let (group, lane) = self.at(tree.bodies[i].slot);
            let I: Inertia<T> = group.I.lane(lane);
            let (parent, lane) = self.at_mut(tree.bodies[tree.bodies[i].parent].slot);
            parent.I.set_lane(lane, parent.I.lane(lane) + I);
        }
        for &i in &tree.wide_joints {
            let (group, lane) = self.at(tree.bodies[i].slot);
            let I: Inertia<T> = group.I.lane(lane);
            for k in tree.bodies[i].v.clone() {
                let (group, lane) = self.at_mut(k);
                group.I.set_lane(lane, I);
            }
        }
    }

    /// f of (3).
    #[inline(always)]
    pub(crate) fn load_all(&mut self) {
        for group in &mut self.groups {
            group.f = group.I.load(group.v, group.a);
        }
    }

    /// Takes the scene's wrenches from the forces of the bodies they act on.
    #[inline(always)]
    pub(crate) fn push(&mut self, scene: &Scene<'_, T>) {
        let tree = scene.model.tree();
        for wrench in scene.each_wrench() {
            if let Some((i, placement)) = ground::locate(scene.model, &wrench, |i| self.X(tree, i)) {
                let F = wrench.in_ground(&self.world(tree, i), &placement);
                let (group, lane) = self.at_mut(tree.bodies[i].slot);
                group.f.set_lane(lane, group.f.lane(lane) - F);
            }
        }
    }
}
