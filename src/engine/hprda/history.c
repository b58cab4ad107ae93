// SPDX-License-Identifier: MIT
// Connects fragments. An exact engine is given, for each fragment, the first accesses to its keys and
// then the last ones, both in order: its answers to the first ones are the exact distances to earlier
// fragments.
#include "engine/hprda/shared.h"
#include "engine/registry.h"

#include <deja/batch.h>
#include <stdlib.h>

void dj_hprda_history_free(dj_hprda_history *c)
{
    if (c->engine)
        c->ops->destroy(c->engine);
    free(c->key);
    free(c->distance);
    free(c->answer);
    *c = (dj_hprda_history){0};
}

static int begin(dj_hprda_history *c, dj_context *context)
{
    const dj_engine_params params = {0};
    if (c->engine)
        return DJ_OK;
    if (!c->ops) {
        c->ops = &dj_engine_fast;
        c->most = DJ_BATCH_CAPACITY;
    }
    int err = c->ops->create(context, &params, &c->engine);
    if (err)
        return err;
    c->key = malloc(c->most * sizeof *c->key);
    c->distance = malloc(c->most * sizeof *c->distance);
    c->answer = malloc(c->most * sizeof *c->answer);
    return c->key && c->distance && c->answer ? DJ_OK : dj_fail_memory(context, "engine hprda", 0);
}

static int tell(dj_hprda_history *c, dj_context *context, const uint64_t *keys, size_t count)
{
    dj_work work = {.count = count, .key = keys, .distance = c->answer}, *answered;
    int err = c->ops->push(c->engine, context, &work);
    int drained = c->ops->drain(c->engine, context); // even after an error, or it would keep the work
    if (!err)
        err = drained;
    return err ? err : c->ops->pull(c->engine, context, &answered);
}

static int flush(dj_hprda_history *c, dj_context *context)
{
    if (c->count == 0)
        return DJ_OK;
    int err = tell(c, context, c->key, c->count);
    for (size_t i = 0; !err && i < c->count; i++)
        *c->distance[i] = c->answer[i];
    c->count = 0;
    return err;
}

// The answer comes now or with the flush.
static int ask(dj_hprda_history *c, dj_context *context, uint64_t key, uint64_t *distance)
{
    c->key[c->count] = key;
    c->distance[c->count++] = distance;
    return c->count == c->most ? flush(c, context) : DJ_OK;
}

int dj_hprda_history_answer(dj_hprda_history *c, dj_context *context, const dj_hprda_parts *parts)
{
    int err = DJ_OK;
    for (size_t p = 0; !err && c->engine && p < parts->count; p++) {
        const dj_work *work = parts->part[p].work;
        size_t from = parts->part[p].from, end = from + parts->part[p].count;
        for (size_t i = from; !err && i < end; i++)
            if (work->distance[i] == DJ_COLD)
                err = ask(c, context, work->key[i], &work->distance[i]);
    }
    return err ? err : flush(c, context);
}

int dj_hprda_history_count(dj_hprda_history *c, dj_context *context, const uint64_t *keys, uint64_t count,
                           dj_histogram *into, uint64_t *cold)
{
    int err = DJ_OK;
    for (uint64_t at = 0; !err && at < count; at += c->most) {
        uint64_t some = count - at < c->most ? count - at : c->most, cold_ones = 0;
        err = tell(c, context, keys + at, some);
        if (!err)
            err = dj_histogram_add_all(into, context, c->answer, some, &cold_ones);
        *cold += cold_ones;
    }
    return err;
}

int dj_hprda_history_add(dj_hprda_history *c, dj_context *context, const uint64_t *keys, uint64_t count)
{
    int err = begin(c, context);
    for (uint64_t at = 0; !err && at < count; at += c->most)
        err = tell(c, context, keys + at, count - at < c->most ? count - at : c->most);
    return err;
}

void dj_hprda_history_stats(const dj_hprda_history *c, dj_engine_stats *out)
{
    *out = (dj_engine_stats){0};
    if (!c->engine)
        return;
    c->ops->stats(c->engine, out);
    uint64_t own = c->most * (sizeof *c->key + sizeof *c->distance + sizeof *c->answer);
    out->bytes += own;
    out->peak_bytes += own;
}
