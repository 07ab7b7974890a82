//! Constrained dynamics: what it must obey, and its derivatives.
#![allow(non_snake_case)]

mod mechanisms;

use dtau::model::{Model, Root, generate};
use dtau::scalar::{Complex, Real};
use dtau::{
    Constrained, ConstrainedFdDerivatives, Constraints, Matrix, Random, Scene, Workspace, constrained_fd,
    constrained_fd_derivatives, rnea,
};
use dtau_fixtures::assertions::Report;
use dtau_fixtures::constraints::{KINDS, Spec, What, build, joint_number};
use dtau_fixtures::robots;
use dtau_fixtures::states::State;
use dtau_fixtures::steps;

/// A robot, constraints, a state and torques.
struct Case {
    name: String,
    model: Model,
    specs: Vec<Spec>,
    set: Constraints,
    x: State,
}

/// Random trees with constraints of each kind alone and several together, on and off what they hold; without those whose rows depend on
/// each other, or nearly so.
fn cases(each: u64) -> Vec<Case> {
    let mut all = Vec::new();
    for seed in 0..each * (KINDS as u64 + 2) {
        let (kind, root) = (seed as usize % (KINDS + 2), if seed % 3 == 0 { Root::Fixed } else { Root::Floating });
        let model = robots::build(&generate::random_tree(seed, 10), root);
        let random = &mut Random::seeded(seed);
        let x = State::draw(&model, random);
        let here = (random.below(2) == 0).then_some(&x.q[..]);
        let kinds = if kind < KINDS { vec![kind] } else { (0..4).map(|_| random.below(KINDS)).collect() };
        let mut specs: Vec<Spec> = Vec::new();
        for kind in kinds {
            if let Some(spec) = Spec::draw(&model, random, kind, here) {
                if specs.iter().map(Spec::rows).sum::<usize>() + spec.rows() <= model.nv() / 2 {
                    specs.push(spec);
                }
            }
        }
        if specs.is_empty() {
            continue;
        }
        let set = build(&model, &specs).unwrap();
        let name = format!("seed {seed}, {:?} root, {:?}", root, specs.iter().map(|s| &s.what).collect::<Vec<_>>());
        let case = Case { name, model, specs, set, x };
        if conditioning(&case) < 1e8 {
            all.push(case);
        }
    }
    assert!(all.len() as u64 > 4 * each, "{} of {} cases are left", all.len(), each * (KINDS as u64 + 2));
    all
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| f64::max(most, x.abs()))
}

/// How much larger the largest λ of random torques is than it should be: a cheap sign of rows that nearly depend on each other.
fn conditioning(case: &Case) -> f64 {
    let mut out = Constrained::new(&case.set);
    let mut ws = Workspace::new(&case.model);
    match constrained_fd(&case.model, &mut ws, &case.set, &case.x.q, &case.x.v, &case.x.a, &mut out) {
        Err(_) => f64::INFINITY,
        Ok(()) => largest(&out.lambda),
    }
}

/// The accelerations obey the constraints, by the geometry of the motion alone; and with the forces as wrenches on both bodies they are
/// what RNEA needs the torques for. To 1e-9 of the numbers involved: λ may be large.
#[test]
fn accelerations_obey_the_constraints_and_forces_are_what_it_takes() {
    for case in cases(6) {
        let Case { name, model, specs, set, x } = &case;
        let (mut ws, mut out) = (Workspace::new(model), Constrained::new(set));
        constrained_fd(model, &mut ws, set, &x.q, &x.v, &x.a, &mut out).unwrap();
        let scale = out.qdd.iter().chain(&out.lambda).fold(10.0, |most, x| f64::max(most, x.abs()));
        let mut wrenches = Vec::new();
        let mut tau = x.a.clone();
        for (spec, item) in specs.iter().zip(set.iter()) {
            for (row, r) in spec.residual(model, &x.q, &x.v, &out.qdd).into_iter().enumerate() {
                assert!(r.abs() < 1e-9 * scale, "{name}\n{spec:?} row {row}: r = {r:e} beside {scale:e}");
            }
            let lambda = &out.lambda[item.rows()];
            wrenches.extend(spec.wrenches(model, &x.q, item.axes(), lambda));
            if let What::Joints { terms, .. } = &spec.what {
                for (joint, factor) in terms {
                    tau[model.joints()[joint_number(model, joint)].v.start] += factor * lambda[0];
                }
            }
        }
        let mut needed = vec![0.0; model.nv()];
        rnea(model.scene().wrenches(&wrenches), &mut ws, &x.q, &x.v, &out.qdd, &mut needed).unwrap();
        for k in 0..model.nv() {
            let d = needed[k] - tau[k];
            assert!(d.abs() < 1e-9 * scale, "{name}\ndof {k}: needs {}, has {}", needed[k], tau[k]);
        }
    }
}

/// q̈ and λ, one after the other, in any scalar.
fn forward<T: Real>(scene: Scene<'_, T>, set: &Constraints, q: &[T], v: &[T], tau: &[T]) -> Vec<T> {
    let (mut ws, mut out) = (Workspace::new(scene.model), Constrained::new(set));
    constrained_fd(scene, &mut ws, set, q, v, tau, &mut out).unwrap();
    [out.qdd, out.lambda].concat()
}

/// Two matrices one above the other.
fn stacked(above: &Matrix<f64>, below: &Matrix<f64>, columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|c| above.column(c).iter().chain(below.column(c)).copied()).collect()
}

/// The derivatives of q̈ and λ are those that complex steps find in the forward function, to 1e-12 of the row; times how much larger
/// the forces are than ten newtons, since that is what rounding of J is multiplied with where rows nearly depend on each other.
#[test]
fn derivatives_are_complex_steps_of_the_forward_function() {
    let mut report = Report::of("constrained derivatives beside complex steps");
    for case in cases(6) {
        let Case { name, model, set, x, .. } = &case;
        let (mut ws, mut d) = (Workspace::new(model), ConstrainedFdDerivatives::new(set));
        constrained_fd_derivatives(model, &mut ws, set, &x.q, &x.v, &x.a, &mut d).unwrap();
        assert_eq!([&d.qdd[..], &d.lambda].concat(), forward(model.scene(), set, &x.q, &x.v, &x.a), "{name}");
        let [q, v, tau] = [&x.q, &x.v, &x.a].map(|x| steps::lift::<Complex>(x));
        let rows = model.nv() + set.rows();
        let tolerance = 1e-12 * f64::max(1.0, largest(&d.lambda) / 10.0);
        for (what, got, want) in [
            (
                "by q",
                stacked(&d.dqdd_dq, &d.dlambda_dq, model.nv()),
                steps::by_q(model, &x.q, |q| forward(model.scene(), set, q, &v, &tau)),
            ),
            (
                "by v",
                stacked(&d.dqdd_dv, &d.dlambda_dv, model.nv()),
                steps::by_numbers(&x.v, |v| forward(model.scene(), set, &q, v, &tau)),
            ),
            (
                "by tau",
                stacked(&d.dqdd_dtau, &d.dlambda_dtau, model.nv()),
                steps::by_numbers(&x.a, |tau| forward(model.scene(), set, &q, &v, tau)),
            ),
        ] {
            report.check(&format!("{name}: {what}"), &got, &want, rows, tolerance);
        }
    }
}
