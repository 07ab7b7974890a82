//! Derivatives of constrained forward dynamics.
//!
//! ```text
//! M q̈_x − Jᵀλ_x = −ID_x        J q̈_x = −r_x        x = q, q̇                                           (1)
//! M q̈_τ − Jᵀλ_τ = 1            J q̈_τ = 0                                                              (2)
//! ```
//!
//! that is, one matrix for all columns, whose factors forward dynamics has left; [`sides`](super::sides) solves for all of them at once.
//!
//! ID_x is IDSVA at q̈ with the forces λ on their bodies, each as if it moved with its body; how they really move is added
//! ([`slope`](super::slope)). r_x is there too.

use super::elimination::Factorise;
use super::forward::{Solve, assemble, write_forces};
use super::seen::Seen;
use super::sides::{Factors, Of};
use super::{Constraints, Kind, Room, slope};
use crate::derivatives::idsva::idsva_of_loaded;
use crate::dispatch::{Step, step};
use crate::door::Size::{Nq, Nv, Rows, RowsWide, Square, Symmetric};
use crate::door::{Algorithm, Done, Mimicry, Out, Surrounding, declare};
use crate::engines::Scratch;
use crate::linalg::transpose::mirror;
use crate::matrix::Matrix;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};
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
    const SQUARES: usize = 4;
    const MIMICRY: Mimicry = Mimicry::None;

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.id.make_room(model.tree());
        model.tree().path_runs();
    }

    fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
        s.constraints.make_room(model, rows);
        s.constraints.make_room_for_derivatives(model, 3);
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
        prepare(scene, s, [q, v, tau], [qdd, lambda, &mut *dq, &mut *dv], |_| {})?;
        step(s.proof, Respond { scene, s, x: [dq, dv], forces: [lq, lv], by_tau: [dtau, ltau] });
        Ok(())
    }
}

/// q̈, λ, ID_x; in the room the factors and r_x. What follows q̈ and λ is computed from what `renew` makes of them.
#[inline(always)]
pub(super) fn prepare<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    [q, v, tau]: [&[T]; 3],
    [qdd, lambda, dq, dv]: [&mut [T]; 4],
    renew: impl FnOnce([&mut [T]; 2]),
) -> Done {
    assemble::<T, true>(scene, s, q, v);
    step(s.proof, Factorise { scene, s })?;
    step(s.proof, Solve { scene, s, tau, qdd })?;
    write_forces(scene, s, lambda);
    renew([&mut *qdd, &mut s.constraints.lambda]);
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
    Ok(())
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

/// (1) and (2): the columns of ID_x, r_x and τ as right-hand sides, all at once.
struct Respond<'a, T: Real> {
    scene: &'a Scene<'a, T>,
    s: &'a mut Scratch<T>,
    /// ID_x, then ∂q̈/∂x.
    x: [&'a mut [T]; 2],
    forces: [&'a mut [T]; 2],
    by_tau: [&'a mut [T]; 2],
}

impl<T: Real> Step for Respond<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scene, s: Scratch { constraints: room, .. }, x: [dq, dv], forces: [lq, lv], by_tau: [dtau, ltau] } =
            self;
        let (n, minus) = (scene.model.nv(), -T::one());
        let Room { sides, r_q, r_v, g, .. } = room;
        sides.put(Of::Accelerations, [Some((minus, dq)), Some((minus, dv)), None], n);
        sides.put(Of::Forces, [Some((minus, r_q)), Some((minus, r_v)), None], g.stride);
        sides.put_identity(2);
        room.solve_sides(scene);
        room.sides.take(Of::Accelerations, [dq, dv, &mut *dtau]);
        room.sides.take(Of::Forces, [&mut *lq, lv, ltau]);
        mirror(n, dtau);
        add_turn(room, lq);
    }
}

impl<T: Real> Room<T> {
    /// Solves what is in `sides`.
    #[inline(always)]
    pub(super) fn solve_sides(&mut self, scene: &Scene<'_, T>) {
        let Room { m, d_inv, y_scaled: y, g, seen, sides, .. } = self;
        let Some(constraints) = scene.constraints else { return };
        sides.solve(&mut Factors { paths: scene.model.elimination(), constraints, m, d_inv, y, g, seen });
    }
}

/// What turning of axes adds to derivatives of forces by q.
#[inline(always)]
pub(super) fn add_turn<T: Real>(room: &Room<T>, by_q: &mut [T]) {
    for (out, turn) in by_q.chunks_exact_mut(room.g.rows.max(1)).zip(room.turn.chunks_exact(room.g.stride.max(1))) {
        for (out, &turn) in out.iter_mut().zip(turn) {
            *out += turn;
        }
    }
}

/// Numbers along all rows, to the axes of each.
#[inline(always)]
pub(super) fn to_own<T: Real>(constraints: &Constraints, seen: &[Option<Seen<T>>], x: &mut [T]) {
    for (item, seen) in constraints.items().iter().zip(seen) {
        item.turn(seen.as_ref(), true, &mut x[item.rows()]);
    }
}
