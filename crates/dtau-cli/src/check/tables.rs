//! The links and the joints of the report.

use super::faults::{self, Flaw};
use super::finding::Place;
use super::rest;
use super::rest::Torques;
use super::subject::{InertiaBox, NOISE, Subject, mass, short};
use crate::style::Style;
use crate::table::{Cell, Table};
use dtau::model::{JointInfo, Link};
use serde::Serialize;

/// A link with an inertia.
#[derive(Serialize)]
pub struct LinkLine {
    #[serde(flatten)]
    pub place: Place,
    /// False if it is fixed to the world.
    pub moves: bool,
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass in the axes of the link \[m\].
    pub centre: [f64; 3],
    /// Principal moments about it, least first \[kg m²\].
    pub moments: [f64; 3],
    /// Sides of the box of uniform density with this inertia \[m\].
    pub inertia_box: Option<[f64; 3]>,
    /// The flaw of the mass properties.
    pub flaw: Option<Flaw>,
}

impl LinkLine {
    /// Returns the links that have an inertia.
    pub fn all(subject: &Subject) -> Vec<Self> {
        let of = |(link, &moves): (&Link, &bool)| {
            let inertial = link.inertial.as_ref().filter(|i| i.mass > 0.0 || i.principal().0[2] > NOISE)?;
            Some(Self {
                place: Place::link(&link.name, link.line),
                moves,
                mass: inertial.mass,
                centre: inertial.com.to_array(),
                moments: inertial.principal().0,
                inertia_box: InertiaBox::of(inertial).map(|solid| solid.sides),
                flaw: Flaw::of(inertial, moves),
            })
        };
        subject.links().iter().zip(&subject.moves).filter_map(of).collect()
    }
}

/// A joint that moves.
#[derive(Serialize)]
pub struct JointLine {
    #[serde(flatten)]
    pub place: Place,
    #[serde(rename = "type")]
    pub joint: &'static str,
    /// Link that it carries.
    pub link: String,
    pub axis: Option<[f64; 3]>,
    /// Limits \[rad, m, rad/s, m/s, N m, N\]; `null` where there is none.
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub velocity: Option<f64>,
    pub effort: Option<f64>,
    /// Torque or force that holds the robot at rest; `null` for joints that follow others, and for joints with several
    /// degrees of freedom.
    pub rest: Option<f64>,
    /// The largest over many configurations.
    pub most: Option<f64>,
    /// The joint that it follows.
    pub mimic: Option<String>,
    #[serde(skip)]
    unit: &'static str,
}

impl JointLine {
    /// Returns the joints that move.
    pub fn all(subject: &Subject, torques: &Torques) -> Vec<Self> {
        let finite = |x: f64| x.is_finite().then_some(x);
        let of = |joint: &JointInfo| {
            let torque = |of: &[f64]| (joint.mimic.is_none() && joint.v.len() == 1).then(|| of[joint.v.start]);
            Self {
                place: Place::joint(&joint.name, subject.line(joint)),
                joint: joint.kind.name(),
                link: joint.link.clone(),
                axis: joint.kind.axis().map(|axis| axis.to_array()),
                lower: finite(joint.limits.lower),
                upper: finite(joint.limits.upper),
                velocity: finite(joint.limits.velocity),
                effort: finite(joint.limits.effort),
                rest: torque(&torques.rest),
                most: torque(&torques.most),
                mimic: joint.mimic.as_ref().map(|mimic| mimic.joint.clone()),
                unit: rest::unit(joint),
            }
        };
        subject.model.joints().iter().map(of).collect()
    }
}

/// Returns the table of links.
pub fn of_links(links: &[LinkLine]) -> Table {
    let total = total(links);
    let mut table = Table::of(["link", "line", "mass", "share", "centre of mass [m]", "inertia box", "inertia"]);
    for link in links {
        let verdict = match link.flaw {
            None => Cell::new("plausible"),
            Some(flaw @ Flaw::NotPhysical) => Cell::new(flaw.name()).styled(Style::Bad),
            Some(flaw) => Cell::new(flaw.name()).styled(Style::Fair),
        };
        let share = if link.moves && total > 0.0 {
            Cell::number(format!("{:.1} %", 100.0 * link.mass / total), link.mass / total)
        } else {
            Cell::new("fixed").dim()
        };
        table.row([
            Cell::new(&link.place.name),
            line(&link.place),
            Cell::number(mass(link.mass), link.mass),
            share,
            Cell::new(link.centre.map(short).join(", ")),
            Cell::new(link.inertia_box.as_ref().map_or_else(|| "–".into(), faults::millimetres)),
            verdict,
        ]);
    }
    table
}

/// Returns the table of joints.
pub fn of_joints(joints: &[JointLine]) -> Table {
    let mut table = Table::of(["joint", "line", "type", "axis", "limits", "speed", "effort", "at rest", "at most"]);
    for joint in joints {
        let number = |x: Option<f64>| x.map_or_else(Cell::default, |x| Cell::number(short(x), x));
        let limits = match (joint.lower, joint.upper) {
            (None, None) => String::new(),
            (lower, upper) => [lower, upper].map(|x| x.map_or_else(|| "∞".into(), short)).join(" … "),
        };
        let torque = |x: Option<f64>| match (x, joint.effort) {
            (Some(x), Some(effort)) if effort > 0.0 => {
                let share = x.abs() / effort;
                let cell = Cell::number(format!("{} {} ({:.0} %)", digits(x), joint.unit, 100.0 * share), share);
                cell.styled(if share > 1.0 { Style::Bad } else { Style::Plain })
            }
            (Some(x), _) => Cell::number(format!("{} {}", digits(x), joint.unit), x.abs()),
            (None, _) => Cell::default(),
        };
        let kind = match &joint.mimic {
            Some(leader) => format!("{}, follows {leader}", joint.joint),
            None => joint.joint.into(),
        };
        table.row([
            Cell::new(&joint.place.name),
            line(&joint.place),
            Cell::new(kind),
            Cell::new(joint.axis.map_or_else(String::new, |axis| axis.map(short).join(" "))),
            Cell::new(limits),
            number(joint.velocity),
            number(joint.effort),
            torque(joint.rest),
            torque(joint.most),
        ]);
    }
    table
}

fn line(place: &Place) -> Cell {
    place.line.map_or_else(Cell::default, |line| Cell::number(line.to_string(), line.into()).dim())
}

/// Writes a number with three digits. Rounding noise around zero is zero.
fn digits(x: f64) -> String {
    if x.abs() < 1e-9 { "0".into() } else { short(format!("{x:.2e}").parse().unwrap_or(x)) }
}

/// Returns the mass of all links that move.
fn total(links: &[LinkLine]) -> f64 {
    links.iter().filter(|link| link.moves).fold(0.0, |sum, link| sum + link.mass)
}

/// Returns a sentence with the largest masses and the least one.
pub fn masses(links: &[LinkLine]) -> String {
    const SHOWN: usize = 5;
    let (total, mut moving) =
        (total(links), links.iter().filter(|link| link.moves && link.mass > 0.0).collect::<Vec<_>>());
    moving.sort_by(|a, b| b.mass.total_cmp(&a.mass));
    let show = |link: &&LinkLine| format!("{} {:.0} %", link.place.name, 100.0 * link.mass / total);
    let first = moving.iter().take(SHOWN).map(show).collect::<Vec<_>>().join(", ");
    match moving.last().filter(|_| moving.len() > SHOWN) {
        Some(least) => format!("Largest masses: {first}. Least: {} {}.", least.place.name, mass(least.mass)),
        None => format!("Masses: {first}."),
    }
}
