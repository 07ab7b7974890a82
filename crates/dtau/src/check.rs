//! Checks at the door of every algorithm.

use crate::dispatch::Dispatch;
use crate::error::{Error, ErrorKind};
use crate::model::Model;
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

    #[inline]
    fn len<T>(self, name: &str, x: &[T], want: usize, rule: &str) -> Result<Self, Error> {
        if x.len() == want { Ok(self) } else { Err(wrong_length(self.model, name, x.len(), want, rule)) }
    }
}

#[cold]
fn wrong_length(model: &Model, name: &str, got: usize, want: usize, rule: &str) -> Error {
    Error::new(
        ErrorKind::Length,
        format!("`{name}` has {got} numbers, but model \"{}\" needs {rule} = {want}", model.name()),
    )
}
