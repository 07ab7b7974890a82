//! Checks numbers before any algorithm runs: they must be finite, and quaternions valid.

use crate::arrays::{Input, Space};
use crate::model::PyModel;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::{Add, Sub};

/// Tolerance of a quaternion's squared length around one, as in `Model::settle` of the library.
const ROUNDED_QUATERNION: f64 = 2e-4;

/// Number type that can be checked, in either precision.
pub(crate) trait Looked:
    Copy + Send + Sync + Default + PartialEq + Add<Output = Self> + Sub<Output = Self>
{
    fn value(self) -> f64;
    /// Quaternions below this squared length count as zero, because squares lose digits.
    const NO_DIRECTION: f64;
    /// Rounds to this type.
    fn nearest(x: f64) -> Self;
}

impl Looked for f64 {
    const NO_DIRECTION: f64 = 1e-290;
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    fn nearest(x: f64) -> Self {
        x
    }
}

impl Looked for f32 {
    const NO_DIRECTION: f64 = 1e-34;
    #[inline(always)]
    fn value(self) -> f64 {
        self.into()
    }
    fn nearest(x: f64) -> Self {
        x as f32
    }
}

/// Raises an error if one state of an argument is invalid.
#[inline]
pub(crate) fn one(model: &PyModel, input: Input, x: &[f64]) -> PyResult<()> {
    if is_fine(model, input, x) { Ok(()) } else { Err(complain(model, input, &[], x)) }
}

/// Raises an error if some state of an argument is invalid. `lead` are the states' axes.
pub(crate) fn many<T: Looked>(model: &PyModel, input: Input, lead: &[usize], x: &[T]) -> PyResult<()> {
    if is_fine(model, input, x) { Ok(()) } else { Err(complain(model, input, lead, x)) }
}

#[inline]
fn is_fine<T: Looked>(model: &PyModel, input: Input, x: &[T]) -> bool {
    is_finite(x) && (model.quaternions.is_empty() || quaternions_are_fine(model, input.space, x))
}

/// x − x is 0 for a finite number and NaN otherwise. Eight parallel sums without branches run at memory speed.
#[inline]
#[allow(clippy::eq_op)] // intended
fn is_finite<T: Looked>(x: &[T]) -> bool {
    let mut sums = [T::default(); 8];
    let (eights, rest) = x.as_chunks::<8>();
    for eight in eights {
        for (sum, &x) in sums.iter_mut().zip(eight) {
            *sum = *sum + (x - x);
        }
    }
    for (sum, &x) in sums.iter_mut().zip(rest) {
        *sum = *sum + (x - x);
    }
    sums == [T::default(); 8]
}

fn quaternions_are_fine<T: Looked>(model: &PyModel, space: Space, x: &[T]) -> bool {
    if matches!(space, Space::Tangent | Space::Rows | Space::Number | Space::Fixed) {
        return true;
    }
    x.chunks_exact(model.model.nq())
        .all(|q| model.quaternions.iter().all(|quaternion| is_quaternion(space, &q[quaternion.at..][..4])))
}

/// True for unit length. If the function normalises, any nonzero length is accepted.
#[inline]
fn is_quaternion<T: Looked>(space: Space, quaternion: &[T]) -> bool {
    let squared = quaternion.iter().fold(0.0, |sum, x| sum + x.value() * x.value()); // without FMA in the build, `mul_add` would be a library call
    match space {
        Space::Coordinates => squared >= T::NO_DIRECTION,
        _ => (squared - 1.0).abs() <= ROUNDED_QUATERNION,
    }
}

#[cold]
fn complain<T: Looked>(model: &PyModel, input: Input, lead: &[usize], x: &[T]) -> PyErr {
    let Input { name, length, .. } = input;
    if let Some(at) = x.iter().position(|x| !x.value().is_finite()) {
        let index = index_text(lead, at / length, Some(at % length));
        let value = x[at].value().to_string().to_lowercase();
        return PyValueError::new_err(format!("`{name}{index}` is {value}; every number must be finite"));
    }
    for (state, q) in x.chunks_exact(length).enumerate() {
        for quaternion in &model.quaternions {
            let (at, joint) = (quaternion.at, &quaternion.joint);
            let numbers = &q[at..at + 4];
            if !is_quaternion(input.space, numbers) {
                let numbers: Vec<f64> = numbers.iter().map(|x| x.value()).collect();
                let norm = numbers.iter().map(|x| x * x).sum::<f64>().sqrt();
                let mut index = index_text(lead, state, None);
                index =
                    if index.is_empty() { format!("[{at}:{}]", at + 4) } else { format!("{index}[{at}:{}]", at + 4) };
                let quaternion = format!("`{name}{index}` is the quaternion [x, y, z, w] of joint \"{joint}\"");
                if norm * norm < T::NO_DIRECTION {
                    return PyValueError::new_err(format!(
                        "{quaternion} and has length {norm:.6} (it is {numbers:?}): it has no direction, so it cannot be \
                         normalised; start from model.neutral()"
                    ));
                }
                return PyValueError::new_err(format!(
                    "{quaternion} and has length {norm:.6}, not 1 (it is {numbers:?}); start from model.neutral(), or \
                     normalise it with model.normalise(q)"
                ));
            }
        }
    }
    unreachable!("only called where something is wrong")
}

/// Formats the place of a state in the leading axes: `12`, or `(3, 4)`.
pub(crate) fn place(lead: &[usize], state: usize) -> String {
    match lead.len() {
        0 | 1 => state.to_string(),
        _ => index_text(lead, state, None).replace('[', "(").replace(']', ")"),
    }
}

/// Formats an index: `[12, 3]` is the state's place in the leading axes, then the number's index.
fn index_text(lead: &[usize], mut state: usize, last: Option<usize>) -> String {
    let mut index: Vec<usize> = last.into_iter().collect();
    for &n in lead.iter().rev() {
        index.push(state % n);
        state /= n;
    }
    if index.is_empty() {
        return String::new();
    }
    format!("[{}]", index.iter().rev().map(usize::to_string).collect::<Vec<_>>().join(", "))
}
