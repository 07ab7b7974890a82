//! Notes under figures. A note of several figures is printed once.

use super::figure::Content;
use super::list::Spec;
use super::run::{Outcome, Overview};

pub struct Notes {
    shared: Vec<String>,
}

impl Notes {
    pub fn of(overview: &Overview<'_>) -> Self {
        let mut all: Vec<(&str, usize)> = Vec::new();
        for (spec, outcome) in &overview.figures {
            let Outcome::Done(figure) = outcome else { continue };
            if is_note_alone(&figure.content) {
                continue;
            }
            for note in of_figure(spec, &figure.content) {
                match all.iter_mut().find(|(said, _)| *said == note) {
                    Some((_, count)) => *count += 1,
                    None => all.push((note, 1)),
                }
            }
        }
        Self { shared: all.into_iter().filter(|(_, count)| *count > 1).map(|(note, _)| note.to_string()).collect() }
    }

    /// Notes of several figures, in order.
    pub fn shared(&self) -> &[String] {
        &self.shared
    }

    /// Notes of a figure: its own, and the numbers of the shared ones, from 1.
    pub fn split<'a>(&self, spec: &'a Spec, content: &'a Content) -> (Vec<&'a str>, Vec<usize>) {
        let (mut own, mut numbers) = (Vec::new(), Vec::new());
        if is_note_alone(content) {
            return (of_figure(spec, content).collect(), numbers);
        }
        for note in of_figure(spec, content) {
            match self.shared.iter().position(|shared| shared == note) {
                Some(k) => numbers.push(k + 1),
                None => own.push(note),
            }
        }
        (own, numbers)
    }
}

/// A figure that consists of its note only, such as a drawing, keeps it.
fn is_note_alone(content: &Content) -> bool {
    content.plots.is_empty() && content.tables.is_empty()
}

/// The description of its measurement, and its notes.
fn of_figure<'a>(spec: &'a Spec, content: &'a Content) -> impl Iterator<Item = &'a str> {
    let how = Some(spec.how).filter(|how| !how.is_empty());
    how.into_iter().chain(content.notes.iter().map(String::as_str))
}
