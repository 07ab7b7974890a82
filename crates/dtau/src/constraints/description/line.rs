use super::Way;
use crate::constraints::kind::{unit, unit_axes};
use crate::constraints::{ConstraintsBuilder, Kind, Pair, PointOf, RowAxes};
use crate::error::Error;

/// A line, through a point and along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Line {
    /// A point on the line \[m\].
    pub through: [f64; 3],
    /// Direction, of any non-zero length.
    pub along: [f64; 3],
}

impl Way for Line {
    fn place(&self) -> Result<[f64; 3], Error> {
        Ok(self.through)
    }

    fn kind(&self, pair: Pair, axes: Option<RowAxes>) -> Result<Kind, Error> {
        Kind::point(pair, &across(self.along)?, axes)
    }
}

/// Returns two unit vectors orthogonal to a direction.
fn across(direction: [f64; 3]) -> Result<[[f64; 3]; 2], Error> {
    let along = unit(direction)?;
    let [ax, ay, az] = along.to_array().map(f64::abs);
    let least = if ax <= ay && ax <= az {
        0
    } else if ay <= az {
        1
    } else {
        2
    };
    let first = along.cross(unit_axes()[least]);
    let first = first * (1.0 / libm::sqrt(first.norm_squared()));
    Ok([first.to_array(), along.cross(first).to_array()])
}

impl PointOf {
    /// Holds it on a line of the world, through a point and along a direction.
    pub fn on_world_line(self, point: [f64; 3], direction: [f64; 3]) -> ConstraintsBuilder {
        self.held(None, |item| item.line = Some(Line { through: point, along: direction }))
    }

    /// Holds it on a line of another frame.
    pub fn on_line_of(self, other: &str, point: [f64; 3], direction: [f64; 3]) -> ConstraintsBuilder {
        self.held(Some(other), |item| item.line = Some(Line { through: point, along: direction }))
    }
}
