//! Change of constraints and their forces when the robot moves.
//!
//! Coordinates as in [`seen`](super::seen). Column c moves the first body, the second, or both; σ = 1, −1, 0.
//! Everything is seen from the first body:
//!
//! ```text
//! by q:  δu = σ (Ψ̇ + S × v₂)      δρ = σ (Ψ̈ + Ψ̇ × (v₁ + v₂) + S × a₂ − v₁ × (S × v₂)) + Kd δu + Kp δe        (1)
//! by q̇:  δu = σ S                 δρ = σ (Ṡ + Ψ̇ + S × (v₁ + v₂)) + Kd δu                                      (2)
//! points:  δρ += δω × u + ω × δu, linear part, ω that of u                                                    (3)
//! δe = σ dlog S     or, points,    δ(p₁ − p₂) = σ (S − ω_S × (p₁ − p₂))                                        (4)
//! ```
//!
//! IDSVA assumes that the force F of the rows, on the first body and reversed on the second, moves with each
//! of them. Its actual change is δF as seen from the first:
//!
//! ```text
//! ∂τᵣ/∂q_c += −Sᵣ·E₁ + Sᵣ·E₂      E₁ = δF  if r moves the first,      E₂ = δF + σ S ×* F  if r moves the second     (5)
//! ```
//!
//! Forces of constraints that hold all directions, and forces in the axes of the first body, have δF = 0. If
//! the former are requested in other axes, the turning is added to their derivatives. Sources: (1), (2) from
//! ∂v, ∂a of [Singh22] J1 to J3; common ancestors drop out.

use super::seen::Seen;
use super::{Constraint, Held, Kind, Pair, RowAxes, Side, Term};
use crate::derivatives::idsva::Rates;
use crate::dispatch::Register;
use crate::groups::Group;
use crate::model::Tree;
use crate::scalar::{Real, Wide};
use crate::spatial::{Force, InAllLanes, Lanewise, Mat3, Motion, Vec3, lanewise};
use crate::sweeps::bodies::Bodies;
use crate::sweeps::side_by_side::{SideBySide, width};

/// Data that all constraints use.
pub(super) struct At<'a, T: Real> {
    pub(super) active: T,
    /// True if a motion is desired, so that ρ may be non-zero.
    pub(super) is_driven: bool,
    pub(super) bodies: &'a Bodies<T>,
    pub(super) rates: &'a SideBySide<T, Rates<Register<T>>>,
    pub(super) lambda: &'a [T],
    pub(super) stride: usize,
}

/// Force of the rows, at the point.
#[inline(always)]
pub(super) fn force<T: Real>(item: &Constraint, seen: &Seen<T>, lambda: &[T]) -> Force<T> {
    match &item.kind {
        Kind::Held(held) => held.force(lambda, &seen.axes(held.axes)),
        Kind::Distance(..) => Force::new(seen.along().0 * lambda[0], Vec3::zero()),
        Kind::Joints(..) => Force::zero(),
    }
}

/// Subtracts the force of a constraint from the forces of its bodies.
#[inline(always)]
pub(super) fn push<T: Real>(
    item: &Constraint,
    pair: &Pair,
    seen: &Seen<T>,
    lambda: &[T],
    tree: &Tree,
    bodies: &mut Bodies<T>,
) {
    let F = force(item, seen, lambda);
    for (anchor, side, F) in [(&pair.first, Side::First, -F), (&pair.second, Side::Second, F)] {
        if anchor.body > 0 {
            bodies.load.add_field(tree.bodies[anchor.body].slot, |load| &mut load.f, seen.on(side, F));
        }
    }
}

/// A linear relation of joints.
#[inline(always)]
pub(super) fn of_joints<T: Real>(item: &Constraint, terms: &[Term], at: &At<'_, T>, r_q: &mut [T], r_v: &mut [T]) {
    let row = item.rows.start;
    for term in terms {
        let factor = T::from_f64(term.factor) * at.active;
        let place = term.dof * at.stride + row;
        r_q[place] = factor.mul_add(T::from_f64(item.gains.kp), r_q[place]);
        r_v[place] = factor.mul_add(T::from_f64(item.gains.kd), r_v[place]);
    }
}

/// Derivatives of one column, or of several side by side.
#[derive(Clone, Copy)]
struct Change<W> {
    S: Motion<W>,
    /// Derivatives of u and ρ with respect to q and q̇, without gains.
    u: [Motion<W>; 2],
    rho: [Motion<W>; 2],
}

impl<W: Real> Change<W> {
    /// (1) to (3), with σ. The world is at rest, except for its acceleration against gravity.
    #[inline(always)]
    fn of<const ON_WORLD: bool>(
        seen: &Seen<W>,
        side: Side,
        active: W,
        S: Motion<W>,
        rates: &Rates<W>,
        is_frame: bool,
    ) -> Self {
        let sign = if side == Side::First { active } else { -active };
        // One by one: `map` of arrays is not inlined.
        let S = seen.at_point(side, S) * sign;
        let psi_dot = seen.at_point(side, rates.psi_dot) * sign;
        let psi_ddot = seen.at_point(side, rates.psi_ddot) * sign;
        let rate = seen.at_point(side, rates.rate) * sign;
        let ([v1, v2], a2) = (seen.v, seen.a[1]);
        let (u, mut rho);
        if ON_WORLD {
            let mut by_q = psi_dot.cross_add(v1, psi_ddot);
            by_q.lin = S.ang.cross_add(a2.lin, by_q.lin);
            (u, rho) = ([psi_dot, S], [by_q, S.cross_add(v1, rate)]);
        } else {
            let (along, both) = (S.cross(v2), v1 + v2);
            let by_q = S.cross_add(a2, psi_dot.cross_add(both, psi_ddot)) - v1.cross(along);
            (u, rho) = ([psi_dot + along, S], [by_q, S.cross_add(both, rate)]);
        }
        if !is_frame {
            let own = if ON_WORLD { v1 } else { seen.u() };
            for k in 0..2 {
                rho[k].lin = u[k].ang.cross_add(own.lin, own.ang.cross_add(u[k].lin, rho[k].lin)); // (3)
            }
        }
        Self { S, u, rho }
    }
}

/// Maps the [`Change`] of columns to those of a held place, with gains.
#[derive(Clone, Copy)]
struct Slopes<W> {
    S: Motion<W>,
    by_q: Motion<W>,
    by_v: Motion<W>,
}

lanewise! { Slopes { S, by_q, by_v } }

/// A held place, copied to all lanes.
struct HeldPlace<W> {
    seen: Seen<W>,
    active: W,
    is_frame: bool,
    kp: W,
    kd: W,
    has_kp: bool,
    log: [Mat3<W>; 2],
}

impl<W: Real> HeldPlace<W> {
    #[inline(always)]
    fn slopes<const ON_WORLD: bool>(&self, side: Side, S: Motion<W>, rates: &Rates<W>) -> Slopes<W> {
        let Change { S, u, rho } = Change::of::<ON_WORLD>(&self.seen, side, self.active, S, rates, self.is_frame);
        let (mut by_q, by_v) = (u[0].scale_add(self.kd, rho[0]), u[1].scale_add(self.kd, rho[1]));
        if self.has_kp {
            let e = if self.is_frame {
                Motion::new(self.log[0].mul_add(S.lin, self.log[1] * S.ang), self.log[0] * S.ang)
            } else {
                Motion::new(self.seen.apart().cross_add(S.ang, S.lin), Vec3::zero())
            };
            by_q = e.scale_add(self.kp, by_q); // (4)
        }
        Slopes { S, by_q, by_v }
    }
}

/// dlog in world axes: its diagonal blocks and the upper right one (4).
#[inline(always)]
pub(super) fn log_slope<T: Real>(seen: &Seen<T>) -> [Mat3<T>; 2] {
    let (mut neutral, mut by_first, mut by_second) = ([T::zero(); 7], [T::zero(); 36], [T::zero(); 36]);
    Group::Se3.neutral(&mut neutral);
    Group::Se3.d_difference(&neutral, &seen.relative(), &mut by_second, &mut by_first);
    let R = seen.X[0].rot;
    let block = |column: usize| {
        let three = |k: usize| Vec3::new(by_first[k], by_first[k + 1], by_first[k + 2]);
        R * Mat3::from_cols(three(6 * column), three(6 * column + 6), three(6 * column + 12)) * R.transpose()
    };
    [block(0), block(3)]
}

/// A constraint of two places: r_q, r_v, the contribution of turning axes to ∂λ/∂q, and (5).
#[inline(always)]
pub(super) fn of_pair<T: Real>(
    item: &Constraint,
    seen: &Seen<T>,
    at: &At<'_, T>,
    tree: &Tree,
    r_q: &mut [T],
    r_v: &mut [T],
    turn: &mut [T],
    dq: &mut [T],
) {
    match &item.kind {
        Kind::Held(held) => of_held(item, held, seen, at, r_q, r_v, turn),
        Kind::Distance(pair, _) => of_distance(item, pair, seen, at, r_q, r_v),
        Kind::Joints(..) => return,
    }
    stiffen(item, seen, at, tree, dq);
}

#[inline(always)]
fn of_held<T: Real>(
    item: &Constraint,
    held: &Held,
    seen: &Seen<T>,
    at: &At<'_, T>,
    r_q: &mut [T],
    r_v: &mut [T],
    turn: &mut [T],
) {
    let (rows, axes) = (item.rows(), seen.axes(held.axes));
    let is_full = held.some.is_empty();
    let has_kp = item.gains.kp != 0.0;
    let [log, above] = if held.is_frame && has_kp { log_slope(seen) } else { [Mat3::zero(); 2] };
    let place = HeldPlace::<Register<T>> {
        seen: Seen::all(*seen),
        active: Register::<T>::splat(at.active),
        is_frame: held.is_frame,
        kp: Register::<T>::from_f64(item.gains.kp),
        kd: Register::<T>::from_f64(item.gains.kd),
        has_kp,
        log: [Mat3::all(log), Mat3::all(above)],
    };
    let rho = item.rho(held, seen);
    let F = held.force(at.lambda, &axes);
    // Rows are seen from the body that defines their axes.
    let is_seen_elsewhere = held.axes != RowAxes::First && (!is_full || at.is_driven);
    for (run, side) in &held.pair.runs {
        let turns = held.axes == RowAxes::Second || *side == Side::First;
        for k in run.start / width::<T>()..run.end.div_ceil(width::<T>()) {
            let (S, rates) = (at.bodies.S.neighbours[k], &at.rates.neighbours[k]);
            let neighbours = if held.pair.second.body == 0 {
                place.slopes::<true>(*side, S, rates)
            } else {
                place.slopes::<false>(*side, S, rates)
            };
            for c in run.start.max(k * width::<T>())..run.end.min((k + 1) * width::<T>()) {
                let Slopes { S, mut by_q, by_v } = neighbours.lane(c % width::<T>());
                if is_seen_elsewhere && turns {
                    by_q += Motion::new(S.ang.cross(rho.lin), S.ang.cross(rho.ang));
                }
                held.project(by_q, &axes, &mut r_q[c * at.stride..][rows.clone()]);
                held.project(by_v, &axes, &mut r_v[c * at.stride..][rows.clone()]);
                if is_full && held.axes != RowAxes::First && turns {
                    turned(F, S.ang, &axes, &mut turn[c * at.stride..][rows.clone()]);
                }
            }
        }
    }
    if is_full && held.axes == RowAxes::World {
        // A column that moves both bodies turns the first, but not the world's axes.
        for c in held.pair.common.iter().cloned().flatten() {
            let S: Motion<T> = at.bodies.S.get(c) * at.active;
            turned(F, S.ang, &axes, &mut turn[c * at.stride..][rows.clone()]);
            if at.is_driven {
                let around = Motion::new(S.ang.cross(rho.lin), S.ang.cross(rho.ang));
                held.project(around, &axes, &mut r_q[c * at.stride..][rows.clone()]);
            }
        }
    }
}

/// The velocity along a constraint, J y, for the body motions due to `y`: r_q, the contribution of turning
/// axes, and (5). `psi_dot` are the axes' velocities due to `y`.
#[inline(always)]
pub(super) fn of_velocity<T: Real>(
    item: &Constraint,
    seen: &Seen<T>,
    at: &At<'_, T>,
    tree: &Tree,
    motions: &[Motion<T>],
    psi_dot: &SideBySide<T, Motion<Register<T>>>,
    r_q: &mut [T],
    turn: &mut [T],
    dq: &mut [T],
) {
    let Some(pair) = item.pair() else { return };
    let rows = item.rows();
    let v1 = seen.at_point(Side::First, motions[pair.first.body]);
    let v2 = seen.at_point(Side::Second, motions[pair.second.body]);
    let u = v1 - v2;
    let (n, l) = seen.along_if(matches!(item.kind, Kind::Distance(..)));
    let (axes, F, mut is_seen_elsewhere, mut is_turned) =
        (seen.axes(item.axes().unwrap_or(RowAxes::World)), force(item, seen, at.lambda), false, false);
    if let Kind::Held(held) = &item.kind
        && held.axes != RowAxes::First
    {
        (is_seen_elsewhere, is_turned) = (!held.some.is_empty(), held.some.is_empty());
    }
    let (all, v2) = (Seen::<Register<T>>::all(*seen), Motion::<Register<T>>::all(v2));
    for (run, side) in &pair.runs {
        let sign = Register::<T>::splat(if *side == Side::First { at.active } else { -at.active });
        let turns = *side == Side::First || matches!(&item.kind, Kind::Held(held) if held.axes == RowAxes::Second);
        for k in run.start / width::<T>()..run.end.div_ceil(width::<T>()) {
            let S = all.at_point(*side, at.bodies.S.neighbours[k]) * sign;
            let change = S.cross_add(v2, all.at_point(*side, psi_dot.neighbours[k]) * sign); // (1)
            for c in run.start.max(k * width::<T>())..run.end.min((k + 1) * width::<T>()) {
                let lane = c % width::<T>();
                let (S, mut change): (Motion<T>, Motion<T>) = (S.lane(lane), change.lane(lane));
                let out = &mut r_q[c * at.stride..][rows.clone()];
                if let Kind::Held(held) = &item.kind {
                    if is_seen_elsewhere && turns {
                        change += Motion::new(S.ang.cross(u.lin), S.ang.cross(u.ang));
                    }
                    held.project(change, &axes, out);
                    if is_turned && turns {
                        turned(F, S.ang, &axes, &mut turn[c * at.stride..][rows.clone()]);
                    }
                } else {
                    let d_apart = seen.apart().cross_add(S.ang, S.lin);
                    let d_n = n.scale_add(-n.dot(d_apart), d_apart) * l.recip();
                    out[0] = d_n.dot(u.lin) + n.dot(change.lin);
                }
            }
        }
    }
    if let Kind::Held(held) = &item.kind
        && held.some.is_empty()
        && held.axes == RowAxes::World
    {
        for c in held.pair.common.iter().cloned().flatten() {
            let S: Motion<T> = at.bodies.S.get(c) * at.active;
            turned(F, S.ang, &axes, &mut turn[c * at.stride..][rows.clone()]);
        }
    }
    stiffen(item, seen, at, tree, dq);
}

/// ω × F in the axes of the rows, stored as λ.
#[inline(always)]
fn turned<T: Real>(F: Force<T>, w: Vec3<T>, axes: &Mat3<T>, out: &mut [T]) {
    let six = Force::new(axes.tr_mul(w.cross(F.lin)), axes.tr_mul(w.cross(F.ang))).to_array();
    for (out, x) in out.iter_mut().zip(six) {
        *out = x;
    }
}

#[inline(always)]
fn of_distance<T: Real>(item: &Constraint, pair: &Pair, seen: &Seen<T>, at: &At<'_, T>, r_q: &mut [T], r_v: &mut [T]) {
    let (kp, kd) = (T::from_f64(item.gains.kp), T::from_f64(item.gains.kd));
    let ((n, l), u, d) = (seen.along(), seen.u().lin, seen.apart());
    let (rho, rate, by_l, two) = (seen.acceleration(false).lin, n.dot(u), l.recip(), T::from_f64(2.0));
    let turning = rate.neg_mul_add(rate, u.norm_squared()) * by_l;
    for (run, side) in &pair.runs {
        for c in run.clone() {
            let (S, rates) = (at.bodies.S.get(c), at.rates.get(c));
            let change = Change::of::<false>(seen, *side, at.active, S, &rates, false);
            let place = c * at.stride + item.rows.start;
            let S = change.S;
            let d_apart = d.cross_add(S.ang, S.lin);
            let d_l = n.dot(d_apart);
            let d_n = n.scale_add(-d_l, d_apart) * by_l;
            let (du, dv) = (change.u[0].lin, change.u[1].lin);
            let d_rate = d_n.dot(u) + n.dot(du);
            let d_turning = (two * (u.dot(du) - rate * d_rate) - turning * d_l) * by_l;
            let held = kd.mul_add(d_rate, kp * d_l);
            r_q[place] = d_n.dot(rho) + n.dot(change.rho[0].lin) + d_turning + held;
            let d_rate = n.dot(dv);
            r_v[place] = n.dot(change.rho[1].lin) + two * (u.dot(dv) - rate * d_rate) * by_l + kd * d_rate;
        }
    }
}

/// (5), unless it is zero.
#[inline(always)]
fn stiffen<T: Real>(item: &Constraint, seen: &Seen<T>, at: &At<'_, T>, tree: &Tree, dq: &mut [T]) {
    let Some(pair) = item.pair() else { return };
    let keeps = matches!(&item.kind, Kind::Held(held) if held.some.is_empty() || held.axes == RowAxes::First);
    if keeps && pair.second.body == 0 {
        return;
    }
    let (F, nv) = (force(item, seen, at.lambda), tree.dofs.len());
    let (n, l) = seen.along_if(matches!(item.kind, Kind::Distance(..)));
    for (run, side) in &pair.runs {
        for c in run.clone() {
            let sign = if *side == Side::First { T::one() } else { -T::one() };
            let S: Motion<T> = seen.at_point(*side, at.bodies.S.get(c)) * sign;
            // δF
            let mut first = Force::zero();
            match &item.kind {
                Kind::Distance(..) => {
                    let d_apart = seen.apart().cross_add(S.ang, S.lin);
                    first.lin = n.scale_add(-n.dot(d_apart), d_apart) * (at.lambda[0] / l);
                }
                Kind::Held(_) if !keeps => first = Force::new(F.lin.cross(S.ang), F.ang.cross(S.ang)),
                _ => {}
            }
            let second = S.cross_force_add(F, first);
            let column = &mut dq[c * nv..][..nv];
            for (rows, of) in &pair.runs {
                for r in rows.clone() {
                    let Sr: Motion<T> = seen.at_point(*of, at.bodies.S.get(r));
                    match of {
                        Side::First => column[r] -= Sr.dot(first),
                        Side::Second => column[r] += Sr.dot(second),
                    }
                }
            }
            for r in pair.common.iter().cloned().flatten() {
                let Sr: Motion<T> = seen.at_point(Side::First, at.bodies.S.get(r));
                column[r] += Sr.dot(second - first);
            }
        }
    }
}
