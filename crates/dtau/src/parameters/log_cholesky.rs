//! Log-Cholesky parameters of a link: ten unbounded numbers that cover exactly the bodies with a volume.
//!
//! ```text
//! θ = (α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃)
//!
//!            [ e^d₁  s₁₂   s₁₃   t₁ ]
//! U = e^α ·  [       e^d₂  s₂₃   t₂ ]         J = U Uᵀ                                          (1)
//!            [             e^d₃  t₃ ]
//!            [                   1  ]
//! ```
//!
//! J is the [pseudo-inertia](super::pseudo_inertia). So m = e^{2α} and t is the centre of mass. L, the upper
//! left 3 × 3 block, satisfies m L Lᵀ = Σ about it. The map is one-to-one and smooth; its inverse is a
//! Cholesky factorisation from the last row up. θ of a sphere of uniform density at the link's origin has
//! s = t = 0 and equal d. Source: [Rucker22] eq. (8) to (11).

use super::consistency::{from_pseudo_inertia, inconsistency, pseudo_inertia};
use crate::error::{Error, ErrorKind};
use crate::matrix::Matrix;
use crate::scalar::Real;
use alloc::format;
use libm::{exp, log, sqrt};

/// The ten parameters of a link from its log-Cholesky parameters
/// `(α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃)`. The result is physically consistent for all values whose
/// exponentials do not overflow.
pub fn from_log_cholesky(theta: &[f64; 10]) -> [f64; 10] {
    let [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3] = *theta;
    from_factor(exp(alpha), [exp(d1), exp(d2), exp(d3)], [s12, s23, s13], [t1, t2, t3])
}

/// (1), with the exponentials taken.
fn from_factor<T: Real>(scale: T, e: [T; 3], [s12, s23, s13]: [T; 3], [t1, t2, t3]: [T; 3]) -> [T; 10] {
    let [x, y, z] =
        [e[0] * e[0] + s12 * s12 + s13 * s13 + t1 * t1, e[1] * e[1] + s23 * s23 + t2 * t2, e[2] * e[2] + t3 * t3];
    let (xy, xz, yz) = (s12 * e[1] + s13 * s23 + t1 * t2, s13 * e[2] + t1 * t3, s23 * e[2] + t2 * t3);
    let m = scale * scale;
    [T::one(), t1, t2, t3, y + z, -xy, x + z, -xz, -yz, x + y].map(|x| m * x)
}

/// The log-Cholesky parameters of a link from its ten parameters: the inverse of [`from_log_cholesky`].
///
/// # Errors
/// If the parameters are not physically consistent, or only those of a body without volume, such as a thin
/// plate: its log-Cholesky parameters are infinite.
pub fn log_cholesky(parameters: &[f64; 10]) -> Result<[f64; 10], Error> {
    let refuse = |why: &str| {
        Error::new(
            ErrorKind::Value,
            format!("there are no log-Cholesky parameters: {why}; take a possible body near it"),
        )
    };
    if let Some(why) = inconsistency(parameters) {
        return Err(refuse(&format!("no rigid body has these; {why}")));
    }
    let m = parameters[0];
    let [[x, xy, xz, t1], [_, y, yz, t2], [_, _, z, t3], _] = pseudo_inertia(parameters).map(|row| row.map(|x| x / m));
    // The second moments about the centre of mass, divided by the mass.
    let (x, y, z) = (x - t1 * t1, y - t2 * t2, z - t3 * t3);
    let (xy, xz, yz) = (xy - t1 * t2, xz - t1 * t3, yz - t2 * t3);
    let root = |x: f64| if x > 0.0 { Ok(sqrt(x)) } else { Err(refuse("the body has no volume")) };
    let e3 = root(z)?;
    let (s13, s23) = (xz / e3, yz / e3);
    let e2 = root(y - s23 * s23)?;
    let s12 = (xy - s13 * s23) / e2;
    let e1 = root(x - s12 * s12 - s13 * s13)?;
    Ok([0.5 * log(m), log(e1), log(e2), log(e3), s12, s23, s13, t1, t2, t3])
}

/// Derivative of [`from_log_cholesky`]: 10 × 10, rows for the parameters of the link, columns for θ.
pub fn log_cholesky_derivative(theta: &[f64; 10]) -> Matrix<f64> {
    let [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3] = *theta;
    let (m, [e1, e2, e3]) = (exp(2.0 * alpha), [d1, d2, d3].map(exp));
    // Columns as changes of J: (1) differentiated, divided by m.
    let change = |[x, xy, y, xz, yz, z]: [f64; 6], [hx, hy, hz]: [f64; 3]| {
        from_pseudo_inertia(&[[x, xy, xz, hx], [0.0, y, yz, hy], [0.0, 0.0, z, hz], [0.0; 4]])
    };
    let none = [0.0; 3];
    let columns = [
        from_log_cholesky(theta).map(|x| 2.0 * x / m),
        change([2.0 * e1 * e1, 0.0, 0.0, 0.0, 0.0, 0.0], none),
        change([0.0, s12 * e2, 2.0 * e2 * e2, 0.0, 0.0, 0.0], none),
        change([0.0, 0.0, 0.0, s13 * e3, s23 * e3, 2.0 * e3 * e3], none),
        change([2.0 * s12, e2, 0.0, 0.0, 0.0, 0.0], none),
        change([0.0, s13, 2.0 * s23, 0.0, e3, 0.0], none),
        change([2.0 * s13, s23, 0.0, e3, 0.0, 0.0], none),
        change([2.0 * t1, t2, 0.0, t3, 0.0, 0.0], [1.0, 0.0, 0.0]),
        change([0.0, t1, 2.0 * t2, 0.0, t3, 0.0], [0.0, 1.0, 0.0]),
        change([0.0, 0.0, 0.0, t1, t2, 2.0 * t3], [0.0, 0.0, 1.0]),
    ];
    let mut out = Matrix::zeros(10, 10);
    for (to, column) in out.as_chunks_mut::<10>().0.iter_mut().zip(columns) {
        *to = column.map(|x| m * x);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::scalar::Complex;
    use alloc::vec::Vec;

    fn thetas() -> Vec<[f64; 10]> {
        let random = &mut Random::seeded(3);
        (0..50).map(|_| core::array::from_fn(|_| random.within(-1.5, 1.5))).collect()
    }

    fn close(got: &[f64], want: &[f64], tolerance: f64) {
        let scale = want.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        for (k, (got, want)) in got.iter().zip(want).enumerate() {
            assert!((got - want).abs() <= tolerance * scale, "{k}: {got} {want}");
        }
    }

    /// Compares with a complex step of (1); e^(x + ih) = e^x + ih e^x, since h² vanishes.
    #[test]
    fn the_derivative_is_the_complex_step_derivative() {
        const STEP: f64 = 1e-30;
        for theta in thetas() {
            let got = log_cholesky_derivative(&theta);
            for k in 0..10 {
                let x: [Complex; 10] =
                    core::array::from_fn(|i| Complex::new(theta[i], if i == k { STEP } else { 0.0 }));
                let e = |x: Complex| Complex::new(exp(x.re), exp(x.re) * x.im);
                let [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3] = x;
                let pi = from_factor(e(alpha), [e(d1), e(d2), e(d3)], [s12, s23, s13], [t1, t2, t3]);
                close(got.column(k), &pi.map(|x| x.im / STEP), 1e-14);
            }
        }
    }

    /// The round trip is exact up to the conditioning of the factorisation.
    #[test]
    fn the_inverse_inverts() {
        for theta in thetas() {
            let parameters = from_log_cholesky(&theta);
            assert_eq!(inconsistency(&parameters), None);
            close(&log_cholesky(&parameters).unwrap(), &theta, 1e-10);
        }
    }

    /// Compares with U Uᵀ, multiplied out.
    #[test]
    fn the_pseudo_inertia_is_the_product_of_the_factor() {
        for theta in thetas() {
            let [alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3] = theta;
            let U = [[exp(d1), s12, s13, t1], [0.0, exp(d2), s23, t2], [0.0, 0.0, exp(d3), t3], [0.0, 0.0, 0.0, 1.0]];
            let got = pseudo_inertia(&from_log_cholesky(&theta));
            for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                let want: f64 = (0..4).map(|k| U[i][k] * U[j][k]).sum::<f64>() * exp(2.0 * alpha);
                assert!((got[i][j] - want).abs() < 1e-13 * want.abs().max(1.0) * 100.0, "{i} {j}");
            }
            close(&from_pseudo_inertia(&got), &from_log_cholesky(&theta), 1e-14);
        }
    }

    #[test]
    fn bodies_without_volume_are_refused() {
        let plate = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 2.0]; // in the plane z = 0
        let message = log_cholesky(&plate).unwrap_err().to_string();
        assert!(message.contains("has no volume"), "{message}");
        let message = log_cholesky(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 3.0]).unwrap_err().to_string();
        assert!(message.contains("one exceeds the sum of the others"), "{message}");
    }
}
