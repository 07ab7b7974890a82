//! Derivatives of inverse dynamics: IDSVA.
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`]. `p` is the parent of `i`.
//!
//! ```text
//! outward   Ψ̇ = vₚ × S                          Ψ̈ = aₚ × S + vₚ × Ψ̇             (1)
//!           v = vₚ + S q̇                         a = aₚ + S q̈ + Ψ̇ q̇              (2)
//!           I, 2B of the body                    f = I a + v ×* I v               (3)
//! inward    Iᶜ, Bᶜ, fᶜ: sums over the subtree                                     (4)
//!           t₁ = Iᶜ S                            t₂ = 2Bᶜ S + Iᶜ (Ṡ + Ψ̇)          (5)
//!           t₃ = 2Bᶜ Ψ̇ + Iᶜ Ψ̈ + S ×* fᶜ          t₄ = 2Bᶜᵀ S                      (6)
//! fill      for a column c and a row r
//!           in the subtree of c:   ∂τ/∂q = t₄ᵣ·Ψ̇_c + t₁ᵣ·Ψ̈_c                    (7)
//!                                  ∂τ/∂q̇ = t₄ᵣ·S_c + t₁ᵣ·(Ṡ_c + Ψ̇_c)            (8)
//!           on the path to c:      ∂τ/∂q = Sᵣ·t₃_c,   ∂τ/∂q̇ = Sᵣ·t₂_c           (9)
//!           M = t₁·S either way; zero elsewhere                                   (10)
//! ```
//!
//! Source: [Singh22] Alg. 1. Departure: only what a body must wait for its parent with goes from body to body: placements
//! and (2) outward, the sums (4) inward. The rest is done for several bodies, or degrees of freedom, side by side
//! ([`Wide`]), which gains on a chain as much as on a bush.

use super::fill::{Columns, Outputs, Rows};
use crate::ground;
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::spatial::{Coriolis, Force, Inertia, Lanewise, Motion, Transform, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// Degrees of freedom side by side, and the bodies they move: degree of freedom `k` is in lane `k` mod `WIDTH`, and what
/// belongs to a body in the lane of its last one, its *slot*.
#[derive(Clone, Copy, Debug, Default)]
struct Group<W> {
    // of the body
    X: Transform<W>,
    v: Motion<W>,
    a: Motion<W>,
    /// Of the body; from (4) on of its subtree.
    I: Inertia<W>,
    B: Coriolis<W>,
    f: Force<W>,
    // of the degree of freedom
    /// Velocity and acceleration of the parent.
    v_p: Motion<W>,
    a_p: Motion<W>,
    S: Motion<W>,
    psi_dot: Motion<W>,
    psi_ddot: Motion<W>,
    /// Ṡ + Ψ̇
    rate: Motion<W>,
}

/// A body, or the subtree of one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load<T> {
    pub(super) I: Inertia<T>,
    pub(super) B: Coriolis<T>,
    pub(super) f: Force<T>,
}

/// How a degree of freedom moves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Axis<T> {
    pub(super) S: Motion<T>,
    pub(super) psi_dot: Motion<T>,
    pub(super) psi_ddot: Motion<T>,
    /// Ṡ + Ψ̇
    pub(super) rate: Motion<T>,
}

/// Scratch of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Scratch<T: Real> {
    groups: Vec<Group<T::Wide>>,
    columns: Vec<Columns<T::Wide>>,
    /// S, t₁, t₄: what the fill streams over.
    rows: Rows<T>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let slots = tree.dofs.len() + 1; // and the world's
        let groups = slots.div_ceil(width::<T>());
        Self {
            groups: vec![Group::default(); groups],
            columns: vec![Columns::default(); groups],
            rows: Rows::new(tree),
        }
    }

    /// The group and the lane of a slot.
    #[inline(always)]
    fn at(&self, slot: usize) -> (&Group<T::Wide>, usize) {
        (&self.groups[slot / width::<T>()], slot % width::<T>())
    }

    #[inline(always)]
    fn at_mut(&mut self, slot: usize) -> (&mut Group<T::Wide>, usize) {
        (&mut self.groups[slot / width::<T>()], slot % width::<T>())
    }

    /// Where body `i` is.
    #[inline(always)]
    pub(super) fn X(&self, tree: &Tree, i: usize) -> Transform<T> {
        let (group, lane) = self.at(tree.bodies[i].slot);
        group.X.lane(lane)
    }

    /// Body `i` after [`outward`], its subtree after [`inward`].
    #[inline(always)]
    pub(super) fn load(&self, tree: &Tree, i: usize) -> Load<T> {
        let (group, lane) = self.at(tree.bodies[i].slot);
        Load { I: group.I.lane(lane), B: group.B.lane(lane), f: group.f.lane(lane) }
    }

    /// A force from outside on body `i`, to be called between [`outward`] and [`inward`].
    #[inline(always)]
    pub(super) fn push(&mut self, tree: &Tree, i: usize, F: Force<T>) {
        let (Group { f, .. }, lane) = self.at_mut(tree.bodies[i].slot);
        f.set_lane(lane, f.lane(lane) - F);
    }

    /// How degree of freedom `k` moves, after [`outward`].
    #[inline(always)]
    pub(super) fn axis(&self, k: usize) -> Axis<T> {
        let (Group { S, psi_dot, psi_ddot, rate, .. }, lane) = self.at(k);
        Axis { S: S.lane(lane), psi_dot: psi_dot.lane(lane), psi_ddot: psi_ddot.lane(lane), rate: rate.lane(lane) }
    }

    #[inline(always)]
    pub(super) fn S(&self, k: usize) -> Motion<T> {
        let (group, lane) = self.at(k);
        group.S.lane(lane)
    }

    /// Takes from t₃ of degree of freedom `k`, between [`inward`] and [`fill`].
    #[inline(always)]
    pub(super) fn sub_t3(&mut self, k: usize, F: Force<T>) {
        let (column, lane) = (&mut self.columns[k / width::<T>()], k % width::<T>());
        for (t3, F) in column.above[0].iter_mut().zip(F.to_array()) {
            t3.set_lane(lane, t3.lane(lane) - F);
        }
    }
}

/// How many degrees of freedom go side by side.
#[inline(always)]
const fn width<T: Real>() -> usize {
    <T::Wide as Wide<T>>::WIDTH
}

#[inline(always)]
pub(super) fn outward<T: Real>(
    tree: &Tree,
    turns: &[(T, T)],
    q: &[T],
    qd: &[T],
    qdd: &[T],
    gravity: Vec3<T>,
    scratch: &mut Scratch<T>,
) {
    move_bodies(tree, turns, q, qd, qdd, gravity, scratch);
    for (k, group) in scratch.groups.iter_mut().enumerate() {
        let (v, v_p, S) = (group.v, group.v_p, group.S);
        group.psi_dot = v_p.cross(S); // (1)
        group.psi_ddot = v_p.cross_add(group.psi_dot, group.a_p.cross(S));
        group.rate = group.psi_dot + group.psi_dot; // one dof: Ṡ = Ψ̇

        let (mass, com, about_com) = tree.inertias.at::<T, T::Wide>(k * width::<T>());
        let I = ground::inertia_of(mass, com, about_com, &group.X);
        let momentum = I * v;
        group.f = v.cross_force_add(momentum, I * group.a); // (3)
        group.B = Coriolis::of_body(&I, v, momentum);
        group.I = I;
    }
    for &i in &tree.wide_joints {
        let body = &tree.bodies[i];
        let (group, lane) = scratch.at(body.slot);
        let v: Motion<T> = group.v.lane(lane);
        for k in body.v.clone() {
            let (Group { S, psi_dot, rate, .. }, lane) = scratch.at_mut(k);
            rate.set_lane(lane, v.cross_add(S.lane(lane), psi_dot.lane(lane)));
        }
    }
}

/// Placements and (2), body by body.
#[inline(always)]
fn move_bodies<T: Real>(
    tree: &Tree,
    turns: &[(T, T)],
    q: &[T],
    qd: &[T],
    qdd: &[T],
    gravity: Vec3<T>,
    scratch: &mut Scratch<T>,
) {
    let (group, lane) = scratch.at_mut(tree.bodies[0].slot);
    group.X.set_lane(lane, ground::origin(tree, q, turns));
    group.v.set_lane(lane, Motion::zero());
    group.a.set_lane(lane, Motion::new(-gravity, Vec3::zero()));

    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        let (parent, lane) = scratch.at(tree.bodies[body.parent].slot);
        let X_p: Transform<T> = parent.X.lane(lane);
        let (v_p, a_p): (Motion<T>, Motion<T>) = (parent.v.lane(lane), parent.a.lane(lane));

        let X = ground::place(body, &X_p, q, turns);
        let (mut v_joint, mut a) = (Motion::zero(), a_p);
        for (k, dof) in body.v.clone().enumerate() {
            let S = body.joint.axis(k, &X);
            v_joint = S.scale_add(qd[dof], v_joint); // (2)
            a = S.scale_add(qdd[dof], a);
            let (group, lane) = scratch.at_mut(dof);
            group.S.set_lane(lane, S);
            group.v_p.set_lane(lane, v_p);
            group.a_p.set_lane(lane, a_p);
        }
        let (group, lane) = scratch.at_mut(body.slot);
        group.X.set_lane(lane, X);
        group.v.set_lane(lane, v_p + v_joint);
        group.a.set_lane(lane, v_p.cross_add(v_joint, a));
    }
}

#[inline(always)]
pub(super) fn inward<T: Real>(tree: &Tree, scratch: &mut Scratch<T>, tau: &mut [T]) {
    sum_subtrees(tree, scratch);
    let Scratch { groups, columns, rows } = scratch;
    for (k, first) in (0..tree.dofs.len()).step_by(width::<T>()).enumerate() {
        let group = &groups[k];
        let (S, I, B, f) = (group.S, group.I, group.B, group.f);
        let t1 = I * S; // (5)
        let t2 = B.mul_add(S.ang, I * group.rate);
        let t3 = B.mul_add(group.psi_dot.ang, S.cross_force_add(f, I * group.psi_ddot)); // (6)
        let t4 = B.tr_mul(S);
        S.dot(f).store(&mut tau[first..]);
        rows.put(first, S, t1, t4);
        let column = &mut columns[k];
        column.above = [t3.to_array(), t2.to_array(), t1.to_array()];
        column.below = [group.psi_ddot.to_array(), group.rate.to_array(), S.to_array()];
        column.psi_dot = group.psi_dot.ang.to_array();
    }
}

/// (4), body by body; where a joint has several degrees of freedom, every one of them gets to know the sum.
#[inline(always)]
fn sum_subtrees<T: Real>(tree: &Tree, scratch: &mut Scratch<T>) {
    for i in (1..tree.bodies.len()).rev() {
        let Load { I, B, f } = scratch.load(tree, i);
        let (parent, lane) = scratch.at_mut(tree.bodies[tree.bodies[i].parent].slot);
        parent.I.set_lane(lane, parent.I.lane(lane) + I);
        parent.B.set_lane(lane, parent.B.lane(lane) + B);
        parent.f.set_lane(lane, parent.f.lane(lane) + f);
    }
    for &i in &tree.wide_joints {
        let Load { I, B, f } = scratch.load(tree, i);
        for k in tree.bodies[i].v.clone() {
            let (group, lane) = scratch.at_mut(k);
            group.I.set_lane(lane, I);
            group.B.set_lane(lane, B);
            group.f.set_lane(lane, f);
        }
    }
}

#[inline(always)]
pub(super) fn fill<T: Real>(tree: &Tree, scratch: &Scratch<T>, dq: &mut [T], dv: &mut [T], da: &mut [T]) {
    scratch.rows.fill(tree, &scratch.columns, &mut Outputs { dq, dv, da }); // (7) to (10)
}
