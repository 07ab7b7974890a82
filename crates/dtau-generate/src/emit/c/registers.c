/* @WORDS@ side by side. */
#if defined(__AVX2__) && defined(__FMA__)
typedef @REGISTER@ @TYPE@;
DTAU_INLINE @TYPE@ @P@_load(const @REAL@ *x) { return @MM@_loadu_@PS@(x); }
DTAU_INLINE void @P@_store(@REAL@ *y, @TYPE@ a) { @MM@_storeu_@PS@(y, a); }
DTAU_INLINE @TYPE@ @P@_splat(@REAL@ x) { return @MM@_set1_@PS@(x); }
DTAU_INLINE @TYPE@ @P@_add(@TYPE@ a, @TYPE@ b) { return @MM@_add_@PS@(a, b); }
DTAU_INLINE @TYPE@ @P@_sub(@TYPE@ a, @TYPE@ b) { return @MM@_sub_@PS@(a, b); }
DTAU_INLINE @TYPE@ @P@_mul(@TYPE@ a, @TYPE@ b) { return @MM@_mul_@PS@(a, b); }
DTAU_INLINE @TYPE@ @P@_div(@TYPE@ a, @TYPE@ b) { return @MM@_div_@PS@(a, b); }
DTAU_INLINE @TYPE@ @P@_neg(@TYPE@ a) { return @MM@_xor_@PS@(a, @MM@_set1_@PS@(-0.0@F@)); }
DTAU_INLINE @TYPE@ @P@_fma(@TYPE@ a, @TYPE@ b, @TYPE@ c) { return @MM@_fmadd_@PS@(a, b, c); }
DTAU_INLINE @TYPE@ @P@_fms(@TYPE@ a, @TYPE@ b, @TYPE@ c) { return @MM@_fmsub_@PS@(a, b, c); }
DTAU_INLINE @TYPE@ @P@_fnma(@TYPE@ a, @TYPE@ b, @TYPE@ c) { return @MM@_fnmadd_@PS@(a, b, c); }
DTAU_INLINE @TYPE@ @P@_sqrt(@TYPE@ a) { return @MM@_sqrt_@PS@(a); }
/* Where a < b: c, else d. */
DTAU_INLINE @TYPE@ @P@_select(@TYPE@ a, @TYPE@ b, @TYPE@ c, @TYPE@ d)
{
    return @MM@_blendv_@PS@(d, c, @MM@_cmp_@PS@(a, b, _CMP_LT_OQ));
}
#else
typedef struct { @REAL@ at[@N@]; } @TYPE@;
#define DTAU_EACH(expression) @TYPE@ y; for (int k = 0; k < @N@; k++) y.at[k] = (expression); return y
DTAU_INLINE @TYPE@ @P@_load(const @REAL@ *x) { DTAU_EACH(x[k]); }
DTAU_INLINE void @P@_store(@REAL@ *y, @TYPE@ a) { for (int k = 0; k < @N@; k++) y[k] = a.at[k]; }
DTAU_INLINE @TYPE@ @P@_splat(@REAL@ x) { DTAU_EACH(x); }
DTAU_INLINE @TYPE@ @P@_add(@TYPE@ a, @TYPE@ b) { DTAU_EACH(a.at[k] + b.at[k]); }
DTAU_INLINE @TYPE@ @P@_sub(@TYPE@ a, @TYPE@ b) { DTAU_EACH(a.at[k] - b.at[k]); }
DTAU_INLINE @TYPE@ @P@_mul(@TYPE@ a, @TYPE@ b) { DTAU_EACH(a.at[k] * b.at[k]); }
DTAU_INLINE @TYPE@ @P@_div(@TYPE@ a, @TYPE@ b) { DTAU_EACH(a.at[k] / b.at[k]); }
DTAU_INLINE @TYPE@ @P@_neg(@TYPE@ a) { DTAU_EACH(-a.at[k]); }
DTAU_INLINE @TYPE@ @P@_fma(@TYPE@ a, @TYPE@ b, @TYPE@ c) { DTAU_EACH(@SCALAR@_fma(a.at[k], b.at[k], c.at[k])); }
DTAU_INLINE @TYPE@ @P@_fms(@TYPE@ a, @TYPE@ b, @TYPE@ c) { DTAU_EACH(@SCALAR@_fms(a.at[k], b.at[k], c.at[k])); }
DTAU_INLINE @TYPE@ @P@_fnma(@TYPE@ a, @TYPE@ b, @TYPE@ c) { DTAU_EACH(@SCALAR@_fnma(a.at[k], b.at[k], c.at[k])); }
DTAU_INLINE @TYPE@ @P@_sqrt(@TYPE@ a) { DTAU_EACH(@SQRT@(a.at[k])); }
DTAU_INLINE @TYPE@ @P@_select(@TYPE@ a, @TYPE@ b, @TYPE@ c, @TYPE@ d) { DTAU_EACH(a.at[k] < b.at[k] ? c.at[k] : d.at[k]); }
#undef DTAU_EACH
#endif
