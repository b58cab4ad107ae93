// SPDX-License-Identifier: MIT
// Traces of sharers as in section 4.1 of Jiang and others 2010: an LRU stack, from which the datum at a
// random depth is accessed; and their distances in a shared cache by brute force.
#ifndef TESTS_UNIT_MODEL_CORUN_TRACE_H
#define TESTS_UNIT_MODEL_CORUN_TRACE_H

#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum { CORUN_DATA = 1000, CORUN_SHARERS = 16 };

typedef struct corun_trace {
    uint64_t *keys;
    size_t count;
    dj_profile *profile;
    const dj_joint_sharer *joint;
    dj_histogram *shared; // distances in the shared cache
    uint64_t cold;
} corun_trace;

static inline double corun_normal(dj_random *random)
{
    const double u = 1 - dj_random_real(random), v = dj_random_real(random);
    return sqrt(-2 * log(u)) * cos(6.28318530717958647693 * v);
}

// `r`andom, `e`xponential or `n`ormal.
static inline size_t corun_depth(dj_random *random, char distribution, size_t data)
{
    for (;;) {
        double at = distribution == 'r'   ? dj_random_real(random) * (double)data
                    : distribution == 'e' ? log(1 - dj_random_real(random)) / log(0.97)
                                          : 100.5 + 33 * corun_normal(random);
        if (at >= 0 && at < (double)data)
            return (size_t)at;
    }
}

// Data 0 … shared - 1 are those of all sharers.
static inline void corun_generate(corun_trace *t, uint64_t seed, char distribution, size_t count, size_t data,
                                  size_t shared, size_t number)
{
    dj_random random;
    uint64_t stack[CORUN_DATA];
    dj_random_seed(&random, seed);
    for (size_t i = 0; i < data; i++)
        stack[i] = i < shared ? i : CORUN_DATA * (number + 1) + i;
    for (size_t i = data; i-- > 1;) {
        const size_t k = (size_t)dj_random_below(&random, i + 1);
        const uint64_t key = stack[i];
        stack[i] = stack[k];
        stack[k] = key;
    }
    *t = (corun_trace){.keys = malloc(count * sizeof *t->keys), .count = count};
    for (size_t i = 0; i < count; i++) {
        const size_t depth = corun_depth(&random, distribution, data);
        t->keys[i] = stack[depth];
        memmove(stack + 1, stack, depth * sizeof *stack);
        stack[0] = t->keys[i];
    }
}

static inline void corun_profile(corun_trace *t)
{
    static const uint64_t block = 1;
    const dj_observer_choice observer = {dj_observer_find("joint"), NULL};
    const dj_pipeline_config config = {
        .blocks = &block, .block_count = 1, .observers = &observer, .observer_count = 1};
    const dj_source_options format = {.format = "u64le"};
    dj_pipeline *pipeline = NULL;
    dj_source *source = NULL;
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(
        dj_source_open_memory(context, t->keys, t->count * sizeof *t->keys, "sharer", &format, &source),
        DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &t->profile), DJ_OK);
    dj_source_close(source);
    dj_pipeline_destroy(pipeline);
    t->joint = &dj_lane_joint(&t->profile->lanes[0])->rows[0];
}

static inline void corun_free(corun_trace *t)
{
    free(t->keys);
    dj_profile_destroy(t->profile);
    dj_histogram_destroy(t->shared);
}

// The sharer whose access is next: at random, or the one whose next access is due first.
static inline size_t corun_next(const corun_trace *traces, const double *speeds, size_t count,
                                const size_t *at, dj_random *random)
{
    double sum = 0, best = INFINITY;
    size_t chosen = count;
    for (size_t i = 0; i < count; i++)
        sum += at[i] < traces[i].count ? speeds[i] : 0;
    double left = random ? dj_random_real(random) * sum : 0;
    for (size_t i = 0; i < count; i++) {
        if (at[i] == traces[i].count)
            continue;
        if (random && (left -= speeds[i]) < 0)
            return i;
        const double due = (double)(at[i] + 1) / speeds[i];
        if (random || due < best - 1e-9) {
            best = due;
            chosen = i;
        }
    }
    return chosen;
}

// Measures the distances of all in one cache. `random`: NULL for an order in proportion to the speeds.
static inline void corun_measure(corun_trace *traces, const double *speeds, size_t count, dj_random *random)
{
    static uint64_t stack[CORUN_DATA * CORUN_SHARERS];
    size_t at[CORUN_SHARERS] = {0}, size = 0;
    for (size_t i = 0; i < count; i++) {
        dj_histogram_destroy(traces[i].shared);
        traces[i].cold = 0;
        assert_int_equal(dj_histogram_create(context, &traces[i].shared), DJ_OK);
    }
    for (size_t next; (next = corun_next(traces, speeds, count, at, random)) < count;) {
        const uint64_t key = traces[next].keys[at[next]++];
        size_t depth = 0;
        while (depth < size && stack[depth] != key)
            depth++;
        if (depth < size)
            assert_int_equal(dj_histogram_add(traces[next].shared, context, depth, 1), DJ_OK);
        else
            traces[next].cold++;
        size += depth == size;
        memmove(stack + 1, stack, depth * sizeof *stack);
        stack[0] = key;
    }
}

#endif
