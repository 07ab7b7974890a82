//! Constraints at a state: their errors, J, and `J M⁻¹ Jᵀ`.

use super::derivatives::to_own;
use super::elimination::eliminate;
use super::forward::set_up;
use crate::constraints::{Kind, Room};
use crate::dispatch::step;
use crate::door::Size::{Fixed, Nq, Nv, Rows, RowsSquare, RowsWide};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare};
use crate::engines::Scratch;
use crate::model::Model;
use crate::room::lend;
use crate::scalar::Real;
use crate::scene::Scene;

/// Output buffers of [`constraint_errors`]; one number for each row.
#[derive(Debug)]
pub struct ConstraintErrorsMut<'a, T> {
    /// c − c*: metres, and radians of rotation vectors.
    pub position: &'a mut [T],
    /// ċ − ċ* = J q̇ − ċ*.
    pub velocity: &'a mut [T],
}

declare! {
    /// Position and velocity errors of the constraints.
    ///
    /// - `q` (nq), `v` (nv); `position`, `velocity` (the constraints' rows), in the axes of the rows; O(N + m
    ///   d).
    /// - For frames, the position error is the logarithm of the relative placement. Inactive constraints have
    ///   zeros.
    ///
    /// # Errors
    /// If a length, the engine or the constraints do not fit the model.
    fn constraint_errors of constraints (q: Nq, v: Nv) -> ConstraintErrorsMut { position: Rows, velocity: Rows }
    by ConstraintErrors, under &[]
}

declare! {
    /// The Jacobian J of the constraints: ċ = J q̇, and the torques are Jᵀλ.
    ///
    /// - `q` (nq); `jacobian` (the constraints' rows × nv, by columns), in the axes of the rows; zero in
    ///   inactive rows; O(N + m d), plus writing the zeros.
    ///
    /// # Errors
    /// If a length, the engine or the constraints do not fit the model.
    fn constraint_jacobian of constraints (q: Nq) -> (slice jacobian: RowsWide) by ConstraintJacobian, under &[]
}

/// Output buffers of [`delassus`].
#[derive(Debug)]
pub struct DelassusMut<'a, T> {
    /// J M⁻¹ Jᵀ: rows × rows, exactly symmetric unless axes are turned.
    pub delassus: &'a mut [T],
    /// Its inverse, the inertia along the rows. With dependent rows it is a generalised inverse, with zeros
    /// in theirs.
    pub inverse: &'a mut [T],
    /// Number of independent rows.
    pub rank: &'a mut [T],
}

declare! {
    /// Inverse inertia along the constraints, `J M⁻¹ Jᵀ`, with its inverse and its rank.
    ///
    /// - `q` (nq); `delassus`, `inverse` (rows × rows), `rank` (1): number of independent rows among the
    ///   active ones; O(N d² + m² (N + m)).
    ///
    /// # Errors
    /// If a length, the engine or the constraints do not fit the model, or if a body has no inertia along its
    /// joint.
    fn delassus of constraints (q: Nq) -> DelassusMut { delassus: RowsSquare, inverse: RowsSquare, rank: Fixed(1) }
    by Delassus, under &[Surrounding::Armature]
}

macro_rules! constrained {
    () => {
        const RESERVES: bool = true;
        const CONSTRAINED: bool = true;
        const SQUARES: usize = 1;
        const MIMICRY: Mimicry = Mimicry::None;
    };
}

impl Algorithm<2, 2> for ConstraintErrors {
    constrained!();

    fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
        s.constraints.make_room(model, rows);
    }

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v]: In<T, 2>,
        [position, velocity]: To<T, 2>,
    ) -> Done {
        let Some(constraints) = scene.constraints else { return Ok(()) };
        set_up::<T, false>(scene, s, q, v);
        let (position, velocity, rows) = (position.entries, velocity.entries, constraints.rows());
        let map = scene.model.mimic();
        let Room { j, g, seen, full, .. } = &s.constraints;
        let of_q = if map.is_some() { &full[0][..] } else { q };
        velocity.fill(T::zero());
        for (k, &v) in v.iter().enumerate() {
            for (velocity, &j) in velocity.iter_mut().zip(&j[k * g.stride..]) {
                *velocity = j.mul_add(v, *velocity);
            }
        }
        for ((i, item), seen) in constraints.items().iter().enumerate().zip(seen) {
            let own = &mut position[item.rows()];
            match (&item.kind, seen) {
                (Kind::Held(held), Some(seen)) => held.project(seen.error(held.is_frame), &seen.axes(held.axes), own),
                (Kind::Distance(_, length), Some(seen)) => own[0] = seen.along().1 - T::from_f64(*length),
                (Kind::Joints(terms, constant), _) => {
                    let sum = terms.iter().map(|term| T::from_f64(term.factor) * of_q[term.coordinate]);
                    own[0] = sum.fold(-T::from_f64(*constant), |sum, x| sum + x);
                }
                _ => {}
            }
            for x in own {
                *x *= scene.is_active(i);
            }
        }
        to_own(constraints, seen, position);
        to_own(constraints, seen, velocity);
        if let Some(desired) = scene.desired {
            for (i, item) in constraints.items().iter().enumerate() {
                for r in item.rows() {
                    position[r] -= desired[r] * scene.is_active(i);
                    velocity[r] -= desired[rows + r] * scene.is_active(i);
                }
            }
        }
        Ok(())
    }
}

impl Algorithm<1, 1> for ConstraintJacobian {
    constrained!();

    fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
        s.constraints.make_room(model, rows);
    }

    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, [jacobian]: To<T, 1>) -> Done {
        let Some(constraints) = scene.constraints else { return Ok(()) };
        at_rest(scene, s, q);
        let Room { j, g, seen, .. } = &s.constraints;
        for (k, column) in jacobian.entries.chunks_exact_mut(g.rows.max(1)).enumerate() {
            column.copy_from_slice(&j[k * g.stride..][..g.rows]);
            to_own(constraints, seen, column);
        }
        Ok(())
    }
}

/// [`set_up`] at zero velocity.
#[inline(always)]
pub(super) fn at_rest<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, q: &[T]) {
    lend!(s.constraints.rest => rest, || set_up::<T, false>(scene, s, q, rest));
}

impl Algorithm<1, 3> for Delassus {
    constrained!();

    fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
        s.constraints.make_room(model, rows);
        s.constraints.make_room_for_derivatives(model, 0);
    }

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q]: In<T, 1>,
        [delassus, inverse, rank]: To<T, 3>,
    ) -> Done {
        at_rest(scene, s, q);
        step!(s.proof, || operational(scene, s, delassus.entries, inverse.entries, rank.entries))
    }
}

/// J M⁻¹ Jᵀ, its inverse and its rank.
#[inline(always)]
fn operational<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    delassus: &mut [T],
    inverse: &mut [T],
    rank: &mut [T],
) -> Done {
    let Some(constraints) = scene.constraints else { return Ok(()) };
    eliminate(scene, s)?;
    let Room { g, inverse: own, seen, .. } = &mut s.constraints;
    let (rows, stride) = (g.rows, g.stride);
    for c in 0..rows {
        for r in c..rows {
            let x = g.l[c * stride + r];
            (delassus[c * rows + r], delassus[r * rows + c]) = (x, x);
        }
    }
    g.factorise();
    g.invert(own);
    for c in 0..rows {
        inverse[c * rows..][..rows].copy_from_slice(&own[c * stride..][..rows]);
    }
    rank[0] = g.rank();
    // Turns the columns to their axes, then the rows: the transposed matrix, turned once more.
    for x in [delassus, inverse] {
        for _ in 0..2 {
            for column in x.chunks_exact_mut(rows.max(1)) {
                to_own(constraints, seen, column);
            }
            for c in 0..rows {
                for r in c + 1..rows {
                    x.swap(c * rows + r, r * rows + c);
                }
            }
        }
    }
    Ok(())
}
