//! Impulses: the velocity after a collision with constraints.
//!
//! ```text
//! M (v⁺ − v) = Jᵀ p               J v⁺ = −e J v                          e: restitution                   (1)
//! p = −(1 + e) G⁻¹ J v            v⁺ = v + M⁻¹Jᵀ p                        G = J M⁻¹ Jᵀ                       (2)
//! M w − Jᵀ p_v = 0                J w = −(1 + e) J                        ∂v⁺/∂v = 1 + w                   (3)
//! M v⁺_q − Jᵀ p_q = −A            J v⁺_q = −r_q                                                            (4)
//! ```
//!
//! (3) and (4) are the systems of [`derivatives`](super::derivatives), solved for all columns at once.
//!
//! A is IDSVA of the robot at rest, without gravity, at the acceleration v⁺ − v, under the forces p. r_q is
//! that of J y at the velocity `y = v⁺ + e v`, which is zero along the rows.

use super::derivatives::add_turn;
use super::elimination::Factorise;
use super::forward::{set_up, write_forces};
use super::room::Impulses;
use super::sides::Of;
use super::{Kind, Room, slope};
use crate::derivatives::idsva::idsva_of_loaded;
use crate::dispatch::step;
use crate::door::Size::{Fixed, Nq, Nv, Rows, RowsWide, Square};
use crate::door::{Algorithm, Done, In, Mimicry, Surrounding, To, declare};
use crate::dynamics::ltdl;
use crate::engines::Scratch;
use crate::linalg::sum::add_row;
use crate::model::Model;
use crate::scalar::Real;
use crate::scene::Scene;
use crate::spatial::{Motion, Vec3};

/// Output buffers of [`impulse`].
#[derive(Debug)]
pub struct ImpulseMut<'a, T> {
    /// Velocity after the collision: nv.
    pub v_after: &'a mut [T],
    /// Impulses along the rows \[N s, N m s\].
    pub impulse: &'a mut [T],
}

/// Output buffers of [`impulse_derivatives`].
#[derive(Debug)]
pub struct ImpulseDerivativesMut<'a, T> {
    /// Velocity after the collision: nv.
    pub v_after: &'a mut [T],
    /// Impulses along the rows.
    pub impulse: &'a mut [T],
    /// ∂v⁺/∂q, along tangent directions: nv × nv, by columns.
    pub dv_after_dq: &'a mut [T],
    /// ∂v⁺/∂v: nv × nv, by columns.
    pub dv_after_dv: &'a mut [T],
    /// ∂p/∂q: rows × nv, by columns.
    pub dimpulse_dq: &'a mut [T],
    /// ∂p/∂v: rows × nv, by columns.
    pub dimpulse_dv: &'a mut [T],
}

declare! {
    /// Velocity after a collision with constraints, and the impulses: `M (v⁺ − v) = Jᵀp` with
    /// `J v⁺ = −e J v`.
    ///
    /// - `q` (nq), `v`, `v_after` (nv). `restitution` (1): e, from 0 (inelastic) to 1 (elastic). `impulse`
    ///   (the constraints' rows): on the first frame, as the forces of
    ///   [`constrained_fd`](crate::constrained_fd()).
    /// - Only inertia has an effect. Forces, gains and desired motions do not. O(N d² + m² (N + m)).
    ///
    /// # Errors
    /// If a length, the engine or the constraints do not fit the model, or if a body has no inertia along its
    /// joint.
    fn impulse of constraints (q: Nq, v: Nv, restitution: Fixed(1)) -> ImpulseMut { v_after: Nv, impulse: Rows }
    by Impulse, under &[Surrounding::Armature]
}

declare! {
    /// Derivatives of [`impulse`] with respect to `q` and `v`, and its results.
    ///
    /// - Derivatives with respect to `q` are along tangent directions, `q ⊕ δ`, at the same `v`; matrices are
    ///   complete, by columns.
    ///
    /// # Errors
    /// Same as [`impulse`].
    fn impulse_derivatives of constraints (q: Nq, v: Nv, restitution: Fixed(1)) -> ImpulseDerivativesMut {
        v_after: Nv, impulse: Rows, dv_after_dq: Square, dv_after_dv: Square, dimpulse_dq: RowsWide, dimpulse_dv: RowsWide
    }
    by ImpulsePartials, under &[Surrounding::Armature]
}

impl Algorithm<3, 2> for Impulse {
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
        [q, v, restitution]: In<T, 3>,
        [after, impulse]: To<T, 2>,
    ) -> Done {
        let scene = &scene.gravity([0.0; 3]).wrenches(&[]);
        set_up::<T, false>(scene, s, q, v);
        step(s.proof, Factorise { scene, s })?;
        collide(scene, s, v, restitution[0], after.entries);
        write_forces(scene, s, impulse.entries);
        Ok(())
    }
}

impl Algorithm<3, 6> for ImpulsePartials {
    const RESERVES: bool = true;
    const CONSTRAINED: bool = true;
    const SQUARES: usize = 3;
    const MIMICRY: Mimicry = Mimicry::None;

    fn reserve<T: Real>(self, model: &Model, s: &mut Scratch<T>) {
        s.id.make_room(model.tree());
        model.tree().path_runs();
    }

    fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
        s.constraints.make_room(model, rows);
        s.constraints.make_room_for_derivatives(model, 2);
        s.constraints.make_room_for_impulses(model);
    }

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, restitution]: In<T, 3>,
        out: To<T, 6>,
    ) -> Done {
        let scene = &scene.gravity([0.0; 3]).wrenches(&[]);
        let [after, impulse, dq, dv, iq, iv] = out;
        let [dq, dv, iq, iv] = [dq.entries, dv.entries, iq.entries, iv.entries];
        prepare(scene, s, [q, v, restitution], [after.entries, impulse.entries, &mut *dq], |_| {})?;
        let (mut by, mut impulses) = ([dq, dv], [iq, iv]);
        step!(s.proof, || respond(scene, &mut s.constraints, restitution[0], &mut by, &mut impulses));
        Ok(())
    }
}

/// Computes v⁺, the impulse and A, and leaves the factors and r_q in the room. `renew` may replace v⁺ and the
/// impulse; everything after them uses the replacements. `scene` has neither gravity nor forces.
#[inline(always)]
pub(super) fn prepare<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    [q, v, restitution]: [&[T]; 3],
    [after, impulse, dq]: [&mut [T]; 3],
    renew: impl FnOnce([&mut [T]; 2]),
) -> Done {
    let (model, restitution) = (scene.model, restitution[0]);
    set_up::<T, false>(scene, s, q, v);
    step(s.proof, Factorise { scene, s })?;
    collide(scene, s, v, restitution, after);
    write_forces(scene, s, impulse);
    renew([&mut *after, &mut s.constraints.lambda]);
    let (tree, Some(constraints)) = (model.tree(), scene.constraints) else { return Ok(()) };
    let Scratch { proof, turns, zeros, bodies, v: motions, id, constraints: room, .. } = s;
    let Room { full, b, seen, g, r_q, turn, r_q_full, turn_full, square_full, .. } = room;
    let Impulses { y, w, y_full, w_full, psi_dot } = &mut room.impulses;
    let (lambda, stride) = (&room.lambda, g.stride);
    for k in 0..model.nv() {
        y[k] = restitution.mul_add(v[k], after[k]);
        w[k] = after[k] - v[k];
    }
    let mut of_tree = OfTree { q, y, w, dq: &mut *dq, r_q, turn };
    if let Some(map) = model.mimic() {
        map.expand_v(y, y_full);
        map.expand_v(w, w_full);
        of_tree = OfTree { q: &full[0], y: y_full, w: w_full, dq: square_full, r_q: r_q_full, turn: turn_full };
    }
    step!(*proof, || {
        let OfTree { q, y, w, dq, r_q, turn } = &mut of_tree;
        bodies.move_all::<true>(tree, turns.update(tree, q), q, zeros, Some(w), Vec3::zero());
        bodies.weigh(tree);
        bodies.load_all();
        for (item, seen) in constraints.items().iter().zip(&*seen) {
            if let (Some(pair), Some(seen)) = (item.pair(), seen) {
                slope::push(item, pair, seen, &lambda[item.rows()], tree, bodies);
            }
        }
        idsva_of_loaded(scene, bodies, id, b, [&mut *dq], false);
        // Motions of the bodies with y, and of their axes.
        motions[0] = Motion::zero();
        for (i, body) in tree.outward() {
            let v_p = motions[body.parent];
            let mut v = v_p;
            for k in body.v.clone() {
                v = bodies.S.get(k).scale_add(y[k], v);
                psi_dot.set(k, v_p);
            }
            motions[i] = v;
        }
        for (psi_dot, &S) in psi_dot.neighbours.iter_mut().zip(&bodies.S.neighbours) {
            *psi_dot = psi_dot.cross(S);
        }
        r_q.fill(T::zero());
        turn.fill(T::zero());
        for ((i, item), seen) in constraints.items().iter().enumerate().zip(&*seen) {
            let at = slope::At {
                active: scene.is_active(i),
                is_driven: false,
                bodies,
                rates: &id.rates,
                lambda: &lambda[item.rows()],
                stride: g.stride,
            };
            if let (false, Some(seen)) = (matches!(item.kind, Kind::Joints(..)), seen) {
                slope::of_velocity(item, seen, &at, tree, motions, psi_dot, r_q, turn, dq);
            }
        }
    });
    if let Some(map) = model.mimic() {
        map.reduce_square(square_full, model.nv(), dq);
        map.reduce_columns(r_q_full, stride, r_q);
        map.reduce_columns(turn_full, stride, turn);
    }
    Ok(())
}

/// Arrays of the full tree for A and r_q of (4): those of the model, or arrays of the scratch if there are
/// mimicking joints.
struct OfTree<'a, T> {
    q: &'a [T],
    /// y and v⁺ − v.
    y: &'a [T],
    w: &'a [T],
    dq: &'a mut [T],
    r_q: &'a mut [T],
    turn: &'a mut [T],
}

/// (2). Shared by two functions.
#[inline(always)]
fn collide<T: Real>(scene: &Scene<'_, T>, s: &mut Scratch<T>, v: &[T], restitution: T, after: &mut [T]) {
    step!(s.proof, || {
        let room = &mut s.constraints;
        let Some(constraints) = scene.constraints else { return };
        let Room { m, d_inv, j, y, g, r, lambda, .. } = room;
        let stride = g.stride;
        r.fill(T::zero());
        for (k, &v) in v.iter().enumerate() {
            let span = g.whole(&constraints.spans()[k]);
            add_row::<T, true>(&mut r[span.clone()], v, &j[k * stride..][span]);
        }
        let more = -(T::one() + restitution);
        for (lambda, &r) in lambda.iter_mut().zip(&*r) {
            *lambda = more * r;
        }
        g.forward(lambda);
        g.backward(lambda);
        if g.any_dropped {
            g.make_least_norm(lambda);
        }
        for (k, after) in after.iter_mut().enumerate() {
            let mut x = T::zero();
            let rows = constraints.spans()[k].clone();
            for (&y, &lambda) in y[k * stride..][rows.clone()].iter().zip(&lambda[rows]) {
                x = y.mul_add(lambda, x);
            }
            *after = x * d_inv[k];
        }
        ltdl::solve_outward(scene.model.elimination(), m, after);
        for (after, &v) in after.iter_mut().zip(v) {
            *after += v;
        }
    });
}

/// (3) and (4): the columns of A, r_q and J are right-hand sides, solved all at once. A becomes ∂v⁺/∂q.
#[inline(always)]
fn respond<T: Real>(
    scene: &Scene<'_, T>,
    room: &mut Room<T>,
    restitution: T,
    [dq, dv]: &mut [&mut [T]; 2],
    [iq, iv]: &mut [&mut [T]; 2],
) {
    let n = scene.model.nv();
    let Room { sides, r_q, j, g, .. } = room;
    sides.put(Of::Accelerations, [Some((-T::one(), dq)), None], n);
    sides.put(Of::Forces, [Some((-T::one(), r_q)), Some((-(T::one() + restitution), j))], g.stride);
    room.solve_sides(scene);
    room.sides.take(Of::Accelerations, [dq, &mut *dv]);
    room.sides.take(Of::Forces, [&mut *iq, iv]);
    for k in 0..n {
        dv[k * n + k] += T::one();
    }
    add_turn(room, iq);
}
