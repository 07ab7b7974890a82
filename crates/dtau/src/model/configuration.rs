//! The configuration space: `q ⊕ v`, `q₁ ⊖ q₀` and their derivatives, joint by joint.
//!
//! Tangent vectors have the axes of velocities: the body's axes for joints with quaternions. Mimicking joints
//! have no coordinates of their own, so these functions use independent joints only.

use super::{JointId, JointInfo, Model};
use crate::door::finite::{all_finite, no_direction};
use crate::error::{Error, ErrorKind};
use crate::groups::Group;
use crate::random::Random;
use crate::scalar::Real;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Largest error of a quaternion's length that is attributed to a file with few digits.
pub(crate) const ROUNDED_QUATERNION: f64 = 1e-4;

impl Model {
    /// The configuration with every joint at zero.
    pub fn neutral(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.nq()];
        for (group, coordinates, _) in self.independent_spaces() {
            group.neutral(&mut q[coordinates]);
        }
        q
    }

    /// A random configuration: within the limits if there are any, otherwise angles in ±π and positions in ±1
    /// m.
    pub fn random_configuration(&self, random: &mut Random) -> Vec<f64> {
        let mut q = vec![0.0; self.nq()];
        for joint in self.joints().iter().filter(|j| j.mimic.is_none()) {
            let (lower, upper) = (joint.limits.lower, joint.limits.upper);
            for (group, coordinates, _) in self.spaces(joint) {
                group.random(&mut || random.unit(), lower, upper, &mut q[coordinates]);
            }
        }
        q
    }

    /// Computes `out = q ⊕ v`: the motion from `q` with velocity `v` for one unit of time.
    ///
    /// # Errors
    /// If a length does not fit the model, or the result is not finite.
    pub fn integrate<T: Real>(&self, q: &[T], v: &[T], out: &mut [T]) -> Result<(), Error> {
        self.check_lengths(&[("q", q.len(), self.nq()), ("v", v.len(), self.nv()), ("out", out.len(), self.nq())])?;
        self.integrate_all(q, v, out);
        finite("integrate", &[out])
    }

    /// [`integrate`](Self::integrate) for lengths that are already checked. This and its neighbours are
    /// inlined, also into steps of engines.
    #[inline(always)]
    pub(crate) fn integrate_all<T: Real>(&self, q: &[T], v: &[T], out: &mut [T]) {
        for (group, coordinates, dofs) in self.independent_spaces() {
            group.integrate(&q[coordinates.clone()], &v[dofs], &mut out[coordinates]);
        }
    }

    /// Computes `out = q1 ⊖ q0`: the velocity that leads from `q0` to `q1` in one unit of time.
    ///
    /// # Errors
    /// If a length does not fit the model, or the result is not finite.
    pub fn difference<T: Real>(&self, q0: &[T], q1: &[T], out: &mut [T]) -> Result<(), Error> {
        self.check_lengths(&[("q0", q0.len(), self.nq()), ("q1", q1.len(), self.nq()), ("out", out.len(), self.nv())])?;
        self.difference_all(q0, q1, out);
        finite("difference", &[out])
    }

    #[inline(always)]
    pub(crate) fn difference_all<T: Real>(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        for (group, coordinates, dofs) in self.independent_spaces() {
            group.difference(&q0[coordinates.clone()], &q1[coordinates], &mut out[dofs]);
        }
    }

    /// Computes the derivatives of `q ⊕ v` with respect to `q` and to `v`, along tangent directions: two
    /// block-diagonal `nv × nv` matrices, column-major.
    ///
    /// # Errors
    /// If a length does not fit the model.
    pub fn integrate_derivatives<T: Real>(
        &self,
        q: &[T],
        v: &[T],
        by_q: &mut [T],
        by_v: &mut [T],
    ) -> Result<(), Error> {
        let nv = self.nv();
        self.check_lengths(&[
            ("q", q.len(), self.nq()),
            ("v", v.len(), nv),
            ("by_q", by_q.len(), nv * nv),
            ("by_v", by_v.len(), nv * nv),
        ])?;
        self.integrate_blocks(q, v, by_q, by_v);
        finite("integrate_derivatives", &[by_q, by_v])
    }

    #[inline(always)]
    pub(crate) fn integrate_blocks<T: Real>(&self, q: &[T], v: &[T], by_q: &mut [T], by_v: &mut [T]) {
        by_q.fill(T::zero());
        by_v.fill(T::zero());
        for (group, coordinates, dofs) in self.independent_spaces() {
            let (mut a, mut b) = ([T::zero(); 36], [T::zero(); 36]);
            group.d_integrate(&q[coordinates], &v[dofs.clone()], &mut a, &mut b);
            self.put_blocks(dofs, [&a, &b], [&mut *by_q, &mut *by_v]);
        }
    }

    /// Computes the derivatives of `q1 ⊖ q0` with respect to `q0` and to `q1`, along tangent directions: two
    /// block-diagonal `nv × nv` matrices, column-major.
    ///
    /// # Errors
    /// If a length does not fit the model.
    pub fn difference_derivatives<T: Real>(
        &self,
        q0: &[T],
        q1: &[T],
        by_q0: &mut [T],
        by_q1: &mut [T],
    ) -> Result<(), Error> {
        let nv = self.nv();
        self.check_lengths(&[
            ("q0", q0.len(), self.nq()),
            ("q1", q1.len(), self.nq()),
            ("by_q0", by_q0.len(), nv * nv),
            ("by_q1", by_q1.len(), nv * nv),
        ])?;
        self.difference_blocks(q0, q1, by_q0, by_q1);
        finite("difference_derivatives", &[by_q0, by_q1])
    }

    #[inline(always)]
    pub(crate) fn difference_blocks<T: Real>(&self, q0: &[T], q1: &[T], by_q0: &mut [T], by_q1: &mut [T]) {
        by_q0.fill(T::zero());
        by_q1.fill(T::zero());
        for (group, coordinates, dofs) in self.independent_spaces() {
            let (mut a, mut b) = ([T::zero(); 36], [T::zero(); 36]);
            group.d_difference(&q0[coordinates.clone()], &q1[coordinates], &mut a, &mut b);
            self.put_blocks(dofs, [&a, &b], [&mut *by_q0, &mut *by_q1]);
        }
    }

    /// Scales every quaternion of `q` to unit length.
    ///
    /// # Errors
    /// If the length of `q` does not fit the model, a quaternion is zero, or a number is not finite.
    pub fn normalise<T: Real>(&self, q: &mut [T]) -> Result<(), Error> {
        self.check_lengths(&[("q", q.len(), self.nq())])?;
        if let Some(why) = no_direction(self, q) {
            return Err(Error::new(ErrorKind::Value, why));
        }
        self.normalise_all(q);
        finite("normalise", &[q])
    }

    #[inline(always)]
    pub(crate) fn normalise_all<T: Real>(&self, q: &mut [T]) {
        for (group, coordinates, _) in self.independent_spaces() {
            group.normalise(&mut q[coordinates]);
        }
    }

    /// Checks a configuration from outside. Normalises quaternions that are off by rounding, as in files with
    /// few digits. Returns the names of the joints whose quaternion changed by more than the last bits.
    ///
    /// # Errors
    /// A wrong length, a number that is not finite, or a quaternion far from unit length. The message names
    /// the joint.
    pub fn settle(&self, q: &mut [f64]) -> Result<Vec<&str>, Error> {
        self.check_lengths(&[("q", q.len(), self.nq())])?;
        let mut touched = Vec::new();
        for (i, info) in self.joints().iter().enumerate().filter(|(_, j)| j.mimic.is_none()) {
            if self.settle_joint(JointId(i), &mut q[info.q.clone()])? {
                touched.push(info.name.as_str());
            }
        }
        Ok(touched)
    }

    /// [`settle`](Self::settle) for the coordinates of one joint.
    pub(super) fn settle_joint(&self, id: JointId, q: &mut [f64]) -> Result<bool, Error> {
        let info = &self.joints()[id.0];
        if let Some(k) = q.iter().position(|x| !x.is_finite()) {
            let at = if info.q.len() == q.len() { format!(" (q[{}])", info.q.start + k) } else { Default::default() };
            let message = format!("joint \"{}\": a coordinate is {}{at}; it must be finite", info.name, q[k]);
            return Err(Error::new(ErrorKind::Value, message));
        }
        let mut touched = false;
        for (group, coordinates, _) in self.spaces(info) {
            let q = &mut q[coordinates.start - info.q.start..coordinates.end - info.q.start];
            let quaternion = match group {
                Group::So3 => &q[..],
                Group::Se3 => &q[3..],
                Group::Vector(_) | Group::Se2 => continue,
            };
            let length = libm::sqrt(quaternion.iter().map(|x| x * x).sum());
            if (length - 1.0).abs() > ROUNDED_QUATERNION {
                let message = format!(
                    "joint \"{}\": the quaternion [x y z w] = {quaternion:?} has length {length}, not 1; normalise it",
                    info.name
                );
                return Err(Error::new(ErrorKind::Value, message));
            }
            group.normalise(q);
            touched |= (length - 1.0).abs() > 1e-12;
        }
        Ok(touched)
    }

    /// The configuration spaces of a joint, one for each of its bodies, with their coordinates and degrees of
    /// freedom in the model.
    fn spaces(&self, joint: &JointInfo) -> impl Iterator<Item = (Group, Range<usize>, Range<usize>)> {
        let (mut q, mut v) = (joint.q.start, joint.v.start);
        self.tree().bodies[joint.bodies.clone()].iter().map(move |body| {
            let (coordinates, dofs) = (q..q + body.q.len(), v..v + body.v.len());
            (q, v) = (coordinates.end, dofs.end);
            (body.joint.group(), coordinates, dofs)
        })
    }

    /// The spaces of all independent joints, with the joints' names and coordinates.
    pub(crate) fn named_spaces(&self) -> impl Iterator<Item = (&str, Group, Range<usize>)> {
        let independent = self.joints().iter().filter(|j| j.mimic.is_none());
        independent.flat_map(|j| self.spaces(j).map(|(group, coordinates, _)| (j.name.as_str(), group, coordinates)))
    }

    fn independent_spaces(&self) -> impl Iterator<Item = (Group, Range<usize>, Range<usize>)> {
        self.joints().iter().filter(|j| j.mimic.is_none()).flat_map(|j| self.spaces(j))
    }

    /// Writes the blocks of a joint into two block-diagonal matrices.
    #[inline(always)]
    fn put_blocks<T: Real>(&self, dofs: Range<usize>, blocks: [&[T; 36]; 2], to: [&mut [T]; 2]) {
        let (nv, n) = (self.nv(), dofs.len());
        for (block, to) in blocks.into_iter().zip(to) {
            for j in 0..n {
                let at = (dofs.start + j) * nv + dofs.start;
                to[at..at + n].copy_from_slice(&block[j * n..][..n]);
            }
        }
    }

    pub(crate) fn check_lengths(&self, arguments: &[(&str, usize, usize)]) -> Result<(), Error> {
        for &(name, got, want) in arguments {
            if got != want {
                let message = format!("`{name}` has {got} numbers, but model \"{}\" needs {want}", self.name());
                return Err(Error::new(ErrorKind::Length, message));
            }
        }
        Ok(())
    }
}

fn finite<T: Real>(name: &str, results: &[&[T]]) -> Result<(), Error> {
    if results.iter().all(|result| all_finite(result)) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Value,
        format!("{name}: the result is not finite; the arguments are too large, or not finite"),
    ))
}
