//! `<joint>`.

use super::element::{Element, read_origin};
use super::note_strange;
use super::notes::Notes;
use super::transmission::{Rotor, read_rotor};
use crate::error::Error;
use crate::model::description::{JointDescription, JointKind, Limits, Mimic};
use crate::spatial::{Transform, Vec3};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const READ: [&str; 8] = ["parent", "child", "origin", "axis", "limit", "dynamics", "mimic", "actuator"];
/// Elements of a joint without effect on the dynamics.
const KNOWN: [&str; 4] = ["calibration", "safety_controller", "hardwareInterface", "physics"];

/// The joint, if its name and its links can be read. What is wrong with it goes to the notes.
pub(super) fn read(joint: Element, notes: &mut Notes) -> Option<JointDescription> {
    let Some(name) = notes.faults.keep(joint.required("name", "elbow")) else {
        notes.has_gaps = true;
        return None;
    };
    let owner = format!("joint {name:?}");
    let joint = joint.owned_by(&owner);
    note_strange(joint, &READ, &KNOWN, notes);

    let kind = read_kind(joint, notes);
    let kind = notes.faults.keep(kind).unwrap_or(JointKind::Fixed);
    let parent = joint.required_child("parent", r#"<parent link="upper_arm"/>"#);
    let parent = notes.faults.keep(parent.and_then(|parent| parent.required("link", "upper_arm")));
    let child = joint.required_child("child", r#"<child link="forearm"/>"#);
    let child = notes.faults.keep(child.and_then(|child| child.required("link", "forearm")));
    notes.has_gaps |= parent.is_none() || child.is_none();
    let mut description = JointDescription::new(name, kind, parent.unwrap_or(""), child.unwrap_or(""));
    description.line = joint.line();
    description.origin = notes.faults.keep(read_origin(joint)).unwrap_or(Transform::identity());
    let limits = read_limits(joint, &kind, notes);
    description.limits = notes.faults.keep(limits).unwrap_or_default();
    description.mimic = notes.faults.keep(read_mimic(joint)).flatten();
    let dynamics = read_dynamics(joint, &mut description, notes);
    notes.faults.keep(dynamics);
    Some(description)
}

/// The type of a joint in URDF's spelling.
pub(super) fn spelled(kind: &'static str) -> &'static str {
    if kind == "free-flyer" { "floating" } else { kind }
}

fn read_kind(joint: Element, notes: &mut Notes) -> Result<JointKind, Error> {
    let given = joint.required("type", "revolute")?;
    let name = JointKind::NAMES.iter().find(|name| spelled(name) == given);
    let named = |axis, numbers: &[f64]| name.and_then(|name| JointKind::named(name, axis, numbers));
    let Some(blank) = named(Vec3::zero(), &[]) else {
        let known = || JointKind::NAMES.iter().map(|name| spelled(name)).collect::<Vec<_>>().join(", ");
        let hint = match given {
            "ball" => r#"write "spherical""#.into(),
            "screw" => r#"write "helical""#.into(),
            "free" | "freeflyer" | "free-flyer" => r#"write "floating""#.into(),
            _ => format!("write one of {}", known()),
        };
        return Err(joint.error(format!("there is no type {given:?}; {hint}")));
    };
    let mut numbers = Vec::new();
    for (number, _) in blank.numbers() {
        let example = format!("<axis xyz=\"0 0 1\" {}=\"{}\"/>", number.name, number.example);
        numbers.push(joint.required_child("axis", &example)?.required_number(number.name, number.example)?);
    }
    let axis = if blank.axis().is_some() { read_axis(joint, notes)? } else { Vec3::zero() };
    Ok(named(axis, &numbers).unwrap_or(blank))
}

/// The axis as written; [`validate`](crate::model::validate::validate) refuses a zero one.
fn read_axis(joint: Element, notes: &mut Notes) -> Result<Vec3<f64>, Error> {
    let Some(axis) = joint.child("axis")? else {
        notes.missing_axis.add(&subject(joint), joint);
        return Ok(Vec3::new(1.0, 0.0, 0.0));
    };
    match axis.vector("xyz")? {
        Some(xyz) => Ok(xyz),
        None => Err(axis.error(r#"<axis> has no "xyz"; add it, such as xyz="0 0 1""#)),
    }
}

fn read_limits(joint: Element, kind: &JointKind, notes: &mut Notes) -> Result<Limits, Error> {
    let mut limits = Limits::default();
    // URDF requires limits only for these. Continuous joints have no position limits.
    let bounded = matches!(kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. });
    let Some(limit) = joint.child("limit")? else {
        if bounded {
            notes.missing_limit.add(&subject(joint), joint);
        }
        return Ok(limits);
    };
    limits.velocity = limit.number("velocity")?.unwrap_or(limits.velocity);
    limits.effort = limit.number("effort")?.unwrap_or(limits.effort);
    let (lower, upper) = (limit.number("lower")?, limit.number("upper")?);
    match (kind, lower, upper) {
        (JointKind::Continuous { .. }, ..) => {}
        (_, None, None) if bounded => notes.missing_bounds.add(&subject(joint), limit),
        (_, None, None) => {}
        _ => (limits.lower, limits.upper) = (lower.unwrap_or(0.0), upper.unwrap_or(0.0)),
    }
    Ok(limits)
}

fn read_mimic(joint: Element) -> Result<Option<Mimic>, Error> {
    let Some(mimic) = joint.child("mimic")? else { return Ok(None) };
    Ok(Some(Mimic {
        joint: mimic.required("joint", "left_finger")?.into(),
        multiplier: mimic.number("multiplier")?.unwrap_or(1.0),
        offset: mimic.number("offset")?.unwrap_or(0.0),
    }))
}

fn read_dynamics(joint: Element, description: &mut JointDescription, notes: &mut Notes) -> Result<(), Error> {
    let mut armature = None;
    if let Some(dynamics) = joint.child("dynamics")? {
        description.damping = dynamics.number("damping")?.unwrap_or(0.0);
        description.friction = dynamics.number("friction")?.unwrap_or(0.0);
        armature = dynamics.number("armature")?;
        description.stiffness = dynamics.number("stiffness")?.unwrap_or(0.0);
        description.rest = dynamics.number("rest")?.unwrap_or(0.0);
        let known = ["damping", "friction", "armature", "stiffness", "rest"];
        for name in dynamics.attribute_names().filter(|a| !known.contains(a)) {
            notes.strange_dynamics.add(&format!("{name:?}"), dynamics);
        }
    }
    // Drake's elements are in the joint or in an <actuator> of it.
    let mut rotor = Rotor::default();
    read_rotor(joint, &mut rotor)?;
    if let Some(actuator) = joint.child("actuator")? {
        read_rotor(actuator, &mut rotor)?;
    }
    match (armature, rotor.armature()) {
        (Some(_), Some(_)) => return Err(joint.error("its armature and its rotor inertia are both given; keep one")),
        (a, b) => description.armature = a.or(b).unwrap_or(0.0),
    }
    Ok(())
}

/// The name of a joint, in quotes.
fn subject(joint: Element) -> String {
    format!("{:?}", joint.attribute("name").unwrap_or(""))
}
