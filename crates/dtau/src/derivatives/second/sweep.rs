//! The passes of the Hessian of wᵀτ: those shared with IDSVA, and the additional ones.
//!
//! Ground coordinates throughout, as in [`idsva`](crate::derivatives::idsva), which defines S, Ψ̇, Ψ̈,
//! Ṡ + Ψ̇, I, 2B, f, t₁ to t₃. `p` is the parent *body*; `ω_x` is the angular part of a motion x. A result of
//! 2Bᵀ has no linear part: it is three numbers.
//!
//! ```text
//! outward   z = zₚ + S w                           Θ = zₚ × S                               (1)
//! body      ā = I z                                ψ̄ = 2Bᵀ z                                (2)
//!           2Bᶻ = 2B[I; z]: B, built on z where it is built on v                             (3)
//! inward    āᶜ, ψ̄ᶜ, Bᶻᶜ: sums over the subtree                                              (4)
//! gradient  ℓ_q = Θ·fᶜ + Ψ̈·āᶜ + ω_Ψ̇·ψ̄ᶜ                                                     (5)
//!           ℓ_v = (Ṡ + Ψ̇)·āᶜ + ω_S·ψ̄ᶜ              ℓ_a = S·āᶜ                              (6)
//! columns   t₅ = Iᶜ Θ + S ×* āᶜ                     t₆ = 2Bᶜᵀ Θ − 2Bᶻᶜᵀ Ψ̇ + ω_S × ψ̄ᶜ         (7)
//!           t₇ = −2Bᶻᶜᵀ S                                                                    (8)
//! ```
//!
//! ℓ = wᵀτ; its derivatives have an index. `z` is the motion of a body when the joints move with `w`, as in
//! [`vjp`](crate::derivatives::vjp). Bᶻ is stored as its symmetric part and ā ([`CoriolisSymmetric`]).
//!
//! Source: derived here; see the book, `docs/second-order.md`.

use super::fill::{Columns, Rows};
use super::stiffness::Curvature;
use crate::derivatives::fd::coupling::Coupled;
use crate::derivatives::idsva::{self, Rates};
use crate::dispatch::Register;
use crate::model::{Model, Tree};
use crate::scalar::{Real, Wide};
use crate::scene::Scene;
use crate::spatial::{CoriolisSymmetric, Force, Motion, Vec3, lanewise};
use crate::sweeps::bodies::{Bodies, Load};
use crate::sweeps::side_by_side::{SideBySide, width};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Add;

/// Covectors passed back to Ψ̈ and Ψ̇; and Bᶻ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bars<W> {
    pub(super) a_bar: Force<W>,
    psi_bar: Vec3<W>,
    Bz: CoriolisSymmetric<W>,
}

lanewise! { Bars { a_bar, psi_bar, Bz } }

impl<T: Real> Add for Bars<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { a_bar: self.a_bar + other.a_bar, psi_bar: self.psi_bar + other.psi_bar, Bz: self.Bz + other.Bz }
    }
}

/// Workspace of forward dynamics: M⁻¹, ∂ID/∂q and ∂ID/∂q̇; q̈ and unused torques.
#[derive(Debug, Default)]
pub(super) struct OfFd<T> {
    pub(super) squares: [Vec<T>; 3],
    pub(super) vectors: [Vec<T>; 2],
}

/// Workspace of these algorithms: O(N), plus that of fills and forward dynamics once they are needed.
#[derive(Debug)]
pub(crate) struct Room<T: Real> {
    /// z of every body, and the parent's z for every degree of freedom.
    pub(super) z: SideBySide<T, Motion<Register<T>>>,
    z_parent: SideBySide<T, Motion<Register<T>>>,
    pub(super) bars: SideBySide<T, Bars<Register<T>>>,
    pub(super) rows: Rows<T>,
    pub(super) columns: Columns<T>,
    /// Curvature of every subtree, for wrenches that do not move with their bodies.
    pub(super) curvature: Vec<Curvature<T>>,
    pub(super) of_fd: OfFd<T>,
    /// Factors of ℓ_qa for every degree of freedom, used on deep trees.
    pub(in crate::derivatives) coupled: Vec<Coupled<T>>,
    /// Skew parts of the blocks of joints with several degrees of freedom.
    pub(super) skew: Vec<T>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let pairs = tree.wide_joints.iter().map(|&i| tree.bodies[i].v.len().pow(2)).sum();
        Self {
            z: SideBySide::new(tree),
            z_parent: SideBySide::new(tree),
            bars: SideBySide::new(tree),
            rows: Rows::new(),
            columns: Columns::new(tree),
            curvature: vec![Curvature::default(); tree.bodies.len()],
            skew: vec![T::zero(); pairs],
            of_fd: OfFd { squares: Default::default(), vectors: Default::default() },
            coupled: Vec::new(),
        }
    }

    /// Allocates the matrices of forward dynamics.
    pub(super) fn make_squares(&mut self, model: &Model) {
        let (nv, dofs) = (model.nv(), model.tree().dofs.len());
        self.of_fd.squares.iter_mut().for_each(|square| square.resize(nv * nv, T::zero()));
        self.of_fd.vectors.iter_mut().for_each(|vector| vector.resize(dofs, T::zero()));
        self.coupled.resize(dofs, Coupled::default());
    }

    /// Allocates the blocks of the fill.
    pub(super) fn make_room(&mut self, tree: &Tree) {
        tree.path_runs();
        self.rows.make_room(tree);
    }
}

/// (1) to (8) and IDSVA's (1) to (6), for bodies that have motions and inertias. Joint effects are not
/// included. The bodies' inertias and forces become those of their subtrees.
#[inline(always)]
pub(super) fn sweep<T: Real>(
    scene: &Scene<'_, T>,
    bodies: &mut Bodies<T>,
    id: &mut idsva::Room<T>,
    room: &mut Room<T>,
    w: &[T],
    gradient: [&mut [T]; 3],
) {
    let tree = scene.model.tree();
    bodies.load_all();
    bodies.push(scene);
    idsva::rates(tree, bodies, id);
    pass_on(tree, bodies, room, w);
    by_body(bodies, id, room);
    idsva::sum_subtrees(tree, bodies, id);
    let bars = &mut room.bars;
    for (_, body) in tree.inward() {
        bars.add::<Bars<T>>(body.parent_slot, bars.get(body.slot)); // (4)
    }
    bars.spread::<Bars<T>>(tree);
    columns(tree, bodies, id, room, gradient);
}

/// (1)
#[inline(always)]
fn pass_on<T: Real>(tree: &Tree, bodies: &Bodies<T>, room: &mut Room<T>, w: &[T]) {
    room.z.set(tree.bodies[0].slot, Motion::<T>::zero());
    for (_, body) in tree.outward() {
        let z_p: Motion<T> = room.z.get(body.parent_slot);
        let mut z = z_p;
        for dof in body.v.clone() {
            room.z_parent.set(dof, z_p);
            z = bodies.S.get(dof).scale_add(w[dof], z);
        }
        room.z.set(body.slot, z);
    }
}

/// (2), (3)
#[inline(always)]
fn by_body<T: Real>(bodies: &Bodies<T>, id: &idsva::Room<T>, room: &mut Room<T>) {
    let by_body = bodies.load.neighbours.iter().zip(&id.B.neighbours).zip(&room.z.neighbours);
    for (((Load { I, .. }, B), &z), bars) in by_body.zip(&mut room.bars.neighbours) {
        *bars = Bars { a_bar: *I * z, psi_bar: B.tr_mul(z), Bz: CoriolisSymmetric::of_body(I, z) };
    }
}

/// (5) to (8)
#[inline(always)]
fn columns<T: Real>(
    tree: &Tree,
    bodies: &Bodies<T>,
    id: &idsva::Room<T>,
    room: &mut Room<T>,
    [dq, dv, da]: [&mut [T]; 3],
) {
    let by_dof = bodies.S.neighbours.iter().zip(&bodies.load.neighbours).zip(&id.B.neighbours);
    let by_dof = by_dof.zip(&id.rates.neighbours).zip(&room.z_parent.neighbours).zip(&room.bars.neighbours);
    let first = (0..tree.dofs.len()).step_by(width::<T>());
    for (first, (((((&S, &Load { I, f }), B), rates), z_p), bars)) in first.zip(by_dof) {
        let (&Rates { psi_dot, psi_ddot, rate }, &Bars { a_bar, psi_bar, Bz }) = (rates, bars);
        let theta = z_p.cross(S); // (1)
        psi_dot.ang.dot(psi_bar).add(psi_ddot.dot(a_bar)).add(theta.dot(f)).store(&mut dq[first..]); // (5)
        rate.dot(a_bar).add(S.ang.dot(psi_bar)).store(&mut dv[first..]); // (6)
        S.dot(a_bar).store(&mut da[first..]);

        let t1 = I * S;
        let t2 = B.mul_add(S.ang, I * rate);
        let t3 = B.mul_add(psi_dot.ang, S.cross_force_add(f, I * psi_ddot));
        let t5 = S.cross_force_add(a_bar, I * theta); // (7)
        let t6 = S.ang.cross_add(psi_bar, B.tr_mul(theta)) - Bz.tr_mul(a_bar, psi_dot);
        let t7 = -Bz.tr_mul(a_bar, S); // (8)
        room.rows.put(first, [theta.to_array(), t3.to_array(), t5.to_array()], [psi_dot.ang, S.ang, t6, t7]);
        room.columns.put(first, [t2, t1], t7, [theta, psi_ddot, rate, S], psi_dot.ang);
    }
}

/// Adds the contribution of wrenches that do not move with their bodies to the gradient and to t₃:
/// [`stiffness`](super::stiffness) (4), (5).
#[inline(always)]
pub(super) fn add_stiffness<T: Real>(scene: &Scene<'_, T>, bodies: &Bodies<T>, room: &mut Room<T>, dq: &mut [T]) {
    let tree = scene.model.tree();
    super::stiffness::of_subtrees(scene, bodies, &room.z, &mut room.curvature);
    for (c, dof) in tree.dofs.iter().enumerate() {
        let (S, of_subtree): (Motion<T>, _) = (bodies.S.get(c), &room.curvature[dof.body]);
        dq[c] -= S.dot(of_subtree.k);
        room.rows.sub_t3(c, of_subtree.W.behind(S));
    }
}
