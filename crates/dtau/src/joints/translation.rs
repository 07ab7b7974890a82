use super::{JointType, sliding};
use crate::groups::Group;
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Transform, Vec3};

/// Translation in space without rotation: R³.
///
/// ```text
/// S = [ 1 ; 0 ]
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Translation;

impl JointType for Translation {
    const GROUP: Group = Group::Vector(3);
    const ANGLE: Option<usize> = None;

    fn dof_names(&self) -> &'static [&'static str] {
        &["lin x", "lin y", "lin z"]
    }

    #[inline(always)]
    fn place<T: Real>(&self, mut x: Transform<T>, q: &[T], _turn: (T, T)) -> Transform<T> {
        x.pos = x.act_point(Vec3::new(q[0], q[1], q[2]));
        x
    }

    #[inline(always)]
    fn add_motion<T: Real>(&self, mut v: Motion<T>, qd: &[T]) -> Motion<T> {
        v.lin += Vec3::new(qd[0], qd[1], qd[2]);
        v
    }

    #[inline(always)]
    fn add_cross<T: Real>(&self, mut a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T> {
        a.lin = v.ang.cross_add(Vec3::new(qd[0], qd[1], qd[2]), a.lin);
        a
    }

    #[inline(always)]
    fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]) {
        tau[..3].copy_from_slice(&f.lin.to_array());
    }

    #[inline(always)]
    fn axis<T: Real>(&self, k: usize, x: &Transform<T>) -> Motion<T> {
        sliding(k, x)
    }
}
