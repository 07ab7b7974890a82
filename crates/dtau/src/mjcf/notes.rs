//! Warnings about the model, one line for each kind.

use super::tree::Element;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Observations of the reader.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) mocap: Note,
    pub(super) split_free: Note,
    pub(super) tendons: Note,
    pub(super) equalities: Note,
    pub(super) unseen: Note,
    pub(super) outside: Note,
}

/// The places of one observation.
#[derive(Default)]
pub(super) struct Note {
    first: Vec<String>,
    more: usize,
}

impl Note {
    /// Adds the name and place of an element.
    pub(super) fn add(&mut self, name: &str, at: Element) {
        const SHOWN: usize = 4;
        if self.first.len() == SHOWN {
            self.more += 1;
            return;
        }
        let place = match (at.file(), at.line()) {
            ("", line) => format!("{name:?} on line {line}"),
            (file, _) => format!("{name:?} in {file}"),
        };
        self.first.push(place);
    }

    pub(super) fn list(&self) -> Option<String> {
        let more = if self.more > 0 { format!(" and {} more", self.more) } else { String::new() };
        (!self.first.is_empty()).then(|| format!("{}{more}", self.first.join(", ")))
    }
}

impl Notes {
    /// The warnings.
    pub(super) fn into_warnings(self) -> Vec<String> {
        let notes = [
            (self.mocap, "bodies that motion capture moves stand still"),
            (self.split_free, "free joints with an armature are a translation and a ball"),
            (
                self.tendons,
                "tendons are skipped: they have no force of their own, only what actuators and limits give them",
            ),
            (self.unseen, "geoms that have no shape here, so pictures lack them"),
            (self.outside, "bodies outside of <worldbody> are ignored, as MuJoCo ignores them"),
            (self.equalities, "equality constraints are kept as data; nothing holds them by itself"),
        ];
        let notes = notes.into_iter();
        notes.filter_map(|(note, heading)| note.list().map(|list| format!("{heading}: {list}"))).collect()
    }
}
