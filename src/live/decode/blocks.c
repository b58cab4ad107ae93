// SPDX-License-Identifier: MIT
// Allocation and release of memory: on the heap, named by the program, mapped.
#include "live/decode/internal.h"

#include <stdlib.h>

int dj_decode_call(dj_decoder *d, dj_context *context, uint64_t pc, uint64_t sp, dj_batch *batch)
{
    uint32_t site;
    int err = dj_live_sites_find_call(&d->sites, context, batch, pc, &site);
    return err ? err : dj_decode_event(context, batch, DJ_EVENT_CALL, site, 0, sp - sizeof(uint64_t));
}

static int add_return(dj_context *context, uint64_t sp, dj_batch *batch)
{
    return dj_decode_event(context, batch, DJ_EVENT_RETURN, 0, 0, sp);
}

int dj_decode_alloc(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count, dj_batch *batch)
{
    if (count < 5)
        return dj_fail(context, DJ_ERR_INPUT, "the record of a block has %zu words", count);
    uint64_t pc = words[0], sp = words[1], address = words[2], bytes = words[3], replaced = words[4];
    int err = dj_decode_call(d, context, pc, sp, batch);
    if (!err)
        err = add_return(context, sp, batch);
    if (!err && replaced)
        err = dj_blocks_free(&d->blocks, context, batch, replaced);
    return err || !address ? err : dj_blocks_allocate(&d->blocks, context, batch, address, bytes, "");
}

int dj_decode_free(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count, dj_batch *batch)
{
    if (count < 1)
        return dj_fail(context, DJ_ERR_INPUT, "a block is freed without its address");
    return dj_blocks_free(&d->blocks, context, batch, words[0]);
}

int dj_decode_data(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count, dj_batch *batch)
{
    if (count < 3)
        return dj_fail(context, DJ_ERR_INPUT, "the record of data has %zu words", count);
    char *name = dj_decode_text(words + 3, count - 3, true);
    int err = name ? dj_blocks_allocate(&d->blocks, context, batch, words[0], words[1], name)
                   : dj_fail_memory(context, "the name of data", 0);
    free(name);
    return err;
}

// Mappings made by an allocation function are part of it, and those within an object file are its data.
int dj_decode_mapping(dj_decoder *d, dj_context *context, unsigned type, const uint64_t *words, size_t count,
                      dj_batch *batch)
{
    if (count < 2)
        return dj_fail(context, DJ_ERR_INPUT, "the record of a mapping has %zu words", count);
    if (type == DJ_RECORD_UNMAP)
        return dj_blocks_unmap(&d->blocks, context, batch, words[0], words[1]);
    if (d->thread->allocation.function || dj_live_sites_in_module(&d->sites, words[0]))
        return DJ_OK;
    if (count < 4)
        return dj_blocks_map(&d->blocks, context, batch, words[0], words[1]);
    // When the kernel creates a mapping: before the function that asked for it returns.
    int err = dj_decode_call(d, context, words[2], words[3], batch);
    if (!err)
        err = dj_blocks_map(&d->blocks, context, batch, words[0], words[1]);
    return err ? err : add_return(context, words[3], batch);
}
