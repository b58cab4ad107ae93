// SPDX-License-Identifier: MIT
// Connects fragments. An exact engine is given, for each fragment, the first accesses to its keys and
// then the last ones, both in order: its answers to the first ones are the exact distances to earlier
// fragments.
#include "engine/hprda/shared.h"
#include "engine/registry.h"

#include <deja/batch.h>
#include <stdlib.h>

void dj_hprda_history_free(dj_hprda_history *h)
{
    if (h->engine)
        h->ops->destroy(h->engine);
    free(h->key);
    free(h->distance);
    free(h->answer);
    *h = (dj_hprda_history){0};
}

static int begin(dj_hprda_history *h, dj_context *context)
{
    const dj_engine_params params = {0};
    if (h->engine)
        return DJ_OK;
    if (!h->ops) {
        h->ops = &dj_engine_fast;
        h->most = DJ_BATCH_CAPACITY;
    }
    int err = h->ops->create(context, &params, &h->engine);
    if (err)
        return err;
    h->key = malloc(h->most * sizeof *h->key);
    h->distance = malloc(h->most * sizeof *h->distance);
    h->answer = malloc(h->most * sizeof *h->answer);
    return h->key && h->distance && h->answer ? DJ_OK : dj_fail_memory(context, "engine hprda", 0);
}

static int tell(dj_hprda_history *h, dj_context *context, const uint64_t *keys, size_t count)
{
    dj_work work = {.count = count, .key = keys, .distance = h->answer}, *answered;
    int err = h->ops->push(h->engine, context, &work);
    int drained = h->ops->drain(h->engine, context); // even after an error, or it would keep the work
    if (!err)
        err = drained;
    return err ? err : h->ops->pull(h->engine, context, &answered);
}

static int flush(dj_hprda_history *h, dj_context *context)
{
    if (h->count == 0)
        return DJ_OK;
    int err = tell(h, context, h->key, h->count);
    for (size_t i = 0; !err && i < h->count; i++)
        *h->distance[i] = h->answer[i];
    h->count = 0;
    return err;
}

// The answer comes now or with the flush.
static int ask(dj_hprda_history *h, dj_context *context, uint64_t key, uint64_t *distance)
{
    h->key[h->count] = key;
    h->distance[h->count++] = distance;
    return h->count == h->most ? flush(h, context) : DJ_OK;
}

int dj_hprda_history_answer(dj_hprda_history *h, dj_context *context, const dj_hprda_parts *parts)
{
    int err = DJ_OK;
    for (size_t p = 0; !err && h->engine && p < parts->count; p++) {
        const dj_work *work = parts->part[p].work;
        size_t from = parts->part[p].from, end = from + parts->part[p].count;
        for (size_t i = from; !err && i < end; i++)
            if (work->distance[i] == DJ_COLD)
                err = ask(h, context, work->key[i], &work->distance[i]);
    }
    return err ? err : flush(h, context);
}

int dj_hprda_history_count(dj_hprda_history *h, dj_context *context, const uint64_t *keys, uint64_t count,
                           dj_histogram *into, uint64_t *cold)
{
    int err = DJ_OK;
    for (uint64_t at = 0; !err && at < count; at += h->most) {
        uint64_t some = count - at < h->most ? count - at : h->most, cold_ones = 0;
        err = tell(h, context, keys + at, some);
        if (!err)
            err = dj_histogram_add_all(into, context, h->answer, some, &cold_ones);
        *cold += cold_ones;
    }
    return err;
}

int dj_hprda_history_add(dj_hprda_history *h, dj_context *context, const uint64_t *keys, uint64_t count)
{
    int err = begin(h, context);
    for (uint64_t at = 0; !err && at < count; at += h->most)
        err = tell(h, context, keys + at, count - at < h->most ? count - at : h->most);
    return err;
}

void dj_hprda_history_stats(const dj_hprda_history *h, dj_engine_stats *out)
{
    *out = (dj_engine_stats){0};
    if (!h->engine)
        return;
    h->ops->stats(h->engine, out);
    uint64_t own = h->most * (sizeof *h->key + sizeof *h->distance + sizeof *h->answer);
    out->bytes += own;
    out->peak_bytes += own;
}
