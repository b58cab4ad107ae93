// SPDX-License-Identifier: MIT
// Behaviour components of hand-made signatures.
#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

static dj_component *found;
static size_t found_count;

static dj_spatial *make(size_t cache_count)
{
    dj_spatial *s;
    assert_int_equal(dj_spatial_create(context, 1, cache_count, &s), DJ_OK);
    s->pairs[0].block_bytes = 64;
    return s;
}

static uint64_t lowest_of(unsigned bin)
{
    return bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
}

// `effective` of the reuses of a bin go down three bins; the others stay.
static void put(dj_spatial *s, unsigned bin, uint64_t reuses, uint64_t effective)
{
    dj_spatial_pair *pair = &s->pairs[0];
    pair->map[bin][bin] = reuses - effective;
    if (effective)
        pair->map[bin][bin - DJ_SPATIAL_STEP] = effective;
    pair->distance_sum[bin] = reuses * lowest_of(bin);
    pair->intercepted[bin] = effective;
}

static void find(const dj_spatial *s, enum dj_component_kind kind, const dj_spatial_limits *limits)
{
    free(found);
    assert_int_equal(dj_components(context, s, 0, kind, limits, &found, &found_count), DJ_OK);
}

// Peaks of a signature that begins at `first`; `starts` are the bins that they begin at.
static void check_peaks(unsigned first, const uint64_t *reuses, unsigned count, const unsigned *starts,
                        size_t peaks)
{
    dj_spatial *s = make(0);
    for (unsigned i = 0; i < count; i++)
        put(s, first + i, reuses[i], 0);
    find(s, DJ_COMPONENT_PEAK, NULL);
    assert_int_equal(found_count, peaks);
    for (size_t i = 0; i < peaks; i++) {
        unsigned end = i + 1 < peaks ? starts[i + 1] : first + count;
        uint64_t sum = 0;
        for (unsigned bin = starts[i]; bin < end; bin++)
            sum += reuses[bin - first];
        assert_int_equal(found[i].lo, lowest_of(starts[i]));
        assert_int_equal(found[i].hi, lowest_of(end) - 1);
        assert_int_equal(found[i].reuses, sum);
        assert_int_equal(found[i].kind, DJ_COMPONENT_PEAK);
    }
    dj_spatial_destroy(s);
}

#define PEAKS(first, values, ...)                                                                            \
    check_peaks(first, values, sizeof(values) / sizeof(values)[0], (const unsigned[]){__VA_ARGS__},          \
                sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

static void test_troughs(void **state)
{
    (void)state;
    static const uint64_t one[] = {7}, rising[] = {1, 2, 3}, falling[] = {3, 2, 1}, flat[] = {4, 4, 4};
    static const uint64_t two[] = {5, 2, 6}, wide[] = {5, 2, 2, 2, 6}, empty_between[] = {5, 0, 0, 6};
    // The step of 4 in the descent and that in the ascent have one lower neighbour.
    static const uint64_t steps[] = {9, 4, 4, 1, 3, 3, 8};
    // Low ends have one neighbour.
    static const uint64_t low_ends[] = {1, 1, 5, 1, 1};
    // Plateaus at the top do not split a peak; two troughs of different depth separate three.
    static const uint64_t three[] = {2, 8, 8, 3, 9, 1, 1, 2};
    static const uint64_t saw[] = {1, 0, 1, 0, 1};
    PEAKS(0, one, 0);
    PEAKS(5, one, 5);
    PEAKS(0, rising, 0);
    PEAKS(3, falling, 3);
    PEAKS(2, flat, 2);
    PEAKS(0, two, 0, 2);
    PEAKS(4, two, 4, 6);
    PEAKS(1, wide, 1, 5);
    PEAKS(0, empty_between, 0, 3);
    PEAKS(0, steps, 0, 4);
    PEAKS(1, low_ends, 1);
    PEAKS(0, three, 0, 4, 7);
    PEAKS(0, saw, 0, 2, 4);
}

static void test_nothing(void **state)
{
    (void)state;
    dj_spatial *s = make(0);
    find(s, DJ_COMPONENT_PEAK, NULL);
    assert_int_equal(found_count, 0);
    find(s, DJ_COMPONENT_CACHE, NULL);
    assert_int_equal(found_count, 0);
    dj_component *none;
    size_t count;
    assert_int_equal(dj_components(context, s, 1, DJ_COMPONENT_PEAK, NULL, &none, &count), DJ_ERR_USAGE);
    dj_spatial_destroy(s);
}

// 1000 reuses in three peaks: short ones, 700; from 512 on, 260, of which 100 are effective; from
// 2^14 on, 40, none of them.
static void test_classes(void **state)
{
    (void)state;
    dj_spatial *s = make(0);
    put(s, 0, 600, 0);
    put(s, 1, 100, 0);
    put(s, 10, 200, 80);
    put(s, 11, 60, 20);
    put(s, 15, 40, 0);
    find(s, DJ_COMPONENT_PEAK, NULL);
    assert_int_equal(found_count, 3);
    assert_int_equal(found[0].reuses, 700);
    assert_true(found[0].mean_distance == 100.0 / 700);
    assert_true(found[0].good_temporal && !found[0].good_spatial && !found[0].serious);
    assert_int_equal(found[1].lo, 512);
    assert_int_equal(found[1].effective, 100);
    assert_int_equal(found[1].intercepted, 100);
    assert_true(found[1].size == 0.26);
    assert_true(fabs(found[1].score - 200.0 / 260) < 1e-12);
    assert_true(fabs(found[1].mean_distance - (200 * 512.0 + 60 * 1024.0) / 260) < 1e-9);
    assert_true(!found[1].good_temporal && !found[1].good_spatial && found[1].serious);
    assert_int_equal(found[2].hi, 32767);
    assert_true(!found[2].good_temporal && !found[2].good_spatial && !found[2].serious); // 4% is too small
    double weighted = 0;
    for (size_t i = 0; i < found_count; i++)
        weighted += found[i].size * found[i].score;
    dj_spatial_count whole = dj_spatial_whole(&s->pairs[0]);
    assert_true(fabs(weighted - dj_spatial_score(whole.reuses, whole.effective)) < 1e-12);

    find(s, DJ_COMPONENT_PEAK, &(dj_spatial_limits){.size = 0.04, .near_blocks = 16384, .good = 0.7});
    assert_true(found[1].good_temporal && found[1].good_spatial && !found[1].serious);
    // Neither "below" 16384 nor too small any more.
    assert_true(!found[2].good_temporal && found[2].serious);
    dj_spatial_destroy(s);
}

static void test_caches(void **state)
{
    (void)state;
    dj_spatial *s = make(3);
    static const uint64_t bytes[] = {32, 32 << 10, 100000}; // 1, 512 and 1562 blocks
    for (size_t k = 0; k < 3; k++)
        s->caches[k].bytes = bytes[k];
    put(s, 0, 50, 0);
    put(s, 4, 30, 0);
    put(s, 10, 20, 10);
    dj_spatial_pair *pair = &s->pairs[0];
    pair->caches[0].own = (dj_spatial_count){30, 3};
    pair->caches[1].own = (dj_spatial_count){20, 10};
    pair->cache_sum[0] = 30 * 8;
    pair->cache_sum[1] = 20 * 512;
    find(s, DJ_COMPONENT_CACHE, NULL);
    assert_int_equal(found_count, 3);
    static const uint64_t lo[] = {1, 512, 1562}, hi[] = {511, 1561, UINT64_MAX};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(found[k].kind, DJ_COMPONENT_CACHE);
        assert_int_equal(found[k].cache, k);
        assert_int_equal(found[k].lo, lo[k]);
        assert_true(found[k].hi == hi[k]);
    }
    assert_true(found[0].score == 0.2 && found[0].size == 0.3 && found[0].mean_distance == 8);
    assert_true(found[0].good_temporal && !found[0].serious);
    assert_true(found[1].score == 1 && found[1].mean_distance == 512 && found[1].good_spatial);
    assert_true(found[2].reuses == 0 && found[2].size == 0 && !found[2].serious);
    dj_spatial_destroy(s);
}

// For any signature: peaks follow each other without a gap, contain everything once, and rise before they
// fall.
static void test_any_signature(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 3);
    for (int round = 0; round < 2000; round++) {
        dj_spatial *s = make(0);
        uint64_t reuses = 0, effective = 0, next = UINT64_MAX;
        unsigned bins = 1 + (unsigned)dj_random_below(&random, 40);
        for (unsigned bin = 0; bin < bins; bin++) {
            uint64_t n = dj_random_below(&random, 5);
            put(s, bin, n, bin < DJ_SPATIAL_STEP ? 0 : dj_random_below(&random, n + 1));
        }
        find(s, DJ_COMPONENT_PEAK, NULL);
        for (size_t i = 0; i < found_count; i++) {
            assert_true(i == 0 || found[i].lo == next);
            next = found[i].hi + 1;
            reuses += found[i].reuses;
            effective += found[i].effective;
            bool fell = false;
            for (unsigned bin = dj_log2_bin(found[i].lo) + 1; bin <= dj_log2_bin(found[i].hi); bin++) {
                uint64_t before = dj_spatial_row(&s->pairs[0], bin - 1).reuses,
                         here = dj_spatial_row(&s->pairs[0], bin).reuses;
                assert_false(fell && here > before);
                fell = fell || here < before;
            }
        }
        dj_spatial_count whole = dj_spatial_whole(&s->pairs[0]);
        assert_int_equal(reuses, whole.reuses);
        assert_int_equal(effective, whole.effective);
        dj_spatial_destroy(s);
    }
}

static int drop_all(void **state)
{
    free(found);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_troughs), cmocka_unit_test(test_nothing),       cmocka_unit_test(test_classes),
        cmocka_unit_test(test_caches),  cmocka_unit_test(test_any_signature),
    };
    return cmocka_run_group_tests(tests, make_context, drop_all);
}
