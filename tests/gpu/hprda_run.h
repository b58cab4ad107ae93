// SPDX-License-Identifier: MIT
// Engine hprda-gpu on a stream, and hprda, whose answers it must match.
#ifndef DEJA_TESTS_HPRDA_RUN_H
#define DEJA_TESTS_HPRDA_RUN_H

#include "engine/hprda/gpu.h"
#include "engine/registry.h"
#include "support/engine_compare.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

typedef struct trial {
    dj_hprda_gpu_options options;
    size_t drain_every; // this many accesses; 0: only at the end
    uint64_t seed;      // for the divisions
    bool totals;
} trial;

typedef struct outcome {
    uint64_t *distance; // NULL if counted
    dj_histogram *counted;
    uint64_t cold;
    dj_engine_stats stats;
    size_t steps;
    dj_gpu_step step[DJ_GPU_STEPS];
} outcome;

static inline void outcome_free(outcome *o)
{
    free(o->distance);
    dj_histogram_destroy(o->counted);
    *o = (outcome){0};
}

static inline int push_cuts(const dj_engine_ops *engine, void *state, const stream *s, const trial *t,
                            outcome *o, dj_work *works)
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

static inline int run(const dj_engine_ops *engine, const stream *s, const trial *t, outcome *o)
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

static inline void assert_same_distances(const outcome *want, const outcome *got, const stream *s,
                                         const trial *t)
{
    const dj_hprda_options *o = &t->options.common;
    for (size_t i = 0; i < s->count; i++)
        if (want->distance[i] != got->distance[i])
            fail_msg("seed %" PRIu64 " (%s, %s), st %" PRIu64 ", fragment %" PRIu64
                     ", adjust %d: at %zu of %zu %" PRIu64 ", not %" PRIu64,
                     s->seed, s->order, s->keys, o->st, o->fragment, o->adjust, i, s->count, got->distance[i],
                     want->distance[i]);
}

static inline void assert_same_counts(const outcome *want, const outcome *got, const stream *s)
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

// With and without totals.
static inline void assert_same(const stream *s, trial t)
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
}

static inline trial make_trial(uint64_t st, uint64_t fragment, int adjust, uint64_t seed)
{
    return (trial){.options.common = {.threads = 2, .st = st, .fragment = fragment, .adjust = adjust},
                   .seed = seed};
}

#endif
