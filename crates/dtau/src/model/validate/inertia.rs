//! Inertias that are not physically consistent.

use super::on_line;
use crate::model::description::{Description, Inertial};
use crate::spatial::{Mat3, Sym3, Vec3};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Files carry about six digits: moments of inertia are compared to this fraction of the largest.
const MOMENT_ROUNDING: f64 = 1e-6;
/// Moments below this are noise around zero \[kg m²\]: the screws of a finger have 1e-9.
const MOMENT_NOISE: f64 = 1e-12;

/// One warning for all links whose inertia is not physically consistent.
///
/// The principal moments of a body are sums of two of ∫x², ∫y², ∫z² over its mass. So none is negative, and
/// none exceeds the sum of the other two. Thin plates satisfy the second with equality, so both are tested up
/// to the rounding of the file.
pub(super) fn odd(robot: &Description) -> Option<String> {
    const SHOWN: usize = 3;
    let (mut shown, mut count) = (Vec::new(), 0);
    for link in &robot.links {
        let Some(inertial) = &link.inertial else { continue };
        let Some(reason) = inertial.fault() else { continue };
        count += 1;
        if shown.len() < SHOWN {
            let [a, b, c] = principal_moments(&inertial.about_com).map(short);
            shown.push(format!("{:?}{} ({a}, {b}, {c}: {reason})", link.name, on_line(link.line)));
        }
    }
    let more = if count > SHOWN { format!(" and {} more", count - SHOWN) } else { String::new() };
    let subject = if count == 1 { "the inertia of one link" } else { "the inertias of some links" };
    (count > 0).then(|| format!("no rigid body has {subject}; principal moments in kg m²: {}{more}", shown.join(", ")))
}

impl Inertial {
    /// Returns the principal moments about the centre of mass \[kg m²\] in ascending order, and the principal axes:
    /// the columns of a rotation matrix, in the axes of the link.
    pub fn principal(&self) -> ([f64; 3], Mat3<f64>) {
        principal(&self.about_com)
    }

    /// Returns why the inertia is not physical: of the principal moments `one is negative` or `one exceeds the sum of
    /// the others`. Returns `None` if it is physical, up to the rounding of files.
    pub fn fault(&self) -> Option<&'static str> {
        let moments = principal_moments(&self.about_com);
        fault(moments, rounding(moments[0], moments[2]))
    }
}

/// Returns what is wrong with ascending principal moments that are known to this precision.
pub(crate) fn fault([a, b, c]: [f64; 3], slack: f64) -> Option<&'static str> {
    match () {
        _ if a < -slack => Some("one is negative"),
        _ if c > a + b + slack => Some("one exceeds the sum of the others"),
        _ => None,
    }
}

/// True if a principal moment is negative by more than rounding.
pub(in crate::model) fn is_negative(I: &Sym3<f64>) -> bool {
    let [a, _, c] = principal_moments(I);
    a < -rounding(a, c)
}

pub(crate) fn rounding(a: f64, c: f64) -> f64 {
    MOMENT_NOISE + MOMENT_ROUNDING * a.abs().max(c.abs())
}

/// Formats four digits, without an exponent if that is readable.
pub(crate) fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// Returns the eigenvalues in ascending order.
pub(crate) fn principal_moments(I: &Sym3<f64>) -> [f64; 3] {
    principal(I).0
}

/// Returns the eigenvalues in ascending order and the eigenvectors as columns of a rotation, by Jacobi rotations.
fn principal(I: &Sym3<f64>) -> ([f64; 3], Mat3<f64>) {
    let mut A = I.to_mat3().to_rows();
    let mut V = Mat3::<f64>::identity().to_rows(); // the vectors are its rows
    let scale = A.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if scale == 0.0 {
        return ([0.0; 3], Mat3::identity());
    }
    A.as_flattened_mut().iter_mut().for_each(|x| *x /= scale); // so that no square overflows or vanishes
    // Convergence is quadratic: four sweeps usually reach rounding, and further ones change nothing.
    for _ in 0..8 {
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            if A[p][q] == 0.0 {
                continue;
            }
            // The smaller root t of t² + 2θt − 1 = 0 is the tangent that zeroes A[p][q].
            let theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
            let t =
                if theta.is_finite() { (1.0 / (theta.abs() + libm::hypot(theta, 1.0))).copysign(theta) } else { 0.0 };
            let cos = 1.0 / libm::hypot(t, 1.0);
            let sin = t * cos;
            A[p][p] -= t * A[p][q];
            A[q][q] += t * A[p][q];
            (A[p][q], A[q][p]) = (0.0, 0.0);
            let (pr, qr) = (A[p][r], A[q][r]);
            A[p][r] = cos * pr - sin * qr;
            A[q][r] = sin * pr + cos * qr;
            (A[r][p], A[r][q]) = (A[p][r], A[q][r]);
            let (vp, vq) = (Vec3::from(V[p]), Vec3::from(V[q]));
            (V[p], V[q]) = ((vp * cos - vq * sin).to_array(), (vp * sin + vq * cos).to_array());
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| A[i][i].total_cmp(&A[j][j]));
    let [a, b, _] = order.map(|k| Vec3::from(V[k]));
    (order.map(|k| A[k][k] * scale), Mat3::from_cols(a, b, a.cross(b)))
}

#[cfg(test)]
mod tests {
    use super::super::example::chain;
    use super::super::validate;
    use super::*;
    use crate::model::description::Inertial;
    use crate::spatial::Vec3;

    /// A matrix with known eigenvalues: R diag(1, 2, 4) Rᵀ; Jacobi reaches rounding.
    #[test]
    fn principal_moments_are_the_eigenvalues() {
        let R = crate::spatial::Quaternion::exp(Vec3::new(0.3, -1.1, 0.7)).to_matrix();
        for scale in [1.0, 1e-200, 1e200] {
            let got = principal_moments(&Sym3::diagonal(4.0 * scale, scale, 2.0 * scale).rotate(&R));
            for (got, want) in got.into_iter().zip([1.0, 2.0, 4.0]) {
                assert!((got / scale - want).abs() < 1e-14, "{got} {want}");
            }
        }
        assert_eq!(principal_moments(&Sym3::zero()), [0.0; 3]);
    }

    /// R diag(moments) Rᵀ is the matrix again, and R is a rotation.
    #[test]
    fn principal_axes_give_the_inertia_back() {
        let R = crate::spatial::Quaternion::exp(Vec3::new(-0.7, 0.4, 1.3)).to_matrix();
        for [a, b, c] in [[4.0, 1.0, 2.0], [1.0, 1.0, 3.0], [2.0, 2.0, 2.0]] {
            let I = Sym3::diagonal(a, b, c).rotate(&R);
            let ([a, b, c], axes) = principal(&I);
            assert!(a <= b && b <= c);
            let again = Sym3::diagonal(a, b, c).rotate(&axes).to_mat3().to_rows();
            let (want, unit) = (I.to_mat3().to_rows(), (axes.transpose() * axes).to_rows());
            for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
                assert!((again[i][j] - want[i][j]).abs() < 1e-14, "({i}, {j}): {again:?} {want:?}");
                assert!((unit[i][j] - f64::from(u8::from(i == j))).abs() < 1e-14, "({i}, {j}): {unit:?}");
            }
        }
    }

    #[test]
    fn odd_inertias_are_one_warning_and_said_once() {
        let with = |xx, yy, zz| Some(Inertial { mass: 1.0, com: Vec3::zero(), about_com: Sym3::diagonal(xx, yy, zz) });
        let mut robot = chain(4);
        robot.links[0].inertial = with(1.0, 2.0, 3.0000001); // a thin plate, rounded
        assert!(validate(&robot).unwrap().warnings.is_empty());
        robot.links[1].inertial = with(1.0, 2.0, 4.0);
        robot.links[2].inertial = with(1.0, -0.00001, 1.0);
        let tree = validate(&robot).unwrap();
        assert_eq!(
            tree.warnings,
            [concat!(
                "no rigid body has the inertias of some links; principal moments in kg m²: ",
                r#""l1" (1, 2, 4: one exceeds the sum of the others), "l2" (-1e-5, 1, 1: one is negative)"#
            )]
        );
        robot.warnings = tree.warnings;
        assert!(validate(&robot).unwrap().warnings.is_empty());
    }
}
