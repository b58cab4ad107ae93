// SPDX-License-Identifier: MIT
// Every observer produces the same profile with every engine, however late it answers, and however the
// trace was divided into parts and joined; on a small trace the profile matches values computed by
// hand. An intermediate profile changes nothing.
#include "contract/observed.h"
#include "support/sanitized.h"

enum { SEEDS = 60 / SANITIZED_SHARE };

static void run_with_profile_between(dj_pipeline *p)
{
    dj_profile *between = NULL;
    run_piece(p, 0, trace.count / 2);
    check(dj_pipeline_finish(p, context, &between));
    dj_profile_destroy(between);
    run_piece(p, trace.count / 2, trace.count);
}

static void test_same_profile_everywhere(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 11);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_make(&trace, seed);
        for (size_t o = 0; o < dj_observer_count(); o++) {
            if (needs_sharers(dj_observer_get(o)))
                continue;
            const scenario *s = scenario_of(dj_observer_get(o), seed);
            dj_observer_choice choice = {.ops = dj_observer_get(o),
                                         .options = options_of(dj_observer_get(o), s)};
            uint32_t needs = choice.ops->needs | choose_before(choice.ops, s);
            assert_true(!choice.ops->unordered || choice.ops->merge);
            dj_pipeline *plain = make_pipeline(s, dj_engine_find("stack"), &choice, false);
            run_piece(plain, 0, trace.count);
            dj_profile *want = finish(plain);
            for (size_t e = 0; e < engine_count(); e++) {
                const dj_engine_ops *engine = engine_get(e);
                if ((dj_need_of_engine(needs) | DJ_CAN_EXACT) & ~engine->can)
                    continue;
                observer_threads = (unsigned)seed % 4;
                dj_pipeline *p = make_pipeline(s, engine, &choice, false);
                observer_threads = 0;
                if (choice.ops->finishes_once)
                    run_piece(p, 0, trace.count);
                else
                    run_with_profile_between(p);
                compare(want, finish(p), choice.ops->name, engine->name, seed);
                if (choice.ops->merge && engine->can & DJ_CAN_SUMMARY)
                    compare(want, finish(cut_and_join(s, engine, &choice, &random)), choice.ops->name,
                            engine->name, seed);
            }
            dj_profile_destroy(want);
        }
        before_count = 0;
    }
}

// a b a a c b on blocks of 10 bytes, sizes 4 each: distances ∞ ∞ 1 0 ∞ 2.
static void make_small(void)
{
    static const uint64_t addresses[] = {0, 10, 5, 0, 40, 15};
    trace = (sample){.count = 6};
    for (uint32_t i = 0; i < 6; i++)
        trace.accesses[i] =
            (sample_access){.address = addresses[i], .size = 4, .kind = i % 2 ? DJ_KIND_WRITE : 0};
}

static dj_profile *observe_small(const char *name)
{
    const scenario s = {{10}, 1, false, DJ_TAG_SITE};
    dj_observer_choice choice = {.ops = dj_observer_find(name)};
    assert_non_null(choice.ops);
    make_small();
    dj_pipeline *p = make_pipeline(&s, dj_engine_find("stack"), &choice, false);
    run_piece(p, 0, trace.count);
    return finish(p);
}

static uint64_t count_of(const dj_histogram *h, uint64_t value)
{
    uint64_t at = value, n = dj_histogram_next(h, &at);
    return at == value ? n : 0;
}

static void test_histogram(void **state)
{
    (void)state;
    dj_profile *p = observe_small("histogram");
    const dj_lane_profile *lane = &p->lanes[0];
    assert_int_equal(p->accesses, 6);
    assert_int_equal(lane->cold, 3);
    assert_int_equal(lane->distinct, 3);
    assert_int_equal(count_of(lane->distance, 0), 1);
    assert_int_equal(count_of(lane->distance, 1), 1);
    assert_int_equal(count_of(lane->distance, 2), 1);
    assert_int_equal(dj_histogram_moments(lane->distance).count, 3);
    dj_profile_destroy(p);
}

static void test_time(void **state)
{
    (void)state;
    dj_profile *p = observe_small("time");
    const dj_histogram *h = dj_lane_time(&p->lanes[0]);
    assert_int_equal(count_of(h, 1), 1);
    assert_int_equal(count_of(h, 2), 1);
    assert_int_equal(count_of(h, 4), 1);
    assert_int_equal(dj_histogram_moments(h).count, 3);
    dj_profile_destroy(p);
}

static void test_bytes(void **state)
{
    (void)state;
    dj_profile *p = observe_small("bytes");
    const dj_lane_profile *lane = &p->lanes[0];
    assert_int_equal(count_of(dj_lane_byte_distance(lane), 4), 1);
    assert_int_equal(count_of(dj_lane_byte_distance(lane), 8), 1);
    assert_int_equal(count_of(dj_lane_byte_distance(lane), 12), 1);
    assert_int_equal(count_of(dj_lane_byte_weight(lane), 12), 4);
    assert_int_equal(dj_lane_cold_bytes(lane), 12);
    dj_profile_destroy(p);
}

static void test_fingerprint(void **state)
{
    (void)state;
    static const uint64_t distances[] = {DJ_COLD, DJ_COLD, 1, 0, DJ_COLD, 2};
    uint64_t h = UINT64_C(1469598103934665603);
    for (int i = 0; i < 6; i++)
        h = (h ^ distances[i]) * UINT64_C(1099511628211);
    dj_profile *p = observe_small("fingerprint");
    assert_true(dj_lane_has_fingerprint(&p->lanes[0]));
    assert_true(dj_lane_fingerprint(&p->lanes[0]) == h);
    dj_profile_destroy(p);
}

static void test_keys(void **state)
{
    (void)state;
    dj_profile *p = observe_small("keys");
    const dj_key_profile *keys = dj_lane_keys(&p->lanes[0]);
    assert_int_equal(count_of(keys->access_counts, 1), 1);
    assert_int_equal(count_of(keys->access_counts, 2), 1);
    assert_int_equal(count_of(keys->access_counts, 3), 1);
    assert_int_equal(keys->single_use, 1);
    dj_profile_destroy(p);
}

static void test_key_lists(void **state)
{
    (void)state;
    static const uint64_t keys[] = {0, 1, 4}, offsets[] = {0, 2, 3, 3}, distances[] = {1, 0, 2};
    dj_profile *p = observe_small("key-lists");
    const dj_key_profile *k = dj_lane_keys(&p->lanes[0]);
    assert_int_equal(k->list_count, 3);
    assert_memory_equal(k->list_key, keys, sizeof keys);
    assert_memory_equal(k->list_offset, offsets, sizeof offsets);
    assert_memory_equal(k->list_distances, distances, sizeof distances);
    dj_profile_destroy(p);
}

// Blocks 0 1 0 0 4 1: strides 1 1 0 4 3.
static void test_strides(void **state)
{
    (void)state;
    dj_profile *p = observe_small("strides");
    const dj_stride_profile *s = dj_lane_strides(&p->lanes[0]);
    assert_int_equal(s->pairs, 5);
    assert_int_equal(s->within, 3);
    assert_int_equal(count_of(s->stride, 1), 2);
    assert_int_equal(count_of(s->stride, 4), 1);
    dj_profile_destroy(p);
}

static void test_traffic(void **state)
{
    (void)state;
    dj_profile *p = observe_small("traffic");
    assert_int_equal(p->reads, 3);
    assert_int_equal(p->writes, 3);
    assert_int_equal(p->bytes, 24);
    dj_profile_destroy(p);
}

// The comparison itself must detect a difference.
static void test_comparison_can_fail(void **state)
{
    (void)state;
    dj_profile *a = observe_small("histogram"), *b = observe_small("histogram");
    assert_true(same_profile(a, b));
    check(dj_histogram_add(b->lanes[0].distance, context, 2, 1));
    assert_false(same_profile(a, b));
    dj_profile_destroy(a);
    dj_profile_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_profile_everywhere),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_fingerprint),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_key_lists),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_traffic),
        cmocka_unit_test(test_comparison_can_fail),
    };
    return engines_are_here() ? cmocka_run_group_tests(tests, make_context, drop_context) : 77;
}
