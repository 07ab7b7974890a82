//! Robots, by a bundled name or the path of a URDF or MJCF file.

use crate::args::RobotArgs;
use crate::failure::Failure;
use crate::table::{Align, Cell, Table};
use dtau::bundled_names;
use dtau::model::{Model, Options, Root};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Loads a robot. A bundled name takes precedence over a file of the same name; `./humanoid` is always the
/// file.
pub fn load(args: &RobotArgs) -> Result<Model, Failure> {
    named(&args.name, &args.model.options())
}

/// Loads a robot, which must have moving joints.
pub fn load_moving(args: &RobotArgs, purpose: &str) -> Result<Model, Failure> {
    moving(load(args)?, purpose)
}

/// Returns the model if it has moving joints.
pub fn moving(model: Model, purpose: &str) -> Result<Model, Failure> {
    if model.nv() == 0 {
        let name = model.name();
        let why = format!("{name}: nothing moves, so there is nothing to {purpose}; try --root floating");
        return Err(Failure::Input(why));
    }
    Ok(model)
}

/// Loads a robot by name, with options.
pub fn named(name: &OsStr, options: &Options) -> Result<Model, Failure> {
    let path = Path::new(name);
    if let Some(name) = bundled_names().find(|bundled| name == *bundled) {
        return Ok(Model::bundled(name, options)?);
    }
    if path.is_dir() {
        return Err(Failure::input(format!("{}: is a directory; give the URDF file in it", path.display())));
    }
    // The reader reports other errors, such as a loop of symbolic links.
    if std::fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        let names = bundled_names().collect::<Vec<_>>().join(", ");
        let shown = path.display();
        return Err(Failure::input(format!(
            "there is no file \"{shown}\", nor a bundled robot of that name; bundled are {names}"
        )));
    }
    Ok(Model::from_urdf_file(path, options)?)
}

/// The robot's name as given, and its origin if bundled.
pub fn origin(name: &OsStr) -> String {
    let is_bundled = bundled_names().any(|bundled| name == bundled);
    format!("{}{}", name.to_string_lossy(), if is_bundled { " (bundled)" } else { "" })
}

/// Lists the bundled robots.
pub fn list(out: &mut impl Write) -> Result<ExitCode, Failure> {
    let mut table = Table::new([Align::Left, Align::Right, Align::Right, Align::Right, Align::Left]);
    table.head(["robot", "joints", "nv", "mass", "look at it"]);
    for name in bundled_names() {
        let root = if walks(name) { Root::Floating } else { Root::Fixed };
        let model = Model::bundled(name, &Options { root, ..Options::default() })?;
        let option = if walks(name) { " --root floating" } else { "" };
        table.row([
            Cell::new(name).bold(),
            Cell::new(model.joints().len().to_string()),
            Cell::new(model.nv().to_string()),
            Cell::new(format!("{:.1} kg", model.mass())),
            Cell::new(format!("dtau info {name}{option}")).dim(),
        ]);
    }
    table.write(out)?;
    Ok(ExitCode::SUCCESS)
}

/// True if a bundled robot needs a floating root.
pub fn walks(name: &str) -> bool {
    matches!(name, "quadruped" | "humanoid")
}
