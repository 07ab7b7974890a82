//! Transposes between states in sequence and states side by side in lanes.
//!
//! ```text
//! array   state 0: a b c …   state 1: a b c …   …
//! lanes   a of all states, b of all states, c of all states, …
//! ```
//!
//! Blocks of 4 × 4 and 8 × 8 numbers are transposed in registers; the rest is copied number by number.

use crate::dispatch::{F32x8, F64x4};
use crate::scalar::{Native, Real, Wide};

/// A scalar that holds one number of several states of `F`.
pub trait Packed<F>: Real {
    /// Number of states.
    const STATES: usize;

    /// Reads states from an array of `to.len()` numbers per state: `first`, the next ones, and `last` again
    /// if there are no more.
    fn gather(from: &[F], first: usize, last: usize, to: &mut [Self]);

    /// Writes as many states as `to` has room for, `from.len()` numbers each.
    fn scatter(from: &[Self], to: &mut [F]);

    /// The same number in every state.
    fn all(x: F) -> Self;
}

macro_rules! packed {
    ($float:ty, $lanes:ty, $width:literal: $($row:ident = $lane:literal)*) => {
        impl Packed<$float> for $lanes {
            const STATES: usize = $width;

            #[inline(always)]
            fn gather(from: &[$float], first: usize, last: usize, to: &mut [Self]) {
                let size = to.len();
                let mut rows: [&[$float]; $width] = [&[]; $width];
                for lane in 0..$width {
                    rows[lane] = &from[last.min(first + lane) * size..][..size];
                }
                let mut block = [Self::default(); $width];
                let whole = size / $width * $width;
                for start in (0..whole).step_by($width) {
                    for lane in 0..$width {
                        block[lane] = Self::read(&rows[lane][start..]);
                    }
                    <Self as Wide<Native<$float>>>::transpose(&mut block);
                    to[start..start + $width].copy_from_slice(&block);
                }
                for k in whole..size {
                    for lane in 0..$width {
                        Wide::set_lane(&mut to[k], lane, Native(rows[lane][k]));
                    }
                }
            }

            #[inline(always)]
            fn scatter(from: &[Self], to: &mut [$float]) {
                let size = from.len();
                let whole = if to.len() == $width * size { size / $width * $width } else { 0 };
                if whole > 0 {
                    let rest = &mut to[..];
                    $(let ($row, rest) = rest.split_at_mut(size);)*
                    debug_assert!(rest.is_empty());
                    let blocks = from.as_chunks::<$width>().0;
                    // Slices of one known length: the compiler removes the bounds checks from the loop.
                    let count = blocks.len();
                    $(let $row = &mut $row.as_chunks_mut::<$width>().0[..count];)*
                    for k in 0..count {
                        let mut block = blocks[k];
                        <Self as Wide<Native<$float>>>::transpose(&mut block);
                        $(block[$lane].write(&mut $row[k]);)*
                    }
                }
                // The rest of every state, and all numbers of states in the tail of a call.
                for (lane, row) in to.chunks_exact_mut(size.max(1)).enumerate() {
                    for (to, from) in row[whole..].iter_mut().zip(&from[whole..]) {
                        *to = Wide::<Native<$float>>::lane(from, lane).0;
                    }
                }
            }

            #[inline(always)]
            fn all(x: $float) -> Self {
                Self::all(x)
            }
        }
    };
}

packed!(f64, F64x4, 4: a = 0 b = 1 c = 2 d = 3);
packed!(f32, F32x8, 8: a = 0 b = 1 c = 2 d = 3 e = 4 f = 5 g = 6 h = 7);
