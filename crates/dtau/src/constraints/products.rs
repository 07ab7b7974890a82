//! Jacobian-vector and vector-Jacobian products of constrained forward dynamics, without the Jacobians.
//!
//! ```text
//! [M −Jᵀ; J 0] [δq̈; δλ] = [δτ − ID_x δx; −r_x δx]                  at q̈ and λ: the solution of forward dynamics again      (1)
//! y = P w − Bᵀκ     η = B w + Λκ                                   the same with w for τ − b, and κ for r₀: (q̈, −λ)      (2)
//! w_τ = y           w_x = −(ID_xᵀ y + r_xᵀ η)                      x = q, q̇                                               (3)
//! ```
//!
//! ID_x δx and ID_xᵀ y are sweeps over the tree, [`jvp`] and [`vjp`]; [`along`](super::along) adds the
//! contributions of constraints. M and G are factorised once, for q̈ and λ. The rest costs O(N d + m
//! (d + m)).

use super::along::{Shift, Under};
use super::derivatives::to_own;
use super::elimination::Factorise;
use super::forward::{self, accelerate, meet, set_up};
use super::seen::Seen;
use super::{Constraints, Kind, Room, Side};
use crate::derivatives::{FdGradientMut, FdTangent, jvp, vjp};
use crate::dispatch::step;
use crate::door::Size::{Nq, Nv, Rows};
use crate::door::{Algorithm, Arg, Done, In, Mimicry, Surrounding, To, call, declare};
use crate::engines::{Engine, Scratch};
use crate::error::Error;
use crate::model::Model;
use crate::room::lend;
use crate::scalar::Real;
use crate::scene::Scene;
use alloc::vec::Vec;

/// Output buffers of [`constrained_fd_jvp`]; in a batch every array has states × its size.
#[derive(Debug)]
pub struct ConstrainedTangentMut<'a, T> {
    /// Change of the accelerations: nv.
    pub dqdd: &'a mut [T],
    /// Change of the forces: one number for each row.
    pub dlambda: &'a mut [T],
}

/// Derivative of [`constrained_fd`](crate::constrained_fd()) along a direction of q, q̇ and τ: change of the
/// accelerations and of the forces.
///
/// - `q` (nq), `v`, `tau`, the tangents and `dqdd` (nv), `dlambda` (the constraints' rows).
/// - The result is the product of the matrices of
///   [`constrained_fd_derivatives`](crate::constrained_fd_derivatives()) with the direction. It costs O(N
///   d + m (d + m)) for m rows, in addition to [`constrained_fd`](crate::constrained_fd()).
///
/// # Errors
/// Same as [`constrained_fd`](crate::constrained_fd()).
pub fn constrained_fd_jvp<'m, T: Real>(
    scene: impl Into<Scene<'m, T>>,
    on: &mut impl Engine<T>,
    constraints: &'m Constraints,
    q: &[T],
    v: &[T],
    tau: &[T],
    tangent: FdTangent<'_, T>,
    out: ConstrainedTangentMut<'_, T>,
) -> Result<(), Error> {
    let FdTangent { dq, dv, dtau } = tangent;
    let ConstrainedTangentMut { dqdd, dlambda } = out;
    let scene = scene.into().constraints(constraints);
    call(on, ConstrainedFdJvp {}, &scene, [q, v, tau, dq, dv, dtau], [dqdd.into(), dlambda.into()])
}

declare! {
    @algorithm ConstrainedFdJvp {}, constrained_fd_jvp,
    "The derivative of `constrained_fd` along a direction, without the matrices.",
    [
        Arg::new("q", Nq),
        Arg::new("v", Nv),
        Arg::new("tau", Nv),
        Arg::new("dq", Nv).of("tangent."),
        Arg::new("dv", Nv).of("tangent."),
        Arg::new("dtau", Nv).of("tangent.")
    ],
    [Arg::new("dqdd", Nv).of("out."), Arg::new("dlambda", Rows).of("out.")],
    Surrounding::ALL, of constraints
}

declare! {
    /// Gradient of `wᵀq̈ + w_lambdaᵀλ` with respect to the arguments of
    /// [`constrained_fd`](crate::constrained_fd()). Reverse-mode automatic differentiation needs it.
    ///
    /// - `q` (nq), `v`, `tau`, `w` and the outputs (nv), `w_lambda` (the constraints' rows).
    /// - The result is the product of both with the matrices of
    ///   [`constrained_fd_derivatives`](crate::constrained_fd_derivatives()). It costs O(N d + m (d + m)) for
    ///   m rows, in addition to [`constrained_fd`](crate::constrained_fd()).
    ///
    /// # Errors
    /// Same as [`constrained_fd`](crate::constrained_fd()).
    fn constrained_fd_vjp of constraints (q: Nq, v: Nv, tau: Nv, w: Nv, w_lambda: Rows)
    -> FdGradientMut { dq: Nv, dv: Nv, dtau: Nv }
    by ConstrainedFdVjp, under Surrounding::ALL
}

/// Workspace of these algorithms.
#[derive(Debug)]
pub(super) struct Products<T> {
    qdd: Vec<T>,
    /// λ of the state, κ, and the contribution of turning axes to δλ.
    lambda: Vec<T>,
    kappa: Vec<T>,
    turn: Vec<T>,
    /// Directions, or covectors and results, of the full tree; used with mimicking joints.
    full: [Vec<T>; 3],
    /// M w_τ, not used.
    unused: Vec<T>,
}

impl<T> Default for Products<T> {
    fn default() -> Self {
        let none = Vec::new;
        Self {
            qdd: none(),
            lambda: none(),
            kappa: none(),
            turn: none(),
            full: [none(), none(), none()],
            unused: none(),
        }
    }
}

impl<T: Real> Products<T> {
    fn make_room(&mut self, model: &Model, stride: usize) {
        let (n, of_tree) = (model.nv(), model.tree().dofs.len());
        let mimics = if model.mimic().is_some() { of_tree } else { 0 };
        let Self { qdd, lambda, kappa, turn, full: [one, two, three], unused } = self;
        for (x, len) in [
            (qdd, n),
            (lambda, stride),
            (kappa, stride),
            (turn, stride),
            (one, mimics),
            (two, mimics),
            (three, mimics),
            (unused, of_tree),
        ] {
            x.clear();
            x.resize(len, T::zero());
        }
    }
}

macro_rules! of_forward_dynamics {
    () => {
        const RESERVES: bool = true;
        const CONSTRAINED: bool = true;
        const SQUARES: usize = 1;
        const MIMICRY: Mimicry = Mimicry::None;

        fn reserve_rows<T: Real>(self, model: &Model, rows: usize, s: &mut Scratch<T>) {
            s.constraints.make_room(model, rows);
            let stride = s.constraints.g.stride;
            s.constraints.products.make_room(model, stride);
        }
    };
}

/// Computes q̈ and λ at a state, and keeps the factors of M and G.
#[inline(always)]
fn solve<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    (q, v, tau): (&[T], &[T], &[T]),
    products: &mut Products<T>,
) -> Done {
    set_up::<T, false>(scene, s, q, v);
    step(s.proof, Factorise { scene, s })?;
    forward::solve(scene, s, tau, &mut products.qdd)?;
    products.lambda.copy_from_slice(&s.constraints.lambda);
    Ok(())
}

impl Algorithm<6, 2> for ConstrainedFdJvp {
    of_forward_dynamics!();

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, tau, dq, dv, dtau]: In<T, 6>,
        [dqdd, dlambda]: To<T, 2>,
    ) -> Done {
        let (dqdd, dlambda) = (dqdd.entries, dlambda.entries);
        lend!(s.constraints.products => products, || {
            solve(scene, s, (q, v, tau), products)?;
            let Products { qdd, lambda, turn, full: [dq_full, dv_full, _], .. } = &mut *products;
            match scene.model.mimic() {
                None => forth(scene, s, (q, v, qdd), (dq, dv), lambda, turn),
                Some(map) => lend!(s.constraints.full => [of_q, of_v, of_a], || {
                    map.expand_v(qdd, of_a);
                    map.expand_v(dq, dq_full);
                    map.expand_v(dv, dv_full);
                    forth(scene, s, (of_q, of_v, of_a), (dq_full, dv_full), lambda, turn);
                    let Room { b, z, .. } = &mut s.constraints;
                    map.reduce(b, z);
                    b[..z.len()].copy_from_slice(z);
                }),
            }
            step!(s.proof, || change(scene, &mut s.constraints, dtau, turn, dqdd, dlambda));
            Ok(())
        })
    }
}

/// ID_x δx into b and r_x δx into r, on the full tree.
#[inline(always)]
fn forth<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    (q, v, qdd): (&[T], &[T], &[T]),
    (dq, dv): (&[T], &[T]),
    lambda: &[T],
    turn: &mut [T],
) {
    step!(s.proof, || {
        let Some(constraints) = scene.constraints else { return };
        jvp::move_all(scene, s, (q, v, qdd), (dq, dv, None));
        let Scratch { X, jvp, constraints: Room { r, .. }, .. } = &mut *s;
        let bodies = &mut jvp.bodies;
        r.fill(T::zero());
        turn.fill(T::zero());
        for (i, item) in constraints.items().iter().enumerate() {
            let rows = item.rows();
            let (dr, turn) = (&mut r[rows.clone()], &mut turn[rows.clone()]);
            if let Some(pair) = item.pair() {
                let at @ [i, j] = [pair.first.body, pair.second.body];
                let (one, other) = (&bodies[i], &bodies[j]);
                let seen = Seen::in_ground(pair, [X[i], X[j]], [one.v, other.v], [one.a, other.a]);
                let to_point = |m| seen.at_point(Side::First, m);
                let by = Shift {
                    s: [to_point(one.s), to_point(other.s)],
                    dv: [to_point(one.dv), to_point(other.dv)],
                    da: [to_point(one.da), to_point(other.da)],
                };
                let under = Under { lambda: &lambda[rows], is_driven: scene.desired.is_some() };
                let [first, second] = item.shift(&seen, under, &by, dr, turn);
                let F = super::slope::force(item, &seen, under.lambda);
                for (body, f, df) in [(at[0], -F, first), (at[1], F, second)] {
                    bodies[body].f += seen.on(Side::First, f);
                    bodies[body].df += seen.on(Side::First, df);
                }
            } else if let Kind::Joints(terms, _) = &item.kind {
                let (kp, kd) = (T::from_f64(item.gains.kp), T::from_f64(item.gains.kd));
                for term in terms {
                    let change = kp.mul_add(dq[term.dof], kd * dv[term.dof]);
                    dr[0] = T::from_f64(term.factor).mul_add(change, dr[0]);
                }
            }
            for dr in dr {
                *dr *= scene.is_active(i);
            }
        }
        lend!(s.constraints.b => b, || jvp::collect(scene, s, v, (dq, dv, None), b));
    });
}

/// (1)
#[inline(always)]
fn change<T: Real>(
    scene: &Scene<'_, T>,
    room: &mut Room<T>,
    dtau: &[T],
    turn: &[T],
    dqdd: &mut [T],
    dlambda: &mut [T],
) {
    let Some(constraints) = scene.constraints else { return };
    meet(scene, room, dtau);
    room.g.backward(&mut room.lambda);
    accelerate(scene, room, dqdd);
    let Room { g, lambda, seen, .. } = room;
    if g.any_dropped {
        g.make_least_norm(lambda);
    }
    for ((out, &lambda), &turn) in dlambda.iter_mut().zip(&*lambda).zip(turn) {
        *out = lambda + turn;
    }
    to_own(constraints, seen, dlambda);
}

impl Algorithm<5, 3> for ConstrainedFdVjp {
    of_forward_dynamics!();

    #[inline(always)]
    fn compute<T: Real>(
        self,
        scene: &Scene<T>,
        s: &mut Scratch<T>,
        [q, v, tau, w, w_lambda]: In<T, 5>,
        [wq, wv, y]: To<T, 3>,
    ) -> Done {
        let (wq, wv, y) = (wq.entries, wv.entries, y.entries);
        lend!(s.constraints.products => products, || {
            solve(scene, s, (q, v, tau), products)?;
            let Products { qdd, lambda, kappa, full: [y_full, wq_full, wv_full], unused, .. } = &mut *products;
            kappa.fill(T::zero());
            kappa[..w_lambda.len()].copy_from_slice(w_lambda);
            step!(s.proof, || across(scene, &mut s.constraints, w, kappa, y));
            match scene.model.mimic() {
                None => back(scene, s, (q, v, qdd), y, (lambda, kappa), [&mut *wq, &mut *wv, unused]),
                Some(map) => lend!(s.constraints.full => [of_q, of_v, of_a], || {
                    map.expand_v(qdd, of_a);
                    map.expand_v(y, y_full);
                    let out = [&mut wq_full[..], &mut wv_full[..], &mut unused[..]];
                    back(scene, s, (of_q, of_v, of_a), y_full, (lambda, kappa), out);
                    map.reduce(wq_full, wq);
                    map.reduce(wv_full, wv);
                }),
            }
            for x in wq.iter_mut().chain(&mut *wv) {
                *x = -*x; // (3)
            }
            Ok(())
        })
    }
}

/// (2): y, and −η stored in λ; κ in the axes that rows are computed in.
#[inline(always)]
fn across<T: Real>(scene: &Scene<'_, T>, room: &mut Room<T>, w: &[T], kappa: &mut [T], y: &mut [T]) {
    let Some(constraints) = scene.constraints else { return };
    for (item, seen) in constraints.items().iter().zip(&room.seen) {
        item.turn(seen.as_ref(), false, &mut kappa[item.rows()]);
    }
    room.r.copy_from_slice(kappa);
    if room.g.any_dropped {
        room.g.make_least_norm(&mut room.r);
    }
    room.b.fill(T::zero());
    meet(scene, room, w);
    room.g.backward(&mut room.lambda);
    accelerate(scene, room, y);
}

/// ID_xᵀ y + r_xᵀ η on the full tree.
#[inline(always)]
fn back<T: Real>(
    scene: &Scene<'_, T>,
    s: &mut Scratch<T>,
    (q, v, qdd): (&[T], &[T], &[T]),
    y: &[T],
    (lambda, kappa): (&[T], &[T]),
    [wq, wv, unused]: [&mut [T]; 3],
) {
    step!(s.proof, || {
        let Some(constraints) = scene.constraints else { return };
        vjp::move_all(scene, s, (q, v, qdd), y);
        let Scratch { X, vjp, constraints: room, .. } = &mut *s;
        let (bodies, eta) = (&mut vjp.bodies, &mut room.lambda);
        for eta in &mut *eta {
            *eta = -*eta;
        }
        for item in constraints.items() {
            let Some(pair) = item.pair() else { continue };
            let (at @ [i, j], rows) = ([pair.first.body, pair.second.body], item.rows());
            let (one, other) = (&bodies[i], &bodies[j]);
            let seen = Seen::in_ground(pair, [X[i], X[j]], [one.v, other.v], [one.a, other.a]);
            let z = [seen.at_point(Side::First, one.z), seen.at_point(Side::First, other.z)];
            let under = Under { lambda: &lambda[rows.clone()], is_driven: scene.desired.is_some() };
            let pull = item.pull(&seen, under, z, &eta[rows.clone()], &kappa[rows]);
            let F = super::slope::force(item, &seen, under.lambda);
            for (k, f, a_bar) in [(0, -F, pull.a), (1, F, -pull.a)] {
                let body = &mut bodies[at[k]];
                body.f += seen.on(Side::First, f);
                body.a_bar += seen.on(Side::First, a_bar);
                body.v_bar += seen.on(Side::First, pull.v[k]);
                body.s_bar += seen.on(Side::First, pull.s[k]);
            }
        }
        vjp::collect(scene, s, v, y, (&mut *wq, &mut *wv, &mut *unused));
        for item in constraints.items() {
            let Kind::Joints(terms, _) = &item.kind else { continue };
            let eta = s.constraints.lambda[item.rows.start];
            for term in terms {
                let pull = eta * T::from_f64(term.factor);
                wq[term.dof] = pull.mul_add(T::from_f64(item.gains.kp), wq[term.dof]);
                wv[term.dof] = pull.mul_add(T::from_f64(item.gains.kd), wv[term.dof]);
            }
        }
    });
}
