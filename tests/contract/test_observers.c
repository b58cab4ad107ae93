// SPDX-License-Identifier: MIT
// Every observer gives the same profile whatever engine answers, however late,
// and however the trace was cut into pieces and joined again; and what it says
// is right by hand on a small trace. A profile made on the way changes nothing.
#include "contract/profiles.h"
#include "contract/scenarios.h"
#include <deja/observer_options.h>

enum { SEEDS = 60 };

static void compare(const dj_profile *want, dj_profile *got, const char *observer, const char *engine,
                    uint64_t seed)
{
    if (!same_profile(want, got))
        fail_msg("observer %s on engine %s, seed %llu: another profile", observer, engine,
                 (unsigned long long)seed);
    dj_profile_destroy(got);
}

// Cache sizes that fall between the borders of bins, and two that are one block both in large lanes.
static const dj_spatial_cache_size caches[] = {{(char *)"tiny", 3}, {(char *)"L1", 100}, {(char *)"L2", 333}};

static bool is_spatial(const dj_observer_ops *ops)
{
    return strncmp(ops->name, "spatial", strlen("spatial")) == 0;
}

static bool is_usage(const dj_observer_ops *ops)
{
    return strcmp(ops->name, "usage") == 0;
}

// Sites, contexts, objects and threads are their own names.
static int identify(void *user, dj_context *where, dj_place_identities *out)
{
    (void)user;
    (void)where;
    for (unsigned part = 0; part < DJ_PLACE_PARTS; part++) {
        out->part[part].list = calloc(SAMPLE_PLACES, sizeof(uint64_t));
        assert_non_null(out->part[part].list);
        out->part[part].count = SAMPLE_PLACES;
        for (uint32_t i = 0; i < SAMPLE_PLACES; i++)
            out->part[part].list[i] = i;
    }
    return DJ_OK;
}

// Long reuses begin at the first cut, or, without any, at once.
static const dj_places_options *places(const scenario *s)
{
    static dj_place rows[SAMPLE_PLACES];
    static dj_place_table table = {.chunks = {rows}, .count = SAMPLE_PLACES};
    static const uint64_t cuts[] = {3, 20, 21};
    static dj_places_options options = {.places = &table, .cuts = cuts, .identify = identify};
    options.cut_count = s->split ? sizeof cuts / sizeof cuts[0] : 0;
    for (uint32_t i = 0; i < SAMPLE_PLACES; i++)
        rows[i] = (dj_place){i, i % 2, i % 3, i % 2};
    return &options;
}

static const void *options_of(const dj_observer_ops *ops, const scenario *s)
{
    static const dj_spatial_options spatial = {caches, sizeof caches / sizeof caches[0]};
    static dj_usage_options usage = {.cache_bytes = 100};
    usage.block = s->blocks[1];
    if (is_spatial(ops))
        return &spatial;
    if (is_usage(ops))
        return &usage;
    return strcmp(ops->name, "places") == 0 ? places(s) : NULL;
}

// Chooses what an observer builds on, and says what that needs.
static uint32_t choose_before(const dj_observer_ops *ops, const scenario *s)
{
    static const char *const names[BEFORE_MOST] = {"places", "spatial"};
    static dj_observer_choice before[BEFORE_MOST];
    uint32_t needs = 0;
    observers_before = before;
    before_count = is_usage(ops) ? 2 : strcmp(ops->name, "spatial-places") == 0 ? 1 : 0;
    for (size_t i = 0; i < before_count; i++) {
        before[i].ops = dj_observer_find(names[i]);
        before[i].options = options_of(before[i].ops, s);
        needs |= before[i].ops->needs;
    }
    return needs;
}

// Spatial locality wants block sizes that double, and attribution wants places as tags.
static const scenario *scenario_of(const dj_observer_ops *ops, uint64_t seed)
{
    static const scenario doubling[] = {{{8, 16}, 2, true, DJ_TAG_PLACE},
                                        {{4, 8, 16}, 3, true, DJ_TAG_PLACE},
                                        {{5, 10, 20}, 3, false, DJ_TAG_PLACE},
                                        {{1, 2, 4}, 3, false, DJ_TAG_PLACE}};
    static scenario placed;
    if (is_spatial(ops) || is_usage(ops))
        return &doubling[seed % (sizeof doubling / sizeof doubling[0])];
    placed = scenarios[seed % SCENARIOS];
    placed.tag = DJ_TAG_PLACE;
    return strcmp(ops->name, "places") == 0 ? &placed : &scenarios[seed % SCENARIOS];
}

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

// The comparison itself must see a difference.
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
