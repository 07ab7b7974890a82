//! Hints about units that look wrong. They are warnings, never errors.

use super::on_line;
use crate::model::description::{Description, JointDescription, JointKind};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Limits that are suspected to be degrees: from five turns in radians to two turns in degrees. Larger values
/// mean "no limit".
const DEGREES: core::ops::RangeInclusive<f64> = 31.0..=720.0;
/// If the median length of a robot exceeds this, the lengths are probably not in metres \[m\].
const LONG: f64 = 10.0;

/// One hint for all joints whose limits look like degrees.
pub(super) fn degrees(robot: &Description) -> Option<String> {
    // In a file, a continuous joint has no bounds.
    let turns = |joint: &&JointDescription| {
        let angle = joint.kind.joint().and_then(|joint| joint.angle());
        joint.kind.nv() == 1 && angle.is_some() && !matches!(joint.kind, JointKind::Continuous { .. })
    };
    let odd =
        |joint: &&JointDescription| [joint.limits.lower, joint.limits.upper].iter().any(|x| DEGREES.contains(&x.abs()));
    let mut odd = robot.joints.iter().filter(turns).filter(odd);
    let first = odd.next()?;
    let (lower, upper, line) = (first.limits.lower, first.limits.upper, on_line(first.line));
    let more = match odd.count() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    Some(format!("limits look like degrees, but are in radians: {:?}{line} ({lower} to {upper}){more}", first.name))
}

/// A hint if the lengths of a robot look like millimetres.
pub(super) fn millimetres(robot: &Description) -> Option<String> {
    let origins = robot.joints.iter().map(|joint| joint.origin.pos);
    let centres = robot.links.iter().filter_map(|link| Some(link.inertial?.com));
    let lengths = origins.chain(centres).map(|p| libm::sqrt(p.norm_squared())).filter(|&x| x > 0.0);
    let mut lengths: Vec<f64> = lengths.collect();
    lengths.sort_by(f64::total_cmp);
    let (&median, &longest) = (lengths.get(lengths.len() / 2)?, lengths.last()?);
    (median > LONG).then(|| {
        format!("lengths look like millimetres, but are in metres: the longest is {longest} m, half of them are above {median} m")
    })
}
