//! Elements that are kept as data, or only checked to have no effect: actuators, equalities, keyframes,
//! tendons.

use super::bodies::{Placed, Reader, WORLD};
use super::defaults::{ACTUATORS, numbers};
use super::tree::Element;
use crate::error::Error;
use crate::model::Ignore;
use crate::model::description::{ActuatorDescription, EqualityDescription, EqualityKind, JointKind, PoseDescription};
use crate::model::names::suggest;
use crate::room;
use crate::spatial::{Quaternion, Transform, Vec3};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Name of the file's own pose.
pub(crate) const START: &str = "qpos0";
/// Memory for one joint of a pose \[bytes\].
const POSE: usize = 128;
/// Limit of the memory for all poses \[bytes\].
const MOST_POSES: usize = 1 << 30;
/// Attributes that name the target of an actuator.
const TARGETS: [&str; 7] = ["joint", "jointinparent", "tendon", "site", "body", "slidersite", "cranksite"];

impl<'a> Reader<'a, '_> {
    /// Tendons that pull by themselves are refused.
    pub(super) fn read_tendon(&mut self, element: Element<'a>) -> Result<(), Error> {
        if !matches!(element.tag(), "spatial" | "fixed") {
            return Err(element.error("there are tendons <spatial> and <fixed>"));
        }
        let given = self.defaults.of(element, self.defaults.main())?;
        let mut own = Vec::new();
        for (name, counts) in
            [("stiffness", self.options.springs), ("damping", self.options.damping), ("armature", true)]
        {
            let mut powers = [0.0; 3];
            given.numbers(name, 1, &mut powers)?;
            if counts && powers != [0.0; 3] {
                own.push(name);
            }
        }
        if !own.is_empty() {
            return element.without(Ignore::Tendon, format!("a tendon with {}", own.join(" and ")));
        }
        self.notes.tendons.add(element.name().unwrap_or(""), element);
        Ok(())
    }

    /// Deformable bodies are refused; skins are only seen.
    pub(super) fn read_deformable(&mut self, element: Element<'a>) -> Result<(), Error> {
        if element.tag() == "skin" { Ok(()) } else { element.without(Ignore::Flex, "a deformable body") }
    }

    /// Reads actuators. Their rotor inertias are added to the joints that they act on.
    pub(super) fn read_actuators(&mut self, section: Element<'a>) {
        let joints = self.robot.joints.iter().enumerate().map(|(i, joint)| (joint.name.clone(), i));
        let joints: BTreeMap<String, usize> = joints.collect();
        for element in section.children() {
            element.keep(self.read_actuator(element, &joints));
        }
    }

    fn read_actuator(&mut self, element: Element<'a>, joints: &BTreeMap<String, usize>) -> Result<(), Error> {
        if !ACTUATORS.contains(&element.tag()) {
            return Err(element.error(format!("there is no <{}> in <actuator>", element.tag())));
        }
        let given = self.defaults.of(element, self.defaults.main())?;
        let on = TARGETS.into_iter().find(|on| element.attribute(on).is_some());
        let target = on.and_then(|on| element.attribute(on)).unwrap_or("");
        let mut gear = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        given.numbers("gear", 1, &mut gear)?;
        for (name, counts) in [("armature", true), ("damping", self.options.damping)] {
            let mut own = [0.0; 3];
            given.numbers(name, 1, &mut own)?;
            if !counts || own == [0.0; 3] {
                continue;
            }
            let joint = joints.get(target).map(|&i| &mut self.robot.joints[i]);
            let joint = joint.filter(|joint| {
                let turns = matches!(joint.kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. });
                turns && matches!(on, Some("joint" | "jointinparent"))
            });
            let (Some(joint), [x, 0.0, 0.0]) = (joint, own) else {
                let what = format!("{name} of an actuator that is not on a hinge or slide");
                element.without(Ignore::Actuator, what)?;
                continue;
            };
            let felt = gear[0] * gear[0] * x;
            match name {
                "armature" => joint.armature += felt,
                _ => joint.damping += felt,
            }
        }
        self.robot.actuators.push(ActuatorDescription {
            name: element.name().unwrap_or("").into(),
            kind: element.tag().into(),
            on: on.unwrap_or("").into(),
            target: target.into(),
            gear: gear.into(),
        });
        Ok(())
    }

    pub(super) fn read_equalities(&mut self, section: Element<'a>) {
        let links: BTreeSet<String> = self.robot.links.iter().map(|link| link.name.clone()).collect();
        let sites: BTreeSet<String> = self.robot.frames.iter().map(|frame| frame.name.clone()).collect();
        for element in section.children() {
            element.keep(self.read_equality(element, &links, &sites));
        }
    }

    fn read_equality(
        &mut self,
        element: Element<'a>,
        links: &BTreeSet<String>,
        sites: &BTreeSet<String>,
    ) -> Result<(), Error> {
        let given = self.defaults.of_kind(element, "equality", self.defaults.main())?;
        let frames = || -> Result<[String; 2], Error> {
            let first = frame_of(element, "body1", "site1", links, sites)?;
            Ok([first, frame_of(element, "body2", "site2", links, sites)?])
        };
        let kind = match element.tag() {
            "connect" => {
                let [first, second] = frames()?;
                let mut anchor = [0.0; 3];
                numbers(element, "anchor", 3, &mut anchor)?;
                EqualityKind::Connect { first, second, anchor }
            }
            "weld" => {
                let [first, second] = frames()?;
                EqualityKind::Weld { first, second, placement: read_relative(element)? }
            }
            "joint" => {
                let Some(first) = element.attribute("joint1") else {
                    return Err(element.error(r#"it names no joint; write joint1="…""#));
                };
                let mut coefficients = [0.0, 1.0, 0.0, 0.0, 0.0];
                numbers(element, "polycoef", 1, &mut coefficients)?;
                let second = element.attribute("joint2").map(ToString::to_string);
                EqualityKind::Joints { first: first.into(), second, coefficients }
            }
            other => EqualityKind::Other(other.into()),
        };
        let active = given.flag("active", true)?;
        let name = element.name().unwrap_or("").to_string();
        if active {
            self.notes.equalities.add(&name, element);
        }
        self.robot.equalities.push(EqualityDescription { name, active, kind });
        Ok(())
    }

    /// Reads the file's own pose and its keyframes.
    pub(super) fn read_poses(&mut self, root: Element<'a>) -> Result<(), Error> {
        let start: Vec<f64> = self.layout.iter().flat_map(|joint| joint.start.iter().copied()).collect();
        self.robot.poses.push(pose(START, &start, &self.layout));
        let keys: Vec<_> = root.all("keyframe").flat_map(|section| section.all("key")).collect();
        // Even an empty key is a complete pose.
        let size = keys.len().saturating_mul(self.layout.len()).saturating_mul(POSE);
        room::ask(size, || format!("{} keyframes", keys.len()))?;
        for (k, key) in keys.into_iter().enumerate() {
            if size > MOST_POSES {
                return Err(key.error(format!("there are more keyframes than fit into {MOST_POSES} bytes")));
            }
            let mut qpos = start.clone();
            if key.attribute("qpos").is_some() {
                let count = qpos.len();
                numbers(key, "qpos", count, &mut qpos)?;
            }
            let name = key.name().map_or_else(|| format!("key{k}"), ToString::to_string);
            self.robot.poses.push(pose(&name, &qpos, &self.layout));
        }
        Ok(())
    }
}

/// The frame of the body or site that a constraint names; the world's if it names none.
fn frame_of(
    element: Element,
    body: &str,
    site: &str,
    links: &BTreeSet<String>,
    sites: &BTreeSet<String>,
) -> Result<String, Error> {
    let (kind, called, names, name) = match (element.attribute(body), element.attribute(site)) {
        (Some(name), None) => ("link", "body", links, name),
        (None, Some(name)) => ("frame", "site", sites, name),
        (None, None) => return Ok(format!("link:{WORLD}")),
        _ => return Err(element.error(format!("it has both {body} and {site}; keep one"))),
    };
    // A site with the name of a body has been renamed.
    let found = [name.to_string(), format!("{name}/site")].into_iter().find(|name| names.contains(name));
    match found {
        Some(name) => Ok(format!("{kind}:{name}")),
        None => {
            let hint = suggest(name, names.iter().map(String::as_str));
            Err(element.error(format!("there is no {called} {name:?}; {hint}")))
        }
    }
}

/// Reads the placement of the second body of a weld in the first. A zero quaternion means: as in the initial
/// pose.
fn read_relative(element: Element) -> Result<Option<Transform<f64>>, Error> {
    let mut x = [0.0; 7];
    numbers(element, "relpose", 7, &mut x)?;
    let quat = Quaternion::from_slice(&[x[4], x[5], x[6], x[3]]);
    let size = quat.norm_squared();
    if size == 0.0 {
        return Ok(None);
    }
    if !size.is_finite() {
        return Err(element.error("relpose has a quaternion that is too large"));
    }
    Ok(Some(Transform::new(quat.normalised().to_matrix(), Vec3::new(x[0], x[1], x[2]))))
}

/// Converts qpos to coordinates of joints.
fn pose(name: &str, qpos: &[f64], layout: &[Placed]) -> PoseDescription {
    let (mut joints, mut at) = (Vec::new(), 0);
    for placed in layout {
        let q = &qpos[at..at + placed.start.len()];
        at += q.len();
        match (placed.kind, &placed.joints[..]) {
            (JointKind::FreeFlyer, [free]) => {
                joints.push((free.clone(), [&q[..3], &turned(&q[3..])[..]].concat()));
            }
            (JointKind::FreeFlyer, [translation, ball]) => {
                joints.push((translation.clone(), q[..3].to_vec()));
                joints.push((ball.clone(), turned(&q[3..])));
            }
            (JointKind::Spherical, [ball]) => joints.push((ball.clone(), turned(q))),
            (_, names) => joints.extend(names.iter().map(|name| (name.clone(), q.to_vec()))),
        }
    }
    PoseDescription { name: name.into(), joints }
}

/// Converts w x y z to x y z w of unit length; the identity if the quaternion is zero.
fn turned(q: &[f64]) -> Vec<f64> {
    let quat = Quaternion::from_slice(&[q[1], q[2], q[3], q[0]]);
    let size = quat.norm_squared();
    let sound = size > 1e-28 && size.is_finite();
    if sound { quat.normalised().to_array().to_vec() } else { alloc::vec![0.0, 0.0, 0.0, 1.0] }
}
