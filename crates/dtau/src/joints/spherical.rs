use super::{JointType, turning};
use crate::groups::Group;
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Quaternion, Transform, Vec3};

/// Rotation about a point; `q` is a unit quaternion `[x y z w]`, `q̇` the angular velocity in the body's axes.
///
/// ```text
/// S = [ 0 ; 1 ]
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spherical;

impl JointType for Spherical {
    const GROUP: Group = Group::So3;
    const ANGLE: Option<usize> = None;

    fn dof_names(&self) -> &'static [&'static str] {
        &["ang x", "ang y", "ang z"]
    }

    #[inline(always)]
    fn place<T: Real>(&self, mut x: Transform<T>, q: &[T], _turn: (T, T)) -> Transform<T> {
        x.rot = x.rot * Quaternion::from_slice(q).to_matrix();
        x
    }

    #[inline(always)]
    fn add_motion<T: Real>(&self, mut v: Motion<T>, qd: &[T]) -> Motion<T> {
        v.ang += Vec3::new(qd[0], qd[1], qd[2]);
        v
    }

    #[inline(always)]
    fn add_cross<T: Real>(&self, mut a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T> {
        let w = Vec3::new(qd[0], qd[1], qd[2]);
        a.lin = v.lin.cross_add(w, a.lin);
        a.ang = v.ang.cross_add(w, a.ang);
        a
    }

    #[inline(always)]
    fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]) {
        tau[..3].copy_from_slice(&f.ang.to_array());
    }

    #[inline(always)]
    fn axis<T: Real>(&self, k: usize, x: &Transform<T>) -> Motion<T> {
        turning(k, x)
    }
}
