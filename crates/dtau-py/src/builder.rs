//! `dtau.ModelBuilder`: defines a robot in code.

use crate::errors::OrRaise;
use crate::model::PyModel;
use crate::model::options::{Making, choice};
use crate::numbers::{placement, rotational_inertia, triple};
use dtau::model::description::FrameDescription;
use dtau::model::{Description, Inertial, JointDescription, JointKind, Limits, Link, Mimic, Model, Options};
use dtau::spatial::{Quaternion, Sym3, Transform, Vec3};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Defines a robot in code: add links, joints and frames by name, then call :meth:`build`.
///
/// >>> import dtau
/// >>> b = dtau.ModelBuilder("pendulum")
/// >>> b.link("world")
/// >>> b.link("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
/// >>> b.joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), damping=0.1)
/// >>> b.frame("tip", link="rod", placement=(0, 0, -1))
/// >>> b.build()
/// <dtau.Model "pendulum": nq 1, nv 1, 1 body, root fixed>
#[pyclass(name = "ModelBuilder", module = "dtau")]
pub(crate) struct PyModelBuilder {
    description: Description,
}

#[pymethods]
impl PyModelBuilder {
    #[new]
    fn new(name: String) -> Self {
        Self { description: Description { name, ..Description::default() } }
    }

    /// Adds a link.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     Unique among links.
    /// mass : float, optional
    ///     Mass [kg]. If left out, the link is massless.
    /// com : array_like of shape (3,)
    ///     Centre of mass in the link's axes [m].
    /// inertia : array_like of shape (3,) or (3, 3)
    ///     Rotational inertia about the centre of mass in the link's axes [kg m²].
    #[pyo3(signature = (name, mass=None, com=None, inertia=None))]
    fn link(
        &mut self,
        name: String,
        mass: Option<f64>,
        com: Option<&Bound<'_, PyAny>>,
        inertia: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let com = com.map_or(Ok([0.0; 3]), |com| triple("com", com))?.into();
        let about_com = inertia.map_or(Ok(Sym3::zero()), |inertia| rotational_inertia("inertia", inertia))?;
        if let Some(mass) = mass.filter(|mass| !mass.is_finite()) {
            return Err(PyValueError::new_err(format!("`mass` is {mass}; it must be finite")));
        }
        if mass.is_none() && (com != Vec3::zero() || about_com != Sym3::zero()) {
            return Err(PyValueError::new_err(format!(
                "link {name:?} has `com` or `inertia` but no `mass`; give it one"
            )));
        }
        self.description.links.push(Link {
            name,
            inertial: mass.map(|mass| Inertial { mass, com, about_com }),
            line: 0,
        });
        Ok(())
    }

    /// Adds a joint between two links.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     Unique among joints.
    /// kind : str
    ///     Joint type, such as "revolute", "fixed" or "free-flyer"; docs/conventions.md lists all.
    /// parent, child : str
    ///     The parent link and the child link. The child's frame is the joint's frame.
    /// axis : array_like of shape (3,)
    ///     Axis (planar: normal) in the joint's frame, of any nonzero length. Default (1, 0, 0), as in URDF.
    /// origin : array_like of shape (3,) or (4, 4)
    ///     Pose of the joint's frame in the parent link at zero: a position [m], or a homogeneous matrix.
    /// rpy : array_like of shape (3,)
    ///     Roll, pitch and yaw of the joint's frame, together with a position, as in URDF [rad].
    /// pitch : float
    ///     Advance of a helical joint [m/rad].
    /// lower, upper, velocity, effort : float
    ///     Limits of position, speed, and torque or force.
    /// damping, friction, armature : float
    ///     Viscous damping, Coulomb friction, reflected rotor inertia.
    /// mimic : tuple (joint, multiplier, offset)
    ///     Makes the joint follow another one: q = multiplier · q_other + offset.
    #[pyo3(signature = (name, kind, parent, child, *, axis=None, origin=None, rpy=None, pitch=None,
        lower=f64::NEG_INFINITY, upper=f64::INFINITY, velocity=f64::INFINITY, effort=f64::INFINITY,
        damping=0.0, friction=0.0, armature=0.0, mimic=None),
        text_signature = "(self, name, kind, parent, child, *, axis=(1, 0, 0), origin=(0, 0, 0), rpy=(0, 0, 0), pitch=None, \
        lower=-1e999, upper=1e999, velocity=1e999, effort=1e999, damping=0.0, friction=0.0, armature=0.0, mimic=None)")]
    fn joint(
        &mut self,
        name: String,
        kind: &str,
        parent: String,
        child: String,
        axis: Option<&Bound<'_, PyAny>>,
        origin: Option<&Bound<'_, PyAny>>,
        rpy: Option<&Bound<'_, PyAny>>,
        pitch: Option<f64>,
        lower: f64,
        upper: f64,
        velocity: f64,
        effort: f64,
        damping: f64,
        friction: f64,
        armature: f64,
        mimic: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut joint = JointDescription::new(&name, joint_kind(kind, axis, [("pitch", pitch)])?, &parent, &child);
        joint.origin = origin.map_or(Ok(Transform::identity()), |origin| placement("origin", origin))?;
        if let Some(rpy) = rpy {
            let turn = Transform::new(rotation(triple("rpy", rpy)?), Vec3::zero());
            joint.origin = joint.origin * turn;
        }
        joint.limits = Limits { lower, upper, velocity, effort };
        (joint.damping, joint.friction, joint.armature) = (damping, friction, armature);
        if let Some(given) = mimic {
            let (joint_name, multiplier, offset) = given.extract().map_err(|_| {
                let got = crate::arrays::describe(given);
                PyTypeError::new_err(format!("`mimic` is {got}; it must be (joint, multiplier, offset)"))
            })?;
            joint.mimic = Some(Mimic { joint: joint_name, multiplier, offset });
        }
        self.description.joints.push(joint);
        Ok(())
    }

    /// Adds a frame on a link.
    ///
    /// Parameters
    /// ----------
    /// name : str
    /// link : str
    ///     Link that it is fixed to.
    /// placement : array_like of shape (3,) or (4, 4)
    ///     Pose in the link: a position [m], or a homogeneous matrix.
    #[pyo3(signature = (name, link, placement=None))]
    fn frame(&mut self, name: String, link: String, placement: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let placement = placement.map_or(Ok(Transform::identity()), |p| self::placement("placement", p))?;
        self.description.frames.push(FrameDescription { name, link, placement });
        Ok(())
    }

    /// Returns the model. The builder is unchanged and can be used further.
    ///
    /// Raises ValueError if links and joints do not form one tree, or break another rule.
    #[doc = include_str!("text/options.txt")]
    #[pyo3(signature = (**options), text_signature = "(self, *, root='fixed', order='file', mimic='honour', \
        gravity=(0, 0, -9.81), damping=True, friction=True, armature=True, allow_massless=False, exact=False, \
        friction_speed=0.01, ignore=(), root_placement=(0, 0, 0))")]
    fn build(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyModel> {
        let making = Making::new("build", Options::default(), options)?;
        let mut description = self.description.clone();
        making.strip(&mut description);
        Ok(PyModel::new(Model::build(&description, &making.options).or_raise()?))
    }

    fn __repr__(&self) -> String {
        let Description { name, links, joints, .. } = &self.description;
        format!("<dtau.ModelBuilder \"{name}\": {} links, {} joints>", links.len(), joints.len())
    }
}

/// Returns the joint type of this name. Refuses arguments that the type does not have.
fn joint_kind(name: &str, axis: Option<&Bound<'_, PyAny>>, given: [(&str, Option<f64>); 1]) -> PyResult<JointKind> {
    let has_axis = axis.is_some();
    let axis: Vec3<f64> = axis.map_or(Ok([1.0, 0.0, 0.0]), |axis| triple("axis", axis))?.into();
    let blank = JointKind::named(name, axis, &[]).ok_or_else(|| choice("kind", name, JointKind::NAMES))?;
    let mut numbers = Vec::new();
    for (number, _) in blank.numbers() {
        let value = given.iter().find(|(name, _)| *name == number.name).and_then(|(_, value)| *value);
        let missing = || PyValueError::new_err(format!("a {name} joint needs `{}` [{}]", number.name, number.unit));
        numbers.push(value.ok_or_else(missing)?);
    }
    let has = |field: &str| match field {
        "axis" => blank.axis().is_some(),
        _ => blank.numbers().iter().any(|(number, _)| number.name == field),
    };
    let given = given.into_iter().filter_map(|(name, value)| value.map(|_| name));
    if let Some(field) = has_axis.then_some("axis").into_iter().chain(given).find(|field| !has(field)) {
        return Err(PyValueError::new_err(format!("a {name} joint has no `{field}`; leave it out")));
    }
    Ok(JointKind::named(name, axis, &numbers).unwrap_or(blank))
}

/// Rotation by roll, then pitch, then yaw about fixed axes, as in URDF.
fn rotation([roll, pitch, yaw]: [f64; 3]) -> dtau::spatial::Mat3<f64> {
    let turn = |x, y, z| Quaternion::exp(Vec3::new(x, y, z));
    (turn(0.0, 0.0, yaw) * turn(0.0, pitch, 0.0) * turn(roll, 0.0, 0.0)).to_matrix()
}
