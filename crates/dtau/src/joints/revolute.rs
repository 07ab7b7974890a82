use super::{JointType, turn_z, turning};
use crate::groups::Group;
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Transform};

/// Rotation about the body's `z` by `q` \[rad\], with or without limits.
///
/// ```text
/// S = [ 0 ; e_z ]
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Revolute;

impl JointType for Revolute {
    const GROUP: Group = Group::Vector(1);
    const ANGLE: Option<usize> = Some(0);

    #[inline(always)]
    fn place<T: Real>(&self, x: Transform<T>, _q: &[T], turn: (T, T)) -> Transform<T> {
        turn_z(x, turn)
    }

    #[inline(always)]
    fn add_motion<T: Real>(&self, mut v: Motion<T>, qd: &[T]) -> Motion<T> {
        v.ang.z += qd[0];
        v
    }

    #[inline(always)]
    fn add_cross<T: Real>(&self, mut a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T> {
        // x × e_z = (x_y, −x_x, 0)
        a.lin.x = v.lin.y.mul_add(qd[0], a.lin.x);
        a.lin.y = v.lin.x.neg_mul_add(qd[0], a.lin.y);
        a.ang.x = v.ang.y.mul_add(qd[0], a.ang.x);
        a.ang.y = v.ang.x.neg_mul_add(qd[0], a.ang.y);
        a
    }

    #[inline(always)]
    fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]) {
        tau[0] = f.ang.z;
    }

    #[inline(always)]
    fn axis<T: Real>(&self, _k: usize, x: &Transform<T>) -> Motion<T> {
        turning(2, x)
    }
}
