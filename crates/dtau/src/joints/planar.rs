use super::{JointType, sliding, turn_z, turning};
use crate::groups::Group;
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Transform, Vec3};

/// Translation in the `x`–`y` plane and rotation about its normal: SE(2).
///
/// `q = [x, y, θ]`, the position and the angle in the fixed frame; `q̇` is in the body's axes.
///
/// ```text
/// S = [ e_x  e_y  0  ;  0  0  e_z ]
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planar;

impl JointType for Planar {
    const GROUP: Group = Group::Se2;
    const ANGLE: Option<usize> = Some(2);

    fn dof_names(&self) -> &'static [&'static str] {
        &["lin x", "lin y", "ang"]
    }

    #[inline(always)]
    fn place<T: Real>(&self, mut x: Transform<T>, q: &[T], turn: (T, T)) -> Transform<T> {
        x.pos = x.rot.cols[1].scale_add(q[1], x.rot.cols[0].scale_add(q[0], x.pos));
        turn_z(x, turn)
    }

    #[inline(always)]
    fn add_motion<T: Real>(&self, mut v: Motion<T>, qd: &[T]) -> Motion<T> {
        v.lin.x += qd[0];
        v.lin.y += qd[1];
        v.ang.z += qd[2];
        v
    }

    #[inline(always)]
    fn add_cross<T: Real>(&self, a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T> {
        let zero = T::zero();
        let vj = Motion::new(Vec3::new(qd[0], qd[1], zero), Vec3::new(zero, zero, qd[2]));
        v.cross_add(vj, a)
    }

    #[inline(always)]
    fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]) {
        tau[..3].copy_from_slice(&[f.lin.x, f.lin.y, f.ang.z]);
    }

    #[inline(always)]
    fn axis<T: Real>(&self, k: usize, x: &Transform<T>) -> Motion<T> {
        if k < 2 { sliding(k, x) } else { turning(2, x) }
    }
}
