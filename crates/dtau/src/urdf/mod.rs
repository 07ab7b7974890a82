//! Robots from URDF files.
//!
//! [`parse`] turns a text into a [`Description`]. `read` (with `std`) also opens the file. No other file is
//! opened.
//!
//! | element | what is read |
//! | --- | --- |
//! | `link` | `name`; `inertial` with `origin` (its `rpy` turns the inertia into the link's axes), `mass`, `inertia` |
//! | `joint` | `name`, `type`, `parent`, `child`, `origin`, `axis`, `limit`, `dynamics`, `mimic` |
//! | `transmission` | rotor inertia and reduction, as below |
//! | `visual`, `collision`, `material` | shapes with origin and colour, for pictures; textures are skipped |
//! | `gazebo`, `sensor`, `calibration`, … | skipped |
//!
//! Rules where files differ:
//! - **Axis.** A joint without `axis` gets URDF's default `1 0 0` and a warning; a zero axis is an error.
//! - **Limits.** Without `limit` there are none, with a warning for revolute and prismatic joints. With
//!   `limit`, a missing `lower` or `upper` is 0, as in URDF; if both are missing there are none, with a
//!   warning. Position limits of a continuous joint are ignored.
//! - **Mimic** may follow a joint that itself mimics: `q = m₂ (m₁ q₀ + o₁) + o₂`.
//! - **Armature**, the rotor inertia reflected to the joint, is `reduction² · rotor inertia` [kg m²]. It is
//!   computed from `rotorInertia` (or `motorInertia`) and `mechanicalReduction` of a `transmission` with one
//!   joint, summed over its actuators; or from Drake's `drake:rotor_inertia` and `drake:gear_ratio`, there or
//!   in the `joint`. As an extension, it may be given directly as `armature` in `dynamics`.
//! - **Springs**, an extension: `stiffness` and `rest` in `dynamics`, for joints of one degree of freedom.
//! - **Shapes** do not concern the dynamics: one that cannot be read is left out, with a warning. [`Description::from_file`] looks
//!   for the files of meshes: see there.
//! - **Exact rotations**, an extension: `matrix`, row by row, in `origin`, beside `rpy`;
//!   [`Description::to_urdf`] writes it.
//! - **More joints**, extensions: `type="spherical"`, `type="translation"`, and `type="helical"` with `<axis xyz="0 0 1" pitch="0.01"/>` in m/rad.
//! - **Unknown elements** are skipped with a warning, those with a prefix silently; xacro's are an error.
//!
//! Every error carries its line. Limits keep hostile files harmless: no DTD, 256 levels of nesting, 256 MiB.

mod element;
mod joint;
mod link;
mod notes;
mod shape;
mod transmission;
mod write;

use crate::error::{Error, Faults};
use crate::model::description::Description;
use crate::model::validate::{Checked, validate_with};
use crate::xml::{self, Lines};
use alloc::format;
use element::Element;
use notes::Notes;
use shape::Looks;

/// Reads a robot from the text of a URDF file.
///
/// It checks everything that concerns one file: the XML, the numbers, and that links and joints form one
/// tree. Warnings are in [`Description::warnings`], one line for each kind. Time: n log n in the size.
///
/// # Errors
/// With the line, the joint or link, the value, the rule and the remedy; [`Error::in_file`] adds the file's
/// name. One error has all faults of the file, a line each, in the order of the file.
///
/// ```
/// let error = dtau::urdf::parse(r#"<robot name="arm"><link name="base"/><link name="tool"/></robot>"#).unwrap_err();
/// assert_eq!(
///     error.in_file("arm.urdf").to_string(),
///     r#"arm.urdf:1: 2 links are root links: "base", "tool"; connect them by joints into one tree"#
/// );
/// ```
pub fn parse(text: &str) -> Result<Description, Error> {
    parse_checked(text).map(|(description, _)| description)
}

/// Reads as [`parse`] does, and returns the results of the checks. Their warnings are in the description.
pub(crate) fn parse_checked(text: &str) -> Result<(Description, Checked), Error> {
    let document = xml::parse(text, "robot")?;
    let lines = Lines::new(text);
    let (mut description, faults, is_whole) = read_robot(Element::root(&document, &lines))?;
    let mut checked = validate_with(&description, faults, is_whole)?;
    description.warnings.append(&mut checked.warnings);
    Ok((description, checked))
}

/// Reads a robot from a URDF file, in UTF-8. Errors name the file as given here.
#[cfg(feature = "std")]
pub fn read(path: impl AsRef<std::path::Path>) -> Result<Description, Error> {
    read_checked(path.as_ref()).map(|(description, _)| description)
}

/// Reads as [`read`] does, and returns the results of the checks. Their warnings are in the description.
#[cfg(feature = "std")]
pub(crate) fn read_checked(path: &std::path::Path) -> Result<(Description, Checked), Error> {
    let text = xml::text_of(path);
    text.and_then(|text| parse_checked(&text)).map_err(|error| error.in_file(path.display().to_string()))
}

/// Elements that are ignored silently: they do not concern the dynamics.
const KNOWN: [&str; 7] = ["gazebo", "sensor", "ros2_control", "plugin", "mujoco", "visual", "collision"];

/// The robot, what is wrong with it, and whether all of its links and joints could be read.
fn read_robot(robot: Element) -> Result<(Description, Faults, bool), Error> {
    if robot.tag() != "robot" {
        let hint = match robot.tag() {
            "sdf" => "this is SDF; convert it to URDF first",
            "mujoco" => "this is MJCF; read it by dtau::mjcf or Model::from_file",
            _ => "a URDF file is one <robot>",
        };
        return Err(robot.error(format!("the root element is <{}>, not <robot>; {hint}", robot.tag())));
    }
    let mut notes = Notes::default();
    let name = robot.attribute("name").filter(|name| !name.trim().is_empty());
    if name.is_none() {
        notes.missing_name.add("<robot>", robot);
    }
    let mut description = Description { name: name.unwrap_or("robot").into(), ..Description::default() };
    let (mut transmissions, mut looks) = (alloc::vec::Vec::new(), Looks::default());
    for element in robot.children() {
        if notes.faults.keep(refuse_xacro(element)).is_none() {
            notes.has_gaps = true; // what it would become
            continue;
        }
        match element.tag() {
            "link" | "joint" if element.is_foreign() => {
                notes.strange_elements.add(&format!("<{}> with a prefix", element.tag()), element);
            }
            _ if element.is_foreign() => {}
            "link" => {
                description.links.extend(link::read(element, &mut notes));
                looks.read_link(element, &mut notes);
            }
            "material" => looks.read_material(element),
            "joint" => description.joints.extend(joint::read(element, &mut notes)),
            "transmission" => transmissions.push(element),
            tag if KNOWN.contains(&tag) => {}
            tag => notes.strange_elements.add(&format!("<{tag}>"), element),
        }
    }
    transmission::read_all(&transmissions, &mut description.joints, &mut notes);
    let (faults, is_whole) = (core::mem::take(&mut notes.faults), !notes.has_gaps);
    description.shapes = looks.into_shapes();
    description.warnings = notes.into_warnings().collect();
    Ok((description, faults, is_whole))
}

/// Warns of unknown elements inside `parent`: neither read nor known to be harmless.
fn note_strange(parent: Element, read: &[&str], known: &[&str], notes: &mut Notes) {
    for element in parent.children() {
        if notes.faults.keep(refuse_xacro(element)).is_none() {
            continue;
        }
        let tag = element.tag();
        let expected = read.contains(&tag) || known.contains(&tag) || transmission::is_rotor_tag(tag);
        if !expected && !element.is_foreign() {
            notes.strange_elements.add(&format!("<{tag}> in <{}>", parent.tag()), element);
        }
    }
}

fn refuse_xacro(element: Element) -> Result<(), Error> {
    if !element.is_xacro() {
        return Ok(());
    }
    Err(element
        .error(format!("<xacro:{}> has to be expanded first: xacro robot.urdf.xacro > robot.urdf", element.tag())))
}
