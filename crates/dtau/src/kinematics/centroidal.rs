//! Centroidal momentum, its rate, and the centroidal momentum matrix.
//!
//! Ground coordinates inside. Results are in world axes, about the centre of mass `c` of all moving bodies.
//!
//! ```text
//! h = Σ I v                 ḣ = Σ I a + v ×* I v           with the ground's origin at c     (1)
//! inward   Iᶜ: sums over the subtree                       A₀ₖ = Iᶜ Sₖ    (`ground::origin`)  (2)
//! A = [A_lin; A_ang − c × A_lin]                                                             (3)
//! ```
//!
//! (1) holds for `ḣ` because `ċ` is parallel to `h_lin`. Source: [Orin13].

use crate::door::Size::{Fixed, Nq, Nv, Wide};
use crate::door::{Algorithm, Done, In, To, declare};
use crate::engines::Scratch;
use crate::kinematics::com::Lump;
use crate::model::Tree;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Force, Transform, Vec3};
use crate::sweeps::ground;

declare! {
    /// Momentum of all moving links about their centre of mass, in world axes: linear `m ċ`, then angular.
    ///
    /// - `q` (nq), `v` (nv); `h` (6); O(N).
    /// - Links welded to the world do not count. The result is NaN if no moving link has mass.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn centroidal_momentum(q: Nq, v: Nv) -> (slice h: Fixed(6)) by CentroidalMomentum, under &[]
}

declare! {
    /// Time derivative of [`centroidal_momentum`], `A a + Ȧ v`: the sum of the external forces, including
    /// gravity, that this motion needs.
    ///
    /// - `q` (nq), `v`, `a` (nv); `hdot` (6); O(N).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn centroidal_momentum_rate(q: Nq, v: Nv, a: Nv) -> (slice hdot: Fixed(6)) by CentroidalMomentumRate, under &[]
}

declare! {
    /// The centroidal momentum matrix `A` that maps velocities to [`centroidal_momentum`]: `h = A v`.
    ///
    /// - `q` (nq); `a_g`: 6 × nv by columns, linear rows first, every entry is written; O(N).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn centroidal_matrix(q: Nq) -> (slice a_g: Wide(6)) by CentroidalMatrix, under &[]
}

impl Algorithm<2, 1> for CentroidalMomentum {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, qd]: In<T, 2>, [h]: To<T, 1>) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, v, .. } = s;
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        from_com(tree, X);
        ground::velocities(tree, X, qd, v);
        let mut sum = Force::zero();
        for (i, body) in tree.outward() {
            let I = ground::inertia(body, &X[i]);
            sum += I * v[i]; // (1)
        }
        h.entries.copy_from_slice(&sum.to_array());
        Ok(())
    }
}

impl Algorithm<3, 1> for CentroidalMomentumRate {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, qd, qdd]: In<T, 3>, [hdot]: To<T, 1>) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, v, a, .. } = s;
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        from_com(tree, X);
        ground::move_all(tree, X, qd, qdd, v, a);
        let mut sum = Force::zero();
        for (i, body) in tree.outward() {
            let I = ground::inertia(body, &X[i]);
            sum += I.load(v[i], a[i]); // (1)
        }
        hdot.entries.copy_from_slice(&sum.to_array());
        Ok(())
    }
}

impl Algorithm<1, 1> for CentroidalMatrix {
    #[inline(always)]
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q]: In<T, 1>, [a_g]: To<T, 1>) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, I, .. } = s;
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        ground::inertias(tree, X, I);
        ground::composites(tree, I); // (2)

        let c = I[0].h * I[0].mass.recip();
        let columns = a_g.entries.as_chunks_mut::<6>().0;
        for (i, body) in tree.outward() {
            for (k, dof) in body.v.clone().enumerate() {
                columns[dof] = about(c, I[i] * body.joint.axis(k, &X[i])).to_array();
            }
        }
        Ok(())
    }
}

/// Moves the bodies to ground coordinates with the origin at their centre of mass. Momenta about it are plain
/// sums there, without later subtraction.
#[inline(always)]
fn from_com<T: Real>(tree: &Tree, X: &mut [Transform<T>]) {
    let mut sum = Lump::default();
    for (i, body) in tree.outward() {
        sum += Lump::of(body, &X[i]);
    }
    let c = sum.h * sum.mass.recip();
    for X in X {
        X.pos -= c;
    }
}

/// A force, or a momentum, about the point `c` instead of the origin. (3)
#[inline(always)]
pub(crate) fn about<T: Real>(c: Vec3<T>, f: Force<T>) -> Force<T> {
    Force::new(f.lin, f.lin.cross_add(c, f.ang))
}
