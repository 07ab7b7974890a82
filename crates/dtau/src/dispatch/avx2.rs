//! 256-bit registers: four `f64` or eight `f32` with fused multiply-add.
//!
//! They compute the same as `Lanes<4, Fused<f64>>` and `Lanes<8, Fused<f32>>`, bit for bit. Those are arrays,
//! which the compiler must turn into registers. These are registers from the start, so kernels compile
//! several times faster and vectors are never split.
//!
//! There are two kinds of `unsafe` code here:
//! - an instruction of AVX2 or FMA. It is sound because only steps compute with these types, and a step uses
//!   them only if the CPU has both ([`Proof`](super::Proof)). Users cannot name the types; they have `Lanes`;
//! - a register read as an array. It is sound because the layouts are the same and every bit pattern is a
//!   number.

use super::{Hardware, RegisterHardware, Twin};
use crate::scalar::{Native, Quadrant, Real, Wide, trig};
use core::arch::x86_64::*;
use core::fmt;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Wraps an intrinsic.
macro_rules! instruction {
    ($name:ident($($x:expr),*)) => {
        // SAFETY: only steps compute with these types, where the CPU has AVX2 and FMA.
        unsafe { $name($($x),*) }
    };
}

macro_rules! register {
    (
        $(#[$doc:meta])* $name:ident: $width:literal of $float:ident in $register:ident;
        $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident $xor:ident;
        $fmadd:ident $fnmadd:ident $fmsub:ident; $cmp:ident $movemask:ident $blendv:ident;
        $atan2:path
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name(pub(super) $register);

        impl $name {
            #[inline(always)]
            fn array(&self) -> &[$float; $width] {
                // SAFETY: the same layout, every bit pattern is valid, and the alignment of the register is larger.
                unsafe { &*core::ptr::from_ref(self).cast() }
            }

            #[inline(always)]
            fn array_mut(&mut self) -> &mut [$float; $width] {
                // SAFETY: as above; the exclusive borrow is passed on.
                unsafe { &mut *core::ptr::from_mut(self).cast() }
            }

            #[inline(always)]
            fn from_array(x: [$float; $width]) -> Self {
                // SAFETY: as above.
                unsafe { core::mem::transmute(x) }
            }

            /// Reads the first numbers, one per lane.
            #[inline(always)]
            pub(crate) fn read(x: &[$float]) -> Self {
                let x: &[$float; $width] = x[..$width].try_into().expect("as many as there are lanes");
                Self::from_array(*x)
            }

            /// Writes the first numbers, one per lane.
            #[inline(always)]
            pub(crate) fn write(self, out: &mut [$float]) {
                out[..$width].copy_from_slice(self.array());
            }

            /// The same number in all lanes.
            #[inline(always)]
            pub(crate) fn all(x: $float) -> Self {
                Self::from_array([x; $width])
            }

            /// One bit per lane.
            #[inline(always)]
            fn bits<const COMPARE: i32>(self, b: Self) -> i32 {
                // SAFETY: as in `instruction`.
                unsafe { $movemask($cmp::<COMPARE>(self.0, b.0)) }
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.array().fmt(f)
            }
        }

        impl Default for $name {
            #[inline(always)]
            fn default() -> Self {
                Self::all(0.0)
            }
        }

        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, b: &Self) -> bool {
                self.array() == b.array()
            }
        }

        register!(@operator $name Add add $add);
        register!(@operator $name Sub sub $sub);
        register!(@operator $name Mul mul $mul);
        register!(@operator $name Div div $div);
        crate::scalar::assign_operators!($name);

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(instruction!($xor(self.0, Self::all(-0.0).0)))
            }
        }

        impl Real for $name {
            type Mask = $register;
            type Hardware = RegisterHardware;
            const IS_PACKED: bool = true;
            const EPSILON: f64 = $float::EPSILON as f64;

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                Self::all(x as $float)
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                Self(instruction!($fmadd(self.0, b.0, c.0)))
            }
            #[inline(always)]
            fn neg_mul_add(self, b: Self, c: Self) -> Self {
                Self(instruction!($fnmadd(self.0, b.0, c.0)))
            }
            #[inline(always)]
            fn mul_sub(self, b: Self, c: Self) -> Self {
                Self(instruction!($fmsub(self.0, b.0, c.0)))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(instruction!($sqrt(self.0)))
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                self.sine_and_cosine()
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                let (mut out, y, x) = ([0.0; $width], self.array(), x.array());
                for k in 0..$width {
                    out[k] = $atan2(y[k], x[k]);
                }
                Self::from_array(out)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $register {
                // SAFETY: as in `instruction`.
                unsafe { $cmp::<_CMP_LT_OQ>(self.0, other.0) }
            }
            #[inline(always)]
            fn select(mask: $register, a: Self, b: Self) -> Self {
                Self(instruction!($blendv(b.0, a.0, mask)))
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                (self - self).bits::<_CMP_EQ_OQ>(Self::default()) == (1 << $width) - 1
            }
            #[inline(always)]
            fn any_below(self, bound: f64) -> bool {
                self.bits::<_CMP_LT_OQ>(Self::from_f64(bound)) != 0
            }
        }

        impl Wide<Native<$float>> for $name {
            const WIDTH: usize = $width;
            type Short = Self;

            #[inline(always)]
            fn lane(&self, k: usize) -> Native<$float> {
                Native(self.array()[k % $width])
            }
            #[inline(always)]
            fn set_lane(&mut self, k: usize, x: Native<$float>) {
                self.array_mut()[k % $width] = x.0;
            }
            #[inline(always)]
            fn lift(x: &[f64]) -> Self {
                Self::lifted(x)
            }
            #[inline(always)]
            fn pick(bits: u8, a: Self, b: Self) -> Self {
                Self(instruction!($blendv(b.0, a.0, Self::mask(bits))))
            }
            #[inline(always)]
            fn splat(x: Native<$float>) -> Self {
                Self::all(x.0)
            }
            #[inline(always)]
            fn load(x: &[Native<$float>]) -> Self {
                Self::read(Twin::plain(x))
            }
            #[inline(always)]
            fn load_some(x: &[Native<$float>]) -> Self {
                Self::read_some(Twin::plain(x))
            }
            #[inline(always)]
            fn transpose(rows: &mut [Self]) {
                let rows: &mut [Self; $width] = rows.try_into().expect("as many registers as they have lanes");
                *rows = Self::transposed(*rows);
            }
            #[inline(always)]
            fn store(self, out: &mut [Native<$float>]) {
                let out: &mut [$float] = Twin::plain_mut(out);
                if out.len() >= $width {
                    self.write(out);
                } else {
                    self.write_some(out);
                }
            }
        }

        impl Hardware<$name> for RegisterHardware {
            type Native = $name;
            type Wide = $name;
            type Widest = $name;
            const NATIVE: bool = true;
        }
    };

    (@operator $name:ident $trait:ident $method:ident $instruction:ident) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                Self(instruction!($instruction(self.0, b.0)))
            }
        }
    };
}

register! {
    /// Four `f64`.
    F64x4: 4 of f64 in __m256d;
    _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_sqrt_pd _mm256_xor_pd;
    _mm256_fmadd_pd _mm256_fnmadd_pd _mm256_fmsub_pd;
    _mm256_cmp_pd _mm256_movemask_pd _mm256_blendv_pd;
    libm::atan2
}

register! {
    /// Eight `f32`, likewise.
    F32x8: 8 of f32 in __m256;
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_sqrt_ps _mm256_xor_ps;
    _mm256_fmadd_ps _mm256_fnmadd_ps _mm256_fmsub_ps;
    _mm256_cmp_ps _mm256_movemask_ps _mm256_blendv_ps;
    libm::atan2f
}

impl F64x4 {
    /// Reads fewer than four. Through memory lane by lane, the register would have to wait for all stores.
    #[inline(always)]
    fn read_some(x: &[f64]) -> Self {
        let bits = (1u8 << x.len().min(3)) - 1;
        // SAFETY: as in `instruction`; lanes that are masked out are not read.
        unsafe { Self(_mm256_maskload_pd(x.as_ptr(), _mm256_castpd_si256(Self::mask(bits)))) }
    }

    #[inline(always)]
    fn write_some(self, out: &mut [f64]) {
        // SAFETY: as in `instruction`; a register seen as an array.
        let (low, high): ([f64; 2], [f64; 2]) = unsafe {
            let (low, high) = (_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0));
            (core::mem::transmute::<__m128d, [f64; 2]>(low), core::mem::transmute::<__m128d, [f64; 2]>(high))
        };
        match out {
            [] => {}
            [a] => *a = low[0],
            [a, b] => [*a, *b] = low,
            [a, b, c, ..] => {
                [*a, *b] = low;
                *c = high[0];
            }
        }
    }

    /// All ones in the lanes whose bits are set.
    #[inline(always)]
    fn mask(bits: u8) -> __m256d {
        // SAFETY: as in `instruction`.
        unsafe {
            let lanes = _mm256_set_epi64x(8, 4, 2, 1);
            let bits = _mm256_and_si256(_mm256_set1_epi64x(i64::from(bits)), lanes);
            _mm256_castsi256_pd(_mm256_cmpeq_epi64(bits, lanes))
        }
    }

    #[inline(always)]
    fn lifted(x: &[f64]) -> Self {
        Self::read(x)
    }

    #[inline(always)]
    pub(super) fn sine_and_cosine(self) -> (Self, Self) {
        let (mut sin, mut cos) = trig::sin_cos(self);
        // The library computes lanes that are too large for the kernel, one by one; NaN stays NaN.
        let magnitude = Self(instruction!(_mm256_andnot_pd(Self::all(-0.0).0, self.0)));
        if magnitude.bits::<_CMP_GT_OQ>(Self::all(trig::LARGEST_ANGLE)) != 0 {
            for k in 0..4 {
                let x = self.array()[k];
                if x.abs() > trig::LARGEST_ANGLE {
                    (sin.array_mut()[k], cos.array_mut()[k]) = libm::sincos(x);
                }
            }
        }
        (sin, cos)
    }

    /// Transposes rows and columns.
    #[inline(always)]
    fn transposed([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: as in `instruction`.
        unsafe {
            let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0));
            let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0));
            [
                Self(_mm256_permute2f128_pd::<0x20>(ab_even, cd_even)),
                Self(_mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd)),
                Self(_mm256_permute2f128_pd::<0x31>(ab_even, cd_even)),
                Self(_mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd)),
            ]
        }
    }
}

impl F32x8 {
    /// Reads fewer than eight.
    #[inline(always)]
    fn read_some(x: &[f32]) -> Self {
        let bits = (1u8 << x.len().min(7)) - 1;
        // SAFETY: as in `instruction`; lanes that are masked out are not read.
        unsafe { Self(_mm256_maskload_ps(x.as_ptr(), _mm256_castps_si256(Self::mask(bits)))) }
    }

    #[inline(always)]
    fn write_some(self, out: &mut [f32]) {
        for (out, &x) in out.iter_mut().zip(self.array()) {
            *out = x;
        }
    }

    /// All ones in the lanes whose bits are set.
    #[inline(always)]
    fn mask(bits: u8) -> __m256 {
        // SAFETY: as in `instruction`.
        unsafe {
            let lanes = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
            let bits = _mm256_and_si256(_mm256_set1_epi32(i32::from(bits)), lanes);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(bits, lanes))
        }
    }

    #[inline(always)]
    fn lifted(x: &[f64]) -> Self {
        Self::join(F64x4::read(x), F64x4::read(&x[4..]))
    }

    /// Computed in double precision: correct after rounding.
    #[inline(always)]
    fn sine_and_cosine(self) -> (Self, Self) {
        let [low, high] = self.halves();
        let ((sin_low, cos_low), (sin_high, cos_high)) = (low.sine_and_cosine(), high.sine_and_cosine());
        (Self::join(sin_low, sin_high), Self::join(cos_low, cos_high))
    }

    #[inline(always)]
    fn halves(self) -> [F64x4; 2] {
        // SAFETY: as in `instruction`.
        unsafe {
            let (low, high) = (_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            [F64x4(_mm256_cvtps_pd(low)), F64x4(_mm256_cvtps_pd(high))]
        }
    }

    /// Rounds to single precision.
    #[inline(always)]
    fn join(low: F64x4, high: F64x4) -> Self {
        // SAFETY: as in `instruction`.
        unsafe { Self(_mm256_set_m128(_mm256_cvtpd_ps(high.0), _mm256_cvtpd_ps(low.0))) }
    }

    /// Transposes rows and columns.
    #[inline(always)]
    fn transposed([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 8] {
        let [a0, a1, a2, a3] = quarters(a, b, c, d);
        let [e0, e1, e2, e3] = quarters(e, f, g, h);
        // SAFETY: as in `instruction`.
        unsafe {
            [
                Self(_mm256_permute2f128_ps::<0x20>(a0, e0)),
                Self(_mm256_permute2f128_ps::<0x20>(a1, e1)),
                Self(_mm256_permute2f128_ps::<0x20>(a2, e2)),
                Self(_mm256_permute2f128_ps::<0x20>(a3, e3)),
                Self(_mm256_permute2f128_ps::<0x31>(a0, e0)),
                Self(_mm256_permute2f128_ps::<0x31>(a1, e1)),
                Self(_mm256_permute2f128_ps::<0x31>(a2, e2)),
                Self(_mm256_permute2f128_ps::<0x31>(a3, e3)),
            ]
        }
    }
}

/// Transposes four rows, in each half of the registers.
#[inline(always)]
fn quarters(a: F32x8, b: F32x8, c: F32x8, d: F32x8) -> [__m256; 4] {
    // SAFETY: as in `instruction`.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a.0, b.0), _mm256_unpackhi_ps(a.0, b.0));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c.0, d.0), _mm256_unpackhi_ps(c.0, d.0));
        [
            _mm256_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm256_shuffle_ps::<0xEE>(ab_low, cd_low),
            _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm256_shuffle_ps::<0xEE>(ab_high, cd_high),
        ]
    }
}

impl Quadrant for F64x4 {
    #[inline(always)]
    fn turn(sin: Self, cos: Self, shifted: Self) -> (Self, Self) {
        // SAFETY: as in `instruction`.
        unsafe {
            let quadrant = _mm256_castpd_si256(shifted.0);
            let (one, two) = (_mm256_set1_epi64x(1), _mm256_set1_epi64x(2));
            let odd = _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(quadrant, one), one));
            let swap = _mm256_and_pd(_mm256_xor_pd(sin.0, cos.0), odd);
            let sin_sign = _mm256_slli_epi64::<62>(_mm256_and_si256(quadrant, two));
            let cos_sign = _mm256_slli_epi64::<62>(_mm256_and_si256(_mm256_add_epi64(quadrant, one), two));
            let turned = |x: __m256d, sign| Self(_mm256_xor_pd(_mm256_xor_pd(x, swap), _mm256_castsi256_pd(sign)));
            (turned(sin.0, sin_sign), turned(cos.0, cos_sign))
        }
    }
}
