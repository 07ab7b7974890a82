//! M⁻¹ and ∂FD: every method against the others, against complex step and against dual numbers. On the bare
//! tree, and as the list runs them, with complete scenes.

use dtau::model::generate::{chain, random_tree};
use dtau::model::{Model, Options, Root};
use dtau::spatial::Force;
use dtau::{Scene, Workspace};
use dtau_fixtures::Case;
use dtau_fixtures::assertions::assert_rows_close;
use dtau_fixtures::matrices::{self, absolute, identity, largest_in_rows, product, scales};
use dtau_fixtures::methods::{Derivatives, TreeCase, fd_methods, id_methods, inverse_methods};
use dtau_fixtures::robots::{build_massless, chain_with_massless, pushed_cases};
use dtau_fixtures::steps::on_a_large_stack;
use dtau_methods::list::{Quantity, find, methods};

/// Every kind of joint, branched, fixed and floating.
fn cases() -> impl Iterator<Item = TreeCase> {
    (0..16).map(|seed| {
        let root = if seed % 2 == 0 { Root::Fixed } else { Root::Floating };
        TreeCase::new(&random_tree(seed, 10), root, seed)
    })
}

/// In units of [`TreeCase::scales`], which include the conditioning: a few roundings for each of 30 degrees
/// of freedom. Measured at most 4 ε. It is a hundredth of the 1e-12 that the derivatives should satisfy.
const TOLERANCE: f64 = 64.0 * f64::EPSILON;

#[test]
fn inverses_of_the_mass_matrix_agree() {
    for case in cases() {
        let want = case.inverse::<f64>(dtau_methods::inverse_dense::inverse);
        let scales = case.scales(&want, 0.0);
        for (name, method) in inverse_methods::<f64>() {
            let got = case.inverse(method);
            assert_rows_close(&format!("{name} of {}", case.name), &got, &want, &scales, TOLERANCE);
        }
    }
}

#[test]
fn mass_matrix_times_its_inverse_is_one() {
    for case in cases() {
        let (n, m) = (case.nv(), case.mass_matrix::<f64>());
        for (name, method) in inverse_methods::<f64>() {
            let minv = case.inverse(method);
            let got = product(n, &m, &minv);
            // M M⁻¹ − 1 = M · (error of M⁻¹), and the error of M⁻¹ is in units of |M⁻¹| |M| |M⁻¹|.
            let of_inverse = product(n, &case.condition(), &absolute(&minv));
            let scales = largest_in_rows(n, &product(n, &absolute(&m), &of_inverse));
            assert_rows_close(&format!("M M⁻¹ by {name} of {}", case.name), &got, &identity(n), &scales, TOLERANCE);
        }
    }
}

#[test]
fn every_method_is_the_complex_step_derivative_of_aba() {
    for case in cases() {
        assert_derivatives_close(&case, &case.by_complex_step(), "complex step");
    }
}

#[test]
fn every_method_is_the_dual_number_derivative_of_aba() {
    for case in cases() {
        assert_derivatives_close(&case, &case.by_dual_numbers(), "dual numbers");
    }
}

#[track_caller]
fn assert_derivatives_close(case: &TreeCase, want: &Derivatives<f64>, oracle: &str) {
    for (name, method) in fd_methods::<f64>() {
        let got = case.derivatives(method);
        for ((what, got), (_, want)) in got.named().into_iter().zip(want.named()) {
            // Velocities are of order one, so derivatives with respect to q and q̇ that cancel are sums of
            // terms of order one.
            let floor = if what == "dqdd_dtau" { 0.0 } else { 1.0 };
            let scales = case.scales(want, floor);
            let what = format!("{what} by {name} against {oracle}, {}", case.name);
            assert_rows_close(&what, got, want, &scales, TOLERANCE);
        }
    }
}

/// The derivatives of forward dynamics solve M ∂FD = −∂ID, for every method for ∂ID.
#[test]
fn mass_matrix_times_forward_derivatives_is_minus_inverse_derivatives() {
    for case in cases() {
        let (n, m) = (case.nv(), case.mass_matrix::<f64>());
        for (name, method) in fd_methods::<f64>() {
            let fd = case.derivatives(method);
            for (id_name, id) in id_methods::<f64>() {
                let [id_dq, id_dv] = case.id_derivatives(id, &fd.qdd);
                for (what, fd, id) in [("∂q", &fd.dq, &id_dq), ("∂q̇", &fd.dv, &id_dv)] {
                    let want: Vec<f64> = id.iter().map(|x| -x).collect();
                    // Like M M⁻¹: M times the error of ∂FD.
                    let errors =
                        product(n, &case.condition(), &fd.iter().map(|x| x.abs().max(1.0)).collect::<Vec<_>>());
                    let scales = largest_in_rows(n, &product(n, &absolute(&m), &errors));
                    let what = format!("M {what} by {name} against {id_name}, {}", case.name);
                    assert_rows_close(&what, &product(n, &m, fd), &want, &scales, TOLERANCE);
                }
            }
        }
    }
}

/// Forward dynamics here and in the library use different recursions.
#[test]
fn plain_aba_is_the_librarys() {
    for mut case in cases() {
        case.external.fill(Force::zero());
        let scene = Scene::from(&case.model).damping(false).friction(false);
        let mut want = vec![f64::NAN; case.nv()];
        dtau::aba(scene, &mut Workspace::new(&case.model), &case.x.q, &case.x.v, case.x.tau(), &mut want).unwrap();
        let got = case.derivatives::<f64>(dtau_methods::response::fd_derivatives).qdd;
        assert_rows_close(&case.name, &got, &want, &case.scales(&want, 1.0), TOLERANCE);
    }
}

/// At rest, without gravity, forces and torques, the derivatives with respect to velocity are exactly zero.
#[test]
fn at_rest_nothing_depends_on_velocity_exactly() {
    for mut case in cases() {
        case.model = case.model.with_gravity([0.0; 3]).unwrap();
        case.external.fill(Force::zero());
        case.x.v.fill(0.0);
        case.x.a.fill(0.0);
        for (name, method) in fd_methods::<f64>() {
            let got = case.derivatives(method);
            assert!(got.qdd.iter().chain(&got.dq).chain(&got.dv).all(|&x| x == 0.0), "{name}, {}", case.name);
        }
    }
}

/// Limbs on the fixed world are independent: their entries are exactly zero.
#[test]
fn limbs_of_the_world_are_independent_exactly() {
    let mut seen = 0;
    for case in cases() {
        let (n, bodies) = (case.nv(), &case.model.tree().bodies);
        let limb = |dof: usize| {
            let mut i = case.model.tree().dofs[dof].body;
            while bodies[i].parent > 0 {
                i = bodies[i].parent;
            }
            i
        };
        for (name, method) in fd_methods::<f64>() {
            let got = case.derivatives(method);
            for (what, matrix) in &got.named()[1..] {
                for (at, &x) in matrix.iter().enumerate() {
                    if limb(at % n) != limb(at / n) {
                        assert_eq!(x, 0.0, "{what} by {name} at ({}, {}), {}", at % n, at / n, case.name);
                        seen += 1;
                    }
                }
            }
        }
    }
    assert!(seen > 0, "no robot had two limbs");
}

/// Independent methods differ in rounding.
#[test]
fn methods_do_not_agree_to_the_last_bit() {
    let case = TreeCase::new(&random_tree(3, 10), Root::Floating, 3);
    let all: Vec<_> =
        fd_methods::<f64>().into_iter().map(|(name, method)| (name, case.derivatives(method).dq)).collect();
    for (k, (name, dq)) in all.iter().enumerate() {
        for (other, other_dq) in &all[..k] {
            assert_ne!(dq, other_dq, "{name} and {other}");
        }
    }
}

/// M⁻¹| |M| of a robot from the list's tests.
fn condition(case: &Case) -> Vec<f64> {
    let n = case.model.nv();
    let (mut m, mut minv) = (vec![f64::NAN; n * n], vec![f64::NAN; n * n]);
    let mut ws = Workspace::new(&case.model);
    dtau::crba(&case.model, &mut ws, &case.x.q, &mut m).unwrap();
    dtau::minverse(&case.model, &mut ws, &case.x.q, &mut minv).unwrap();
    matrices::condition(n, &m, &minv)
}

/// In the same units. Here the robots are at any position: lever arms of metres about the origin of the
/// ground coordinates, which [`TOLERANCE`] does not include, cost their square. Measured at most 450 ε, a
/// tenth of the 1e-12 that the derivatives should satisfy.
const ANYWHERE: f64 = 1e-12;

/// With wrenches of every kind, damping, friction, armature: every exact method of the list is the derivative
/// of the library's forward dynamics. All methods except the generic ones refuse models with mimicking
/// joints.
#[test]
fn every_listed_method_is_the_derivative_of_the_librarys_aba() {
    on_a_large_stack(compare_listed_methods);
}

fn compare_listed_methods() {
    let oracles = ["complex-step", "dual-numbers"].map(|name| find(Quantity::FdDerivatives, name).unwrap());
    let mut taken = 0;
    for case in pushed_cases() {
        let (n, scene, condition) = (case.model.nv(), case.scene(), condition(&case));
        let run = |m: &dtau_methods::list::Method| m.fd_derivatives(&scene, &case.x.q, &case.x.v, &case.x.a);
        let wants = oracles.map(|oracle| run(oracle).expect("an oracle refuses nothing"));
        for m in methods(Quantity::FdDerivatives).filter(|m| m.exact) {
            let Ok(got) = run(m) else {
                assert!(case.model.joints().iter().any(|j| j.mimic.is_some()), "{} refuses {}", m.name, case.name);
                continue;
            };
            taken += 1;
            for (want, oracle) in wants.iter().zip(oracles) {
                let pairs: [(&str, &[f64], &[f64], f64); 4] = [
                    ("qdd", &got.qdd, &want.qdd, 1.0),
                    ("dqdd_dq", &got.dqdd_dq, &want.dqdd_dq, 1.0),
                    ("dqdd_dv", &got.dqdd_dv, &want.dqdd_dv, 1.0),
                    ("dqdd_dtau", &got.dqdd_dtau, &want.dqdd_dtau, 0.0),
                ];
                for (what, got, want, floor) in pairs {
                    let scales = scales(n, &condition, want, floor);
                    let what = format!("{what} by {} against {}, {}", m.name, oracle.name, case.name);
                    assert_rows_close(&what, got, want, &scales, ANYWHERE);
                }
            }
        }
    }
    assert!(taken > 200, "{taken}");
}

#[test]
fn every_listed_inverse_is_the_librarys() {
    for case in pushed_cases() {
        let (n, condition) = (case.model.nv(), condition(&case));
        let want = find(Quantity::MassInverse, "minverse").unwrap().inverse(&case.scene(), &case.x.q).unwrap();
        for m in methods(Quantity::MassInverse) {
            let Ok(got) = m.inverse(&case.scene(), &case.x.q) else { continue };
            let what = format!("{} of {}", m.name, case.name);
            assert_rows_close(&what, &got, &want, &scales(n, &condition, &want, 0.0), ANYWHERE);
        }
    }
}

/// A massless leaf has no acceleration: the result is an error that names the body, not NaN.
#[test]
fn a_massless_leaf_is_refused_by_name() {
    let model = build_massless(&chain_with_massless(3));
    let zeros = [0.0; 3];
    for m in methods(Quantity::FdDerivatives) {
        let error = m.fd_derivatives(&model.scene(), &zeros, &zeros, &zeros).unwrap_err().to_string();
        assert!(error.contains("body \"link_3\""), "{}: {error}", m.name);
    }
    for m in methods(Quantity::MassInverse) {
        let error = m.inverse(&model.scene(), &zeros).unwrap_err().to_string();
        assert!(error.contains("body \"link_3\""), "{}: {error}", m.name);
    }
}

/// Operations are counted for every method that allows it: the numbers are the methods' costs in the reports.
/// On a chain of 60 links the O(N²) ways need fewer than the O(N³) ones.
#[test]
fn operations_are_counted() {
    let model = Model::build(&chain(60), &Options::default()).unwrap();
    let zeros = vec![0.1; 60];
    let count = |quantity, name: &str| {
        let method = find(quantity, name).unwrap();
        method
            .forward_operations(&model.scene(), &zeros, &zeros, &zeros)
            .unwrap()
            .map(|operations| operations.instructions())
    };
    let fd = |name: &str| count(Quantity::FdDerivatives, name);
    assert!(fd("complex-step").is_none());
    for m in methods(Quantity::FdDerivatives) {
        println!("{:20} {:?}", m.name, fd(m.name));
    }
    assert!(fd("response") < fd("fdsva-aza") && fd("fdsva-aza") < fd("fdsva-dmm"), "at 60 links");
    for m in methods(Quantity::MassInverse) {
        println!("{:20} {:?}", m.name, count(Quantity::MassInverse, m.name));
        assert!(count(Quantity::MassInverse, m.name).is_some());
    }
}
