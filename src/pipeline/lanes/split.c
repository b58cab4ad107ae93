// SPDX-License-Identifier: MIT
#include "pipeline/lanes/split.h"

#include <inttypes.h>

void dj_splitter_feed(dj_splitter *splitter, dj_batch *batch)
{
    splitter->batch = batch;
    splitter->index = 0;
    splitter->event = 0;
    splitter->rest = 0;
}

void dj_splitter_reset(dj_splitter *splitter)
{
    dj_batch_release(splitter->batch);
    splitter->batch = NULL;
}

static bool any_crosses(const dj_batch *batch, uint64_t block)
{
    const uint64_t *address = batch->column.address;
    const uint64_t *size = batch->column.size;
    uint64_t crossing = 0;
    if ((block & (block - 1)) == 0) {
        uint64_t mask = block - 1;
        for (uint32_t i = 0; i < batch->count; i++)
            crossing |= (uint64_t)(size[i] > block - (address[i] & mask));
    } else {
        for (uint32_t i = 0; i < batch->count; i++)
            crossing |= (uint64_t)(size[i] > block - address[i] % block);
    }
    return crossing != 0;
}

static int begin_access(dj_splitter *splitter, dj_context *context)
{
    const dj_batch *batch = splitter->batch;
    uint64_t address = batch->column.address[splitter->index];
    uint64_t size = batch->column.size[splitter->index];
    uint64_t last = size == 0 ? address : address + (size - 1);
    if (last < address)
        return dj_fail(context, DJ_ERR_INPUT,
                       "access %" PRIu64 ": %" PRIu64 " bytes from address %" PRIu64
                       " run past the end of the address space",
                       batch->first + splitter->index, size, address);
    if (last / splitter->block - address / splitter->block >= DJ_SPLIT_MOST)
        return dj_fail(context, DJ_ERR_INPUT,
                       "access %" PRIu64 ": %" PRIu64 " bytes from address %" PRIu64
                       " touch more than 2^32 blocks of %" PRIu64
                       " bytes; the trace is broken, or blocks are too "
                       "small for it, or --no-split is needed",
                       batch->first + splitter->index, size, address, splitter->block);
    splitter->at = address;
    splitter->rest = size == 0 ? 1 : size;
    return DJ_OK;
}

static int move_events(dj_splitter *splitter, dj_context *context, dj_batch *out, uint32_t until)
{
    const dj_batch *batch = splitter->batch;
    while (splitter->event < batch->event_count && batch->events[splitter->event].index <= until) {
        dj_event event = batch->events[splitter->event];
        event.index = out->count;
        int err = dj_batch_add_event(context, out, &event);
        if (err)
            return err;
        splitter->event++;
    }
    return DJ_OK;
}

// Appends pieces of the current access to `out` until it is used up or `out` is full.
static void put_pieces(dj_splitter *splitter, dj_batch *out, const dj_batch_buffers *to)
{
    uint64_t block = splitter->block;
    const dj_columns *from = &splitter->batch->column;
    const uint64_t address = from->address[splitter->index];
    const bool empty = from->size[splitter->index] == 0;
    const bool moves = from->offset && from->offset[splitter->index] != DJ_NO_OFFSET;
    while (splitter->rest > 0 && out->count < DJ_BATCH_CAPACITY) {
        uint64_t space = block - splitter->at % block;
        uint64_t bytes = splitter->rest < space ? splitter->rest : space;
        dj_batch_copy_access(out, out->count, splitter->batch, splitter->index);
        to->address[out->count] = splitter->at;
        to->continuation[out->count] = splitter->at != address;
        if (moves)
            to->offset[out->count] += splitter->at - address;
        to->size[out->count] = empty ? 0 : bytes;
        out->count++;
        splitter->at += bytes;
        splitter->rest -= bytes;
    }
}

static int fill(dj_splitter *splitter, dj_context *context, dj_batch *out)
{
    const dj_batch *batch = splitter->batch;
    dj_batch_buffers to = dj_batch_writable(out);
    dj_batch_set_columns(out, dj_batch_columns(batch));
    out->column.continuation = to.continuation;
    while (splitter->index < batch->count && out->count < DJ_BATCH_CAPACITY) {
        if (splitter->rest == 0) {
            int err = move_events(splitter, context, out, splitter->index);
            if (!err)
                err = begin_access(splitter, context);
            if (err)
                return err;
        }
        put_pieces(splitter, out, &to);
        if (splitter->rest == 0)
            splitter->index++;
    }
    return splitter->index == batch->count ? move_events(splitter, context, out, batch->count) : DJ_OK;
}

int dj_splitter_next(dj_splitter *splitter, dj_context *context, dj_pool *pool, dj_batch **out)
{
    dj_batch *batch = splitter->batch;
    *out = NULL;
    if (!batch)
        return DJ_OK;
    bool untouched = splitter->index == 0 && splitter->rest == 0;
    if (untouched && (splitter->block == 0 || !batch->column.size || !any_crosses(batch, splitter->block))) {
        splitter->batch = NULL;
        *out = batch;
        return DJ_OK;
    }
    dj_batch *pieces;
    int err = dj_pool_take(context, pool, &pieces);
    if (err)
        return err;
    // On bad input the pieces before it still count: the caller gets both.
    err = fill(splitter, context, pieces);
    *out = pieces;
    if (err || splitter->index == batch->count)
        dj_splitter_reset(splitter);
    return err;
}
