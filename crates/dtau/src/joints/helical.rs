use super::{JointType, Number, sliding, turn_z, turning};
use crate::groups::Group;
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Transform, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// A screw: rotation by `q` about `z` with translation `pitch · q` along it.
///
/// ```text
/// S = [ h e_z ; e_z ]      h: pitch [m/rad]
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Helical {
    /// Translation per angle \[m/rad\].
    pub pitch: f64,
}

impl JointType for Helical {
    const GROUP: Group = Group::Vector(1);
    const ANGLE: Option<usize> = Some(0);

    fn numbers(&mut self) -> Vec<(&'static Number, &mut f64)> {
        const PITCH: Number = Number { name: "pitch", unit: "m/rad", example: "0.01", meaning: "pitch of its screw" };
        vec![(&PITCH, &mut self.pitch)]
    }

    #[inline(always)]
    fn place<T: Real>(&self, mut x: Transform<T>, q: &[T], turn: (T, T)) -> Transform<T> {
        x.pos = x.rot.cols[2].scale_add(T::from_f64(self.pitch) * q[0], x.pos);
        turn_z(x, turn)
    }

    #[inline(always)]
    fn add_motion<T: Real>(&self, mut v: Motion<T>, qd: &[T]) -> Motion<T> {
        v.lin.z = T::from_f64(self.pitch).mul_add(qd[0], v.lin.z);
        v.ang.z += qd[0];
        v
    }

    #[inline(always)]
    fn add_cross<T: Real>(&self, a: Motion<T>, v: Motion<T>, qd: &[T]) -> Motion<T> {
        let zero = T::zero();
        let along = Vec3::new(zero, zero, T::from_f64(self.pitch) * qd[0]);
        let about = Vec3::new(zero, zero, qd[0]);
        v.cross_add(Motion::new(along, about), a)
    }

    #[inline(always)]
    fn project<T: Real>(&self, f: Force<T>, tau: &mut [T]) {
        tau[0] = T::from_f64(self.pitch).mul_add(f.lin.z, f.ang.z);
    }

    #[inline(always)]
    fn axis<T: Real>(&self, _k: usize, x: &Transform<T>) -> Motion<T> {
        sliding(2, x).scale_add(T::from_f64(self.pitch), turning(2, x))
    }
}
