//! Detects and reports a singular mass matrix: forward dynamics divides by the inertia of each degree of
//! freedom.
//!
//! ```text
//! D ≤ 16 ε · (sum of the magnitudes that D is a difference of)
//! ```
//!
//! means that no digit of `D` is correct. `D` minus that bound is its *margin*. The passes do not multiply or
//! branch for it; they only remember whether every margin was positive.

use crate::constraints::Constraints;
use crate::error::{Error, ErrorKind};
use crate::model::{JointInfo, Model};
use crate::scalar::Real;
use crate::spatial::{Inertia, Sym3, Transform, Vec3};
use alloc::format;

/// `D` minus its possible rounding error, where `scale` bounds the magnitudes that `D` was computed from.
#[inline(always)]
pub(crate) fn margin<T: Real>(D: T, scale: T) -> T {
    scale.neg_mul_add(T::from_f64(16.0 * T::EPSILON), D)
}

/// True if all margins so far were positive.
#[derive(Clone, Copy)]
pub(crate) struct Health<T>(T);

impl<T: Real> Health<T> {
    #[inline(always)]
    pub(crate) fn good() -> Self {
        Self(T::one())
    }

    /// NaN counts as not positive.
    #[inline(always)]
    pub(crate) fn and_positive(self, margin: T) -> Self {
        Self(T::select(T::zero().lt(margin), self.0, -T::one()))
    }

    /// Finds the first margin that is not positive, in the order of computation, only if there is one.
    #[inline(always)]
    pub(crate) fn check(self, margins: impl Iterator<Item = (usize, T)>) -> Result<(), Singular> {
        if self.0.any_below(0.0) { Err(find(margins)) } else { Ok(()) }
    }
}

/// Reason why there is no solution.
#[derive(Clone, Copy, Debug)]
pub enum Singular {
    /// A degree of freedom whose inertia is zero, NaN or infinite.
    Dof {
        /// Index of the degree of freedom.
        dof: usize,
        /// True if the inertia is finite.
        finite: bool,
    },
    /// A row of the constraints that contradicts others.
    Contradicted {
        /// Index of the row.
        row: usize,
        /// The constraints of the other rows, one bit each.
        with: u64,
    },
    /// A degree of freedom whose given acceleration cannot be produced.
    Unreached {
        /// Index in the model.
        dof: usize,
    },
    /// A degree of freedom that has the given acceleration, but cannot have any other.
    Unheld {
        /// Index in the model.
        dof: usize,
    },
    /// A negative strength.
    Weak {
        /// True for the strength of a force, false for that of a torque.
        is_force: bool,
        /// Index of the strength.
        index: usize,
    },
}

#[cold]
#[inline(never)]
fn find<T: Real>(margins: impl Iterator<Item = (usize, T)>) -> Singular {
    for (dof, margin) in margins {
        if Health::good().and_positive(margin).0.any_below(0.0) {
            return Singular::Dof { dof, finite: margin.is_finite() };
        }
    }
    unreachable!("some margin was not positive")
}

/// Inertia of a body alone along one degree of freedom of its joint, Sᵀ I S. The bodies that it carries can
/// only increase it.
#[cold]
fn own_inertia(model: &Model, joint: &JointInfo, dof: usize) -> f64 {
    let body = &model.tree().bodies[joint.bodies.end - 1];
    let Inertia { mass, rot, .. } = body.inertia;
    let armature = model.tree().dofs[body.v.start].armature;
    // Terms that come only from the rounding of rotated axes count as zero.
    let noise = 1e-12 * (rot.xx.abs() + rot.yy.abs() + rot.zz.abs());
    let [xx, yy, zz] = [rot.xx, rot.yy, rot.zz].map(|x| if x.abs() > noise { x } else { 0.0 });
    let own = Inertia { mass, h: Vec3::zero(), rot: Sym3::diagonal(xx, yy, zz) };
    let S = body.joint.axis(dof, &Transform::identity());
    S.dot(own * S) + armature
}

impl Singular {
    /// The error for accelerations that cannot be produced.
    #[cold]
    fn error_of_wish(self, model: &Model) -> Error {
        let joint = |dof: usize| &model.joint_of_dof(dof).name;
        let (kind, message) = match self {
            Singular::Weak { is_force, index } => {
                let name = if is_force { "force_strength" } else { "torque_strength" };
                let message =
                    format!("`{name}[{index}]` is negative; strengths are positive, or zero where nothing acts");
                (ErrorKind::Value, message)
            }
            Singular::Unheld { dof } => {
                let message = format!(
                    "joint \"{}\" (degree of freedom {dof}) is neither actuated nor held, so that there are no derivatives: a wish beside \
                     this one cannot be granted; give it torque_strength, or constraints",
                    joint(dof)
                );
                (ErrorKind::Singular, message)
            }
            Singular::Unreached { dof } | Singular::Dof { dof, .. } | Singular::Contradicted { row: dof, .. } => {
                let message = format!(
                    "neither the actuated joints nor the constraints can give joint \"{}\" (degree of freedom {dof}) its wished acceleration; \
                     wish another, give it torque_strength (a small one, and its torque is what is missing), or constraints",
                    joint(dof)
                );
                (ErrorKind::Singular, message)
            }
        };
        Error::new(kind, message)
    }

    /// Converts to an error that names the body or the constraints; `dof` counts the model's own degrees of
    /// freedom.
    #[cold]
    pub(crate) fn error(self, model: &Model, constraints: Option<&Constraints>) -> Error {
        let (dof, finite) = match (self, constraints) {
            (Singular::Unreached { .. } | Singular::Unheld { .. } | Singular::Weak { .. }, _) => {
                return self.error_of_wish(model);
            }
            (Singular::Dof { dof, finite }, _) => (dof, finite),
            (Singular::Contradicted { row, with }, Some(constraints)) => return constraints.contradiction(row, with),
            (Singular::Contradicted { .. }, None) => {
                return Error::new(ErrorKind::Singular, "constraints contradict each other");
            }
        };
        let joint = model.joint_of_dof(dof);
        let (link, name) = (&joint.link, &joint.name);
        if finite {
            let own = own_inertia(model, joint, dof - joint.v.start);
            let message = if own > 0.0 {
                format!(
                    "the inertia of body \"{link}\" along its joint \"{name}\", {own:.3e} or more, is lost in rounding: the body is too \
                     far from the first body, or others are too heavy beside it; check units, or move the root"
                )
            } else if own < 0.0 {
                format!(
                    "the inertia of body \"{link}\" along its joint \"{name}\" is negative: {own:.3e}; no rigid body has that"
                )
            } else {
                format!("body \"{link}\" has no inertia along its joint \"{name}\"; give it mass or armature")
            };
            Error::new(ErrorKind::Singular, message)
        } else {
            let message = format!("the inertia of body \"{link}\" along its joint \"{name}\" is not finite; check `q`");
            Error::new(ErrorKind::Value, message)
        }
    }
}
