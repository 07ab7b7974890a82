//! −M⁻¹ ∂ID by substitution with the sparse factors of M; see [`ltdl`](crate::dynamics::ltdl).
//!
//! IDSVA stores M in the output for M⁻¹. It is factorised there, used, and inverted there. Substituting with
//! −D instead of D gives the sign. With mimicking joints, this and the dense way are the only ones: paths are
//! those of the elimination tree.

use crate::dispatch::step;
use crate::door::Done;
use crate::dynamics::ltdl::{factorise, inverse_in_place, solve_columns};
use crate::engines::Scratch;
use crate::model::Model;
use crate::scalar::Real;

/// `X ← −M⁻¹ X` for both `X`, then replaces M by M⁻¹.
#[inline(always)]
pub(super) fn apply<T: Real>(model: &Model, s: &mut Scratch<T>, [dq, dv]: [&mut [T]; 2], m: &mut [T]) -> Done {
    step!(s.proof, || {
        let (paths, margins, wide) = (model.elimination(), &mut s.ltdl.margins, &mut s.ltdl.wide);
        let d_inv = &mut s.fd.d_inv[..];
        factorise(paths, m, d_inv, margins)?;
        negate(d_inv);
        for x in [&mut *dq, &mut *dv] {
            solve_columns(paths, m, d_inv, x, wide);
        }
        negate(d_inv);
        inverse_in_place(paths, m, d_inv, wide);
        Ok(())
    })
}

#[inline(always)]
fn negate<T: Real>(x: &mut [T]) {
    for x in x {
        *x = -*x;
    }
}
