//! Derivatives by complex step, exact up to rounding, and the same for other scalars.
//!
//! A complex step of 1e-30 has no truncation error. The remaining error is round-off: a few ε for each body
//! on the path, relative to the largest number of the row. [`TOLERANCE`] leaves a margin.

use dtau::model::Model;
use dtau::scalar::{Complex, Real};
use dtau::{Kinematics, Workspace};

pub const TOLERANCE: f64 = 1e-12;

/// Its square vanishes relative to the numbers of these tests, and it is far from underflow.
pub const STEP: f64 = 1e-30;

/// Derivative of `f` along each tangent direction of `q`, by columns.
pub fn by_q(model: &Model, q: &[f64], mut f: impl FnMut(&[Complex]) -> Vec<Complex>) -> Vec<f64> {
    (0..model.nv()).flat_map(|k| rates(&f(&moved(model, q, &unit(model.nv(), k))))).collect()
}

/// Derivative of `f` with respect to each of the numbers `x`, by columns.
pub fn by_numbers(x: &[f64], mut f: impl FnMut(&[Complex]) -> Vec<Complex>) -> Vec<f64> {
    (0..x.len()).flat_map(|k| rates(&f(&shifted(x, &unit(x.len(), k))))).collect()
}

/// `q ⊕ i h d`.
pub fn moved(model: &Model, q: &[f64], d: &[f64]) -> Vec<Complex> {
    let (q, mut out) = (lift(q), lift(q));
    model.integrate(&q, &shifted(&vec![0.0; d.len()], d), &mut out).unwrap();
    out
}

/// `x + i h d`.
pub fn shifted(x: &[f64], d: &[f64]) -> Vec<Complex> {
    x.iter().zip(d).map(|(&x, d)| Complex::new(x, STEP * d)).collect()
}

/// Derivatives from the imaginary parts.
pub fn rates(x: &[Complex]) -> Vec<f64> {
    x.iter().map(|x| x.im / STEP).collect()
}

/// Constants in any scalar.
pub fn lift<T: Real>(x: &[f64]) -> Vec<T> {
    x.iter().map(|&x| T::from_f64(x)).collect()
}

pub fn unit(n: usize, k: usize) -> Vec<f64> {
    (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect()
}

/// Forward kinematics, returned as a new result.
pub fn kinematics<T: Real>(model: &Model, ws: &mut Workspace<T>, q: &[T], v: &[T], a: &[T]) -> Kinematics<T> {
    let mut kin = Kinematics::new(model);
    kin.update(model, ws, q, v, a).unwrap();
    kin
}

/// Runs a test with stack space for kernels on wide scalars: without optimisation, an inlined kernel keeps
/// every intermediate result in its frame, which may exceed the 2 MB of a test's thread.
pub fn on_a_large_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(test).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
