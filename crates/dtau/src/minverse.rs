//! The inverse of the mass matrix, without the mass matrix.
//!
//! Ground coordinates throughout. Column `j` of M⁻¹ is how the tree at rest accelerates under a unit torque at degree of
//! freedom `j`; a joint of several degrees of freedom is a chain of single ones. `p` is the one before `i` towards the root.
//!
//! ```text
//! outward   X, S, I of each body                                                          (1)
//! inward    U = Iᴬ S      D = Sᵀ U + armature      Iᴬₚ += Iᴬ − U Uᵀ/D                     (2)
//!           yᵢⱼ = Sᵢᵀ fⱼ − δᵢⱼ                   fⱼ ← fⱼ − Uᵢ yᵢⱼ/Dᵢ      j in subtree i  (3)
//! outward   M⁻¹ᵢⱼ = −(yᵢⱼ + Uᵢᵀ aₚⱼ)/Dᵢ           aᵢⱼ = aₚⱼ + Sᵢ M⁻¹ᵢⱼ     j ≥ i           (4)
//! mirror    M⁻¹ⱼᵢ = M⁻¹ᵢⱼ                                                  j > i           (5)
//! ```
//!
//! `fⱼ` is the force that the torque at `j` sends towards the root; subtrees are disjoint, so one `f` for each `j` serves
//! the whole tree. `aᵢⱼ` is the acceleration of `i`. Only `j ≥ i` is computed; beyond the branch of the world that `i` is
//! in, it is zero. Source: [Carpentier18], which does it in local coordinates with a 6 × n matrix of `f` a body.

use crate::block::{self, Block};
use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::ltdl::crba_factor;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
use crate::singular::{Health, Singular, margin};
use crate::spatial::{ArticulatedInertia, Force, Motion, Transform};
use crate::workspace::{Scratch as All, Workspace};
use alloc::vec;
use alloc::vec::Vec;

/// The inverse of the mass matrix, `M(q)⁻¹`, with the joints' armature unless the scene switches it off.
///
/// - `q` (nq); `minv` (nv × nv, by columns), both triangles, exactly symmetric; O(N²).
/// - With mimicking joints the mass matrix is factorised instead, see [`aba`](crate::aba).
///
/// # Errors
/// If a length or the workspace does not fit the model, or if a body has no inertia along its joint. After an error the
/// contents of `minv` mean nothing.
pub fn minverse<'m, T: Dispatch>(
    scene: impl Into<Scene<'m, T>>,
    ws: &mut Workspace<T>,
    q: &[T],
    minv: &mut [T],
) -> Result<(), Error> {
    let scene = scene.into();
    Check::new(scene.model, ws)?.nq("q", q)?.square("minv", minv)?;
    if scene.model.mimic().is_some() {
        return ws.with_factor(scene.model, |ws, factor| {
            crba_factor(scene, ws, q, factor)?;
            factor.inverse(ws, minv)
        });
    }
    ws.run(Minverse { scene, q, minv }).map_err(|singular| singular.error(scene.model))
}

struct Minverse<'a, T> {
    scene: Scene<'a, T>,
    q: &'a [T],
    minv: &'a mut [T],
}

impl<T: Real> Kernel<T> for Minverse<'_, T> {
    type Output = Result<(), Singular>;

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) -> Self::Output {
        articulate(&self.scene, scratch, S::slice(self.q))?;
        fill(self.scene.model.tree(), &mut scratch.minverse, S::slice_mut(self.minv));
        Ok(())
    }
}

/// (1) and (2): the articulated inertias of a tree without mimicking joints, left in the scratch.
#[inline(always)]
pub(crate) fn articulate<T: Real, S: Twin<T>>(
    scene: &Scene<'_, T>,
    scratch: &mut All<S>,
    q: &[S],
) -> Result<(), Singular> {
    let (tree, effects) = (scene.model.tree(), JointEffects::of(scene));
    let All { turns, X, minverse: Scratch { bodies, dofs, .. }, .. } = scratch;
    outward(tree, turns.update(tree, q), q, X, bodies, dofs);
    inward(tree, &effects, bodies, dofs)
}

/// (3) to (5): M⁻¹ from what (2) found out about every degree of freedom.
#[inline(always)]
pub(crate) fn fill<T: Real>(tree: &Tree, scratch: &mut Scratch<T>, minv: &mut [T]) {
    if T::IS_PACKED {
        fill_by::<T, 1>(tree, scratch, minv);
    } else {
        fill_by::<T, 4>(tree, scratch, minv);
    }
}

#[inline(always)]
fn fill_by<T: Real, const W: usize>(tree: &Tree, scratch: &mut Scratch<T>, minv: &mut [T]) {
    forces::<T, W>(tree, &scratch.dofs, &mut scratch.f, minv);
    accelerations::<T, W>(tree, &scratch.dofs, &mut scratch.a, minv);
    block::mirror::<T, W>(tree.dofs.len(), minv); // (5)
}

/// A body on the way.
#[derive(Clone, Copy, Debug, Default)]
struct BodyState<T> {
    I: ArticulatedInertia<T>,
    /// What the subtree would weigh if it were rigid: its mass, and the trace of its rotational inertia.
    weight: (T, T),
}

/// A degree of freedom on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DofState<T> {
    pub(crate) S: Motion<T>,
    /// U/D
    pub(crate) U_D: Force<T>,
    pub(crate) D_inv: T,
    /// What keeps D from being nothing; see [`margin`].
    pub(crate) margin: T,
}

/// Scratch of this algorithm: O(N), and O(N) more for every fork that a path passes.
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    bodies: Vec<BodyState<T>>,
    pub(crate) dofs: Vec<DofState<T>>,
    /// fⱼ
    f: Vec<T>,
    /// aᵢⱼ by j, for the body `i` at hand and those before it that still have children to come. See [`Body::forks`].
    ///
    /// [`Body::forks`]: crate::model::Body
    a: Vec<T>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let (bodies, nv) = (&tree.bodies, tree.dofs.len());
        let levels = 1 + bodies.iter().map(|b| b.forks).max().unwrap_or(0);
        Self {
            bodies: vec![BodyState::default(); bodies.len()],
            dofs: vec![DofState::default(); nv],
            f: vec![T::zero(); block::room(nv)],
            a: vec![T::zero(); levels * block::room(nv)],
        }
    }

    /// What [`articulate`] leaves.
    #[inline(always)]
    pub(crate) fn dofs(&self) -> &[DofState<T>] {
        &self.dofs
    }
}

/// (1)
#[inline(always)]
fn outward<T: Real>(
    tree: &Tree,
    turns: &[(T, T)],
    q: &[T],
    X: &mut [Transform<T>],
    bodies: &mut [BodyState<T>],
    dofs: &mut [DofState<T>],
) {
    X[0] = ground::origin(tree, q, turns);
    bodies[0] = BodyState::default();
    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        X[i] = ground::place(body, &X[body.parent], q, turns);
        for (k, dof) in dofs[body.v.clone()].iter_mut().enumerate() {
            dof.S = body.joint.axis(k, &X[i]);
        }
        let I = ground::inertia(body, &X[i]);
        bodies[i] = BodyState { weight: (I.mass, I.rot.trace()), I: I.into() };
    }
}

/// (2)
#[inline(always)]
fn inward<T: Real>(
    tree: &Tree,
    effects: &JointEffects,
    bodies: &mut [BodyState<T>],
    dofs: &mut [DofState<T>],
) -> Result<(), Singular> {
    let mut health = Health::good();
    for i in (1..tree.bodies.len()).rev() {
        let body = &tree.bodies[i];
        let (before, rest) = bodies.split_at_mut(i);
        let (parent, this) = (&mut before[body.parent], &rest[0]);
        let (mut I, weight) = (this.I, this.weight);
        for k in body.v.clone().rev() {
            let S = dofs[k].S;
            let U = I * S;
            let D = (S.lin.dot(U.lin) + effects.armature(tree, k)) + S.ang.dot(U.ang);
            let D_inv = D.recip();
            let U_D = U * D_inv;
            I = I.sub_outer(U_D, U);

            let margin = margin(D, weight.0.mul_add(S.lin.norm_squared(), weight.1 * S.ang.norm_squared()));
            health = health.and_positive(margin);
            dofs[k] = DofState { S, U_D, D_inv, margin };
        }
        parent.I += I;
        parent.weight = (parent.weight.0 + weight.0, parent.weight.1 + weight.1);
    }
    health.check(dofs.iter().map(|dof| dof.margin).enumerate().rev())
}

/// (3), with yᵢⱼ at row `j` of column `i`; `W` columns of M⁻¹ at a time.
#[inline(always)]
fn forces<T: Real, const W: usize>(tree: &Tree, dofs: &[DofState<T>], f: &mut [T], minv: &mut [T]) {
    let nv = dofs.len();
    for i in (0..nv).rev() {
        let (S, U_D) = (dofs[i].S.to_array(), dofs[i].U_D.to_array());
        let column = &mut minv[i * nv..][..nv];
        let below = tree.paths.below(i);
        // What this does to j ≤ i in the first block means nothing, and is written again.
        let (first, last) = (below.start / W * W, below.end / W * W);
        if first < last {
            let mut at = 6 * first;
            for y_j in column[first..last].chunks_exact_mut(W) {
                let f = &mut f[at..at + 6 * W];
                at += 6 * W;
                let f_j = Block::<T, W>::load(f);
                let y = f_j.dot(&S);
                y_j.copy_from_slice(&y);
                f_j.sub_outer(&U_D, y).store(f);
            }
        }
        if last < below.end {
            let f = &mut f[6 * last..];
            let f_j = Block::<T, W>::load(f);
            let mut y = f_j.dot(&S);
            for w in 0..W {
                if last + w < below.end {
                    column[last + w] = y[w];
                } else {
                    y[w] = T::zero(); // not of this subtree
                }
            }
            f_j.sub_outer(&U_D, y).store(f);
        }
        column[i] = -T::one();
        block::put::<T, W>(f, i, U_D);
    }
}

/// (4), likewise. Bodies with siblings after them work on a copy of their parent's accelerations.
#[inline(always)]
fn accelerations<T: Real, const W: usize>(tree: &Tree, dofs: &[DofState<T>], a: &mut [T], minv: &mut [T]) {
    let nv = dofs.len();
    let level = block::room(nv);
    let mut branch_end = 0;
    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        let (from, to) = (tree.bodies[body.parent].forks * level, body.forks * level);
        if body.parent == 0 {
            branch_end = body.dofs_end;
            a[from..from + level].fill(T::zero()); // the world is at rest
        }
        // Nobody asks for the acceleration of a leaf.
        let is_leaf = body.bodies_end == i + 1;
        let a = if is_leaf && body.v.len() == 1 {
            &mut a[from..from + level]
        } else {
            if to > from {
                let (first, end) = (body.v.start / W * W, branch_end.next_multiple_of(W));
                a.copy_within(from + 6 * first..from + 6 * end, to + 6 * first);
            }
            &mut a[to..to + level]
        };
        for k in body.v.clone() {
            let column = &mut minv[k * nv..][..nv];
            column[body.dofs_end..].fill(T::zero());
            if is_leaf && k + 1 == body.v.end {
                respond::<T, W, false>(&dofs[k], k, branch_end, a, column);
            } else {
                respond::<T, W, true>(&dofs[k], k, branch_end, a, column);
            }
        }
    }
}

/// (4) for one degree of freedom, `j` from `k` to `end`.
#[inline(always)]
fn respond<T: Real, const W: usize, const MOVES_OTHERS: bool>(
    dof: &DofState<T>,
    k: usize,
    end: usize,
    a: &mut [T],
    column: &mut [T],
) {
    let (S, minus_U, minus_D) = (dof.S.to_array(), (-dof.U_D).to_array(), -dof.D_inv);
    let (first, last) = (k / W * W, end / W * W);
    if first < last {
        let mut at = 6 * first;
        for x_j in column[first..last].chunks_exact_mut(W) {
            let a = &mut a[at..at + 6 * W];
            at += 6 * W;
            let a_j = Block::<T, W>::load(a);
            let mut x = a_j.dot(&minus_U);
            for w in 0..W {
                x[w] = minus_D.mul_add(x_j[w], x[w]);
            }
            x_j.copy_from_slice(&x);
            if MOVES_OTHERS {
                a_j.add_outer(&S, x).store(a);
            }
        }
    }
    if last < end {
        let a = &mut a[6 * last..];
        let a_j = Block::<T, W>::load(a);
        let mut x = a_j.dot(&minus_U);
        for (x, x_j) in x.iter_mut().zip(&mut column[last..end]) {
            *x = minus_D.mul_add(*x_j, *x);
            *x_j = *x;
        }
        if MOVES_OTHERS {
            a_j.add_outer(&S, x).store(a);
        }
    }
}
