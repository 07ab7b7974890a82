//! Derivatives of constrained forward dynamics.
//!
//! ```text
//! M q̈_x − Jᵀλ_x = −ID_x        J q̈_x = −r_x        x = q, q̇                                           (1)
//! M q̈_τ − Jᵀλ_τ = 1            J q̈_τ = 0                                                              (2)
//! ```
//!
//! This is one matrix for all columns, whose factors come from forward dynamics; [`sides`](super::sides)
//! solves for all columns at once.
//!
//! ID_x is IDSVA at q̈ with the forces λ on their bodies, each as if it moved with its body.
//! [`slope`](super::slope) adds the difference to their actual motion, and computes r_x.

use super::elimination::Factorise;
use super::forward::{set_up, solve, write_forces};
use super::seen::Seen;
use super::sides::{Factors, Of};
use super::{Constraints, Kind, Room, slope};
use crate::derivatives::idsva::idsva_of_loaded;
use crate::dispatch::step;
use crate::door::Size::{Nq, Nv, Rows, RowsWide, Square, Symmetric};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare, results};
use crate::engines::Scratch;
use crate::linalg::transpose::mirror;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::{JointEffects, Scene};

results! {
    /// Constrained forward dynamics and its derivatives: the result of [`constrained_fd_derivatives`].
    pub struct ConstrainedFdDerivatives(constraints: Constraints) as [ConstrainedFdDerivativesMut] {
        /// The accelerations q̈: nv.
        qdd: Nv,
        /// The forces λ along the rows of the constraints.
        lambda: Rows,
    } {
        /// ∂q̈/∂q: nv × nv, by columns, along tangent directions of the configuration.
        dqdd_dq: Square,
        /// ∂q̈/∂q̇: nv × nv, by columns.
        dqdd_dv: Square,
        /// ∂q̈/∂τ: nv × nv, exactly symmetric.
        dqdd_dtau: Square,
        /// ∂λ/∂q: rows × nv, by columns.
        dlambda_dq: RowsWide,
        /// ∂λ/∂q̇: rows × nv, by columns.
        dlambda_dv: RowsWide,
        /// ∂λ/∂τ: rows × nv, by columns.
        dlambda_dtau: RowsWide,
    }
}

declare! {
    /// Derivatives of [`constrained_fd`](crate::constrained_fd()), accelerations and forces, with respect to
    /// `q`, `v` and `tau`. Also returns the accelerations and forces.
    ///
    /// - Derivatives with respect to `q` are along tangent directions, `q ⊕ δ`. Matrices are complete, by
    ///   columns: nv × nv for q̈, rows × nv for λ.
    /// - External forces are differentiated as given; joint effects and mimicking joints are included.
    /// - With redundant constraints, the derivatives of q̈ are those of an independent subset, and those of λ
    ///   have least norm.
    ///
    /// # Errors
    /// Same as [`constrained_fd`](crate::constrained_fd()).
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
    fn compute<T: Real>(self, scene: &Scene<T>, s: &mut Scratch<T>, [q, v, tau]: In<T, 3>, out: To<T, 8>) -> Done {
        let [qdd, lambda, dq, dv, dtau, lq, lv, ltau] = out;
        let [qdd, lambda, dq, dv] = [qdd.entries, lambda.entries, dq.entries, dv.entries];
        let [dtau, lq, lv, ltau] = [dtau.entries, lq.entries, lv.entries, ltau.entries];
        prepare(scene, s, [q, v, tau], [qdd, lambda, &mut *dq, &mut *dv], |_| {})?;
        let (mut by, mut forces) = ([dq, dv, dtau], [lq, lv, ltau]);
        step!(s.proof, || respond(scene, &mut s.constraints, &mut by, &mut forces));
        Ok(())
    }
}

/// Computes q̈, λ and ID_x, and leaves the factors and r_x in the room. `renew` may replace q̈ and λ;
/// everything after them uses the replacements.
#[inline(always)]
pub(super) fn prepare<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    [q, v, tau]: [&[T]; 3],
    [qdd, lambda, dq, dv]: [&mut [T]; 4],
    renew: impl FnOnce([&mut [T]; 2]),
) -> Done {
    set_up::<T, true>(scene, s, q, v);
    step(s.proof, Factorise { scene, s })?;
    solve(scene, s, tau, qdd)?;
    write_forces(scene, s, lambda);
    renew([&mut *qdd, &mut s.constraints.lambda]);
    let (tree, Some(constraints)) = (scene.model.tree(), scene.constraints) else { return Ok(()) };
    let Scratch { proof, bodies, a, id, constraints: room, .. } = s;
    let Room { full, m_full, b, seen, g, r_q, r_v, turn, r_q_full, r_v_full, turn_full, square_full, .. } = room;
    let (lambda, stride) = (&room.lambda, g.stride);
    let mut of_tree = OfTree { v, qdd, dq: &mut *dq, dv: &mut *dv, r_q, r_v, turn };
    if let Some(map) = scene.model.mimic() {
        map.expand_v(qdd, &mut full[2]);
        let (v, qdd) = (&full[1], &full[2]);
        of_tree = OfTree { v, qdd, dq: square_full, dv: m_full, r_q: r_q_full, r_v: r_v_full, turn: turn_full };
    }
    step!(*proof, || {
        let OfTree { v, qdd, dq, dv, r_q, r_v, turn } = &mut of_tree;
        bodies.accelerate(tree, qdd, a);
        bodies.weigh(tree);
        bodies.load_all();
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
    });
    if let Some(map) = scene.model.mimic() {
        map.reduce_square(square_full, scene.model.nv(), dq);
        map.reduce_square(m_full, scene.model.nv(), dv);
        map.reduce_columns(r_q_full, stride, r_q);
        map.reduce_columns(r_v_full, stride, r_v);
        map.reduce_columns(turn_full, stride, turn);
    }
    Ok(())
}

/// Arrays of the full tree: those of the model, or arrays of the scratch if there are mimicking joints.
struct OfTree<'a, T> {
    v: &'a [T],
    qdd: &'a [T],
    dq: &'a mut [T],
    dv: &'a mut [T],
    r_q: &'a mut [T],
    r_v: &'a mut [T],
    turn: &'a mut [T],
}

/// (1) and (2): the columns of ID_x, r_x and τ are right-hand sides, solved all at once. ID_x becomes ∂q̈/∂x.
#[inline(always)]
fn respond<T: Real>(
    scene: &Scene<'_, T>,
    room: &mut Room<T>,
    [dq, dv, dtau]: &mut [&mut [T]; 3],
    [lq, lv, ltau]: &mut [&mut [T]; 3],
) {
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

impl<T: Real> Room<T> {
    /// Solves the systems in `sides`.
    #[inline(always)]
    pub(super) fn solve_sides(&mut self, scene: &Scene<'_, T>) {
        let Room { m, d_inv, y_scaled: y, g, seen, sides, .. } = self;
        let Some(constraints) = scene.constraints else { return };
        sides.solve(&mut Factors { paths: scene.model.elimination(), constraints, m, d_inv, y, g, seen });
    }
}

/// Adds the contribution of turning axes to derivatives of forces with respect to q.
#[inline(always)]
pub(super) fn add_turn<T: Real>(room: &Room<T>, by_q: &mut [T]) {
    for (out, turn) in by_q.chunks_exact_mut(room.g.rows.max(1)).zip(room.turn.chunks_exact(room.g.stride.max(1))) {
        for (out, &turn) in out.iter_mut().zip(turn) {
            *out += turn;
        }
    }
}

/// Turns numbers along all rows to the axes of each constraint.
#[inline(always)]
pub(super) fn to_own<T: Real>(constraints: &Constraints, seen: &[Option<Seen<T>>], x: &mut [T]) {
    for (item, seen) in constraints.items().iter().zip(seen) {
        item.turn(seen.as_ref(), true, &mut x[item.rows()]);
    }
}
