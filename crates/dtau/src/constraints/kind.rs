//! The kinds of constraints that algorithms handle, and their state-independent properties.

use super::{Constraint, RowAxes};
use crate::error::{Error, ErrorKind};
use crate::model::{FrameId, OfConstraint, Tree, placement, vector};
use crate::spatial::{Transform, Vec3};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// A kind of constraint, with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A point or a frame of one body, held in another.
    Held(Held),
    /// The distance between two points.
    Distance(Pair, f64),
    /// A sum of joint coordinates.
    Joints(Vec<Term>, f64),
}

/// Two places on two bodies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) first: Anchor,
    pub(crate) second: Anchor,
    /// Degrees of freedom of the full tree that move one of the places but not the other, with the sign of
    /// their side.
    pub(crate) runs: Vec<(Range<usize>, Side)>,
    /// Degrees of freedom that move both.
    pub(crate) common: Vec<Range<usize>>,
}

/// The side of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    First,
    Second,
}

/// A place on a body, in its internal frame; body 0 is the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    pub(crate) body: usize,
    /// Frame that it was given in, fixed to the body; none for a place in the world itself.
    pub(crate) frame: Option<FrameId>,
    pub(crate) placement: Transform<f64>,
}

/// Places are equal even if they were given in different frames.
impl PartialEq for Anchor {
    fn eq(&self, other: &Self) -> bool {
        self.body == other.body && self.placement == other.placement
    }
}

/// A point held by its coordinates in the second frame, or a frame by its motion relative to the second, seen
/// from the first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) pair: Pair,
    /// True if the rotation is held too, so that motions are seen from the first frame.
    pub(crate) is_frame: bool,
    pub(crate) axes: RowAxes,
    /// Held directions; empty if all three or six are held.
    pub(crate) some: Vec<Direction>,
}

/// A direction of the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Direction {
    pub(crate) along: Vec3<f64>,
    pub(crate) is_angular: bool,
}

/// A coordinate of the full tree, its degree of freedom, and its factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Term {
    pub(crate) coordinate: usize,
    pub(crate) dof: usize,
    pub(crate) factor: f64,
}

impl Kind {
    /// Holds a point of the first place: in the given directions of the second, or in all if none are given.
    pub(super) fn point(pair: Pair, directions: &[[f64; 3]], axes: Option<RowAxes>) -> Result<Self, Error> {
        let mut some = Vec::new();
        for &direction in directions {
            some.push(Direction { along: unit(direction)?, is_angular: false });
        }
        let axes = match axes {
            None | Some(RowAxes::Second) => RowAxes::Second,
            Some(axes) if some.is_empty() => axes,
            Some(RowAxes::World) if pair.second.frame.is_none() => RowAxes::Second,
            Some(_) => {
                let message = "a plane or a line is given in the axes of what it belongs to; say nothing of its axes";
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
        };
        Ok(Self::Held(Held { pair, is_frame: false, axes, some }))
    }

    /// Holds a frame, in some directions of its own axes or in all: along x, y, z, about x, y, z.
    pub(super) fn frame(pair: Pair, only: [bool; 6], axes: Option<RowAxes>) -> Result<Self, Error> {
        if only == [false; 6] {
            return Err(Error::new(ErrorKind::Value, "it holds no direction; leave it out, or name one"));
        }
        let some: Vec<Direction> = (0..6)
            .filter(|&k| only[k] && only != [true; 6])
            .map(|k| Direction { along: unit_axes()[k % 3], is_angular: k >= 3 })
            .collect();
        if !some.is_empty() && axes.is_some_and(|axes| axes != RowAxes::First) {
            let message = "some directions of a frame are given in its own axes; say nothing of its axes";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        Ok(Self::Held(Held { pair, is_frame: true, axes: axes.unwrap_or(RowAxes::First), some }))
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.row_names().len()
    }

    /// Name of each row.
    pub(super) fn row_names(&self) -> Vec<String> {
        match self {
            Self::Held(held) if held.some.is_empty() => {
                let all = ["x", "y", "z", "about x", "about y", "about z"];
                all[..if held.is_frame { 6 } else { 3 }].iter().map(|&name| name.into()).collect()
            }
            Self::Held(held) => held.some.iter().map(Direction::name).collect(),
            Self::Distance(..) => vec!["along".into()],
            Self::Joints(..) => vec!["sum".into()],
        }
    }

    /// Joints of a linear relation; empty for other kinds.
    pub(super) fn terms(&self) -> &[Term] {
        if let Self::Joints(terms, _) = self { terms } else { &[] }
    }

    /// Visits all numbers, in an order that depends on the kind alone.
    pub(super) fn visit(&mut self, f: &mut dyn FnMut(OfConstraint, &mut f64)) {
        if let Self::Held(Held { pair, .. }) | Self::Distance(pair, _) = self {
            placement(&mut pair.first.placement, |k, x| f(OfConstraint::First(k), x));
            placement(&mut pair.second.placement, |k, x| f(OfConstraint::Second(k), x));
        }
        match self {
            Self::Held(Held { some, .. }) => {
                for (k, direction) in some.iter_mut().enumerate() {
                    vector(&mut direction.along, |axis, x| f(OfConstraint::Direction(3 * k + axis), x));
                }
            }
            Self::Distance(_, length) => f(OfConstraint::Target, length),
            Self::Joints(terms, constant) => {
                for (k, term) in terms.iter_mut().enumerate() {
                    f(OfConstraint::Factor(k), &mut term.factor);
                }
                f(OfConstraint::Target, constant);
            }
        }
    }
}

impl Constraint {
    /// The two places, if it has them.
    #[inline(always)]
    pub(super) fn pair(&self) -> Option<&Pair> {
        match &self.kind {
            Kind::Held(held) => Some(&held.pair),
            Kind::Distance(pair, _) => Some(pair),
            Kind::Joints(..) => None,
        }
    }
}

impl Direction {
    fn name(&self) -> String {
        let about = if self.is_angular { "about " } else { "" };
        let axis = ["x", "y", "z"].into_iter().zip(unit_axes()).find(|(_, axis)| *axis == self.along);
        match axis {
            Some((name, _)) => format!("{about}{name}"),
            None => format!("{about}[{:.3}, {:.3}, {:.3}]", self.along.x, self.along.y, self.along.z),
        }
    }
}

impl Pair {
    /// Finds the degrees of freedom that move one of the places but not the other.
    pub(super) fn new(tree: &Tree, first: Anchor, second: Anchor) -> Self {
        let mut sides = vec![(false, false); tree.dofs.len()];
        let mut mark = |body: usize, set: fn(&mut (bool, bool))| {
            let mut i = body;
            while i > 0 {
                sides[tree.bodies[i].v.clone()].iter_mut().for_each(set);
                i = tree.bodies[i].parent;
            }
        };
        mark(first.body, |side| side.0 = true);
        mark(second.body, |side| side.1 = true);
        let mut runs: Vec<(Range<usize>, Side)> = Vec::new();
        let mut common: Vec<Range<usize>> = Vec::new();
        for (dof, &(a, b)) in sides.iter().enumerate() {
            if a == b {
                match common.last_mut() {
                    _ if !a => {}
                    Some(run) if run.end == dof => run.end += 1,
                    _ => common.push(dof..dof + 1),
                }
                continue;
            }
            let side = if a { Side::First } else { Side::Second };
            match runs.last_mut() {
                Some((run, of)) if run.end == dof && *of == side => run.end += 1,
                _ => runs.push((dof..dof + 1, side)),
            }
        }
        Self { first, second, runs, common }
    }
}

/// Unit vectors of the axes.
pub(super) fn unit_axes() -> [Vec3<f64>; 3] {
    [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)]
}

/// Normalises a vector.
pub(super) fn unit(x: [f64; 3]) -> Result<Vec3<f64>, Error> {
    let x: Vec3<f64> = x.into();
    let length = libm::sqrt(x.norm_squared());
    if length > 0.0 && length.is_finite() {
        return Ok(x * (1.0 / length));
    }
    Err(Error::new(ErrorKind::Value, "its direction is zero or not finite; give it one, such as [0, 0, 1]"))
}
