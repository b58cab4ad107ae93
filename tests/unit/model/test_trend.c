// SPDX-License-Identifier: MIT
// Trends of series whose formula is known.
#include <math.h>

#include "model/predict/trend.h"
#include "unit/lane.h"

enum { INPUTS = 4 };
static const double sizes[INPUTS] = {1000, 2100, 4300, 8000};
static const double FAR = 80000;

static void check(enum dj_trend_kind kind, double constant, double factor, enum dj_growth growth)
{
    double values[INPUTS];
    for (size_t i = 0; i < INPUTS; i++)
        values[i] = constant + factor * dj_growth_at(growth, sizes[i]);
    const dj_trend trend = dj_trend_find(kind, sizes, values, INPUTS);
    const double expected = constant + factor * dj_growth_at(growth, FAR);
    if (fabs(dj_trend_at(&trend, FAR) - expected) > 1e-4 * expected || trend.error > 1e-3)
        fail_msg("%g + %g * %s: %g instead of %g", constant, factor, dj_growth_name(growth),
                 dj_trend_at(&trend, FAR), expected);
    assert_int_equal(dj_trend_growth(&trend), factor > 0 ? growth : DJ_GROWTH_CONSTANT);
}

static void formulas_are_found(void **state)
{
    (void)state;
    for (enum dj_growth g = DJ_GROWTH_CUBE_ROOT; g <= DJ_GROWTH_N_LOG_N; g++)
        for (int c = 0; c < 3; c++) {
            check(DJ_TREND_DISTANCE, 7.0 * c, 3, g);
            check(DJ_TREND_COUNT, 50.0 * c, 20, g);
        }
    for (enum dj_growth g = DJ_GROWTH_FOUR_THIRDS; g <= DJ_GROWTH_CUBE; g++)
        check(DJ_TREND_COUNT, 100, 0.5, g);
    for (int c = 0; c < 5; c++)
        check(DJ_TREND_DISTANCE, c * c * c, 0, DJ_GROWTH_LINEAR);
}

// 3n² + 2n + 1 in n² = size, as the references of a sweep over a square with its border.
static void sums_of_two_are_found(void **state)
{
    (void)state;
    double values[INPUTS];
    for (size_t i = 0; i < INPUTS; i++)
        values[i] = 3 * sizes[i] + 20 * sqrt(sizes[i]) + 1;
    const dj_trend trend = dj_trend_find(DJ_TREND_COUNT, sizes, values, INPUTS);
    const double expected = 3 * FAR + 20 * sqrt(FAR) + 1;
    assert_true(fabs(dj_trend_at(&trend, FAR) - expected) < 1e-4 * expected);
    assert_int_equal(trend.growth[0], DJ_GROWTH_LINEAR);
}

static void powers_between_are_found(void **state)
{
    (void)state;
    double values[INPUTS];
    for (size_t i = 0; i < INPUTS; i++)
        values[i] = 5 * pow(sizes[i], 0.42);
    const dj_trend trend = dj_trend_find(DJ_TREND_DISTANCE, sizes, values, INPUTS);
    assert_true(fabs(dj_trend_at(&trend, FAR) / (5 * pow(FAR, 0.42)) - 1) < 1e-6);
    assert_int_equal(dj_trend_growth(&trend), DJ_GROWTH_SQUARE_ROOT);
}

// 100 − 900 / √size approaches 100 and is not evadable.
static void what_settles_is_constant(void **state)
{
    (void)state;
    double values[INPUTS];
    for (size_t i = 0; i < INPUTS; i++)
        values[i] = 100 - 900 / sqrt(sizes[i]);
    const dj_trend trend = dj_trend_find(DJ_TREND_DISTANCE, sizes, values, INPUTS);
    assert_true(fabs(dj_trend_at(&trend, FAR) - (100 - 900 / sqrt(FAR))) < 0.01);
    assert_int_equal(dj_trend_growth(&trend), DJ_GROWTH_CONSTANT);
}

// Without any pattern, the error says so.
static void noise_has_an_error(void **state)
{
    (void)state;
    const double values[INPUTS] = {100, 900, 50, 700};
    assert_true(dj_trend_find(DJ_TREND_COUNT, sizes, values, INPUTS).error > 0.3);
}

static void nothing_is_negative_or_infinite(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int trial = 0; trial < 2000; trial++) {
        double values[INPUTS];
        for (size_t i = 0; i < INPUTS; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            values[i] = trial % 3 == 0 ? (double)(random >> 62)
                                       : ldexp((double)(random >> 40), (int)(random >> 34 & 31));
        }
        for (size_t count = 1; count <= INPUTS; count++) {
            const dj_trend trend =
                dj_trend_find(trial % 2 ? DJ_TREND_COUNT : DJ_TREND_DISTANCE, sizes, values, count);
            for (double at = 1; at < 1e12; at *= 100)
                assert_true(dj_trend_at(&trend, at) >= 0 && isfinite(dj_trend_at(&trend, at)));
            assert_true(trend.error >= 0 && isfinite(trend.error));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_found),       cmocka_unit_test(sums_of_two_are_found),
        cmocka_unit_test(powers_between_are_found), cmocka_unit_test(what_settles_is_constant),
        cmocka_unit_test(noise_has_an_error),       cmocka_unit_test(nothing_is_negative_or_infinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
