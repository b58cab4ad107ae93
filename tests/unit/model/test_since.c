// SPDX-License-Identifier: MIT
// The curve of the last part of a trace, compared with distances counted one by one.
#include "model/curve/since.h"
#include "unit/lane.h"

#include "base/random.h"

enum { SIZES = 8 };
static const uint64_t sizes[SIZES] = {0, 1, 2, 3, 5, 10, 20, 100};

static void windows_are_counted_one_by_one(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    dj_context *context = make_context();
    dj_random random;
    dj_random_seed(&random, 5);
    for (int trial = 0; trial < 50; trial++) {
        uint64_t keys[COUNT], distances[COUNT], cut = 1 + dj_random_below(&random, COUNT - 1);
        for (size_t i = 0; i < COUNT; i++)
            keys[i] = dj_random_below(&random, i < cut ? 30 : 12);
        stack_distances(keys, COUNT, distances);
        dj_profile *before = profile_of(context, keys, cut), *now = profile_of(context, keys, COUNT);
        dj_mrc_point points[SIZES];
        assert_int_equal(dj_mrc_since(context, now, before, sizes, SIZES, points, NULL), DJ_OK);
        for (size_t s = 0; s < SIZES; s++) {
            uint64_t misses = 0;
            for (size_t i = cut; i < COUNT; i++)
                misses += distances[i] == DJ_COLD || distances[i] >= sizes[s];
            assert_int_equal(points[s].size, sizes[s]);
            assert_int_equal(points[s].misses, misses);
            assert_true(points[s].ratio == (double)misses / (double)(COUNT - cut));
        }
        dj_profile_destroy(before);
        dj_profile_destroy(now);
    }
    dj_context_destroy(context);
}

static void without_an_earlier_profile_everything_is_new(void **state)
{
    (void)state;
    const uint64_t keys[] = {1, 2, 1, 2, 3};
    dj_context *context = make_context();
    dj_profile *now = profile_of(context, keys, 5), *same = profile_of(context, keys, 5);
    dj_mrc_point points[SIZES];
    assert_int_equal(dj_mrc_since(context, now, NULL, sizes, SIZES, points, NULL), DJ_OK);
    assert_int_equal(points[1].misses, 5);
    assert_int_equal(points[2].misses, 3);
    assert_int_equal(dj_mrc_since(context, now, same, sizes, SIZES, points, NULL), DJ_OK);
    for (size_t s = 0; s < SIZES; s++)
        assert_true(points[s].misses == 0 && points[s].ratio == 0);
    dj_profile_destroy(now);
    dj_profile_destroy(same);
    dj_context_destroy(context);
}

static dj_profile *make_estimate(dj_context *context, uint64_t short_reuses, uint64_t long_reuses)
{
    dj_profile *profile = make_profile(context, 64);
    dj_lane_profile *lane = &profile->lanes[0];
    add_distance(context, lane, 1, short_reuses);
    add_distance(context, lane, 8, long_reuses);
    lane->accesses = profile->accesses = short_reuses + long_reuses;
    profile->provenance.exact = false;
    return profile;
}

// An estimate that finds fewer misses in the past than it did before.
static void what_is_impossible_is_left_out(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *before = make_estimate(context, 10, 90), *now = make_estimate(context, 60, 50);
    dj_mrc_point points[SIZES];
    assert_int_equal(dj_mrc_since(context, now, before, sizes, SIZES, points, NULL), DJ_OK);
    for (size_t s = 0; s < SIZES; s++)
        assert_int_equal(points[s].misses, sizes[s] <= 1 ? 10 : 0);
    // More misses than accesses, and more of them in the larger caches.
    dj_profile *more = make_estimate(context, 5, 105);
    assert_int_equal(dj_mrc_since(context, more, before, sizes, SIZES, points, NULL), DJ_OK);
    for (size_t s = 0; s < SIZES; s++)
        assert_int_equal(points[s].misses, sizes[s] <= 8 ? 10 : 0);
    dj_profile_destroy(before);
    dj_profile_destroy(now);
    dj_profile_destroy(more);
    dj_context_destroy(context);
}

// Distances that are too short by at most half: the bands of both profiles contain the exact ratio.
static void bands_contain_the_difference(void **state)
{
    (void)state;
    enum { COUNT = 400, CUT = 250 };
    dj_context *context = make_context();
    uint64_t keys[COUNT], distances[COUNT];
    dj_random random;
    dj_random_seed(&random, 9);
    for (size_t i = 0; i < COUNT; i++)
        keys[i] = dj_random_below(&random, i < CUT ? 40 : 8);
    stack_distances(keys, COUNT, distances);
    dj_profile *profiles[2] = {make_profile(context, 64), make_profile(context, 64)};
    for (int which = 0; which < 2; which++) {
        dj_lane_profile *lane = &profiles[which]->lanes[0];
        const size_t end = which == 0 ? CUT : COUNT;
        for (size_t i = 0; i < end; i++)
            if (distances[i] == DJ_COLD)
                lane->cold = ++lane->distinct;
            else
                add_distance(context, lane, distances[i] - distances[i] / 4, 1);
        lane->accesses = profiles[which]->accesses = end;
        profiles[which]->provenance.exact = false;
        profiles[which]->provenance.distance_error = 0.25;
    }
    dj_mrc_point points[SIZES];
    dj_band bands[SIZES];
    assert_int_equal(dj_mrc_since(context, profiles[1], profiles[0], sizes, SIZES, points, bands), DJ_OK);
    bool narrow = false;
    for (size_t s = 0; s < SIZES; s++) {
        uint64_t misses = 0;
        for (size_t i = CUT; i < COUNT; i++)
            misses += distances[i] == DJ_COLD || distances[i] >= sizes[s];
        const double ratio = (double)misses / (COUNT - CUT);
        assert_true(bands[s].low <= ratio + 1e-12 && ratio <= bands[s].high + 1e-12);
        narrow = narrow || bands[s].high - bands[s].low < 0.2;
    }
    assert_true(narrow);
    dj_profile_destroy(profiles[0]);
    dj_profile_destroy(profiles[1]);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_counted_one_by_one),
        cmocka_unit_test(without_an_earlier_profile_everything_is_new),
        cmocka_unit_test(what_is_impossible_is_left_out),
        cmocka_unit_test(bands_contain_the_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
