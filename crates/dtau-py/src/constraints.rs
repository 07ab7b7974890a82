//! `dtau.Constraints`: contacts, closed loops, coupled joints. Its methods follow the library's builder.
//!
//! A set stores its description and the constraints made from it. Adding a constraint makes a new set from a
//! longer description. Pickling, comparing and moving to another model also use the description.

use crate::arrays::{self, describe, shape_text};
use crate::errors::OrRaise;
use crate::frames::GivenFrame;
use crate::model::PyModel;
use crate::numbers::{Triples, numbers, placement, triple};
use crate::scene::PyWrench;
use dtau::model::FrameId;
use dtau::{ConstraintDescription, Constraints, ConstraintsDescription, Gains, Here, Line, Plane, Point, Rod, RowAxes};
use pyo3::exceptions::{PyFileNotFoundError, PyIndexError, PyKeyError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyString, PyTuple};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::PathBuf;

/// Constraints on a model: contacts with the world, closed loops, coupled joints.
///
/// A set is immutable: each method returns a new set with one more constraint. ``constrained`` functions take
/// the set after the model. Every constraint has some *rows*, and every row a force λ along the row's axis. λ
/// acts on the constrained frame; the opposite force acts on the other frame or the world, at the same point.
/// M q̈ + b = τ + Jᵀλ.
///
/// >>> import dtau, numpy as np
/// >>> model = dtau.Model.bundled("quadruped", root="floating")
/// >>> q, v = model.neutral(), np.zeros(model.nv)
/// >>> feet = (
/// ...     dtau.Constraints(model)
/// ...     .point("lf_foot").at_world_here(q)             # held where it is now
/// ...     .point("rh_foot").at_world([-0.3, -0.2, -0.4])  # held there
/// ...     .stabilise(kp=100, kd=20)
/// ... )
/// >>> feet
/// <dtau.Constraints of "quadruped": lf_foot (x, y, z), rh_foot (x, y, z)>
/// >>> out = dtau.constrained_fd(model, feet, q, v, np.zeros(model.nv))
/// >>> out.lambda_[feet["lf_foot"].rows].shape             # the force on the front left foot [N], in the world's axes
/// (3,)
#[pyclass(name = "Constraints", module = "dtau", frozen, weakref)]
pub(crate) struct PyConstraints {
    model: Py<PyModel>,
    pub(crate) set: Constraints,
    description: ConstraintsDescription,
}

#[pymethods]
impl PyConstraints {
    #[new]
    fn new(model: Py<PyModel>) -> PyResult<Self> {
        Self::made(model, ConstraintsDescription::default())
    }

    /// Reads constraints from a TOML or JSON file, in the format of the command ``dtau``.
    ///
    /// Parameters
    /// ----------
    /// model : dtau.Model
    /// path : str or os.PathLike
    ///     A file whose name ends in ``.toml`` or ``.json``; docs/python.md describes the format.
    #[staticmethod]
    fn from_file(model: Py<PyModel>, path: PathBuf) -> PyResult<Self> {
        let text = std::fs::read_to_string(&path).map_err(|error| {
            let message = format!("{}: cannot be read: {error}", path.display());
            if error.kind() == io::ErrorKind::NotFound {
                PyFileNotFoundError::new_err(message)
            } else {
                PyOSError::new_err(message)
            }
        })?;
        let description = dtau_cli::constraints::parse(&path, &text).map_err(PyValueError::new_err)?;
        let set = Constraints::describe(&model.get().model, &description);
        let set = set.map_err(|error| error.in_file(path.display().to_string())).or_raise()?;
        Ok(Self { model, set, description })
    }

    /// Starts a constraint on a point of a frame. Call a method of the result to say how it is held.
    ///
    /// Parameters
    /// ----------
    /// frame : str, dtau.Frame or dtau.Joint
    ///     The point is the frame's origin, unless :meth:`PointOf.at` is called.
    fn point(slf: &Bound<'_, Self>, frame: &Bound<'_, PyAny>) -> PyResult<PyPointOf> {
        let item = ConstraintDescription { point: Some(slf.get().name_of("frame", frame)?), ..Default::default() };
        Ok(PyPointOf(Growing::new(slf, item)))
    }

    /// Starts a constraint on a frame, position and rotation. Call a method of the result to say how it is held.
    ///
    /// Parameters
    /// ----------
    /// frame : str, dtau.Frame or dtau.Joint
    fn frame(slf: &Bound<'_, Self>, frame: &Bound<'_, PyAny>) -> PyResult<PyFrameOf> {
        let item = ConstraintDescription { frame: Some(slf.get().name_of("frame", frame)?), ..Default::default() };
        Ok(PyFrameOf(Growing::new(slf, item)))
    }

    /// Starts a linear relation between joints with one degree of freedom. Call a method of the result to
    /// give the sum.
    ///
    /// Parameters
    /// ----------
    /// factors : dict
    ///     Factor of each joint, by name. A gear of ratio 2 is ``.joints({"a": 1, "b": -2}).sum_to(0)``.
    fn joints(slf: &Bound<'_, Self>, factors: &Bound<'_, PyDict>) -> PyResult<PyJointsOf> {
        let joints = factors.extract().map_err(|_| {
            PyTypeError::new_err("`factors` must have a number for each joint, by name, such as {\"a\": 1, \"b\": -2}")
        })?;
        let item = ConstraintDescription { joints: Some(joints), ..Default::default() };
        Ok(PyJointsOf(Growing::new(slf, item)))
    }

    /// Adds a constraint given in the format of a constraint file; see docs/python.md. ``with`` is a Python
    /// keyword, so write ``with_``.
    ///
    /// ``.add(point="lf_foot", plane={"through": [0, 0, 0], "normal": [0, 0, 1]})`` is
    /// ``.point("lf_foot").in_world_plane([0, 0, 0], [0, 0, 1])``.
    #[pyo3(signature = (**words))]
    fn add(slf: &Bound<'_, Self>, words: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let set = slf.get();
        let mut said = serde_json::Map::new();
        for (word, given) in words.into_iter().flatten() {
            let word: String = word.extract()?;
            let value = match &*word {
                "point" | "frame" | "with_" => set.name_of(&word, &given)?.into(),
                _ => as_json(&word, &given)?,
            };
            said.insert(word.trim_end_matches('_').into(), value);
        }
        let item: ConstraintDescription =
            serde_json::from_value(said.into()).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Growing::new(slf, item).held(slf.py(), None, |_| ())
    }

    /// Sets gains for all constraints without their own: c̈ = −kd ċ − kp c corrects drift.
    ///
    /// Parameters
    /// ----------
    /// kp : float
    ///     Gain of the position [1/s²].
    /// kd : float
    ///     Gain of the velocity [1/s]; 2 √kp is critical damping.
    fn stabilise(slf: &Bound<'_, Self>, kp: f64, kd: f64) -> PyResult<Self> {
        let mut description = slf.get().description.clone();
        description.stabilise = Some(Gains { kp, kd });
        Self::made(slf.get().model.clone_ref(slf.py()), description)
    }

    /// Returns the same constraints on another model, such as one with a payload. Positions given as "here"
    /// are evaluated on that model.
    fn on(&self, model: Py<PyModel>) -> PyResult<Self> {
        Self::made(model, self.description.clone())
    }

    /// Model that the set was made for.
    #[getter]
    fn model(&self, py: Python<'_>) -> Py<PyModel> {
        self.model.clone_ref(py)
    }

    /// Number of rows of all constraints, the length of λ.
    #[getter]
    fn rows(&self) -> usize {
        self.set.rows()
    }

    /// Name of every row: the constraint and the direction.
    #[getter]
    fn row_names(&self) -> Vec<String> {
        self.set.row_names()
    }

    /// Returns the forces λ as wrenches on the robot, in the world's axes: on each constrained frame at the
    /// constrained point, and the opposite on the other frame, unless it is the world. Joint relations have
    /// no wrenches.
    ///
    /// ``dtau.rnea(model, q, v, out.qdd, f_ext=feet.wrenches(q, out.lambda_))`` returns the torques.
    ///
    /// Parameters
    /// ----------
    /// q : array of shape (nq,) or (..., nq)
    /// lambda_ : array of shape (rows,) or (..., rows)
    ///
    /// Returns
    /// -------
    /// list of dtau.Wrench
    fn wrenches<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        lambda_: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<PyWrench>> {
        let (nq, rows) = (self.model.get().model.nq(), self.set.rows());
        let (q_shape, _) = lead_of("q", q, nq)?;
        let (lambda_shape, _) = lead_of("lambda_", lambda_, rows)?;
        let numpy = arrays::numpy(py)?;
        let lead = numpy.call_method1("broadcast_shapes", (q_shape.clone(), lambda_shape.clone()));
        let lead: Vec<usize> = lead
            .map_err(|_| {
                let (q, lambda) = (shape_text(&q_shape), shape_text(&lambda_shape));
                PyValueError::new_err(format!("the states of `q` and `lambda_` do not broadcast: {q} and {lambda}"))
            })?
            .extract()?;
        let (q, lambda) =
            (arrays::spread::<f64>("q", q, &lead, &[nq])?, arrays::spread::<f64>("lambda_", lambda_, &lead, &[rows])?);
        let mut all = Vec::new(); // frame and point of every wrench; its forces and torques, state by state
        for state in 0..lead.iter().product() {
            let (q, lambda) = (&q[state * nq..][..nq], &lambda[state * rows..][..rows]);
            let each = self.set.wrenches(q, lambda).or_raise()?;
            let each = each.iter().flat_map(|wrench| [Some(wrench.on), wrench.by]).flatten();
            for (k, wrench) in each.enumerate() {
                if state == 0 {
                    let point = match wrench.at {
                        Point::InFrame(point) if point != [0.0; 3] => Some(point),
                        _ => None,
                    };
                    all.push((wrench.frame, point, Vec::new(), Vec::<f64>::new()));
                }
                all[k].2.extend(wrench.force);
                all[k].3.extend(wrench.torque);
            }
        }
        let name = |frame: FrameId| self.model.get().model.frame_info(frame).full_name();
        let wrench = |(frame, point, force, torque)| {
            let [force, torque] = [force, torque].map(|numbers| Triples::of(lead.clone(), numbers));
            PyWrench::in_world_axes(name(frame), point, force, torque)
        };
        Ok(all.into_iter().map(wrench).collect())
    }

    fn __len__(&self) -> usize {
        self.set.len()
    }

    /// Returns one constraint, by its name or its index.
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<PyConstraint> {
        if let Ok(name) = key.cast::<PyString>() {
            let name = name.to_cow()?;
            let found: Vec<usize> =
                self.set.iter().enumerate().filter(|(_, item)| item.name() == name).map(|(k, _)| k).collect();
            return match found[..] {
                [k] => self.item(k),
                [] => {
                    let names: Vec<&str> = self.set.iter().map(dtau::Constraint::name).collect();
                    let names = names.join(", ");
                    Err(PyKeyError::new_err(format!("there is no constraint {name:?}; there are: {names}")))
                }
                _ => Err(PyKeyError::new_err(format!(
                    "{} constraints are called {name:?}; name them apart with .called(…)",
                    found.len()
                ))),
            };
        }
        let Ok(place) = key.extract::<isize>() else {
            let got = describe(key);
            return Err(PyTypeError::new_err(format!(
                "a constraint is asked for by {got}; give its name or its place"
            )));
        };
        let k = if place < 0 { place + self.set.len() as isize } else { place };
        match usize::try_from(k) {
            Ok(k) if k < self.set.len() => self.item(k),
            _ => Err(PyIndexError::new_err(format!("there are {} constraints, not one at {place}", self.set.len()))),
        }
    }

    fn __repr__(&self) -> String {
        let item = |item: &dtau::Constraint| format!("{} ({})", item.name(), item.row_names().join(", "));
        let items = self.set.iter().map(item).collect::<Vec<_>>().join(", ");
        let items = if items.is_empty() { "none yet".to_owned() } else { items };
        format!("<dtau.Constraints of \"{}\": {items}>", self.set.model().name())
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<PyConstraints>() else { return Ok(false) };
        let other = other.get();
        Ok(self.description == other.description && self.model.bind(py).eq(other.model.bind(py))?)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.row_names().hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let text =
            serde_json::to_string(&self.description).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let make = py.import("dtau._dtau")?.getattr("_unpickle_constraints")?;
        Ok((make, (self.model.clone_ref(py), text).into_pyobject(py)?))
    }
}

impl PyConstraints {
    fn made(model: Py<PyModel>, description: ConstraintsDescription) -> PyResult<Self> {
        let set = Constraints::describe(&model.get().model, &description).or_raise()?;
        Ok(Self { model, set, description })
    }

    /// Returns a frame's name as used for look-up in the model.
    fn name_of(&self, name: &str, given: &Bound<'_, PyAny>) -> PyResult<String> {
        let given_frame = GivenFrame::new(name, given.as_borrowed())?;
        if given.is_instance_of::<PyString>() {
            return Ok(given_frame.name); // if there is no such frame, the library's error names the constraint
        }
        let model = self.model.get();
        Ok(model.model.frame_info(given_frame.of(model)?).full_name())
    }

    fn item(&self, k: usize) -> PyResult<PyConstraint> {
        let item = self.set.iter().nth(k).expect("as many as its length");
        let model = &self.set.model();
        let frame = |frame: Option<FrameId>| frame.map(|frame| model.frame_info(frame).full_name());
        let axes = item.axes().map(|axes| match axes {
            RowAxes::First => "first",
            RowAxes::Second => "second",
            RowAxes::World => "world",
        });
        let Gains { kp, kd } = item.gains();
        Ok(PyConstraint {
            name: item.name().into(),
            rows: item.rows(),
            row_names: item.row_names(),
            frame: frame(item.frame()),
            other: frame(item.other()),
            axes,
            kp,
            kd,
        })
    }
}

/// Converts the value of a key: a string, a list of strings, a bool, numbers, or a dict of these.
fn as_json(word: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(dict) = given.cast::<PyDict>() {
        let each = dict.iter().map(|(name, given)| Ok((name.extract()?, as_json(word, &given)?)));
        return Ok(Value::Object(each.collect::<PyResult<_>>()?));
    }
    if let Ok(yes) = given.extract::<bool>() {
        return Ok(yes.into());
    }
    if let Ok(text) = given.extract::<String>() {
        return Ok(text.into());
    }
    if let Ok(texts) = given.extract::<Vec<String>>() {
        return Ok(texts.into());
    }
    let (shape, numbers) = numbers(word, given)?;
    let whole = numbers.into_iter().map(Value::from).collect();
    let rows = shape.iter().skip(1).rev().fold(whole, |all: Vec<Value>, &length| {
        all.chunks(length.max(1)).map(|row| Value::from(row.to_vec())).collect()
    });
    Ok(if shape.is_empty() { rows.into_iter().collect::<Vec<_>>().remove(0) } else { rows.into() })
}

/// Returns the leading axes of an array, and the number of its entries.
fn lead_of(name: &str, given: &Bound<'_, PyAny>, length: usize) -> PyResult<(Vec<usize>, usize)> {
    let (mut shape, numbers) = numbers(name, given)?;
    if shape.pop() != Some(length) {
        let got = describe(given);
        return Err(PyValueError::new_err(format!("`{name}` is {got}; its last axis must have the length {length}")));
    }
    Ok((shape, numbers.len()))
}

/// Restores constraints from the output of `Constraints.__reduce__`.
#[pyfunction(name = "_unpickle_constraints")]
pub(crate) fn unpickle_constraints(model: Py<PyModel>, text: &str) -> PyResult<PyConstraints> {
    let refuse = |why| PyValueError::new_err(format!("these are no pickled dtau.Constraints: {why}"));
    PyConstraints::made(model, serde_json::from_str(text).map_err(refuse)?)
}

/// One constraint of a set: its name, its rows, and the frames that their forces act on.
#[pyclass(name = "Constraint", module = "dtau", frozen)]
pub(crate) struct PyConstraint {
    /// Name in messages.
    #[pyo3(get)]
    name: String,
    rows: std::ops::Range<usize>,
    /// Name of each row: "x", or "about z" for a torque.
    #[pyo3(get)]
    row_names: Vec<String>,
    /// Constrained frame, on which the forces act; None for joints.
    #[pyo3(get)]
    frame: Option<String>,
    /// Frame that holds it, on which the opposite forces act; None for the world.
    #[pyo3(get)]
    other: Option<String>,
    /// Axes of rows and forces: "first" (the constrained frame), "second" (the frame that holds it) or
    /// "world". None for distances and joints.
    #[pyo3(get)]
    axes: Option<&'static str>,
    /// Gain of the position [1/s²].
    #[pyo3(get)]
    kp: f64,
    /// Gain of the velocity [1/s].
    #[pyo3(get)]
    kd: f64,
}

#[pymethods]
impl PyConstraint {
    /// Rows in the set: λ[rows] are the forces of this constraint.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PySlice> {
        PySlice::new(py, self.rows.start as isize, self.rows.end as isize, 1)
    }

    fn __repr__(&self) -> String {
        format!("<dtau.Constraint \"{}\": {}>", self.name, self.row_names.join(", "))
    }
}

/// Incomplete constraint.
#[derive(Clone)]
struct Growing {
    set: std::sync::Arc<Py<PyConstraints>>,
    item: ConstraintDescription,
}

impl Growing {
    fn new(set: &Bound<'_, PyConstraints>, item: ConstraintDescription) -> Self {
        Self { set: std::sync::Arc::new(set.clone().unbind()), item }
    }

    /// Returns a copy with changes.
    fn with(&self, say: impl FnOnce(&mut ConstraintDescription)) -> Self {
        let mut grown = self.clone();
        say(&mut grown.item);
        grown
    }

    /// Returns the set with this constraint added, held by the world or by another frame.
    fn held(
        &self,
        py: Python<'_>,
        other: Option<&Bound<'_, PyAny>>,
        say: impl FnOnce(&mut ConstraintDescription),
    ) -> PyResult<PyConstraints> {
        let set = self.set.get();
        let (mut description, mut item) = (set.description.clone(), self.item.clone());
        if let Some(other) = other {
            item.with = Some(set.name_of("other", other)?);
        }
        say(&mut item);
        description.constraint.push(item);
        PyConstraints::made(set.model.clone_ref(py), description)
    }

    fn gains(&self, kp: f64, kd: f64) -> Self {
        self.with(|item| item.gains = Some(Gains { kp, kd }))
    }

    fn axes(&self, axes: &str) -> PyResult<Self> {
        let known = match axes {
            "first" => RowAxes::First,
            "second" => RowAxes::Second,
            "world" => RowAxes::World,
            _ => {
                let message = format!("`axes` is {axes:?}; it must be \"first\", \"second\" or \"world\"");
                return Err(PyValueError::new_err(message));
            }
        };
        Ok(self.with(|item| item.axes = Some(known)))
    }
}

/// Reads a configuration.
fn configuration(q: &Bound<'_, PyAny>) -> PyResult<Option<Here>> {
    let (shape, numbers) = numbers("q", q)?;
    if shape.len() != 1 {
        let shape = shape_text(&shape);
        return Err(PyValueError::new_err(format!("`q` has shape {shape}; it must be one configuration, (nq,)")));
    }
    Ok(Some(Here::At(numbers)))
}

/// A point of the robot to be held, made by :meth:`Constraints.point`. Call a method to say how.
#[pyclass(name = "PointOf", module = "dtau", frozen)]
pub(crate) struct PyPointOf(Growing);

#[pymethods]
impl PyPointOf {
    /// Sets its name in messages and in :attr:`Constraints.row_names`.
    fn called(&self, name: String) -> Self {
        Self(self.0.with(|item| item.name = Some(name)))
    }

    /// Sets its own gains; see :meth:`Constraints.stabilise`.
    fn gains(&self, kp: f64, kd: f64) -> Self {
        Self(self.0.gains(kp, kd))
    }

    /// Sets the point, in the frame's coordinates [m].
    fn at(&self, point: &Bound<'_, PyAny>) -> PyResult<Self> {
        let point = triple("point", point)?;
        Ok(Self(self.0.with(|item| item.at = Some(point))))
    }

    /// Sets the axes of its rows and forces: "first" (its frame), "second" (the frame that holds it, the
    /// default) or "world".
    fn axes(&self, axes: &str) -> PyResult<Self> {
        self.0.axes(axes).map(Self)
    }

    /// Holds it at a point of the world.
    fn at_world(&self, py: Python<'_>, point: &Bound<'_, PyAny>) -> PyResult<PyConstraints> {
        let point = triple("point", point)?;
        self.0.held(py, None, |item| item.position = Some(point))
    }

    /// Holds it where it is in the world at `q`.
    fn at_world_here(&self, py: Python<'_>, q: &Bound<'_, PyAny>) -> PyResult<PyConstraints> {
        let here = configuration(q)?;
        self.0.held(py, None, |item| item.here = here)
    }

    /// Holds it at a point of another frame: a ball joint that closes a loop.
    fn with_(&self, py: Python<'_>, other: &Bound<'_, PyAny>, point: &Bound<'_, PyAny>) -> PyResult<PyConstraints> {
        let point = triple("point", point)?;
        self.0.held(py, Some(other), |item| item.position = Some(point))
    }

    /// Holds it at its position in another frame at `q`.
    fn with_here(&self, py: Python<'_>, other: &Bound<'_, PyAny>, q: &Bound<'_, PyAny>) -> PyResult<PyConstraints> {
        let here = configuration(q)?;
        self.0.held(py, Some(other), |item| item.here = here)
    }

    /// Keeps it in a plane of the world, given by a point and a normal.
    fn in_world_plane(
        &self,
        py: Python<'_>,
        point: &Bound<'_, PyAny>,
        normal: &Bound<'_, PyAny>,
    ) -> PyResult<PyConstraints> {
        let plane = Plane { through: triple("point", point)?, normal: triple("normal", normal)? };
        self.0.held(py, None, |item| item.plane = Some(plane))
    }

    /// Keeps it in a plane of another frame.
    fn in_plane_of(
        &self,
        py: Python<'_>,
        other: &Bound<'_, PyAny>,
        point: &Bound<'_, PyAny>,
        normal: &Bound<'_, PyAny>,
    ) -> PyResult<PyConstraints> {
        let plane = Plane { through: triple("point", point)?, normal: triple("normal", normal)? };
        self.0.held(py, Some(other), |item| item.plane = Some(plane))
    }

    /// Keeps it on a line of the world, given by a point and a direction.
    fn on_world_line(
        &self,
        py: Python<'_>,
        point: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
    ) -> PyResult<PyConstraints> {
        let line = Line { through: triple("point", point)?, along: triple("direction", direction)? };
        self.0.held(py, None, |item| item.line = Some(line))
    }

    /// Keeps it on a line of another frame.
    fn on_line_of(
        &self,
        py: Python<'_>,
        other: &Bound<'_, PyAny>,
        point: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
    ) -> PyResult<PyConstraints> {
        let line = Line { through: triple("point", point)?, along: triple("direction", direction)? };
        self.0.held(py, Some(other), |item| item.line = Some(line))
    }

    /// Keeps it at a distance from a point of the world: a rod.
    fn at_distance_of_world(&self, py: Python<'_>, point: &Bound<'_, PyAny>, length: f64) -> PyResult<PyConstraints> {
        let rod = Rod { from: triple("point", point)?, length };
        self.0.held(py, None, |item| item.distance = Some(rod))
    }

    /// Keeps it at a distance from a point of another frame.
    fn at_distance_of(
        &self,
        py: Python<'_>,
        other: &Bound<'_, PyAny>,
        point: &Bound<'_, PyAny>,
        length: f64,
    ) -> PyResult<PyConstraints> {
        let rod = Rod { from: triple("point", point)?, length };
        self.0.held(py, Some(other), |item| item.distance = Some(rod))
    }

    fn __repr__(&self) -> String {
        format!("<dtau.PointOf \"{}\": say where it is held>", self.0.item.point.as_deref().unwrap_or_default())
    }
}

/// A frame of the robot to be held, made by :meth:`Constraints.frame`. Call a method to say how.
#[pyclass(name = "FrameOf", module = "dtau", frozen)]
pub(crate) struct PyFrameOf(Growing);

#[pymethods]
impl PyFrameOf {
    /// Sets its name in messages and in :attr:`Constraints.row_names`.
    fn called(&self, name: String) -> Self {
        Self(self.0.with(|item| item.name = Some(name)))
    }

    /// Sets its own gains; see :meth:`Constraints.stabilise`.
    fn gains(&self, kp: f64, kd: f64) -> Self {
        Self(self.0.gains(kp, kd))
    }

    /// Sets the axes of its rows and forces: "first" (its own, the default), "second" (the frame that holds
    /// it) or "world".
    fn axes(&self, axes: &str) -> PyResult<Self> {
        self.0.axes(axes).map(Self)
    }

    /// Holds only some directions of its own axes: of "x", "y", "z", "about x", "about y", "about z".
    fn only(&self, directions: Vec<String>) -> Self {
        Self(self.0.with(|item| item.only = Some(directions)))
    }

    /// Holds all directions except the rotation about its own z: a hinge that closes a loop.
    fn hinge(&self) -> Self {
        self.only(["x", "y", "z", "about x", "about y"].map(String::from).into())
    }

    /// Holds it at a pose in the world: a position (3,) or a homogeneous matrix (4, 4).
    fn at_world(&self, py: Python<'_>, placement: &Bound<'_, PyAny>) -> PyResult<PyConstraints> {
        let place = self::placement("placement", placement)?;
        self.0.held(py, None, |item| put(item, &place))
    }

    /// Holds it at its pose in the world at `q`.
    fn at_world_here(&self, py: Python<'_>, q: &Bound<'_, PyAny>) -> PyResult<PyConstraints> {
        let here = configuration(q)?;
        self.0.held(py, None, |item| item.here = here)
    }

    /// Holds it at a pose in another frame: a closed loop.
    fn with_(&self, py: Python<'_>, other: &Bound<'_, PyAny>, placement: &Bound<'_, PyAny>) -> PyResult<PyConstraints> {
        let place = self::placement("placement", placement)?;
        self.0.held(py, Some(other), |item| put(item, &place))
    }

    /// Holds it at its pose in another frame at `q`.
    fn with_here(&self, py: Python<'_>, other: &Bound<'_, PyAny>, q: &Bound<'_, PyAny>) -> PyResult<PyConstraints> {
        let here = configuration(q)?;
        self.0.held(py, Some(other), |item| item.here = here)
    }

    fn __repr__(&self) -> String {
        format!("<dtau.FrameOf \"{}\": say where it is held>", self.0.item.frame.as_deref().unwrap_or_default())
    }
}

fn put(item: &mut ConstraintDescription, place: &dtau::spatial::Transform<f64>) {
    (item.position, item.rotation) = (Some(place.pos.to_array()), Some(place.rot.to_rows()));
}

/// Joints in a linear relation, made by :meth:`Constraints.joints`. Call a method to give the sum.
#[pyclass(name = "JointsOf", module = "dtau", frozen)]
pub(crate) struct PyJointsOf(Growing);

#[pymethods]
impl PyJointsOf {
    /// Sets its name in messages and in :attr:`Constraints.row_names`.
    fn called(&self, name: String) -> Self {
        Self(self.0.with(|item| item.name = Some(name)))
    }

    /// Sets its own gains; see :meth:`Constraints.stabilise`.
    fn gains(&self, kp: f64, kd: f64) -> Self {
        Self(self.0.gains(kp, kd))
    }

    /// Sets the sum of factors times coordinates.
    fn sum_to(&self, py: Python<'_>, constant: f64) -> PyResult<PyConstraints> {
        self.0.held(py, None, |item| item.sum = Some(constant))
    }

    /// Sets the sum to its value at `q`.
    fn sum_to_here(&self, py: Python<'_>, q: &Bound<'_, PyAny>) -> PyResult<PyConstraints> {
        let here = configuration(q)?;
        self.0.held(py, None, |item| item.here = here)
    }

    fn __repr__(&self) -> String {
        let joints = self.0.item.joints.iter().flatten().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
        format!("<dtau.JointsOf {}: say what they sum to>", joints.join(", "))
    }
}
