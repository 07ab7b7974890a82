//! The configuration space on engines: ⊕, ⊖ and their derivatives, see
//! [`Model::integrate`](crate::model::Model::integrate) and related functions.
//!
//! Mimicking joints have no coordinates of their own, so nothing needs to be expanded to the full tree.

use crate::door::Size::{Coordinates, Nq, Nv, Square};
use crate::door::{Algorithm, Done, In, Mimicry, To, declare};
use crate::engines::Scratch;
use crate::scalar::Real;
use crate::scene::Scene;

declare! {
    /// Integrates a velocity: `q_next = q ⊕ v`, the motion from `q` with velocity `v` for one unit of time;
    /// see [`Model::integrate`](crate::model::Model::integrate).
    ///
    /// - `q`, `q_next` (nq), `v` (nv); O(N).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn integrate(q: Nq, v: Nv) -> (slice q_next: Nq) by Integrate, under &[]
}

declare! {
    /// Difference of configurations: `v = q1 ⊖ q0`, the velocity that leads from `q0` to `q1` in one unit of
    /// time; see [`Model::difference`](crate::model::Model::difference).
    ///
    /// - `q0`, `q1` (nq), `v` (nv); O(N).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn difference(q0: Nq, q1: Nq) -> (slice v: Nv) by Difference, under &[]
}

declare! {
    /// Derivatives of `q ⊕ v` with respect to `q` and `v`, along tangent directions; see
    /// [`Model::integrate_derivatives`](crate::model::Model::integrate_derivatives).
    ///
    /// - `q` (nq), `v` (nv), `by_q`, `by_v` (nv × nv).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn integrate_derivatives(q: Nq, v: Nv) -> (slice by_q: Square, slice by_v: Square)
    by IntegratePartials, under &[]
}

declare! {
    /// Derivatives of `q1 ⊖ q0` with respect to `q0` and `q1`, along tangent directions; see
    /// [`Model::difference_derivatives`](crate::model::Model::difference_derivatives).
    ///
    /// - `q0`, `q1` (nq), `by_q0`, `by_q1` (nv × nv).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn difference_derivatives(q0: Nq, q1: Nq) -> (slice by_q0: Square, slice by_q1: Square)
    by DifferencePartials, under &[]
}

declare! {
    /// Scales every quaternion of `q` to unit length; see
    /// [`Model::normalise`](crate::model::Model::normalise).
    ///
    /// - `q`, `unit` (nq); O(N).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn normalise(q: Coordinates) -> (slice unit: Nq) by Normalise, under &[]
}

/// Algorithms that do not expand mimicking joints.
macro_rules! on_model {
    ($($type:ident[$I:literal, $O:literal] |$model:ident, $x:pat_param, $y:pat_param| $compute:expr;)*) => {$(
        impl Algorithm<$I, $O> for $type {
            const MIMICRY: Mimicry = Mimicry::None;
            // Measured: matrices with mostly zeros pay off up to 32 degrees of freedom.
            const MOST_IN_LANES: usize = if $O > 1 { 2 * 32 * 32 } else { usize::MAX };

            #[inline(always)]
            fn compute<T: Real>(
                self,
                scene: &Scene<T>,
                _: &mut Scratch<T>,
                $x: In<T, $I>,
                $y: To<T, $O>,
            ) -> Done {
                let $model = scene.model;
                $compute;
                Ok(())
            }
        }
    )*};
}

on_model! {
    Integrate[2, 1] |model, [q, v], [out]| model.integrate_all(q, v, out.entries);
    Difference[2, 1] |model, [q0, q1], [out]| model.difference_all(q0, q1, out.entries);
    IntegratePartials[2, 2] |model, [q, v], [by_q, by_v]| model.integrate_blocks(q, v, by_q.entries, by_v.entries);
    DifferencePartials[2, 2] |model, [q0, q1], [by_q0, by_q1]| {
        model.difference_blocks(q0, q1, by_q0.entries, by_q1.entries)
    };
    Normalise[1, 1] |model, [q], [out]| {
        out.entries.copy_from_slice(q);
        model.normalise_all(out.entries);
    };
}
