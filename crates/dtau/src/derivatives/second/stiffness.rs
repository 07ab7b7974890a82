//! Second-order stiffness of external forces: the second derivative of their torques, for wrenches that do
//! not move with their bodies.
//!
//! A wrench is subtracted from the force of its body as if it moved with it. This file adds the difference.
//! With `α = 1` for world axes, `β = 1` for a point fixed in the world (else 0), `p` the point, `(f, n)`
//! force and torque there, `z = (z, ω)` the motion of the body along `w`, and `z_p = z + ω × p` that of the
//! point:
//!
//! ```text
//! J s = (s + ω_s × p, ω_s)                                     a motion, seen at the point          (1)
//! dF = s ×* F + W s,    W = Jᵀ [0 αf×; βf× αn×] J               k = Wᵀ z                              (2)
//! Q = Jᵀ [0 A; B C] J   A = αβ (f ωᵀ − f·ω 1) + β (ω fᵀ − f ωᵀ)      B = αβ (ω fᵀ − f·ω 1)
//!                       C = α (z_p fᵀ − f·z_p 1 + ω nᵀ − n·ω 1)                                      (3)
//! ```
//!
//! `W z` here is `W z − z ×* F` of [`stiffness`](crate::derivatives::stiffness). All of it is additive over
//! bodies; with sums over subtrees
//!
//! ```text
//! ℓ_q −= kᶜ·S                   t₃ −= Wᶜ S                                                          (4), (5)
//! t₈ = −(Wᶜᵀ Θ + Qᶜ S)          ℓ_qq[r, e] += S_e·t₈ᵣ   for e on the path to r, and in the same joint    (6)
//! ```
//!
//! For one torque τᵢ, and so for the tensors, w is the unit vector of i: z = Sᵢ from its body outward, and
//! zero elsewhere.

use super::sweep::Room;
use crate::derivatives::stiffness::Stiffness;
use crate::dispatch::Register;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{Axes, Point, Scene, Wrench};
use crate::spatial::{Force, Mat3, Motion, Transform, Vec3};
use crate::sweeps::bodies::Bodies;
use crate::sweeps::ground;
use crate::sweeps::side_by_side::SideBySide;

/// W, k and Q of a body or a subtree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Curvature<T> {
    pub(super) W: Stiffness<T>,
    pub(super) k: Force<T>,
    /// `Q s = (A ω_s, B s + C ω_s)`, at the ground's origin.
    A: Mat3<T>,
    B: Mat3<T>,
    C: Mat3<T>,
}

impl<T: Real> Curvature<T> {
    /// Computes the curvature of one wrench on a frame at `X` that moves with `z`, with the world at `world`.
    #[inline(always)]
    pub(super) fn of(wrench: &Wrench<T>, world: &Transform<T>, X: &Transform<T>, z: Motion<T>) -> Self {
        let W = Stiffness::of(wrench, world, X);
        let (f, p, w) = (W.F.lin, wrench.point(world, X), z.ang);
        let n = W.F.ang - p.cross(f);
        let (mut A, mut B, mut C) = (Mat3::zero(), Mat3::zero(), Mat3::zero());
        let (turns, moves) = (wrench.axes == Axes::World, matches!(wrench.at, Point::InWorld(_)));
        if turns {
            let z_p = w.cross_add(p, z.lin);
            C = deviator(z_p, f) + deviator(w, n);
        }
        if moves {
            A = Mat3::outer(w, f) - Mat3::outer(f, w);
        }
        if turns && moves {
            A += deviator(f, w);
            B = deviator(w, f);
        }
        // (3), by J = [1 −p×; 0 1].
        let p = Mat3::skew(p);
        let C = C + p * A - B * p;
        Self { W, k: W.row(z), A, B, C }
    }

    /// `Q s`.
    #[inline(always)]
    pub(super) fn mul(&self, s: Motion<T>) -> Force<T> {
        Force::new(self.A * s.ang, self.B.mul_add(s.lin, self.C * s.ang))
    }

    #[inline(always)]
    fn add(&mut self, other: &Self) {
        self.W.add(&other.W);
        self.k += other.k;
        self.A += other.A;
        self.B += other.B;
        self.C += other.C;
    }
}

/// `a bᵀ − a·b 1`.
#[inline(always)]
fn deviator<T: Real>(a: Vec3<T>, b: Vec3<T>) -> Mat3<T> {
    let (mut m, trace) = (Mat3::outer(a, b), a.dot(b));
    m.cols[0].x -= trace;
    m.cols[1].y -= trace;
    m.cols[2].z -= trace;
    m
}

/// W, k and Q of every subtree.
#[inline(always)]
pub(super) fn of_subtrees<T: Real>(
    scene: &Scene<'_, T>,
    bodies: &Bodies<T>,
    z: &SideBySide<T, Motion<Register<T>>>,
    out: &mut [Curvature<T>],
) {
    let tree = scene.model.tree();
    out.fill(Curvature::default());
    for wrench in scene.each_wrench() {
        if let Some((i, placement)) = ground::locate(scene.model, &wrench, |i| bodies.X(tree, i)) {
            let z = z.get(tree.bodies[i].slot);
            out[i].add(&Curvature::of(&wrench, &bodies.world(tree, i), &placement, z));
        }
    }
    for (i, body) in tree.inward() {
        let below = out[i];
        out[body.parent].add(&below);
    }
}

/// (6), below the diagonal and in the blocks of joints.
#[inline(always)]
pub(super) fn add_below<T: Real>(tree: &Tree, bodies: &Bodies<T>, room: &Room<T>, qq: &mut [T]) {
    let nv = tree.dofs.len();
    for (r, dof) in tree.dofs.iter().enumerate() {
        let of_subtree = &room.curvature[dof.body];
        let t8 = of_subtree.W.row(room.columns.theta(r)) + of_subtree.mul(bodies.S.get(r));
        let body = &tree.bodies[dof.body];
        for run in tree.path_runs()[body.path.clone()].iter().cloned().chain([body.v.clone()]) {
            for e in run {
                qq[e * nv + r] -= bodies.S.get(e).dot(t8);
            }
        }
    }
}

/// (6) for every torque, without the part in t₃; both orders if the joints differ. O(N d²), and O(N²) for the
/// sums.
#[inline(always)]
pub(super) fn add_to_tensor<T: Real>(scene: &Scene<'_, T>, bodies: &Bodies<T>, room: &mut Room<T>, qq: &mut [T]) {
    let tree = scene.model.tree();
    let n = tree.dofs.len();
    for (i, dof) in tree.dofs.iter().enumerate() {
        let (S, body): (Motion<T>, _) = (bodies.S.get(i), &tree.bodies[dof.body]);
        let below = body.v.start..body.dofs_end;
        for k in 0..tree.bodies.len() {
            let other = &tree.bodies[k];
            let moves = k > 0 && below.contains(&other.v.start);
            room.z.set(other.slot, if moves { S } else { Motion::zero() });
        }
        of_subtrees(scene, bodies, &room.z, &mut room.curvature);
        let above = tree.path_runs()[body.path.clone()].iter().cloned();
        for r in above.chain([below]).flatten() {
            let (S_r, of_subtree): (Motion<T>, _) = (bodies.S.get(r), &room.curvature[tree.dofs[r].body]);
            let theta = if r < body.v.end { Motion::zero() } else { S.cross(S_r) };
            let t8 = of_subtree.W.row(theta) + of_subtree.mul(S_r);
            let own = &tree.bodies[tree.dofs[r].body];
            for e in tree.path_runs()[own.path.clone()].iter().flat_map(Clone::clone) {
                let x = bodies.S.get(e).dot(t8);
                qq[(e * n + r) * n + i] -= x;
                qq[(r * n + e) * n + i] -= x;
            }
            for e in own.v.clone() {
                qq[(e * n + r) * n + i] -= bodies.S.get(e).dot(t8);
            }
        }
    }
}
