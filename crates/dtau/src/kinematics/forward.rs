//! Stored forward kinematics: placements and motions of all bodies, for later queries about frames.
//!
//! Ground coordinates inside: every vector is at the world's origin, in world axes. `p` is the parent of `i`.
//!
//! ```text
//! outward   Xᵢ = Xₚ X_T X_J(qᵢ)                  (1)
//!           vᵢ = vₚ + Sᵢ q̇ᵢ                      (2)
//!           aᵢ = aₚ + Sᵢ q̈ᵢ + vₚ × Sᵢ q̇ᵢ         (3)
//! ```
//!
//! Source: [RBDA] §3.5, in ground coordinates. (3) has `vₚ` instead of `vᵢ`, because `Sᵢ q̇ᵢ × Sᵢ q̇ᵢ = 0`.
//! The world does not accelerate: these are true accelerations, without gravity.

use super::Reference;
use super::frames::BodyMotions;
use crate::dispatch::{Twin, step};
use crate::door::finite;
use crate::engines::{Memory, OnTwin, Scratch, Workspace};
use crate::error::{Error, ErrorKind};
use crate::model::{BodyId, FrameId, Model};
use crate::scalar::Real;
use crate::spatial::{Motion, Transform};
use crate::sweeps::ground;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Placements of all frames of a model. Call [`update`](Self::update) to fill it; before, it contains NaN.
///
/// It owns its data, so the workspace is free for the next call. It also computes the Jacobian of any frame,
/// see [`jacobian`](Self::jacobian).
#[derive(Clone, Debug)]
pub struct Placements<T> {
    pub(crate) model: Model,
    /// Placement of each body's internal frame.
    X: Vec<[T; 12]>,
}

/// Motions of all frames of a model. Call [`update`](Self::update) to fill it; before, it contains NaN.
///
/// It owns its data, so the workspace is free for the next call. It also computes the rate of the Jacobian of
/// any frame, see [`jacobian_rate`](Self::jacobian_rate).
#[derive(Clone, Debug)]
pub struct Kinematics<T> {
    placements: Placements<T>,
    /// Velocity and acceleration of each body.
    motions: Vec<[T; 12]>,
}

impl<T: Real> Placements<T> {
    /// Allocates memory for the placements of a model.
    pub fn new(model: &Model) -> Self {
        Self { model: model.clone(), X: unfilled(model) }
    }

    /// Computes the placement of every body: `q` (nq); O(N).
    ///
    /// # Errors
    /// If a length, the workspace or the memory does not fit the model, or the result is not finite.
    pub fn update(&mut self, model: &Model, ws: &mut Workspace<T>, q: &[T]) -> Result<(), Error> {
        ws.check(model)?;
        check_lengths(model, &[("q", q.len(), model.nq())])?;
        self.take_on(model)?;
        ws.run(Update { model, state: [q, &[], &[]], X: self.X.as_flattened_mut(), motions: &mut [] });
        finite::kept(model, &[q], &[self.X.as_flattened()])
    }

    /// Placement of a frame in the world.
    ///
    /// # Panics
    /// If the frame does not belong to the model.
    #[inline(always)]
    pub fn frame(&self, frame: FrameId) -> Transform<T> {
        self.frame_X(&self.model, frame)
    }

    /// Placement of a body in the world: the frame of its joint's child link.
    ///
    /// # Panics
    /// If the body does not belong to the model.
    #[inline(always)]
    pub fn body(&self, body: BodyId) -> Transform<T> {
        self.frame(self.model.link_frame(body))
    }

    /// Switches to another model of the same sizes.
    fn take_on(&mut self, model: &Model) -> Result<(), Error> {
        if self.model.is(model) {
            return Ok(());
        }
        if self.X.len() != model.tree().bodies.len() {
            return Err(Error::new(
                ErrorKind::Length,
                format!("`out` was made for another model than \"{}\"; make one with its `new`", model.name()),
            ));
        }
        self.model = model.clone();
        Ok(())
    }
}

impl<T: Real> Kinematics<T> {
    /// Allocates memory for the kinematics of a model.
    pub fn new(model: &Model) -> Self {
        Self { placements: Placements::new(model), motions: unfilled(model) }
    }

    /// Placements of all frames.
    pub fn placements(&self) -> &Placements<T> {
        &self.placements
    }

    /// Computes the placement and motion of every body: `q` (nq), `v`, `a` (nv); O(N).
    ///
    /// - If you need only velocities, pass zeros for `a`; the accelerations are then `J̇ v`.
    /// - Gravity has no effect.
    ///
    /// # Errors
    /// If a length, the workspace or the memory does not fit the model, or the result is not finite.
    pub fn update(&mut self, model: &Model, ws: &mut Workspace<T>, q: &[T], v: &[T], a: &[T]) -> Result<(), Error> {
        ws.check(model)?;
        let nv = model.nv();
        check_lengths(model, &[("q", q.len(), model.nq()), ("v", v.len(), nv), ("a", a.len(), nv)])?;
        self.placements.take_on(model)?;
        let (X, motions) = (self.placements.X.as_flattened_mut(), self.motions.as_flattened_mut());
        ws.run(Update { model, state: [q, v, a], X: &mut *X, motions: &mut *motions });
        finite::kept(model, &[q, v, a], &[X, motions])
    }

    /// Velocity of a frame.
    ///
    /// # Panics
    /// If the frame does not belong to the model.
    #[inline(always)]
    pub fn velocity(&self, frame: FrameId, reference: Reference) -> Motion<T> {
        self.frame_v(self.model(), frame, reference)
    }

    /// Spatial acceleration of a frame, see [`frame_acceleration`](crate::frame_acceleration()).
    ///
    /// # Panics
    /// If the frame does not belong to the model.
    #[inline(always)]
    pub fn acceleration(&self, frame: FrameId, reference: Reference) -> Motion<T> {
        self.frame_a(self.model(), frame, reference)
    }

    /// Classical acceleration of a frame, see
    /// [`frame_classical_acceleration`](crate::frame_classical_acceleration()).
    ///
    /// # Panics
    /// If the frame does not belong to the model.
    #[inline(always)]
    pub fn classical_acceleration(&self, frame: FrameId, reference: Reference) -> Motion<T> {
        self.frame_classical_a(self.model(), frame, reference)
    }

    /// The model of these bodies.
    pub(crate) fn model(&self) -> &Model {
        &self.placements.model
    }
}

impl<T: Real> BodyMotions<T> for Placements<T> {
    #[inline(always)]
    fn body_X(&self, i: usize) -> Transform<T> {
        Transform::from_array(self.X[i])
    }
    fn body_v(&self, _: usize) -> Motion<T> {
        Motion::zero()
    }
    fn body_a(&self, _: usize) -> Motion<T> {
        Motion::zero()
    }
}

impl<T: Real> BodyMotions<T> for Kinematics<T> {
    #[inline(always)]
    fn body_X(&self, i: usize) -> Transform<T> {
        self.placements.body_X(i)
    }
    #[inline(always)]
    fn body_v(&self, i: usize) -> Motion<T> {
        motions(&self.motions[i]).0
    }
    #[inline(always)]
    fn body_a(&self, i: usize) -> Motion<T> {
        motions(&self.motions[i]).1
    }
}

fn check_lengths(model: &Model, arguments: &[(&str, usize, usize)]) -> Result<(), Error> {
    for &(name, got, want) in arguments {
        if got != want {
            let rule = if name == "q" { "nq" } else { "nv" };
            let message = format!("`{name}` has {got} numbers, but model \"{}\" needs {rule} = {want}", model.name());
            return Err(Error::new(ErrorKind::Length, message));
        }
    }
    Ok(())
}

/// Velocity and acceleration of a body from its twelve numbers.
#[inline(always)]
fn motions<T: Real>(&[a, b, c, d, e, f, rest @ ..]: &[T; 12]) -> (Motion<T>, Motion<T>) {
    (Motion::from_array([a, b, c, d, e, f]), Motion::from_array(rest))
}

/// Twelve NaN per body.
fn unfilled<T: Real>(model: &Model) -> Vec<[T; 12]> {
    vec![[T::from_f64(f64::NAN); 12]; model.tree().bodies.len()]
}

struct Update<'a, T> {
    model: &'a Model,
    state: [&'a [T]; 3],
    X: &'a mut [T],
    motions: &'a mut [T],
}

impl<T: Real> OnTwin<T> for Update<'_, T> {
    type Output = ();

    fn run<N: Twin<T>>(self, memory: &mut Memory<N>) {
        let Self { model, state: [q, v, a], X, motions } = self;
        let (X, motions) = (N::slice_mut(X), N::slice_mut(motions));
        let state = [N::slice(q), N::slice(v), N::slice(a)];
        step!(memory.proof(), || update(model, &mut memory.scratch, state, X, motions));
    }
}

/// (1) to (3), twelve numbers per body; if `motions` is empty, (1) only.
#[inline(always)]
fn update<T: Real>(model: &Model, s: &mut Scratch<T>, [mut q, mut qd, mut qdd]: [&[T]; 3], X: &mut [T], out: &mut [T]) {
    let tree = model.tree();
    let Scratch { turns, full: [full_q, full_v, full_a], .. } = s;
    if let Some(map) = model.mimic() {
        map.expand_q(q, full_q);
        q = full_q;
        if !out.is_empty() {
            map.expand_v(qd, full_v);
            map.expand_v(qdd, full_a);
            (qd, qdd) = (full_v, full_a);
        }
    }
    let turns = turns.update(tree, q);
    let ((X_out, _), (out, _)) = (X.as_chunks_mut::<12>(), out.as_chunks_mut::<12>());
    X_out[0] = Transform::identity().to_array();
    if let Some(world) = out.first_mut() {
        *world = [T::zero(); 12];
    }
    for (i, body) in tree.outward() {
        let X = ground::place(body, &Transform::from_array(X_out[body.parent]), q, turns); // (1)
        X_out[i] = X.to_array();
        if !out.is_empty() {
            let (v, a) = ground::motion(body, &X, motions(&out[body.parent]), qd, qdd); // (2), (3)
            let ([a0, a1, a2, a3, a4, a5], [b0, b1, b2, b3, b4, b5]) = (v.to_array(), a.to_array());
            out[i] = [a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5];
        }
    }
}
