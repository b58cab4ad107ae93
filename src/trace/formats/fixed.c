// SPDX-License-Identifier: MIT
// Fixed-width keys and nothing else: u32le, u32be, u64le, u64be.
#include <deja/source.h>

#include <endian.h>

#include "trace/input/input.h"
#include "trace/registry.h"

static int fixed_open(dj_context *context, dj_input *input, const dj_source_options *options, void **state)
{
    (void)context;
    (void)input;
    (void)options;
    *state = NULL;
    return DJ_OK;
}

static void fixed_close(void *state)
{
    (void)state;
}

// Reads up to a batch of keys of `width` bytes into `to`.
static int read_keys(dj_context *context, dj_input *input, dj_batch *batch, unsigned width, void *to)
{
    size_t got = 0;
    int err = dj_input_read(context, input, to, (size_t)DJ_BATCH_CAPACITY * width, &got);
    dj_batch_set_columns(batch, 0);
    batch->count = (uint32_t)(got / width);
    if (err || got % width == 0)
        return err;
    return dj_input_fail_partial_record(context, input, dj_input_offset(input) - got % width, got % width,
                                        width);
}

static int read_u32(dj_context *context, dj_input *input, dj_batch *batch, bool big)
{
    uint64_t *address = dj_batch_writable(batch).address;
    uint32_t *keys = dj_batch_writable(batch).site; // unused column, serves as a buffer
    int err = read_keys(context, input, batch, sizeof *keys, keys);
    for (uint32_t i = 0; i < batch->count; i++)
        address[i] = big ? be32toh(keys[i]) : le32toh(keys[i]);
    return err;
}

static int read_u64(dj_context *context, dj_input *input, dj_batch *batch, bool big)
{
    uint64_t *address = dj_batch_writable(batch).address;
    int err = read_keys(context, input, batch, sizeof *address, address);
    for (uint32_t i = 0; i < batch->count; i++)
        address[i] = big ? be64toh(address[i]) : le64toh(address[i]);
    return err;
}

// Lets the batch point to keys that are in memory in the right form.
static bool borrow_u64le(dj_context *context, dj_input *input, dj_batch *batch)
{
    dj_span span;
    if (__BYTE_ORDER != __LITTLE_ENDIAN || !dj_input_stable(input) ||
        dj_input_peek(context, input, 0, &span) != DJ_OK || (uintptr_t)span.data % _Alignof(uint64_t) != 0)
        return false;
    size_t keys = span.bytes / sizeof(uint64_t);
    batch->count = keys < DJ_BATCH_CAPACITY ? (uint32_t)keys : (uint32_t)DJ_BATCH_CAPACITY;
    batch->column.address = (const uint64_t *)(const void *)span.data;
    dj_input_consume(input, batch->count * sizeof(uint64_t));
    return batch->count > 0;
}

static int read_u32le(void *state, dj_context *context, dj_input *input, dj_batch *batch)
{
    (void)state;
    return read_u32(context, input, batch, false);
}

static int read_u32be(void *state, dj_context *context, dj_input *input, dj_batch *batch)
{
    (void)state;
    return read_u32(context, input, batch, true);
}

static int read_u64le(void *state, dj_context *context, dj_input *input, dj_batch *batch)
{
    (void)state;
    return borrow_u64le(context, input, batch) ? DJ_OK : read_u64(context, input, batch, false);
}

static int read_u64be(void *state, dj_context *context, dj_input *input, dj_batch *batch)
{
    (void)state;
    return read_u64(context, input, batch, true);
}

#define FIXED(format, width, summary, extensions)                                                            \
    const dj_format dj_format_##format = {                                                                   \
        .info = {#format, summary, extensions, DJ_CLASS_KEYS, true},                                         \
        .default_block = 1,                                                                                  \
        .unit_bytes = 0,                                                                                     \
        .record_bytes = width,                                                                               \
        .grows_by = width,                                                                                   \
        .open = fixed_open,                                                                                  \
        .read = read_##format,                                                                               \
        .close = fixed_close,                                                                                \
    }

FIXED(u32le, 4, "32-bit little-endian keys", ".u32le .u32");
FIXED(u32be, 4, "32-bit big-endian keys", ".u32be");
FIXED(u64le, 8, "64-bit little-endian keys", ".u64le .u64");
FIXED(u64be, 8, "64-bit big-endian keys", ".u64be");
