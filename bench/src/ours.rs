//! The quantities by dtau, one state a call.

use crate::quantity::Quantity;
use crate::states::States;
use crate::translate;
use dtau::model::{BodyId, FrameId, Model};
use dtau::scalar::Real;
use dtau::{
    Constraints, Counts, Error, Function, Kinematics, Matrix, Parameters, Placements, Reference, Scene, Workspace,
};
use std::hint::black_box;
use std::time::Instant;

/// A model with a workspace and room for the results of a quantity, as its declaration says.
pub struct Ours<'m, T: Real = f64> {
    quantity: Quantity,
    function: Function,
    /// How many of q, v, the third argument and a covector it reads.
    inputs: usize,
    /// Whether the third is a coefficient of restitution.
    takes_restitution: bool,
    model: &'m Model,
    held: Option<&'m Constraints>,
    watched: Vec<FrameId>,
    ws: Workspace<T>,
    /// What the function writes; for each of the watched bodies, if it is a function of frames.
    outputs: Vec<Vec<Matrix<T>>>,
    kinematics: Kinematics<T>,
    placements: Placements<T>,
}

/// What Pinocchio computes too: it ignores the damping and friction of a URDF in its dynamics.
pub fn scene<T: Real>(model: &Model) -> Scene<'_, T> {
    model.scene().damping(false).friction(false)
}

/// With what is held, if something is.
pub fn constrained<'m, T: Real>(scene: Scene<'m, T>, held: Option<&'m Constraints>) -> Scene<'m, T> {
    match held {
        Some(held) => scene.constraints(held),
        None => scene,
    }
}

impl<'m, T: Real> Ours<'m, T> {
    /// Room for the results of a quantity.
    ///
    /// # Panics
    /// If its function takes a parameter that is not a frame or a reference.
    pub fn new(quantity: Quantity, model: &'m Model, watched: &[BodyId], held: Option<&'m Constraints>) -> Self {
        let declaration = quantity.declaration();
        let counts = Counts { columns: 1, rows: held.map_or(0, Constraints::rows) };
        let (frame, reference) = (model.frame_ids().next(), Some(Reference::World));
        let matrix = |(rows, columns)| Matrix::zeros(rows, columns);
        let outputs = || declaration.outputs.iter().map(|arg| matrix(arg.size.shape(model, counts))).collect();
        Self {
            quantity,
            function: declaration.with(&Parameters { frame, reference, way: None }).expect("it takes no more"),
            inputs: declaration.inputs.len(),
            takes_restitution: quantity.takes_restitution(),
            model,
            held,
            watched: watched.iter().map(|&body| model.link_frame(body)).collect(),
            ws: Workspace::new(model),
            outputs: (0..if quantity.is_of_frames() { watched.len() } else { 1 }).map(|_| outputs()).collect(),
            kinematics: Kinematics::new(model),
            placements: Placements::new(model),
        }
    }

    /// Computes the quantity at a state: by the library's list, which takes no longer than a call that is written out (by instruction
    /// counts, at most 0.4 % on an arm of six). Where Pinocchio makes one pass over the tree and then answers for bodies, so does dtau, through what
    /// is kept of kinematics.
    ///
    /// # Errors
    /// If a length does not fit the model.
    #[inline]
    pub fn run(&mut self, q: &[T], v: &[T], x: &[T]) -> Result<(), Error> {
        let (model, scene, ws) = (self.model, scene(self.model), &mut self.ws);
        match (self.quantity, &mut self.outputs[..]) {
            (Quantity::FORWARD_KINEMATICS, _) => self.kinematics.update(model, ws, q, v, x),
            (Quantity::FRAME_MOTION_DERIVATIVES, outputs) => {
                self.kinematics.update(model, ws, q, v, x)?;
                for (&frame, y) in self.watched.iter().zip(outputs) {
                    let [dv_dq, da_dq, da_dv, da_da] = &mut y[..] else { continue };
                    self.kinematics.motion_derivatives(frame, Reference::World, dv_dq, da_dq, da_dv, da_da)?;
                }
                Ok(())
            }
            (Quantity::FRAME_JACOBIAN, outputs) => {
                self.placements.update(model, ws, q)?;
                for (&frame, y) in self.watched.iter().zip(outputs) {
                    self.placements.jacobian(frame, Reference::World, &mut y[0])?;
                }
                Ok(())
            }
            (_, outputs) => {
                let (scene, restitution) = (constrained(scene, self.held), [T::zero()]);
                let x = if self.takes_restitution { &restitution } else { x };
                let inputs = &[q, v, x, v][..self.inputs]; // a velocity passes for a covector
                outputs.iter_mut().try_for_each(|y| self.function.call_into(scene, ws, inputs, y))
            }
        }
    }
}

impl Ours<'_> {
    /// The result of the last [`run`](Self::run), in the order in which [`theirs`] has it.
    pub fn result(&self) -> Vec<f64> {
        if self.quantity != Quantity::FORWARD_KINEMATICS {
            let compared =
                |y: &Vec<Matrix<f64>>| self.quantity.compared().flat_map(|k| y[k].to_vec()).collect::<Vec<_>>();
            return self.outputs.iter().flat_map(compared).collect();
        }
        let mut out = Vec::new();
        for body in self.model.body_ids() {
            let frame = self.model.link_frame(body);
            out.extend(self.kinematics.placements().frame(frame).pos.to_array());
            out.extend(self.kinematics.velocity(frame, Reference::World).to_array());
            out.extend(self.kinematics.acceleration(frame, Reference::World).to_array());
        }
        out
    }

    /// Nanoseconds that `reps` calls take, cycling over the states.
    ///
    /// # Errors
    /// If a length does not fit the model.
    pub fn time(&mut self, states: &States, reps: u32) -> Result<f64, Error> {
        let start = Instant::now();
        let mut i = 0;
        for _ in 0..reps {
            let (q, v, x) = states.one(i);
            self.run(black_box(q), v, x)?;
            i = if i + 1 == states.count { 0 } else { i + 1 };
        }
        Ok(start.elapsed().as_nanos() as f64)
    }
}

/// The opponent's result as dtau's users see such a thing: motions in world coordinates, not in those of joints that are
/// turned to suit the algorithms; parameters of links, not of bodies.
pub fn theirs(quantity: Quantity, model: &Model, result: Vec<f64>) -> Vec<f64> {
    match quantity {
        Quantity::FORWARD_KINEMATICS => translate::motions(&result),
        Quantity::JOINT_TORQUE_REGRESSOR => translate::regressor(model, &result),
        Quantity::CONSTRAINED_FD_DERIVATIVES => result[model.nv()..].to_vec(), // q̈ comes first
        Quantity::ID_SECOND_DERIVATIVES => translate::tensors(model.nv(), &result),
        _ => result,
    }
}
