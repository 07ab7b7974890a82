    pub(super) type Lanes = F64x4;
    pub(super) type Wide = F64x4;

    /// Rows to columns.
    #[inline(always)]
    fn transposed([a, b, c, d]: [F64x4; 4]) -> [F64x4; 4] {
        // SAFETY: see the module.
        unsafe {
            let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0));
            let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0));
            [
                F64x4(_mm256_permute2f128_pd::<0x20>(ab_even, cd_even)),
                F64x4(_mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd)),
                F64x4(_mm256_permute2f128_pd::<0x31>(ab_even, cd_even)),
                F64x4(_mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd)),
            ]
        }
    }
