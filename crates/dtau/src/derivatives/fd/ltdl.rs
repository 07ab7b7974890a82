//! −M⁻¹ ∂ID by substitution in the factors of M, as sparse as the tree; see [`ltdl`](crate::dynamics::ltdl).
//!
//! IDSVA has left M where M⁻¹ is to be: it is factorised there, used, and inverted there. Substituting with −D instead of D
//! gives the sign. The one way for mimicking joints beside the dense one: the paths are those of the elimination tree.

use crate::dispatch::Step;
use crate::door::Done;
use crate::dynamics::ltdl::{factorise, inverse_in_place, solve_columns};
use crate::engines::Scratch;
use crate::model::Model;
use crate::scalar::Real;

pub(super) struct Apply<'a, T: Real> {
    pub(super) model: &'a Model,
    pub(super) s: &'a mut Scratch<T>,
    pub(super) dq: &'a mut [T],
    pub(super) dv: &'a mut [T],
    /// M, and then M⁻¹.
    pub(super) m: &'a mut [T],
}

impl<T: Real> Step for Apply<'_, T> {
    type Output = Done;

    #[inline(always)]
    fn run(self) -> Done {
        let Self { model, s, dq, dv, m } = self;
        let (paths, margins, wide) = (model.elimination(), &mut s.ltdl.margins, &mut s.ltdl.wide);
        let d_inv = &mut s.fd.d_inv[..];
        factorise(paths, m, d_inv, margins)?;
        negate(d_inv);
        for x in [dq, dv] {
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
