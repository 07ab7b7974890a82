use super::{JointType, sliding, turning};
use crate::groups::Group;
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Quaternion, Transform, Vec3};

/// Free motion in space: SE(3).
///
/// `q = [x y z, qx qy qz qw]`, the placement in the fixed frame; `q̇ = [linear; angular]` in the body's axes.
///
/// ```text
/// S = 1
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeFlyer;

impl JointType for FreeFlyer {
    const GROUP: Group = Group::Se3;
    const ANGLE: Option<usize> = None;

    fn dof_names(&self) -> &'static [&'static str] {
        &["lin x", "lin y", "lin z", "ang x", "ang y", "ang z"]
    }

    #[inline(always)]
    fn place<T: Real>(&self, x: Transform<T>, q: &[T], _turn: (T, T)) -> Transform<T> {
        x * Transform::new(Quaternion::from_slice(&q[3..]).to_matrix(), Vec3::new(q[0], q[1], q[2]))
    }

    #[inline(always)]
    fn add_motion<T: Real>(&self, v: Motion<T>, qd: &[T]) -> Motion<T> {
        v + motion(qd)
    }

    #[inline(always)]
    fn add_cross<T: Real>(&self, a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T> {
        v.cross_add(motion(qd), a)
    }

    #[inline(always)]
    fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]) {
        tau[..6].copy_from_slice(&f.to_array());
    }

    #[inline(always)]
    fn axis<T: Real>(&self, k: usize, x: &Transform<T>) -> Motion<T> {
        if k < 3 { sliding(k, x) } else { turning(k - 3, x) }
    }
}

#[inline(always)]
fn motion<T: Real>(qd: &[T]) -> Motion<T> {
    Motion::new(Vec3::new(qd[0], qd[1], qd[2]), Vec3::new(qd[3], qd[4], qd[5]))
}
