// SPDX-License-Identifier: MIT
// A generator as a source.
#include "trace/generate/generate.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t pattern_columns(const dj_pattern *pattern)
{
    return (pattern->generator->info.has_kinds ? DJ_COLUMN_KIND | DJ_COLUMN_SITE : 0u) |
           (pattern->options.element_bytes ? DJ_COLUMN_SIZE : 0u);
}

// A single one is a trace without threads.
static bool has_threads(const dj_pattern *pattern)
{
    return pattern->generator->has_threads && pattern->options.sharer == 0;
}

static int add_threads(dj_pattern *pattern, dj_context *context, dj_batch *batch, const uint32_t *thread)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < batch->count; i++) {
        char name[32] = "";
        if (i > 0 && thread[i] == thread[i - 1])
            continue;
        if (thread[i] > pattern->named) {
            snprintf(name, sizeof name, "sharer %u", thread[i]);
            pattern->named = thread[i];
        }
        err = dj_batch_add_event(
            context, batch, &(dj_event){.index = i, .type = DJ_EVENT_THREAD, .a = thread[i], .text = name});
    }
    return err;
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    dj_pattern *pattern = state;
    *out = NULL;
    if (pattern->left == 0)
        return DJ_OK;
    int err = dj_pool_take(context, pool, out);
    if (err != DJ_OK)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    (*out)->count =
        dj_pattern_fill(pattern, DJ_BATCH_CAPACITY, &(dj_generated){to.address, to.kind, to.site, to.sharer});
    uint32_t columns = pattern_columns(pattern);
    if (columns & DJ_COLUMN_SIZE)
        for (uint32_t i = 0; i < (*out)->count; i++)
            to.size[i] = pattern->options.element_bytes;
    dj_batch_set_columns(*out, columns);
    if (has_threads(pattern))
        err = add_threads(pattern, context, *out, to.sharer);
    if (err) {
        dj_batch_release(*out);
        *out = NULL;
    }
    return err;
}

// Counts accesses instead of bytes: only the ratio matters.
static void progress(const void *state, dj_progress *out)
{
    const dj_pattern *pattern = state;
    *out = (dj_progress){.bytes_read = pattern->total - pattern->left, .bytes_total = pattern->total};
}

static void close(void *state)
{
    dj_pattern_close(state);
    free(state);
}

int dj_source_generate(dj_context *context, const char *kind, const dj_generate_options *options,
                       dj_source **out)
{
    static const dj_source_ops ops = {.next = next, .progress = progress, .close = close};
    dj_pattern *pattern = calloc(1, sizeof *pattern);
    if (!pattern)
        return dj_fail_memory(context, "a generator", 0);
    int err = dj_pattern_open_named(context, kind, options, pattern);
    if (err != DJ_OK)
        goto fail;
    bool memory = pattern->options.element_bytes > 0;
    dj_source_info info = {
        .format = pattern->generator->info.name,
        .kind = memory ? DJ_CLASS_MEMORY : DJ_CLASS_KEYS,
        .default_block = memory ? 64 : 1,
        .unit_bytes = memory ? 1 : 0,
        .columns = pattern_columns(pattern),
        .provides = has_threads(pattern) ? DJ_COLUMN_THREAD : 0u,
    };
    err = dj_source_create(context, &ops, pattern, &info, out);
    if (err != DJ_OK)
        goto fail;
    return DJ_OK;
fail:
    dj_pattern_close(pattern);
    free(pattern);
    return err;
}
