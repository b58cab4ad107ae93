// SPDX-License-Identifier: MIT
#include "live/blocks.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

// What a return pops from the stack.
#if defined(__x86_64__) || defined(__i386__)
enum { RETURN_BYTES = sizeof(void *) };
#else
enum { RETURN_BYTES = 0 };
#endif

int dj_blocks_create(dj_blocks *blocks, dj_context *context)
{
    *blocks = (dj_blocks){0};
    return dj_map_create(&blocks->by_address, context, &blocks->footprint, 0);
}

void dj_blocks_destroy(dj_blocks *blocks)
{
    dj_map_destroy(&blocks->by_address);
    free(blocks->mappings);
    *blocks = (dj_blocks){0};
}

static int add_event(dj_context *context, dj_batch *batch, uint32_t type, uint64_t serial, uint64_t address,
                     uint64_t bytes, const char *text)
{
    dj_event event = {batch->count, type, serial, address, bytes, text};
    return dj_batch_add_event(context, batch, &event);
}

int dj_blocks_free(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address)
{
    dj_map_entry *entry = dj_map_probe(&blocks->by_address, address);
    if (!(entry->value & 1))
        return DJ_OK;
    entry->value &= ~UINT64_C(1);
    return add_event(context, batch, DJ_EVENT_FREE, entry->value >> 1, address, 0, "");
}

static int allocate(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address, uint64_t bytes)
{
    return dj_blocks_allocate(blocks, context, batch, address, bytes, "");
}

int dj_blocks_allocate(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address,
                       uint64_t bytes, const char *name)
{
    // A block that already starts there was freed in a way that was not traced.
    int err = dj_blocks_free(blocks, context, batch, address);
    uint64_t *slot = err ? NULL : dj_map_at(&blocks->by_address, context, address);
    if (!slot)
        return err ? err : DJ_ERR_MEMORY;
    *slot = ++blocks->serial << 1 | 1;
    return add_event(context, batch, DJ_EVENT_ALLOC, blocks->serial, address, bytes, name);
}

int dj_blocks_enter(dj_blocks *blocks, dj_context *context, dj_batch *batch, dj_allocation *allocation,
                    uint32_t function, const uint64_t *words)
{
    uint64_t sp = words[3];
    if (function < DJ_ALLOCATOR_MALLOC || function > DJ_ALLOCATOR_FREE)
        return DJ_OK; // from a newer tracer
    // Further up the stack: the previous function was left by an exception or longjmp.
    if (allocation->function && sp <= allocation->sp)
        return DJ_OK;
    *allocation = (dj_allocation){.function = function, .sp = sp};
    memcpy(allocation->argument, words, sizeof allocation->argument);
    return function == DJ_ALLOCATOR_FREE ? dj_blocks_free(blocks, context, batch, words[0]) : DJ_OK;
}

static int reallocate(dj_blocks *blocks, dj_context *context, dj_batch *batch, const dj_allocation *done,
                      uint64_t result)
{
    uint64_t old = done->argument[0], bytes = done->argument[1];
    if (!result && bytes)
        return DJ_OK; // failed; the old block remains
    int err = old ? dj_blocks_free(blocks, context, batch, old) : DJ_OK;
    return err || !result ? err : allocate(blocks, context, batch, result, bytes);
}

static int complete(dj_blocks *blocks, dj_context *context, dj_batch *batch, const dj_allocation *done,
                    uint64_t result)
{
    const uint64_t *argument = done->argument;
    uint64_t product;
    switch (done->function) {
    case DJ_ALLOCATOR_MALLOC:
        return result ? allocate(blocks, context, batch, result, argument[0]) : DJ_OK;
    case DJ_ALLOCATOR_CALLOC:
        if (__builtin_mul_overflow(argument[0], argument[1], &product))
            return DJ_OK;
        return result ? allocate(blocks, context, batch, result, product) : DJ_OK;
    case DJ_ALLOCATOR_REALLOC:
        return reallocate(blocks, context, batch, done, result);
    case DJ_ALLOCATOR_MEMALIGN:
        return result ? allocate(blocks, context, batch, result, argument[1]) : DJ_OK;
    case DJ_ALLOCATOR_POSIX:
        return result == 0 && done->stored && done->candidate
                   ? allocate(blocks, context, batch, done->candidate, argument[2])
                   : DJ_OK;
    default:
        return DJ_OK;
    }
}

// posix_memalign returns its block through memory, whose contents are not traced. But a function that it
// calls has returned the address just before: it is the last aligned one before the store.
static void remember_candidate(dj_allocation *allocation, uint64_t result)
{
    uint64_t alignment = allocation->argument[1];
    if (allocation->function == DJ_ALLOCATOR_POSIX && !allocation->stored && alignment &&
        result % alignment == 0)
        allocation->candidate = result;
}

int dj_blocks_return(dj_blocks *blocks, dj_context *context, dj_batch *batch, dj_allocation *allocation,
                     uint64_t sp, uint64_t result)
{
    if (sp < allocation->sp + RETURN_BYTES) {
        remember_candidate(allocation, result);
        return DJ_OK;
    }
    dj_allocation done = *allocation;
    allocation->function = 0;
    // Above it: its frame was left by an exception or longjmp, and this is the return of another function.
    return sp == done.sp + RETURN_BYTES ? complete(blocks, context, batch, &done, result) : DJ_OK;
}

void dj_blocks_look(dj_allocation *allocation, const uint64_t *address, const uint8_t *kind, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (address[i] == allocation->argument[0] && kind[i] == DJ_KIND_WRITE)
            allocation->stored = true;
}

int dj_blocks_map(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes;
    if (end <= address)
        return DJ_OK;
    int err = dj_blocks_unmap(blocks, context, batch, address, bytes); // replaces existing mappings
    if (err)
        return err;
    err = dj_grow(context, "the mappings of a program", &blocks->mappings, &blocks->mapping_capacity,
                  blocks->mapping_count + 1, sizeof *blocks->mappings);
    if (err)
        return err;
    blocks->mappings[blocks->mapping_count++] = (dj_mapping){address, end, address, ++blocks->serial};
    return add_event(context, batch, DJ_EVENT_ALLOC, blocks->serial, address, bytes, "mmap");
}

// A mapping that loses its front or back keeps its serial; a hole in the middle is not reported.
int dj_blocks_unmap(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes < address ? UINT64_MAX : address + bytes;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < blocks->mapping_count;) {
        dj_mapping *m = &blocks->mappings[i];
        bool front = address <= m->begin && end > m->begin;
        bool back = address < m->end && end >= m->end;
        if (front && back) {
            dj_mapping gone = *m;
            *m = blocks->mappings[--blocks->mapping_count];
            err = add_event(context, batch, DJ_EVENT_FREE, gone.serial, gone.address, 0, "");
            continue;
        }
        if (front)
            m->begin = end;
        else if (back)
            m->end = address;
        i++;
    }
    return err;
}
