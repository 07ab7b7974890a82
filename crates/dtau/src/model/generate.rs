//! Generated robots: the chains and trees of the papers, and random trees for tests.

use super::description::{Description, FrameDescription, Inertial, JointDescription, JointKind, Link, Mimic};
use crate::random::Random;
use crate::spatial::{Quaternion, Sym3, Transform, Vec3, steiner};
use alloc::format;
use alloc::vec::Vec;

/// A serial chain of `n` links: [`tree`] with branching factor 1.
pub fn chain(n: usize) -> Description {
    tree(n, 1)
}

/// `n` links with branching factor `bf`: the parent of link `i` is link `(i − 1)/bf`. \[Singh22\] §V.
///
/// Each link is a rod of 1 kg, 1 m long and 10 cm thick, with a revolute joint about `z` at its near end. The
/// rods lie along `x`. Gravity acts along the world's `−z`, as everywhere; change it in the options for
/// motion in the vertical plane.
pub fn tree(n: usize, bf: usize) -> Description {
    assert!(bf > 0, "a tree needs a branching factor of at least 1");
    let mut robot = Description { name: format!("tree_{n}_bf{bf}"), ..Description::default() };
    let (mass, length, radius) = (1.0, 1.0, 0.05);
    let across = mass * (length * length / 12.0 + radius * radius / 4.0);
    let rod = Inertial {
        mass,
        com: Vec3::new(length / 2.0, 0.0, 0.0),
        about_com: Sym3::diagonal(mass * radius * radius / 2.0, across, across),
    };
    // The base is a rod too: it matters if the root floats.
    robot.links.push(Link { name: "base".into(), inertial: Some(rod), line: 0 });
    for i in 0..n {
        let name = format!("link_{}", i + 1);
        let parent = if i == 0 { "base".into() } else { format!("link_{}", (i - 1) / bf + 1) };
        let kind = JointKind::Revolute { axis: Vec3::new(0.0, 0.0, 1.0) };
        let mut joint = JointDescription::new(&format!("joint_{}", i + 1), kind, &parent, &name);
        if i > 0 {
            joint.origin = Transform::translation(Vec3::new(length, 0.0, 0.0));
        }
        robot.links.push(Link { name, inertial: Some(rod), line: 0 });
        robot.joints.push(joint);
    }
    robot
}

/// A random robot of `n` moving bodies: all kinds of joints in turn, random branching, placements and
/// inertias, with damping, friction, armature, fixed links, extra frames and, if there is a joint to follow,
/// mimicking joints.
///
/// The same seed gives the same robot. The robot is general, not realistic.
pub fn random_tree(seed: u64, n: usize) -> Description {
    let random = &mut Random::seeded(seed);
    let mut robot = Description { name: format!("random_{seed}_{n}"), ..Description::default() };
    robot.links.push(Link { name: "base".into(), inertial: Some(random_inertial(random)), line: 0 });
    let first = random.below(KINDS);
    for i in 0..n {
        // Any earlier link, but more often a recent one, so that there are both limbs and branches.
        let span = robot.links.len();
        let parent = robot.links[span - 1 - random.below(span.min(3 + i / 4))].name.clone();
        let name = format!("link_{i}");
        let mut joint = JointDescription::new(&format!("joint_{i}"), random_kind(random, first + i), &parent, &name);
        joint.origin = random_placement(random);
        joint.damping = random.within(0.0, 0.5);
        joint.friction = random.within(0.0, 0.3);
        joint.armature = random.within(0.0, 0.2);
        joint.mimic = random_mimic(random, &robot, &joint);
        robot.joints.push(joint);
        robot.links.push(Link { name: name.clone(), inertial: Some(random_inertial(random)), line: 0 });
        if random.below(4) == 0 {
            let tool = format!("tool_{i}");
            let mut weld = JointDescription::new(&format!("weld_{i}"), JointKind::Fixed, &name, &tool);
            weld.origin = random_placement(random);
            robot.joints.push(weld);
            robot.links.push(Link { name: tool, inertial: Some(random_inertial(random)), line: 0 });
        }
        if random.below(4) == 0 {
            let placement = random_placement(random);
            robot.frames.push(FrameDescription { name: format!("frame_{i}"), link: name, placement });
        }
    }
    robot
}

/// Kinds in the order in which seeds have always drawn them. Newer kinds come after them, in the order of the
/// list.
const FIRST: [&str; 8] =
    ["revolute", "prismatic", "spherical", "continuous", "helical", "planar", "translation", "free-flyer"];

/// Number of kinds of moving joints.
const KINDS: usize = JointKind::NAMES.len() - 1;

/// The kinds of moving joint, by number, with random axes and numbers.
fn random_kind(random: &mut Random, which: usize) -> JointKind {
    let axis = random_direction(random);
    let newer = JointKind::NAMES.iter().filter(|name| **name != "fixed" && !FIRST.contains(name));
    let name = FIRST.iter().chain(newer).nth(which % KINDS).expect("a kind that moves");
    let named = |numbers: &[f64]| JointKind::named(name, axis, numbers).expect("a name of the list");
    let numbers: Vec<f64> = named(&[]).numbers().iter().map(|_| random.within(-0.3, 0.3)).collect();
    named(&numbers)
}

/// Makes a joint follow an earlier one, with probability 1/6 where possible.
fn random_mimic(random: &mut Random, robot: &Description, joint: &JointDescription) -> Option<Mimic> {
    let leader = robot.joints.iter().rfind(|j| j.kind.nv() == 1 && j.mimic.is_none())?;
    let chosen = random.below(6) == 0 && joint.kind.nv() == 1;
    let (multiplier, offset) = (random.within(-2.0, 2.0), random.within(-0.5, 0.5));
    chosen.then(|| Mimic { joint: leader.name.clone(), multiplier, offset })
}

fn random_vector(random: &mut Random) -> Vec3<f64> {
    Vec3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), random.within(-1.0, 1.0))
}

fn random_direction(random: &mut Random) -> Vec3<f64> {
    let v = random_vector(random);
    // Sometimes a coordinate axis: the body frame's rotation is then exact.
    match random.below(6) {
        0 => Vec3::new(1.0, 0.0, 0.0),
        1 => Vec3::new(0.0, -1.0, 0.0),
        2 => Vec3::new(0.0, 0.0, 1.0),
        _ if v.norm_squared() < 1e-4 => Vec3::new(1.0, 1.0, 1.0),
        _ => v,
    }
}

fn random_placement(random: &mut Random) -> Transform<f64> {
    let turn = Quaternion::exp(random_vector(random) * 2.0);
    Transform::new(turn.to_matrix(), random_vector(random) * 0.5)
}

/// A body of three random rods: a physically consistent inertia in general position.
fn random_inertial(random: &mut Random) -> Inertial {
    let mass = random.within(0.2, 3.0);
    let mut about_com = Sym3::zero();
    for _ in 0..3 {
        let half = random_vector(random) * 0.3;
        about_com += steiner(half * (mass / 3.0), half);
    }
    about_com += Sym3::diagonal(1e-3, 1e-3, 1e-3);
    Inertial { mass, com: random_vector(random) * 0.3, about_com }
}
