//! Derivatives of forward dynamics: every way, compared with complex steps and with each other.

use dtau::model::{Model, Root, generate};
use dtau::scalar::{Complex, Dual, Fused, Lanes, Real};
use dtau::*;
use dtau_fixtures::State;
use dtau_fixtures::assertions::{assert_rows_close, assert_symmetric};
use dtau_fixtures::matrices::{absolute, condition, largest_in_rows, negative, product, scales, sum};
use dtau_fixtures::robots::{
    build, build_free, build_massless, bundled, chain_with_massless, small_models as models, ways,
};
use dtau_fixtures::steps::{by_numbers, by_q, lift, moved, rates, shifted, unit};
use dtau_fixtures::wrenches::{self, Outside, from_outside as wrenches};

/// Scene with these forces, possibly with some joint effects switched off.
fn scene<'a, T>(model: &'a Model, forces: &'a [Wrench<T>], seed: u64) -> Scene<'a, T> {
    let on = |bit: u64| seed.is_multiple_of(4) || seed & (1 << bit) != 0;
    model.scene().wrenches(forces).damping(on(0)).friction(on(1)).armature(on(2)).gravity([1.0, -2.0, -9.0])
}

/// Results filled with NaN: every entry must be written.
fn poisoned(model: &Model) -> FdDerivatives<f64> {
    let mut out = FdDerivatives::new(model);
    out.qdd.fill(f64::NAN);
    [&mut out.dqdd_dq, &mut out.dqdd_dv, &mut out.dqdd_dtau].into_iter().for_each(|x| x.fill(f64::NAN));
    out
}

fn derivatives(way: FdWay, scene: Scene<f64>, model: &Model, x: &State) -> FdDerivatives<f64> {
    let mut out = poisoned(model);
    fd_derivatives_by(way, scene, &mut Workspace::new(model), &x.q, &x.v, x.tau(), &mut out).unwrap();
    out
}

/// Derivatives of `aba` by complex steps, column by column.
fn complex_step(scene: Scene<Complex>, model: &Model, x: &State) -> FdDerivatives<f64> {
    let mut ws = Workspace::new(model);
    let (q, v, tau) = (lift::<Complex>(&x.q), lift::<Complex>(&x.v), lift::<Complex>(x.tau()));
    let mut accelerate = |q: &[Complex], v: &[Complex], tau: &[Complex]| {
        let mut qdd = vec![Complex::zero(); model.nv()];
        aba(scene, &mut ws, q, v, tau, &mut qdd).unwrap();
        qdd
    };
    let mut out = poisoned(model);
    out.qdd = accelerate(&q, &v, &tau).iter().map(|a| a.re).collect();
    out.dqdd_dq.copy_from_slice(&by_q(model, &x.q, |q| accelerate(q, &v, &tau)));
    out.dqdd_dv.copy_from_slice(&by_numbers(&x.v, |v| accelerate(&q, v, &tau)));
    out.dqdd_dtau.copy_from_slice(&by_numbers(x.tau(), |tau| accelerate(&q, &v, tau)));
    out
}

/// Compares all three matrices. Returns the largest errors.
#[track_caller]
fn assert_same(
    what: &str,
    scene: Scene<f64>,
    model: &Model,
    x: &State,
    got: &FdDerivatives<f64>,
    want: &FdDerivatives<f64>,
) -> [f64; 3] {
    let n = model.nv();
    let mut m = Matrix::zeros(n, n);
    crba(scene, &mut Workspace::new(model), &x.q, &mut m).unwrap();
    let condition = condition(n, &m, &want.dqdd_dtau);
    let pairs = [
        ("∂q̈/∂q", &got.dqdd_dq, &want.dqdd_dq),
        ("∂q̈/∂q̇", &got.dqdd_dv, &want.dqdd_dv),
        ("∂q̈/∂τ", &got.dqdd_dtau, &want.dqdd_dtau),
    ];
    pairs.map(|(name, got, want_x)| {
        let what = format!("{}: {what}: {name}", model.name());
        // 1e-12 gives room: a column is a sum of a few hundred products.
        assert_rows_close(&what, got, want_x, &scales(n, &condition, want_x, 0.0), 1e-12)
    })
}

#[test]
fn every_way_is_the_complex_step_derivative_of_aba() {
    let mut worst = [[0.0f64; 3]; 4];
    for (seed, model) in models().iter().enumerate() {
        let (seed, x) = (seed as u64, State::random(model, seed as u64));
        for outside in [Outside::None, Outside::InBodies, Outside::EveryKind] {
            let forces = wrenches(model, outside, seed);
            let lifted = wrenches::lift(&forces);
            let want = complex_step(scene(model, &lifted, seed), model, &x);
            for &way in ways(model) {
                let scene = scene(model, &forces, seed);
                let got = derivatives(way, scene, model, &x);
                let what = format!("seed {seed}, forces {outside:?}, {way:?}");
                let errors = assert_same(&what, scene, model, &x, &got, &want);
                for (worst, error) in worst[way as usize].iter_mut().zip(errors) {
                    *worst = worst.max(error);
                }
                let mut qdd = vec![0.0; model.nv()];
                aba(scene, &mut Workspace::new(model), &x.q, &x.v, x.tau(), &mut qdd).unwrap();
                assert_eq!(got.qdd, qdd, "{what}: q̈ is that of aba, bit for bit");
            }
        }
    }
    for way in FdWay::ALL {
        println!("{way:?}: largest errors by q, q̇, τ, in units of |M⁻¹||M||X|: {:?}", worst[way as usize]);
    }
}

/// The four ways share little code: they agree to rounding, but not to the last bit.
#[test]
fn the_ways_agree_but_not_to_the_last_bit() {
    for (seed, model) in models().iter().enumerate().filter(|(_, m)| m.nv() > 6) {
        let (seed, x) = (seed as u64, State::random(model, 50 + seed as u64));
        let forces = wrenches(model, Outside::EveryKind, seed);
        let results: Vec<_> =
            ways(model).iter().map(|&way| (way, derivatives(way, scene(model, &forces, seed), model, &x))).collect();
        for (i, (way, got)) in results.iter().enumerate() {
            for (other, want) in &results[..i] {
                let what = format!("seed {seed}, {way:?} and {other:?}");
                assert_same(&what, scene(model, &forces, seed), model, &x, got, want);
                assert!(
                    got.dqdd_dq != want.dqdd_dq && got.dqdd_dv != want.dqdd_dv,
                    "{}: {what} are not independent",
                    model.name()
                );
            }
        }
    }
}

#[test]
fn forward_derivatives_are_minus_the_inverse_times_inverse_derivatives() {
    for (seed, model) in models().iter().enumerate() {
        let (seed, x, nv) = (seed as u64, State::random(model, seed as u64), model.nv());
        let forces = wrenches(model, Outside::EveryKind, seed);
        let scene = scene(model, &forces, seed);
        let (mut id, mut ws) = (IdDerivatives::new(model), Workspace::new(model));
        for &way in ways(model) {
            let got = derivatives(way, scene, model, &x);
            id_derivatives(scene, &mut ws, &x.q, &x.v, &got.qdd, &mut id).unwrap();
            for (i, (tau, want)) in id.tau.iter().zip(x.tau()).enumerate() {
                let scale = (0..nv).fold(1.0, |s: f64, j| s.max((id.dtau_da[(i, j)] * got.qdd[j]).abs()));
                assert!((tau - want).abs() <= 1e-12 * scale, "{}: τ({i}): {tau}, {want}", model.name());
            }
            // M ∂q̈ + ∂τ is zero up to the rounding of the sums, ε |M| |∂q̈| per entry.
            for (what, fd, id_x) in [("q", &got.dqdd_dq, &id.dtau_dq), ("q̇", &got.dqdd_dv, &id.dtau_dv)] {
                for j in 0..nv {
                    for i in 0..nv {
                        let terms = (0..nv).map(|k| id.dtau_da[(i, k)] * fd[(k, j)]);
                        let size = terms.clone().fold(id_x[(i, j)].abs(), |s, x| s + x.abs());
                        let largest = (0..nv).fold(size, |s, c| s.max(id_x[(i, c)].abs()));
                        let left = terms.sum::<f64>() + id_x[(i, j)];
                        assert!(
                            left.abs() <= 1e-11 * largest.max(1e-3),
                            "{}: {way:?} by {what} ({i}, {j}): {left:e} is left of {largest:e}",
                            model.name()
                        );
                    }
                }
            }
        }
    }
}

/// Along q(t) ⊕, v(t), τ(t): dq̈/dt = ∂q̈/∂q v + ∂q̈/∂q̇ a + ∂q̈/∂τ τ̇, by one complex step in time.
///
/// The tolerance is that of the matrices, times the step: see [`scales`].
#[test]
fn the_derivatives_give_the_change_along_a_trajectory() {
    for (seed, model) in models().iter().enumerate() {
        let (seed, x, nv) = (seed as u64, State::random(model, 80 + seed as u64), model.nv());
        let (rate, x2) = (State::random(model, 81 + seed).a, State::random(model, 82 + seed));
        let mut qdd = lift::<Complex>(&rate);
        let (q, v, tau) = (moved(model, &x.q, &x.v), shifted(&x.v, &x2.v), shifted(x.tau(), &rate));
        aba(model, &mut Workspace::new(model), &q, &v, &tau, &mut qdd).unwrap();
        let want = rates(&qdd);
        let mut m = Matrix::zeros(nv, nv);
        crba(model, &mut Workspace::new(model), &x.q, &mut m).unwrap();
        for &way in ways(model) {
            let got = derivatives(way, model.scene(), model, &x);
            let parts = [(&got.dqdd_dq, &x.v), (&got.dqdd_dv, &x2.v), (&got.dqdd_dtau, &rate)];
            let condition = condition(nv, &m, &got.dqdd_dtau);
            let scales = parts.map(|(matrix, _)| scales(nv, &condition, matrix, 0.0));
            for i in 0..nv {
                let row = |matrix: &Matrix<f64>, by: &[f64]| (0..nv).map(|j| matrix[(i, j)] * by[j]).sum::<f64>();
                let (sum, want) = (parts.iter().map(|(matrix, by)| row(matrix, by)).sum::<f64>(), want[i]);
                let size = |by: &[f64]| by.iter().map(|x| x.abs()).sum::<f64>();
                let scale: f64 = parts.iter().zip(&scales).map(|((_, by), s)| s[i] * size(by)).sum();
                let difference = (sum - want).abs();
                assert!(
                    difference <= 1e-12 * scale,
                    "{}: {way:?}, row {i}: got {sum}, want {want}, difference {difference:e} on a scale of {scale:e}, seed {seed}",
                    model.name()
                );
            }
        }
    }
}

/// The dynamics do not depend on a floating robot's position. The derivatives are exactly zero, because
/// nothing is ever added. External forces at points of the world are the exception.
#[test]
fn structurally_zero_entries_are_exactly_zero() {
    for name in ["humanoid", "quadruped"] {
        let model = bundled(name, Root::Floating);
        let x = State::random(&model, 4);
        let forces = wrenches(&model, Outside::InBodies, 4);
        for way in FdWay::ALL {
            let got = derivatives(way, scene(&model, &forces, 4), &model, &x);
            for j in 0..3 {
                assert!(got.dqdd_dq.column(j).iter().all(|&x| x == 0.0), "{name}: {way:?}, column {j}");
            }
            let pushed = wrenches(&model, Outside::EveryKind, 4);
            let pushed = derivatives(way, scene(&model, &pushed, 4), &model, &x);
            assert!(pushed.dqdd_dq.column(0).iter().any(|&x| x.abs() > 1e-6), "{name}: {way:?}");
        }
    }
    // Limbs on a fixed base do not interact. At rest without gravity, nothing depends on q̇.
    let mut robot = generate::chain(4);
    robot.joints[2].parent = "base".into();
    let model = build(&robot, Root::Fixed);
    let mut x = State::random(&model, 1);
    for way in FdWay::ALL {
        let got = derivatives(way, model.scene(), &model, &x);
        for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0), (3, 1)] {
            assert!(
                [&got.dqdd_dq, &got.dqdd_dv, &got.dqdd_dtau].into_iter().all(|m| m[(i, j)] == 0.0),
                "{way:?} ({i}, {j})"
            );
        }
    }
    x.v.fill(0.0);
    x.a.fill(0.0);
    for way in FdWay::ALL {
        let got = derivatives(way, model.scene().gravity([0.0; 3]), &model, &x);
        assert!(got.dqdd_dv.iter().chain(got.dqdd_dq.iter()).all(|&x| x == 0.0), "{way:?}: {:?}", got.dqdd_dv);
    }
}

#[test]
fn the_inverse_mass_matrix_is_symmetric_bit_for_bit() {
    for (seed, model) in models().iter().enumerate() {
        let x = State::random(model, seed as u64);
        for &way in ways(model) {
            let got = derivatives(way, model.scene(), model, &x);
            assert_symmetric(&format!("{}: {way:?}", model.name()), &got.dqdd_dtau, model.nv());
        }
    }
}

/// A workspace carries nothing from call to call: not from another way or force, and not from a call with
/// non-finite values.
#[test]
fn results_do_not_depend_on_what_the_workspace_did_before() {
    for (seed, model) in models().iter().enumerate() {
        let (seed, x, other) = (seed as u64, State::random(model, seed as u64), State::random(model, 99));
        let forces = wrenches(model, Outside::EveryKind, seed);
        let mut used = Workspace::new(model);
        let mut out = poisoned(model);
        for &way in ways(model) {
            let fresh = derivatives(way, model.scene(), model, &x);
            let nan = vec![f64::NAN; model.nv()];
            let scene = model.scene().wrenches(&forces);
            fd_derivatives_by(way, scene, &mut used, &other.q, &nan, &nan, &mut out).unwrap_err();
            for &before in ways(model) {
                let scene = self::scene(model, &forces, seed);
                fd_derivatives_by(before, scene, &mut used, &other.q, &other.v, x.tau(), &mut out).unwrap();
                fd_derivatives_by(way, model, &mut used, &x.q, &x.v, x.tau(), &mut out).unwrap();
                assert_eq!(out, fresh, "{}: {way:?} after {before:?}", model.name());
            }
        }
    }
}

/// One source computes on every scalar. Lanes agree bit for bit, other scalars to their rounding.
#[test]
fn every_scalar_agrees_with_f64() {
    let robot = generate::random_tree(2, 6);
    for model in [build_free(&robot, Root::Floating), build(&generate::tree(9, 2), Root::Fixed)] {
        let forces = wrenches(&model, Outside::EveryKind, 2);
        for way in FdWay::ALL {
            fn run<T: Real>(way: FdWay, model: &Model, forces: &[Wrench<f64>]) -> FdDerivatives<T> {
                let x = State::random(model, 5);
                let forces = wrenches::lift(forces);
                let mut out = FdDerivatives::new(model);
                let (q, v, tau) = (lift::<T>(&x.q), lift::<T>(&x.v), lift::<T>(x.tau()));
                let scene = model.scene().wrenches(&forces);
                fd_derivatives_by(way, scene, &mut Workspace::new(model), &q, &v, &tau, &mut out).unwrap();
                out
            }
            let want = run::<f64>(way, &model, &forces);
            let same = |what: &str, got: Vec<f64>, epsilon: f64| {
                let all = entries(&want, |x| x);
                let scale = all.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
                for (k, (got, want)) in got.iter().zip(all).enumerate() {
                    let difference = (got - want).abs();
                    let tolerance = 1e4 * epsilon * scale;
                    assert!(difference <= tolerance, "{way:?}, {what}, entry {k}: got {got:e}, want {want:e}");
                }
            };
            fn entries<T: Real>(x: &FdDerivatives<T>, f: impl Fn(T) -> f64) -> Vec<f64> {
                x.dqdd_dq.iter().chain(x.dqdd_dv.iter()).chain(x.dqdd_dtau.iter()).map(|&x| f(x)).collect()
            }
            same("f32", entries(&run::<f32>(way, &model, &forces), f64::from), f64::from(f32::EPSILON));
            same("Complex", entries(&run::<Complex>(way, &model, &forces), |x| x.re), f64::EPSILON);
            same("Dual", entries(&run::<Dual<1>>(way, &model, &forces), |x| x.re), f64::EPSILON);
            let fused = entries(&run::<Fused<f64>>(way, &model, &forces), |x| x.0);
            for lane in [0, 3] {
                let lanes = entries(&run::<Lanes<4, Fused<f64>>>(way, &model, &forces), |x| x.0[lane].0);
                assert_eq!(lanes, fused, "{way:?}: lane {lane}");
            }
        }
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let model = build(&generate::chain(3), Root::Fixed);
    let other = build(&generate::chain(4), Root::Fixed);
    let x = State::random(&model, 1);
    let ws = &mut Workspace::new(&model);
    let mut out = FdDerivatives::new(&model);
    let errors = [
        (fd_derivatives(&model, ws, &x.q[1..], &x.v, x.tau(), &mut out), "`q`"),
        (fd_derivatives(&model, ws, &x.q, &x.v[1..], x.tau(), &mut out), "`v`"),
        (fd_derivatives(&model, ws, &x.q, &x.v, &x.tau()[1..], &mut out), "`tau`"),
        (fd_derivatives(&model, ws, &x.q, &x.v, x.tau(), &mut FdDerivatives::new(&other)), "`out.qdd`"),
        (fd_derivatives(&model, &mut Workspace::new(&other), &x.q, &x.v, x.tau(), &mut out), "workspace"),
    ];
    for (result, name) in errors {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Length);
        assert!(error.message().contains(name), "{error}");
    }

    let mimic = models().into_iter().find(|model| model.mimic().is_some()).unwrap();
    let x = State::random(&mimic, 1);
    for way in [FdWay::Aza, FdWay::Response] {
        let mut out = FdDerivatives::new(&mimic);
        let ws = &mut Workspace::new(&mimic);
        let error = fd_derivatives_by(way, &mimic, ws, &x.q, &x.v, x.tau(), &mut out).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains(&format!("FdWay::{way:?}")) && error.message().contains("mimic"), "{error}");
    }
    assert!(models().iter().all(|model| ways(model).contains(&FdWay::for_model(model))));
}

#[test]
fn the_way_is_chosen_by_the_tree() {
    let tree = |n, bf| FdWay::for_model(&build(&generate::tree(n, bf), Root::Fixed));
    assert_eq!([tree(5, 1), tree(30, 1), tree(100, 1)], [FdWay::Dense, FdWay::Dense, FdWay::Response]);
    assert_eq!([tree(30, 2), tree(100, 5), tree(500, 5)], [FdWay::Dense, FdWay::Dense, FdWay::Dense]);
}

#[test]
fn a_body_without_inertia_is_named_as_aba_names_it() {
    let model = build_massless(&chain_with_massless(3));
    let x = State::random(&model, 1);
    let mut ws = Workspace::new(&model);
    let want = aba(&model, &mut ws, &x.q, &x.v, x.tau(), &mut [0.0; 3]).unwrap_err();
    assert_eq!(want.kind(), ErrorKind::Singular);
    for way in FdWay::ALL {
        let mut out = FdDerivatives::new(&model);
        assert_eq!(fd_derivatives_by(way, &model, &mut ws, &x.q, &x.v, x.tau(), &mut out).unwrap_err(), want);
    }
}

/// [Singh22] §V-A reports about 1e-12 for FDSVA on a chain of 100 links: the rms error of the entries against
/// complex step, relative to the largest entry of the row. It is not relative to the entry itself: those of
/// distant links are down to 1e-30 of their row, below the last digit of any subtraction. Complex step does
/// not resolve them either.
#[test]
fn the_rms_error_on_a_chain_of_100_is_below_1e_12() {
    let model = build(&generate::chain(100), Root::Fixed);
    let n = model.nv();
    for seed in 1..4 {
        let x = State::random(&model, seed);
        let got = derivatives(FdWay::for_model(&model), model.scene(), &model, &x);
        let want = complex_step(model.scene(), &model, &x);
        for (what, got, want) in [("q", &got.dqdd_dq, &want.dqdd_dq), ("v", &got.dqdd_dv, &want.dqdd_dv)] {
            let largest = largest_in_rows(n, want);
            let squares = got
                .iter()
                .zip(want.iter())
                .enumerate()
                .map(|(at, (got, want))| ((got - want) / largest[at % n]).powi(2));
            let rms = (squares.sum::<f64>() / (n * n) as f64).sqrt();
            assert!(rms < 1e-12, "seed {seed}, by {what}: rms {rms:e}");
        }
    }
}

/// The paper's machine ran out of memory beyond 500 links. Here the derivatives of a thousand links are correct.
///
/// M of such a long chain is badly conditioned (κ ~ N³). So solutions are inserted into their equations,
/// where conditioning does not matter. What is left is rounding of sums of known size, at worst ε for each of
/// the thousand terms. 1e-12 is 4.5 ε times a thousand; 3.4e-13 was measured.
#[test]
fn the_derivatives_of_a_chain_of_a_thousand_solve_their_equations() {
    let model = build(&generate::chain(1000), Root::Fixed);
    let (x, n) = (State::random(&model, 1), model.nv());
    let fd = derivatives(FdWay::for_model(&model), model.scene(), &model, &x);
    let (mut id, mut m) = (IdDerivatives::new(&model), Matrix::zeros(n, n));
    id_derivatives(&model, &mut Workspace::new(&model), &x.q, &x.v, &fd.qdd, &mut id).unwrap();
    crba(&model, &mut Workspace::new(&model), &x.q, &mut m).unwrap();
    assert_rows_close("M of id_derivatives and of crba", &id.dtau_da, &m, &largest_in_rows(n, &m), 1e-12);
    assert_symmetric("M⁻¹", &fd.dqdd_dtau, n);

    // RNEA of ABA's accelerations gives the torques.
    let sizes = product(n, &absolute(&m), &absolute(&fd.qdd));
    assert_rows_close("rnea(aba(τ))", &id.tau, x.tau(), &sizes, 1e-12);

    let (q, v, a) = (lift::<Complex>(&x.q), lift::<Complex>(&x.v), lift::<Complex>(&fd.qdd));
    let ws = &mut Workspace::new(&model);
    let mut torques = |q: &[Complex], v: &[Complex]| {
        let mut tau = vec![Complex::zero(); n];
        rnea(&model, ws, q, v, &a, &mut tau).unwrap();
        rates(&tau)
    };
    for k in [0, 1, 500, 998, 999] {
        // ∂τ is the complex step derivative of RNEA, M ∂q̈ = −∂τ, and M M⁻¹ = 1.
        let step = unit(n, k);
        for (what, id, fd, want) in [
            ("q", &id.dtau_dq, &fd.dqdd_dq, torques(&moved(&model, &x.q, &step), &v)),
            ("q̇", &id.dtau_dv, &fd.dqdd_dv, torques(&q, &shifted(&x.v, &step))),
        ] {
            let largest = largest_in_rows(n, id);
            assert_rows_close(&format!("∂τ/∂{what}, column {k}"), id.column(k), &want, &largest, 1e-12);
            let sizes = sum(&product(n, &absolute(&m), &absolute(fd.column(k))), &largest);
            let what = format!("M ∂q̈/∂{what}, column {k}");
            assert_rows_close(&what, &product(n, &m, fd.column(k)), &negative(&want), &sizes, 1e-12);
        }
        let sizes = product(n, &absolute(&m), &absolute(fd.dqdd_dtau.column(k)));
        assert_rows_close(&format!("M M⁻¹, column {k}"), &product(n, &m, fd.dqdd_dtau.column(k)), &step, &sizes, 1e-12);
    }
}
