//! Random robots, their states, complex steps, and comparisons that say where they failed.
//!
//! A complex step of 1e-30 has no truncation error, so what is left is round-off: a few ε for each body on the way,
//! relative to the largest number of the row. `TOLERANCE` gives it room.
#![allow(dead_code)] // each test crate takes what it needs

use dtau::Random;
use dtau::model::{Model, Options, Root, generate};
use dtau::scalar::Complex;

pub const TOLERANCE: f64 = 1e-12;
const STEP: f64 = 1e-30;

pub struct Case {
    pub name: String,
    pub model: Model,
    pub x: State,
}

pub struct State {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
}

/// Trees with every kind of joint, branching, welded links, joint effects; some with mimicking joints.
pub fn cases() -> Vec<Case> {
    let cases: Vec<Case> = (0..12).map(|seed| case(seed, 9)).collect();
    assert!(cases.iter().filter(|c| c.model.mimic().is_some()).count() >= 3);
    assert!(cases.iter().filter(|c| c.model.mimic().is_none()).count() >= 3);
    cases
}

/// Every other one floats.
pub fn case(seed: u64, bodies: usize) -> Case {
    let root = if seed.is_multiple_of(2) { Root::Fixed } else { Root::Floating };
    let model = Model::build(&generate::random_tree(seed, bodies), &Options { root, ..Options::default() }).unwrap();
    let random = &mut Random::seeded(1000 + seed);
    let x = State { q: model.random_configuration(random), v: numbers(&model, random), a: numbers(&model, random) };
    Case { name: format!("seed {seed}"), model, x }
}

/// `nv` numbers in [−1, 1).
pub fn numbers(model: &Model, random: &mut Random) -> Vec<f64> {
    (0..model.nv()).map(|_| random.within(-1.0, 1.0)).collect()
}

/// The derivative of `f` along each tangent direction of `q`, by columns.
pub fn by_q(model: &Model, q: &[f64], mut f: impl FnMut(&[Complex]) -> Vec<Complex>) -> Vec<f64> {
    let columns = (0..model.nv()).flat_map(|k| rates(&f(&moved(model, q, &unit(model.nv(), k)))));
    columns.collect()
}

/// The derivative of `f` by each of the numbers `x`, by columns.
pub fn by_numbers(x: &[f64], mut f: impl FnMut(&[Complex]) -> Vec<Complex>) -> Vec<f64> {
    (0..x.len()).flat_map(|k| rates(&f(&shifted(x, &unit(x.len(), k))))).collect()
}

/// `q ⊕ i h d`.
pub fn moved(model: &Model, q: &[f64], d: &[f64]) -> Vec<Complex> {
    let (q, mut out) = (lift(q), lift(q));
    let step: Vec<Complex> = d.iter().map(|d| Complex::new(0.0, STEP * d)).collect();
    model.integrate(&q, &step, &mut out).unwrap();
    out
}

/// `x + i h d`.
pub fn shifted(x: &[f64], d: &[f64]) -> Vec<Complex> {
    x.iter().zip(d).map(|(&x, d)| Complex::new(x, STEP * d)).collect()
}

pub fn lift(x: &[f64]) -> Vec<Complex> {
    x.iter().map(|&x| Complex::new(x, 0.0)).collect()
}

pub fn rates(x: &[Complex]) -> Vec<f64> {
    x.iter().map(|x| x.im / STEP).collect()
}

fn unit(n: usize, k: usize) -> Vec<f64> {
    (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect()
}

/// The worst error of a test, printed at its end: `cargo test -- --nocapture`.
pub struct Worst(&'static str, f64);

impl Worst {
    pub fn of(what: &'static str) -> Self {
        Self(what, 0.0)
    }

    /// Entry by entry, relative to the largest of its row, or to 1.
    #[track_caller]
    pub fn check(&mut self, what: &str, got: &[f64], want: &[f64], rows: usize, tolerance: f64) {
        assert_eq!(got.len(), want.len(), "{what}: lengths");
        for i in 0..rows {
            let row = |x: &[f64]| x.iter().copied().skip(i).step_by(rows).collect::<Vec<f64>>();
            let (got, want) = (row(got), row(want));
            let scale = want.iter().fold(1.0f64, |m, x| m.max(x.abs()));
            for (j, (g, w)) in got.iter().zip(&want).enumerate() {
                let error = (g - w).abs() / scale;
                self.1 = self.1.max(error);
                assert!(
                    error <= tolerance,
                    "{what} ({i}, {j}): got {g:e}, want {w:e}, difference {:e}, error {error:e} at scale {scale:e}",
                    g - w
                );
            }
        }
    }
}

impl Drop for Worst {
    fn drop(&mut self) {
        println!("{}: worst error {:.1e}", self.0, self.1);
    }
}
