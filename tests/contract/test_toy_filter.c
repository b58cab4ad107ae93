// SPDX-License-Identifier: MIT
// The example of docs/adding-a-filter.md, outside src: filters that remove accesses, that fill and that end,
// compared with an LRU stack that is searched from the top; and one that is refused.
#include <deja/deja.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/context.h"

// Counts every Nth access, at most `most` of them.
typedef struct every_options {
    uint64_t step, most; // 0: all
} every_options;

static const dj_option every_table[] = {
    {"every", 0, DJ_OPTION_UINT, offsetof(every_options, step), "N", "count only every Nth access", NULL},
    {"most", 0, DJ_OPTION_UINT, offsetof(every_options, most), "N", "end after N of them", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const every_options every_defaults = {1, 0};

static void every_describe(const void *options, char *text, size_t capacity)
{
    const every_options *o = options;
    text[0] = 0;
    if (o->step > 1 && o->most == 0)
        snprintf(text, capacity, "one access in %" PRIu64, o->step);
    else if (o->most > 0)
        snprintf(text, capacity, "one access in %" PRIu64 ", up to %" PRIu64, o->step, o->most);
}

typedef struct every {
    uint64_t step, left, seen;
    bool wanted;       // the current access
    uint32_t ended_at; // position in the current batch after the last wanted access
} every;

static int every_create(dj_context *where, const dj_filter_setup *setup, void **state)
{
    const every_options *o = setup->options;
    if (o->step == 0)
        return dj_fail(where, DJ_ERR_USAGE, "--every: 0 is not a step; give 1 or more");
    every *e = calloc(1, sizeof *e);
    if (!e)
        return dj_fail_memory(where, "a filter", sizeof *e);
    e->step = o->step;
    e->left = o->most ? o->most : UINT64_MAX;
    *state = e;
    return DJ_OK;
}

static int every_judge(void *state, dj_context *where, const dj_batch *batch, uint8_t *verdicts)
{
    (void)where;
    every *e = state;
    const uint8_t *continuation = batch->column.continuation;
    e->ended_at = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!continuation || !continuation[i]) { // the pieces of one access stay together
            e->wanted = e->seen++ % e->step == 0 && e->left > 0;
            e->left -= e->wanted;
        }
        if (e->wanted)
            e->ended_at = i + 1;
        else
            verdicts[i] = DJ_VERDICT_ABSENT;
    }
    return DJ_OK;
}

static bool every_ended(const void *state, uint32_t *from)
{
    const every *e = state;
    *from = e->ended_at;
    return e->left == 0 && !e->wanted; // another piece of the last access may follow
}

static const dj_filter_ops every_filter = {
    .name = "every",
    .summary = "one access in N",
    .options = every_table,
    .options_bytes = sizeof(every_options),
    .default_options = &every_defaults,
    .verdicts = 1u << DJ_VERDICT_ABSENT,
    .by_position = true,
    .describe = every_describe,
    .create = every_create,
    .destroy = free,
    .judge = every_judge,
    .ended = every_ended,
};

// Writes fill the stack, and only the others are counted.
static int create_nothing(dj_context *where, const dj_filter_setup *setup, void **state)
{
    (void)where, (void)setup;
    *state = NULL;
    return DJ_OK;
}

static void written_describe(const void *options, char *text, size_t capacity)
{
    (void)options;
    snprintf(text, capacity, "writes only fill");
}

static uint32_t written_columns(const void *options)
{
    (void)options;
    return DJ_COLUMN_KIND;
}

static int written_judge(void *state, dj_context *where, const dj_batch *batch, uint8_t *verdicts)
{
    (void)state;
    const uint8_t *kind = batch->column.kind;
    if (!kind && batch->count > 0)
        return dj_fail(where, DJ_ERR_UNSUPPORTED, "the trace does not record which accesses are writes");
    for (uint32_t i = 0; i < batch->count; i++)
        if (kind[i] == DJ_KIND_WRITE && verdicts[i] == DJ_VERDICT_COUNT)
            verdicts[i] = DJ_VERDICT_FILL;
    return DJ_OK;
}

static const dj_filter_ops written_filter = {
    .name = "written",
    .summary = "writes fill the stack and are not counted",
    .verdicts = 1u << DJ_VERDICT_FILL,
    .describe = written_describe,
    .columns = written_columns,
    .create = create_nothing,
    .destroy = free,
    .judge = written_judge,
};

// The trace: what the pipeline gets, and what brute force computes.
enum { ACCESSES = 400, PIECES = 4 * ACCESSES, LANES = 3, GROUPS = 4, SMALLEST = 2 };

typedef struct access_row {
    uint64_t address, size;
    uint8_t kind;
} access_row;

static access_row trace[ACCESSES];
static uint64_t seed;
static const uint64_t blocks[LANES] = {SMALLEST, 4, 12};

static uint64_t roll(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % below;
}

static void make_trace(uint64_t number)
{
    seed = number;
    const uint64_t range = number % 3 == 0 ? 8 : 300;
    for (uint32_t i = 0; i < ACCESSES; i++)
        trace[i] = (access_row){roll(range), 1 + roll(5), (uint8_t)roll(3)};
}

// The naive stack: the most recent block first.
static uint64_t stack[PIECES];
static size_t stack_count;

static uint64_t touch(uint64_t key)
{
    size_t at = 0;
    while (at < stack_count && stack[at] != key)
        at++;
    uint64_t distance = at < stack_count ? at : DJ_COLD;
    stack_count += at == stack_count;
    memmove(stack + 1, stack, at * sizeof stack[0]);
    stack[0] = key;
    return distance;
}

typedef struct wanted {
    uint64_t distance[PIECES];
    uint64_t pieces, accesses, cold, distinct;
} wanted;

// Which group has which filters: none, every, written, every and then written.
static uint8_t verdict_of(size_t group, uint32_t access, const every_options *o)
{
    const bool steps = group == 1 || group == 3, fills = group >= 2;
    if (steps && (access % o->step != 0 || (o->most && access / o->step >= o->most)))
        return DJ_VERDICT_ABSENT;
    return fills && trace[access].kind == DJ_KIND_WRITE ? DJ_VERDICT_FILL : DJ_VERDICT_COUNT;
}

static void brute_force(size_t group, uint64_t block, const every_options *o, wanted *out)
{
    stack_count = 0;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const uint8_t verdict = verdict_of(group, i, o);
        const uint64_t last = (trace[i].address + trace[i].size - 1) / SMALLEST;
        for (uint64_t piece = trace[i].address / SMALLEST; piece <= last; piece++) {
            uint64_t *distance = &out->distance[out->pieces++];
            *distance = DJ_ABSENT;
            if (verdict == DJ_VERDICT_ABSENT)
                continue;
            uint64_t answer = touch(piece * SMALLEST / block);
            if (verdict == DJ_VERDICT_FILL)
                continue;
            *distance = answer;
            out->accesses++;
            out->cold += answer == DJ_COLD;
        }
    }
    out->distinct = stack_count;
}

// The trace as a source, in batches of any size.
typedef struct reader {
    uint32_t at, columns;
} reader;

static int next_batch(void *state, dj_context *where, dj_pool *pool, dj_batch **out)
{
    reader *r = state;
    *out = NULL;
    if (r->at == ACCESSES)
        return DJ_OK;
    int err = dj_pool_take(where, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    const uint64_t most = roll(40);
    for (; r->at < ACCESSES && (*out)->count < most; r->at++) {
        const uint32_t i = (*out)->count++;
        to.address[i] = trace[r->at].address;
        to.size[i] = trace[r->at].size;
        to.kind[i] = trace[r->at].kind;
    }
    dj_batch_set_columns(*out, r->columns);
    return DJ_OK;
}

static void close_nothing(void *state)
{
    (void)state;
}

static int run_trace(dj_pipeline *pipeline, reader *from)
{
    static const dj_source_ops ops = {.next = next_batch, .close = close_nothing};
    const dj_source_info info = {.format = "toy", .default_block = SMALLEST, .unit_bytes = 1};
    dj_source *source = NULL;
    int err = dj_source_create(context, &ops, from, &info, &source);
    if (!err)
        err = dj_pipeline_run(pipeline, context, source);
    dj_source_close(source);
    return err;
}

static uint64_t kept[GROUPS * LANES][PIECES];
static uint64_t kept_count;

static int keep_create(dj_context *where, const dj_setup *setup, void **state)
{
    assert_true(setup->lane_count <= GROUPS * LANES);
    kept_count = 0;
    return create_nothing(where, NULL, state);
}

static int keep_see(void *state, dj_context *where, const dj_view *view)
{
    (void)state, (void)where;
    for (uint32_t lane = 0; lane < view->lane_count; lane++)
        memcpy(kept[lane] + kept_count, view->lanes[lane].distance, view->batch->count * sizeof kept[0][0]);
    kept_count += view->batch->count;
    return DJ_OK;
}

static int keep_finish(void *state, dj_context *where, dj_profile *profile)
{
    (void)state, (void)where, (void)profile;
    return DJ_OK;
}

static const dj_observer_ops keeper = {
    .name = "keep",
    .summary = "every distance",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS,
    .create = keep_create,
    .destroy = free,
    .see = keep_see,
    .finish = keep_finish,
};

static void compare_lane(const dj_lane_profile *lane, const uint64_t *distances, const wanted *want)
{
    uint64_t reuses = 0;
    assert_int_equal(lane->accesses, want->accesses);
    assert_int_equal(lane->cold, want->cold);
    assert_int_equal(lane->distinct, want->distinct);
    if (distances) {
        assert_int_equal(kept_count, want->pieces);
        assert_memory_equal(distances, want->distance, want->pieces * sizeof *distances);
    }
    for (uint64_t value = 0, n; (n = dj_histogram_next(lane->distance, &value)) != 0; value++, reuses += n) {
        uint64_t expected = 0;
        for (uint64_t i = 0; i < want->pieces; i++)
            expected += want->distance[i] == value;
        assert_int_equal(n, expected);
    }
    assert_int_equal(reuses, want->accesses - want->cold);
}

static void measure(const dj_engine_ops *engine, const every_options *options, bool every_access)
{
    const dj_filter_choice both[] = {{&every_filter, options}, {&written_filter, NULL}};
    const dj_lane_group groups[GROUPS] = {{blocks, LANES, NULL, 0, DJ_PARTITION_NONE, 0, false},
                                          {blocks, LANES, both, 1, DJ_PARTITION_NONE, 0, false},
                                          {blocks, LANES, both + 1, 1, DJ_PARTITION_NONE, 0, false},
                                          {blocks, LANES, both, 2, DJ_PARTITION_NONE, 0, false}};
    const dj_observer_choice observers[] = {{dj_observer_find("histogram"), NULL}, {&keeper, NULL}};
    const dj_pipeline_config config = {.engine = engine,
                                       .groups = groups,
                                       .group_count = GROUPS,
                                       .split = true,
                                       .observers = observers,
                                       .observer_count = every_access ? 2 : 1};
    reader from = {.columns = DJ_COLUMN_SIZE | DJ_COLUMN_KIND};
    static wanted want;
    dj_pipeline *pipeline = NULL;
    dj_profile *profile = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(run_trace(pipeline, &from), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    assert_int_equal(profile->lane_count, GROUPS * LANES);
    for (size_t i = 0; i < profile->lane_count; i++) {
        brute_force(i / LANES, blocks[i % LANES], options, &want);
        compare_lane(&profile->lanes[i], every_access ? kept[i] : NULL, &want);
    }
    assert_string_equal(dj_lane_filter(&profile->lanes[0]), "");
    assert_string_equal(dj_lane_filter(&profile->lanes[2 * LANES]), "writes only fill");
    if (options->step == 3 && options->most == 0)
        assert_string_equal(dj_lane_filter(&profile->lanes[3 * LANES]), "one access in 3, writes only fill");
    dj_profile_destroy(profile);
    dj_pipeline_destroy(pipeline);
}

static void as_brute_force_on_every_engine(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 12; number++)
        for (size_t i = 0; i < dj_engine_count(); i++) {
            const dj_engine_ops *engine = dj_engine_get(i);
            if (engine->find_device || !(engine->can & DJ_CAN_EXACT))
                continue;
            const every_options options = {2 + number % 2, number % 4 < 2 ? 0 : 10 * number};
            make_trace(number);
            measure(engine, &options, engine->can & DJ_CAN_PER_ACCESS);
            measure(engine, &options, false);
        }
}

static int run_with(const dj_filter_choice *filter, reader *from, dj_profile **out)
{
    const dj_lane_group group = {.blocks = blocks, .block_count = 1, .filters = filter, .filter_count = 1};
    const dj_observer_choice observer = {dj_observer_find("histogram"), NULL};
    const dj_pipeline_config config = {
        .groups = &group, .group_count = 1, .observers = &observer, .observer_count = 1};
    dj_pipeline *pipeline = NULL;
    make_trace(5);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    int err = run_trace(pipeline, from);
    if (!err)
        err = dj_pipeline_finish(pipeline, context, out);
    dj_pipeline_destroy(pipeline);
    return err;
}

// If the only group has ended, the rest of the trace is not read.
static void what_has_ended_reads_no_more(void **state)
{
    (void)state;
    const every_options options = {.step = 3, .most = 50};
    reader from = {.columns = 0};
    dj_profile *profile = NULL;
    assert_int_equal(run_with(&(dj_filter_choice){&every_filter, &options}, &from, &profile), DJ_OK);
    assert_in_range(from.at, 49 * 3 + 1, 49 * 3 + 1 + 2 * 40);
    assert_int_equal(profile->lanes[0].accesses, 50);
    assert_string_equal(dj_lane_filter(&profile->lanes[0]), "one access in 3, up to 50");
    dj_profile_destroy(profile);
}

static void assert_refused(const dj_filter_ops *ops, const void *options, bool summarize, int err,
                           const char *why)
{
    const dj_filter_choice filter = {ops, options};
    const dj_lane_group group = {.blocks = blocks, .block_count = 1, .filters = &filter, .filter_count = 1};
    const dj_pipeline_config config = {
        .engine = dj_engine_find("count"), .groups = &group, .group_count = 1, .summarize = summarize};
    dj_pipeline *pipeline = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), err);
    assert_non_null(strstr(dj_context_message(context), why));
    assert_null(pipeline);
}

static void refused_when_made(void **state)
{
    (void)state;
    dj_filter_ops removing = written_filter;
    removing.name = "removing";
    removing.verdicts = 1u << DJ_VERDICT_INVALIDATE;
    assert_refused(&removing, NULL, false, DJ_ERR_UNSUPPORTED,
                   "needs invalidated blocks, which engine 'count' cannot provide");
    const every_options none = {0, 0};
    assert_refused(&every_filter, &none, false, DJ_ERR_USAGE, "--every: 0 is not a step");
    // Filters that fill or depend on earlier accesses cannot be joined from parts.
    assert_refused(&every_filter, NULL, true, DJ_ERR_UNSUPPORTED, "filter every (one access in N)");
    assert_refused(&written_filter, NULL, true, DJ_ERR_UNSUPPORTED, "filter written");
}

static void refused_on_the_way(void **state)
{
    (void)state;
    dj_profile *none = NULL;
    reader plain = {.columns = 0}, whole = {.columns = DJ_COLUMN_KIND};
    assert_int_equal(run_with(&(dj_filter_choice){&written_filter, NULL}, &plain, &none), DJ_ERR_UNSUPPORTED);
    assert_non_null(strstr(dj_context_message(context), "does not record which accesses are writes"));
    // A filter may only use the verdicts that it declares.
    dj_filter_ops silent = written_filter;
    silent.verdicts = 1u << DJ_VERDICT_ABSENT;
    assert_int_equal(run_with(&(dj_filter_choice){&silent, NULL}, &whole, &none), DJ_ERR_UNSUPPORTED);
    assert_non_null(strstr(dj_context_message(context), "fills but does not declare that verdict"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_brute_force_on_every_engine),
        cmocka_unit_test(what_has_ended_reads_no_more),
        cmocka_unit_test(refused_when_made),
        cmocka_unit_test(refused_on_the_way),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
