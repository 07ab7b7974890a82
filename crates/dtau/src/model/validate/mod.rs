//! Checks that a description is one tree of valid joints and bodies, and finds the parent of every link.
//!
//! Everything here is iterative and at most n log n, so a chain of a hundred thousand links is safe.

mod connection;
#[cfg(test)]
mod example;
mod hints;
pub(crate) mod inertia;
mod mimic;
mod names;
pub(super) mod numbers;

use super::description::{Description, JointDescription};
use crate::error::{Error, ErrorKind, Faults};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
pub(crate) use mimic::Leader;

/// Results of the checks of a description. Indices are those of its vectors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checked {
    /// The root link, which has no joint above it.
    pub root: usize,
    /// The joint above each link; `None` for the root only.
    pub parent_joint: Vec<Option<usize>>,
    /// The joints below each link, in the order of the description.
    pub children: Vec<Vec<usize>>,
    /// The independent joint that each mimicking joint follows; `None` for independent joints.
    ///
    /// An error if a joint mimics one that does not exist or does not have one degree of freedom. Such files
    /// are in use, by programs that free every joint. So it is an error only if the mimics are honoured.
    pub mimic: Result<Vec<Option<Leader>>, Error>,
    /// Warnings that are not yet in [`Description::warnings`].
    pub warnings: Vec<String>,
}

/// Checks a description, and finds how its links are connected.
///
/// Errors, with the line of the link or joint:
///
/// - no links; a name that is empty or given twice; an unknown link or joint;
/// - a link with two parents; a cycle; several roots;
/// - a zero axis; a number that is not finite; an origin whose matrix is not a rotation;
/// - negative mass, damping, friction or armature; a lower limit above the upper one;
/// - a mimic of itself, in a ring, or by a joint with several degrees of freedom. A mimic of a mimic is
///   composed into a [`Leader`];
/// - a number that is too large or too small to compute with.
///
/// Warnings: inertias that are not physically consistent, units that look wrong, mimics of fixed joints
/// (ignored), and mimics that cannot be followed.
pub(crate) fn validate(robot: &Description) -> Result<Checked, Error> {
    validate_with(robot, Faults::default(), true)
}

/// [`validate`], with what a reader found wrong already. If some links or joints could not be read, the others are checked one by one.
///
/// The error has all faults. What would only follow from another fault is left out: names come before the tree.
pub(crate) fn validate_with(robot: &Description, mut faults: Faults, is_whole: bool) -> Result<Checked, Error> {
    if robot.links.is_empty() {
        faults.settle()?;
        return Err(broken("the robot has no links; describe at least one <link>", 0));
    }
    let links = names::index("link", robot.links.iter().map(|l| (l.name.as_str(), l.line)), &mut faults);
    let joints = names::index("joint", robot.joints.iter().map(|j| (j.name.as_str(), j.line)), &mut faults);
    let (Some(links), Some(joints), true) = (links, joints, is_whole) else {
        numbers::check(robot, &mut faults);
        faults.settle()?;
        return Err(broken("the robot could not be read", 0));
    };
    names::check_frames(robot, &links, &mut faults);
    names::check_shapes(robot, &links, &mut faults);
    numbers::check(robot, &mut faults);
    let connected = connection::connect(robot, &links, &mut faults);
    let connected = connected.and_then(|(parent_joint, children)| {
        let root = faults.keep(connection::find_root(robot, &links, &parent_joint, &children))?;
        Some((root, parent_joint, children))
    });
    let mimics = mimic::find(robot, &joints, &mut faults);
    let leaders = faults.keep(mimic::compose(robot, &mimics));
    faults.settle()?;
    let (Some((root, parent_joint, children)), Some(leaders)) = (connected, leaders) else {
        return Err(broken("the robot is not a tree", 0));
    };
    let mut warnings = mimics.warnings();
    warnings.extend(inertia::odd(robot));
    warnings.extend(hints::degrees(robot));
    warnings.extend(hints::millimetres(robot));
    warnings.retain(|w| !robot.warnings.contains(w)); // five at most
    let mimic = match mimics.broken {
        None => Ok(leaders),
        Some((error, _)) => Err(error),
    };
    Ok(Checked { root, parent_joint, children, mimic, warnings })
}

fn broken(message: impl Into<String>, line: u32) -> Error {
    Error::new(ErrorKind::Description, message).at_line(line)
}

fn joint_error(joint: &JointDescription, what: impl core::fmt::Display) -> Error {
    broken(format!("joint {:?}: {what}", joint.name), joint.line)
}

/// ` on line 12`, or empty for descriptions made in code.
pub(super) fn on_line(line: u32) -> String {
    if line == 0 { String::new() } else { format!(" on line {line}") }
}

#[cfg(test)]
mod tests {
    use super::example::{chain, follow, revolute};
    use super::*;
    use alloc::string::ToString;

    /// Quadratic time would take minutes; recursion would overflow the stack of a test's thread (2 MiB).
    #[test]
    fn a_hundred_thousand_links_are_checked_in_linear_time_and_constant_stack() {
        let n = 100_000;
        let mut robot = chain(n);
        for i in 1..n - 1 {
            robot.joints[i - 1].mimic = follow(&format!("j{}", i + 1), 1.0, 0.5);
        }
        let tree = validate(&robot).unwrap();
        assert_eq!(
            tree.mimic.unwrap()[0],
            Some(Leader { joint: n - 2, multiplier: 1.0, offset: 0.5 * (n - 2) as f64 })
        );
        robot.joints[n - 2].mimic = follow("j1", 1.0, 0.0);
        assert!(validate(&robot).is_err());
        let mut robot = chain(n);
        robot.joints.push(revolute("back", &format!("l{}", n - 1), "l0"));
        assert!(
            validate(&robot)
                .unwrap_err()
                .to_string()
                .starts_with(r#"the joints "j1", "j2", "j3", "j4" and 99996 more form"#)
        );
    }
}
