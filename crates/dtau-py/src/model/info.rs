//! Properties of a model.

use super::options::root_name;
use super::{PyModel, print};
use crate::errors::OrRaise;
use crate::frames::Handle;
use dtau::model::{BodyId, FrameId, FrameKind, JointInfo, JointKind, JointOrder, Limits, MimicMode, Model};
use dtau::spatial::Mat3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyTuple};
use std::ops::Range;

#[pymethods]
impl PyModel {
    /// Raises the error of a missing attribute. It translates the names of other libraries.
    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("dtau._names")?.getattr("of_model")?.call1((slf, name))
    }

    /// The robot in a browser, in a notebook, or on a page that is one file. Needs ``pip install viser trimesh pycollada``.
    ///
    /// Links have the shapes of the robot's file; robots without shapes, such as the bundled ones, are drawn as their inertia boxes.
    ///
    /// Parameters
    /// ----------
    /// q : array_like of shape (nq,) or (times, nq)
    ///     A configuration, or a motion; :meth:`neutral` if left out.
    /// dt : float
    ///     Time from one configuration of a motion to the next [s].
    /// port : int
    ///     Port of the page on this machine; another one if it is taken.
    ///
    /// Returns
    /// -------
    /// dtau.view.View
    ///     It shows forces, arrows, frames and inertias, and saves the page.
    ///
    /// Raises
    /// ------
    /// ImportError
    ///     If viser is not installed.
    #[pyo3(signature = (q=None, *, dt=None, port=8080))]
    fn show<'py>(
        slf: &Bound<'py, Self>,
        q: Option<&Bound<'py, PyAny>>,
        dt: Option<&Bound<'py, PyAny>>,
        port: u16,
    ) -> PyResult<Bound<'py, PyAny>> {
        let keywords = PyDict::new(slf.py());
        keywords.set_item("dt", dt)?;
        keywords.set_item("port", port)?;
        slf.py().import("dtau.view")?.getattr("View")?.call((slf, q), Some(&keywords))
    }

    /// The robot's name.
    #[getter]
    fn name(&self) -> &str {
        self.model.name()
    }

    /// Number of coordinates, the length of q.
    #[getter]
    fn nq(&self) -> usize {
        self.model.nq()
    }

    /// Number of degrees of freedom, the length of v, a and τ.
    #[getter]
    fn nv(&self) -> usize {
        self.model.nv()
    }

    /// Mass of all moving bodies [kg].
    #[getter]
    fn mass(&self) -> f64 {
        self.model.mass()
    }

    /// Ten numbers for each link, (10 · links,): the parameters π of dtau.joint_torque_regressor.
    ///
    /// Mass [kg], first moment m c [kg m], and the rotational inertia about the link's origin [kg m²] as xx,
    /// xy, yy, xz, yz, zz, in the axes of the link.
    #[getter]
    fn inertial_parameters<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.model.inertial_parameters())
    }

    /// Gravity in the world's axes [m/s²].
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.model.gravity())
    }

    /// Root joint: "fixed", "floating", …
    #[getter]
    fn root(&self) -> &'static str {
        root_name(self.model.options().root)
    }

    /// Numbering order of siblings: "file" or "alphabetical".
    #[getter]
    fn order(&self) -> &'static str {
        match self.model.options().order {
            JointOrder::File => "file",
            JointOrder::Alphabetical => "alphabetical",
        }
    }

    /// Treatment of mimicking joints: "honour" or "free".
    #[getter]
    fn mimic(&self) -> &'static str {
        match self.model.options().mimic {
            MimicMode::Honour => "honour",
            MimicMode::Free => "free",
        }
    }

    /// Warnings about this robot: unusual inertias, ignored elements.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.model.warnings())
    }

    /// The moving joints, depth-first.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.model.joints().iter().map(|info| PyJoint::new(&self.model, info)))
    }

    /// The frames: of links, then of joints, then added ones.
    #[getter]
    fn frames<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let frames = self.model.frame_ids().enumerate().map(|(index, id)| PyFrame::new(&self.model, index, id));
        PyTuple::new(py, frames.collect::<Vec<_>>())
    }

    /// The moving bodies, depth-first. Links behind fixed joints are part of the body that carries them.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.model.body_ids().map(|id| PyBody::new(&self.model, id)).collect::<Vec<_>>())
    }

    /// Returns a frame by its name. It can be used wherever a name can. It is faster and unambiguous.
    ///
    /// If a link and a joint have the same name, write "link:NAME" or "joint:NAME". Raises KeyError, with the
    /// nearest names, if there is no such frame, and ValueError if the name is ambiguous.
    ///
    /// >>> import dtau
    /// >>> dtau.Model.bundled("quadruped", root="floating").frame("joint:root_joint")
    /// <dtau.Frame "root_joint": joint, on "trunk">
    fn frame(&self, name: &str) -> PyResult<PyFrame> {
        let id = self.model.frame(name).or_raise()?;
        let index = self.model.frame_ids().position(|other| other == id).expect("it is one of them");
        Ok(PyFrame::new(&self.model, index, id))
    }

    /// Lower position limits [rad, m], one for each degree of freedom, (nv,); -inf if unlimited.
    ///
    /// For independent joints only. Joints with quaternions are unlimited.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.model.lower())
    }

    /// Upper position limits [rad, m], one for each degree of freedom, (nv,); inf if unlimited.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.model.upper())
    }

    /// Speed limits [rad/s, m/s], one for each degree of freedom, (nv,); inf if unlimited.
    #[getter]
    fn speed<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.model.speed())
    }

    /// Torque and force limits [N m, N], one for each degree of freedom, (nv,); inf if unlimited.
    #[getter]
    fn effort<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.model.effort())
    }

    /// Returns a moving joint by its name. If used as a frame, it means the joint's own frame.
    ///
    /// Raises KeyError, with the nearest names, if there is no such joint.
    ///
    /// >>> import dtau
    /// >>> model = dtau.Model.bundled("arm6")
    /// >>> model.joint(model.joints[2].name).q
    /// slice(2, 3, None)
    fn joint(&self, name: &str) -> PyResult<PyJoint> {
        let id = self.model.joint(name).or_raise()?;
        Ok(PyJoint::new(&self.model, self.model.joint_info(id)))
    }

    fn __repr__(&self) -> String {
        format!("<dtau.Model \"{}\": {}>", print::visible(self.model.name()), print::summary(&self.model))
    }

    fn __str__(&self) -> String {
        print::tree(&self.model)
    }

    fn _repr_html_(&self) -> String {
        print::html(&self.model)
    }
}

/// Returns the link that gives a body its name.
fn link_of(model: &Model, body: BodyId) -> &str {
    &model.frame_info(model.link_frame(body)).name
}

/// A moving joint of a :class:`dtau.Model`.
#[pyclass(name = "Joint", module = "dtau", frozen)]
pub(crate) struct PyJoint {
    /// Name of the joint.
    #[pyo3(get)]
    name: String,
    /// Joint type, such as "revolute" or "free-flyer"; :meth:`ModelBuilder.joint` lists all.
    #[pyo3(get)]
    kind: &'static str,
    /// Unit axis (planar: normal) in the link's axes; None if the joint has no axis.
    #[pyo3(get)]
    axis: Option<(f64, f64, f64)>,
    /// Link that it carries.
    #[pyo3(get)]
    link: String,
    /// Joint towards the root; None at the root.
    #[pyo3(get)]
    parent: Option<String>,
    /// Limits of position, speed and torque.
    #[pyo3(get)]
    limits: PyLimits,
    /// Viscous damping [N m s/rad, N s/m].
    #[pyo3(get)]
    damping: f64,
    /// Coulomb friction [N m, N].
    #[pyo3(get)]
    friction: f64,
    /// Reflected rotor inertia [kg m², kg].
    #[pyo3(get)]
    armature: f64,
    /// Mimic relation; None if the joint is independent.
    #[pyo3(get)]
    mimic: Option<PyMimic>,
    q: (usize, usize),
    v: (usize, usize),
    pub(crate) handle: Handle,
}

#[pymethods]
impl PyJoint {
    /// Slice of its coordinates: ``q[joint.q]``. A mimicking joint has those of the joint it follows.
    #[getter(q)]
    fn q_slice<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        slice(py, self.q)
    }

    /// Slice of its degrees of freedom: ``v[joint.v]``. A mimicking joint has those of the joint it follows.
    #[getter(v)]
    fn v_slice<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        slice(py, self.v)
    }

    /// Number of coordinates.
    #[getter]
    fn nq(&self) -> usize {
        self.q.1 - self.q.0
    }

    /// Number of degrees of freedom.
    #[getter]
    fn nv(&self) -> usize {
        self.v.1 - self.v.0
    }

    fn __repr__(&self) -> String {
        let ((q0, q1), (v0, v1)) = (self.q, self.v);
        let (name, link) = (print::visible(&self.name), print::visible(&self.link));
        format!("<dtau.Joint \"{name}\": {}, q[{q0}:{q1}], v[{v0}:{v1}], carries \"{link}\">", self.kind)
    }
}

impl PyJoint {
    fn new(model: &Model, info: &JointInfo) -> Self {
        let described = model.description().joints.iter().find(|j| j.name == info.name);
        let effect = |of: fn(&dtau::model::JointDescription) -> f64| described.map_or(0.0, of);
        Self {
            name: info.name.clone(),
            kind: info.kind.name(),
            axis: axis(info.kind),
            link: info.link.clone(),
            parent: info.parent.map(|parent| model.joint_info(parent).name.clone()),
            limits: info.limits.into(),
            damping: effect(|j| j.damping),
            friction: effect(|j| j.friction),
            armature: effect(|j| j.armature),
            mimic: info.mimic.as_ref().map(|m| PyMimic {
                joint: m.joint.clone(),
                multiplier: m.multiplier,
                offset: m.offset,
            }),
            q: bounds(&info.q),
            v: bounds(&info.v),
            handle: Handle { model: model.clone(), frame: info.frame }, // the frame of the link that it carries
        }
    }

    pub(crate) fn full_name(&self) -> String {
        format!("joint:{}", self.name)
    }
}

fn bounds(range: &Range<usize>) -> (usize, usize) {
    (range.start, range.end)
}

fn slice(py: Python<'_>, range: (usize, usize)) -> PyResult<Bound<'_, PyAny>> {
    py.get_type::<PySlice>().call1(range)
}

/// Returns the unit axis of a joint type.
fn axis(kind: JointKind) -> Option<(f64, f64, f64)> {
    let axis = kind.axis()?;
    let unit = axis * (1.0 / axis.norm_squared().sqrt());
    Some((unit.x, unit.y, unit.z))
}

/// Limits of a joint; infinite if the file does not give them.
#[pyclass(name = "Limits", module = "dtau", frozen, get_all, from_py_object)]
#[derive(Clone, Copy)]
pub(crate) struct PyLimits {
    /// Lower position limit [rad, m].
    lower: f64,
    /// Upper position limit [rad, m].
    upper: f64,
    /// Speed limit [rad/s, m/s].
    velocity: f64,
    /// Torque or force limit [N m, N].
    effort: f64,
}

impl From<Limits> for PyLimits {
    fn from(Limits { lower, upper, velocity, effort }: Limits) -> Self {
        Self { lower, upper, velocity, effort }
    }
}

#[pymethods]
impl PyLimits {
    fn __repr__(&self) -> String {
        let Self { lower, upper, velocity, effort } = self;
        format!("<dtau.Limits: {lower} to {upper}, velocity {velocity}, effort {effort}>")
    }
}

/// Relation of a mimicking joint: q = multiplier · q_other + offset.
#[pyclass(name = "Mimic", module = "dtau", frozen, get_all, from_py_object)]
#[derive(Clone)]
pub(crate) struct PyMimic {
    /// Independent joint that it follows.
    joint: String,
    /// Factor of the other joint's coordinate.
    multiplier: f64,
    /// Constant added to it.
    offset: f64,
}

#[pymethods]
impl PyMimic {
    fn __repr__(&self) -> String {
        format!("<dtau.Mimic: {} · \"{}\" + {}>", self.multiplier, self.joint, self.offset)
    }
}

/// A frame of a :class:`dtau.Model`.
#[pyclass(name = "Frame", module = "dtau", frozen)]
pub(crate) struct PyFrame {
    /// Name of the frame.
    #[pyo3(get)]
    name: String,
    /// Index in ``model.frames`` and in results for all frames.
    #[pyo3(get)]
    index: usize,
    /// Kind of frame: "link", "joint" or "custom".
    #[pyo3(get)]
    kind: &'static str,
    /// Body that it is fixed to; None for the world.
    #[pyo3(get)]
    body: Option<String>,
    pub(crate) handle: Handle,
}

impl PyFrame {
    fn new(model: &Model, index: usize, id: FrameId) -> Self {
        let frame = model.frame_info(id);
        Self {
            name: frame.name.clone(),
            index,
            kind: match frame.kind {
                FrameKind::Link => "link",
                FrameKind::Joint => "joint",
                FrameKind::Custom => "custom",
            },
            body: frame.body.map(|body| link_of(model, body).to_owned()),
            handle: Handle { model: model.clone(), frame: id },
        }
    }

    pub(crate) fn full_name(&self) -> String {
        self.handle.model.frame_info(self.handle.frame).full_name()
    }
}

#[pymethods]
impl PyFrame {
    fn __repr__(&self) -> String {
        let body = self.body.as_ref().map_or("the world".into(), |body| format!("\"{}\"", print::visible(body)));
        format!("<dtau.Frame \"{}\": {}, on {body}>", print::visible(&self.name), self.kind)
    }
}

/// A moving body of a :class:`dtau.Model`: a link and everything welded to it by fixed joints.
#[pyclass(name = "Body", module = "dtau", frozen)]
pub(crate) struct PyBody {
    /// Link that its joint carries. Its frame is used for the coordinates below.
    #[pyo3(get)]
    name: String,
    /// Joint that carries it.
    #[pyo3(get)]
    joint: String,
    /// Body towards the root; None at the root.
    #[pyo3(get)]
    parent: Option<String>,
    /// Names of all its links.
    #[pyo3(get)]
    links: Vec<String>,
    /// Mass [kg].
    #[pyo3(get)]
    mass: f64,
    com: [f64; 3],
    inertia: Mat3<f64>,
}

impl PyBody {
    fn new(model: &Model, id: BodyId) -> Self {
        let frame = model.link_frame(id);
        let (index, placement) = model.carrier(frame).expect("a body's link moves");
        let body = &model.tree().bodies[index];
        let joint = model.joint_info(model.joint_of(id));
        let inertia = body.inertia.transform(&placement.inverse());
        let com = if inertia.mass > 0.0 { inertia.h * (1.0 / inertia.mass) } else { inertia.h };
        let about_com = inertia.about(com);
        let carried = model.frames().iter().filter(|f| f.kind == FrameKind::Link && f.body == Some(id));
        Self {
            name: link_of(model, id).to_owned(),
            joint: joint.name.clone(),
            parent: joint.parent.map(|parent| model.joint_info(parent).link.clone()),
            links: carried.map(|f| f.name.clone()).collect(),
            mass: inertia.mass,
            com: com.to_array(),
            inertia: about_com.to_mat3(),
        }
    }
}

#[pymethods]
impl PyBody {
    /// Centre of mass [m].
    #[getter]
    fn com<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.com)
    }

    /// Rotational inertia about the centre of mass [kg m²].
    #[getter]
    fn inertia<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.inertia.to_rows().map(|row| row.to_vec());
        Ok(PyArray2::from_vec2(py, &rows)?)
    }

    fn __repr__(&self) -> String {
        let (name, joint) = (print::visible(&self.name), print::visible(&self.joint));
        format!("<dtau.Body \"{name}\": {:?} kg, on joint \"{joint}\">", self.mass)
    }
}
