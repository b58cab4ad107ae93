// SPDX-License-Identifier: MIT
// Keys of fixed width and nothing else: u32le, u32be, u64le, u64be.
#include "trace/sink/sink.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixed {
    dj_sink_buffer buffer;
    bool lossy;
    uint64_t written;
} fixed;

static int create(dj_context *context, const dj_sink_setup *setup, void **state)
{
    fixed *f = calloc(1, sizeof *f);
    if (!f)
        return dj_fail_memory(context, "a sink", 0);
    f->lossy = setup->options->lossy;
    int err = dj_sink_buffer_create(context, &setup->output, &f->buffer);
    if (err)
        free(f);
    else
        *state = f;
    return err;
}

static int finish(void *state, dj_context *context)
{
    return dj_sink_buffer_flush(&((fixed *)state)->buffer, context);
}

static void destroy(void *state)
{
    fixed *f = state;
    dj_sink_buffer_free(&f->buffer);
    free(f);
}

static int write_u64(fixed *f, dj_context *context, const dj_batch *batch, bool big)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        uint64_t key = big ? htobe64(batch->column.address[i]) : htole64(batch->column.address[i]);
        int err = dj_sink_buffer_reserve(&f->buffer, context, sizeof key);
        if (err)
            return err;
        memcpy(f->buffer.data + f->buffer.used, &key, sizeof key);
        f->buffer.used += sizeof key;
    }
    return DJ_OK;
}

static int check_u32(const fixed *f, dj_context *context, const dj_batch *batch, const char *name)
{
    for (uint32_t i = 0; !f->lossy && i < batch->count; i++)
        if (batch->column.address[i] > UINT32_MAX)
            return dj_fail(
                context, DJ_ERR_USAGE,
                "access %llu has key %llu, which does not fit into the 32 bits of %s; write u64le or "
                "deja, or truncate it with --lossy",
                (unsigned long long)(f->written + i), (unsigned long long)batch->column.address[i], name);
    return DJ_OK;
}

static int write_u32(fixed *f, dj_context *context, const dj_batch *batch, bool big)
{
    int err = check_u32(f, context, batch, big ? "u32be" : "u32le");
    for (uint32_t i = 0; !err && i < batch->count; i++) {
        uint32_t key = (uint32_t)batch->column.address[i];
        key = big ? htobe32(key) : htole32(key);
        err = dj_sink_buffer_reserve(&f->buffer, context, sizeof key);
        if (err)
            return err;
        memcpy(f->buffer.data + f->buffer.used, &key, sizeof key);
        f->buffer.used += sizeof key;
    }
    f->written += batch->count;
    return err;
}

static int write_u32le(void *state, dj_context *context, const dj_batch *batch)
{
    return write_u32(state, context, batch, false);
}

static int write_u32be(void *state, dj_context *context, const dj_batch *batch)
{
    return write_u32(state, context, batch, true);
}

static int write_u64le(void *state, dj_context *context, const dj_batch *batch)
{
    return write_u64(state, context, batch, false);
}

static int write_u64be(void *state, dj_context *context, const dj_batch *batch)
{
    return write_u64(state, context, batch, true);
}

#define FIXED(format, summary, extensions)                                                                   \
    const dj_sink_ops dj_sink_##format = {                                                                   \
        .info = {#format, summary, extensions, 0, false},                                                    \
        .create = create,                                                                                    \
        .write = write_##format,                                                                             \
        .finish = finish,                                                                                    \
        .destroy = destroy,                                                                                  \
    }

FIXED(u32le, "32-bit little-endian keys", ".u32le .u32");
FIXED(u32be, "32-bit big-endian keys", ".u32be");
FIXED(u64le, "64-bit little-endian keys", ".u64le .u64");
FIXED(u64be, "64-bit big-endian keys", ".u64be");
