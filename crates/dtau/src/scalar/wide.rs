//! [`Wide`]: several numbers of one state side by side.
//!
//! Steps without dependencies between bodies or degrees of freedom run on
//! [`Register`](crate::dispatch::Register): bodies in SIMD lanes. A scalar that already fills a register is
//! its own `Wide`, of width 1. Then the same source processes one body at a time, with the same rounding.

#[cfg(any(not(target_arch = "x86_64"), dtau_portable))]
use super::Lanes;
use super::Real;

/// Several `T` side by side.
pub trait Wide<T: Real>: Real {
    /// Number of lanes.
    const WIDTH: usize;

    /// Narrower registers for at most half as many numbers, if they write those faster; or the type itself.
    type Short: Wide<T>;

    /// Returns the number in lane `k`, which must be less than the width.
    fn lane(&self, k: usize) -> T;

    /// Writes lane `k`, which must be less than the width.
    fn set_lane(&mut self, k: usize, x: T);

    /// The first constants of `x`, one per lane. `x` must be long enough.
    fn lift(x: &[f64]) -> Self;

    /// `a` in the lanes whose bits are set, `b` in the others.
    fn pick(bits: u8, a: Self, b: Self) -> Self;

    /// Copies a number to every lane.
    fn splat(x: T) -> Self;

    /// The first numbers of `x`, one per lane. `x` must be long enough.
    fn load(x: &[T]) -> Self;

    /// Loads fewer numbers than lanes, with zeros in the others.
    #[inline(always)]
    fn load_some(x: &[T]) -> Self {
        let mut out = Self::zero();
        for (k, &x) in x.iter().enumerate().take(Self::WIDTH) {
            out.set_lane(k, x);
        }
        out
    }

    /// Transposes a square of registers.
    fn transpose(rows: &mut [Self]);

    /// Writes the lanes to the beginning of `out`, as many as fit.
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

    /// [`store`](Self::store) for a short register.
    #[inline(always)]
    fn store_short(x: Self::Short, out: &mut [T]) {
        x.store(out);
    }
}

/// A register that consists of narrower ones, or of itself.
pub trait Join<R>: Real {
    /// Number of parts.
    const PARTS: usize;

    /// Joins the parts, with part 0 in the first lanes.
    fn join<'a>(part: impl Fn(usize) -> &'a R) -> Self
    where
        R: 'a;
}

impl<R: Real> Join<R> for R {
    const PARTS: usize = 1;

    #[inline(always)]
    fn join<'a>(part: impl Fn(usize) -> &'a R) -> R {
        *part(0)
    }
}

impl<T: Real> Wide<T> for T {
    const WIDTH: usize = 1;
    type Short = T;

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
    #[inline(always)]
    fn pick(bits: u8, a: T, b: T) -> T {
        if bits & 1 != 0 { a } else { b }
    }
    #[inline(always)]
    fn splat(x: T) -> T {
        x
    }
    #[inline(always)]
    fn load(x: &[T]) -> T {
        x[0]
    }
    #[inline(always)]
    fn transpose(_: &mut [T]) {}
}

// `Native` numbers have their own registers on x86, see `dispatch`.
#[cfg(any(not(target_arch = "x86_64"), dtau_portable))]
macro_rules! wide {
    ($($element:ty, $width:literal;)*) => {$(
        impl Wide<$element> for Lanes<$width, $element> {
            const WIDTH: usize = $width;
            type Short = Self;

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
                Lanes(core::array::from_fn(|k| <$element>::from_f64(x[k])))
            }
            #[inline(always)]
            fn pick(bits: u8, a: Self, b: Self) -> Self {
                Lanes(core::array::from_fn(|k| if bits >> k & 1 != 0 { a.0[k] } else { b.0[k] }))
            }
            #[inline(always)]
            fn splat(x: $element) -> Self {
                Lanes([x; $width])
            }
            #[inline(always)]
            fn load(x: &[$element]) -> Self {
                let x = &x[..$width];
                Lanes(core::array::from_fn(|k| x[k]))
            }
            #[inline(always)]
            fn transpose(rows: &mut [Self]) {
                for i in 0..$width {
                    for k in 0..i {
                        (rows[i].0[k], rows[k].0[i]) = (rows[k].0[i], rows[i].0[k]);
                    }
                }
            }
        }
    )*};
}

#[cfg(any(not(target_arch = "x86_64"), dtau_portable))]
wide! {
    super::Native<f64>, 4;
    super::Native<f32>, 8;
}
