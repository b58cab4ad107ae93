// SPDX-License-Identifier: MIT
// Filters and partitions: whatever is removed, filled or partitioned, each lane answers as brute force
// does on the remaining accesses, on every engine, however late it answers, folded or not, at several
// block sizes, on any number of observer threads, and, where possible, joined from parts.
#include "contract/filters.h"
#include "support/counting_engine.h"
#include "support/sanitized.h"

enum { SEEDS = 40 / SANITIZED_SHARE };

// Everything that can be requested, chosen by the seed.
static plan plan_of(uint64_t seed, bool partitions)
{
    static char ends[4][3][24];
    dj_random r;
    dj_random_seed(&r, seed * 77 + 5);
    plan p = {.only = (int)(dj_random_next(&r) % 3) - 1};
    char(*text)[24] = ends[seed % 4];
    uint64_t from = dj_random_next(&r) % (trace.count + 1), length = 1 + dj_random_next(&r) % 400;
    uint64_t how = dj_random_next(&r) % 5;
    bool timed = dj_random_next(&r) % 2;
    snprintf(text[0], sizeof text[0], timed ? "%llums" : "%llu", (unsigned long long)from / (timed ? 3 : 1));
    snprintf(text[1], sizeof text[1], timed ? "%llums" : "%llu",
             (unsigned long long)(from / (timed ? 3 : 1) + length));
    p.window.from = how == 1 || how == 3 ? text[0] : NULL;
    p.window.until = how == 2 || how == 3 ? text[1] : NULL;
    snprintf(text[2], sizeof text[2], "%llu", (unsigned long long)length);
    p.window.limit = how == 4 ? text[2] : NULL;
    p.sparse = dj_random_next(&r) % 2 ? (uint32_t)(dj_random_next(&r) % 12) : 0;
    p.warm_up = dj_random_next(&r) % 2 ? dj_random_next(&r) % 300 : 0;
    if (partitions)
        p.partition = (enum dj_partition)(dj_random_next(&r) % 4);
    return p;
}

static bool fits(const dj_engine_ops *engine, const plan *plans, size_t groups)
{
    for (size_t g = 0; g < groups; g++)
        if (plans[g].partition != DJ_PARTITION_NONE && engine->for_long_traces)
            return false;
    return (engine->can & DJ_CAN_EXACT) != 0;
}

// With everything that the engine can provide.
static bool choose_needs(const dj_engine_ops *engine, uint64_t seed)
{
    checking.needs = DJ_NEED_PER_ACCESS;
    if (engine->can & DJ_CAN_TAGS)
        checking.needs |= DJ_NEED_TAGS | DJ_NEED_FINER;
    if (engine->can & DJ_CAN_WEIGHTS && seed % 2)
        checking.needs |= DJ_NEED_WEIGHTS;
    // Without times some engines answer several block sizes at once.
    return engine->can & DJ_CAN_TIMES && seed % 3;
}

static void test_every_engine(void **state)
{
    (void)state;
    static const char *const with_times[] = {"histogram", "partitions", "time", NULL};
    static const char *const without[] = {"histogram", "partitions", NULL};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_make(&trace, seed);
        const scenario *s = &scenarios[seed % SCENARIOS];
        const size_t groups = 1 + seed % 2;
        const plan plans[2] = {plan_of(seed, true), plan_of(seed + 1000, true)};
        make_truth(s, plans, groups);
        for (size_t i = 0; i < engine_count(); i++) {
            const dj_engine_ops *engine = engine_get(i);
            if (!fits(engine, plans, groups))
                continue;
            bool times = choose_needs(engine, seed + i);
            observer_threads = (unsigned)(seed + i) % 4;
            demanding = (seed + i) % 5 == 0;
            dj_pipeline *p = make(s, plans, groups, engine, times ? with_times : without, false);
            run_some(p, 0, trace.count);
            finish_and_compare(p, engine->name, seed, times);
        }
    }
    observer_threads = 0;
    demanding = false;
}

// Several sources in sequence, with a profile in between.
static void test_goes_on(void **state)
{
    (void)state;
    static const char *const observers[] = {"histogram", "partitions", "time", NULL};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_make(&trace, seed + 300);
        const scenario *s = &scenarios[seed % SCENARIOS];
        const plan one = plan_of(seed + 300, true);
        dj_profile *between = NULL;
        make_truth(s, &one, 1);
        choose_needs(dj_engine_find("fast"), seed);
        dj_pipeline *p = make(s, &one, 1, dj_engine_find("fast"), observers, false);
        run_some(p, 0, trace.count / 2);
        check(dj_pipeline_finish(p, context, &between));
        dj_profile_destroy(between);
        run_some(p, trace.count / 2, trace.count);
        finish_and_compare(p, "fast", seed, true);
    }
}

static void test_joined_anywhere(void **state)
{
    (void)state;
    static const char *const observers[] = {"histogram", "time", NULL};
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        sample_make(&trace, seed + 600);
        const scenario *s = &scenarios[seed % SCENARIOS];
        const plan plans[2] = {{.only = (int)(seed % 2), .sparse = seed % 4 ? 0 : 6},
                               {.only = (int)(seed / 2 % 3) - 1, .sparse = seed % 5 ? 0 : 4}};
        const size_t groups = 1 + seed % 2;
        make_truth(s, plans, groups);
        for (size_t i = 0; i < engine_count(); i++) {
            const dj_engine_ops *engine = engine_get(i);
            if (~engine->can & (DJ_CAN_EXACT | DJ_CAN_SUMMARY | DJ_CAN_TIMES))
                continue;
            choose_needs(engine, seed);
            dj_pipeline *parts[3];
            uint32_t cuts[4] = {0, (uint32_t)(seed * 7 % (trace.count + 1)), 0, trace.count};
            cuts[2] = cuts[1] + (trace.count - cuts[1]) / 3;
            for (int k = 0; k < 3; k++) {
                parts[k] = make(s, plans, groups, engine, observers, true);
                run_some(parts[k], cuts[k], cuts[k + 1]);
            }
            // Either pair of neighbours first; the truth is by position, which joined parts keep.
            int first = seed % 2 ? 0 : 1;
            check(dj_pipeline_join(parts[first], context, parts[first + 1]));
            check(dj_pipeline_join(parts[0], context, parts[first ? 1 : 2]));
            dj_pipeline_destroy(parts[1]);
            dj_pipeline_destroy(parts[2]);
            dj_profile *profile = NULL;
            check(dj_pipeline_finish(parts[0], context, &profile));
            compare_profile(profile, true);
            dj_profile_destroy(profile);
            dj_pipeline_destroy(parts[0]);
        }
    }
}

// Through files.
static void test_summaries(void **state)
{
    (void)state;
    const dj_observer_choice choices[] = {{.ops = dj_observer_find("histogram")},
                                          {.ops = dj_observer_find("time")},
                                          {.ops = dj_observer_find("strides")},
                                          {.ops = dj_observer_find("keys")}};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_make(&trace, seed + 900);
        const scenario *s = &scenarios[seed % SCENARIOS];
        const plan want = {.only = (int)(seed % 2), .sparse = seed % 3 ? 0 : 5};
        const chosen filters = choose(&want);
        const dj_lane_group group = {.blocks = s->blocks,
                                     .block_count = s->block_count,
                                     .filters = filters.list,
                                     .filter_count = filters.count};
        dj_pipeline_config config = {
            .groups = &group, .group_count = 1, .split = s->split, .observers = choices, .observer_count = 4};
        dj_pipeline *whole = NULL, *parts[2];
        make_truth(s, &want, 1);
        check(dj_pipeline_create(context, &config, &whole));
        run_some(whole, 0, trace.count);
        config.summarize = true;
        for (uint32_t k = 0; k < 2; k++) {
            check(dj_pipeline_create(context, &config, &parts[k]));
            run_some(parts[k], k * (trace.count / 2), k ? trace.count : trace.count / 2);
            parts[k] = through_file(parts[k]);
        }
        check(dj_pipeline_join(parts[0], context, parts[1]));
        dj_pipeline_destroy(parts[1]);
        parts[0] = through_file(parts[0]);
        dj_profile *a = NULL, *b = NULL;
        check(dj_pipeline_finish(whole, context, &a));
        check(dj_pipeline_finish(parts[0], context, &b));
        compare_profile(a, true);
        compare_profile(b, true);
        for (size_t i = 0; i < a->lane_count; i++) {
            const dj_stride_profile *x = dj_lane_strides(&a->lanes[i]), *y = dj_lane_strides(&b->lanes[i]);
            assert_int_equal(x->pairs, y->pairs);
            assert_int_equal(x->within, y->within);
            assert_int_equal(dj_lane_keys(&a->lanes[i])->single_use, dj_lane_keys(&b->lanes[i])->single_use);
            assert_string_equal(dj_lane_filter(&a->lanes[i]), dj_lane_filter(&b->lanes[i]));
        }
        dj_profile_destroy(a);
        dj_profile_destroy(b);
        dj_pipeline_destroy(whole);
        dj_pipeline_destroy(parts[0]);
    }
}

// An engine that counts distances itself: what it counted during the warm-up is subtracted.
static void test_totals(void **state)
{
    (void)state;
    const dj_observer_choice histogram = {.ops = dj_observer_find("histogram")};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_make(&trace, seed + 1200);
        const scenario *s = &scenarios[seed % SCENARIOS];
        plan want = plan_of(seed + 1200, false);
        want.warm_up = seed % 5 ? seed * 13 : 0;
        const chosen filters = choose(&want);
        const dj_lane_group group = {.blocks = s->blocks,
                                     .block_count = s->block_count,
                                     .filters = filters.list,
                                     .filter_count = filters.count};
        const dj_pipeline_config config = {.engine = counting_engine(seed % 2, 0),
                                           .groups = &group,
                                           .group_count = 1,
                                           .split = s->split,
                                           .observers = &histogram,
                                           .observer_count = 1};
        dj_pipeline *p = NULL;
        dj_profile *profile = NULL;
        make_truth(s, &want, 1);
        check(dj_pipeline_create(context, &config, &p));
        run_some(p, 0, trace.count / 3);
        check(dj_pipeline_finish(p, context, &profile));
        dj_profile_destroy(profile);
        run_some(p, trace.count / 3, trace.count);
        check(dj_pipeline_finish(p, context, &profile));
        compare_profile(profile, false);
        dj_profile_destroy(profile);
        dj_pipeline_destroy(p);
    }
}

static int judge_nothing(void *state, dj_context *where, const dj_batch *batch, uint8_t *verdicts)
{
    (void)state, (void)where, (void)batch, (void)verdicts;
    return DJ_OK;
}

static void describe_nothing(const void *options, char *text, size_t capacity)
{
    (void)options;
    snprintf(text, capacity, "none");
}

static int create_nothing(dj_context *where, const dj_filter_setup *setup, void **state)
{
    (void)where, (void)setup;
    *state = NULL;
    return DJ_OK;
}

static void refuse(const dj_pipeline_config *config, const char *why)
{
    dj_pipeline *p = NULL;
    assert_int_equal(dj_pipeline_create(context, config, &p), DJ_ERR_UNSUPPORTED);
    if (!strstr(dj_context_message(context), why))
        fail_msg("%s", dj_context_message(context));
}

static void test_refused(void **state)
{
    (void)state;
    const uint64_t block = 1;
    dj_filter_ops ops = {.name = "deletes",
                         .summary = "deletes",
                         .verdicts = 1u << DJ_VERDICT_INVALIDATE,
                         .describe = describe_nothing,
                         .create = create_nothing,
                         .destroy = free,
                         .judge = judge_nothing};
    const dj_filter_choice filter = {.ops = &ops};
    dj_lane_group group = {.blocks = &block, .block_count = 1, .filters = &filter, .filter_count = 1};
    dj_pipeline_config config = {.engine = dj_engine_find("count"), .groups = &group, .group_count = 1};
    refuse(&config, "filter deletes (deletes) needs invalidated blocks, which engine 'count' cannot provide");
    config.engine = NULL;
    config.summarize = true;
    refuse(&config, "filter deletes (deletes) needs ");
    ops.verdicts = 1u << DJ_VERDICT_FILL;
    config.summarize = true;
    refuse(&config, "cannot be joined from parts");
    ops.verdicts = 1u << DJ_VERDICT_ABSENT;
    ops.by_position = true;
    refuse(&config, "filter deletes (deletes) needs the complete trace");
    group = (dj_lane_group){.blocks = &block, .block_count = 1, .partition = DJ_PARTITION_DEVICE};
    refuse(&config, "cannot be joined from parts");
    config.summarize = false;
    config.engine = dj_engine_find("parallel");
    refuse(&config, "each device separately");
    config.engine = NULL;
    static const char *const alone[] = {"simulate", "key-lists"};
    for (size_t i = 0; i < 2; i++) {
        const dj_observer_choice observer = {.ops = dj_observer_find(alone[i])};
        config.observers = &observer;
        config.observer_count = 1;
        refuse(&config, "a separate stack for each device");
    }
}

static int reserve(void **state)
{
    truth = calloc(PIECES_MOST, sizeof *truth);
    shown = calloc(PIECES_MOST, 1);
    return truth && shown ? make_context(state) : 1;
}

static int drop_capacity(void **state)
{
    free(truth);
    free(shown);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_engine),    cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_joined_anywhere), cmocka_unit_test(test_summaries),
        cmocka_unit_test(test_totals),          cmocka_unit_test(test_refused),
    };
    return engines_are_here() ? cmocka_run_group_tests(tests, reserve, drop_capacity) : 77;
}
