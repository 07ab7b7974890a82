//! What the tests of forward dynamics share.
#![allow(dead_code)]

use dtau::Random;
use dtau::model::{JointKind, Model, Options, Root, generate};

/// Robots that together have everything a model can have.
pub fn models() -> Vec<Model> {
    let fixed = Options::default();
    let floating = Options { root: Root::Floating, ..fixed.clone() };
    let mut models = Vec::new();
    for n in [1, 7, 30] {
        models.push(Model::build(&generate::chain(n), &fixed).unwrap());
    }
    models.push(Model::build(&generate::tree(20, 2), &fixed).unwrap());
    models.push(Model::build(&generate::tree(33, 5), &fixed).unwrap());
    for seed in 0..20 {
        let options = if seed % 2 == 0 { &fixed } else { &floating };
        models.push(Model::build(&generate::random_tree(seed, 12), options).unwrap());
    }
    assert!(models.iter().any(|m| m.joints().iter().any(|j| j.mimic.is_some())));
    assert!(models.iter().any(|m| m.joints().iter().all(|j| j.mimic.is_none())));
    models
}

pub struct State {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
}

impl State {
    /// Random numbers, with the quaternions among them made unit.
    pub fn random(model: &Model, seed: u64) -> Self {
        let mut random = Random::seeded(seed);
        let mut numbers = |n| (0..n).map(|_| random.within(-1.0, 1.0)).collect::<Vec<_>>();
        let (mut q, v, a) = (numbers(model.nq()), numbers(model.nv()), numbers(model.nv()));
        for joint in model.joints() {
            let quaternion = match joint.kind {
                JointKind::Spherical => &mut q[joint.q.clone()],
                JointKind::FreeFlyer => &mut q[joint.q.clone()][3..],
                _ => continue,
            };
            let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
            quaternion.iter_mut().for_each(|x| *x /= length);
        }
        State { q, v, a }
    }
}

#[track_caller]
pub fn assert_close(model: &Model, what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    let scale = want.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let (row, column) = (i % model.nv(), i / model.nv());
        assert!(
            (g - w).abs() <= tolerance * scale,
            "{}: {what} at ({row}, {column}): got {g:e}, want {w:e}, difference {:e} on a scale of {scale:e}",
            model.name(),
            g - w
        );
    }
}

/// ε times the condition of M (the ratio of its scale to that of its inverse's) bounds the error of q̈. M is computed to
/// estimate it, and the tests allow 100 times that.
pub fn conditioning(m: &[f64], minv: &[f64]) -> f64 {
    let largest = |x: &[f64]| x.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    100.0 * f64::EPSILON * (1.0 + largest(m) * largest(minv))
}
