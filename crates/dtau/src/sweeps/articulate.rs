//! Articulated inertias, and accelerations due to forces: the steps that ABA, M⁻¹ and products with it share.
//!
//! Ground coordinates throughout. A joint of several degrees of freedom is a chain of single ones, with
//! massless bodies in between.
//!
//! ```text
//! inward    for each degree of freedom of the joint, the last one first:
//!           U = Iᴬ S                        D = Sᵀ U + armature                  (1)
//!           u = τ − Sᵀ f                                                         (2)
//!           Iᴬ ← Iᴬ − U Uᵀ/D                f ← f + U u/D                        (3)
//!           then                            Iᴬₚ += Iᴬ,  fₚ += f                  (4)
//! outward   for each degree of freedom of the joint, the first one first:
//!           q̈ = (u − Uᵀ r)/D                r ← r + S q̈                          (5)
//! ```
//!
//! `r` is the contribution of the q̈ to the acceleration. Source: [RBDA] Table 7.1; in ground coordinates (4)
//! is a plain sum.

use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::JointEffects;
use crate::spatial::{ArticulatedInertia, Force, Motion};
use crate::sweeps::bodies::{Bodies, Load};
use crate::sweeps::singular::{Health, Singular, margin};
use alloc::vec;
use alloc::vec::Vec;

/// Sums that the children send to a body.
#[derive(Clone, Copy, Debug, Default)]
struct Sum<T> {
    I: ArticulatedInertia<T>,
    f: Force<T>,
    /// Mass and trace of the rotational inertia of the subtree, if it were rigid.
    weight: (T, T),
}

/// A degree of freedom of the articulated tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DofState<T> {
    pub(crate) S: Motion<T>,
    /// U/D
    pub(crate) U_D: Force<T>,
    /// 1/D
    pub(crate) D_inv: T,
    /// u/D
    u_D: T,
    margin: T,
}

impl<T: Real> DofState<T> {
    pub(crate) fn new(S: Motion<T>, U_D: Force<T>, D_inv: T) -> Self {
        Self { S, U_D, D_inv, u_D: T::zero(), margin: T::one() }
    }

    /// Sets all fields, with `u` the remaining torque.
    #[inline(always)]
    pub(crate) fn driven(S: Motion<T>, U_D: Force<T>, D_inv: T, u: T, margin: T) -> Self {
        Self { S, U_D, D_inv, u_D: u * D_inv, margin }
    }

    #[inline(always)]
    pub(crate) fn margin(&self) -> T {
        self.margin
    }

    /// (5): computes q̈, and adds its contribution to that of the previous q̈ in `r`.
    #[inline(always)]
    pub(crate) fn accelerate(&self, r: &mut Motion<T>) -> T {
        let qdd = self.u_D - r.dot(self.U_D);
        *r = self.S.scale_add(qdd, *r);
        qdd
    }
}

/// Workspace of these steps: O(N).
#[derive(Debug)]
pub(crate) struct Room<T> {
    sums: Vec<Sum<T>>,
    r: Vec<Motion<T>>,
    pub(crate) dofs: Vec<DofState<T>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self {
            sums: vec![Sum::default(); tree.bodies.len()],
            r: vec![Motion::default(); tree.bodies.len()],
            dofs: vec![DofState::default(); tree.dofs.len()],
        }
    }
}

/// (1) to (4); without torques, only inertias.
#[inline(always)]
pub(crate) fn inward<T: Real>(
    tree: &Tree,
    effects: &JointEffects,
    bodies: &Bodies<T>,
    tau: Option<&[T]>,
    scratch: &mut Room<T>,
) -> Result<(), Singular> {
    let Room { sums, dofs, .. } = scratch;
    let mut health = Health::good();
    for (i, body) in tree.inward() {
        let Load { I: own, mut f } = bodies.load.get(body.slot);
        let mut I = ArticulatedInertia::from(own);
        let mut weight = (own.mass, own.rot.trace());
        if body.bodies_end > i + 1 {
            let sum = &sums[i];
            I += sum.I;
            f += sum.f;
            weight = (weight.0 + sum.weight.0, weight.1 + sum.weight.1);
        }
        for k in body.v.clone().rev() {
            let S: Motion<T> = bodies.S.get(k);
            let U = I * S; // (1)
            let D = (S.lin.dot(U.lin) + effects.armature(tree, k)) + S.ang.dot(U.ang);
            let D_inv = D.recip();
            let U_D = U * D_inv;
            I = I.sub_outer(U_D, U); // (3)
            let mut u_D = T::zero();
            if let Some(tau) = tau {
                let u = tau[k] - S.dot(f); // (2)
                f = U_D.scale_add(u, f);
                u_D = u * D_inv;
            }
            let margin = margin(D, weight.0.mul_add(S.lin.norm_squared(), weight.1 * S.ang.norm_squared()));
            health = health.and_positive(margin);
            dofs[k] = DofState { S, U_D, D_inv, u_D, margin };
        }
        // (4): the last child comes first
        let parent = &mut sums[body.parent];
        if body.bodies_end == tree.bodies[body.parent].bodies_end {
            *parent = Sum { I, f, weight };
        } else {
            parent.I += I;
            parent.f += f;
            parent.weight = (parent.weight.0 + weight.0, parent.weight.1 + weight.1);
        }
    }
    health.check(dofs.iter().map(DofState::margin).enumerate().rev())
}

/// (5). For derivatives, the contribution of q̈ is also added to `a` and `a_p` of the bodies.
#[inline(always)]
pub(crate) fn accelerate<T: Real, const FOR_DERIVATIVES: bool>(
    tree: &Tree,
    bodies: &mut Bodies<T>,
    scratch: &mut Room<T>,
    qdd: &mut [T],
) {
    let Room { dofs, r, .. } = scratch;
    r[0] = Motion::zero();
    for (i, body) in tree.outward() {
        let r_p = r[body.parent];
        let mut sum = r_p;
        for k in body.v.clone() {
            qdd[k] = dofs[k].accelerate(&mut sum);
            if FOR_DERIVATIVES {
                bodies.parent.add_field(k, |parent| &mut parent.a, r_p);
            }
        }
        r[i] = sum;
        if FOR_DERIVATIVES {
            bodies.placed.add_field(body.slot, |body| &mut body.a, sum);
        }
    }
}
