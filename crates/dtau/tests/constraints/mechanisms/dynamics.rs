//! Accelerations and forces with known solutions.

use super::*;
use dtau::{Constrained, Energy, Gains, constrained_fd, constrained_step, energy, freedom};

/// A piston at constant crank speed: position, velocity and acceleration by hand. x = r cos θ + √(l² − r² sin² θ).
#[test]
fn the_piston_of_a_slider_crank_moves_as_by_hand() {
    let (r, l, w) = (0.3, 1.1, 2.0);
    let slides = JointKind::Prismatic { axis: Vec3::new(1.0, 0.0, 0.0) };
    let model = Plan::new("slider-crank")
        .bar("crank", "base", [0.0, 0.0], r)
        .bar("rod", "crank", [r, 0.0], l)
        .link("piston", "base", [0.0, 0.0], slides, rod(0.2))
        .build();
    let set = Constraints::new(&model)
        .point("rod_end")
        .with("piston", [0.0; 3]) // the plane already holds one of three directions
        .joints(&[("to_crank", 1.0)])
        .called("drive")
        .sum_to(0.0)
        .build()
        .unwrap();
    let (mut ws, mut q, mut out) = (Workspace::new(&model), vec![0.0, 0.0, r + l], Constrained::new(&set));
    for k in 0..40 {
        let angle = 0.16 * f64::from(k);
        let mut desired = [0.0; 12];
        (desired[3], desired[7]) = (angle, w);
        let scene = model.scene().desired(&desired);
        assemble(scene, &mut ws, &set, &Closing::default(), &mut q).unwrap();
        let mut v = [0.0; 3];
        project_velocity(scene, &mut ws, &set, &q, &mut v).unwrap();
        constrained_fd(scene, &mut ws, &set, &q, &v, &[0.0; 3], &mut out).unwrap();
        let s = (l * l - (r * angle.sin()).powi(2)).sqrt();
        let s1 = -r * r * angle.sin() * angle.cos() / s;
        let s2 = -(r * r * (2.0 * angle).cos() + s1 * s1) / s;
        let want = [r * angle.cos() + s, (-r * angle.sin() + s1) * w, (-r * angle.cos() + s2) * w * w];
        for (got, want) in [q[2], v[2], out.qdd[2]].into_iter().zip(want) {
            assert!((got - want).abs() < 1e-8, "crank at {angle}: {got}, by hand {want}");
        }
        // The drive's torque follows from power: the rate of energy of the piston and the bars. Its sign is
        // that of the crank's motion.
        let h = 1e-6;
        let of = |t: f64| {
            let angle = angle + w * t;
            let mut desired = [0.0; 12];
            (desired[3], desired[7]) = (angle, w);
            let scene = model.scene().desired(&desired);
            let (mut q, mut v, mut e) = (q.clone(), [0.0; 3], Energy::default());
            let mut ws = Workspace::new(&model);
            assemble(scene, &mut ws, &set, &Closing::default(), &mut q).unwrap();
            project_velocity(scene, &mut ws, &set, &q, &mut v).unwrap();
            energy(&model, &mut ws, &q, &v, &mut e).unwrap();
            e.kinetic + e.potential
        };
        let power = (of(h) - of(-h)) / (2.0 * h);
        assert!((out.lambda[3] * w - power).abs() < 1e-5, "{} W of the drive, {power} W gained", out.lambda[3] * w);
    }
}

/// A bar held at both ends. If it is level, each end carries half the weight. If not, only the force across
/// the bar acts on the joint. Of all solutions, the least force is required: m g cos θ / 2 across the bar.
#[test]
fn a_pendulum_held_at_its_end_pushes_with_half_its_weight() {
    let length = 1.3;
    let model = Plan::new("pendulum").bar("bar", "base", [0.0, 0.0], length).build();
    for angle in [0.0, 0.7, -2.0] {
        let q = [angle];
        let set = Constraints::new(&model).point("bar_end").at_world_here(&q).unwrap().build().unwrap();
        let (mut ws, mut out) = (Workspace::new(&model), Constrained::new(&set));
        constrained_fd(&model, &mut ws, &set, &q, &[0.0], &[0.0], &mut out).unwrap();
        let push = 0.5 * length * G * angle.cos(); // 1 kg/m
        let want = [-push * angle.sin(), push * angle.cos(), 0.0];
        assert!(out.qdd[0].abs() < 1e-12, "{out:?}");
        for (got, want) in out.lambda.iter().zip(want) {
            assert!((got - want).abs() < 1e-12, "at {angle}: {:?}, by hand {want:?}", out.lambda);
        }
        assert_eq!(freedom(&model, &mut ws, &set, &q).unwrap(), 0);
    }
}

/// A block slides down a slope with g sin α, and its normal force is m g cos α. A force along the slope does
/// not change the normal force. With four feet in the plane, one is redundant: the motion is the same, and
/// the least forces are equal if they are under the centre of mass.
#[test]
fn a_block_slides_down_a_slope() {
    let (model, slope): (Model, f64) = (block(), 0.4);
    let (sin, cos) = slope.sin_cos();
    let plane = Transform::new(
        dtau::spatial::Mat3::from_cols(Vec3::new(cos, 0.0, -sin), Vec3::new(0.0, 1.0, 0.0), Vec3::new(sin, 0.0, cos)),
        Vec3::zero(),
    );
    let turn = dtau::spatial::Quaternion::from_matrix(&plane.rot).to_array();
    let q = [0.0, 0.0, 0.0, turn[0], turn[1], turn[2], turn[3]];
    let v = [0.7, -0.3, 0.0, 0.0, 0.0, 0.0];
    let (mut ws, weight) = (Workspace::new(&model), 2.0 * G);
    let whole = Constraints::new(&model)
        .frame("block")
        .only([false, false, true, true, true, false])
        .at_world(plane)
        .build()
        .unwrap();
    let mut feet = Constraints::new(&model);
    for at in [[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]] {
        feet = feet.point("block").at(at).in_world_plane([0.0; 3], [sin, 0.0, cos]);
    }
    let feet = feet.build().unwrap();
    for (set, pressed) in [(&whole, 1), (&feet, 4)] {
        let mut out = Constrained::new(set);
        constrained_fd(&model, &mut ws, set, &q, &v, &[0.0; 6], &mut out).unwrap();
        for (k, want) in [G * sin, 0.0, 0.0, 0.0, 0.0, 0.0].into_iter().enumerate() {
            assert!((out.qdd[k] - want).abs() < 1e-11, "{:?}", out.qdd);
        }
        let total: f64 = out.lambda[..pressed].iter().sum();
        assert!((total - weight * cos).abs() < 1e-10, "{:?}", out.lambda);
        assert_eq!(freedom(&model, &mut ws, set, &q).unwrap(), 3);
    }
    // The centre of mass is 0.1 m above the slope. The rear feet carry the moment of the slope's pull in
    // equal shares.
    let mut out = Constrained::new(&feet);
    constrained_fd(&model, &mut ws, &feet, &q, &[0.0; 6], &[0.0; 6], &mut out).unwrap();
    assert!((out.lambda[0] - out.lambda[1]).abs() < 1e-10 && (out.lambda[2] - out.lambda[3]).abs() < 1e-10, "{out:?}");
}

/// Redundant rows give the same accelerations as without them, the least forces, and no NaN. Examples: a
/// planar loop closed in space, and the same point held twice.
#[test]
fn redundant_rows_change_no_acceleration() {
    let model = four_bar(FOUR_BAR);
    let few = closed(&model);
    let (q, v) = state(&model, &few, &by_trigonometry(FOUR_BAR, 0.9, false));
    let tau = [0.3, -0.2, 0.5];
    let fd = |set: &Constraints| {
        let mut out = Constrained::new(set);
        constrained_fd(&model, &mut Workspace::new(&model), set, &q, &v, &tau, &mut out).unwrap();
        out
    };
    let want = fd(&few);
    let hinge = Constraints::new(&model)
        .frame("coupler_end")
        .hinge()
        .with("rocker_end", Transform::identity())
        .build()
        .unwrap();
    let twice = Constraints::new(&model)
        .point("coupler_end")
        .with("rocker_end", [0.0; 3])
        .point("coupler_end")
        .called("again")
        .with("rocker_end", [0.0; 3])
        .build()
        .unwrap();
    for set in [&hinge, &twice] {
        let got = fd(set);
        for (got, want) in got.qdd.iter().zip(&want.qdd) {
            assert!((got - want).abs() < 1e-10 * want.abs().max(1.0), "{got} {want}");
        }
        assert_eq!(freedom(&model, &mut Workspace::new(&model), set, &q).unwrap(), 1);
    }
    for (row, want) in want.lambda.iter().enumerate() {
        assert!((fd(&hinge).lambda[row] - want).abs() < 1e-9 * want.abs().max(1.0));
    }
    let got = fd(&twice);
    // Axes of the rocker there, of the coupler here, so lengths are compared. Two equal constraints carry half each.
    let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let whole = length(&want.lambda);
    assert!((length(&got.lambda[..3]) - 0.5 * whole).abs() < 1e-9 * whole, "{:?} {:?}", got.lambda, want.lambda);
    for k in 0..3 {
        assert!((got.lambda[k] - got.lambda[k + 3]).abs() < 1e-9 * whole, "{:?}", got.lambda);
    }
}

/// A quadruped with four feet held in six directions: 24 rows of rank 17. The three-joint legs leave one
/// degree of freedom, like parallel cranks, and it falls along it. It falls as under 17 independent rows,
/// selected one by one. If every foot is held twice, each constraint carries half, which is the least.
#[test]
fn four_feet_held_in_six_directions_fall_as_under_independent_rows() {
    let (model, q) = quadruped();
    let (zeros, mut ws) = (vec![0.0; model.nv()], Workspace::new(&model));
    let hold = |set: dtau::ConstraintsBuilder, foot: &str, only: [bool; 6]| {
        set.frame(foot).only(only).at_world_here(&q).unwrap()
    };
    let mut fall = |set: &Constraints| {
        let mut out = Constrained::new(set);
        constrained_fd(&model, &mut ws, set, &q, &zeros, &zeros, &mut out).unwrap();
        out
    };
    let all = |times: usize| {
        let feet = FEET.into_iter().flat_map(|foot| std::iter::repeat_n(foot, times));
        feet.fold(Constraints::new(&model), |set, foot| hold(set, foot, [true; 6])).build().unwrap()
    };
    let (once, twice) = (fall(&all(1)), fall(&all(2)));
    let (mut independent, mut left, room) = (Constraints::new(&model), model.nv(), &mut Workspace::new(&model));
    for (foot, row) in FEET.into_iter().flat_map(|foot| (0..6).map(move |row| (foot, row))) {
        let more = hold(independent.clone(), foot, std::array::from_fn(|k| k == row));
        let now = freedom(&model, room, &more.clone().build().unwrap(), &q).unwrap();
        if now < left {
            (independent, left) = (more, now);
        }
    }
    let independent = independent.build().unwrap();
    assert_eq!((independent.rows(), left, freedom(&model, room, &all(2), &q).unwrap()), (17, 1, 1));
    let few = fall(&independent);
    assert!(once.qdd[0].abs() > 1.0, "it falls: {:?}", once.qdd);
    for (k, want) in few.qdd.iter().enumerate() {
        for got in [once.qdd[k], twice.qdd[k]] {
            assert!((got - want).abs() < 1e-9, "dof {k}: {got}, under independent rows {want}");
        }
    }
    for (foot, twice) in once.lambda.chunks_exact(6).zip(twice.lambda.chunks_exact(12)) {
        for k in 0..6 {
            for half in [twice[k], twice[k + 6]] {
                assert!((half - 0.5 * foot[k]).abs() < 1e-8, "{foot:?} {twice:?}");
            }
        }
    }
    let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(length(&once.lambda) < length(&few.lambda), "the least");
}

fn total(model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) -> f64 {
    let mut e = Energy::default();
    energy(model, ws, q, v, &mut e).unwrap();
    e.kinetic + e.potential
}

/// Constraint forces do no work. A frictionless four-bar, integrated with fourth-order Runge–Kutta at 1 ms,
/// with weak stabilisation against the integrator's drift. Two seconds, or a minute with DTAU_LONG. The
/// energy of about 10 J changes by 1e-10 J per second.
#[test]
fn a_frictionless_loop_keeps_its_energy() {
    let model = four_bar(FOUR_BAR);
    let set = closed(&model);
    let (mut q, mut v) = state(&model, &set, &by_trigonometry(FOUR_BAR, 0.5, false));
    let (mut ws, mut out, dt) = (Workspace::new(&model), Constrained::new(&set), 1e-3);
    let seconds = if std::env::var_os("DTAU_LONG").is_some() { 60 } else { 2 };
    let start = total(&model, &mut ws, &q, &v);
    let (mut least, mut most) = (start, start);
    for step in 0..seconds * 1000 {
        let mut slope = |q: &[f64], v: &[f64]| -> (Vec<f64>, Vec<f64>) {
            constrained_fd(&model, &mut ws, &set, q, v, &[0.0; 3], &mut out).unwrap();
            (v.to_vec(), out.qdd.clone())
        };
        let along = |x: &[f64], d: &[f64], h: f64| -> Vec<f64> { x.iter().zip(d).map(|(x, d)| x + h * d).collect() };
        let (q1, v1) = slope(&q, &v);
        let (q2, v2) = slope(&along(&q, &q1, 0.5 * dt), &along(&v, &v1, 0.5 * dt));
        let (q3, v3) = slope(&along(&q, &q2, 0.5 * dt), &along(&v, &v2, 0.5 * dt));
        let (q4, v4) = slope(&along(&q, &q3, dt), &along(&v, &v3, dt));
        for k in 0..3 {
            q[k] += dt / 6.0 * (q1[k] + 2.0 * (q2[k] + q3[k]) + q4[k]);
            v[k] += dt / 6.0 * (v1[k] + 2.0 * (v2[k] + v3[k]) + v4[k]);
        }
        if step % 100 == 99 {
            assemble(&model, &mut ws, &set, &Closing::default(), &mut q).unwrap();
            project_velocity(&model, &mut ws, &set, &q, &mut v).unwrap();
            let now = total(&model, &mut ws, &q, &v);
            (least, most) = (least.min(now), most.max(now));
        }
    }
    println!("energy over {seconds} s: from {start} J, within {least} and {most} J");
    assert!(most - least < 1e-8 * f64::from(seconds), "energy {start} J wanders between {least} and {most} J");
}

/// A step keeps loops closed in position and velocity. It is of first order: the energy error of a
/// frictionless loop decreases by ten with a tenth of the step. Gains change nothing, because nothing needs
/// stabilisation.
#[test]
fn steps_keep_loops_closed_and_are_of_first_order() {
    let model = four_bar(FOUR_BAR);
    let plane = [true, true, false, false, false, false];
    let stiff = Constraints::new(&model)
        .frame("coupler_end")
        .only(plane)
        .with("rocker_end", Transform::identity())
        .stabilise(Gains { kp: 100.0, kd: 20.0 })
        .build()
        .unwrap();
    let mut wander = Vec::new();
    for (set, dt) in [(&closed(&model), 1e-2), (&closed(&model), 1e-3), (&stiff, 1e-3)] {
        let (mut q, mut v) = state(&model, set, &by_trigonometry(FOUR_BAR, 0.5, false));
        let mut ws = Workspace::new(&model);
        let (start, mut worst) = (total(&model, &mut ws, &q, &v), 0.0);
        for _ in 0..(1.0 / dt) as usize {
            let done = constrained_step(&model, &mut ws, set, dt, &[0.0; 3], &mut q, &mut v).unwrap();
            assert!(done.residual <= 1e-10 && done.iterations <= 4, "{done:?}");
            let (third, w) = (q[0] + q[1], v[0] + v[1]);
            let [_, a, b, c] = FOUR_BAR;
            let rate = -a * q[0].sin() * v[0] - b * third.sin() * w + c * q[2].sin() * v[2];
            assert!(rate.abs() < 1e-9, "the loop opens with {rate} m/s");
            worst = f64::max(worst, (total(&model, &mut ws, &q, &v) - start).abs());
        }
        wander.push(worst);
    }
    println!("energy wanders by {wander:?} J");
    assert!(wander[1] < 0.2 * wander[0] && wander[1] > 0.02 * wander[0], "{wander:?}");
    assert!((wander[2] - wander[1]).abs() < 1e-2 * wander[1], "{wander:?}");
}
