//! Checks at the door: what a caller passes must fit the model.

use super::{Algorithm, Arg, Counts, Size};
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
    rows: usize,
    x: [usize; I],
    y: [usize; O],
) -> Result<Counts, Error> {
    let mut counts = Counts { columns: 1, rows };
    for k in 0..I {
        let Arg { size, .. } = A::INPUTS[k];
        if size == Size::Columns {
            counts.columns = x[k] / model.nv().max(1);
        }
        if x[k] != size.of(model, counts) {
            return Err(wrong_length(model, &A::INPUTS[k], x[k], counts));
        }
    }
    for k in 0..O {
        if y[k] != A::OUTPUTS[k].size.of(model, counts) {
            return Err(wrong_length(model, &A::OUTPUTS[k], y[k], counts));
        }
    }
    Ok(counts)
}

#[cold]
fn wrong_length(model: &Model, arg: &Arg, got: usize, counts: Counts) -> Error {
    let (name, nv, want) = (model.name(), model.nv(), arg.size.of(model, counts));
    let needs = match arg.size {
        Size::Columns if got != want && want == got / nv.max(1) * nv => format!("columns of nv = {nv} each"),
        Size::Columns => format!("the length of `x` = {want}"),
        Size::Rows | Size::RowsWide | Size::RowsTall | Size::RowsSquare => {
            format!("{} = {want} for these constraints of {} rows", arg.size.rule(), counts.rows)
        }
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
    pub(crate) counts: Counts,
}

#[cfg(feature = "batch")]
impl Lengths {
    /// Counts the states, which `q` tells, or the first array with numbers in it; and checks all lengths. Each array comes with its
    /// length.
    pub(crate) fn of<'a>(
        model: &Model,
        rows: usize,
        arrays: impl Iterator<Item = (&'a Arg, usize)> + Clone,
    ) -> Result<Self, Error> {
        let mut counts = Counts { columns: 1, rows };
        let counted = arrays.clone().find(|(arg, _)| arg.size != Size::Columns && arg.size.of(model, counts) > 0);
        let states = counted.map_or(Ok(0), |(arg, len)| count_states(model, arg, len, counts))?;
        if let Some((arg, len)) = arrays.clone().find(|(arg, _)| arg.size == Size::Columns) {
            let one = states * model.nv();
            counts.columns = len / one.max(1);
            if len != counts.columns * one {
                let (name, nv) = (model.name(), model.nv());
                let rule = format!("states × nv × k, a multiple of {states} × {nv} = {one}");
                return Err(length_error(arg, len, name, &rule));
            }
        }
        for (arg, len) in arrays {
            let one = arg.size.of(model, counts);
            if len != states * one {
                let (rule, want) = (arg.size.rule().replace('k', &format!("{}", counts.columns)), states * one);
                return Err(length_error(
                    arg,
                    len,
                    model.name(),
                    &format!("states × {rule} = {states} × {one} = {want}"),
                ));
            }
        }
        Ok(Self { states, counts })
    }
}

/// How many states an array has.
#[cfg(feature = "batch")]
fn count_states(model: &Model, arg: &Arg, len: usize, counts: Counts) -> Result<usize, Error> {
    let one = arg.size.of(model, counts);
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

/// What the constraints of a scene take: which of them act, and the motion that is desired.
pub(crate) fn constrained<T>(scene: &Scene<'_, T>, states: usize) -> Result<(), Error> {
    let Some(constraints) = scene.constraints else { return Ok(()) };
    let name = scene.model.name();
    let error = |what: &str, len: usize, rule: &str, one: usize| {
        let rule = format!("states × {rule} = {states} × {one} = {}", states * one);
        Err(Error::new(ErrorKind::Length, format!("`{what}` has {len} numbers, but model \"{name}\" needs {rule}")))
    };
    if let Some(active) = scene.active.filter(|active| active.len() != states * constraints.len()) {
        return error("active", active.len(), "constraints", constraints.len());
    }
    if let Some(desired) = scene.desired.filter(|desired| desired.len() != states * 3 * constraints.rows()) {
        return error("desired", desired.len(), "3 rows", 3 * constraints.rows());
    }
    Ok(())
}

/// A function that acts on constraints has some.
pub(crate) fn has_constraints<T>(scene: &Scene<'_, T>, function: &str) -> Result<(), Error> {
    if scene.constraints.is_some() {
        return Ok(());
    }
    let message = format!("{function} acts on constraints, and the scene has none; give it some by Scene::constraints");
    Err(Error::new(ErrorKind::Value, message))
}

/// A `6 × nv` matrix.
#[inline]
pub(crate) fn jacobian<T>(model: &Model, name: &'static str, x: &[T]) -> Result<(), Error> {
    let arg = Arg::new(name, Size::Wide(6));
    if x.len() == arg.size.of(model, 1) { Ok(()) } else { Err(wrong_length(model, &arg, x.len(), 1.into())) }
}
