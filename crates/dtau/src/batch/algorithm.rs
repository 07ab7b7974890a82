//! Which algorithm, and how it is called on a group of packed states: as it is called on one.

use super::arrays::MOST;
use super::frames::{self, Frames, Space};
use super::lanes::Packed;
use crate::derivatives::{CentroidalDerivatives, FdCotangent, FdTangent, FdWay, IdCotangent, IdTangent};
use crate::derivatives::{FdDerivativesMut, IdDerivatives};
use crate::error::Error;
use crate::kinematics::Kinematics;
use crate::matrix::{Matrix, MatrixMut};
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::Force;
use crate::workspace::Workspace;
use alloc::vec::Vec;
use core::mem;

/// The algorithms. What they read and write, and how large it is, stands where they are offered to callers; they find it
/// here in the same order, matrices of derivatives before values.
#[derive(Clone, Copy, Debug)]
pub enum Algorithm {
    Rnea,
    Bias,
    GravityTorques,
    Aba,
    Crba,
    Minverse,
    Coriolis,
    MassTimes,
    MassSolve,
    Energy,
    CentreOfMass,
    ComJacobian,
    CentroidalMomentum,
    CentroidalMomentumRate,
    CentroidalMatrix,
    Id,
    InertialDerivatives,
    BiasDerivatives,
    GravityDerivatives,
    Fd(FdWay),
    ComVelocityDerivatives,
    CentroidalDerivatives,
    IdJvp,
    IdVjp,
    FdJvp,
    FdVjp,
    Frames(Frames),
    Space(Space),
}

impl Algorithm {
    /// Numbers a state that suffice for what any algorithm reads, and for what it writes.
    pub fn room(model: &Model) -> ([usize; MOST], [usize; MOST]) {
        let (nq, nv, frames) = (model.nq(), model.nv(), model.frames().len());
        let (wide, square) = (6 * nv.max(1), nv * nv);
        let second = square.max(nq); // the columns of a product, or another configuration
        let matrix = square.max(wide).max(6 * frames);
        let first = matrix.max(12 * frames).max(nq);
        ([nq, second, nv, nv, nv, nv], [first, matrix, matrix, wide, wide, wide])
    }
}

/// Computes one group of states; `again` tells that `y` holds results of the same algorithm for the same model.
pub fn compute<F, T: Packed<F>>(
    algorithm: Algorithm,
    scene: Scene<'_, T>,
    ws: &mut Workspace<T>,
    kinematics: &mut Kinematics<T::Plain>,
    x: &[Vec<T>; MOST],
    y: &mut [Vec<T>; MOST],
    again: bool,
) -> Result<(), Error> {
    let model = scene.model;
    let [q, v, a, x3, x4, x5] = x;
    let [y0, y1, y2, y3, y4, y5] = y;
    match algorithm {
        Algorithm::Rnea => crate::rnea(scene, ws, q, v, a, y0),
        Algorithm::Bias => crate::bias(scene, ws, q, v, y0),
        Algorithm::GravityTorques => crate::gravity_torques(scene, ws, q, y0),
        Algorithm::Aba => crate::aba(scene, ws, q, v, a, y0),
        Algorithm::Crba => {
            let mut zeros_of = again.then(|| model.id());
            crate::crba(scene, ws, q, MatrixMut::remembering(y0, &mut zeros_of))
        }
        Algorithm::Minverse => crate::minverse(scene, ws, q, y0),
        Algorithm::Coriolis => crate::coriolis(model, ws, q, v, y0),
        Algorithm::MassTimes => crate::mass_times(scene, ws, q, v, y0),
        Algorithm::MassSolve => crate::mass_solve(scene, ws, q, v, y0),
        Algorithm::Energy => {
            let energy = crate::energy(scene, ws, q, v)?;
            (y0[0], y1[0]) = (energy.kinetic, energy.potential);
            Ok(())
        }
        Algorithm::CentreOfMass => {
            let com = crate::centre_of_mass(model, ws, q, v, a)?;
            y0.copy_from_slice(&com.position.to_array());
            y1.copy_from_slice(&com.velocity.to_array());
            y2.copy_from_slice(&com.acceleration.to_array());
            Ok(())
        }
        Algorithm::ComJacobian => crate::com_jacobian(model, ws, q, y0),
        Algorithm::CentroidalMomentum => {
            y0.copy_from_slice(&crate::centroidal_momentum(model, ws, q, v)?.to_array());
            Ok(())
        }
        Algorithm::CentroidalMomentumRate => {
            y0.copy_from_slice(&crate::centroidal_momentum_rate(model, ws, q, v, a)?.to_array());
            Ok(())
        }
        Algorithm::CentroidalMatrix => crate::centroidal_matrix(model, ws, q, y0),
        Algorithm::Id => {
            id(again.then_some(model), [y0, y1, y2, y3], |out| crate::id_derivatives(scene, ws, q, v, a, out))
        }
        Algorithm::InertialDerivatives => {
            id(again.then_some(model), [y0, y1, y2, y3], |out| crate::inertial_derivatives(scene, ws, q, v, out))
        }
        Algorithm::BiasDerivatives => {
            id(again.then_some(model), [y0, y1, y2, y3], |out| crate::bias_derivatives(scene, ws, q, v, out))
        }
        Algorithm::GravityDerivatives => {
            id(again.then_some(model), [y0, y1, y2, y3], |out| crate::gravity_derivatives(scene, ws, q, out))
        }
        Algorithm::Fd(way) => {
            let out = FdDerivativesMut { dq: y0, dv: y1, dtau: y2, qdd: y3 };
            crate::fd_derivatives_by(way, scene, ws, q, v, a, out)
        }
        Algorithm::ComVelocityDerivatives => crate::com_velocity_derivatives(model, ws, q, v, y0, y1),
        Algorithm::CentroidalDerivatives => {
            let nv = model.nv();
            let mut out = CentroidalDerivatives {
                h: Force::zero(),
                hdot: Force::zero(),
                dh_dq: take(6, nv, y0),
                dhdot_dq: take(6, nv, y1),
                dhdot_dv: take(6, nv, y2),
                dhdot_da: take(6, nv, y3),
            };
            let result = crate::centroidal_derivatives(model, ws, q, v, a, &mut out);
            y4.copy_from_slice(&out.h.to_array());
            y5.copy_from_slice(&out.hdot.to_array());
            [*y0, *y1, *y2, *y3] = [out.dh_dq, out.dhdot_dq, out.dhdot_dv, out.dhdot_da].map(Matrix::into_entries);
            result
        }
        Algorithm::IdJvp => crate::id_jvp(scene, ws, q, v, a, IdTangent { q: x3, v: x4, a: x5 }, y0),
        Algorithm::IdVjp => crate::id_vjp(scene, ws, q, v, a, x3, IdCotangent { q: y0, v: y1, a: y2 }),
        Algorithm::FdJvp => crate::fd_jvp(scene, ws, q, v, a, FdTangent { q: x3, v: x4, tau: x5 }, y0),
        Algorithm::FdVjp => crate::fd_vjp(scene, ws, q, v, a, x3, FdCotangent { q: y0, v: y1, tau: y2 }),
        Algorithm::Frames(what) => frames::of_frames::<F, T>(what, model, ws, kinematics, x, y),
        Algorithm::Space(what) => frames::in_space::<F, T>(what, model, ws, x, y),
    }
}

/// The derivatives by q, v and a, and the torques, as the caller of one state holds them; no number moves.
fn id<T: Real>(
    zeros_of: Option<&Model>,
    [dq, dv, da, tau]: [&mut Vec<T>; 4],
    work: impl FnOnce(&mut IdDerivatives<T>) -> Result<(), Error>,
) -> Result<(), Error> {
    let nv = tau.len();
    let take = |entries| {
        let matrix = take(nv, nv, entries);
        if let Some(model) = zeros_of { matrix.with_zeros_of(model) } else { matrix }
    };
    let mut out = IdDerivatives { dq: take(dq), dv: take(dv), da: take(da), tau: mem::take(tau) };
    let result = work(&mut out);
    [*dq, *dv, *da] = [out.dq, out.dv, out.da].map(Matrix::into_entries);
    *tau = out.tau;
    result
}

fn take<T: Real>(rows: usize, columns: usize, entries: &mut Vec<T>) -> Matrix<T> {
    Matrix::from_entries(rows, columns, mem::take(entries))
}
