/* Four numbers side by side. */
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
typedef __m256d lanes;
DTAU_INLINE lanes l_load(const double *x) { return _mm256_loadu_pd(x); }
DTAU_INLINE void l_store(double *y, lanes a) { _mm256_storeu_pd(y, a); }
DTAU_INLINE lanes l_splat(double x) { return _mm256_set1_pd(x); }
DTAU_INLINE lanes l_set(double a, double b, double c, double d) { return _mm256_setr_pd(a, b, c, d); }
DTAU_INLINE lanes l_add(lanes a, lanes b) { return _mm256_add_pd(a, b); }
DTAU_INLINE lanes l_sub(lanes a, lanes b) { return _mm256_sub_pd(a, b); }
DTAU_INLINE lanes l_mul(lanes a, lanes b) { return _mm256_mul_pd(a, b); }
DTAU_INLINE lanes l_div(lanes a, lanes b) { return _mm256_div_pd(a, b); }
DTAU_INLINE lanes l_neg(lanes a) { return _mm256_xor_pd(a, _mm256_set1_pd(-0.0)); }
DTAU_INLINE lanes l_fma(lanes a, lanes b, lanes c) { return _mm256_fmadd_pd(a, b, c); }
DTAU_INLINE lanes l_fms(lanes a, lanes b, lanes c) { return _mm256_fmsub_pd(a, b, c); }
DTAU_INLINE lanes l_fnma(lanes a, lanes b, lanes c) { return _mm256_fnmadd_pd(a, b, c); }
DTAU_INLINE lanes l_sqrt(lanes a) { return _mm256_sqrt_pd(a); }
DTAU_INLINE lanes l_select(lanes a, lanes b, lanes c, lanes d)
{
    return _mm256_blendv_pd(d, c, _mm256_cmp_pd(a, b, _CMP_LT_OQ));
}
/* In lane k what was in lane k + 1, 2, 3. */
DTAU_INLINE lanes l_turned1(lanes a) { return _mm256_permute4x64_pd(a, 0x39); }
DTAU_INLINE lanes l_turned2(lanes a) { return _mm256_permute4x64_pd(a, 0x4E); }
DTAU_INLINE lanes l_turned3(lanes a) { return _mm256_permute4x64_pd(a, 0x93); }
/* Rows to columns of four by four. */
DTAU_INLINE void l_transpose(lanes x[4])
{
    const lanes a = _mm256_unpacklo_pd(x[0], x[1]), b = _mm256_unpackhi_pd(x[0], x[1]);
    const lanes c = _mm256_unpacklo_pd(x[2], x[3]), d = _mm256_unpackhi_pd(x[2], x[3]);
    x[0] = _mm256_permute2f128_pd(a, c, 0x20);
    x[1] = _mm256_permute2f128_pd(b, d, 0x20);
    x[2] = _mm256_permute2f128_pd(a, c, 0x31);
    x[3] = _mm256_permute2f128_pd(b, d, 0x31);
}
DTAU_INLINE void l_sincos_small(lanes x, lanes *sine, lanes *cosine)
{
    const lanes shift = l_splat(DTAU_SHIFT);
    const lanes shifted = l_fma(x, l_splat(DTAU_TWO_BY_PI), shift);
    const lanes n = l_sub(shifted, shift);
    const lanes a = l_fnma(n, l_splat(dtau_half_pi[0]), x);
    const lanes r0 = l_fnma(n, l_splat(dtau_half_pi[1]), a);
    const lanes r1 = l_fnma(n, l_splat(dtau_half_pi[2]), l_fnma(n, l_splat(dtau_half_pi[1]), l_sub(a, r0)));
    const lanes z = l_mul(r0, r0), one = l_splat(1.0);
    lanes p = l_splat(dtau_p[5]), q = l_splat(dtau_q[5]);
    for (int k = 4; k >= 0; k--) {
        p = l_fma(p, z, l_splat(dtau_p[k]));
        q = l_fma(q, z, l_splat(dtau_q[k]));
    }
    const lanes half = l_mul(z, l_splat(0.5));
    const lanes s = l_add(r0, l_fma(l_mul(r0, z), p, l_fnma(half, r1, r1)));
    const lanes c0 = l_sub(one, half), c1 = l_sub(l_sub(one, c0), half);
    const lanes c = l_add(c0, l_fma(l_mul(z, z), q, l_fnma(r0, r1, c1)));
    const __m256i bits = _mm256_castpd_si256(shifted), si = _mm256_castpd_si256(s), ci = _mm256_castpd_si256(c);
    const __m256i i1 = _mm256_set1_epi64x(1), i2 = _mm256_set1_epi64x(2);
    const __m256i odd = _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_and_si256(bits, i1));
    const __m256i swap = _mm256_and_si256(_mm256_xor_si256(si, ci), odd);
    const __m256i s_sign = _mm256_slli_epi64(_mm256_and_si256(bits, i2), 62);
    const __m256i c_sign = _mm256_slli_epi64(_mm256_and_si256(_mm256_add_epi64(bits, i1), i2), 62);
    *sine = _mm256_castsi256_pd(_mm256_xor_si256(_mm256_xor_si256(si, swap), s_sign));
    *cosine = _mm256_castsi256_pd(_mm256_xor_si256(_mm256_xor_si256(ci, swap), c_sign));
}
DTAU_INLINE double l_lane(lanes a, int k)
{
    const __m128d half = k < 2 ? _mm256_castpd256_pd128(a) : _mm256_extractf128_pd(a, 1);
    return _mm_cvtsd_f64(k % 2 ? _mm_unpackhi_pd(half, half) : half);
}
DTAU_INLINE int l_all_small(lanes x)
{
    const lanes magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
    return _mm256_movemask_pd(_mm256_cmp_pd(magnitude, l_splat(DTAU_LARGEST_ANGLE), _CMP_LE_OQ)) == 15;
}
#else
typedef struct { double at[4]; } lanes;
#define DTAU_EACH(expression) do { for (int k = 0; k < 4; k++) y.at[k] = (expression); } while (0)
DTAU_INLINE lanes l_load(const double *x) { lanes y; memcpy(&y, x, sizeof y); return y; }
DTAU_INLINE void l_store(double *y, lanes a) { memcpy(y, &a, sizeof a); }
DTAU_INLINE lanes l_splat(double x) { lanes y; DTAU_EACH(x); return y; }
DTAU_INLINE lanes l_set(double a, double b, double c, double d) { lanes y = {{a, b, c, d}}; return y; }
DTAU_INLINE lanes l_add(lanes a, lanes b) { lanes y; DTAU_EACH(a.at[k] + b.at[k]); return y; }
DTAU_INLINE lanes l_sub(lanes a, lanes b) { lanes y; DTAU_EACH(a.at[k] - b.at[k]); return y; }
DTAU_INLINE lanes l_mul(lanes a, lanes b) { lanes y; DTAU_EACH(a.at[k] * b.at[k]); return y; }
DTAU_INLINE lanes l_div(lanes a, lanes b) { lanes y; DTAU_EACH(a.at[k] / b.at[k]); return y; }
DTAU_INLINE lanes l_neg(lanes a) { lanes y; DTAU_EACH(-a.at[k]); return y; }
DTAU_INLINE lanes l_fma(lanes a, lanes b, lanes c) { lanes y; DTAU_EACH(d_fma(a.at[k], b.at[k], c.at[k])); return y; }
DTAU_INLINE lanes l_fms(lanes a, lanes b, lanes c) { lanes y; DTAU_EACH(d_fma(a.at[k], b.at[k], -c.at[k])); return y; }
DTAU_INLINE lanes l_fnma(lanes a, lanes b, lanes c) { lanes y; DTAU_EACH(d_fnma(a.at[k], b.at[k], c.at[k])); return y; }
DTAU_INLINE lanes l_sqrt(lanes a) { lanes y; DTAU_EACH(sqrt(a.at[k])); return y; }
DTAU_INLINE lanes l_select(lanes a, lanes b, lanes c, lanes d)
{
    lanes y;
    DTAU_EACH(a.at[k] < b.at[k] ? c.at[k] : d.at[k]);
    return y;
}
DTAU_INLINE lanes l_turned1(lanes a) { return l_set(a.at[1], a.at[2], a.at[3], a.at[0]); }
DTAU_INLINE lanes l_turned2(lanes a) { return l_set(a.at[2], a.at[3], a.at[0], a.at[1]); }
DTAU_INLINE lanes l_turned3(lanes a) { return l_set(a.at[3], a.at[0], a.at[1], a.at[2]); }
DTAU_INLINE void l_transpose(lanes x[4])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++) {
            const double t = x[i].at[k];
            x[i].at[k] = x[k].at[i];
            x[k].at[i] = t;
        }
}
DTAU_INLINE void l_sincos_small(lanes x, lanes *sine, lanes *cosine)
{
    for (int k = 0; k < 4; k++) d_sincos(x.at[k], &sine->at[k], &cosine->at[k]);
}
DTAU_INLINE int l_all_small(lanes x) { return x.at[0] == x.at[0] || 1; }
DTAU_INLINE double l_lane(lanes a, int k) { return a.at[k]; }
#endif
DTAU_INLINE lanes l_atan2(lanes a, lanes b)
{
    double x[4], y[4];
    l_store(y, a);
    l_store(x, b);
    return l_set(atan2(y[0], x[0]), atan2(y[1], x[1]), atan2(y[2], x[2]), atan2(y[3], x[3]));
}
DTAU_INLINE void l_sincos(lanes x, lanes *sine, lanes *cosine)
{
    if (l_all_small(x)) {
        l_sincos_small(x, sine, cosine);
        return;
    }
    double a[4], s[4], c[4];
    l_store(a, x);
    for (int k = 0; k < 4; k++) d_sincos(a[k], &s[k], &c[k]);
    *sine = l_load(s);
    *cosine = l_load(c);
}
/* From state by state to lane by lane, and back. */
DTAU_INLINE void l_pack(int n, const double *x, double *y)
{
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        lanes row[4];
        for (int i = 0; i < 4; i++) row[i] = l_load(x + i * n + k);
        l_transpose(row);
        for (int i = 0; i < 4; i++) l_store(y + 4 * (k + i), row[i]);
    }
    for (; k < n; k++)
        for (int i = 0; i < 4; i++) y[4 * k + i] = x[i * n + k];
}
DTAU_INLINE void l_unpack(int n, const double *x, double *y)
{
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        lanes row[4];
        for (int i = 0; i < 4; i++) row[i] = l_load(x + 4 * (k + i));
        l_transpose(row);
        for (int i = 0; i < 4; i++) l_store(y + i * n + k, row[i]);
    }
    for (; k < n; k++)
        for (int i = 0; i < 4; i++) y[i * n + k] = x[4 * k + i];
}
