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

use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::model::Model;
use crate::model::mimic::Columns;
use crate::scalar::Real;
use crate::spatial::{Force, Inertia, Vec3};
use crate::workspace::{Scratch, Workspace, full_q, full_v};

/// The momentum of all that moves, about its centre of mass in the world's axes: linear `m ċ`, then angular.
///
/// - `q` (nq), `v` (nv); O(N).
/// - Links welded to the world do not count. NaN if nothing that moves has mass.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn centroidal_momentum<T: Dispatch>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
) -> Result<Force<T>, Error> {
    Check::new(model, ws)?.nq("q", q)?.nv("v", v)?;
    let mut out = [T::zero(); 6];
    ws.run(Momentum { model, q, v, a: None, out: &mut out });
    Ok(Force::from_array(out))
}

/// The time derivative of [`centroidal_momentum`], `A a + Ȧ v`: the sum of the external forces, gravity among them, that
/// this motion takes.
///
/// - `q` (nq), `v`, `a` (nv); O(N).
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn centroidal_momentum_rate<T: Dispatch>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<Force<T>, Error> {
    Check::new(model, ws)?.nq("q", q)?.nv("v", v)?.nv("a", a)?;
    let mut out = [T::zero(); 6];
    ws.run(Momentum { model, q, v, a: Some(a), out: &mut out });
    Ok(Force::from_array(out))
}

/// The matrix `A` that maps velocities to [`centroidal_momentum`]: `h = A v`.
///
/// - `q` (nq); `a_g`: 6 × nv by columns, linear rows first, written whole; O(N).
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn centroidal_matrix<T: Dispatch>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    a_g: &mut [T],
) -> Result<(), Error> {
    Check::new(model, ws)?.nq("q", q)?.wide("a_g", a_g, 6)?;
    ws.run(CentroidalMatrix { model, q, a_g });
    Ok(())
}

/// The momentum, or its rate if there are accelerations.
struct Momentum<'a, T> {
    model: &'a Model,
    q: &'a [T],
    v: &'a [T],
    a: Option<&'a [T]>,
    out: &'a mut [T; 6],
}

impl<T: Real> Kernel<T> for Momentum<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut Scratch<S>) {
        let tree = self.model.tree();
        let Scratch { turns, full, X, v, a, .. } = scratch;
        let q = full_q(self.model, S::slice(self.q), &mut full.q);
        let qd = full_v(self.model, S::slice(self.v), &mut full.v);
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);

        let (mut total, mut sum) = (Inertia::zero(), Force::zero());
        match self.a {
            None => {
                ground::velocities(tree, X, qd, v);
                for (i, body) in tree.bodies.iter().enumerate().skip(1) {
                    let I = ground::inertia(body, &X[i]);
                    total += I;
                    sum += I * v[i]; // (1)
                }
            }
            Some(qdd) => {
                let qdd = full_v(self.model, S::slice(qdd), &mut full.a);
                ground::move_all(tree, X, qd, qdd, v, a);
                for (i, body) in tree.bodies.iter().enumerate().skip(1) {
                    let I = ground::inertia(body, &X[i]);
                    total += I;
                    sum += v[i].cross_force_add(I * v[i], I * a[i]); // (1)
                }
            }
        }
        let c = total.h * total.mass.recip();
        S::slice_mut(self.out).copy_from_slice(&about(c, sum).to_array());
    }
}

struct CentroidalMatrix<'a, T> {
    model: &'a Model,
    q: &'a [T],
    a_g: &'a mut [T],
}

impl<T: Real> Kernel<T> for CentroidalMatrix<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut Scratch<S>) {
        let tree = self.model.tree();
        let Scratch { turns, full, X, I, .. } = scratch;
        let q = full_q(self.model, S::slice(self.q), &mut full.q);
        let turns = turns.update(tree, q);
        ground::place_all_from(ground::origin(tree, q, turns), tree, q, turns, X);
        ground::inertias(tree, X, I);
        ground::composites(tree, I); // (2)

        let c = I[0].h * I[0].mass.recip();
        let mut columns = Columns::<S, 6>::new(self.model.mimic(), S::slice_mut(self.a_g));
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            for (k, dof) in body.v.clone().enumerate() {
                columns.put(dof, about(c, I[i] * body.joint.axis(k, &X[i])).to_array());
            }
        }
    }
}

/// A force, or a momentum, about the point `c` instead of the origin. (3)
#[inline(always)]
pub(crate) fn about<T: Real>(c: Vec3<T>, f: Force<T>) -> Force<T> {
    Force::new(f.lin, f.lin.cross_add(c, f.ang))
}
