//! Geometric stiffness of external forces: how they change when the robot moves.
//!
//! A wrench on a body is, in ground coordinates, `F = (f, n + p × f)`. Let the body move by `s = (v, ω)`. If
//! the axes turn with the body (`f`, `n` turn) and the point moves with it,
//!
//! ```text
//! dF = W s,   W s = ( −A × ω ,  −B × v + C ω )                                        (1)
//!      axes of the frame:  A += f,  C −= n× + (p×)(f×)                                (2)
//!      point of the body:  B += f,  C += (f×)(p×)                                     (3)
//! ```
//!
//! All terms are additive over bodies. With sums `Fᶜ`, `Wᶜ` over subtrees, the torques −Sᵀ Fᶜ change by
//!
//! ```text
//! row r above column c:    ∂τᵣ/∂q_c −= Sᵣ · Wᶜ_c S_c                                  (4)
//! row r below column c:    ∂τᵣ/∂q_c −= (Wᶜᵣᵀ Sᵣ + Sᵣ ×* Fᶜᵣ) · S_c                    (5)
//! ```
//!
//! since ∂Sᵣ/∂q_c = S_c × Sᵣ there. For a wrench that moves with its body (5) vanishes, and (4) is IDSVA's
//! term for every force. So those wrenches are simply subtracted from the body's force, and this file handles
//! the others.

use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::{Axes, Point, Scene, Wrench};
use crate::spatial::{Force, Mat3, Motion, Transform, Vec3};
use crate::sweeps::bodies::Bodies;
use crate::sweeps::ground;

/// `F` and `W` of a body or a subtree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stiffness<T> {
    pub(super) F: Force<T>,
    A: Vec3<T>,
    B: Vec3<T>,
    C: Mat3<T>,
}

impl<T: Real> Stiffness<T> {
    /// Computes the stiffness of one wrench on a frame at `X`, with the world at `world`.
    #[inline(always)]
    pub(super) fn of(wrench: &Wrench<T>, world: &Transform<T>, X: &Transform<T>) -> Self {
        let mut out = Self { F: wrench.in_ground(world, X), ..Self::default() };
        let f = out.F.lin;
        let p = wrench.point(world, X);
        if wrench.axes == Axes::Frame {
            let n = out.F.ang - p.cross(f);
            out.A = f; // (2)
            out.C = out.C - Mat3::skew(n) - Mat3::skew(p) * Mat3::skew(f);
        }
        if !matches!(wrench.at, Point::InWorld(_)) {
            out.B = f; // (3)
            out.C += Mat3::skew(f) * Mat3::skew(p);
        }
        out
    }

    /// `W s` (1).
    #[inline(always)]
    pub(super) fn mul(&self, s: Motion<T>) -> Force<T> {
        Force::new(s.ang.cross(self.A), self.C.mul_add(s.ang, s.lin.cross(self.B)))
    }

    /// `Wᵀ s + s ×* F` (5).
    #[inline(always)]
    pub(super) fn row(&self, s: Motion<T>) -> Force<T> {
        let turned = Force::new(self.B.cross(s.ang), self.A.cross_add(s.lin, self.C.tr_mul(s.ang)));
        s.cross_force_add(self.F, turned)
    }

    /// `s ×* F − W s`, by the components of `s`: the difference to a force that moves with the body. The
    /// torques (4), (5) change as if that force acted on the body, and `F` moved with it.
    #[inline(always)]
    pub(super) fn lag(&self) -> [Force<T>; 6] {
        let none = Vec3::zero();
        let [a, b, c] = Mat3::skew(self.B - self.F.lin).cols;
        let [d, e, f] = Mat3::skew(self.A - self.F.lin).cols;
        let [g, h, i] = (Mat3::skew(-self.F.ang) - self.C).cols;
        [
            Force::new(none, a),
            Force::new(none, b),
            Force::new(none, c),
            Force::new(d, g),
            Force::new(e, h),
            Force::new(f, i),
        ]
    }

    /// `W s − s ×* F`: the change of the force relative to one that moves with the body.
    #[inline(always)]
    pub(super) fn behind(&self, s: Motion<T>) -> Force<T> {
        self.mul(s) - s.cross_force(self.F)
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: &Self) {
        self.F += other.F;
        self.A += other.A;
        self.B += other.B;
        self.C += other.C;
    }
}

/// True if every wrench of the scene moves with its body.
#[inline(always)]
pub(super) fn all_move_with_bodies<T: Real>(scene: &Scene<'_, T>) -> bool {
    scene.wrenches.iter().all(Wrench::moves_with_body)
}

/// `F` and `W` of every body.
#[inline(always)]
pub(super) fn of_bodies<T: Real>(scene: &Scene<'_, T>, bodies: &Bodies<T>, out: &mut [Stiffness<T>]) {
    let tree = scene.model.tree();
    out.fill(Stiffness::default());
    for wrench in scene.each_wrench() {
        if let Some((i, placement)) = ground::locate(scene.model, &wrench, |i| bodies.X(tree, i)) {
            out[i].add(&Stiffness::of(&wrench, &bodies.world(tree, i), &placement));
        }
    }
}

/// `F` and `W` of every subtree.
#[inline(always)]
pub(super) fn of_subtrees<T: Real>(scene: &Scene<'_, T>, tree: &Tree, bodies: &Bodies<T>, out: &mut [Stiffness<T>]) {
    of_bodies(scene, bodies, out);
    for (i, body) in tree.inward() {
        let below = out[i];
        out[body.parent].add(&below);
    }
}
