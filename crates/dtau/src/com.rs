//! The centre of mass of all that moves, and its Jacobian.
//!
//! Ground coordinates. `m`, `h = m c` are mass and first moment of a body, `(v, ω)` and `(a, α)` its velocity and
//! acceleration at the world's origin, `P` and `Ṗ` the momentum and its rate.
//!
//! ```text
//! h = m c             p = m v + ω × h        ṗ = m a + α × h + ω × p         (1)
//! c = Σ h / Σ m       ċ = Σ p / Σ m          c̈ = Σ ṗ / Σ m                   (2)
//! inward   mᶜ, hᶜ: sums over the subtree                                     (3)
//!          J_k = (mᶜ S_lin + S_ang × hᶜ) / Σ m                               (4)
//! ```
//!
//! Links welded to the world do not count: they never move, and a base plate would hide the robot.

use crate::check::Check;
use crate::dispatch::{Dispatch, Kernel, Twin};
use crate::error::Error;
use crate::ground;
use crate::model::Model;
use crate::model::mimic::Columns;
use crate::scalar::Real;
use crate::spatial::{Transform, Vec3};
use crate::workspace::{Scratch, Workspace, full_q, full_v};

/// The centre of mass of a robot, in world coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Com<T> {
    /// Where it is \[m\].
    pub position: Vec3<T>,
    /// How it moves \[m/s\].
    pub velocity: Vec3<T>,
    /// How that changes \[m/s²\]; gravity plays no part.
    pub acceleration: Vec3<T>,
}

/// The centre of mass of all that moves: position, velocity and acceleration in world coordinates.
///
/// - `q` (nq), `v`, `a` (nv); O(N).
/// - Links welded to the world do not count. NaN if nothing that moves has mass.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn centre_of_mass<T: Dispatch>(
    model: &Model,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<Com<T>, Error> {
    Check::new(model, ws)?.nq("q", q)?.nv("v", v)?.nv("a", a)?;
    let mut out = [T::zero(); 9];
    ws.run(CentreOfMass { model, q, v, a, out: &mut out });
    let [x, y, z, vx, vy, vz, ax, ay, az] = out;
    Ok(Com { position: Vec3::new(x, y, z), velocity: Vec3::new(vx, vy, vz), acceleration: Vec3::new(ax, ay, az) })
}

/// The Jacobian of the centre of mass: its velocity is `J v`.
///
/// - `q` (nq); `j`: 3 × nv by columns, in world coordinates, written whole; O(N).
/// - Links welded to the world do not count. NaN if nothing that moves has mass.
///
/// # Errors
/// If a length or the workspace does not fit the model.
pub fn com_jacobian<T: Dispatch>(model: &Model, ws: &mut Workspace<T>, q: &[T], j: &mut [T]) -> Result<(), Error> {
    Check::new(model, ws)?.nq("q", q)?.wide("j", j, 3)?;
    ws.run(ComJacobian { model, q, j });
    Ok(())
}

struct CentreOfMass<'a, T> {
    model: &'a Model,
    q: &'a [T],
    v: &'a [T],
    a: &'a [T],
    out: &'a mut [T; 9],
}

impl<T: Real> Kernel<T> for CentreOfMass<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut Scratch<S>) {
        let tree = self.model.tree();
        let Scratch { turns, full, X, v, a, .. } = scratch;
        let q = full_q(self.model, S::slice(self.q), &mut full.q);
        let qd = full_v(self.model, S::slice(self.v), &mut full.v);
        let qdd = full_v(self.model, S::slice(self.a), &mut full.a);
        ground::place_all(tree, q, turns.update(tree, q), X);
        ground::move_all(tree, X, qd, qdd, v, a);

        let mut sum = Lump::default();
        let (mut momentum, mut rate) = (Vec3::zero(), Vec3::zero());
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            let Lump { mass, h } = Lump::of(body, &X[i]);
            let p = v[i].ang.cross_add(h, v[i].lin * mass); // (1)
            let p_dot = v[i].ang.cross_add(p, a[i].ang.cross_add(h, a[i].lin * mass));
            sum += Lump { mass, h };
            momentum += p;
            rate += p_dot;
        }
        let per_mass = sum.mass.recip();
        let out = S::slice_mut(self.out);
        for (out, total) in out.chunks_exact_mut(3).zip([sum.h, momentum, rate]) {
            out.copy_from_slice(&(total * per_mass).to_array()); // (2)
        }
    }
}

struct ComJacobian<'a, T> {
    model: &'a Model,
    q: &'a [T],
    j: &'a mut [T],
}

impl<T: Real> Kernel<T> for ComJacobian<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut Scratch<S>) {
        let tree = self.model.tree();
        let Scratch { turns, full, X, lumps, .. } = scratch;
        let q = full_q(self.model, S::slice(self.q), &mut full.q);
        ground::place_all(tree, q, turns.update(tree, q), X);

        lumps[0] = Lump::default();
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            lumps[i] = Lump::of(body, &X[i]);
        }
        for i in (1..tree.bodies.len()).rev() {
            let lump = lumps[i];
            lumps[tree.bodies[i].parent] += lump; // (3)
        }
        let per_mass = lumps[0].mass.recip();
        let mut columns = Columns::<S, 3>::new(self.model.mimic(), S::slice_mut(self.j));
        for (i, body) in tree.bodies.iter().enumerate().skip(1) {
            let Lump { mass, h } = lumps[i];
            for (k, dof) in body.v.clone().enumerate() {
                let axis = body.joint.axis(k, &X[i]);
                columns.put(dof, (axis.ang.cross_add(h, axis.lin * mass) * per_mass).to_array()); // (4)
            }
        }
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
}

impl<T: Real> core::ops::AddAssign for Lump<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        self.mass += b.mass;
        self.h += b.h;
    }
}
