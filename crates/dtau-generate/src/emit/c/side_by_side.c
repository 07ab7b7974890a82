/* What is done number by number. */
DTAU_PART void @P@_turn(int n, const @TYPE@ *x, @TYPE@ *s, @TYPE@ *c)
{
    for (int k = 0; k < n; k++) @P@_sincos(x[k], &s[k], &c[k]);
}
DTAU_CALL @TYPE@ @P@_sin(@TYPE@ x)
{
    @TYPE@ s, c;
    @P@_sincos(x, &s, &c);
    return s;
}
DTAU_CALL @TYPE@ @P@_cos(@TYPE@ x)
{
    @TYPE@ s, c;
    @P@_sincos(x, &s, &c);
    return c;
}
DTAU_CALL @TYPE@ @P@_atan2(@TYPE@ a, @TYPE@ b)
{
    real x[@N@], y[@N@];
    @P@_store(y, a);
    @P@_store(x, b);
    for (int k = 0; k < @N@; k++) y[k] = r_atan2(y[k], x[k]);
    return @P@_load(y);
}
