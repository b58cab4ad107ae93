// SPDX-License-Identifier: MIT
// Zipf's law, exactly: the k-th key has probability proportional to 1 / k^s.
//
// Rejection-inversion (W. Hörmann, G. Derflinger: Rejection-inversion to generate variates from monotone
// discrete distributions, 1996): invert the integral H of the density x^-s at a uniform point and round;
// accept if the point is in the bar of the rounded key. Constant time and space, fewer than 1.1 trials on
// average.
//
// Logarithm and exponential use only additions, products and divisions, because those of libm differ in the
// last bit between machines; this file is compiled without contraction to fused operations. Relative errors
// stay below 1e-14.
#include "base/random.h"
#include "trace/generate/generate.h"

#include <stdlib.h>
#include <string.h>

#define LN2_HIGH 0x1.62e42fefa38p-1
#define LN2_LOW 0x1.ef35793c7673p-45

typedef struct zipf {
    dj_random random;
    double s;
    double h_first, h_last; // H(1.5) - 1 and H(n + 0.5): the range to invert
    double sure;            // k - x up to this value is accepted without further tests
    double n;
} zipf;

enum { TERMS = 14 };

// c[0] + c[1] x + c[2] x^2 + …, with even and odd powers summed separately, as independent chains.
static inline double polynomial(const double *c, double x)
{
    double square = x * x, even = c[TERMS - 2], odd = c[TERMS - 1];
    for (int i = TERMS - 4; i >= 0; i -= 2) {
        even = even * square + c[i];
        odd = odd * square + c[i + 1];
    }
    return even + x * odd;
}

// 2 atanh(z) / z for |z| <= 0.2: 2 (1 + z^2 / 3 + z^4 / 5 + …).
static double double_atanh_over(double z)
{
    static const double over_odd[TERMS] = {2.0,      2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,
                                           2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19,
                                           2.0 / 21, 2.0 / 23, 2.0 / 25, 2.0 / 27};
    return polynomial(over_odd, z * z);
}

static const double over_factorial[TERMS + 1] = {1.0,
                                                 1.0,
                                                 1.0 / 2,
                                                 1.0 / 6,
                                                 1.0 / 24,
                                                 1.0 / 120,
                                                 1.0 / 720,
                                                 1.0 / 5040,
                                                 1.0 / 40320,
                                                 1.0 / 362880,
                                                 1.0 / 3628800,
                                                 1.0 / 39916800,
                                                 1.0 / 479001600,
                                                 1.0 / 6227020800,
                                                 1.0 / 87178291200};

static double logarithm(double x) // x normal, positive
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    // Scales the mantissa to [0.72, 1.44), with 1 near the middle.
    uint64_t shifted = bits - 0x3fe7000000000000u;
    int exponent = (int)((int64_t)shifted >> 52);
    bits -= (uint64_t)(int64_t)exponent << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    double z = (m - 1) / (m + 1);
    return exponent * LN2_HIGH + (exponent * LN2_LOW + z * double_atanh_over(z));
}

static double exponential(double x) // |x| below 700
{
    double scaled = x * 0x1.71547652b82fep+0;
    int exponent = (int)(scaled + (scaled < 0 ? -0.5 : 0.5));
    double r = (x - exponent * LN2_HIGH) - exponent * LN2_LOW;
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return polynomial(over_factorial, r) * power;
}

// (e^x - 1) / x, without cancellation near 0.
static double expm1_over(double x)
{
    if (x > 0.5 || x < -0.5)
        return (exponential(x) - 1) / x;
    return polynomial(over_factorial + 1, x);
}

// log(1 + x) / x, likewise. x > -1.
static double log1p_over(double x)
{
    if (x > 0.4 || x < -0.3)
        return logarithm(1 + x) / x;
    double z = x / (2 + x);
    return double_atanh_over(z) / (2 + x);
}

static double integral(double s, double x)
{
    double l = logarithm(x);
    return expm1_over((1 - s) * l) * l;
}

static double density(double s, double x)
{
    return exponential(-s * logarithm(x));
}

static double integral_inverse(const zipf *z, double y)
{
    double t = y * (1 - z->s);
    if (t <= -1)
        return z->n;
    double power = log1p_over(t) * y;
    return power > 600 ? z->n : exponential(power);
}

static int create(dj_context *context, const dj_generate_options *options, void **state, uint64_t *length)
{
    (void)length;
    if (!(options->exponent >= 0 && options->exponent <= 10))
        return dj_fail(context, DJ_ERR_USAGE, "the exponent of zipf must be from 0 to 10");
    if (options->keys > (uint64_t)1 << 52)
        return dj_fail(context, DJ_ERR_USAGE, "zipf has at most 2^52 keys");
    zipf *z = calloc(1, sizeof *z);
    if (!z)
        return dj_fail_memory(context, "a generator", 0);
    dj_random_seed(&z->random, options->seed);
    z->s = options->exponent;
    z->n = (double)options->keys;
    z->h_first = integral(z->s, 1.5) - 1;
    z->h_last = integral(z->s, z->n + 0.5);
    z->sure = 2 - integral_inverse(z, integral(z->s, 2.5) - density(z->s, 2));
    *state = z;
    return DJ_OK;
}

static uint64_t draw(zipf *z)
{
    for (;;) {
        double u = z->h_last + dj_random_real(&z->random) * (z->h_first - z->h_last);
        double x = integral_inverse(z, u);
        double k = (double)(uint64_t)(x + 0.5);
        k = k < 1 ? 1 : k > z->n ? z->n : k;
        if (k - x <= z->sure || u >= integral(z->s, k + 0.5) - density(z->s, k))
            return (uint64_t)k - 1;
    }
}

static void fill(void *state, uint32_t count, const dj_generated *to)
{
    for (uint32_t i = 0; i < count; i++)
        to->element[i] = draw(state);
}

static const dj_option options[] = {
    DJ_GENERATE_KEYS("number of keys"),
    DJ_GENERATE_OPTION("exponent", 0, DJ_OPTION_REAL, exponent, "S", "the k-th key has weight 1 / k^S"),
    DJ_GENERATE_COMMON};

const dj_generator dj_generator_zipf = {
    .info = {"zipf",
             "Zipf's law: few keys are very frequent",
             options,
             {.accesses = 1000000, .seed = 1, .keys = 100000, .exponent = 0.99},
             false},
    .create = create,
    .destroy = free,
    .fill = fill,
};
