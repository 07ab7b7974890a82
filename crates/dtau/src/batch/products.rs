//! Products with Jacobians that are never formed: what a caller sees. The tangents and cotangents are those of one state,
//! with arrays of states × nv.

use super::algorithm::Algorithm;
use super::arrays::Size::{Nq, Nv};
use super::{Batch, BatchScalar, BatchScene};
use crate::derivatives::{FdCotangent, FdTangent, IdCotangent, IdTangent};
use crate::error::Error;

/// The derivative of inverse dynamics along a direction, see [`id_jvp`](crate::id_jvp()).
///
/// - `q` (states × nq), `v`, `a`, the tangents and `dtau` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn id_jvp<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    a: &[F],
    tangent: IdTangent<'_, F>,
    dtau: &mut [F],
) -> Result<(), Error> {
    let inputs = [
        Nq.read("q", q),
        Nv.read("v", v),
        Nv.read("a", a),
        Nv.read("tangent.q", tangent.q),
        Nv.read("tangent.v", tangent.v),
        Nv.read("tangent.a", tangent.a),
    ];
    batch.run(Algorithm::IdJvp, scene.into(), inputs, [Nv.write("dtau", dtau)])
}

/// The gradient of `wᵀ τ`, see [`id_vjp`](crate::id_vjp()).
///
/// - `q` (states × nq), `v`, `a`, `w` and the outputs (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn id_vjp<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    a: &[F],
    w: &[F],
    out: IdCotangent<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a), Nv.read("w", w)];
    let outputs = [Nv.write("out.q", out.q), Nv.write("out.v", out.v), Nv.write("out.a", out.a)];
    batch.run(Algorithm::IdVjp, scene.into(), inputs, outputs)
}

/// The derivative of forward dynamics along a direction, see [`fd_jvp`](crate::fd_jvp()).
///
/// - `q` (states × nq), `v`, `tau`, the tangents and `dqdd` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model, or if in some state a body has no inertia along its joint.
pub fn fd_jvp<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    tau: &[F],
    tangent: FdTangent<'_, F>,
    dqdd: &mut [F],
) -> Result<(), Error> {
    let inputs = [
        Nq.read("q", q),
        Nv.read("v", v),
        Nv.read("tau", tau),
        Nv.read("tangent.q", tangent.q),
        Nv.read("tangent.v", tangent.v),
        Nv.read("tangent.tau", tangent.tau),
    ];
    batch.run(Algorithm::FdJvp, scene.into(), inputs, [Nv.write("dqdd", dqdd)])
}

/// The gradient of `wᵀ q̈`, see [`fd_vjp`](crate::fd_vjp()).
///
/// - `q` (states × nq), `v`, `tau`, `w` and the outputs (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model, or if in some state a body has no inertia along its joint.
pub fn fd_vjp<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    tau: &[F],
    w: &[F],
    out: FdCotangent<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("tau", tau), Nv.read("w", w)];
    let outputs = [Nv.write("out.q", out.q), Nv.write("out.v", out.v), Nv.write("out.tau", out.tau)];
    batch.run(Algorithm::FdVjp, scene.into(), inputs, outputs)
}
