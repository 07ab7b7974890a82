//! Properties that relate the algorithms, and equivalent descriptions of the same robot.

#![allow(non_snake_case)]

use dtau::model::{
    Description, Inertial, JointDescription, JointKind, JointOrder, Link, MimicMode, Model, Options, Root, generate,
};
use dtau::spatial::{Inertia, Quaternion, Sym3, Transform, Vec3};
use dtau::*;
use dtau_fixtures::State;
use dtau_fixtures::assertions::assert_close;
use dtau_fixtures::by_value::{centroidal_momentum_rate, energy};
use dtau_fixtures::robots::{build, build_free, build_massless, bundled, options};
use dtau_fixtures::states::numbers;

fn torques<'m>(scene: impl Into<Scene<'m, f64>>, model: &Model, x: &State) -> Vec<f64> {
    let mut tau = vec![0.0; model.nv()];
    rnea(scene, &mut Workspace::new(model), &x.q, &x.v, &x.a, &mut tau).unwrap();
    tau
}

/// The closed form of a planar two-link arm, [RBDA] and any textbook, with point masses at the links' ends.
///
/// ```text
/// M₁₁ = (m₁ + m₂) l₁² + m₂ l₂² + 2 m₂ l₁ l₂ c₂     M₁₂ = m₂ l₂² + m₂ l₁ l₂ c₂     M₂₂ = m₂ l₂²
/// h₁ = −m₂ l₁ l₂ s₂ (2 q̇₁ q̇₂ + q̇₂²)                h₂ = m₂ l₁ l₂ s₂ q̇₁²
/// g₁ = (m₁ + m₂) g l₁ c₁ + m₂ g l₂ c₁₂              g₂ = m₂ g l₂ c₁₂
/// ```
#[test]
fn a_planar_arm_of_two_links_follows_the_textbook() {
    let (m1, m2, l1, l2, g) = (1.3, 0.7, 0.9, 0.6, 9.81);
    let mut arm = Description { name: "planar".into(), ..Description::default() };
    let point = |name: &str, mass, x| Link {
        name: name.into(),
        inertial: Some(Inertial { mass, com: Vec3::new(x, 0.0, 0.0), about_com: Sym3::zero() }),
        line: 0,
    };
    arm.links = vec![Link { name: "base".into(), ..Link::default() }, point("upper", m1, l1), point("fore", m2, l2)];
    // Rotation about −y lifts x towards z.
    let kind = JointKind::Revolute { axis: Vec3::new(0.0, -1.0, 0.0) };
    let mut elbow = JointDescription::new("elbow", kind, "upper", "fore");
    elbow.origin = Transform::translation(Vec3::new(l1, 0.0, 0.0));
    arm.joints = vec![JointDescription::new("shoulder", kind, "base", "upper"), elbow];
    let model = build(&arm, Root::Fixed);

    let (q, v, a): ([f64; 2], [f64; 2], [f64; 2]) = ([0.4, -1.1], [0.8, -0.5], [1.5, 2.5]);
    let ((c1, c2, s2), c12) = ((q[0].cos(), q[1].cos(), q[1].sin()), (q[0] + q[1]).cos());
    let m11 = (m1 + m2) * l1 * l1 + m2 * l2 * l2 + 2.0 * m2 * l1 * l2 * c2;
    let (m12, m22) = (m2 * l2 * l2 + m2 * l1 * l2 * c2, m2 * l2 * l2);
    let h = [-m2 * l1 * l2 * s2 * (2.0 * v[0] * v[1] + v[1] * v[1]), m2 * l1 * l2 * s2 * v[0] * v[0]];
    let weight = [(m1 + m2) * g * l1 * c1 + m2 * g * l2 * c12, m2 * g * l2 * c12];

    let ws = &mut Workspace::new(&model);
    let (mut m, mut tau, mut hold) = ([0.0; 4], [0.0; 2], [0.0; 2]);
    crba(&model, ws, &q, &mut m).unwrap();
    assert_close("M", &m, &[m11, m12, m12, m22], 2, 1e-15);
    gravity_torques(&model, ws, &q, &mut hold).unwrap();
    assert_close("gravity", &hold, &weight, 1, 1e-15);
    rnea(&model, ws, &q, &v, &a, &mut tau).unwrap();
    let want = [m11 * a[0] + m12 * a[1] + h[0] + weight[0], m12 * a[0] + m22 * a[1] + h[1] + weight[1]];
    assert_close("τ", &tau, &want, 1, 1e-15);
}

/// Without damping, friction and actuation, a simulation conserves the energy. Runge–Kutta stages averaged in
/// the body's axes, as here, are of second order because rotations do not commute. So a quarter of the step
/// must reduce the drift by 16.
#[test]
fn energy_is_conserved_along_a_simulated_trajectory() {
    for (seed, root) in [(3, Root::Fixed), (4, Root::Floating)] {
        let mut robot = generate::random_tree(seed, 5);
        robot.joints.iter_mut().for_each(|j| (j.damping, j.friction) = (0.0, 0.0));
        let model = build(&robot, root);
        let (coarse, fine) = (drift(&model, 4e-3, 50), drift(&model, 1e-3, 200));
        assert!(fine < 1e-6, "seed {seed}: the energy drifts by {fine:e} of itself");
        assert!(fine < coarse / 14.0, "seed {seed}: drift {coarse:e}, with a quarter of the step {fine:e}");
    }
}

/// Returns the energy drift, relative to the kinetic energy.
fn drift(model: &Model, step: f64, steps: usize) -> f64 {
    let ws = &mut Workspace::new(model);
    let State { mut q, mut v, .. } = State::random(model, 9);
    let total = |ws: &mut Workspace, q: &[f64], v: &[f64]| {
        let e = energy(model, ws, q, v).unwrap();
        (e.kinetic + e.potential, e.kinetic)
    };
    let (start, kinetic) = total(ws, &q, &v);
    let nv = model.nv();
    let zero = vec![0.0; nv];
    let along = |x: &[f64], k: f64, dx: &[f64]| -> Vec<f64> { x.iter().zip(dx).map(|(x, d)| x + k * d).collect() };
    for _ in 0..steps {
        let accelerate = |ws: &mut Workspace, q: &[f64], v: &[f64]| {
            let mut a = vec![0.0; nv];
            aba(model, ws, q, v, &zero, &mut a).unwrap();
            a
        };
        let moved = |q: &[f64], v: &[f64], k: f64| {
            let mut out = q.to_vec();
            model.integrate(q, &v.iter().map(|v| k * v).collect::<Vec<_>>(), &mut out).unwrap();
            out
        };
        let a1 = accelerate(ws, &q, &v);
        let v2 = along(&v, step / 2.0, &a1);
        let a2 = accelerate(ws, &moved(&q, &v, step / 2.0), &v2);
        let v3 = along(&v, step / 2.0, &a2);
        let a3 = accelerate(ws, &moved(&q, &v2, step / 2.0), &v3);
        let v4 = along(&v, step, &a3);
        let a4 = accelerate(ws, &moved(&q, &v3, step), &v4);
        let mean = |x: [&[f64]; 4]| -> Vec<f64> {
            (0..nv).map(|i| (x[0][i] + 2.0 * x[1][i] + 2.0 * x[2][i] + x[3][i]) / 6.0).collect()
        };
        q = moved(&q, &mean([&v, &v2, &v3, &v4]), step);
        v = along(&v, step, &mean([&a1, &a2, &a3, &a4]));
    }
    (total(ws, &q, &v).0 - start).abs() / kinetic
}

/// In free fall, a robot's momentum changes by its weight. Its angular momentum about the centre of mass is
/// constant, whatever its joints do.
#[test]
fn a_floating_robot_in_free_fall_keeps_its_angular_momentum() {
    for seed in 0..5 {
        let model = build(&generate::random_tree(seed, 6), Root::Floating);
        let x = State::random(&model, seed);
        let ws = &mut Workspace::new(&model);
        let mut tau = x.a.clone();
        tau[..6].fill(0.0); // no force on the base
        let mut a = vec![0.0; model.nv()];
        // Armature models only the rotor inertia about the joint, without reaction on the other bodies.
        let scene = || model.scene().armature(false);
        aba(scene(), ws, &x.q, &x.v, &tau, &mut a).unwrap();
        let rate = centroidal_momentum_rate(&model, ws, &x.q, &x.v, &a).unwrap();
        let weight = model.mass() * 9.81;
        assert_close("the rate of momentum", &rate.to_array(), &[0.0, 0.0, -weight, 0.0, 0.0, 0.0], 1, 1e-11);
    }
}

/// The order of joints does not matter.
#[test]
fn numbering_does_not_change_the_physics() {
    for seed in 0..5 {
        let robot = generate::random_tree(seed, 9);
        let a = build(&robot, Root::Floating);
        let by_name = Options { order: JointOrder::Alphabetical, ..options(Root::Floating) };
        let mut shuffled = robot.clone();
        shuffled.joints.reverse();
        for b in [Model::build(&robot, &by_name).unwrap(), build(&shuffled, Root::Floating)] {
            let x = State::random(&a, seed);
            let mut y = State::random(&b, seed);
            for joint in a.joints() {
                let twin = b.joint_info(b.joint(&joint.name).unwrap());
                y.q[twin.q.clone()].copy_from_slice(&x.q[joint.q.clone()]);
                y.v[twin.v.clone()].copy_from_slice(&x.v[joint.v.clone()]);
                y.a[twin.v.clone()].copy_from_slice(&x.a[joint.v.clone()]);
            }
            let (tau_a, tau_b) = (torques(&a, &a, &x), torques(&b, &b, &y));
            for joint in a.joints() {
                let twin = b.joint_info(b.joint(&joint.name).unwrap());
                assert_close(&joint.name, &tau_b[twin.v.clone()], &tau_a[joint.v.clone()], 1, 1e-12);
            }
        }
    }
}

/// Rotating the world, including gravity, does not change the torques.
#[test]
fn the_base_frame_does_not_matter() {
    let robot = generate::random_tree(1, 8);
    let model = build(&robot, Root::Fixed);
    let turn = Quaternion::exp(Vec3::new(0.7, -0.4, 1.1)).to_matrix();
    let gravity = (turn * Vec3::new(0.0, 0.0, -9.81)).to_array();
    let root_origin = Transform::new(turn, Vec3::new(0.3, 2.0, -1.0));
    let moved = Model::build(&robot, &Options { gravity, root_origin, ..Options::default() }).unwrap();
    let x = State::random(&model, 5);
    assert_close("τ in a turned world", &torques(&moved, &moved, &x), &torques(&model, &model, &x), 1, 1e-12);
    // Same, with gravity overridden in the call.
    let scene = moved.with_gravity([0.0; 3]).unwrap();
    assert_close(
        "τ with gravity turned",
        &torques(scene.scene().gravity(gravity), &scene, &x),
        &torques(&model, &model, &x),
        1,
        1e-12,
    );
}

/// A welded link is equivalent to added mass.
#[test]
fn fixed_links_are_merged_exactly() {
    let mut robot = generate::random_tree(2, 6);
    let model = build(&robot, Root::Fixed);
    let load = Inertial {
        mass: 0.8,
        com: Vec3::new(0.1, -0.2, 0.3),
        about_com: Sym3 { xx: 0.02, xy: 0.001, xz: -0.002, yy: 0.03, yz: 0.003, zz: 0.025 },
    };
    let placement = Transform::new(Quaternion::exp(Vec3::new(0.3, 0.5, -0.2)).to_matrix(), Vec3::new(0.4, 0.1, -0.2));
    // First as a link behind two fixed joints, then as a sum computed here.
    robot.links.push(Link { name: "bracket".into(), ..Link::default() });
    robot.links.push(Link { name: "load".into(), inertial: Some(load), line: 0 });
    let mut first = JointDescription::new("weld_a", JointKind::Fixed, "link_3", "bracket");
    first.origin = placement;
    robot.joints.push(first);
    robot.joints.push(JointDescription::new("weld_b", JointKind::Fixed, "bracket", "load"));
    let welded = build(&robot, Root::Fixed);

    let mut summed = model.description().clone();
    let link = summed.links.iter_mut().find(|l| l.name == "link_3").unwrap();
    let own = link.inertial.unwrap();
    let total = Inertia::from_com(own.mass, own.com, own.about_com)
        + Inertia::from_com(load.mass, load.com, load.about_com).transform(&placement);
    let com = total.h * (1.0 / total.mass);
    link.inertial = Some(Inertial { mass: total.mass, com, about_com: total.about(com) });
    let summed = build(&summed, Root::Fixed);

    let x = State::random(&model, 3);
    assert_close("τ of a welded load", &torques(&welded, &welded, &x), &torques(&summed, &summed, &x), 1, 1e-13);
    // And as a payload at the bracket's frame.
    let carrying = {
        let mut bare = robot.clone();
        bare.links.retain(|l| l.name != "load");
        bare.joints.retain(|j| j.name != "weld_b");
        build(&bare, Root::Fixed).with_payload("bracket", load).unwrap()
    };
    assert_close("τ of a payload", &torques(&carrying, &carrying, &x), &torques(&welded, &welded, &x), 1, 1e-13);
    assert!((carrying.mass() - model.mass() - load.mass).abs() < 1e-13);
}

/// Locking a joint is equivalent to keeping it still: the others need the same torques.
#[test]
fn locking_equals_zero_velocity() {
    for seed in 0..6 {
        let model = build(&generate::random_tree(seed, 9), Root::Floating);
        let mut x = State::random(&model, seed);
        let lock: Vec<_> = model.joints().iter().filter(|j| j.mimic.is_none()).step_by(3).collect();
        for joint in &lock {
            x.v[joint.v.clone()].fill(0.0);
            x.a[joint.v.clone()].fill(0.0);
        }
        let at: Vec<(&str, &[f64])> = lock.iter().map(|j| (j.name.as_str(), &x.q[j.q.clone()])).collect();
        let locked = model.lock(&at).unwrap();
        assert!(locked.nv() < model.nv());
        let mut y = State::random(&locked, seed);
        let tau = torques(&model, &model, &x);
        let mut want = vec![0.0; locked.nv()];
        for joint in locked.joints().iter().filter(|j| j.mimic.is_none()) {
            let twin = model.joint_info(model.joint(&joint.name).unwrap());
            y.q[joint.q.clone()].copy_from_slice(&x.q[twin.q.clone()]);
            y.v[joint.v.clone()].copy_from_slice(&x.v[twin.v.clone()]);
            y.a[joint.v.clone()].copy_from_slice(&x.a[twin.v.clone()]);
            want[joint.v.clone()].copy_from_slice(&tau[twin.v.clone()]);
        }
        // Only the follower's own joint effects are lost by locking, and it does not move.
        assert_close("τ of the others", &torques(&locked, &locked, &y), &want, 1, 1e-12);
    }
}

/// Two robots on one fixed base do not interact.
#[test]
fn attaching_at_a_fixed_base_couples_nothing() {
    let one = build(&generate::random_tree(5, 5), Root::Fixed);
    let other = build(&generate::random_tree(6, 4), Root::Fixed);
    let both = one.attach("base", &other, "second/").unwrap();
    assert_eq!((both.nq(), both.nv()), (one.nq() + other.nq(), one.nv() + other.nv()));
    let (x, y) = (State::random(&one, 1), State::random(&other, 2));
    let mut z = State::random(&both, 3);
    let spread = |model: &Model, prefix: &str, from: &State, to: &mut State| {
        for joint in model.joints().iter().filter(|j| j.mimic.is_none()) {
            let twin = both.joint_info(both.joint(&format!("{prefix}{}", joint.name)).unwrap());
            to.q[twin.q.clone()].copy_from_slice(&from.q[joint.q.clone()]);
            to.v[twin.v.clone()].copy_from_slice(&from.v[joint.v.clone()]);
            to.a[twin.v.clone()].copy_from_slice(&from.a[joint.v.clone()]);
        }
    };
    spread(&one, "", &x, &mut z);
    spread(&other, "second/", &y, &mut z);
    let tau = torques(&both, &both, &z);
    for (model, prefix, x) in [(&one, "", &x), (&other, "second/", &y)] {
        let alone = torques(model, model, x);
        for joint in model.joints().iter().filter(|j| j.mimic.is_none()) {
            let twin = both.joint_info(both.joint(&format!("{prefix}{}", joint.name)).unwrap());
            assert_close(&joint.name, &tau[twin.v.clone()], &alone[joint.v.clone()], 1, 1e-12);
        }
    }
}

/// An arm on a floating quadruped's back: attach and lock are inverse for joints, and masses add.
#[test]
fn an_arm_on_a_quadruped_adds_its_mass_and_joints() {
    let dog = bundled("quadruped", Root::Floating);
    let arm = bundled("arm6", Root::Fixed);
    let both = dog.attach("trunk", &arm, "arm/").unwrap();
    assert_eq!(both.nv(), dog.nv() + arm.nv());
    // The arm's base link was welded to the world. Now it moves, so its mass counts.
    let base = arm.description().links[0].inertial.unwrap().mass;
    assert!((both.mass() - dog.mass() - arm.mass() - base).abs() < 1e-12);
    assert!(both.frame("arm/tool0").is_ok());
}

/// A mimicking joint moves by its map: M = Gᵀ M_free G, and torques follow from virtual work.
#[test]
fn mimicry_is_a_projection_of_the_free_robot() {
    let honoured = bundled("arm7_gripper", Root::Fixed);
    let free = Model::bundled("arm7_gripper", &Options { mimic: MimicMode::Free, ..Options::default() }).unwrap();
    assert_eq!((honoured.nv(), free.nv()), (8, 9));
    let x = State::random(&honoured, 4);
    // The second finger is last and mimics the first with multiplier −1.
    let expand = |x: &[f64]| -> Vec<f64> { x.iter().copied().chain([-x[7]]).collect() };
    let y = State { q: expand(&x.q), v: expand(&x.v), a: expand(&x.a) };
    let full = torques(&free, &free, &y);
    let mut want = full[..8].to_vec();
    want[7] -= full[8];
    assert_close("τ", &torques(&honoured, &honoured, &x), &want, 1, 1e-13);
}

/// Joint effects: armature q̈ + damping q̇ + smoothed friction. Each can be switched off.
#[test]
fn joint_effects_enter_and_can_be_switched_off() {
    let model = build(&generate::random_tree(8, 6), Root::Fixed);
    let x = State::random(&model, 2);
    let bare = |model: &Model| torques(model.scene().armature(false).damping(false).friction(false), model, &x);
    let mut stripped = model.description().clone();
    stripped.joints.iter_mut().for_each(|j| (j.damping, j.friction, j.armature) = (0.0, 0.0, 0.0));
    let stripped = build(&stripped, Root::Fixed);
    assert_close("bare τ", &bare(&model), &torques(&stripped, &stripped, &x), 1, 1e-14);
    let with = torques(&model, &model, &x);
    assert!(with.iter().zip(bare(&model)).any(|(a, b)| (a - b).abs() > 1e-3));
    // Check one joint by hand.
    let joint = model.joints().iter().position(|j| j.mimic.is_none() && j.v.len() == 1).unwrap();
    let joint = &model.joints()[joint];
    let followers = model.joints().iter().any(|j| j.mimic.as_ref().is_some_and(|m| m.joint == joint.name));
    if !followers {
        let k = joint.v.start;
        let d = model.description().joints.iter().find(|d| d.name == joint.name).unwrap();
        let speed = (x.v[k] * x.v[k] + 1e-4).sqrt();
        let effect = d.armature * x.a[k] + d.damping * x.v[k] + d.friction * x.v[k] / speed;
        assert_close(&joint.name, &[with[k] - bare(&model)[k]], &[effect], 1, 1e-12);
    }
}

/// A wrench has the same effect in every form.
#[test]
fn wrenches_agree_across_ways_of_writing_them() {
    let model = bundled("humanoid", Root::Floating);
    let x = State::random(&model, 6);
    let ws = &mut Workspace::new(&model);
    let mut placed = Placements::new(&model);
    placed.update(&model, ws, &x.q).unwrap();
    let frame = model.frame("left_hand").unwrap();
    let X = placed.frame(frame);
    let (f, n) = (Vec3::new(3.0, -20.0, 8.0), Vec3::new(1.0, 0.5, -2.0));
    let local = [Wrench::local(frame, f.to_array(), n.to_array())];
    let (fw, nw) = (X.rot * f, X.rot * n);
    let aligned = [Wrench::local_world_aligned(frame, fw.to_array(), nw.to_array())];
    let world = [Wrench::world(frame, fw.to_array(), (nw + X.pos.cross(fw)).to_array())];
    let p = Vec3::new(0.1, 0.2, -0.3);
    let shifted = [Wrench {
        at: Point::InFrame(p.to_array()),
        ..Wrench::local(frame, f.to_array(), (n - p.cross(f)).to_array())
    }];
    let want = torques(model.scene().wrenches(&local), &model, &x);
    assert!(want.iter().zip(torques(&model, &model, &x)).any(|(a, b)| (a - b).abs() > 1.0));
    for other in [&aligned, &world, &shifted] {
        assert_close("τ", &torques(model.scene().wrenches(other), &model, &x), &want, 1, 1e-13);
    }
}

/// Dynamics and their rounding do not depend on the robot's position. In world coordinates, ABA would lose
/// eight digits 10 km from the origin. dtau computes relative to the robot itself. Only the position is
/// rounded, which has no effect here.
#[test]
fn a_robot_far_from_the_origin_is_as_exact_as_one_at_it() {
    let model = bundled("humanoid", Root::Floating);
    let near = State::random(&model, 11);
    let mut far = State::random(&model, 11);
    far.q[..3].copy_from_slice(&[1e4, -2e4, 3e4]);
    let ws = &mut Workspace::new(&model);
    let (nv, mut results) = (model.nv(), Vec::new());
    for x in [&near, &far] {
        let (mut tau, mut qdd) = (vec![0.0; nv], vec![0.0; nv]);
        let (mut m, mut minv, mut c, mut a_g) =
            (vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; nv * nv], vec![0.0; 6 * nv]);
        let mut id = IdDerivatives::new(&model);
        rnea(&model, ws, &x.q, &x.v, &x.a, &mut tau).unwrap();
        aba(&model, ws, &x.q, &x.v, &tau, &mut qdd).unwrap();
        crba(&model, ws, &x.q, &mut m).unwrap();
        minverse(&model, ws, &x.q, &mut minv).unwrap();
        coriolis(&model, ws, &x.q, &x.v, &mut c).unwrap();
        centroidal_matrix(&model, ws, &x.q, &mut a_g).unwrap();
        id_derivatives(&model, ws, &x.q, &x.v, &x.a, &mut id).unwrap();
        results.push([tau, qdd, m, minv, c, a_g, id.dtau_dq.to_vec(), id.dtau_dv.to_vec(), id.dtau_da.to_vec()]);
    }
    let names = ["τ", "q̈", "M", "M⁻¹", "C", "A", "∂τ/∂q", "∂τ/∂q̇", "∂τ/∂q̈"];
    for ((near, far), name) in results[0].iter().zip(&results[1]).zip(names) {
        assert_close(name, far, near, nv, 1e-13);
    }
}

#[test]
fn unknown_names_answer_with_the_nearest() {
    let model = bundled("humanoid", Root::Floating);
    let name = &model.joints()[3].name;
    let typo = format!("{name}x");
    let message = model.joint(&typo).unwrap_err().to_string();
    assert!(message.contains(&format!("\"{typo}\"")) && message.contains(name.as_str()), "{message}");
    assert!(model.joint("imu_mount").unwrap_err().to_string().contains("fixed"));
    assert!(model.frame("imu_mount").is_ok() && model.frame("imu").is_ok());
    assert!(model.body("camera").is_ok(), "the body that carries a welded link");
    let message = Model::bundled("octopus", &Options::default()).unwrap_err().to_string();
    assert!(message.contains("humanoid"), "{message}");
}

#[test]
fn configurations_from_outside_are_settled_or_refused() {
    let model = bundled("quadruped", Root::Floating);
    let mut q = model.neutral();
    assert!(model.settle(&mut q).unwrap().is_empty());
    q[6] = 1.00001; // five digits, as in files
    assert_eq!(model.settle(&mut q).unwrap(), ["root_joint"]);
    assert!((q[6] - 1.0).abs() < 1e-15);
    q[6] = 2.0;
    let message = model.settle(&mut q).unwrap_err().to_string();
    assert!(message.contains("root_joint") && message.contains("length 2"), "{message}");
    q[6] = 1.0;
    q[9] = f64::NAN;
    let message = model.settle(&mut q).unwrap_err().to_string();
    assert!(message.contains("q[9]") && message.contains("NaN"), "{message}");
    let message = model.settle(&mut q[1..]).unwrap_err().to_string();
    assert!(message.contains("18 numbers") && message.contains("19"), "{message}");
}

#[test]
fn a_workspace_of_another_model_is_refused() {
    let (small, large) = (generate::chain(2), generate::chain(3));
    let small = build(&small, Root::Fixed);
    let large = build(&large, Root::Fixed);
    let mut ws = Workspace::new(&small);
    let error = rnea(&large, &mut ws, &[0.0; 3], &[0.0; 3], &[0.0; 3], &mut [0.0; 3]).unwrap_err();
    assert!(error.to_string().contains("another model"), "{error}");
    let error = rnea(&small, &mut ws, &[0.0; 2], &[0.0; 3], &[0.0; 2], &mut [0.0; 2]).unwrap_err();
    assert!(error.to_string().contains("`v` has 3 numbers"), "{error}");
}

#[test]
fn options_that_cannot_be_computed_with_are_refused() {
    let robot = generate::chain(1);
    for (options, what) in [
        (Options { gravity: [0.0, f64::NAN, 0.0], ..Options::default() }, "gravity"),
        (Options { friction_speed: 0.0, ..Options::default() }, "friction_speed"),
    ] {
        let error = Model::build(&robot, &options).unwrap_err();
        assert!(error.kind() == ErrorKind::Value && error.to_string().contains(what), "{error}");
    }
}

/// A moving body without inertia is an error when the model is built, unless allowed. Then forward dynamics names it.
#[test]
fn a_moving_body_without_inertia_is_refused_or_named() {
    let mut robot = generate::chain(2);
    robot.links[2].inertial = None;
    let error = Model::build(&robot, &Options::default()).unwrap_err().to_string();
    assert!(error.contains("link_2") && error.contains("no inertia"), "{error}");
    let allowed = build_massless(&robot);
    assert!(allowed.warnings().iter().any(|w| w.contains("link_2")));
    let ws = &mut Workspace::new(&allowed);
    let error = aba(&allowed, ws, &[0.1, 0.2], &[0.0; 2], &[0.0; 2], &mut [0.0; 2]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Singular);
    assert!(error.to_string().contains("joint_2") || error.to_string().contains("link_2"), "{error}");
}

/// Zeros already in place are not written again. Overwriting results between two calls must have no effect.
#[test]
fn derivatives_are_whole_whatever_was_in_the_result_before() {
    // Two branches at the world: in a column of one, the last rows are nonzero; in the next column, the first rows.
    for (seed, root) in [(1, Root::Fixed), (2, Root::Floating), (3, Root::Fixed), (4, Root::Fixed)] {
        let robot = if seed == 3 { generate::tree(23, 5) } else { generate::random_tree(seed, 13) };
        let (model, other) = (build_free(&robot, root), build_free(&robot, root));
        let random = &mut Random::seeded(seed);
        let ws = &mut Workspace::new(&model);
        let out = &mut IdDerivatives::new(&model);
        for round in 0..6 {
            let q = model.random_configuration(random);
            let v = numbers(random, model.nv());
            match round {
                1 => out.dtau_dq.fill(f64::NAN),
                2 => out.dtau_dv[(0, model.nv() - 1)] = 7.0,
                3 => bias_derivatives(&model, ws, &q, &v, &mut *out).unwrap(),
                4 => id_derivatives(&other, ws, &q, &v, &v, &mut *out).unwrap(),
                _ => {}
            }
            id_derivatives(&model, ws, &q, &v, &v, &mut *out).unwrap();
            let mut fresh = IdDerivatives::new(&model);
            id_derivatives(&model, ws, &q, &v, &v, &mut fresh).unwrap();
            assert_eq!(*out, fresh, "seed {seed}, round {round}");
        }
    }
}
