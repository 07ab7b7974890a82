//! Closing loops, projecting velocities, and counting degrees of freedom.

use super::*;
use dtau::model::generate;
use dtau::{Random, constrained_step, constraint_jacobian, crba, freedom};
use dtau_fixtures::constraints::{Spec, build};
use dtau_fixtures::matrices::dot;
use dtau_fixtures::robots;
use std::f64::consts::TAU;

/// A desired position drives the crank round. Trigonometry gives coupler and rocker, and the angles satisfy
/// Freudenstein's equation. Loops are closed to 1e-10, and dead centres are at least 0.1 rad away, so angles
/// are right to 1e-9.
#[test]
fn a_four_bar_driven_round_obeys_freudenstein() {
    let lengths @ [ground, crank, coupler, rocker] = FOUR_BAR;
    let model = four_bar(lengths);
    let plane = [true, true, false, false, false, false];
    let set = Constraints::new(&model)
        .frame("coupler_end")
        .only(plane)
        .with("rocker_end", Transform::identity())
        .joints(&[("to_crank", 1.0)])
        .called("drive")
        .sum_to(0.0)
        .build()
        .unwrap();
    let (k1, k2) = (ground / crank, ground / rocker);
    let k3 = (crank.powi(2) - coupler.powi(2) + rocker.powi(2) + ground.powi(2)) / (2.0 * crank * rocker);
    for crossed in [false, true] {
        let (mut ws, mut q) = (Workspace::new(&model), by_trigonometry(lengths, 0.0, crossed).to_vec());
        for step in 0..48 {
            let angle = TAU * f64::from(step) / 48.0;
            let mut desired = [0.0; 9];
            (desired[2], desired[5]) = (angle, 1.0); // of the drive: its position, its velocity
            let scene = model.scene().desired(&desired);
            let done = assemble(scene, &mut ws, &set, &Closing::default(), &mut q).unwrap();
            assert!(done.residual <= 1e-10 && done.iterations < 20, "{angle}: {done:?}");
            let want = by_trigonometry(lengths, angle, crossed);
            for k in 0..3 {
                assert!(turned(q[k], want[k]).abs() < 1e-9, "crank at {angle}, crossed {crossed}: {q:?}, not {want:?}");
            }
            let freudenstein = k1 * q[2].cos() - k2 * angle.cos() + k3 - (angle - q[2]).cos();
            assert!(freudenstein.abs() < 1e-9, "crank at {angle}: Freudenstein's equation has {freudenstein:e} left");
            // The ratio of speeds, by hand.
            let mut v = [0.0; 3];
            project_velocity(scene, &mut ws, &set, &q, &mut v).unwrap();
            let third = q[0] + q[1];
            let ratio = crank * (angle - third).sin() / (rocker * (q[2] - third).sin());
            assert!(
                (v[0] - 1.0).abs() < 1e-10 && (v[2] - ratio).abs() < 1e-8,
                "crank at {angle}: {v:?}, ratio {ratio}"
            );
            assert_eq!(freedom(scene, &mut ws, &set, &q).unwrap(), 0);
        }
        assert_eq!(freedom(&model, &mut ws, &closed(&model), &q).unwrap(), 1);
    }
}

/// The assembled configuration of a four-bar is the nearest of ten thousand found by trigonometry, up to
/// their spacing. Or it is a local minimum, in which a descent can end.
#[test]
fn the_assembled_configuration_is_the_nearest() {
    let model = four_bar(FOUR_BAR);
    let (set, mut ws, random) = (closed(&model), Workspace::new(&model), &mut Random::seeded(3));
    for _ in 0..20 {
        let on = by_trigonometry(FOUR_BAR, random.within(0.0, TAU), false);
        let guess: Vec<f64> = on.iter().map(|x| x + random.within(-0.2, 0.2)).collect();
        let mut q = guess.clone();
        assemble(&model, &mut ws, &set, &Closing::default(), &mut q).unwrap();
        let distance = |q: &[f64]| q.iter().zip(&guess).map(|(a, b)| turned(*a, *b).powi(2)).sum::<f64>().sqrt();
        let near = |k: i32| distance(&by_trigonometry(FOUR_BAR, q[0] + f64::from(k) * 1e-4, false));
        let best = (-5000..5000).map(near).fold(f64::INFINITY, f64::min);
        assert!(distance(&q) < best + 1e-7, "{guess:?}: {} away, and {best} is possible", distance(&q));
    }
}

/// Constraints of any kind, on trees with every joint and mimicry. They hold at one configuration and are
/// assembled from another nearby. An independent geometric residual is zero. For the velocity, J v = 0, and
/// its change has the form M⁻¹Jᵀp: it is the nearest.
#[test]
fn every_kind_of_constraint_is_closed_from_nearby() {
    let mut tried = 0;
    for seed in 0..60 {
        let root = if seed % 3 == 0 { Root::Fixed } else { Root::Floating };
        let model = robots::build(&generate::random_tree(seed, 8), root);
        let random = &mut Random::seeded(seed);
        let there = model.random_configuration(random);
        let kinds = [seed as usize % 8, random.below(8)];
        let specs: Vec<Spec> =
            kinds.into_iter().filter_map(|kind| Spec::draw(&model, random, kind, Some(&there))).collect();
        let rows: usize = specs.iter().map(Spec::rows).sum();
        if specs.is_empty() || rows > model.nv() / 2 {
            continue;
        }
        let specs: Vec<Spec> =
            specs.into_iter().map(|spec| Spec { gains: dtau::Gains { kp: 1.0, kd: 0.0 }, ..spec }).collect();
        let set = build(&model, &specs).unwrap();
        let away: Vec<f64> = (0..model.nv()).map(|_| random.within(-0.15, 0.15)).collect();
        let mut q = there.clone();
        model.integrate(&there, &away, &mut q).unwrap();
        let mut ws = Workspace::new(&model);
        let zeros = vec![0.0; model.nv()];
        let before: f64 = specs.iter().flat_map(|s| s.residual(&model, &q, &zeros, &zeros)).map(f64::abs).sum();
        assemble(&model, &mut ws, &set, &Closing::default(), &mut q)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{specs:?}"));
        // At rest with only kp, the residual of the acceleration is e.
        for spec in &specs {
            for e in spec.residual(&model, &q, &zeros, &zeros) {
                assert!(e.abs() < 1e-8, "seed {seed}: {e:e} left of {before:e}\n{spec:?}");
            }
        }
        let v0: Vec<f64> = (0..model.nv()).map(|_| random.within(-1.0, 1.0)).collect();
        let mut v = v0.clone();
        project_velocity(&model, &mut ws, &set, &q, &mut v).unwrap();
        let mut by_columns = vec![0.0; set.rows() * model.nv()];
        constraint_jacobian(&model, &mut ws, &set, &q, &mut by_columns).unwrap();
        let j: Vec<f64> =
            (0..set.rows()).flat_map(|row| by_columns.iter().copied().skip(row).step_by(set.rows())).collect();
        for row in j.chunks_exact(model.nv()) {
            let rate = dot(row, &v);
            assert!(rate.abs() < 1e-8, "seed {seed}: {rate:e} of a rate is left\n{specs:?}");
        }
        // The gradient of the distance is zero in free directions: M (v − v₀) is a combination of rows of J.
        let mut m = vec![0.0; model.nv() * model.nv()];
        crba(&model, &mut ws, &q, &mut m[..]).unwrap();
        let change: Vec<f64> = v.iter().zip(&v0).map(|(a, b)| a - b).collect();
        let pull: Vec<f64> = m.chunks_exact(model.nv()).map(|column| dot(column, &change)).collect();
        let left = beside(&j, &pull);
        let scale = pull.iter().fold(1e-3, |most, x| f64::max(most, x.abs()));
        assert!(left < 1e-7 * scale, "seed {seed}: {left:e} of {scale:e} is not along the rows\n{specs:?}");
        tried += 1;
    }
    assert!(tried > 25, "{tried} cases");
}

/// Returns how far `x` is from the span of the rows: the largest entry left after Gram–Schmidt.
fn beside(rows: &[f64], x: &[f64]) -> f64 {
    let n = x.len();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut left = x.to_vec();
    for row in rows.chunks_exact(n) {
        let mut row = row.to_vec();
        for _ in 0..2 {
            for b in &basis {
                let along = dot(b, &row);
                row.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
            }
        }
        let length = dot(&row, &row).sqrt();
        if length > 1e-9 {
            row.iter_mut().for_each(|x| *x /= length);
            basis.push(row);
        }
    }
    for _ in 0..2 {
        for b in &basis {
            let along = dot(b, &left);
            left.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
        }
    }
    left.iter().fold(0.0, |most, x| f64::max(most, x.abs()))
}

/// A straight chain whose end must move towards the base along its own line. No direction helps to first
/// order, but it closes.
#[test]
fn a_dead_centre_is_left() {
    let model = Plan::new("chain").bar("upper", "base", [0.0, 0.0], 1.0).bar("lower", "upper", [1.0, 0.0], 1.0).build();
    let set = Constraints::new(&model).point("lower_end").at_world([1.5, 0.0, 0.0]).build().unwrap();
    let mut q = [0.0, 0.0];
    assemble(&model, &mut Workspace::new(&model), &set, &Closing::default(), &mut q).unwrap();
    let (x, y) = (q[0].cos() + (q[0] + q[1]).cos(), q[0].sin() + (q[0] + q[1]).sin());
    assert!((x - 1.5).abs() < 1e-9 && y.abs() < 1e-9, "{q:?}");
}

/// Three equal cranks under one coupler. By count it is overconstrained, but it moves, because the
/// constraints are dependent where they are closed. It closes, projects, reports one degree of freedom, and
/// stays closed over several steps.
#[test]
fn a_parallelogram_with_a_bar_too_many_moves() {
    let model = Plan::new("parallelogram")
        .bar("first", "base", [0.0, 0.0], 0.5)
        .bar("coupler", "first", [0.5, 0.0], 2.0)
        .bar("second", "base", [1.0, 0.0], 0.5)
        .bar("third", "base", [2.0, 0.0], 0.5)
        .build();
    let plane = |builder: dtau::ConstraintsBuilder, bar: &str, at: f64| {
        let end = Transform::translation(Vec3::new(at, 0.0, 0.0));
        builder.frame(bar).only([true, true, false, false, false, false]).with("coupler", end)
    };
    let builder = plane(Constraints::new(&model), "second_end", 1.0);
    let set = plane(builder, "third_end", 2.0).build().unwrap();
    let (mut q, mut v) = state(&model, &set, &[1.0, -1.05, 1.1, 0.9]);
    let mut ws = Workspace::new(&model);
    assert_eq!(freedom(&model, &mut ws, &set, &q).unwrap(), 1);
    for k in [2, 3] {
        assert!((q[k] - q[0]).abs() < 1e-9 && (v[k] - v[0]).abs() < 1e-9, "{q:?} {v:?}");
    }
    assert!(v[0].abs() > 0.1, "it moves: {v:?}");
    for _ in 0..50 {
        constrained_step(&model, &mut ws, &set, 1e-2, &[0.0; 4], &mut q, &mut v).unwrap();
        assert!((q[2] - q[0]).abs() < 1e-8 && (q[0] + q[1]).abs() < 1e-8 && (v[3] - v[0]).abs() < 1e-8, "{q:?} {v:?}");
    }
}

/// Inactive constraints are not closed, and desired positions are used.
#[test]
fn what_acts_and_what_is_desired_is_the_scenes() {
    let (model, q0) = quadruped();
    let mut set = Constraints::new(&model);
    for foot in FEET {
        set = set.point(foot).at_world_here(&q0).unwrap();
    }
    let (set, mut ws, mut q) = (set.build().unwrap(), Workspace::new(&model), q0.clone());
    let mut desired = vec![0.0; 36];
    (desired[2], desired[5]) = (0.02, 0.3); // lf up by 2 cm; rf by 30 cm, but inactive
    let active = [1.0, 0.0, 1.0, 1.0];
    assemble(model.scene().desired(&desired).active(&active), &mut ws, &set, &Closing::default(), &mut q).unwrap();
    let place = |foot: &str, q: &[f64]| {
        let mut x = [0.0; 12];
        dtau::frame_placement(&model, &mut Workspace::new(&model), model.frame(foot).unwrap(), q, &mut x).unwrap();
        [x[9], x[10], x[11]]
    };
    for (foot, up) in [("lf_foot", 0.02), ("lh_foot", 0.0), ("rh_foot", 0.0)] {
        let (now, before) = (place(foot, &q), place(foot, &q0));
        for (k, want) in [0.0, 0.0, up].into_iter().enumerate() {
            assert!((now[k] - before[k] - want).abs() < 1e-9, "{foot}: {now:?} from {before:?}");
        }
    }
    assert!((place("rf_foot", &q)[2] - place("rf_foot", &q0)[2]).abs() < 0.05);
    let counted = freedom(model.scene().active(&active), &mut ws, &set, &q).unwrap();
    assert_eq!((counted, freedom(&model, &mut ws, &set, &q).unwrap()), (9, 6));
}
