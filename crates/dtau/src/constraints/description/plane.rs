use super::Way;
use crate::constraints::{ConstraintsBuilder, Kind, Pair, PointOf, RowAxes};
use crate::error::Error;

/// A plane, through a point and orthogonal to a normal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Plane {
    /// A point in the plane \[m\].
    pub through: [f64; 3],
    /// Normal, of any non-zero length.
    pub normal: [f64; 3],
}

impl Way for Plane {
    fn place(&self) -> Result<[f64; 3], Error> {
        Ok(self.through)
    }

    fn kind(&self, pair: Pair, axes: Option<RowAxes>) -> Result<Kind, Error> {
        Kind::point(pair, &[self.normal], axes)
    }
}

impl PointOf {
    /// Holds it in a plane of the world, through a point and orthogonal to a normal.
    pub fn in_world_plane(self, point: [f64; 3], normal: [f64; 3]) -> ConstraintsBuilder {
        self.held(None, |item| item.plane = Some(Plane { through: point, normal }))
    }

    /// Holds it in a plane of another frame.
    pub fn in_plane_of(self, other: &str, point: [f64; 3], normal: [f64; 3]) -> ConstraintsBuilder {
        self.held(Some(other), |item| item.plane = Some(Plane { through: point, normal }))
    }
}
