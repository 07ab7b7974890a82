//! The one error type.

use alloc::string::String;
use core::fmt;

/// An error: where it is, what is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct Error {
    kind: ErrorKind,
    place: Place,
    state: Option<usize>,
    message: String,
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
        Self { kind, place: Place::default(), state: None, message: message.into() }
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

    /// Sets the file.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.place.file = Some(file.into());
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

    /// The message without the place and the state.
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
        f.write_str(&self.message)
    }
}
