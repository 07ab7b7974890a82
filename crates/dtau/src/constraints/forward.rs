//! Constrained forward dynamics.
//!
//! ```text
//! M = Lᵀ D L                                tree-sparse, [`elimination`](super::elimination)  (1)
//! z = L⁻ᵀ (τ − b)         Y = L⁻ᵀ Jᵀ        Y as sparse as the paths of the rows              (2)
//! G = J M⁻¹ Jᵀ = Yᵀ D⁻¹ Y                   [`factor`](super::factor)                         (3)
//! r = r₀ + Yᵀ D⁻¹ z       λ = −G⁻¹ r        r₀: at q̈ = 0                                      (4)
//! q̈ = L⁻¹ D⁻¹ (z + Y λ)                                                                       (5)
//! ```
//!
//! M, b and J come from one pass over the bodies, in ground coordinates.

use super::derivatives::to_own;
use super::elimination::Factorise;
use super::seen::{Seen, desired};
use super::{Constraints, Room};
use crate::dispatch::step;
use crate::door::Size::{Nq, Nv, Rows};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare, results};
use crate::dynamics::crba::{self, exact_mass};
use crate::dynamics::{ltdl, rnea};
use crate::engines::Scratch;
use crate::linalg::sum::add_row;
use crate::model::{Model, Tree};
use crate::room::lend;
use crate::scalar::{Real, Wide};
use crate::scene::{JointEffects, Scene};
use crate::spatial::Vec3;
use crate::sweeps::bodies::{Bodies, Load};
use crate::sweeps::side_by_side::width;
use crate::sweeps::singular::Singular;

results! {
    /// Accelerations and forces under constraints: the result of [`constrained_fd`].
    pub struct Constrained(constraints: Constraints) as [ConstrainedMut] {
        /// The accelerations q̈: nv.
        qdd: Nv,
        /// The forces λ along the rows of the constraints.
        lambda: Rows,
    } {}
}

declare! {
    /// Constrained forward dynamics: the accelerations and the constraint forces in `M q̈ + b = τ + Jᵀλ` with
    /// `J q̈ + J̇ q̇ + kd J q̇ + kp e = 0`.
    ///
    /// - `q` (nq), `v`, `tau`, `qdd` (nv). `lambda` (the constraints' rows): the force on the first frame of
    ///   each constraint, in the axes of its rows. The opposite force acts on the second frame at the same
    ///   point.
    /// - Redundant constraints are allowed: q̈ is unique, and λ has least norm.
    /// - External forces, joint effects and mimicking joints are included, as in [`aba`](crate::aba()). O(N
    ///   d² + m² (N + m)) for m rows, and memory for a matrix of nv × nv.
    ///
    /// # Errors
    /// If a length, the engine or the constraints do not fit the model, if a body has no inertia along its
    /// joint, or if constraints contradict each other. After an error the contents of `out` are undefined.
    fn constrained_fd of constraints (q: Nq, v: Nv, tau: Nv) -> ConstrainedMut { qdd: Nv, lambda: Rows }
    by ConstrainedFd, under Surrounding::ALL
}

impl Algorithm<3, 2> for ConstrainedFd {
    const RESERVES: bool = true;
    const CONSTRAINED: bool = true;
    const SQUARES: usize = 1;
    const MIMICRY: Mimicry = Mimicry::None;

    fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
        s.constraints.make_room(model, rows);
    }

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, tau]: In<T, 3>,
        [qdd, lambda]: To<T, 2>,
    ) -> Done {
        set_up::<T, false>(scene, s, q, v);
        step(s.proof, Factorise { scene, s })?;
        solve(scene, s, tau, qdd.entries)?;
        write_forces(scene, s, lambda.entries);
        Ok(())
    }
}

/// λ in the axes of the rows.
#[inline(always)]
pub(super) fn write_forces<T: Real>(scene: &Scene<'_, T>, s: &Scratch<T>, out: &mut [T]) {
    let Some(constraints) = scene.constraints else { return };
    let room = &s.constraints;
    out.copy_from_slice(&room.lambda[..constraints.rows()]);
    to_own(constraints, &room.seen, out);
}

/// M, b, J and r₀ at a state, in the model's coordinates.
#[inline(always)]
pub(super) fn set_up<T: Real, const FOR_DERIVATIVES: bool>(scene: &Scene<'_, T>, s: &mut Scratch<T>, q: &[T], v: &[T]) {
    let model = scene.model;
    lend!(s.constraints.full => full, || {
        let (mut q, mut v) = (q, v);
        if let Some(map) = model.mimic() {
            map.expand_q(q, &mut full[0]);
            map.expand_v(v, &mut full[1]);
            (q, v) = (&full[0], &full[1]);
        }
        gather::<T, FOR_DERIVATIVES>(scene, s, q, v);
        if model.options().exact {
            match model.mimic() {
                None => lend!(s.constraints.m => m, || exact_mass(scene, s, q, m)),
                Some(_) => lend!(s.constraints.m_full => m, || exact_mass(scene, s, q, m)),
            }
            lend!(s.constraints.b => b, || rnea::torques(scene, s, q, Some(v), None, b));
        }
    });
    reduce(model, &mut s.constraints);
}

/// Reduces from the full tree to the model's coordinates.
fn reduce<T: Real>(model: &Model, room: &mut Room<T>) {
    let (Some(map), nv, stride) = (model.mimic(), model.nv(), room.g.stride) else { return };
    map.reduce_square(&room.m_full, nv, &mut room.m);
    crate::linalg::transpose::mirror(nv, &mut room.m);
    room.z.fill(T::zero());
    map.reduce(&room.b, &mut room.z);
    room.b[..nv].copy_from_slice(&room.z);
    map.reduce_columns(&room.j_full, stride, &mut room.j);
}

/// [`set_up`] on the full tree. Shared by several functions.
#[inline(always)]
fn gather<T: Real, const FOR_DERIVATIVES: bool>(scene: &Scene<'_, T>, s: &mut Scratch<T>, q: &[T], v: &[T]) {
    step!(s.proof, || {
        let Scratch { turns, bodies, crba, constraints: room, .. } = &mut *s;
        let (model, tree, effects) = (scene.model, scene.model.tree(), JointEffects::of(scene));
        let (m, j) = match model.mimic() {
            None => (&mut room.m, &mut room.j),
            Some(_) => (&mut room.m_full, &mut room.j_full),
        };
        bodies.move_all::<FOR_DERIVATIVES>(tree, turns.update(tree, q), q, v, None, Vec3::lift(scene.gravity));
        look(scene, tree, bodies, (q, v), room.g.stride, j, &mut room.r, &mut room.seen);
        bodies.weigh(tree);
        bodies.load_all();
        bodies.push(scene);
        for (_, body) in tree.inward() {
            bodies.load.add::<Load<T>>(body.parent_slot, bodies.load.get(body.slot));
        }
        bodies.load.spread::<Load<T>>(tree);
        let by_dof = bodies.load.neighbours.iter().zip(&bodies.S.neighbours).zip(&mut crba.axes).zip(&mut crba.t1);
        for (first, (((&Load { I, f }, &S), axes), t1)) in (0..tree.dofs.len()).step_by(width::<T>()).zip(by_dof) {
            (*axes, *t1) = (S.to_array(), (I * S).to_array());
            S.dot(f).store(&mut room.b[first..]);
        }
        crba::multiply(tree, &effects, &crba.axes, &crba.t1, m, false);
        effects.add_resistance(tree, q, v, &mut room.b);
    });
}

/// J and r₀ of all constraints.
#[inline(always)]
fn look<T: Real>(
    scene: &Scene<'_, T>,
    tree: &Tree,
    bodies: &Bodies<T>,
    (q, v): (&[T], &[T]),
    stride: usize,
    j: &mut [T],
    r: &mut [T],
    seen: &mut [Option<Seen<T>>],
) {
    let Some(constraints) = scene.constraints else { return };
    j.fill(T::zero());
    r.fill(T::zero());
    for ((i, item), at) in constraints.items().iter().enumerate().zip(seen) {
        let active = scene.is_active(i);
        *at = item.pair().map(|pair| Seen::of(pair, tree, bodies));
        let rows = item.rows();
        let own = &mut r[rows.clone()];
        item.residual(at.as_ref(), q, v, own);
        let mut wanted = desired(item, scene.desired, constraints.rows());
        item.turn(at.as_ref(), false, &mut wanted[..rows.len()]);
        for (own, wanted) in own.iter_mut().zip(wanted) {
            *own = (*own - wanted) * active;
        }
        item.jacobian(at.as_ref(), bodies, active, stride, j);
    }
}

/// (2), (4), (5). Shared by several functions.
#[inline(always)]
pub(super) fn solve<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, tau: &[T], qdd: &mut [T]) -> Done {
    step!(s.proof, || {
        let room = &mut s.constraints;
        let Some(constraints) = scene.constraints else { return Ok(()) };
        meet(scene, room, tau);
        let Room { d_inv, z, y, g, r, lambda, scale, .. } = &mut *room;
        if g.any_dropped {
            magnitudes(y, d_inv, z, r, g.stride, scale);
            if let Some(row) = g.contradiction(lambda, scale) {
                return Err(contradicted(constraints, g, row));
            }
        }
        g.backward(lambda);
        if g.any_dropped {
            g.make_least_norm(lambda);
        }
        accelerate(scene, room, qdd); // (5)
        Ok(())
    })
}

/// z of (2); of (4) r, and L_G⁻¹(−r) stored in λ.
#[inline(always)]
pub(super) fn meet<T: Real>(scene: &Scene<'_, T>, room: &mut Room<T>, tau: &[T]) {
    let (paths, n) = (scene.model.elimination(), scene.model.nv());
    let Some(constraints) = scene.constraints else { return };
    let Room { m, d_inv, b, z, y, g, r, lambda, .. } = room;
    for k in 0..n {
        z[k] = tau[k] - b[k];
    }
    ltdl::solve_inward(paths, m, z); // (2)
    for k in 0..n {
        let span = g.whole(&constraints.spans()[k]);
        add_row::<T, true>(&mut r[span.clone()], z[k] * d_inv[k], &y[k * g.stride..][span]); // (4)
    }
    for (lambda, &r) in lambda.iter_mut().zip(&*r) {
        *lambda = -r;
    }
    g.forward(lambda);
}

/// (5)
#[inline(always)]
pub(super) fn accelerate<T: Real>(scene: &Scene<'_, T>, room: &Room<T>, qdd: &mut [T]) {
    let Some(constraints) = scene.constraints else { return };
    let Room { m, d_inv, z, y, g, lambda, .. } = room;
    for (k, qdd) in qdd.iter_mut().enumerate() {
        let mut x = z[k];
        let rows = constraints.spans()[k].clone();
        for (&y, &lambda) in y[k * g.stride..][rows.clone()].iter().zip(&lambda[rows]) {
            x = y.mul_add(lambda, x);
        }
        *qdd = x * d_inv[k];
    }
    ltdl::solve_outward(scene.model.elimination(), m, qdd);
}

/// Magnitudes of the numbers that each r was computed from.
#[inline(never)]
fn magnitudes<T: Real>(y: &[T], d_inv: &[T], z: &[T], r: &[T], stride: usize, scale: &mut [T]) {
    let size = |x: T| T::select(x.lt(T::zero()), -x, x);
    for (scale, &r) in scale.iter_mut().zip(r) {
        *scale = size(r);
    }
    for (k, y) in y.chunks_exact(stride.max(1)).enumerate() {
        for (scale, &y) in scale.iter_mut().zip(y) {
            *scale += size(y * d_inv[k] * z[k]);
        }
    }
}

#[cold]
fn contradicted<T: Real>(constraints: &Constraints, g: &super::factor::Factor<T>, row: usize) -> Singular {
    let items = constraints.items().iter().enumerate().take(64);
    let with =
        items.filter(|(_, item)| item.rows().any(|other| g.depends(row, other))).fold(0, |with, (i, _)| with | 1 << i);
    Singular::Contradicted { row, with }
}
