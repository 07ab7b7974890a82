//! SE(2): motions of the plane, `q = [x y θ]`; the tangent is `v = [ρ; ω]`, the velocity in the body's axes.
//!
//! ```text
//! q ⊕ v = [ p + R(θ) V(ω) ρ ; θ + ω ]                                     (1)
//! V(ω) = c₁ 1 + c₂ ω ×         × = [0 −1; 1 0],  cₖ = cₖ(ω²)               (2)
//! q₁ ⊖ q₀ = [ V(ω)⁻¹ R(θ₀)ᵀ (p₁ − p₀) ; ω ]       ω = θ₁ − θ₀ within ±π    (3)
//! V(ω)⁻¹ = a 1 − ½ ω ×                                                     (4)
//! Ad(Exp v)⁻¹ = [ Rᵀ  Rᵀ × p ; 0  1 ]             (p, R) = Exp v           (5)
//! J_r(v)   = [ c₁ 1 − c₂ ω ×   c₂ × ρ + c₃ ω ρ ; 0  1 ]                    (6)
//! J_r(v)⁻¹ = [ a 1 + ½ ω ×     −½ × ρ + g ω ρ  ; 0  1 ]                    (7)
//! ```
//!
//! `a` and `g` are those of [SO(3)](super::so3). SE(2) is SE(3) with ω along `z` and ρ perpendicular to it;
//! (6), (7) are the columns x, y and rotation of its Jacobians. θ is a number that adds, including whole
//! turns. A difference takes the short way round, so `q₀ ⊕ (q₁ ⊖ q₀)` may differ from `q₁` by whole turns.
//!
//! Source: [Sola18] App. C: (1), (2) are eq. (156), (158), (3) is (157), (5) from (159), (6) is (163).

use super::LieGroup;
use super::so3::Isotropic;
use crate::scalar::{Real, det2, dot2};
use core::f64::consts::PI;

/// SE(2).
#[derive(Clone, Copy)]
pub(super) struct Se2;

impl LieGroup for Se2 {
    fn nq(self) -> usize {
        3
    }

    fn nv(self) -> usize {
        3
    }

    #[inline(always)]
    fn neutral<T: Real>(self, q: &mut [T]) {
        q[..3].fill(T::zero());
    }

    fn random(self, uniform: &mut impl FnMut() -> f64, _bounds: [f64; 2], q: &mut [f64]) {
        for (x, scale) in q[..3].iter_mut().zip([1.0, 1.0, PI]) {
            *x = scale * (2.0 * uniform() - 1.0);
        }
    }

    #[inline(always)]
    fn normalise<T: Real>(self, _q: &mut [T]) {}

    #[inline(always)]
    fn integrate<T: Real>(self, q: &[T], v: &[T], out: &mut [T]) {
        let step = turn(q[2].sin_cos(), exp_position(v));
        out[..3].copy_from_slice(&[q[0] + step[0], q[1] + step[1], q[2] + v[2]]); // (1)
    }

    #[inline(always)]
    fn difference<T: Real>(self, q0: &[T], q1: &[T], out: &mut [T]) {
        let w = short_way(q1[2] - q0[2]);
        let (sin, cos) = q0[2].sin_cos();
        let p = turn((-sin, cos), [q1[0] - q0[0], q1[1] - q0[1]]);
        let J = Isotropic::right_jacobian_inverse(w * w);
        let [x, y] = across(J.a, -J.b * w, p); // (4)
        out[..3].copy_from_slice(&[x, y, w]); // (3)
    }

    #[inline(always)]
    fn adjoint_inverse<T: Real>(self, v: &[T], out: &mut [T]) {
        let (sin, cos) = v[2].sin_cos();
        let [x, y] = exp_position(v);
        put([cos, -sin], turn((-sin, cos), [-y, x]), out); // (5)
    }

    #[inline(always)]
    fn right_jacobian<T: Real>(self, v: &[T], out: &mut [T]) {
        put_jacobian(Isotropic::right_jacobian(v[2] * v[2]), v, out); // (6)
    }

    #[inline(always)]
    fn right_jacobian_inverse<T: Real>(self, v: &[T], out: &mut [T]) {
        put_jacobian(Isotropic::right_jacobian_inverse(v[2] * v[2]), v, out); // (7)
    }
}

/// V(ω) ρ (2).
#[inline(always)]
fn exp_position<T: Real>(v: &[T]) -> [T; 2] {
    let V = Isotropic::right_jacobian(v[2] * v[2]).transposed();
    across(V.a, V.b * v[2], [v[0], v[1]])
}

/// The angle within ±π that equals `w` up to whole turns; `w` itself, to the last bit, if it is within.
#[inline(always)]
fn short_way<T: Real>(w: T) -> T {
    let (sin, cos) = w.sin_cos();
    T::select((w * w).lt(T::from_f64(PI * PI)), w, sin.atan2(cos))
}

/// R p.
#[inline(always)]
fn turn<T: Real>((sin, cos): (T, T), p: [T; 2]) -> [T; 2] {
    across(cos, sin, p)
}

/// (a 1 + b ×) p.
#[inline(always)]
fn across<T: Real>(a: T, b: T, [x, y]: [T; 2]) -> [T; 2] {
    [det2(a, x, b, y), dot2(a, y, b, x)]
}

/// [ a 1 + b ω ×   −b × ρ + c ω ρ ; 0  1 ]
#[inline(always)]
fn put_jacobian<T: Real>(J: Isotropic<T>, v: &[T], out: &mut [T]) {
    let [x, y, w] = [v[0], v[1], v[2]];
    put([J.a, J.b * w], across(J.c * w, -J.b, [x, y]), out);
}

/// [ a 1 + b ×   t ; 0  1 ]
#[inline(always)]
fn put<T: Real>([a, b]: [T; 2], t: [T; 2], out: &mut [T]) {
    let (zero, one) = (T::zero(), T::one());
    out[..9].copy_from_slice(&[a, b, zero, -b, a, zero, t[0], t[1], one]);
}
