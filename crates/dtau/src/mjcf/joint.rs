//! `<joint>` and `<freejoint>`.

use super::bodies::Reader;
use super::defaults::{Class, Given};
use super::placement::unit;
use super::settings::Compiler;
use super::tree::Element;
use crate::error::Error;
use crate::model::description::{JointDescription, JointKind, Limits};
use crate::spatial::{Quaternion, Transform, Vec3};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const JOINT: [&str; 25] = [
    "name",
    "class",
    "type",
    "pos",
    "axis",
    "range",
    "limited",
    "ref",
    "stiffness",
    "springref",
    "springdamper",
    "springyield",
    "damping",
    "armature",
    "frictionloss",
    "group",
    "margin",
    "user",
    "actuatorfrcrange",
    "actuatorfrclimited",
    "actuatorgravcomp",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
];
const FREE_JOINT: [&str; 3] = ["name", "group", "align"];

/// A joint as it was read, before it hangs anywhere.
pub(super) struct Read<'a> {
    pub(super) element: Element<'a>,
    pub(super) name: String,
    pub(super) kind: JointKind,
    /// Where it turns, in the body's frame.
    pub(super) anchor: Vec3<f64>,
    /// What takes its zero to the place that the body has in the file: `ref`, backwards.
    pub(super) offset: Transform<f64>,
    /// Where it is in the file, as qpos has it.
    pub(super) start: Vec<f64>,
    limits: Limits,
    damping: f64,
    friction: f64,
    pub(super) armature: f64,
    stiffness: f64,
    rest: f64,
}

impl Read<'_> {
    /// It between two links.
    pub(super) fn described(&self, name: &str, kind: JointKind, parent: &str, child: &str) -> JointDescription {
        let mut joint = JointDescription::new(name, kind, parent, child);
        joint.limits = self.limits;
        joint.damping = self.damping;
        joint.friction = self.friction;
        joint.armature = self.armature;
        joint.stiffness = self.stiffness;
        joint.rest = self.rest;
        joint.line = self.element.line();
        joint
    }
}

pub(super) fn read<'a>(
    reader: &mut Reader<'a, '_>,
    element: Element<'a>,
    around: &Transform<f64>,
    class: Class,
) -> Result<Read<'a>, Error> {
    if element.tag() == "freejoint" {
        element.only_has(&FREE_JOINT)?;
        if element.attribute("align") == Some("true") {
            return Err(element.unsupported(r#"align="true" moves the body's frame"#));
        }
        return Ok(Read {
            element,
            name: reader.names.own_or_new(element.name(), "joint"),
            kind: JointKind::FreeFlyer,
            anchor: Vec3::zero(),
            offset: Transform::identity(),
            start: Vec::new(),
            limits: Limits::default(),
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            stiffness: 0.0,
            rest: 0.0,
        });
    }
    element.only_has(&JOINT)?;
    let (given, compiler) = (reader.defaults.of(element, class)?, reader.compiler);
    let axis = given.vector("axis")?.unwrap_or(Vec3::new(0.0, 0.0, 1.0));
    let axis = || match unit(around.rot * axis) {
        Some(axis) => Ok(axis),
        None => Err(given.error(r#"the axis is zero; give it a direction, such as "0 0 1""#)),
    };
    let kind = match given.text("type").unwrap_or("hinge") {
        "hinge" => JointKind::Revolute { axis: axis()? },
        "slide" => JointKind::Prismatic { axis: axis()? },
        "ball" => JointKind::Spherical,
        "free" => JointKind::FreeFlyer,
        other => return Err(given.error(format!("there is no type {other:?}; write hinge, slide, ball or free"))),
    };
    let reference = given.number("ref", 0.0)?;
    let (offset, start) = match kind {
        JointKind::Revolute { axis } => {
            let reference = compiler.angle(reference);
            (Transform::new(Quaternion::exp(axis * -reference).to_matrix(), Vec3::zero()), alloc::vec![reference])
        }
        JointKind::Prismatic { axis } => (Transform::translation(axis * -reference), alloc::vec![reference]),
        JointKind::Spherical => (Transform::identity(), alloc::vec![1.0, 0.0, 0.0, 0.0]),
        _ => (Transform::identity(), Vec::new()),
    };
    let (stiffness, rest) = if reader.options.springs { spring(&given, kind, compiler)? } else { (0.0, 0.0) };
    Ok(Read {
        element,
        name: reader.names.own_or_new(element.name(), "joint"),
        kind,
        anchor: match kind {
            JointKind::FreeFlyer => Vec3::zero(),
            _ => around.act_point(given.vector("pos")?.unwrap_or_default()),
        },
        offset,
        start,
        limits: limits(&given, kind, compiler)?,
        damping: if reader.options.damping { linear(&given, "damping")? } else { 0.0 },
        friction: if reader.options.friction { given.number("frictionloss", 0.0)? } else { 0.0 },
        armature: given.number("armature", 0.0)?,
        stiffness,
        rest,
    })
}

/// The stiffness of a joint's spring and where it does not pull, in qpos.
fn spring(given: &Given, kind: JointKind, compiler: &Compiler) -> Result<(f64, f64), Error> {
    let mut damper = [0.0; 2];
    given.numbers("springdamper", 2, &mut damper)?;
    if damper.iter().all(|&x| x > 0.0) {
        let what = "springdamper makes it a spring with a damping, and both follow from the masses";
        return Err(given.element.unsupported(what));
    }
    let stiffness = linear(given, "stiffness")?;
    if stiffness == 0.0 {
        return Ok((0.0, 0.0));
    }
    if given.number("springyield", 0.0)? != 0.0 {
        return Err(given.element.unsupported("springyield makes its spring plastic"));
    }
    let rest = given.number("springref", 0.0)?;
    match kind {
        JointKind::Revolute { .. } => Ok((stiffness, compiler.angle(rest))),
        JointKind::Prismatic { .. } => Ok((stiffness, rest)),
        _ => Err(given.element.unsupported("stiffness of a joint with several degrees of freedom")),
    }
}

/// A coefficient that may be followed by those of higher powers, which have to be zero.
fn linear(given: &Given, name: &str) -> Result<f64, Error> {
    let mut powers = [0.0; 3];
    given.numbers(name, 1, &mut powers)?;
    match powers {
        [x, 0.0, 0.0] => Ok(x),
        _ => Err(given.element.unsupported(format!("{name} is a polynomial"))),
    }
}

fn limits(given: &Given, kind: JointKind, compiler: &Compiler) -> Result<Limits, Error> {
    let mut limits = Limits::default();
    let mut range = [0.0; 2];
    let said = given.numbers("range", 2, &mut range)? > 0;
    if limited(given, "limited", said && compiler.auto_limits)? {
        match kind {
            JointKind::Revolute { .. } => [limits.lower, limits.upper] = range.map(|x| compiler.angle(x)),
            JointKind::Prismatic { .. } => [limits.lower, limits.upper] = range,
            _ => {}
        }
    }
    let mut force = [0.0; 2];
    let said = given.numbers("actuatorfrcrange", 2, &mut force)? > 0;
    if limited(given, "actuatorfrclimited", said && compiler.auto_limits)? {
        limits.effort = force[0].abs().max(force[1].abs());
    }
    Ok(limits)
}

fn limited(given: &Given, name: &str, auto: bool) -> Result<bool, Error> {
    match given.text(name) {
        None | Some("auto") => Ok(auto),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(other) => Err(given.error(format!(r#"{name}={other:?}: write true, false or auto"#))),
    }
}
