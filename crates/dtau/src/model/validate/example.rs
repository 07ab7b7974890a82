//! Small robots for the tests of the checks.

use super::validate;
use crate::model::description::{Description, JointDescription, JointKind, Link, Mimic};
use crate::spatial::Vec3;
use alloc::format;
use alloc::string::{String, ToString};

pub(super) fn link(name: &str) -> Link {
    Link { name: name.into(), ..Link::default() }
}

pub(super) fn revolute(name: &str, parent: &str, child: &str) -> JointDescription {
    JointDescription::new(name, JointKind::Revolute { axis: Vec3::new(0.0, 0.0, 1.0) }, parent, child)
}

/// A chain of links l0, l1, … with joints j1, j2, …
pub(super) fn chain(n: usize) -> Description {
    Description {
        links: (0..n).map(|i| link(&format!("l{i}"))).collect(),
        joints: (1..n).map(|i| revolute(&format!("j{i}"), &format!("l{}", i - 1), &format!("l{i}"))).collect(),
        ..Description::default()
    }
}

pub(super) fn follow(joint: &str, multiplier: f64, offset: f64) -> Option<Mimic> {
    Some(Mimic { joint: joint.into(), multiplier, offset })
}

/// The message of [`validate`] for a chain of four links that was changed.
pub(super) fn message(change: impl FnOnce(&mut Description)) -> String {
    let mut robot = chain(4);
    change(&mut robot);
    validate(&robot).unwrap_err().to_string()
}
