//! Robots from MJCF, MuJoCo's format.
//!
//! [`parse`] turns a text into a [`Description`]. `read` (with `std`) opens a file, the files it includes,
//! and the mesh files that give bodies their mass. The format is interpreted as in MuJoCo 4.0; `docs/mjcf.md`
//! has the conventions.
//!
//! | element | what is read |
//! | --- | --- |
//! | `body`, `frame` | links, by the same names below the link `world`; placements, classes |
//! | `joint`, `freejoint` | hinge, slide, ball, free, any number in a body; `ref`, `range`, `damping`, `armature`, `frictionloss`, `stiffness` |
//! | `inertial`, `geom`, `mesh` | mass, centre of mass and inertia |
//! | `geom`, `mesh`, `material` | shapes with placement and colour, for pictures |
//! | `site` | frames; one that has a body's name is called `NAME/site` |
//! | `default`, `include`, `compiler`, `option` | as they change the above |
//! | `key` | poses; the pose `qpos0` is that of the file |
//! | `actuator`, `equality` | kept as data |
//! | `sensor`, `contact`, `visual`, `texture`, … | skipped |
//!
//! Elements that change the dynamics but are not supported are errors of kind
//! [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported): tendons with their own forces, springs of ball
//! and free joints, fluids, gravity compensation, deformable bodies, plugins.
//!
//! **Coordinates** are MuJoCo's qpos except for the order of quaternions: `[x y z w]` here. **Velocities**
//! are MuJoCo's qvel except for free joints: their linear part is in the body's axes here, in the world's
//! axes there.

mod bodies;
mod data;
mod defaults;
mod geom;
mod inertia;
mod joint;
mod look;
mod mesh;
mod names;
mod notes;
mod placement;
mod principal;
mod settings;
mod tree;

use crate::error::Error;
use crate::model::Ignore;
use crate::model::description::Description;
use crate::model::validate::{Checked, validate_with};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use bodies::Reader;
use defaults::Defaults;
use inertia::Masses;
use names::Names;
use notes::Notes;
use settings::{Compiler, Options};
use tree::{Element, Tree};

/// Returns the bytes of another file of a model, by its path from the model's folder.
type Files<'f> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'f;

/// Reads a robot from the text of a self-contained model: without includes, and without mesh files that give
/// a body its mass.
///
/// It checks everything, as [`urdf::parse`](crate::urdf::parse) does.
///
/// # Errors
/// With the file, the line, the element, the rule and the remedy.
///
/// ```
/// let robot = dtau::mjcf::parse(
///     r#"<mujoco><worldbody><body name="rod"><joint name="hip" axis="0 1 0"/>
///        <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -1"/></body></worldbody></mujoco>"#,
/// )?;
/// assert_eq!(robot.joints[0].name, "hip");
/// # Ok::<(), dtau::Error>(())
/// ```
pub fn parse(text: &str) -> Result<Description, Error> {
    parse_alone(text, &[]).map(|(description, _)| description)
}

/// Reads the text of a model that is one file.
pub(crate) fn parse_alone(text: &str, ignore: &[Ignore]) -> Result<(Description, Checked), Error> {
    let mut no_files =
        |_: &str| Err("is another file; read the model from its file, or give its files beside the text".into());
    parse_checked(text, &mut no_files, ignore)
}

/// Reads a robot from a text that refers to other files. `open` returns the bytes of a file by its path from
/// the model's folder, or an error message.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(text: &str, mut open: impl FnMut(&str) -> Result<Vec<u8>, String>) -> Result<Description, Error> {
    parse_checked(text, &mut open, &[]).map(|(description, _)| description)
}

/// Reads as [`parse_with`] does, and returns the results of the checks. Their warnings are in the description.
fn parse_checked(text: &str, open: &mut Files, ignore: &[Ignore]) -> Result<(Description, Checked), Error> {
    let tree = Tree::load(text, open, ignore)?;
    let mut description = match read_model(tree.root(), open) {
        Ok(description) => description,
        Err(error) => {
            tree.faults(Some(error)).settle()?;
            Description::default()
        }
    };
    let faults = tree.faults(None);
    let is_whole = faults.is_empty();
    let mut checked = validate_with(&description, faults, is_whole)?;
    description.warnings.append(&mut tree.ignored());
    description.warnings.append(&mut checked.warnings);
    Ok((description, checked))
}

/// Reads a robot from a file and the files it refers to, in UTF-8. Errors name the file as given here, or the
/// included one.
#[cfg(feature = "std")]
pub fn read(path: impl AsRef<std::path::Path>) -> Result<Description, Error> {
    let path = path.as_ref();
    let text = crate::xml::text_of(path).map_err(|error| error.in_file(path.display().to_string()))?;
    read_checked(&text, path, &[]).map(|(description, _)| description)
}

/// Reads the model from the text of the file at a path.
#[cfg(feature = "std")]
pub(crate) fn read_checked(
    text: &str,
    path: &std::path::Path,
    ignore: &[Ignore],
) -> Result<(Description, Checked), Error> {
    use std::string::ToString;
    let folder = path.parent().unwrap_or(std::path::Path::new(""));
    let mut open = |name: &str| crate::xml::bytes_of(&folder.join(name)).map_err(|error| error.message().to_string());
    let named = |file: Option<&str>| match file {
        Some(included) => folder.join(included).display().to_string(),
        None => path.display().to_string(),
    };
    parse_checked(text, &mut open, ignore).map_err(|error| error.with_files(&named))
}

/// Sections of a model without effect on the dynamics.
const SKIPPED: [&str; 8] = ["size", "visual", "statistic", "contact", "sensor", "custom", "asset", "extension"];

fn read_model(root: Element, files: &mut Files) -> Result<Description, Error> {
    if root.tag() != "mujoco" {
        return Err(
            root.error(format!("the root element is <{}>, not <mujoco>; an MJCF file is one <mujoco>", root.tag()))
        );
    }
    let (compiler, options, defaults) = (Compiler::read(root), Options::read(root), Defaults::read(root)?);
    let masses = Masses::new(root, &defaults, files)?;
    let robot = Description {
        name: root.attribute("model").filter(|name| !name.is_empty()).unwrap_or("MuJoCo Model").into(),
        gravity: Some(options.gravity),
        ..Description::default()
    };
    let mut reader = Reader {
        defaults: &defaults,
        compiler: &compiler,
        options: &options,
        names: Names::of(root),
        notes: Notes::default(),
        masses,
        robot,
        materials: look::materials(root, &defaults)?,
        layout: Vec::new(),
    };
    reader.read_world(root);
    reader.masses.settle(&mut reader.robot, &compiler);
    for section in root.children() {
        match section.tag() {
            "tendon" => section.children().for_each(|element| {
                element.keep(reader.read_tendon(element));
            }),
            "actuator" => reader.read_actuators(section),
            "equality" => reader.read_equalities(section),
            "compiler" | "option" | "default" | "worldbody" | "keyframe" => {}
            "deformable" => section.children().for_each(|element| {
                element.keep(reader.read_deformable(element));
            }),
            // As MuJoCo has it: what is outside of the world is no part of it.
            "body" => reader.notes.outside.add(section.name().unwrap_or(""), section),
            tag if SKIPPED.contains(&tag) => {}
            tag => {
                section.keep::<()>(Err(section.error(format!("there is no <{tag}> in a model"))));
            }
        }
    }
    root.keep(reader.read_poses(root));
    let Reader { mut robot, notes, .. } = reader;
    robot.warnings = notes.into_warnings();
    Ok(robot)
}
