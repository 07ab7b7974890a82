//! Constraints from a robot's file: MJCF's equalities.

use super::{ConstraintDescription, Constraints, ConstraintsDescription, Here};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::model::description::{EqualityDescription, EqualityKind};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;

/// Reference pose of the equalities.
const START: &str = "qpos0";
const WORLD: &str = "link:world";

impl Model {
    /// The equality constraints of the robot's file that are active initially: connected points, welded
    /// frames, and linear relations of joints. MuJoCo's equalities are soft; these are exact.
    ///
    /// # Errors
    /// If one is of another kind, such as one on tendons or a relation of higher degree. The error names it.
    pub fn equality_constraints(&self) -> Result<Constraints, Error> {
        let mut all = ConstraintsDescription::default();
        for equality in self.description().equalities.iter().filter(|equality| equality.active) {
            all.constraint.push(self.described(equality)?);
        }
        Constraints::describe(self, &all)
    }

    fn described(&self, equality: &EqualityDescription) -> Result<ConstraintDescription, Error> {
        let refuse = |what: String| {
            let message = format!("equality {:?}: {what}", equality.name);
            Err(Error::new(ErrorKind::Unsupported, message))
        };
        let start = || if self.poses().any(|pose| pose == START) { self.pose(START) } else { Ok(self.neutral()) };
        let with = |frame: &String| (frame != WORLD).then(|| frame.clone());
        let name = (!equality.name.is_empty()).then(|| equality.name.clone());
        let mut constraint = ConstraintDescription { name, ..ConstraintDescription::default() };
        match &equality.kind {
            EqualityKind::Connect { first, second, anchor } => {
                constraint.point = Some(first.clone());
                constraint.at = Some(*anchor);
                constraint.with = with(second);
                constraint.here = Some(Here::At(start()?));
            }
            EqualityKind::Weld { first, second, placement } => {
                // The second frame is held in the first. If the second is the world, the first is held.
                let (held, by) = if second == WORLD { (first, second) } else { (second, first) };
                constraint.frame = Some(held.clone());
                constraint.with = with(by);
                match placement {
                    Some(placement) => {
                        let placement = if second == WORLD { placement.inverse() } else { *placement };
                        constraint.position = Some(placement.pos.to_array());
                        constraint.rotation = Some(placement.rot.to_rows());
                    }
                    None => constraint.here = Some(Here::At(start()?)),
                }
            }
            EqualityKind::Joints { first, second, coefficients: [c0, c1, higher @ ..] } => {
                if second.is_some() && *higher != [0.0; 3] {
                    return refuse("its relation of two joints is not linear".into());
                }
                let (at, mut factors) = (start()?, BTreeMap::from([(first.clone(), 1.0)]));
                let start_of = |name: &String| Ok::<f64, Error>(at[self.joint_info(self.joint(name)?).q.start]);
                let mut sum = start_of(first)? + c0;
                if let Some(second) = second {
                    factors.insert(second.clone(), -c1);
                    sum -= c1 * start_of(second)?;
                }
                constraint.joints = Some(factors);
                constraint.sum = Some(sum);
            }
            EqualityKind::Other(kind) => return refuse(format!("dtau has no constraint for <{kind}>")),
        }
        Ok(constraint)
    }
}
