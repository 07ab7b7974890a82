//! Principal axes of inertia.

use crate::spatial::{Mat3, Sym3, Vec3};

/// The principal moments and axes: `I = R diag(moments) Rᵀ`, by Jacobi rotations.
pub(super) fn principal(I: &Sym3<f64>) -> ([f64; 3], Mat3<f64>) {
    let mut A = I.to_mat3().to_rows();
    let scale = A.as_flattened().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut R = Mat3::identity().to_rows();
    if scale == 0.0 || !scale.is_finite() {
        return ([0.0; 3], Mat3::identity());
    }
    A.as_flattened_mut().iter_mut().for_each(|x| *x /= scale); // so that no square overflows or vanishes
    // Convergence is quadratic: four sweeps usually reach rounding, and further ones change nothing.
    for _ in 0..8 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if A[p][q] == 0.0 {
                continue;
            }
            // The smaller root t of t² + 2θt − 1 = 0 is the tangent that zeroes A[p][q].
            let theta: f64 = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
            let t =
                if theta.is_finite() { (1.0 / (theta.abs() + libm::hypot(theta, 1.0))).copysign(theta) } else { 0.0 };
            let cos = 1.0 / libm::hypot(t, 1.0);
            let sin = t * cos;
            // A ← Jᵀ A J, R ← R J
            for row in &mut A {
                (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
            }
            for k in 0..3 {
                (A[p][k], A[q][k]) = (cos * A[p][k] - sin * A[q][k], sin * A[p][k] + cos * A[q][k]);
            }
            for row in &mut R {
                (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
            }
        }
    }
    ([A[0][0] * scale, A[1][1] * scale, A[2][2] * scale], orthonormal(R))
}

/// Removes rounding errors from a rotation.
fn orthonormal(R: [[f64; 3]; 3]) -> Mat3<f64> {
    let [a, b, _] = Mat3::from_rows(R).cols;
    let a = a * (1.0 / libm::sqrt(a.norm_squared()));
    let b: Vec3<f64> = b - a * a.dot(b);
    let b = b * (1.0 / libm::sqrt(b.norm_squared()));
    Mat3::from_cols(a, b, a.cross(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::Quaternion;

    #[test]
    fn moments_and_axes_make_the_inertia_again() {
        let R = Quaternion::exp(Vec3::new(0.3, -1.1, 0.7)).to_matrix();
        for scale in [1.0, 1e-200, 1e200] {
            let I = Sym3::diagonal(4.0 * scale, scale, 2.0 * scale).rotate(&R);
            let ([a, b, c], axes) = principal(&I);
            let again = Sym3::diagonal(a, b, c).rotate(&axes);
            let pairs = [(I.xx, again.xx), (I.xy, again.xy), (I.yz, again.yz), (I.zz, again.zz)];
            assert!(pairs.iter().all(|(x, y)| (x - y).abs() < 1e-14 * scale), "{pairs:?}");
            let mut sorted = [a / scale, b / scale, c / scale];
            sorted.sort_by(f64::total_cmp);
            assert!(sorted.iter().zip([1.0, 2.0, 4.0]).all(|(x, y)| (x - y).abs() < 1e-14), "{sorted:?}");
        }
    }
}
