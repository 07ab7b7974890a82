//! Momentum about the centre of mass, its rate, and the matrix that maps velocities to it.
//!
//! Ground coordinates (`ground::origin`) inside; results are in the world's axes about the centre of mass `c` of all that moves.
//!
//! ```text
//! h₀ = Σ I v                ḣ₀ = Σ I a + v ×* I v          about the ground's origin         (1)
//! inward   Iᶜ: sums over the subtree                       A₀ₖ = Iᶜ Sₖ                       (2)
//! h = [h_lin; h_ang − c × h_lin]                           likewise ḣ and A                  (3)
//! ```
//!
//! (3) holds for `ḣ` because `ċ` is parallel to `h_lin`. Source: [Orin13].

use crate::door::Size::{Fixed, Nq, Nv, Wide};
use crate::door::{Algorithm, Done, Out, declare};
use crate::engines::Scratch;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Force, Inertia, Vec3};
use crate::sweeps::ground;

declare! {
    /// The momentum of all that moves, about its centre of mass in the world's axes: linear `m ċ`, then angular.
    ///
    /// - `q` (nq), `v` (nv); `h` (6); O(N).
    /// - Links welded to the world do not count. NaN if nothing that moves has mass.
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn centroidal_momentum(q: Nq, v: Nv) -> (slice h: Fixed(6)) by CentroidalMomentum, under &[]
}

declare! {
    /// The time derivative of [`centroidal_momentum`], `A a + Ȧ v`: the sum of the external forces, gravity among them, that
    /// this motion takes.
    ///
    /// - `q` (nq), `v`, `a` (nv); `hdot` (6); O(N).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn centroidal_momentum_rate(q: Nq, v: Nv, a: Nv) -> (slice hdot: Fixed(6)) by CentroidalMomentumRate, under &[]
}

declare! {
    /// The matrix `A` that maps velocities to [`centroidal_momentum`]: `h = A v`.
    ///
    /// - `q` (nq); `a_g`: 6 × nv by columns, linear rows first, written whole; O(N).
    ///
    /// # Errors
    /// If a length or the engine does not fit the model.
    fn centroidal_matrix(q: Nq) -> (slice a_g: Wide(6)) by CentroidalMatrix, under &[]
}

impl Algorithm<2, 1> for CentroidalMomentum {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<'_, T>,
        s: &mut Scratch<T>,
        [q, qd]: [&[T]; 2],
        [h]: [Out<'_, T>; 1],
    ) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, v, .. } = s;
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        ground::velocities(tree, X, qd, v);
        let (mut total, mut sum) = (Inertia::zero(), Force::zero());
        for (i, body) in tree.outward() {
            let I = ground::inertia(body, &X[i]);
            total += I;
            sum += I * v[i]; // (1)
        }
        let c = total.h * total.mass.recip();
        h.entries.copy_from_slice(&about(c, sum).to_array());
        Ok(())
    }
}

impl Algorithm<3, 1> for CentroidalMomentumRate {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<'_, T>,
        s: &mut Scratch<T>,
        [q, qd, qdd]: [&[T]; 3],
        [hdot]: [Out<'_, T>; 1],
    ) -> Done {
        let tree = scene.model.tree();
        let Scratch { turns, X, v, a, .. } = s;
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        ground::move_all(tree, X, qd, qdd, v, a);
        let (mut total, mut sum) = (Inertia::zero(), Force::zero());
        for (i, body) in tree.outward() {
            let I = ground::inertia(body, &X[i]);
            total += I;
            sum += v[i].cross_force_add(I * v[i], I * a[i]); // (1)
        }
        let c = total.h * total.mass.recip();
        hdot.entries.copy_from_slice(&about(c, sum).to_array());
        Ok(())
    }
}

impl Algorithm<1, 1> for CentroidalMatrix {
    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<'_, T>,
        s: &mut Scratch<T>,
        [q]: [&[T]; 1],
        [a_g]: [Out<'_, T>; 1],
    ) -> Done {
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

/// A force, or a momentum, about the point `c` instead of the origin. (3)
#[inline(always)]
pub(crate) fn about<T: Real>(c: Vec3<T>, f: Force<T>) -> Force<T> {
    Force::new(f.lin, f.lin.cross_add(c, f.ang))
}
