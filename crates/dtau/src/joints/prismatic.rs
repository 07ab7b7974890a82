use super::{JointType, sliding};
use crate::groups::Group;
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Transform};

/// Translation along the body's `z` by `q` \[m\].
///
/// ```text
/// S = [ e_z ; 0 ]
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prismatic;

impl JointType for Prismatic {
    const GROUP: Group = Group::Vector(1);
    const ANGLE: Option<usize> = None;

    #[inline(always)]
    fn place<T: Real>(&self, mut x: Transform<T>, q: &[T], _turn: (T, T)) -> Transform<T> {
        x.pos = x.rot.cols[2].scale_add(q[0], x.pos);
        x
    }

    #[inline(always)]
    fn add_motion<T: Real>(&self, mut v: Motion<T>, qd: &[T]) -> Motion<T> {
        v.lin.z += qd[0];
        v
    }

    #[inline(always)]
    fn add_cross<T: Real>(&self, mut a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T> {
        a.lin.x = v.ang.y.mul_add(qd[0], a.lin.x);
        a.lin.y = v.ang.x.neg_mul_add(qd[0], a.lin.y);
        a
    }

    #[inline(always)]
    fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]) {
        tau[0] = f.lin.z;
    }

    #[inline(always)]
    fn axis<T: Real>(&self, _k: usize, x: &Transform<T>) -> Motion<T> {
        sliding(2, x)
    }
}
