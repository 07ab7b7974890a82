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
