//! Finds the files of meshes.

use super::description::{Description, Shape};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::path::{Path, PathBuf};

/// Folders with ROS packages, and prefixes whose `share` is such a folder.
const PACKAGES: [(&str, &str); 2] = [("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share")];
/// Missing meshes that a warning names.
const SHOWN: usize = 4;

/// Looks for the meshes of a robot that was read from a file, and warns of those that are missing.
pub(super) fn locate(robot: &mut Description, robot_file: &Path) {
    let robot_file = std::path::absolute(robot_file).unwrap_or_else(|_| robot_file.into());
    let packages = packages();
    let (mut missing, mut more) = (Vec::new(), 0);
    for shape in &mut robot.shapes {
        let Shape::Mesh { file, path, .. } = &mut shape.shape else { continue };
        *path = find(file, &robot_file, &packages).map(|found| found.display().to_string());
        let name = format!("{file:?}");
        if path.is_some() || missing.iter().any(|said: &String| said.starts_with(&name)) {
            continue;
        }
        match missing.len() {
            SHOWN => more += 1,
            _ => missing.push(format!("{name}{}", super::validate::on_line(shape.line))),
        }
    }
    if !missing.is_empty() {
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        robot.warnings.push(format!(
            "{}: meshes are missing, so pictures lack them: {}{more}; put them there, or add the folder of their package to \
             ROS_PACKAGE_PATH",
            robot_file.display(),
            missing.join(", ")
        ));
    }
}

/// Folders that hold packages, as the environment says.
fn packages() -> Vec<PathBuf> {
    let folders = |(variable, inside): (&str, &'static str)| {
        let value = std::env::var_os(variable).unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect();
        folders.into_iter().map(move |folder| folder.join(inside))
    };
    PACKAGES.into_iter().flat_map(folders).collect()
}

/// The file that a URI or path means: in a package of the environment, or in a folder around the robot's file.
fn find(file: &str, robot_file: &Path, packages: &[PathBuf]) -> Option<PathBuf> {
    let there = |path: PathBuf| path.is_file().then_some(path);
    if let Some(path) = file.strip_prefix("file://") {
        return there(path.into());
    }
    let around = || robot_file.ancestors().skip(1);
    let in_package = file.strip_prefix("package://").or_else(|| file.strip_prefix("model://"));
    let Some(in_package) = in_package else {
        return around().find_map(|folder| there(folder.join(file)));
    };
    let in_package = in_package.trim_start_matches('/'); // some files have package:///NAME
    let (package, rest) = in_package.split_once('/')?;
    // The folder of a package may itself be listed or be around the robot's file; then it has the package's name.
    let inside = |folder: &Path| {
        let own = (folder.file_name()? == package).then(|| there(folder.join(rest))).flatten();
        own.or_else(|| there(folder.join(in_package)))
    };
    packages.iter().map(PathBuf::as_path).chain(around()).find_map(inside)
}
