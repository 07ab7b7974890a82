//! Between states one after the other and states side by side: transposes.
//!
//! ```text
//! array   state 0: a b c …   state 1: a b c …   …
//! lanes   a of all states, b of all states, c of all states, …
//! ```
//!
//! In blocks as wide as the lanes, so that both sides move whole registers.

use crate::dispatch::{Dispatch, Twin};
use crate::scalar::{Element, Fused, Lanes, Real};
use core::array;

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
    ($float:ty, $lanes:literal) => {
        impl Packed<$float> for $float {
            type Plain = $float;
            const STATES: usize = 1;

            #[inline(always)]
            fn gather(from: &[$float], first: usize, _: usize, to: &mut [$float]) {
                to.copy_from_slice(&from[first * to.len()..][..to.len()]);
            }
            #[inline(always)]
            fn scatter(from: &[$float], to: &mut [$float]) {
                to.copy_from_slice(from);
            }
            #[inline(always)]
            fn all(x: $float) -> $float {
                x
            }
        }

        impl Packed<$float> for Lanes<$lanes, Fused<$float>> {
            type Plain = Lanes<$lanes, $float>;
            const STATES: usize = $lanes;

            #[inline(always)]
            fn gather(from: &[$float], first: usize, last: usize, to: &mut [Self]) {
                let width = to.len();
                let from = Fused::slice(from);
                let rows = array::from_fn(|lane| &from[(first + lane).min(last) * width..][..width]);
                gather::<_, $lanes>(rows, to);
            }
            #[inline(always)]
            fn scatter(from: &[Self], to: &mut [$float]) {
                let to = Fused::slice_mut(to);
                if to.len() == $lanes * from.len() {
                    let mut rest = to;
                    let rows = array::from_fn(|_| {
                        let (row, others) = core::mem::take(&mut rest).split_at_mut(from.len());
                        rest = others;
                        row
                    });
                    scatter::<_, $lanes>(from, rows);
                } else {
                    scatter_some(from, to);
                }
            }
            #[inline(always)]
            fn all(x: $float) -> Self {
                Lanes([Fused(x); $lanes])
            }
        }
    };
}

packed!(f64, 4);
packed!(f32, 8);

#[inline(always)]
fn gather<F: Element, const N: usize>(rows: [&[F]; N], to: &mut [Lanes<N, F>]) {
    let (blocks, rest) = to.as_chunks_mut::<N>();
    let count = blocks.len();
    let (whole, rows): ([&[[F; N]]; N], [&[F]; N]) = {
        let split = rows.map(|row| row.as_chunks::<N>());
        (split.map(|(whole, _)| &whole[..count]), split.map(|(_, rest)| &rest[..rest.len()]))
    };
    for (b, block) in blocks.iter_mut().enumerate() {
        let square: [[F; N]; N] = array::from_fn(|lane| whole[lane][b]);
        *block = transpose(square).map(Lanes);
    }
    for (k, to) in rest.iter_mut().enumerate() {
        *to = Lanes(array::from_fn(|lane| rows[lane][k]));
    }
}

#[inline(always)]
fn scatter<F: Element, const N: usize>(from: &[Lanes<N, F>], rows: [&mut [F]; N]) {
    let (blocks, rest) = from.as_chunks::<N>();
    let rows = rows.map(|row| row.as_chunks_mut::<N>());
    for (b, block) in blocks.iter().enumerate() {
        let square = transpose(block.map(|lanes| lanes.0));
        for lane in 0..N {
            rows[lane].0[b] = square[lane];
        }
    }
    for (k, from) in rest.iter().enumerate() {
        for lane in 0..N {
            rows[lane].1[k] = from.0[lane];
        }
    }
}

/// A tail of fewer states than lanes.
#[inline(always)]
fn scatter_some<F: Element, const N: usize>(from: &[Lanes<N, F>], to: &mut [F]) {
    for (lane, row) in to.chunks_exact_mut(from.len().max(1)).enumerate() {
        for (to, from) in row.iter_mut().zip(from) {
            *to = from.0[lane];
        }
    }
}

#[inline(always)]
fn transpose<F: Element, const N: usize>(x: [[F; N]; N]) -> [[F; N]; N] {
    array::from_fn(|i| array::from_fn(|j| x[j][i]))
}
