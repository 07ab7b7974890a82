//! Faults of a description: what can be seen in the file, before anything moves.

use super::finding::Severity::{Error, Hint, Warning};
use super::finding::{Finding, Place, Severity};
use super::subject::{InertiaBox, Subject, mass, short};
use dtau::model::{Inertial, JointInfo, JointKind, Link};

/// Lists the faults of the robot's description. A check of something else that a file says belongs here.
pub fn all(subject: &Subject, allow_massless: bool) -> Vec<Finding> {
    let mut findings = read(subject, allow_massless).collect::<Vec<_>>();
    for (link, &moves) in subject.links().iter().zip(&subject.moves) {
        if let Some(inertial) = &link.inertial {
            findings.extend(inertia(link, inertial, moves));
        }
    }
    findings.extend(dominance(subject));
    findings.extend(limits(subject));
    findings
}

/// What the reader's warnings say, their severity, and what to do about them.
const READER: [(&str, Severity, &str); 17] = [
    (MASSLESS, Error, "Give it an <inertial>, fix its joint, or read the robot with --allow-massless."),
    ("mimic joints cannot be honoured", Error, "Correct the <mimic>, or read the robot with --mimic free."),
    ("no <axis>", Warning, r#"Write the axis, such as <axis xyz="0 0 1"/>."#),
    ("no <limit>", Warning, r#"Add <limit lower="…" upper="…" effort="…" velocity="…"/>."#),
    ("<limit> without", Warning, "Add `lower` and `upper` [rad, m], or make the joint continuous."),
    ("attributes of <dynamics>", Warning, "Check their spelling: URDF has `damping` and `friction`."),
    ("elements that are not URDF", Warning, "Check their spelling."),
    ("rotor inertias are ignored", Warning, "Write one <joint> and one <actuator> in each <transmission>."),
    ("fixed joints do not move", Warning, "Remove the <mimic>, or correct the type of the joint."),
    ("limits look like degrees", Warning, "Write radians: multiply by π/180."),
    ("lengths look like millimetres", Warning, "Write metres: export the model again, or divide every length by 1000."),
    ("tendons are skipped", Warning, "Apply the forces of the tendons as joint torques."),
    ("bodies that motion capture", Hint, "Add a joint if they must move."),
    ("free joints with an armature", Hint, "Nothing to do: dtau computes them as two joints."),
    ("equality constraints are kept", Hint, "Pass the model's equality constraints to the constrained functions."),
    ("no dynamics of the bodies", Hint, "Nothing to do."),
    ("no effect on dynamics", Hint, "Nothing to do."),
];
const MASSLESS: &str = "moves but has no inertia";
/// Beginning of the reader's warning about inertias: here every link has a finding of its own.
const INERTIAS: &str = "no rigid body has";

/// Findings of the reader.
fn read<'s>(subject: &'s Subject, allow_massless: bool) -> impl Iterator<Item = Finding> + 's {
    let warnings = subject.model.warnings().iter().filter(|text| !text.starts_with(INERTIAS));
    warnings.map(move |text| {
        let (severity, remedy) = match READER.iter().find(|(what, ..)| text.contains(what)) {
            Some(&(MASSLESS, _, remedy)) if allow_massless => (Warning, remedy),
            Some(&(_, severity, remedy)) => (severity, remedy),
            None => (Warning, "See the line in the file."),
        };
        Finding::new(severity, named(subject, text), sentence(text), remedy)
    })
}

/// The links and joints that a warning names with their lines.
fn named(subject: &Subject, text: &str) -> Vec<Place> {
    let is_named = |name: &str, line: u32| {
        text.contains(&format!("{name:?} on line {line}")) || text.starts_with(&format!("link {name:?} "))
    };
    let robot = subject.model.description();
    let links = robot.links.iter().filter(|link| is_named(&link.name, link.line));
    let joints = robot.joints.iter().filter(|joint| is_named(&joint.name, joint.line));
    let links = links.map(|link| Place::link(&link.name, link.line));
    links.chain(joints.map(|joint| Place::joint(&joint.name, joint.line))).collect()
}

/// The text with a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", rest.as_str().trim_end_matches('.'))
}

/// A solid that is denser than this is not made of any metal \[kg/m³\].
const DENSE: f64 = 30_000.0;
/// A body that is less dense than this is lighter than air \[kg/m³\].
const LIGHT: f64 = 1.0;
/// A box whose sides have a larger ratio than this is a sheet or a rod: its density says nothing.
const FLAT: f64 = 50.0;

/// What is wrong with the mass properties of a link.
fn inertia(link: &Link, inertial: &Inertial, moves: bool) -> Option<Finding> {
    let new = |severity, what: String, remedy: &str| {
        Some(Finding::new(severity, vec![Place::link(&link.name, link.line)], what, remedy))
    };
    let (moments, _) = inertial.principal();
    if let Some(reason) = inertial.fault() {
        let [a, b, c] = moments.map(short);
        let what = format!("The inertia is not physical: of the principal moments {a}, {b}, {c} kg m² {reason}.");
        const REMEDY: &str =
            "Export it again, about the centre of mass; check the units (kg m²) and the signs of ixy, ixz, iyz.";
        return new(Error, what, REMEDY);
    }
    if inertial.mass == 0.0 && moments != [0.0; 3] {
        return new(
            Warning,
            "The link has a rotational inertia, but no mass.".into(),
            "Write its mass, or remove its <inertial>.",
        );
    }
    if !moves {
        return None; // dynamics do not see it
    }
    let Some(solid) = InertiaBox::of(inertial) else {
        const REMEDY: &str = "Write its inertia. A box of sides x, y, z has ixx = m (y² + z²) / 12.";
        let mass = mass(inertial.mass);
        return (inertial.mass > 0.0)
            .then(|| new(Warning, format!("The link has a mass of {mass}, but no rotational inertia."), REMEDY))?;
    };
    let (least, most) = solid.sides.into_iter().fold((f64::MAX, 0.0), |(l, m): (f64, f64), x| (l.min(x), m.max(x)));
    let (density, sides, mass) = (solid.density(inertial.mass), millimetres(&solid.sides), mass(inertial.mass));
    if most > FLAT * least || (LIGHT..DENSE).contains(&density) {
        return None;
    }
    let [compared, likely] = match density < LIGHT {
        true => ["lighter than air", "large"],
        false => ["denser than any metal", "small"],
    };
    let what = format!("The inertia is too {likely} for the mass: a box of {sides} that weighs {mass} is {compared}.");
    new(Warning, what, "Check the units of the mass (kg) and of the inertia (kg m²), and placeholders such as ixx = 1.")
}

/// `120 × 40 × 7.5 mm`.
pub fn millimetres(sides: &[f64; 3]) -> String {
    let [x, y, z] =
        sides.map(|side| if side >= 0.01 { format!("{:.0}", 1e3 * side) } else { short((1e5 * side).round() / 100.0) });
    format!("{x} × {y} × {z} mm")
}

/// Beyond this ratio of masses, rounding errors of heavy bodies are felt by light ones.
const RATIO: f64 = 1e5;

/// Masses that dwarf others.
fn dominance(subject: &Subject) -> Option<Finding> {
    let joints = subject.model.joints().iter();
    let bodies = joints.map(|joint| (joint, subject.model.tree().bodies[joint.bodies.end - 1].inertia.mass));
    let mut bodies: Vec<(&JointInfo, f64)> = bodies.filter(|(_, mass)| *mass > 0.0).collect();
    bodies.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (&(_, most), &(least_of, least)) = (bodies.first()?, bodies.last()?);
    if most < RATIO * least {
        return None;
    }
    let light: Vec<&(&JointInfo, f64)> = bodies.iter().rev().take_while(|(_, mass)| most >= RATIO * mass).collect();
    let line = |name: &str| subject.links().iter().find(|link| link.name == name).map_or(0, |link| link.line);
    let at = light.iter().map(|(joint, _)| Place::link(&joint.link, line(&joint.link))).collect();
    let what = format!(
        "The heaviest body ({:?}, {}) is {:.0e} times as heavy as the lightest ({:?}, {}): accelerations lose digits.",
        bodies[0].0.link,
        mass(most),
        most / least,
        least_of.link,
        mass(least)
    );
    Some(Finding::new(
        Warning,
        at,
        what,
        "Check the masses [kg]. Fix the joints of bodies this light, or compute with --exact.",
    ))
}

/// Limits that allow nothing.
fn limits(subject: &Subject) -> Vec<Finding> {
    let bounded = |joint: &&JointInfo| joint.kind.nv() == 1 && joint.mimic.is_none();
    let find = |is_wrong: &dyn Fn(&JointInfo) -> bool, what: &str, remedy: &str| {
        let joints = subject.model.joints().iter().filter(bounded).filter(|joint| is_wrong(joint));
        let at: Vec<Place> = joints.map(|joint| Place::joint(&joint.name, subject.line(joint))).collect();
        (!at.is_empty()).then(|| Finding::new(Warning, at, what, remedy))
    };
    let turns = |joint: &JointInfo| matches!(joint.kind, JointKind::Continuous { .. });
    [
        find(
            &|joint| !turns(joint) && joint.limits.lower == joint.limits.upper,
            "The lower and the upper limit are equal: the joint cannot move.",
            "Write the range [rad, m], or make the joint fixed.",
        ),
        find(
            &|joint| joint.limits.effort == 0.0,
            "The effort limit is 0: no motor can hold the joint.",
            "Write the greatest torque or force [N m, N].",
        ),
        find(
            &|joint| joint.limits.velocity == 0.0,
            "The velocity limit is 0: the joint may not move.",
            "Write the greatest speed [rad/s, m/s].",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}
