//! Steps shared by the algorithms in ground coordinates.
//!
//! Ground coordinates have the world's axes. For kinematics their origin is that of the world; for dynamics
//! it is the first body's ([`origin`]). Results in joint coordinates do not depend on the origin, but
//! rounding does: moments and inertias grow with the distance. A robot at one kilometre from the world's
//! origin would lose six digits.

use crate::model::{Body, Model, Tree};
use crate::scalar::Real;
use crate::scene::Wrench;
use crate::spatial::{Inertia, Motion, Sym3, Transform, Vec3, steiner};

/// Placement of a body, from that of its parent.
#[inline(always)]
pub(crate) fn place<T: Real>(body: &Body, parent: &Transform<T>, q: &[T], turns: &[(T, T)]) -> Transform<T> {
    body.joint.place(*parent * Transform::lift(&body.x_tree), &q[body.q.clone()], turns[body.angle])
}

/// Placement of the world, in ground coordinates with the origin at the first body: `X[0]` of the dynamics
/// algorithms.
#[inline(always)]
pub(crate) fn origin<T: Real>(tree: &Tree, q: &[T], turns: &[(T, T)]) -> Transform<T> {
    match tree.bodies.get(1) {
        None => Transform::identity(),
        Some(first) => Transform::translation(-place(first, &Transform::identity(), q, turns).pos),
    }
}

/// Placements of all bodies, in world coordinates.
#[inline(always)]
pub(crate) fn place_all<T: Real>(tree: &Tree, q: &[T], turns: &[(T, T)], X: &mut [Transform<T>]) {
    place_all_from(Transform::identity(), tree, q, turns, X);
}

/// Placements of all bodies, in coordinates in which the world is at `world`.
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

/// Placements of all bodies in the coordinates of their limbs: world axes, with the origin at the limb's
/// first body. Limbs never interact in M, C or products with them, so the distance between limbs costs no
/// digits.
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

/// Velocities of all bodies: `v = vₚ + S q̇`.
#[inline(always)]
pub(crate) fn velocities<T: Real>(tree: &Tree, X: &[Transform<T>], qd: &[T], v: &mut [Motion<T>]) {
    v[0] = Motion::zero();
    for (i, body) in tree.outward() {
        v[i] = body.joint.add_along(v[body.parent], &X[i], &qd[body.v.clone()]);
    }
}

/// Motion of a body, from that of its parent: `v = vₚ + S q̇`, `a = aₚ + S q̈ + vₚ × S q̇`.
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

/// Motions of all bodies; the world does not accelerate.
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

/// Inertia of a body at `X`, about the ground's origin.
#[inline(always)]
pub(crate) fn inertia<T: Real>(body: &Body, X: &Transform<T>) -> Inertia<T> {
    inertia_of(T::from_f64(body.inertia.mass), Vec3::lift(body.com), Sym3::lift(&body.about_com), X)
}

/// Same as [`inertia`], from mass, centre of mass and rotational inertia about it, in the body's frame.
#[inline(always)]
pub(crate) fn inertia_of<T: Real>(mass: T, com: Vec3<T>, about_com: Sym3<T>, X: &Transform<T>) -> Inertia<T> {
    let com = X.act_point(com);
    let h = com * mass;
    Inertia { mass, h, rot: about_com.rotate(&X.rot) + steiner(h, com) }
}

/// Inertias of all bodies; zero for the world.
#[inline(always)]
pub(crate) fn inertias<T: Real>(tree: &Tree, X: &[Transform<T>], I: &mut [Inertia<T>]) {
    I[0] = Inertia::zero();
    for (i, body) in tree.outward() {
        I[i] = inertia(body, &X[i]);
    }
}

/// Replaces the inertias of bodies by those of their subtrees.
#[inline(always)]
pub(crate) fn composites<T: Real>(tree: &Tree, I: &mut [Inertia<T>]) {
    for (i, body) in tree.inward() {
        let this = I[i];
        I[body.parent] += this;
    }
}

/// The body that a wrench acts on, and the placement of its frame; `None` for the world, which does not move.
#[inline(always)]
pub(crate) fn locate<T: Real>(
    model: &Model,
    wrench: &Wrench<T>,
    X: impl Fn(usize) -> Transform<T>,
) -> Option<(usize, Transform<T>)> {
    let frame = &model.frames()[wrench.frame.0];
    frame.body.map(|body| (body.0, X(body.0) * Transform::lift(&frame.placement)))
}
