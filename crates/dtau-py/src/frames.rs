//! Frames as callers give them: names (with or without their kind), and objects from a model.

use crate::arrays::{self, Few, Given, describe, refuse_masks, shape_text};
use crate::errors::OrRaise;
use crate::model::{PyFrame, PyJoint, PyModel};
use dtau::model::{FrameId, Model};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

/// Frame or joint of a model, returned by `model.frame` and `model.joint`. Faster than a name, and unambiguous.
#[derive(Clone)]
pub(crate) struct Handle {
    pub(crate) model: Model,
    pub(crate) frame: FrameId,
}

impl Handle {
    /// Returns the frame in a model: directly if the handle is of that model, otherwise by name.
    fn of(&self, name: &str, model: &PyModel) -> PyResult<FrameId> {
        if std::ptr::eq(self.model.tree(), model.model.tree()) {
            Ok(self.frame)
        } else {
            model.find_frame(name).or_raise()
        }
    }
}

/// Frame argument of a caller.
#[derive(Clone)]
pub(crate) struct GivenFrame {
    /// Name used for look-up.
    pub(crate) name: String,
    handle: Option<Handle>,
}

impl GivenFrame {
    /// Makes it from a name.
    pub(crate) fn named(name: String) -> Self {
        Self { name, handle: None }
    }

    pub(crate) fn new(name: &str, given: Given<'_, '_>) -> PyResult<Self> {
        if let Ok(text) = given.cast::<PyString>() {
            return Ok(Self { name: text.to_str()?.to_owned(), handle: None });
        }
        if let Ok(frame) = given.cast::<PyFrame>() {
            return Ok(Self { name: frame.get().full_name(), handle: Some(frame.get().handle.clone()) });
        }
        if let Ok(joint) = given.cast::<PyJoint>() {
            return Ok(Self { name: joint.get().full_name(), handle: Some(joint.get().handle.clone()) });
        }
        Err(wrong(name, given, ""))
    }

    /// Returns the frame in a model.
    pub(crate) fn of(&self, model: &PyModel) -> PyResult<FrameId> {
        match &self.handle {
            Some(handle) => handle.of(&self.name, model),
            None => model.find_frame(&self.name).or_raise(),
        }
    }
}

#[cold]
fn wrong(name: &str, given: Given<'_, '_>, more: &str) -> PyErr {
    let got = describe(&given);
    PyTypeError::new_err(format!("`{name}` is {got}; it must be a name, a dtau.Frame or a dtau.Joint{more}"))
}

/// Reads the frame of a call.
#[inline]
pub(crate) fn one(model: &PyModel, given: Given<'_, '_>) -> PyResult<FrameId> {
    if let Ok(name) = given.cast::<PyString>() {
        return model.find_frame(name.to_cow()?.as_ref()).or_raise();
    }
    if let Ok(frame) = given.cast::<PyFrame>() {
        return frame.get().handle.of(&frame.get().full_name(), model);
    }
    if let Ok(joint) = given.cast::<PyJoint>() {
        return joint.get().handle.of(&joint.get().full_name(), model);
    }
    Err(wrong("frame", given, ", or a list of such"))
}

/// Reads the frames of a call, if a list is given.
pub(crate) fn several(model: &PyModel, given: Given<'_, '_>) -> PyResult<Option<Vec<FrameId>>> {
    if !given.is_instance_of::<PyList>() && !given.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    let items = given.try_iter()?.map(|item| one(model, item?.as_borrowed()));
    let frames = items.collect::<PyResult<Vec<_>>>()?;
    if frames.is_empty() {
        return Err(PyValueError::new_err("`frame` is an empty list; name at least one frame"));
    }
    Ok(Some(frames))
}

/// Joins arrays of several frames. The frame axis comes before the `own` axes. Writes into `out` if given.
pub(crate) fn stack<'py>(
    name: impl std::fmt::Display,
    arrays: &[Bound<'py, PyAny>],
    own: usize,
    out: Option<Given<'_, 'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = arrays[0].py();
    let options = PyDict::new(py);
    options.set_item("axis", -1 - own as isize)?;
    let numpy = arrays::numpy(py)?;
    let stacked = numpy.call_method("stack", (PyList::new(py, arrays)?,), Some(&options))?;
    let Some(out) = out else { return Ok(stacked) };
    refuse_masks(&name, &out)?;
    let want = stacked.cast::<PyUntypedArray>()?;
    let refuse = |what: String| PyValueError::new_err(format!("`{name}` {what}"));
    let given = out.cast::<PyUntypedArray>().map_err(|_| wrong_out(&name, out))?;
    if given.shape() != want.shape() {
        return Err(refuse(format!(
            "has shape {}; it must be {}",
            shape_text(given.shape()),
            shape_text(want.shape())
        )));
    }
    if !given.getattr("flags")?.getattr("writeable")?.is_truthy()? {
        return Err(refuse("is read-only; give a writeable array".into()));
    }
    numpy.call_method1("copyto", (&*out, &stacked))?;
    Ok(out.to_owned())
}

#[cold]
fn wrong_out(name: impl std::fmt::Display, out: Given<'_, '_>) -> PyErr {
    PyTypeError::new_err(format!("`{name}` is {}; it must be an array", describe(&out)))
}

/// Splits results by field, with one array for each frame.
pub(crate) fn fields<'py>(results: &[Bound<'py, PyAny>], count: usize) -> PyResult<Few<Vec<Bound<'py, PyAny>>>> {
    Few::new(count, |k| {
        let field = |result: &Bound<'py, PyAny>| if count == 1 { Ok(result.clone()) } else { result.get_item(k) };
        results.iter().map(field).collect::<PyResult<Vec<_>>>()
    })
}
