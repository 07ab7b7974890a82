    pub(super) type Lanes = F32x8;
    /// Limbs; the other four lanes are zero.
    pub(super) type Wide = F32x8;

    register! {
        F32x8: 8 of f32 in __m256;
        _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_sqrt_ps _mm256_xor_ps
        _mm256_fmadd_ps _mm256_fmsub_ps _mm256_fnmadd_ps;
        _mm256_cmp_ps _mm256_movemask_ps _mm256_blendv_ps _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps; atan2_f32
    }

    impl F32x8 {
        /// In double precision: correct after rounding.
        #[inline(always)]
        fn sine_and_cosine(self) -> (Self, Self) {
            // SAFETY: see the module.
            unsafe {
                let low = F64x4(_mm256_cvtps_pd(_mm256_castps256_ps128(self.0))).sin_cos();
                let high = F64x4(_mm256_cvtps_pd(_mm256_extractf128_ps::<1>(self.0))).sin_cos();
                let sin = _mm256_set_m128(_mm256_cvtpd_ps(high.0.0), _mm256_cvtpd_ps(low.0.0));
                let cos = _mm256_set_m128(_mm256_cvtpd_ps(high.1.0), _mm256_cvtpd_ps(low.1.0));
                (Self(sin), Self(cos))
            }
        }
    }

    /// Rows to columns.
    #[inline(always)]
    fn transposed([a, b, c, d, e, f, g, h]: [F32x8; 8]) -> [F32x8; 8] {
        let x = [a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0];
        // SAFETY: see the module.
        unsafe {
            // Pairs of rows, then fours, then halves of registers.
            let (a0, a1) = (_mm256_unpacklo_ps(x[0], x[1]), _mm256_unpackhi_ps(x[0], x[1]));
            let (a2, a3) = (_mm256_unpacklo_ps(x[2], x[3]), _mm256_unpackhi_ps(x[2], x[3]));
            let (a4, a5) = (_mm256_unpacklo_ps(x[4], x[5]), _mm256_unpackhi_ps(x[4], x[5]));
            let (a6, a7) = (_mm256_unpacklo_ps(x[6], x[7]), _mm256_unpackhi_ps(x[6], x[7]));
            let (b0, b1) = (_mm256_shuffle_ps::<0x44>(a0, a2), _mm256_shuffle_ps::<0xEE>(a0, a2));
            let (b2, b3) = (_mm256_shuffle_ps::<0x44>(a1, a3), _mm256_shuffle_ps::<0xEE>(a1, a3));
            let (b4, b5) = (_mm256_shuffle_ps::<0x44>(a4, a6), _mm256_shuffle_ps::<0xEE>(a4, a6));
            let (b6, b7) = (_mm256_shuffle_ps::<0x44>(a5, a7), _mm256_shuffle_ps::<0xEE>(a5, a7));
            [
                F32x8(_mm256_permute2f128_ps::<0x20>(b0, b4)),
                F32x8(_mm256_permute2f128_ps::<0x20>(b1, b5)),
                F32x8(_mm256_permute2f128_ps::<0x20>(b2, b6)),
                F32x8(_mm256_permute2f128_ps::<0x20>(b3, b7)),
                F32x8(_mm256_permute2f128_ps::<0x31>(b0, b4)),
                F32x8(_mm256_permute2f128_ps::<0x31>(b1, b5)),
                F32x8(_mm256_permute2f128_ps::<0x31>(b2, b6)),
                F32x8(_mm256_permute2f128_ps::<0x31>(b3, b7)),
            ]
        }
    }
