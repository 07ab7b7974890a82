//! Distance to the limit of the machine: operations, bytes, and growth of the time.

use crate::ours::Ours;
use crate::quantity::Quantity;
use crate::states::Both;
use dtau::Constraints;
use dtau::model::{BodyId, Model};
use dtau::scalar::{Counted, Operations};
use serde::{Deserialize, Serialize};

/// Cost of one call, measured with a scalar type that counts operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// Name of the robot or tree.
    pub robot: String,
    /// Number of degrees of freedom.
    pub nv: usize,
    /// Quantity that was computed.
    pub quantity: Quantity,
    /// Number of multiply-adds.
    pub mul_adds: u64,
    /// Number of other floating-point instructions: multiplications, additions, divisions, square roots.
    pub others: u64,
    /// Number of sine–cosine pairs.
    pub trigs: u64,
    /// Bytes of arguments and results.
    pub bytes: u64,
}

impl Count {
    /// Returns the fraction of a core's peak if one call takes `ns`: floating-point instructions divided by
    /// the multiply-adds possible in that time. Sines and cosines are not counted.
    pub fn share(&self, ns: f64, peak: f64) -> f64 {
        (self.mul_adds + self.others) as f64 / (ns * peak)
    }
}

/// Counts the operations of quantities at the first state.
///
/// # Errors
/// Fails if a body has no inertia along its joint.
pub fn count(
    robot: &str,
    model: &Model,
    watched: &[BodyId],
    held: Option<&Constraints>,
    states: &Both,
    quantities: &[Quantity],
) -> Result<Vec<Count>, String> {
    let lift = |x: &[f64]| x.iter().map(|&x| Counted(x)).collect::<Vec<_>>();
    let mut counts = Vec::new();
    for &quantity in quantities {
        let states = if quantity.takes_torques() { &states.torques } else { &states.accelerations };
        let (q, v, x) = states.one(0);
        let (q, v, x) = (lift(q), lift(v), lift(x));
        let mut ours = Ours::<Counted>::new(quantity, model, watched, held);
        let mut outcome = Ok(());
        let operations = Operations::of(|| outcome = ours.run(&q, &v, &x));
        outcome.map_err(|error| error.to_string())?;
        counts.push(Count {
            robot: robot.into(),
            nv: model.nv(),
            quantity,
            mul_adds: operations.mul_adds,
            others: operations.instructions() - operations.mul_adds,
            trigs: operations.trigs,
            bytes: 8 * quantity.numbers(model, watched.len(), held.map_or(0, Constraints::rows)) as u64,
        });
    }
    Ok(counts)
}

/// Returns the exponent of the power law fitted to the points (size, time): the slope of the line through
/// their logarithms. `None` for fewer than two sizes.
pub fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean = |pick: fn(&(f64, f64)) -> f64| logs.iter().map(pick).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let (mut sxx, mut sxy) = (0.0, 0.0);
    for (x, y) in &logs {
        sxx += (x - mx) * (x - mx);
        sxy += (x - mx) * (y - my);
    }
    (sxx > 0.0).then(|| sxy / sxx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dtau::model::generate;

    #[test]
    fn the_slope_of_a_power_law_is_its_exponent() {
        let cubes: Vec<_> = [2.0, 5.0, 10.0, 50.0].iter().map(|&n: &f64| (n, 7.0 * n.powi(3))).collect();
        assert!((slope(&cubes).unwrap() - 3.0).abs() < 1e-12);
        assert_eq!(slope(&[(2.0, 1.0)]), None);
        assert_eq!(slope(&[]), None);
    }

    #[test]
    fn rnea_takes_operations_in_proportion_to_the_links() {
        let of = |n| {
            let model = Model::build(&generate::chain(n), &Default::default()).unwrap();
            let states = Both::random(&model, 1, 1).unwrap();
            count("chain", &model, &[], None, &states, &[Quantity::RNEA]).unwrap().remove(0)
        };
        let (ten, twenty, thirty) = (of(10), of(20), of(30));
        assert!(ten.mul_adds > 0 && ten.trigs >= 10);
        assert_eq!(thirty.mul_adds - twenty.mul_adds, twenty.mul_adds - ten.mul_adds);
        assert_eq!(ten.bytes, 8 * 40);
    }

    #[test]
    fn a_call_that_issues_at_the_peak_has_a_share_of_one() {
        let model = Model::build(&generate::chain(2), &Default::default()).unwrap();
        let states = Both::random(&model, 1, 1).unwrap();
        let count = Count {
            mul_adds: 600,
            others: 200,
            ..count("c", &model, &[], None, &states, &[Quantity::RNEA]).unwrap().remove(0)
        };
        assert_eq!(count.share(100.0, 8.0), 1.0);
    }
}
