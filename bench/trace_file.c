// SPDX-License-Identifier: MIT
// A trace from a file as keys in memory: the block in which each access begins.
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "pipeline/lanes/keyer.h"

static int reserve(dj_context *context, bench_trace *trace, size_t *capacity, size_t more)
{
    if (*capacity - trace->count >= more)
        return DJ_OK;
    size_t wanted = 2 * *capacity + more;
    uint64_t *keys = realloc(trace->keys, wanted * sizeof *keys);
    if (!keys)
        return dj_fail_memory(context, "the keys of a trace", wanted * sizeof *keys);
    trace->keys = keys;
    *capacity = wanted;
    return DJ_OK;
}

static int add_batch(dj_context *context, dj_keyer *keyer, const dj_batch *batch, bench_trace *trace,
                     size_t *capacity)
{
    const uint64_t *keys = NULL;
    int err = reserve(context, trace, capacity, batch->count);
    if (err != DJ_OK)
        return err;
    uint64_t *to = trace->keys + trace->count;
    err = dj_keyer_keys(keyer, context, batch, to, &keys);
    if (err != DJ_OK)
        return err;
    if (keys != to)
        memcpy(to, keys, batch->count * sizeof *to);
    trace->count += batch->count;
    return DJ_OK;
}

int bench_trace_read(dj_context *context, const char *path, uint64_t accesses, uint64_t block,
                     bench_trace *out)
{
    const dj_source_options options = {0};
    const char *slash = strrchr(path, '/');
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    dj_keyer keyer;
    size_t capacity = 0;
    int err = dj_source_open(context, &path, 1, &options, &source);
    if (err != DJ_OK)
        return err;
    *out = (bench_trace){.name = slash ? slash + 1 : path, .description = dj_source_get_info(source)->format};
    dj_keyer_init(&keyer, block ? block : dj_source_get_info(source)->default_block);
    while (out->count < accesses) {
        err = dj_source_next(source, context, &batch);
        if (err != DJ_OK || !batch)
            break;
        err = add_batch(context, &keyer, batch, out, &capacity);
        dj_batch_release(batch);
        if (err != DJ_OK)
            break;
    }
    dj_source_close(source);
    if (err == DJ_OK && out->count == 0)
        err = dj_fail(context, DJ_ERR_INPUT, "%s: there are no accesses", path);
    if (out->count > accesses)
        out->count = accesses;
    return err;
}
