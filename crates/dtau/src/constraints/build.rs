//! How constraints are written down.

use super::{Anchor, Constraint, Constraints, Direction, Gains, Held, Kind, Pair, RowAxes, Term, unit_axes};
use crate::Workspace;
use crate::error::{Error, ErrorKind};
use crate::kinematics::frame_placement;
use crate::model::{FrameId, Model};
use crate::spatial::{Mat3, Transform, Vec3};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// Constraints in the making. What is wrong with one is told by [`build`](Self::build), with its name.
#[derive(Clone, Debug)]
pub struct ConstraintsBuilder {
    model: Model,
    items: Vec<Constraint>,
    /// Of those that have no gains of their own.
    stabilised: Vec<usize>,
    failed: Option<Error>,
}

/// A point of the robot that is to be held: the origin of a frame, or a point in its coordinates. Say where.
#[derive(Clone, Debug)]
#[must_use]
pub struct PointOf {
    of: Of,
    at: [f64; 3],
    axes: Option<RowAxes>,
}

/// A frame of the robot that is to be held. Say where.
#[derive(Clone, Debug)]
#[must_use]
pub struct FrameOf {
    of: Of,
    axes: Option<RowAxes>,
    only: [bool; 6],
}

/// Joints whose coordinates are to be in a linear relation. Say what they sum to.
#[derive(Clone, Debug)]
#[must_use]
pub struct JointsOf {
    of: Of,
    terms: Vec<(String, f64)>,
}

/// What points and frames have in common.
#[derive(Clone, Debug)]
struct Of {
    builder: ConstraintsBuilder,
    frame: String,
    name: Option<String>,
    gains: Option<Gains>,
}

/// Whom something is held by: the world, or a frame.
#[derive(Clone, Copy)]
enum By<'a> {
    World,
    Frame(&'a str),
}

impl ConstraintsBuilder {
    pub(super) fn new(model: &Model) -> Self {
        Self { model: model.clone(), items: Vec::new(), stabilised: Vec::new(), failed: None }
    }

    /// A point of a frame, its origin unless [`PointOf::at`] says otherwise.
    pub fn point(self, frame: &str) -> PointOf {
        PointOf { of: Of::new(self, frame), at: [0.0; 3], axes: None }
    }

    /// A frame.
    pub fn frame(self, frame: &str) -> FrameOf {
        FrameOf { of: Of::new(self, frame), axes: None, only: [true; 6] }
    }

    /// A linear relation between joints of one degree of freedom, each with its factor. A gear of ratio 2 is
    /// `.joints(&[("a", 1.0), ("b", -2.0)]).sum_to(0.0)`.
    pub fn joints(self, terms: &[(&str, f64)]) -> JointsOf {
        let name = terms.iter().map(|(joint, _)| *joint).collect::<Vec<_>>().join(" and ");
        let terms = terms.iter().map(|&(joint, factor)| (joint.to_string(), factor)).collect();
        JointsOf { of: Of::new(self, &name), terms }
    }

    /// The gains of all constraints so far that have none of their own.
    pub fn stabilise(mut self, gains: Gains) -> Self {
        if let Err(error) = gains.check() {
            return self.fail("stabilise", error);
        }
        for &i in &self.stabilised {
            self.items[i].gains = gains;
        }
        self
    }

    /// The set of them.
    ///
    /// # Errors
    /// If one cannot be: a frame that is unknown or ambiguous, twice the same body, the world with itself, gains that are negative or not
    /// numbers. The first is told, by its name.
    pub fn build(self) -> Result<Constraints, Error> {
        match self.failed {
            Some(error) => Err(error),
            None => Ok(Constraints::assembled(&self.model, self.items)),
        }
    }

    fn fail(mut self, name: &str, error: Error) -> Self {
        if self.failed.is_none() {
            self.failed = Some(named(name, &error));
        }
        self
    }

    fn push(mut self, name: String, gains: Option<Gains>, rows: usize, kind: Kind) -> Self {
        let start = self.items.last().map_or(0, |item| item.rows.end);
        if gains.is_none() {
            self.stabilised.push(self.items.len());
        }
        self.items.push(Constraint { name, rows: start..start + rows, gains: gains.unwrap_or_default(), kind });
        self
    }

    fn relation(&self, terms: &[(String, f64)], constant: f64) -> Result<Kind, Error> {
        let value = |message: String| Err(Error::new(ErrorKind::Value, message));
        if !constant.is_finite() || terms.iter().any(|(_, factor)| !factor.is_finite()) {
            return value("its numbers must be finite".into());
        }
        if terms.iter().all(|(_, factor)| *factor == 0.0) {
            return value("it has no joint with a factor other than zero; give it one".into());
        }
        let mut out = Vec::new();
        for &(ref joint, factor) in terms {
            let joint = self.model.joint(joint)?;
            let info = &self.model.joints()[joint.0];
            let body = &self.model.tree().bodies[info.bodies.end - 1];
            if info.bodies.len() != 1 || body.v.len() != 1 || body.q.len() != 1 {
                return value(format!(
                    "joint \"{}\" has several degrees of freedom; name joints that have one",
                    info.name
                ));
            }
            out.push(Term { coordinate: body.q.start, dof: body.v.start, factor });
        }
        Ok(Kind::Joints(out, constant))
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

#[cold]
fn named(name: &str, error: &Error) -> Error {
    Error::new(error.kind(), format!("constraint \"{name}\": {}", error.message()))
}

impl Of {
    fn new(builder: ConstraintsBuilder, frame: &str) -> Self {
        Self { builder, frame: frame.into(), name: None, gains: None }
    }

    fn name(&self, by: By<'_>) -> String {
        match (&self.name, by) {
            (Some(name), _) => name.clone(),
            (None, By::World) => self.frame.clone(),
            (None, By::Frame(other)) => format!("{} and {other}", self.frame),
        }
    }

    /// Where a frame is at `q`.
    fn placed(&self, frame: FrameId, q: &[f64]) -> Result<Transform<f64>, Error> {
        let (model, mut out) = (&self.builder.model, [0.0; 12]);
        frame_placement(model, &mut Workspace::try_new(model)?, frame, q, &mut out)?;
        Ok(Transform::from_array(out))
    }

    /// Where the frame is at `q`, in the one that holds it.
    fn here(&self, by: By<'_>, q: &[f64]) -> Result<Transform<f64>, Error> {
        let of = |name: &str| self.placed(self.builder.model.frame(name)?, q);
        let own = of(&self.frame)?;
        Ok(match by {
            By::World => own,
            By::Frame(other) => of(other)?.inverse() * own,
        })
    }

    /// The two places: one in the frame, one in what holds it.
    fn pair(&self, by: By<'_>, own: Transform<f64>, other: Transform<f64>) -> Result<Pair, Error> {
        let model = &self.builder.model;
        let anchor = |name: &str, place: Transform<f64>| {
            let frame = model.frame(name)?;
            let info = model.frame_info(frame);
            let body = info.body.map_or(0, |body| body.0);
            Ok::<_, Error>(Anchor { body, frame: Some(frame), placement: info.placement * place })
        };
        if !own.to_array().into_iter().chain(other.to_array()).all(f64::is_finite) {
            return Err(Error::new(ErrorKind::Value, "its place must be finite"));
        }
        let orthogonal = other.rot.transpose() * other.rot - Mat3::identity();
        if orthogonal.to_rows().into_iter().flatten().any(|x| x.abs() > 1e-6) {
            return Err(Error::new(
                ErrorKind::Value,
                "the rotation of its place is none: its columns are not orthogonal unit vectors",
            ));
        }
        let first = anchor(&self.frame, own)?;
        let second = match by {
            By::World => Anchor { body: 0, frame: None, placement: other },
            By::Frame(name) => anchor(name, other)?,
        };
        if first.body == second.body {
            let message = match first.body {
                0 => "both of its frames are fixed to the world, so it holds nothing; name a frame that moves"
                    .to_string(),
                _ => "both of its frames are on one body, so it holds nothing; name frames of two bodies".to_string(),
            };
            return Err(Error::new(ErrorKind::Value, message));
        }
        Ok(Pair::new(model.tree(), first, second))
    }

    fn finish(mut self, by: By<'_>, made: Result<(usize, Kind), Error>) -> ConstraintsBuilder {
        let name = self.name(by);
        let gains = self.gains.take();
        match made.and_then(|made| gains.map_or(Ok(()), Gains::check).map(|()| made)) {
            Ok((rows, kind)) => self.builder.push(name, gains, rows, kind),
            Err(error) => self.builder.fail(&name, error),
        }
    }
}

impl PointOf {
    /// What messages call it.
    pub fn called(mut self, name: &str) -> Self {
        self.of.name = Some(name.into());
        self
    }

    /// Gains of its own.
    pub fn gains(mut self, gains: Gains) -> Self {
        self.of.gains = Some(gains);
        self
    }

    /// The point, in the frame's coordinates.
    pub fn at(mut self, point: [f64; 3]) -> Self {
        self.at = point;
        self
    }

    /// The axes of its rows and forces, where all three directions are held. Unless said: those of what holds it.
    pub fn axes(mut self, axes: RowAxes) -> Self {
        self.axes = Some(axes);
        self
    }

    /// Held at a point of the world.
    pub fn at_world(self, point: [f64; 3]) -> ConstraintsBuilder {
        self.held(By::World, point, &[])
    }

    /// Held at the point of the world where it is at `q`.
    ///
    /// # Errors
    /// If `q` or the frame does not fit the model.
    pub fn at_world_here(self, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        let point = self.point_here(By::World, q)?;
        Ok(self.at_world(point))
    }

    /// Held at a point of another frame: a ball joint that closes a loop.
    pub fn with(self, other: &str, point: [f64; 3]) -> ConstraintsBuilder {
        self.held(By::Frame(other), point, &[])
    }

    /// Held at the point of another frame where it is at `q`.
    ///
    /// # Errors
    /// If `q` or a frame does not fit the model.
    pub fn with_here(self, other: &str, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        let point = self.point_here(By::Frame(other), q)?;
        Ok(self.with(other, point))
    }

    /// Kept in a plane of the world, through a point and across a normal.
    pub fn in_world_plane(self, point: [f64; 3], normal: [f64; 3]) -> ConstraintsBuilder {
        self.held(By::World, point, &[normal])
    }

    /// Kept in a plane of another frame.
    pub fn in_plane_of(self, other: &str, point: [f64; 3], normal: [f64; 3]) -> ConstraintsBuilder {
        self.held(By::Frame(other), point, &[normal])
    }

    /// Kept on a line of the world, through a point and along a direction.
    pub fn on_world_line(self, point: [f64; 3], direction: [f64; 3]) -> ConstraintsBuilder {
        self.held(By::World, point, &across(direction))
    }

    /// Kept on a line of another frame.
    pub fn on_line_of(self, other: &str, point: [f64; 3], direction: [f64; 3]) -> ConstraintsBuilder {
        self.held(By::Frame(other), point, &across(direction))
    }

    /// Kept at a distance from a point of the world: a rod.
    pub fn at_distance_of_world(self, point: [f64; 3], length: f64) -> ConstraintsBuilder {
        self.distance(By::World, point, length)
    }

    /// Kept at a distance from a point of another frame.
    pub fn at_distance_of(self, other: &str, point: [f64; 3], length: f64) -> ConstraintsBuilder {
        self.distance(By::Frame(other), point, length)
    }

    fn point_here(&self, by: By<'_>, q: &[f64]) -> Result<[f64; 3], Error> {
        let here = self.of.here(by, q).map_err(|error| named(&self.of.name(by), &error))?;
        Ok(here.act_point(self.at.into()).to_array())
    }

    fn pair(&self, by: By<'_>, point: [f64; 3]) -> Result<Pair, Error> {
        self.of.pair(by, Transform::translation(self.at.into()), Transform::translation(point.into()))
    }

    fn held(self, by: By<'_>, point: [f64; 3], normals: &[[f64; 3]]) -> ConstraintsBuilder {
        let made = self.make_held(by, point, normals);
        self.of.finish(by, made)
    }

    fn make_held(&self, by: By<'_>, point: [f64; 3], normals: &[[f64; 3]]) -> Result<(usize, Kind), Error> {
        let pair = self.pair(by, point)?;
        let mut some = Vec::new();
        for &normal in normals {
            some.push(Direction { along: unit(normal)?, is_angular: false });
        }
        let axes = match (self.axes, by) {
            (Some(axes), _) if some.is_empty() || axes == RowAxes::Second => axes,
            (Some(RowAxes::World), By::World) => RowAxes::Second,
            (Some(_), _) => {
                let message = "a plane or a line is given in the axes of what it belongs to; say nothing of its axes";
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
            (None, _) => RowAxes::Second,
        };
        let rows = if some.is_empty() { 3 } else { some.len() };
        Ok((rows, Kind::Held(Held { pair, is_frame: false, axes, some })))
    }

    fn distance(self, by: By<'_>, point: [f64; 3], length: f64) -> ConstraintsBuilder {
        let made = self.pair(by, point).and_then(|pair| {
            if length > 0.0 && length.is_finite() {
                return Ok((1, Kind::Distance(pair, length)));
            }
            let message = format!("its length is {length}; it must be positive (hold the point where there is none)");
            Err(Error::new(ErrorKind::Value, message))
        });
        self.of.finish(by, made)
    }
}

impl FrameOf {
    /// What messages call it.
    pub fn called(mut self, name: &str) -> Self {
        self.of.name = Some(name.into());
        self
    }

    /// Gains of its own.
    pub fn gains(mut self, gains: Gains) -> Self {
        self.of.gains = Some(gains);
        self
    }

    /// The axes of its rows and forces, where all six directions are held. Unless said: its own.
    pub fn axes(mut self, axes: RowAxes) -> Self {
        self.axes = Some(axes);
        self
    }

    /// Held in these directions of its own axes only: along x, y, z, about x, y, z. A hinge about its z is all but the last.
    pub fn only(mut self, directions: [bool; 6]) -> Self {
        self.only = directions;
        self
    }

    /// All but turning about its own z: a hinge that closes a loop.
    pub fn hinge(self) -> Self {
        self.only([true, true, true, true, true, false])
    }

    /// Held at a placement in the world.
    pub fn at_world(self, placement: Transform<f64>) -> ConstraintsBuilder {
        self.held(By::World, placement)
    }

    /// Held at the placement in the world that it has at `q`.
    ///
    /// # Errors
    /// If `q` or the frame does not fit the model.
    pub fn at_world_here(self, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        let here = self.of.here(By::World, q).map_err(|error| named(&self.of.name(By::World), &error))?;
        Ok(self.at_world(here))
    }

    /// Held at a placement in another frame: a closed loop.
    pub fn with(self, other: &str, placement: Transform<f64>) -> ConstraintsBuilder {
        self.held(By::Frame(other), placement)
    }

    /// Held at the placement in another frame that it has at `q`.
    ///
    /// # Errors
    /// If `q` or a frame does not fit the model.
    pub fn with_here(self, other: &str, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        let by = By::Frame(other);
        let here = self.of.here(by, q).map_err(|error| named(&self.of.name(by), &error))?;
        Ok(self.with(other, here))
    }

    fn held(self, by: By<'_>, placement: Transform<f64>) -> ConstraintsBuilder {
        let made = self.make_held(by, placement);
        self.of.finish(by, made)
    }

    fn make_held(&self, by: By<'_>, placement: Transform<f64>) -> Result<(usize, Kind), Error> {
        let pair = self.of.pair(by, Transform::identity(), placement)?;
        let unit = unit_axes();
        let all = (0..6).map(|k| Direction { along: unit[k % 3], is_angular: k >= 3 });
        let some: Vec<Direction> =
            all.zip(self.only).filter(|(_, held)| *held).map(|(direction, _)| direction).collect();
        let some = if some.len() == 6 { vec![] } else { some };
        if self.only == [false; 6] {
            return Err(Error::new(ErrorKind::Value, "it holds no direction; leave it out, or name one"));
        }
        if !some.is_empty() && self.axes.is_some_and(|axes| axes != RowAxes::First) {
            let message = "some directions of a frame are given in its own axes; say nothing of its axes";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let rows = if some.is_empty() { 6 } else { some.len() };
        let axes = self.axes.unwrap_or(RowAxes::First);
        Ok((rows, Kind::Held(Held { pair, is_frame: true, axes, some })))
    }
}

impl JointsOf {
    /// What messages call it.
    pub fn called(mut self, name: &str) -> Self {
        self.of.name = Some(name.into());
        self
    }

    /// Gains of its own.
    pub fn gains(mut self, gains: Gains) -> Self {
        self.of.gains = Some(gains);
        self
    }

    /// `Σ factor · coordinate = constant`.
    pub fn sum_to(self, constant: f64) -> ConstraintsBuilder {
        let made = self.of.builder.relation(&self.terms, constant).map(|kind| (1, kind));
        self.of.finish(By::World, made)
    }

    /// The sum that they have at `q`.
    ///
    /// # Errors
    /// If `q` does not fit the model, or a joint cannot be in such a relation.
    pub fn sum_to_here(self, q: &[f64]) -> Result<ConstraintsBuilder, Error> {
        let model = &self.of.builder.model;
        if q.len() != model.nq() {
            let message =
                format!("`q` has {} numbers, but model \"{}\" needs nq = {}", q.len(), model.name(), model.nq());
            return Err(Error::new(ErrorKind::Length, message));
        }
        let mut sum = 0.0;
        for (joint, factor) in &self.terms {
            let info = &model.joints()[model.joint(joint).map_err(|error| named(&self.of.name(By::World), &error))?.0];
            let own = q.get(info.q.start).copied().unwrap_or(0.0);
            let follows = info.mimic.as_ref().map_or(own, |mimic| mimic.multiplier * own + mimic.offset);
            sum += factor * follows;
        }
        Ok(self.sum_to(sum))
    }
}

/// A unit vector.
fn unit(x: [f64; 3]) -> Result<Vec3<f64>, Error> {
    let x: Vec3<f64> = x.into();
    let length = libm::sqrt(x.norm_squared());
    if length > 0.0 && length.is_finite() {
        return Ok(x * (1.0 / length));
    }
    Err(Error::new(ErrorKind::Value, "its direction is zero or not finite; give it one, such as [0, 0, 1]"))
}

/// Two unit vectors across a direction; zeros if that is none.
fn across(x: [f64; 3]) -> [[f64; 3]; 2] {
    let Ok(along) = unit(x) else { return [[0.0; 3]; 2] };
    let [ax, ay, az] = along.to_array().map(f64::abs);
    let axes = unit_axes();
    let least = if ax <= ay && ax <= az {
        axes[0]
    } else if ay <= az {
        axes[1]
    } else {
        axes[2]
    };
    let first = along.cross(least);
    let first = first * (1.0 / libm::sqrt(first.norm_squared()));
    [first.to_array(), along.cross(first).to_array()]
}
