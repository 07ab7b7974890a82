//! Pickling and equality of models.
//!
//! A model is pickled as its description and options. Compiling it again takes less time than sending the
//! compiled tree.

use super::{PyModel, stored};
use crate::errors::OrRaise;
use dtau::model::{Description, Model};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::hash::{DefaultHasher, Hash, Hasher};

#[pymethods]
impl PyModel {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, model) = (slf.py(), &slf.get().model);
        let bytes = stored::write(model.description(), model.options());
        let make = py.import("dtau._dtau")?.getattr("_unpickle_model")?;
        Ok((make, PyTuple::new(py, [PyBytes::new(py, &bytes)])?))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyModel>().is_ok_and(|other| {
            let (mine, theirs) = (&self.model, &other.get().model);
            mine.options() == theirs.options() && self.content() == other.get().content()
        })
    }

    fn __hash__(&self) -> u64 {
        let Description { name, links, joints, .. } = self.content();
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        self.model.options().root.kind().name().hash(&mut hasher);
        for link in links {
            link.name.hash(&mut hasher);
            bits(link.inertial.map_or(0.0, |inertial| inertial.mass)).hash(&mut hasher);
        }
        for joint in joints {
            joint.name.hash(&mut hasher);
            joint.origin.to_array().map(bits).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Returns the same bits for equal numbers: zero and minus zero.
fn bits(x: f64) -> u64 {
    (x + 0.0).to_bits()
}

impl PyModel {
    /// Returns everything about the robot that a computation may depend on. Line numbers in files are not included.
    fn content(&self) -> &Description {
        self.content.get_or_init(|| {
            let mut description = self.model.description().clone();
            description.warnings.clear();
            for link in &mut description.links {
                link.line = 0;
            }
            for joint in &mut description.joints {
                joint.line = 0;
            }
            description
        })
    }
}

/// Restores a model from the output of `Model.__reduce__`.
#[pyfunction(name = "_unpickle_model")]
pub(crate) fn unpickle_model(bytes: &[u8]) -> PyResult<PyModel> {
    let refuse = |why: String| PyValueError::new_err(format!("this is no pickled dtau.Model: {why}"));
    let (description, options) = stored::read(bytes).map_err(refuse)?;
    Ok(PyModel::new(Model::build(&description, &options).or_raise()?))
}
