//! Random states of a robot, for evaluation and timing.

use dtau::model::Model;
use dtau::{Error, Random, Scene, Workspace};

/// A state, an acceleration, and the corresponding torques.
#[derive(Clone, Debug)]
pub struct Sample {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub tau: Vec<f64>,
}

/// Random states: configurations from the whole space (within limits, if joints have them), velocities within
/// ±1, accelerations within ±10, SI units. The same seed gives the same states.
pub fn samples(scene: Scene<'_, f64>, count: usize, seed: u64) -> Result<Vec<Sample>, Error> {
    let (model, random): (&Model, _) = (scene.model, &mut Random::seeded(seed));
    let mut ws = Workspace::new(model);
    let mut sample = || {
        let q = model.random_configuration(random);
        let mut vector = |size: f64| -> Vec<f64> { (0..model.nv()).map(|_| random.within(-size, size)).collect() };
        let (v, a) = (vector(1.0), vector(10.0));
        let mut tau = vec![0.0; model.nv()];
        dtau::rnea(scene, &mut ws, &q, &v, &a, &mut tau)?;
        Ok(Sample { q, v, a, tau })
    };
    (0..count).map(|_| sample()).collect()
}
