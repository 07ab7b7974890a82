//! 3-vectors, 3×3 and symmetric 3×3 matrices.

use crate::scalar::{Real, det2};
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A 3-vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Vec3<T> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

/// Shorthand for [`Vec3`].
#[inline(always)]
pub(crate) fn vec3<T>(x: T, y: T, z: T) -> Vec3<T> {
    Vec3 { x, y, z }
}

impl<T: Real> Vec3<T> {
    /// From its components.
    #[inline(always)]
    pub fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }

    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        vec3(T::zero(), T::zero(), T::zero())
    }

    /// Converts a constant from `f64`.
    #[inline(always)]
    pub fn lift(c: Vec3<f64>) -> Self {
        vec3(T::from_f64(c.x), T::from_f64(c.y), T::from_f64(c.z))
    }

    /// The components.
    #[inline(always)]
    pub fn to_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }

    /// `a · b`.
    #[inline(always)]
    pub fn dot(self, b: Self) -> T {
        self.z.mul_add(b.z, self.y.mul_add(b.y, self.x * b.x))
    }

    /// `a × b`.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        vec3(det2(self.y, b.z, self.z, b.y), det2(self.z, b.x, self.x, b.z), det2(self.x, b.y, self.y, b.x))
    }

    /// `a × b + c`: two multiply-adds per component.
    #[inline(always)]
    pub fn cross_add(self, b: Self, c: Self) -> Self {
        vec3(
            self.y.mul_add(b.z, self.z.neg_mul_add(b.y, c.x)),
            self.z.mul_add(b.x, self.x.neg_mul_add(b.z, c.y)),
            self.x.mul_add(b.y, self.y.neg_mul_add(b.x, c.z)),
        )
    }

    /// `k a + c`.
    #[inline(always)]
    pub fn scale_add(self, k: T, c: Self) -> Self {
        vec3(self.x.mul_add(k, c.x), self.y.mul_add(k, c.y), self.z.mul_add(k, c.z))
    }

    /// `|a|²`.
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.dot(self)
    }
}

impl<T> From<[T; 3]> for Vec3<T> {
    #[inline(always)]
    fn from([x, y, z]: [T; 3]) -> Self {
        Vec3 { x, y, z }
    }
}

impl<T: Real> Add for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        vec3(self.x + b.x, self.y + b.y, self.z + b.z)
    }
}

impl<T: Real> Sub for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        vec3(self.x - b.x, self.y - b.y, self.z - b.z)
    }
}

impl<T: Real> Neg for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        vec3(-self.x, -self.y, -self.z)
    }
}

impl<T: Real> Mul<T> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, k: T) -> Self {
        vec3(self.x * k, self.y * k, self.z * k)
    }
}

impl<T: Real> AddAssign for Vec3<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<T: Real> SubAssign for Vec3<T> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

/// A 3×3 matrix, by columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Mat3<T> {
    /// The columns.
    pub cols: [Vec3<T>; 3],
}

impl<T: Real> Mat3<T> {
    /// From its columns.
    #[inline(always)]
    pub fn from_cols(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> Self {
        Self { cols: [a, b, c] }
    }

    /// From its rows.
    #[inline(always)]
    pub fn from_rows(r: [[T; 3]; 3]) -> Self {
        Self {
            cols: [vec3(r[0][0], r[1][0], r[2][0]), vec3(r[0][1], r[1][1], r[2][1]), vec3(r[0][2], r[1][2], r[2][2])],
        }
    }

    /// The rows.
    #[inline(always)]
    pub fn to_rows(self) -> [[T; 3]; 3] {
        let [a, b, c] = self.cols;
        [[a.x, b.x, c.x], [a.y, b.y, c.y], [a.z, b.z, c.z]]
    }

    /// Zeros.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { cols: [Vec3::zero(); 3] }
    }

    /// The identity.
    #[inline(always)]
    pub fn identity() -> Self {
        let (o, i) = (T::zero(), T::one());
        Self::from_cols(vec3(i, o, o), vec3(o, i, o), vec3(o, o, i))
    }

    /// The matrix of `a ×`.
    #[inline(always)]
    pub fn skew(a: Vec3<T>) -> Self {
        let o = T::zero();
        Self::from_cols(vec3(o, a.z, -a.y), vec3(-a.z, o, a.x), vec3(a.y, -a.x, o))
    }

    /// `a bᵀ`.
    #[inline(always)]
    pub fn outer(a: Vec3<T>, b: Vec3<T>) -> Self {
        Self::from_cols(a * b.x, a * b.y, a * b.z)
    }

    /// Converts a constant from `f64`.
    #[inline(always)]
    pub fn lift(c: &Mat3<f64>) -> Self {
        Self { cols: c.cols.map(Vec3::lift) }
    }

    /// The transpose.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        Self { cols: self.to_rows().map(Vec3::from) }
    }

    /// `A x + b`.
    #[inline(always)]
    pub fn mul_add(&self, x: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
        let [c0, c1, c2] = self.cols;
        c2.scale_add(x.z, c1.scale_add(x.y, c0.scale_add(x.x, b)))
    }

    /// `Aᵀ x`.
    #[inline(always)]
    pub fn tr_mul(&self, x: Vec3<T>) -> Vec3<T> {
        let [c0, c1, c2] = self.cols;
        vec3(c0.dot(x), c1.dot(x), c2.dot(x))
    }

    /// The trace.
    #[inline(always)]
    pub fn trace(&self) -> T {
        self.cols[0].x + self.cols[1].y + self.cols[2].z
    }
}

impl<T: Real> Mul<Vec3<T>> for Mat3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, x: Vec3<T>) -> Vec3<T> {
        let [c0, c1, c2] = self.cols;
        c2.scale_add(x.z, c1.scale_add(x.y, c0 * x.x))
    }
}

impl<T: Real> Mul for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self { cols: [self * b.cols[0], self * b.cols[1], self * b.cols[2]] }
    }
}

impl<T: Real> Add for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { cols: [self.cols[0] + b.cols[0], self.cols[1] + b.cols[1], self.cols[2] + b.cols[2]] }
    }
}

impl<T: Real> Sub for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self { cols: [self.cols[0] - b.cols[0], self.cols[1] - b.cols[1], self.cols[2] - b.cols[2]] }
    }
}

impl<T: Real> AddAssign for Mat3<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
#[allow(missing_docs)]
pub struct Sym3<T> {
    pub xx: T,
    pub xy: T,
    pub xz: T,
    pub yy: T,
    pub yz: T,
    pub zz: T,
}

impl<T: Real> Sym3<T> {
    /// Zeros.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::diagonal(T::zero(), T::zero(), T::zero())
    }

    /// A diagonal matrix.
    #[inline(always)]
    pub fn diagonal(xx: T, yy: T, zz: T) -> Self {
        let o = T::zero();
        Self { xx, xy: o, xz: o, yy, yz: o, zz }
    }

    /// Converts a constant from `f64`.
    #[inline(always)]
    pub fn lift(c: &Sym3<f64>) -> Self {
        let t = T::from_f64;
        Self { xx: t(c.xx), xy: t(c.xy), xz: t(c.xz), yy: t(c.yy), yz: t(c.yz), zz: t(c.zz) }
    }

    /// The symmetric matrix with the lower triangle of `m`.
    #[inline(always)]
    pub fn from_lower(m: &Mat3<T>) -> Self {
        let [a, b, c] = m.cols;
        Self { xx: a.x, xy: a.y, xz: a.z, yy: b.y, yz: b.z, zz: c.z }
    }

    /// Converts to a full matrix.
    #[inline(always)]
    pub fn to_mat3(self) -> Mat3<T> {
        let Self { xx, xy, xz, yy, yz, zz } = self;
        Mat3::from_cols(vec3(xx, xy, xz), vec3(xy, yy, yz), vec3(xz, yz, zz))
    }

    /// The trace.
    #[inline(always)]
    pub fn trace(&self) -> T {
        self.xx + self.yy + self.zz
    }

    /// `A x + b`.
    #[inline(always)]
    pub fn mul_add(&self, x: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
        vec3(
            self.xz.mul_add(x.z, self.xy.mul_add(x.y, self.xx.mul_add(x.x, b.x))),
            self.yz.mul_add(x.z, self.yy.mul_add(x.y, self.xy.mul_add(x.x, b.y))),
            self.zz.mul_add(x.z, self.yz.mul_add(x.y, self.xz.mul_add(x.x, b.z))),
        )
    }

    /// `R A Rᵀ`.
    #[inline(always)]
    pub fn rotate(&self, r: &Mat3<T>) -> Self {
        // A = L + Lᵀ with half the diagonal in L would save nothing here: all of R A is needed.
        let ra = *r * self.to_mat3();
        let [r0, r1, r2] = r.to_rows().map(Vec3::from);
        let [a0, a1, a2] = ra.to_rows().map(Vec3::from);
        Self { xx: a0.dot(r0), xy: a1.dot(r0), xz: a2.dot(r0), yy: a1.dot(r1), yz: a2.dot(r1), zz: a2.dot(r2) }
    }

    /// `A − k u uᵀ`.
    #[inline(always)]
    pub fn sub_outer(&self, ku: Vec3<T>, u: Vec3<T>) -> Self {
        Self {
            xx: ku.x.neg_mul_add(u.x, self.xx),
            xy: ku.x.neg_mul_add(u.y, self.xy),
            xz: ku.x.neg_mul_add(u.z, self.xz),
            yy: ku.y.neg_mul_add(u.y, self.yy),
            yz: ku.y.neg_mul_add(u.z, self.yz),
            zz: ku.z.neg_mul_add(u.z, self.zz),
        }
    }
}

impl<T: Real> Mul<Vec3<T>> for Sym3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, x: Vec3<T>) -> Vec3<T> {
        vec3(
            self.xz.mul_add(x.z, self.xy.mul_add(x.y, self.xx * x.x)),
            self.yz.mul_add(x.z, self.yy.mul_add(x.y, self.xy * x.x)),
            self.zz.mul_add(x.z, self.yz.mul_add(x.y, self.xz * x.x)),
        )
    }
}

impl<T: Real> Add for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self {
            xx: self.xx + b.xx,
            xy: self.xy + b.xy,
            xz: self.xz + b.xz,
            yy: self.yy + b.yy,
            yz: self.yz + b.yz,
            zz: self.zz + b.zz,
        }
    }
}

impl<T: Real> AddAssign for Sym3<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}
