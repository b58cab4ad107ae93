// SPDX-License-Identifier: MIT
// Engine hprda as a replacement if the device does not have enough memory for engine hprda-gpu. A
// smaller fragment would fit the device but yield other estimates.
#include "base/grow.h"
#include "engine/hprda/gpu.h"
#include "engine/registry.h"

#include <stdlib.h>
#include <string.h>

int dj_hprda_fallback_create(dj_hprda_fallback *f, dj_context *context, const dj_hprda_options *options,
                             bool totals)
{
    const dj_engine_params params = {.options = options};
    f->totals = totals;
    int err = totals ? dj_histogram_create(context, &f->counted) : DJ_OK;
    return err ? err : dj_engine_hprda.create(context, &params, &f->engine);
}

void dj_hprda_fallback_free(dj_hprda_fallback *f)
{
    if (f->engine)
        dj_engine_hprda.destroy(f->engine);
    for (size_t i = 0; i < f->held_count; i++)
        free(f->held[i]);
    free(f->held);
    dj_histogram_destroy(f->counted);
    *f = (dj_hprda_fallback){0};
}

// Counts the distances of answered work.
static int count_answered(dj_hprda_fallback *f, dj_context *context)
{
    size_t counted = 0;
    int err = DJ_OK;
    for (dj_work *work = NULL; !err; counted++) {
        uint64_t cold = 0;
        err = dj_engine_hprda.pull(f->engine, context, &work);
        if (err || !work)
            break;
        err = dj_histogram_add_all(f->counted, context, work->distance, work->count, &cold);
        f->cold += cold;
        free(work);
    }
    f->held_count -= counted;
    if (counted > 0)
        memmove(f->held, f->held + counted, f->held_count * sizeof(dj_work *));
    return err;
}

// Copies the work and its keys, with buffers for answers.
static dj_work *copy(const dj_work *work)
{
    dj_work *held = malloc(sizeof *held + 2 * work->count * sizeof(uint64_t));
    if (!held)
        return NULL;
    uint64_t *keys = (uint64_t *)(void *)(held + 1);
    if (work->count > 0)
        memcpy(keys, work->key, work->count * sizeof *keys);
    *held = (dj_work){.count = work->count, .key = keys, .distance = keys + work->count};
    return held;
}

int dj_hprda_fallback_push(dj_hprda_fallback *f, dj_context *context, dj_work *work)
{
    if (!f->totals)
        return dj_engine_hprda.push(f->engine, context, work);
    int err = dj_grow(context, "the work of engine hprda", &f->held, &f->held_capacity, f->held_count + 1,
                      sizeof(dj_work *));
    dj_work *held = err ? NULL : copy(work);
    if (!held)
        return err ? err : dj_fail_memory(context, "the work of engine hprda", work->count * 16);
    f->held[f->held_count++] = held;
    err = dj_engine_hprda.push(f->engine, context, held);
    return err ? err : count_answered(f, context);
}

int dj_hprda_fallback_drain(dj_hprda_fallback *f, dj_context *context)
{
    int err = dj_engine_hprda.drain(f->engine, context);
    return err || !f->totals ? err : count_answered(f, context);
}
