//! Products with the mass matrix, its inverse and the Jacobians of inverse and forward dynamics. They equal
//! products with the matrices, which other tests compare with complex steps. Here they are also compared with
//! a complex step.

use dtau::model::{Model, Options, Root, generate};
use dtau::scalar::{Dual, Lanes, Real};
use dtau::*;
use dtau_fixtures::Case;
use dtau_fixtures::assertions::Report;
use dtau_fixtures::matrices::{negative, product, sum, transposed_times};
use dtau_fixtures::robots::{build_massless, chain_with_massless, random_case as case, random_cases as cases};
use dtau_fixtures::states::numbers;
use dtau_fixtures::steps::{TOLERANCE, by_q, lift, moved, rates, shifted};
use dtau_fixtures::wrenches::{self, every_kind_everywhere as wrenches, moving_only};

/// Scenes with all wrenches, with only those that move with their bodies, and with none.
fn scenes<'a>(model: &'a Model, all: &'a [Wrench<f64>], moving: &'a [Wrench<f64>]) -> [Scene<'a, f64>; 3] {
    [model.scene().wrenches(all), model.scene().wrenches(moving), model.scene()]
}

/// Returns `m x` for a square matrix by columns.
fn times(m: &[f64], x: &[f64]) -> Vec<f64> {
    product(x.len(), m, x)
}

#[test]
fn mass_times_is_the_product_with_crba() {
    let mut worst = Report::of("mass_times");
    for Case { model, x, name, .. } in cases() {
        let (nv, ws) = (model.nv(), &mut Workspace::new(&model));
        for armature in [true, false] {
            let mut m = vec![f64::NAN; nv * nv];
            crba(model.scene().armature(armature), ws, &x.q, &mut m).unwrap();
            let (columns, mut got) = ([&x.v[..], &x.a, &x.v].concat(), vec![f64::NAN; 3 * nv]);
            mass_times(model.scene().armature(armature), ws, &x.q, &columns, &mut got).unwrap();
            let want: Vec<f64> = columns.chunks_exact(nv).flat_map(|x| times(&m, x)).collect();
            worst.check(&name, &got, &want, nv, TOLERANCE);
        }
    }
}

/// Solutions lose digits by M's condition number; 2e-13 was measured.
#[test]
fn mass_solve_inverts_mass_times() {
    let mut worst = Report::of("mass_solve");
    for Case { model, x, name, .. } in cases() {
        let (nv, ws) = (model.nv(), &mut Workspace::new(&model));
        let columns = [&x.v[..], &x.a, &x.v].concat();
        let [mut product, mut back] = [(); 2].map(|()| vec![f64::NAN; 3 * nv]);
        mass_times(&model, ws, &x.q, &columns, &mut product).unwrap();
        mass_solve(&model, ws, &x.q, &product, &mut back).unwrap();
        worst.check(&name, &back, &columns, nv, TOLERANCE);

        let mut minv = vec![f64::NAN; nv * nv];
        minverse(&model, ws, &x.q, &mut minv).unwrap();
        mass_solve(&model, ws, &x.q, &columns, &mut back).unwrap();
        let want: Vec<f64> = columns.chunks_exact(nv).flat_map(|x| times(&minv, x)).collect();
        worst.check(&name, &back, &want, nv, TOLERANCE);
    }
}

#[test]
fn id_products_are_the_products_with_id_derivatives() {
    let mut worst = Report::of("id_jvp, id_vjp");
    for Case { model, x, name, .. } in cases() {
        let (nv, ws, random) = (model.nv(), &mut Workspace::new(&model), &mut Random::seeded(5));
        let [dq, dv, da, w] = [(); 4].map(|()| numbers(random, model.nv()));
        let all = wrenches(&model);
        let moving = moving_only(&all);
        for scene in scenes(&model, &all, &moving) {
            let mut d = IdDerivatives::new(&model);
            id_derivatives(scene, ws, &x.q, &x.v, &x.a, &mut d).unwrap();

            let mut dtau = vec![f64::NAN; nv];
            let tangent = IdTangent { dq: &dq, dv: &dv, da: &da };
            id_jvp(scene, ws, &x.q, &x.v, &x.a, tangent, &mut dtau).unwrap();
            let want = sum(&sum(&times(&d.dtau_dq, &dq), &times(&d.dtau_dv, &dv)), &times(&d.dtau_da, &da));
            worst.check(&format!("{name}: jvp"), &dtau, &want, 1, TOLERANCE);

            let [mut wq, mut wv, mut wa] = [(); 3].map(|()| vec![f64::NAN; nv]);
            let out = IdGradientMut { dq: &mut wq, dv: &mut wv, da: &mut wa };
            id_vjp(scene, ws, &x.q, &x.v, &x.a, &w, out).unwrap();
            for (what, got, matrix) in [("q", wq, &d.dtau_dq), ("q̇", wv, &d.dtau_dv), ("q̈", wa, &d.dtau_da)] {
                worst.check(&format!("{name}: vjp by {what}"), &got, &transposed_times(matrix, &w), 1, TOLERANCE);
            }
        }
    }
}

#[test]
fn id_jvp_is_the_complex_step_of_rnea_along_the_direction() {
    let mut worst = Report::of("id_jvp against a complex step");
    for Case { model, x, name, .. } in cases() {
        let random = &mut Random::seeded(6);
        let [dq, dv, da] = [(); 3].map(|()| numbers(random, model.nv()));
        let real = wrenches(&model);
        let complex = wrenches::lift(&real);
        let mut dtau = vec![f64::NAN; model.nv()];
        let tangent = IdTangent { dq: &dq, dv: &dv, da: &da };
        let scene = model.scene().wrenches(&real);
        id_jvp(scene, &mut Workspace::new(&model), &x.q, &x.v, &x.a, tangent, &mut dtau).unwrap();

        let mut tau = lift(&dtau);
        let (q, v, a) = (moved(&model, &x.q, &dq), shifted(&x.v, &dv), shifted(&x.a, &da));
        rnea(model.scene().wrenches(&complex), &mut Workspace::new(&model), &q, &v, &a, &mut tau).unwrap();
        worst.check(&name, &dtau, &rates(&tau), 1, TOLERANCE);
    }
}

/// ∂FD = −M⁻¹ ∂ID. Solutions lose digits by M's condition number; 1.3e-13 was measured.
#[test]
fn fd_products_are_minus_the_inverse_mass_matrix_times_those_of_id() {
    let mut worst = Report::of("fd_jvp, fd_vjp");
    for Case { model, x, name, .. } in cases() {
        let (nv, ws, random) = (model.nv(), &mut Workspace::new(&model), &mut Random::seeded(7));
        let [dq, dv, dtau, w] = [(); 4].map(|()| numbers(random, model.nv()));
        let all = wrenches(&model);
        let moving = moving_only(&all);
        for scene in scenes(&model, &all, &moving) {
            let (mut qdd, mut minv) = (vec![f64::NAN; nv], vec![f64::NAN; nv * nv]);
            let mut d = IdDerivatives::new(&model);
            aba(scene, ws, &x.q, &x.v, &x.a, &mut qdd).unwrap();
            minverse(scene, ws, &x.q, &mut minv).unwrap();
            id_derivatives(scene, ws, &x.q, &x.v, &qdd, &mut d).unwrap();

            let mut got = vec![f64::NAN; nv];
            let tangent = FdTangent { dq: &dq, dv: &dv, dtau: &dtau };
            fd_jvp(scene, ws, &x.q, &x.v, &x.a, tangent, &mut got).unwrap();
            let forces = sum(&dtau, &negative(&sum(&times(&d.dtau_dq, &dq), &times(&d.dtau_dv, &dv))));
            worst.check(&format!("{name}: jvp"), &got, &times(&minv, &forces), 1, TOLERANCE);

            let [mut wq, mut wv, mut wtau] = [(); 3].map(|()| vec![f64::NAN; nv]);
            let out = FdGradientMut { dq: &mut wq, dv: &mut wv, dtau: &mut wtau };
            fd_vjp(scene, ws, &x.q, &x.v, &x.a, &w, out).unwrap();
            let u = times(&minv, &w);
            worst.check(&format!("{name}: vjp by τ"), &wtau, &u, 1, TOLERANCE);
            let minus = negative(&u);
            worst.check(&format!("{name}: vjp by q"), &wq, &transposed_times(&d.dtau_dq, &minus), 1, TOLERANCE);
            worst.check(&format!("{name}: vjp by q̇"), &wv, &transposed_times(&d.dtau_dv, &minus), 1, TOLERANCE);
        }
    }
}

#[test]
fn fd_jvp_is_the_complex_step_of_aba_along_the_direction() {
    let mut worst = Report::of("fd_jvp against a complex step");
    for Case { model, x, name, .. } in cases() {
        let random = &mut Random::seeded(8);
        let [dq, dv, dtau] = [(); 3].map(|()| numbers(random, model.nv()));
        let real = wrenches(&model);
        let complex = wrenches::lift(&real);
        let mut dqdd = vec![f64::NAN; model.nv()];
        let tangent = FdTangent { dq: &dq, dv: &dv, dtau: &dtau };
        let scene = model.scene().wrenches(&real);
        fd_jvp(scene, &mut Workspace::new(&model), &x.q, &x.v, &x.a, tangent, &mut dqdd).unwrap();

        let mut qdd = lift(&dqdd);
        let (q, v, tau) = (moved(&model, &x.q, &dq), shifted(&x.v, &dv), shifted(&x.a, &dtau));
        aba(model.scene().wrenches(&complex), &mut Workspace::new(&model), &q, &v, &tau, &mut qdd).unwrap();
        worst.check(&name, &dqdd, &rates(&qdd), 1, TOLERANCE);
    }
}

/// τ = M a + bias, bias = gravity + velocity. The derivatives of the terms are correct, and add up.
#[test]
fn terms_are_complex_step_derivatives_and_add_up() {
    let mut worst = Report::of("terms");
    for Case { model, x, name, .. } in cases() {
        let (nv, ws) = (model.nv(), &mut Workspace::new(&model));
        let real = wrenches(&model);
        let complex = wrenches::lift(&real);
        let scene = || model.scene().wrenches(&real);
        let [mut all, mut inertial, mut rest, mut gravity, mut velocity] = [(); 5].map(|()| IdDerivatives::new(&model));
        id_derivatives(scene(), ws, &x.q, &x.v, &x.a, &mut all).unwrap();
        inertial_derivatives(scene(), ws, &x.q, &x.a, &mut inertial).unwrap();
        bias_derivatives(scene(), ws, &x.q, &x.v, &mut rest).unwrap();
        let parts =
            |d: &IdDerivatives<f64>| [d.tau.to_vec(), d.dtau_dq.to_vec(), d.dtau_dv.to_vec(), d.dtau_da.to_vec()];
        for ((a, b), want) in parts(&inertial).iter().zip(parts(&rest)).zip(parts(&all)) {
            worst.check(&format!("{name}: M a and the bias"), &sum(a, &b), &want, nv, TOLERANCE);
        }
        bias_derivatives(&model, ws, &x.q, &x.v, &mut rest).unwrap();
        gravity_derivatives(&model, ws, &x.q, &mut gravity).unwrap();
        bias_derivatives(model.scene().gravity([0.0; 3]), ws, &x.q, &x.v, &mut velocity).unwrap();
        for ((a, b), want) in parts(&gravity).iter().zip(parts(&velocity)).zip(parts(&rest)) {
            worst.check(&format!("{name}: gravity and velocity"), &sum(a, &b), &want, nv, TOLERANCE);
        }
        for zeros in [&gravity.dtau_dv, &gravity.dtau_da, &inertial.dtau_dv, &rest.dtau_da] {
            assert!(zeros.iter().all(|&x| x == 0.0), "{name}: what a term does not depend on");
        }

        let (v, a) = (lift(&x.v), lift(&x.a));
        let (ws, mut tau) = (&mut Workspace::new(&model), lift(&x.v));
        let want = by_q(&model, &x.q, |q| {
            gravity_torques(&model, ws, q, &mut tau).unwrap();
            tau.clone()
        });
        worst.check(&format!("{name}: ∂g/∂q"), &gravity.dtau_dq, &want, nv, TOLERANCE);
        let want = by_q(&model, &x.q, |q| {
            mass_times(&model, ws, q, &a, &mut tau).unwrap();
            tau.clone()
        });
        worst.check(&format!("{name}: ∂(M a)/∂q"), &inertial.dtau_dq, &want, nv, TOLERANCE);
        let mut with_wrenches = IdDerivatives::new(&model);
        bias_derivatives(scene(), &mut Workspace::new(&model), &x.q, &x.v, &mut with_wrenches).unwrap();
        let want = by_q(&model, &x.q, |q| {
            bias(model.scene().wrenches(&complex), ws, q, &v, &mut tau).unwrap();
            tau.clone()
        });
        worst.check(&format!("{name}: ∂bias/∂q"), &with_wrenches.dtau_dq, &want, nv, TOLERANCE);
    }
}

#[test]
fn wrong_lengths_and_massless_links_are_errors() {
    let model = Model::build(&generate::chain(3), &Options::default()).unwrap();
    let ws = &mut Workspace::new(&model);
    let q = [0.1; 3];
    let error = mass_times(&model, ws, &q, &[0.0; 7], &mut [0.0; 7]).unwrap_err();
    assert!(error.to_string().contains("`x` has 7 numbers"), "{error}");
    let error = mass_solve(&model, ws, &q, &[0.0; 6], &mut [0.0; 3]).unwrap_err();
    assert!(error.to_string().contains("`y` has 3 numbers"), "{error}");
    let tangent = IdTangent { dq: &[0.0; 2], dv: &q, da: &q };
    let error = id_jvp(&model, ws, &q, &q, &q, tangent, &mut [0.0; 3]).unwrap_err();
    assert!(error.to_string().contains("`tangent.dq` has 2 numbers"), "{error}");
    mass_times(&model, ws, &q, &[], &mut []).unwrap();

    let light = build_massless(&chain_with_massless(3));
    let ws = &mut Workspace::new(&light);
    let tangent = FdTangent { dq: &q, dv: &q, dtau: &q };
    for error in [
        mass_solve(&light, ws, &q, &q, &mut [0.0; 3]),
        fd_jvp(&light, ws, &q, &q, &q, tangent, &mut [0.0; 3]),
        fd_vjp(&light, ws, &q, &q, &q, &q, FdGradientMut { dq: &mut [0.0; 3], dv: &mut [0.0; 3], dtau: &mut [0.0; 3] }),
    ] {
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Singular);
        assert!(error.to_string().contains("link_3"), "{error}");
    }
}

/// Products of a robot without joints are empty.
#[test]
fn a_robot_without_joints_has_empty_products() {
    let model = Model::build(&generate::chain(0), &Options { root: Root::Fixed, ..Options::default() }).unwrap();
    let ws = &mut Workspace::<f64>::new(&model);
    mass_times(&model, ws, &[], &[], &mut []).unwrap();
    mass_solve(&model, ws, &[], &[], &mut []).unwrap();
    id_jvp(&model, ws, &[], &[], &[], IdTangent { dq: &[], dv: &[], da: &[] }, &mut []).unwrap();
}

/// Returns all results, one number after the other.
fn everything<T: Real>(Case { model, x, .. }: &Case, to: impl Fn(f64) -> T) -> Vec<T> {
    let [q, v, a] = [&x.q, &x.v, &x.a].map(|x| x.iter().map(|&x| to(x)).collect::<Vec<T>>());
    let (n, ws) = (model.nv(), &mut Workspace::new(model));
    let all = wrenches::lift(&wrenches(model));
    let scene = model.scene().wrenches(&all);
    let mut out = vec![T::zero(); 10 * n];
    let mut parts = out.chunks_exact_mut(n);
    let mut next = || parts.next().unwrap();
    mass_times(scene, ws, &q, &v, next()).unwrap();
    mass_solve(scene, ws, &q, &v, next()).unwrap();
    id_jvp(scene, ws, &q, &v, &a, IdTangent { dq: &v, dv: &a, da: &v }, next()).unwrap();
    id_vjp(scene, ws, &q, &v, &a, &v, IdGradientMut { dq: next(), dv: next(), da: next() }).unwrap();
    fd_jvp(scene, ws, &q, &v, &a, FdTangent { dq: &v, dv: &a, dtau: &v }, next()).unwrap();
    fd_vjp(scene, ws, &q, &v, &a, &v, FdGradientMut { dq: next(), dv: next(), dtau: next() }).unwrap();
    out
}

#[test]
fn other_scalars_agree_with_f64() {
    for case in [case(1, 9), case(2, 9)] {
        let want = everything(&case, |x| x);
        let mut worst = Report::of("scalars");
        let lanes = everything(&case, |x| Lanes([x; 4]));
        worst.check("lanes", &lanes.iter().map(|x| x.0[3]).collect::<Vec<_>>(), &want, 1, TOLERANCE);
        let dual = everything(&case, |x| Dual::new(x, [0.0; 1]));
        worst.check("dual", &dual.iter().map(|x| x.re).collect::<Vec<_>>(), &want, 1, TOLERANCE);
    }
}
