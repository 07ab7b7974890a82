//! Centre of mass of all moving bodies, and its Jacobian.
//!
//! Ground coordinates. `m`, `h = m c` are mass and first moment of a body, `(v, ω)` and `(a, α)` its velocity
//! and acceleration at the world's origin, `P` and `Ṗ` the momentum and its rate.
//!
//! ```text
//! h = m c             p = m v + ω × h        ṗ = m a + α × h + ω × p         (1)
//! c = Σ h / Σ m       ċ = Σ p / Σ m          c̈ = Σ ṗ / Σ m                   (2)
//! inward   mᶜ, hᶜ: sums over the subtree                                     (3)
//!          J_k = (mᶜ S_lin + S_ang × hᶜ) / Σ m                               (4)
//! ```
//!
//! Links welded to the world do not count: they never move, and a heavy base plate would hide the robot.

use crate::door::Size::{Fixed, Nq, Nv, Wide};
use crate::door::{Algorithm, Done, In, To, declare};
use crate::engines::Scratch;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Motion, Transform, Vec3};
use crate::sweeps::ground;

/// Centre of mass of a robot, in world coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Com<T> {
    /// Position \[m\].
    pub position: [T; 3],
    /// Velocity \[m/s\].
    pub velocity: [T; 3],
    /// Acceleration \[m/s²\]; gravity has no effect.
    pub acceleration: [T; 3],
}

/// Output buffers of [`centre_of_mass`]: borrow a [`Com`], or pass three numbers each, in a batch states × 3.
#[derive(Debug)]
pub struct ComMut<'a, T> {
    /// Position \[m\].
    pub position: &'a mut [T],
    /// Velocity \[m/s\].
    pub velocity: &'a mut [T],
    /// Acceleration \[m/s²\].
    pub acceleration: &'a mut [T],
}

impl<'a, T> From<&'a mut Com<T>> for ComMut<'a, T> {
    fn from(out: &'a mut Com<T>) -> Self {
        Self { position: &mut out.position, velocity: &mut out.velocity, acceleration: &mut out.acceleration }
    }
}

declare! {
    /// Centre of mass of all moving links: position, velocity and acceleration in world coordinates.
    ///
    /// - `q` (nq), `v`, `a` (nv); O(N).
    /// - Links welded to the world do not count. The results are NaN if no moving link has mass.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn centre_of_mass(q: Nq, v: Nv, a: Nv) -> ComMut { position: Fixed(3), velocity: Fixed(3), acceleration: Fixed(3) }
    by CentreOfMass, under &[]
}

declare! {
    /// Jacobian of the centre of mass: its velocity is `J v`.
    ///
    /// - `q` (nq); `j`: 3 × nv by columns, in world coordinates, every entry is written; O(N).
    /// - Links welded to the world do not count. The result is NaN if no moving link has mass.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn com_jacobian(q: Nq) -> (slice j: Wide(3)) by ComJacobian, under &[]
}

impl Algorithm<3, 3> for CentreOfMass {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, qd, qdd]: In<T, 3>, out: To<T, 3>) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, v, a, .. } = s;
        ground::place_all(tree, q, turns.update(tree, q), X);
        ground::move_all(tree, X, qd, qdd, v, a);

        let mut sum = Lump::default();
        let (mut momentum, mut rate) = (Vec3::zero(), Vec3::zero());
        for (i, body) in tree.outward() {
            let Lump { mass, h } = Lump::of(body, &X[i]);
            let p = v[i].ang.cross_add(h, v[i].lin * mass); // (1)
            let p_dot = v[i].ang.cross_add(p, a[i].ang.cross_add(h, a[i].lin * mass));
            sum += Lump { mass, h };
            momentum += p;
            rate += p_dot;
        }
        let per_mass = sum.mass.recip();
        for (out, total) in out.into_iter().zip([sum.h, momentum, rate]) {
            out.entries.copy_from_slice(&(total * per_mass).to_array()); // (2)
        }
        Ok(())
    }
}

impl Algorithm<1, 1> for ComJacobian {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, [j]: To<T, 1>) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, lumps, .. } = s;
        ground::place_all(tree, q, turns.update(tree, q), X);

        Lump::of_subtrees(tree, X, lumps);
        let per_mass = lumps[0].mass.recip();
        let columns = j.entries.as_chunks_mut::<3>().0;
        for (i, body) in tree.outward() {
            for (k, dof) in body.v.clone().enumerate() {
                columns[dof] = (lumps[i].moved_by(body.joint.axis(k, &X[i])) * per_mass).to_array(); // (4)
            }
        }
        Ok(())
    }
}

/// Mass and first moment of a body or a subtree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lump<T> {
    pub(crate) mass: T,
    pub(crate) h: Vec3<T>,
}

impl<T: Real> Lump<T> {
    #[inline(always)]
    pub(crate) fn of(body: &crate::model::Body, X: &Transform<T>) -> Self {
        let mass = T::from_f64(body.inertia.mass);
        Self { mass, h: X.act_point(Vec3::lift(body.com)) * mass }
    }

    /// (3), of every subtree.
    #[inline(always)]
    pub(crate) fn of_subtrees(tree: &Tree, X: &[Transform<T>], lumps: &mut [Self]) {
        lumps[0] = Lump::default();
        for (i, body) in tree.outward() {
            lumps[i] = Lump::of(body, &X[i]);
        }
        for (i, body) in tree.inward() {
            let lump = lumps[i];
            lumps[body.parent] += lump;
        }
    }

    /// Linear momentum if all of it moves with `v`.
    #[inline(always)]
    pub(crate) fn moved_by(&self, v: Motion<T>) -> Vec3<T> {
        v.ang.cross_add(self.h, v.lin * self.mass)
    }
}

impl<T: Real> core::ops::AddAssign for Lump<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        self.mass += b.mass;
        self.h += b.h;
    }
}
