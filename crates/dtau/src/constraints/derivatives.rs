//! Derivatives of constrained forward dynamics.
//!
//! ```text
//! X = M⁻¹Jᵀ      Λ = (J X)⁻¹      B = ΛXᵀ      P = M⁻¹ − XB                                            (1)
//! ∂q̈/∂τ = P      ∂λ/∂τ = −B                                                                          (2)
//! ∂q̈/∂x = −P ID_x − Bᵀ r_x        ∂λ/∂x = B ID_x − Λ r_x      x = q, q̇                               (3)
//! ```
//!
//! (3) is one product, with the inverse of the matrix of both, a column [−P; B] for every degree of freedom and one [−Bᵀ; −Λ] for every
//! row of constraints.
//!
//! ID_x is IDSVA at q̈ with the forces λ on their bodies, each as if it moved with its body; how they really move is added
//! ([`slope`](super::slope)). r_x is there too.

use super::forward::{Factorise, Solve, assemble, write_forces};
use super::seen::Seen;
use super::sums::{Terms, add_product, set_sum, subtract_product};
use super::{Constraints, Kind, Room, slope};
use crate::derivatives::idsva::idsva_of_loaded;
use crate::dispatch::{Register, Step, step};
use crate::door::Size::{Nq, Nv, Rows, RowsWide, Square, Symmetric};
use crate::door::{Algorithm, Done, Mimicry, Out, Surrounding, declare};
use crate::dynamics::ltdl;
use crate::engines::Scratch;
use crate::matrix::Matrix;
use crate::model::Model;
use crate::scalar::{Real, Wide};
use crate::scene::{JointEffects, Scene};
use crate::spatial::Vec3;
use crate::sweeps::side_by_side::width;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

/// Constrained forward dynamics and its derivatives, to be filled by [`constrained_fd_derivatives`].
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedFdDerivatives<T> {
    /// The accelerations q̈.
    pub qdd: Vec<T>,
    /// The forces λ along the rows of the constraints.
    pub lambda: Vec<T>,
    /// ∂q̈/∂q, along tangent directions of the configuration.
    pub dqdd_dq: Matrix<T>,
    /// ∂q̈/∂q̇.
    pub dqdd_dv: Matrix<T>,
    /// ∂q̈/∂τ, exactly symmetric.
    pub dqdd_dtau: Matrix<T>,
    /// ∂λ/∂q.
    pub dlambda_dq: Matrix<T>,
    /// ∂λ/∂q̇.
    pub dlambda_dv: Matrix<T>,
    /// ∂λ/∂τ.
    pub dlambda_dtau: Matrix<T>,
}

impl<T: Real> ConstrainedFdDerivatives<T> {
    /// Room for the derivatives of a set of constraints.
    pub fn new(constraints: &Constraints) -> Self {
        let (nv, rows) = (constraints.model().nv(), constraints.rows());
        let (square, wide) = (Matrix::zeros(nv, nv), Matrix::zeros(rows, nv));
        Self {
            qdd: vec![T::zero(); nv],
            lambda: vec![T::zero(); rows],
            dqdd_dq: square.clone(),
            dqdd_dv: square.clone(),
            dqdd_dtau: square,
            dlambda_dq: wide.clone(),
            dlambda_dv: wide.clone(),
            dlambda_dtau: wide,
        }
    }
}

/// Where the derivatives of constrained forward dynamics go: a [`ConstrainedFdDerivatives`], or memory of yours. In a batch every array is
/// states × its size.
#[derive(Debug)]
pub struct ConstrainedFdDerivativesMut<'a, T> {
    /// The accelerations q̈: nv.
    pub qdd: &'a mut [T],
    /// The forces λ: one for each row.
    pub lambda: &'a mut [T],
    /// ∂q̈/∂q: nv × nv, by columns.
    pub dqdd_dq: &'a mut [T],
    /// ∂q̈/∂q̇: nv × nv, by columns.
    pub dqdd_dv: &'a mut [T],
    /// ∂q̈/∂τ: nv × nv, by columns.
    pub dqdd_dtau: &'a mut [T],
    /// ∂λ/∂q: rows × nv, by columns.
    pub dlambda_dq: &'a mut [T],
    /// ∂λ/∂q̇: rows × nv, by columns.
    pub dlambda_dv: &'a mut [T],
    /// ∂λ/∂τ: rows × nv, by columns.
    pub dlambda_dtau: &'a mut [T],
}

impl<'a, T> From<&'a mut ConstrainedFdDerivatives<T>> for ConstrainedFdDerivativesMut<'a, T> {
    fn from(out: &'a mut ConstrainedFdDerivatives<T>) -> Self {
        let ConstrainedFdDerivatives { qdd, lambda, dqdd_dq, dqdd_dv, dqdd_dtau, dlambda_dq, dlambda_dv, dlambda_dtau } =
            out;
        Self { qdd, lambda, dqdd_dq, dqdd_dv, dqdd_dtau, dlambda_dq, dlambda_dv, dlambda_dtau }
    }
}

declare! {
    /// The derivatives of [`constrained_fd`](crate::constrained_fd()) by `q`, `v` and `tau`, of the accelerations and of the forces; and
    /// these themselves.
    ///
    /// - Those by q are along tangent directions, `q ⊕ δ`; matrices are complete, by columns, rows × nv those of λ.
    /// - External forces are differentiated as they were given; joint effects and mimicking joints are in it.
    /// - Of redundant constraints, the derivatives of q̈ are those of an independent subset, and those of λ the change of least norm.
    ///
    /// # Errors
    /// As [`constrained_fd`](crate::constrained_fd()).
    fn constrained_fd_derivatives of constraints (q: Nq, v: Nv, tau: Nv) -> ConstrainedFdDerivativesMut {
        qdd: Nv, lambda: Rows, dqdd_dq: Square, dqdd_dv: Square, dqdd_dtau: Symmetric,
        dlambda_dq: RowsWide, dlambda_dv: RowsWide, dlambda_dtau: RowsWide
    }
    by ConstrainedFdPartials, under Surrounding::ALL
}

impl Algorithm<3, 8> for ConstrainedFdPartials {
    const RESERVES: bool = true;
    const CONSTRAINED: bool = true;
    const SQUARES: usize = 1;
    const MIMICRY: Mimicry = Mimicry::None;

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.id.make_room(model.tree());
        model.tree().path_runs();
    }

    fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
        s.constraints.make_room(model, rows);
        s.constraints.make_room_for_derivatives(model);
    }

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<'_, T>,
        s: &mut Scratch<T>,
        [q, v, tau]: [&[T]; 3],
        out: [Out<'_, T>; 8],
    ) -> Done {
        let [qdd, lambda, dq, dv, dtau, lq, lv, ltau] = out;
        let [qdd, lambda, dq, dv] = [qdd.entries, lambda.entries, dq.entries, dv.entries];
        let [dtau, lq, lv, ltau] = [dtau.entries, lq.entries, lv.entries, ltau.entries];
        assemble::<T, true>(scene, s, q, v);
        step(s.proof, Factorise { scene, s })?;
        step(s.proof, Solve { scene, s, tau, qdd })?;
        write_forces(scene, s, lambda);
        match scene.model.mimic() {
            None => step(s.proof, Partials { scene, s, v, qdd, dq, dv }),
            Some(map) => {
                let nv = scene.model.nv();
                let mut full = mem::take(&mut s.constraints.full);
                let mut square = mem::take(&mut s.constraints.square_full);
                let mut other = mem::take(&mut s.constraints.m_full);
                map.expand_v(qdd, &mut full[2]);
                step(s.proof, Partials { scene, s, v: &full[1], qdd: &full[2], dq: &mut square, dv: &mut other });
                map.reduce_square(&square, nv, dq);
                map.reduce_square(&other, nv, dv);
                let room = &mut s.constraints;
                map.reduce_columns(&room.r_q_full, room.g.stride, &mut room.r_q);
                map.reduce_columns(&room.r_v_full, room.g.stride, &mut room.r_v);
                map.reduce_columns(&room.turn_full, room.g.stride, &mut room.turn);
                (room.full, room.square_full, room.m_full) = (full, square, other);
            }
        }
        step(s.proof, Inverses { scene, s, dtau });
        step(s.proof, Multiply { scene, s, x: [dq, dv], forces: [lq, lv], by_tau: Some(ltau) });
        Ok(())
    }
}

/// ID_x and r_x on the full tree, at q̈ and λ.
struct Partials<'a, T: Real> {
    scene: &'a Scene<'a, T>,
    s: &'a mut Scratch<T>,
    v: &'a [T],
    qdd: &'a [T],
    dq: &'a mut [T],
    dv: &'a mut [T],
}

impl<T: Real> Step for Partials<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s: Scratch { bodies, a, id, constraints: room, .. }, v, qdd, dq, dv } = self;
        let Some(constraints) = scene.constraints else { return };
        let (tree, mimics) = (scene.model.tree(), scene.model.mimic().is_some());
        bodies.accelerate(tree, qdd, a);
        bodies.weigh(tree);
        bodies.load_all();
        let Room { b, lambda, seen, g, r_q, r_v, turn, r_q_full, r_v_full, turn_full, .. } = room;
        let (r_q, r_v, turn) = if mimics { (r_q_full, r_v_full, turn_full) } else { (r_q, r_v, turn) };
        for (item, seen) in constraints.items().iter().zip(&mut *seen) {
            if let (Some(pair), Some(seen)) = (item.pair(), seen) {
                seen.accelerate(pair, tree, bodies);
                slope::push(item, pair, seen, &lambda[item.rows()], tree, bodies);
            }
        }
        idsva_of_loaded(scene, bodies, id, b, [&mut *dq, &mut *dv], false);
        JointEffects::of(scene).add_stiffness(tree, dq);
        JointEffects::of(scene).add_resistance_slopes(tree, v, dv);
        for x in [&mut *r_q, &mut *r_v, &mut *turn] {
            x.fill(T::zero());
        }
        for ((i, item), seen) in constraints.items().iter().enumerate().zip(&*seen) {
            let at = slope::At {
                active: scene.is_active(i),
                is_driven: scene.desired.is_some(),
                bodies,
                rates: &id.rates,
                lambda: &lambda[item.rows()],
                stride: g.stride,
            };
            match (&item.kind, seen) {
                (Kind::Joints(terms, _), _) => slope::of_joints(item, terms, &at, r_q, r_v),
                (_, Some(seen)) => slope::of_pair(item, seen, &at, tree, r_q, r_v, turn, dq),
                _ => {}
            }
        }
    }
}

/// (1), and the matrix of (3): its lower rows in the axes of the constraints, and for redundant ones of least norm.
pub(super) struct Inverses<'a, T: Real> {
    pub(super) scene: &'a Scene<'a, T>,
    pub(super) s: &'a mut Scratch<T>,
    pub(super) dtau: &'a mut [T],
}

impl<T: Real> Step for Inverses<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s: Scratch { ltdl: ltdl_room, constraints: room, .. }, dtau } = self;
        let (paths, n) = (scene.model.elimination(), scene.model.nv());
        let Some(constraints) = scene.constraints else { return };
        let Room { m, d_inv, y, g, by_force, inverse, across, both, sums, seen, .. } = room;
        let (stride, rows, width, tall) = (g.stride, g.rows, width::<T>(), sums[0].len());
        // X = L⁻¹ D⁻¹ Y, in the place of Y.
        for i in 0..n {
            let (before, own) = y.split_at_mut(i * stride);
            let own = &mut own[..stride];
            for x in own.chunks_exact_mut(width) {
                (Register::<T>::load(x) * Register::<T>::splat(d_inv[i])).store(x);
            }
            for run in paths.above(i) {
                subtract_product(own, &m[i * n..][run.clone()], &before[run.start * stride..], stride);
            }
        }
        g.invert(inverse);
        // B, by degree of freedom, and X across.
        let long = n.next_multiple_of(width);
        for k in 0..n {
            let (x, own) = (&y[k * stride..][..rows], &mut by_force[k * stride..][..stride]);
            set_sum([&mut *own], [Terms { k: [x], x: inverse }].into_iter(), stride);
            for r in 0..rows {
                across[r * long + k] = x[r];
                both[(n + r) * tall + k] = -own[r];
            }
        }
        ltdl::inverse_in_place(paths, m, d_inv, &mut ltdl_room.wide);
        // −P from the diagonal down; what is above it, and beyond the last row, is written afterwards.
        for c in 0..n {
            let column = &mut both[c * tall..][..long];
            negate(&m[c * n..][c..n], &mut column[c..]);
            let from = c / width * width;
            add_product(&mut column[from..], &by_force[c * stride..][..rows], &across[from..], long);
        }
        for c in 0..n {
            for r in c..n {
                let x = both[c * tall + r];
                both[r * tall + c] = x;
                (dtau[c * n + r], dtau[r * n + c]) = (-x, -x);
            }
        }
        for c in 0..n + rows {
            let own = &mut both[c * tall + n..][..rows];
            match c.checked_sub(n) {
                None => copy(&by_force[c * stride..][..rows], own),
                Some(r) => negate(&inverse[r * stride..][..rows], own),
            }
            if g.any_dropped {
                g.make_least_norm(own);
            }
        }
        for (item, seen) in constraints.items().iter().zip(seen) {
            let (Kind::Held(held), Some(seen), true) = (&item.kind, seen, item.turns()) else { continue };
            let axes = seen.axes(held.axes);
            for first in item.rows().step_by(3) {
                for c in 0..n + rows {
                    let own = &mut both[c * tall + n + first..][..3];
                    let turned = axes.tr_mul(Vec3::new(own[0], own[1], own[2]));
                    (own[0], own[1], own[2]) = (turned.x, turned.y, turned.z);
                }
            }
        }
    }
}

#[inline(always)]
fn negate<T: Real>(from: &[T], to: &mut [T]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = -from;
    }
}

/// (3), by q alone or by q and q̇; and ∂λ/∂τ.
pub(super) struct Multiply<'a, T: Real, const N: usize> {
    pub(super) scene: &'a Scene<'a, T>,
    pub(super) s: &'a mut Scratch<T>,
    /// ID_x, then ∂q̈/∂x.
    pub(super) x: [&'a mut [T]; N],
    pub(super) forces: [&'a mut [T]; N],
    pub(super) by_tau: Option<&'a mut [T]>,
}

impl<T: Real, const N: usize> Step for Multiply<'_, T, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s: Scratch { constraints: room, .. }, x, forces, mut by_tau } = self;
        let (model, n) = (scene.model, scene.model.nv());
        let Some(constraints) = scene.constraints else { return };
        let Room { g, both, sums, r_q, r_v, turn, .. } = room;
        let (stride, rows, tall) = (g.stride, g.rows, sums[0].len());
        let tree = (!constraints.has_loops() && model.mimic().is_none()).then(|| model.tree());
        let slopes = [&r_q[..], &r_v[..]];
        for c in 0..n {
            let (above, below) = match tree {
                None => (&[][..], 0..n),
                Some(tree) => {
                    let body = &tree.bodies[tree.dofs[c].body];
                    (&tree.path_runs()[body.path.clone()], body.v.start..body.dofs_end)
                }
            };
            let span = constraints.spans()[c].clone();
            let (mut of_id, mut of_rows) = ([&[][..]; N], [&[][..]; N]);
            for k in 0..N {
                of_id[k] = &x[k][c * n..][..n];
                of_rows[k] = &slopes[k][c * stride..][span.clone()];
            }
            let runs = above.iter().chain([&below]);
            let terms = runs.map(|run| Terms { k: cut(of_id, run), x: &both[run.start * tall..] });
            let of_rows = Terms { k: of_rows, x: &both[(n + span.start) * tall..] };
            set_sum(first(sums), terms.chain([of_rows]), tall);
            for k in 0..N {
                copy(&sums[k][..n], &mut x[k][c * n..][..n]);
                copy(&sums[k][n..], &mut forces[k][c * rows..][..rows]);
            }
            for (out, &turn) in forces[0][c * rows..][..rows].iter_mut().zip(&turn[c * stride..]) {
                *out += turn;
            }
            if let Some(by_tau) = &mut by_tau {
                negate(&both[c * tall + n..][..rows], &mut by_tau[c * rows..]); // (2)
            }
        }
    }
}

/// The first `N`.
#[inline(always)]
pub(super) fn first<T, const N: usize>(sums: &mut [Vec<T>; 2]) -> [&mut [T]; N] {
    let mut out = core::array::from_fn(|_| &mut [][..]);
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = sum;
    }
    out
}

/// A part of each.
#[inline(always)]
fn cut<'a, T, const N: usize>(x: [&'a [T]; N], part: &Range<usize>) -> [&'a [T]; N] {
    let mut out = x;
    for k in 0..N {
        out[k] = &x[k][part.clone()];
    }
    out
}

/// A short copy, without a call.
#[inline(always)]
pub(super) fn copy<T: Copy>(from: &[T], to: &mut [T]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = from;
    }
}

/// Numbers along all rows, to the axes of each.
#[inline(always)]
pub(super) fn to_own<T: Real>(constraints: &Constraints, seen: &[Option<Seen<T>>], x: &mut [T]) {
    for (item, seen) in constraints.items().iter().zip(seen) {
        item.turn(seen.as_ref(), true, &mut x[item.rows()]);
    }
}
