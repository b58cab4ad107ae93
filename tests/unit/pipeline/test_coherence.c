// SPDX-License-Identifier: MIT
// Lanes partitioned by cache: against real caches of every capacity, for any number of sharers, sharers per
// cache, block sizes and cuts into batches, coherent or not, with filters that fill and invalidate. An
// access hits in a cache of C blocks if and only if its distance is below C.
#include <stdio.h>

#include "contract/late_engine.h"
#include "support/sanitized.h"
#include "unit/pipeline/coherent_caches.h"
#include "unit/pipeline/shared_trace.h"

enum {
    SEEDS = 60 / SANITIZED_SHARE,
    BLOCKS = MEMORY / SMALLEST + 2,
    CAPACITIES = BLOCKS + 1,
    GROUPS = 8,
    SIZES = 3,
};

static answer expected[LANES_MOST][PIECES];
static bool have_times;

// Fetches are absent, others invalidate, some reads only fill.
static int judge(void *state, dj_context *where, const dj_batch *batch, uint8_t *verdicts)
{
    (void)state, (void)where;
    for (uint32_t i = 0; i < batch->count; i++) {
        uint8_t kind = batch->column.kind[i];
        if (kind == DJ_KIND_FETCH)
            verdicts[i] = DJ_VERDICT_ABSENT;
        else if (kind == DJ_KIND_OTHER)
            verdicts[i] = DJ_VERDICT_INVALIDATE;
        else if (batch->column.site[i] % 4 == 0)
            verdicts[i] = DJ_VERDICT_FILL;
    }
    return DJ_OK;
}

static uint8_t verdict_of(const piece *p, bool filtered)
{
    return !filtered                  ? DJ_VERDICT_COUNT
           : p->kind == DJ_KIND_FETCH ? DJ_VERDICT_ABSENT
           : p->kind == DJ_KIND_OTHER ? DJ_VERDICT_INVALIDATE
           : p->site % 4 == 0         ? DJ_VERDICT_FILL
                                      : DJ_VERDICT_COUNT;
}

static void describe(const void *options, char *text, size_t capacity)
{
    (void)options;
    snprintf(text, capacity, "some");
}

static const dj_filter_ops toy_filter = {
    .name = "toy",
    .summary = "all verdicts",
    .verdicts = 1u << DJ_VERDICT_ABSENT | 1u << DJ_VERDICT_FILL | 1u << DJ_VERDICT_INVALIDATE,
    .describe = describe,
    .create = create_nothing,
    .destroy = free,
    .judge = judge,
};

// What one cache knows about one block.
typedef struct knowledge {
    bool held, had;
    uint64_t time;
    uint32_t site;
} knowledge;

static knowledge known[CACHES_MOST][BLOCKS];
static uint32_t last_writer[BLOCKS]; // 1 + row
static uint64_t cache_times[CACHES_MOST];
static uint32_t rows[CACHES_MOST], row_count; // 1 + row; 0: not seen yet

static void forget_everything(void)
{
    empty_caches();
    memset(known, 0, sizeof known);
    memset(last_writer, 0, sizeof last_writer);
    memset(cache_times, 0, sizeof cache_times);
    memset(rows, 0, sizeof rows);
    row_count = 0;
}

static void write_block(uint32_t by, uint64_t block)
{
    last_writer[block] = rows[by];
    for (uint32_t other = 0; other < CACHES_MOST; other++)
        if (other != by && rows[other]) {
            invalidate_block(other, block, CAPACITIES);
            known[other][block].held = false;
        }
}

static answer answer_of(const piece *p, uint32_t cache, uint64_t block, bool coherent, uint8_t verdict)
{
    answer a = {.distance = DJ_ABSENT, .verdict = verdict};
    knowledge *k = &known[cache][block];
    bool ordered = true;
    if (!rows[cache])
        rows[cache] = ++row_count;
    a.row = rows[cache] - 1;
    if (verdict == DJ_VERDICT_INVALIDATE) {
        invalidate_block(cache, block, CAPACITIES);
        *k = (knowledge){0};
    }
    if (verdict == DJ_VERDICT_ABSENT || verdict == DJ_VERDICT_INVALIDATE)
        return a;
    uint32_t misses = access_caches(cache, block, CAPACITIES, &ordered);
    assert_true(ordered);
    a.distance = misses < CAPACITIES ? misses : DJ_COLD;
    a.lost_to = k->had && !k->held ? last_writer[block] : 0;
    a.prev_time = k->held ? k->time : DJ_COLD;
    a.prev_tag = k->held ? k->site : 0;
    *k = (knowledge){true, true, cache_times[cache]++, p->site};
    if (coherent && (p->kind == DJ_KIND_WRITE || p->kind == DJ_KIND_MODIFY))
        write_block(cache, block);
    return a;
}

static void expect(uint32_t lane, uint64_t block, const dj_lane_group *group)
{
    const uint32_t per = group->sharers_per_cache ? group->sharers_per_cache : 1;
    forget_everything();
    for (uint32_t i = 0; i < piece_count; i++) {
        const uint32_t cache = group->partition == DJ_PARTITION_CACHE ? pieces[i].sharer / per : 0;
        expected[lane][i] = answer_of(&pieces[i], cache, pieces[i].address / block, group->coherent,
                                      verdict_of(&pieces[i], group->filter_count > 0));
    }
}

static void compare(uint32_t lane, bool first, const char *engine, uint64_t seed)
{
    assert_int_equal(measured_count, piece_count);
    for (uint32_t i = 0; i < piece_count; i++) {
        const answer *want = &expected[lane][i], *have = &measured[lane][i];
        bool same = want->distance == have->distance && want->row == have->row &&
                    want->lost_to == have->lost_to && want->verdict == have->verdict;
        if (have_times && dj_verdict_accesses(want->verdict))
            same = same && want->prev_time == have->prev_time && (!first || want->prev_tag == have->prev_tag);
        if (!same)
            fail_msg("engine %s, seed %llu, lane %u, access %u: distance %lld, not %lld; lost to %u, not %u; "
                     "time %lld, not %lld; tag %u, not %u",
                     engine, (unsigned long long)seed, lane, i, (long long)have->distance,
                     (long long)want->distance, have->lost_to, want->lost_to, (long long)have->prev_time,
                     (long long)want->prev_time, have->prev_tag, want->prev_tag);
    }
}

static void measure_and_compare(const dj_engine_ops *engine, const dj_lane_group *groups, uint64_t seed)
{
    const dj_observer_choice observers[] = {{.ops = &keeper}, {.ops = dj_observer_find("histogram")}};
    keeper.needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS;
    have_times = seed % 2;
    if (have_times)
        keeper.needs |= DJ_NEED_TAGS | DJ_NEED_TIMES;
    const dj_pipeline_config config = {.engine = engine,
                                       .groups = groups,
                                       .group_count = GROUPS,
                                       .split = true,
                                       .observers = observers,
                                       .observer_count = 2,
                                       .observer_threads = (unsigned)(seed / 2 % 3)};
    dj_pipeline *pipeline = NULL;
    if (dj_pipeline_create(context, &config, &pipeline) || run(pipeline))
        fail_msg("%s", dj_context_message(context));
    dj_pipeline_destroy(pipeline);
    uint32_t lane = 0;
    for (uint32_t g = 0; g < GROUPS; g++)
        for (uint32_t k = 0; k < groups[g].block_count; k++)
            compare(lane++, k == 0, engine->name, seed);
}

// With and without folding of repeats by the pipeline.
static void with_every_engine(const dj_lane_group *groups, uint64_t seed)
{
    const dj_engine_ops *engines[] = {dj_engine_find("stack"), dj_engine_find("tree"), dj_engine_find("fast"),
                                      late_engine()};
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        for (int folds = 0; folds < 2; folds++) {
            dj_engine_ops engine = *engines[i];
            engine.folds = folds || engine.folds;
            batch_seed = 10 * seed + i;
            measure_and_compare(&engine, groups, seed + i);
        }
}

static void every_cache_of_every_size(void **state)
{
    (void)state;
    static const uint64_t sizes[][SIZES] = {{4, 8, 32}, {4, 12, 36}, {4, 16, 64}};
    static const uint32_t sharers[] = {1, 2, 3, 5, 8, 2, 64, 65, 4, 70}, per[] = {1, 2, 3, ALL_SHARERS};
    const dj_filter_choice filter = {.ops = &toy_filter};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const uint64_t *blocks = sizes[seed % 3];
        const uint32_t some = per[seed / 10 % 4];
        make_trace(seed, sharers[seed % 10]);
        dj_lane_group groups[GROUPS] = {
            {.partition = DJ_PARTITION_NONE},
            {.partition = DJ_PARTITION_CACHE},
            {.partition = DJ_PARTITION_CACHE, .coherent = true},
            {.partition = DJ_PARTITION_CACHE, .sharers_per_cache = some, .coherent = true},
            {.partition = DJ_PARTITION_CACHE, .sharers_per_cache = some},
            {.partition = DJ_PARTITION_CACHE, .sharers_per_cache = some, .coherent = true, .filter_count = 1},
            {.partition = DJ_PARTITION_NONE, .filter_count = 1},
            {.partition = DJ_PARTITION_CACHE, .filter_count = 1},
        };
        for (uint32_t g = 0, lane = 0; g < GROUPS; g++) {
            groups[g].blocks = blocks;
            groups[g].block_count = 1 + (seed + g) % SIZES;
            groups[g].filters = &filter;
            for (uint32_t k = 0; k < groups[g].block_count; k++)
                expect(lane++, blocks[k], &groups[g]);
        }
        with_every_engine(groups, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cache_of_every_size),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
