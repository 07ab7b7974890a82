//! Torques, accelerations, mass matrices, energy: what a caller sees.

use super::algorithm::Algorithm;
use super::arrays::Size::{Columns, Fixed, Nq, Nv, Square};
use super::arrays::{Size, count_states};
use super::{Batch, BatchScalar, BatchScene};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use alloc::format;

/// The torques that give the accelerations `a`, see [`rnea`](crate::rnea()).
///
/// - `q` (states × nq), `v`, `a`, `tau` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn rnea<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    a: &[F],
    tau: &mut [F],
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    batch.run(Algorithm::Rnea, scene.into(), inputs, [Nv.write("tau", tau)])
}

/// The torques that keep the velocity, see [`bias`](crate::bias()).
///
/// - `q` (states × nq), `v`, `tau` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn bias<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    tau: &mut [F],
) -> Result<(), Error> {
    batch.run(Algorithm::Bias, scene.into(), [Nq.read("q", q), Nv.read("v", v)], [Nv.write("tau", tau)])
}

/// The torques that hold the robot against gravity, see [`gravity_torques`](crate::gravity_torques()).
///
/// - `q` (states × nq), `tau` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn gravity_torques<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    tau: &mut [F],
) -> Result<(), Error> {
    batch.run(Algorithm::GravityTorques, scene.into(), [Nq.read("q", q)], [Nv.write("tau", tau)])
}

/// The accelerations that the torques `tau` give, see [`aba`](crate::aba()).
///
/// - `q` (states × nq), `v`, `tau`, `qdd` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model, or if in some state a body has no inertia along its joint.
pub fn aba<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    tau: &[F],
    qdd: &mut [F],
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("tau", tau)];
    batch.run(Algorithm::Aba, scene.into(), inputs, [Nv.write("qdd", qdd)])
}

/// The mass matrix, see [`crba`](crate::crba()).
///
/// - `q` (states × nq), `m` (states × nv × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn crba<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    m: &mut [F],
) -> Result<(), Error> {
    batch.run(Algorithm::Crba, scene.into(), [Nq.read("q", q)], [Square.write("m", m)])
}

/// The inverse of the mass matrix, see [`minverse`](crate::minverse()).
///
/// - `q` (states × nq), `minv` (states × nv × nv).
///
/// # Errors
/// If a length or the batch does not fit the model, or if in some state a body has no inertia along its joint.
pub fn minverse<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    minv: &mut [F],
) -> Result<(), Error> {
    batch.run(Algorithm::Minverse, scene.into(), [Nq.read("q", q)], [Square.write("minv", minv)])
}

/// The Coriolis matrix, see [`coriolis`](crate::coriolis()).
///
/// - `q` (states × nq), `v` (states × nv), `c` (states × nv × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn coriolis<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    c: &mut [F],
) -> Result<(), Error> {
    batch.run(Algorithm::Coriolis, model.into(), [Nq.read("q", q), Nv.read("v", v)], [Square.write("c", c)])
}

/// Columns times the mass matrix, see [`mass_times`](crate::mass_times()).
///
/// - `q` (states × nq); `x`, `out`: states × nv × k, the same k in every state.
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn mass_times<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    x: &[F],
    out: &mut [F],
) -> Result<(), Error> {
    let scene = scene.into();
    let size = columns(scene.scene.model, q.len(), x.len())?;
    batch.run(Algorithm::MassTimes, scene, [Nq.read("q", q), size.read("x", x)], [size.write("out", out)])
}

/// Columns times the inverse of the mass matrix, see [`mass_solve`](crate::mass_solve()).
///
/// - `q` (states × nq); `x`, `out`: states × nv × k, the same k in every state.
///
/// # Errors
/// If a length or the batch does not fit the model, or if in some state a body has no inertia along its joint.
pub fn mass_solve<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    x: &[F],
    out: &mut [F],
) -> Result<(), Error> {
    let scene = scene.into();
    let size = columns(scene.scene.model, q.len(), x.len())?;
    batch.run(Algorithm::MassSolve, scene, [Nq.read("q", q), size.read("x", x)], [size.write("out", out)])
}

/// The columns of `x` in each state.
fn columns(model: &Model, q_len: usize, x_len: usize) -> Result<Size, Error> {
    let states = count_states(model, "q", Nq, q_len)?;
    let one = states * model.nv();
    if x_len.is_multiple_of(one.max(1)) {
        return Ok(Columns(x_len / one.max(1)));
    }
    let (name, nv) = (model.name(), model.nv());
    let rule = format!("states × nv × k, a multiple of {states} × {nv} = {one}");
    let message = format!("`x` has {x_len} numbers, but model \"{name}\" needs {rule}");
    Err(Error::new(ErrorKind::Length, message))
}

/// Where [`energy`] writes: one number a state.
#[derive(Debug)]
pub struct EnergyMut<'a, F> {
    /// Of the motion \[J\].
    pub kinetic: &'a mut [F],
    /// Of the height \[J\].
    pub potential: &'a mut [F],
}

/// Kinetic and potential energy, see [`energy`](crate::energy()).
///
/// - `q` (states × nq), `v` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn energy<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    out: EnergyMut<'_, F>,
) -> Result<(), Error> {
    let outputs = [Fixed(1).write("out.kinetic", out.kinetic), Fixed(1).write("out.potential", out.potential)];
    batch.run(Algorithm::Energy, scene.into(), [Nq.read("q", q), Nv.read("v", v)], outputs)
}
