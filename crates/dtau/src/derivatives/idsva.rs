//! Derivatives of inverse dynamics: IDSVA.
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`](crate::sweeps::ground::origin). `p` is the parent of `i`.
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
//! Source: [Singh22] Alg. 1. Its plain twin, line by line as printed, is `dtau-methods/src/idsva_printed.rs`.
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
//! Departure: only what a body must wait for its parent with goes from body to body: placements and (2) outward, the sums (4) inward.
//! The rest is done for several bodies, or degrees of freedom, side by side ([`Bodies`]), which gains on a chain as much as on a bush.

use super::fill::{Columns, Rows};
use super::stiffness::{self, Stiffness};
use crate::dispatch::Register;
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::scene::Scene;
use crate::spatial::{Coriolis, Force, Lanewise, Motion};
use crate::sweeps::bodies::{Bodies, width};
use alloc::vec;
use alloc::vec::Vec;
use core::hint::black_box;

/// The torques of bodies that move and have inertia, and their derivatives by q and q̇; with a third matrix, that is M. Without what
/// the joints themselves add. The bodies' inertias and forces become those of their subtrees.
#[inline(always)]
pub(super) fn idsva<T: Real, const N: usize>(
    scene: &Scene<'_, T>,
    bodies: &mut Bodies<T>,
    s: &mut Scratch<T>,
    tau: &mut [T],
    mut out: [&mut [T]; N],
    zeros_in_place: bool,
) {
    let tree = scene.model.tree();
    // Wrenches that move with their bodies are forces like others. black_box, or LLVM duplicates the code between the branches.
    let moving = stiffness::all_move_with_bodies(scene);
    let moving = || black_box(moving);

    bodies.load_all(); // (3)
    if moving() {
        bodies.push(scene);
    }
    rates(tree, bodies, s); // (1), (3)
    sum_subtrees(tree, bodies, s); // (4)
    columns(tree, bodies, s, tau); // (5), (6)
    if !moving() {
        stiffness::of_subtrees(scene, tree, bodies, &mut s.stiffness);
        add_stiffness(tree, bodies, s, tau);
    }
    s.rows.fill(tree, &s.columns, out.each_mut().map(|x| &mut **x), zeros_in_place); // (7) to (10)
    if !moving() {
        add_stiffness_below(tree, bodies, &s.stiffness, out[0]);
    }
}

/// What the derivatives need beside [`Bodies`], side by side like those.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbours<W> {
    /// Of the body; from (4) on of its subtree.
    B: Coriolis<W>,
    psi_dot: Motion<W>,
    psi_ddot: Motion<W>,
    /// Ṡ + Ψ̇
    rate: Motion<W>,
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
    neighbours: Vec<Neighbours<Register<T>>>,
    pub(super) columns: Vec<Columns<Register<T>>>,
    /// S, t₁, t₄: what the fill streams over.
    rows: Rows<T>,
    /// Of every subtree, for wrenches that do not move with their bodies.
    pub(super) stiffness: Vec<Stiffness<T>>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let groups = (tree.dofs.len() + 1).div_ceil(width::<T>());
        Self {
            neighbours: vec![Neighbours::default(); groups],
            columns: vec![Columns::default(); groups],
            rows: Rows::new(),
            stiffness: vec![Stiffness::default(); tree.bodies.len()],
        }
    }

    /// For the fill, and the plan that it follows.
    pub(super) fn make_room(&mut self, tree: &Tree) {
        tree.path_runs();
        self.rows.make_room(tree);
    }

    /// 2B of body `i` after [`rates`], of its subtree after [`sum_subtrees`].
    #[inline(always)]
    pub(super) fn B(&self, tree: &Tree, i: usize) -> Coriolis<T> {
        let slot = tree.bodies[i].slot;
        self.neighbours[slot / width::<T>()].B.lane(slot % width::<T>())
    }

    /// How degree of freedom `k` moves, after [`rates`].
    #[inline(always)]
    pub(super) fn axis(&self, bodies: &Bodies<T>, k: usize) -> Axis<T> {
        let (group, lane) = (&self.neighbours[k / width::<T>()], k % width::<T>());
        let Neighbours { psi_dot, psi_ddot, rate, .. } = group;
        let (psi_dot, psi_ddot, rate) = (psi_dot.lane(lane), psi_ddot.lane(lane), rate.lane(lane));
        Axis { S: bodies.S(k), psi_dot, psi_ddot, rate }
    }

    /// Takes from t₃ of degree of freedom `k`, between [`columns`] and the fill.
    #[inline(always)]
    pub(super) fn sub_t3(&mut self, k: usize, F: Force<T>) {
        let (column, lane) = (&mut self.columns[k / width::<T>()], k % width::<T>());
        for (t3, F) in column.above[0].iter_mut().zip(F.to_array()) {
            t3.set_lane(lane, t3.lane(lane) - F);
        }
    }
}

/// (1) and B of (3); bodies that move and carry loads have the rest.
#[inline(always)]
pub(super) fn rates<T: Real>(tree: &Tree, bodies: &Bodies<T>, scratch: &mut Scratch<T>) {
    for (body, group) in bodies.groups.iter().zip(&mut scratch.neighbours) {
        let (S, v_p) = (body.S, body.v_p);
        let psi_dot = v_p.cross(S); // (1)
        group.psi_dot = psi_dot;
        group.psi_ddot = v_p.cross_add(psi_dot, body.a_p.cross(S));
        group.rate = psi_dot + psi_dot; // one dof: Ṡ = Ψ̇
        group.B = Coriolis::of_body(&body.I, body.v, body.I * body.v);
    }
    for &i in &tree.wide_joints {
        let (group, lane) = bodies.at(tree.bodies[i].slot);
        let v: Motion<T> = group.v.lane(lane);
        for k in tree.bodies[i].v.clone() {
            let (group, lane) = (&mut scratch.neighbours[k / width::<T>()], k % width::<T>());
            group.rate.set_lane(lane, v.cross_add(bodies.S(k), group.psi_dot.lane(lane)));
        }
    }
}

/// (5), (6), and the torques.
#[inline(always)]
fn columns<T: Real>(tree: &Tree, bodies: &Bodies<T>, scratch: &mut Scratch<T>, tau: &mut [T]) {
    let Scratch { neighbours, columns, rows, .. } = scratch;
    for (k, first) in (0..tree.dofs.len()).step_by(width::<T>()).enumerate() {
        let (body, group, column) = (&bodies.groups[k], &neighbours[k], &mut columns[k]);
        let (S, I, B, f) = (body.S, body.I, group.B, body.f);
        let t1 = I * S; // (5)
        let t2 = B.mul_add(S.ang, I * group.rate);
        let t3 = B.mul_add(group.psi_dot.ang, S.cross_force_add(f, I * group.psi_ddot)); // (6)
        let t4 = B.tr_mul(S);
        S.dot(f).store(&mut tau[first..]);
        rows.put(first, S, t1, t4);
        column.above = [t3.to_array(), t2.to_array(), t1.to_array()];
        column.below = [group.psi_ddot.to_array(), group.rate.to_array(), S.to_array()];
        column.psi_dot = group.psi_dot.ang.to_array();
    }
}

/// (4), body by body; where a joint has several degrees of freedom, the sum is copied to the lane of each.
#[inline(always)]
fn sum_subtrees<T: Real>(tree: &Tree, bodies: &mut Bodies<T>, scratch: &mut Scratch<T>) {
    for i in (1..tree.bodies.len()).rev() {
        let ((I, f), B) = (bodies.load(tree, i), scratch.B(tree, i));
        let slot = tree.bodies[tree.bodies[i].parent].slot;
        let (parent, lane) = bodies.at_mut(slot);
        parent.I.set_lane(lane, parent.I.lane(lane) + I);
        parent.f.set_lane(lane, parent.f.lane(lane) + f);
        let parent = &mut scratch.neighbours[slot / width::<T>()];
        parent.B.set_lane(lane, parent.B.lane(lane) + B);
    }
    for &i in &tree.wide_joints {
        let ((I, f), B) = (bodies.load(tree, i), scratch.B(tree, i));
        for k in tree.bodies[i].v.clone() {
            let (group, lane) = bodies.at_mut(k);
            group.I.set_lane(lane, I);
            group.f.set_lane(lane, f);
            scratch.neighbours[k / width::<T>()].B.set_lane(lane, B);
        }
    }
}

/// What wrenches add to the torques, and to t₃: [`stiffness`] (4).
#[inline(always)]
fn add_stiffness<T: Real>(tree: &Tree, bodies: &Bodies<T>, s: &mut Scratch<T>, tau: &mut [T]) {
    for (k, dof) in tree.dofs.iter().enumerate() {
        let (S, W) = (bodies.S(k), s.stiffness[dof.body]);
        tau[k] -= S.dot(W.F);
        s.sub_t3(k, W.mul(S));
    }
}

/// What they add where the row is below the column: [`stiffness`] (5).
#[inline(always)]
fn add_stiffness_below<T: Real>(tree: &Tree, bodies: &Bodies<T>, stiffness: &[Stiffness<T>], dq: &mut [T]) {
    let nv = tree.dofs.len();
    for (r, dof) in tree.dofs.iter().enumerate() {
        let row = stiffness[dof.body].row(bodies.S(r));
        let body = &tree.bodies[dof.body];
        for run in tree.path_runs()[body.path.clone()].iter().cloned().chain([body.v.clone()]) {
            for c in run {
                dq[c * nv + r] -= bodies.S(c).dot(row);
            }
        }
    }
}
