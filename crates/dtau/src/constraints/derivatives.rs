//! Derivatives of constrained forward dynamics.
//!
//! ```text
//! X = M⁻¹Jᵀ      Λ = (J X)⁻¹      B = ΛXᵀ      P = M⁻¹ − XB                                            (1)
//! ∂q̈/∂τ = P      ∂q̈/∂x = −P ID_x − Bᵀ r_x     ∂λ/∂τ = −B      ∂λ/∂x = B ID_x − Λ r_x     x = q, q̇     (2)
//! ```
//!
//! ID_x is IDSVA at q̈ with the forces λ on their bodies, each as if it moved with its body; how they really move is added
//! ([`slope`](super::slope)). r_x is there too.

use super::factor::subtract;
use super::forward::{Factorise, Solve, assemble, write_forces};
use super::seen::Seen;
use super::sums::{add_product, subtract_product};
use super::{Constraint, Constraints, Kind, Room, slope};
use crate::derivatives::fd::dense;
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
use crate::sweeps::block;
use crate::sweeps::side_by_side::width;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

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
        step(s.proof, Forces { scene, s, id: [dq, dv], out: [lq, lv], by_tau: Some(ltau) });
        let with_paths = scene.constraints.is_some_and(|set| !set.has_loops()) && scene.model.mimic().is_none();
        let tree = with_paths.then(|| scene.model.tree());
        step(s.proof, dense::Apply { tree, s, minv: dtau, dq, dv }); // (2)
        step(s.proof, Pull { scene, s, out: [dq, dv] });
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

/// (1)
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
        let Room { m, d_inv, y, g, by_force, inverse, across, b_across, .. } = room;
        let (stride, width) = (g.stride, width::<T>());
        // X = L⁻¹ D⁻¹ Y, in the place of Y.
        for i in 0..n {
            let (before, own) = y.split_at_mut(i * stride);
            let own = &mut own[..stride];
            for x in own.chunks_exact_mut(width) {
                (Register::<T>::load(x) * Register::<T>::splat(d_inv[i])).store(x);
            }
            for run in paths.above(i) {
                for k in run {
                    subtract(own, m[i * n + k], &before[k * stride..][..stride]);
                }
            }
        }
        g.invert(inverse);
        // B, by degree of freedom; both across too.
        let long = n.next_multiple_of(width);
        by_force.fill(T::zero());
        for k in 0..n {
            let own = &mut by_force[k * stride..][..stride];
            add_product([&mut *own], [&y[k * stride..][..g.rows]], inverse, stride);
            for r in 0..g.rows {
                across[r * long + k] = y[k * stride + r];
                b_across[r * long + k] = own[r];
            }
        }
        ltdl::inverse_in_place(paths, m, d_inv, &mut ltdl_room.wide);
        for c in 0..n {
            let (column, own) = (&mut dtau[c * n..][..n], &m[c * n..][..n]);
            column[c..].copy_from_slice(&own[c..]);
            subtract_product([&mut column[c..]], [&by_force[c * stride..][..g.rows]], &across[c..], long);
        }
        block::mirror(n, dtau);
    }
}

/// ∂λ of (2), by q alone or by q and q̇; and −B.
pub(super) struct Forces<'a, T: Real, const N: usize> {
    pub(super) scene: &'a Scene<'a, T>,
    pub(super) s: &'a mut Scratch<T>,
    pub(super) id: [&'a [T]; N],
    pub(super) out: [&'a mut [T]; N],
    pub(super) by_tau: Option<&'a mut [T]>,
}

impl<T: Real, const N: usize> Step for Forces<'_, T, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s: Scratch { constraints: room, .. }, id, out, mut by_tau } = self;
        let (model, n) = (scene.model, scene.model.nv());
        let Some(constraints) = scene.constraints else { return };
        let Room { g, by_force, inverse, r_q, r_v, turn, r, lambda, seen, .. } = room;
        let (stride, rows) = (g.stride, g.rows);
        let tree = (!constraints.has_loops() && model.mimic().is_none()).then(|| model.tree());
        let (slopes, mut sums) = ([&r_q[..], &r_v[..]], [&mut r[..stride], &mut lambda[..stride]]);
        let turns = constraints.items().iter().any(Constraint::turns);
        for c in 0..n {
            let (above, below) = match tree {
                None => (&[][..], 0..n),
                Some(tree) => {
                    let body = &tree.bodies[tree.dofs[c].body];
                    (&tree.path_runs()[body.path.clone()], body.v.start..body.dofs_end)
                }
            };
            for k in 0..N {
                sums[k].fill(T::zero());
            }
            for run in above.iter().chain([&below]) {
                let mut factors = [&[][..]; N];
                for k in 0..N {
                    factors[k] = &id[k][c * n..][run.clone()];
                }
                add_product(first(&mut sums), factors, &by_force[run.start * stride..], stride);
            }
            let span = constraints.spans()[c].clone();
            let mut factors = [&[][..]; N];
            for k in 0..N {
                factors[k] = &slopes[k][c * stride..][span.clone()];
            }
            subtract_product(first(&mut sums), factors, &inverse[span.start * stride..], stride);
            for k in 0..N {
                if g.any_dropped {
                    g.make_least_norm(sums[k]);
                }
                if k == 0 {
                    for (sum, &turn) in sums[k][..rows].iter_mut().zip(&turn[c * stride..]) {
                        *sum += turn;
                    }
                }
                let out = &mut out[k][c * rows..][..rows];
                for (out, &sum) in out.iter_mut().zip(&*sums[k]) {
                    *out = sum;
                }
                if turns {
                    to_own(constraints, seen, out);
                }
            }
            if let Some(by_tau) = &mut by_tau {
                let out = &mut by_tau[c * rows..][..rows];
                for (out, &b) in out.iter_mut().zip(&by_force[c * stride..]) {
                    *out = -b;
                }
                if g.any_dropped {
                    g.make_least_norm(out);
                }
                if turns {
                    to_own(constraints, seen, out);
                }
            }
        }
    }
}

/// The first `N`.
#[inline(always)]
fn first<'a, T, const N: usize>(sums: &'a mut [&mut [T]; 2]) -> [&'a mut [T]; N] {
    let mut out = core::array::from_fn(|_| &mut [][..]);
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = sum;
    }
    out
}

/// Numbers along all rows, to the axes of each.
#[inline(always)]
pub(super) fn to_own<T: Real>(constraints: &Constraints, seen: &[Option<Seen<T>>], x: &mut [T]) {
    for (item, seen) in constraints.items().iter().zip(seen) {
        item.turn(seen.as_ref(), true, &mut x[item.rows()]);
    }
}

/// What r_x adds to ∂q̈: −Bᵀ r_x.
pub(super) struct Pull<'a, T: Real, const N: usize> {
    pub(super) scene: &'a Scene<'a, T>,
    pub(super) s: &'a mut Scratch<T>,
    pub(super) out: [&'a mut [T]; N],
}

impl<T: Real, const N: usize> Step for Pull<'_, T, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s: Scratch { constraints: room, .. }, mut out } = self;
        let n = scene.model.nv();
        let Some(constraints) = scene.constraints else { return };
        let Room { g, b_across, r_q, r_v, .. } = room;
        let (stride, long, slopes) = (g.stride, n.next_multiple_of(width::<T>()), [&r_q[..], &r_v[..]]);
        for c in 0..n {
            let span = constraints.spans()[c].clone();
            let (mut columns, mut factors) = (core::array::from_fn(|_| &mut [][..]), [&[][..]; N]);
            for (k, (column, out)) in columns.iter_mut().zip(&mut out).enumerate() {
                *column = &mut out[c * n..][..n];
                factors[k] = &slopes[k][c * stride..][span.clone()];
            }
            subtract_product(columns, factors, &b_across[span.start * long..], long);
        }
    }
}
