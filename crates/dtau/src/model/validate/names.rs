//! Names: each is unique, and each reference has a target.

use super::{broken, numbers, on_line};
use crate::error::Faults;
use crate::model::description::Description;
use crate::model::names::suggest;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Maps names to indices. Returns nothing if a name is empty or not unique.
pub(super) fn index<'a>(
    what: &str,
    items: impl Iterator<Item = (&'a str, u32)>,
    faults: &mut Faults,
) -> Option<BTreeMap<&'a str, usize>> {
    let (mut places, mut lines, mut is_sound) = (BTreeMap::new(), Vec::new(), true);
    let mut refuse = |message: String, line: u32| {
        is_sound = false;
        faults.keep::<()>(Err(broken(message, line)));
    };
    for (i, (name, line)) in items.enumerate() {
        lines.push(line);
        if name.is_empty() {
            refuse(format!("a {what} has no name; give it one"), line);
        } else if let Some(first) = places.insert(name, i) {
            let first = on_line(lines[first]);
            let so_far = if first.is_empty() { first } else { format!(", first{first}") };
            refuse(format!("{what} {name:?} is given twice{so_far}; rename or remove one of them"), line);
        }
    }
    is_sound.then_some(places)
}

/// Checks that custom frames have their own names and are on existing links.
pub(super) fn check_frames(robot: &Description, links: &BTreeMap<&str, usize>, faults: &mut Faults) {
    index("frame", robot.frames.iter().map(|f| (f.name.as_str(), 0)), faults);
    for frame in &robot.frames {
        let error = |what: String| broken(format!("frame {:?}: {what}", frame.name), 0);
        if links.contains_key(frame.name.as_str()) {
            faults.keep::<()>(Err(broken(format!("frame {:?} has the name of a link; rename it", frame.name), 0)));
        }
        if !links.contains_key(frame.link.as_str()) {
            faults.keep::<()>(Err(error(unknown_link(robot, &frame.link))));
        }
        faults.keep(numbers::check_placement("placement", &frame.placement).map_err(error));
    }
}

/// Shapes are on links, at possible places.
pub(super) fn check_shapes(robot: &Description, links: &BTreeMap<&str, usize>, faults: &mut Faults) {
    for (number, shape) in robot.shapes.iter().enumerate() {
        let error = |what: String| broken(format!("shape {number}: {what}"), shape.line);
        if !links.contains_key(shape.link.as_str()) {
            faults.keep::<()>(Err(error(unknown_link(robot, &shape.link))));
        }
        faults.keep(numbers::check_placement("origin", &shape.origin).map_err(error));
    }
}

/// The message for a name that is not a link's.
pub(super) fn unknown_link(robot: &Description, name: &str) -> String {
    format!("there is no link {name:?}; {}", suggest(name, robot.links.iter().map(|l| l.name.as_str())))
}

#[cfg(test)]
mod tests {
    use super::super::example::message;
    use crate::model::description::FrameDescription;
    use crate::spatial::Transform;

    #[test]
    fn frames_need_their_own_name_and_a_link() {
        let frame = |name: &str, link: &str| FrameDescription {
            name: name.into(),
            link: link.into(),
            placement: Transform::identity(),
        };
        assert_eq!(
            message(|robot| robot.frames = alloc::vec![frame("l1", "l1")]),
            r#"frame "l1" has the name of a link; rename it"#
        );
        assert_eq!(
            message(|robot| robot.frames = alloc::vec![frame("tool", "l1"), frame("tool", "l2")]),
            r#"frame "tool" is given twice; rename or remove one of them"#
        );
        assert_eq!(
            message(|robot| robot.frames = alloc::vec![frame("tool", "flange")]),
            r#"frame "tool": there is no link "flange"; there are "l0", "l1", "l2", "l3""#
        );
    }
}
