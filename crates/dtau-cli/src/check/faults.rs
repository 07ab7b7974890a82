//! Faults of a description, as far as the file alone shows them.

use super::finding::Severity::{Error, Hint, Warning};
use super::finding::{Finding, Place, Severity};
use super::subject::{InertiaBox, NOISE, Subject, mass, short};
use dtau::model::{Inertial, JointInfo, JointKind, Link};
use serde::Serialize;

/// Lists the faults of the robot's description. A new check of what the file says belongs here.
pub fn all(subject: &Subject, allow_massless: bool) -> Vec<Finding> {
    let mut findings = read(subject, allow_massless).collect::<Vec<_>>();
    for (link, &moves) in subject.links().iter().zip(&subject.moves) {
        if let Some(inertial) = &link.inertial {
            findings.extend(Flaw::of(inertial, moves).map(|flaw| flaw.finding(link, inertial)));
        }
    }
    findings.extend(dominance(subject));
    findings.extend(limits(subject));
    findings
}

/// Warnings of the reader: a part of the text, the severity, the remedy. Those without a remedy are not shown.
const READER: [(&str, Severity, &str); 22] = [
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
    ("meshes are missing", Warning, "Put the files there, or add the folder of their package to ROS_PACKAGE_PATH."),
    ("shapes that cannot be read", Warning, "Correct their <geometry>."),
    ("without \"name\"", Hint, "Write <robot name=\"…\">."),
    ("bodies outside of <worldbody>", Warning, "Move them into <worldbody>."),
    ("left out as asked", Hint, "Results are those of the robot without it."),
    ("tendons are skipped", Warning, "Apply the forces of the tendons as joint torques."),
    ("bodies that motion capture", Hint, "Add a joint if they must move."),
    ("free joints with an armature", Hint, ""),
    ("equality constraints are kept", Hint, "Pass the model's equality constraints to the constrained functions."),
    ("no dynamics of the bodies", Hint, ""),
    ("no effect on dynamics", Hint, ""),
];
/// Part of the reader's warning about a moving link without inertia.
pub const MASSLESS: &str = "moves but has no inertia";
/// Beginning of the reader's warning about inertias. It is not used: every link gets its own finding.
const INERTIAS: &str = "no rigid body has";

/// Turns the reader's warnings into findings.
fn read<'s>(subject: &'s Subject, allow_massless: bool) -> impl Iterator<Item = Finding> + 's {
    let warnings = subject.model.warnings().iter().filter(|text| !text.starts_with(INERTIAS));
    let findings = warnings.map(move |text| {
        let (severity, remedy) = match READER.iter().find(|(what, ..)| text.contains(what)) {
            Some(&(MASSLESS, _, remedy)) if allow_massless => (Warning, remedy),
            Some(&(_, severity, remedy)) => (severity, remedy),
            None => (Warning, "See the line in the file."),
        };
        Finding::new(severity, named(subject, text), sentence(text), remedy)
    });
    findings.filter(|finding| !finding.remedy.is_empty())
}

/// Returns the links and joints that a warning names with their lines.
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

/// Returns the text with a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", rest.as_str().trim_end_matches('.'))
}

/// A flaw of a link's mass properties.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// A principal moment is negative, or exceeds the sum of the others.
    NotPhysical,
    /// There is rotational inertia, but no mass.
    NoMass,
    /// There is mass, but no rotational inertia.
    NoInertia,
    /// The body would be lighter than air.
    TooLarge,
    /// The body would be denser than any metal.
    TooSmall,
}

/// Density above that of every metal \[kg/m³\].
const DENSE: f64 = 30_000.0;
/// Density below that of air \[kg/m³\].
const LIGHT: f64 = 1.0;
/// Ratio of sides above which a box is a sheet or a rod. The density of such a box means nothing.
const FLAT: f64 = 50.0;

impl Flaw {
    /// Returns the flaw of an inertia; `None` if it is plausible.
    pub fn of(inertial: &Inertial, moves: bool) -> Option<Self> {
        if inertial.fault().is_some() {
            return Some(Self::NotPhysical);
        }
        let Some(solid) = InertiaBox::of(inertial) else {
            let has_inertia = inertial.principal().0[2] > NOISE;
            return match inertial.mass > 0.0 {
                true => moves.then_some(Self::NoInertia),
                false => has_inertia.then_some(Self::NoMass),
            };
        };
        let [least, most] = [f64::min, f64::max].map(|f| solid.sides.into_iter().reduce(f).unwrap_or_default());
        match inertial.mass / solid.sides.iter().product::<f64>() {
            _ if !moves || most > FLAT * least => None, // dynamics do not see the density of what is fixed
            density if density < LIGHT => Some(Self::TooLarge),
            density if density > DENSE => Some(Self::TooSmall),
            _ => None,
        }
    }

    /// Returns its name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotPhysical => "not physical",
            Self::NoMass => "no mass",
            Self::NoInertia => "no inertia",
            Self::TooLarge => "lighter than air",
            Self::TooSmall => "denser than metal",
        }
    }

    fn finding(self, link: &Link, inertial: &Inertial) -> Finding {
        const UNITS: &str = "Check the units of mass (kg) and inertia (kg m²). Replace placeholders such as ixx = 1.";
        let (severity, what, remedy) = match self {
            Self::NotPhysical => {
                let [a, b, c] = inertial.principal().0.map(short);
                let reason = inertial.fault().unwrap_or_default();
                (
                    Error,
                    format!("The inertia is not physical: of the principal moments {a}, {b}, {c} kg m² {reason}."),
                    "Export it again, about the centre of mass. Check its units and the signs of ixy, ixz, iyz.",
                )
            }
            Self::NoMass => (
                Warning,
                "The link has rotational inertia but no mass.".into(),
                "Write the mass, or remove the <inertial>.",
            ),
            Self::NoInertia => (
                Warning,
                "The link has mass but no rotational inertia.".into(),
                "Write the inertia. A box of sides x, y, z has ixx = m (y² + z²) / 12.",
            ),
            Self::TooLarge => {
                (Warning, "The inertia is too large for the mass: such a body is lighter than air.".into(), UNITS)
            }
            Self::TooSmall => {
                (Warning, "The inertia is too small for the mass: such a body is denser than any metal.".into(), UNITS)
            }
        };
        Finding::new(severity, vec![Place::link(&link.name, link.line)], what, remedy)
    }
}

/// Returns sides such as `120 × 40 × 7.5 mm`.
pub fn millimetres(sides: &[f64; 3]) -> String {
    let [x, y, z] =
        sides.map(|side| if side >= 0.01 { format!("{:.0}", 1e3 * side) } else { short((1e5 * side).round() / 100.0) });
    format!("{x} × {y} × {z} mm")
}

/// Ratio of masses above which rounding errors of heavy bodies disturb light ones.
const RATIO: f64 = 1e5;

/// Finds bodies that are very light beside the heaviest.
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

/// Finds limits that allow no motion or no torque.
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
