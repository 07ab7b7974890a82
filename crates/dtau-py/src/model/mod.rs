//! `dtau.Model`: one class in several files.

mod edit;
mod info;
pub(crate) mod make;
pub(crate) mod options;
mod pickle;
mod print;
pub(crate) mod space;
mod stored;

pub(crate) use info::{PyBody, PyFrame, PyJoint, PyLimits, PyMimic};
pub(crate) use pickle::unpickle_model;

use crate::scratch::Pool;
use dtau::Error;
use dtau::model::{Description, FrameId, Model};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::OnceLock;

/// A robot, ready for computations. It is immutable, so threads can share it.
///
/// Made by :meth:`Model.from_urdf`, :meth:`Model.bundled` or a :class:`dtau.ModelBuilder`. :meth:`lock`,
/// :meth:`attach`, :meth:`with_payload` and :meth:`with_gravity` return changed copies. Models can be
/// pickled. They compare and hash by content.
///
/// >>> import dtau
/// >>> model = dtau.Model.bundled("quadruped", root="floating")
/// >>> model.nq, model.nv, len(model.joints)
/// (19, 18, 13)
#[pyclass(name = "Model", module = "dtau", frozen, weakref)]
pub(crate) struct PyModel {
    pub(crate) model: Model,
    pub(crate) pool: Pool,
    /// Places of quaternions in configurations.
    pub(crate) quaternions: Vec<Quaternion>,
    frames: HashMap<String, FrameId>,
    /// Content that equal models have in common.
    content: OnceLock<Description>,
}

/// Four numbers of a configuration that represent a rotation.
pub(crate) struct Quaternion {
    /// Index of its first number in `q`.
    pub(crate) at: usize,
    pub(crate) joint: String,
}

impl PyModel {
    pub(crate) fn new(model: Model) -> Self {
        let names = model.frames().iter().map(|frame| &frame.name);
        let frames = names.filter_map(|name| Some((name.clone(), model.frame(name).ok()?))).collect();
        let joints = model.joints().iter();
        let quaternions = joints
            .filter_map(|j| Some(Quaternion { at: j.q.start + j.kind.quaternion()?, joint: j.name.clone() }))
            .collect();
        Self { model, pool: Pool::default(), quaternions, frames, content: OnceLock::new() }
    }

    /// Looks up a frame by its name. If there is none, the error lists the nearest names.
    pub(crate) fn find_frame(&self, name: &str) -> Result<FrameId, Error> {
        self.frames.get(name).copied().map_or_else(|| self.model.frame(name), Ok)
    }
}
