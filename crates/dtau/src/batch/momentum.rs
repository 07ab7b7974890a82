//! The centre of mass and the momentum about it, and their derivatives: what a caller sees.

use super::algorithm::Algorithm;
use super::arrays::Size::{Fixed, Nq, Nv, Wide};
use super::{Batch, BatchScalar};
use crate::error::Error;
use crate::model::Model;

/// Where [`centre_of_mass`] writes: states × 3 each, in world coordinates.
#[derive(Debug)]
pub struct ComMut<'a, F> {
    /// Where it is \[m\].
    pub position: &'a mut [F],
    /// How it moves \[m/s\].
    pub velocity: &'a mut [F],
    /// How that changes \[m/s²\].
    pub acceleration: &'a mut [F],
}

/// The centre of mass of all that moves, see [`centre_of_mass`](crate::centre_of_mass()).
///
/// - `q` (states × nq), `v`, `a` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn centre_of_mass<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    a: &[F],
    out: ComMut<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    let outputs = [
        Fixed(3).write("out.position", out.position),
        Fixed(3).write("out.velocity", out.velocity),
        Fixed(3).write("out.acceleration", out.acceleration),
    ];
    batch.run(Algorithm::CentreOfMass, model.into(), inputs, outputs)
}

/// The Jacobian of the centre of mass, see [`com_jacobian`](crate::com_jacobian()).
///
/// - `q` (states × nq), `j` (states × 3 × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn com_jacobian<F: BatchScalar>(model: &Model, batch: &mut Batch<F>, q: &[F], j: &mut [F]) -> Result<(), Error> {
    batch.run(Algorithm::ComJacobian, model.into(), [Nq.read("q", q)], [Wide(3).write("j", j)])
}

/// The derivatives of the velocity of the centre of mass, see
/// [`com_velocity_derivatives`](crate::com_velocity_derivatives()).
///
/// - `q` (states × nq), `v` (states × nv), `dv_dq`, `dv_dv` (states × 3 × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn com_velocity_derivatives<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    dv_dq: &mut [F],
    dv_dv: &mut [F],
) -> Result<(), Error> {
    let outputs = [Wide(3).write("dv_dq", dv_dq), Wide(3).write("dv_dv", dv_dv)];
    batch.run(Algorithm::ComVelocityDerivatives, model.into(), [Nq.read("q", q), Nv.read("v", v)], outputs)
}

/// The momentum about the centre of mass, see [`centroidal_momentum`](crate::centroidal_momentum()).
///
/// - `q` (states × nq), `v` (states × nv), `h` (states × 6).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn centroidal_momentum<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    h: &mut [F],
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v)];
    batch.run(Algorithm::CentroidalMomentum, model.into(), inputs, [Fixed(6).write("h", h)])
}

/// The rate of that momentum, see [`centroidal_momentum_rate`](crate::centroidal_momentum_rate()).
///
/// - `q` (states × nq), `v`, `a` (states × nv), `hdot` (states × 6).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn centroidal_momentum_rate<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    a: &[F],
    hdot: &mut [F],
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    batch.run(Algorithm::CentroidalMomentumRate, model.into(), inputs, [Fixed(6).write("hdot", hdot)])
}

/// The matrix that maps velocities to that momentum, see [`centroidal_matrix`](crate::centroidal_matrix()).
///
/// - `q` (states × nq), `a_g` (states × 6 × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn centroidal_matrix<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q: &[F],
    a_g: &mut [F],
) -> Result<(), Error> {
    batch.run(Algorithm::CentroidalMatrix, model.into(), [Nq.read("q", q)], [Wide(6).write("a_g", a_g)])
}

/// Where [`centroidal_derivatives`] writes; see [`CentroidalDerivatives`](crate::CentroidalDerivatives).
#[derive(Debug)]
pub struct CentroidalDerivativesMut<'a, F> {
    /// The momentum: states × 6.
    pub h: &'a mut [F],
    /// Its rate: states × 6.
    pub hdot: &'a mut [F],
    /// ∂h/∂q: states × 6 × nv.
    pub dh_dq: &'a mut [F],
    /// ∂ḣ/∂q: states × 6 × nv.
    pub dhdot_dq: &'a mut [F],
    /// ∂ḣ/∂q̇: states × 6 × nv.
    pub dhdot_dv: &'a mut [F],
    /// ∂ḣ/∂q̈, and ∂h/∂q̇: states × 6 × nv.
    pub dhdot_da: &'a mut [F],
}

/// The derivatives of that momentum and of its rate, see [`centroidal_derivatives`](crate::centroidal_derivatives()).
///
/// - `q` (states × nq), `v`, `a` (states × nv).
///
/// # Errors
/// If a length or the batch does not fit the model.
pub fn centroidal_derivatives<F: BatchScalar>(
    model: &Model,
    batch: &mut Batch<F>,
    q: &[F],
    v: &[F],
    a: &[F],
    out: CentroidalDerivativesMut<'_, F>,
) -> Result<(), Error> {
    let inputs = [Nq.read("q", q), Nv.read("v", v), Nv.read("a", a)];
    let outputs = [
        Wide(6).write("out.dh_dq", out.dh_dq),
        Wide(6).write("out.dhdot_dq", out.dhdot_dq),
        Wide(6).write("out.dhdot_dv", out.dhdot_dv),
        Wide(6).write("out.dhdot_da", out.dhdot_da),
        Fixed(6).write("out.h", out.h),
        Fixed(6).write("out.hdot", out.hdot),
    ];
    batch.run(Algorithm::CentroidalDerivatives, model.into(), inputs, outputs)
}
