//! Joints that follow others: the linear map from independent to full coordinates.
//!
//! ```text
//! q_full = G q + o     v_full = G v     a_full = G a        G: one entry a row
//! τ = Gᵀ τ_full        M = Gᵀ M_full G                      by virtual work
//! ```
//!
//! Every algorithm computes on the full tree; these functions are applied at the door (`door/run.rs`). So
//! mimicry is exact in every algorithm and derivative, and free for models without it.

use crate::scalar::Real;
use alloc::vec::Vec;

/// The map, stored by rows of `G`.
#[derive(Clone, Debug, PartialEq)]
pub struct MimicMap {
    /// For each full coordinate.
    pub coordinates: Vec<Source>,
    /// For each full degree of freedom.
    pub dofs: Vec<Source>,
}

/// `multiplier · x[index] + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Index of the independent number.
    pub index: usize,
    /// Factor.
    pub multiplier: f64,
    /// Added offset.
    pub offset: f64,
}

impl MimicMap {
    /// Computes `G q + o`.
    #[inline(always)]
    pub fn expand_q<T: Real>(&self, q: &[T], full: &mut [T]) {
        for (out, s) in full.iter_mut().zip(&self.coordinates) {
            *out = q[s.index].mul_add(T::from_f64(s.multiplier), T::from_f64(s.offset));
        }
    }

    /// Computes `G v`.
    #[inline(always)]
    pub fn expand_v<T: Real>(&self, v: &[T], full: &mut [T]) {
        for (out, s) in full.iter_mut().zip(&self.dofs) {
            *out = v[s.index] * T::from_f64(s.multiplier);
        }
    }

    /// Computes `Gᵀ τ`.
    #[inline(always)]
    pub fn reduce<T: Real>(&self, full: &[T], tau: &mut [T]) {
        tau.fill(T::zero());
        for (x, s) in full.iter().zip(&self.dofs) {
            tau[s.index] = x.mul_add(T::from_f64(s.multiplier), tau[s.index]);
        }
    }

    /// Computes `Gᵀ A G` for a column-major square `A`.
    #[inline(always)]
    pub fn reduce_square<T: Real>(&self, full: &[T], nv: usize, out: &mut [T]) {
        out.fill(T::zero());
        for (column, sj) in full.chunks_exact(self.dofs.len()).zip(&self.dofs) {
            let target = &mut out[sj.index * nv..][..nv];
            for (x, si) in column.iter().zip(&self.dofs) {
                let k = T::from_f64(si.multiplier * sj.multiplier);
                target[si.index] = x.mul_add(k, target[si.index]);
            }
        }
    }

    /// Applies `Gᵀ` to each index of an array of three indices, the first index fastest.
    #[inline(always)]
    pub(crate) fn reduce_cube<T: Real>(&self, full: &[T], nv: usize, out: &mut [T]) {
        out.fill(T::zero());
        let n = self.dofs.len();
        for (square, sk) in full.chunks_exact((n * n).max(1)).zip(&self.dofs) {
            for (column, sj) in square.chunks_exact(n).zip(&self.dofs) {
                let target = &mut out[(sk.index * nv + sj.index) * nv..][..nv];
                for (x, si) in column.iter().zip(&self.dofs) {
                    let k = T::from_f64(si.multiplier * sj.multiplier * sk.multiplier);
                    target[si.index] = x.mul_add(k, target[si.index]);
                }
            }
        }
    }

    /// Computes `J G` for a column-major `J` with `rows` rows.
    #[inline(always)]
    pub(crate) fn reduce_columns<T: Real>(&self, full: &[T], rows: usize, out: &mut [T]) {
        out.fill(T::zero());
        for (column, s) in full.chunks_exact(rows).zip(&self.dofs) {
            let k = T::from_f64(s.multiplier);
            for (o, x) in out[s.index * rows..][..rows].iter_mut().zip(column) {
                *o = x.mul_add(k, *o);
            }
        }
    }
}

/// Output for `J G`, with `R` rows, column-major. The columns of `J` are written one by one, so `J` is never
/// stored. It serves kinematics that were computed earlier, outside of the door.
pub(crate) struct JacobianMut<'a, T, const R: usize> {
    map: Option<&'a MimicMap>,
    out: &'a mut [[T; R]],
}

impl<'a, T: Real, const R: usize> JacobianMut<'a, T, R> {
    /// Fills the output with zeros first.
    #[inline(always)]
    pub(crate) fn new(map: Option<&'a MimicMap>, out: &'a mut [T]) -> Self {
        out.fill(T::zero());
        Self { map, out: out.as_chunks_mut().0 }
    }

    /// Writes the column of a degree of freedom, each at most once. Columns of mimicking joints are added.
    #[inline(always)]
    pub(crate) fn put(&mut self, dof: usize, column: [T; R]) {
        let Some(map) = self.map else {
            self.out[dof] = column;
            return;
        };
        let s = &map.dofs[dof];
        for (o, x) in self.out[s.index].iter_mut().zip(column) {
            *o = x.mul_add(T::from_f64(s.multiplier), *o);
        }
    }
}
