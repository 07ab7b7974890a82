//! Robots made by rule: the chains and trees of the papers.

use super::description::{Description, Inertial, JointDescription, JointKind, Link};
use crate::spatial::{Sym3, Transform, Vec3};
use alloc::format;

/// A serial chain of `n` links: [`tree`] with branching factor 1.
pub fn chain(n: usize) -> Description {
    tree(n, 1)
}

/// `n` links with branching factor `bf`: the parent of link `i` is link `(i − 1)/bf`. [Singh22] §V.
///
/// Each link is a rod of 1 kg, 1 m long and 10 cm thick, turning about its own `z` at its near end; the rods lie along
/// `x`. Gravity acts along the world's `−z`, as everywhere; turn it with the options where it should act in the plane.
pub fn tree(n: usize, bf: usize) -> Description {
    assert!(bf > 0, "a tree needs a branching factor of at least 1");
    let mut robot = Description { name: format!("tree_{n}_bf{bf}"), ..Description::default() };
    robot.links.push(Link { name: "base".into(), ..Link::default() });
    let (mass, length, radius) = (1.0, 1.0, 0.05);
    let across = mass * (length * length / 12.0 + radius * radius / 4.0);
    let rod = Inertial {
        mass,
        com: Vec3::new(length / 2.0, 0.0, 0.0),
        about_com: Sym3::diagonal(mass * radius * radius / 2.0, across, across),
    };
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
