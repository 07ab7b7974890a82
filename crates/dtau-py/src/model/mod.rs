//! `dtau.Model`: one class, a file for each of its sides.

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

/// A robot, ready to compute with. It never changes, so threads share it.
///
/// Made by :meth:`Model.from_urdf`, :meth:`Model.bundled` or a :class:`dtau.ModelBuilder`; changed copies by
/// :meth:`lock`, :meth:`attach`, :meth:`with_payload`, :meth:`with_gravity`. Models pickle, compare and hash by what they
/// contain.
///
/// >>> import dtau
/// >>> model = dtau.Model.bundled("quadruped", root="floating")
/// >>> model.nq, model.nv, len(model.joints)
/// (19, 18, 13)
#[pyclass(name = "Model", module = "dtau", frozen, weakref)]
pub(crate) struct PyModel {
    pub(crate) model: Model,
    pub(crate) pool: Pool,
    /// Where configurations have quaternions.
    pub(crate) quaternions: Vec<Quaternion>,
    frames: HashMap<String, FrameId>,
    /// What two equal models have in common.
    content: OnceLock<Description>,
}

/// Four numbers of a configuration that are a rotation.
pub(crate) struct Quaternion {
    /// Its first number in `q`.
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

    /// A frame by its name, quickly; where there is none the error names the nearest.
    pub(crate) fn find_frame(&self, name: &str) -> Result<FrameId, Error> {
        self.frames.get(name).copied().map_or_else(|| self.model.frame(name), Ok)
    }
}
