//! Steps that all methods share: reading the tree.

use dtau::model::{Body, Tree};
use dtau::scalar::Real;
use dtau::spatial::{Motion, Transform, Vec3};

/// Acceleration of the world that replaces gravity: `a₀ = −a_g`.
pub(crate) fn against<T: Real>(gravity: Vec3<T>) -> Motion<T> {
    Motion::new(-gravity, Vec3::zero())
}

/// Placement of the world in the ground coordinates of these methods, whose origin is the first body's.
/// Digits are lost with the distance from the origin, and the papers do not specify it.
pub(crate) fn world<T: Real>(tree: &Tree, q: &[T]) -> Transform<T> {
    let first = tree.bodies.get(1).map_or(Vec3::zero(), |body| placement(body, q).pos);
    Transform::translation(-first)
}

/// Placement of a body in its parent.
pub(crate) fn placement<T: Real>(body: &Body, q: &[T]) -> Transform<T> {
    let q = &q[body.q.clone()];
    let turn = body.joint.angle().map_or((T::zero(), T::one()), |k| q[k].sin_cos());
    body.joint.place(Transform::lift(&body.x_tree), q, turn)
}

/// The columns of `S`, for a body at `X`, in the coordinates that `X` maps to.
pub(crate) fn subspace<T: Real>(body: &Body, X: &Transform<T>) -> impl Iterator<Item = Motion<T>> {
    (0..body.v.len()).map(|k| body.joint.axis(k, X))
}

/// Degrees of freedom on the path from the root to body `i`, without its own.
pub(crate) fn path(tree: &Tree, i: usize) -> impl Iterator<Item = usize> {
    tree.path_runs()[tree.bodies[i].path.clone()].iter().cloned().flatten()
}

/// Degrees of freedom related to body `i`: on its path, its own, and in its subtree.
pub(crate) fn related(tree: &Tree, i: usize) -> impl Iterator<Item = usize> {
    let body = &tree.bodies[i];
    path(tree, i).chain(body.v.start..body.dofs_end)
}

/// True if body `i` is in the subtree of body `root`.
pub(crate) fn is_below(tree: &Tree, root: usize, i: usize) -> bool {
    (root..tree.bodies[root].bodies_end).contains(&i)
}

/// Adds the rotors' inertias to `τ` and `M`.
pub(crate) fn add_armature<T: Real>(armature: &[T], a: &[T], tau: &mut [T], da: &mut [T]) {
    let n = tau.len();
    for k in 0..n {
        tau[k] = armature[k].mul_add(a[k], tau[k]);
        da[k * n + k] += armature[k];
    }
}
