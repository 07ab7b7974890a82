//! Steps shared by the algorithms in ground coordinates.

use crate::dispatch::Twin;
use crate::model::{Body, Tree};
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Force, Inertia, Sym3, Transform, Vec3, steiner};

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

/// Calls `add(body, force)` for every wrench of the scene, in ground coordinates. Wrenches on the world move nothing.
#[inline(always)]
pub(crate) fn each_wrench<T: Real, S: Twin<T>>(
    scene: &Scene<'_, T>,
    X: impl Fn(usize) -> Transform<S>,
    mut add: impl FnMut(usize, Force<S>),
) {
    for wrench in scene.wrenches {
        let frame = &scene.model.frames()[wrench.frame.0];
        if let Some(body) = frame.body {
            let placement = X(body.0) * Transform::lift(&frame.placement);
            add(body.0, wrench.recast::<S>().in_ground(&placement));
        }
    }
}
