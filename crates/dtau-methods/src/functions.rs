//! Functions of a state that generic methods differentiate.

use dtau::model::Model;
use dtau::scalar::Real;
use dtau::{Point, Scene, Workspace, Wrench, aba, rnea};

/// A function (q, v, x) → numbers on a model's state, for any scalar; `x` is `a` or `τ`, `nv` numbers.
///
/// The methods in [`crate::finite_difference`], [`crate::complex_step`] and [`crate::dual_numbers`] differentiate it.
pub trait StateFunction {
    /// The model whose state it takes.
    fn model(&self) -> &Model;

    /// How many numbers it returns.
    fn len(&self) -> usize {
        self.model().nv()
    }

    /// Whether it returns none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The function over a scalar: (q, v, x, out), with whatever scratch it needs.
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

/// Forward dynamics: (q, v, τ) → q̈, for models whose every body has inertia along its joint.
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

/// A wrench of constants in another scalar.
pub fn lift<T: Real>(wrench: &Wrench<f64>) -> Wrench<T> {
    let lift = |x: &[f64; 3]| x.map(T::from_f64);
    let at = match &wrench.at {
        Point::Origin => Point::Origin,
        Point::InFrame(point) => Point::InFrame(lift(point)),
        Point::InWorld(point) => Point::InWorld(lift(point)),
    };
    Wrench { frame: wrench.frame, axes: wrench.axes, at, force: lift(&wrench.force), torque: lift(&wrench.torque) }
}

/// The same scene in another scalar, with its wrenches already in that scalar.
pub fn with_wrenches<'a, T>(scene: &Scene<'a, f64>, wrenches: &'a [Wrench<T>]) -> Scene<'a, T> {
    let Scene { model, gravity, damping, friction, armature, springs, .. } = *scene;
    Scene { gravity, wrenches, damping, friction, armature, springs, ..model.scene() }
}
