//! Placements and motions of frames.
//!
//! Ground coordinates inside, with the world's origin. A frame F is fixed to body `i`, at `X_iF` in it.
//!
//! ```text
//! X_F = Xᵢ X_iF           v_F = vᵢ           a_F = aᵢ                     (1)
//! classical   a + [ω × v; 0], expressed in the reference                  (2)
//! ```
//!
//! The results are then expressed in a [`Reference`].

use super::Reference;
use crate::dispatch::step;
use crate::door::Size::{Fixed, Frames, Nq, Nv};
use crate::door::{Algorithm, Done, In, To, declare};
use crate::engines::Scratch;
use crate::model::{FrameId, Model};
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Motion, Transform};
use crate::sweeps::ground;

declare! {
    /// Placements of all frames.
    ///
    /// - `q` (nq); `placement` (12 for every frame of the model, in its order): the three columns of the
    ///   rotation, then the origin, see [`Transform::to_array`](crate::spatial::Transform::to_array); O(N).
    /// - To query single frames later, or their Jacobians, fill a [`Placements`](crate::Placements).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn placements(q: Nq) -> (slice placement: Frames(12)) by PlacementsOf, under &[]
}

/// Output buffers of [`forward_kinematics`], by frames in the model's order.
#[derive(Debug)]
pub struct KinematicsMut<'a, T> {
    /// Placements as in [`placements`]: frames × 12.
    pub placement: &'a mut [T],
    /// Velocities, linear part first: frames × 6.
    pub velocity: &'a mut [T],
    /// Spatial accelerations, linear part first: frames × 6.
    pub acceleration: &'a mut [T],
}

declare! {
    /// Placements and motions of all frames, in a reference frame.
    ///
    /// - `q` (nq), `v`, `a` (nv); O(N). Gravity has no effect.
    /// - To query single frames later, in any reference frame, fill a [`Kinematics`](crate::Kinematics).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn forward_kinematics { reference: Reference }(q: Nq, v: Nv, a: Nv)
    -> KinematicsMut { placement: Frames(12), velocity: Frames(6), acceleration: Frames(6) } by Motions, under &[]
}

declare! {
    /// Placement of one frame.
    ///
    /// - `q` (nq), `placement` (12), as in [`placements`].
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_placement { frame: FrameId }(q: Nq) -> (slice placement: Fixed(12)) by FramePlacement, under &[]
}

declare! {
    /// Velocity of a frame, linear part first.
    ///
    /// - `q` (nq), `v` (nv), `velocity` (6).
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_velocity { frame: FrameId, reference: Reference }(q: Nq, v: Nv) -> (slice velocity: Fixed(6))
    by FrameVelocity, under &[]
}

declare! {
    /// Spatial acceleration of a frame: the rate of its velocity in ground coordinates, expressed in
    /// `reference`.
    ///
    /// - `q` (nq), `v`, `a` (nv), `acceleration` (6).
    /// - Its linear part is *not* the acceleration of a point; see [`frame_classical_acceleration`]. In the
    ///   reference frames `Local` and `World` it is `J a + J̇ v`.
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_acceleration { frame: FrameId, reference: Reference }(q: Nq, v: Nv, a: Nv) -> (slice acceleration: Fixed(6))
    by FrameAcceleration, under &[]
}

declare! {
    /// Classical acceleration of a frame: the acceleration of the point at its origin (for `World`: of the
    /// body's point at the world's origin), and the angular acceleration. An accelerometer there measures it,
    /// except for gravity.
    ///
    /// - `q` (nq), `v`, `a` (nv), `acceleration` (6).
    /// - In the reference frame `LocalWorldAligned` it is `J a + J̇ v`.
    ///
    /// # Errors
    /// If a length, the frame or the engine does not fit the model.
    fn frame_classical_acceleration { frame: FrameId, reference: Reference }(q: Nq, v: Nv, a: Nv)
    -> (slice acceleration: Fixed(6)) by FrameClassicalAcceleration, under &[]
}

/// Placements and motions of bodies, in ground coordinates with the world's origin.
pub(crate) trait BodyMotions<T: Real> {
    fn body_X(&self, i: usize) -> Transform<T>;
    fn body_v(&self, i: usize) -> Motion<T>;
    fn body_a(&self, i: usize) -> Motion<T>;

    /// Placement of a frame.
    #[inline(always)]
    fn frame_X(&self, model: &Model, frame: FrameId) -> Transform<T> {
        let frame = &model.frames()[frame.0];
        self.body_X(frame.body_index()) * Transform::lift(&frame.placement) // (1)
    }

    /// Velocity of a frame.
    #[inline(always)]
    fn frame_v(&self, model: &Model, frame: FrameId, reference: Reference) -> Motion<T> {
        let v = self.body_v(model.frames()[frame.0].body_index());
        reference.express(&self.frame_X(model, frame), v)
    }

    /// Spatial acceleration of a frame.
    #[inline(always)]
    fn frame_a(&self, model: &Model, frame: FrameId, reference: Reference) -> Motion<T> {
        let a = self.body_a(model.frames()[frame.0].body_index());
        reference.express(&self.frame_X(model, frame), a)
    }

    /// Classical acceleration of a frame.
    #[inline(always)]
    fn frame_classical_a(&self, model: &Model, frame: FrameId, reference: Reference) -> Motion<T> {
        let (v, a) = (self.frame_v(model, frame, reference), self.frame_a(model, frame, reference));
        Motion::new(v.ang.cross_add(v.lin, a.lin), a.ang) // (2)
    }
}

/// The bodies of the current state.
pub(crate) struct InScratch<'a, T> {
    X: &'a [Transform<T>],
    v: &'a [Motion<T>],
    a: &'a [Motion<T>],
}

impl<T: Real> BodyMotions<T> for InScratch<'_, T> {
    #[inline(always)]
    fn body_X(&self, i: usize) -> Transform<T> {
        self.X[i]
    }
    #[inline(always)]
    fn body_v(&self, i: usize) -> Motion<T> {
        self.v[i]
    }
    #[inline(always)]
    fn body_a(&self, i: usize) -> Motion<T> {
        self.a[i]
    }
}

/// Computes the placements of all bodies, and their velocities and accelerations if given; the others must
/// not be read.
#[inline(always)]
pub(crate) fn move_bodies<'a, T: Real>(
    scene: &Scene<'_, T>,
    s: &'a mut Scratch<T>,
    q: &[T],
    qd: Option<&[T]>,
    qdd: Option<&[T]>,
) -> InScratch<'a, T> {
    let tree = scene.model.tree();
    let Scratch { proof, turns, X, v, a, .. } = s;
    step!(*proof, || {
        ground::place_all(tree, q, turns.update(tree, q), X);
        match (qd, qdd) {
            (Some(qd), Some(qdd)) => ground::move_all(tree, X, qd, qdd, v, a),
            (Some(qd), None) => ground::velocities(tree, X, qd, v),
            (None, _) => {}
        }
    });
    InScratch { X, v, a }
}

/// Same as [`move_bodies`], but only for the bodies between the world and a frame: O(depth), plus the sines.
/// Shared by all functions of a single frame.
#[inline(always)]
pub(crate) fn move_frame<'a, T: Real>(
    scene: &Scene<'_, T>,
    s: &'a mut Scratch<T>,
    frame: FrameId,
    q: &[T],
    qd: Option<&[T]>,
    qdd: Option<&[T]>,
) -> InScratch<'a, T> {
    let (tree, target) = (scene.model.tree(), scene.model.frames()[frame.0].body_index());
    let Scratch { proof, turns, X, v, a, .. } = s;
    step!(*proof, || {
        let turns = turns.update(tree, q);
        (X[0], v[0], a[0]) = (Transform::identity(), Motion::zero(), Motion::zero());
        for (i, body) in tree.path_to(target) {
            let p = body.parent;
            X[i] = ground::place(body, &X[p], q, turns);
            match (qd, qdd) {
                (Some(qd), Some(qdd)) => (v[i], a[i]) = ground::motion(body, &X[i], (v[p], a[p]), qd, qdd),
                (Some(qd), None) => v[i] = body.joint.add_along(v[p], &X[i], &qd[body.v.clone()]),
                (None, _) => {}
            }
        }
    });
    InScratch { X, v, a }
}

impl Algorithm<1, 1> for PlacementsOf {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, [out]: To<T, 1>) -> Done {
        let bodies = move_bodies(scene, s, q, None, None);
        for (frame, out) in scene.model.frame_ids().zip(out.entries.as_chunks_mut::<12>().0) {
            *out = bodies.frame_X(scene.model, frame).to_array();
        }
        Ok(())
    }
}

impl Algorithm<3, 3> for Motions {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, a]: In<T, 3>,
        [placement, velocity, acceleration]: To<T, 3>,
    ) -> Done {
        let (model, bodies) = (scene.model, move_bodies(scene, s, q, Some(v), Some(a)));
        for (frame, out) in model.frame_ids().zip(placement.entries.as_chunks_mut::<12>().0) {
            *out = bodies.frame_X(model, frame).to_array();
        }
        let motions =
            velocity.entries.as_chunks_mut::<6>().0.iter_mut().zip(acceleration.entries.as_chunks_mut::<6>().0);
        for (frame, (v, a)) in model.frame_ids().zip(motions) {
            *v = bodies.frame_v(model, frame, self.reference).to_array();
            *a = bodies.frame_a(model, frame, self.reference).to_array();
        }
        Ok(())
    }
}

impl Algorithm<1, 1> for FramePlacement {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, [out]: To<T, 1>) -> Done {
        let bodies = move_frame(scene, s, self.frame, q, None, None);
        out.entries.copy_from_slice(&bodies.frame_X(scene.model, self.frame).to_array());
        Ok(())
    }
}

impl Algorithm<2, 1> for FrameVelocity {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v]: In<T, 2>, [out]: To<T, 1>) -> Done {
        let bodies = move_frame(scene, s, self.frame, q, Some(v), None);
        out.entries.copy_from_slice(&bodies.frame_v(scene.model, self.frame, self.reference).to_array());
        Ok(())
    }
}

impl Algorithm<3, 1> for FrameAcceleration {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, a]: In<T, 3>, [out]: To<T, 1>) -> Done {
        let bodies = move_frame(scene, s, self.frame, q, Some(v), Some(a));
        out.entries.copy_from_slice(&bodies.frame_a(scene.model, self.frame, self.reference).to_array());
        Ok(())
    }
}

impl Algorithm<3, 1> for FrameClassicalAcceleration {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, a]: In<T, 3>, [out]: To<T, 1>) -> Done {
        let bodies = move_frame(scene, s, self.frame, q, Some(v), Some(a));
        out.entries.copy_from_slice(&bodies.frame_classical_a(scene.model, self.frame, self.reference).to_array());
        Ok(())
    }
}
