//! Rotations by quaternions, and the exponential and logarithm of rotations and rigid motions.

use super::vec3::vec3;
use super::{Mat3, Vec3};
use crate::scalar::{Real, dot2};
use core::ops::Mul;

/// A unit quaternion `w + x i + y j + z k`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quaternion<T> {
    /// The vector part.
    pub v: Vec3<T>,
    /// The scalar part.
    pub w: T,
}

impl<T: Real> Quaternion<T> {
    /// No rotation.
    #[inline(always)]
    pub fn identity() -> Self {
        Self { v: Vec3::zero(), w: T::one() }
    }

    /// From `[x, y, z, w]`, taken to have unit length.
    #[inline(always)]
    pub fn from_slice(q: &[T]) -> Self {
        Self { v: vec3(q[0], q[1], q[2]), w: q[3] }
    }

    /// `[x, y, z, w]`.
    #[inline(always)]
    pub fn to_array(self) -> [T; 4] {
        [self.v.x, self.v.y, self.v.z, self.w]
    }

    /// The inverse rotation.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self { v: -self.v, w: self.w }
    }

    /// The squared length; 1 for a rotation.
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.w.mul_add(self.w, self.v.norm_squared())
    }

    /// Scaled to unit length.
    #[inline(always)]
    pub fn normalised(self) -> Self {
        let k = self.norm_squared().sqrt().recip();
        Self { v: self.v * k, w: self.w * k }
    }

    /// The rotation matrix.
    ///
    /// ```text
    /// R = 1 + 2 w v× + 2 v× v×
    /// ```
    #[inline(always)]
    pub fn to_matrix(self) -> Mat3<T> {
        let (x, y, z) = (self.v.x, self.v.y, self.v.z);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let one = T::one();
        let (wx, wy, wz) = (self.w * x2, self.w * y2, self.w * z2);
        Mat3::from_cols(
            vec3(one - dot2(y, y2, z, z2), x.mul_add(y2, wz), x.mul_add(z2, -wy)),
            vec3(x.mul_add(y2, -wz), one - dot2(x, x2, z, z2), y.mul_add(z2, wx)),
            vec3(x.mul_add(z2, wy), y.mul_add(z2, -wx), one - dot2(x, x2, y, y2)),
        )
    }

    /// The rotation by the vector `w`: |w| radians about its direction.
    #[inline(always)]
    pub fn exp(w: Vec3<T>) -> Self {
        let quarter = w.norm_squared() * T::from_f64(0.25); // (θ/2)²
        let (sinc, cos) = sinc_cos(quarter);
        Self { v: w * (sinc * T::from_f64(0.5)), w: cos }
    }

    /// The rotation vector, with an angle of at most π.
    #[inline(always)]
    pub fn log(self) -> Vec3<T> {
        // q and −q are the same rotation; take the one with w ≥ 0.
        let sign = T::select(self.w.lt(T::zero()), -T::one(), T::one());
        let (v, w) = (self.v * sign, self.w * sign);
        // θ = 2 atan2(|v|, w); v·θ/|v| → 2 v (1 + |v|²/6 + 3|v|⁴/40 + …) for small |v|, from asin.
        let s = v.norm_squared();
        let small = s.lt(T::from_f64(1e-6));
        let safe = T::select(small, T::one(), s);
        let length = safe.sqrt();
        let large_factor = length.atan2(w) / length;
        let series = s.mul_add(
            s.mul_add(s.mul_add(T::from_f64(15.0 / 336.0), T::from_f64(3.0 / 40.0)), T::from_f64(1.0 / 6.0)),
            T::one(),
        );
        let factor = T::select(small, series, large_factor);
        v * (factor + factor)
    }
}

/// `a b`: first rotate by `b`, then by `a`.
impl<T: Real> Mul for Quaternion<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let v = self.v.cross_add(b.v, b.v.scale_add(self.w, self.v * b.w));
        Self { v, w: self.w.mul_sub(b.w, self.v.dot(b.v)) }
    }
}

/// (sin √s / √s, cos √s): entire functions of `s`, so their derivatives are right at zero too.
#[inline(always)]
pub(crate) fn sinc_cos<T: Real>(s: T) -> (T, T) {
    let small = s.lt(T::from_f64(1e-2));
    let root = T::select(small, T::one(), s).sqrt();
    let (sin, cos) = root.sin_cos();
    // Six terms: the next one is below 1e-22 at s = 1e-2.
    let series = |first: f64| {
        // Σ (−s)ᵏ first! / (2k + first)!, by Horner
        let mut sum = T::one();
        for k in (1..=6).rev() {
            let (a, b) = (2.0 * k as f64 + first - 1.0, 2.0 * k as f64 + first);
            sum = (sum * T::from_f64(1.0 / (a * b))).neg_mul_add(s, T::one());
        }
        sum
    };
    (T::select(small, series(1.0), sin / root), T::select(small, series(0.0), cos))
}
