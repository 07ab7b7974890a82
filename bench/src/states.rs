//! Random states, the same for both sides.

use dtau::model::Model;
use dtau::{Error, Random, Workspace, rnea};

/// Several states, as arrays.
#[derive(Clone, Debug)]
pub struct States {
    /// Number of states.
    pub count: usize,
    /// Configurations.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Third argument: accelerations or torques.
    pub x: Vec<f64>,
}

impl States {
    /// Returns `q`, `v` and `x` of the `i`-th state.
    pub fn one(&self, i: usize) -> (&[f64], &[f64], &[f64]) {
        let of = |all: &'_ [f64]| {
            let each = all.len() / self.count;
            i * each..(i + 1) * each
        };
        (&self.q[of(&self.q)], &self.v[of(&self.v)], &self.x[of(&self.x)])
    }
}

/// States of a robot, with accelerations and with the corresponding torques. Forward dynamics then computes
/// motions of ordinary size, even for light fingers.
#[derive(Clone, Debug)]
pub struct Both {
    /// `x` is the acceleration.
    pub accelerations: States,
    /// `x` is the torque.
    pub torques: States,
}

impl Both {
    /// Draws `count` random states of a model. The same seed gives the same states.
    ///
    /// # Errors
    /// Does not fail for a model that dtau has built.
    pub fn random(model: &Model, count: usize, seed: u64) -> Result<Self, Error> {
        let random = &mut Random::seeded(seed);
        let q: Vec<f64> = (0..count).flat_map(|_| model.random_configuration(random)).collect();
        let mut uniform = || (0..count * model.nv()).map(|_| random.within(-1.0, 1.0)).collect::<Vec<f64>>();
        let accelerations = States { count, q, v: uniform(), x: uniform() };
        let mut torques = accelerations.clone();
        let ws = &mut Workspace::new(model);
        for (i, tau) in torques.x.chunks_mut(model.nv()).enumerate() {
            let (q, v, a) = accelerations.one(i);
            rnea(model.scene().damping(false).friction(false), ws, q, v, a, tau)?;
        }
        Ok(Self { accelerations, torques })
    }
}
