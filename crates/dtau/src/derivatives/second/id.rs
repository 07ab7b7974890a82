//! The Hessian of wᵀτ, and the derivatives of its gradient. The passes are in [`sweep`], the entries in
//! [`fill`].
//!
//! ```text
//! ℓ(q, q̇, q̈) = wᵀ τ          ℓ_qq, ℓ_qv, ℓ_vv, ℓ_qa;    ℓ_va = ℓ_aa = 0            (1)
//! H = the Hessian of δ ↦ ℓ(q ⊕ δ) at 0              symmetric                       (2)
//! N = the derivative of ℓ_q along q ⊕ s eₖ          N[c, e] − N[e, c] = ℓ_q·[e, c]   (3)
//! H = ½ (N + Nᵀ)                                                                    (4)
//! ```
//!
//! `[e, c]` is the commutator of two directions of one joint, S_e × S_c in its coordinates. So H and N differ
//! only inside joints of several degrees of freedom.

use super::{fill, stiffness, sweep};
use crate::derivatives::stiffness::all_move_with_bodies;
use crate::dispatch::best_step;
use crate::door::Size::{Nq, Nv, Square, Symmetric};
use crate::door::{Algorithm, Done, In, Surrounding, To, declare, results};
use crate::engines::Scratch;
use crate::matrix::MatrixMut;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::Vec3;

results! {
    /// Gradient and second derivatives of `wᵀ τ`: the result of [`id_hessian`] or [`id_vjp_derivatives`].
    pub struct IdHessian(model: Model) as [IdHessianMut, IdVjpDerivativesMut] {
        /// ∂(wᵀτ)/∂q: nv, along tangent directions of the configuration.
        dq: Nv,
        /// ∂(wᵀτ)/∂q̇: nv.
        dv: Nv,
        /// ∂(wᵀτ)/∂q̈ = M w: nv.
        da: Nv,
    } {
        /// ∂²(wᵀτ)/∂q², symmetric, from [`id_hessian`]; ∂(dq)/∂q from [`id_vjp_derivatives`]: nv × nv, by
        /// columns.
        qq: Square,
        /// ∂²(wᵀτ)/∂q∂q̇: nv × nv, rows by q, columns by q̇.
        qv: Square,
        /// ∂²(wᵀτ)/∂q̇²: nv × nv, symmetric.
        vv: Square,
        /// ∂²(wᵀτ)/∂q∂q̈: nv × nv, rows by q, columns by q̈; the transpose of ∂(M w)/∂q.
        qa: Square,
    }
}

declare! {
    /// Hessian of `wᵀ τ`, and its gradient: the second derivatives of [`rnea`](crate::rnea()) contracted with
    /// a covector, in O(N d) with `d` the depth of the tree, like the first derivatives.
    ///
    /// - `q` (nq), `v`, `a`, `w` (nv); `out.dq`, `out.dv`, `out.da` are those of [`id_vjp`](crate::id_vjp()).
    /// - `out.qq` is the Hessian of `δ ↦ wᵀ τ(q ⊕ δ)` at zero, symmetric bit for bit; `out.qv` and `out.qa`
    ///   have rows for `q`; `out.vv` is symmetric. The blocks (v, a) and (a, a) are zero. Every matrix is
    ///   `nv × nv`, complete, by columns.
    /// - External forces, friction and mimicking joints are included, as in
    ///   [`id_derivatives`](crate::id_derivatives()).
    /// - [`id_vjp_derivatives`] differentiates the gradient itself, which differs inside joints of several
    ///   degrees of freedom.
    ///
    /// # Errors
    /// If a length, the engine or the result does not fit the model.
    fn id_hessian(q: Nq, v: Nv, a: Nv, w: Nv) -> IdHessianMut {
        dq: Nv, dv: Nv, da: Nv, qq: Symmetric, qv: Square, vv: Symmetric, qa: Square
    }
    by IdTwice, under Surrounding::ALL, zeros of tree
}

declare! {
    /// Derivatives of [`id_vjp`](crate::id_vjp()), and its result: how the gradient of `wᵀ τ` changes with
    /// the state.
    ///
    /// - Same as [`id_hessian`](crate::id_hessian()), except `out.qq`: column `e` is the change of `out.dq`
    ///   along `q ⊕ s eₑ`. Inside a joint of several degrees of freedom, the order of two motions matters, so
    ///   `out.qq` is not symmetric there; the Hessian is its symmetric part. With joints of one degree of
    ///   freedom the two functions agree.
    /// - Use it to differentiate a gradient, for example in a Newton method on `out.dq = 0`.
    ///
    /// # Errors
    /// If a length, the engine or the result does not fit the model.
    fn id_vjp_derivatives(q: Nq, v: Nv, a: Nv, w: Nv) -> IdVjpDerivativesMut {
        dq: Nv, dv: Nv, da: Nv, qq: Square, qv: Square, vv: Symmetric, qa: Square
    }
    by IdVjpPartials, under Surrounding::ALL, zeros of tree
}

impl Algorithm<4, 7> for IdTwice {
    const DIVIDES: bool = false;
    const RESERVES: bool = true;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, x: In<T, 4>, y: To<T, 7>) -> Done {
        twice(scene, s, x, y, true);
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.second.make_room(model.tree());
    }
}

impl Algorithm<4, 7> for IdVjpPartials {
    const DIVIDES: bool = false;
    const RESERVES: bool = true;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, x: In<T, 4>, y: To<T, 7>) -> Done {
        twice(scene, s, x, y, false);
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.second.make_room(model.tree());
    }
}

/// The gradient and the blocks at (q, q̇, q̈, w): H if `symmetric`, otherwise N. Shared by two functions.
#[inline(always)]
fn twice<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    [q, v, a, w]: [&[T]; 4],
    [dq, dv, da, qq, qv, vv, qa]: [MatrixMut<'_, T>; 7],
    symmetric: bool,
) {
    let zeros_in_place = qq.zeros_in_place;
    let (mut gradient, mut matrices) = ([dq, dv, da].map(|x| x.entries), [qq, qv, vv, qa].map(|x| x.entries));
    best_step!(s.proof, || {
        let (tree, [dq, dv, da], [qq, qv, vv, qa]) = (scene.model.tree(), &mut gradient, &mut matrices);
        let turns = s.turns.update(tree, q);
        s.bodies.move_all::<true>(tree, turns, q, v, Some(a), Vec3::lift(scene.gravity));
        s.bodies.weigh(tree);
        passes(scene, s, (v, w), [dq, dv, da]);
        blocks(scene, s, (v, w), [qq, qv, vv, qa], zeros_in_place, symmetric);
    });
}

/// Runs the passes over bodies that have motions and inertias, and computes the gradient, including wrenches
/// and joint effects.
#[inline(always)]
pub(super) fn passes<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    (v, w): (&[T], &[T]),
    [dq, dv, da]: [&mut [T]; 3],
) {
    let Scratch { bodies, id, second: room, .. } = s;
    sweep::sweep(scene, bodies, id, room, w, [&mut *dq, &mut *dv, &mut *da]);
    if !all_move_with_bodies(scene) {
        sweep::add_stiffness(scene, bodies, room, dq);
    }
    JointEffects::of(scene).add_to_gradient(scene.model.tree(), v, w, [dq, dv, da]);
}

/// The blocks, after the passes.
#[inline(always)]
pub(super) fn blocks<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    (v, w): (&[T], &[T]),
    [qq, qv, vv, qa]: [&mut [T]; 4],
    zeros_in_place: bool,
    symmetric: bool,
) {
    let tree = scene.model.tree();
    let Scratch { bodies, second: room, .. } = s;
    room.rows.fill(tree, &room.columns, &mut [&mut *qq, &mut *qv, &mut *vv, &mut *qa], zeros_in_place);
    if !all_move_with_bodies(scene) {
        stiffness::add_below(tree, bodies, room, qq);
    }
    room.columns.fill_joints(tree, qv, qa);
    fill::symmetrise_joints(tree, vv, &mut room.skew);
    fill::mirror_joints(tree, vv);
    fill::symmetrise_joints(tree, qq, &mut room.skew);
    fill::mirror(tree, qq); // (4)
    if !symmetric {
        fill::add_skew(tree, qq, &room.skew); // (3)
    }
    JointEffects::of(scene).add_resistance_curvatures(tree, v, w, vv);
}
