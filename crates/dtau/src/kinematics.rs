//! Forward kinematics: where every frame is, and how it moves.
//!
//! Ground coordinates inside: every vector is at the world's origin in the world's axes. `p` is the parent of `i`.
//!
//! ```text
//! outward   Xᵢ = Xₚ X_T X_J(qᵢ)                  (1)
//!           vᵢ = vₚ + Sᵢ q̇ᵢ                      (2)
//!           aᵢ = aₚ + Sᵢ q̈ᵢ + vₚ × Sᵢ q̇ᵢ         (3)
//! frame     X_F = Xᵢ X_iF                        (4)
//! ```
//!
//! Source: [RBDA] §3.5, in ground coordinates. In (3) stands `vₚ` for `vᵢ`, because `Sᵢ q̇ᵢ × Sᵢ q̇ᵢ = 0`. The world does not
//! accelerate: these are accelerations, not accelerations against gravity.

use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::{Error, ErrorKind};
use crate::ground;
use crate::model::{BodyId, FrameId, Model};
use crate::reference::Reference;
use crate::scalar::Real;
use crate::spatial::{Motion, Transform};
use crate::workspace::{Scratch, Workspace, full_q, full_v};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Where every frame of a model is. Filled by [`placements`]; NaN before.
///
/// It owns what it needs, so the workspace is free for the next call. It also gives the Jacobian of any frame, see
/// [`jacobian`](Self::jacobian).
#[derive(Clone, Debug)]
pub struct Placements<T> {
    pub(crate) model: Model,
    /// Of each body's internal frame.
    X: Vec<[T; 12]>,
}

/// How every frame of a model moves. Filled by [`forward_kinematics`]; NaN before.
///
/// It owns what it needs, so the workspace is free for the next call. It also gives the rate of the Jacobian of any frame,
/// see [`jacobian_rate`](Self::jacobian_rate).
#[derive(Clone, Debug)]
pub struct Kinematics<T> {
    placements: Placements<T>,
    /// Velocity and acceleration of each body.
    motions: Vec<[T; 12]>,
}

/// Where every frame is.
///
/// - `q` (nq); `out` is made once by [`Placements::new`] and written whole; O(N).
///
/// # Errors
/// If a length, the workspace or `out` does not fit the model.
pub fn placements<T: Dispatch>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    out: &mut Placements<T>,
) -> Result<(), Error> {
    placements_into(model, ws, q, out)
}

/// [`placements`] into a plain twin.
pub(crate) fn placements_into<D: Real, T: Dispatch + Twin<D>>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    out: &mut Placements<D>,
) -> Result<(), Error> {
    Check::new(model, ws)?.nq("q", q)?;
    out.take_on(model)?;
    ws.run(PlacementsKernel { model, q, X: T::slice_mut(out.X.as_flattened_mut()) });
    Ok(())
}

/// Position, velocity and acceleration of every frame.
///
/// - `q` (nq), `v`, `a` (nv); `out` is made once by [`Kinematics::new`] and written whole; O(N).
/// - Where only velocities are wanted, pass zeros for `a`; the accelerations are then those of `J̇ v`.
/// - Gravity plays no part.
///
/// # Errors
/// If a length, the workspace or `out` does not fit the model.
pub fn forward_kinematics<T: Dispatch>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    out: &mut Kinematics<T>,
) -> Result<(), Error> {
    forward_kinematics_into(model, ws, q, v, a, out)
}

/// [`forward_kinematics`] into a plain twin.
pub(crate) fn forward_kinematics_into<D: Real, T: Dispatch + Twin<D>>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    out: &mut Kinematics<D>,
) -> Result<(), Error> {
    Check::new(model, ws)?.nq("q", q)?.nv("v", v)?.nv("a", a)?;
    out.placements.take_on(model)?;
    let (X, motions) = (out.placements.X.as_flattened_mut(), out.motions.as_flattened_mut());
    ws.run(KinematicsKernel { model, q, v, a, X: T::slice_mut(X), motions: T::slice_mut(motions) });
    Ok(())
}

impl<T: Real> Placements<T> {
    /// Memory for the placements of a model.
    pub fn new(model: &Model) -> Self {
        Self { model: model.clone(), X: unfilled(model) }
    }

    /// Where a frame is in the world.
    ///
    /// # Panics
    /// If the frame is not one of the model's.
    #[inline(always)]
    pub fn frame(&self, frame: FrameId) -> Transform<T> {
        let frame = &self.model.frames()[frame.0];
        self.body_X(frame.body_index()) * Transform::lift(&frame.placement) // (4)
    }

    /// Where a body is in the world: the frame of the link that its joint carries.
    ///
    /// # Panics
    /// If the body is not one of the model's.
    #[inline(always)]
    pub fn body(&self, body: BodyId) -> Transform<T> {
        self.frame(self.model.link_frame(body))
    }

    /// Where a body's internal frame is.
    #[inline(always)]
    pub(crate) fn body_X(&self, i: usize) -> Transform<T> {
        Transform::from_array(self.X[i])
    }

    /// Speaks of this model from now on, if the sizes are the same.
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
    /// Memory for the kinematics of a model.
    pub fn new(model: &Model) -> Self {
        Self { placements: Placements::new(model), motions: unfilled(model) }
    }

    /// Where every frame is.
    pub fn placements(&self) -> &Placements<T> {
        &self.placements
    }

    #[cfg(feature = "batch")]
    pub(crate) fn placements_mut(&mut self) -> &mut Placements<T> {
        &mut self.placements
    }

    /// The velocity of a frame.
    ///
    /// # Panics
    /// If the frame is not one of the model's.
    #[inline(always)]
    pub fn velocity(&self, frame: FrameId, reference: Reference) -> Motion<T> {
        let (X, v, _) = self.motion(frame);
        reference.express(&X, v)
    }

    /// The spatial acceleration of a frame: the rate of its velocity in ground coordinates, expressed in `reference`.
    ///
    /// Its linear part is *not* the acceleration of a point; see
    /// [`classical_acceleration`](Self::classical_acceleration). In the references `Local` and `World` it is `J a + J̇ v`.
    ///
    /// # Panics
    /// If the frame is not one of the model's.
    #[inline(always)]
    pub fn acceleration(&self, frame: FrameId, reference: Reference) -> Motion<T> {
        let (X, _, a) = self.motion(frame);
        reference.express(&X, a)
    }

    /// The classical acceleration of a frame: of the point at its origin (for `World`: of the body's point at the world's
    /// origin), and the angular one. What an accelerometer there measures, but for gravity.
    ///
    /// ```text
    /// a_classical = a + [ω × v; 0]
    /// ```
    ///
    /// In the reference `LocalWorldAligned` it is `J a + J̇ v`.
    ///
    /// # Panics
    /// If the frame is not one of the model's.
    #[inline(always)]
    pub fn classical_acceleration(&self, frame: FrameId, reference: Reference) -> Motion<T> {
        let (X, v, a) = self.motion(frame);
        let (v, a) = (reference.express(&X, v), reference.express(&X, a));
        Motion::new(v.ang.cross_add(v.lin, a.lin), a.ang)
    }

    /// Placement of a frame; velocity and acceleration of its body in ground coordinates.
    #[inline(always)]
    pub(crate) fn motion(&self, frame: FrameId) -> (Transform<T>, Motion<T>, Motion<T>) {
        let (v, a) = self.body_motion(self.placements.model.frames()[frame.0].body_index());
        (self.placements.frame(frame), v, a)
    }

    /// The velocity of a body in ground coordinates.
    #[inline(always)]
    pub(crate) fn body_v(&self, i: usize) -> Motion<T> {
        self.body_motion(i).0
    }

    /// The velocity and the acceleration of a body in ground coordinates.
    #[inline(always)]
    pub(crate) fn body_motion(&self, i: usize) -> (Motion<T>, Motion<T>) {
        motions(&self.motions[i])
    }
}

/// The velocity and the acceleration of a body from its twelve numbers.
#[inline(always)]
fn motions<T: Real>(&[a, b, c, d, e, f, rest @ ..]: &[T; 12]) -> (Motion<T>, Motion<T>) {
    (Motion::from_array([a, b, c, d, e, f]), Motion::from_array(rest))
}

/// Twelve numbers a body that nobody takes for a result.
fn unfilled<T: Real>(model: &Model) -> Vec<[T; 12]> {
    vec![[T::from_f64(f64::NAN); 12]; model.tree().bodies.len()]
}

struct PlacementsKernel<'a, T> {
    model: &'a Model,
    q: &'a [T],
    X: &'a mut [T],
}

impl<T: Real> Kernel<T> for PlacementsKernel<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut Scratch<S>) {
        let tree = self.model.tree();
        let q = full_q(self.model, S::slice(self.q), &mut scratch.full.q);
        let turns = scratch.turns.update(tree, q);
        let (X, _) = S::slice_mut(self.X).as_chunks_mut::<12>();
        X[0] = Transform::identity().to_array();
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            X[i] = ground::place(body, &Transform::from_array(X[body.parent]), q, turns).to_array(); // (1)
        }
    }
}

struct KinematicsKernel<'a, T> {
    model: &'a Model,
    q: &'a [T],
    v: &'a [T],
    a: &'a [T],
    X: &'a mut [T],
    motions: &'a mut [T],
}

impl<T: Real> Kernel<T> for KinematicsKernel<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut Scratch<S>) {
        let tree = self.model.tree();
        let Scratch { turns, full, .. } = scratch;
        let q = full_q(self.model, S::slice(self.q), &mut full.q);
        let qd = full_v(self.model, S::slice(self.v), &mut full.v);
        let qdd = full_v(self.model, S::slice(self.a), &mut full.a);
        let turns = turns.update(tree, q);
        let (X_out, _) = S::slice_mut(self.X).as_chunks_mut::<12>();
        let (out, _) = S::slice_mut(self.motions).as_chunks_mut::<12>();

        X_out[0] = Transform::identity().to_array();
        out[0] = [S::zero(); 12];
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            let X = ground::place(body, &Transform::from_array(X_out[body.parent]), q, turns); // (1)
            let (v_p, a_p) = motions(&out[body.parent]);
            let (v, a) = ground::motion(body, &X, (v_p, a_p), qd, qdd); // (2), (3)
            X_out[i] = X.to_array();
            let ([a0, a1, a2, a3, a4, a5], [b0, b1, b2, b3, b4, b5]) = (v.to_array(), a.to_array());
            out[i] = [a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5];
        }
    }
}
