// SPDX-License-Identifier: MIT
// Engine hprda-gpu against hprda, which unit/test_hprda holds against the paper: the
// same estimates, access by access and counted, whatever the sizes, and the same
// again where the device has too little memory.
#include "engine/hprda_gpu.h"
#include "engine/registry.h"
#include "gpu/emulate/emulate.h"
#include "support/engine_compare.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

typedef struct trial {
    dj_hprda_gpu_options options;
    size_t drain_every; // so many accesses; 0: at the end alone
    uint64_t seed;      // of the cuts
    bool totals;
} trial;

typedef struct outcome {
    uint64_t *distance; // NULL when counted
    dj_histogram *counted;
    uint64_t cold;
    dj_engine_stats stats;
    size_t steps;
    dj_gpu_step step[DJ_GPU_STEPS];
} outcome;

static void outcome_free(outcome *o)
{
    free(o->distance);
    dj_histogram_destroy(o->counted);
    *o = (outcome){0};
}

static int push_cuts(const dj_engine_ops *engine, void *state, const stream *s, const trial *t, outcome *o,
                     dj_work *works)
{
    uint64_t rng = t->seed;
    size_t pushed = 0, pulled = 0, since = 0, largest = 1 + random_below(&rng, 3 * DJ_BATCH_CAPACITY);
    int err = DJ_OK;
    for (size_t at = 0; !err && at < s->count;) {
        size_t length = random_below(&rng, largest);
        length = length > s->count - at || pushed + 1 == MOST_WORKS ? s->count - at : length;
        if (t->drain_every && length > t->drain_every - since)
            length = t->drain_every - since;
        works[pushed] = (dj_work){.count = length, .key = s->key + at};
        works[pushed].distance = o->distance ? o->distance + at : NULL;
        err = engine->push(state, context, &works[pushed++]);
        at += length;
        since += length;
        if (!err && since == t->drain_every && since > 0) {
            err = engine->drain(state, context);
            since = 0;
        }
        if (!err)
            assert_null(pull_ready(engine, state, context, works, pushed, &pulled));
    }
    if (!err)
        err = engine->drain(state, context);
    if (!err) {
        assert_null(pull_ready(engine, state, context, works, pushed, &pulled));
        assert_int_equal(pulled, pushed);
    }
    return err;
}

static int run(const dj_engine_ops *engine, const stream *s, const trial *t, outcome *o)
{
    static dj_work works[MOST_WORKS];
    const dj_engine_params params = {.use = t->totals ? DJ_CAN_TOTALS : 0, .options = &t->options};
    void *state = NULL;
    *o = (outcome){0};
    if (!t->totals) {
        o->distance = malloc((s->count + 1) * sizeof *o->distance);
        assert_non_null(o->distance);
        memset(o->distance, 0xa5, (s->count + 1) * sizeof *o->distance);
    }
    int err = engine->create(context, &params, &state);
    if (!err)
        err = push_cuts(engine, state, s, t, o, works);
    if (!err && t->totals) {
        assert_int_equal(dj_histogram_create(context, &o->counted), DJ_OK);
        err = engine->totals(state, context, o->counted, &o->cold);
    }
    if (!err)
        engine->stats(state, &o->stats);
    if (!err && engine == &dj_engine_hprda_gpu)
        o->steps = dj_hprda_gpu_steps(state, o->step);
    if (state)
        engine->destroy(state);
    return err;
}

static void assert_same_distances(const outcome *want, const outcome *got, const stream *s, const trial *t)
{
    const dj_hprda_options *o = &t->options.common;
    for (size_t i = 0; i < s->count; i++)
        if (want->distance[i] != got->distance[i])
            fail_msg("seed %" PRIu64 " (%s, %s), st %" PRIu64 ", fragment %" PRIu64
                     ", adjust %d: at %zu of %zu %" PRIu64 ", not %" PRIu64,
                     s->seed, s->order, s->keys, o->st, o->fragment, o->adjust, i, s->count, got->distance[i],
                     want->distance[i]);
}

static void assert_same_counts(const outcome *want, const outcome *got, const stream *s)
{
    dj_histogram *counted = NULL;
    uint64_t cold = 0, v = 0, w = 0, n = 0, m = 0;
    assert_int_equal(dj_histogram_create(context, &counted), DJ_OK);
    assert_int_equal(dj_histogram_add_all(counted, context, want->distance, s->count, &cold), DJ_OK);
    do {
        n = dj_histogram_next(counted, &v);
        m = dj_histogram_next(got->counted, &w);
        if (n != m || (n != 0 && v != w))
            fail_msg("seed %" PRIu64 " (%s, %s): %" PRIu64 " of distance %" PRIu64 ", not %" PRIu64
                     " of distance %" PRIu64,
                     s->seed, s->order, s->keys, m, w, n, v);
        v++;
        w++;
    } while (n != 0);
    assert_int_equal(got->cold, cold);
    dj_histogram_destroy(counted);
}

// Both ways to ask.
static void assert_same(const stream *s, trial t)
{
    outcome want, got;
    assert_int_equal(run(&dj_engine_hprda, s, &t, &want), DJ_OK);
    assert_int_equal(run(&dj_engine_hprda_gpu, s, &t, &got), DJ_OK);
    assert_same_distances(&want, &got, s, &t);
    assert_int_equal(got.stats.keys, want.stats.keys);
    outcome_free(&got);
    t.totals = true;
    assert_int_equal(run(&dj_engine_hprda_gpu, s, &t, &got), DJ_OK);
    assert_same_counts(&want, &got, s);
    assert_int_equal(got.stats.keys, want.stats.keys);
    outcome_free(&want);
    outcome_free(&got);
    assert_int_equal(dj_emulated_held(), 0);
}

static trial make_trial(uint64_t st, uint64_t fragment, int adjust, uint64_t seed)
{
    return (trial){.options.common = {.threads = 2, .st = st, .fragment = fragment, .adjust = adjust},
                   .seed = seed};
}

static void test_small(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 7, 16, 31, 33, 100},
                          fragments[] = {1, 5, 63, 64, 65, 333, 1000, 5000, 1 << 16};
    for (uint64_t seed = 1; seed <= 216; seed++) {
        stream s;
        trial t = make_trial(sizes[seed % 8], fragments[seed / 8 % 9], (int)(seed % 3), seed);
        assert_int_equal(stream_make_random(&s, seed * 32452843), 0);
        s.count = s.count < 3000 ? s.count : 3000;
        s.count = t.options.common.fragment < 63 && s.count > 300 ? 300 : s.count;
        t.drain_every = seed % 5 == 0 ? 1 + seed : 0;
        t.options.few = seed % 12 == 0 ? 50 : UINT64_MAX; // engine gpu takes a while to begin
        dj_emulated_backwards(seed % 2);
        dj_emulated_late(seed % 4 / 2);
        assert_same(&s, t);
        stream_free(&s);
    }
    dj_emulated_backwards(false);
    dj_emulated_late(false);
}

// Pieces around the size where local arrays leave shared memory, and where their sums begin; several
// blocks of pieces; fragments that end in the middle of one.
static void test_large(void **state)
{
    (void)state;
    static const struct {
        uint64_t st, fragment;
        size_t count;
    } choices[] = {{2048, 1 << 20, 150000}, {2049, 140000, 150000},    {2047, 1 << 20, 30000},
                   {5000, 40000, 100000},   {1 << 20, 1 << 20, 60000}, {256, 50000, 60000},
                   {64, 4096, 40000},       {1025, 70000, 70000}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        for (size_t order = i % 2; order < sizeof stream_orders / sizeof *stream_orders; order += 4) {
            stream s;
            assert_int_equal(stream_make(&s, order + 31 * i, &stream_orders[order], &stream_key_kinds[i % 3],
                                         choices[i].count, 9000),
                             0);
            assert_same(&s, make_trial(choices[i].st, choices[i].fragment, (int)((i + order) % 3), i));
            stream_free(&s);
        }
}

// More than one buffer on the way to the device and back.
static void test_buffers(void **state)
{
    (void)state;
    stream s;
    assert_int_equal(stream_make(&s, 3, &stream_orders[6], &stream_key_kinds[0], (3 << 18) + 4321, 5000), 0);
    assert_same(&s, make_trial(2048, 1 << 21, DJ_HPRDA_PAPER, 3));
    stream_free(&s);
}

// The same answers from the processors, and a word about it.
static void test_too_little_memory(void **state)
{
    (void)state;
    stream s;
    trial t = make_trial(100, 3000, DJ_HPRDA_PAPER, 5);
    assert_int_equal(stream_make(&s, 9, &stream_orders[0], &stream_key_kinds[0], 20000, 700), 0);
    dj_emulated_memory(50000);
    assert_string_equal(dj_context_warning(context), "");
    assert_same(&s, t);
    assert_non_null(strstr(dj_context_warning(context), "engine hprda"));
    t.drain_every = 1000;
    assert_same(&s, t);
    dj_emulated_memory(UINT64_C(1) << 40);
    stream_free(&s);
}

static void test_bytes_are_enough(void **state)
{
    (void)state;
    for (uint64_t fragment = 1; fragment < 2000000; fragment = fragment * 3 + 1)
        for (int totals = 0; totals < 2; totals++) {
            const dj_gpu_hprda_config config = {.fragment = fragment, .st = 3000, .totals = totals};
            dj_gpu_hprda *gpu = NULL;
            assert_int_equal(dj_gpu_hprda_open(context, &config, &gpu), DJ_OK);
            assert_true(dj_emulated_used() <= dj_gpu_hprda_bytes(&config));
            assert_true(dj_emulated_used() > 0);
            dj_gpu_hprda_close(gpu);
        }
    const dj_gpu_hprda_config paper = {.fragment = 1 << 26, .st = 2048, .totals = true};
    assert_true(dj_gpu_hprda_bytes(&paper) < (UINT64_C(57) << 26));
}

// Whichever call fails, it is told, nothing is left behind, and no work is lost in the device.
static void test_every_failure(void **state)
{
    (void)state;
    enum { UNKNOWN = 999 }; // cudaErrorUnknown
    stream s;
    trial t = make_trial(50, 700, DJ_HPRDA_ALWAYS, 5);
    assert_int_equal(stream_make(&s, 9, &stream_orders[0], &stream_key_kinds[0], 1500, 300), 0);
    for (int totals = 0; totals < 2; totals++) {
        size_t failures = 0;
        int err = DJ_ERR_DEVICE;
        t.totals = totals;
        t.options.few = totals ? 0 : UINT64_MAX;
        for (uint64_t after = 0; err; after += totals ? 9 : 1) {
            outcome o;
            dj_emulated_fail(after, UNKNOWN);
            err = run(&dj_engine_hprda_gpu, &s, &t, &o);
            dj_emulated_fail(0, 0);
            assert_true(!err || err == DJ_ERR_DEVICE);
            failures += err != 0;
            outcome_free(&o);
            assert_int_equal(dj_emulated_held(), 0);
        }
        assert_true(failures > 30);
    }
    stream_free(&s);
}

static void test_absent(void **state)
{
    (void)state;
    void *engine = NULL;
    const dj_engine_params params = {0};
    dj_emulated_absent(true);
    assert_int_equal(dj_engine_hprda_gpu.find(context), DJ_ERR_DEVICE);
    assert_int_equal(dj_engine_hprda_gpu.create(context, &params, &engine), DJ_ERR_DEVICE);
    assert_null(engine);
    dj_emulated_absent(false);
    assert_int_equal(dj_engine_hprda_gpu.find(context), DJ_OK);
}

static void test_steps(void **state)
{
    (void)state;
    stream s;
    outcome o;
    trial t = make_trial(64, 20000, DJ_HPRDA_PAPER, 5);
    t.totals = true;
    assert_int_equal(stream_make(&s, 9, &stream_orders[0], &stream_key_kinds[0], 30000, 300), 0);
    assert_int_equal(run(&dj_engine_hprda_gpu, &s, &t, &o), DJ_OK);
    assert_int_equal(o.steps, 0);
    outcome_free(&o);
    t.options.timed = true;
    assert_int_equal(run(&dj_engine_hprda_gpu, &s, &t, &o), DJ_OK);
    assert_int_equal(o.steps, 5);
    assert_string_equal(o.step[1].name, "local analysis");
    assert_string_equal(o.step[4].name, "adjustment");
    for (size_t i = 0; i < o.steps; i++)
        assert_true(o.step[i].seconds >= 0 && o.step[i].bytes > 0);
    outcome_free(&o);
    stream_free(&s);
}

static void test_options_are_checked(void **state)
{
    (void)state;
    static const dj_hprda_gpu_options bad[] = {{.common = {1, 0, 100, 0}},
                                               {.common = {1, UINT64_C(1) << 40, 100, 0}},
                                               {.common = {1, 10, 0, 0}},
                                               {.common = {1, 10, UINT64_C(1) << 33, 0}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        void *engine = NULL;
        const dj_engine_params params = {.options = &bad[i]};
        assert_int_equal(dj_engine_hprda_gpu.create(context, &params, &engine), DJ_ERR_USAGE);
        assert_null(engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_bytes_are_enough),
        cmocka_unit_test(test_every_failure),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_options_are_checked),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
