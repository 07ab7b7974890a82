//! Constrained inverse dynamics: torques and forces for given accelerations.
//!
//! ```text
//! τ + Jᵀλ = M q̈ + b = f          least  Σ (τ/s)² + Σ (λ/t)²          s, t: how strong joints and constraints are    (1)
//! K = diag s² + Jᵀ diag t² J      K y = f      τ = s² y      λ = t² J y                                             (2)
//! ```
//!
//! A joint without actuator has s = 0, and τ = 0. (2) has a solution if (1) has one, for any number of
//! dependent rows of J. K has the size of M; its factor is [`factor`](super::factor).

use super::factor::Factor;
use super::forward::set_up;
use super::{Constraints, Room};
use crate::dispatch::step;
use crate::door::Size::{Nq, Nv, Rows};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare, results};
use crate::engines::Scratch;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::sweeps::singular::Singular;
use alloc::vec::Vec;

results! {
    /// Torques and forces for given accelerations: the result of [`constrained_id`].
    pub struct ConstrainedEfforts(constraints: Constraints) as [ConstrainedEffortsMut] {
        /// The torques τ: nv; zero for joints without actuator.
        tau: Nv,
        /// The forces λ along the rows of the constraints.
        lambda: Rows,
    } {}
}

declare! {
    /// Constrained inverse dynamics: the actuator torques and constraint forces of least norm that produce
    /// the given accelerations: `τ + Jᵀλ = M q̈ + b`.
    ///
    /// - `q` (nq), `v`, `a`, `tau` (nv), `lambda` (the constraints' rows): as in
    ///   [`constrained_fd`](crate::constrained_fd()).
    /// - `torque_strength` (nv): strength of each degree of freedom's actuator; zero without actuator.
    ///   `force_strength` (rows): strength of a constraint along each row; zero for a row without force. The
    ///   solution minimises `Σ (τ/strength)² + Σ (λ/strength)²`: the least norm if all strengths are one.
    /// - The caller ensures that the accelerations satisfy the constraints: gains and desired motion have no
    ///   effect.
    /// - It is an error if joints and constraints cannot produce the accelerations. For an approximate
    ///   solution, give joints without actuator a small strength, such as 1e-3: their torques are then the
    ///   missing ones. Strengths that differ by more than 10⁵ are lost in rounding.
    /// - O(N d + nv² (nv + m)) for m rows, and memory for some matrices of nv × nv.
    ///
    /// # Errors
    /// If a length, the engine or the constraints do not fit the model, if a strength is negative, or if the
    /// accelerations cannot be produced: the error is more than 10⁻⁶ of the largest torque. After an error
    /// the contents of `out` are undefined.
    fn constrained_id of constraints (q: Nq, v: Nv, a: Nv, torque_strength: Nv, force_strength: Rows)
    -> ConstrainedEffortsMut { tau: Nv, lambda: Rows }
    by ConstrainedId, under Surrounding::ALL
}

impl Algorithm<5, 2> for ConstrainedId {
    const RESERVES: bool = true;
    const CONSTRAINED: bool = true;
    const SQUARES: usize = 4;
    const MIMICRY: Mimicry = Mimicry::None;

    fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
        s.constraints.make_room(model, rows);
        s.constraints.wish.make_room(model);
    }

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, a, torque, force]: In<T, 5>,
        [tau, lambda]: To<T, 2>,
    ) -> Done {
        grant(scene, s, [q, v, a, torque, force], tau.entries, lambda.entries)
    }
}

/// Computes τ and λ. Intermediate results stay in the room, with J in the axes of the rows.
#[inline(always)]
pub(super) fn grant<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    [q, v, a, torque, force]: [&[T]; 5],
    tau: &mut [T],
    lambda: &mut [T],
) -> Done {
    set_up::<T, false>(scene, s, q, v);
    step!(s.proof, || solve(scene, &mut s.constraints, a, torque, force, tau, lambda))
}

/// (1) and (2), from M, b and J.
#[inline(always)]
fn solve<T: Real>(
    scene: &Scene<'_, T>,
    room: &mut Room<T>,
    a: &[T],
    torque: &[T],
    force: &[T],
    tau: &mut [T],
    lambda: &mut [T],
) -> Done {
    let (Some(constraints), n) = (scene.constraints, scene.model.nv()) else { return Ok(()) };
    strong(torque, force)?;
    let Room { m, b, j, seen, g, wish: Wish { k, y, alone, scale }, .. } = room;
    let (stride, across) = (g.stride, k.stride);
    for (item, seen) in constraints.items().iter().zip(&*seen) {
        for c in 0..n {
            item.turn(seen.as_ref(), true, &mut j[c * stride..][item.rows()]);
        }
    }
    let mut most = T::zero();
    for r in 0..n {
        let (mut f, mut size) = (b[r], magnitude(b[r]));
        for (&m, &a) in m[r * n..][..n].iter().zip(a) {
            f = m.mul_add(a, f); // (1)
            size += magnitude(m * a);
        }
        y[r] = f;
        most = T::select(most.lt(size), size, most);
    }
    scale.fill(most);
    k.l.fill(T::zero());
    for c in 0..n {
        let own = &constraints.spans()[c];
        for r in c..n {
            let other = &constraints.spans()[r];
            let mut sum = if r == c { torque[c] * torque[c] } else { T::zero() };
            for row in own.start.max(other.start)..own.end.min(other.end) {
                let t = force[row];
                sum = (j[c * stride + row] * t).mul_add(j[r * stride + row] * t, sum); // (2)
            }
            k.l[c * across + r] = sum;
        }
        let diagonal = &mut k.l[c * across + c];
        // Beside a lever arm beyond this bound every strength is lost. The check of the results reports it as
        // an overflow.
        let bound = T::from_f64(1.0 / (T::EPSILON * T::EPSILON));
        if !y[c].is_finite() || !diagonal.is_finite() || (bound - *diagonal).any_below(0.0) {
            tau.fill(T::from_f64(f64::NAN));
            lambda.fill(T::from_f64(f64::NAN));
            k.any_dropped = false;
            return Ok(());
        }
        // No actuator or constraint acts on it: its torque must be zero.
        alone[c] = T::select(T::zero().lt(*diagonal), T::zero(), T::one());
        *diagonal += alone[c];
        let excess = (magnitude(y[c]) - most * T::from_f64(allowed::<T>())) * alone[c];
        if (-excess).any_below(0.0) {
            return Err(Singular::Unreached { dof: c });
        }
    }
    k.factorise();
    k.forward(y);
    if k.any_dropped
        && let Some(dof) = k.contradiction(y, scale)
    {
        return Err(Singular::Unreached { dof });
    }
    k.backward(y);
    lambda.fill(T::zero());
    for c in 0..n {
        tau[c] = torque[c] * torque[c] * y[c];
        let rows = constraints.spans()[c].clone();
        for (lambda, &j) in lambda[rows.clone()].iter_mut().zip(&j[c * stride..][rows]) {
            *lambda = j.mul_add(y[c], *lambda);
        }
    }
    for (lambda, &t) in lambda.iter_mut().zip(force) {
        *lambda *= t * t;
    }
    Ok(())
}

/// Allowed error, relative to the largest torque.
const fn allowed<T: Real>() -> f64 {
    if T::EPSILON < 1e-10 { 1e-6 } else { 1e-2 }
}

/// Magnitude of the real part.
#[inline(always)]
fn magnitude<T: Real>(x: T) -> T {
    T::select(x.lt(T::zero()), -x, x)
}

/// Checks that no strength is negative.
#[inline(always)]
fn strong<T: Real>(torque: &[T], force: &[T]) -> Done {
    for (is_force, strengths) in [(false, torque), (true, force)] {
        if let Some(index) = strengths.iter().position(|s| s.any_below(0.0)) {
            return Err(Singular::Weak { is_force, index });
        }
    }
    Ok(())
}

/// Workspace of this algorithm and its derivatives.
#[derive(Debug, Default)]
pub(super) struct Wish<T> {
    /// K
    pub(super) k: Factor<T>,
    pub(super) y: Vec<T>,
    /// One for degrees of freedom without actuator or constraint.
    pub(super) alone: Vec<T>,
    scale: Vec<T>,
}

impl<T: Real> Wish<T> {
    fn make_room(&mut self, model: &Model) {
        let n = model.nv();
        if self.k.rows != n || self.y.len() != n {
            self.k.make_room(n);
            for x in [&mut self.y, &mut self.alone, &mut self.scale] {
                x.clear();
                x.resize(n, T::zero());
            }
        }
    }
}
