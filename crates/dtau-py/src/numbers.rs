//! Small arrays that are not states: vectors, rotations, placements, inertias.

use crate::arrays::{describe, numpy, refuse_masks, shape_text};
use dtau::spatial::{Mat3, Sym3, Transform, Vec3};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fmt;

/// Reads any array-like as `(shape, numbers)`. All numbers must be finite.
pub(crate) fn numbers(name: &str, given: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<f64>)> {
    let py = given.py();
    refuse_masks(name, given)?;
    let options = PyDict::new(py);
    options.set_item("dtype", "float64")?;
    options.set_item("order", "C")?;
    let refuse = |_| PyTypeError::new_err(format!("`{name}` must be numbers, but it is {}", describe(given)));
    let array = numpy(py)?.call_method("array", (given,), Some(&options)).map_err(refuse)?;
    let array = array.cast::<PyArrayDyn<f64>>().map_err(PyErr::from)?;
    let numbers = array.to_vec()?;
    if let Some(x) = numbers.iter().find(|x| !x.is_finite()) {
        return Err(PyValueError::new_err(format!("`{name}` has the number {x}; every number must be finite")));
    }
    Ok((array.shape().to_vec(), numbers))
}

/// Reads three numbers.
pub(crate) fn triple(name: &str, given: &Bound<'_, PyAny>) -> PyResult<[f64; 3]> {
    let (shape, numbers) = numbers(name, given)?;
    let wrong = || PyValueError::new_err(format!("`{name}` has shape {}; it must be (3,)", shape_text(&shape)));
    if shape.len() != 1 { Err(wrong()) } else { numbers[..].try_into().map_err(|_| wrong()) }
}

/// Makes a 3 × 3 matrix from nested rows.
fn matrix3(name: &str, shape: &[usize], x: &[f64]) -> PyResult<Mat3<f64>> {
    if shape != [3, 3] {
        return Err(PyValueError::new_err(format!("`{name}` has shape {}; it must be (3, 3)", shape_text(shape))));
    }
    Ok(Mat3::from_rows([[x[0], x[1], x[2]], [x[3], x[4], x[5]], [x[6], x[7], x[8]]]))
}

/// Tolerance for the orthogonality of a rotation, which may have been written with few digits.
const ROUNDED_ROTATION: f64 = 1e-6;

/// Reads a position (3,) or a homogeneous matrix (4, 4).
pub(crate) fn placement(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Transform<f64>> {
    let (shape, x) = numbers(name, given)?;
    match shape[..] {
        [3] => Ok(Transform::translation(Vec3::new(x[0], x[1], x[2]))),
        [4, 4] => {
            let rotation = [x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10]];
            let rot = matrix3(name, &[3, 3], &rotation)?;
            if !is_rotation(&rot) || x[12..] != [0.0, 0.0, 0.0, 1.0] {
                return Err(PyValueError::new_err(format!(
                    "`{name}` is not a placement: the upper left 3 × 3 must be a rotation, the last row [0, 0, 0, 1]"
                )));
            }
            Ok(Transform::new(rot, Vec3::new(x[3], x[7], x[11])))
        }
        _ => Err(PyValueError::new_err(format!(
            "`{name}` has shape {}; it must be a position (3,) or a homogeneous matrix (4, 4)",
            shape_text(&shape)
        ))),
    }
}

fn is_rotation(rot: &Mat3<f64>) -> bool {
    let product = rot.transpose() * *rot;
    let identity = Mat3::<f64>::identity();
    let off = |a: Vec3<f64>, b: Vec3<f64>| (a - b).norm_squared();
    let error: f64 = product.cols.iter().zip(identity.cols).map(|(&a, b)| off(a, b)).sum();
    let [a, b, c] = rot.cols;
    error.sqrt() < ROUNDED_ROTATION && a.cross(b).dot(c) > 0.0
}

/// Reads a rotational inertia: three principal moments (3,), or a symmetric matrix (3, 3).
pub(crate) fn rotational_inertia(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Sym3<f64>> {
    let (shape, x) = numbers(name, given)?;
    if let ([3], [a, b, c]) = (&shape[..], &x[..]) {
        return Ok(Sym3::diagonal(*a, *b, *c));
    }
    let m = matrix3(name, &shape, &x)?;
    let [a, b, c] = m.cols;
    let off = (a.y - b.x).abs().max((a.z - c.x).abs()).max((b.z - c.y).abs());
    if off > 1e-9 * a.x.abs().max(b.y.abs()).max(c.z.abs()) {
        return Err(PyValueError::new_err(format!("`{name}` is not symmetric; a rotational inertia is")));
    }
    Ok(Sym3 { xx: a.x, xy: b.x, xz: c.x, yy: b.y, yz: c.y, zz: c.z })
}

/// Three-vectors: one for all states, or one for each state.
pub(crate) struct Triples {
    lead: Vec<usize>,
    numbers: Vec<f64>,
}

impl Triples {
    pub(crate) fn zero() -> Self {
        Self { lead: Vec::new(), numbers: vec![0.0; 3] }
    }

    /// Makes vectors of states with these leading axes, one after the other.
    pub(crate) fn of(lead: Vec<usize>, numbers: Vec<f64>) -> Self {
        Self { lead, numbers }
    }

    pub(crate) fn new(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (mut lead, numbers) = numbers(name, given)?;
        if lead.pop() != Some(3) {
            let shape = describe(given);
            return Err(PyValueError::new_err(format!("`{name}` is {shape}; it must have the shape (3,) or (..., 3)")));
        }
        Ok(Self { lead, numbers })
    }

    /// Returns the three numbers if there is one vector.
    pub(crate) fn single(&self) -> Option<[f64; 3]> {
        if self.lead.is_empty() { self.numbers[..].try_into().ok() } else { None }
    }

    /// Returns the vectors of all states with these leading axes, one after the other.
    pub(crate) fn spread<'a>(
        &'a self,
        name: &str,
        lead: &'a [usize],
    ) -> PyResult<impl Iterator<Item = [f64; 3]> + use<'a>> {
        let skip = lead.len().checked_sub(self.lead.len());
        let fits = skip.is_some_and(|skip| self.lead.iter().zip(&lead[skip..]).all(|(&own, &n)| own == n || own == 1));
        if !fits {
            let (own, states) = (shape_text(&self.shape()), shape_text(lead));
            let message =
                format!("`{name}` has shape {own}; before the last axis it must broadcast to the states' {states}");
            return Err(PyValueError::new_err(message));
        }
        let states = lead.iter().product();
        Ok((0..states).map(move |state| {
            let (mut rest, mut index, mut stride) = (state, 0, 1);
            for (k, &n) in lead.iter().enumerate().rev() {
                let own = skip.filter(|&skip| k >= skip).map_or(1, |skip| self.lead[k - skip]);
                index += if own == 1 { 0 } else { (rest % n) * stride };
                stride *= own;
                rest /= n;
            }
            let three = &self.numbers[3 * index..][..3];
            [three[0], three[1], three[2]]
        }))
    }

    pub(crate) fn shape(&self) -> Vec<usize> {
        let mut shape = self.lead.clone();
        shape.push(3);
        shape
    }

    /// Returns them as a NumPy array.
    pub(crate) fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyArray1::from_slice(py, &self.numbers).reshape(self.shape())?.into_any())
    }
}

impl fmt::Display for Triples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.single() {
            Some(numbers) => write!(f, "{numbers:?}"),
            None => write!(f, "<array of shape {}>", shape_text(&self.shape())),
        }
    }
}
