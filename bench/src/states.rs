//! Random states, the same for both sides.

use dtau::model::Model;
use dtau::{Error, Random, Workspace, rnea};

/// Some states in a row, as arrays.
#[derive(Clone, Debug)]
pub struct States {
    /// How many.
    pub count: usize,
    /// Configurations.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// The third argument: accelerations, or torques.
    pub x: Vec<f64>,
}

impl States {
    /// `q`, `v` and `x` of the `i`-th.
    pub fn one(&self, i: usize) -> (&[f64], &[f64], &[f64]) {
        let of = |all: &'_ [f64]| {
            let each = all.len() / self.count;
            i * each..(i + 1) * each
        };
        (&self.q[of(&self.q)], &self.v[of(&self.v)], &self.x[of(&self.x)])
    }
}

/// The states of a robot, with accelerations and with the torques that belong to them: forward dynamics is then asked
/// about motions of ordinary size, however light a finger is.
#[derive(Clone, Debug)]
pub struct Both {
    /// `x` is the acceleration.
    pub accelerations: States,
    /// `x` is the torque.
    pub torques: States,
}

impl Both {
    /// `count` random states of a model; the same seed gives the same.
    ///
    /// # Errors
    /// None for a model that dtau has built.
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
