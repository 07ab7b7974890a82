//! Derivatives of inverse dynamics: IDSVA.
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`](crate::sweeps::ground::origin). `p`
//! is the parent of `i`.
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
//! Source: [Singh22] Alg. 1. A plain version, line by line as printed, is
//! `dtau-methods/src/idsva_printed.rs`.
//!
//! | line of Alg. 1 | here | where |
//! | --- | --- | --- |
//! | 1 to 4: v, a | (2) | [`Bodies::move_all`] |
//! | 5 to 7: Ṡ, Ψ̇, Ψ̈ | (1) | [`rates`] |
//! | 8: I | (3) | [`Bodies::weigh`] |
//! | 9: B | (3) | [`rates`] |
//! | 10: f | (3) | [`Bodies::load_all`], [`Bodies::push`] |
//! | 13 to 16: t₁ … t₄ | (5), (6) | [`columns`] |
//! | 17, 18: on the path | (9) | [`Rows::fill`] |
//! | 19, 20: in the subtree | (7), (8) | [`Rows::fill`] |
//! | 21 to 23: sums | (4) | [`sum_subtrees`] |
//!
//! Departure: only placements and (2) outward, and the sums (4) inward, go from body to body, since they
//! depend on the parent or the children. The rest is computed for several bodies or degrees of freedom side
//! by side ([`SideBySide`]), with the same gain on chains as on bushes.

use super::fill::{ColumnFactors, Rows};
use super::stiffness::{self, Stiffness};
use crate::dispatch::Register;
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::scene::Scene;
use crate::spatial::{Coriolis, Motion, lanewise};
use crate::sweeps::bodies::{Bodies, Load, Moving, Placed};
use crate::sweeps::side_by_side::{SideBySide, width};
use alloc::vec;
use alloc::vec::Vec;
use core::hint::black_box;

/// Computes the torques and their derivatives, from bodies that have motions and inertias: with respect to q,
/// with a second matrix to q̇, with a third M. Joint effects are not included. The bodies' inertias and
/// forces become those of their subtrees.
#[inline(always)]
pub(super) fn idsva<T: Real, const N: usize>(
    scene: &Scene<'_, T>,
    bodies: &mut Bodies<T>,
    room: &mut Room<T>,
    tau: &mut [T],
    out: [&mut [T]; N],
    zeros_in_place: bool,
) {
    bodies.load_all(); // (3)
    idsva_of_loaded(scene, bodies, room, tau, out, zeros_in_place);
}

/// Same as [`idsva`], for bodies whose forces already contain everything but the scene's wrenches.
#[inline(always)]
pub(crate) fn idsva_of_loaded<T: Real, const N: usize>(
    scene: &Scene<'_, T>,
    bodies: &mut Bodies<T>,
    room: &mut Room<T>,
    tau: &mut [T],
    mut out: [&mut [T]; N],
    zeros_in_place: bool,
) {
    let tree = scene.model.tree();
    // Wrenches that move with their bodies are handled as ordinary forces. Without black_box LLVM duplicates
    // the code between the branches.
    let moving = stiffness::all_move_with_bodies(scene);
    let moving = || black_box(moving);

    if moving() {
        bodies.push(scene);
    }
    rates(tree, bodies, room); // (1), (3)
    sum_subtrees(tree, bodies, room); // (4)
    columns(tree, bodies, room, tau); // (5), (6)
    if !moving() {
        stiffness::of_subtrees(scene, tree, bodies, &mut room.stiffness);
        add_stiffness(tree, bodies, room, tau);
    }
    room.rows.fill(tree, &room.columns, &mut out, zeros_in_place); // (7) to (10)
    if !moving() {
        add_stiffness_below(tree, bodies, |i| &room.stiffness[i], out[0]);
    }
}

/// Derivatives of a degree of freedom's motion axis.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rates<W> {
    pub(crate) psi_dot: Motion<W>,
    pub(crate) psi_ddot: Motion<W>,
    /// Ṡ + Ψ̇
    pub(crate) rate: Motion<W>,
}

lanewise! { Rates { psi_dot, psi_ddot, rate } }

/// Workspace of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Room<T: Real> {
    /// 2B of every body; from (4) on, of its subtree.
    pub(super) B: SideBySide<T, Coriolis<Register<T>>>,
    pub(crate) rates: SideBySide<T, Rates<Register<T>>>,
    /// S, t₁, t₄, and the factors of the columns: the input of the fill.
    pub(super) rows: Rows<T>,
    pub(super) columns: ColumnFactors<T>,
    /// Stiffness of every subtree, for wrenches that do not move with their bodies.
    pub(super) stiffness: Vec<Stiffness<T>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self {
            B: SideBySide::new(tree),
            rates: SideBySide::new(tree),
            rows: Rows::new(),
            columns: ColumnFactors::new(tree),
            stiffness: vec![Stiffness::default(); tree.bodies.len()],
        }
    }

    /// Allocates the blocks of the fill.
    pub(crate) fn make_room(&mut self, tree: &Tree) {
        tree.path_runs();
        self.rows.make_room(tree);
    }
}

/// (1), and B of (3). Motions and the rest of (3) are already in `bodies`.
#[inline(always)]
pub(super) fn rates<T: Real>(tree: &Tree, bodies: &Bodies<T>, room: &mut Room<T>) {
    let by_body = bodies.load.neighbours.iter().zip(&bodies.placed.neighbours).zip(&mut room.B.neighbours);
    for ((&Load { I, .. }, &Placed { v, .. }), B) in by_body {
        *B = Coriolis::of_body(&I, v, I * v);
    }
    let by_dof = bodies.S.neighbours.iter().zip(&bodies.parent.neighbours).zip(&mut room.rates.neighbours);
    for ((&S, &Moving { v: v_p, a: a_p }), rates) in by_dof {
        let psi_dot = v_p.cross(S); // (1)
        let psi_ddot = v_p.cross_add(psi_dot, a_p.cross(S));
        *rates = Rates { psi_dot, psi_ddot, rate: psi_dot + psi_dot }; // one dof: Ṡ = Ψ̇
    }
    for &i in &tree.wide_joints {
        let body = &tree.bodies[i];
        let Placed { v, .. } = bodies.placed.get(body.slot);
        for k in body.v.clone() {
            let rates: Rates<T> = room.rates.get(k);
            room.rates.set(k, Rates { rate: v.cross_add(bodies.S.get(k), rates.psi_dot), ..rates });
        }
    }
}

/// (4). Each degree of freedom of a joint gets the same sum.
#[inline(always)]
pub(super) fn sum_subtrees<T: Real>(tree: &Tree, bodies: &mut Bodies<T>, room: &mut Room<T>) {
    let (load, B) = (&mut bodies.load, &mut room.B);
    for (_, body) in tree.inward() {
        load.add::<Load<T>>(body.parent_slot, load.get(body.slot));
        B.add::<Coriolis<T>>(body.parent_slot, B.get(body.slot));
    }
    load.spread::<Load<T>>(tree);
    B.spread::<Coriolis<T>>(tree);
}

/// (5), (6), and the torques.
#[inline(always)]
pub(super) fn columns<T: Real>(tree: &Tree, bodies: &Bodies<T>, room: &mut Room<T>, tau: &mut [T]) {
    let by_dof =
        bodies.S.neighbours.iter().zip(&bodies.load.neighbours).zip(&room.B.neighbours).zip(&room.rates.neighbours);
    for (first, (((&S, &Load { I, f }), &B), rates)) in (0..tree.dofs.len()).step_by(width::<T>()).zip(by_dof) {
        let &Rates { psi_dot, psi_ddot, rate } = rates;
        let t1 = I * S; // (5)
        let t2 = B.mul_add(S.ang, I * rate);
        let t3 = B.mul_add(psi_dot.ang, S.cross_force_add(f, I * psi_ddot)); // (6)
        let t4 = B.tr_mul(S);
        S.dot(f).store(&mut tau[first..]);
        room.rows.put(first, S, t1, t4);
        room.columns.put(first, [t3, t2, t1], [psi_ddot, rate, S], psi_dot.ang);
    }
}

/// Adds the contribution of wrenches to the torques and to t₃: [`stiffness`] (4).
#[inline(always)]
fn add_stiffness<T: Real>(tree: &Tree, bodies: &Bodies<T>, room: &mut Room<T>, tau: &mut [T]) {
    for (k, dof) in tree.dofs.iter().enumerate() {
        let (S, W) = (bodies.S.get(k), room.stiffness[dof.body]);
        tau[k] -= S.dot(W.F);
        room.columns.sub_t3(k, W.mul(S));
    }
}

/// Adds the contribution of wrenches where the row is below the column: [`stiffness`] (5).
#[inline(always)]
pub(super) fn add_stiffness_below<'a, T: Real>(
    tree: &Tree,
    bodies: &Bodies<T>,
    of_body: impl Fn(usize) -> &'a Stiffness<T>,
    dq: &mut [T],
) {
    let nv = tree.dofs.len();
    for (r, dof) in tree.dofs.iter().enumerate() {
        let row = of_body(dof.body).row(bodies.S.get(r));
        let body = &tree.bodies[dof.body];
        for run in tree.path_runs()[body.path.clone()].iter().cloned().chain([body.v.clone()]) {
            for c in run {
                dq[c * nv + r] -= bodies.S.get(c).dot(row);
            }
        }
    }
}
