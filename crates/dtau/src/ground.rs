//! Steps shared by the algorithms in ground coordinates.

use crate::dispatch::Twin;
use crate::model::{Body, Model, Tree};
use crate::scalar::Real;
use crate::scene::Wrench;
use crate::spatial::{Inertia, Sym3, Transform, Vec3, steiner};

/// Where a body is, given where its parent is.
#[inline(always)]
pub(crate) fn place<T: Real>(body: &Body, parent: &Transform<T>, q: &[T], turns: &[(T, T)]) -> Transform<T> {
    body.joint.place(*parent * Transform::lift(&body.x_tree), &q[body.q.clone()], turns[body.angle])
}

/// Where every body is.
#[inline(always)]
pub(crate) fn place_all<T: Real>(tree: &Tree, q: &[T], turns: &[(T, T)], X: &mut [Transform<T>]) {
    X[0] = Transform::identity();
    for i in 1..tree.bodies.len() {
        let body = &tree.bodies[i];
        X[i] = place(body, &X[body.parent], q, turns);
    }
}

/// The inertia of a body placed at `X`, about the ground's origin.
#[inline(always)]
pub(crate) fn inertia<T: Real>(body: &Body, X: &Transform<T>) -> Inertia<T> {
    let com = X.act_point(Vec3::lift(body.com));
    let mass = T::from_f64(body.inertia.mass);
    let h = com * mass;
    Inertia { mass, h, rot: Sym3::lift(&body.about_com).rotate(&X.rot) + steiner(h, com) }
}

/// The body a wrench acts on and where its frame is, given where the bodies are; `None` for the world, which nothing
/// moves.
#[inline(always)]
pub(crate) fn locate<T: Real, S: Twin<T>>(
    model: &Model,
    wrench: &Wrench<T>,
    X: impl Fn(usize) -> Transform<S>,
) -> Option<(usize, Transform<S>)> {
    let frame = &model.frames()[wrench.frame.0];
    frame.body.map(|body| (body.0, X(body.0) * Transform::lift(&frame.placement)))
}
