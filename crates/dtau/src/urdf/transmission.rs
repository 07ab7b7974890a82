//! `<transmission>`: rotor inertias, reflected to the joints.
//!
//! ```text
//! armature = Σ n² J      n: reduction, J: inertia of the rotor; over the actuators of the joint
//! ```

use super::element::Element;
use super::notes::Notes;
use crate::error::Error;
use crate::model::description::JointDescription;
use crate::model::names;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

/// Tags of a rotor's inertia, in ROS and Drake.
const INERTIA: [&str; 3] = ["rotorInertia", "motorInertia", "rotor_inertia"];
/// Tags of the reduction between rotor and joint, in ROS and Drake.
const REDUCTION: [&str; 2] = ["mechanicalReduction", "gear_ratio"];

/// True if an element with this tag describes a rotor.
pub(super) fn is_rotor_tag(tag: &str) -> bool {
    INERTIA.contains(&tag) || REDUCTION.contains(&tag)
}

/// Data of a rotor read so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Rotor {
    inertia: Option<f64>,
    reduction: Option<f64>,
}

impl Rotor {
    /// Its inertia reflected to the joint. The reduction is 1 if not given.
    pub(super) fn armature(self) -> Option<f64> {
        let n = self.reduction.unwrap_or(1.0);
        self.inertia.map(|J| n * n * J)
    }
}

/// Reads a rotor's elements among the children of an element: `<… value="2"/>` or `<…>2</…>`.
pub(super) fn read_rotor(parent: Element, rotor: &mut Rotor) -> Result<(), Error> {
    for element in parent.children() {
        let place = match element.tag() {
            tag if INERTIA.contains(&tag) => &mut rotor.inertia,
            tag if REDUCTION.contains(&tag) => &mut rotor.reduction,
            _ => continue,
        };
        let number = match element.attribute("value") {
            Some(_) => element.required_number("value", "1")?,
            None => element.text_number()?,
        };
        if place.replace(number).is_some() {
            return Err(element.error(format!("<{}> is given twice; keep one", element.tag())));
        }
    }
    Ok(())
}

/// Adds the rotors of all transmissions to their joints.
pub(super) fn read_all(transmissions: &[Element], joints: &mut [JointDescription], notes: &mut Notes) {
    if !transmissions.iter().any(|t| has_rotor(*t)) {
        return; // by far the most files
    }
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    for (i, joint) in joints.iter().enumerate() {
        places.insert(joint.name.clone(), i);
    }
    let own: Vec<bool> = joints.iter().map(|j| j.armature != 0.0).collect();
    for transmission in transmissions.iter().filter(|t| has_rotor(**t)) {
        let name = format!("{:?}", transmission.attribute("name").unwrap_or(""));
        let owner = format!("transmission {name}");
        let transmission = transmission.owned_by(&owner);
        let mut driven = transmission.children().filter(|e| e.tag() == "joint");
        let (Some(joint), None) = (driven.next(), driven.next()) else {
            notes.unclear_rotors.add(&name, transmission);
            continue;
        };
        let rotors = joint.required("name", "elbow").and_then(|joint_name| {
            let Some(&i) = places.get(joint_name) else {
                let hint = names::suggest(joint_name, joints.iter().map(|j| j.name.as_str()));
                return Err(joint.error(format!("there is no joint {joint_name:?}; {hint}")));
            };
            if own[i] {
                let what = format!("joint {joint_name:?} has an armature of its own already; keep one");
                return Err(transmission.error(what));
            }
            Ok((i, read_actuators(transmission, joint)?))
        });
        if let Some((i, armature)) = notes.faults.keep(rotors) {
            joints[i].armature += armature;
        }
    }
}

/// The sum over the actuators. In old files, a reduction in the joint or the transmission itself applies to
/// all actuators.
fn read_actuators(transmission: Element, joint: Element) -> Result<f64, Error> {
    let mut common = Rotor::default();
    read_rotor(transmission, &mut common)?;
    read_rotor(joint, &mut common)?;
    let mut sum = common.armature().unwrap_or(0.0);
    for actuator in transmission.children().filter(|e| e.tag() == "actuator") {
        let mut rotor = Rotor::default();
        read_rotor(actuator, &mut rotor)?;
        rotor.reduction = rotor.reduction.or(common.reduction);
        sum += rotor.armature().unwrap_or(0.0);
    }
    Ok(sum)
}

/// True if it contains a rotor inertia; reductions alone do not affect the dynamics.
fn has_rotor(transmission: Element) -> bool {
    let says = |e: Element| INERTIA.contains(&e.tag());
    transmission.children().any(|e| says(e) || e.children().any(says))
}
