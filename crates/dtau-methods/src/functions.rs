//! Functions of a state that generic methods differentiate.

use dtau::model::Model;
use dtau::scalar::Real;
use dtau::{Point, Scene, Workspace, Wrench, aba, rnea};

/// A function (q, v, x) → numbers on a model's state, for any scalar; `x` is `a` or `τ`, `nv` numbers.
///
/// The methods in [`crate::finite_difference`], [`crate::complex_step`] and [`crate::dual_numbers`]
/// differentiate it.
pub trait StateFunction {
    /// The model of the states.
    fn model(&self) -> &Model;

    /// Number of returned values.
    fn len(&self) -> usize {
        self.model().nv()
    }

    /// True if it returns no values.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The function over a scalar: (q, v, x, out), with its own scratch.
    fn over<T: Real>(&self) -> impl FnMut(&[T], &[T], &[T], &mut [T]);
}

/// Inverse dynamics: (q, v, a) → τ.
#[derive(Clone, Copy, Debug)]
pub struct InverseDynamics<'a>(pub Scene<'a, f64>);

impl StateFunction for InverseDynamics<'_> {
    fn model(&self) -> &Model {
        self.0.model
    }

    fn over<T: Real>(&self) -> impl FnMut(&[T], &[T], &[T], &mut [T]) {
        let wrenches: Vec<_> = self.0.wrenches.iter().map(lift).collect();
        let mut ws = Workspace::new(self.0.model);
        move |q, v, a, tau| {
            let scene = with_wrenches(&self.0, &wrenches);
            rnea(scene, &mut ws, q, v, a, tau).expect("lengths that fit the model");
        }
    }
}

/// Forward dynamics: (q, v, τ) → q̈, for models in which every body has inertia along its joint.
#[derive(Clone, Copy, Debug)]
pub struct ForwardDynamics<'a>(pub Scene<'a, f64>);

impl StateFunction for ForwardDynamics<'_> {
    fn model(&self) -> &Model {
        self.0.model
    }

    fn over<T: Real>(&self) -> impl FnMut(&[T], &[T], &[T], &mut [T]) {
        let wrenches: Vec<_> = self.0.wrenches.iter().map(lift).collect();
        let mut ws = Workspace::new(self.0.model);
        move |q, v, tau, qdd| {
            let scene = with_wrenches(&self.0, &wrenches);
            aba(scene, &mut ws, q, v, tau, qdd).expect("lengths that fit the model, and inertia along every joint");
        }
    }
}

/// Converts a wrench of constants to another scalar.
pub fn lift<T: Real>(wrench: &Wrench<f64>) -> Wrench<T> {
    let lift = |x: &[f64; 3]| x.map(T::from_f64);
    let at = match &wrench.at {
        Point::Origin => Point::Origin,
        Point::InFrame(point) => Point::InFrame(lift(point)),
        Point::InWorld(point) => Point::InWorld(lift(point)),
    };
    Wrench { frame: wrench.frame, axes: wrench.axes, at, force: lift(&wrench.force), torque: lift(&wrench.torque) }
}

/// Converts a scene to another scalar; its wrenches are given in that scalar.
pub fn with_wrenches<'a, T>(scene: &Scene<'a, f64>, wrenches: &'a [Wrench<T>]) -> Scene<'a, T> {
    let Scene { model, gravity, damping, friction, armature, springs, .. } = *scene;
    Scene { gravity, wrenches, damping, friction, armature, springs, ..model.scene() }
}
