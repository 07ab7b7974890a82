int @PREFIX@_add_payload(real *table, int link, double mass, const double com[3], const double inertia[6])
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    if (link < 0 || link >= @LINKS@) return 1;
    if (!(mass >= 0) || !(mass * 0 == 0)) return 2;
    for (int k = 0; k < 3; k++)
        if (!(com[k] * 0 == 0)) return 2;
    for (int k = 0; k < 6; k++)
        if (!(inertia[k] * 0 == 0)) return 2;
    const int body = dtau_carrier[link];
    if (body == 0) return 0; /* it does not move */
    const double *r = dtau_placement[link], *p = r + 9;
    const short *slot = dtau_slots[body];
    double x[19], c[3], turned[3][3];
    for (int k = 0; k < 19; k++) x[k] = slot[k] < 0 ? dtau_in_code[body][k] : (double)table[slot[k]];
    /* The load's centre of mass and inertia in the body's axes: c = R com + p, R I R^T. */
    for (int i = 0; i < 3; i++) c[i] = p[i] + r[i] * com[0] + r[3 + i] * com[1] + r[6 + i] * com[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            turned[i][j] = r[i] * inertia[at[0][j]] + r[3 + i] * inertia[at[1][j]] + r[6 + i] * inertia[at[2][j]];
    /* Sums: mass, first moment, inertia about the body's origin. */
    x[0] += mass;
    for (int i = 0; i < 3; i++) x[1 + i] += mass * c[i];
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            const double own = turned[i][0] * r[j] + turned[i][1] * r[3 + j] + turned[i][2] * r[6 + j];
            const double square = i == j ? c[0] * c[0] + c[1] * c[1] + c[2] * c[2] : 0;
            x[4 + at[i][j]] += own + mass * (square - c[i] * c[j]);
        }
    /* What follows: centre of mass, and the inertia about it. */
    for (int i = 0; i < 3; i++) x[10 + i] = x[0] > 0 ? x[1 + i] / x[0] : 0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            const double square = i == j ? x[1] * x[10] + x[2] * x[11] + x[3] * x[12] : 0;
            x[13 + at[i][j]] = x[4 + at[i][j]] - (square - x[1 + i] * x[10 + j]);
        }
    for (int k = 0; k < 19; k++)
        if (slot[k] < 0 && x[k] != dtau_in_code[body][k]) return 3;
    for (int k = 0; k < 19; k++)
        if (slot[k] >= 0) table[slot[k]] = (real)x[k];
    return 0;
}
