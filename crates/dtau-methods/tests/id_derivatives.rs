//! Every method for the derivatives of inverse dynamics against two exact oracles, and further properties.

use dtau::model::{Model, Options, Root, generate};
use dtau::{IdDerivatives, Matrix};
use dtau_fixtures::Case;
use dtau_fixtures::assertions::{Worst, assert_rows_close, assert_symmetric, worst};
use dtau_fixtures::matrices::largest;
use dtau_fixtures::robots::{options, pushed_case, pushed_cases as cases, single_dof, with_base};
use dtau_methods::list::{Method, Quantity, find, methods};

/// Rounding: a few ε for every body that an entry is summed over, and for every frame it was transformed
/// through. Here trees are at most 15 bodies deep, and the errors measured below 1e-13. 1e-12 leaves a
/// margin.
const EXACT: f64 = 1e-12;

fn method(name: &str) -> &'static Method {
    find(Quantity::IdDerivatives, name).unwrap_or_else(|| panic!("no method {name}"))
}

/// [`worst`] of τ (as one row) and the three matrices, relative to their rows; a row of zeros must be exact.
fn worst_of_all(got: &IdDerivatives<f64>, want: &IdDerivatives<f64>) -> Worst {
    let n = want.dtau_dq.rows();
    let mut out = worst("tau", &got.tau, &want.tau, 1, 0.0);
    out.take(worst("dtau_dq", &got.dtau_dq, &want.dtau_dq, n, 0.0));
    out.take(worst("dtau_dv", &got.dtau_dv, &want.dtau_dv, n, 0.0));
    out.take(worst("dtau_da", &got.dtau_da, &want.dtau_da, n, 0.0));
    out
}

/// True if two degrees of freedom of the full tree are on one path from the root.
fn on_one_path(model: &Model, i: usize, j: usize) -> bool {
    let tree = model.tree();
    let (a, b) = (tree.dofs[i.min(j)].body, tree.dofs[i.max(j)].body);
    b < tree.bodies[a].bodies_end
}

/// Every method of the list, including the product's, is the derivative of RNEA by complex step and by dual
/// numbers.
#[test]
fn every_method_is_the_derivative_of_rnea() {
    let cases = cases();
    let oracles = ["complex-step", "dual-numbers"].map(|name| {
        let m = method(name);
        let derivatives = |case: &Case| m.id_derivatives(&case.scene(), &case.x.q, &case.x.v, &case.x.a);
        (name, cases.iter().map(|case| derivatives(case).expect("an oracle refuses nothing")).collect::<Vec<_>>())
    });
    for m in methods(Quantity::IdDerivatives) {
        // Accuracy of finite differences, with their truncation errors on general robots.
        let tolerance = match m.name {
            "forward-difference" => 1e-4,
            "central-difference" => 1e-6,
            _ => EXACT,
        };
        let (mut worst, mut taken) = (Worst::default(), 0);
        for (k, case) in cases.iter().enumerate() {
            let Ok(got) = m.id_derivatives(&case.scene(), &case.x.q, &case.x.v, &case.x.a) else { continue };
            taken += 1;
            for (oracle, want) in oracles.iter().filter(|(oracle, _)| *oracle != m.name) {
                let mut here = worst_of_all(&got, &want[k]);
                here.at = format!("{} against {oracle} on {}: {}", m.name, case.name, here.at);
                assert!(here.error <= tolerance, "{} = {:.1e} > {tolerance:.0e}", here.at, here.error);
                worst.take(here);
            }
        }
        assert!(taken >= 20, "{} was tried on {taken} robots only", m.name);
        println!("{:20} {:.1e} on {taken} robots; worst: {}", m.name, worst.error, worst.at);
    }
}

/// Methods with different sources differ in rounding. If two agreed to the last bit, they would be the same.
#[test]
fn no_two_exact_methods_agree_to_the_last_bit() {
    let cases = cases();
    let run = |m: &Method| -> Vec<_> {
        cases.iter().map(|c| m.id_derivatives(&c.scene(), &c.x.q, &c.x.v, &c.x.a).map(|d| d.dtau_dq)).collect()
    };
    let exact = methods(Quantity::IdDerivatives).filter(|m| m.exact);
    let exact: Vec<_> = exact.map(|m| (m.name, run(m))).collect();
    for (k, (first, xs)) in exact.iter().enumerate() {
        for (second, ys) in &exact[..k] {
            let (mut same, mut all) = (0, 0);
            for (x, y) in xs.iter().zip(ys) {
                let (Ok(x), Ok(y)) = (x, y) else { continue };
                for (x, y) in x.iter().zip(y.iter()).filter(|(x, y)| **x != 0.0 || **y != 0.0) {
                    all += 1;
                    same += usize::from(x == y);
                }
            }
            let share = same as f64 / all as f64;
            println!("{first:20} {second:20} {:.0} % of ∂τ/∂q to the last bit", 100.0 * share);
            assert!(all > 500 && share < 0.8, "{first} and {second}: {same} of {all}");
        }
    }
}

/// [Carpentier18] §V-B: at rest and without gravity or other forces, ∂τ/∂q̇ is zero. Analytic methods return
/// exact zeros; finite differences do not. Damping and friction have a slope at rest, so they are switched
/// off.
#[test]
fn at_rest_without_gravity_the_velocity_derivative_is_exactly_zero() {
    let (mut differences, mut exact) = (0.0f64, 0);
    for case in cases() {
        let scene = case.model.scene().gravity([0.0; 3]).damping(false).friction(false);
        let rest = vec![0.0; case.model.nv()];
        for m in methods(Quantity::IdDerivatives) {
            let Ok(d) = m.id_derivatives(&scene, &case.x.q, &rest, &rest) else { continue };
            let largest = d.dtau_dv.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if m.exact {
                assert_eq!(largest, 0.0, "{} on {}", m.name, case.name);
                assert!(d.dtau_dq.iter().all(|x| *x == 0.0), "{} on {}: ∂τ/∂q", m.name, case.name);
                exact += 1;
            } else {
                differences = differences.max(largest);
            }
        }
    }
    println!("{exact} exactly zero; finite differences reach {differences:.1e}");
    assert!(differences > 0.0, "finite differences were expected to show rounding and truncation");
}

/// Entries between degrees of freedom on different branches are exactly zero, in every state. Finite
/// differences satisfy this only most of the time, since a step on the manifold may change the rounding of
/// other joints' quaternions.
#[test]
fn entries_between_branches_are_exactly_zero() {
    let (mut exact, mut not_zero) = (0, 0);
    for case in cases().iter().filter(|c| c.model.mimic().is_none()) {
        for m in methods(Quantity::IdDerivatives) {
            let Ok(d) = m.id_derivatives(&case.scene(), &case.x.q, &case.x.v, &case.x.a) else { continue };
            let nv = case.model.nv();
            for (i, j) in (0..nv).flat_map(|i| (0..nv).map(move |j| (i, j))) {
                if on_one_path(&case.model, i, j) {
                    continue;
                }
                let got = [d.dtau_dq[(i, j)], d.dtau_dv[(i, j)], d.dtau_da[(i, j)]];
                if m.exact {
                    assert_eq!(got, [0.0; 3], "{} on {} at ({i}, {j})", m.name, case.name);
                    exact += 3;
                } else {
                    not_zero += got.iter().filter(|x| **x != 0.0).count();
                }
            }
        }
    }
    println!("{exact} exactly zero; {not_zero} by finite differences are not");
    assert!(exact > 10_000 && not_zero > 0, "{exact}, {not_zero}");
}

/// [Singh21] eq. (30): gravity has a potential, so the derivative of its torques is symmetric where coordinates
/// commute.
#[test]
fn gravity_derivatives_are_symmetric_on_trees_of_one_dof_joints() {
    for case in cases() {
        if case.model.joints().iter().any(|j| j.v.len() != 1) {
            continue;
        }
        let rest = vec![0.0; case.model.nv()];
        for m in methods(Quantity::IdDerivatives).filter(|m| m.exact) {
            let d =
                m.id_derivatives(&case.model.scene(), &case.x.q, &rest, &rest).expect("one degree of freedom a joint");
            let scale = d.dtau_dq.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            for (i, j) in (0..d.dtau_dq.rows()).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let (low, high) = (d.dtau_dq[(i, j)], d.dtau_dq[(j, i)]);
                let error = (low - high).abs() / scale;
                assert!(error <= EXACT, "{} on {} at ({i}, {j}): {low:e}, {high:e}", m.name, case.name);
            }
        }
    }
}

/// Methods that write an entry of M and its mirror image from one number give exactly symmetric M.
#[test]
fn a_mirrored_mass_matrix_is_symmetric_bit_for_bit() {
    for case in cases() {
        for m in ["idsva-body", "idsva-single-dof", "rneacr"].map(method) {
            let Ok(d) = m.id_derivatives(&case.scene(), &case.x.q, &case.x.v, &case.x.a) else { continue };
            assert_symmetric(&format!("{} on {}", m.name, case.name), &d.dtau_da, case.model.nv());
        }
    }
}

/// Methods that mirror M between joints, but compute both sides inside the block of one joint: M is exactly
/// symmetric between joints. Mimicry adds blocks.
#[test]
fn the_mass_matrix_between_joints_is_symmetric_bit_for_bit() {
    for case in cases().iter().filter(|c| c.model.mimic().is_none()) {
        for m in ["idsva", "idsva-printed", "pinocchio-style"].map(method) {
            let mut d = m.id_derivatives(&case.scene(), &case.x.q, &case.x.v, &case.x.a).expect("all joints");
            for joint in case.model.joints() {
                for (i, j) in joint.v.clone().flat_map(|i| joint.v.clone().map(move |j| (i, j))) {
                    d.dtau_da[(i, j)] = 0.0;
                }
            }
            assert_symmetric(&format!("{} on {}", m.name, case.name), &d.dtau_da, case.model.nv());
        }
    }
}

/// All other methods give symmetric M up to rounding: both sides are sums over the same bodies. Measured at
/// most 3 ε of the largest entry.
#[test]
fn the_mass_matrix_is_symmetric() {
    for case in cases() {
        for m in methods(Quantity::IdDerivatives).filter(|m| m.exact) {
            let Ok(d) = m.id_derivatives(&case.scene(), &case.x.q, &case.x.v, &case.x.a) else { continue };
            let n = case.model.nv();
            let transposed: Vec<f64> = (0..n * n).map(|at| d.dtau_da[(at / n, at % n)]).collect();
            let scales = vec![largest(&d.dtau_da); n];
            let what = format!("{} on {}", m.name, case.name);
            assert_rows_close(&what, &d.dtau_da, &transposed, &scales, 8.0 * f64::EPSILON);
        }
    }
}

/// A method for joints with one degree of freedom refuses others, and names the joint.
#[test]
fn restricted_methods_refuse_what_they_cannot_do() {
    let case = pushed_case("floating chain".into(), &with_base(generate::chain(3)), &options(Root::Floating), 0);
    let refusal =
        method("idsva-single-dof").id_derivatives(&case.scene(), &case.x.q, &case.x.v, &case.x.a).unwrap_err();
    assert!(refusal.to_string().contains("root_joint"), "{refusal}");
}

/// Operation counts: the lean kernel needs the fewest, body coordinates more than ground coordinates
/// ([Singh22] fig. 3), RNEACR more than those (fig. 2), the Lagrangian way the most. On a chain d = N, so
/// O(Nd) grows at most fourfold when N doubles, O(N³) eightfold.
#[test]
fn operation_counts_order_the_methods_as_the_papers_do() {
    let names = ["idsva", "pinocchio-style", "idsva-single-dof", "idsva-printed", "idsva-body", "rneacr", "lagrangian"];
    let sizes = [10, 20, 40];
    let counts = names.map(|name| {
        sizes.map(|n| {
            let case = pushed_case(format!("chain({n})"), &generate::chain(n), &Options::default(), 1);
            let operations =
                method(name).id_operations(&case.model.scene(), &case.x.q, &case.x.v, &case.x.a).expect(name);
            operations.expect("counted").instructions() as f64
        })
    });
    println!("{:20} {}", "instructions, N =", sizes.map(|n| format!("{n:>12}")).concat());
    for (name, counts) in names.iter().zip(counts) {
        println!("{name:20} {}", counts.map(|c| format!("{c:>12}")).concat());
    }
    for (k, pair) in counts.windows(2).enumerate() {
        assert!(pair[0][2] < pair[1][2], "{} takes more than {}", names[k], names[k + 1]);
    }
    for (name, counts) in names.iter().zip(counts) {
        let growth = counts[2] / counts[1];
        let most = if *name == "lagrangian" { 8.1 } else { 4.1 };
        assert!((2.0..most).contains(&growth), "{name} grows by {growth} from 20 to 40 links");
    }
}

/// [Singh22] §V-A: the rms of the relative error, term by term, on serial chains, and its growth with their
/// length.
///
/// All terms are included. A term that nearly cancels keeps the absolute error of its summands, so its
/// relative error is unbounded: with terms spread evenly about zero the mean of the squares is infinite, and
/// the rms of one state is dominated by a single term. The median over nine states is repeatable; the largest
/// is printed too.
#[test]
fn the_rms_relative_error_on_long_chains_is_below_1e_12() {
    let names =
        ["idsva", "idsva-printed", "idsva-body", "idsva-single-dof", "pinocchio-style", "rneacr", "dual-numbers"];
    println!("median (largest) of nine states\n{:>5} {}", "N", names.map(|n| format!("{n:>20}")).concat());
    let sizes = [10, 20, 50, 100, 200];
    let medians = sizes.map(|n| {
        let mut errors = names.map(|_| Vec::new());
        for seed in 0..9 {
            let options = Options { gravity: [0.0, -9.81, 0.0], ..Options::default() };
            let case = pushed_case(format!("chain({n})"), &generate::chain(n), &options, seed);
            let run =
                |name| method(name).id_derivatives(&case.model.scene(), &case.x.q, &case.x.v, &case.x.a).expect(name);
            let want = run("complex-step");
            for (name, errors) in names.iter().zip(&mut errors) {
                let got = run(name);
                errors.push(rms_relative(&got.dtau_dq, &want.dtau_dq).max(rms_relative(&got.dtau_dv, &want.dtau_dv)));
            }
        }
        errors.iter_mut().for_each(|e| e.sort_by(f64::total_cmp));
        println!("{n:>5} {}", errors.each_ref().map(|e| format!("{:>10.1e} ({:.1e})", e[4], e[8])).concat());
        errors.map(|e| e[4])
    });
    for (k, name) in names.iter().enumerate() {
        let series: Vec<f64> = medians.iter().map(|m| m[k]).collect();
        assert!(series[3] <= 1e-12, "{name} on chains of 100: {:e}", series[3]);
        // A line in a log–log plot: from 10 to 200 links at least as N, at most as N², without a large drop
        // between sizes.
        let growth = series[4] / series[0];
        assert!((10.0..1000.0).contains(&growth), "{name} grew by {growth:.1} from 10 to 200 links: {series:?}");
        assert!(series.windows(2).all(|w| w[1] > 0.7 * w[0]), "{name}: {series:?}");
    }
}

fn rms_relative(got: &Matrix<f64>, want: &Matrix<f64>) -> f64 {
    let terms = got.iter().zip(want.iter()).filter(|(_, want)| **want != 0.0);
    let squares: Vec<f64> = terms.map(|(got, want)| (got / want - 1.0).powi(2)).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

/// The random robots cover the tests: every joint type, branches, mimicry, joint effects, and wrenches of
/// every kind on moving bodies.
#[test]
fn the_cases_have_everything() {
    let cases = cases();
    let kinds = ["Revolute", "Continuous", "Prismatic", "Helical", "Spherical", "Planar", "Translation", "FreeFlyer"];
    for kind in kinds {
        let has = |c: &&Case| c.model.joints()[1..].iter().any(|j| format!("{:?}", j.kind).starts_with(kind));
        assert!(cases.iter().filter(has).count() >= 5, "{kind}");
    }
    let count = |has: fn(&Case) -> bool| cases.iter().filter(|c| has(c)).count();
    assert!(count(|c| c.model.mimic().is_some()) >= 10);
    assert!(count(|c| c.model.mimic().is_none()) >= 10);
    assert!(count(|c| c.model.tree().has_damping && c.model.tree().has_friction && c.model.tree().has_armature) >= 50);
    assert!(count(|c| c.model.tree().path_runs().len() > c.model.body_count()) >= 20, "branches");
    for kind in 0..6 {
        let wrenches = cases.iter().filter_map(|c| Some((c, c.wrenches.get(kind)?)));
        let moving = wrenches.filter(|(c, w)| c.model.carrier(w.frame).is_some()).count();
        assert!(moving >= 30, "wrench {kind} acts on {moving} moving bodies");
    }
}

/// The single-dof random trees have one degree of freedom per joint.
#[test]
fn single_dof_trees_have_one_dof_a_joint() {
    for seed in 0..16 {
        let case = pushed_case("".into(), &single_dof(generate::random_tree(seed, 12)), &Options::default(), seed);
        assert!(case.model.joints().iter().all(|j| j.v.len() == 1));
    }
}
