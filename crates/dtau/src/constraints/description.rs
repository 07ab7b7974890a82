//! Constraints in a person's words: what a small file beside a URDF says, as data. With the feature `serde` from any format.

use super::{Constraints, ConstraintsBuilder, FrameOf, Gains, JointsOf, PointOf, RowAxes};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::spatial::{Mat3, Quaternion, Transform, Vec3};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Some constraints as a file has them; [`Constraints::describe`] makes them on a model.
///
/// In TOML, which the command reads:
///
/// ```toml
/// stabilise = { kp = 100, kd = 20 }
///
/// [[constraint]]
/// point = "lf_foot"
/// here = true                                  # held where it is at the neutral configuration, or at `q` above
///
/// [[constraint]]
/// frame = "left_hand"
/// with = "right_hand"                          # a closed loop; without it, the world holds
/// position = [0, 0, 0.3]
/// rpy = [0, 0, 3.14159]
///
/// [[constraint]]
/// name = "gear"
/// joints = { motor = 1, wheel = -4 }
/// sum = 0
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields, default))]
pub struct ConstraintsDescription {
    /// The configuration that `here` speaks of; the neutral one if there is none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub q: Option<Vec<f64>>,
    /// The gains of those that have none of their own.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub stabilise: Option<Gains>,
    /// Each of them.
    pub constraint: Vec<ConstraintDescription>,
}

/// One constraint as a file has it: a `point`, a `frame` or `joints`; what holds it; where.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields, default))]
pub struct ConstraintDescription {
    /// What messages call it; the names of what it holds if left out.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub name: Option<String>,
    /// The frame of a point that is held, see [`ConstraintsBuilder::point`].
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub point: Option<String>,
    /// The point in the coordinates of its frame \[m\]; the origin if left out.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub at: Option<[f64; 3]>,
    /// A frame that is held, see [`ConstraintsBuilder::frame`].
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub frame: Option<String>,
    /// Joints in a linear relation, each with its factor, see [`ConstraintsBuilder::joints`].
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub joints: Option<BTreeMap<String, f64>>,
    /// The frame that holds it; the world if left out.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub with: Option<String>,
    /// Held where it is.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub here: Option<Here>,
    /// Held at this point of what holds it, or with its origin there \[m\].
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub position: Option<[f64; 3]>,
    /// A frame: held with its axes turned by roll, pitch and yaw, as in a URDF \[rad\].
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rpy: Option<[f64; 3]>,
    /// The same as a matrix, row by row.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rotation: Option<[[f64; 3]; 3]>,
    /// A point: kept in a plane of what holds it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub plane: Option<Plane>,
    /// A point: kept on a line of what holds it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub line: Option<Line>,
    /// A point: kept at a distance from a point of what holds it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub distance: Option<Rod>,
    /// Joints: what factors times coordinates sum to.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub sum: Option<f64>,
    /// A frame: held in these directions of its own axes only, of `x`, `y`, `z`, `about x`, `about y`, `about z`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub only: Option<Vec<String>>,
    /// The axes of its rows and forces.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub axes: Option<RowAxes>,
    /// Gains of its own.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub gains: Option<Gains>,
}

/// Where `here` is.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(untagged))]
pub enum Here {
    /// At the configuration of the file.
    Yes(bool),
    /// At this one.
    At(Vec<f64>),
}

/// A plane, through a point and across a normal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Plane {
    /// A point of it \[m\].
    pub through: [f64; 3],
    /// Any length but zero.
    pub normal: [f64; 3],
}

/// A line, through a point and along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Line {
    /// A point of it \[m\].
    pub through: [f64; 3],
    /// Any length but zero.
    pub along: [f64; 3],
}

/// A distance from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Rod {
    /// The point \[m\].
    pub from: [f64; 3],
    /// How far \[m\].
    pub length: f64,
}

/// The directions of a frame, in the order of rows.
const DIRECTIONS: [&str; 6] = ["x", "y", "z", "about x", "about y", "about z"];

impl Constraints {
    /// The constraints of a description, on a model.
    ///
    /// # Errors
    /// As [`ConstraintsBuilder::build`], and if a description says too much or too little; with the constraint's name.
    pub fn describe(model: &Model, description: &ConstraintsDescription) -> Result<Self, Error> {
        let ConstraintsDescription { q, stabilise, constraint } = description;
        let neutral = model.neutral();
        let q = q.as_deref().unwrap_or(&neutral);
        let mut set = Constraints::new(model);
        for (k, item) in constraint.iter().enumerate() {
            set = item.add(set, q).map_err(|error| {
                let (name, message) = (item.title(k), error.message());
                let named = if message.starts_with("constraint ") {
                    message.into()
                } else {
                    format!("constraint {name}: {message}")
                };
                Error::new(error.kind(), named)
            })?;
        }
        if let Some(gains) = stabilise {
            set = set.stabilise(*gains);
        }
        set.build()
    }
}

fn refuse<T>(message: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(ErrorKind::Value, message.into()))
}

impl ConstraintDescription {
    /// Its name, or what stands for one in messages; `k` is its place.
    fn title(&self, k: usize) -> String {
        let joints = || self.joints.as_ref().map(|joints| joints.keys().cloned().collect::<Vec<_>>().join(" and "));
        let name = [&self.name, &self.point, &self.frame].into_iter().find_map(Clone::clone).or_else(joints);
        name.map_or_else(|| format!("number {}", k + 1), |name| format!("\"{name}\""))
    }

    fn add(&self, set: ConstraintsBuilder, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        let q = match &self.here {
            Some(Here::Yes(true)) => Some(q),
            Some(Here::At(q)) => Some(&q[..]),
            Some(Here::Yes(false)) | None => None,
        };
        match (&self.point, &self.frame, &self.joints) {
            (Some(frame), None, None) => self.add_point(set.point(frame), q),
            (None, Some(frame), None) => self.add_frame(set.frame(frame), q),
            (None, None, Some(joints)) => {
                let terms: Vec<(&str, f64)> = joints.iter().map(|(name, factor)| (name.as_str(), *factor)).collect();
                self.add_joints(set.joints(&terms), q)
            }
            _ => refuse("it must have one of `point`, `frame` and `joints`"),
        }
    }

    /// Refuses what a kind does not have.
    fn only_has(&self, kind: &str, allowed: &[&str]) -> Result<(), Error> {
        let given = [
            ("at", self.at.is_some()),
            ("with", self.with.is_some()),
            ("position", self.position.is_some()),
            ("rpy", self.rpy.is_some()),
            ("rotation", self.rotation.is_some()),
            ("plane", self.plane.is_some()),
            ("line", self.line.is_some()),
            ("distance", self.distance.is_some()),
            ("sum", self.sum.is_some()),
            ("only", self.only.is_some()),
            ("axes", self.axes.is_some()),
        ];
        match given.into_iter().find(|(name, given)| *given && !allowed.contains(name)) {
            Some((name, _)) => refuse(format!("{kind} have no `{name}`; leave it out")),
            None => Ok(()),
        }
    }

    fn add_point(&self, mut point: PointOf, q: Option<&[f64]>) -> Result<ConstraintsBuilder, Error> {
        self.only_has("points", &["at", "with", "position", "plane", "line", "distance", "axes"])?;
        if let Some(name) = &self.name {
            point = point.called(name);
        }
        if let Some(gains) = self.gains {
            point = point.gains(gains);
        }
        if let Some(axes) = self.axes {
            point = point.axes(axes);
        }
        point = point.at(self.at.unwrap_or_default());
        match (&self.with, q, self.position, self.plane, self.line, self.distance) {
            (None, Some(q), None, None, None, None) => point.at_world_here(q),
            (Some(with), Some(q), None, None, None, None) => point.with_here(with, q),
            (None, None, Some(p), None, None, None) => Ok(point.at_world(p)),
            (Some(with), None, Some(p), None, None, None) => Ok(point.with(with, p)),
            (None, None, None, Some(Plane { through, normal }), None, None) => {
                Ok(point.in_world_plane(through, normal))
            }
            (Some(with), None, None, Some(Plane { through, normal }), None, None) => {
                Ok(point.in_plane_of(with, through, normal))
            }
            (None, None, None, None, Some(Line { through, along }), None) => Ok(point.on_world_line(through, along)),
            (Some(with), None, None, None, Some(Line { through, along }), None) => {
                Ok(point.on_line_of(with, through, along))
            }
            (None, None, None, None, None, Some(Rod { from, length })) => Ok(point.at_distance_of_world(from, length)),
            (Some(with), None, None, None, None, Some(Rod { from, length })) => {
                Ok(point.at_distance_of(with, from, length))
            }
            _ => refuse("say where it is held, by one of `here`, `position`, `plane`, `line` and `distance`"),
        }
    }

    fn add_frame(&self, mut frame: FrameOf, q: Option<&[f64]>) -> Result<ConstraintsBuilder, Error> {
        self.only_has("frames", &["with", "position", "rpy", "rotation", "only", "axes"])?;
        if let Some(name) = &self.name {
            frame = frame.called(name);
        }
        if let Some(gains) = self.gains {
            frame = frame.gains(gains);
        }
        if let Some(axes) = self.axes {
            frame = frame.axes(axes);
        }
        if let Some(only) = &self.only {
            frame = frame.only(directions(only)?);
        }
        let said = self.position.is_some() || self.rpy.is_some() || self.rotation.is_some();
        match (&self.with, q) {
            (None, Some(q)) if !said => frame.at_world_here(q),
            (Some(with), Some(q)) if !said => frame.with_here(with, q),
            (None, None) if said => Ok(frame.at_world(self.placement()?)),
            (Some(with), None) if said => Ok(frame.with(with, self.placement()?)),
            _ => refuse("say where it is held: `here`, or a `position` with `rpy` or `rotation`"),
        }
    }

    fn placement(&self) -> Result<Transform<f64>, Error> {
        let turn = |x, y, z| Quaternion::exp(Vec3::new(x, y, z));
        let rot = match (self.rpy, self.rotation) {
            (None, None) => Mat3::identity(),
            (Some([roll, pitch, yaw]), None) => {
                (turn(0.0, 0.0, yaw) * turn(0.0, pitch, 0.0) * turn(roll, 0.0, 0.0)).to_matrix()
            }
            (None, Some(rows)) => Mat3::from_rows(rows),
            _ => return refuse("it has both `rpy` and `rotation`; leave one of them out"),
        };
        Ok(Transform::new(rot, self.position.unwrap_or_default().into()))
    }

    fn add_joints(&self, mut joints: JointsOf, q: Option<&[f64]>) -> Result<ConstraintsBuilder, Error> {
        self.only_has("joints", &["sum"])?;
        if let Some(name) = &self.name {
            joints = joints.called(name);
        }
        if let Some(gains) = self.gains {
            joints = joints.gains(gains);
        }
        match (q, self.sum) {
            (Some(q), None) => joints.sum_to_here(q),
            (None, Some(sum)) => Ok(joints.sum_to(sum)),
            _ => refuse("say what they sum to, by one of `sum` and `here`"),
        }
    }
}

/// Which of the six directions of a frame are named.
fn directions(names: &[String]) -> Result<[bool; 6], Error> {
    let mut only = [false; 6];
    for name in names {
        let Some(k) = DIRECTIONS.iter().position(|known| known == name) else {
            return refuse(format!("`only` has {name:?}; directions are x, y, z, about x, about y and about z"));
        };
        only[k] = true;
    }
    Ok(only)
}
