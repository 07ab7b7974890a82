//! [`Wide`]: several numbers of one state side by side.
//!
//! Where a step of an algorithm is the same for every body, or every degree of freedom, and none waits for another, it
//! runs on [`Real::Wide`]: bodies in SIMD lanes. Scalars that fill a register already are their own `Wide`, of width 1, so
//! the same source does one body at a time for them, with the same roundings.

use super::{Fused, Lanes, Real};

/// Several `T` side by side.
pub trait Wide<T: Real>: Real {
    /// How many.
    const WIDTH: usize;

    /// The number in lane `k`, smaller than the width.
    fn lane(&self, k: usize) -> T;

    /// Writes lane `k`, smaller than the width.
    fn set_lane(&mut self, k: usize, x: T);

    /// As many constants as there are lanes: the first ones of `x`, which must have them.
    fn lift(x: &[f64]) -> Self;

    /// Writes all lanes to the beginning of `out`, as many as there is room for.
    #[inline(always)]
    fn store(self, out: &mut [T]) {
        if let Some(out) = out.get_mut(..Self::WIDTH) {
            for k in 0..Self::WIDTH {
                out[k] = self.lane(k);
            }
        } else {
            for (k, out) in out.iter_mut().enumerate() {
                *out = self.lane(k);
            }
        }
    }
}

impl<T: Real> Wide<T> for T {
    const WIDTH: usize = 1;

    #[inline(always)]
    fn lane(&self, _k: usize) -> T {
        *self
    }
    #[inline(always)]
    fn set_lane(&mut self, _k: usize, x: T) {
        *self = x;
    }
    #[inline(always)]
    fn lift(x: &[f64]) -> T {
        T::from_f64(x[0])
    }
}

macro_rules! wide {
    ($($element:ty, $width:literal;)*) => {$(
        impl Wide<$element> for Lanes<$width, $element> {
            const WIDTH: usize = $width;

            #[inline(always)]
            fn lane(&self, k: usize) -> $element {
                self.0[k % $width]
            }
            #[inline(always)]
            fn set_lane(&mut self, k: usize, x: $element) {
                self.0[k % $width] = x;
            }
            #[inline(always)]
            fn lift(x: &[f64]) -> Self {
                let x = &x[..$width];
                let mut out = Self::default();
                for k in 0..$width {
                    out.0[k] = <$element>::from_f64(x[k]);
                }
                out
            }
        }
    )*};
}

// What fills 256 bits.
wide! {
    f64, 4;
    Fused<f64>, 4;
    f32, 8;
    Fused<f32>, 8;
}
