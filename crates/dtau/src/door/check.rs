//! Checks at the door: the caller's arguments must fit the model.

use super::{Arg, Counts, Declaration, Function, Size};
use crate::constraints::Constraints;
use crate::error::{Error, ErrorKind};
use crate::matrix::MatrixMut;
use crate::model::{Frame, FrameId, Model};
use crate::scene::Scene;
use alloc::format;

/// Returns a frame of the model, or an error.
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

/// Checks the surroundings of a call: frames of wrenches and parameters, and the constraints if the function
/// acts on some.
#[inline(always)]
pub(crate) fn surroundings<T>(
    function: &Function,
    declaration: &Declaration,
    scene: &Scene<'_, T>,
) -> Result<(), Error> {
    scene.check()?;
    if !declaration.parameters.is_empty() {
        function.check(scene.model)?;
    }
    if declaration.is_constrained && scene.constraints.is_none() {
        return Err(no_constraints(declaration.name));
    }
    Ok(())
}

/// Checks the lengths of the arrays of one state. Returns the number of columns that the caller chose.
#[inline(always)]
pub(crate) fn one_state<T>(
    declaration: &Declaration,
    scene: &Scene<'_, T>,
    x: &[&[T]],
    y: &[MatrixMut<'_, T>],
) -> Result<Counts, Error> {
    let (model, mut counts) = (scene.model, Counts { columns: 1, rows: scene.rows() });
    assert!(x.len() == declaration.inputs.len() && y.len() == declaration.outputs.len());
    for (k, arg) in declaration.inputs.iter().enumerate() {
        let len = x[k].len();
        if len != arg.len(model, counts) {
            if arg.size == Size::Columns {
                counts.columns = len / model.nv().max(1);
            }
            if len != arg.len(model, counts) {
                return Err(wrong_length(model, arg, len, counts));
            }
        }
    }
    for (k, arg) in declaration.outputs.iter().enumerate() {
        let len = y[k].entries.len();
        if len != arg.len(model, counts) {
            return Err(wrong_length(model, arg, len, counts));
        }
    }
    of_scene(scene, 1)?;
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

/// Number of states of a call, and the other counts that determine sizes.
#[derive(Clone, Copy, Debug)]
#[cfg(feature = "batch")]
pub struct Lengths {
    pub(crate) states: usize,
    pub(crate) counts: Counts,
}

#[cfg(feature = "batch")]
impl Lengths {
    /// Counts the states by the length of `q`, or of the first array that is not empty, and checks all lengths.
    pub(crate) fn of<T>(
        declaration: &Declaration,
        scene: &Scene<'_, T>,
        x: &[&[T]],
        y: &[MatrixMut<'_, T>],
    ) -> Result<Self, Error> {
        assert!(x.len() == declaration.inputs.len() && y.len() == declaration.outputs.len());
        let inputs = declaration.inputs.iter().zip(x).map(|(arg, x)| (arg, x.len()));
        let arrays = inputs.chain(declaration.outputs.iter().zip(y).map(|(arg, y)| (arg, y.entries.len())));
        let lengths = match Self::of_one(scene, arrays.clone()) {
            Some(lengths) => lengths,
            None => Self::of_many(scene, arrays)?,
        };
        of_scene(scene, lengths.states)?;
        Ok(lengths)
    }

    /// Recognises a single state without divisions: generated code can be as fast as a few divisions.
    #[inline]
    fn of_one<'a, T>(scene: &Scene<'_, T>, mut arrays: impl Iterator<Item = (&'a Arg, usize)> + Clone) -> Option<Self> {
        let counts = Counts { columns: 1, rows: scene.rows() };
        let has_numbers = arrays.clone().next().is_some_and(|(_, len)| len > 0);
        (has_numbers && arrays.all(|(arg, len)| len == arg.len(scene.model, counts)))
            .then_some(Self { states: 1, counts })
    }

    fn of_many<'a, T>(
        scene: &Scene<'_, T>,
        arrays: impl Iterator<Item = (&'a Arg, usize)> + Clone,
    ) -> Result<Self, Error> {
        let (model, mut counts) = (scene.model, Counts { columns: 1, rows: scene.rows() });
        let counted = arrays.clone().find(|(arg, _)| arg.size != Size::Columns && arg.len(model, counts) > 0);
        let states = counted.map_or(Ok(0), |(arg, len)| count_states(model, arg, len, counts))?;
        if let Some((arg, len)) = arrays.clone().find(|(arg, _)| arg.size == Size::Columns) {
            let one = states * model.nv();
            counts.columns = len / one.max(1);
            if len != counts.columns * one {
                let nv = model.nv();
                let rule = format!("states × nv × k, a multiple of {states} × {nv} = {one}");
                return Err(length_error(arg, len, model.name(), &rule));
            }
        }
        for (arg, len) in arrays {
            let one = arg.len(model, counts);
            let want = states * one;
            if len != want {
                let rule = arg.size.rule().replace('k', &format!("{}", counts.columns));
                let rule = format!("states × {rule} = {states} × {one} = {want}");
                return Err(length_error(arg, len, model.name(), &rule));
            }
        }
        Ok(Self { states, counts })
    }
}

/// Number of states of an array.
#[cfg(feature = "batch")]
fn count_states(model: &Model, arg: &Arg, len: usize, counts: Counts) -> Result<usize, Error> {
    let one = arg.len(model, counts);
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

/// Checks the lengths of the scene's arrays with one row per state: forces of wrenches, active constraints,
/// desired motion.
#[inline(always)]
pub(crate) fn of_scene<T>(scene: &Scene<'_, T>, states: usize) -> Result<(), Error> {
    match scene {
        Scene { forces: None, active: None, desired: None, .. } => Ok(()),
        _ => state_by_state(scene, states),
    }
}

fn state_by_state<T>(scene: &Scene<'_, T>, states: usize) -> Result<(), Error> {
    let (wrenches, constraints) = (scene.wrenches.len(), scene.constraints.map_or(0, Constraints::len));
    for (array, what, rule, one) in [
        (scene.forces, "forces", "wrenches × 6", 6 * wrenches),
        (scene.active.filter(|_| scene.constraints.is_some()), "active", "constraints", constraints),
        (scene.desired.filter(|_| scene.constraints.is_some()), "desired", "3 rows", 3 * scene.rows()),
    ] {
        if let Some(array) = array.filter(|array| array.len() != states * one) {
            let (name, len, want) = (scene.model.name(), array.len(), states * one);
            let rule = format!("states × {rule} = {states} × {one} = {want}");
            let message = format!("`{what}` has {len} numbers, but model \"{name}\" needs {rule}");
            return Err(Error::new(ErrorKind::Length, message));
        }
    }
    Ok(())
}

#[cold]
fn no_constraints(function: &str) -> Error {
    let message = format!("{function} acts on constraints, and the scene has none; give it some by Scene::constraints");
    Error::new(ErrorKind::Value, message)
}

/// Checks the length of a `6 × nv` matrix.
#[inline]
pub(crate) fn jacobian<T>(model: &Model, name: &'static str, x: &[T]) -> Result<(), Error> {
    let arg = Arg::new(name, Size::Wide(6));
    if x.len() == arg.size.of(model, 1) { Ok(()) } else { Err(wrong_length(model, &arg, x.len(), 1.into())) }
}
