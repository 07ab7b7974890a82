//! Constraint descriptions as data: the common format of files, the builder in Rust and the one in Python.
//!
//! To add a new way of holding a point, add its file and its line in the list below. Files,
//! [`ConstraintsBuilder::add`](crate::ConstraintsBuilder::add) and Python's `Constraints.add` then support
//! it.

mod distance;
mod line;
mod made;
mod plane;

pub use distance::Rod;
pub use line::Line;
pub(super) use made::DIRECTIONS;
pub use plane::Plane;

use super::{Constraints, Gains, Kind, Pair, RowAxes};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A constraint set in file format; [`Constraints::describe`] builds it on a model.
///
/// In TOML, as read by the command-line tool:
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
    /// Configuration of `here`; default: the neutral one.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub q: Option<Vec<f64>>,
    /// Gains of the constraints without their own gains.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub stabilise: Option<Gains>,
    /// The constraints.
    pub constraint: Vec<ConstraintDescription>,
}

/// Defines [`ConstraintDescription`] from its keys; `ways` are the ways to hold a point.
macro_rules! description {
    (
        { $($(#[$doc:meta])* $word:ident: $Word:ty,)* }
        ways { $($(#[$about:meta])* $way:ident: $Way:ty,)* }
        { $($(#[$more:meta])* $other:ident: $Other:ty,)* }
    ) => {
        description! { $($(#[$doc])* $word: $Word,)* $($(#[$about])* $way: $Way,)* $($(#[$more])* $other: $Other,)* }

        /// Keys allowed for a point: the ways to hold it, and the keys for where.
        const POINTS: &[&str] = &["at", "with", "axes", "position", $(stringify!($way)),*];

        impl ConstraintDescription {
            /// The ways that are set.
            fn ways(&self) -> Vec<&dyn Way> {
                [$(self.$way.as_ref().map(|way| way as &dyn Way)),*].into_iter().flatten().collect()
            }
        }
    };
    ($($(#[$doc:meta])* $word:ident: $Word:ty,)*) => {
        /// One constraint in file format: a `point`, a `frame` or `joints`; the other frame; the target.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields, default))]
        pub struct ConstraintDescription {
            $($(#[$doc])*
            #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
            pub $word: Option<$Word>,)*
        }

        impl ConstraintDescription {
            /// All keys, with true for those that are set.
            fn words(&self) -> impl Iterator<Item = (&'static str, bool)> {
                [$((stringify!($word), self.$word.is_some())),*].into_iter()
            }
        }
    };
}

description! {
    {
        /// Its name in messages; default: the names of the frames or joints.
        name: String,
        /// Frame of a constrained point, see [`ConstraintsBuilder::point`](crate::ConstraintsBuilder::point).
        point: String,
        /// Point in the coordinates of its frame \[m\]; default: the origin.
        at: [f64; 3],
        /// Constrained frame, see [`ConstraintsBuilder::frame`](crate::ConstraintsBuilder::frame).
        frame: String,
        /// Joints in a linear relation, each with its factor, see
        /// [`ConstraintsBuilder::joints`](crate::ConstraintsBuilder::joints).
        joints: BTreeMap<String, f64>,
        /// The other frame; default: the world.
        with: String,
        /// Held at its current placement.
        here: Here,
        /// Position in the other frame of the constrained point, or of the constrained frame's origin \[m\].
        position: [f64; 3],
        /// Orientation of a constrained frame by roll, pitch and yaw, as in a URDF \[rad\].
        rpy: [f64; 3],
        /// Orientation of a constrained frame as a matrix, row by row.
        rotation: [[f64; 3]; 3],
    }
    ways {
        /// For a point: held in a plane of the other frame.
        plane: Plane,
        /// For a point: held on a line of the other frame.
        line: Line,
        /// For a point: held at a distance from a point of the other frame.
        distance: Rod,
    }
    {
        /// For joints: the sum of factors times coordinates.
        sum: f64,
        /// For a frame: held only in these directions of its own axes, from `x`, `y`, `z`, `about x`,
        /// `about y`, `about z`.
        only: Vec<String>,
        /// Axes of its rows and forces.
        axes: RowAxes,
        /// Its own gains.
        gains: Gains,
    }
}

/// Configuration of `here`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(untagged))]
pub enum Here {
    /// The configuration of the file.
    Yes(bool),
    /// This configuration.
    At(Vec<f64>),
}

/// A way to hold a point of one body, in the coordinates of the other frame.
trait Way {
    /// Representative place in the other frame.
    fn place(&self) -> Result<[f64; 3], Error>;

    /// Kind of constraint between the point and that place.
    fn kind(&self, pair: Pair, axes: Option<RowAxes>) -> Result<Kind, Error>;
}

impl Constraints {
    /// Builds the constraints of a description on a model.
    ///
    /// # Errors
    /// Same as [`ConstraintsBuilder::build`](crate::ConstraintsBuilder::build), and if a description has too
    /// many or too few keys. The error names the constraint.
    pub fn describe(model: &Model, description: &ConstraintsDescription) -> Result<Self, Error> {
        let ConstraintsDescription { q, stabilise, constraint } = description;
        let neutral = model.neutral();
        let q = q.as_deref().unwrap_or(&neutral);
        let set = constraint.iter().fold(Constraints::new(model), |set, item| set.add_at(item, q));
        match stabilise {
            Some(gains) => set.stabilise(*gains).build(),
            None => set.build(),
        }
    }
}

fn refuse<T>(message: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(ErrorKind::Value, message.into()))
}

impl ConstraintDescription {
    /// Its name, or the names of its frames or joints; `None` if it has none.
    pub(super) fn title(&self) -> Option<String> {
        let held = self.point.as_ref().or(self.frame.as_ref());
        let by = |held: &String| self.with.as_ref().map_or_else(|| held.clone(), |with| format!("{held} and {with}"));
        let joints = || self.joints.as_ref().map(|joints| joints.keys().cloned().collect::<Vec<_>>().join(" and "));
        self.name.clone().or_else(|| held.map(by)).or_else(joints)
    }

    /// Refuses keys that a kind does not support.
    fn only_has(&self, kind: &str, allowed: &[&str]) -> Result<(), Error> {
        let all = ["name", "point", "frame", "joints", "here", "gains"];
        let odd = self.words().find(|(word, given)| *given && !all.contains(word) && !allowed.contains(word));
        odd.map_or(Ok(()), |(word, _)| refuse(format!("{kind} have no `{word}`; leave it out")))
    }
}
