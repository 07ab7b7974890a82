//! Spatial motion vectors (velocities, accelerations, joint axes) and force vectors (wrenches, momenta).

use super::Vec3;
use crate::scalar::Real;
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A motion vector: velocity of the body point at the frame's origin, and angular velocity (or accelerations,
/// or joint axes).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Motion<T> {
    /// Linear part.
    pub lin: Vec3<T>,
    /// Angular part.
    pub ang: Vec3<T>,
}

/// A force vector: force, and moment about the frame's origin (or momenta).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Force<T> {
    /// Linear part.
    pub lin: Vec3<T>,
    /// Angular part.
    pub ang: Vec3<T>,
}

macro_rules! six_vector {
    ($name:ident) => {
        impl<T: Real> $name<T> {
            /// From its linear and angular parts.
            #[inline(always)]
            pub fn new(lin: Vec3<T>, ang: Vec3<T>) -> Self {
                Self { lin, ang }
            }

            /// The zero vector.
            #[inline(always)]
            pub fn zero() -> Self {
                Self { lin: Vec3::zero(), ang: Vec3::zero() }
            }

            /// Converts a constant from `f64`.
            #[inline(always)]
            pub fn lift(c: $name<f64>) -> Self {
                Self { lin: Vec3::lift(c.lin), ang: Vec3::lift(c.ang) }
            }

            /// The six components, linear first.
            #[inline(always)]
            pub fn to_array(self) -> [T; 6] {
                let ([a, b, c], [d, e, f]) = (self.lin.to_array(), self.ang.to_array());
                [a, b, c, d, e, f]
            }

            /// From six components, linear first.
            #[inline(always)]
            pub fn from_array([a, b, c, d, e, f]: [T; 6]) -> Self {
                Self { lin: Vec3::new(a, b, c), ang: Vec3::new(d, e, f) }
            }

            /// `k x + c`.
            #[inline(always)]
            pub fn scale_add(self, k: T, c: Self) -> Self {
                Self { lin: self.lin.scale_add(k, c.lin), ang: self.ang.scale_add(k, c.ang) }
            }
        }

        impl<T: Real> Add for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                Self { lin: self.lin + b.lin, ang: self.ang + b.ang }
            }
        }

        impl<T: Real> Sub for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                Self { lin: self.lin - b.lin, ang: self.ang - b.ang }
            }
        }

        impl<T: Real> Neg for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self { lin: -self.lin, ang: -self.ang }
            }
        }

        impl<T: Real> Mul<T> for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, k: T) -> Self {
                Self { lin: self.lin * k, ang: self.ang * k }
            }
        }

        impl<T: Real> AddAssign for $name<T> {
            #[inline(always)]
            fn add_assign(&mut self, b: Self) {
                *self = *self + b;
            }
        }

        impl<T: Real> SubAssign for $name<T> {
            #[inline(always)]
            fn sub_assign(&mut self, b: Self) {
                *self = *self - b;
            }
        }
    };
}

six_vector!(Motion);
six_vector!(Force);

impl<T: Real> Motion<T> {
    /// `v × u`: rate of change of a motion `u` that moves with velocity `v`. \[Singh22\] eq. (41).
    #[inline(always)]
    pub fn cross(self, u: Self) -> Self {
        Self { lin: self.ang.cross_add(u.lin, self.lin.cross(u.ang)), ang: self.ang.cross(u.ang) }
    }

    /// `v × u + c`.
    #[inline(always)]
    pub fn cross_add(self, u: Self, c: Self) -> Self {
        Self { lin: self.ang.cross_add(u.lin, self.lin.cross_add(u.ang, c.lin)), ang: self.ang.cross_add(u.ang, c.ang) }
    }

    /// `v ×* f`: rate of change of a force that moves with velocity `v`. \[Singh22\] eq. (42).
    #[inline(always)]
    pub fn cross_force(self, f: Force<T>) -> Force<T> {
        Force { lin: self.ang.cross(f.lin), ang: self.ang.cross_add(f.ang, self.lin.cross(f.lin)) }
    }

    /// `v ×* f + c`.
    #[inline(always)]
    pub fn cross_force_add(self, f: Force<T>, c: Force<T>) -> Force<T> {
        Force {
            lin: self.ang.cross_add(f.lin, c.lin),
            ang: self.ang.cross_add(f.ang, self.lin.cross_add(f.lin, c.ang)),
        }
    }

    /// `vᵀ f`: power.
    #[inline(always)]
    pub fn dot(self, f: Force<T>) -> T {
        let (v, w, f, n) = (self.lin, self.ang, f.lin, f.ang);
        let linear = v.dot(f);
        w.z.mul_add(n.z, w.y.mul_add(n.y, w.x.mul_add(n.x, linear)))
    }
}

impl<T: Real> Force<T> {
    /// `f ×̄* v = v ×* f`: the third cross product, the force first. \[Singh22\] eq. (43).
    #[inline(always)]
    pub fn cross_bar(self, v: Motion<T>) -> Self {
        v.cross_force(self)
    }
}
