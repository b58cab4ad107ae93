// SPDX-License-Identifier: MIT
#include <math.h>

#include "unit/lane.h"

static void assert_close(double found, double expected, double relative)
{
    if (!(fabs(found - expected) <= relative * fabs(expected)))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

// Terms by the definition, in long double, for sizes where nothing overflows.
static long double by_definition(uint64_t d, uint64_t sets, uint64_t ways)
{
    long double p = 1.0L / (long double)sets, sum = 0;
    for (uint64_t i = 0; i < ways && i <= d; i++) {
        long double term = 1;
        for (uint64_t j = 0; j < i; j++)
            term *= (long double)(d - j) / (long double)(i - j) * p;
        for (uint64_t j = 0; j < d - i; j++)
            term *= 1 - p;
        sum += term;
    }
    return sum;
}

static void equals_the_definition(void **state)
{
    (void)state;
    const uint64_t sets[] = {2, 3, 7, 64, 100, 4096}, ways[] = {1, 2, 3, 4, 8, 12, 16, 64};
    for (size_t s = 0; s < 6; s++)
        for (size_t w = 0; w < 8; w++)
            for (uint64_t d = 0; d < 700; d += 1 + d / 5)
                assert_close(dj_smith_hit(d, sets[s], ways[w]), (double)by_definition(d, sets[s], ways[w]),
                             1e-12);
}

// Computed with 60 decimal digits by the recurrence from P(X = 0).
static void holds_for_large_distances(void **state)
{
    (void)state;
    static const struct {
        uint64_t d, sets, ways;
        double hit;
    } rows[] = {
        {1000000000, 67108864, 16, 5.78213111939654744731e-01},
        {1000000000, 16777216, 64, 6.98677535126174698021e-01},
        {123456789, 1000000, 64, 1.42786277422958519962e-09},
        {1000, 64, 8, 1.20065015029726142315e-02},
        {600, 64, 8, 2.79836288409570976832e-01},
        {1000000, 65536, 16, 5.41599636899742886698e-01},
        {1000000, 65536, 12, 1.68182684483385913587e-01},
        {300000, 65536, 1, 1.02788011675119944632e-02},
        {1099511627776, 17179869184, 64, 4.83376012494724061064e-01},
        {1099511627776, 34359738368, 20, 9.34187979819595636088e-03},
        {5000, 4096, 12, 9.99999992642782165042e-01},
        {5000, 2, 2400, 2.23522048117833025543e-03},
        {1000000, 1000, 1000, 4.95788444833007990731e-01},
        {1000000, 1000, 900, 6.19187510131915001474e-04},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_close(dj_smith_hit(rows[i].d, rows[i].sets, rows[i].ways), rows[i].hit, 1e-11);
    assert_true(dj_smith_hit(1000000000, 1000000, 8) == 0); // e^-900 and less
    assert_true(dj_smith_hit(UINT64_MAX - 1, 1024, 16) == 0);
}

static void edges(void **state)
{
    (void)state;
    assert_true(dj_smith_hit(7, 1, 8) == 1);
    assert_true(dj_smith_hit(8, 1, 8) == 0);
    assert_true(dj_smith_hit(7, 64, 8) == 1);
    assert_true(dj_smith_hit(8, 64, 8) < 1);
    assert_true(dj_smith_hit(0, 64, 1) == 1);
    assert_true(dj_smith_hit(5, 64, 0) == 0);
    for (uint64_t d = 1; d < 5000; d++)
        assert_true(dj_smith_hit(d, 64, 8) <= dj_smith_hit(d - 1, 64, 8));
}

static void one_set_is_fully_associative(void **state)
{
    (void)state;
    uint64_t keys[3000], seed = 11;
    for (size_t i = 0; i < 3000; i++)
        keys[i] = next_random(&seed) % 200;
    dj_context *context = make_context();
    dj_profile *profile = profile_of(context, keys, 3000);
    for (uint64_t size = 1; size < 250; size++) {
        dj_estimate estimate;
        dj_mrc_point point;
        assert_int_equal(dj_mrc_smith(context, &profile->lanes[0], 1, size, &estimate), DJ_OK);
        assert_int_equal(dj_mrc_lru(context, &profile->lanes[0], &size, 1, &point), DJ_OK);
        assert_true(estimate.misses == (double)point.misses);
        assert_true(estimate.ratio == point.ratio);
    }
    dj_estimate estimate;
    assert_int_equal(dj_mrc_smith(context, &profile->lanes[0], 0, 4, &estimate), DJ_ERR_USAGE);
    assert_int_equal(dj_mrc_smith(context, &profile->lanes[0], 4, 0, &estimate), DJ_ERR_USAGE);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// The pass over a dense histogram takes short cuts, which must not affect the sum.
static void sum_equals_single_values(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 64);
    dj_lane_profile *lane = &profile->lanes[0];
    uint64_t seed = 5;
    const uint64_t ways[] = {1, 8, 20}, sets[] = {2, 64, 1000};
    for (uint64_t d = 0; d < 60000; d += d < 20000 ? 1 : 1 + next_random(&seed) % 100)
        add_distance(context, lane, d, 1 + d % 3);
    lane->cold = 17;
    for (size_t w = 0; w < 3; w++)
        for (size_t s = 0; s < 3; s++) {
            double misses = 17;
            for (uint64_t d = 0, n; (n = dj_histogram_next(lane->distance, &d)) != 0; d++)
                misses += (double)n * (1 - dj_smith_hit(d, sets[s], ways[w]));
            dj_estimate estimate;
            assert_int_equal(dj_mrc_smith(context, lane, sets[s], ways[w], &estimate), DJ_OK);
            assert_close(estimate.misses, misses, 1e-10);
        }
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

enum { COUNT = 6000, RANGE = 400, SETS = 64, WAYS = 4, DRAWS = 40 };

static uint64_t simulate(const uint64_t *keys)
{
    static uint64_t cache[SETS][WAYS];
    uint64_t misses = 0;
    memset(cache, 0, sizeof cache);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t *set = cache[keys[i] % SETS];
        size_t at = 0;
        while (at < WAYS && set[at] != keys[i])
            at++;
        misses += at == WAYS;
        at -= at == WAYS;
        memmove(set + 1, set, at * sizeof *set);
        set[0] = keys[i];
    }
    return misses;
}

// Random keys fall into sets as the formula assumes. One draw of 400 names is
// off by a point or two, since some sets are fuller; the mean of 40 is not.
static void agrees_with_simulated_random_sets(void **state)
{
    (void)state;
    static uint64_t keys[COUNT], names[RANGE];
    uint64_t seed = 23;
    double off = 0;
    dj_context *context = make_context();
    for (int draw = 0; draw < DRAWS; draw++) {
        for (size_t i = 0; i < RANGE; i++)
            names[i] = next_random(&seed);
        for (size_t i = 0; i < COUNT; i++)
            keys[i] = names[next_random(&seed) % RANGE];
        dj_profile *profile = profile_of(context, keys, COUNT);
        dj_estimate estimate;
        assert_int_equal(dj_mrc_smith(context, &profile->lanes[0], SETS, WAYS, &estimate), DJ_OK);
        assert_true(estimate.ratio > 0.2 && estimate.ratio < 0.8);
        off += (estimate.misses - (double)simulate(keys)) / COUNT / DRAWS;
        dj_profile_destroy(profile);
    }
    assert_true(fabs(off) < 0.005);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_definition),
        cmocka_unit_test(holds_for_large_distances),
        cmocka_unit_test(edges),
        cmocka_unit_test(one_set_is_fully_associative),
        cmocka_unit_test(sum_equals_single_values),
        cmocka_unit_test(agrees_with_simulated_random_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
