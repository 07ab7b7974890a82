/* Rows of @N@ numbers to @N@ places: the first of every row to the first place, one after the other. */
DTAU_PART void @P@_scatter(int rows, int apart, const real *x, real *const *to)
{
    int r = 0;
#if defined(__AVX2__) && defined(__FMA__) && @FAST@
    for (; rows >= 4 && r < rows; r += 4) {
        const int k = r + 4 <= rows ? r : rows - 4; /* the last ones may come twice */
        const real *from = x + apart * k;
        const lanes p = l_load(from), q = l_load(from + apart), s = l_load(from + 2 * apart), t = l_load(from + 3 * apart);
        const lanes e = _mm256_unpacklo_pd(p, q), f = _mm256_unpackhi_pd(p, q);
        const lanes g = _mm256_unpacklo_pd(s, t), h = _mm256_unpackhi_pd(s, t);
        l_store(to[0] + k, _mm256_permute2f128_pd(e, g, 0x20));
        l_store(to[1] + k, _mm256_permute2f128_pd(f, h, 0x20));
        l_store(to[2] + k, _mm256_permute2f128_pd(e, g, 0x31));
        l_store(to[3] + k, _mm256_permute2f128_pd(f, h, 0x31));
    }
#endif
    for (; r < rows; r++)
        for (int k = 0; k < @N@; k++) to[k][r] = x[apart * r + k];
}
