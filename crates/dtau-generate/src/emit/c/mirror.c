/* Copies what is below the diagonal of a matrix of n columns to above it. */
#if defined(__AVX2__) && defined(__FMA__) && @DOUBLE@
DTAU_PART void r_mirror(int n, real *y)
{
    for (int c = 0; c < n; c += 4) {
        /* Next to the diagonal number by number, then in squares; the last one overlaps with that before. */
        for (int i = c; i < c + 4 && i < n; i++)
            for (int j = i + 1; j < c + 4 && j < n; j++) y[n * j + i] = y[n * i + j];
        for (int next = c + 4; next < n; next += 4) {
            const int r = next + 4 <= n ? next : n - 4;
            const real *from = y + n * c + r;
            real *to = y + n * r + c;
            const lanes p = l_load(from), q = l_load(from + n), s = l_load(from + 2 * n), t = l_load(from + 3 * n);
            const lanes e = _mm256_unpacklo_pd(p, q), f = _mm256_unpackhi_pd(p, q);
            const lanes g = _mm256_unpacklo_pd(s, t), h = _mm256_unpackhi_pd(s, t);
            if (r - c < 4) {
                /* It would overlap with the diagonal. */
                for (int i = c; i < c + 4; i++)
                    for (int j = next; j < n; j++) y[n * j + i] = y[n * i + j];
                break;
            }
            l_store(to, _mm256_permute2f128_pd(e, g, 0x20));
            l_store(to + n, _mm256_permute2f128_pd(f, h, 0x20));
            l_store(to + 2 * n, _mm256_permute2f128_pd(e, g, 0x31));
            l_store(to + 3 * n, _mm256_permute2f128_pd(f, h, 0x31));
        }
    }
}
#else
DTAU_PART void r_mirror(int n, real *y)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) y[n * j + i] = y[n * i + j];
}
#endif
