//! What surrounds a robot for one call: gravity, external forces, which joint effects count.

use crate::errors::OrRaise;
use crate::model::PyModel;
use crate::numbers::{Triples, triple};
use dtau::model::Model;
use dtau::{Axes, Point, Scene, Wrench};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The keywords of the dynamics functions.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a, 'py> {
    pub(crate) f_ext: Option<&'a Bound<'py, PyAny>>,
    pub(crate) gravity: Option<&'a Bound<'py, PyAny>>,
    pub(crate) damping: bool,
    pub(crate) friction: bool,
    pub(crate) armature: bool,
}

impl Default for Surroundings<'_, '_> {
    fn default() -> Self {
        Self { f_ext: None, gravity: None, damping: true, friction: true, armature: true }
    }
}

impl<'py> Surroundings<'_, 'py> {
    /// The external forces of a single state.
    pub(crate) fn wrenches(&self, model: &PyModel) -> PyResult<Vec<Wrench<f64>>> {
        let Some(f_ext) = self.f_ext else { return Ok(Vec::new()) };
        each_wrench(f_ext)?.iter().enumerate().map(|(k, wrench)| wrench.get().of_one_state(k, model)).collect()
    }

    pub(crate) fn scene<'m>(&self, model: &'m Model, wrenches: &'m [Wrench<f64>]) -> PyResult<Scene<'m, f64>> {
        let mut scene = model.scene().wrenches(wrenches);
        if let Some(gravity) = self.gravity {
            scene = scene.gravity(triple("gravity", gravity)?);
        }
        Ok(scene.damping(self.damping).friction(self.friction).armature(self.armature))
    }
}

fn each_wrench<'py>(f_ext: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyWrench>>> {
    if f_ext.is_instance_of::<PyWrench>() {
        return Err(PyTypeError::new_err("`f_ext` is one dtau.Wrench; it must be a list of them: f_ext=[wrench]"));
    }
    let refuse = |what: String| PyTypeError::new_err(format!("`f_ext` must be a list of dtau.Wrench, but {what}"));
    let items = f_ext.try_iter().map_err(|_| refuse(format!("it is {}", crate::arrays::describe(f_ext))))?;
    let mut wrenches = Vec::new();
    for (k, item) in items.enumerate() {
        let item = item?;
        let wrench = item.cast::<PyWrench>();
        wrenches.push(wrench.map_err(|_| refuse(format!("item {k} is {}", crate::arrays::describe(&item))))?.clone());
    }
    Ok(wrenches)
}

/// A force and a torque from outside, on a frame of the robot.
///
/// Parameters
/// ----------
/// frame : str
///     The frame it acts on, and with it the body.
/// force, torque : array_like of shape (3,) or (..., 3)
///     Force [N] and torque [N m]; with leading axes, one for each state of a batch.
/// axes : "frame" or "world"
///     The axes in which force and torque are given. "frame": they turn with the body.
/// point : array_like of shape (3,) or (..., 3), optional
///     The point at which the force acts and about which the torque is taken [m]; the frame's origin if left out.
/// point_in : "frame" or "world"
///     Whether the point is one of the body, in the frame's coordinates, or one of space, in the world's.
///
/// A wrench acts *on* the robot: it lowers the torques that inverse dynamics asks for, τ = … − Jᵀ f. Derivatives take it
/// as it is given: one in the frame's axes turns with the body, one in the world's does not.
///
/// >>> import dtau
/// >>> model = dtau.Model.bundled("arm6")
/// >>> push = dtau.Wrench.local_world_aligned(model.frames[-1].name, force=[0, 0, -10])
/// >>> q, zero = model.neutral(), [0.0] * model.nv
/// >>> dtau.rnea(model, q, zero, zero, f_ext=[push]).shape
/// (6,)
#[pyclass(name = "Wrench", module = "dtau", frozen)]
pub(crate) struct PyWrench {
    /// The frame it acts on.
    #[pyo3(get)]
    frame: String,
    axes: Axes,
    point: At,
    force: Triples,
    torque: Triples,
}

enum At {
    Origin,
    InFrame(Triples),
    InWorld(Triples),
}

#[pymethods]
impl PyWrench {
    #[new]
    #[pyo3(signature = (frame, force=None, torque=None, *, axes="frame", point=None, point_in="frame"))]
    fn new(
        frame: String,
        force: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
        axes: &str,
        point: Option<&Bound<'_, PyAny>>,
        point_in: &str,
    ) -> PyResult<Self> {
        let axes = if is_world("axes", axes)? { Axes::World } else { Axes::Frame };
        let in_world = is_world("point_in", point_in)?;
        let point = match point {
            None => At::Origin,
            Some(point) if in_world => At::InWorld(Triples::new("point", point)?),
            Some(point) => At::InFrame(Triples::new("point", point)?),
        };
        let numbers = |name, given: Option<&Bound<'_, PyAny>>| given.map_or(Ok(Triples::zero()), |x| Triples::new(name, x));
        Ok(Self { frame, axes, point, force: numbers("force", force)?, torque: numbers("torque", torque)? })
    }

    /// At a frame's origin, in the frame's axes: it moves with the body.
    #[staticmethod]
    #[pyo3(signature = (frame, force=None, torque=None))]
    fn local(frame: String, force: Option<&Bound<'_, PyAny>>, torque: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Self::new(frame, force, torque, "frame", None, "frame")
    }

    /// At a frame's origin, in the world's axes.
    #[staticmethod]
    #[pyo3(signature = (frame, force=None, torque=None))]
    fn local_world_aligned(
        frame: String,
        force: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::new(frame, force, torque, "world", None, "frame")
    }

    /// In the world's axes, with the torque about the world's origin.
    #[staticmethod]
    #[pyo3(signature = (frame, force=None, torque=None))]
    fn world(frame: String, force: Option<&Bound<'_, PyAny>>, torque: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let wrench = Self::new(frame, force, torque, "world", None, "frame")?;
        Ok(Self { point: At::InWorld(Triples::zero()), ..wrench })
    }

    /// The force [N].
    #[getter]
    fn force<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.force.array(py)
    }

    /// The torque [N m].
    #[getter]
    fn torque<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.torque.array(py)
    }

    /// The axes of force and torque: "frame" or "world".
    #[getter]
    fn axes(&self) -> &'static str {
        match self.axes {
            Axes::Frame => "frame",
            Axes::World => "world",
        }
    }

    /// The point it acts at; None is the frame's origin.
    #[getter]
    fn point<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.point {
            At::Origin => Ok(None),
            At::InFrame(point) | At::InWorld(point) => point.array(py).map(Some),
        }
    }

    /// The coordinates of the point: "frame" or "world".
    #[getter]
    fn point_in(&self) -> &'static str {
        if matches!(self.point, At::InWorld(_)) { "world" } else { "frame" }
    }

    fn __repr__(&self) -> String {
        let point = match &self.point {
            At::Origin => String::new(),
            At::InFrame(point) | At::InWorld(point) => format!(", point={point}, point_in=\"{}\"", self.point_in()),
        };
        let (frame, force, torque, axes) = (&self.frame, &self.force, &self.torque, self.axes());
        format!("dtau.Wrench({frame:?}, force={force}, torque={torque}, axes=\"{axes}\"{point})")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let fields = (&this.frame, this.force(py)?, this.torque(py)?, this.axes(), this.point(py)?, this.point_in());
        Ok((py.import("dtau._results")?.getattr("_wrench")?, fields.into_pyobject(py)?))
    }
}

impl PyWrench {
    /// As number `k` of the forces of a single state.
    fn of_one_state(&self, k: usize, model: &PyModel) -> PyResult<Wrench<f64>> {
        let one = |name: &str, x: &Triples| {
            x.single().ok_or_else(|| {
                let (lead, name) = (crate::arrays::shape_text(&x.shape()), format!("f_ext[{k}].{name}"));
                PyValueError::new_err(format!("`{name}` has shape {lead}, but there is one state; it must be (3,)"))
            })
        };
        let at = match &self.point {
            At::Origin => Point::Origin,
            At::InFrame(point) => Point::InFrame(one("point", point)?),
            At::InWorld(point) => Point::InWorld(one("point", point)?),
        };
        let frame = model.frame(&self.frame).or_raise()?;
        Ok(Wrench { frame, axes: self.axes, at, force: one("force", &self.force)?, torque: one("torque", &self.torque)? })
    }
}

fn is_world(name: &str, given: &str) -> PyResult<bool> {
    match given {
        "frame" => Ok(false),
        "world" => Ok(true),
        _ => Err(PyValueError::new_err(format!("`{name}` is {given:?}; it must be \"frame\" or \"world\""))),
    }
}
