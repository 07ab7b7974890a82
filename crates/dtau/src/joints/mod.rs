//! Joints: one file a type, one list, one contract.
//!
//! The model turns every body frame so that a joint's axis is its `z` (see [`crate::model`]); so "revolute about any axis"
//! is one type here, and `S` is made of unit vectors. `S` is constant in the body's own frame for every joint of the
//! list, so there is no `c_J` term (\[RBDA\] eq. 3.41) anywhere.

mod free_flyer;
mod helical;
mod planar;
mod prismatic;
mod revolute;
mod spherical;
mod translation;

#[cfg(test)]
mod tests;

pub use free_flyer::FreeFlyer;
pub use helical::Helical;
pub use planar::Planar;
pub use prismatic::Prismatic;
pub use revolute::Revolute;
pub use spherical::Spherical;
pub use translation::Translation;

use crate::groups::Group;
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Transform};

/// What an algorithm asks of a joint. All of it in the body's own frame, but for `axis`.
pub trait JointType {
    /// The space its coordinates live in.
    const GROUP: Group;

    /// Which of its coordinates is an angle whose sine and cosine it needs.
    const ANGLE: Option<usize>;

    /// `X · X_J(q)`: where the body is, when the joint's fixed side is at `X`. `turn` is (sin, cos) of the angle.
    fn place<T: Real>(&self, x: Transform<T>, q: &[T], turn: (T, T)) -> Transform<T>;

    /// `v + S q̇`.
    fn add_motion<T: Real>(&self, v: Motion<T>, qd: &[T]) -> Motion<T>;

    /// `a + v × S q̇`.
    fn add_cross<T: Real>(&self, a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T>;

    /// `Sᵀ f`.
    fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]);

    /// The `k`-th column of `S`, for a body placed at `x`, in the coordinates that `x` leads to.
    fn axis<T: Real>(&self, k: usize, x: &Transform<T>) -> Motion<T>;
}

/// The list of joints.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Joint {
    Revolute(Revolute),
    Prismatic(Prismatic),
    Helical(Helical),
    Spherical(Spherical),
    Planar(Planar),
    Translation(Translation),
    FreeFlyer(FreeFlyer),
}

/// Runs the same expression on whichever type a [`Joint`] is.
macro_rules! on_joint {
    ($joint:expr, $j:ident => $body:expr) => {
        match $joint {
            Joint::Revolute($j) => $body,
            Joint::Prismatic($j) => $body,
            Joint::Helical($j) => $body,
            Joint::Spherical($j) => $body,
            Joint::Planar($j) => $body,
            Joint::Translation($j) => $body,
            Joint::FreeFlyer($j) => $body,
        }
    };
}

impl Joint {
    pub(crate) fn group(&self) -> Group {
        fn of<J: JointType>(_: &J) -> Group {
            J::GROUP
        }
        on_joint!(self, j => of(j))
    }

    /// Which of its coordinates is an angle whose sine and cosine it needs.
    pub fn angle(&self) -> Option<usize> {
        fn of<J: JointType>(_: &J) -> Option<usize> {
            J::ANGLE
        }
        on_joint!(self, j => of(j))
    }

    /// `X · X_J(q)`, see [`JointType::place`].
    #[inline(always)]
    pub fn place<T: Real>(&self, x: Transform<T>, q: &[T], turn: (T, T)) -> Transform<T> {
        on_joint!(self, j => j.place(x, q, turn))
    }

    /// `v + S q̇`, see [`JointType::add_motion`].
    #[inline(always)]
    pub fn add_motion<T: Real>(&self, v: Motion<T>, qd: &[T]) -> Motion<T> {
        on_joint!(self, j => j.add_motion(v, qd))
    }

    /// `a + v × S q̇`, see [`JointType::add_cross`].
    #[inline(always)]
    pub fn add_cross<T: Real>(&self, a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T> {
        on_joint!(self, j => j.add_cross(a, v, qd))
    }

    /// `Sᵀ f`, see [`JointType::project`].
    #[inline(always)]
    pub fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]) {
        on_joint!(self, j => j.project(f, tau))
    }

    /// A column of `S`, see [`JointType::axis`].
    #[inline(always)]
    pub fn axis<T: Real>(&self, k: usize, x: &Transform<T>) -> Motion<T> {
        on_joint!(self, j => j.axis(k, x))
    }

    /// `m + Σ Sₖ xₖ` for a body placed at `X`, in the coordinates that `X` leads to.
    #[inline(always)]
    pub(crate) fn add_along<T: Real>(&self, m: Motion<T>, X: &Transform<T>, x: &[T]) -> Motion<T> {
        on_joint!(self, j => {
            let mut sum = m;
            for (k, &x) in x.iter().enumerate() {
                sum = j.axis(k, X).scale_add(x, sum);
            }
            sum
        })
    }
}

/// `X · Rz`: the first two axes turn in their plane.
#[inline(always)]
fn turn_z<T: Real>(x: Transform<T>, (sin, cos): (T, T)) -> Transform<T> {
    let [a, b, c] = x.rot.cols;
    let mut out = x;
    out.rot.cols = [b.scale_add(sin, a * cos), a.scale_add(-sin, b * cos), c];
    out
}

/// Turning about body axis `k`, for a body placed at `x`.
#[inline(always)]
fn turning<T: Real>(k: usize, x: &Transform<T>) -> Motion<T> {
    let u = x.rot.cols[k];
    Motion::new(x.pos.cross(u), u)
}

/// Sliding along body axis `k`, for a body placed at `x`.
#[inline(always)]
fn sliding<T: Real>(k: usize, x: &Transform<T>) -> Motion<T> {
    Motion::new(x.rot.cols[k], crate::spatial::Vec3::zero())
}
