//! Rigid transforms.

use super::{Force, Mat3, Motion, Vec3};
use crate::scalar::Real;
use core::ops::Mul;

/// The placement of a frame B in a frame A: rotation and origin of B, in the coordinates of A.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Transform<T> {
    /// Rotation: its columns are B's axes in A.
    pub rot: Mat3<T>,
    /// Origin of B in A.
    pub pos: Vec3<T>,
}

impl<T: Real> Transform<T> {
    /// From rotation and origin.
    #[inline(always)]
    pub fn new(rot: Mat3<T>, pos: Vec3<T>) -> Self {
        Self { rot, pos }
    }

    /// The identity: B = A.
    #[inline(always)]
    pub fn identity() -> Self {
        Self { rot: Mat3::identity(), pos: Vec3::zero() }
    }

    /// A shift without rotation.
    #[inline(always)]
    pub fn translation(pos: Vec3<T>) -> Self {
        Self { rot: Mat3::identity(), pos }
    }

    /// Converts a constant from `f64`.
    #[inline(always)]
    pub fn lift(c: &Transform<f64>) -> Self {
        Self { rot: Mat3::lift(&c.rot), pos: Vec3::lift(c.pos) }
    }

    /// The twelve numbers: the three columns of the rotation, then the origin.
    #[inline(always)]
    pub fn to_array(self) -> [T; 12] {
        let ([a, b, c], p) = (self.rot.cols, self.pos);
        [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, p.x, p.y, p.z]
    }

    /// From the twelve numbers of [`to_array`](Self::to_array).
    #[inline(always)]
    pub fn from_array([ax, ay, az, bx, by, bz, cx, cy, cz, px, py, pz]: [T; 12]) -> Self {
        let rot = Mat3::from_cols(Vec3::new(ax, ay, az), Vec3::new(bx, by, bz), Vec3::new(cx, cy, cz));
        Self { rot, pos: Vec3::new(px, py, pz) }
    }

    /// The placement of A in B.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        Self { rot: self.rot.transpose(), pos: -self.rot.tr_mul(self.pos) }
    }

    /// Maps a point from B to A.
    #[inline(always)]
    pub fn act_point(&self, x: Vec3<T>) -> Vec3<T> {
        self.rot.mul_add(x, self.pos)
    }

    /// Maps a motion from B to A.
    #[inline(always)]
    pub fn act(&self, m: Motion<T>) -> Motion<T> {
        let ang = self.rot * m.ang;
        Motion { lin: self.rot.mul_add(m.lin, self.pos.cross(ang)), ang }
    }

    /// Maps a motion from A to B.
    #[inline(always)]
    pub fn act_inv(&self, m: Motion<T>) -> Motion<T> {
        Motion { lin: self.rot.tr_mul(m.ang.cross_add(self.pos, m.lin)), ang: self.rot.tr_mul(m.ang) }
    }

    /// Maps a force from B to A.
    #[inline(always)]
    pub fn act_force(&self, f: Force<T>) -> Force<T> {
        let lin = self.rot * f.lin;
        Force { lin, ang: self.rot.mul_add(f.ang, self.pos.cross(lin)) }
    }

    /// Maps a force from A to B.
    #[inline(always)]
    pub fn act_force_inv(&self, f: Force<T>) -> Force<T> {
        Force { lin: self.rot.tr_mul(f.lin), ang: self.rot.tr_mul(f.lin.cross_add(self.pos, f.ang)) }
    }
}

/// `X_AB * X_BC = X_AC`.
impl<T: Real> Mul for Transform<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self { rot: self.rot * b.rot, pos: self.rot.mul_add(b.pos, self.pos) }
    }
}
