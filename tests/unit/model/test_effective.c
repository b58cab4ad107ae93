// SPDX-License-Identifier: MIT
#include <math.h>

#include "unit/lane.h"

// The paper's ADI: 20% of the long reuses in [256, 511], 74% in [16K, 32K), the
// most effective sizes 512 and 32768, at most 6% of them in between.
static void adi(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 8);
    dj_lane_profile *lane = &profile->lanes[0];
    add_distance(context, lane, 2, 80);
    add_distance(context, lane, 300, 10);
    add_distance(context, lane, 511, 10);
    add_distance(context, lane, 1024, 3);
    add_distance(context, lane, 16383, 3);
    add_distance(context, lane, 20000, 70);
    add_distance(context, lane, 32767, 4);
    lane->cold = 20;
    dj_effective found;
    assert_int_equal(dj_effective_sizes(context, lane, &found), DJ_OK);
    assert_int_equal(found.long_reuses, 100);
    assert_true(found.long_share == 0.5);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.range_count, 9); // [64, 127] … [16384, 32767]
    assert_true(fabs(found.covered - 0.94) < 1e-12);
    assert_int_equal(found.sizes[0].lo, 256);
    assert_int_equal(found.sizes[0].hi, 511);
    assert_int_equal(found.sizes[0].size, 512);
    assert_true(fabs(found.sizes[0].share - 0.20) < 1e-12);
    assert_true(fabs(found.sizes[0].ratio - 100.0 / 200) < 1e-12);
    assert_true(found.sizes[0].drop_before == 0);
    assert_int_equal(found.sizes[1].size, 32768);
    assert_true(fabs(found.sizes[1].share - 0.74) < 1e-12);
    assert_true(fabs(found.sizes[1].drop_before - 6.0 / 200) < 1e-12);
    assert_true(fabs(found.sizes[1].ratio - 20.0 / 200) < 1e-12);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// A loop of 1000 keys: the only effective size is 1000, not the end of the range.
static void loop_is_exact(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 1);
    profile->lanes[0].cold = 1000;
    add_distance(context, &profile->lanes[0], 999, 9000);
    dj_effective found;
    assert_int_equal(dj_effective_sizes(context, &profile->lanes[0], &found), DJ_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.sizes[0].lo, 512);
    assert_int_equal(found.sizes[0].size, 1000);
    assert_true(found.sizes[0].share == 1 && found.covered == 1);
    assert_true(fabs(found.sizes[0].ratio - 0.1) < 1e-12);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void short_reuses_alone(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 1);
    dj_effective found;
    assert_int_equal(dj_effective_sizes(context, &profile->lanes[0], &found), DJ_OK);
    assert_int_equal(found.long_reuses, 0);
    add_distance(context, &profile->lanes[0], 63, 10);
    assert_int_equal(dj_effective_sizes(context, &profile->lanes[0], &found), DJ_OK);
    assert_int_equal(found.long_reuses, 0);
    assert_int_equal(found.count, 0);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// Spread evenly over 20 ranges nothing stands out: each holds 5%.
static void even_spread(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 1);
    for (unsigned k = 6; k < 26; k++)
        add_distance(context, &profile->lanes[0], UINT64_C(1) << k, 5);
    dj_effective found;
    assert_int_equal(dj_effective_sizes(context, &profile->lanes[0], &found), DJ_OK);
    assert_int_equal(found.range_count, 20);
    assert_int_equal(found.count, 1);
    assert_true(fabs(found.covered - 0.05) < 1e-12);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adi),
        cmocka_unit_test(loop_is_exact),
        cmocka_unit_test(short_reuses_alone),
        cmocka_unit_test(even_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
