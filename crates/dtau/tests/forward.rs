//! Forward dynamics and the mass matrix, compared with inverse dynamics and each other.

use dtau::model::{Model, Options, generate};
use dtau::scalar::Lanes;
use dtau::{ErrorKind, MassFactor, Matrix, Scene, Workspace, aba, crba, crba_factor, minverse, rnea};
use dtau_fixtures::State;
use dtau_fixtures::assertions::{assert_close, assert_symmetric};
use dtau_fixtures::matrices::{conditioning, identity, product};
use dtau_fixtures::robots::{build_massless, chain_with_massless, models};

fn mass_matrix(model: &Model, q: &[f64]) -> Vec<f64> {
    let mut m = vec![f64::NAN; model.nv() * model.nv()];
    crba(model, &mut Workspace::new(model), q, &mut m).unwrap();
    m
}

#[track_caller]
fn close(model: &Model, what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_close(&format!("{}: {what}", model.name()), got, want, model.nv(), tolerance);
}

#[test]
fn aba_inverts_rnea() {
    for (seed, model) in models().iter().enumerate() {
        let State { q, v, a } = State::small(model, seed as u64);
        let plain: Scene<f64> = model.scene();
        let scenes =
            [plain, plain.gravity([1.0, 2.0, 3.0]), plain.armature(false), plain.damping(false), plain.friction(false)];
        let mut minv = vec![0.0; model.nv() * model.nv()];
        for scene in scenes {
            for mut ws in [Workspace::new(model), Workspace::plain(model)] {
                let (mut tau, mut qdd) = (vec![0.0; model.nv()], vec![f64::NAN; model.nv()]);
                rnea(scene, &mut ws, &q, &v, &a, &mut tau).unwrap();
                aba(scene, &mut ws, &q, &v, &tau, &mut qdd).unwrap();
                minverse(scene, &mut ws, &q, &mut minv).unwrap();
                close(model, "aba(rnea(a))", &qdd, &a, conditioning(&mass_matrix(model, &q), &minv));
            }
        }
    }
}

/// Both are sums of the same few hundred products of order one, so round-off is about ε per product, relative
/// to the matrix.
#[test]
fn crba_columns_are_rnea_of_unit_accelerations() {
    for (seed, model) in models().iter().enumerate() {
        for scene in [model.scene(), model.scene().armature(false)] {
            let State { q, v, .. } = State::small(model, seed as u64);
            let nv = model.nv();
            let mut ws = Workspace::new(model);
            let mut m = vec![f64::NAN; nv * nv];
            crba(scene, &mut ws, &q, &mut m).unwrap();
            let (mut bias, mut want) = (vec![0.0; nv], Vec::new());
            rnea(scene, &mut ws, &q, &v, &vec![0.0; nv], &mut bias).unwrap();
            for k in 0..nv {
                let (mut a, mut tau) = (vec![0.0; nv], vec![0.0; nv]);
                a[k] = 1.0;
                rnea(scene, &mut ws, &q, &v, &a, &mut tau).unwrap();
                want.extend(tau.iter().zip(&bias).map(|(t, b)| t - b));
            }
            close(model, "M", &m, &want, 1e-13);
        }
    }
}

/// A `Matrix` remembers which zeros are in place until an entry is changed.
#[test]
fn the_mass_matrix_is_the_same_in_a_matrix_that_was_used() {
    let bush = |n| Model::build(&generate::tree(n, 5), &Options::default()).unwrap();
    let chain = Model::build(&generate::chain(23), &Options::default()).unwrap();
    let forest = [bush(23), chain];
    let (mut used, mut same) = (Matrix::zeros(23, 23), 0);
    for (seed, model) in models().iter().chain(&forest).enumerate() {
        let nv = model.nv();
        let mut m = Matrix::zeros(nv, nv);
        for k in 0..4 {
            let State { q, .. } = State::small(model, 10 * seed as u64 + k);
            let ws = &mut Workspace::new(model);
            let want = mass_matrix(model, &q);
            crba(model, ws, &q, &mut m).unwrap();
            assert_eq!(m.to_vec(), want, "{} at state {k}", model.name());
            if k == 1 {
                m.fill(f64::NAN); // overwritten by the caller
            }
            if nv == 23 {
                // Overwritten by other models, with zeros elsewhere.
                for other in &forest {
                    crba(other, &mut Workspace::new(other), &State::small(other, k).q, &mut used).unwrap();
                    crba(model, ws, &q, &mut used).unwrap();
                    assert_eq!(used.to_vec(), want, "{} after {}", model.name(), other.name());
                    same += 1;
                }
            }
        }
    }
    assert!(same >= 16);
}

#[test]
fn mass_matrices_and_inverses_are_symmetric_bit_for_bit() {
    for (seed, model) in models().iter().enumerate() {
        let State { q, .. } = State::small(model, seed as u64);
        let (nv, mut ws) = (model.nv(), Workspace::new(model));
        let mut inverse = vec![f64::NAN; nv * nv];
        minverse(model, &mut ws, &q, &mut inverse).unwrap();
        let mut factor = MassFactor::new(model);
        let mut factor_inverse = vec![f64::NAN; nv * nv];
        crba_factor(model, &mut ws, &q, &mut factor).unwrap();
        factor.inverse(&mut ws, &mut factor_inverse).unwrap();
        for (what, m) in [("M", mass_matrix(model, &q)), ("M⁻¹", inverse), ("M⁻¹ by LᵀDL", factor_inverse)] {
            assert_symmetric(&format!("{}: {what}", model.name()), &m, nv);
        }
    }
}

/// Each entry of M M⁻¹ is a sum of nv products, each with the error that the conditioning allows.
#[test]
fn the_inverse_times_the_mass_matrix_is_one() {
    for (seed, model) in models().iter().enumerate() {
        let State { q, .. } = State::small(model, seed as u64);
        let (nv, mut ws, m) = (model.nv(), Workspace::new(model), mass_matrix(model, &q));
        let mut minv = vec![f64::NAN; nv * nv];
        minverse(model, &mut ws, &q, &mut minv).unwrap();
        let tolerance = nv as f64 * conditioning(&m, &minv);
        close(model, "M M⁻¹", &product(nv, &m, &minv), &identity(nv), tolerance);

        let mut factor = MassFactor::new(model);
        crba_factor(model, &mut ws, &q, &mut factor).unwrap();
        factor.inverse(&mut ws, &mut minv).unwrap();
        close(model, "M M⁻¹ by LᵀDL", &product(nv, &m, &minv), &identity(nv), tolerance);
    }
}

#[test]
fn the_factor_solves_as_aba_does() {
    for (seed, model) in models().iter().enumerate() {
        let State { q, v, a } = State::small(model, seed as u64);
        let (nv, mut ws) = (model.nv(), Workspace::new(model));
        let (mut bias, mut want) = (vec![0.0; nv], vec![0.0; nv]);
        dtau::bias(model, &mut ws, &q, &v, &mut bias).unwrap();
        aba(model, &mut ws, &q, &v, &a, &mut want).unwrap(); // `a` as torques
        let right: Vec<f64> = a.iter().zip(&bias).map(|(tau, bias)| tau - bias).collect();

        let mut factor = MassFactor::new(model);
        crba_factor(model, &mut ws, &q, &mut factor).unwrap();
        let mut minv = vec![0.0; nv * nv];
        factor.inverse(&mut ws, &mut minv).unwrap();
        let tolerance = conditioning(&mass_matrix(model, &q), &minv);
        let mut one = right.clone();
        factor.solve(&mut ws, &mut one).unwrap();
        close(model, "M⁻¹ b", &one, &want, tolerance);

        for columns in [0, 1, 3, 8, 11] {
            let mut many: Vec<f64> = (0..columns).flat_map(|c| right.iter().map(move |x| x * c as f64)).collect();
            factor.solve_columns(&mut ws, &mut many).unwrap();
            for (c, column) in many.chunks(nv).enumerate() {
                let want: Vec<f64> = want.iter().map(|x| x * c as f64).collect();
                close(model, "M⁻¹ B", column, &want, tolerance);
            }
        }
    }
}

/// A chain with a massless link. If `coaxial`, the second joint has the same axis as the first.
fn with_massless(link: usize, coaxial: bool) -> Model {
    let mut robot = chain_with_massless(link);
    if coaxial {
        robot.joints[link].origin = dtau::spatial::Transform::identity();
    }
    build_massless(&robot)
}

#[test]
fn a_body_without_inertia_is_named() {
    // The last link is massless. Or the first link is massless and carries only a second one that turns about
    // the same axis.
    for (model, name) in [(with_massless(3, false), "link_3"), (with_massless(1, true), "link_1")] {
        for seed in 0..20 {
            let State { q, v, a } = State::small(&model, seed);
            let (mut ws, mut qdd, mut minv) = (Workspace::new(&model), [0.0; 3], [0.0; 9]);
            let mut factor = MassFactor::new(&model);
            let errors = [
                aba(&model, &mut ws, &q, &v, &a, &mut qdd).unwrap_err(),
                minverse(&model, &mut ws, &q, &mut minv).unwrap_err(),
                crba_factor(&model, &mut ws, &q, &mut factor).unwrap_err(),
            ];
            for error in errors {
                assert_eq!(error.kind(), ErrorKind::Singular);
                assert!(error.message().contains(&format!("body \"{name}\"")), "{error}");
                assert!(error.message().ends_with("give it mass or armature"), "{error}");
            }
            assert!(factor.solve(&mut ws, &mut qdd).unwrap_err().message().contains("crba_factor"));
        }
    }
    // One massless link between two with mass is allowed, and so is a massless one with a rotor.
    let model = with_massless(2, false);
    let State { q, v, a } = State::small(&model, 3);
    aba(&model, &mut Workspace::new(&model), &q, &v, &a, &mut [0.0; 3]).unwrap();
    let mut robot = with_massless(3, false).description().clone();
    robot.joints[2].armature = 0.1;
    let model = build_massless(&robot);
    aba(&model, &mut Workspace::new(&model), &q, &v, &a, &mut [0.0; 3]).unwrap();
    let error = aba(model.scene().armature(false), &mut Workspace::new(&model), &q, &v, &a, &mut [0.0; 3]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Singular);
}

/// One lane in eight is singular. The error must be reported although the other seven succeed.
#[test]
fn one_singular_lane_is_noticed() {
    let model = with_massless(1, false);
    let mut q = [Lanes([0.3; 8]); 3];
    let (zero, mut qdd) = ([Lanes([0.0; 8]); 3], [Lanes([0.0; 8]); 3]);
    aba(&model, &mut Workspace::new(&model), &q, &zero, &zero, &mut qdd).unwrap();
    q[1].0[5] = f64::NAN;
    assert!(aba(&model, &mut Workspace::new(&model), &q, &zero, &zero, &mut qdd).is_err());
}

#[test]
fn values_that_are_not_finite_are_told_from_missing_inertia() {
    let model = Model::build(&generate::chain(2), &Options::default()).unwrap();
    let error = aba(&model, &mut Workspace::new(&model), &[0.0, f64::NAN], &[0.0; 2], &[0.0; 2], &mut [0.0; 2]);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Value);
}

#[test]
fn wrong_lengths_are_errors_that_say_which() {
    let model = Model::build(&generate::random_tree(0, 9), &Options::default()).unwrap();
    let (nq, nv) = (model.nq(), model.nv());
    let (q, v) = (vec![0.0; nq], vec![0.0; nv]);
    let (mut out, mut square) = (vec![0.0; nv], vec![0.0; nv * nv]);
    let ws = &mut Workspace::new(&model);
    let mut factor = MassFactor::new(&model);
    let short = nv - 1;
    let errors = [
        (aba(&model, ws, &q[1..], &v, &v, &mut out), "`q`"),
        (aba(&model, ws, &q, &v[1..], &v, &mut out), "`v`"),
        (aba(&model, ws, &q, &v, &v[1..], &mut out), "`tau`"),
        (aba(&model, ws, &q, &v, &v, &mut out[1..]), "`qdd`"),
        (crba(&model, ws, &q[1..], &mut square), "`q`"),
        (crba(&model, ws, &q, &mut square[1..]), "`m`"),
        (minverse(&model, ws, &q[1..], &mut square), "`q`"),
        (minverse(&model, ws, &q, &mut square[..short]), "`minv`"),
        (crba_factor(&model, ws, &q[1..], &mut factor), "`q`"),
    ];
    for (result, name) in errors {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Length);
        assert!(error.message().contains(name), "{error}");
    }

    crba_factor(&model, ws, &State::small(&model, 1).q, &mut factor).unwrap();
    assert!(factor.solve(ws, &mut out[1..]).unwrap_err().message().contains("`b`"));
    assert!(factor.solve_columns(ws, &mut square[1..]).unwrap_err().message().contains("`b`"));
    assert!(factor.inverse(ws, &mut square[1..]).unwrap_err().message().contains("`minv`"));

    let other = Model::build(&generate::chain(nv), &Options::default()).unwrap();
    assert!(
        crba_factor(&other, &mut Workspace::new(&other), &v, &mut factor).unwrap_err().message().contains("factor")
    );
    assert!(aba(&other, ws, &v, &v, &v, &mut out).unwrap_err().message().contains("workspace"));
}
