//! The one error type.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// An error: where it is, what is wrong, and what to do. `Debug` shows the text of `Display`, so that
/// `fn main() -> Result<(), dtau::Error>` prints the message.
#[derive(Clone, PartialEq, thiserror::Error)]
pub struct Error {
    kind: ErrorKind,
    place: Place,
    state: Option<usize>,
    message: String,
    /// Further faults of the same robot, in the order of its file.
    others: Vec<Error>,
}

/// Kinds of error, for [`Error::kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text of a robot description cannot be parsed.
    Syntax,
    /// A robot description breaks a rule.
    Description,
    /// The model does not have a name.
    UnknownName,
    /// A name is ambiguous in the model.
    AmbiguousName,
    /// An argument has the wrong length.
    Length,
    /// A number is not valid: not finite, or a quaternion far from unit length.
    Value,
    /// Forward dynamics with a singular mass matrix: nothing resists a joint.
    Singular,
    /// A method or feature is not supported for this model.
    Unsupported,
    /// A file cannot be opened.
    Io,
    /// A call on many states was interrupted.
    Interrupted,
    /// The system does not provide threads.
    Threads,
    /// The system does not provide memory.
    Memory,
}

/// Place of an error in a description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, if the description came from one.
    pub file: Option<String>,
    /// The line, counted from 1; 0 if unknown.
    pub line: u32,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, place: Place::default(), state: None, message: message.into(), others: Vec::new() }
    }

    /// Sets the line of the description.
    pub(crate) fn at_line(mut self, line: u32) -> Self {
        self.place.line = line;
        self
    }

    /// Sets the kind.
    #[cfg(feature = "mjcf")]
    pub(crate) fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the state, in a call on many states.
    #[cfg(feature = "batch")]
    pub(crate) fn in_state(mut self, state: usize) -> Self {
        self.state = Some(state);
        self
    }

    /// Sets the file, of [`others`](Self::others) too.
    pub fn in_file(self, file: impl Into<String>) -> Self {
        let file = file.into();
        self.with_files(&|_| file.clone())
    }

    /// Returns the error with another name of its file.
    pub(crate) fn with_files(mut self, name: &dyn Fn(Option<&str>) -> String) -> Self {
        self.place.file = Some(name(self.place.file.as_deref()));
        self.others = self.others.into_iter().map(|other| other.with_files(name)).collect();
        self
    }

    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Its place, if it came from a description.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Index of the failed state among many, counted from 0; `None` if no single state is the cause.
    pub fn state(&self) -> Option<usize> {
        self.state
    }

    /// Further errors of the same robot, in the order of its file. They are in the text of this error too, a line each.
    pub fn others(&self) -> &[Error] {
        &self.others
    }

    /// The message without the place, the state and the other errors.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.place.file, self.place.line) {
            (Some(file), 0) => write!(f, "{file}: ")?,
            (Some(file), line) => write!(f, "{file}:{line}: ")?,
            (None, 0) => {}
            (None, line) => write!(f, "line {line}: ")?,
        }
        if let Some(state) = self.state {
            write!(f, "state {state}: ")?;
        }
        f.write_str(&self.message)?;
        self.others.iter().try_for_each(|other| write!(f, "\n{other}"))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Collects all faults of a robot for one error.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Error>);

impl Faults {
    /// The value of a result; an error is kept.
    pub(crate) fn keep<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.0.push(error)).ok()
    }

    #[cfg(feature = "mjcf")]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One error with all of them, in the order of the file.
    pub(crate) fn settle(mut self) -> Result<(), Error> {
        const MOST: usize = 100;
        self.0.sort_by(|a, b| (&a.place.file, a.place.line).cmp(&(&b.place.file, b.place.line)));
        let more = self.0.len().saturating_sub(MOST);
        self.0.truncate(MOST);
        let mut faults = self.0.into_iter();
        let Some(mut first) = faults.next() else { return Ok(()) };
        first.others = faults.collect();
        if more > 0 {
            first.others.push(Error::new(first.kind, alloc::format!("and {more} more errors")));
        }
        Err(first)
    }
}
