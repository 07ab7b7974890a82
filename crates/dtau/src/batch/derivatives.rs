//! Derivatives of the dynamics: what a caller sees.

use super::algorithm::Algorithm;
use super::arrays::Output;
use super::arrays::Size::{Nq, Nv, Square};
use super::{Batch, BatchScalar, BatchScene};
use crate::derivatives::FdWay;
use crate::error::Error;

pub use crate::derivatives::FdDerivativesMut;

/// Where the derivatives of inverse dynamics go; see [`IdDerivatives`](crate::IdDerivatives).
#[derive(Debug)]
pub struct IdDerivativesMut<'a, F> {
    /// The torques: states × nv.
    pub tau: &'a mut [F],
    /// ∂τ/∂q: states × nv × nv.
    pub dq: &'a mut [F],
    /// ∂τ/∂q̇: states × nv × nv.
    pub dv: &'a mut [F],
    /// ∂τ/∂q̈: states × nv × nv.
    pub da: &'a mut [F],
}

impl<'a, F> IdDerivativesMut<'a, F> {
    fn outputs(self) -> [Output<'a, F>; 4] {
        [
            Square.write("out.dq", self.dq),
            Square.write("out.dv", self.dv),
            Square.write("out.da", self.da),
            Nv.write("out.tau", self.tau),
        ]
    }
}

/// The derivatives of inverse dynamics, see [`id_derivatives`](crate::id_derivatives()).
///
/// - `q` (states × nq), `v`, `a` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn id_derivatives<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    a: &[F],
    out: IdDerivativesMut<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    batch.run(Algorithm::Id, scene.into(), inputs, out.outputs())
}

/// The derivatives of the inertial torques, see [`inertial_derivatives`](crate::inertial_derivatives()).
///
/// - `q` (states × nq), `a` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn inertial_derivatives<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    a: &[F],
    out: IdDerivativesMut<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("a", a)];
    batch.run(Algorithm::InertialDerivatives, scene.into(), inputs, out.outputs())
}

/// The derivatives of the bias, see [`bias_derivatives`](crate::bias_derivatives()).
///
/// - `q` (states × nq), `v` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn bias_derivatives<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    out: IdDerivativesMut<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v)];
    batch.run(Algorithm::BiasDerivatives, scene.into(), inputs, out.outputs())
}

/// The derivatives of the torques against gravity, see [`gravity_derivatives`](crate::gravity_derivatives()).
///
/// - `q` (states × nq).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn gravity_derivatives<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    out: IdDerivativesMut<'_, F>,
) -> Result<(), Error> {
    batch.run(Algorithm::GravityDerivatives, scene.into(), [Nq.read("q", q)], out.outputs())
}

/// The derivatives of forward dynamics, see [`fd_derivatives`](crate::fd_derivatives()).
///
/// - `q` (states × nq), `v`, `tau` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model, or if in some state a body has no inertia along its joint.
pub fn fd_derivatives<'m, F: BatchScalar>(
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    tau: &[F],
    out: FdDerivativesMut<'_, F>,
) -> Result<(), Error> {
    let scene = scene.into();
    fd_derivatives_by(FdWay::for_model(scene.scene.model), scene, batch, q, v, tau, out)
}

/// [`fd_derivatives`] in a given way: for comparing.
///
/// # Errors
/// As [`fd_derivatives`]; and if joints mimic others and the way does not allow it.
pub fn fd_derivatives_by<'m, F: BatchScalar>(
    way: FdWay,
    scene: impl Into<BatchScene<'m, F>>,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    tau: &[F],
    out: FdDerivativesMut<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("tau", tau)];
    let outputs = [
        Square.write("out.dq", out.dq),
        Square.write("out.dv", out.dv),
        Square.write("out.dtau", out.dtau),
        Nv.write("out.qdd", out.qdd),
    ];
    batch.run(Algorithm::Fd(way), scene.into(), inputs, outputs)
}
