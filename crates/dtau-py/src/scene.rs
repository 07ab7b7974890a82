//! Surroundings of a robot for one call: gravity, external forces, joint effects.

use crate::arrays::{Given, describe, shape_text, spread};
use crate::constraints::PyConstraints;
use crate::frames::GivenFrame;
use crate::model::PyModel;
use crate::numbers::{Triples, triple};
use crate::scratch::Number;
use dtau::model::Model;
use dtau::{Axes, Point, Scene, Wrench};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ops::Range;

/// Keywords of the dynamics functions.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a, 'py> {
    pub(crate) f_ext: Option<Given<'a, 'py>>,
    pub(crate) gravity: Option<Given<'a, 'py>>,
    pub(crate) damping: bool,
    pub(crate) friction: bool,
    pub(crate) armature: bool,
    /// Constraints of the call.
    pub(crate) constraints: Option<&'a PyConstraints>,
    pub(crate) active: Option<Given<'a, 'py>>,
    pub(crate) desired: Option<Given<'a, 'py>>,
}

impl Default for Surroundings<'_, '_> {
    fn default() -> Self {
        Self {
            f_ext: None,
            gravity: None,
            damping: true,
            friction: true,
            armature: true,
            constraints: None,
            active: None,
            desired: None,
        }
    }
}

impl<'a> Surroundings<'a, '_> {
    /// True if no Python objects have to be read.
    #[inline]
    pub(crate) fn are_plain(&self) -> bool {
        self.f_ext.is_none() && self.gravity.is_none() && self.active.is_none() && self.desired.is_none()
    }

    /// Number of rows of the constraints.
    #[inline]
    pub(crate) fn rows(&self) -> usize {
        self.constraints.map_or(0, |constraints| constraints.set.rows())
    }

    /// Reads the active constraints and their desired motion, for the states with these leading axes.
    pub(crate) fn held<F: Number>(&self, lead: &[usize]) -> PyResult<Held<F>> {
        let Some(constraints) = self.constraints else { return Ok(Held::default()) };
        let (count, rows) = (constraints.set.len(), constraints.set.rows());
        let read = |name, given: Option<Given<'_, '_>>, own: &[usize]| {
            given.map_or(Ok(Vec::new()), |given| spread(name, &given, lead, own))
        };
        Ok(Held {
            active: read("active", self.active, &[count])?,
            desired: read("desired", self.desired, &[3, rows])?,
            count,
            numbers: 3 * rows,
        })
    }

    /// Reads the external forces of a single state.
    pub(crate) fn wrenches(&self, model: &PyModel) -> PyResult<Vec<Wrench<f64>>> {
        let Some(f_ext) = self.f_ext else { return Ok(Vec::new()) };
        each_wrench(&f_ext)?.iter().enumerate().map(|(k, wrench)| wrench.get().of_one_state(k, model)).collect()
    }

    /// Reads the external forces of the states with these leading axes.
    pub(crate) fn external_forces<F: Number>(&self, model: &PyModel, lead: &[usize]) -> PyResult<ExternalForces<F>> {
        let Some(f_ext) = self.f_ext else { return Ok(ExternalForces::default()) };
        let given = each_wrench(&f_ext)?;
        let given: Vec<&PyWrench> = given.iter().map(Bound::get).collect();
        let wrenches = given.iter().enumerate().map(|(k, wrench)| wrench.of_states(k, model));
        let wrenches = wrenches.collect::<PyResult<Vec<_>>>()?;
        let mut forces = Vec::new();
        if given.iter().any(|w| w.force.single().is_none() || w.torque.single().is_none()) {
            let states: usize = lead.iter().product();
            let numbers = states.saturating_mul(given.len() * 6);
            forces.try_reserve_exact(numbers).map_err(|_| PyMemoryError::new_err("there is no memory for `f_ext`"))?;
            forces.resize(numbers, F::nearest(0.0));
            for (k, wrench) in given.iter().enumerate() {
                for (at, name, numbers) in [(0, "force", &wrench.force), (3, "torque", &wrench.torque)] {
                    let places = (0..states).map(|state| (state * given.len() + k) * 6 + at);
                    let spread = numbers.spread(&format!("f_ext[{k}].{name}"), lead)?;
                    for (to, three) in places.zip(spread) {
                        forces[to..to + 3].copy_from_slice(&three.map(F::nearest));
                    }
                }
            }
        }
        let per_state = given.len() * 6;
        Ok(ExternalForces { wrenches, forces, per_state })
    }

    pub(crate) fn scene<'m, F>(&self, model: &'m Model, wrenches: &'m [Wrench<F>]) -> PyResult<Scene<'m, F>>
    where
        'a: 'm,
    {
        let mut scene = model.scene().wrenches(wrenches);
        scene.constraints = self.constraints.map(|constraints| &constraints.set);
        if let Some(gravity) = self.gravity {
            scene = scene.gravity(triple("gravity", &gravity)?);
        }
        Ok(scene.damping(self.damping).friction(self.friction).armature(self.armature))
    }
}

/// Active constraints (states × constraints; empty means all) and desired motion (states × 3 × rows; empty
/// means none).
pub(crate) struct Held<F> {
    active: Vec<F>,
    desired: Vec<F>,
    count: usize,
    numbers: usize,
}

impl<F> Default for Held<F> {
    fn default() -> Self {
        Self { active: Vec::new(), desired: Vec::new(), count: 0, numbers: 0 }
    }
}

impl<F> Held<F> {
    /// Returns a scene with the values for some of the states.
    pub(crate) fn of<'a>(&'a self, mut scene: Scene<'a, F>, states: &Range<usize>) -> Scene<'a, F> {
        if !self.active.is_empty() {
            scene = scene.active(&self.active[states.start * self.count..states.end * self.count]);
        }
        if !self.desired.is_empty() {
            scene = scene.desired(&self.desired[states.start * self.numbers..states.end * self.numbers]);
        }
        scene
    }
}

/// External forces of many states.
pub(crate) struct ExternalForces<F> {
    pub(crate) wrenches: Vec<Wrench<F>>,
    /// Forces, if they differ between states: states × wrenches × 6.
    forces: Vec<F>,
    per_state: usize,
}

impl<F> Default for ExternalForces<F> {
    fn default() -> Self {
        Self { wrenches: Vec::new(), forces: Vec::new(), per_state: 0 }
    }
}

impl<F> ExternalForces<F> {
    /// Returns a scene with the forces for some of the states.
    pub(crate) fn of<'a>(&'a self, scene: Scene<'a, F>, states: &Range<usize>) -> Scene<'a, F> {
        let part = states.start * self.per_state..states.end * self.per_state;
        if self.forces.is_empty() { scene } else { scene.forces(&self.forces[part]) }
    }
}

fn each_wrench<'py>(f_ext: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyWrench>>> {
    if f_ext.is_instance_of::<PyWrench>() {
        return Err(PyTypeError::new_err("`f_ext` is one dtau.Wrench; it must be a list of them: f_ext=[wrench]"));
    }
    let refuse = |what: String| PyTypeError::new_err(format!("`f_ext` must be a list of dtau.Wrench, but {what}"));
    let items = f_ext.try_iter().map_err(|_| refuse(format!("it is {}", describe(f_ext))))?;
    let mut wrenches = Vec::new();
    for (k, item) in items.enumerate() {
        let item = item?;
        let wrench = item.cast::<PyWrench>();
        wrenches.push(wrench.map_err(|_| refuse(format!("item {k} is {}", describe(&item))))?.clone());
    }
    Ok(wrenches)
}

/// An external force and torque on a frame of the robot.
///
/// Parameters
/// ----------
/// frame : str, dtau.Frame or dtau.Joint
///     Frame that it acts on. The force acts on the frame's body.
/// force, torque : array_like of shape (3,) or (..., 3)
///     Force [N] and torque [N m]. With leading axes, one for each state of a batch.
/// axes : "frame" or "world"
///     Axes of force and torque. With "frame", they turn with the body.
/// point : array_like of shape (3,) or (..., 3), optional
///     Point at which the force acts and about which the torque is taken [m]. Default: the frame's origin.
/// point_in : "frame" or "world"
///     "frame": the point is fixed to the body, in the frame's coordinates. "world": it is fixed in space, in
///     the world's.
///
/// A wrench acts *on* the robot. It reduces the torques of inverse dynamics: τ = … − Jᵀ f. In derivatives, a
/// wrench in the frame's axes turns with the body. A wrench in the world's axes does not.
///
/// >>> import dtau
/// >>> model = dtau.Model.bundled("arm6")
/// >>> push = dtau.Wrench.local_world_aligned(model.frames[-1].name, force=[0, 0, -10])
/// >>> q, zero = model.neutral(), [0.0] * model.nv
/// >>> dtau.rnea(model, q, zero, zero, f_ext=[push]).shape
/// (6,)
#[pyclass(name = "Wrench", module = "dtau", frozen)]
pub(crate) struct PyWrench {
    frame: GivenFrame,
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
        frame: &Bound<'_, PyAny>,
        force: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
        axes: &str,
        point: Option<&Bound<'_, PyAny>>,
        point_in: &str,
    ) -> PyResult<Self> {
        let frame = GivenFrame::new("frame", frame.as_borrowed())?;
        let axes = if is_world("axes", axes)? { Axes::World } else { Axes::Frame };
        let in_world = is_world("point_in", point_in)?;
        let point = match point {
            None => At::Origin,
            Some(point) if in_world => At::InWorld(Triples::new("point", point)?),
            Some(point) => At::InFrame(Triples::new("point", point)?),
        };
        let numbers =
            |name, given: Option<&Bound<'_, PyAny>>| given.map_or(Ok(Triples::zero()), |x| Triples::new(name, x));
        Ok(Self { frame, axes, point, force: numbers("force", force)?, torque: numbers("torque", torque)? })
    }

    /// Makes a wrench at a frame's origin, in the frame's axes. It moves with the body.
    #[staticmethod]
    #[pyo3(signature = (frame, force=None, torque=None))]
    fn local(
        frame: &Bound<'_, PyAny>,
        force: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::new(frame, force, torque, "frame", None, "frame")
    }

    /// Makes a wrench at a frame's origin, in the world's axes.
    #[staticmethod]
    #[pyo3(signature = (frame, force=None, torque=None))]
    fn local_world_aligned(
        frame: &Bound<'_, PyAny>,
        force: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::new(frame, force, torque, "world", None, "frame")
    }

    /// Makes a wrench in the world's axes, with the torque about the world's origin.
    #[staticmethod]
    #[pyo3(signature = (frame, force=None, torque=None))]
    fn world(
        frame: &Bound<'_, PyAny>,
        force: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let wrench = Self::new(frame, force, torque, "world", None, "frame")?;
        Ok(Self { point: At::InWorld(Triples::zero()), ..wrench })
    }

    /// Name of the frame it acts on.
    #[getter]
    fn frame(&self) -> &str {
        &self.frame.name
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

    /// Point at which it acts; None for the frame's origin.
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
        let (frame, force, torque, axes) = (&self.frame.name, &self.force, &self.torque, self.axes());
        format!("dtau.Wrench({frame:?}, force={force}, torque={torque}, axes=\"{axes}\"{point})")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let fields =
            (&this.frame.name, this.force(py)?, this.torque(py)?, this.axes(), this.point(py)?, this.point_in());
        Ok((py.import("dtau._dtau")?.getattr("_unpickle_wrench")?, fields.into_pyobject(py)?))
    }
}

impl PyWrench {
    /// Makes a wrench on a frame by name, at a given point or the origin.
    pub(crate) fn in_world_axes(frame: String, point: Option<[f64; 3]>, force: Triples, torque: Triples) -> Self {
        let point = point.map_or(At::Origin, |point| At::InFrame(Triples::of(Vec::new(), point.into())));
        Self { frame: GivenFrame::named(frame), axes: Axes::World, point, force, torque }
    }

    /// Returns it as number `k` of the forces of a single state.
    fn of_one_state(&self, k: usize, model: &PyModel) -> PyResult<Wrench<f64>> {
        let one = |name: &str, x: &Triples| {
            x.single().ok_or_else(|| {
                let (shape, name) = (shape_text(&x.shape()), format!("f_ext[{k}].{name}"));
                PyValueError::new_err(format!("`{name}` has shape {shape}, but there is one state; it must be (3,)"))
            })
        };
        let (force, torque) = (one("force", &self.force)?, one("torque", &self.torque)?);
        Ok(Wrench { force, torque, ..self.of_states(k, model)? })
    }

    /// Returns it as number `k` of the forces of many states. Forces that differ between states are zero here.
    pub(crate) fn of_states<F: Number>(&self, k: usize, model: &PyModel) -> PyResult<Wrench<F>> {
        let point = |x: &Triples| {
            x.single().map(|point| point.map(F::nearest)).ok_or_else(|| {
                let shape = shape_text(&x.shape());
                let message = format!("`f_ext[{k}].point` has shape {shape}; it must be (3,), the same for all states");
                PyValueError::new_err(message)
            })
        };
        let at = match &self.point {
            At::Origin => Point::Origin,
            At::InFrame(x) => Point::InFrame(point(x)?),
            At::InWorld(x) => Point::InWorld(point(x)?),
        };
        let common = |x: &Triples| x.single().unwrap_or_default().map(F::nearest);
        let frame = self.frame.of(model)?;
        Ok(Wrench { frame, axes: self.axes, at, force: common(&self.force), torque: common(&self.torque) })
    }
}

/// Restores a wrench from the output of `Wrench.__reduce__`.
#[pyfunction(name = "_unpickle_wrench")]
pub(crate) fn unpickle_wrench(
    frame: &Bound<'_, PyAny>,
    force: &Bound<'_, PyAny>,
    torque: &Bound<'_, PyAny>,
    axes: &str,
    point: Option<&Bound<'_, PyAny>>,
    point_in: &str,
) -> PyResult<PyWrench> {
    PyWrench::new(frame, Some(force), Some(torque), axes, point, point_in)
}

fn is_world(name: &str, given: &str) -> PyResult<bool> {
    match given {
        "frame" => Ok(false),
        "world" => Ok(true),
        _ => Err(PyValueError::new_err(format!("`{name}` is {given:?}; it must be \"frame\" or \"world\""))),
    }
}
