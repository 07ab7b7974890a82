//! Checks at the door of every algorithm.

use crate::dispatch::Dispatch;
use crate::error::{Error, ErrorKind};
use crate::model::{Frame, FrameId, Model};
use crate::workspace::Workspace;
use alloc::format;

/// Checks the lengths of what a caller passes; the first that is wrong gives the error.
pub(crate) struct Check<'a> {
    model: &'a Model,
}

impl<'a> Check<'a> {
    /// Starts with the workspace: it must have been made for this model, or one of the same shape.
    #[inline]
    pub(crate) fn new<T: Dispatch>(model: &'a Model, ws: &Workspace<T>) -> Result<Self, Error> {
        if ws.fits(model) {
            return Ok(Self { model });
        }
        Err(Error::new(
            ErrorKind::Length,
            format!("the workspace was made for another model than \"{}\"; make one with Workspace::new", model.name()),
        ))
    }

    /// An argument of `nq` numbers.
    #[inline]
    pub(crate) fn nq<T>(self, name: &str, x: &[T]) -> Result<Self, Error> {
        let nq = self.model.nq();
        self.len(name, x, nq, "nq")
    }

    /// An argument of `nv` numbers.
    #[inline]
    pub(crate) fn nv<T>(self, name: &str, x: &[T]) -> Result<Self, Error> {
        let nv = self.model.nv();
        self.len(name, x, nv, "nv")
    }

    /// An `nv × nv` matrix.
    #[inline]
    pub(crate) fn square<T>(self, name: &str, x: &[T]) -> Result<Self, Error> {
        let nv = self.model.nv();
        self.len(name, x, nv * nv, "nv × nv")
    }

    /// An `n × nv` matrix.
    #[inline]
    pub(crate) fn wide<T>(self, name: &str, x: &[T], rows: usize) -> Result<Self, Error> {
        let nv = self.model.nv();
        self.len(name, x, rows * nv, "rows × nv")
    }

    /// An `nv × k` matrix, for any `k`.
    #[inline]
    pub(crate) fn columns<T>(self, name: &str, x: &[T]) -> Result<Self, Error> {
        let nv = self.model.nv();
        if x.len().is_multiple_of(nv) { Ok(self) } else { Err(not_columns(self.model, name, x.len())) }
    }

    /// A matrix of the size of `x`.
    #[inline]
    pub(crate) fn like_x<T>(self, name: &str, out: &[T], x: &[T]) -> Result<Self, Error> {
        self.len(name, out, x.len(), "the length of `x`")
    }

    #[inline]
    fn len<T>(self, name: &str, x: &[T], want: usize, rule: &str) -> Result<Self, Error> {
        if x.len() == want { Ok(self) } else { Err(wrong_length(self.model, name, x.len(), want, rule)) }
    }
}

/// A frame of the model.
#[inline]
pub(crate) fn frame(model: &Model, frame: FrameId) -> Result<&Frame, Error> {
    model.frames().get(frame.0).ok_or_else(|| {
        let (name, count) = (model.name(), model.frames().len());
        Error::new(
            ErrorKind::UnknownName,
            format!("frame {} is one of another model; model \"{name}\" has {count}", frame.0),
        )
    })
}

/// A `6 × nv` matrix.
#[inline]
pub(crate) fn jacobian<T>(model: &Model, name: &str, x: &[T]) -> Result<(), Error> {
    let want = 6 * model.nv();
    if x.len() == want { Ok(()) } else { Err(wrong_length(model, name, x.len(), want, "6 × nv")) }
}

#[cold]
fn not_columns(model: &Model, name: &str, got: usize) -> Error {
    let (model, nv) = (model.name(), model.nv());
    Error::new(
        ErrorKind::Length,
        format!("`{name}` has {got} numbers, but model \"{model}\" needs columns of nv = {nv} each"),
    )
}

#[cold]
fn wrong_length(model: &Model, name: &str, got: usize, want: usize, rule: &str) -> Error {
    Error::new(
        ErrorKind::Length,
        format!("`{name}` has {got} numbers, but model \"{}\" needs {rule} = {want}", model.name()),
    )
}
