//! The Coriolis matrix.
//!
//! Ground coordinates of each limb ([`ground::place_limbs`]). `i` is a degree of freedom on the path to `j`,
//! or `j` itself, or one of the same joint.
//!
//! ```text
//! outward   v = vₚ + S q̇            Ṡ = v × S                 (1)
//!           I, B of the body                                  (2)
//! inward    Iᶜ, Bᶜ: sums over the subtree                     (3)
//!           Cᵢⱼ = Sᵢ·(Iᶜ Ṡⱼ + Bᶜ Sⱼ)                          (4)
//!           Cⱼᵢ = Sⱼ·(Iᶜ Ṡᵢ + Bᶜ Sᵢ)                          (5)
//! ```
//!
//! with the sums of the subtree of `j`. Since `M = Sᵢ·Iᶜ Sⱼ` and `B + Bᵀ = İ`, `Ṁ = C + Cᵀ` for each entry.
//! Since `B v = v ×* I v`, `C v` are the velocity-dependent torques of [`rnea`](crate::rnea). Source:
//! [Echeandia21] Alg. 1. Departures: ground coordinates, and `B` stored as 12 numbers, see
//! [`Coriolis`](Operator).

use crate::door::Size::{Nq, Nv, Square};
use crate::door::{Algorithm, Done, In, To, declare};
use crate::engines::Scratch;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Coriolis as Operator, Motion};
use crate::sweeps::ground;
use alloc::vec;
use alloc::vec::Vec;

declare! {
    /// The Coriolis matrix `C(q, v)`: `C v` are the Coriolis and centrifugal torques, and `Ṁ = C + Cᵀ`, so
    /// `Ṁ − 2C` is skew-symmetric.
    ///
    /// - `q` (nq), `v` (nv); `c`: nv × nv by columns, every entry is written; O(N d) plus writing the zeros,
    ///   for a tree of depth d.
    /// - Armature is constant, so it adds nothing. Damping and friction are not included.
    /// - If all joints have one degree of freedom, it is the matrix of Christoffel symbols. It equals
    ///   Pinocchio's entry by entry, also for joints of several degrees of freedom.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn coriolis(q: Nq, v: Nv) -> (slice c: Square) by Coriolis, under &[]
}

impl Algorithm<2, 1> for Coriolis {
    const DIVIDES: bool = false;

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, qd]: In<T, 2>, [c]: To<T, 1>) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, v, I, coriolis: Room { B, axes }, .. } = s;
        let turns = turns.update(tree, q);
        ground::place_limbs(tree, q, turns, X);
        ground::velocities(tree, X, qd, v);
        ground::inertias(tree, X, I);

        B[0] = Operator::default();
        for (i, body) in tree.outward() {
            for (k, dof) in body.v.clone().enumerate() {
                let axis = body.joint.axis(k, &X[i]);
                axes[dof] = Axis { S: axis, S_dot: v[i].cross(axis) }; // (1)
            }
            B[i] = Operator::of_body(&I[i], v[i], I[i] * v[i]); // (2)
        }

        let (nv, c, half) = (tree.dofs.len(), c.entries, T::from_f64(0.5));
        c.fill(T::zero());
        for (i, body) in tree.inward() {
            let (Ic, Bc) = (I[i], B[i]);
            for j in body.v.clone() {
                let Axis { S, S_dot } = axes[j];
                let column = Bc.mul_add(S.ang * half, Ic * S_dot); // I Ṡ + B S
                let (momentum, turned) = (Ic * S, Bc.tr_mul(S * half)); // I S, Bᵀ S
                c[j * nv + j] = S.dot(column);
                let mut ancestor = tree.dofs[j].parent;
                while let Some(i) = ancestor {
                    let on_path = &axes[i];
                    c[j * nv + i] = on_path.S.dot(column); // (4)
                    c[i * nv + j] = on_path.S_dot.dot(momentum) + turned.dot(on_path.S.ang); // (5)
                    ancestor = tree.dofs[i].parent;
                }
            }
            I[body.parent] += Ic; // (3)
            B[body.parent] += Bc;
        }
        Ok(())
    }
}

/// Axis of a degree of freedom, and its rate.
#[derive(Clone, Copy, Debug, Default)]
struct Axis<T> {
    S: Motion<T>,
    S_dot: Motion<T>,
}

/// Workspace of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Room<T> {
    B: Vec<Operator<T>>,
    axes: Vec<Axis<T>>,
}

impl<T: Real> Room<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { B: vec![Operator::default(); tree.bodies.len()], axes: vec![Axis::default(); tree.dofs.len()] }
    }
}
