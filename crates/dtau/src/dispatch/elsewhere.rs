//! Where there are no 256-bit registers, arrays do: the compiler makes of them what the CPU has.

use crate::scalar::{Fused, Lanes};

/// Four `f64`.
pub type F64x4 = Lanes<4, Fused<f64>>;
/// Eight `f32`.
pub type F32x8 = Lanes<8, Fused<f32>>;

/// The same that multiply, then add.
#[cfg(feature = "batch")]
pub type PlainF64x4 = Lanes<4, f64>;
/// See [`PlainF64x4`].
#[cfg(feature = "batch")]
pub type PlainF32x8 = Lanes<8, f32>;

macro_rules! registers {
    ($($width:literal of $float:ident;)*) => {$(
        impl Lanes<$width, Fused<$float>> {
            #[inline(always)]
            pub(crate) fn read(x: &[$float]) -> Self {
                let x = &x[..$width];
                Lanes(core::array::from_fn(|k| Fused(x[k])))
            }

            #[inline(always)]
            pub(crate) fn write(self, out: &mut [$float]) {
                let out = &mut out[..$width];
                for k in 0..$width {
                    out[k] = self.0[k].0;
                }
            }

            #[inline(always)]
            pub(crate) fn all(x: $float) -> Self {
                Lanes([Fused(x); $width])
            }
        }
    )*};
}

registers! { 4 of f64; 8 of f32; }
