/* Sine and cosine of four angles at once. */
#if defined(__AVX2__) && defined(__FMA__)
DTAU_INLINE void @Q@_sincos_small(@D@ x, @D@ *sine, @D@ *cosine)
{
    const @D@ shift = @Q@_splat(DTAU_SHIFT);
    const @D@ shifted = @Q@_fma(x, @Q@_splat(DTAU_TWO_BY_PI), shift);
    const @D@ n = @Q@_sub(shifted, shift);
    const @D@ a = @Q@_fnma(n, @Q@_splat(dtau_half_pi[0]), x);
    const @D@ r0 = @Q@_fnma(n, @Q@_splat(dtau_half_pi[1]), a);
    const @D@ r1 = @Q@_fnma(n, @Q@_splat(dtau_half_pi[2]), @Q@_fnma(n, @Q@_splat(dtau_half_pi[1]), @Q@_sub(a, r0)));
    const @D@ z = @Q@_mul(r0, r0), one = @Q@_splat(1.0);
    @D@ p = @Q@_splat(dtau_p[5]), q = @Q@_splat(dtau_q[5]);
    for (int k = 4; k >= 0; k--) {
        p = @Q@_fma(p, z, @Q@_splat(dtau_p[k]));
        q = @Q@_fma(q, z, @Q@_splat(dtau_q[k]));
    }
    const @D@ half = @Q@_mul(z, @Q@_splat(0.5));
    const @D@ s = @Q@_add(r0, @Q@_fma(@Q@_mul(r0, z), p, @Q@_fnma(half, r1, r1)));
    const @D@ c0 = @Q@_sub(one, half), c1 = @Q@_sub(@Q@_sub(one, c0), half);
    const @D@ c = @Q@_add(c0, @Q@_fma(@Q@_mul(z, z), q, @Q@_fnma(r0, r1, c1)));
    const __m256i bits = _mm256_castpd_si256(shifted), si = _mm256_castpd_si256(s), ci = _mm256_castpd_si256(c);
    const __m256i i1 = _mm256_set1_epi64x(1), i2 = _mm256_set1_epi64x(2);
    const __m256i odd = _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_and_si256(bits, i1));
    const __m256i swap = _mm256_and_si256(_mm256_xor_si256(si, ci), odd);
    const __m256i s_sign = _mm256_slli_epi64(_mm256_and_si256(bits, i2), 62);
    const __m256i c_sign = _mm256_slli_epi64(_mm256_and_si256(_mm256_add_epi64(bits, i1), i2), 62);
    *sine = _mm256_castsi256_pd(_mm256_xor_si256(_mm256_xor_si256(si, swap), s_sign));
    *cosine = _mm256_castsi256_pd(_mm256_xor_si256(_mm256_xor_si256(ci, swap), c_sign));
}
DTAU_INLINE int @Q@_all_small(@D@ x)
{
    const @D@ magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
    return _mm256_movemask_pd(_mm256_cmp_pd(magnitude, @Q@_splat(DTAU_LARGEST_ANGLE), _CMP_LE_OQ)) == 15;
}
DTAU_INLINE void @Q@_sincos(@D@ x, @D@ *sine, @D@ *cosine)
{
    if (@Q@_all_small(x)) {
        @Q@_sincos_small(x, sine, cosine);
        return;
    }
    double a[4], s[4], c[4];
    @Q@_store(a, x);
    for (int k = 0; k < 4; k++) d_sincos(a[k], &s[k], &c[k]);
    *sine = @Q@_load(s);
    *cosine = @Q@_load(c);
}
#else
DTAU_INLINE void @Q@_sincos(@D@ x, @D@ *sine, @D@ *cosine)
{
    for (int k = 0; k < 4; k++) d_sincos(x.at[k], &sine->at[k], &cosine->at[k]);
}
#endif
/* Of many numbers; in double precision, whatever they are. */
DTAU_PART void r_turn(int n, const real *x, real *s, real *c)
{
    for (int k = 0; k < n; k += 4) {
        double a[4] = {0.0, 0.0, 0.0, 0.0}, sk[4], ck[4];
        @D@ sine, cosine;
        const int m = n - k < 4 ? n - k : 4;
        for (int i = 0; i < m; i++) a[i] = (double)x[k + i];
        @Q@_sincos(@Q@_load(a), &sine, &cosine);
        @Q@_store(sk, sine);
        @Q@_store(ck, cosine);
        for (int i = 0; i < m; i++) {
            s[k + i] = (real)sk[i];
            c[k + i] = (real)ck[i];
        }
    }
}
DTAU_CALL real r_sin(real x)
{
    double s, c;
    d_sincos((double)x, &s, &c);
    return (real)s;
}
DTAU_CALL real r_cos(real x)
{
    double s, c;
    d_sincos((double)x, &s, &c);
    return (real)c;
}
