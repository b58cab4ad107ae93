// SPDX-License-Identifier: MIT
// Runs an engine on a stream, with works divided and pulled at random, and compares everything it
// returns with the answers of another engine.
#ifndef DEJA_TESTS_ENGINE_COMPARE_H
#define DEJA_TESTS_ENGINE_COMPARE_H

#include "support/streams.h"

#include <deja/deja.h>
#include <inttypes.h>
#include <stdio.h>

typedef struct answers {
    size_t count;
    uint32_t use;
    uint64_t *distance, *prev_time, *byte_distance;
    uint32_t *prev_tag;
    dj_order order;
    dj_engine_stats stats;
} answers;

// Where two engines differ; `what` is NULL if they do not.
typedef struct difference {
    const char *what;
    size_t index; // of the access, or of the key in the order
    uint64_t expected, got;
    size_t prefix; // the shortest prefix of the stream that shows it
} difference;

enum { MOST_WORKS = 8192 };

static inline void answers_free(answers *a)
{
    free(a->distance);
    free(a->prev_time);
    free(a->byte_distance);
    free(a->prev_tag);
    dj_order_free(&a->order);
    memset(a, 0, sizeof *a);
}

static inline int answers_allocate(answers *a, size_t count, uint32_t use)
{
    *a = (answers){.count = count, .use = use};
    size_t capacity = count + 1;
    a->distance = malloc(capacity * sizeof *a->distance);
    a->prev_time = malloc(capacity * sizeof *a->prev_time);
    a->byte_distance = malloc(capacity * sizeof *a->byte_distance);
    a->prev_tag = malloc(capacity * sizeof *a->prev_tag);
    if (!a->distance || !a->prev_time || !a->byte_distance || !a->prev_tag)
        return -1;
    // An answer that is never given must not look right.
    memset(a->distance, 0xa5, capacity * sizeof *a->distance);
    memset(a->prev_time, 0xa5, capacity * sizeof *a->prev_time);
    memset(a->byte_distance, 0xa5, capacity * sizeof *a->byte_distance);
    memset(a->prev_tag, 0xa5, capacity * sizeof *a->prev_tag);
    return 0;
}

static inline dj_work make_work(const stream *s, const answers *a, size_t from, size_t count)
{
    dj_work work = {.count = count, .key = s->key + from, .distance = a->distance + from};
    if (s->op && a->use & (DJ_CAN_INVALIDATE | DJ_CAN_REMOVE))
        work.op = s->op + from;
    if (a->use & DJ_CAN_TAGS) {
        work.tag = s->tag + from;
        work.prev_tag = a->prev_tag + from;
    }
    if (a->use & DJ_CAN_TIMES) {
        work.time = s->time + from;
        work.prev_time = a->prev_time + from;
    }
    if (a->use & DJ_CAN_WEIGHTS) {
        work.weight = s->weight + from;
        work.byte_distance = a->byte_distance + from;
    }
    return work;
}

// Pulls what is ready; the works must come back in the order pushed.
static inline const char *pull_ready(const dj_engine_ops *engine, void *state, dj_context *context,
                                     dj_work *works, size_t pushed, size_t *pulled)
{
    for (;;) {
        dj_work *work = NULL;
        if (engine->pull(state, context, &work) != DJ_OK)
            return "an error from pull";
        if (!work)
            return NULL;
        if (*pulled == pushed || work != &works[*pulled])
            return "work out of order";
        ++*pulled;
    }
}

// Work may follow after a drain and a query of the order.
static inline bool drain_and_look(const dj_engine_ops *engine, void *state, dj_context *context)
{
    dj_order order = {0};
    if (engine->drain(state, context) != DJ_OK)
        return false;
    if (engine->can & DJ_CAN_SUMMARY && engine->order(state, context, &order) != DJ_OK)
        return false;
    dj_order_free(&order);
    return true;
}

static inline const char *push_all(const dj_engine_ops *engine, void *state, dj_context *context,
                                   const stream *s, const answers *a, uint64_t rng, dj_work *works)
{
    size_t pushed = 0, pulled = 0;
    // Few works for long streams, so that `works` is large enough.
    size_t largest = random_below(&rng, 2) ? DJ_BATCH_CAPACITY : 1 + random_below(&rng, 100);
    if (largest < a->count / (MOST_WORKS / 8))
        largest = DJ_BATCH_CAPACITY;
    for (size_t at = 0; at < a->count;) {
        size_t count = random_below(&rng, 16) ? 1 + random_below(&rng, largest) : 0;
        if (count > a->count - at || pushed + 1 >= MOST_WORKS)
            count = a->count - at;
        works[pushed] = make_work(s, a, at, count);
        if (engine->push(state, context, &works[pushed]) != DJ_OK)
            return "an error from push";
        pushed++;
        at += count;
        if (random_below(&rng, 32) == 0 && !drain_and_look(engine, state, context))
            return "an error from drain or order";
        const char *wrong =
            random_below(&rng, 3) ? pull_ready(engine, state, context, works, pushed, &pulled) : NULL;
        if (wrong)
            return wrong;
    }
    if (engine->drain(state, context) != DJ_OK)
        return "an error from drain";
    const char *wrong = pull_ready(engine, state, context, works, pushed, &pulled);
    return wrong ? wrong : pulled != pushed ? "work that never came back" : NULL;
}

// The answers of `engine` to the first `count` accesses. Returns NULL, or what went wrong.
static inline const char *answers_get(answers *a, const dj_engine_ops *engine, dj_context *context,
                                      const stream *s, size_t count, uint32_t use, uint64_t seed)
{
    static dj_work works[MOST_WORKS];
    dj_engine_params params = {.use = use, .expected_keys = seed % 5000, .options = engine->default_options};
    if (answers_allocate(a, count, use) != 0)
        return "no memory in the test";
    void *state = NULL;
    if (engine->create(context, &params, &state) != DJ_OK)
        return "an error from create";
    const char *wrong = push_all(engine, state, context, s, a, seed, works);
    if (!wrong && engine->can & DJ_CAN_SUMMARY && engine->order(state, context, &a->order) != DJ_OK)
        wrong = "an error from order";
    if (!wrong)
        engine->stats(state, &a->stats);
    engine->destroy(state);
    return wrong;
}

#define COMPARE_COLUMN(name, left, right, n)                                                                 \
    do {                                                                                                     \
        for (size_t i = 0; i < (n); i++)                                                                     \
            if ((left)[i] != (right)[i])                                                                     \
                return (difference){.what = (name), .index = i, .expected = (left)[i], .got = (right)[i]};   \
    } while (0)

// Compares what both were asked for.
static inline difference answers_compare(const answers *expected, const answers *got)
{
    size_t n = got->count;
    uint32_t use = expected->use & got->use;
    COMPARE_COLUMN("distance", expected->distance, got->distance, n);
    if (use & DJ_CAN_TAGS)
        COMPARE_COLUMN("previous tag", expected->prev_tag, got->prev_tag, n);
    if (use & DJ_CAN_TIMES)
        COMPARE_COLUMN("previous time", expected->prev_time, got->prev_time, n);
    if (use & DJ_CAN_WEIGHTS)
        COMPARE_COLUMN("byte distance", expected->byte_distance, got->byte_distance, n);
    return (difference){0};
}

static inline difference answers_compare_order(const answers *expected, const answers *got)
{
    const dj_order *e = &expected->order, *g = &got->order;
    if (got->stats.keys != expected->stats.keys)
        return (difference){
            .what = "number of keys", .expected = expected->stats.keys, .got = got->stats.keys};
    if (got->stats.bytes == 0 || got->stats.peak_bytes < got->stats.bytes)
        return (difference){.what = "bytes", .expected = got->stats.peak_bytes, .got = got->stats.bytes};
    if (!g->key)
        return (difference){0};
    if (e->count != g->count)
        return (difference){.what = "length of the order", .expected = e->count, .got = g->count};
    COMPARE_COLUMN("key in the order", e->key, g->key, g->count);
    if (e->tag && g->tag)
        COMPARE_COLUMN("tag in the order", e->tag, g->tag, g->count);
    if (e->time && g->time)
        COMPARE_COLUMN("time in the order", e->time, g->time, g->count);
    if (e->weight && g->weight)
        COMPARE_COLUMN("weight in the order", e->weight, g->weight, g->count);
    return (difference){0};
}

// Both engines on the first `count` accesses.
static inline difference compare_prefix(const dj_engine_ops *oracle, const dj_engine_ops *engine,
                                        dj_context *context, const stream *s, size_t count, uint32_t use)
{
    answers expected = {0}, got = {0};
    difference d = {0};
    d.what = answers_get(&expected, oracle, context, s, count, use & oracle->can, s->seed);
    if (!d.what)
        d.what = answers_get(&got, engine, context, s, count, use & engine->can, ~s->seed);
    if (!d.what)
        d = answers_compare(&expected, &got);
    if (!d.what)
        d = answers_compare_order(&expected, &got);
    answers_free(&expected);
    answers_free(&got);
    d.prefix = count;
    return d;
}

// Both engines on the complete stream; a difference is narrowed down to the shortest prefix found by
// halving.
static inline difference compare_engines(const dj_engine_ops *oracle, const dj_engine_ops *engine,
                                         dj_context *context, const stream *s, uint32_t use)
{
    difference worst = compare_prefix(oracle, engine, context, s, s->count, use);
    size_t good = 0;
    while (worst.what && worst.prefix - good > 1) {
        size_t middle = good + (worst.prefix - good) / 2;
        difference d = compare_prefix(oracle, engine, context, s, middle, use);
        if (d.what)
            worst = d;
        else
            good = middle;
    }
    return worst;
}

// Prints to stderr everything needed to reproduce it.
static inline void difference_print(const difference *d, const dj_engine_ops *engine, const stream *s,
                                    uint32_t use)
{
    enum { MOST_KEYS = 64 };
    fprintf(stderr, "engine %s, seed %" PRIu64 " (order %s, keys %s, %zu accesses, use 0x%x): %s\n",
            engine->name, s->seed, s->order, s->keys, s->count, use, d->what);
    fprintf(stderr, "  at %zu of the prefix of %zu: expected %" PRIu64 ", got %" PRIu64 "\n  keys:", d->index,
            d->prefix, d->expected, d->got);
    size_t from = d->prefix > MOST_KEYS ? d->prefix - MOST_KEYS : 0;
    fputs(from ? " …" : "", stderr);
    for (size_t i = from; i < d->prefix; i++)
        fprintf(stderr, " %s%" PRIx64, s->op && s->op[i] ? s->op[i] == DJ_OP_REMOVE ? "-" : "!" : "",
                s->key[i]);
    fputc('\n', stderr);
}

#endif
