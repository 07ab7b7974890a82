//! External forces of every kind: fixed in the body, in the world, or a mixture.

use crate::random::note_seed;
use dtau::model::Model;
use dtau::scalar::Real;
use dtau::{Axes, Point, Random, Wrench};

/// One wrench of every kind, each on a random frame, possibly of the world. The first two are fixed in their
/// bodies.
pub fn one_of_every_kind(random: &mut Random, model: &Model) -> Vec<Wrench<f64>> {
    let mut out = Vec::new();
    for axes in [Axes::Frame, Axes::World] {
        for kind in 0..3 {
            let name = &model.frames()[random.below(model.frames().len())].name;
            let mut vector = || [(); 3].map(|()| random.within(-3.0, 3.0));
            let at = match kind {
                0 => Point::Origin,
                1 => Point::InFrame(vector()),
                _ => Point::InWorld(vector()),
            };
            let (force, torque) = (vector(), vector());
            out.push(Wrench { frame: model.frame(name).expect("a frame of the model"), axes, at, force, torque });
        }
    }
    out
}

/// All six kinds on every second frame.
pub fn every_kind_everywhere(model: &Model) -> Vec<Wrench<f64>> {
    let mut all = Vec::new();
    for (k, frame) in model.frame_ids().enumerate().filter(|(k, _)| k % 2 == 0) {
        for axes in [Axes::Frame, Axes::World] {
            for at in [Point::Origin, Point::InFrame([0.1, 0.2, -0.4]), Point::InWorld([0.5, -0.3, 0.2])] {
                let torque = [0.3, 0.7, -1.1].map(|x| x * (0.1 * k as f64));
                all.push(Wrench { frame, axes, at, force: [1.0, -2.0, 0.5], torque });
            }
        }
    }
    all
}

/// The wrenches that move with their bodies.
pub fn moving_only(all: &[Wrench<f64>]) -> Vec<Wrench<f64>> {
    let moving = all.iter().filter(|w| w.axes == Axes::Frame && !matches!(w.at, Point::InWorld(_)));
    moving.copied().collect()
}

/// External forces, by whether they move with their bodies.
#[derive(Clone, Copy, Debug)]
pub enum Outside {
    None,
    InBodies,
    EveryKind,
}

/// Random wrenches on most frames.
pub fn from_outside(model: &Model, outside: Outside, seed: u64) -> Vec<Wrench<f64>> {
    note_seed(seed);
    let random = &mut Random::seeded(seed + 1000);
    let mut three = || [random.within(-2.0, 2.0), random.within(-2.0, 2.0), random.within(-2.0, 2.0)];
    let mut all = Vec::new();
    for (i, frame) in model.frame_ids().enumerate() {
        let (force, torque, point) = (three(), three(), three());
        let local = Wrench::local(frame, force, torque);
        let wrench = match (outside, i % 6) {
            (Outside::None, _) => break,
            (Outside::InBodies, _) | (_, 0) => Wrench { at: Point::InFrame(point), ..local },
            (_, 1) => Wrench::local_world_aligned(frame, force, torque),
            (_, 2) => Wrench::world(frame, force, torque),
            (_, 3) => Wrench { at: Point::InWorld(point), ..local },
            (_, 4) => Wrench { at: Point::InFrame(point), axes: Axes::World, ..local },
            _ => local,
        };
        if i % 2 == 0 || i < 12 {
            all.push(wrench);
        }
    }
    all
}

/// Converts to any scalar.
pub fn lift<T: Real>(wrenches: &[Wrench<f64>]) -> Vec<Wrench<T>> {
    let three = |x: [f64; 3]| x.map(T::from_f64);
    let lift = |w: &Wrench<f64>| {
        let at = match w.at {
            Point::Origin => Point::Origin,
            Point::InFrame(p) => Point::InFrame(three(p)),
            Point::InWorld(p) => Point::InWorld(three(p)),
        };
        Wrench { frame: w.frame, axes: w.axes, at, force: three(w.force), torque: three(w.torque) }
    };
    wrenches.iter().map(lift).collect()
}
