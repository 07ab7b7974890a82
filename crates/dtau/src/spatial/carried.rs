//! Change of inertias and of `B` when a subtree moves along a direction.

use super::{Coriolis, Force, Inertia, Mat3, Motion, Sym3, Vec3};
use crate::scalar::Real;

/// `∂I/∂q` of bodies that move by `S = (s, θ)`: an inertia without mass.
///
/// ```text
/// h' = θ × h + m s        Ī' = θ× Ī − Ī θ× + 2 s·h 1 − s hᵀ − h sᵀ
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InertiaRate<T> {
    pub(super) h: Vec3<T>,
    pub(super) rot: Sym3<T>,
}

impl<T: Real> InertiaRate<T> {
    #[inline(always)]
    pub(crate) fn of(I: &Inertia<T>, S: Motion<T>) -> Self {
        let (s, h) = (S.lin, I.h);
        let [a, b, c] = I.rot.to_mat3().cols;
        let (a, b, c) = (S.ang.cross(a), S.ang.cross(b), S.ang.cross(c)); // θ× Ī; the rest is its transpose
        let (x, y, z) = (s.x * h.x, s.y * h.y, s.z * h.z);
        let rot = Sym3 {
            xx: a.x + a.x + (y + z) + (y + z),
            xy: a.y + b.x - s.x.mul_add(h.y, s.y * h.x),
            xz: a.z + c.x - s.x.mul_add(h.z, s.z * h.x),
            yy: b.y + b.y + (x + z) + (x + z),
            yz: b.z + c.y - s.y.mul_add(h.z, s.z * h.y),
            zz: c.z + c.z + (x + y) + (x + y),
        };
        Self { h: S.ang.cross_add(h, s * I.mass), rot }
    }

    /// `I' x + c`.
    #[inline(always)]
    pub(crate) fn mul_add(&self, x: Motion<T>, c: Force<T>) -> Force<T> {
        let ang = self.h.cross_add(x.lin, self.rot.mul_add(x.ang, c.ang));
        Force::new(x.ang.cross_add(self.h, c.lin), ang)
    }
}

impl<T: Real> Coriolis<T> {
    /// `∂(2B)/∂q` of bodies that move by `S = (s, θ)`. `seen` is the other term: 2B from the change of the
    /// velocity as seen by an observer who moves with the bodies:
    ///
    /// ```text
    /// P' = θ × P + P[seen]        B₃' = θ× B₃ − B₃ θ× − s× P× + B₃[seen]        P = 2p, B₃ = 2B₃
    /// ```
    #[inline(always)]
    pub(crate) fn rate(&self, S: Motion<T>, seen: Self) -> Self {
        let (t, s) = (S.ang, S.lin);
        let ([a, b, c], [pa, pb, pc], [x, y, z]) = (self.B3.cols, Mat3::skew(self.p).cols, seen.B3.cols);
        // B₃ θ×, by columns
        let (ta, tb, tc) = (b * t.z - c * t.y, c * t.x - a * t.z, a * t.y - b * t.x);
        let B3 = Mat3::from_cols(
            t.cross_add(a, x - ta - s.cross(pa)),
            t.cross_add(b, y - tb - s.cross(pb)),
            t.cross_add(c, z - tc - s.cross(pc)),
        );
        Self { B3, p: t.cross_add(self.p, seen.p) }
    }
}
