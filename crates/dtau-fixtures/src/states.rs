//! States of robots.

use crate::random::note_seed;
use dtau::model::{JointInfo, Model};
use dtau::spatial::{Quaternion, Vec3};
use dtau::{Random, Scene, Wrench};
use std::ops::Range;

/// A robot in a state, optionally under external forces.
pub struct Case {
    /// Its description, with its seed.
    pub name: String,
    pub model: Model,
    pub x: State,
    pub wrenches: Vec<Wrench<f64>>,
}

impl Case {
    pub fn scene(&self) -> Scene<'_, f64> {
        self.model.scene().wrenches(&self.wrenches)
    }
}

pub struct State {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
}

impl State {
    /// A configuration drawn by the model, rates in [−1, 1).
    pub fn random(model: &Model, seed: u64) -> Self {
        note_seed(seed);
        Self::draw(model, &mut Random::seeded(seed))
    }

    /// Same as [`random`](Self::random), from a given generator.
    pub fn draw(model: &Model, random: &mut Random) -> Self {
        let q = model.random_configuration(random);
        let (v, a) = (numbers(random, model.nv()), numbers(random, model.nv()));
        Self { q, v, a }
    }

    /// All numbers in [−1, 1), with normalised quaternions.
    pub fn small(model: &Model, seed: u64) -> Self {
        note_seed(seed);
        let random = &mut Random::seeded(seed);
        let (mut q, v, a) = (numbers(random, model.nq()), numbers(random, model.nv()), numbers(random, model.nv()));
        for at in quaternions(model) {
            let length = q[at.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
            q[at].iter_mut().for_each(|x| *x /= length);
        }
        Self { q, v, a }
    }

    /// All numbers in [−1, 1), with quaternions of rotations about random axes.
    pub fn turned(model: &Model, seed: u64) -> Self {
        note_seed(seed);
        let random = &mut Random::seeded(seed);
        let mut q = numbers(random, model.nq());
        for at in quaternions(model) {
            let turn: [f64; 3] = std::array::from_fn(|_| random.within(-1.0, 1.0));
            q[at].copy_from_slice(&Quaternion::exp(Vec3::from(turn) * 2.0).to_array());
        }
        let (v, a) = (numbers(random, model.nv()), numbers(random, model.nv()));
        Self { q, v, a }
    }

    /// The numbers of `a`, used as torques.
    pub fn tau(&self) -> &[f64] {
        &self.a
    }
}

/// `n` numbers in [−1, 1).
pub fn numbers(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| random.within(-1.0, 1.0)).collect()
}

/// Ranges of the quaternions in `q`.
fn quaternions(model: &Model) -> impl Iterator<Item = Range<usize>> {
    let quaternion = |joint: &JointInfo| Some(joint.q.start + joint.kind.quaternion()?..joint.q.end);
    model.joints().iter().filter_map(quaternion)
}
