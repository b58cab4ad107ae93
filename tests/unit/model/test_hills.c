// SPDX-License-Identifier: MIT
// Hills of histograms that are counted by hand.
#include <math.h>

#include "unit/lane.h"

// 1000 reuses in the bins 0, 2–3, 4–7, 64–127 and 1024–2047.
static void counted_by_hand(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 8);
    dj_lane_profile *lane = &profile->lanes[0];
    add_distance(context, lane, 0, 100);
    add_distance(context, lane, 1, 5);
    add_distance(context, lane, 2, 200);
    add_distance(context, lane, 3, 95);
    add_distance(context, lane, 7, 180);
    add_distance(context, lane, 100, 19);
    add_distance(context, lane, 1024, 1);
    add_distance(context, lane, 2000, 400);
    dj_hills *hills = NULL;
    assert_int_equal(dj_hills_find(context, profile, &hills), DJ_OK);
    assert_int_equal(hills->reuses, 1000);
    assert_int_equal(hills->long_reuses, 420);
    assert_int_equal(hills->bins, 12);     // 0 … 1024–2047
    assert_int_equal(hills->long_bins, 5); // 64–127 … 1024–2047
    // In order: 401, 295, 180, 100, 19, 5.
    assert_int_equal(hills->all[0].bins, 4);   // 976 for 900
    assert_int_equal(hills->all[1].bins, 4);   // and for 950
    assert_int_equal(hills->all[2].bins, 5);   // 995 for 990
    assert_int_equal(hills->longs[0].bins, 1); // 401 of 420 is 95.5%
    assert_int_equal(hills->longs[2].bins, 2);
    // The bins of 1 and of 64–127 have less than a fiftieth.
    assert_int_equal(hills->count, 3);
    assert_int_equal(hills->list[0].hi, 0);
    assert_int_equal(hills->list[0].reuses, 100);
    assert_int_equal(hills->list[1].lo, 2);
    assert_int_equal(hills->list[1].hi, 7);
    assert_int_equal(hills->list[1].reuses, 475);
    assert_true(fabs(hills->list[1].middle - 3) < 1e-9); // of 200 at 2, 95 at 3, 180 at 7: the 238th
    assert_int_equal(hills->list[2].lo, 1024);
    assert_int_equal(hills->list[2].hi, 2047);
    assert_true(fabs(hills->list[2].middle - 2000) < 1e-9);
    dj_hills_destroy(hills);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void nothing_is_reused(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 8);
    profile->lanes[0].cold = 5;
    dj_hills *hills = NULL;
    assert_int_equal(dj_hills_find(context, profile, &hills), DJ_OK);
    assert_int_equal(hills->count, 0);
    assert_int_equal(hills->bins, 0);
    assert_int_equal(hills->reuses, 0);
    dj_hills_destroy(hills);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// The longest distances that a profile can have.
static void longest_distance(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 8);
    add_distance(context, &profile->lanes[0], UINT64_MAX - 1, 3);
    dj_hills *hills = NULL;
    assert_int_equal(dj_hills_find(context, profile, &hills), DJ_OK);
    assert_int_equal(hills->count, 1);
    assert_true(hills->list[0].hi == UINT64_MAX && hills->list[0].lo == UINT64_C(1) << 63);
    assert_int_equal(hills->long_bins, 58);
    dj_hills_destroy(hills);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_by_hand),
        cmocka_unit_test(nothing_is_reused),
        cmocka_unit_test(longest_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
