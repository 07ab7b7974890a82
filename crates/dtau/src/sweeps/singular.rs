//! Forward dynamics divides by the inertia of each degree of freedom: how a division by nothing is noticed and told.
//!
//! ```text
//! D ≤ 16 ε · (sum of the magnitudes that D is a difference of)
//! ```
//!
//! means that no digit of `D` is right. What is left of `D` after that bound is its *margin*; a pass multiplies nothing
//! and branches nowhere for it, it only remembers whether every margin was positive.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::scalar::Real;
use alloc::format;

/// `D` less what rounding may have left of nothing, where `scale` bounds the magnitudes that `D` was computed from.
#[inline(always)]
pub(crate) fn margin<T: Real>(D: T, scale: T) -> T {
    scale.neg_mul_add(T::from_f64(16.0 * T::EPSILON), D)
}

/// Whether all margins so far were positive.
#[derive(Clone, Copy)]
pub(crate) struct Health<T>(T);

impl<T: Real> Health<T> {
    #[inline(always)]
    pub(crate) fn good() -> Self {
        Self(T::one())
    }

    /// A margin that is not a number counts as not positive.
    #[inline(always)]
    pub(crate) fn and_positive(self, margin: T) -> Self {
        Self(T::select(T::zero().lt(margin), self.0, -T::one()))
    }

    /// Looks for the culprit, in the order in which the margins were computed, only if there is one.
    #[inline(always)]
    pub(crate) fn check(self, margins: impl Iterator<Item = (usize, T)>) -> Result<(), Singular> {
        if self.0.any_below(0.0) { Err(find(margins)) } else { Ok(()) }
    }
}

/// A degree of freedom whose inertia is nothing, or not a number.
#[derive(Clone, Copy, Debug)]
pub struct Singular {
    dof: usize,
    finite: bool,
}

#[cold]
#[inline(never)]
fn find<T: Real>(margins: impl Iterator<Item = (usize, T)>) -> Singular {
    for (dof, margin) in margins {
        if Health::good().and_positive(margin).0.any_below(0.0) {
            return Singular { dof, finite: margin.is_finite() };
        }
    }
    unreachable!("some margin was not positive")
}

impl Singular {
    /// As an error that names the body; `dof` counts the model's own degrees of freedom.
    #[cold]
    pub(crate) fn error(self, model: &Model) -> Error {
        let joint = model.joint_of_dof(self.dof);
        let (link, name) = (&joint.link, &joint.name);
        if self.finite {
            let message =
                format!("body \"{link}\" has no inertia along its joint \"{name}\"; give it mass or armature");
            Error::new(ErrorKind::Singular, message)
        } else {
            let message = format!("the inertia of body \"{link}\" along its joint \"{name}\" is not finite; check `q`");
            Error::new(ErrorKind::Value, message)
        }
    }
}
