//! Arrays instead of 256-bit registers, for other architectures: the compiler maps them to what the CPU has.

use crate::scalar::{Lanes, Native};

/// Four `f64`.
pub type F64x4 = Lanes<4, Native<f64>>;
/// Eight `f32`.
pub type F32x8 = Lanes<8, Native<f32>>;

macro_rules! registers {
    ($($width:literal of $float:ident;)*) => {$(
        impl Lanes<$width, Native<$float>> {
            #[inline(always)]
            pub(crate) fn read(x: &[$float]) -> Self {
                let x = &x[..$width];
                Lanes(core::array::from_fn(|k| Native(x[k])))
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
                Lanes([Native(x); $width])
            }
        }
    )*};
}

registers! { 4 of f64; 8 of f32; }
