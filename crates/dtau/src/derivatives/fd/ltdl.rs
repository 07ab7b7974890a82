//! −M⁻¹ ∂ID by substitution in the factors of M, as sparse as the tree; see [`crate::ltdl`].
//!
//! IDSVA has left M where M⁻¹ is to be: it is factorised there, used, and inverted there. Substituting with −D instead of D
//! gives the sign. The one way for mimicking joints beside the dense one: the paths are those of the elimination tree.

use crate::dispatch::{Kernel, Twin};
use crate::ltdl::{factorise, inverse_in_place, solve_columns};
use crate::model::Model;
use crate::scalar::Real;
use crate::singular::Singular;
use crate::workspace::Scratch as All;

pub(super) struct Apply<'a, T> {
    pub(super) model: &'a Model,
    pub(super) dq: &'a mut [T],
    pub(super) dv: &'a mut [T],
    /// M, and then M⁻¹.
    pub(super) m: &'a mut [T],
}

impl<T: Real> Kernel<T> for Apply<'_, T> {
    type Output = Result<(), Singular>;

    #[inline(always)]
    fn run<S: Twin<T>>(self, scratch: &mut All<S>) -> Self::Output {
        let (paths, m) = (self.model.elimination(), S::slice_mut(self.m));
        let (margins, wide) = (&mut scratch.ltdl.margins, &mut scratch.ltdl.wide);
        let d_inv = &mut scratch.fd.d_inv[..];
        factorise(paths, m, d_inv, margins)?;
        negate(d_inv);
        for x in [S::slice_mut(self.dq), S::slice_mut(self.dv)] {
            solve_columns(paths, m, d_inv, x, wide);
        }
        negate(d_inv);
        inverse_in_place(paths, m, d_inv, wide);
        Ok(())
    }
}

#[inline(always)]
fn negate<T: Real>(x: &mut [T]) {
    for x in x {
        *x = -*x;
    }
}
