//! 512-bit registers: eight `f64`, for the few steps with enough parallel work.
//!
//! They compute the same as two [`F64x4`], bit for bit. The `unsafe` code is of the two kinds of
//! [`avx2`](super::avx2): an instruction of a CPU that has it by [`Proof`](super::Proof), or a register read
//! as an array.

use super::{F64x4, Hardware, Twin, WideRegisterHardware};
use crate::scalar::{Join, Native, Real, Wide};
use core::arch::x86_64::*;
use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Wraps an intrinsic.
macro_rules! instruction {
    ($name:ident($($x:expr),*)) => {
        // SAFETY: only steps compute with this type, where the CPU has AVX-512.
        unsafe { $name($($x),*) }
    };
}

/// Eight `f64`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct F64x8(__m512d);

const WIDTH: usize = 8;

impl F64x8 {
    #[inline(always)]
    fn array(&self) -> &[f64; WIDTH] {
        // SAFETY: the same layout, every bit pattern is valid, and the alignment of the register is larger.
        unsafe { &*core::ptr::from_ref(self).cast() }
    }

    #[inline(always)]
    fn array_mut(&mut self) -> &mut [f64; WIDTH] {
        // SAFETY: as above; the exclusive borrow is passed on.
        unsafe { &mut *core::ptr::from_mut(self).cast() }
    }

    #[inline(always)]
    fn from_array(x: [f64; WIDTH]) -> Self {
        // SAFETY: as above.
        unsafe { core::mem::transmute(x) }
    }

    #[inline(always)]
    fn halves(self) -> [F64x4; 2] {
        // SAFETY: as in `instruction`.
        unsafe { [F64x4(_mm512_castpd512_pd256(self.0)), F64x4(_mm512_extractf64x4_pd::<1>(self.0))] }
    }

    /// A mask with `count` ones, eight at most.
    #[inline(always)]
    fn first(count: usize) -> __mmask8 {
        if count < WIDTH { (1 << count) - 1 } else { __mmask8::MAX }
    }
}

impl fmt::Debug for F64x8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.array().fmt(f)
    }
}

impl Default for F64x8 {
    #[inline(always)]
    fn default() -> Self {
        Self::from_array([0.0; WIDTH])
    }
}

impl PartialEq for F64x8 {
    #[inline(always)]
    fn eq(&self, b: &Self) -> bool {
        self.array() == b.array()
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $instruction:ident;)*) => {$(
        impl $trait for F64x8 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                Self(instruction!($instruction(self.0, b.0)))
            }
        }
    )*};
}

operators! {
    Add add _mm512_add_pd;
    Sub sub _mm512_sub_pd;
    Mul mul _mm512_mul_pd;
    Div div _mm512_div_pd;
}
crate::scalar::assign_operators!(F64x8);

impl Neg for F64x8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!(_mm512_xor_pd(self.0, Self::from_f64(-0.0).0)))
    }
}

impl Real for F64x8 {
    type Mask = __mmask8;
    type Hardware = WideRegisterHardware;
    const IS_PACKED: bool = true;

    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        Self::from_array([x; WIDTH])
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(instruction!(_mm512_fmadd_pd(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self(instruction!(_mm512_fnmadd_pd(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        Self(instruction!(_mm512_fmsub_pd(self.0, b.0, c.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(instruction!(_mm512_sqrt_pd(self.0)))
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let [(sin_low, cos_low), (sin_high, cos_high)] = self.halves().map(F64x4::sine_and_cosine);
        let join = |low: F64x4, high: F64x4| Self::join(|k| if k == 0 { &low } else { &high });
        (join(sin_low, sin_high), join(cos_low, cos_high))
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let (mut out, y, x) = ([0.0; WIDTH], self.array(), x.array());
        for k in 0..WIDTH {
            out[k] = libm::atan2(y[k], x[k]);
        }
        Self::from_array(out)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> __mmask8 {
        // SAFETY: as in `instruction`.
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: __mmask8, a: Self, b: Self) -> Self {
        Self(instruction!(_mm512_mask_blend_pd(mask, b.0, a.0)))
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        let zero = Self::default(); // a finite number times zero is zero
        // SAFETY: as in `instruction`.
        unsafe { _mm512_cmp_pd_mask::<_CMP_EQ_OQ>((self * zero).0, zero.0) == __mmask8::MAX }
    }
    #[inline(always)]
    fn any_below(self, bound: f64) -> bool {
        self.lt(Self::from_f64(bound)) != 0
    }
}

impl Join<F64x4> for F64x8 {
    const PARTS: usize = 2;

    #[inline(always)]
    fn join<'a>(part: impl Fn(usize) -> &'a F64x4) -> Self {
        // SAFETY: as in `instruction`.
        unsafe { Self(_mm512_insertf64x4::<1>(_mm512_castpd256_pd512(part(0).0), part(1).0)) }
    }
}

impl Wide<Native<f64>> for F64x8 {
    const WIDTH: usize = WIDTH;
    type Short = F64x4;

    #[inline(always)]
    fn lane(&self, k: usize) -> Native<f64> {
        Native(self.array()[k % WIDTH])
    }
    #[inline(always)]
    fn set_lane(&mut self, k: usize, x: Native<f64>) {
        self.array_mut()[k % WIDTH] = x.0;
    }
    #[inline(always)]
    fn lift(x: &[f64]) -> Self {
        Self::from_array(*x.first_chunk().expect("as many as there are lanes"))
    }
    #[inline(always)]
    fn pick(bits: u8, a: Self, b: Self) -> Self {
        Self::select(bits, a, b)
    }
    #[inline(always)]
    fn splat(x: Native<f64>) -> Self {
        Self::from_f64(x.0)
    }
    #[inline(always)]
    fn load(x: &[Native<f64>]) -> Self {
        <Self as Wide<Native<f64>>>::lift(Twin::plain(x))
    }
    #[inline(always)]
    fn load_some(x: &[Native<f64>]) -> Self {
        // SAFETY: as in `instruction`; lanes that are masked out are not read.
        unsafe { Self(_mm512_maskz_loadu_pd(Self::first(x.len()), x.as_ptr().cast())) }
    }
    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        let rows: &mut [Self; WIDTH] = rows.try_into().expect("as many registers as they have lanes");
        for i in 0..WIDTH {
            for k in 0..i {
                (rows[i].array_mut()[k], rows[k].array_mut()[i]) = (rows[k].array()[i], rows[i].array()[k]);
            }
        }
    }
    #[inline(always)]
    fn store(self, out: &mut [Native<f64>]) {
        // SAFETY: as in `instruction`; lanes that are masked out are not written.
        unsafe { _mm512_mask_storeu_pd(out.as_mut_ptr().cast(), Self::first(out.len()), self.0) }
    }
    #[inline(always)]
    fn store_short(x: F64x4, out: &mut [Native<f64>]) {
        let lanes = Self::first(out.len()) & 0b1111;
        // SAFETY: as above; there are four lanes.
        unsafe { _mm256_mask_storeu_pd(out.as_mut_ptr().cast(), lanes, x.0) }
    }
}

impl Hardware<F64x8> for WideRegisterHardware {
    type Native = F64x8;
    type Wide = F64x8;
    type Widest = F64x8;
    const NATIVE: bool = true;
    const WIDEST: bool = true;
}
