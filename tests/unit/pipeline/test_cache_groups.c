// SPDX-License-Identifier: MIT
// Lanes partitioned by cache: what an access was lost to, by hand; names in the profile; what is refused.
#include <string.h>

#include "unit/pipeline/shared_trace.h"

// The number of DJ_COLD in a lane that another write caused, by hand: sharers 0 and 1 read a block, 0
// writes it twice, 1 reads it again, then 2 reads it.
static void lost_by_hand(void **state)
{
    (void)state;
    static const struct {
        uint32_t sharer;
        uint8_t kind;
        uint32_t lost_to;
        uint64_t distance;
    } steps[] = {
        {0, DJ_KIND_READ, 0, DJ_COLD}, {1, DJ_KIND_READ, 0, DJ_COLD}, {0, DJ_KIND_WRITE, 0, 0},
        {0, DJ_KIND_MODIFY, 0, 0},     {1, DJ_KIND_READ, 1, DJ_COLD}, {2, DJ_KIND_READ, 0, DJ_COLD},
        {2, DJ_KIND_WRITE, 0, 0},      {1, DJ_KIND_READ, 3, DJ_COLD}, {0, DJ_KIND_READ, 3, DJ_COLD},
    };
    const uint64_t block = SMALLEST;
    const dj_lane_group group = {
        .blocks = &block, .block_count = 1, .partition = DJ_PARTITION_CACHE, .coherent = true};
    const dj_observer_choice observer = {.ops = &keeper};
    const dj_pipeline_config config = {.engine = dj_engine_find("stack"),
                                       .groups = &group,
                                       .group_count = 1,
                                       .observers = &observer,
                                       .observer_count = 1};
    for (uint32_t i = 0; i < REQUESTS; i++) {
        trace[i] = (request){.address = MEMORY, .size = 1, .sharer = 9};
        if (i < sizeof steps / sizeof *steps)
            trace[i] = (request){.size = 1, .sharer = steps[i].sharer, .kind = steps[i].kind};
    }
    keeper.needs = DJ_NEED_PER_ACCESS;
    dj_pipeline *pipeline = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(run(pipeline), DJ_OK);
    dj_pipeline_destroy(pipeline);
    for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(measured[0][i].lost_to, steps[i].lost_to);
        assert_int_equal(measured[0][i].distance, steps[i].distance);
    }
}

static void named_in_the_profile(void **state)
{
    (void)state;
    const uint64_t block = SMALLEST;
    const dj_lane_group groups[] = {
        {.blocks = &block, .block_count = 1, .partition = DJ_PARTITION_CACHE},
        {.blocks = &block, .block_count = 1, .partition = DJ_PARTITION_CACHE, .sharers_per_cache = 2},
        {.blocks = &block, .block_count = 1, .partition = DJ_PARTITION_CACHE, .coherent = true},
        {.blocks = &block,
         .block_count = 1,
         .partition = DJ_PARTITION_CACHE,
         .sharers_per_cache = ALL_SHARERS,
         .coherent = true},
    };
    static const char *const names[] = {"cache", "cache of 2 sharers", "coherent cache",
                                        "coherent cache of all sharers"};
    const dj_observer_choice observers[] = {{.ops = dj_observer_find("histogram")},
                                            {.ops = dj_observer_find("partitions")}};
    const dj_pipeline_config config = {.engine = dj_engine_find("stack"),
                                       .groups = groups,
                                       .group_count = 4,
                                       .observers = observers,
                                       .observer_count = 2};
    dj_pipeline *pipeline = NULL;
    dj_profile *profile = NULL;
    make_trace(3, 4);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(run(pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(profile->lanes[i].id.partition, names[i]);
        const dj_partitions *parts = dj_lane_partitions(&profile->lanes[i]);
        const uint32_t per = i == 1 ? 2 : i == 3 ? ALL_SHARERS : 1;
        assert_int_equal(parts->count, i == 1 ? 2 : i == 3 ? 1 : 4);
        for (size_t k = 0; k < parts->count; k++) {
            uint64_t accesses = 0;
            for (uint32_t n = 0; n < REQUESTS; n++)
                accesses += trace[n].sharer / per == parts->rows[k].id;
            assert_int_equal(parts->rows[k].lane.accesses, accesses);
            assert_string_equal(parts->rows[k].name, "");
        }
    }
    dj_profile_destroy(profile);
    dj_pipeline_destroy(pipeline);
}

static int attempt(const dj_lane_group *group, const char *engine, bool summarize)
{
    const dj_pipeline_config config = {
        .engine = dj_engine_find(engine), .groups = group, .group_count = 1, .summarize = summarize};
    dj_pipeline *pipeline = NULL;
    int err = dj_pipeline_create(context, &config, &pipeline);
    if (!err)
        err = run(pipeline);
    dj_pipeline_destroy(pipeline);
    return err;
}

static void assert_says(const char *why)
{
    if (!strstr(dj_context_message(context), why))
        fail_msg("%s", dj_context_message(context));
}

static void refused_with_the_reason(void **state)
{
    (void)state;
    const uint64_t block = SMALLEST;
    dj_lane_group group = {
        .blocks = &block, .block_count = 1, .partition = DJ_PARTITION_CACHE, .coherent = true};
    make_trace(4, 3);
    assert_int_equal(attempt(&group, "count", false), DJ_ERR_UNSUPPORTED);
    assert_says("a coherent cache needs invalidated blocks, which engine 'count' cannot provide");
    assert_int_equal(attempt(&group, "stack", true), DJ_ERR_UNSUPPORTED);
    assert_says("cannot be joined from parts");
    group.partition = DJ_PARTITION_NONE;
    assert_int_equal(attempt(&group, "stack", false), DJ_ERR_USAGE);
    assert_says("not partitioned by cache");
    group.partition = DJ_PARTITION_CACHE;
    batch_columns &= ~(uint32_t)DJ_COLUMN_SHARER;
    assert_int_equal(attempt(&group, "stack", false), DJ_ERR_UNSUPPORTED);
    assert_says("does not say which sharer made an access");
    batch_columns |= DJ_COLUMN_SHARER;
    trace[7].sharer = UINT32_MAX;
    assert_int_equal(attempt(&group, "stack", false), DJ_ERR_UNSUPPORTED);
    assert_says("sharer 4294967295: more than 65535 sharers");
}

static dj_pipeline *coherent_pipeline(void)
{
    static const uint64_t block = SMALLEST;
    static const dj_lane_group group = {
        .blocks = &block, .block_count = 1, .partition = DJ_PARTITION_CACHE, .coherent = true};
    static const dj_observer_choice observer = {.ops = &keeper};
    const dj_pipeline_config config = {.engine = dj_engine_find("stack"),
                                       .groups = &group,
                                       .group_count = 1,
                                       .observers = &observer,
                                       .observer_count = 1};
    dj_pipeline *pipeline = NULL;
    keeper.needs = DJ_NEED_PER_ACCESS;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    return pipeline;
}

static void run_round(dj_pipeline *pipeline)
{
    measured_count = 0;
    assert_int_equal(run(pipeline), DJ_OK);
}

// All caches read a block, cache 7 writes it, all read it again: 1024 caches are enough, one more is refused.
static void as_many_caches_as_allowed(void **state)
{
    (void)state;
    enum { EACH = 256 };
    dj_pipeline *pipeline = coherent_pipeline();
    for (uint32_t round = 0; round < 8; round++) {
        for (uint32_t i = 0; i < REQUESTS; i++)
            trace[i] = (request){.size = 1, .sharer = i < EACH ? round % 4 * EACH + i : 7};
        if (round == 3)
            trace[REQUESTS - 1].kind = DJ_KIND_WRITE;
        run_round(pipeline);
        for (uint32_t i = 0; i < REQUESTS; i++) {
            bool cold = i < EACH && (round < 4 || trace[i].sharer != 7);
            assert_int_equal(measured[0][i].distance, cold ? DJ_COLD : 0);
            assert_int_equal(measured[0][i].lost_to, cold && round >= 4 ? 8 : 0);
        }
    }
    trace[REQUESTS - 1].sharer = 1024;
    assert_int_equal(run(pipeline), DJ_ERR_UNSUPPORTED);
    assert_says("more than 1024 coherent caches");
    dj_pipeline_destroy(pipeline);
}

// With few caches and with many: blocks are read, then all are written by cache 0, then read again.
static void many_blocks(void **state)
{
    (void)state;
    enum { ROUNDS = 20 };
    static const uint32_t counts[] = {3, 28, 29, 150};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        dj_pipeline *pipeline = coherent_pipeline();
        for (uint32_t round = 0; round < 3 * ROUNDS; round++) {
            bool write = round / ROUNDS == 1, again = round / ROUNDS == 2;
            for (uint32_t i = 0; i < REQUESTS; i++)
                trace[i] = (request){.address = SMALLEST * (REQUESTS * (round % ROUNDS) + i),
                                     .size = 1,
                                     .sharer = write ? 0 : i % counts[k],
                                     .kind = write ? DJ_KIND_WRITE : DJ_KIND_READ};
            run_round(pipeline);
            for (uint32_t i = 0; i < REQUESTS; i++)
                assert_int_equal(measured[0][i].lost_to, again && trace[i].sharer != 0 ? 1 : 0);
        }
        dj_pipeline_destroy(pipeline);
    }
}

// Without kinds nothing is known to write.
static void warned_without_kinds(void **state)
{
    (void)state;
    const uint64_t block = SMALLEST;
    const dj_lane_group group = {
        .blocks = &block, .block_count = 1, .partition = DJ_PARTITION_CACHE, .coherent = true};
    make_trace(4, 3);
    assert_int_equal(attempt(&group, "stack", false), DJ_OK);
    assert_string_equal(dj_context_warning(context), "");
    batch_columns &= ~(uint32_t)DJ_COLUMN_KIND;
    assert_int_equal(attempt(&group, "stack", false), DJ_OK);
    assert_non_null(strstr(dj_context_warning(context), "does not say which accesses write"));
    batch_columns |= DJ_COLUMN_KIND;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_by_hand),
        cmocka_unit_test(named_in_the_profile),
        cmocka_unit_test(refused_with_the_reason),
        cmocka_unit_test(warned_without_kinds),
        cmocka_unit_test(as_many_caches_as_allowed),
        cmocka_unit_test(many_blocks),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
