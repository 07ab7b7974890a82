//! The operator `B`: the part of the Newton–Euler equations that is linear in a second velocity.

use super::{Force, Inertia, Mat3, Motion, Sym3, Vec3};
use crate::scalar::Real;
use core::ops::{Add, AddAssign};

/// `2B` of a body or a subtree: `2B x = [ω_x × 2p ; 2B₃ ω_x]`, where `ω_x` is the angular part of `x`.
///
/// ```text
/// B x = ½ (v ×* I x − I (v × x) + x ×* I v)      so that  B v = v ×* I v,  B + Bᵀ = İ
/// B₃ = tr(D) 1 − D,   D = ω× Σ + v hᵀ,   Σ = ½ tr(Ī) 1 − Ī,   p = m v + ω × h
/// ```
///
/// Differs from [Singh22] eq. (28): 12 numbers, not 36, because `B` does not use the linear part of its
/// argument. `B` is additive over bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coriolis<T> {
    pub(super) B3: Mat3<T>,
    pub(super) p: Vec3<T>,
}

impl<T: Real> Coriolis<T> {
    /// `2B` of a body with inertia `I`, velocity `v` and `momentum` `I v`.
    #[inline(always)]
    pub(crate) fn of_body(I: &Inertia<T>, v: Motion<T>, momentum: Force<T>) -> Self {
        let (w2, v2) = (v.ang + v.ang, v.lin + v.lin);
        let half_trace = I.rot.trace() * T::from_f64(0.5);
        let sigma = Sym3 {
            xx: half_trace - I.rot.xx,
            xy: -I.rot.xy,
            xz: -I.rot.xz,
            yy: half_trace - I.rot.yy,
            yz: -I.rot.yz,
            zz: half_trace - I.rot.zz,
        };
        let [s0, s1, s2] = sigma.to_mat3().cols;
        let d0 = w2.cross_add(s0, v2 * I.h.x);
        let d1 = w2.cross_add(s1, v2 * I.h.y);
        let d2 = w2.cross_add(s2, v2 * I.h.z);
        let (x, y, z) = (d0.x, d1.y, d2.z);
        let B3 = Mat3::from_cols(
            Vec3::new(y + z, -d0.y, -d0.z),
            Vec3::new(-d1.x, x + z, -d1.z),
            Vec3::new(-d2.x, -d2.y, x + y),
        );
        Self { B3, p: momentum.lin + momentum.lin }
    }

    /// `2B x + c`.
    #[inline(always)]
    pub(crate) fn mul_add(&self, x_ang: Vec3<T>, c: Force<T>) -> Force<T> {
        Force::new(x_ang.cross_add(self.p, c.lin), self.B3.mul_add(x_ang, c.ang))
    }

    /// Columns of `2B` for the three components of the angular part of its argument.
    #[inline(always)]
    pub(crate) fn columns(&self) -> [Force<T>; 3] {
        let ([a, b, c], [d, e, f]) = (Mat3::skew(-self.p).cols, self.B3.cols);
        [Force::new(a, d), Force::new(b, e), Force::new(c, f)]
    }

    /// The angular part of `2Bᵀ x`; the linear part is zero.
    #[inline(always)]
    pub(crate) fn tr_mul(&self, x: Motion<T>) -> Vec3<T> {
        let [b0, b1, b2] = self.B3.cols;
        let turned = Vec3::new(b0.dot(x.ang), b1.dot(x.ang), b2.dot(x.ang));
        self.p.cross_add(x.lin, turned)
    }
}

/// The symmetric part of `2B₃`, which is that of İ. With the momentum `(p, n)`, these six numbers define
/// `2B`:
///
/// ```text
/// 2B = İ + (I v) ×̄*           2B₃ = K − n×,   K = 2 tr(D) 1 − D − Dᵀ
/// ```
///
/// For algorithms that sum momenta over bodies anyway.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CoriolisSymmetric<T> {
    pub(super) K: Sym3<T>,
}

impl<T: Real> CoriolisSymmetric<T> {
    /// Symmetric part of `2B₃` of a body with inertia `I` and velocity `v`.
    #[inline(always)]
    pub(crate) fn of_body(I: &Inertia<T>, v: Motion<T>) -> Self {
        let half_trace = I.rot.trace() * T::from_f64(0.5);
        let Sym3 { xx, xy, xz, yy, yz, zz } = I.rot;
        let d0 = v.ang.cross_add(Vec3::new(half_trace - xx, -xy, -xz), v.lin * I.h.x);
        let d1 = v.ang.cross_add(Vec3::new(-xy, half_trace - yy, -yz), v.lin * I.h.y);
        let d2 = v.ang.cross_add(Vec3::new(-xz, -yz, half_trace - zz), v.lin * I.h.z);
        let (x, y, z) = (d0.x, d1.y, d2.z);
        let (xx, yy, zz) = (y + z, x + z, x + y);
        let K =
            Sym3 { xx: xx + xx, xy: -(d0.y + d1.x), xz: -(d0.z + d2.x), yy: yy + yy, yz: -(d1.z + d2.y), zz: zz + zz };
        Self { K }
    }

    /// The angular part of `2Bᵀ x`, from the momentum; the linear part is zero.
    #[inline(always)]
    pub(crate) fn tr_mul(&self, momentum: Force<T>, x: Motion<T>) -> Vec3<T> {
        let turned = momentum.ang.cross_add(x.ang, self.K * x.ang);
        (momentum.lin + momentum.lin).cross_add(x.lin, turned)
    }
}

impl<T: Real> Add for CoriolisSymmetric<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { K: self.K + b.K }
    }
}

impl<T: Real> Add for Coriolis<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { B3: self.B3 + b.B3, p: self.p + b.p }
    }
}

impl<T: Real> AddAssign for Coriolis<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}
