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
