// SPDX-License-Identifier: MIT
#include "unit/lane.h"

static uint64_t misses_at(dj_context *context, const dj_profile *profile, uint64_t size)
{
    dj_mrc_point point;
    assert_int_equal(dj_mrc_lru(context, &profile->lanes[0], &size, 1, &point), DJ_OK);
    assert_int_equal(point.size, size);
    assert_true(point.ratio == (double)point.misses / (double)profile->accesses);
    return point.misses;
}

// Every reuse of a loop over n keys is at distance n − 1: nothing hits below n.
static void loop_is_a_cliff(void **state)
{
    (void)state;
    enum { KEYS = 100, ROUNDS = 7 };
    uint64_t keys[KEYS * ROUNDS];
    for (size_t i = 0; i < KEYS * ROUNDS; i++)
        keys[i] = i % KEYS;
    dj_context *context = make_context();
    dj_profile *profile = profile_of(context, keys, KEYS * ROUNDS);
    assert_int_equal(misses_at(context, profile, 0), KEYS * ROUNDS);
    assert_int_equal(misses_at(context, profile, KEYS - 1), KEYS * ROUNDS);
    assert_int_equal(misses_at(context, profile, KEYS), KEYS);
    assert_int_equal(misses_at(context, profile, UINT64_MAX), KEYS);
    dj_mrc_point *points = NULL;
    size_t count = 0;
    assert_int_equal(dj_mrc_steps(context, &profile->lanes[0], &points, &count), DJ_OK);
    assert_int_equal(count, 2);
    assert_int_equal(points[0].size, 0);
    assert_int_equal(points[1].size, KEYS);
    assert_int_equal(points[1].misses, KEYS);
    free(points);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// Up and down over n keys: one reuse at each distance 1 … n − 1 in each sweep and one at 0 at each turn, so
// each block of cache saves one miss in each sweep.
static void sawtooth_is_a_line(void **state)
{
    (void)state;
    enum { KEYS = 50, SWEEPS = 9 };
    uint64_t keys[KEYS * SWEEPS];
    for (size_t i = 0; i < KEYS * SWEEPS; i++)
        keys[i] = i / KEYS % 2 == 0 ? i % KEYS : KEYS - 1 - i % KEYS;
    dj_context *context = make_context();
    dj_profile *profile = profile_of(context, keys, KEYS * SWEEPS);
    for (uint64_t size = 0; size <= KEYS; size++)
        assert_int_equal(misses_at(context, profile, size), KEYS * SWEEPS - size * (SWEEPS - 1));
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static uint64_t simulate(const uint64_t *keys, size_t count, size_t size)
{
    uint64_t *cache = calloc(size, sizeof *cache), misses = 0;
    size_t used = 0;
    assert_non_null(cache);
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < used && cache[at] != keys[i])
            at++;
        if (at == used) {
            misses++;
            if (used < size)
                used++;
            else
                at--;
        }
        memmove(cache + 1, cache, at * sizeof *cache);
        cache[0] = keys[i];
    }
    free(cache);
    return misses;
}

static void equals_direct_simulation(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    uint64_t keys[COUNT], seed = 7;
    dj_context *context = make_context();
    for (int round = 0; round < 20; round++) {
        uint64_t range = 1 + next_random(&seed) % 300;
        for (size_t i = 0; i < COUNT; i++)
            keys[i] = next_random(&seed) % range * (next_random(&seed) % 3);
        dj_profile *profile = profile_of(context, keys, COUNT);
        for (size_t size = 1; size < 400; size += 1 + size / 4)
            assert_int_equal(misses_at(context, profile, size), simulate(keys, COUNT, size));
        dj_profile_destroy(profile);
    }
    dj_context_destroy(context);
}

static void steps_tell_every_size(void **state)
{
    (void)state;
    uint64_t keys[600], seed = 3;
    for (size_t i = 0; i < 600; i++)
        keys[i] = next_random(&seed) % 70;
    dj_context *context = make_context();
    dj_profile *profile = profile_of(context, keys, 600);
    dj_mrc_point *points = NULL;
    size_t count = 0, at = 0;
    assert_int_equal(dj_mrc_steps(context, &profile->lanes[0], &points, &count), DJ_OK);
    for (uint64_t size = 0; size < 100; size++) {
        while (at + 1 < count && points[at + 1].size <= size)
            at++;
        assert_int_equal(points[at].misses, misses_at(context, profile, size));
    }
    free(points);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void sizes_are_spread_evenly(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 1);
    add_distance(context, &profile->lanes[0], 999, 5);
    uint64_t *sizes = NULL;
    size_t count = 0;
    assert_int_equal(dj_mrc_sizes(context, &profile->lanes[0], 1, &sizes, &count), DJ_OK);
    assert_int_equal(count, 11);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(sizes[i], UINT64_C(1) << i);
    assert_int_equal(sizes[10], 1000);
    free(sizes);
    assert_int_equal(dj_mrc_sizes(context, &profile->lanes[0], 4, &sizes, &count), DJ_OK);
    for (size_t i = 1; i < count; i++)
        assert_true(sizes[i] > sizes[i - 1]);
    assert_int_equal(sizes[count - 1], 1000);
    free(sizes);
    assert_int_equal(dj_mrc_sizes(context, &profile->lanes[0], 0, &sizes, &count), DJ_ERR_USAGE);
    uint64_t falling[] = {5, 4};
    dj_mrc_point points[2];
    assert_int_equal(dj_mrc_lru(context, &profile->lanes[0], falling, 2, points), DJ_ERR_USAGE);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// Elements a (100 bytes) and b (50 bytes), in the order a b a b b: a hits with
// 150 bytes, b with 150 and then with its own 50.
static void bytes_by_hand(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 1);
    dj_lane_profile *lane = &profile->lanes[0];
    dj_byte_point points[3];
    uint64_t sizes[] = {49, 50, 150};
    assert_int_equal(dj_mrc_bytes(context, lane, sizes, 3, points), DJ_ERR_USAGE);
    dj_byte_profile *bytes = NULL;
    assert_int_equal(dj_lane_add_section(context, lane, &dj_section_bytes, &bytes), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &bytes->distance), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &bytes->weight), DJ_OK);
    lane->cold = 2;
    bytes->cold_bytes = 150;
    dj_histogram_add(bytes->distance, context, 150, 2);
    dj_histogram_add(bytes->weight, context, 150, 150);
    dj_histogram_add(bytes->distance, context, 50, 1);
    dj_histogram_add(bytes->weight, context, 50, 50);
    assert_int_equal(dj_mrc_bytes(context, lane, sizes, 3, points), DJ_OK);
    const uint64_t misses[] = {5, 4, 2}, miss_bytes[] = {350, 300, 150};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(points[i].misses, misses[i]);
        assert_int_equal(points[i].miss_bytes, miss_bytes[i]);
        assert_true(points[i].ratio == (double)misses[i] / 5);
        assert_true(points[i].byte_ratio == (double)miss_bytes[i] / 350);
    }
    uint64_t *spread = NULL;
    size_t count = 0;
    assert_int_equal(dj_mrc_byte_sizes(context, lane, 1, &spread, &count), DJ_OK);
    assert_int_equal(count, 4); // 32, 64, 128, 150
    assert_int_equal(spread[0], 32);
    assert_int_equal(spread[3], 150);
    free(spread);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// Reuses at 0, 3, 5 and 6, loaded from bins with these longest distances: 0, 2-3, 4-7. What a cache of 5
// blocks misses is not known, nor is that of 6; below and above no bin is cut.
static void bins_are_exact_at_their_ends(void **state)
{
    (void)state;
    static const bool log2_exact[] = {true, true, true, false, true, false, false, true, true};
    dj_context *context = make_context();
    dj_lane_profile lane = {.binned = true, .in_log2_bins = true, .moments = {.count = 4, .max = 6}};
    assert_int_equal(dj_histogram_create(context, &lane.distance), DJ_OK);
    assert_int_equal(dj_histogram_add(lane.distance, context, 0, 1), DJ_OK);
    assert_int_equal(dj_histogram_add(lane.distance, context, 3, 1), DJ_OK);
    assert_int_equal(dj_histogram_add(lane.distance, context, 6, 2), DJ_OK);
    for (uint64_t size = 0; size < sizeof log2_exact / sizeof *log2_exact; size++)
        assert_int_equal(dj_mrc_is_exact_at(&lane, size), log2_exact[size]);
    lane.in_log2_bins = false; // 3 may be the longest of a bin from 1 on
    assert_true(dj_mrc_is_exact_at(&lane, 0));
    assert_false(dj_mrc_is_exact_at(&lane, 2));
    assert_true(dj_mrc_is_exact_at(&lane, 7));
    lane.binned = false;
    assert_true(dj_mrc_is_exact_at(&lane, 5));
    dj_histogram_destroy(lane.distance);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_is_a_cliff),
        cmocka_unit_test(sawtooth_is_a_line),
        cmocka_unit_test(equals_direct_simulation),
        cmocka_unit_test(steps_tell_every_size),
        cmocka_unit_test(sizes_are_spread_evenly),
        cmocka_unit_test(bytes_by_hand),
        cmocka_unit_test(bins_are_exact_at_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
