//! The quantities by dtau, each through the public function that a user would call.

use crate::quantity::Quantity;
use crate::states::States;
use dtau::model::{BodyId, FrameId, Model};
use dtau::scalar::Real;
use dtau::{
    Error, FdDerivatives, IdDerivatives, Kinematics, Matrix, Placements, Reference, Scene, Workspace, aba,
    centroidal_matrix, coriolis, crba, fd_derivatives, id_derivatives, minverse, rnea,
};
use std::hint::black_box;
use std::time::Instant;

/// A model with a workspace and room for every result.
pub struct Ours<'m, T: Real = f64> {
    model: &'m Model,
    bodies: Vec<FrameId>,
    watched: Vec<FrameId>,
    ws: Workspace<T>,
    vector: Vec<T>,
    square: Vec<T>,
    mass: Matrix<T>,
    wide: Vec<T>,
    id: IdDerivatives<T>,
    fd: FdDerivatives<T>,
    kinematics: Kinematics<T>,
    placements: Placements<T>,
    /// Of each watched body: ∂v/∂q, ∂a/∂q, ∂a/∂q̇, ∂a/∂q̈ (or its Jacobian).
    motions: Vec<[Vec<T>; 4]>,
}

/// What Pinocchio computes too: it ignores the damping and friction of a URDF in its dynamics.
pub fn scene<T: Real>(model: &Model) -> Scene<'_, T> {
    model.scene().damping(false).friction(false)
}

impl<'m, T: Real> Ours<'m, T> {
    /// Room for all results of a model.
    pub fn new(model: &'m Model, watched: &[BodyId]) -> Self {
        let (nv, zero) = (model.nv(), T::zero());
        let six = || vec![zero; 6 * nv];
        Self {
            model,
            bodies: model.body_ids().map(|body| model.link_frame(body)).collect(),
            watched: watched.iter().map(|&body| model.link_frame(body)).collect(),
            ws: Workspace::new(model),
            vector: vec![zero; nv],
            square: vec![zero; nv * nv],
            mass: Matrix::zeros(nv, nv),
            wide: six(),
            id: IdDerivatives::new(model),
            fd: FdDerivatives::new(model),
            kinematics: Kinematics::new(model),
            placements: Placements::new(model),
            motions: watched.iter().map(|_| [six(), six(), six(), six()]).collect(),
        }
    }

    /// Computes a quantity at a state.
    ///
    /// # Errors
    /// If a length does not fit the model.
    #[inline]
    pub fn run(&mut self, quantity: Quantity, q: &[T], v: &[T], x: &[T]) -> Result<(), Error> {
        let (model, scene, ws) = (self.model, scene(self.model), &mut self.ws);
        match quantity {
            Quantity::Rnea => rnea(scene, ws, q, v, x, &mut self.vector),
            Quantity::Aba => aba(scene, ws, q, v, x, &mut self.vector),
            Quantity::Crba => crba(scene, ws, q, &mut self.mass),
            Quantity::Minverse => minverse(scene, ws, q, &mut self.square),
            Quantity::IdDerivatives => id_derivatives(scene, ws, q, v, x, &mut self.id),
            Quantity::FdDerivatives => fd_derivatives(scene, ws, q, v, x, &mut self.fd),
            Quantity::Coriolis => coriolis(model, ws, q, v, &mut self.square),
            Quantity::ForwardKinematics => self.kinematics.update(model, ws, q, v, x),
            Quantity::Centroidal => centroidal_matrix(model, ws, q, &mut self.wide),
            Quantity::KinematicDerivatives => {
                self.kinematics.update(model, ws, q, v, x)?;
                for (&frame, [dv_dq, da_dq, da_dv, da_da]) in self.watched.iter().zip(&mut self.motions) {
                    self.kinematics.motion_derivatives(frame, Reference::World, dv_dq, da_dq, da_dv, da_da)?;
                }
                Ok(())
            }
            Quantity::Jacobians => {
                self.placements.update(model, ws, q)?;
                for (&frame, [.., jacobian]) in self.watched.iter().zip(&mut self.motions) {
                    self.placements.jacobian(frame, Reference::World, jacobian)?;
                }
                Ok(())
            }
        }
    }
}

impl Ours<'_> {
    /// The result of the last [`run`](Self::run), in the order in which [`theirs`] has it.
    pub fn result(&self, quantity: Quantity) -> Vec<f64> {
        match quantity {
            Quantity::Rnea | Quantity::Aba => self.vector.clone(),
            Quantity::Crba => self.mass.to_vec(),
            Quantity::Minverse | Quantity::Coriolis => self.square.clone(),
            Quantity::IdDerivatives => together(&[&self.id.dtau_dq, &self.id.dtau_dv, &self.id.dtau_da]),
            Quantity::FdDerivatives => together(&[&self.fd.dqdd_dq, &self.fd.dqdd_dv, &self.fd.dqdd_dtau]),
            Quantity::Centroidal => self.wide.clone(),
            Quantity::KinematicDerivatives => self.motions.iter().flat_map(|m| m.concat()).collect(),
            Quantity::Jacobians => self.motions.iter().flat_map(|m| m[3].clone()).collect(),
            Quantity::ForwardKinematics => {
                let mut out = Vec::new();
                for &frame in &self.bodies {
                    out.extend(self.kinematics.placements().frame(frame).pos.to_array());
                    out.extend(self.kinematics.velocity(frame, Reference::World).to_array());
                    out.extend(self.kinematics.acceleration(frame, Reference::World).to_array());
                }
                out
            }
        }
    }

    /// Nanoseconds that `reps` calls take, cycling over the states.
    ///
    /// # Errors
    /// If a length does not fit the model.
    pub fn time(&mut self, quantity: Quantity, states: &States, reps: u32) -> Result<f64, Error> {
        let start = Instant::now();
        let mut i = 0;
        for _ in 0..reps {
            let (q, v, x) = states.one(i);
            self.run(quantity, black_box(q), v, x)?;
            i = if i + 1 == states.count { 0 } else { i + 1 };
        }
        Ok(start.elapsed().as_nanos() as f64)
    }
}

fn together(matrices: &[&[f64]]) -> Vec<f64> {
    matrices.concat()
}

/// The opponent's result as dtau's users see such a thing: motions in world coordinates, not in those of joints that are
/// turned to suit the algorithms.
pub fn theirs(quantity: Quantity, result: Vec<f64>) -> Vec<f64> {
    if quantity != Quantity::ForwardKinematics {
        return result;
    }
    let mut out = Vec::new();
    for body in result.chunks_exact(24) {
        let mut placement = [0.0; 12];
        placement.copy_from_slice(&body[..12]);
        let x = dtau::spatial::Transform::from_array(placement);
        out.extend(x.pos.to_array());
        for motion in body[12..].chunks_exact(6) {
            let mut six = [0.0; 6];
            six.copy_from_slice(motion);
            out.extend(x.act(dtau::spatial::Motion::from_array(six)).to_array());
        }
    }
    out
}
