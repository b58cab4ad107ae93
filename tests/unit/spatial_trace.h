// SPDX-License-Identifier: MIT
// Traces in arrays, measured by the observers `spatial` and `histogram`.
#ifndef DEJA_TESTS_SPATIAL_TRACE_H
#define DEJA_TESTS_SPATIAL_TRACE_H

#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"

enum { SPATIAL_MOST_LANES = 11 };

typedef struct spatial_trace {
    size_t count, capacity;
    uint64_t *address, *size; // NULL: accesses have no size
    uint32_t *device, *place; // likewise
    size_t at;                // position of the source
} spatial_trace;

typedef struct spatial_setup {
    uint64_t blocks[SPATIAL_MOST_LANES];
    size_t block_count;
    bool split;
    const dj_engine_ops *engine; // NULL: the default
    const dj_spatial_cache_size *caches;
    size_t cache_count;
} spatial_setup;

static void check(int err)
{
    if (err)
        fail_msg("%s", dj_context_message(context));
}

static void spatial_trace_free(spatial_trace *t)
{
    free(t->address);
    free(t->size);
    free(t->device);
    free(t->place);
    *t = (spatial_trace){0};
}

// For traces without sizes and devices.
static void spatial_trace_add(spatial_trace *t, uint64_t address)
{
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 1024;
        t->address = realloc(t->address, t->capacity * sizeof *t->address);
        assert_non_null(t->address);
    }
    t->address[t->count++] = address;
}

static int spatial_trace_next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    spatial_trace *t = state;
    *out = NULL;
    if (t->at == t->count)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, (t->size ? DJ_COLUMN_SIZE : 0u) | (t->device ? DJ_COLUMN_DEVICE : 0u) |
                                   (t->place ? DJ_COLUMN_PLACE : 0u));
    // Batches of different sizes, some of them full.
    uint32_t most = t->at % 3 == 0 ? DJ_BATCH_CAPACITY : (uint32_t)(t->at % 1009) + 1;
    for (uint32_t i = 0; i < most && t->at < t->count; i++, t->at++, (*out)->count++) {
        to.address[i] = t->address[t->at];
        if (t->size)
            to.size[i] = t->size[t->at];
        if (t->device)
            to.device[i] = t->device[t->at];
        if (t->place)
            to.place[i] = t->place[t->at];
    }
    return DJ_OK;
}

// Reads the trace from its beginning.
static dj_source *spatial_source(spatial_trace *t)
{
    static const dj_source_ops ops = {.next = spatial_trace_next};
    static const dj_source_info info = {
        .format = "test", .kind = DJ_CLASS_MEMORY, .default_block = 64, .unit_bytes = 1};
    dj_source *source;
    t->at = 0;
    check(dj_source_create(context, &ops, t, &info, &source));
    return source;
}

static inline dj_profile *spatial_measure(spatial_trace *t, const spatial_setup *setup)
{
    const dj_spatial_options options = {setup->caches, setup->cache_count};
    const dj_observer_choice observers[] = {{dj_observer_find("spatial"), &options},
                                            {dj_observer_find("histogram"), NULL}};
    const dj_pipeline_config config = {.engine = setup->engine,
                                       .blocks = setup->blocks,
                                       .block_count = setup->block_count,
                                       .split = setup->split,
                                       .observers = observers,
                                       .observer_count = 2};
    dj_source *source = spatial_source(t);
    dj_pipeline *pipeline;
    dj_profile *profile;
    check(dj_pipeline_create(context, &config, &pipeline));
    check(dj_pipeline_run(pipeline, context, source));
    check(dj_pipeline_finish(pipeline, context, &profile));
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
    return profile;
}

#endif
