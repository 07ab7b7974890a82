//! The configuration spaces of joints: one file per group, one list, one trait.
//!
//! A configuration `q` is an element of a Lie group. A tangent `v` is the body's motion in one unit of time
//! at constant velocity, *in its own axes*:
//!
//! ```text
//! q ⊕ v   = q · Exp(v)                    (1)
//! q₁ ⊖ q₀ = Log(q₀⁻¹ q₁)                  (2)      q₀ ⊕ (q₁ ⊖ q₀) = q₁
//! ```
//!
//! Derivatives are along tangents on both sides, `Df` with f(q ⊕ δ) = f(q) ⊕ Df δ + …, so every one is nv × nv:
//!
//! ```text
//! D(q ⊕ v)/Dq   = Ad(Exp v)⁻¹             (3)
//! D(q ⊕ v)/Dv   = J_r(v)                  (4)
//! D(q₁ ⊖ q₀)/Dq₁ = J_r(v)⁻¹               (5)      v = q₁ ⊖ q₀
//! D(q₁ ⊖ q₀)/Dq₀ = −J_r(v)⁻¹ Ad(Exp v)⁻¹ = −J_l(v)⁻¹ = −J_r(−v)⁻¹       (6)
//! ```
//!
//! They depend on `q` only through `v`. Source: [Sola18] §II-C for ⊕ and ⊖, §II-G and §III-B for the
//! derivatives. Everything is generic over [`Real`]. Values are only branched on by [`Real::select`], and
//! every coefficient is analytic in θ². So dual numbers, complex step and lanes work, also at zero.

mod se2;
mod se3;
mod so3;
mod vector;

#[cfg(test)]
mod tests;

use crate::scalar::Real;
use core::f64::consts::PI;
use se2::Se2;
use se3::Se3;
pub(crate) use so3::RotationLog;
use so3::So3;
use vector::Vector;

/// The interface of a configuration space. Jacobians are nv × nv, column-major; every output is written
/// completely.
trait LieGroup: Copy {
    /// Number of coordinates.
    fn nq(self) -> usize;

    /// Number of tangent directions.
    fn nv(self) -> usize;

    /// The identity.
    fn neutral<T: Real>(self, q: &mut [T]);

    /// A random element. `uniform` returns numbers in [0, 1); the bounds are finite.
    fn random(self, uniform: &mut impl FnMut() -> f64, bounds: [f64; 2], q: &mut [f64]);

    /// Projects to the nearest element. Unconstrained coordinates are unchanged.
    fn normalise<T: Real>(self, q: &mut [T]);

    /// q ⊕ v (1).
    fn integrate<T: Real>(self, q: &[T], v: &[T], out: &mut [T]);

    /// q₁ ⊖ q₀ (2).
    fn difference<T: Real>(self, q0: &[T], q1: &[T], out: &mut [T]);

    /// Ad(Exp v)⁻¹.
    fn adjoint_inverse<T: Real>(self, v: &[T], out: &mut [T]);

    /// J_r(v).
    fn right_jacobian<T: Real>(self, v: &[T], out: &mut [T]);

    /// J_r(v)⁻¹, for rotations by at most π.
    fn right_jacobian_inverse<T: Real>(self, v: &[T], out: &mut [T]);

    /// D(q₁ ⊖ q₀)/Dq₀ and D(q₁ ⊖ q₀)/Dq₁.
    #[inline(always)]
    fn d_difference<T: Real>(self, q0: &[T], q1: &[T], by_q0: &mut [T], by_q1: &mut [T]) {
        let mut v = [T::zero(); LARGEST_NV];
        self.difference(q0, q1, &mut v);
        self.right_jacobian_inverse(&v, by_q1); // (5)
        self.right_jacobian_inverse(&v.map(|x| -x), by_q0); // (6)
        for x in &mut by_q0[..self.nv() * self.nv()] {
            *x = -*x;
        }
    }
}

/// The configuration space of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Plain numbers that add.
    Vector(usize),
    /// Rotations, as unit quaternions `[x y z w]`.
    So3,
    /// Plane motions `[x y θ]`.
    Se2,
    /// Rigid motions `[x y z, qx qy qz qw]`.
    Se3,
}

/// Runs the same expression on the group inside a [`Group`].
macro_rules! on_group {
    ($group:expr, $g:ident => $body:expr) => {
        match $group {
            Group::Vector(n) => {
                let $g = Vector(n);
                $body
            }
            Group::So3 => {
                let $g = So3;
                $body
            }
            Group::Se2 => {
                let $g = Se2;
                $body
            }
            Group::Se3 => {
                let $g = Se3;
                $body
            }
        }
    };
}

impl Group {
    /// Number of coordinates.
    pub(crate) fn nq(self) -> usize {
        on_group!(self, g => g.nq())
    }

    /// Number of tangent directions.
    pub(crate) fn nv(self) -> usize {
        on_group!(self, g => g.nv())
    }

    /// Index of the unit quaternion among the coordinates, if there is one.
    pub(crate) fn quaternion(self) -> Option<usize> {
        match self {
            Group::Vector(_) | Group::Se2 => None,
            Group::So3 => Some(0),
            Group::Se3 => Some(3),
        }
    }

    /// The identity: zeros, and the unit quaternion.
    #[inline(always)]
    pub(crate) fn neutral<T: Real>(self, q: &mut [T]) {
        on_group!(self, g => g.neutral(q))
    }

    /// A random configuration; `uniform` returns numbers in [0, 1).
    ///
    /// Plain numbers are uniform between the bounds: within ±π if both are infinite, within one turn of the
    /// finite one if only one is finite. The other groups have no bounds: rotations are uniform on SO(3),
    /// angles of the plane in ±π, positions in the cube [−1, 1].
    pub(crate) fn random(self, uniform: &mut impl FnMut() -> f64, lower: f64, upper: f64, q: &mut [f64]) {
        let bounds = match (lower.is_finite(), upper.is_finite()) {
            (true, true) => [lower, upper],
            (true, false) => [lower, lower + 2.0 * PI],
            (false, true) => [upper - 2.0 * PI, upper],
            (false, false) => [-PI, PI],
        };
        on_group!(self, g => g.random(uniform, bounds, q))
    }

    /// Scales quaternions to unit length; other coordinates are unchanged.
    #[inline(always)]
    pub(crate) fn normalise<T: Real>(self, q: &mut [T]) {
        on_group!(self, g => g.normalise(q))
    }

    /// Computes `q ⊕ v`: the result of one unit of time at the constant body velocity `v`. Quaternions have
    /// unit length.
    #[inline(always)]
    pub(crate) fn integrate<T: Real>(self, q: &[T], v: &[T], out: &mut [T]) {
        on_group!(self, g => g.integrate(q, v, out))
    }

    /// Computes `q₁ ⊖ q₀`: the body velocity that leads from `q₀` to `q₁` in one unit of time, with a
    /// rotation of at most π.
    #[inline(always)]
    pub(crate) fn difference<T: Real>(self, q0: &[T], q1: &[T], out: &mut [T]) {
        on_group!(self, g => g.difference(q0, q1, out))
    }

    /// Computes D(q ⊕ v)/Dq (3) and D(q ⊕ v)/Dv (4). `q` is not read: the derivatives are the same at every
    /// `q`.
    #[inline(always)]
    pub(crate) fn d_integrate<T: Real>(self, _q: &[T], v: &[T], by_q: &mut [T], by_v: &mut [T]) {
        on_group!(self, g => {
            g.adjoint_inverse(v, by_q); // (3)
            g.right_jacobian(v, by_v); // (4)
        })
    }

    /// Computes D(q₁ ⊖ q₀)/Dq₀ (6) and D(q₁ ⊖ q₀)/Dq₁ (5). At a rotation by π they belong to the branch that
    /// [`difference`](Group::difference) takes.
    #[inline(always)]
    pub(crate) fn d_difference<T: Real>(self, q0: &[T], q1: &[T], by_q0: &mut [T], by_q1: &mut [T]) {
        on_group!(self, g => g.d_difference(q0, q1, by_q0, by_q1))
    }
}

/// The most tangent directions of a group, except [`Vector`].
const LARGEST_NV: usize = 6;
