// SPDX-License-Identifier: MIT
// In a lane with a filter, every observer sees what it would see of a trace without the other accesses;
// and the results with and without a warm-up add up.
#include "contract/observed.h"
#include "support/sanitized.h"

enum { SEEDS = 24 / SANITIZED_SHARE };

// The results for a filtered lane are those of a trace with only these accesses, except for what the
// profile records about the trace itself.
static void forget_filter(dj_profile *got, const dj_profile *want)
{
    got->accesses = want->accesses;
    got->requests = want->requests;
    for (size_t i = 0; i < got->lane_count; i++)
        if (got->lanes[i].id.filter)
            got->lanes[i].id.filter[0] = 0;
}

static void keep_only(int only)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < trace.count; i++) {
        uint8_t kind = trace.accesses[i].kind;
        if (kind == DJ_KIND_MODIFY || kind == (only ? DJ_KIND_WRITE : DJ_KIND_READ))
            trace.accesses[kept++] = trace.accesses[i];
    }
    trace.count = kept;
}

static void compare_filtered(const dj_observer_choice *choice, uint32_t needs, const scenario *s,
                             const dj_profile *want, uint64_t seed, dj_random *random)
{
    for (size_t e = 0; e < engine_count(); e++) {
        const dj_engine_ops *engine = engine_get(e);
        if ((dj_need_of_engine(needs) | DJ_CAN_EXACT) & ~engine->can)
            continue;
        observer_threads = (unsigned)seed % 4;
        dj_pipeline *p = make_pipeline(s, engine, choice, false);
        observer_threads = 0;
        run_piece(p, 0, trace.count);
        dj_profile *got = finish(p);
        forget_filter(got, want);
        compare(want, got, choice->ops->name, engine->name, seed);
        if (!choice->ops->merge || !(engine->can & DJ_CAN_SUMMARY))
            continue;
        got = finish(cut_and_join(s, engine, choice, random));
        forget_filter(got, want);
        compare(want, got, choice->ops->name, engine->name, seed);
    }
}

static void test_filtered(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 12);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const int only = (int)(seed % 2);
        const dj_filter_choice filter = {dj_filter_find("only"), &only};
        for (size_t o = 0; o < dj_observer_count(); o++) {
            const dj_observer_ops *ops = dj_observer_get(o);
            const scenario *s = scenario_of(ops, seed);
            const dj_observer_choice choice = {.ops = ops, .options = options_of(ops, s)};
            uint32_t needs = ops->needs | choose_before(ops, s);
            if (strcmp(ops->name, "digest") == 0 || // its positions are those in the trace
                needs_sharers(ops))
                continue;
            sample_make(&trace, seed + 40);
            keep_only(only);
            dj_pipeline *alone = make_pipeline(s, dj_engine_find("stack"), &choice, false);
            run_piece(alone, 0, trace.count);
            dj_profile *want = finish(alone);
            sample_make(&trace, seed + 40);
            filter_chosen = &filter;
            compare_filtered(&choice, needs, s, want, seed, &random);
            filter_chosen = NULL;
            dj_profile_destroy(want);
        }
        before_count = 0;
    }
}

// For what is counted by sums, the total is the sum of the warm-up and the rest.
static dj_profile *observe_some(const dj_observer_ops *ops, const scenario *s, uint32_t count, uint64_t warm)
{
    const dj_observer_choice choice = {.ops = ops, .options = options_of(ops, s)};
    const dj_filter_choice filter = {dj_filter_find("warm-up"), &warm};
    const uint32_t all = trace.count;
    filter_chosen = warm ? &filter : NULL;
    dj_pipeline *p = make_pipeline(s, dj_engine_find("fast"), &choice, false);
    filter_chosen = NULL;
    trace.count = count;
    run_piece(p, 0, count);
    dj_profile *profile = finish(p);
    trace.count = all;
    return profile;
}

static void compare_pair(const dj_spatial_pair *all, const dj_spatial_pair *before,
                         const dj_spatial_pair *after)
{
    assert_int_equal(all->cold_both, before->cold_both + after->cold_both);
    for (size_t i = 0; i < DJ_SPATIAL_BINS; i++) {
        assert_int_equal(all->cold[i], before->cold[i] + after->cold[i]);
        assert_int_equal(all->intercepted[i], before->intercepted[i] + after->intercepted[i]);
        assert_int_equal(all->distance_sum[i], before->distance_sum[i] + after->distance_sum[i]);
        for (size_t j = 0; j < DJ_SPATIAL_BINS; j++)
            assert_int_equal(all->map[i][j], before->map[i][j] + after->map[i][j]);
    }
}

static void compare_places(const dj_attribution *all, const dj_attribution *before,
                           const dj_attribution *after)
{
    for (size_t i = 0; i < all->place_count; i++) {
        const dj_tally *a = &all->places[i].tally, *c = &after->places[i].tally, none = {0},
                       *b = i < before->place_count ? &before->places[i].tally : &none;
        assert_int_equal(a->accesses, b->accesses + c->accesses);
        assert_int_equal(a->cold, b->cold + c->cold);
        assert_int_equal(a->writes, b->writes + c->writes);
        assert_int_equal(a->sum, b->sum + c->sum);
        if (!a->spatial || !c->spatial)
            continue;
        uint64_t fetched = b->spatial ? b->spatial->usage.fetched : 0;
        assert_int_equal(a->spatial->usage.fetched, fetched + c->spatial->usage.fetched);
    }
    // The blocks touched are those touched at any time.
    for (size_t i = 0; i < all->object_count; i++)
        assert_int_equal(all->objects[i].distinct, after->objects[i].distinct);
    for (size_t i = 0; i < all->thread_count; i++)
        assert_int_equal(all->threads[i].distinct, after->threads[i].distinct);
}

static void compare_sums(const dj_profile *all, const dj_profile *before, const dj_profile *after)
{
    for (size_t i = 0; i < all->lane_count; i++) {
        const dj_lane_profile *a = &all->lanes[i], *b = &before->lanes[i], *c = &after->lanes[i];
        assert_int_equal(a->accesses, b->accesses + c->accesses);
        assert_int_equal(a->cold, b->cold + c->cold);
        assert_int_equal(a->distinct, c->distinct);
        for (size_t k = 0; k < dj_lane_simulated_count(a); k++)
            assert_int_equal(dj_lane_simulated(a)[k].misses,
                             dj_lane_simulated(b)[k].misses + dj_lane_simulated(c)[k].misses);
        if (!dj_lane_strides(a))
            continue;
        assert_int_equal(dj_lane_strides(a)->pairs, dj_lane_strides(b)->pairs + dj_lane_strides(c)->pairs);
        assert_int_equal(dj_lane_strides(a)->within, dj_lane_strides(b)->within + dj_lane_strides(c)->within);
    }
    for (size_t i = 0; dj_profile_spatial(all) && i < dj_profile_spatial(all)->pair_count; i++)
        compare_pair(&dj_profile_spatial(all)->pairs[i], &dj_profile_spatial(before)->pairs[i],
                     &dj_profile_spatial(after)->pairs[i]);
    if (dj_profile_attribution(all))
        compare_places(dj_profile_attribution(all), dj_profile_attribution(before),
                       dj_profile_attribution(after));
}

static void test_warmed_up(void **state)
{
    (void)state;
    static const char *const names[] = {"histogram", "simulate", "strides", "places", "spatial", "usage"};
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (size_t o = 0; o < sizeof names / sizeof names[0]; o++) {
            const dj_observer_ops *ops = dj_observer_find(names[o]);
            const scenario *s = scenario_of(ops, seed);
            sample_make(&trace, seed + 80);
            uint32_t warm = trace.count / 3;
            if (warm == 0)
                continue;
            choose_before(ops, s);
            dj_profile *all = observe_some(ops, s, trace.count, 0), *before = observe_some(ops, s, warm, 0),
                       *after = observe_some(ops, s, trace.count, warm);
            compare_sums(all, before, after);
            dj_profile_destroy(all);
            dj_profile_destroy(before);
            dj_profile_destroy(after);
            before_count = 0;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filtered),
        cmocka_unit_test(test_warmed_up),
    };
    return engines_are_here() ? cmocka_run_group_tests(tests, make_context, drop_context) : 77;
}
