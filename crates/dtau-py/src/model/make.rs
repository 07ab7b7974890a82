//! Makes models from files, text, names and rules.

use super::PyModel;
use super::options::Making;
use crate::errors::OrRaise;
use dtau::model::{Description, Model, Options, generate};
use dtau::{bundled_names, bundled_urdf, urdf};
use numpy::PyArray1;
use pyo3::exceptions::{PyFileNotFoundError, PyIsADirectoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::io;
use std::path::{Path, PathBuf};

#[pymethods]
impl PyModel {
    #[new]
    #[pyo3(signature = (*_arguments, **_options), text_signature = "()")]
    fn new_by_call(_arguments: &Bound<'_, PyTuple>, _options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Err(PyTypeError::new_err(
            "dtau.Model cannot be called; make a model with dtau.Model.from_urdf(path), from_mjcf(path), from_file(path) or \
             bundled(name), with dtau.load(name), or with a dtau.ModelBuilder",
        ))
    }

    /// Reads a robot from a file: URDF, MJCF or xacro. A xacro file needs the package ``xacrodoc``.
    ///
    /// The content of the file tells its format. Names of xacro files end in ``.xacro``. :func:`dtau.load` also finds robots
    /// by name.
    ///
    /// Parameters
    /// ----------
    /// path : str or os.PathLike
    ///     The file.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the file breaks a rule; the message says where, what, and what to do.
    /// FileNotFoundError
    ///     If there is no such file.
    /// ModuleNotFoundError
    ///     If it is a xacro file and ``xacrodoc`` is not installed.
    ///
    /// Examples
    /// --------
    /// >>> import dtau, pathlib, tempfile
    /// >>> path = pathlib.Path(tempfile.mkdtemp(), "arm.urdf")
    /// >>> _ = path.write_text(dtau.bundled_urdf("arm6"))
    /// >>> dtau.Model.from_file(path, root="floating").nv
    /// 12
    #[doc = include_str!("../text/options.txt")]
    #[staticmethod]
    #[pyo3(signature = (path, **options), text_signature = "(path, *, root='fixed', order='file', mimic='honour', \
        gravity=(0, 0, -9.81), damping=True, friction=True, armature=True, allow_massless=False, exact=False, \
        friction_speed=0.01, ignore=(), root_placement=(0, 0, 0))")]
    fn from_file(path: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let making = Making::new("from_file", Options::default(), options)?;
        let Ok(file) = path.extract::<PathBuf>() else {
            let got = crate::arrays::describe(path);
            return Err(PyTypeError::new_err(format!("`path` is {got}; it must be the path of a file")));
        };
        from_path(path.py(), &file, "", &making)
    }

    /// Reads a robot from a URDF: a file path, or the text itself.
    ///
    /// Parameters
    /// ----------
    /// source : str or os.PathLike
    ///     A path, or the text: a string that contains ``<`` is taken as text.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the text is not a URDF or breaks a rule. The message says where, what is wrong, and what to do.
    /// FileNotFoundError
    ///     If the file does not exist.
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> model = dtau.Model.from_urdf(dtau.bundled_urdf("arm6"), gravity=(0, 0, 0))
    /// >>> model
    /// <dtau.Model "arm6": nq 6, nv 6, 6 bodies, root fixed>
    #[doc = include_str!("../text/options.txt")]
    #[staticmethod]
    #[pyo3(signature = (source, **options), text_signature = "(source, *, root='fixed', order='file', mimic='honour', \
        gravity=(0, 0, -9.81), damping=True, friction=True, armature=True, allow_massless=False, exact=False, \
        friction_speed=0.01, ignore=(), root_placement=(0, 0, 0))")]
    fn from_urdf(source: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        from_source("from_urdf", source, options)
    }

    /// Reads a robot from an MJCF, MuJoCo's format: a file path, or the text itself.
    ///
    /// q is MuJoCo's qpos with quaternions as [x y z w]. v is qvel, except that the linear velocity of free
    /// joints is in the body's axes. :class:`dtau.convert.MuJoCo` converts. Gravity is the file's unless
    /// given here. The format is detected from the text: a URDF is accepted too.
    ///
    /// Parameters
    /// ----------
    /// source : str or os.PathLike
    ///     A path, or the text: a string that contains ``<`` is taken as text. A text cannot use other files:
    ///     no includes, and no mesh files for masses.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If it breaks a rule, or uses dynamics that dtau does not compute, such as fluids. The message has
    ///     file, line and element.
    /// FileNotFoundError
    ///     If the file does not exist.
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> model = dtau.Model.from_mjcf('''<mujoco model="pendulum"><worldbody><body name="rod">
    /// ...     <joint name="hip" axis="0 1 0" damping="0.1"/><geom type="capsule" size="0.05" fromto="0 0 0 0 0 -1"/>
    /// ... </body></worldbody></mujoco>''')
    /// >>> model
    /// <dtau.Model "pendulum": nq 1, nv 1, 1 body, root fixed>
    #[doc = include_str!("../text/options.txt")]
    #[staticmethod]
    #[pyo3(signature = (source, **options), text_signature = "(source, *, root='fixed', order='file', mimic='honour', \
        gravity=(0, 0, -9.81), damping=True, friction=True, armature=True, allow_massless=False, exact=False, \
        friction_speed=0.01, ignore=(), root_placement=(0, 0, 0))")]
    fn from_mjcf(source: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        from_source("from_mjcf", source, options)
    }

    /// Returns the robot as URDF text. Reading it back gives the same dynamics, bit for bit.
    ///
    /// URDF has no poses, actuators or equality constraints.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If URDF cannot represent the robot, for example with another gravity. The message says why.
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> arm = dtau.Model.bundled("arm6")
    /// >>> dtau.Model.from_urdf(arm.to_urdf()).nv
    /// 6
    fn to_urdf(&self) -> PyResult<String> {
        self.model.description().to_urdf().or_raise()
    }

    /// Returns the robot and its options as JSON.
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> arm = dtau.Model.bundled("arm6", gravity=(0, 0, -1.62))
    /// >>> dtau.Model.from_json(arm.to_json()) == arm
    /// True
    fn to_json(&self) -> PyResult<String> {
        let all = serde_json::json!({ "robot": self.model.description(), "options": self.model.options() });
        serde_json::to_string_pretty(&all).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Makes a robot from the output of :meth:`to_json`.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If it is not JSON of a robot, or the robot is not valid.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        #[derive(serde::Deserialize)]
        struct Stored {
            robot: Description,
            options: Options,
        }
        let Stored { robot, options } = serde_json::from_str(text)
            .map_err(|error| PyValueError::new_err(format!("it is no JSON of a dtau.Model: {error}")))?;
        Ok(Self::new(Model::build(&robot, &options).or_raise()?))
    }

    /// Names of the configurations in the robot's file, such as MJCF's keyframes; ``qpos0`` is MuJoCo's
    /// reference configuration.
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.model.poses().collect::<Vec<_>>())
    }

    /// Returns a configuration of the robot's file by its name: an array of shape (nq,).
    ///
    /// Raises
    /// ------
    /// KeyError
    ///     If there is no configuration of that name.
    fn pose<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, self.model.pose(name).or_raise()?))
    }

    /// Actuators of the robot's file, as data: name, kind, kind and name of the target, and gear.
    #[getter]
    fn actuators(&self) -> Vec<(String, String, String, String, Vec<f64>)> {
        let all = self.model.description().actuators.iter().cloned();
        all.map(|a| (a.name, a.kind, a.on, a.target, a.gear)).collect()
    }

    /// Loads a robot that comes with the package: see :func:`dtau.bundled_names`. Legged robots need
    /// ``root="floating"``.
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> dtau.Model.bundled("humanoid", root="floating").nv
    /// 39
    #[doc = include_str!("../text/options.txt")]
    #[staticmethod]
    #[pyo3(signature = (name, **options), text_signature = "(name, *, root='fixed', order='file', mimic='honour', \
        gravity=(0, 0, -9.81), damping=True, friction=True, armature=True, allow_massless=False, exact=False, \
        friction_speed=0.01, ignore=(), root_placement=(0, 0, 0))")]
    fn bundled(name: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let making = Making::new("bundled", Options::default(), options)?;
        build(urdf::parse(text_of(name)?).or_raise()?, &making)
    }
}

/// Makes a robot from a path or text. The format is detected from the text.
fn from_source(function: &str, source: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyModel> {
    let making = Making::new(function, Options::default(), options)?;
    if let Ok(text) = source.cast::<PyString>()
        && text.to_str()?.contains('<')
    {
        return build(Description::from_text_with(text.to_str()?, &making.options).or_raise()?, &making);
    }
    let Ok(path) = source.extract::<PathBuf>() else {
        let (got, format) =
            (crate::arrays::describe(source), if function == "from_mjcf" { "an MJCF" } else { "a URDF" });
        return Err(PyTypeError::new_err(format!("`source` is {got}; it must be a path or the text of {format}")));
    };
    let format = if function == "from_mjcf" { "an MJCF" } else { "a URDF" };
    from_path(source.py(), &path, &format!(" (a string with a `<` in it is read as {format})"), &making)
}

/// Reads a robot from a file. `or` ends the error of a missing file.
fn from_path(py: Python<'_>, path: &Path, or: &str, making: &Making) -> PyResult<PyModel> {
    let (shown, metadata) = (path.display(), std::fs::metadata(path));
    // The reader reports other errors, such as a loop of symbolic links.
    if metadata.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        let or = match path.to_str() {
            Some(name) if bundled_urdf(name).is_some() => {
                format!("; the bundled robot is dtau.Model.bundled(\"{name}\")")
            }
            Some(name) if path.extension().is_none() && path.components().count() == 1 => {
                format!("; dtau.load(\"{name}\") finds robots by name")
            }
            _ => or.into(),
        };
        return Err(PyFileNotFoundError::new_err(format!("{shown}: there is no such file{or}")));
    }
    if metadata.is_ok_and(|file| file.is_dir()) {
        return Err(PyIsADirectoryError::new_err(format!("{shown}: is a directory; give the robot's file in it")));
    }
    let in_file = |error: dtau::Error| error.in_file(shown.to_string());
    let mut description = if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("xacro")) {
        let text: String = py.import("dtau._load")?.getattr("urdf_of_xacro")?.call1((path,))?.extract()?;
        Description::from_text_with(&text, &making.options).map_err(in_file).or_raise()?
    } else {
        Description::from_file_with(path, &making.options).or_raise()?
    };
    making.strip(&mut description);
    Ok(PyModel::new(Model::build(&description, &making.options).map_err(in_file).or_raise()?))
}

/// Compiles a robot.
pub(super) fn build(mut description: Description, making: &Making) -> PyResult<PyModel> {
    making.strip(&mut description);
    Ok(PyModel::new(Model::build(&description, &making.options).or_raise()?))
}

fn text_of(name: &str) -> PyResult<&'static str> {
    // For an unknown name, the error lists the known names.
    bundled_urdf(name).map_or_else(|| Model::bundled(name, &Options::default()).or_raise().map(|_| ""), Ok)
}

/// Returns the names of the bundled robots.
///
/// >>> import dtau
/// >>> dtau.bundled_names()
/// ('double_pendulum', 'arm6', 'arm7_gripper', 'quadruped', 'humanoid')
#[pyfunction(name = "bundled_names")]
pub(crate) fn names_of_bundled(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, bundled_names().collect::<Vec<_>>())
}

/// Returns the URDF of a bundled robot.
///
/// >>> import dtau
/// >>> dtau.bundled_urdf("arm6").startswith("<")
/// True
#[pyfunction(name = "bundled_urdf")]
pub(crate) fn urdf_of_bundled(name: &str) -> PyResult<&'static str> {
    text_of(name)
}

/// Makes a serial chain or a tree of equal links, as used in papers for timing.
///
/// The parent of link i is link (i − 1)/branching. Each link is a rod of 1 kg, 1 m long and 10 cm thick. It
/// rotates about its own z axis.
///
/// Parameters
/// ----------
/// links : int
///     Number of links.
/// branching : int
///     Number of children of each link; 1 gives a chain.
///
/// Examples
/// --------
/// >>> import dtau
/// >>> dtau.generate_tree(100, branching=5).nv
/// 100
#[doc = include_str!("../text/options.txt")]
#[pyfunction]
#[pyo3(signature = (links, branching=1, **options))]
pub(crate) fn generate_tree(links: usize, branching: usize, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyModel> {
    let making = Making::new("generate_tree", Options::default(), options)?;
    for (name, count) in [("links", links), ("branching", branching)] {
        if count == 0 || count > MOST_LINKS {
            return Err(PyValueError::new_err(format!("`{name}` is {count}; it must be from 1 to {MOST_LINKS}")));
        }
    }
    Model::room_for(links).or_raise()?;
    build(generate::tree(links, branching), &making)
}

/// Makes a random robot with every joint type, branches, damping, friction, armature and mimicry. For tests.
///
/// The same seed gives the same robot. It is general, not realistic.
///
/// Examples
/// --------
/// >>> import dtau
/// >>> dtau.generate_random(seed=1, bodies=8) == dtau.generate_random(seed=1, bodies=8)
/// True
#[doc = include_str!("../text/options.txt")]
#[pyfunction]
#[pyo3(signature = (seed, bodies, **options))]
pub(crate) fn generate_random(seed: u64, bodies: usize, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyModel> {
    let making = Making::new("generate_random", Options::default(), options)?;
    if bodies > MOST_LINKS {
        return Err(PyValueError::new_err(format!("`bodies` is {bodies}; it must be at most {MOST_LINKS}")));
    }
    Model::room_for(bodies).or_raise()?;
    build(generate::random_tree(seed, bodies), &making)
}

/// Limit of links. Matrices of larger robots would use all memory.
const MOST_LINKS: usize = 100_000;
