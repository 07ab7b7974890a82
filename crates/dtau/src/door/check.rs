//! Checks at the door: what a caller passes must fit the model.

use super::{Algorithm, Arg, Size};
use crate::error::{Error, ErrorKind};
use crate::model::{Frame, FrameId, Model};
use crate::scene::Scene;
use alloc::format;

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

/// The lengths of the arrays of one state; gives the number of columns that the caller chose.
#[inline(always)]
pub(crate) fn one_state<A: Algorithm<I, O>, const I: usize, const O: usize>(
    model: &Model,
    x: [usize; I],
    y: [usize; O],
) -> Result<usize, Error> {
    let mut columns = 1;
    for k in 0..I {
        let Arg { size, .. } = A::INPUTS[k];
        if size == Size::Columns {
            columns = x[k] / model.nv().max(1);
        }
        if x[k] != size.of(model, columns) {
            return Err(wrong_length(model, &A::INPUTS[k], x[k], columns));
        }
    }
    for k in 0..O {
        if y[k] != A::OUTPUTS[k].size.of(model, columns) {
            return Err(wrong_length(model, &A::OUTPUTS[k], y[k], columns));
        }
    }
    Ok(columns)
}

#[cold]
fn wrong_length(model: &Model, arg: &Arg, got: usize, columns: usize) -> Error {
    let (name, nv, want) = (model.name(), model.nv(), arg.size.of(model, columns));
    let needs = match arg.size {
        Size::Columns if got != want && want == got / nv.max(1) * nv => format!("columns of nv = {nv} each"),
        Size::Columns => format!("the length of `x` = {want}"),
        size => format!("{} = {want}", size.rule()),
    };
    let message = format!("`{}{}` has {got} numbers, but model \"{name}\" needs {needs}", arg.field_of, arg.name);
    Error::new(ErrorKind::Length, message)
}

/// What was counted of the arrays of many states.
#[derive(Clone, Copy, Debug)]
#[cfg(feature = "batch")]
pub struct Lengths {
    pub(crate) states: usize,
    pub(crate) columns: usize,
}

#[cfg(feature = "batch")]
impl Lengths {
    /// Counts the states, which `q` tells, or the first array with numbers in it; and checks all lengths. Each array comes with its
    /// length.
    pub(crate) fn of<'a>(model: &Model, arrays: impl Iterator<Item = (&'a Arg, usize)> + Clone) -> Result<Self, Error> {
        let counted = arrays.clone().find(|(arg, _)| arg.size != Size::Columns && arg.size.of(model, 1) > 0);
        let states = counted.map_or(Ok(0), |(arg, len)| count_states(model, arg, len))?;
        let mut columns = 1;
        if let Some((arg, len)) = arrays.clone().find(|(arg, _)| arg.size == Size::Columns) {
            let one = states * model.nv();
            columns = len / one.max(1);
            if len != columns * one {
                let (name, nv) = (model.name(), model.nv());
                let rule = format!("states × nv × k, a multiple of {states} × {nv} = {one}");
                return Err(length_error(arg, len, name, &rule));
            }
        }
        for (arg, len) in arrays {
            let one = arg.size.of(model, columns);
            if len != states * one {
                let (rule, want) = (arg.size.rule().replace('k', &format!("{columns}")), states * one);
                return Err(length_error(
                    arg,
                    len,
                    model.name(),
                    &format!("states × {rule} = {states} × {one} = {want}"),
                ));
            }
        }
        Ok(Self { states, columns })
    }
}

/// How many states an array has.
#[cfg(feature = "batch")]
fn count_states(model: &Model, arg: &Arg, len: usize) -> Result<usize, Error> {
    let one = arg.size.of(model, 1);
    if len.is_multiple_of(one) {
        return Ok(len / one);
    }
    let rule = format!("states × {}, a multiple of {one}", arg.size.rule());
    Err(length_error(arg, len, model.name(), &rule))
}

#[cold]
#[cfg(feature = "batch")]
fn length_error(arg: &Arg, len: usize, model: &str, rule: &str) -> Error {
    let Arg { name, field_of, .. } = arg;
    Error::new(ErrorKind::Length, format!("`{field_of}{name}` has {len} numbers, but model \"{model}\" needs {rule}"))
}

/// The forces of a scene: six numbers for each of its wrenches.
pub(crate) fn forces<T>(scene: &Scene<'_, T>, len: usize, states: usize) -> Result<(), Error> {
    let wrenches = scene.wrenches.len();
    let want = states * wrenches * 6;
    if len == want {
        return Ok(());
    }
    let name = scene.model.name();
    let rule = format!("states × wrenches × 6 = {states} × {} = {want}", wrenches * 6);
    Err(Error::new(ErrorKind::Length, format!("`forces` has {len} numbers, but model \"{name}\" needs {rule}")))
}

/// A `6 × nv` matrix.
#[inline]
pub(crate) fn jacobian<T>(model: &Model, name: &'static str, x: &[T]) -> Result<(), Error> {
    let arg = Arg::new(name, Size::Wide(6));
    if x.len() == arg.size.of(model, 1) { Ok(()) } else { Err(wrong_length(model, &arg, x.len(), 1)) }
}
