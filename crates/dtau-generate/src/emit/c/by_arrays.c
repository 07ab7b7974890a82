DTAU_INLINE void @P@_sincos(@TYPE@ x, @TYPE@ *sine, @TYPE@ *cosine)
{
    real a[@N@], s[@N@], c[@N@];
    @P@_store(a, x);
    r_turn(@N@, a, s, c);
    *sine = @P@_load(s);
    *cosine = @P@_load(c);
}
