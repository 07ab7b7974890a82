//! Products with the mass matrix and with its inverse, without either matrix.
//!
//! Ground coordinates throughout, with the origin of [`ground::origin`]. A column of M is the inverse dynamics of the tree at
//! rest, a column of M⁻¹ its forward dynamics; both without gravity. `p` is the parent of `i`.
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
//! In (4) to (6) a joint of several degrees of freedom is a chain of single ones. Source: [RBDA] Tables 5.1 and 7.1; (5)
//! and (6) are the "AZA" of [Singh22] eq. (34). With mimicking joints, M⁻¹ goes by a factor of M, see [`ltdl`].

use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::ltdl;
use crate::minverse;
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::singular::Singular;
use crate::spatial::{Force, Inertia, Motion};
use crate::workspace::{Scratch as All, Workspace, full_q};
use alloc::vec;
use alloc::vec::Vec;

/// `M(q) X` for given columns, without forming the mass matrix.
///
/// - `q` (nq); `x`, `out`: nv × k by columns, for any k; O(N) a column.
/// - With the joints' armature unless the scene switches it off. Gravity and external forces play no part.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn mass_times<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    x: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    let scene = scene.into();
    Check::new(scene.model, ws)?.nq("q", q)?.columns("x", x)?.like_x("out", out, x)?;
    ws.run(MassTimes { scene, q, x, out });
    Ok(())
}

/// `M(q)⁻¹ X` for given columns, without forming the mass matrix or its inverse.
///
/// - `q` (nq); `x`, `out`: nv × k by columns, for any k; O(N) a column.
/// - With the joints' armature unless the scene switches it off.
/// - With mimicking joints the mass matrix is factorised instead, see [`aba`](crate::aba). To keep the factor for later,
///   take a [`MassFactor`](crate::MassFactor).
///
/// # Errors
/// If a length or the workspace does not fit the model, or if a body has no inertia along its joint. After an error the
/// contents of `out` mean nothing.
pub fn mass_solve<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    x: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    let scene = scene.into();
    Check::new(scene.model, ws)?.nq("q", q)?.columns("x", x)?.like_x("out", out, x)?;
    ws.run(MassSolve { scene, q, x, out }).map_err(|singular| singular.error(scene.model))
}

struct MassTimes<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    x: &'a [T],
    out: &'a mut [T],
}

impl<T: Real> Kernel<T> for MassTimes<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) {
        let (model, tree, effects) = (self.scene.model, self.scene.model.tree(), JointEffects::of(&self.scene));
        let All { turns, full, X, a, I, mass: Scratch { f, axes }, .. } = scratch;
        let q = full_q(model, S::slice(self.q), &mut full.q);
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X); // (1)
        ground::inertias(tree, X, I);
        for (i, body) in tree.bodies.iter().enumerate() {
            for (k, dof) in body.v.clone().enumerate() {
                axes[dof] = body.joint.axis(k, &X[i]);
            }
        }

        let nv = model.nv().max(1);
        let columns = S::slice(self.x).chunks_exact(nv).zip(S::slice_mut(self.out).chunks_exact_mut(nv));
        for (x, out) in columns {
            match model.mimic() {
                None => column(tree, &effects, axes, I, x, a, f, out),
                Some(map) => {
                    map.expand_v(x, &mut full.a);
                    column(tree, &effects, axes, I, &full.a, a, f, &mut full.tau);
                    map.reduce(&full.tau, out);
                }
            }
        }
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
    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        let mut sum = a[body.parent];
        for dof in body.v.clone() {
            sum = axes[dof].scale_add(x[dof], sum); // (2)
        }
        (a[i], f[i]) = (sum, I[i] * sum);
    }
    for i in (1..tree.bodies.len()).rev() {
        let (body, force) = (&tree.bodies[i], f[i]);
        for dof in body.v.clone() {
            y[dof] = effects.armature::<T>(tree, dof).mul_add(x[dof], axes[dof].dot(force)); // (3)
        }
        f[body.parent] += force;
    }
}

struct MassSolve<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    x: &'a [T],
    out: &'a mut [T],
}

impl<T: Real> Kernel<T> for MassSolve<'_, T> {
    type Output = Result<(), Singular>;

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) -> Self::Output {
        let model = self.scene.model;
        prepare_solve(&self.scene, scratch, S::slice(self.q))?;
        let out = S::slice_mut(self.out);
        out.copy_from_slice(S::slice(self.x));
        for x in out.chunks_exact_mut(model.nv().max(1)) {
            solve(model, scratch, x);
        }
        Ok(())
    }
}

/// (1) and (4), or a factor of M: after this, [`solve`] may be called any number of times in the same kernel.
#[inline(always)]
pub(crate) fn prepare_solve<T: Real, S: Twin<T>>(
    scene: &Scene<'_, T>,
    scratch: &mut All<S>,
    q: &[S],
) -> Result<(), Singular> {
    match scene.model.mimic() {
        None => minverse::articulate(scene, scratch, q),
        Some(_) => ltdl::factor_in_scratch(scene, scratch, q),
    }
}

/// `x ← M⁻¹ x`.
#[inline(always)]
pub(crate) fn solve<T: Real>(model: &Model, scratch: &mut All<T>, x: &mut [T]) {
    match model.mimic() {
        None => solve_column(model.tree(), scratch, x),
        Some(_) => scratch.ltdl.solve(model.elimination(), x),
    }
}

#[inline(always)]
fn solve_column<T: Real>(tree: &Tree, scratch: &mut All<T>, x: &mut [T]) {
    let All { a, mass: Scratch { f, .. }, articulated, .. } = scratch;
    let dofs = &articulated.dofs[..];
    f.fill(Force::zero());
    for i in (1..tree.bodies.len()).rev() {
        let body = &tree.bodies[i];
        let mut force = f[i];
        for k in body.v.clone().rev() {
            let u = x[k] - dofs[k].S.dot(force); // (5)
            force = dofs[k].U_D.scale_add(u, force);
            x[k] = u * dofs[k].D_inv;
        }
        f[body.parent] += force;
    }
    a[0] = Motion::zero();
    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        let mut sum = a[body.parent];
        for k in body.v.clone() {
            x[k] -= sum.dot(dofs[k].U_D); // (6)
            sum = dofs[k].S.scale_add(x[k], sum);
        }
        a[i] = sum;
    }
}

/// Scratch of these algorithms: O(N).
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    f: Vec<Force<T>>,
    /// S of every degree of freedom.
    axes: Vec<Motion<T>>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { f: vec![Force::zero(); tree.bodies.len()], axes: vec![Motion::zero(); tree.dofs.len()] }
    }
}
