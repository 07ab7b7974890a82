//! Derivatives of constrained forward dynamics with respect to the desired motion along the rows.
//!
//! ```text
//! r = … − (c̈* + Kd ċ* + Kp c*)          so  ∂q̈/∂c̈* = Bᵀ      ∂λ/∂c̈* = Λ        B, Λ of `docs/constraints.md`     (1)
//! ∂/∂ċ* = ∂/∂c̈* Kd                          ∂/∂c* = ∂/∂c̈* Kp                                                    (2)
//! ```
//!
//! It is linear, also for rotations, whose desired motion is given as a logarithm. A column of (1) is a
//! solution of forward dynamics at rest, without torques, with r₀ = −1 in one row.

use super::Room;
use super::derivatives::to_own;
use super::elimination::Factorise;
use super::forward::{accelerate, meet};
use super::jacobian::at_rest;
use crate::dispatch::step;
use crate::door::Size::{Nq, RowsSquare, RowsTall};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare};
use crate::engines::Scratch;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::Scene;

/// Output buffers of [`constrained_fd_desired_derivatives`]; one column for each row of the constraints, in
/// the axes of the rows.
#[derive(Debug)]
pub struct DesiredDerivativesMut<'a, T> {
    /// ∂q̈/∂c*: nv × rows, by columns.
    pub dqdd_dposition: &'a mut [T],
    /// ∂q̈/∂ċ*: nv × rows, by columns.
    pub dqdd_dvelocity: &'a mut [T],
    /// ∂q̈/∂c̈*: nv × rows, by columns.
    pub dqdd_dacceleration: &'a mut [T],
    /// ∂λ/∂c*: rows × rows, by columns.
    pub dlambda_dposition: &'a mut [T],
    /// ∂λ/∂ċ*: rows × rows, by columns.
    pub dlambda_dvelocity: &'a mut [T],
    /// ∂λ/∂c̈*: rows × rows, by columns.
    pub dlambda_dacceleration: &'a mut [T],
}

declare! {
    /// Derivatives of [`constrained_fd`](crate::constrained_fd()) with respect to the desired motion of each row:
    /// position, velocity and acceleration, see [`Scene::desired`](crate::Scene::desired). They depend on `q`
    /// alone.
    ///
    /// - `q` (nq); matrices by columns: nv × rows for accelerations, rows × rows for forces. Derivatives with
    ///   respect to position are zero without the gain kp, and those with respect to velocity without kd.
    /// - Inactive constraints have zeros. Among redundant ones, a dependent row is not driven: its columns of
    ///   q̈ are zero, and the change of the forces has least norm.
    /// - O(N d² + m (N d + m N + m²)) for m rows.
    ///
    /// # Errors
    /// If a length, the engine or the constraints do not fit the model, or if a body has no inertia along its
    /// joint.
    fn constrained_fd_desired_derivatives of constraints (q: Nq) -> DesiredDerivativesMut {
        dqdd_dposition: RowsTall, dqdd_dvelocity: RowsTall, dqdd_dacceleration: RowsTall,
        dlambda_dposition: RowsSquare, dlambda_dvelocity: RowsSquare, dlambda_dacceleration: RowsSquare
    }
    by ConstrainedFdDesired, under &[Surrounding::Armature]
}

impl Algorithm<1, 6> for ConstrainedFdDesired {
    const RESERVES: bool = true;
    const CONSTRAINED: bool = true;
    const SQUARES: usize = 1;
    const MIMICRY: Mimicry = Mimicry::None;

    fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
        s.constraints.make_room(model, rows);
    }

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, out: To<T, 6>) -> Done {
        let [qdd_c, qdd_v, qdd_a, lambda_c, lambda_v, lambda_a] = out.map(|out| out.entries);
        let Some(constraints) = scene.constraints else { return Ok(()) };
        at_rest(scene, s, q);
        step(s.proof, Factorise { scene, s })?;
        step!(s.proof, || drive(scene, s, qdd_a, lambda_a));
        let (n, rows) = (scene.model.nv(), constraints.rows());
        for item in constraints.items() {
            let (kp, kd) = (T::from_f64(item.gains.kp), T::from_f64(item.gains.kd));
            for row in item.rows() {
                for (by_a, by_v, by_c, height) in
                    [(&*qdd_a, &mut *qdd_v, &mut *qdd_c, n), (&*lambda_a, &mut *lambda_v, &mut *lambda_c, rows)]
                {
                    for k in row * height..(row + 1) * height {
                        (by_v[k], by_c[k]) = (by_a[k] * kd, by_a[k] * kp); // (2)
                    }
                }
            }
        }
        Ok(())
    }
}

/// (1)
#[inline(always)]
fn drive<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, qdd: &mut [T], lambda: &mut [T]) {
    let (n, Some(constraints)) = (scene.model.nv(), scene.constraints) else { return };
    let Scratch { zeros, constraints: room, .. } = s;
    let rows = constraints.rows();
    room.b.fill(T::zero());
    for (i, item) in constraints.items().iter().enumerate() {
        for row in item.rows() {
            room.r.fill(T::zero());
            room.r[row] = -scene.is_active(i);
            item.turn(room.seen[i].as_ref(), false, &mut room.r[item.rows()]);
            meet(scene, room, zeros);
            room.g.backward(&mut room.lambda);
            accelerate(scene, room, &mut qdd[row * n..][..n]);
            let Room { g, lambda: forces, seen, .. } = &mut *room;
            if g.any_dropped {
                g.make_least_norm(forces);
            }
            let out = &mut lambda[row * rows..][..rows];
            out.copy_from_slice(&forces[..rows]);
            to_own(constraints, seen, out);
        }
    }
}
