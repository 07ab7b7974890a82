//! A finding: one struct; the terminal, the page and JSON are three views of it.

use serde::Serialize;

/// Severity of a [`Finding`], worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It is impossible.
    Error,
    /// It is probably wrong.
    Warning,
    /// It is good to know.
    Hint,
}

impl Severity {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// A link or a joint, and its line in the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// `link` or `joint`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its line in the file; `None` if it is not in a file.
    pub line: Option<u32>,
}

impl Place {
    /// Returns the place of a link. Line 0 means that there is no file.
    pub fn link(name: &str, line: u32) -> Self {
        Self { kind: "link", name: name.into(), line: (line > 0).then_some(line) }
    }

    /// Returns the place of a joint, as [`link`](Self::link) does.
    pub fn joint(name: &str, line: u32) -> Self {
        Self { kind: "joint", ..Self::link(name, line) }
    }
}

/// A fault of a robot, or a fact that its user should know.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Its severity.
    pub severity: Severity,
    /// The links or joints concerned; empty if it is the whole robot.
    pub at: Vec<Place>,
    /// Sentences that say what was found.
    pub what: String,
    /// Sentences that say what to do.
    pub remedy: String,
}

impl Finding {
    /// A finding about these links or joints.
    pub fn new(severity: Severity, at: Vec<Place>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity, at, what: what.into(), remedy: remedy.into() }
    }

    /// Returns the places as text, such as `joint "a" (line 3), joint "b" (line 9) and 4 more`.
    pub fn place(&self) -> String {
        const SHOWN: usize = 4;
        let places = self.at.iter().take(SHOWN).map(|Place { kind, name, line }| match line {
            Some(line) => format!("{kind} {name:?} (line {line})"),
            None => format!("{kind} {name:?}"),
        });
        let places = places.collect::<Vec<_>>().join(", ");
        match self.at.len().saturating_sub(SHOWN) {
            0 if places.is_empty() => "robot".into(),
            0 => places,
            n => format!("{places} and {n} more"),
        }
    }

    /// Returns the key to sort by: worst first, then in the order of the file. Findings on the whole robot come last.
    pub fn rank(&self) -> (Severity, u32) {
        (self.severity, self.at.first().map_or(u32::MAX, |place| place.line.unwrap_or(0)))
    }
}
