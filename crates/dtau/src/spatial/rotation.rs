//! Rotations by quaternions, their exponential and logarithm.

use super::stumpff::sinc_cos;
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

    /// From `[x, y, z, w]`, which must have unit length.
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

    /// One of the two unit quaternions of a rotation, from its largest component: `4 w² = 1 + tr R`,
    /// `4 x² = 1 + Rxx − Ryy − Rzz`, ….
    #[inline(always)]
    pub fn from_matrix(R: &Mat3<T>) -> Self {
        let [a, b, c] = R.cols;
        let one = T::one();
        let squares = [one + a.x + b.y + c.z, one + a.x - b.y - c.z, one - a.x + b.y - c.z, one - a.x - b.y + c.z];
        // 4wx, 4wy, 4wz; 4xy, 4xz, 4yz.
        let (wx, wy, wz) = (b.z - c.y, c.x - a.z, a.y - b.x);
        let (xy, xz, yz) = (a.y + b.x, a.z + c.x, b.z + c.y);
        let candidates =
            [[wx, wy, wz, squares[0]], [squares[1], xy, xz, wx], [xy, squares[2], yz, wy], [xz, yz, squares[3], wz]];
        let (mut four, mut best) = (candidates[0], squares[0]);
        for k in 1..4 {
            let larger = best.lt(squares[k]);
            best = T::select(larger, squares[k], best);
            for i in 0..4 {
                four[i] = T::select(larger, candidates[k][i], four[i]);
            }
        }
        let by = (best.sqrt() * T::from_f64(2.0)).recip();
        let [x, y, z, w] = four;
        Self { v: Vec3::new(x * by, y * by, z * by), w: w * by }
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

    /// A quaternion of a rotation matrix, of some non-zero length: the largest column of 4 q qᵀ, whose
    /// entries are sums of the matrix's.
    #[inline(always)]
    pub(crate) fn along(R: &Mat3<T>) -> Self {
        let [a, b, c] = R.cols;
        let (one, trace) = (T::one(), a.x + b.y + c.z);
        let (xy, xz, yz) = (a.y + b.x, a.z + c.x, b.z + c.y);
        let (wx, wy, wz) = (b.z - c.y, c.x - a.z, a.y - b.x);
        let square = |r: T| one - trace + r + r;
        let columns = [
            (square(a.x), [square(a.x), xy, xz, wx]),
            (square(b.y), [xy, square(b.y), yz, wy]),
            (square(c.z), [xz, yz, square(c.z), wz]),
        ];
        let (mut most, mut best) = (one + trace, [wx, wy, wz, one + trace]);
        for (size, column) in columns {
            let is_larger = most.lt(size);
            most = T::select(is_larger, size, most);
            for (best, x) in best.iter_mut().zip(column) {
                *best = T::select(is_larger, x, *best);
            }
        }
        Self::from_slice(&best)
    }

    /// Rotation by the vector `w`: |w| radians about its direction.
    ///
    /// ```text
    /// exp(w) = cos θ/2 + (w/2) · sin(θ/2)/(θ/2)      θ = |w|
    /// ```
    #[inline(always)]
    pub fn exp(w: Vec3<T>) -> Self {
        let quarter = w.norm_squared() * T::from_f64(0.25); // (θ/2)²
        let (sinc, cos) = sinc_cos(quarter);
        Self { v: w * (sinc * T::from_f64(0.5)), w: cos }
    }

    /// Rotation vector, with an angle of at most π. The quaternion's length does not matter.
    ///
    /// ```text
    /// log q = 2 v · atan2(|v|, w)/|v|                         w ≥ 0, else −q
    ///       = 2 v/w · (1 − x/3 + x²/5 − x³/7 + …)             x = |v|²/w²
    /// ```
    ///
    /// Accurate for every angle: atan2 uses the small `w` near π, and the small vector `v` near zero.
    #[inline(always)]
    pub fn log(self) -> Vec3<T> {
        // q and −q are the same rotation; take the one with w ≥ 0.
        let sign = T::select(self.w.lt(T::zero()), -T::one(), T::one());
        let (v, w) = (self.v * sign, self.w * sign);
        let (v2, w2) = (v.norm_squared(), w * w);
        let small = v2.lt(w2 * T::from_f64(1e-2));

        let length = T::select(small, T::one(), v2).sqrt();
        let large_factor = length.atan2(w) / length;

        // Nine terms: the next one is below 1e-19 at x = 1e-2.
        let by_w = T::select(small, w, T::one()).recip();
        let x = T::select(small, v2, T::zero()) * by_w * by_w;
        let mut atan = T::from_f64(1.0 / 17.0);
        for k in (0..8).rev() {
            atan = atan.neg_mul_add(x, T::from_f64(1.0 / (2 * k + 1) as f64));
        }
        let factor = T::select(small, atan * by_w, large_factor);
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
