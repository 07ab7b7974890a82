/* Eight numbers side by side: two times four. */
typedef struct { lanes lo, hi; } eight;
#define DTAU_BOTH(lower, upper) eight y; y.lo = (lower); y.hi = (upper); return y
DTAU_INLINE eight e_load(const real *x) { DTAU_BOTH(l_load(x), l_load(x + 4)); }
DTAU_INLINE void e_store(real *y, eight a) { l_store(y, a.lo); l_store(y + 4, a.hi); }
DTAU_INLINE eight e_splat(real x) { DTAU_BOTH(l_splat(x), l_splat(x)); }
DTAU_INLINE eight e_add(eight a, eight b) { DTAU_BOTH(l_add(a.lo, b.lo), l_add(a.hi, b.hi)); }
DTAU_INLINE eight e_sub(eight a, eight b) { DTAU_BOTH(l_sub(a.lo, b.lo), l_sub(a.hi, b.hi)); }
DTAU_INLINE eight e_mul(eight a, eight b) { DTAU_BOTH(l_mul(a.lo, b.lo), l_mul(a.hi, b.hi)); }
DTAU_INLINE eight e_div(eight a, eight b) { DTAU_BOTH(l_div(a.lo, b.lo), l_div(a.hi, b.hi)); }
DTAU_INLINE eight e_neg(eight a) { DTAU_BOTH(l_neg(a.lo), l_neg(a.hi)); }
DTAU_INLINE eight e_fma(eight a, eight b, eight c) { DTAU_BOTH(l_fma(a.lo, b.lo, c.lo), l_fma(a.hi, b.hi, c.hi)); }
DTAU_INLINE eight e_fms(eight a, eight b, eight c) { DTAU_BOTH(l_fms(a.lo, b.lo, c.lo), l_fms(a.hi, b.hi, c.hi)); }
DTAU_INLINE eight e_fnma(eight a, eight b, eight c) { DTAU_BOTH(l_fnma(a.lo, b.lo, c.lo), l_fnma(a.hi, b.hi, c.hi)); }
DTAU_INLINE eight e_sqrt(eight a) { DTAU_BOTH(l_sqrt(a.lo), l_sqrt(a.hi)); }
DTAU_INLINE eight e_select(eight a, eight b, eight c, eight d)
{
    DTAU_BOTH(l_select(a.lo, b.lo, c.lo, d.lo), l_select(a.hi, b.hi, c.hi, d.hi));
}
#undef DTAU_BOTH
DTAU_INLINE void e_sincos(eight x, eight *sine, eight *cosine)
{
    l_sincos(x.lo, &sine->lo, &cosine->lo);
    l_sincos(x.hi, &sine->hi, &cosine->hi);
}
