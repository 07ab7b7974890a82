//! Articulated inertias: operations for the chain rule and for body coordinates, in addition to
//! [`ArticulatedInertia`].
//!
//! ```text
//! Iᴬ = [ M H ; Hᵀ J ]      linear rows and columns first
//! ```

use dtau::scalar::Real;
use dtau::spatial::{ArticulatedInertia, Force, Mat3, Motion, Sym3, Transform, Vec3};

/// `X* Iᴬ X⁻¹`: the same inertia seen from A, where `X` places its frame in A. [RBDA] §2.13.
///
/// ```text
/// M_A = R M Rᵀ
/// H_A = R H Rᵀ − M_A p×
/// J_A = R J Rᵀ + p× R H Rᵀ + (p× H_A)ᵀ
/// ```
pub(crate) fn transform<T: Real>(I: &ArticulatedInertia<T>, X: &Transform<T>) -> ArticulatedInertia<T> {
    let (R, p) = (&X.rot, Mat3::skew(X.pos));
    let M = I.M.rotate(R);
    let turned = *R * I.H * R.transpose();
    let H = turned - M.to_mat3() * p;
    let shift = p * turned + (p * H).transpose();
    ArticulatedInertia { M, H, J: I.J.rotate(R) + Sym3::from_lower(&shift) }
}

/// `s ×* Iᴬ − Iᴬ s×`: rate of change of an inertia that moves along `s`. [RBDA] §2.13.
///
/// With s = (l, w), and since M and J are symmetric:
///
/// ```text
/// M' = w× M + (w× M)ᵀ
/// H' = w× H − H w× − M l×
/// J' = w× J + (w× J)ᵀ + l× H + (l× H)ᵀ
/// ```
pub(crate) fn carried<T: Real>(s: Motion<T>, I: &ArticulatedInertia<T>) -> ArticulatedInertia<T> {
    let (l, w) = (Mat3::skew(s.lin), Mat3::skew(s.ang));
    let (M, H, J) = (I.M.to_mat3(), I.H, I.J.to_mat3());
    ArticulatedInertia { M: twice(w * M), H: w * H - H * w - M * l, J: twice(w * J + l * H) }
}

/// `Iᴬ − a bᵀ − b aᵀ`.
pub(crate) fn sub_both<T: Real>(I: &ArticulatedInertia<T>, a: Force<T>, b: Force<T>) -> ArticulatedInertia<T> {
    let minus = |x: Vec3<T>, y: Vec3<T>| twice(Mat3::outer(-x, y));
    let mut out = *I;
    out.M += minus(a.lin, b.lin);
    out.H = out.H - Mat3::outer(a.lin, b.ang) - Mat3::outer(b.lin, a.ang);
    out.J += minus(a.ang, b.ang);
    out
}

/// `A + Aᵀ`.
fn twice<T: Real>(A: Mat3<T>) -> Sym3<T> {
    Sym3::from_lower(&(A + A.transpose()))
}
