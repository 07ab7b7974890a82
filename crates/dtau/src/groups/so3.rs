//! SO(3): rotations, as unit quaternions `q = [x y z w]`; the tangent `ω` is the angular velocity in the body's axes.
//!
//! ```text
//! Exp(ω) = cos θ/2 + (ω/2) sin(θ/2)/(θ/2)        θ = |ω|,  s = θ²            (1)
//! Ad(Exp ω) = R(ω)                                                           (2)
//! J_r(ω)   = c₁ 1 − c₂ ω× + c₃ ω ωᵀ             cₖ = cₖ(s)                   (3)
//! J_r(ω)⁻¹ = a 1 + ½ ω× + g ω ωᵀ                                             (4)
//!   a = (θ/2) cot(θ/2) = c₀/c₁                  cₖ = cₖ(s/4) from here on    (5)
//!   g = (1 − a)/s = (c₂ − c₃)/(4 c₁)                                         (6)
//! ```
//!
//! Every matrix here is a function of ω that rotates with it, so it has the form a 1 + b ω× + c ω ωᵀ with a,
//! b, c functions of `s`: [`Isotropic`]. SE(2) and SE(3) use the same functions; SE(3) also needs their
//! derivatives with respect to ω:
//!
//! ```text
//! (3): 2 dc₁/ds = c₃ − c₂,   2 dc₂/ds = 2c₄ − c₃,   2 dc₃/ds = 3c₅ − c₄      (7)
//! (4): 2 dg/ds  = ( (3c₄ − c₃ − 3c₅)/c₁ + (c₂ − c₃)²/c₁² ) / 16              (8)
//!      2 da/ds  = −2g − s · 2 dg/ds                                          (9)
//! ```
//!
//! cₖ are the [Stumpff functions](fn@crate::spatial::stumpff). With them nothing small is divided by anything
//! small, and no series is needed here. (8) is (6) differentiated by (3) of that file. (4) has a pole at θ =
//! 2π; differences stay below π.
//!
//! Source: [Sola18] App. B: (3) is eq. (143), (4) is (144).
//! Differs from [Sola18]: ω×² = ω ωᵀ − s 1 is substituted, which turns 1 − s c₃ into c₁ and 1 − s g into a.

use super::LieGroup;
use crate::scalar::Real;
use crate::spatial::{Mat3, Quaternion, Vec3, stumpff};
use core::f64::consts::PI;

/// SO(3).
#[derive(Clone, Copy)]
pub(super) struct So3;

impl LieGroup for So3 {
    fn nq(self) -> usize {
        4
    }

    fn nv(self) -> usize {
        3
    }

    #[inline(always)]
    fn neutral<T: Real>(self, q: &mut [T]) {
        q[..4].copy_from_slice(&Quaternion::identity().to_array());
    }

    /// Uniform on SO(3): two circles of radii √(1 − u) and √u. [Shoemake92].
    fn random(self, uniform: &mut impl FnMut() -> f64, _bounds: [f64; 2], q: &mut [f64]) {
        let u = uniform();
        let (inner, outer) = (Real::sqrt(1.0 - u), Real::sqrt(u));
        let (sin0, cos0) = Real::sin_cos(2.0 * PI * uniform());
        let (sin1, cos1) = Real::sin_cos(2.0 * PI * uniform());
        q[..4].copy_from_slice(&[inner * sin0, inner * cos0, outer * sin1, outer * cos1]);
    }

    #[inline(always)]
    fn normalise<T: Real>(self, q: &mut [T]) {
        let unit = Quaternion::from_slice(q).normalised();
        q[..4].copy_from_slice(&unit.to_array());
    }

    #[inline(always)]
    fn integrate<T: Real>(self, q: &[T], v: &[T], out: &mut [T]) {
        let turned = Quaternion::from_slice(q) * Quaternion::exp(vec(v)); // (1)
        // Dividing by √(q·q) is analytic, so derivatives propagate, and lengths never drift over many steps.
        out[..4].copy_from_slice(&turned.normalised().to_array());
    }

    #[inline(always)]
    fn difference<T: Real>(self, q0: &[T], q1: &[T], out: &mut [T]) {
        let turn = Quaternion::from_slice(q0).conjugate() * Quaternion::from_slice(q1);
        out[..3].copy_from_slice(&turn.log().to_array());
    }

    #[inline(always)]
    fn adjoint_inverse<T: Real>(self, v: &[T], out: &mut [T]) {
        put(&Quaternion::exp(vec(v)).conjugate().to_matrix(), out); // (2)
    }

    #[inline(always)]
    fn right_jacobian<T: Real>(self, v: &[T], out: &mut [T]) {
        let w = vec(v);
        put(&Isotropic::right_jacobian(w.norm_squared()).at(w), out); // (3)
    }

    #[inline(always)]
    fn right_jacobian_inverse<T: Real>(self, v: &[T], out: &mut [T]) {
        let w = vec(v);
        put(&Isotropic::right_jacobian_inverse(w.norm_squared()).at(w), out); // (4)
    }
}

/// The logarithm of a rotation R, and its change as R becomes R Exp(δ).
#[derive(Clone, Copy)]
pub(crate) struct RotationLog<T> {
    /// ω = log R.
    pub(crate) vector: Vec3<T>,
    /// J_r⁻¹
    inverse: Isotropic<T>,
}

impl<T: Real> RotationLog<T> {
    #[inline(always)]
    pub(crate) fn of(R: &Mat3<T>) -> Self {
        let vector = Quaternion::along(R).log();
        Self { vector, inverse: Isotropic::right_jacobian_inverse(vector.norm_squared()) }
    }

    /// J_r⁻¹(ω) δ: the change of the logarithm.
    #[inline(always)]
    pub(crate) fn rate(&self, delta: Vec3<T>) -> Vec3<T> {
        self.inverse.apply(self.vector, delta)
    }

    /// J_r⁻ᵀ(ω) w: the gradient of w·log(R Exp δ) with respect to δ.
    #[inline(always)]
    pub(crate) fn pull(&self, w: Vec3<T>) -> Vec3<T> {
        self.inverse.transposed().apply(self.vector, w)
    }

    /// The change of [`pull`](Self::pull) along δ.
    #[inline(always)]
    pub(crate) fn bend(&self, w: Vec3<T>, delta: Vec3<T>) -> Vec3<T> {
        self.inverse.transposed().derivative(self.vector, self.rate(delta)) * w
    }
}

/// The function ω ↦ a 1 + b ω× + c ω ωᵀ, by its coefficients at s = ω·ω and twice their derivatives with
/// respect to `s`.
#[derive(Clone, Copy)]
pub(super) struct Isotropic<T> {
    pub a: T,
    pub b: T,
    pub c: T,
    /// 2 d(a, b, c)/ds
    rate: [T; 3],
}

impl<T: Real> Isotropic<T> {
    /// J_r (3), (7).
    #[inline(always)]
    pub(super) fn right_jacobian(s: T) -> Self {
        let [_, c1, c2, c3, c4, c5] = stumpff(s);
        let three = T::from_f64(3.0);
        Self { a: c1, b: -c2, c: c3, rate: [c3 - c2, c3 - (c4 + c4), three.mul_sub(c5, c4)] }
    }

    /// J_r⁻¹ (4)–(6), (8), (9).
    #[inline(always)]
    pub(super) fn right_jacobian_inverse(s: T) -> Self {
        let [c0, c1, c2, c3, c4, c5] = stumpff(s * T::from_f64(0.25));
        let by_c1 = c1.recip();
        let a = c0 * by_c1; // (5)
        let n = (c2 - c3) * by_c1;
        let g = n * T::from_f64(0.25); // (6)
        let three = T::from_f64(3.0);
        let g_rate = n.mul_add(n, three.mul_sub(c4 - c5, c3) * by_c1) * T::from_f64(1.0 / 16.0); // (8)
        let a_rate = -s.mul_add(g_rate, g + g); // (9)
        Self { a, b: T::from_f64(0.5), c: g, rate: [a_rate, T::zero(), g_rate] }
    }

    /// Its transpose, which is its value at −ω. It turns a right Jacobian into a left one.
    #[inline(always)]
    pub(super) fn transposed(self) -> Self {
        let [a_rate, b_rate, c_rate] = self.rate;
        Self { b: -self.b, rate: [a_rate, -b_rate, c_rate], ..self }
    }

    /// The matrix at `w`.
    #[inline(always)]
    pub(super) fn at(&self, w: Vec3<T>) -> Mat3<T> {
        sum(self.a, w * self.b, w, w * (self.c * T::from_f64(0.5)))
    }

    /// The matrix at `w` times `x`.
    #[inline(always)]
    pub(super) fn apply(&self, w: Vec3<T>, x: Vec3<T>) -> Vec3<T> {
        (w * self.b).cross_add(x, w.scale_add(self.c * w.dot(x), x * self.a))
    }

    /// The derivative of the matrix at `w`, when `w` moves by `p`.
    ///
    /// ```text
    /// d = ω·ρ:  2a′ d 1 + b ρ× + 2b′ d ω× + c (ω ρᵀ + ρ ωᵀ) + 2c′ d ω ωᵀ
    /// ```
    #[inline(always)]
    pub(super) fn derivative(&self, w: Vec3<T>, p: Vec3<T>) -> Mat3<T> {
        let d = w.dot(p);
        let [a_rate, b_rate, c_rate] = self.rate;
        let u = w.scale_add(c_rate * d * T::from_f64(0.5), p * self.c);
        sum(a_rate * d, w.scale_add(b_rate * d, p * self.b), w, u)
    }
}

/// a 1 + b× + w uᵀ + u wᵀ.
#[inline(always)]
fn sum<T: Real>(a: T, b: Vec3<T>, w: Vec3<T>, u: Vec3<T>) -> Mat3<T> {
    let (xx, yy, zz) = (w.x * u.x, w.y * u.y, w.z * u.z);
    let xy = w.x.mul_add(u.y, w.y * u.x);
    let xz = w.x.mul_add(u.z, w.z * u.x);
    let yz = w.y.mul_add(u.z, w.z * u.y);
    Mat3::from_cols(
        Vec3::new(a + (xx + xx), xy + b.z, xz - b.y),
        Vec3::new(xy - b.z, a + (yy + yy), yz + b.x),
        Vec3::new(xz + b.y, yz - b.x, a + (zz + zz)),
    )
}

#[inline(always)]
fn vec<T: Real>(v: &[T]) -> Vec3<T> {
    Vec3::new(v[0], v[1], v[2])
}

#[inline(always)]
fn put<T: Real>(m: &Mat3<T>, out: &mut [T]) {
    for k in 0..3 {
        out[3 * k..3 * k + 3].copy_from_slice(&m.cols[k].to_array());
    }
}
