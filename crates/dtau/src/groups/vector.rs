//! ℝⁿ: numbers that add. Exp and every Jacobian are the identity. [Sola18] App. E.

use super::LieGroup;
use crate::scalar::Real;

/// ℝⁿ, of dimension `.0`.
#[derive(Clone, Copy)]
pub(super) struct Vector(pub usize);

impl LieGroup for Vector {
    fn nq(self) -> usize {
        self.0
    }

    fn nv(self) -> usize {
        self.0
    }

    #[inline(always)]
    fn neutral<T: Real>(self, q: &mut [T]) {
        q[..self.0].fill(T::zero());
    }

    fn random(self, uniform: &mut impl FnMut() -> f64, [lower, upper]: [f64; 2], q: &mut [f64]) {
        for x in &mut q[..self.0] {
            // Rounding must not leave the bounds.
            *x = (lower + (upper - lower) * uniform()).min(upper);
        }
    }

    #[inline(always)]
    fn normalise<T: Real>(self, _q: &mut [T]) {}

    #[inline(always)]
    fn integrate<T: Real>(self, q: &[T], v: &[T], out: &mut [T]) {
        for k in 0..self.0 {
            out[k] = q[k] + v[k];
        }
    }

    #[inline(always)]
    fn difference<T: Real>(self, q0: &[T], q1: &[T], out: &mut [T]) {
        for k in 0..self.0 {
            out[k] = q1[k] - q0[k];
        }
    }

    #[inline(always)]
    fn adjoint_inverse<T: Real>(self, _v: &[T], out: &mut [T]) {
        scaled_identity(self.0, T::one(), out);
    }

    #[inline(always)]
    fn right_jacobian<T: Real>(self, _v: &[T], out: &mut [T]) {
        scaled_identity(self.0, T::one(), out);
    }

    #[inline(always)]
    fn right_jacobian_inverse<T: Real>(self, _v: &[T], out: &mut [T]) {
        scaled_identity(self.0, T::one(), out);
    }

    #[inline(always)]
    fn d_difference<T: Real>(self, _q0: &[T], _q1: &[T], by_q0: &mut [T], by_q1: &mut [T]) {
        scaled_identity(self.0, -T::one(), by_q0);
        scaled_identity(self.0, T::one(), by_q1);
    }
}

/// k 1, n × n.
#[inline(always)]
fn scaled_identity<T: Real>(n: usize, k: T, out: &mut [T]) {
    for col in 0..n {
        for row in 0..n {
            out[col * n + row] = if row == col { k } else { T::zero() };
        }
    }
}
