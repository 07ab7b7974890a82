//! Robots: with every kind of joint, generated, random, and the bundled ones; most of them in a state.

use crate::random::forget_seed;
use crate::states::{Case, State};
use crate::wrenches;
use dtau::model::description::FrameDescription;
use dtau::model::{
    Description, Inertial, JointDescription, JointKind, Link, Mimic, MimicMode, Model, Options, Root, generate,
};
use dtau::spatial::{Quaternion, Sym3, Transform, Vec3};
use dtau::{FdWay, Random};

/// The bundled robots.
pub const BUNDLED: [&str; 5] = ["double_pendulum", "arm6", "arm7_gripper", "quadruped", "humanoid"];

pub fn options(root: Root) -> Options {
    Options { root, ..Options::default() }
}

pub fn build(robot: &Description, root: Root) -> Model {
    Model::build(robot, &options(root)).unwrap()
}

pub fn bundled(name: &str, root: Root) -> Model {
    Model::bundled(name, &options(root)).unwrap()
}

/// The ways to ∂FD that support this model.
pub fn ways(model: &Model) -> &'static [FdWay] {
    if model.mimic().is_some() { &[FdWay::Dense, FdWay::Ltdl] } else { &FdWay::ALL }
}

// Every kind of joint

pub fn zoo_cases() -> Vec<Case> {
    let planar = JointKind::Planar { normal: Vec3::new(0.3, -0.5, 0.8) };
    let models = [
        ("chain", build(&generate::chain(6), Root::Fixed)),
        ("tree", build(&with_base(generate::tree(9, 2)), Root::Floating)),
        ("zoo 1", zoo(1, Root::Fixed)),
        ("zoo 2", zoo(2, Root::Floating)),
        ("zoo 3", zoo(3, Root::Joint(planar))),
        ("zoo 4", zoo(4, Root::Joint(JointKind::Spherical))),
    ];
    let case = |(name, model): (&str, Model)| {
        let x = State::turned(&model, 7);
        Case { name: name.into(), model, x, wrenches: Vec::new() }
    };
    models.into_iter().map(case).collect()
}

/// The first kinds of the zoo. Newer kinds follow, in the order of the list.
const FIRST: [&str; 9] =
    ["revolute", "spherical", "prismatic", "planar", "helical", "continuous", "free-flyer", "translation", "revolute"];

/// Every kind of joint twice, with branches, welded links, extra frames, armature and mimicking joints,
/// including a chain of them.
pub fn zoo(seed: u64, root: Root) -> Model {
    let r = &mut Random::seeded(seed);
    let mut robot = Description { name: format!("zoo_{seed}"), ..Description::default() };
    let link = |name: &str, r: &mut Random| Link { name: name.into(), inertial: Some(two_rods(r)), line: 0 };
    robot.links.push(link("base", r));
    robot.links.push(link("plate", r));
    robot.joints.push(JointDescription::new("plate_weld", JointKind::Fixed, "base", "plate"));
    let newer = JointKind::NAMES.iter().filter(|name| **name != "fixed" && !FIRST.contains(name));
    for (i, name) in FIRST.iter().chain(&FIRST).chain(newer.flat_map(|name| [name, name])).enumerate() {
        let axis = in_cube(r);
        let axis = if [8, 17].contains(&i) { Vec3::new(0.0, 1.0, 0.0) } else { axis };
        let named = |numbers: &[f64]| JointKind::named(name, axis, numbers).expect("a name of the list");
        let numbers: Vec<f64> = named(&[]).numbers().iter().map(|_| number(r)).collect();
        let kind = named(&numbers);
        // The parent is one of the last four: this gives limbs as well as branches.
        let n = robot.links.len();
        let parent = robot.links[n - 1 - (r.bits() % n.min(4) as u64) as usize].name.clone();
        let name = format!("link_{i}");
        let mut joint = JointDescription::new(&format!("joint_{i}"), kind, &parent, &name);
        joint.origin = placement(r);
        (joint.armature, joint.damping, joint.friction) = (number(r).abs(), number(r).abs(), number(r).abs());
        // 8 follows 0; 9 follows 2; 17 follows 8, which follows 0.
        let leader = [(8, 0), (9, 2), (17, 8)].into_iter().find(|&(follower, _)| follower == i);
        joint.mimic = leader.map(|(_, leader)| Mimic {
            joint: format!("joint_{leader}"),
            multiplier: 1.5 * number(r),
            offset: number(r),
        });
        robot.joints.push(joint);
        robot.links.push(link(&name, r));
        if i % 4 == 0 {
            let tool = format!("tool_{i}");
            let mut weld = JointDescription::new(&format!("weld_{i}"), JointKind::Fixed, &name, &tool);
            weld.origin = placement(r);
            robot.joints.push(weld);
            robot.links.push(link(&tool, r));
        }
        if i % 5 == 0 {
            robot.frames.push(FrameDescription { name: format!("frame_{i}"), link: name, placement: placement(r) });
        }
    }
    build(&robot, root)
}

/// A number in [−1, 1).
fn number(r: &mut Random) -> f64 {
    r.within(-1.0, 1.0)
}

fn in_cube(r: &mut Random) -> Vec3<f64> {
    Vec3::new(number(r), number(r), number(r))
}

fn placement(r: &mut Random) -> Transform<f64> {
    Transform::new(Quaternion::exp(in_cube(r) * 2.0).to_matrix(), in_cube(r) * 0.5)
}

/// A body of two thin rods.
fn two_rods(r: &mut Random) -> Inertial {
    let (a, b) = (in_cube(r), in_cube(r));
    let rods = Sym3 {
        xx: a.y * a.y + a.z * a.z + b.y * b.y + b.z * b.z,
        xy: -a.x * a.y - b.x * b.y,
        xz: -a.x * a.z - b.x * b.z,
        yy: a.x * a.x + a.z * a.z + b.x * b.x + b.z * b.z,
        yz: -a.y * a.z - b.y * b.z,
        zz: a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y,
    };
    Inertial { mass: 1.5 + number(r), com: in_cube(r) * 0.3, about_com: rods }
}

// Random robots

/// Trees with every kind of joint, branches, welded links, joint effects; some with mimicking joints.
pub fn random_cases() -> Vec<Case> {
    let cases: Vec<Case> = (0..12).map(|seed| random_case(seed, 9)).collect();
    assert!(cases.iter().filter(|c| c.model.mimic().is_some()).count() >= 3);
    assert!(cases.iter().filter(|c| c.model.mimic().is_none()).count() >= 3);
    cases
}

/// A random case; every second one has a floating base.
pub fn random_case(seed: u64, bodies: usize) -> Case {
    let root = if seed.is_multiple_of(2) { Root::Fixed } else { Root::Floating };
    let model = build(&generate::random_tree(seed, bodies), root);
    let x = State::draw(&model, &mut Random::seeded(1000 + seed));
    forget_seed();
    Case { name: format!("seed {seed}"), model, x, wrenches: Vec::new() }
}

/// Robots that together cover every model feature.
pub fn models() -> Vec<Model> {
    let mut models: Vec<Model> = [1, 7, 30].into_iter().map(|n| build(&generate::chain(n), Root::Fixed)).collect();
    models.push(build(&generate::tree(20, 2), Root::Fixed));
    models.push(build(&generate::tree(33, 5), Root::Fixed));
    for seed in 0..20 {
        let root = if seed % 2 == 0 { Root::Fixed } else { Root::Floating };
        models.push(build(&generate::random_tree(seed, 12), root));
    }
    assert!(models.iter().any(|m| m.joints().iter().any(|j| j.mimic.is_some())));
    assert!(models.iter().any(|m| m.joints().iter().all(|j| j.mimic.is_none())));
    models
}

/// Similar robots with fewer bodies, for fast tests of every way to ∂FD; those with mimicking joints also
/// with free joints.
pub fn small_models() -> Vec<Model> {
    let mut models = vec![
        build(&generate::chain(1), Root::Fixed),
        build(&generate::chain(9), Root::Fixed),
        build(&generate::tree(13, 2), Root::Floating),
        build(&generate::tree(11, 5), Root::Fixed),
        bundled("humanoid", Root::Floating),
        bundled("quadruped", Root::Floating),
    ];
    for seed in 0..12 {
        let root = [Root::Fixed, Root::Floating, Root::Joint(JointKind::Spherical)][seed as usize % 3];
        let robot = generate::random_tree(seed, 9);
        models.push(build(&robot, root));
        if models.last().unwrap().mimic().is_some() {
            models.push(build_free(&robot, root));
        }
    }
    assert!(models.iter().filter(|m| m.mimic().is_some()).count() > 2);
    models
}

/// Builds with all mimicking joints free.
pub fn build_free(robot: &Description, root: Root) -> Model {
    Model::build(robot, &Options { mimic: MimicMode::Free, ..options(root) }).unwrap()
}

/// Random trees with every joint type, branches, wrenches, joint effects and mimicry; single-dof trees; the
/// chains and trees of the papers. All of them with fixed and floating bases.
pub fn pushed_cases() -> Vec<Case> {
    let mut out = Vec::new();
    for root in [Root::Fixed, Root::Floating] {
        let options = options(root);
        for seed in 0..16 {
            let n = 4 + seed as usize % 11;
            let tree = generate::random_tree(seed, n);
            out.push(pushed_case(format!("random_tree({seed}, {n}), root {root:?}"), &tree, &options, seed));
            let tree = single_dof(generate::random_tree(seed, n));
            out.push(pushed_case(format!("single-dof random_tree({seed}, {n}), root {root:?}"), &tree, &options, seed));
        }
        // Gravity in the plane of motion of the papers' robots.
        let options = Options { gravity: [0.0, -9.81, 0.0], ..options };
        for (seed, (n, bf)) in [(2, 1), (10, 1), (15, 2), (16, 5)].into_iter().enumerate() {
            let tree = with_base(generate::tree(n, bf));
            out.push(pushed_case(format!("tree({n}, {bf}), root {root:?}"), &tree, &options, seed as u64));
        }
    }
    out
}

/// A robot in a random state under wrenches of every kind.
pub fn pushed_case(name: String, description: &Description, options: &Options, seed: u64) -> Case {
    forget_seed();
    let model = Model::build(description, options).expect(&name);
    let random = &mut Random::seeded(seed ^ 0x5eed);
    let x = State::draw(&model, random);
    let mut wrenches = wrenches::one_of_every_kind(random, &model);
    if seed % 4 == 3 {
        wrenches.truncate(2); // those fixed in their bodies, for which the product has a separate code path
    }
    Case { name, model, x, wrenches }
}

// Generated robots

/// Returns the robot with a base link that can float: the papers' robots start at the ground.
pub fn with_base(mut robot: Description) -> Description {
    robot.links[0].inertial = robot.links[1].inertial;
    robot
}

/// Returns the robot with every joint of several degrees of freedom replaced by a single-dof joint.
pub fn single_dof(mut robot: Description) -> Description {
    let axis = Vec3::new(0.3, -0.5, 0.8);
    for joint in &mut robot.joints {
        joint.kind = match joint.kind {
            kind if kind.nv() <= 1 => kind,
            JointKind::Planar { normal } => JointKind::Helical { axis: normal, pitch: 0.1 },
            JointKind::Translation => JointKind::Prismatic { axis },
            _ => JointKind::Revolute { axis },
        };
    }
    robot
}

/// The rods of [`generate::chain`], turning alternately about `z` and `y`, so that the chain moves in 3-D.
pub fn spatial_chain(n: usize) -> Description {
    let mut robot = generate::chain(n);
    for joint in robot.joints.iter_mut().skip(1).step_by(2) {
        joint.kind = JointKind::Revolute { axis: Vec3::new(0.0, 1.0, 0.0) };
    }
    robot
}

/// Makes a rod heavier.
pub fn make_heavier(robot: &mut Description, link: usize, factor: f64) {
    let inertial = robot.links[link].inertial.as_mut().expect("a rod");
    inertial.mass *= factor;
    let Sym3 { xx, yy, zz, .. } = inertial.about_com;
    inertial.about_com = Sym3::diagonal(xx * factor, yy * factor, zz * factor); // a rod's is diagonal
}

/// A chain of three links. One of them, counted from 1, has no inertia.
pub fn chain_with_massless(link: usize) -> Description {
    let mut robot = generate::chain(3);
    robot.links[link].inertial = None;
    robot
}

pub fn build_massless(robot: &Description) -> Model {
    Model::build(robot, &Options { allow_massless: true, ..Options::default() }).unwrap()
}
