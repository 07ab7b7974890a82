//! [`Wide`]: several numbers of one state side by side.
//!
//! Where a step of an algorithm is the same for every body, or every degree of freedom, and none waits for another, it
//! runs on [`Register`](crate::dispatch::Register): bodies in SIMD lanes. Scalars that fill a register already are their own `Wide`, of width 1, so
//! the same source does one body at a time for them, with the same roundings.

#[cfg(any(not(target_arch = "x86_64"), dtau_portable))]
use super::Lanes;
use super::Real;

/// Several `T` side by side.
pub trait Wide<T: Real>: Real {
    /// How many.
    const WIDTH: usize;

    /// What half as many or fewer of them are computed in: narrower registers, where fewer numbers are written as quickly as all; or itself.
    type Short: Wide<T>;

    /// The number in lane `k`, smaller than the width.
    fn lane(&self, k: usize) -> T;

    /// Writes lane `k`, smaller than the width.
    fn set_lane(&mut self, k: usize, x: T);

    /// As many constants as there are lanes: the first ones of `x`, which must have them.
    fn lift(x: &[f64]) -> Self;

    /// `a` in the lanes whose bits are set, `b` in the others.
    fn pick(bits: u8, a: Self, b: Self) -> Self;

    /// The same number in every lane.
    fn splat(x: T) -> Self;

    /// The first numbers of `x`, which must have as many as there are lanes.
    fn load(x: &[T]) -> Self;

    /// Fewer numbers than there are lanes, and zeros in the others.
    #[inline(always)]
    fn load_some(x: &[T]) -> Self {
        let mut out = Self::zero();
        for (k, &x) in x.iter().enumerate().take(Self::WIDTH) {
            out.set_lane(k, x);
        }
        out
    }

    /// Rows to columns, of as many registers as they have lanes.
    fn transpose(rows: &mut [Self]);

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

    /// [`store`](Self::store), of a short one.
    #[inline(always)]
    fn store_short(x: Self::Short, out: &mut [T]) {
        x.store(out);
    }
}

/// A register made of narrower ones, or of itself.
pub trait Join<R>: Real {
    /// Of how many.
    const PARTS: usize;

    /// Part 0 in the first lanes, and so on.
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

// `Native` numbers have registers of their own on x86, see `dispatch`.
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
