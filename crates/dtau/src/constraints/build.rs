//! The builder of constraints: collects descriptions and turns them into constraints.

use super::description::DIRECTIONS;
use super::{Constraint, ConstraintDescription, Constraints, Gains, Here, RowAxes};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::spatial::Transform;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Builder of a constraint set. [`build`](Self::build) reports the first error, with the constraint's name.
#[derive(Clone, Debug)]
pub struct ConstraintsBuilder {
    model: Model,
    items: Vec<Constraint>,
    /// Indices of constraints without their own gains.
    stabilised: Vec<usize>,
    failed: Option<Error>,
}

/// A point of the robot to be constrained: the origin of a frame, or a point in its coordinates. Add its
/// target to finish.
#[derive(Clone, Debug)]
#[must_use]
pub struct PointOf(Growing);

/// A frame of the robot to be constrained. Add its target to finish.
#[derive(Clone, Debug)]
#[must_use]
pub struct FrameOf(Growing);

/// Joints whose coordinates are to be in a linear relation. Add the constant of the sum to finish.
#[derive(Clone, Debug)]
#[must_use]
pub struct JointsOf(Growing);

/// An unfinished constraint.
#[derive(Clone, Debug)]
struct Growing {
    builder: ConstraintsBuilder,
    item: ConstraintDescription,
    /// Joints in the given order.
    terms: Vec<(String, f64)>,
}

impl ConstraintsBuilder {
    pub(super) fn new(model: &Model) -> Self {
        Self { model: model.clone(), items: Vec::new(), stabilised: Vec::new(), failed: None }
    }

    /// Starts a constraint on a point of a frame: its origin unless [`PointOf::at`] sets another one.
    pub fn point(self, frame: &str) -> PointOf {
        PointOf(self.grow(ConstraintDescription { point: Some(frame.into()), ..Default::default() }))
    }

    /// Starts a constraint on a frame.
    pub fn frame(self, frame: &str) -> FrameOf {
        FrameOf(self.grow(ConstraintDescription { frame: Some(frame.into()), ..Default::default() }))
    }

    /// Starts a linear relation between joints of one degree of freedom, each with its factor. A gear of
    /// ratio 2 is `.joints(&[("a", 1.0), ("b", -2.0)]).sum_to(0.0)`.
    pub fn joints(self, terms: &[(&str, f64)]) -> JointsOf {
        let name = terms.iter().map(|(joint, _)| *joint).collect::<Vec<_>>().join(" and ");
        let terms: Vec<(String, f64)> = terms.iter().map(|&(joint, factor)| (joint.to_string(), factor)).collect();
        let joints = Some(terms.iter().cloned().collect());
        let growing = self.grow(ConstraintDescription { name: Some(name), joints, ..Default::default() });
        JointsOf(Growing { terms, ..growing })
    }

    /// Adds a constraint in file format. Its `here` refers to the neutral configuration unless it gives
    /// another one.
    #[allow(clippy::should_implement_trait)]
    pub fn add(self, constraint: &ConstraintDescription) -> Self {
        let neutral = self.model.neutral();
        self.add_at(constraint, &neutral)
    }

    /// Adds a constraint whose `here` refers to `q`.
    pub(super) fn add_at(self, constraint: &ConstraintDescription, q: &[f64]) -> Self {
        let joints = constraint.joints.iter().flatten();
        let terms: Vec<(String, f64)> = joints.map(|(joint, &factor)| (joint.clone(), factor)).collect();
        self.add_terms(constraint, q, &terms)
    }

    fn add_terms(mut self, item: &ConstraintDescription, q: &[f64], terms: &[(String, f64)]) -> Self {
        let title = item.title();
        let made = item.made(&self.model, q, terms);
        match made.and_then(|kind| item.gains.map_or(Ok(()), Gains::check).map(|()| kind)) {
            Ok(kind) => {
                let start = self.items.last().map_or(0, |item| item.rows.end);
                if item.gains.is_none() {
                    self.stabilised.push(self.items.len());
                }
                let (rows, gains) = (start..start + kind.rows(), item.gains.unwrap_or_default());
                self.items.push(Constraint { name: title.unwrap_or_default(), rows, gains, kind });
                self
            }
            Err(error) => {
                let number = self.items.len() + 1;
                self.fail(&title.map_or_else(|| format!("number {number}"), |title| format!("\"{title}\"")), &error)
            }
        }
    }

    /// Sets the gains of all constraints added so far without their own gains.
    pub fn stabilise(mut self, gains: Gains) -> Self {
        if let Err(error) = gains.check() {
            return self.fail("\"stabilise\"", &error);
        }
        for &i in &self.stabilised {
            self.items[i].gains = gains;
        }
        self
    }

    /// Builds the constraint set.
    ///
    /// # Errors
    /// If a constraint is invalid: a frame is unknown or ambiguous, both bodies are the same, the world is
    /// constrained to itself, or gains are negative or NaN. The error names the first such constraint.
    pub fn build(self) -> Result<Constraints, Error> {
        match self.failed {
            Some(error) => Err(error),
            None => Ok(Constraints::assembled(&self.model, self.items)),
        }
    }

    fn grow(self, item: ConstraintDescription) -> Growing {
        Growing { builder: self, item, terms: Vec::new() }
    }

    #[cold]
    fn fail(mut self, name: &str, error: &Error) -> Self {
        let named = || Error::new(error.kind(), format!("constraint {name}: {}", error.message()));
        self.failed.get_or_insert_with(named);
        self
    }
}

impl Gains {
    fn check(self) -> Result<(), Error> {
        let Self { kp, kd } = self;
        if kp >= 0.0 && kd >= 0.0 && kp.is_finite() && kd.is_finite() {
            return Ok(());
        }
        let message = format!("its gains must be finite and not negative, not kp = {kp}, kd = {kd}");
        Err(Error::new(ErrorKind::Value, message))
    }
}

impl Growing {
    /// Adds the constraint, with the world or with another frame.
    fn held(mut self, other: Option<&str>, say: impl FnOnce(&mut ConstraintDescription)) -> ConstraintsBuilder {
        self.item.with = other.map(String::from);
        say(&mut self.item);
        self.builder.add_terms(&self.item, &[], &self.terms)
    }

    /// Adds the constraint, at its placement at `q`.
    fn held_here(self, other: Option<&str>, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        let failed = self.builder.failed.is_some();
        let builder = self.held(other, |item| item.here = Some(Here::At(q.into())));
        match builder.failed {
            Some(error) if !failed => Err(error),
            _ => Ok(builder),
        }
    }
}

/// Defines the methods that every kind of constraint has.
macro_rules! every {
    ($Of:ident) => {
        impl $Of {
            /// Sets its name for messages.
            pub fn called(mut self, name: &str) -> Self {
                self.0.item.name = Some(name.into());
                self
            }

            /// Sets its own gains.
            pub fn gains(mut self, gains: Gains) -> Self {
                self.0.item.gains = Some(gains);
                self
            }
        }
    };
}

every!(PointOf);
every!(FrameOf);
every!(JointsOf);

impl PointOf {
    /// Sets the point, in the frame's coordinates.
    pub fn at(mut self, point: [f64; 3]) -> Self {
        self.0.item.at = Some(point);
        self
    }

    /// Sets the axes of its rows and forces, if all three directions are held. Default: those of the second
    /// frame.
    pub fn axes(mut self, axes: RowAxes) -> Self {
        self.0.item.axes = Some(axes);
        self
    }

    /// Holds it at a point of the world.
    pub fn at_world(self, point: [f64; 3]) -> ConstraintsBuilder {
        self.held(None, |item| item.position = Some(point))
    }

    /// Holds it at its world position at `q`.
    ///
    /// # Errors
    /// If `q` or the frame does not fit the model.
    pub fn at_world_here(self, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        self.0.held_here(None, q)
    }

    /// Holds it at a point of another frame: a ball joint that closes a loop.
    pub fn with(self, other: &str, point: [f64; 3]) -> ConstraintsBuilder {
        self.held(Some(other), |item| item.position = Some(point))
    }

    /// Holds it at its position in another frame at `q`.
    ///
    /// # Errors
    /// If `q` or a frame does not fit the model.
    pub fn with_here(self, other: &str, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        self.0.held_here(Some(other), q)
    }

    /// Adds the constraint with the world or with another frame.
    pub(super) fn held(self, other: Option<&str>, say: impl FnOnce(&mut ConstraintDescription)) -> ConstraintsBuilder {
        self.0.held(other, say)
    }
}

impl FrameOf {
    /// Sets the axes of its rows and forces, if all six directions are held. Default: its own.
    pub fn axes(mut self, axes: RowAxes) -> Self {
        self.0.item.axes = Some(axes);
        self
    }

    /// Holds it only in these directions of its own axes: along x, y, z, about x, y, z. A hinge about its z
    /// holds all but the last.
    pub fn only(mut self, directions: [bool; 6]) -> Self {
        let named = DIRECTIONS.iter().zip(directions).filter(|(_, held)| *held).map(|(name, _)| name.to_string());
        self.0.item.only = Some(named.collect());
        self
    }

    /// Holds all directions except rotation about its own z: a hinge that closes a loop.
    pub fn hinge(self) -> Self {
        self.only([true, true, true, true, true, false])
    }

    /// Holds it at a placement in the world.
    pub fn at_world(self, placement: Transform<f64>) -> ConstraintsBuilder {
        self.0.held(None, |item| put(item, &placement))
    }

    /// Holds it at its placement in the world at `q`.
    ///
    /// # Errors
    /// If `q` or the frame does not fit the model.
    pub fn at_world_here(self, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        self.0.held_here(None, q)
    }

    /// Holds it at a placement in another frame: a closed loop.
    pub fn with(self, other: &str, placement: Transform<f64>) -> ConstraintsBuilder {
        self.0.held(Some(other), |item| put(item, &placement))
    }

    /// Holds it at its placement in another frame at `q`.
    ///
    /// # Errors
    /// If `q` or a frame does not fit the model.
    pub fn with_here(self, other: &str, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        self.0.held_here(Some(other), q)
    }
}

fn put(item: &mut ConstraintDescription, place: &Transform<f64>) {
    (item.position, item.rotation) = (Some(place.pos.to_array()), Some(place.rot.to_rows()));
}

impl JointsOf {
    /// Sets the constant: `Σ factor · coordinate = constant`.
    pub fn sum_to(self, constant: f64) -> ConstraintsBuilder {
        self.0.held(None, |item| item.sum = Some(constant))
    }

    /// Sets the constant to the value of the sum at `q`.
    ///
    /// # Errors
    /// If `q` does not fit the model, or a joint cannot be in such a relation.
    pub fn sum_to_here(self, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        self.0.held_here(None, q)
    }
}
