
/* The inverse of the mass matrix, from S, U/D, 1/D of every joint axis, as for one state. */
DTAU_PART void @NAME@_inverse(const real *restrict x, real *restrict m)
{
    static const short links[@N@][5] = {@LINKS@};
    @TYPE@ y[@N@][@N@], f[@N@][6], a[@LEVELS@][@N@][6];
    for (int i = @N@ - 1; i >= 0; i--) {
        @TYPE@ s[6], u[6];
        for (int k = 0; k < 6; k++) {
            s[k] = @P@_load(x + @W@ * (@S@ + @N@ * k + i));
            u[k] = @P@_load(x + @W@ * (@U@ + @N@ * k + i));
        }
        for (int j = i + 1; j < links[i][0]; j++) {
            @TYPE@ *fj = f[j];
            const @TYPE@ t = @P@_add(@P@_fma(fj[2], s[2], @P@_fma(fj[1], s[1], @P@_mul(fj[0], s[0]))),
                                     @P@_fma(fj[5], s[5], @P@_fma(fj[4], s[4], @P@_mul(fj[3], s[3]))));
            y[i][j] = t;
            for (int k = 0; k < 6; k++) fj[k] = @P@_fnma(u[k], t, fj[k]);
        }
        for (int j = links[i][0]; j < links[i][1]; j++) y[i][j] = @P@_splat(0);
        y[i][i] = @P@_splat(-1);
        for (int k = 0; k < 6; k++) f[i][k] = u[k];
    }
    for (int i = 0; i < @N@; i++) {
        const int from = links[i][2];
        @TYPE@(*to)[6] = a[links[i][3]];
        if (from < 0) {
            for (int j = i; j < links[i][1]; j++)
                for (int k = 0; k < 6; k++) to[j][k] = @P@_splat(0);
        } else if (from != links[i][3]) {
            memcpy(to + i, a[from] + i, (size_t)(links[i][1] - i) * sizeof to[0]);
        }
        const @TYPE@ d = @P@_neg(@P@_load(x + @W@ * (@D@ + i)));
        @TYPE@ s[6], u[6];
        for (int k = 0; k < 6; k++) {
            s[k] = @P@_load(x + @W@ * (@S@ + @N@ * k + i));
            u[k] = @P@_neg(@P@_load(x + @W@ * (@U@ + @N@ * k + i)));
        }
        for (int j = i; j < links[i][1]; j++) {
            @TYPE@ *aj = to[j];
            @TYPE@ t = @P@_add(@P@_fma(aj[2], u[2], @P@_fma(aj[1], u[1], @P@_mul(aj[0], u[0]))),
                               @P@_fma(aj[5], u[5], @P@_fma(aj[4], u[4], @P@_mul(aj[3], u[3]))));
            t = @P@_fma(d, y[i][j], t);
            @P@_store(m + @W@ * (@N@ * i + j), t);
            @P@_store(m + @W@ * (@N@ * j + i), t);
            for (int k = 0; k < 6; k++) aj[k] = @P@_fma(s[k], t, aj[k]);
        }
        for (int j = links[i][1]; j < @N@; j++) {
            @P@_store(m + @W@ * (@N@ * i + j), @P@_splat(0));
            @P@_store(m + @W@ * (@N@ * j + i), @P@_splat(0));
        }
    }
}
