//! Makes models from other models.

use super::make::build;
use super::options::Making;
use super::{PyJoint, PyModel};
use crate::arrays::describe;
use crate::errors::OrRaise;
use crate::frames::GivenFrame;
use crate::numbers::{numbers, placement, rotational_inertia, triple};
use dtau::model::Inertial;
use dtau::spatial::{Sym3, Transform};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};

#[pymethods]
impl PyModel {
    /// Returns the same robot with joints locked at given positions. Their bodies become part of their parents.
    ///
    /// Joints that mimic a locked joint are locked too. "root_joint" can also be locked.
    ///
    /// Parameters
    /// ----------
    /// joints : mapping
    ///     Positions by joint name or joint: a number, or an array of the joint's coordinates.
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> arm = dtau.Model.bundled("arm6")
    /// >>> arm.lock({arm.joints[2].name: 0.3}).nv
    /// 5
    fn lock(&self, joints: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut positions = Vec::new();
        let wrong = |what: String| {
            PyTypeError::new_err(format!(
                "{what}; `joints` must be positions by names of joints, such as {{\"elbow\": 0.3}}"
            ))
        };
        let items =
            joints.cast::<PyMapping>().map_err(|_| wrong(format!("`joints` is {}", describe(joints))))?.items()?;
        for item in items {
            let (name, position): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let name = match (name.cast::<PyString>(), name.cast::<PyJoint>()) {
                (Ok(name), _) => name.to_str()?.to_owned(),
                (_, Ok(joint)) => joint.get().full_name(),
                _ => return Err(wrong(format!("a key is {}", describe(&name)))),
            };
            let (_, q) = numbers(&format!("joints[{name:?}]"), &position)?;
            positions.push((name, q));
        }
        let positions: Vec<(&str, &[f64])> = positions.iter().map(|(name, q)| (name.as_str(), q.as_slice())).collect();
        Ok(Self::new(self.model.lock(&positions).or_raise()?))
    }

    /// Returns this robot with another one attached at one of its frames. The connection is the other robot's
    /// root joint: welded if its root is fixed, free if it floats.
    ///
    /// Parameters
    /// ----------
    /// frame : str, dtau.Frame or dtau.Joint
    ///     Frame to attach to.
    /// other : dtau.Model
    ///     Robot to attach.
    /// prefix : str
    ///     Prefix for the names of the other robot's links, joints and frames, so that names stay unique.
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> base, arm = dtau.Model.bundled("quadruped", root="floating"), dtau.Model.bundled("arm6")
    /// >>> base.attach(base.bodies[0].name, arm, prefix="arm/").nv
    /// 24
    #[pyo3(signature = (frame, other, prefix))]
    fn attach(&self, frame: &Bound<'_, PyAny>, other: &Bound<'_, PyModel>, prefix: &str) -> PyResult<Self> {
        let frame = GivenFrame::new("frame", frame.as_borrowed())?.name;
        Ok(Self::new(self.model.attach(&frame, &other.get().model, prefix).or_raise()?))
    }

    /// Returns this robot with another frame.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     A unique name.
    /// on : str, dtau.Frame or dtau.Joint
    ///     Frame that it is fixed to.
    /// placement : array_like of shape (3,) or (4, 4)
    ///     Pose in that frame: a position [m], or a homogeneous matrix.
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> arm = dtau.Model.bundled("arm6")
    /// >>> arm.with_frame("pen", arm.bodies[-1].name, (0, 0, 0.1)).frame("pen").kind
    /// 'custom'
    #[pyo3(signature = (name, on, placement=None))]
    fn with_frame(&self, name: &str, on: &Bound<'_, PyAny>, placement: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let on = GivenFrame::new("on", on.as_borrowed())?.name;
        let placement = placement.map_or(Ok(Transform::identity()), |x| self::placement("placement", x))?;
        Ok(Self::new(self.model.with_frame(name, &on, placement).or_raise()?))
    }

    /// Returns this robot with one link per body. Links welded to others are merged into them, and stay as frames.
    ///
    /// The motion does not change. Regressors then have ten columns per body, without columns for welded
    /// links, whose parameters motion cannot distinguish.
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> arm = dtau.Model.bundled("arm6")
    /// >>> len(arm.inertial_parameters), len(arm.with_links_merged().inertial_parameters)
    /// (80, 70)
    fn with_links_merged(&self) -> PyResult<Self> {
        Ok(Self::new(self.model.with_links_merged().or_raise()?))
    }

    /// Returns this robot with a load at one of its frames.
    ///
    /// Parameters
    /// ----------
    /// frame : str, dtau.Frame or dtau.Joint
    ///     Frame that carries the load.
    /// mass : float
    ///     Mass [kg].
    /// com : array_like of shape (3,)
    ///     Centre of mass in the frame's axes [m].
    /// inertia : array_like of shape (3,) or (3, 3)
    ///     Rotational inertia about the centre of mass in the frame's axes [kg m²].
    ///
    /// Examples
    /// --------
    /// >>> import dtau
    /// >>> arm = dtau.Model.bundled("arm6")
    /// >>> loaded = arm.with_payload(arm.bodies[-1].name, mass=2.0)
    /// >>> round(loaded.mass - arm.mass, 12)
    /// 2.0
    #[pyo3(signature = (frame, mass, com=None, inertia=None))]
    fn with_payload(
        &self,
        frame: &Bound<'_, PyAny>,
        mass: f64,
        com: Option<&Bound<'_, PyAny>>,
        inertia: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let com = com.map_or(Ok([0.0; 3]), |com| triple("com", com))?.into();
        let about_com = inertia.map_or(Ok(Sym3::zero()), |inertia| rotational_inertia("inertia", inertia))?;
        if !mass.is_finite() {
            return Err(PyValueError::new_err(format!("`mass` is {mass}; it must be finite")));
        }
        let frame = GivenFrame::new("frame", frame.as_borrowed())?.name;
        Ok(Self::new(self.model.with_payload(&frame, Inertial { mass, com, about_com }).or_raise()?))
    }

    /// Returns the same robot with another gravity, in the world's axes [m/s²].
    ///
    /// >>> import dtau
    /// >>> dtau.Model.bundled("arm6").with_gravity((0, 0, -1.62)).gravity.tolist()
    /// [0.0, 0.0, -1.62]
    fn with_gravity(&self, gravity: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::new(self.model.with_gravity(triple("gravity", gravity)?).or_raise()?))
    }

    /// Returns the same robot with other options. Options that are not given stay unchanged.
    ///
    /// >>> import dtau
    /// >>> dtau.Model.bundled("quadruped").with_options(root="floating").nq
    /// 19
    #[doc = include_str!("../text/options.txt")]
    #[pyo3(signature = (**options))]
    fn with_options(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let making = Making::new("with_options", self.model.options().clone(), options)?;
        build(self.model.description().clone(), &making)
    }
}
