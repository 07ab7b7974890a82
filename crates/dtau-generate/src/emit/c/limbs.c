/* Numbers of several limbs, put side by side and taken apart. */
#if defined(__AVX2__) && defined(__FMA__)
DTAU_INLINE lanes l_set(real a, real b, real c, real d) { return @MM@_setr_@PS@(a, b, c, d); }
#else
DTAU_INLINE lanes l_set(real a, real b, real c, real d) { lanes y = {{a, b, c, d}}; return y; }
#endif
#if defined(__AVX2__) && defined(__FMA__) && @DOUBLE@
DTAU_INLINE real l_lane(lanes a, int k)
{
    const __m128d half = k < 2 ? _mm256_castpd256_pd128(a) : _mm256_extractf128_pd(a, 1);
    return _mm_cvtsd_f64(k % 2 ? _mm_unpackhi_pd(half, half) : half);
}
#else
DTAU_INLINE real l_lane(lanes a, int k)
{
    real x[4];
    l_store(x, a);
    return x[k];
}
#endif
/* In lane k what was in lane k + 1, 2, 3. */
#if defined(__AVX2__) && defined(__FMA__) && @DOUBLE@
DTAU_INLINE lanes l_turned1(lanes a) { return _mm256_permute4x64_pd(a, 0x39); }
DTAU_INLINE lanes l_turned2(lanes a) { return _mm256_permute4x64_pd(a, 0x4E); }
DTAU_INLINE lanes l_turned3(lanes a) { return _mm256_permute4x64_pd(a, 0x93); }
#elif defined(__AVX2__) && defined(__FMA__)
DTAU_INLINE lanes l_turned1(lanes a) { return _mm_permute_ps(a, 0x39); }
DTAU_INLINE lanes l_turned2(lanes a) { return _mm_permute_ps(a, 0x4E); }
DTAU_INLINE lanes l_turned3(lanes a) { return _mm_permute_ps(a, 0x93); }
#else
DTAU_INLINE lanes l_turned1(lanes a) { return l_set(a.at[1], a.at[2], a.at[3], a.at[0]); }
DTAU_INLINE lanes l_turned2(lanes a) { return l_set(a.at[2], a.at[3], a.at[0], a.at[1]); }
DTAU_INLINE lanes l_turned3(lanes a) { return l_set(a.at[3], a.at[0], a.at[1], a.at[2]); }
#endif
