//! The forces of constraints as wrenches.

use super::{Anchor, Constraint, Constraints, Kind, Pair, RowAxes};
use crate::Workspace;
use crate::error::{Error, ErrorKind};
use crate::kinematics::frame_placement;
use crate::model::FrameId;
use crate::scene::{Axes, Point, Wrench};
use crate::spatial::{Transform, Vec3};
use alloc::format;
use alloc::vec::Vec;

/// Effect of a constraint on the robot: a force \[N\] and a torque \[N m\] on the first frame, and the
/// opposite on the second. Both are in world axes, and act on the robot like external forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintWrench {
    /// Index in the set.
    pub constraint: usize,
    /// Wrench on the first frame, at the constrained point.
    pub on: Wrench<f64>,
    /// Wrench on the second frame, at its origin; none for the world.
    pub by: Option<Wrench<f64>>,
}

impl Constraints {
    /// Converts the forces λ along the rows to wrenches at a configuration. Linear relations of joints have
    /// none.
    ///
    /// With these as external forces, inverse dynamics returns the torques: `M q̈ + b = τ + Jᵀλ`. The
    /// function allocates; use it to inspect results, not in loops.
    ///
    /// # Errors
    /// If `q` or `lambda` has the wrong size.
    pub fn wrenches(&self, q: &[f64], lambda: &[f64]) -> Result<Vec<ConstraintWrench>, Error> {
        if lambda.len() != self.rows() {
            let message =
                format!("`lambda` has {} numbers, but the constraints have {} rows", lambda.len(), self.rows());
            return Err(Error::new(ErrorKind::Length, message));
        }
        let mut ws = Workspace::try_new(self.model())?;
        let mut placed = |frame: Option<FrameId>| {
            let mut x = Transform::identity().to_array();
            frame.map_or(Ok(()), |frame| frame_placement(self.model(), &mut ws, frame, q, &mut x))?;
            Ok::<_, Error>(Transform::from_array(x))
        };
        let mut all = Vec::new();
        for (constraint, item) in self.iter().enumerate() {
            let Some(Pair { first, second, .. }) = item.pair() else { continue };
            let X = [placed(first.frame)?, placed(second.frame)?];
            let places = [X[0] * self.in_frame(first), X[1] * self.in_frame(second)];
            let (f, n) = item.force(&places, &lambda[item.rows()]);
            let wrench = |frame, at, f: Vec3<f64>, n: Vec3<f64>| Wrench {
                frame,
                axes: Axes::World,
                at,
                force: f.to_array(),
                torque: n.to_array(),
            };
            let arm = places[0].pos - X[1].pos;
            let by = second.frame.map(|frame| wrench(frame, Point::Origin, -f, -(n + arm.cross(f))));
            let point = Point::InFrame(self.in_frame(first).pos.to_array());
            let Some(frame) = first.frame else { continue };
            all.push(ConstraintWrench { constraint, on: wrench(frame, point, f, n), by });
        }
        Ok(all)
    }

    /// A place in the coordinates of its frame.
    fn in_frame(&self, anchor: &Anchor) -> Transform<f64> {
        let own = anchor.frame.map(|frame| self.model().frame_info(frame).placement);
        own.map_or(anchor.placement, |own| own.inverse() * anchor.placement)
    }
}

impl Constraint {
    /// Force and torque on the first place, in world axes.
    fn force(&self, places: &[Transform<f64>; 2], lambda: &[f64]) -> (Vec3<f64>, Vec3<f64>) {
        let (mut f, mut n) = (Vec3::zero(), Vec3::zero());
        match &self.kind {
            Kind::Held(held) => {
                let axes = match held.axes {
                    RowAxes::First => places[0].rot,
                    RowAxes::Second => places[1].rot,
                    RowAxes::World => Transform::<f64>::identity().rot,
                };
                if held.some.is_empty() {
                    let three = |k: usize| axes * Vec3::new(lambda[k], lambda[k + 1], lambda[k + 2]);
                    f = three(0);
                    n = if held.is_frame { three(3) } else { n };
                }
                for (direction, &lambda) in held.some.iter().zip(lambda) {
                    let part = if direction.is_angular { &mut n } else { &mut f };
                    *part += axes * direction.along * lambda;
                }
            }
            Kind::Distance(..) => {
                let apart = places[0].pos - places[1].pos;
                f = apart * (lambda[0] / libm::sqrt(apart.norm_squared()));
            }
            Kind::Joints(..) => {}
        }
        (f, n)
    }
}
