//! The Coriolis matrix.
//!
//! Ground coordinates. `i` is a degree of freedom on the path to `j`, or `j` itself, or one of the same joint.
//!
//! ```text
//! outward   v = vₚ + S q̇            Ṡ = v × S                 (1)
//!           I, B of the body                                  (2)
//! inward    Iᶜ, Bᶜ: sums over the subtree                     (3)
//!           Cᵢⱼ = Sᵢ·(Iᶜ Ṡⱼ + Bᶜ Sⱼ)                          (4)
//!           Cⱼᵢ = Sⱼ·(Iᶜ Ṡᵢ + Bᶜ Sᵢ)                          (5)
//! ```
//!
//! with the sums of the subtree of `j`. Since `M = Sᵢ·Iᶜ Sⱼ` and `B + Bᵀ = İ`, `Ṁ = C + Cᵀ` entry by entry; since
//! `B v = v ×* I v`, `C v` is what [`rnea`](crate::rnea) adds for the velocity. Source: [Echeandia21] Alg. 1.
//! Departures: ground coordinates, and `B` of 12 numbers, see [`Coriolis`].

use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::model::mimic::Square;
use crate::model::{Model, Tree};
use crate::scalar::Real;
use crate::spatial::{Coriolis, Motion};
use crate::workspace::{Workspace, full_q, full_v};
use alloc::vec;
use alloc::vec::Vec;

/// The Coriolis matrix `C(q, v)`: `C v` are the Coriolis and centrifugal torques, and `Ṁ = C + Cᵀ`, so `Ṁ − 2C` is
/// skew-symmetric.
///
/// - `q` (nq), `v` (nv); `c`: nv × nv by columns, written whole; O(N d) beside the zeros, for a tree of depth d.
/// - Armature adds nothing, being constant; damping and friction are not part of it.
/// - Where all joints have one degree of freedom it is the matrix of Christoffel symbols. It equals Pinocchio's entry by
///   entry, for joints of several degrees of freedom too.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn coriolis<T: Dispatch>(model: &Model, ws: &mut Workspace<T>, q: &[T], v: &[T], c: &mut [T]) -> Result<(), Error> {
    Check::new(model, ws)?.nq("q", q)?.nv("v", v)?.square("c", c)?;
    ws.run(CoriolisMatrix { model, q, v, c });
    Ok(())
}

struct CoriolisMatrix<'a, T> {
    model: &'a Model,
    q: &'a [T],
    v: &'a [T],
    c: &'a mut [T],
}

impl<T: Real> Kernel<T> for CoriolisMatrix<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut crate::workspace::Scratch<S>) {
        let model = self.model;
        let tree = model.tree();
        let crate::workspace::Scratch { turns, full, X, v, I, coriolis: Scratch { B, axes }, .. } = scratch;
        let q = full_q(model, S::slice(self.q), &mut full.q);
        let qd = full_v(model, S::slice(self.v), &mut full.v);
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        ground::velocities(tree, X, qd, v);
        ground::inertias(tree, X, I);

        B[0] = Coriolis::default();
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            for (k, dof) in body.v.clone().enumerate() {
                let axis = body.joint.axis(k, &X[i]);
                axes[dof] = Axis { S: axis, S_dot: v[i].cross(axis) }; // (1)
            }
            B[i] = Coriolis::of_body(&I[i], v[i], I[i] * v[i]); // (2)
        }

        let mut c = Square::new(model.mimic(), model.nv(), S::slice_mut(self.c));
        let half = S::from_f64(0.5);
        for i in (1..tree.bodies.len()).rev() {
            let body = &tree.bodies[i];
            let (Ic, Bc) = (I[i], B[i]);
            for j in body.v.clone() {
                let Axis { S, S_dot } = axes[j];
                let column = Bc.mul_add(S.ang * half, Ic * S_dot); // I Ṡ + B S
                let (momentum, turned) = (Ic * S, Bc.tr_mul(S * half)); // I S, Bᵀ S
                c.put(j, j, S.dot(column));
                let mut ancestor = tree.dofs[j].parent;
                while let Some(i) = ancestor {
                    let on_path = &axes[i];
                    c.put(i, j, on_path.S.dot(column)); // (4)
                    c.put(j, i, on_path.S_dot.dot(momentum) + turned.dot(on_path.S.ang)); // (5)
                    ancestor = tree.dofs[i].parent;
                }
            }
            I[body.parent] += Ic; // (3)
            B[body.parent] += Bc;
        }
    }
}

/// The axis of a degree of freedom, and its rate.
#[derive(Clone, Copy, Debug, Default)]
struct Axis<T> {
    S: Motion<T>,
    S_dot: Motion<T>,
}

/// Scratch of this algorithm: O(N).
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    B: Vec<Coriolis<T>>,
    axes: Vec<Axis<T>>,
}

impl<T: Real> Scratch<T> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { B: vec![Coriolis::default(); tree.bodies.len()], axes: vec![Axis::default(); tree.dofs.len()] }
    }
}
