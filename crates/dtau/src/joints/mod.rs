//! Joints: one file per type, one list, one trait.
//!
//! The model rotates every body frame so that a joint's axis is its `z` (see [`crate::model`]). So one type
//! covers revolute joints about any axis, and `S` consists of unit vectors. `S` is constant in the body's own
//! frame for every joint of the list, so there is no `c_J` term (\[RBDA\] eq. 3.41) anywhere.
//!
//! A new joint needs its file and its line in the list. Descriptions, validation, builders, the URDF reader
//! and writer, the tables of generated code and the tests use the list.

mod free_flyer;
mod helical;
mod list;
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
use crate::spatial::{Force, Motion, Transform, Vec3};
use alloc::vec::Vec;

list::joints! { $
    /// No motion: the links are one body.
    Fixed "fixed";
    /// Rotation about an axis.
    Revolute { axis } "revolute" is Revolute;
    /// Rotation about an axis, without limits; its coordinate is still one angle.
    Continuous { axis } "continuous" as Revolute;
    /// Translation along an axis.
    Prismatic { axis } "prismatic" is Prismatic;
    /// Rotation about an axis, with `pitch` \[m/rad\] along it.
    Helical { axis, pitch } "helical" is Helical { pitch };
    /// Rotation about a point; `q` is a unit quaternion `[x y z w]`.
    Spherical "spherical" is Spherical;
    /// Motion in the plane with this normal; `q = [x y θ]`.
    Planar { normal } "planar" is Planar;
    /// Translation in space, without rotation.
    Translation "translation" is Translation;
    /// Free motion in space; `q = [x y z, qx qy qz qw]`.
    FreeFlyer "free-flyer" is FreeFlyer;
}

/// The interface of a joint. Everything is in the body's own frame, except `axis`.
pub trait JointType {
    /// The configuration space of its coordinates.
    const GROUP: Group;

    /// Index of the coordinate that is an angle, whose sine and cosine it needs.
    const ANGLE: Option<usize>;

    /// Names of its degrees of freedom, such as `lin x`, `ang z`; an empty name for a single one.
    fn dof_names(&self) -> &'static [&'static str] {
        &[""]
    }

    /// Its numbers besides the axis, such as the pitch of a screw.
    fn numbers(&mut self) -> Vec<(&'static Number, &mut f64)> {
        Vec::new()
    }

    /// Computes `X · X_J(q)`: the body's placement when the joint's fixed side is at `X`. `turn` is (sin,
    /// cos) of the angle.
    fn place<T: Real>(&self, x: Transform<T>, q: &[T], turn: (T, T)) -> Transform<T>;

    /// Computes `v + S q̇`.
    fn add_motion<T: Real>(&self, v: Motion<T>, qd: &[T]) -> Motion<T>;

    /// Computes `a + v × S q̇`.
    fn add_cross<T: Real>(&self, a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T>;

    /// Computes `Sᵀ f`.
    fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]);

    /// The `k`-th column of `S` for a body placed at `x`, in the coordinates to which `x` transforms.
    fn axis<T: Real>(&self, k: usize, x: &Transform<T>) -> Motion<T>;
}

/// A number of a joint besides its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Its name in descriptions and files.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// A typical value, for messages.
    pub example: &'static str,
    /// Its meaning, for the table of generated code.
    pub meaning: &'static str,
}

impl JointKind {
    /// Number of degrees of freedom.
    pub fn nv(&self) -> usize {
        self.joint().map_or(0, |joint| joint.group().nv())
    }

    /// Names of its degrees of freedom, such as `lin x`, `ang z`; an empty name for a single one.
    pub fn dof_names(&self) -> &'static [&'static str] {
        self.joint().map_or(&[], |joint| on_joint!(&joint, j => j.dof_names()))
    }

    /// Index of the unit quaternion `[x y z w]` among its coordinates, if they have one.
    pub fn quaternion(&self) -> Option<usize> {
        self.joint()?.group().quaternion()
    }

    /// True if its coordinates are numbers that add, so that q̇ = v.
    pub fn coordinates_add(&self) -> bool {
        self.joint().is_none_or(|joint| matches!(joint.group(), Group::Vector(_)))
    }

    /// Its numbers besides the axis.
    pub fn numbers(&self) -> Vec<(&'static Number, f64)> {
        self.joint().map_or(Vec::new(), Joint::numbers)
    }
}

impl Joint {
    pub(crate) fn group(&self) -> Group {
        fn of<J: JointType>(_: &J) -> Group {
            J::GROUP
        }
        on_joint!(self, j => of(j))
    }

    /// Its numbers besides the axis.
    pub fn numbers(mut self) -> Vec<(&'static Number, f64)> {
        self.numbers_mut().into_iter().map(|(number, x)| (number, *x)).collect()
    }

    /// Its numbers, mutable.
    pub(crate) fn numbers_mut(&mut self) -> Vec<(&'static Number, &mut f64)> {
        on_joint!(self, j => j.numbers())
    }

    /// Index of the coordinate that is an angle, whose sine and cosine it needs.
    pub fn angle(&self) -> Option<usize> {
        fn of<J: JointType>(_: &J) -> Option<usize> {
            J::ANGLE
        }
        on_joint!(self, j => of(j))
    }

    /// Computes `X · X_J(q)`, see [`JointType::place`].
    #[inline(always)]
    pub fn place<T: Real>(&self, x: Transform<T>, q: &[T], turn: (T, T)) -> Transform<T> {
        on_joint!(self, j => j.place(x, q, turn))
    }

    /// Computes `v + S q̇`, see [`JointType::add_motion`].
    #[inline(always)]
    pub fn add_motion<T: Real>(&self, v: Motion<T>, qd: &[T]) -> Motion<T> {
        on_joint!(self, j => j.add_motion(v, qd))
    }

    /// Computes `a + v × S q̇`, see [`JointType::add_cross`].
    #[inline(always)]
    pub fn add_cross<T: Real>(&self, a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T> {
        on_joint!(self, j => j.add_cross(a, v, qd))
    }

    /// Computes `Sᵀ f`, see [`JointType::project`].
    #[inline(always)]
    pub fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]) {
        on_joint!(self, j => j.project(f, tau))
    }

    /// A column of `S`, see [`JointType::axis`].
    #[inline(always)]
    pub fn axis<T: Real>(&self, k: usize, x: &Transform<T>) -> Motion<T> {
        on_joint!(self, j => j.axis(k, x))
    }

    /// Computes `m + Σ Sₖ xₖ` for a body placed at `X`, in the coordinates to which `X` transforms.
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

/// Computes `X · Rz`: rotates the first two axes in their plane.
#[inline(always)]
fn turn_z<T: Real>(x: Transform<T>, (sin, cos): (T, T)) -> Transform<T> {
    let [a, b, c] = x.rot.cols;
    let mut out = x;
    out.rot.cols = [b.scale_add(sin, a * cos), a.scale_add(-sin, b * cos), c];
    out
}

/// Rotation about body axis `k`, for a body placed at `x`.
#[inline(always)]
fn turning<T: Real>(k: usize, x: &Transform<T>) -> Motion<T> {
    let u = x.rot.cols[k];
    Motion::new(x.pos.cross(u), u)
}

/// Translation along body axis `k`, for a body placed at `x`.
#[inline(always)]
fn sliding<T: Real>(k: usize, x: &Transform<T>) -> Motion<T> {
    Motion::new(x.rot.cols[k], Vec3::zero())
}
