//! `<joint>` and `<freejoint>`.

use super::bodies::Reader;
use super::defaults::{Class, Given};
use super::placement::unit;
use super::settings::Compiler;
use super::tree::Element;
use crate::error::Error;
use crate::model::Ignore;
use crate::model::description::{JointDescription, JointKind, Limits};
use crate::spatial::{Quaternion, Transform, Vec3};
use alloc::format;
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

/// A joint as read, before it is connected to links.
pub(super) struct Read<'a> {
    pub(super) element: Element<'a>,
    /// Its name, kind, limits and effects, without links.
    pub(super) said: JointDescription,
    /// The point about which it rotates, in the body's frame.
    pub(super) anchor: Vec3<f64>,
    /// Placement of its zero position, so that `ref` is the body's placement in the file.
    pub(super) offset: Transform<f64>,
    /// Its initial coordinates, as in qpos.
    pub(super) start: Vec<f64>,
}

impl Read<'_> {
    /// The joint's description between two links.
    pub(super) fn described(&self, name: &str, kind: JointKind, parent: &str, child: &str) -> JointDescription {
        let (name, parent, child) = (name.into(), parent.into(), child.into());
        JointDescription { name, kind, parent, child, ..self.said.clone() }
    }
}

pub(super) fn read<'a>(
    reader: &mut Reader<'a, '_>,
    element: Element<'a>,
    around: &Transform<f64>,
    class: Class,
) -> Result<Read<'a>, Error> {
    let (anchor, offset, start) = (Vec3::zero(), Transform::identity(), Vec::new());
    if element.tag() == "freejoint" {
        element.only_has(&FREE_JOINT)?;
        if element.attribute("align") == Some("true") {
            element.without(Ignore::Align, r#"align="true" moves the body's frame"#)?;
        }
        let name = reader.names.own_or_new(element.name(), "joint");
        let mut said = JointDescription::new(&name, JointKind::FreeFlyer, "", "");
        said.line = element.line();
        return Ok(Read { element, said, anchor, offset, start });
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
    // Converts a position to dtau's units: angles of a hinge may be in degrees.
    let position = |x: f64| if matches!(kind, JointKind::Revolute { .. }) { compiler.angle(x) } else { x };
    let reference = position(given.number("ref", 0.0)?);
    let (offset, start) = match kind {
        JointKind::Revolute { axis } => {
            (Transform::new(Quaternion::exp(axis * -reference).to_matrix(), Vec3::zero()), alloc::vec![reference])
        }
        JointKind::Prismatic { axis } => (Transform::translation(axis * -reference), alloc::vec![reference]),
        JointKind::Spherical => (offset, alloc::vec![1.0, 0.0, 0.0, 0.0]),
        _ => (offset, start),
    };
    let spring = if reader.options.springs { spring(&given, kind, position)? } else { (0.0, 0.0) };
    let name = reader.names.own_or_new(element.name(), "joint");
    let anchor = match kind {
        JointKind::FreeFlyer => anchor,
        _ => around.act_point(given.vector("pos")?.unwrap_or_default()),
    };
    let mut said = JointDescription::new(&name, kind, "", "");
    said.limits = limits(&given, kind, position, compiler)?;
    said.damping = if reader.options.damping { linear(&given, "damping")? } else { 0.0 };
    said.friction = if reader.options.friction { given.number("frictionloss", 0.0)? } else { 0.0 };
    said.armature = given.number("armature", 0.0)?;
    (said.stiffness, said.rest) = spring;
    said.line = element.line();
    Ok(Read { element, said, anchor, offset, start })
}

/// Stiffness of a joint's spring, and the coordinate at which its force is zero, in qpos.
fn spring(given: &Given, kind: JointKind, position: impl Fn(f64) -> f64) -> Result<(f64, f64), Error> {
    let mut damper = [0.0; 2];
    given.numbers("springdamper", 2, &mut damper)?;
    if damper.iter().all(|&x| x > 0.0) {
        let what = "springdamper makes it a spring with a damping, and both follow from the masses";
        given.element.without(Ignore::SpringDamper, what)?;
    }
    let stiffness = linear(given, "stiffness")?;
    if stiffness == 0.0 {
        return Ok((0.0, 0.0));
    }
    if given.number("springyield", 0.0)? != 0.0 {
        given.element.without(Ignore::SpringYield, "springyield makes its spring plastic")?;
    }
    let rest = given.number("springref", 0.0)?;
    if kind.nv() != 1 {
        given.element.without(Ignore::BallSpring, "stiffness of a joint with several degrees of freedom")?;
        return Ok((0.0, 0.0));
    }
    Ok((stiffness, position(rest)))
}

/// Reads a linear coefficient. Those of higher powers may follow, but must be zero.
fn linear(given: &Given, name: &str) -> Result<f64, Error> {
    let mut powers = [0.0; 3];
    given.numbers(name, 1, &mut powers)?;
    match powers {
        [x, 0.0, 0.0] => Ok(x),
        [x, ..] => given.element.without(Ignore::Polynomial, format!("{name} is a polynomial")).map(|()| x),
    }
}

fn limits(given: &Given, kind: JointKind, position: impl Fn(f64) -> f64, compiler: &Compiler) -> Result<Limits, Error> {
    let mut limits = Limits::default();
    let mut range = [0.0; 2];
    let said = given.numbers("range", 2, &mut range)? > 0;
    if limited(given, "limited", said && compiler.auto_limits)? && kind.nv() == 1 {
        [limits.lower, limits.upper] = range.map(position);
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
