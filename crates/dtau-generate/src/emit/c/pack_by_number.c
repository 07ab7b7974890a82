/* From state by state to lane by lane, and back. */
DTAU_INLINE void @P@_pack(int n, const real *x, real *y)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < @N@; i++) y[@N@ * k + i] = x[i * n + k];
}
DTAU_INLINE void @P@_unpack(int n, const real *x, real *y)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < @N@; i++) y[i * n + k] = x[@N@ * k + i];
}
