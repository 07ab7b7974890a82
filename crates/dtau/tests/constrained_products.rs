//! Products with the derivatives of constrained dynamics, and derivatives with respect to the desired motion
//! and external forces.
//!
//! `constraints.rs` compares the matrices with complex steps. Here they are also compared with dual numbers.

use dtau::model::Root;
use dtau::scalar::{Complex, Dual, Real};
use dtau::*;
use dtau_fixtures::assertions::assert_rows_close;
use dtau_fixtures::constrained::{Case, cases, condition_of, forward, stacked};
use dtau_fixtures::matrices::{self, absolute, largest, scales};
use dtau_fixtures::robots;
use dtau_fixtures::states::{State, numbers};
use dtau_fixtures::steps;

/// Directions or weights of a set: three of length nv, one for its rows.
struct Directions {
    dq: Vec<f64>,
    dv: Vec<f64>,
    dtau: Vec<f64>,
    w: Vec<f64>,
    w_lambda: Vec<f64>,
}

impl Directions {
    fn of(set: &Constraints) -> Self {
        let (random, n) = (&mut Random::seeded(9), set.model().nv());
        let [dq, dv, dtau, w] = [(); 4].map(|()| numbers(random, n));
        Self { dq, dv, dtau, w, w_lambda: numbers(random, set.rows()) }
    }
}

/// δq̈ and δλ, one after the other.
fn along(scene: Scene<'_, f64>, set: &Constraints, x: &State, d: &Directions) -> Vec<f64> {
    let (mut dqdd, mut dlambda) = (vec![f64::NAN; scene.model.nv()], vec![f64::NAN; set.rows()]);
    let tangent = FdTangent { dq: &d.dq, dv: &d.dv, dtau: &d.dtau };
    let out = ConstrainedTangentMut { dqdd: &mut dqdd, dlambda: &mut dlambda };
    constrained_fd_jvp(scene, &mut Workspace::new(scene.model), set, &x.q, &x.v, &x.a, tangent, out).unwrap();
    [dqdd, dlambda].concat()
}

/// Gradients with respect to q, q̇ and τ.
fn back(scene: Scene<'_, f64>, set: &Constraints, x: &State, d: &Directions) -> [Vec<f64>; 3] {
    let mut all = [(); 3].map(|()| vec![f64::NAN; scene.model.nv()]);
    let [dq, dv, dtau] = &mut all;
    let (ws, out) = (&mut Workspace::new(scene.model), FdGradientMut { dq, dv, dtau });
    constrained_fd_vjp(scene, ws, set, &x.q, &x.v, &x.a, &d.w, &d.w_lambda, out).unwrap();
    all
}

/// Compares products with those of the matrices. Both solve with K = [M −Jᵀ; J 0] and differ by rounding:
/// 1e-12 times |K⁻¹| |K| times the terms of the sums. `condition` is |K⁻¹| |K|.
fn check(name: &str, scene: Scene<'_, f64>, set: &Constraints, x: &State, condition: &[f64]) -> f64 {
    let (n, rows, d) = (scene.model.nv(), scene.model.nv() + set.rows(), Directions::of(set));
    let mut m = ConstrainedFdDerivatives::new(set);
    constrained_fd_derivatives(scene, &mut Workspace::new(scene.model), set, &x.q, &x.v, &x.a, &mut m).unwrap();
    let blocks = [
        stacked(&m.dqdd_dq, &m.dlambda_dq, n),
        stacked(&m.dqdd_dv, &m.dlambda_dv, n),
        stacked(&m.dqdd_dtau, &m.dlambda_dtau, n),
    ];
    let (mut want, mut added) = (vec![0.0; rows], vec![0.0; rows]);
    for (block, direction) in blocks.iter().zip([&d.dq, &d.dv, &d.dtau]) {
        want = matrices::sum(&want, &matrices::product(rows, block, direction));
        added = matrices::sum(&added, &matrices::product(rows, &absolute(block), &absolute(direction)));
    }
    let floor = largest(&m.qdd).max(largest(&m.lambda)).max(1.0);
    let forth = scales(rows, condition, &added, floor);
    let mut worst = assert_rows_close(&format!("{name}: jvp"), &along(scene, set, x, &d), &want, &forth, 1e-12);
    let weights = [&d.w[..], &d.w_lambda].concat();
    for (what, got, block) in
        ["q", "v", "tau"].into_iter().zip(back(scene, set, x, &d)).zip(&blocks).map(|((what, got), b)| (what, got, b))
    {
        let want = matrices::transposed_times(block, &weights);
        // Weighted error bound of each entry of the column.
        let of_rows = scales(rows, condition, block, floor);
        let scale = matrices::dot(&of_rows, &absolute(&weights));
        worst = worst.max(assert_rows_close(&format!("{name}: vjp by {what}"), &got, &want, &vec![scale; n], 1e-12));
    }
    worst
}

#[test]
fn constrained_products_are_those_with_the_matrices() {
    let mut worst: f64 = 0.0;
    for case in cases(6) {
        let Case { name, model, set, x, .. } = &case;
        worst = worst.max(check(name, model.scene(), set, x, &condition_of(&case)));
    }
    println!("constrained products beside matrices: {worst:.1e} of their scales at the most");
}

/// Covers wrenches of every kind, a desired motion, and inactive constraints.
#[test]
fn constrained_products_have_desired_motions_wrenches_and_masks() {
    for case in cases(3) {
        let Case { name, model, set, x, .. } = &case;
        let (random, condition) = (&mut Random::seeded(3), condition_of(&case));
        let wrenches = dtau_fixtures::wrenches::every_kind_everywhere(model);
        let desired = numbers(random, 3 * set.rows());
        let active: Vec<f64> = (0..set.len()).map(|k| if k % 2 == 1 { 0.0 } else { 1.0 }).collect();
        let scene = model.scene().wrenches(&wrenches).desired(&desired);
        check(name, scene, set, x, &condition);
        check(&format!("{name}, masked"), scene.active(&active), set, x, &condition);
    }
}

/// Forward products, by dual numbers through the same source.
#[test]
fn constrained_jvp_is_that_of_dual_numbers() {
    for case in cases(2) {
        let Case { name, model, set, x, .. } = &case;
        let (d, n, condition) = (Directions::of(set), model.nv(), condition_of(&case));
        let dual = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(&x, &d)| Dual::new(x, [d])).collect::<Vec<_>>();
        let mut q = steps::lift::<Dual>(&x.q);
        model.integrate(&steps::lift::<Dual>(&x.q), &dual(&vec![0.0; n], &d.dq), &mut q).unwrap();
        let there = forward(model.scene(), set, &q, &dual(&x.v, &d.dv), &dual(&x.a, &d.dtau));
        let want: Vec<f64> = there.iter().map(|x| x.eps[0]).collect();
        let floor = there.iter().map(|x| x.re.abs()).fold(1.0, f64::max);
        let scales = scales(n + set.rows(), &condition, &want, floor);
        assert_rows_close(name, &along(model.scene(), set, x, &d), &want, &scales, 1e-12);
    }
}

/// Dependent rows: compares with products of the same matrices, whose forces are changes of least norm. One
/// foot is held twice, and four feet are held in six directions.
#[test]
fn constrained_products_of_redundant_sets_are_those_with_the_matrices() {
    let model = robots::bundled("quadruped", Root::Floating);
    let x = State { v: vec![0.0; model.nv()], ..State::random(&model, 7) };
    let twice = Constraints::new(&model).point("lf_foot").at_world_here(&x.q).unwrap();
    let twice = twice.point("lf_foot").axes(RowAxes::World).at_world_here(&x.q).unwrap().build().unwrap();
    let feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"];
    let feet = feet.iter().fold(Constraints::new(&model), |set, foot| set.frame(foot).at_world_here(&x.q).unwrap());
    for (name, set) in [("twice", twice), ("feet", feet.build().unwrap())] {
        // Condition of the kept rows: entries of M⁻¹ are about a hundred, those of Λ likewise, so at most 1e4.
        let rows = model.nv() + set.rows();
        let condition: Vec<f64> = matrices::identity(rows).iter().map(|x| 1e4 * x).collect();
        check(name, model.scene(), &set, &x, &condition);
    }
}

/// The desired motion in complex numbers, with a step in one number.
fn driven(set: &Constraints, here: &[f64], moved: usize) -> Vec<Complex> {
    let mut desired = steps::lift::<Complex>(here);
    desired[moved].im = steps::STEP;
    assert_eq!(desired.len(), 3 * set.rows());
    desired
}

/// Derivatives with respect to the desired positions, velocities and accelerations of the rows, at a nonzero
/// desired motion.
#[test]
fn derivatives_by_the_desired_motion_are_complex_steps() {
    for case in cases(2) {
        let Case { name, model, set, x, .. } = &case;
        let (n, m, condition) = (model.nv(), set.rows(), condition_of(&case));
        let here = numbers(&mut Random::seeded(4), 3 * m);
        let mut out = [n * m, n * m, n * m, m * m, m * m, m * m].map(|len| vec![f64::NAN; len]);
        let [dqdd_dposition, dqdd_dvelocity, dqdd_dacceleration, dlambda_dposition, dlambda_dvelocity, last] = &mut out;
        let by = DesiredDerivativesMut {
            dqdd_dposition,
            dqdd_dvelocity,
            dqdd_dacceleration,
            dlambda_dposition,
            dlambda_dvelocity,
            dlambda_dacceleration: last,
        };
        let scene = model.scene().desired(&here);
        constrained_fd_desired_derivatives(scene, &mut Workspace::new(model), set, &x.q, by).unwrap();
        let [q, v, tau] = [&x.q, &x.v, &x.a].map(|x| steps::lift::<Complex>(x));
        for order in 0..3 {
            let column = |row: usize| {
                let desired = driven(set, &here, order * m + row);
                steps::rates(&forward(model.scene().desired(&desired), set, &q, &v, &tau))
            };
            let want: Vec<f64> = (0..m).flat_map(column).collect();
            let got = (0..m).flat_map(|c| [&out[order][c * n..][..n], &out[3 + order][c * m..][..m]].concat());
            let scales = scales(n + m, &condition, &want, 1.0);
            assert_rows_close(&format!("{name}, order {order}"), &got.collect::<Vec<_>>(), &want, &scales, 1e-12);
        }
    }
}

/// An external force is a torque Jᵀf, so derivatives with respect to it are those with respect to τ, times
/// the transposed Jacobian of its frame.
#[test]
fn derivatives_by_wrenches_are_those_by_torques_times_a_jacobian() {
    for case in cases(1) {
        let Case { name, model, set, x, .. } = &case;
        let (n, m, condition, ws) = (model.nv(), set.rows(), condition_of(&case), &mut Workspace::new(model));
        let frame = model.frame_ids().last().unwrap();
        let mut d = ConstrainedFdDerivatives::new(set);
        constrained_fd_derivatives(model, ws, set, &x.q, &x.v, &x.a, &mut d).unwrap();
        type Make<T> = fn(dtau::model::FrameId, [T; 3], [T; 3]) -> Wrench<T>;
        let kinds: [(Reference, Make<Complex>); 3] = [
            (Reference::Local, Wrench::local),
            (Reference::LocalWorldAligned, Wrench::local_world_aligned),
            (Reference::World, Wrench::world),
        ];
        for (reference, make) in kinds {
            let mut j = vec![0.0; 6 * n];
            frame_jacobian(model, ws, frame, reference, &x.q, &mut j).unwrap();
            let across: Vec<f64> =
                (0..6).flat_map(|r| (0..n).map(move |k| (r, k))).map(|(r, k)| j[6 * k + r]).collect();
            let got = matrices::product(n + m, &stacked(&d.dqdd_dtau, &d.dlambda_dtau, n), &across);
            let [q, v, tau] = [&x.q, &x.v, &x.a].map(|x| steps::lift::<Complex>(x));
            let column = |k: usize| {
                let mut six = [Complex::zero(); 6];
                six[k].im = steps::STEP;
                let [fx, fy, fz, nx, ny, nz] = six;
                let wrenches = [make(frame, [fx, fy, fz], [nx, ny, nz])];
                steps::rates(&forward(model.scene().wrenches(&wrenches), set, &q, &v, &tau))
            };
            let want: Vec<f64> = (0..6).flat_map(column).collect();
            let scales = scales(n + m, &condition, &want, 1.0);
            assert_rows_close(&format!("{name}, {reference:?}"), &got, &want, &scales, 1e-12);
        }
    }
}

/// Larger and smaller sets share one workspace. No data of one set remains in another.
#[test]
fn constrained_products_of_other_sets_in_one_workspace() {
    let model = robots::bundled("quadruped", Root::Floating);
    let (x, ws) = (State::random(&model, 7), &mut Workspace::new(&model));
    let feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"];
    for count in [4, 1, 3, 2] {
        let set = feet[..count].iter().fold(Constraints::new(&model), |set, foot| set.point(foot).at_world([0.0; 3]));
        let set = set.build().unwrap();
        let d = Directions::of(&set);
        let mut got = [(); 3].map(|()| vec![f64::NAN; model.nv()]);
        let [dq, dv, dtau] = &mut got;
        let out = FdGradientMut { dq, dv, dtau };
        constrained_fd_vjp(&model, ws, &set, &x.q, &x.v, &x.a, &d.w, &d.w_lambda, out).unwrap();
        assert_eq!(got, back(model.scene(), &set, &x, &d), "{count} feet");
    }
}
