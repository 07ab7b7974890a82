//! Constraints in a person's words, as data: the one form that files, the builder in Rust and the one in Python fill in.
//!
//! A new way to hold a point is its file, and its line in the list below: files, [`ConstraintsBuilder::add`](crate::ConstraintsBuilder::add) and Python's
//! `Constraints.add` have it then.

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

/// A set of constraints as a file has it; [`Constraints::describe`] makes it on a model.
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
    /// The configuration that `here` means; the neutral one if left out.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub q: Option<Vec<f64>>,
    /// Gains of the constraints that have none of their own.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub stabilise: Option<Gains>,
    /// The constraints.
    pub constraint: Vec<ConstraintDescription>,
}

/// Makes [`ConstraintDescription`] of its words; those of `ways` are ways to hold a point.
macro_rules! description {
    (
        { $($(#[$doc:meta])* $word:ident: $Word:ty,)* }
        ways { $($(#[$about:meta])* $way:ident: $Way:ty,)* }
        { $($(#[$more:meta])* $other:ident: $Other:ty,)* }
    ) => {
        description! { $($(#[$doc])* $word: $Word,)* $($(#[$about])* $way: $Way,)* $($(#[$more])* $other: $Other,)* }

        /// Words that a point may have: how it is held, then where.
        const POINTS: &[&str] = &["at", "with", "axes", "position", $(stringify!($way)),*];

        impl ConstraintDescription {
            /// The ways that are given.
            fn ways(&self) -> Vec<&dyn Way> {
                [$(self.$way.as_ref().map(|way| way as &dyn Way)),*].into_iter().flatten().collect()
            }
        }
    };
    ($($(#[$doc:meta])* $word:ident: $Word:ty,)*) => {
        /// One constraint as a file has it: a `point`, a `frame` or `joints`; what holds it; where.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields, default))]
        pub struct ConstraintDescription {
            $($(#[$doc])*
            #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
            pub $word: Option<$Word>,)*
        }

        impl ConstraintDescription {
            /// All words, with whether they are given.
            fn words(&self) -> impl Iterator<Item = (&'static str, bool)> {
                [$((stringify!($word), self.$word.is_some())),*].into_iter()
            }
        }
    };
}

description! {
    {
        /// Its name in messages; the names of what it holds if left out.
        name: String,
        /// The frame of a point that is held, see [`ConstraintsBuilder::point`](crate::ConstraintsBuilder::point).
        point: String,
        /// The point in the coordinates of its frame \[m\]; the origin if left out.
        at: [f64; 3],
        /// A frame that is held, see [`ConstraintsBuilder::frame`](crate::ConstraintsBuilder::frame).
        frame: String,
        /// Joints in a linear relation, each with its factor, see [`ConstraintsBuilder::joints`](crate::ConstraintsBuilder::joints).
        joints: BTreeMap<String, f64>,
        /// The frame that holds it; the world if left out.
        with: String,
        /// Held where it is.
        here: Here,
        /// Held at this point of what holds it, or with its origin there \[m\].
        position: [f64; 3],
        /// A frame: held with its axes turned by roll, pitch and yaw, as in a URDF \[rad\].
        rpy: [f64; 3],
        /// A frame: held with its axes turned by this matrix, row by row.
        rotation: [[f64; 3]; 3],
    }
    ways {
        /// A point: kept in a plane of what holds it.
        plane: Plane,
        /// A point: kept on a line of what holds it.
        line: Line,
        /// A point: kept at a distance from a point of what holds it.
        distance: Rod,
    }
    {
        /// Joints: the sum of factors times coordinates.
        sum: f64,
        /// A frame: held in these directions of its own axes only, of `x`, `y`, `z`, `about x`, `about y`, `about z`.
        only: Vec<String>,
        /// The axes of its rows and forces.
        axes: RowAxes,
        /// Gains of its own.
        gains: Gains,
    }
}

/// The configuration of `here`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(untagged))]
pub enum Here {
    /// At the configuration of the file.
    Yes(bool),
    /// At this one.
    At(Vec<f64>),
}

/// A way to hold a point of one body, in the coordinates of what holds it.
trait Way {
    /// The place that stands for it.
    fn place(&self) -> Result<[f64; 3], Error>;

    /// The kind of constraint, between the point and that place.
    fn kind(&self, pair: Pair, axes: Option<RowAxes>) -> Result<Kind, Error>;
}

impl Constraints {
    /// The constraints of a description, on a model.
    ///
    /// # Errors
    /// As [`ConstraintsBuilder::build`](crate::ConstraintsBuilder::build), and if a description says too much or too little; with the constraint's name.
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
    /// Its name, or the names of what it holds; none if it holds nothing.
    pub(super) fn title(&self) -> Option<String> {
        let held = self.point.as_ref().or(self.frame.as_ref());
        let by = |held: &String| self.with.as_ref().map_or_else(|| held.clone(), |with| format!("{held} and {with}"));
        let joints = || self.joints.as_ref().map(|joints| joints.keys().cloned().collect::<Vec<_>>().join(" and "));
        self.name.clone().or_else(|| held.map(by)).or_else(joints)
    }

    /// Refuses words that a kind does not have.
    fn only_has(&self, kind: &str, allowed: &[&str]) -> Result<(), Error> {
        let all = ["name", "point", "frame", "joints", "here", "gains"];
        let odd = self.words().find(|(word, given)| *given && !all.contains(word) && !allowed.contains(word));
        odd.map_or(Ok(()), |(word, _)| refuse(format!("{kind} have no `{word}`; leave it out")))
    }
}
