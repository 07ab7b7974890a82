//! Quantities computed by dtau, one state per call.

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

/// Model with a workspace and memory for the results of a quantity, as declared.
pub struct Ours<'m, T: Real = f64> {
    quantity: Quantity,
    function: Function,
    /// Number of arrays that it reads, out of q, v, the third argument and a covector.
    inputs: usize,
    /// True if the third argument is a coefficient of restitution.
    takes_restitution: bool,
    model: &'m Model,
    held: Option<&'m Constraints>,
    watched: Vec<FrameId>,
    ws: Workspace<T>,
    /// Results of the function, for each of the watched bodies if it is a function of frames.
    outputs: Vec<Vec<Matrix<T>>>,
    kinematics: Kinematics<T>,
    placements: Placements<T>,
}

/// Scene with the effects that Pinocchio computes too: it ignores damping and friction of a URDF in its dynamics.
pub fn scene<T: Real>(model: &Model) -> Scene<'_, T> {
    model.scene().damping(false).friction(false)
}

/// Adds constraints to a scene, if there are any.
pub fn constrained<'m, T: Real>(scene: Scene<'m, T>, held: Option<&'m Constraints>) -> Scene<'m, T> {
    match held {
        Some(held) => scene.constraints(held),
        None => scene,
    }
}

impl<'m, T: Real> Ours<'m, T> {
    /// Allocates memory for the results of a quantity.
    ///
    /// # Panics
    /// Panics if its function takes a parameter other than a frame or a reference.
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

    /// Computes the quantity at a state through the library's list. This takes no longer than a direct call
    /// (by instruction counts, at most 0.4 % more on an arm of six). For quantities of bodies, Pinocchio makes
    /// one pass over the tree and then answers for each body. dtau does the same with stored kinematics.
    ///
    /// # Errors
    /// Fails if a length does not fit the model.
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
                let inputs = &[q, v, x, v][..self.inputs]; // a velocity serves as a covector
                outputs.iter_mut().try_for_each(|y| self.function.call_into(scene, ws, inputs, y))
            }
        }
    }
}

impl Ours<'_> {
    /// Returns the result of the last [`run`](Self::run), in the same order as [`theirs`].
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

    /// Returns the time of `reps` calls in nanoseconds, cycling over the states.
    ///
    /// # Errors
    /// Fails if a length does not fit the model.
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

/// Converts the opponent's result to dtau's conventions: motions in world coordinates instead of the rotated
/// joint axes, and parameters of links instead of bodies.
pub fn theirs(quantity: Quantity, model: &Model, result: Vec<f64>) -> Vec<f64> {
    match quantity {
        Quantity::FORWARD_KINEMATICS => translate::motions(&result),
        Quantity::JOINT_TORQUE_REGRESSOR => translate::regressor(model, &result),
        Quantity::CONSTRAINED_FD_DERIVATIVES => result[model.nv()..].to_vec(), // q̈ comes first
        Quantity::ID_SECOND_DERIVATIVES => translate::tensors(model.nv(), &result),
        _ => result,
    }
}
