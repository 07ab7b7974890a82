/// Numbers for CPUs with AVX2 and FMA.
///
/// What is `unsafe` here, and why it is sound:
/// - instructions: these types are private to the module, and only functions with `#[target_feature(enable = "avx2,fma")]` compute with
///   them; such functions are entered by `on_this_cpu!` alone, where the CPU was found to have both;
/// - registers seen as arrays: the layouts are the same, and every pattern of bits is a number.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::*;
    use core::arch::x86_64::*;

    /// Wraps an instruction.
    macro_rules! instruction {
        ($name:ident($($x:expr),*)) => {
            // SAFETY: see the module.
            unsafe { $name($($x),*) }
        };
    }

    /// A register of several numbers.
    macro_rules! register {
        (
            $name:ident: $width:literal of $float:ident in $register:ident;
            $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident $xor:ident $fmadd:ident $fmsub:ident $fnmadd:ident;
            $cmp:ident $movemask:ident $blendv:ident $set1:ident $load:ident $store:ident; $atan2:path
        ) => {
            #[derive(Clone, Copy)]
            #[repr(transparent)]
            pub(super) struct $name($register);

            impl $name {
                #[inline(always)]
                pub(super) fn read(x: &[$float; $width]) -> Self {
                    Self(instruction!($load(x.as_ptr())))
                }
                #[inline(always)]
                pub(super) fn write(self, x: &mut [$float; $width]) {
                    instruction!($store(x.as_mut_ptr(), self.0))
                }
                #[inline(always)]
                pub(super) fn array(self) -> [$float; $width] {
                    // SAFETY: see the module.
                    unsafe { core::mem::transmute(self) }
                }
                #[inline(always)]
                pub(super) fn from_array(x: [$float; $width]) -> Self {
                    // SAFETY: see the module.
                    unsafe { core::mem::transmute(x) }
                }
                /// A bit for every lane in which a comparison holds.
                #[inline(always)]
                fn bits<const COMPARE: i32>(self, b: Self) -> u32 {
                    // SAFETY: see the module.
                    unsafe { $movemask($cmp::<COMPARE>(self.0, b.0)) as u32 }
                }
            }

            register!(@operator $name Add add $add);
            register!(@operator $name Sub sub $sub);
            register!(@operator $name Mul mul $mul);
            register!(@operator $name Div div $div);

            impl core::ops::Neg for $name {
                type Output = Self;
                #[inline(always)]
                fn neg(self) -> Self {
                    Self(instruction!($xor(self.0, Self::of(-0.0).0)))
                }
            }

            impl Arithmetic for $name {
                type Element = $float;
                #[inline(always)]
                fn of(x: $float) -> Self {
                    Self(instruction!($set1(x)))
                }
                #[inline(always)]
                fn mul_add(self, b: Self, c: Self) -> Self {
                    Self(instruction!($fmadd(self.0, b.0, c.0)))
                }
                #[inline(always)]
                fn mul_sub(self, b: Self, c: Self) -> Self {
                    Self(instruction!($fmsub(self.0, b.0, c.0)))
                }
                #[inline(always)]
                fn neg_mul_add(self, b: Self, c: Self) -> Self {
                    Self(instruction!($fnmadd(self.0, b.0, c.0)))
                }
                #[inline(always)]
                fn sqrt(self) -> Self {
                    Self(instruction!($sqrt(self.0)))
                }
                #[inline(always)]
                fn atan2(self, x: Self) -> Self {
                    let (y, x) = (self.array(), x.array());
                    let mut out = y;
                    for k in 0..$width {
                        out[k] = $atan2(y[k], x[k]);
                    }
                    Self::from_array(out)
                }
                #[inline(always)]
                fn sin_cos(self) -> (Self, Self) {
                    self.sine_and_cosine()
                }
                #[inline(always)]
                fn select(a: Self, b: Self, c: Self, d: Self) -> Self {
                    // SAFETY: see the module.
                    unsafe { Self($blendv(d.0, c.0, $cmp::<_CMP_LT_OQ>(a.0, b.0))) }
                }
            }
        };
        (@operator $name:ident $trait:ident $method:ident $instruction:ident) => {
            impl core::ops::$trait for $name {
                type Output = Self;
                #[inline(always)]
                fn $method(self, b: Self) -> Self {
                    Self(instruction!($instruction(self.0, b.0)))
                }
            }
        };
    }

    register! {
        F64x4: 4 of f64 in __m256d;
        _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_sqrt_pd _mm256_xor_pd
        _mm256_fmadd_pd _mm256_fmsub_pd _mm256_fnmadd_pd;
        _mm256_cmp_pd _mm256_movemask_pd _mm256_blendv_pd _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd; atan2_f64
    }

    impl Angle for F64x4 {
        #[inline(always)]
        fn quadrant(sin: Self, cos: Self, shifted: Self) -> (Self, Self) {
            // SAFETY: see the module.
            unsafe {
                let (s, c) = (_mm256_castpd_si256(sin.0), _mm256_castpd_si256(cos.0));
                let (quadrant, one, two) =
                    (_mm256_castpd_si256(shifted.0), _mm256_set1_epi64x(1), _mm256_set1_epi64x(2));
                let odd = _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_and_si256(quadrant, one));
                let swap = _mm256_and_si256(_mm256_xor_si256(s, c), odd);
                let sin_sign = _mm256_slli_epi64::<62>(_mm256_and_si256(quadrant, two));
                let cos_sign = _mm256_slli_epi64::<62>(_mm256_and_si256(_mm256_add_epi64(quadrant, one), two));
                let sin = _mm256_xor_si256(_mm256_xor_si256(s, swap), sin_sign);
                let cos = _mm256_xor_si256(_mm256_xor_si256(c, swap), cos_sign);
                (Self(_mm256_castsi256_pd(sin)), Self(_mm256_castsi256_pd(cos)))
            }
        }
    }

    impl F64x4 {
        /// An angle that is too large goes to the mathematics library alone; its neighbours never change its value.
        #[inline(always)]
        fn sine_and_cosine(self) -> (Self, Self) {
            let magnitude = Self(instruction!(_mm256_andnot_pd(Self::of(-0.0).0, self.0)));
            let large = magnitude.bits::<_CMP_GT_OQ>(Self::of(LARGEST_ANGLE));
            let (sin, cos) = self.sin_cos_small();
            if large == 0 {
                return (sin, cos);
            }
            let (x, mut sin, mut cos) = (self.array(), sin.array(), cos.array());
            for k in 0..4 {
                if large >> k & 1 == 1 {
                    (sin[k], cos[k]) = sin_cos_large(x[k]);
                }
            }
            (Self::from_array(sin), Self::from_array(cos))
        }
    }

    impl Number for Lanes {
        type Place = [Real; LANES];
        #[inline(always)]
        fn load(from: &[Real; LANES]) -> Self {
            Self::read(from)
        }
        #[inline(always)]
        fn store(self, to: &mut [Real; LANES]) {
            self.write(to);
        }
        #[inline(always)]
        fn ill(self) -> u32 {
            self.bits::<_CMP_NGE_UQ>(Self::of(0.0))
        }
    }

    /// A number whose multiply-adds round once.
    #[derive(Clone, Copy)]
    #[repr(transparent)]
    pub(super) struct Fused(Real);

    macro_rules! operators {
        ($($trait:ident $method:ident $operator:tt;)*) => {$(
            impl core::ops::$trait for Fused {
                type Output = Fused;
                #[inline(always)]
                fn $method(self, b: Fused) -> Fused {
                    Fused(self.0 $operator b.0)
                }
            }
        )*};
    }
    operators! { Add add +; Sub sub -; Mul mul *; Div div /; }

    impl core::ops::Neg for Fused {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            Fused(-self.0)
        }
    }

    impl Arithmetic for Fused {
        type Element = Real;
        #[inline(always)]
        fn of(x: Real) -> Self {
            Fused(x)
        }
        #[inline(always)]
        fn mul_add(self, b: Self, c: Self) -> Self {
            Fused(fused(self.0, b.0, c.0))
        }
        #[inline(always)]
        fn mul_sub(self, b: Self, c: Self) -> Self {
            Fused(fused(self.0, b.0, -c.0))
        }
        #[inline(always)]
        fn neg_mul_add(self, b: Self, c: Self) -> Self {
            Fused(fused(-self.0, b.0, c.0))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: see the module.
            unsafe {
                let of = @SET@(self.0);
                Fused(@GET@(@SQRT@))
            }
        }
        #[inline(always)]
        fn atan2(self, x: Self) -> Self {
            Fused(Arithmetic::atan2(self.0, x.0))
        }
        #[inline(always)]
        fn sin_cos(self) -> (Self, Self) {
            let (sin, cos) = F64x4::of(f64::from(self.0)).sin_cos();
            (Fused(sin.array()[0] as Real), Fused(cos.array()[0] as Real))
        }
        #[inline(always)]
        fn select(a: Self, b: Self, c: Self, d: Self) -> Self {
            if a.0 < b.0 { c } else { d }
        }
    }

    impl Number for Fused {
        type Place = Real;
        #[inline(always)]
        fn load(from: &Real) -> Self {
            Fused(*from)
        }
        #[inline(always)]
        fn store(self, to: &mut Real) {
            *to = self.0;
        }
        #[inline(always)]
        fn ill(self) -> u32 {
            !(self.0 >= 0.0) as u32
        }
        /// Four at a time.
        #[inline(always)]
        fn turn<const ANGLES: usize>(angles: [Self; ANGLES]) -> ([Self; ANGLES], [Self; ANGLES]) {
            let (mut sin, mut cos) = (angles, angles);
            let mut k = 0;
            while k < ANGLES {
                let mut four = [0.0; 4];
                for i in 0..4 {
                    if k + i < ANGLES {
                        four[i] = f64::from(angles[k + i].0);
                    }
                }
                let (s, c) = F64x4::from_array(four).sin_cos();
                let (s, c) = (s.array(), c.array());
                for i in 0..4 {
                    if k + i < ANGLES {
                        (sin[k + i], cos[k + i]) = (Fused(s[i] as Real), Fused(c[i] as Real));
                    }
                }
                k += 4;
            }
            (sin, cos)
        }
        /// Rows side by side.
        #[inline(always)]
        fn product<const SIZE: usize>(runs: &[&[(usize, usize)]; SIZE], m: &[Real], b: &mut [Real], c: &mut [Real]) {
            for ((b, c), runs) in b.chunks_exact_mut(SIZE).zip(c.chunks_exact_mut(SIZE)).zip(runs) {
                let (mut x, mut y) = ([0.0; SIZE], [0.0; SIZE]);
                let mut i = 0;
                while i + 2 * LANES <= SIZE {
                    let zero = Lanes::of(0.0);
                    let (mut p0, mut p1, mut q0, mut q1) = (zero, zero, zero, zero);
                    for &(from, to) in runs.iter() {
                        for ((m, b), c) in m[SIZE * from..SIZE * to].chunks_exact(SIZE).zip(&b[from..to]).zip(&c[from..to]) {
                            let (b, c) = (Lanes::of(*b), Lanes::of(*c));
                            let (Some(m0), Some(m1)) = (m[i..].first_chunk(), m[i + LANES..].first_chunk()) else { break };
                            let (m0, m1) = (Lanes::read(m0), Lanes::read(m1));
                            p0 = m0.neg_mul_add(b, p0);
                            p1 = m1.neg_mul_add(b, p1);
                            q0 = m0.neg_mul_add(c, q0);
                            q1 = m1.neg_mul_add(c, q1);
                        }
                    }
                    x[i..i + LANES].copy_from_slice(&p0.array());
                    x[i + LANES..i + 2 * LANES].copy_from_slice(&p1.array());
                    y[i..i + LANES].copy_from_slice(&q0.array());
                    y[i + LANES..i + 2 * LANES].copy_from_slice(&q1.array());
                    i += 2 * LANES;
                }
                while i < SIZE {
                    let (mut p, mut q) = (Fused(0.0), Fused(0.0));
                    for &(from, to) in runs.iter() {
                        for r in from..to {
                            let m = Fused(m[SIZE * r + i]);
                            p = m.neg_mul_add(Fused(b[r]), p);
                            q = m.neg_mul_add(Fused(c[r]), q);
                        }
                    }
                    (x[i], y[i]) = (p.0, q.0);
                    i += 1;
                }
                b.copy_from_slice(&x);
                c.copy_from_slice(&y);
            }
        }
    }

    impl Limbs for Fused {
        type Wide = Wide;
        #[inline(always)]
        fn gather(limbs: [Self; 4]) -> Wide {
            @GATHER@
        }
        #[inline(always)]
        fn splat(self) -> Wide {
            Wide::of(self.0)
        }
        #[inline(always)]
        fn lane<const LANE: usize>(wide: Wide) -> Self {
            Fused(wide.array()[LANE])
        }
        #[inline(always)]
        fn turned<const BY: usize>(wide: Wide) -> Wide {
            // SAFETY: see the module.
            unsafe {
                match BY % 4 {
                    0 => wide,
                    1 => @NAME@(@PERMUTE@::<0x39>(wide.0)),
                    2 => @NAME@(@PERMUTE@::<0x4E>(wide.0)),
                    _ => @NAME@(@PERMUTE@::<0x93>(wide.0)),
                }
            }
        }
    }

    /// From state by state to side by side. Fewer states than lanes: the last stands for those that are missing.
    #[inline(always)]
    pub(super) fn pack<const SIZE: usize>(x: &[Real], first: usize, states: usize, to: &mut [[Real; LANES]; SIZE]) {
        let mut rows = [state::<SIZE>(x, first); LANES];
        for k in 1..LANES {
            rows[k] = state(x, (first + k).min(states - 1));
        }
        let mut i = 0;
        while i + LANES <= SIZE {
            let mut square = [Lanes::of(0.0); LANES];
            for k in 0..LANES {
                if let Some(row) = rows[k][i..].first_chunk() {
                    square[k] = Lanes::read(row);
                }
            }
            let square = transposed(square);
            for k in 0..LANES {
                square[k].write(&mut to[i + k]);
            }
            i += LANES;
        }
        while i < SIZE {
            for k in 0..LANES {
                to[i][k] = rows[k][i];
            }
            i += 1;
        }
    }

    /// And back; of fewer states than lanes only those.
    #[inline(always)]
    pub(super) fn unpack<const SIZE: usize>(from: &[[Real; LANES]; SIZE], first: usize, states: usize, y: &mut [Real]) {
        let y = &mut y[SIZE * first..];
        if SIZE == 0 {
            return;
        }
        if states - first < LANES {
            for (k, y) in y.chunks_exact_mut(SIZE).enumerate() {
                for (y, from) in y.iter_mut().zip(from) {
                    *y = from[k];
                }
            }
            return;
        }
        let y = &mut y[..SIZE * LANES];
        let mut i = 0;
        while i + LANES <= SIZE {
            let mut square = [Lanes::of(0.0); LANES];
            for k in 0..LANES {
                square[k] = Lanes::read(&from[i + k]);
            }
            let square = transposed(square);
            for k in 0..LANES {
                if let Some(y) = y[SIZE * k + i..].first_chunk_mut() {
                    square[k].write(y);
                }
            }
            i += LANES;
        }
        while i < SIZE {
            for (y, &from) in y.chunks_exact_mut(SIZE).zip(&from[i]) {
                y[i] = from;
            }
            i += 1;
        }
    }

@OF_PRECISION@}
#[cfg(target_arch = "x86_64")]
use avx2::{Fused, Lanes, pack, unpack};
