//! The configuration space: what a caller sees.

use super::algorithm::Algorithm;
use super::arrays::Size::{Nq, Nv, Square};
use super::frames::Space;
use super::{Batch, BatchScalar};
use crate::error::Error;
use crate::model::Model;

/// `out = q ⊕ v`, see [`Model::integrate`].
///
/// - `q`, `out` (states × nq), `v` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn integrate<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    out: &mut [F],
) -> Result<(), Error> {
    let algorithm = Algorithm::Space(Space::Integrate);
    batch.run(algorithm, model.into(), [Nq.read("q", q), Nv.read("v", v)], [Nq.write("out", out)])
}

/// `out = q1 ⊖ q0`, see [`Model::difference`].
///
/// - `q0`, `q1` (states × nq), `out` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn difference<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q0: &[F],
    q1: &[F],
    out: &mut [F],
) -> Result<(), Error> {
    let algorithm = Algorithm::Space(Space::Difference);
    batch.run(algorithm, model.into(), [Nq.read("q0", q0), Nq.read("q1", q1)], [Nv.write("out", out)])
}

/// The derivatives of `q ⊕ v` by `q` and by `v`, see [`Model::integrate_derivatives`].
///
/// - `q` (states × nq), `v` (states × nv), `by_q`, `by_v` (states × nv × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn integrate_derivatives<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    by_q: &mut [F],
    by_v: &mut [F],
) -> Result<(), Error> {
    let outputs = [Square.write("by_q", by_q), Square.write("by_v", by_v)];
    let algorithm = Algorithm::Space(Space::IntegrateDerivatives);
    batch.run(algorithm, model.into(), [Nq.read("q", q), Nv.read("v", v)], outputs)
}

/// The derivatives of `q1 ⊖ q0` by `q0` and by `q1`, see [`Model::difference_derivatives`].
///
/// - `q0`, `q1` (states × nq), `by_q0`, `by_q1` (states × nv × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn difference_derivatives<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q0: &[F],
    q1: &[F],
    by_q0: &mut [F],
    by_q1: &mut [F],
) -> Result<(), Error> {
    let outputs = [Square.write("by_q0", by_q0), Square.write("by_q1", by_q1)];
    let algorithm = Algorithm::Space(Space::DifferenceDerivatives);
    batch.run(algorithm, model.into(), [Nq.read("q0", q0), Nq.read("q1", q1)], outputs)
}

/// `q` with every quaternion scaled to unit length, see [`Model::normalise`].
///
/// - `q`, `out` (states × nq).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn normalise<F: BatchScalar>(model: &Model, batch: &mut Batch<F>, q: &[F], out: &mut [F]) -> Result<(), Error> {
    batch.run(Algorithm::Space(Space::Normalise), model.into(), [Nq.read("q", q)], [Nq.write("out", out)])
}
