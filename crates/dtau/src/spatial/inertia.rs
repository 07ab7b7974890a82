//! Rigid-body inertias: ten numbers, not a 6×6 matrix.

use super::vec3::vec3;
use super::{Force, Mat3, Motion, Sym3, Transform, Vec3};
use crate::scalar::Real;
use core::ops::{Add, AddAssign, Mul};

/// The inertia of a rigid body, about the origin of the frame it is expressed in.
///
/// ```text
/// I = [ m 1    −h× ]      (linear rows first)      h = m c,  Ī = I_c + m (c·c 1 − c cᵀ)
///     [ h×      Ī  ]
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Inertia<T> {
    /// Mass `m`.
    pub mass: T,
    /// First moment `h = m c`, with `c` the centre of mass.
    pub h: Vec3<T>,
    /// Rotational inertia `Ī` about the frame's origin.
    pub rot: Sym3<T>,
}

impl<T: Real> Inertia<T> {
    /// No mass.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { mass: T::zero(), h: Vec3::zero(), rot: Sym3::zero() }
    }

    /// From mass, centre of mass, and rotational inertia about the centre of mass.
    #[inline(always)]
    pub fn from_com(mass: T, com: Vec3<T>, about_com: Sym3<T>) -> Self {
        let h = com * mass;
        Self { mass, h, rot: about_com + steiner(h, com) }
    }

    /// Converts a constant from `f64`.
    #[inline(always)]
    pub fn lift(c: &Inertia<f64>) -> Self {
        Self { mass: T::from_f64(c.mass), h: Vec3::lift(c.h), rot: Sym3::lift(&c.rot) }
    }

    /// The inertia of the same body seen from A, where `x` is the placement of this inertia's frame in A.
    #[inline(always)]
    pub fn transform(&self, x: &Transform<T>) -> Self {
        // Ī_A = R Ī Rᵀ + terms of the shift p, with R h =: g:  2 p·g 1 − p gᵀ − g pᵀ + m (p·p 1 − p pᵀ)
        let g = x.rot * self.h;
        let h = x.pos.scale_add(self.mass, g);
        let shift = symmetric_steiner(g, h, x.pos);
        Self { mass: self.mass, h, rot: self.rot.rotate(&x.rot) + shift }
    }

    /// Rotational inertia about the centre of mass `com`.
    #[inline(always)]
    pub fn about(&self, com: Vec3<T>) -> Sym3<T> {
        let s = steiner(self.h, com);
        let i = self.rot;
        Sym3 { xx: i.xx - s.xx, xy: i.xy - s.xy, xz: i.xz - s.xz, yy: i.yy - s.yy, yz: i.yz - s.yz, zz: i.zz - s.zz }
    }

    /// `I a + v ×* I v`: the force that a motion needs, from the acceleration `d` of the point at the origin.
    ///
    /// ```text
    /// d = a + ω × v      lin = m d + α × h + ω × (ω × h)      ang = h × d + Ī α + ω × Ī ω
    /// ```
    ///
    /// By Jacobi's identity both are equal, and this form needs nine multiply-adds less. It also omits
    /// `v × m v = 0`, whose rounding error ε m v² would disturb small torques.
    #[inline(always)]
    pub fn load(&self, v: Motion<T>, a: Motion<T>) -> Force<T> {
        let d = v.ang.cross_add(v.lin, a.lin);
        let lin = v.ang.cross_add(v.ang.cross(self.h), a.ang.cross_add(self.h, d * self.mass));
        let ang = v.ang.cross_add(self.rot * v.ang, self.rot.mul_add(a.ang, self.h.cross(d)));
        Force { lin, ang }
    }

    /// The 6×6 matrix, linear rows and columns first.
    pub fn to_matrix(&self) -> [[T; 6]; 6] {
        let mut m = [[T::zero(); 6]; 6];
        for j in 0..6 {
            let mut e = [T::zero(); 6];
            e[j] = T::one();
            let column = (*self * Motion::from_array(e)).to_array();
            for i in 0..6 {
                m[i][j] = column[i];
            }
        }
        m
    }

    /// The matrix of the first moment, `h×`.
    #[inline(always)]
    pub fn h_skew(&self) -> Mat3<T> {
        Mat3::skew(self.h)
    }
}

/// `c·h 1 − h cᵀ` for parallel `h` and `c`.
#[inline(always)]
pub(crate) fn steiner<T: Real>(h: Vec3<T>, c: Vec3<T>) -> Sym3<T> {
    let (x, y, z) = (h.x * c.x, h.y * c.y, h.z * c.z);
    Sym3 { xx: y + z, xy: -(h.x * c.y), xz: -(h.x * c.z), yy: x + z, yz: -(h.y * c.z), zz: x + y }
}

/// `(p·g + h·p) 1 − ½(p gᵀ + g pᵀ + p hᵀ + h pᵀ)` with h = g + m p.
#[inline(always)]
fn symmetric_steiner<T: Real>(g: Vec3<T>, h: Vec3<T>, p: Vec3<T>) -> Sym3<T> {
    let d = vec3(p.x.mul_add(g.x, p.x * h.x), p.y.mul_add(g.y, p.y * h.y), p.z.mul_add(g.z, p.z * h.z));
    Sym3 {
        xx: d.y + d.z,
        xy: -p.x.mul_add(g.y, p.y * h.x),
        xz: -p.x.mul_add(g.z, p.z * h.x),
        yy: d.x + d.z,
        yz: -p.y.mul_add(g.z, p.z * h.y),
        zz: d.x + d.y,
    }
}

/// Momentum of a velocity, or force of an acceleration: 24 multiply-adds.
impl<T: Real> Mul<Motion<T>> for Inertia<T> {
    type Output = Force<T>;
    #[inline(always)]
    fn mul(self, m: Motion<T>) -> Force<T> {
        Force { lin: m.ang.cross_add(self.h, m.lin * self.mass), ang: self.rot.mul_add(m.ang, self.h.cross(m.lin)) }
    }
}

impl<T: Real> Add for Inertia<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { mass: self.mass + b.mass, h: self.h + b.h, rot: self.rot + b.rot }
    }
}

impl<T: Real> AddAssign for Inertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}
