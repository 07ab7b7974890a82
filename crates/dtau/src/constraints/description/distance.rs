use super::{Way, refuse};
use crate::constraints::{ConstraintsBuilder, Kind, Pair, PointOf, RowAxes};
use crate::error::Error;
use alloc::format;

/// A distance from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Rod {
    /// The point \[m\].
    pub from: [f64; 3],
    /// The distance \[m\].
    pub length: f64,
}

impl Way for Rod {
    fn place(&self) -> Result<[f64; 3], Error> {
        Ok(self.from)
    }

    fn kind(&self, pair: Pair, _: Option<RowAxes>) -> Result<Kind, Error> {
        let length = self.length;
        if length > 0.0 && length.is_finite() {
            return Ok(Kind::Distance(pair, length));
        }
        refuse(format!("its length is {length}; it must be positive (hold the point where there is none)"))
    }
}

impl PointOf {
    /// Holds it at a distance from a point of the world: a rod.
    pub fn at_distance_of_world(self, point: [f64; 3], length: f64) -> ConstraintsBuilder {
        self.held(None, |item| item.distance = Some(Rod { from: point, length }))
    }

    /// Holds it at a distance from a point of another frame.
    pub fn at_distance_of(self, other: &str, point: [f64; 3], length: f64) -> ConstraintsBuilder {
        self.held(Some(other), |item| item.distance = Some(Rod { from: point, length }))
    }
}
