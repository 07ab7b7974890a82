//! Constrained dynamics: physical laws, and derivatives.
#![allow(non_snake_case)]

mod mechanisms;

use dtau::model::{Model, Root, generate};
use dtau::scalar::{Complex, Dual, Real};
use dtau::spatial::{Quaternion, Transform, Vec3};
use dtau::{
    Batch, Constrained, ConstrainedFdDerivatives, ConstrainedMut, ConstraintErrorsMut, Constraints, ConstraintsBuilder,
    ErrorKind, Gains, ImpulseDerivativesMut, ImpulseMut, Parameters, Random, RowAxes, Scene, Workspace, Wrench,
    constrained_fd, constrained_fd_derivatives, constraint_errors, function, impulse, impulse_derivatives, mass_times,
    minverse, rnea,
};
use dtau_fixtures::assertions::{assert_close, assert_rows_close};
use dtau_fixtures::constrained::{Case, cases, condition_of, forward, jacobian, operational, stacked};
use dtau_fixtures::constraints::{What, joint_number};
use dtau_fixtures::matrices::{self, largest, scales};
use dtau_fixtures::robots;
use dtau_fixtures::states::{State, numbers};
use dtau_fixtures::steps;

/// The accelerations satisfy the constraints, by the geometry of the motion alone. With the forces as wrenches on
/// both bodies, RNEA gives the torques. The tolerance is 1e-9 of the numbers involved, because λ may be large.
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

/// The derivatives of q̈ and λ equal complex steps of the forward function. The tolerance is 1e-12 of the row,
/// times the condition of the equations (`condition_of`). Entries smaller than the largest of q̈ and λ, or 1,
/// count as that size: for a fully constrained body, accelerations are the rounding of larger numbers that cancel.
fn check_derivatives(case: &Case, scene: Scene<'_, f64>, complex: Scene<'_, Complex>) -> f64 {
    let Case { name, model, set, x, .. } = case;
    let (mut ws, mut d) = (Workspace::new(model), ConstrainedFdDerivatives::new(set));
    constrained_fd_derivatives(scene, &mut ws, set, &x.q, &x.v, &x.a, &mut d).unwrap();
    let here = forward(scene, set, &x.q, &x.v, &x.a);
    assert_eq!([&d.qdd[..], &d.lambda].concat(), here, "{name}");
    let [q, v, tau] = [&x.q, &x.v, &x.a].map(|x| steps::lift::<Complex>(x));
    let (rows, condition) = (model.nv() + set.rows(), condition_of(case));
    let by_q = steps::by_q(model, &x.q, |q| forward(complex, set, q, &v, &tau));
    let by_v = steps::by_numbers(&x.v, |v| forward(complex, set, &q, v, &tau));
    let by_tau = steps::by_numbers(&x.a, |tau| forward(complex, set, &q, &v, tau));
    let mut worst: f64 = 0.0;
    for (what, got, want) in [
        ("by q", stacked(&d.dqdd_dq, &d.dlambda_dq, model.nv()), by_q),
        ("by v", stacked(&d.dqdd_dv, &d.dlambda_dv, model.nv()), by_v),
        ("by tau", stacked(&d.dqdd_dtau, &d.dlambda_dtau, model.nv()), by_tau),
    ] {
        let scales = scales(rows, &condition, &want, largest(&here).max(1.0));
        worst = worst.max(assert_rows_close(&format!("{name}: {what}"), &got, &want, &scales, 1e-12));
    }
    worst
}

#[test]
fn derivatives_are_complex_steps_of_the_forward_function() {
    let mut worst: f64 = 0.0;
    for case in cases(6) {
        worst = worst.max(check_derivatives(&case, case.model.scene(), case.model.scene()));
    }
    println!("constrained derivatives beside complex steps: {worst:.1e} of their scales at the most");
}

/// Same with dual numbers, which use other arithmetic.
#[test]
fn derivatives_are_those_of_dual_numbers() {
    for case in cases(1) {
        let Case { name, model, set, x, .. } = &case;
        let (mut ws, mut d) = (Workspace::new(model), ConstrainedFdDerivatives::new(set));
        constrained_fd_derivatives(model, &mut ws, set, &x.q, &x.v, &x.a, &mut d).unwrap();
        let (n, condition) = (model.nv(), condition_of(&case));
        let direction: Vec<f64> = (0..n).map(|k| 1.0 / (1.0 + k as f64)).collect();
        let dual = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(&x, &d)| Dual::new(x, [d])).collect::<Vec<_>>();
        let (zero, mut q) = (vec![0.0; n], steps::lift::<Dual>(&x.q));
        model.integrate(&steps::lift::<Dual>(&x.q), &dual(&zero, &direction), &mut q).unwrap();
        let (v, tau) = (dual(&x.v, &direction), dual(&x.a, &zero));
        let want: Vec<f64> = forward(model.scene(), set, &q, &v, &tau).iter().map(|x| x.eps[0]).collect();
        let sum = |of_q: Vec<f64>, of_v: Vec<f64>| {
            matrices::sum(
                &matrices::product(n + set.rows(), &of_q, &direction),
                &matrices::product(n + set.rows(), &of_v, &direction),
            )
        };
        let got = sum(stacked(&d.dqdd_dq, &d.dlambda_dq, n), stacked(&d.dqdd_dv, &d.dlambda_dv, n));
        assert_rows_close(name, &got, &want, &scales(n + set.rows(), &condition, &want, 1.0), 1e-12);
    }
}

/// Covers wrenches, a desired motion along the rows, and rows in any axes.
#[test]
fn desired_motions_and_wrenches_are_differentiated_too() {
    for case in cases(3) {
        let (model, random) = (&case.model, &mut Random::seeded(3));
        let desired = numbers(random, 3 * case.set.rows());
        let frames: Vec<_> = model.frame_ids().collect();
        let force = [1.0, -2.0, 0.5];
        let wrenches = [Wrench::local_world_aligned(frames[frames.len() - 1], force, [0.1, 0.2, -0.3])];
        let lifted = [Wrench::local_world_aligned(
            frames[frames.len() - 1],
            force.map(Complex::from_f64),
            [0.1, 0.2, -0.3].map(Complex::from_f64),
        )];
        let complex = steps::lift::<Complex>(&desired);
        let scene = model.scene().wrenches(&wrenches).desired(&desired);
        check_derivatives(&case, scene, model.scene().wrenches(&lifted).desired(&complex));
    }
}

/// J, its errors and J M⁻¹ Jᵀ are consistent with M, τ and λ.
#[test]
fn the_jacobian_makes_torques_of_forces_and_velocities_of_velocities() {
    for case in cases(2) {
        let Case { name, model, set, x, .. } = &case;
        let (n, m, ws) = (model.nv(), set.rows(), &mut Workspace::new(model));
        let (j, (g, inverse, rank), condition) =
            (jacobian(model, set, &x.q), operational(model, set, &x.q), condition_of(&case));
        assert_eq!(rank, m as f64, "{name}");
        let both = forward(model.scene(), set, &x.q, &x.v, &x.a);
        let (qdd, lambda) = both.split_at(n);
        let mut torques = vec![0.0; n];
        rnea(model, ws, &x.q, &x.v, qdd, &mut torques).unwrap();
        for k in 0..n {
            let d = torques[k] - x.a[k] - matrices::dot(&j[k * m..][..m], lambda);
            assert!(d.abs() < 1e-9 * largest(&both).max(10.0), "{name}: torque {k}: {d:e}");
        }
        let (mut position, mut velocity) = (vec![0.0; m], vec![0.0; m]);
        let out = ConstraintErrorsMut { position: &mut position, velocity: &mut velocity };
        constraint_errors(model, ws, set, &x.q, &x.v, out).unwrap();
        assert_close(name, &velocity, &matrices::product(m, &j, &x.v), m, 1e-12);
        let mut minv = vec![0.0; n * n];
        minverse(model, ws, &x.q, &mut minv).unwrap();
        let transposed: Vec<f64> =
            (0..m).flat_map(|r| (0..n).map(move |k| (r, k))).map(|(r, k)| j[k * m + r]).collect();
        let want = matrices::product(m, &j, &matrices::product(n, &minv, &transposed));
        assert_rows_close(name, &g, &want, &vec![largest(&want) * largest(&condition); m], 1e-12);
        let one = matrices::product(m, &g, &inverse);
        assert_rows_close(name, &one, &matrices::identity(m), &vec![largest(&condition).powi(2); m], 1e-12);
    }
}

/// v⁺ and the impulse, one after the other.
fn collide<T: Real>(model: &Model, set: &Constraints, q: &[T], v: &[T], e: T) -> Vec<T> {
    let (mut after, mut impulses) = (vec![T::zero(); model.nv()], vec![T::zero(); set.rows()]);
    let out = ImpulseMut { v_after: &mut after, impulse: &mut impulses };
    impulse(model, &mut Workspace::new(model), set, q, v, &[e], out).unwrap();
    [after, impulses].concat()
}

/// The robot's change of momentum is that of the impulses, and restitution reverses the constraints'
/// velocity. Derivatives equal complex steps, also in the second call of a workspace.
#[test]
fn impulses_keep_momentum_and_their_derivatives_are_complex_steps() {
    for case in cases(3) {
        let Case { name, model, set, x, .. } = &case;
        let (n, m, ws, e) = (model.nv(), set.rows(), &mut Workspace::new(model), 0.3);
        let j = jacobian(model, set, &x.q);
        let both = collide(model, set, &x.q, &x.v, e);
        let (after, p) = both.split_at(n);
        let (gained, mut momentum) = (matrices::sum(after, &matrices::negative(&x.v)), vec![0.0; n]);
        mass_times(model, ws, &x.q, &gained, &mut momentum).unwrap();
        let scale = largest(&both).max(1.0);
        for k in 0..n {
            let d = momentum[k] - matrices::dot(&j[k * m..][..m], p);
            assert!(d.abs() < 1e-10 * scale, "{name}: momentum {k}: {d:e}");
        }
        let (before, later) = (matrices::product(m, &j, &x.v), matrices::product(m, &j, after));
        for r in 0..m {
            let d = later[r] + e * before[r];
            assert!(d.abs() < 1e-10 * scale, "{name}: row {r}: {d:e}");
        }
        let mut out =
            [vec![0.0; n], vec![0.0; m], vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * m], vec![0.0; n * m]];
        for _ in 0..2 {
            let [v_after, impulse, dv_after_dq, dv_after_dv, dimpulse_dq, dimpulse_dv] = &mut out;
            let out = ImpulseDerivativesMut { v_after, impulse, dv_after_dq, dv_after_dv, dimpulse_dq, dimpulse_dv };
            impulse_derivatives(model, ws, set, &x.q, &x.v, &[e], out).unwrap();
        }
        assert_eq!([&out[0][..], &out[1]].concat(), both, "{name}");
        let [q, v] = [&x.q, &x.v].map(|x| steps::lift::<Complex>(x));
        let e = Complex::from_f64(e);
        let by_q = steps::by_q(model, &x.q, |q| collide(model, set, q, &v, e));
        let by_v = steps::by_numbers(&x.v, |v| collide(model, set, &q, v, e));
        let stack = |a: &[f64], b: &[f64]| {
            (0..n).flat_map(|c| [&a[c * n..][..n], &b[c * m..][..m]].concat()).collect::<Vec<f64>>()
        };
        let condition = condition_of(&case);
        for (what, got, want) in [("by q", stack(&out[2], &out[4]), by_q), ("by v", stack(&out[3], &out[5]), by_v)] {
            let scales = scales(n + m, &condition, &want, 1.0);
            assert_rows_close(&format!("{name}: impulse {what}"), &got, &want, &scales, 1e-12);
        }
    }
}

/// A quadruped on its feet.
fn quadruped() -> (Model, State) {
    let model = robots::bundled("quadruped", Root::Floating);
    let x = State::random(&model, 7);
    (model, x)
}

const FEET: [&str; 4] = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"];

/// Four feet held in six directions give six redundant rows out of 24. The rank is reported, q̈ equals that
/// with fewer rows, and λ has least norm. Two constraints on the same point share its force equally.
#[test]
fn redundant_constraints_have_the_least_forces() {
    let (model, x) = quadruped();
    let v = vec![0.0; model.nv()];
    let mut both = Constraints::new(&model);
    for foot in FEET {
        both = both.frame(foot).at_world_here(&x.q).unwrap();
    }
    let feet = both.build().unwrap();
    assert_eq!(operational(&model, &feet, &x.q).2, 18.0);
    let held = forward(model.scene(), &feet, &x.q, &v, &x.a);
    assert!(largest(&held[..model.nv()]) < 1e-8, "nothing moves");
    let mut d = ConstrainedFdDerivatives::new(&feet);
    constrained_fd_derivatives(&model, &mut Workspace::new(&model), &feet, &x.q, &v, &x.a, &mut d).unwrap();
    assert!(largest(&d.dqdd_dtau) < 1e-8 && largest(&d.dlambda_dq).is_finite());

    let once = Constraints::new(&model).point("lf_foot").at_world_here(&x.q).unwrap().build().unwrap();
    let twice = Constraints::new(&model).point("lf_foot").at_world_here(&x.q).unwrap();
    let twice = twice.point("lf_foot").axes(RowAxes::World).at_world_here(&x.q).unwrap().build().unwrap();
    assert_eq!(operational(&model, &twice, &x.q).2, 3.0);
    let (alone, shared) =
        (forward(model.scene(), &once, &x.q, &x.v, &x.a), forward(model.scene(), &twice, &x.q, &x.v, &x.a));
    let n = model.nv();
    assert_close("q̈", &shared[..n], &alone[..n], n, 1e-9);
    let halves: Vec<f64> = alone[n..].iter().chain(&alone[n..]).map(|x| x / 2.0).collect();
    assert_close("λ", &shared[n..], &halves, 6, 1e-9);
    // The derivatives of q̈ are those with one of them.
    let by = |set: &Constraints| {
        let mut d = ConstrainedFdDerivatives::new(set);
        constrained_fd_derivatives(&model, &mut Workspace::new(&model), set, &x.q, &x.v, &x.a, &mut d).unwrap();
        d
    };
    let (one, two) = (by(&once), by(&twice));
    for (what, one, two) in [("q", &one.dqdd_dq, &two.dqdd_dq), ("v", &one.dqdd_dv, &two.dqdd_dv)] {
        assert_close(what, two, one, n, 1e-8);
    }
}

/// Inactive constraints have no effect. Activity may differ between states.
#[test]
fn masks_take_constraints_out_of_the_set() {
    let (model, x) = quadruped();
    let set = |feet: &[&str]| {
        let all = feet.iter().fold(Constraints::new(&model), |set, foot| set.point(foot).at_world([0.1, 0.2, -0.3]));
        all.stabilise(Gains { kp: 9.0, kd: 2.0 }).build().unwrap()
    };
    let (all, two) = (set(&FEET), set(&[FEET[1], FEET[2]]));
    let n = model.nv();
    let want = forward(model.scene(), &two, &x.q, &x.v, &x.a);
    let got = forward(model.scene().active(&[0.0, 1.0, 1.0, 0.0]), &all, &x.q, &x.v, &x.a);
    assert_close("q̈", &got[..n], &want[..n], n, 1e-11);
    assert_close("λ", &got[n + 3..n + 9], &want[n..], 6, 1e-11);
    assert!(got[n..n + 3].iter().chain(&got[n + 9..]).all(|&x| x == 0.0));
    // In a batch, with activity by state, the bits equal those of single states.
    let states = 5;
    let (q, v, tau) = (x.q.repeat(states), x.v.repeat(states), x.a.repeat(states));
    let active: Vec<f64> = (0..states * 4).map(|k| if (k / 4 + k % 4) % 3 == 0 { 0.0 } else { 1.0 }).collect();
    let (mut qdd, mut lambda) = (vec![0.0; states * n], vec![0.0; states * 12]);
    let out = ConstrainedMut { qdd: &mut qdd, lambda: &mut lambda };
    constrained_fd(model.scene().active(&active), &mut Batch::new(&model), &all, &q, &v, &tau, out).unwrap();
    for k in 0..states {
        let alone = forward(model.scene().active(&active[4 * k..][..4]), &all, &x.q, &x.v, &x.a);
        assert_eq!([&qdd[k * n..][..n], &lambda[k * 12..][..12]].concat(), alone, "state {k}");
    }
}

/// Errors name the constraint and the remedy.
#[test]
fn errors_name_the_constraint() {
    let (model, x) = quadruped();
    let error = |set: ConstraintsBuilder| set.build().unwrap_err().to_string();
    let new = || Constraints::new(&model);
    for (got, want) in [
        (error(new().point("lf_food").at_world([0.0; 3])), "constraint \"lf_food\": there is no frame"),
        (error(new().point("lf_foot").with("lf_shank", [0.0; 3])), "on one body"),
        (
            error(new().point("lf_foot").called("left").gains(Gains { kp: -1.0, kd: 0.0 }).at_world([0.0; 3])),
            "\"left\": its gains",
        ),
        (error(new().point("lf_foot").at_world([0.0; 3]).stabilise(Gains { kp: f64::NAN, kd: 0.0 })), "its gains"),
        (error(new().point("lf_foot").at_world([f64::NAN, 0.0, 0.0])), "must be finite"),
        (error(new().point("lf_foot").in_world_plane([0.0; 3], [0.0; 3])), "its direction is zero"),
        (error(new().point("lf_foot").at_distance_of_world([0.0; 3], -1.0)), "must be positive"),
        (error(new().frame("lf_foot").only([false; 6]).at_world(Default::default())), "columns are not orthogonal"),
        (error(new().joints(&[("root_joint", 1.0)]).sum_to(0.0)), "several degrees of freedom"),
    ] {
        assert!(got.contains(want), "{got:?} does not say {want:?}");
    }
    // One point is held at two places.
    let torn =
        new().point("lf_foot").at_world([0.0, 0.0, 1.0]).point("lf_foot").called("again").at_world([1.0, 0.0, 0.0]);
    let torn = torn.stabilise(Gains { kp: 100.0, kd: 20.0 }).build().unwrap();
    let (mut ws, mut out) = (Workspace::new(&model), Constrained::new(&torn));
    let failed = constrained_fd(&model, &mut ws, &torn, &x.q, &x.v, &x.a, &mut out).unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::Singular);
    assert!(failed.to_string().contains("\"again\"") && failed.to_string().contains("\"lf_foot\""), "{failed}");
    // Another model, and a scene without constraints.
    let other = robots::bundled("quadruped", Root::Floating);
    let failed = constrained_fd(&other, &mut Workspace::new(&other), &torn, &x.q, &x.v, &x.a, &mut out).unwrap_err();
    assert!(failed.to_string().contains("made for another model"), "{failed}");
    let by_name = function("constrained_fd").unwrap().with(&Parameters::default()).unwrap();
    let Constrained { qdd, lambda } = &mut out;
    let failed = by_name.call(&model, &mut ws, &[&x.q, &x.v, &x.a], &mut [qdd, lambda]).unwrap_err();
    assert!(failed.to_string().contains("acts on constraints"), "{failed}");
}

/// Cases in which Pinocchio 4.1.0 is silently wrong, each compared with complex steps of our forward function.
mod where_pinocchio_is_wrong {
    use super::*;

    fn check(model: Model, set: Constraints, seed: u64) {
        let x = State::random(&model, seed);
        let case = Case { name: model.name().to_string(), model, specs: Vec::new(), set, x };
        check_derivatives(&case, case.model.scene(), case.model.scene());
    }

    fn two_arms() -> Model {
        robots::build(&generate::tree(13, 2), Root::Fixed)
    }

    #[test]
    fn loops_of_points_on_a_fixed_base() {
        let model = two_arms();
        let set = Constraints::new(&model).point("link_8").with("link_13", [0.2, 0.1, 0.0]);
        check(model.clone(), set.build().unwrap(), 1);
    }

    #[test]
    fn frames_in_world_axes_with_stabilisation_and_an_error() {
        let model = robots::bundled("humanoid", Root::Floating);
        let frame = model.frames().last().unwrap().full_name();
        let place = Transform::new(Quaternion::exp(Vec3::new(0.4, -0.3, 0.2)).to_matrix(), Vec3::new(0.1, 0.2, 0.3));
        let set = Constraints::new(&model).frame(&frame).axes(RowAxes::World).at_world(place);
        let set = set.stabilise(Gains { kp: 50.0, kd: 10.0 }).build().unwrap();
        check(model.clone(), set, 2);
    }

    #[test]
    fn the_world_as_the_first_of_two() {
        let model = two_arms();
        let base = model.frames().iter().find(|frame| frame.body.is_none()).unwrap().full_name();
        let set = Constraints::new(&model).point(&base).with("link_13", [0.2, 0.1, 0.0]);
        let set = set.frame(&base).hinge().with("link_8", Transform::translation(Vec3::new(0.3, 0.0, 0.1)));
        let Ok(set) = set.stabilise(Gains { kp: 50.0, kd: 10.0 }).build() else { panic!("a set") };
        check(model.clone(), set, 3);
    }

    /// Two other cases (derivatives of impulses from the second call on, and with loops) are in
    /// `impulses_keep_momentum_and_their_derivatives_are_complex_steps`. NaN for redundant constraints is in
    /// `redundant_constraints_have_the_least_forces`. Changing sets without preparation is tested here.
    #[test]
    fn other_sets_in_one_workspace() {
        let (model, x) = quadruped();
        let ws = &mut Workspace::new(&model);
        for feet in [4, 1, 3, 2] {
            let set =
                FEET[..feet].iter().fold(Constraints::new(&model), |set, foot| set.point(foot).at_world([0.0; 3]));
            let set = set.build().unwrap();
            let mut out = Constrained::new(&set);
            constrained_fd(&model, ws, &set, &x.q, &x.v, &x.a, &mut out).unwrap();
            assert_eq!([out.qdd, out.lambda].concat(), forward(model.scene(), &set, &x.q, &x.v, &x.a));
        }
    }
}
