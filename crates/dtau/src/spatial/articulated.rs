//! Articulated-body inertias: symmetric 6×6 in three blocks, 21 numbers.

use super::{Force, Inertia, Mat3, Motion, Sym3, Transform};
use crate::scalar::Real;
use core::ops::{AddAssign, Mul};

/// The apparent inertia of a body whose descendants are free to move. \[RBDA\] §7.1.
///
/// ```text
/// [ M   H ]   linear
/// [ Hᵀ  J ]   angular
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
#[allow(non_snake_case)]
pub struct ArticulatedInertia<T> {
    /// Maps linear acceleration to force.
    pub M: Sym3<T>,
    /// Maps angular acceleration to force.
    pub H: Mat3<T>,
    /// Maps angular acceleration to moment.
    pub J: Sym3<T>,
}

impl<T: Real> ArticulatedInertia<T> {
    /// No inertia.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { M: Sym3::zero(), H: Mat3::zero(), J: Sym3::zero() }
    }

    /// `X* Iᴬ X⁻¹`: the same inertia seen from A, where `x` is the placement of its frame in A. \[RBDA\] §2.13.
    ///
    /// ```text
    /// M_A = R M Rᵀ      H_A = R H Rᵀ − M_A p×      J_A = R J Rᵀ + p× R H Rᵀ + (p× H_A)ᵀ
    /// ```
    #[inline(always)]
    pub fn transform(&self, x: &Transform<T>) -> Self {
        let (R, p) = (&x.rot, Mat3::skew(x.pos));
        let M = self.M.rotate(R);
        let turned = *R * self.H * R.transpose();
        let H = turned - M.to_mat3() * p;
        let shift = p * turned + (p * H).transpose();
        Self { M, H, J: self.J.rotate(R) + Sym3::from_lower(&shift) }
    }

    /// `Iᴬ − u kuᵀ`, where `ku` is parallel to `u`: subtracts the part along a free direction.
    #[inline(always)]
    pub fn sub_outer(&self, ku: Force<T>, u: Force<T>) -> Self {
        let [a, b, c] = self.H.cols;
        Self {
            M: self.M.sub_outer(ku.lin, u.lin),
            H: Mat3::from_cols(
                u.lin.scale_add(-ku.ang.x, a),
                u.lin.scale_add(-ku.ang.y, b),
                u.lin.scale_add(-ku.ang.z, c),
            ),
            J: self.J.sub_outer(ku.ang, u.ang),
        }
    }
}

impl<T: Real> From<Inertia<T>> for ArticulatedInertia<T> {
    #[inline(always)]
    fn from(i: Inertia<T>) -> Self {
        Self { M: Sym3::diagonal(i.mass, i.mass, i.mass), H: Mat3::skew(-i.h), J: i.rot }
    }
}

/// 36 multiplications and multiply-adds, and six additions that shorten the dependency chain, which is
/// critical in the algorithms.
impl<T: Real> Mul<Motion<T>> for ArticulatedInertia<T> {
    type Output = Force<T>;
    #[inline(always)]
    fn mul(self, a: Motion<T>) -> Force<T> {
        Force { lin: self.M * a.lin + self.H * a.ang, ang: self.H.tr_mul(a.lin) + self.J * a.ang }
    }
}

impl<T: Real> AddAssign for ArticulatedInertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        self.M += b.M;
        self.H += b.H;
        self.J += b.J;
    }
}
