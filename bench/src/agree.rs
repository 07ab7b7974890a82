//! Checks that both sides computed the same numbers.

use crate::quantity::Quantity;
use dtau::model::Model;
use dtau::{Error, Workspace, crba, minverse};

/// Composition of a result from matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of different matrices (∂τ/∂q, ∂τ/∂q̇, …), in this order, …
    pub kinds: usize,
    /// … for each of this number of bodies.
    pub bodies: usize,
}

impl Shape {
    /// Returns the shape of a quantity's result.
    pub fn of(quantity: Quantity, watched: usize) -> Self {
        match quantity {
            // Poses and motions are stored body by body.
            Quantity::FORWARD_KINEMATICS => Shape { kinds: 1, bodies: 1 },
            _ => {
                Shape { kinds: quantity.compared().count(), bodies: if quantity.is_of_frames() { watched } else { 1 } }
            }
        }
    }
}

/// Returns the largest difference, relative to the largest entry of all matrices of the same kind. (The matrix
/// of a single body may be zero except for rounding.) Infinite if the lengths differ or a number is not finite.
pub fn difference(ours: &[f64], theirs: &[f64], shape: Shape) -> f64 {
    let matrices = shape.kinds * shape.bodies;
    if ours.len() != theirs.len() || ours.is_empty() || !ours.len().is_multiple_of(matrices) {
        return f64::INFINITY;
    }
    let size = ours.len() / matrices;
    let mut worst = 0.0;
    for kind in 0..shape.kinds {
        let pairs = || {
            let of_kind = |x: &usize| (x / size) % shape.kinds == kind;
            (0..ours.len()).filter(of_kind).map(|i| (ours[i], theirs[i]))
        };
        let scale = pairs().fold(0.0, |m: f64, (_, x)| m.max(x.abs()));
        for (a, b) in pairs() {
            let error = (a - b).abs();
            if !error.is_finite() {
                return f64::INFINITY;
            }
            // If all entries are zero, the absolute difference counts.
            worst = f64::max(worst, if scale > 0.0 { error / scale } else { error });
        }
    }
    worst
}

/// Returns the tolerance of results: 1e-10. If the mass matrix is inverted, at least the difference that its
/// condition number allows between two correct programs.
///
/// # Errors
/// Fails if the configuration does not fit the model or the mass matrix is singular.
pub fn tolerance(quantity: Quantity, model: &Model, q: &[f64]) -> Result<f64, Error> {
    const PLAIN: f64 = 1e-10;
    if !quantity.inverts_mass() {
        return Ok(PLAIN);
    }
    Ok(f64::max(PLAIN, 10.0 * f64::EPSILON * condition(model, q)?))
}

/// Returns ‖M‖ ‖M⁻¹‖ in the norm of largest column sums.
fn condition(model: &Model, q: &[f64]) -> Result<f64, Error> {
    let nv = model.nv();
    let (ws, m) = (&mut Workspace::new(model), &mut vec![0.0; nv * nv]);
    let norm = |m: &[f64]| m.chunks(nv).map(|c| c.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max);
    crba(model, ws, q, &mut *m)?;
    let of_mass = norm(m);
    minverse(model, ws, q, m)?;
    Ok(of_mass * norm(m))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Shape = Shape { kinds: 1, bodies: 1 };

    #[test]
    fn a_difference_is_relative_to_the_largest_entry_of_its_kind() {
        let two_kinds = Shape { kinds: 2, bodies: 1 };
        assert_eq!(difference(&[100.0, 1.0, 0.5, 0.0], &[100.0, 2.0, 0.25, 0.0], two_kinds), 1.0);
        let two_bodies = Shape { kinds: 1, bodies: 2 };
        assert_eq!(difference(&[100.0, 1.0, 0.5, 0.0], &[100.0, 1.0, 0.25, 0.0], two_bodies), 0.0025);
        assert_eq!(difference(&[100.0, 1.0], &[100.0, 2.0], ONE), 0.01);
        assert_eq!(difference(&[0.5, 0.0], &[0.0, 0.0], ONE), 0.5);
    }

    #[test]
    fn what_cannot_be_compared_differs_infinitely() {
        assert_eq!(difference(&[1.0], &[1.0, 2.0], ONE), f64::INFINITY);
        assert_eq!(difference(&[f64::NAN], &[1.0], ONE), f64::INFINITY);
        assert_eq!(difference(&[], &[], ONE), f64::INFINITY);
        assert_eq!(difference(&[1.0; 3], &[1.0; 3], Shape { kinds: 2, bodies: 1 }), f64::INFINITY);
    }

    #[test]
    fn a_badly_conditioned_mass_matrix_is_allowed_more() {
        let of = |n| Model::build(&dtau::model::generate::chain(n), &Default::default()).unwrap();
        let (short, long) = (of(2), of(100));
        assert_eq!(tolerance(Quantity::ABA, &short, &[0.1, 0.2]).unwrap(), 1e-10);
        assert_eq!(tolerance(Quantity::RNEA, &long, &long.neutral()).unwrap(), 1e-10);
        assert!(tolerance(Quantity::ABA, &long, &long.neutral()).unwrap() > 1e-9);
    }
}
