/* Eight numbers side by side: in one register where there are such, or by fours. */
#if defined(__AVX512F__) && @DOUBLE@
typedef __m512d wide;
DTAU_INLINE wide w_load(const real *x) { return _mm512_loadu_pd(x); }
DTAU_INLINE void w_store(real *y, wide a) { _mm512_storeu_pd(y, a); }
DTAU_INLINE wide w_splat(real x) { return _mm512_set1_pd(x); }
DTAU_INLINE wide w_both(lanes a, lanes b) { return _mm512_insertf64x4(_mm512_castpd256_pd512(a), b, 1); }
DTAU_INLINE wide w_twice(const real *x) { return _mm512_broadcast_f64x4(l_load(x)); }
DTAU_INLINE wide w_add(wide a, wide b) { return _mm512_add_pd(a, b); }
DTAU_INLINE wide w_sub(wide a, wide b) { return _mm512_sub_pd(a, b); }
DTAU_INLINE wide w_mul(wide a, wide b) { return _mm512_mul_pd(a, b); }
DTAU_INLINE wide w_neg(wide a) { return _mm512_sub_pd(_mm512_set1_pd(-0.0), a); }
DTAU_INLINE wide w_fma(wide a, wide b, wide c) { return _mm512_fmadd_pd(a, b, c); }
DTAU_INLINE wide w_fms(wide a, wide b, wide c) { return _mm512_fmsub_pd(a, b, c); }
DTAU_INLINE wide w_fnma(wide a, wide b, wide c) { return _mm512_fnmadd_pd(a, b, c); }
#else
typedef struct { lanes a, b; } wide;
DTAU_INLINE wide w_both(lanes a, lanes b) { const wide y = {a, b}; return y; }
DTAU_INLINE wide w_load(const real *x) { return w_both(l_load(x), l_load(x + 4)); }
DTAU_INLINE void w_store(real *y, wide a) { l_store(y, a.a); l_store(y + 4, a.b); }
DTAU_INLINE wide w_splat(real x) { return w_both(l_splat(x), l_splat(x)); }
DTAU_INLINE wide w_twice(const real *x) { return w_both(l_load(x), l_load(x)); }
DTAU_INLINE wide w_add(wide a, wide b) { return w_both(l_add(a.a, b.a), l_add(a.b, b.b)); }
DTAU_INLINE wide w_sub(wide a, wide b) { return w_both(l_sub(a.a, b.a), l_sub(a.b, b.b)); }
DTAU_INLINE wide w_mul(wide a, wide b) { return w_both(l_mul(a.a, b.a), l_mul(a.b, b.b)); }
DTAU_INLINE wide w_neg(wide a) { return w_both(l_neg(a.a), l_neg(a.b)); }
DTAU_INLINE wide w_fma(wide a, wide b, wide c) { return w_both(l_fma(a.a, b.a, c.a), l_fma(a.b, b.b, c.b)); }
DTAU_INLINE wide w_fms(wide a, wide b, wide c) { return w_both(l_fms(a.a, b.a, c.a), l_fms(a.b, b.b, c.b)); }
DTAU_INLINE wide w_fnma(wide a, wide b, wide c) { return w_both(l_fnma(a.a, b.a, c.a), l_fnma(a.b, b.b, c.b)); }
#endif
