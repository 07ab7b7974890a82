//! Products with the mass matrix and with its inverse, without forming them.
//!
//! Ground coordinates of each limb ([`ground::place_limbs`]). A column of M is the inverse dynamics of the
//! tree at rest, a column of M⁻¹ its forward dynamics, both without gravity. `p` is the parent of `i`.
//!
//! ```text
//! once      X, S, I of each body                                                           (1)
//! M x       outward   a = aₚ + S x          f = I a                                        (2)
//!           inward    y = Sᵀ f + armature x                fₚ += f                         (3)
//! once      U = Iᴬ S      D = Sᵀ U + armature      Iᴬₚ += Iᴬ − U Uᵀ/D                      (4)
//! M⁻¹ x     inward    u = x − Sᵀ f          f ← f + U u/D                  fₚ += f         (5)
//!           outward   y = (u − Uᵀ a)/D      a ← a + S y                                    (6)
//! ```
//!
//! In (4) to (6) a joint of several degrees of freedom is a chain of single ones. Source: [RBDA] Tables 5.1
//! and 7.1; (5) and (6) are the "AZA" of [Singh22] eq. (34). With mimicking joints, products with M⁻¹ use a
//! factor of M, see [`ltdl`].

use super::{ltdl, minverse};
use crate::door::Size::{Columns, Nq};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare};
use crate::engines::{Memory, Scratch};
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::spatial::{Force, Inertia, Motion};
use crate::sweeps::ground;
use alloc::vec;
use alloc::vec::Vec;

declare! {
    /// Computes `M(q) X` for given columns, without forming the mass matrix.
    ///
    /// - `q` (nq); `x`, `y`: nv × k by columns, for any k; O(N) per column.
    /// - The joints' armature is included unless the scene switches it off. Gravity and external forces have
    ///   no effect.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn mass_times(q: Nq, x: Columns) -> (slice y: Columns) by MassTimes, under &[Surrounding::Armature]
}

declare! {
    /// Computes `M(q)⁻¹ X` for given columns, without forming the mass matrix or its inverse.
    ///
    /// - `q` (nq); `x`, `y`: nv × k by columns, for any k; O(N) per column.
    /// - The joints' armature is included unless the scene switches it off.
    /// - With mimicking joints the mass matrix is factorised instead, see [`aba`](crate::aba()). To reuse the
    ///   factor, use a [`MassFactor`](crate::MassFactor).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model, or if a body has no inertia along its joint. After
    /// an error the contents of `y` are undefined.
    fn mass_solve(q: Nq, x: Columns) -> (slice y: Columns) by MassSolve, under &[Surrounding::Armature]
}

impl Algorithm<2, 1> for MassTimes {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, x]: In<T, 2>, [y]: To<T, 1>) -> Done {
        let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
        let Scratch { turns, X, a, I, mass: Room { f, axes }, .. } = s;
        let turns = turns.update(tree, q);
        ground::place_limbs(tree, q, turns, X); // (1)
        ground::inertias(tree, X, I);
        for (i, body) in tree.outward() {
            for (k, dof) in body.v.clone().enumerate() {
                axes[dof] = body.joint.axis(k, &X[i]);
            }
        }
        let n = tree.dofs.len().max(1);
        for (x, y) in x.chunks_exact(n).zip(y.entries.chunks_exact_mut(n)) {
            column(tree, &effects, axes, I, x, a, f, y);
        }
        Ok(())
    }
}

/// `y = M x` over the full tree.
#[inline(always)]
fn column<T: Real>(
    tree: &Tree,
    effects: &JointEffects,
    axes: &[Motion<T>],
    I: &[Inertia<T>],
    x: &[T],
    a: &mut [Motion<T>],
    f: &mut [Force<T>],
    y: &mut [T],
) {
    (a[0], f[0]) = (Motion::zero(), Force::zero());
    for (i, body) in tree.outward() {
        let mut sum = a[body.parent];
        for dof in body.v.clone() {
            sum = axes[dof].scale_add(x[dof], sum); // (2)
        }
        (a[i], f[i]) = (sum, I[i] * sum);
    }
    for (i, body) in tree.inward() {
        let force = f[i];
        for dof in body.v.clone() {
            y[dof] = effects.armature::<T>(tree, dof).mul_add(x[dof], axes[dof].dot(force)); // (3)
        }
        f[body.parent] += force;
    }
}

impl Algorithm<2, 1> for MassSolve {
    const RESERVES: bool = true;
    const MIMICRY: Mimicry = Mimicry::Own;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, x]: In<T, 2>, [y]: To<T, 1>) -> Done {
        minverse::articulate(scene, s, q)?; // (1), (4)
        let tree = scene.model.tree();
        y.entries.copy_from_slice(x);
        for y in y.entries.chunks_exact_mut(tree.dofs.len().max(1)) {
            solve(tree, s, y);
        }
        Ok(())
    }

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.ltdl.make_room(model);
    }

    #[inline(always)]
    fn compute_mimicking<T: Real>(
        self,
        scene: &Scene<T>,
        memory: &mut Memory<T>,
        [q, x]: In<T, 2>,
        [y]: To<T, 1>,
    ) -> Done {
        ltdl::factor_of(scene, memory, q)?;
        y.entries.copy_from_slice(x);
        for y in y.entries.chunks_exact_mut(scene.model.nv().max(1)) {
            memory.scratch.ltdl.solve(scene.model.elimination(), y);
        }
        Ok(())
    }
}

/// `x ← M⁻¹ x`, with the articulated tree from [`minverse::articulate`] or ABA.
#[inline(always)]
pub(crate) fn solve<T: Real>(tree: &Tree, scratch: &mut Scratch<T>, x: &mut [T]) {
    let Scratch { a, mass: Room { f, .. }, articulated, .. } = scratch;
    let dofs = &articulated.dofs[..];
    f.fill(Force::zero());
    for (i, body) in tree.inward() {
        let mut force = f[i];
        for k in body.v.clone().rev() {
            let u = x[k] - dofs[k].S.dot(force); // (5)
            force = dofs[k].U_D.scale_add(u, force);
            x[k] = u * dofs[k].D_inv;
        }
        f[body.parent] += force;
    }
    a[0] = Motion::zero();
    for (i, body) in tree.outward() {
        let mut sum = a[body.parent];
        for k in body.v.clone() {
            x[k] -= sum.dot(dofs[k].U_D); // (6)
            sum = dofs[k].S.scale_add(x[k], sum);
        }
        a[i] = sum;
    }
}

/// Workspace of these algorithms: O(N).
#[derive(Debug)]
pub(crate) struct Room<T> {
    f: Vec<Force<T>>,
    /// S of every degree of freedom.
    axes: Vec<Motion<T>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { f: vec![Force::zero(); tree.bodies.len()], axes: vec![Motion::zero(); tree.dofs.len()] }
    }
}
