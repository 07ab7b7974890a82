//! Derivatives with respect to joint placements, for calibration.
//!
//! Ground coordinates; every limb has its origin at its foot ([`Bodies`]). The placement of joint `j` in its
//! parent `p` becomes X Exp(δ), where δ is a motion of the joint's fixed side in its own axes. A joint of six
//! degrees of freedom between the two, at rest, would do the same. So the columns are those of IDSVA
//! ([`idsva`](super::idsva)), with `S` the six unit motions at the joint's fixed side:
//!
//! ```text
//! Ψ̇ = vₚ × S                       Ψ̈ = aₚ × S + vₚ × Ψ̇                                   (1)
//! rows above j:   ∂τᵣ/∂δ = Sᵣ·(2Bᶜ Ψ̇ + Iᶜ Ψ̈ + S ×* fᶜ)           Bᶜ, Iᶜ, fᶜ of j         (2)
//! rows from j on: ∂τᵣ/∂δ = t₄ᵣ·Ψ̇ + t₁ᵣ·Ψ̈                         t₁ = Iᶜ Sᵣ, t₄ = 2BᶜᵀSᵣ  (3)
//! frames from j on move by S                                                              (4)
//! ```
//!
//! Wrenches that do not move with their bodies add their stiffness; see [`stiffness`] (4), (5).
//! Source: [Singh22] Alg. 1, lines 15, 17, 19, applied to that fictitious joint.

use super::idsva;
use super::stiffness::{self, Stiffness};
use crate::dispatch::Register;
use crate::door::Size::{FramePlacements, JointPlacements, Nq, Nv};
use crate::door::{Algorithm, Done, In, Surrounding, To, declare};
use crate::engines::Scratch;
use crate::kinematics::{BodyMotions, Reference, move_frame};
use crate::model::{FrameId, JointInfo, Model, Tree};
use crate::scalar::{Real, Wide};
use crate::scene::Scene;
use crate::spatial::{Force, Motion, Transform, Vec3};
use crate::sweeps::bodies::{Load, Placed};
use crate::sweeps::side_by_side::{SideBySide, width};
use alloc::vec;
use alloc::vec::Vec;

declare! {
    /// Derivative of [`rnea`](crate::rnea()) with respect to the placements of the joints in their parent
    /// links, for calibration.
    ///
    /// - `q` (nq), `v`, `a` (nv); `dtau_dplacement`: nv × 6 for every joint of [`Model::joints`], by columns;
    ///   every entry is written; O(N) per column.
    /// - The placement `X` of a joint in its parent link becomes `X Exp(δ)`. The six columns of a joint are
    ///   with respect to δ, a motion of its fixed side in its own axes (those of its child link at zero),
    ///   linear part first. The links beyond the joint, and wrenches in their frames, move with it.
    /// - A mimicking joint has its own placement and columns. A fixed joint has none: its link is merged into
    ///   the parent.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn id_calibration(q: Nq, v: Nv, a: Nv) -> (slice dtau_dplacement: JointPlacements) by IdCalibration, under Surrounding::ALL
}

declare! {
    /// Derivative of a frame's placement with respect to the placements of the joints, for calibration.
    ///
    /// - `q` (nq); `j`: 6 × 6 for every joint of [`Model::joints`], by columns, linear rows first; every
    ///   entry is written; O(N).
    /// - Each column is the motion of the frame for a unit δ as in [`id_calibration`], in the reference frame
    ///   used for velocities. It is zero for joints that do not carry the frame.
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_calibration { frame: FrameId, reference: Reference }(q: Nq) -> (slice j: FramePlacements)
    by FrameCalibration, under &[]
}

impl Algorithm<3, 1> for IdCalibration {
    const DIVIDES: bool = false;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, a]: In<T, 3>, [out]: To<T, 1>) -> Done {
        let (model, tree, nv) = (scene.model, scene.model.tree(), scene.model.tree().dofs.len());
        let Scratch { turns, bodies, id, calibration: Room { t1, t4, above, below }, .. } = s;
        bodies.move_all::<true>(tree, turns.update(tree, q), q, v, Some(a), Vec3::lift(scene.gravity));
        bodies.weigh(tree);
        bodies.load_all();
        let moving = stiffness::all_move_with_bodies(scene);
        if moving {
            bodies.push(scene);
        } else {
            stiffness::of_subtrees(scene, tree, bodies, &mut id.stiffness);
        }
        idsva::rates(tree, bodies, id);
        idsva::sum_subtrees(tree, bodies, id);
        let by_dof = bodies.S.neighbours.iter().zip(&bodies.load.neighbours).zip(&id.B.neighbours);
        for (((&S, &Load { I, .. }), B), (t1, t4)) in by_dof.zip(t1.neighbours.iter_mut().zip(&mut t4.neighbours)) {
            (*t1, *t4) = (I * S, B.tr_mul(S));
        }

        for (joint, columns) in model.joints().iter().zip(out.entries.chunks_exact_mut((6 * nv).max(1))) {
            let i = joint.bodies.start;
            let body = &tree.bodies[i];
            let parent = if body.parent == 0 { bodies.world(tree, i) } else { bodies.X(tree, body.parent) };
            let X = fixed_side(model, joint, parent);
            let Placed { v: v_p, a: a_p, .. } = bodies.placed.get(body.parent_slot);
            let (Load { I, f }, B): (Load<T>, _) =
                (bodies.load.get(body.slot), id.B.get::<crate::spatial::Coriolis<T>>(body.slot));
            mark(tree, i, above, below, width::<T>());
            for (S, column) in units(&X).into_iter().zip(columns.chunks_exact_mut(nv)) {
                let psi_dot = v_p.cross(S); // (1)
                let psi_ddot = v_p.cross_add(psi_dot, a_p.cross(S));
                let mut t3 = B.mul_add(psi_dot.ang, S.cross_force_add(f, I * psi_ddot)); // (2)
                if !moving {
                    t3 -= id.stiffness[i].mul(S);
                }
                let (t3, rate, rate2) = (splat_force(t3), splat(psi_dot.ang), splat_motion(psi_ddot));
                for (k, ((above, below), S)) in above.iter().zip(&*below).zip(&bodies.S.neighbours).enumerate() {
                    let from = t4.neighbours[k].dot(rate) + rate2.dot(t1.neighbours[k]); // (3)
                    let to = Register::<T>::pick(*above, S.dot(t3), Register::<T>::zero());
                    Register::<T>::pick(*below, from, to).store(&mut column[k * width::<T>()..]);
                }
                if !moving {
                    for (r, dof) in tree.dofs.iter().enumerate().take(body.dofs_end).skip(body.v.start) {
                        let stiffness: &Stiffness<T> = &id.stiffness[dof.body];
                        column[r] -= S.dot(stiffness.row(bodies.S.get(r)));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Algorithm<1, 1> for FrameCalibration {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, [j]: To<T, 1>) -> Done {
        let (model, bodies) = (scene.model, move_frame(scene, s, self.frame, q, None, None));
        let X_F = bodies.frame_X(model, self.frame);
        let carrier = model.frames()[self.frame.0].body_index();
        for (joint, columns) in model.joints().iter().zip(j.entries.as_chunks_mut::<36>().0) {
            let first = &model.tree().bodies[joint.bodies.start];
            if !(joint.bodies.start..first.bodies_end).contains(&carrier) {
                columns.fill(T::zero());
                continue;
            }
            let X = fixed_side(model, joint, bodies.body_X(first.parent));
            for (S, column) in units(&X).into_iter().zip(columns.as_chunks_mut::<6>().0) {
                *column = self.reference.express(&X_F, S).to_array(); // (4)
            }
        }
        Ok(())
    }
}

/// Placement of a joint's fixed side, in the axes of its child link at zero.
#[inline(always)]
fn fixed_side<T: Real>(model: &Model, joint: &JointInfo, parent: Transform<T>) -> Transform<T> {
    let (first, link) = (&model.tree().bodies[joint.bodies.start], &model.frames()[joint.frame.0]);
    parent * Transform::lift(&first.x_tree) * Transform::lift(&Transform { pos: Vec3::zero(), ..link.placement })
}

/// The six unit motions at placement `X`, in the coordinates that `X` maps to.
#[inline(always)]
fn units<T: Real>(X: &Transform<T>) -> [Motion<T>; 6] {
    let [x, y, z] = X.rot.cols;
    let (slide, turn) = (|u| Motion::new(u, Vec3::zero()), |u: Vec3<T>| Motion::new(X.pos.cross(u), u));
    [slide(x), slide(y), slide(z), turn(x), turn(y), turn(z)]
}

/// Sets one bit for each degree of freedom: in `above` for those above body `i`, in `below` for its own and
/// those below it.
#[inline(always)]
fn mark(tree: &Tree, i: usize, above: &mut [u8], below: &mut [u8], width: usize) {
    above.fill(0);
    below.fill(0);
    let body = &tree.bodies[i];
    (body.v.start..body.dofs_end).for_each(|k| below[k / width] |= 1 << (k % width));
    let mut p = body.parent;
    while p > 0 {
        tree.bodies[p].v.clone().for_each(|k| above[k / width] |= 1 << (k % width));
        p = tree.bodies[p].parent;
    }
}

/// Copies `x` to every lane.
#[inline(always)]
fn splat<T: Real>(x: Vec3<T>) -> Vec3<Register<T>> {
    Vec3::new(Register::<T>::splat(x.x), Register::<T>::splat(x.y), Register::<T>::splat(x.z))
}

#[inline(always)]
fn splat_motion<T: Real>(m: Motion<T>) -> Motion<Register<T>> {
    Motion::new(splat(m.lin), splat(m.ang))
}

#[inline(always)]
fn splat_force<T: Real>(f: Force<T>) -> Force<Register<T>> {
    Force::new(splat(f.lin), splat(f.ang))
}

/// Workspace of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Room<T: Real> {
    t1: SideBySide<T, Force<Register<T>>>,
    t4: SideBySide<T, Vec3<Register<T>>>,
    /// One bit per degree of freedom: `above` the current joint, or its own or `below` it.
    above: Vec<u8>,
    below: Vec<u8>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let bits = vec![0; tree.dofs.len().div_ceil(width::<T>())];
        Self { t1: SideBySide::new(tree), t4: SideBySide::new(tree), above: bits.clone(), below: bits }
    }
}
