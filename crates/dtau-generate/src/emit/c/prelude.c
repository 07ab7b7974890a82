/* Multiply-adds round once where the CPU has them for that precision, and twice elsewhere. */
#if defined(__FMA__) || defined(__aarch64__)
#define DTAU_FUSED_DOUBLE 1
#define DTAU_FUSED_FLOAT 1
#elif defined(__ARM_FEATURE_FMA) && defined(__ARM_FP)
#define DTAU_FUSED_DOUBLE ((__ARM_FP & 8) != 0)
#define DTAU_FUSED_FLOAT ((__ARM_FP & 4) != 0)
#else
#define DTAU_FUSED_DOUBLE 0
#define DTAU_FUSED_FLOAT 0
#endif
#define DTAU_FUSED DTAU_FUSED_@KIND@
#if defined(__GNUC__)
#define DTAU_INLINE static inline __attribute__((unused, always_inline))
#define DTAU_CALL static __attribute__((unused, noinline))
#define DTAU_PART static __attribute__((unused, noinline))
#define DTAU_ALIGNED __attribute__((aligned(64)))
#else
#define DTAU_INLINE static inline
#define DTAU_CALL static
#define DTAU_PART static
#define DTAU_ALIGNED
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#define DTAU_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define DTAU_ROLLED
#endif
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

typedef @REAL@ real;

DTAU_INLINE double d_fma(double a, double b, double c) { return DTAU_FUSED_DOUBLE ? fma(a, b, c) : a * b + c; }
DTAU_INLINE double d_fms(double a, double b, double c) { return DTAU_FUSED_DOUBLE ? fma(a, b, -c) : a * b - c; }
DTAU_INLINE double d_fnma(double a, double b, double c) { return DTAU_FUSED_DOUBLE ? fma(-a, b, c) : c - a * b; }
DTAU_INLINE real r_fma(real a, real b, real c) { return DTAU_FUSED ? @FMA@(a, b, c) : a * b + c; }
DTAU_INLINE real r_fms(real a, real b, real c) { return DTAU_FUSED ? @FMA@(a, b, -c) : a * b - c; }
DTAU_INLINE real r_fnma(real a, real b, real c) { return DTAU_FUSED ? @FMA@(-a, b, c) : c - a * b; }
DTAU_INLINE real r_sqrt(real a) { return @SQRT@(a); }
DTAU_INLINE real r_atan2(real a, real b) { return @ATAN2@(a, b); }
DTAU_INLINE real r_select(real a, real b, real c, real d) { return a < b ? c : d; }

/* Sine and cosine: n = round(2x/pi), r = x - n pi/2 in three parts, sin r = r + r^3 P(r^2), cos r = 1 - r^2/2 + r^4 Q(r^2). */
#define DTAU_LARGEST_ANGLE 1.0e6
#define DTAU_SHIFT 6755399441055744.0
#define DTAU_TWO_BY_PI 0.6366197723675814
static const double dtau_half_pi[3] = {1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21};
static const double dtau_p[6] = {-0.16666666666666666, 0.008333333333330946, -0.0001984126983675497,
                                 2.755731610068312e-06, -2.5051131455447428e-08, 1.591810123167728e-10};
static const double dtau_q[6] = {0.041666666666666664, -0.0013888888888887395, 2.4801587298763433e-05,
                                 -2.7557317270560385e-07, 2.087614602470193e-09, -1.1382614869434128e-11};

DTAU_INLINE void d_sincos(double x, double *sine, double *cosine)
{
    if (!(fabs(x) <= DTAU_LARGEST_ANGLE)) {
        *sine = sin(x);
        *cosine = cos(x);
        return;
    }
    const double shifted = d_fma(x, DTAU_TWO_BY_PI, DTAU_SHIFT);
    const double n = shifted - DTAU_SHIFT;
    const double a = d_fnma(n, dtau_half_pi[0], x);
    const double r0 = d_fnma(n, dtau_half_pi[1], a);
    const double r1 = d_fnma(n, dtau_half_pi[2], d_fnma(n, dtau_half_pi[1], a - r0));
    const double z = r0 * r0;
    double p = dtau_p[5], q = dtau_q[5];
    for (int k = 4; k >= 0; k--) {
        p = d_fma(p, z, dtau_p[k]);
        q = d_fma(q, z, dtau_q[k]);
    }
    const double half = z * 0.5;
    const double s = r0 + d_fma(r0 * z, p, d_fnma(half, r1, r1));
    const double c0 = 1.0 - half;
    const double c1 = (1.0 - c0) - half;
    const double c = c0 + d_fma(z * z, q, d_fnma(r0, r1, c1));
    uint64_t quadrant, si, ci;
    memcpy(&quadrant, &shifted, 8);
    memcpy(&si, &s, 8);
    memcpy(&ci, &c, 8);
    const uint64_t swap = (si ^ ci) & (0 - (quadrant & 1));
    si ^= swap ^ ((quadrant & 2) << 62);
    ci ^= swap ^ (((quadrant + 1) & 2) << 62);
    memcpy(sine, &si, 8);
    memcpy(cosine, &ci, 8);
}
