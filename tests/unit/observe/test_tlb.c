// SPDX-License-Identifier: MIT
// Misses of TLBs by hand, from distances of pages.
#include "unit/lane.h"

#include <deja/observer_options.h>

// Of pages: 4 first accesses, 3 reuses at distance 0, 2 at 5 and 1 at 9.
static dj_profile *pages(dj_context *context, uint64_t page_bytes)
{
    dj_profile *profile = make_profile(context, 1);
    dj_lane_profile *lane = &profile->lanes[0];
    lane->id.block_bytes = page_bytes;
    lane->cold = 4;
    lane->accesses = 10;
    assert_int_equal(dj_histogram_add(lane->distance, context, 0, 3), DJ_OK);
    assert_int_equal(dj_histogram_add(lane->distance, context, 5, 2), DJ_OK);
    assert_int_equal(dj_histogram_add(lane->distance, context, 9, 1), DJ_OK);
    return profile;
}

static void misses_by_hand(void **state)
{
    (void)state;
    char one[] = "L1", two[] = "L2";
    dj_tlb_level levels[] = {{one, 4096, 1, 0}, {one, 4096, 5, 0}, {two, 4096, 6, 0}, {two, 4096, 10, 0}};
    const uint64_t expected[] = {7, 7, 5, 4};
    const dj_tlb_options options = {levels, 4, true};
    const dj_observer_ops *ops = dj_observer_find("tlb");
    dj_context *context = make_context();
    dj_setup setup = {.lane_count = 1, .options = &options};
    void *observer = NULL;
    assert_int_equal(ops->create(context, &setup, &observer), DJ_OK);
    dj_profile *profile = pages(context, 4096), *other = pages(context, 64);
    assert_int_equal(ops->finish(observer, context, profile), DJ_OK);
    const dj_tlb_profile *found = dj_profile_tlb(profile);
    assert_true(found->assumed);
    assert_int_equal(found->count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(found->levels[i].misses, expected[i]);
    assert_int_equal(ops->finish(observer, context, other), DJ_ERR_USAGE); // no lane of pages
    ops->destroy(observer);
    dj_profile_destroy(profile);
    dj_profile_destroy(other);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(misses_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
