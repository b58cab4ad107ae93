// SPDX-License-Identifier: MIT
// Fixed memory: at every moment, distances are those of a sample at the rate of that moment, as if it had
// been the rate from the beginning. The number of keys stays within what the memory allows.
#include <deja/deja.h>

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/sample.h"
#include "filter/sample_options.h"
#include "pipeline/budget.h"
#include "support/context.h"

enum { ACCESSES = 800000, KEYS = 3000000, LANES = 2, SEED = 9, BATCH = 5000, DEVICES = 3 };

static uint64_t address[ACCESSES];
static uint32_t device[ACCESSES];

// What the lanes answered.
typedef struct answer {
    uint64_t distance[LANES];
    unsigned weight_log2; // UNSEEN: not shown, since no lane sees it
} answer;
enum { UNSEEN = 99 };
static answer answers[ACCESSES], *recorded;

typedef struct reader {
    size_t at, count;
    bool devices;
} reader;

static int next(void *state, dj_context *where, dj_pool *pool, dj_batch **out)
{
    reader *r = state;
    *out = NULL;
    if (r->at == r->count)
        return DJ_OK;
    int err = dj_pool_take(where, pool, out);
    if (err)
        return err;
    const dj_batch_buffers to = dj_batch_writable(*out);
    const size_t left = r->count - r->at;
    (*out)->count = left < BATCH ? (uint32_t)left : BATCH;
    dj_batch_set_columns(*out, r->devices ? DJ_COLUMN_DEVICE : 0);
    memcpy(to.address, address + r->at, (*out)->count * sizeof *address);
    memcpy(to.device, device + r->at, (*out)->count * sizeof *device);
    r->at += (*out)->count;
    return DJ_OK;
}

// Otherwise accesses that are not in the sample may be left out.
static bool all_are_needed;

static bool needs_all(void *state, const dj_batch *batch)
{
    (void)state;
    (void)batch;
    return all_are_needed;
}

static int create(dj_context *where, const dj_setup *setup, void **state)
{
    (void)where;
    (void)setup;
    *state = NULL;
    return DJ_OK;
}

static void destroy(void *state)
{
    (void)state;
}

static int see(void *state, dj_context *where, const dj_view *view)
{
    (void)state;
    (void)where;
    for (uint32_t i = 0; i < view->batch->count; i++) {
        answer *a = &recorded[dj_batch_time(view->batch, i)];
        a->weight_log2 = view->lanes[0].weight_log2;
        for (uint32_t lane = 0; lane < view->lane_count; lane++)
            a->distance[lane] = view->lanes[lane].distance[i];
    }
    return DJ_OK;
}

static int finish(void *state, dj_context *where, dj_profile *profile)
{
    (void)state;
    (void)where;
    (void)profile;
    return DJ_OK;
}

static dj_observer_ops recorder = {.name = "recorder",
                                   .summary = "records",
                                   .needs = DJ_NEED_PER_ACCESS,
                                   .create = create,
                                   .destroy = destroy,
                                   .needs_all = needs_all,
                                   .see = see,
                                   .weighs = true,
                                   .bounded = true,
                                   .finish = finish};

static const uint64_t blocks[LANES] = {1, 4};
static uint64_t keys_seen;
static dj_pipeline *watched;

static bool look(void *user)
{
    (void)user;
    dj_engine_stats stats;
    dj_pipeline_stats(watched, &stats);
    keys_seen = stats.keys > keys_seen ? stats.keys : keys_seen;
    return false;
}

static int make(const dj_sample_options *values, const char *engine, uint32_t lanes)
{
    const dj_filter_choice filter = {dj_filter_find("sample"), values};
    const dj_lane_group group = {
        .blocks = blocks + LANES - lanes, .block_count = lanes, .filters = &filter, .filter_count = 1};
    const dj_observer_choice observers[] = {
        {&recorder, NULL}, {dj_observer_find("histogram"), NULL}, {dj_observer_find("sample"), NULL}};
    const dj_pipeline_config config = {.groups = &group,
                                       .group_count = 1,
                                       .engine = dj_engine_find(engine),
                                       .observers = observers,
                                       .observer_count = 3,
                                       .pause = look};
    return dj_pipeline_create(context, &config, &watched);
}

static dj_profile *run(const dj_sample_options *values, const char *engine, bool devices, uint32_t lanes,
                       size_t count, answer *to)
{
    static const dj_source_ops ops = {.next = next, .close = free};
    static const dj_source_info info = {.format = "test", .kind = DJ_CLASS_KEYS, .default_block = 1};
    reader *r = calloc(1, sizeof *r);
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    assert_non_null(r);
    *r = (reader){.count = count, .devices = devices};
    recorded = to;
    for (size_t i = 0; i < ACCESSES; i++)
        to[i] = (answer){{DJ_ABSENT, DJ_ABSENT}, UNSEEN};
    keys_seen = 0;
    assert_int_equal(dj_source_create(context, &ops, r, &info, &source), DJ_OK);
    assert_int_equal(make(values, engine, lanes), DJ_OK);
    assert_int_equal(dj_pipeline_run(watched, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(watched, context, &profile), DJ_OK);
    dj_pipeline_destroy(watched);
    dj_source_close(source);
    return profile;
}

// Keys by Zipf's law, roughly, so that there are reuses at all distances; block 0 is among them.
static void make_trace(uint64_t seed)
{
    dj_random r;
    dj_random_seed(&r, seed);
    for (size_t i = 0; i < ACCESSES; i++) {
        const double u = (double)(dj_random_next(&r) >> 11) * 0x1p-53;
        address[i] = (uint64_t)(exp(u * log(KEYS)) - 1) * 4 + dj_random_next(&r) % 16;
        device[i] = (uint32_t)(dj_random_next(&r) % DEVICES);
        if (dj_random_next(&r) % 2)
            address[i] = 4 * (KEYS + dj_random_next(&r) % KEYS);
    }
}

static uint64_t rounded(uint64_t distance)
{
    // By the definition: a multiple of the power of two that leaves 12 binary digits, the nearest one.
    const double size = (double)distance + 1, unit = exp2(floor(log2(size)) - 11);
    return distance == DJ_COLD || distance == DJ_ABSENT || unit <= 1
               ? distance
               : (uint64_t)(floor(size / unit + 0.5) * unit) - 1;
}

// Compares with samples at fixed rates, by another engine.
static void compare_rates(bool devices, uint32_t lanes, unsigned first, unsigned last)
{
    static answer fixed[ACCESSES];
    for (unsigned log2 = first; log2 <= last; log2++) {
        char rate[32];
        snprintf(rate, sizeof rate, "%.17g", exp2(-(double)log2));
        const dj_sample_options values = {rate, SEED, NULL};
        size_t here = 0;
        dj_profile_destroy(run(&values, "tree", devices, lanes, ACCESSES, fixed));
        for (size_t i = 0; i < ACCESSES; i++) {
            if (answers[i].weight_log2 != log2)
                continue;
            here++;
            for (uint32_t lane = 0; lane < lanes; lane++) {
                const uint64_t want = log2 ? rounded(fixed[i].distance[lane]) : fixed[i].distance[lane];
                if (answers[i].distance[lane] != want)
                    fail_msg("devices %d, lane %u of %u, rate 2^-%u, access %zu: %" PRIu64 ", not %" PRIu64,
                             devices, lane, lanes, log2, i, answers[i].distance[lane], want);
            }
        }
        assert_true(here > 0);
    }
}

static dj_budget budget_of(uint64_t bytes, const char *engine, uint32_t lanes)
{
    const dj_budget_task task = {
        .engine = dj_engine_find(engine), .params = {.use = DJ_CAN_REMOVE}, .lanes = lanes};
    dj_budget budget;
    assert_int_equal(dj_budget_make(context, bytes, &task, &budget), DJ_OK);
    return budget;
}

static void check(bool devices, uint32_t lanes, const char *memory, const char *rate, unsigned first)
{
    const dj_sample_options values = {rate, SEED, memory};
    const dj_budget budget = budget_of((uint64_t)atoi(memory) << 20, "fast", lanes);
    make_trace(lanes + devices);
    all_are_needed = !devices;
    dj_profile *profile = run(&values, "fast", devices, lanes, ACCESSES, answers);
    const dj_sample *sample = dj_lane_sample(&profile->lanes[0]);
    unsigned last = first;
    assert_non_null(sample);
    assert_false(profile->provenance.exact);
    assert_int_equal(answers[0].weight_log2, first);
    for (size_t i = 1; i < ACCESSES; i++)
        if (answers[i].weight_log2 != UNSEEN) {
            assert_true(answers[i].weight_log2 >= last);
            last = answers[i].weight_log2;
        }
    assert_true(last >= first + 2);
    assert_int_equal(sample->weight_log2, last);
    assert_int_equal(sample->first_log2, first);
    assert_int_equal(sample->memory, budget.bytes);
    assert_true(profile->lanes[0].id.sampling == exp2(-(double)last));
    assert_in_range(keys_seen, 1, budget.most_keys);
    assert_true(budget.exact_keys <= budget.sampled_keys && budget.sampled_keys < budget.most_keys);
    dj_profile_destroy(profile);
    compare_rates(devices, lanes, first, last);
}

static void test_as_fixed_rates(void **state)
{
    (void)state;
    check(false, 1, "28M", NULL, 0);
    check(true, 1, "28M", NULL, 0);
    check(false, 2, "48M", NULL, 0);
    check(true, 2, "48M", NULL, 0);
    check(false, 1, "28M", "50%", 1);
}

// Each access counts with the weight of its moment, and the sum of all is the number of accesses.
static void test_weights(void **state)
{
    (void)state;
    const dj_sample_options values = {NULL, SEED, "28M"};
    uint64_t cold = 0;
    make_trace(1);
    dj_profile *profile = run(&values, "fast", false, 1, ACCESSES, answers);
    const dj_lane_profile *lane = &profile->lanes[0];
    for (size_t i = 0; i < ACCESSES; i++)
        cold += answers[i].distance[0] == DJ_COLD ? UINT64_C(1) << answers[i].weight_log2 : 0;
    assert_int_equal(lane->cold, cold);
    assert_int_equal(lane->distinct, cold);
    assert_int_equal(lane->cold + dj_histogram_sum(lane->distance, 0, UINT64_MAX), ACCESSES);
    for (uint64_t size = 200; size < 4 * KEYS; size += size / 5) {
        const uint64_t at = rounded(size - 1) + 1; // sizes between which no distance is rounded
        uint64_t misses = 0;
        for (size_t i = 0; i < ACCESSES; i++)
            if (answers[i].distance[0] != DJ_ABSENT && rounded(answers[i].distance[0]) >= at)
                misses += UINT64_C(1) << answers[i].weight_log2;
        assert_int_equal(lane->cold + dj_histogram_sum(lane->distance, at, UINT64_MAX), misses);
    }
    dj_profile_destroy(profile);
}

// As long as everything fits, the result is exact, to the last bit, and there is no trace of a sample.
static void test_exact_if_it_fits(void **state)
{
    (void)state;
    const dj_sample_options limited = {NULL, SEED, "28M"}, all = {"100%", SEED, NULL};
    static answer exact[ACCESSES];
    const size_t count = budget_of(28 << 20, "fast", 1).exact_keys;
    make_trace(4);
    dj_profile *a = run(&limited, "fast", false, 1, count, answers),
               *b = run(&all, "tree", false, 1, count, exact);
    assert_true(a->provenance.exact);
    assert_true(a->lanes[0].id.sampling == 1);
    assert_string_equal(dj_lane_filter(&a->lanes[0]), "");
    assert_string_equal(a->provenance.filter, "");
    assert_null(dj_lane_sample(&a->lanes[0]));
    assert_int_equal(a->lanes[0].cold, b->lanes[0].cold);
    assert_memory_equal(answers, exact, count * sizeof *exact);
    for (uint64_t v = 0, w = 0, n = 1; n != 0; v++, w++) {
        n = dj_histogram_next(a->lanes[0].distance, &v);
        assert_int_equal(dj_histogram_next(b->lanes[0].distance, &w), n);
        assert_int_equal(n ? v : 0, n ? w : 0);
    }
    dj_profile_destroy(a);
    dj_profile_destroy(b);
}

static void refuses(const dj_sample_options *values, const char *engine, enum dj_err err, const char *why)
{
    assert_int_equal(make(values, engine, 1), err);
    if (!strstr(dj_context_message(context), why))
        fail_msg("%s", dj_context_message(context));
}

static void test_refusals(void **state)
{
    (void)state;
    refuses(&(dj_sample_options){NULL, 0, "28M"}, "parallel", DJ_ERR_UNSUPPORTED,
            "engine 'parallel' cannot drop keys");
    refuses(&(dj_sample_options){NULL, 0, "28M"}, "shadow", DJ_ERR_UNSUPPORTED,
            "engine 'shadow' cannot drop keys");
    refuses(&(dj_sample_options){NULL, 0, "1M"}, "fast", DJ_ERR_USAGE, "the least that works is");
    refuses(&(dj_sample_options){NULL, 0, "0"}, "fast", DJ_ERR_USAGE, "no memory");
    refuses(&(dj_sample_options){NULL, 0, "many"}, "fast", DJ_ERR_USAGE, "not a size");
    recorder.bounded = false;
    refuses(&(dj_sample_options){NULL, 0, "28M"}, "fast", DJ_ERR_UNSUPPORTED, "in fixed memory");
    recorder.bounded = true;
    // The least that works is what it says.
    assert_int_equal(make(&(dj_sample_options){NULL, 0, "1M"}, "fast", 1), DJ_ERR_USAGE);
    char least[32];
    assert_int_equal(sscanf(strstr(dj_context_message(context), "works is ") + 9, "%31s", least), 1);
    assert_int_equal(make(&(dj_sample_options){NULL, 0, least}, "fast", 1), DJ_OK);
    dj_pipeline_destroy(watched);
    char less[32];
    snprintf(less, sizeof less, "%dM", atoi(least) - 1);
    refuses(&(dj_sample_options){NULL, 0, less}, "fast", DJ_ERR_USAGE, least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_fixed_rates),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_exact_if_it_fits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
