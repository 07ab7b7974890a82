//! SE(3): rigid motions, `q = [x y z, qx qy qz qw]`; the tangent is `v = [ρ; ω]`, the velocity in the body's axes.
//!
//! ```text
//! q ⊕ v   = [ p + R V(ω) ρ ; q · Exp ω ]                                   (1)
//! q₁ ⊖ q₀ = [ V(ω)⁻¹ R₀ᵀ (p₁ − p₀) ; ω ]           ω = Log(q₀⁻¹ q₁)        (2)
//! V(ω) = J_r(ω)ᵀ = J_l(ω) of SO(3)                                         (3)
//! Ad(Exp v)⁻¹ = [ Rᵀ  −Rᵀ p× ; 0  Rᵀ ]             (p, R) = Exp v          (4)
//! J_r(v)   = [ A  Ȧ ; 0  A ]     A = J_r(ω) of SO(3),    Ȧ = d/dε A(ω + ερ) (5)
//! J_r(v)⁻¹ = [ B  Ḃ ; 0  B ]     B = J_r(ω)⁻¹ of SO(3),  Ḃ = d/dε B(ω + ερ) (6)
//! ```
//!
//! (5) and (6) are the principle of transference: motions are rotation vectors ω + ερ over the dual numbers,
//! ε² = 0, with the same cross product. So an analytic formula of SO(3) also holds for SE(3). The closed
//! forms of A, B and their derivatives are in [so3](super::so3).
//!
//! Source: [Sola18] App. D: (1) is eq. (172), (2) is (173), (3) is (174), (4) from (175).
//! Differs from [Sola18] (179), (180): Ȧ instead of the equal `Q`, a sum of nine products of matrices; and Ḃ instead of
//! −B Q B.

use super::LieGroup;
use super::so3::{Isotropic, So3};
use crate::scalar::Real;
use crate::spatial::{Mat3, Motion, Quaternion, Transform, Vec3};

/// SE(3).
#[derive(Clone, Copy)]
pub(super) struct Se3;

impl LieGroup for Se3 {
    fn nq(self) -> usize {
        7
    }

    fn nv(self) -> usize {
        6
    }

    #[inline(always)]
    fn neutral<T: Real>(self, q: &mut [T]) {
        q[..3].fill(T::zero());
        So3.neutral(&mut q[3..]);
    }

    fn random(self, uniform: &mut impl FnMut() -> f64, bounds: [f64; 2], q: &mut [f64]) {
        for x in &mut q[..3] {
            *x = 2.0 * uniform() - 1.0;
        }
        So3.random(uniform, bounds, &mut q[3..]);
    }

    #[inline(always)]
    fn normalise<T: Real>(self, q: &mut [T]) {
        So3.normalise(&mut q[3..]);
    }

    #[inline(always)]
    fn integrate<T: Real>(self, q: &[T], v: &[T], out: &mut [T]) {
        let R = Quaternion::from_slice(&q[3..]).to_matrix();
        let p = R.mul_add(exp_position(&motion(v)), position(q));
        out[..3].copy_from_slice(&p.to_array()); // (1)
        So3.integrate(&q[3..], &v[3..], &mut out[3..]);
    }

    #[inline(always)]
    fn difference<T: Real>(self, q0: &[T], q1: &[T], out: &mut [T]) {
        So3.difference(&q0[3..], &q1[3..], &mut out[3..]);
        let w = Vec3::new(out[3], out[4], out[5]);
        let R0 = Quaternion::from_slice(&q0[3..]).to_matrix();
        let p = R0.tr_mul(position(q1) - position(q0));
        let V_inverse = Isotropic::right_jacobian_inverse(w.norm_squared()).transposed(); // (3)
        out[..3].copy_from_slice(&V_inverse.apply(w, p).to_array()); // (2)
    }

    #[inline(always)]
    fn adjoint_inverse<T: Real>(self, v: &[T], out: &mut [T]) {
        let v = motion(v);
        let E = Transform::new(Quaternion::exp(v.ang).to_matrix(), exp_position(&v));
        let R_transposed = E.rot.transpose();
        // −Rᵀ p× = −(Rᵀp)× Rᵀ
        let back = -E.rot.tr_mul(E.pos);
        put(&R_transposed, &Mat3 { cols: R_transposed.cols.map(|c| back.cross(c)) }, out); // (4)
    }

    #[inline(always)]
    fn right_jacobian<T: Real>(self, v: &[T], out: &mut [T]) {
        let v = motion(v);
        let A = Isotropic::right_jacobian(v.ang.norm_squared());
        put(&A.at(v.ang), &A.derivative(v.ang, v.lin), out); // (5)
    }

    #[inline(always)]
    fn right_jacobian_inverse<T: Real>(self, v: &[T], out: &mut [T]) {
        let v = motion(v);
        let B = Isotropic::right_jacobian_inverse(v.ang.norm_squared());
        put(&B.at(v.ang), &B.derivative(v.ang, v.lin), out); // (6)
    }
}

/// V(ω) ρ (3).
#[inline(always)]
fn exp_position<T: Real>(v: &Motion<T>) -> Vec3<T> {
    Isotropic::right_jacobian(v.ang.norm_squared()).transposed().apply(v.ang, v.lin)
}

#[inline(always)]
fn position<T: Real>(q: &[T]) -> Vec3<T> {
    Vec3::new(q[0], q[1], q[2])
}

#[inline(always)]
fn motion<T: Real>(v: &[T]) -> Motion<T> {
    Motion::from_array([v[0], v[1], v[2], v[3], v[4], v[5]])
}

/// [ A  B ; 0  A ]
#[inline(always)]
fn put<T: Real>(A: &Mat3<T>, B: &Mat3<T>, out: &mut [T]) {
    for k in 0..3 {
        let (a, b) = (A.cols[k], B.cols[k]);
        out[6 * k..6 * k + 6].copy_from_slice(&Motion::new(a, Vec3::zero()).to_array());
        out[18 + 6 * k..24 + 6 * k].copy_from_slice(&Motion::new(b, a).to_array());
    }
}
