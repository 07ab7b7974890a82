//! Constrained inverse dynamics.

use super::*;
use crate::constraints::{Case, cases, stacked};
use dtau::scalar::{Complex, Real};
use dtau::{
    Constrained, ConstrainedEfforts, ConstrainedIdDerivatives, Random, Scene, constrained_fd, constrained_id,
    constrained_id_derivatives, rnea,
};
use dtau_fixtures::assertions::Report;
use dtau_fixtures::steps;

/// Random strengths in [0.5, 1.5) of joints (the first `unactuated` have strength zero) and of rows.
fn strengths(model: &Model, set: &Constraints, unactuated: usize) -> (Vec<f64>, Vec<f64>) {
    let random = &mut Random::seeded(7);
    let mut torque: Vec<f64> = (0..model.nv()).map(|_| random.within(0.5, 1.5)).collect();
    torque[..unactuated].fill(0.0);
    (torque, (0..set.rows()).map(|_| random.within(0.5, 1.5)).collect())
}

fn inverse<T: Real>(scene: Scene<'_, T>, set: &Constraints, x: [&[T]; 5]) -> Vec<T> {
    let (mut ws, mut out) = (Workspace::new(scene.model), ConstrainedEfforts::new(set));
    let [q, v, a, torque, force] = x;
    constrained_id(scene, &mut ws, set, q, v, a, torque, force, &mut out).unwrap();
    [out.tau, out.lambda].concat()
}

/// Returns the number of unactuated degrees of freedom: those of a floating base, if the first constraint can
/// hold them.
fn unactuated(case: &Case) -> usize {
    let first = &case.model.joints()[0];
    // A frame held by the world determines the motion of the base.
    let holds = case.specs.iter().any(|spec| spec.by.is_none() && spec.rows() == 6);
    if matches!(first.kind, JointKind::FreeFlyer) && holds { 6 } else { 0 }
}

/// Torques and forces give the desired accelerations: forward dynamics with the torques finds the same, if
/// these satisfy the constraints. Unactuated joints have no torque. The cost is minimal: solutions for other
/// strengths cost more.
#[test]
fn what_is_wished_is_granted_with_the_least() {
    let mut floating = 0;
    for case in cases(6) {
        let Case { name, model, set, x, .. } = &case;
        let mut ws = Workspace::new(model);
        let mut fd = Constrained::new(set);
        constrained_fd(model, &mut ws, set, &x.q, &x.v, &x.a, &mut fd).unwrap();
        let free = unactuated(&case);
        floating += usize::from(free > 0);
        let (torque, force) = strengths(model, set, free);
        let mut out = ConstrainedEfforts::new(set);
        let granted = constrained_id(model, &mut ws, set, &x.q, &x.v, &fd.qdd, &torque, &force, &mut out);
        granted.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(out.tau[..free].iter().all(|&tau| tau == 0.0), "{name}: {:?}", out.tau);
        let mut again = Constrained::new(set);
        constrained_fd(model, &mut ws, set, &x.q, &x.v, &out.tau, &mut again).unwrap();
        let scale = fd.qdd.iter().chain(&fd.lambda).chain(&out.tau).fold(10.0, |most, x| f64::max(most, x.abs()));
        for (got, want) in again.qdd.iter().zip(&fd.qdd) {
            assert!((got - want).abs() < 1e-8 * scale, "{name}: {got}, wished {want}, beside {scale:e}");
        }
        let cost = |tau: &[f64], lambda: &[f64]| {
            let share = |x: &[f64], s: &[f64]| {
                x.iter().zip(s).filter(|(_, s)| **s > 0.0).map(|(x, s)| (x / s).powi(2)).sum::<f64>()
            };
            share(tau, &torque) + share(lambda, &force)
        };
        let least = cost(&out.tau, &out.lambda);
        let mut other = ConstrainedEfforts::new(set);
        let turned: Vec<f64> = force.iter().map(|s| 2.0 - s).collect();
        constrained_id(model, &mut ws, set, &x.q, &x.v, &fd.qdd, &torque, &turned, &mut other).unwrap();
        assert!(least <= cost(&other.tau, &other.lambda) * (1.0 + 1e-9), "{name}: {least}");
    }
    assert!(floating > 2, "{floating} robots stand on constraints alone");
}

/// The derivatives of τ and λ equal complex steps of the function. The tolerance is 1e-12 of the row, times
/// the size of the forces relative to ten newtons, as for forward dynamics. Covers mimicry, every joint and
/// every kind of constraint, fully actuated or not.
#[test]
fn derivatives_are_complex_steps_of_inverse_dynamics() {
    let mut report = Report::of("constrained inverse dynamics beside complex steps");
    for case in cases(3) {
        let Case { name, model, set, x, .. } = &case;
        let (torque, force) = strengths(model, set, unactuated(&case));
        let (mut ws, mut d) = (Workspace::new(model), ConstrainedIdDerivatives::new(set));
        constrained_id_derivatives(model, &mut ws, set, &x.q, &x.v, &x.a, &torque, &force, &mut d).unwrap();
        let value = inverse(model.scene(), set, [&x.q, &x.v, &x.a, &torque, &force]);
        assert_eq!([&d.tau[..], &d.lambda].concat(), value, "{name}");
        let [q, v, a, s, t] = [&x.q, &x.v, &x.a, &torque, &force].map(|x| steps::lift::<Complex>(x));
        let rows = model.nv() + set.rows();
        let tolerance = 1e-12 * d.lambda.iter().fold(1.0, |most, x| f64::max(most, x.abs() / 10.0));
        for (what, got, want) in [
            (
                "by q",
                stacked(&d.dtau_dq, &d.dlambda_dq, model.nv()),
                steps::by_q(model, &x.q, |q| inverse(model.scene(), set, [q, &v, &a, &s, &t])),
            ),
            (
                "by v",
                stacked(&d.dtau_dv, &d.dlambda_dv, model.nv()),
                steps::by_numbers(&x.v, |v| inverse(model.scene(), set, [&q, v, &a, &s, &t])),
            ),
            (
                "by a",
                stacked(&d.dtau_da, &d.dlambda_da, model.nv()),
                steps::by_numbers(&x.a, |a| inverse(model.scene(), set, [&q, &v, a, &s, &t])),
            ),
        ] {
            report.check(&format!("{name}: {what}"), &got, &want, rows, tolerance);
        }
    }
}

/// A standing quadruped: leg torques and foot forces carry it, and the base has no actuator. Four feet and
/// twelve joints are redundant, so strengths decide: a weak foot has a smaller force.
#[test]
fn a_standing_quadruped_shares_its_weight_by_strengths() {
    let (model, q) = quadruped();
    let mut set = Constraints::new(&model);
    for foot in FEET {
        set = set.point(foot).at_world_here(&q).unwrap();
    }
    let set = set.build().unwrap();
    let (zeros, mut ws) = (vec![0.0; model.nv()], Workspace::new(&model));
    let mut torque = vec![1.0; model.nv()];
    torque[..6].fill(0.0);
    let mut foot = |strength: f64| {
        let mut force = [1.0; 12];
        force[..3].fill(strength);
        let mut out = ConstrainedEfforts::new(&set);
        constrained_id(&model, &mut ws, &set, &q, &zeros, &zeros, &torque, &force, &mut out).unwrap();
        let up: f64 = out.lambda.chunks_exact(3).map(|foot| foot[2]).sum();
        assert!((up - model.mass() * G).abs() < 1e-8, "{up} N up");
        // Torques supply the rest: inverse dynamics with the foot forces needs them.
        let wrenches: Vec<dtau::Wrench<f64>> = FEET
            .iter()
            .zip(out.lambda.chunks_exact(3))
            .map(|(foot, f)| {
                dtau::Wrench::local_world_aligned(model.frame(foot).unwrap(), [f[0], f[1], f[2]], [0.0; 3])
            })
            .collect();
        let mut needed = vec![0.0; model.nv()];
        rnea(model.scene().wrenches(&wrenches), &mut Workspace::new(&model), &q, &zeros, &zeros, &mut needed).unwrap();
        for k in 0..model.nv() {
            assert!((needed[k] - out.tau[k]).abs() < 1e-9, "{k}: needs {}, has {}", needed[k], out.tau[k]);
        }
        out.lambda[..3].iter().map(|x| x * x).sum::<f64>()
    };
    let even = foot(1.0);
    assert!(foot(0.3) < 0.9 * even, "a weak foot has less of a force");
    // A foot with zero strength has no force.
    let mut force = [1.0; 12];
    force[..3].fill(0.0);
    let mut out = ConstrainedEfforts::new(&set);
    constrained_id(&model, &mut ws, &set, &q, &zeros, &zeros, &torque, &force, &mut out).unwrap();
    assert!(out.lambda[..3].iter().all(|&f| f == 0.0), "{:?}", out.lambda);
}

/// An infeasible acceleration is an error that names it. With a small strength there, the missing torque is
/// reported, and the feasible part is achieved.
#[test]
fn impossible_wishes_say_so() {
    let model = Plan::new("chain").bar("upper", "base", [0.0, 0.0], 1.0).bar("lower", "upper", [1.0, 0.0], 1.0).build();
    let set = Constraints::new(&model).joints(&[("to_upper", 1.0)]).called("brake").sum_to(0.0).build().unwrap();
    let (mut ws, mut out) = (Workspace::new(&model), ConstrainedEfforts::new(&set));
    let (q, v, mut a) = ([0.3, 0.4], [0.0; 2], [0.0, 1.0]);
    let mut wish = |a: &[f64], torque: &[f64], out: &mut ConstrainedEfforts<f64>| {
        constrained_id(&model, &mut ws, &set, &q, &v, a, torque, &[1.0], out)
    };
    let error = wish(&a, &[1.0, 0.0], &mut out).unwrap_err().to_string();
    assert!(
        error.contains("to_lower") && error.contains("wished acceleration") && error.contains("torque_strength"),
        "{error}"
    );
    // The passive motion needs no torque at the unactuated joint.
    let mut fd = Constrained::new(&set);
    constrained_fd(&model, &mut Workspace::new(&model), &set, &q, &v, &[0.0; 2], &mut fd).unwrap();
    a.copy_from_slice(&fd.qdd);
    wish(&a, &[1.0, 0.0], &mut out).unwrap();
    assert!(out.tau[1] == 0.0 && (out.tau[0] + out.lambda[0] - fd.lambda[0]).abs() < 1e-9, "{out:?} {fd:?}");
    let mut d = ConstrainedIdDerivatives::new(&set);
    let error =
        constrained_id_derivatives(&model, &mut Workspace::new(&model), &set, &q, &v, &a, &[1.0, 0.0], &[1.0], &mut d);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("to_lower") && error.contains("no derivatives"), "{error}");
    // Almost zero.
    let mut needed = [0.0; 2];
    rnea(&model, &mut Workspace::new(&model), &q, &v, &[0.0, 1.0], &mut needed).unwrap();
    wish(&[0.0, 1.0], &[1.0, 1e-3], &mut out).unwrap();
    assert!((out.tau[1] - needed[1]).abs() < 1e-9, "{out:?} {needed:?}");
    let error = wish(&a, &[1.0, -1.0], &mut out).unwrap_err().to_string();
    assert!(error.contains("`torque_strength[1]` is negative"), "{error}");
    let error = wish(&a, &[1.0, f64::NAN], &mut out).unwrap_err().to_string();
    assert!(error.contains("torque_strength"), "{error}");
    let error = wish(&[f64::NAN, 0.0], &[1.0, 1.0], &mut out).unwrap_err().to_string();
    assert!(error.contains("`a`"), "{error}");
}
