//! Compares the ways for ∂FD: does the rule choose well?

use crate::ours::scene;
use crate::plan::{Contender, Plan, race};
use crate::states::States;
use crate::stored::digits;
use dtau::model::Model;
use dtau::{FdDerivatives, FdWay, Workspace, fd_derivatives_by};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

/// Times of all ways on one robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WayTimes {
    /// Name of the robot or tree.
    pub robot: String,
    /// Number of degrees of freedom.
    pub nv: usize,
    /// Average number of degrees of freedom between one and the root.
    pub depth: f64,
    /// Names of ways and their least times \[ns\].
    pub times: Vec<(String, f64)>,
    /// Way that `fd_derivatives` chooses.
    pub chosen: String,
}

impl WayTimes {
    /// Returns the fastest way and its time.
    pub fn best(&self) -> (&str, f64) {
        let fastest = self.times.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        fastest.map_or(("none", f64::NAN), |(name, ns)| (name, *ns))
    }

    /// Returns the time of a way.
    pub fn time(&self, way: &str) -> Option<f64> {
        self.times.iter().find(|(name, _)| name == way).map(|(_, ns)| *ns)
    }

    /// Rounds numbers to five digits.
    pub fn rounded(&self) -> Self {
        let times = self.times.iter().map(|(name, ns)| (name.clone(), digits(*ns, 5))).collect();
        Self { times, depth: digits(self.depth, 5), ..self.clone() }
    }

    /// Returns the relative excess of the chosen way's time over the best.
    pub fn loss(&self) -> f64 {
        self.time(&self.chosen).map_or(f64::NAN, |ns| ns / self.best().1 - 1.0)
    }
}

/// Times all ways alternately.
///
/// # Errors
/// Fails if a body has no inertia along its joint.
pub fn measure(robot: &str, model: &Model, torques: &States, plan: Plan) -> Result<WayTimes, String> {
    let room = RefCell::new((Workspace::new(model), FdDerivatives::new(model)));
    let mut contenders = Vec::new();
    for way in FdWay::ALL {
        let room = &room;
        let contender: Contender<'_> = Box::new(move |reps| {
            let (ws, out) = &mut *room.borrow_mut();
            let start = Instant::now();
            for k in 0..reps as usize {
                let (q, v, tau) = torques.one(k % torques.count);
                fd_derivatives_by(way, scene(model), ws, black_box(q), v, tau, &mut *out).map_err(|e| e.to_string())?;
            }
            Ok(start.elapsed().as_nanos() as f64)
        });
        contenders.push(contender);
    }
    let timings = race(&mut contenders, &plan.visit)?;
    let names = FdWay::ALL.map(|way| format!("{way:?}"));
    Ok(WayTimes {
        robot: robot.into(),
        nv: model.nv(),
        depth: mean_depth(model),
        times: names.into_iter().zip(timings.iter().map(|t| t.min)).collect(),
        chosen: format!("{:?}", FdWay::for_model(model)),
    })
}

fn mean_depth(model: &Model) -> f64 {
    let tree = model.tree();
    let above = |k: usize| std::iter::successors(tree.dofs[k].parent, |&j| tree.dofs[j].parent).count();
    (0..model.nv()).map(above).sum::<usize>() as f64 / model.nv() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use dtau::model::generate;

    #[test]
    fn the_loss_is_that_of_the_chosen_way_against_the_best() {
        let times = vec![("Dense".into(), 120.0), ("Ltdl".into(), 100.0), ("Aza".into(), 300.0)];
        let all = WayTimes { robot: "x".into(), nv: 6, depth: 2.5, times, chosen: "Dense".into() };
        assert_eq!(all.best(), ("Ltdl", 100.0));
        assert!((all.loss() - 0.2).abs() < 1e-12);
    }

    #[test]
    fn a_chain_is_half_as_deep_as_long() {
        let model = Model::build(&generate::chain(11), &Default::default()).unwrap();
        assert_eq!(mean_depth(&model), 5.0);
    }
}
