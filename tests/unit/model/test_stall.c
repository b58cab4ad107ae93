// SPDX-License-Identifier: MIT
// Stall time by hand.
#include <deja/breakdown.h>
#include <deja/hierarchy.h>

#include <math.h>

#include "base/random.h"
#include "support/hand_made.h"

#include "support/context.h"

// Hits are free, and everything from 1 MiB on costs the same.
static const dj_machine_costs costs = {.measured = true,
                                       .points = {{32 << 10, 1, 1, 1, 1, 1}, {1 << 20, 101, 11, 21, 3, 5}},
                                       .point_count = 2,
                                       .access_ns = 0.5};
static const dj_stall_model model = {&costs, NULL};

static void miss(dj_tally *tally, unsigned bin, enum dj_miss_class of, bool writes, uint64_t count)
{
    if (!tally->missed)
        assert_int_equal(dj_miss_counts_create(context, &tally->missed), DJ_OK);
    assert_int_equal(dj_miss_counts_widen(tally->missed, context, bin + 1), DJ_OK);
    tally->missed->counts[dj_miss_count_at(bin, of, writes)] += count;
}

static void assert_seconds(dj_seconds s, double low, double estimate, double high)
{
    assert_true(fabs(s.low - low) < 1e-9 * high);
    assert_true(fabs(s.estimate - estimate) < 1e-9 * high);
    assert_true(fabs(s.high - high) < 1e-9 * high);
}

// A thousand first accesses of each class: 1000 ns are 1e-6 s.
static void classes(void **state)
{
    (void)state;
    static const struct {
        enum dj_miss_class of;
        bool writes;
        double low, estimate, high; // ns
    } cases[] = {
        {DJ_MISS_STREAMING, false, 1.5, 2, 4},
        {DJ_MISS_STREAMING, true, 3, 4, 8},
        {DJ_MISS_IRREGULAR, false, 8.45, 13, 23.4},
        {DJ_MISS_IRREGULAR, true, 16.9, 26, 46.8},
        {DJ_MISS_PAGED, false, 8.45, 13, 23.4},
        {DJ_MISS_DEPENDENT, false, 70, 100, 160},
        // the root of 2 x 10
        {DJ_MISS_STRIDED, false, 0.6 * 4.47213595499958, 4.47213595499958, 1.6 * 4.47213595499958},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dj_tally tally = {0};
        dj_seconds parts[DJ_STALL_PARTS];
        miss(&tally, 0, cases[i].of, cases[i].writes, 1000);
        dj_tally_stall_parts(&tally, &model, parts);
        assert_seconds(parts[cases[i].of], 1e-6 * cases[i].low, 1e-6 * cases[i].estimate,
                       1e-6 * cases[i].high);
        assert_seconds(dj_tally_stall(&tally, &model), 1e-6 * cases[i].low, 1e-6 * cases[i].estimate,
                       1e-6 * cases[i].high);
        dj_tally_free(&tally);
    }
}

// The middle of the first bin, 512 to 767 blocks, is 512 x sqrt(1.5) x 64 = 40132 bytes. It is half way from
// 20066 to 80264 on a scale of logarithms.
static void between_points(void **state)
{
    (void)state;
    dj_machine_costs other = costs;
    const dj_stall_model with = {&other, NULL};
    other.points[0].bytes = 20066;
    other.points[1].bytes = 80264;
    dj_tally tally = {0};
    miss(&tally, DJ_MISS_HITS + 1, DJ_MISS_DEPENDENT, false, 1000);
    assert_true(fabs(dj_tally_stall(&tally, &with).estimate - 50e-6) < 1e-8);
    other.points[0].bytes = 50000; // it hits
    other.points[1].bytes = 80264;
    assert_true(dj_tally_stall(&tally, &with).high == 0);
    other.points[0].bytes = 10000; // beyond the last point
    other.points[1].bytes = 40000;
    assert_true(fabs(dj_tally_stall(&tally, &with).estimate - 100e-6) < 1e-12);
    dj_tally_free(&tally);
}

// Conflicts in the first of two caches cost as much as random reads or updates in the second, beyond hits in
// the first.
static void conflicts(void **state)
{
    (void)state;
    dj_level levels[] = {{.size_blocks = 1024, .ways = 8}, {.size_blocks = 32768, .ways = 8}};
    dj_hierarchy caches = {.levels = levels, .level_count = 2};
    const dj_stall_model with = {&costs, &caches};
    dj_level_counts counts[] = {{.misses = 5000, .conflict = 1000}, {.misses = 100}};
    dj_level_tally by_level = {counts, 2};
    dj_tally tally = {.accesses = 10000, .levels = &by_level};
    dj_seconds parts[DJ_STALL_PARTS];
    dj_tally_stall_parts(&tally, &with, parts);
    // Half of 64 KiB hits at 0, half of 2 MiB costs 10 or 20 ns beyond a hit.
    assert_seconds(parts[DJ_STALL_CONFLICTS], 0.65 * 1.3e-6 * sqrt(200), 1.3e-6 * sqrt(200),
                   1.8 * 1.3e-6 * sqrt(200));
    counts[1].conflict = 1000; // as expensive as memory, which costs no more
    dj_tally_stall_parts(&tally, &with, parts);
    assert_seconds(parts[DJ_STALL_CONFLICTS], 0.65 * 1.3e-6 * sqrt(200), 1.3e-6 * sqrt(200),
                   1.8 * 1.3e-6 * sqrt(200));
}

// Times of rows add up to that of their sum, whatever their misses.
static void additive(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 1);
    dj_tally sum = {0};
    dj_seconds expected = {0, 0, 0};
    for (unsigned i = 0; i < 50; i++) {
        dj_tally row = {0};
        for (unsigned k = 0; k < 20; k++)
            miss(&row, (unsigned)(dj_random_next(&random) % 30),
                 (enum dj_miss_class)(dj_random_next(&random) % DJ_MISS_CLASSES), dj_random_next(&random) % 2,
                 dj_random_next(&random) % 1000);
        const dj_seconds one = dj_tally_stall(&row, &model);
        assert_true(one.low <= one.estimate && one.estimate <= one.high);
        expected =
            (dj_seconds){expected.low + one.low, expected.estimate + one.estimate, expected.high + one.high};
        assert_int_equal(dj_tally_add(&sum, context, &row), DJ_OK);
        dj_tally_free(&row);
    }
    assert_seconds(dj_tally_stall(&sum, &model), expected.low, expected.estimate, expected.high);
    dj_tally_free(&sum);
}

// Hits in a chain wait for the first-level cache.
static void hits_of_chains(void **state)
{
    (void)state;
    dj_tally tally = {0};
    miss(&tally, DJ_MISS_HITS, DJ_MISS_DEPENDENT, false, 1000);
    assert_seconds(dj_tally_stall(&tally, &model), 0.7e-6, 1e-6, 1.6e-6);
    dj_tally_free(&tally);
}

// Two lines: the one with fewer misses waits longer, since they depend on each other.
static void sorted(void **state)
{
    (void)state;
    dj_attribution *a = NULL;
    dj_breakdown *b = NULL;
    assert_int_equal(dj_attribution_create(context, &a), DJ_OK);
    hand_edges(a, 20);
    hand_cut(a, "L1", 16);
    hand_module(a, "/prog");
    const uint32_t file = hand_file(a, "/src/main.c"), main = hand_function(a, "main", file, 1),
                   first = hand_site(a, main, 2, DJ_NOWHERE), second = hand_site(a, main, 3, DJ_NOWHERE),
                   root = hand_root(a, hand_thread(a, 1, "")),
                   node = hand_cct_node(a, root, main, DJ_NOWHERE),
                   object = hand_object(a, "grid", DJ_OBJECT_GLOBAL, 10);
    const uint32_t places[] = {hand_place(a, first, node, object), hand_place(a, second, node, object)};
    hand_cold(&a->places[places[0]].tally, 500, 0);
    miss(&a->places[places[0]].tally, 0, DJ_MISS_STREAMING, false, 500);
    hand_cold(&a->places[places[1]].tally, 100, 0);
    miss(&a->places[places[1]].tally, 0, DJ_MISS_DEPENDENT, false, 100);
    assert_int_equal(dj_attribution_check(context, a), DJ_OK);
    assert_int_equal(dj_breakdown_create(context, a, DJ_BY_LINE, &b), DJ_OK);
    assert_false(b->timed);
    assert_int_equal(b->entities[0].line, 2);
    dj_breakdown_destroy(b);
    assert_int_equal(dj_breakdown_create_timed(context, a, DJ_BY_LINE, &model, &b), DJ_OK);
    assert_true(b->timed);
    assert_int_equal(b->entities[0].line, 3);
    assert_seconds(b->entities[0].stall, 7e-6, 10e-6, 16e-6);
    assert_seconds(b->entities[1].stall, 0.75e-6, 1e-6, 2e-6);
    dj_breakdown_destroy(b);
    assert_int_equal(dj_breakdown_create_timed(context, a, DJ_BY_FUNCTION, &model, &b), DJ_OK);
    assert_seconds(b->entities[0].inclusive_stall, 7.75e-6, 11e-6, 18e-6);
    dj_breakdown_destroy(b);
    const dj_time time = dj_attribution_time(a, &model);
    assert_seconds(time.stall, 7.75e-6, 11e-6, 18e-6);
    // 600 accesses of 0.5 ns: 0.3e-6 s, of which parts overlap.
    assert_seconds(time.all, 7.75e-6 + 0.45 * 0.34 * 0.3e-6, 11e-6 + 0.45 * 0.55 * 0.3e-6,
                   18e-6 + 0.45 * 0.95 * 0.3e-6);
    // More classed misses than accesses are refused.
    miss(&a->places[places[1]].tally, 3, DJ_MISS_STRIDED, true, 1);
    assert_int_equal(dj_attribution_check(context, a), DJ_ERR_INPUT);
    dj_attribution_destroy(a);
}

static void assumed(void **state)
{
    (void)state;
    static const uint64_t caches[] = {48 << 10, 2 << 20, 300 << 20};
    for (size_t count = 0; count <= 3; count++) {
        dj_machine_costs typical;
        dj_costs_assume(caches, count, &typical);
        assert_false(typical.measured);
        assert_true(typical.point_count >= 2);
        for (size_t i = 1; i < typical.point_count; i++) {
            assert_true(typical.points[i].bytes > typical.points[i - 1].bytes);
            assert_true(typical.points[i].latency_ns >= typical.points[i - 1].latency_ns);
        }
        // Memory costs more than any cache, and waiting more than overlapping.
        const dj_cost_point *memory = &typical.points[typical.point_count - 1];
        assert_true(memory->latency_ns > memory->random_ns && memory->random_ns > memory->read_ns);
        assert_true(memory->bytes == 2 * (count ? caches[count - 1] : 32 << 20));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes),        cmocka_unit_test(between_points), cmocka_unit_test(conflicts),
        cmocka_unit_test(additive),       cmocka_unit_test(sorted),         cmocka_unit_test(assumed),
        cmocka_unit_test(hits_of_chains),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
