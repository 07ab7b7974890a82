//! Warnings, one line for each kind, however often it occurs.

use super::element::Element;
use crate::error::Faults;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Observations of the reader.
#[derive(Default)]
pub(super) struct Notes {
    /// Faults of the file.
    pub(super) faults: Faults,
    /// True if a link or a joint could not be read.
    pub(super) has_gaps: bool,
    pub(super) missing_name: Note,
    pub(super) missing_axis: Note,
    pub(super) missing_limit: Note,
    pub(super) missing_bounds: Note,
    pub(super) strange_dynamics: Note,
    pub(super) strange_elements: Note,
    pub(super) unclear_rotors: Note,
    pub(super) unreadable_shapes: Note,
}

/// The places of one observation; the same subject counts once.
#[derive(Default)]
pub(super) struct Note {
    subjects: BTreeSet<String>,
    first: Vec<String>,
}

impl Note {
    /// Adds a subject, such as `joint "elbow"`, and its place.
    pub(super) fn add(&mut self, subject: &str, at: Element) {
        const SHOWN: usize = 4;
        if self.subjects.insert(subject.into()) && self.first.len() < SHOWN {
            self.first.push(format!("{subject} on line {}", at.line()));
        }
    }

    fn list(&self) -> Option<String> {
        let more = self.subjects.len() - self.first.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!self.first.is_empty()).then(|| format!("{}{more}", self.first.join(", ")))
    }
}

impl Notes {
    /// The warnings.
    pub(super) fn into_warnings(self) -> impl Iterator<Item = String> {
        [
            (self.missing_name, r#"<robot> without "name", so it is called "robot""#),
            (self.missing_axis, r#"no <axis>, so URDF's default "1 0 0" is taken"#),
            (self.missing_limit, "no <limit>, so nothing bounds the motion"),
            (self.missing_bounds, r#"<limit> without "lower" and "upper", so nothing bounds the position"#),
            (self.strange_dynamics, "attributes of <dynamics> that are not URDF are ignored"),
            (self.strange_elements, "elements that are not URDF are skipped"),
            (self.unclear_rotors, "rotor inertias are ignored where a transmission does not name exactly one joint"),
            (self.unreadable_shapes, "shapes that cannot be read are left out"),
        ]
        .into_iter()
        .filter_map(|(note, heading)| note.list().map(|list| format!("{heading}: {list}")))
    }
}
