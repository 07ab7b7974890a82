//! Between states one after the other and states side by side: transposes.
//!
//! ```text
//! array   state 0: a b c …   state 1: a b c …   …
//! lanes   a of all states, b of all states, c of all states, …
//! ```
//!
//! The loops below become transposes of 4 × 4 and 8 × 8 blocks in registers. The compiler does that for a loop over numbers
//! whose rows are arguments of their own, which it knows to be apart; not for a loop over blocks, nor for an array of rows.

use crate::dispatch::{Dispatch, Twin};
use crate::scalar::{Fused, Lanes, Real};

/// A scalar that holds the same number of one or several states of `F`.
pub trait Packed<F>: Dispatch + Twin<Self::Plain> {
    /// The same that multiplies, then adds: what is computed outside of workspaces for single states is computed in it.
    type Plain: Real;
    /// How many states.
    const STATES: usize;

    /// Reads states from an array of `to.len()` numbers a state: `first`, the one after it, …, and `last` where there are no
    /// more.
    fn gather(from: &[F], first: usize, last: usize, to: &mut [Self]);

    /// Writes as many states as `to` has room for, `from.len()` numbers each.
    fn scatter(from: &[Self], to: &mut [F]);

    /// The same number in every state.
    fn all(x: F) -> Self;
}

macro_rules! packed {
    ($float:ty, $lanes:literal: $($row:ident = $lane:literal)*) => {
        // One state, on the instructions of every CPU and no others.
        impl Packed<$float> for Lanes<1, $float> {
            type Plain = Lanes<1, $float>;
            const STATES: usize = 1;

            #[inline(always)]
            fn gather(from: &[$float], first: usize, _: usize, to: &mut [Self]) {
                let from = &from[first * to.len()..];
                for (to, &from) in to.iter_mut().zip(from) {
                    *to = Lanes([from]);
                }
            }
            #[inline(always)]
            fn scatter(from: &[Self], to: &mut [$float]) {
                for (to, from) in to.iter_mut().zip(from) {
                    *to = from.0[0];
                }
            }
            #[inline(always)]
            fn all(x: $float) -> Self {
                Lanes([x])
            }
        }

        impl Packed<$float> for Lanes<$lanes, Fused<$float>> {
            type Plain = Lanes<$lanes, $float>;
            const STATES: usize = $lanes;

            #[inline(always)]
            fn gather(from: &[$float], first: usize, last: usize, to: &mut [Self]) {
                #[inline(always)]
                fn rows($($row: &[$float],)* to: &mut [Lanes<$lanes, Fused<$float>>]) {
                    for k in 0..to.len() {
                        to[k].0 = [$(Fused($row[k])),*];
                    }
                }
                let size = to.len();
                rows($(&from[last.min(first + $lane) * size..][..size],)* to);
            }

            #[inline(always)]
            fn scatter(from: &[Self], to: &mut [$float]) {
                #[inline(always)]
                fn rows(from: &[Lanes<$lanes, Fused<$float>>], $($row: &mut [$float]),*) {
                    for k in 0..from.len() {
                        $($row[k] = from[k].0[$lane].0;)*
                    }
                }
                let size = from.len();
                if to.len() == $lanes * size {
                    $(let ($row, to) = to.split_at_mut(size);)*
                    debug_assert!(to.is_empty());
                    rows(from, $($row),*);
                } else {
                    // The tail of a call.
                    for (lane, row) in to.chunks_exact_mut(size.max(1)).enumerate() {
                        for (to, from) in row.iter_mut().zip(from) {
                            *to = from.0[lane].0;
                        }
                    }
                }
            }

            #[inline(always)]
            fn all(x: $float) -> Self {
                Lanes([Fused(x); $lanes])
            }
        }
    };
}

packed!(f64, 4: a = 0 b = 1 c = 2 d = 3);
packed!(f32, 8: a = 0 b = 1 c = 2 d = 3 e = 4 f = 5 g = 6 h = 7);
