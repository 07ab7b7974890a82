
/* The inverse of the mass matrix, from S, U/D, 1/D of every joint axis; four columns side by side.
 * links: where the subtree ends, and the branch; the level of the acceleration it starts from, its own; whether it is the last. */
DTAU_PART void @NAME@_inverse(const real *restrict x, real *restrict m)
{
    static const short links[@N@][5] = {@LINKS@};
    static const real bits[5][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}};
    static const real own[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    const lanes none = l_splat(0);
    lanes y[@N@][@UNITS@], f[@UNITS@][6], a[@LEVELS@][@UNITS@][6];
    real edge[4];
    memset(f, 0, sizeof f);
    /* Inward: what a torque at j sends towards the root. */
    for (int i = @N@ - 1; i >= 0; i--) {
        const real *s = x + @S@ + i, *u = x + @U@ + i;
        const int end = links[i][0], last = end / 4;
        const lanes s0 = l_splat(s[0]), s1 = l_splat(s[@N@]), s2 = l_splat(s[2 * @N@]);
        const lanes s3 = l_splat(s[3 * @N@]), s4 = l_splat(s[4 * @N@]), s5 = l_splat(s[5 * @N@]);
        const lanes u0 = l_splat(u[0]), u1 = l_splat(u[@N@]), u2 = l_splat(u[2 * @N@]);
        const lanes u3 = l_splat(u[3 * @N@]), u4 = l_splat(u[4 * @N@]), u5 = l_splat(u[5 * @N@]);
        DTAU_ROLLED
        for (int j = (i + 1) / 4; 4 * j < end; j++) {
            lanes *fj = f[j];
            lanes t = l_fma(fj[2], s2, l_fma(fj[1], s1, l_mul(fj[0], s0)));
            t = l_add(t, l_fma(fj[5], s5, l_fma(fj[4], s4, l_mul(fj[3], s3))));
            if (j == last) t = l_select(none, l_load(bits[end % 4]), t, none);
            y[i][j] = t;
            fj[0] = l_fnma(u0, t, fj[0]);
            fj[1] = l_fnma(u1, t, fj[1]);
            fj[2] = l_fnma(u2, t, fj[2]);
            fj[3] = l_fnma(u3, t, fj[3]);
            fj[4] = l_fnma(u4, t, fj[4]);
            fj[5] = l_fnma(u5, t, fj[5]);
        }
        for (int j = (end + 3) / 4; j < @UNITS@; j++) y[i][j] = none;
        const lanes mine = l_load(own[i % 4]);
        lanes *fi = f[i / 4];
        if (i % 4 == 3) y[i][i / 4] = l_splat(-1);
        else y[i][i / 4] = l_select(none, mine, l_splat(-1), y[i][i / 4]);
        fi[0] = l_select(none, mine, u0, fi[0]);
        fi[1] = l_select(none, mine, u1, fi[1]);
        fi[2] = l_select(none, mine, u2, fi[2]);
        fi[3] = l_select(none, mine, u3, fi[3]);
        fi[4] = l_select(none, mine, u4, fi[4]);
        fi[5] = l_select(none, mine, u5, fi[5]);
    }
    /* Outward: how everything accelerates. */
    for (int i = 0; i < @N@; i++) {
        const real *s = x + @S@ + i, *u = x + @U@ + i;
        const int units = @UNITS@, from = links[i][2];
        lanes(*to)[6] = a[links[i][3]];
        if (from < 0) memset(to, 0, sizeof a[0]);
        else if (from != links[i][3] && !links[i][4]) memcpy(to + i / 4, a[from] + i / 4, (size_t)(units - i / 4) * sizeof to[0]);
        else to = a[from];
        /* A column may run over into the next, which comes later; the last one must not. */
        real *column = i + 1 < @N@ ? m + @N@ * i + i / 4 * 4 : edge;
        const lanes d = l_splat(-x[@D@ + i]);
        const lanes u0 = l_splat(-u[0]), u1 = l_splat(-u[@N@]), u2 = l_splat(-u[2 * @N@]);
        const lanes u3 = l_splat(-u[3 * @N@]), u4 = l_splat(-u[4 * @N@]), u5 = l_splat(-u[5 * @N@]);
        if (links[i][4]) {
            DTAU_ROLLED
            for (int j = i / 4; j < units; j++, column += 4) {
                const lanes *aj = to[j];
                lanes t = l_fma(aj[2], u2, l_fma(aj[1], u1, l_mul(aj[0], u0)));
                t = l_add(t, l_fma(aj[5], u5, l_fma(aj[4], u4, l_mul(aj[3], u3))));
                l_store(column, l_fma(d, y[i][j], t));
            }
            continue;
        }
        const lanes s0 = l_splat(s[0]), s1 = l_splat(s[@N@]), s2 = l_splat(s[2 * @N@]);
        const lanes s3 = l_splat(s[3 * @N@]), s4 = l_splat(s[4 * @N@]), s5 = l_splat(s[5 * @N@]);
        DTAU_ROLLED
        for (int j = i / 4; j < units; j++, column += 4) {
            lanes *aj = to[j];
            lanes t = l_fma(aj[2], u2, l_fma(aj[1], u1, l_mul(aj[0], u0)));
            t = l_add(t, l_fma(aj[5], u5, l_fma(aj[4], u4, l_mul(aj[3], u3))));
            t = l_fma(d, y[i][j], t);
            l_store(column, t);
            aj[0] = l_fma(s0, t, aj[0]);
            aj[1] = l_fma(s1, t, aj[1]);
            aj[2] = l_fma(s2, t, aj[2]);
            aj[3] = l_fma(s3, t, aj[3]);
            aj[4] = l_fma(s4, t, aj[4]);
            aj[5] = l_fma(s5, t, aj[5]);
        }
    }
    m[@N@ * @N@ - 1] = edge[(@N@ - 1) % 4];
    r_mirror(@N@, m);
}
