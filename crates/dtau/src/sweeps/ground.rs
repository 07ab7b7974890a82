//! Steps shared by the algorithms in ground coordinates.
//!
//! Ground coordinates have the world's axes. Their origin is the world's for kinematics; for dynamics it is the first
//! body's ([`origin`]): results in joint coordinates do not depend on it, but rounding does. A robot a kilometre from the
//! world's origin would lose six digits there, moments and inertias growing with the distance.

use crate::model::{Body, Model, Tree};
use crate::scalar::Real;
use crate::scene::Wrench;
use crate::spatial::{Inertia, Motion, Sym3, Transform, Vec3, steiner};

/// Where a body is, given where its parent is.
#[inline(always)]
pub(crate) fn place<T: Real>(body: &Body, parent: &Transform<T>, q: &[T], turns: &[(T, T)]) -> Transform<T> {
    body.joint.place(*parent * Transform::lift(&body.x_tree), &q[body.q.clone()], turns[body.angle])
}

/// Where the world is, in ground coordinates whose origin is the first body's: `X[0]` of the dynamics algorithms.
#[inline(always)]
pub(crate) fn origin<T: Real>(tree: &Tree, q: &[T], turns: &[(T, T)]) -> Transform<T> {
    match tree.bodies.get(1) {
        None => Transform::identity(),
        Some(first) => Transform::translation(-place(first, &Transform::identity(), q, turns).pos),
    }
}

/// Where every body is, in world coordinates.
#[inline(always)]
pub(crate) fn place_all<T: Real>(tree: &Tree, q: &[T], turns: &[(T, T)], X: &mut [Transform<T>]) {
    place_all_from(Transform::identity(), tree, q, turns, X);
}

/// Where every body is, in coordinates where the world is at `world`.
#[inline(always)]
pub(crate) fn place_all_from<T: Real>(
    world: Transform<T>,
    tree: &Tree,
    q: &[T],
    turns: &[(T, T)],
    X: &mut [Transform<T>],
) {
    X[0] = world;
    for (i, body) in tree.outward() {
        X[i] = place(body, &X[body.parent], q, turns);
    }
}

/// Where every body is in the coordinates of its limb: the world's axes, with the origin at the first body of all that hangs on the
/// world there. Limbs never meet in M, C or products with them, so no digits of one are lost to where another is.
#[inline(always)]
pub(crate) fn place_limbs<T: Real>(tree: &Tree, q: &[T], turns: &[(T, T)], X: &mut [Transform<T>]) {
    X[0] = Transform::identity();
    for (i, body) in tree.outward() {
        X[i] = place(body, &X[body.parent], q, turns);
        if body.parent == 0 {
            X[i].pos = Vec3::zero();
        }
    }
}

/// How fast every body moves: `v = vₚ + S q̇`.
#[inline(always)]
pub(crate) fn velocities<T: Real>(tree: &Tree, X: &[Transform<T>], qd: &[T], v: &mut [Motion<T>]) {
    v[0] = Motion::zero();
    for (i, body) in tree.outward() {
        v[i] = body.joint.add_along(v[body.parent], &X[i], &qd[body.v.clone()]);
    }
}

/// How a body moves, given how its parent does: `v = vₚ + S q̇`, `a = aₚ + S q̈ + vₚ × S q̇`.
#[inline(always)]
pub(crate) fn motion<T: Real>(
    body: &Body,
    X: &Transform<T>,
    (v_p, a_p): (Motion<T>, Motion<T>),
    qd: &[T],
    qdd: &[T],
) -> (Motion<T>, Motion<T>) {
    let v_joint = body.joint.add_along(Motion::zero(), X, &qd[body.v.clone()]);
    let a = body.joint.add_along(a_p, X, &qdd[body.v.clone()]);
    (v_p + v_joint, v_p.cross_add(v_joint, a))
}

/// How every body moves; the world does not accelerate.
#[inline(always)]
pub(crate) fn move_all<T: Real>(
    tree: &Tree,
    X: &[Transform<T>],
    qd: &[T],
    qdd: &[T],
    v: &mut [Motion<T>],
    a: &mut [Motion<T>],
) {
    (v[0], a[0]) = (Motion::zero(), Motion::zero());
    for (i, body) in tree.outward() {
        (v[i], a[i]) = motion(body, &X[i], (v[body.parent], a[body.parent]), qd, qdd);
    }
}

/// The inertia of a body placed at `X`, about the ground's origin.
#[inline(always)]
pub(crate) fn inertia<T: Real>(body: &Body, X: &Transform<T>) -> Inertia<T> {
    inertia_of(T::from_f64(body.inertia.mass), Vec3::lift(body.com), Sym3::lift(&body.about_com), X)
}

/// The same from mass, centre of mass and rotational inertia about it, in the body's frame.
#[inline(always)]
pub(crate) fn inertia_of<T: Real>(mass: T, com: Vec3<T>, about_com: Sym3<T>, X: &Transform<T>) -> Inertia<T> {
    let com = X.act_point(com);
    let h = com * mass;
    Inertia { mass, h, rot: about_com.rotate(&X.rot) + steiner(h, com) }
}

/// The inertias of all bodies; none for the world.
#[inline(always)]
pub(crate) fn inertias<T: Real>(tree: &Tree, X: &[Transform<T>], I: &mut [Inertia<T>]) {
    I[0] = Inertia::zero();
    for (i, body) in tree.outward() {
        I[i] = inertia(body, &X[i]);
    }
}

/// From the inertias of bodies to those of their subtrees.
#[inline(always)]
pub(crate) fn composites<T: Real>(tree: &Tree, I: &mut [Inertia<T>]) {
    for (i, body) in tree.inward() {
        let this = I[i];
        I[body.parent] += this;
    }
}

/// The body a wrench acts on and where its frame is, given where the bodies are; `None` for the world, which nothing
/// moves.
#[inline(always)]
pub(crate) fn locate<T: Real>(
    model: &Model,
    wrench: &Wrench<T>,
    X: impl Fn(usize) -> Transform<T>,
) -> Option<(usize, Transform<T>)> {
    let frame = &model.frames()[wrench.frame.0];
    frame.body.map(|body| (body.0, X(body.0) * Transform::lift(&frame.placement)))
}
