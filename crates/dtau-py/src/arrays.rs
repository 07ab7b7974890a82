//! Conversion of NumPy arrays: arguments to slices, results to arrays.
//!
//! Inputs have the shape `(..., n)`. The leading axes are the states, and they broadcast as in NumPy.
//! Internally, the numbers of a state are contiguous and states follow each other. Matrices are column-major
//! internally and `[row, column]` for the caller, through a view without a copy.

use crate::numbers;
use crate::scratch::Number;
use crate::warm;
use dtau::model::Model;
use dtau::{Arg, Counts, Size};
use numpy::ndarray::Dimension;
use numpy::{
    Element, IxDyn, PyArray, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::fmt;
use std::ops::Index;

/// Limit of arrays that a function reads, or writes.
pub(crate) const MOST: usize = 8;

/// Small fixed-capacity list, one item for each array of a function, without heap allocation.
pub(crate) struct Few<T> {
    items: [Option<T>; MOST],
    count: usize,
}

impl<T> Few<T> {
    /// Makes an item for each index. Returns the first error, if any.
    #[inline(always)]
    pub(crate) fn new<E>(count: usize, mut make: impl FnMut(usize) -> Result<T, E>) -> Result<Self, E> {
        let mut items = [const { None }; MOST];
        for (k, slot) in items.iter_mut().take(count).enumerate() {
            *slot = Some(make(k)?);
        }
        Ok(Self { items, count })
    }

    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.items[..self.count].iter().flatten()
    }

    #[inline(always)]
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut().flatten()
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = T> {
        self.items.into_iter().flatten()
    }
}

impl<T> Index<usize> for Few<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, k: usize) -> &T {
        self.items[k].as_ref().expect("a function has this array")
    }
}

/// Argument of shape `(..., length)`.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    pub(crate) name: &'static str,
    pub(crate) space: Space,
    pub(crate) length: usize,
}

/// Space that an argument belongs to.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Space {
    /// Configuration: `nq` numbers, including quaternions.
    Configuration,
    /// Configuration with quaternions of any length.
    Coordinates,
    /// Velocity, acceleration or torques: `nv` numbers.
    Tangent,
    /// Fixed length, independent of the robot.
    Fixed,
    /// Constraint forces, one for each row.
    Rows,
    /// One number for each state: an array with only the states' axes.
    Number,
}

impl Input {
    #[inline]
    pub(crate) fn new(arg: &Arg, model: &Model, rows: usize) -> Self {
        let space = match arg.size {
            Size::Nq => Space::Configuration,
            Size::Coordinates => Space::Coordinates,
            Size::Rows => Space::Rows,
            Size::Fixed(1) => Space::Number,
            Size::Fixed(_) => Space::Fixed,
            _ => Space::Tangent,
        };
        Self { name: python_name(arg.name), space, length: arg.size.of(model, Counts { columns: 1, rows }) }
    }
}

impl Space {
    /// Returns the name of its length, if that depends on the robot.
    pub(crate) fn length_name(self) -> Option<&'static str> {
        match self {
            Space::Configuration | Space::Coordinates => Some("nq"),
            Space::Tangent => Some("nv"),
            Space::Rows => Some("rows"),
            Space::Number => Some("one"),
            Space::Fixed => None,
        }
    }
}

/// Shape of a result for one state.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    Scalar,
    Vector(usize),
    /// Rows and columns.
    Matrix(usize, usize),
    /// Number of vectors and their length.
    Vectors(usize, usize),
    /// Number of matrices, their rows and columns.
    Matrices(usize, usize, usize),
    /// Three indices of this length, the first one varies fastest.
    Cube(usize),
}

impl Shape {
    /// Returns the shape of a result. A placement is `[R | p]`, three rows and four columns.
    #[inline(always)]
    pub(crate) fn new(size: Size, model: &Model, rows: usize) -> Self {
        let counts = Counts { columns: 1, rows };
        match size {
            Size::Fixed(1) => Shape::Scalar,
            Size::Fixed(12) => Shape::Matrix(3, 4),
            Size::Frames(12) => Shape::Matrices(model.frames().len(), 3, 4),
            Size::Frames(n) => Shape::Vectors(model.frames().len(), n),
            Size::Cube | Size::SymmetricCube => Shape::Cube(model.nv()),
            Size::Nq
            | Size::Coordinates
            | Size::Nv
            | Size::Columns
            | Size::TenPerLink
            | Size::Fixed(_)
            | Size::Rows => Shape::Vector(size.of(model, counts)),
            _ => {
                let (rows, columns) = size.shape(model, counts);
                Shape::Matrix(rows, columns)
            }
        }
    }

    /// Number of entries.
    pub(crate) fn len(self) -> usize {
        match self {
            Shape::Scalar => 1,
            Shape::Vector(n) => n,
            Shape::Matrix(rows, columns) | Shape::Vectors(rows, columns) => rows * columns,
            Shape::Matrices(count, rows, columns) => count * rows * columns,
            Shape::Cube(n) => n.saturating_mul(n).saturating_mul(n),
        }
    }

    /// Number of axes.
    pub(crate) fn dimensions(self) -> usize {
        match self {
            Shape::Scalar => 0,
            Shape::Vector(_) => 1,
            Shape::Matrix(..) | Shape::Vectors(..) => 2,
            Shape::Matrices(..) | Shape::Cube(_) => 3,
        }
    }

    fn is_matrix(self) -> bool {
        matches!(self, Shape::Matrix(..) | Shape::Matrices(..))
    }

    /// Number of trailing axes that are reversed in memory, because matrices are column-major.
    pub(crate) fn turned(self) -> usize {
        match self {
            Shape::Cube(_) => 3,
            _ if self.is_matrix() => 2,
            _ => 0,
        }
    }

    /// True if `axes` are the leading axes followed by this shape.
    fn fits(self, lead: &[usize], axes: &[usize]) -> bool {
        let Some((first, own)) = axes.split_at_checked(lead.len()) else { return false };
        let own_fits = match (self, own) {
            (Shape::Scalar, []) => true,
            (Shape::Vector(n), &[m]) => n == m,
            (Shape::Matrix(a, b) | Shape::Vectors(a, b), &[c, d]) => (a, b) == (c, d),
            (Shape::Matrices(count, a, b), &[n, c, d]) => (count, a, b) == (n, c, d),
            (Shape::Cube(n), axes) => axes == [n; 3],
            _ => false,
        };
        first == lead && own_fits
    }

    /// Returns the axes for the caller, including the leading ones. Does not allocate if there are few.
    pub(crate) fn axes(self, lead: &[usize]) -> IxDyn {
        let own = match self {
            Shape::Scalar => IxDyn(&[]),
            Shape::Vector(n) => IxDyn(&[n]),
            Shape::Matrix(a, b) | Shape::Vectors(a, b) => IxDyn(&[a, b]),
            Shape::Matrices(count, a, b) => IxDyn(&[count, a, b]),
            Shape::Cube(n) => IxDyn(&[n; 3]),
        };
        if lead.is_empty() { own } else { IxDyn(&[lead, own.slice()].concat()) }
    }
}

/// Precision of a call: `float32` if all its arrays are, otherwise `float64`.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Precision {
    Single,
    Double,
}

/// Argument that is known to be an array of real numbers.
pub(crate) struct Numbers<'py> {
    input: Input,
    array: Bound<'py, PyUntypedArray>,
    /// True for a Python number, which has no precision of its own.
    is_neutral: bool,
}

impl<'py> Numbers<'py> {
    pub(crate) fn new(input: Input, given: Given<'_, 'py>) -> PyResult<Self> {
        let (py, given) = (given.py(), &*given);
        refuse_masks(input.name, given)?;
        let array = match given.cast::<PyUntypedArray>() {
            Ok(array) => array.clone(),
            Err(_) => {
                let array = numpy(py)?.call_method1("asarray", (given,));
                let array = array.map_err(|error| not_numbers(input.name, given, &error.value(py).to_string()))?;
                array.cast_into::<PyUntypedArray>().map_err(PyErr::from)?
            }
        };
        if !matches!(array.dtype().kind(), b'f' | b'i' | b'u') {
            let what = format!("its dtype is {}", array.dtype());
            return Err(not_numbers(input.name, given, &what));
        }
        let is_neutral = input.space == Space::Number && !given.is_instance_of::<PyUntypedArray>();
        let array = match input.space {
            Space::Number => {
                let wide = numpy(py)?.call_method1("expand_dims", (array, -1))?;
                wide.cast_into::<PyUntypedArray>().map_err(PyErr::from)?
            }
            _ => array,
        };
        if array.shape().last() != Some(&input.length) {
            let Input { name, space, length } = input;
            let rule = space.length_name().map_or(String::new(), |rule| format!(" ({rule} = {length})"));
            let shape = shape_text(array.shape());
            let want = if length == 1 { "(1,)".into() } else { format!("({length},)") };
            return Err(PyValueError::new_err(format!(
                "`{name}` has shape {shape}; it must be {want}, or (..., {length}) for many states{rule}"
            )));
        }
        Ok(Self { input, array, is_neutral })
    }

    fn is_single(&self) -> bool {
        self.is_neutral || self.array.cast::<PyArrayDyn<f32>>().is_ok()
    }

    fn lead(&self) -> &[usize] {
        let shape = self.array.shape();
        &shape[..shape.len() - 1]
    }

    /// Returns the numbers in the precision of the call, contiguous, for all states of `lead`. Copies only if
    /// necessary.
    fn rows<T: Element>(&self, lead: &[usize]) -> PyResult<Rows<'py, T>> {
        if let Ok(array) = self.array.cast::<PyArrayDyn<T>>()
            && array.is_c_contiguous()
            && array.is_aligned()
            && self.lead() == lead
        {
            return Ok(array.clone());
        }
        let py = self.array.py();
        let numpy = numpy(py)?;
        let mut shape = lead.to_vec();
        shape.push(self.input.length);
        let shape = PyTuple::new(py, shape)?;
        let wide = numpy.call_method1("broadcast_to", (&self.array, shape))?;
        let options = PyDict::new(py);
        options.set_item("dtype", T::get_dtype(py))?;
        options.set_item("order", "C")?;
        let copy = numpy.call_method("array", (wide,), Some(&options))?;
        copy.cast_into::<PyArrayDyn<T>>().map_err(PyErr::from)
    }
}

/// Argument as an algorithm reads it: contiguous, state by state.
pub(crate) type Rows<'py, T> = Bound<'py, PyArrayDyn<T>>;

/// Returns `float32` only if every array is.
pub(crate) fn precision(numbers: &Few<Numbers<'_>>) -> Precision {
    if numbers.iter().all(Numbers::is_single) { Precision::Single } else { Precision::Double }
}

/// Returns the leading axes shared by all arguments after broadcasting.
pub(crate) fn lead(numbers: &Few<Numbers<'_>>) -> PyResult<Vec<usize>> {
    let axes = numbers.iter().map(|x| x.lead().len()).max().unwrap_or(0);
    let mut lead = vec![1; axes];
    for x in numbers.iter() {
        let theirs = x.lead();
        for (ours, &theirs) in lead[axes - theirs.len()..].iter_mut().zip(theirs) {
            match (*ours, theirs) {
                (a, b) if a == b || b == 1 => {}
                (1, b) => *ours = b,
                _ => {
                    let shapes = numbers.iter().map(|x| format!("`{}` {}", x.input.name, shape_text(x.array.shape())));
                    let shapes = shapes.collect::<Vec<_>>().join(", ");
                    return Err(PyValueError::new_err(format!(
                        "the leading axes do not broadcast: {shapes}; give the same number of states everywhere"
                    )));
                }
            }
        }
    }
    Ok(lead)
}

/// Returns the numbers of an array-like with trailing axes `own`, for all states of `lead`. Its other axes broadcast.
pub(crate) fn spread<T: Number>(
    name: &str,
    given: &Bound<'_, PyAny>,
    lead: &[usize],
    own: &[usize],
) -> PyResult<Vec<T>> {
    let py = given.py();
    let (shape, numbers) = numbers::numbers(name, given)?;
    let refuse = || {
        let own = own.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let (got, states) = (shape_text(&shape), shape_text(lead));
        let want = if lead.is_empty() {
            String::new()
        } else {
            format!(" or (..., {own}), broadcasting to the states {states}")
        };
        let comma = if own.contains(',') { "" } else { "," };
        PyValueError::new_err(format!("`{name}` has shape {got}; it must be ({own}{comma}){want}"))
    };
    if !shape.ends_with(own) || shape.len() > lead.len() + own.len() {
        return Err(refuse());
    }
    let wide = PyTuple::new(py, [lead, own].concat())?;
    let array = PyArray::from_slice(py, &numbers).reshape(shape.clone())?;
    let wide = numpy(py)?.call_method1("broadcast_to", (array, wide)).map_err(|_| refuse())?;
    let copy = numpy(py)?.call_method1("ascontiguousarray", (wide,))?;
    let copy = copy.cast::<PyArrayDyn<f64>>().map_err(PyErr::from)?.to_vec()?;
    Ok(copy.into_iter().map(T::nearest).collect())
}

/// Returns the Python name of an array: `lambda` is a keyword.
pub(crate) fn python_name(name: &'static str) -> &'static str {
    if name == "lambda" { "lambda_" } else { name }
}

/// Returns all arguments as rows of the same states.
pub(crate) fn all_rows<'py, T: Element>(numbers: &Few<Numbers<'py>>, lead: &[usize]) -> PyResult<Few<Rows<'py, T>>> {
    Few::new(numbers.count(), |k| numbers[k].rows::<T>(lead))
}

/// Python object, valid during a call.
pub(crate) type Given<'a, 'py> = Borrowed<'a, 'py, PyAny>;
pub(crate) type GivenArray<'a, 'py> = Borrowed<'a, 'py, PyArrayDyn<f64>>;

/// True if it is an array, not of a subclass.
#[inline(always)]
fn is_plain(given: Given<'_, '_>) -> bool {
    given.is_exact_instance_of::<PyUntypedArray>()
}

/// Refuses masked arrays, because masks would be ignored.
pub(crate) fn refuse_masks(name: impl fmt::Display, given: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_masked = |x: &Bound<'_, PyAny>| -> PyResult<bool> {
        if x.is_exact_instance_of::<PyUntypedArray>() || !x.is_instance_of::<PyUntypedArray>() {
            return Ok(false);
        }
        x.is_instance(&numpy(x.py())?.getattr("ma")?.getattr("MaskedArray")?)
    };
    let mut found = is_masked(given)?;
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        for item in given.try_iter()? {
            found |= is_masked(&item?)?;
        }
    }
    if !found {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "`{name}` is a masked array, and masks would be ignored; give `x.filled(…)` or `x.data`"
    )))
}

/// True if several entries of an array may share memory. With axes sorted by stride, each stride must exceed
/// the reach of the axes before. Slices and transposes always satisfy this.
fn overlaps_itself<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> bool {
    if array.is_c_contiguous() || array.is_fortran_contiguous() || array.is_empty() {
        return false;
    }
    let axes = array.shape().iter().zip(array.strides()).filter(|(n, _)| **n > 1);
    let mut axes: Vec<(usize, usize)> = axes.map(|(&n, stride)| (stride.unsigned_abs(), n)).collect();
    axes.sort_unstable();
    let mut reach = size_of::<T>();
    for (stride, n) in axes {
        if stride < reach {
            return true;
        }
        reach += stride * (n - 1);
    }
    false
}

/// Fast path for control loops: one state of contiguous `float64`. `None` means the general path is needed.
#[inline(always)]
pub(crate) fn plain_rows<'a, 'py>(
    inputs: &[Arg],
    model: &Model,
    rows: usize,
    given: &[Given<'a, 'py>],
) -> Option<Few<GivenArray<'a, 'py>>> {
    let row = |k: usize| {
        let array = given[k].cast::<PyArrayDyn<f64>>().ok().filter(|_| is_plain(given[k]))?;
        let length = inputs[k].size.of(model, Counts { columns: 1, rows });
        let plain = array.shape() == [length] && array.is_c_contiguous() && array.is_aligned();
        plain.then_some(array)
    };
    Few::new(given.len(), |k| row(k).ok_or(())).ok()
}

/// Fast path for `out=`: arrays that can be written directly. `None` means the general path, which also makes
/// error messages.
#[inline(always)]
pub(crate) fn plain_targets<'a, 'py>(
    shapes: impl Iterator<Item = Shape>,
    given: &Few<Given<'a, 'py>>,
) -> Option<Few<GivenArray<'a, 'py>>> {
    let mut shapes = shapes;
    let mut target = |k: usize| {
        let (shape, array) = (shapes.next()?, given[k].cast::<PyArrayDyn<f64>>().ok()?);
        if !is_plain(given[k]) {
            return None;
        }
        let by_columns = if shape.is_matrix() { array.is_fortran_contiguous() } else { array.is_c_contiguous() };
        (shape.fits(&[], array.shape()) && array.ndim() <= 2 && by_columns && array.is_aligned()).then_some(array)
    };
    Few::new(given.count(), |k| target(k).ok_or(())).ok()
}

/// Makes new arrays for one state, with one or two axes. `None` means the general path is needed.
#[inline(always)]
pub(crate) fn fresh<'py>(
    py: Python<'py>,
    count: usize,
    mut shapes: impl Iterator<Item = Shape>,
) -> Option<Few<Bound<'py, PyArrayDyn<f64>>>> {
    let array = |shape: Shape| match shape {
        Shape::Vector(n) => Some(PyArray::zeros(py, IxDyn(&[n]), false)),
        Shape::Matrix(rows, columns) if rows * columns <= SMALL => {
            Some(PyArray::zeros(py, IxDyn(&[rows, columns]), true))
        }
        _ => None,
    };
    Few::new(count, |_| shapes.next().and_then(array).ok_or(())).ok()
}

/// Name of an `out=` array in messages: `out`, or `out.dq`.
#[derive(Clone, Copy)]
pub(crate) struct OutName(pub(crate) Option<&'static str>);

impl fmt::Display for OutName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("out"),
            Some(field) => write!(f, "out.{field}"),
        }
    }
}

/// Memory that an algorithm writes a result to, and the array that the caller gets.
pub(crate) struct Output<'py, T: Element> {
    name: OutName,
    result: Bound<'py, PyArrayDyn<T>>,
    /// Contiguous memory, state by state, with column-major matrices.
    memory: Bound<'py, PyArrayDyn<T>>,
    shape: Shape,
    /// True if `memory` is temporary and must be copied to `result`, which has another layout.
    stands_in: bool,
    given: bool,
}

impl<'py, T: Element> Output<'py, T> {
    /// Writes into the caller's array if there is one, otherwise into a new one.
    pub(crate) fn new(
        py: Python<'py>,
        name: OutName,
        shape: Shape,
        lead: &[usize],
        given: Option<Given<'_, 'py>>,
    ) -> PyResult<Self> {
        match given {
            None => Self::fresh(py, name, shape, lead),
            Some(given) => Self::into_given(py, name, shape, lead, &given),
        }
    }

    fn fresh(py: Python<'py>, name: OutName, shape: Shape, lead: &[usize]) -> PyResult<Self> {
        let mut axes = shape.axes(lead);
        if lead.is_empty() && axes.ndim() <= 2 && shape.len() <= SMALL {
            let result = PyArray::zeros(py, axes, shape.is_matrix());
            return Ok(Self { name, memory: result.clone(), result, shape, stands_in: false, given: false });
        }
        if shape.turned() > 0 {
            // Column-major: row-major order of the transpose.
            let n = axes.ndim();
            axes.slice_mut().swap(n - shape.turned(), n - 1);
        }
        // Not `zeros`: filling a large array twice takes time.
        let memory = warm::array(py, axes.slice())?;
        let result = transposed(&memory, shape)?;
        Ok(Self { name, result, memory, shape, stands_in: false, given: false })
    }

    fn into_given(
        py: Python<'py>,
        name: OutName,
        shape: Shape,
        lead: &[usize],
        given: &Bound<'py, PyAny>,
    ) -> PyResult<Self> {
        refuse_masks(name, given)?;
        let Ok(result) = given.cast::<PyArrayDyn<T>>() else {
            let (want, got) = (T::get_dtype(py), describe(given));
            return Err(PyTypeError::new_err(format!("`{name}` is {got}; it must be an array of dtype {want}")));
        };
        if !shape.fits(lead, result.shape()) {
            let (got, want) = (shape_text(result.shape()), shape_text(shape.axes(lead).slice()));
            return Err(PyValueError::new_err(format!("`{name}` has shape {got}; it must be {want}")));
        }
        if overlaps_itself(result) && result.getattr("flags")?.getattr("writeable")?.is_truthy()? {
            let message =
                format!("`{name}` overlaps itself: several of its entries are one number; give an array of its own");
            return Err(PyValueError::new_err(message));
        }
        let is_by_columns = shape.is_matrix() && result.ndim() == 2 && result.is_fortran_contiguous();
        let by_columns = if is_by_columns { result.clone() } else { transposed(result, shape)? };
        let fits = (is_by_columns || by_columns.is_c_contiguous()) && by_columns.is_aligned();
        let memory = if fits { by_columns } else { empty(py, by_columns.shape())? };
        Ok(Self { name, result: result.clone(), memory, shape, stands_in: !fits, given: true })
    }

    /// Returns the caller's array if it is written directly.
    pub(crate) fn plain(&self) -> Option<&Bound<'py, PyArrayDyn<T>>> {
        (!self.stands_in).then_some(&self.memory)
    }

    /// Borrows the memory for a call during which other threads may run.
    pub(crate) fn borrow(&self) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
        if self.stands_in {
            borrow_mut(self.name, &self.result)?; // it is copied to later, so it must be free now
        }
        borrow_mut(self.name, &self.memory)
    }

    /// Ends the writing and returns the caller's array.
    pub(crate) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        let Self { name, result, memory, shape, stands_in, given } = self;
        if stands_in {
            let _free = borrow_mut(name, &result)?; // another thread may have started to use it
            let computed = transposed(&memory, shape)?;
            computed.copy_to(&result)?;
        }
        // Like NumPy, returns a scalar instead of an array without axes.
        if shape == Shape::Scalar && result.ndim() == 0 && !given {
            return result.get_item(PyTuple::empty(result.py()));
        }
        Ok(result.into_any())
    }
}

/// Limit of entries for small arrays. rust-numpy panics if memory is exhausted, so larger arrays use `empty`.
const SMALL: usize = 1 << 16;

/// Returns a new contiguous array, or raises NumPy's MemoryError.
pub(crate) fn empty<'py, T: Element>(py: Python<'py>, axes: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let array = numpy(py)?.call_method1("empty", (PyTuple::new(py, axes)?, T::get_dtype(py)))?;
    array.cast_into::<PyArrayDyn<T>>().map_err(PyErr::from)
}

/// Returns the module `numpy`.
pub(crate) fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?;
    Ok(module.bind(py))
}

/// Returns a view with the axes of a matrix, or of a three-index array, reversed. Other arrays are unchanged.
fn transposed<'py, T: Element>(array: &Bound<'py, PyArrayDyn<T>>, shape: Shape) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    if shape.turned() == 0 {
        return Ok(array.clone());
    }
    let mut axes: Vec<usize> = (0..array.ndim()).collect();
    let n = axes.len();
    axes.swap(n - shape.turned(), n - 1);
    array.permute(Some(axes))
}

/// Borrows arguments for a call during which other threads may run.
pub(crate) fn borrow<'py, T: Element>(
    inputs: &[Arg],
    rows: &Few<Rows<'py, T>>,
) -> PyResult<Few<PyReadonlyArrayDyn<'py, T>>> {
    Few::new(rows.count(), |k| {
        let name = python_name(inputs[k].name);
        rows[k].try_readonly().map_err(|_| {
            PyValueError::new_err(format!(
                "`{name}` is being written to by another call; give each call its own arrays"
            ))
        })
    })
}

fn borrow_mut<'py, T: Element>(
    name: OutName,
    array: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    array.try_readwrite().map_err(|error| {
        let why = match error {
            numpy::BorrowError::NotWriteable => "is read-only; give a writeable array",
            _ => "shares memory with an argument, another result or a call of another thread; give it its own",
        };
        PyValueError::new_err(format!("`{name}` {why}"))
    })
}

fn not_numbers(name: &str, given: &Bound<'_, PyAny>, why: &str) -> PyErr {
    let what = describe(given);
    PyTypeError::new_err(format!("`{name}` must be an array of float64 or float32 numbers, but it is {what}: {why}"))
}

/// Describes an object: `an array of shape (3,) and dtype int64`, or the name of its type.
pub(crate) fn describe(given: &Bound<'_, PyAny>) -> String {
    match given.cast::<PyUntypedArray>() {
        Ok(array) => format!("an array of shape {} and dtype {}", shape_text(array.shape()), array.dtype()),
        Err(_) => {
            given.get_type().name().map_or_else(|_| "something else".into(), |name| with_article(&name.to_string()))
        }
    }
}

/// Adds an article: `a list`, `an int`.
fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {noun}")
}

/// Formats a shape as Python prints a tuple.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}
