//! Plain 6×6 matrices, linear rows and columns first, for methods as printed.

use dtau::scalar::Real;
use dtau::spatial::{Force, Inertia, Mat3, Motion, Transform};
use std::ops::{Add, AddAssign, Mul, Sub};

/// A 6×6 matrix, by rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mat6<T>(pub(crate) [[T; 6]; 6]);

impl<T: Real> Mat6<T> {
    pub(crate) fn zero() -> Self {
        Self([[T::zero(); 6]; 6])
    }

    fn from_blocks(blocks: [[Mat3<T>; 2]; 2]) -> Self {
        let mut out = Self::zero();
        for (i, row) in blocks.iter().enumerate() {
            for (j, block) in row.iter().enumerate() {
                for (r, entries) in block.to_rows().iter().enumerate() {
                    out.0[3 * i + r][3 * j..3 * j + 3].copy_from_slice(entries);
                }
            }
        }
        out
    }

    /// `v ×`. [Singh22] eq. (41), in our order.
    pub(crate) fn cross(v: Motion<T>) -> Self {
        let (v, w) = (Mat3::skew(v.lin), Mat3::skew(v.ang));
        Self::from_blocks([[w, v], [Mat3::zero(), w]])
    }

    /// `v ×*`. [Singh22] eq. (42), in our order.
    pub(crate) fn cross_force(v: Motion<T>) -> Self {
        let (v, w) = (Mat3::skew(v.lin), Mat3::skew(v.ang));
        Self::from_blocks([[w, Mat3::zero()], [v, w]])
    }

    /// `f ×̄*`. [Singh22] eq. (43), in our order.
    pub(crate) fn cross_bar(f: Force<T>) -> Self {
        let (f, n) = (Mat3::skew(-f.lin), Mat3::skew(-f.ang));
        Self::from_blocks([[Mat3::zero(), f], [f, n]])
    }

    /// The matrix of an inertia.
    pub(crate) fn inertia(I: &Inertia<T>) -> Self {
        Self(I.to_matrix())
    }

    /// `2B = (v ×*) I − I (v ×) + (I v) ×̄*`. [Singh22] eq. (28), [Singh21] eq. (22).
    pub(crate) fn twice_b(I: &Inertia<T>, v: Motion<T>) -> Self {
        let matrix = Self::inertia(I);
        Self::cross_force(v) * matrix - matrix * Self::cross(v) + Self::cross_bar(*I * v)
    }

    /// Returns the map from motions to forces seen from A, where `X` is the placement of its frame in A:
    /// `X A Xᵀ`.
    pub(crate) fn transform(&self, X: &Transform<T>) -> Self {
        let mut out = Self::zero();
        for j in 0..6 {
            let mut e = [T::zero(); 6];
            e[j] = T::one();
            let column = X.act_force(*self * X.act_inv(Motion::from_array(e))).to_array();
            for i in 0..6 {
                out.0[i][j] = column[i];
            }
        }
        out
    }

    /// `Aᵀ x`.
    pub(crate) fn tr_mul(&self, x: Motion<T>) -> Force<T> {
        let mut out = Self::zero();
        for i in 0..6 {
            for j in 0..6 {
                out.0[i][j] = self.0[j][i];
            }
        }
        out * x
    }

    fn zip(mut self, b: Self, op: impl Fn(T, T) -> T) -> Self {
        for (row, b) in self.0.iter_mut().zip(b.0) {
            for (x, y) in row.iter_mut().zip(b) {
                *x = op(*x, y);
            }
        }
        self
    }
}

fn dot<T: Real>(a: [T; 6], b: [T; 6]) -> T {
    (1..6).fold(a[0] * b[0], |sum, k| a[k].mul_add(b[k], sum))
}

impl<T: Real> Add for Mat6<T> {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        self.zip(b, |x, y| x + y)
    }
}

impl<T: Real> Sub for Mat6<T> {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        self.zip(b, |x, y| x - y)
    }
}

impl<T: Real> AddAssign for Mat6<T> {
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<T: Real> Mul for Mat6<T> {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let mut out = Self::zero();
        for i in 0..6 {
            for j in 0..6 {
                out.0[i][j] = (1..6).fold(self.0[i][0] * b.0[0][j], |sum, k| self.0[i][k].mul_add(b.0[k][j], sum));
            }
        }
        out
    }
}

/// Maps a motion to a force.
impl<T: Real> Mul<Motion<T>> for Mat6<T> {
    type Output = Force<T>;
    fn mul(self, x: Motion<T>) -> Force<T> {
        let x = x.to_array();
        Force::from_array(self.0.map(|row| dot(row, x)))
    }
}
