// SPDX-License-Identifier: MIT
#include "observe/residency.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };

int dj_residency_create(dj_residency *r, dj_context *context, uint64_t block)
{
    bool even = (block & (block - 1)) == 0;
    *r = (dj_residency){
        .block = block, .low_bits = even ? block - 1 : 0, .words = (size_t)((block - 1) / WORD_BITS + 1)};
    return dj_map_create(&r->index, context, &r->footprint, 0);
}

void dj_residency_destroy(dj_residency *r)
{
    dj_map_destroy(&r->index);
    free(r->masks);
    free(r->brought);
}

// The number of a block; a new one has an empty mask.
static int find(dj_residency *r, dj_context *context, uint64_t key, uint64_t *out)
{
    size_t slot = dj_map_hash(key) % DJ_RESIDENCY_RECENT;
    if (r->recent[slot].key == key && r->recent[slot].number) {
        *out = r->recent[slot].number - 1;
        return DJ_OK;
    }
    uint64_t *number = dj_map_at(&r->index, context, key);
    if (!number)
        return DJ_ERR_MEMORY;
    if (*number == 0) {
        size_t count = r->index.count;
        *number = count;
        int err = dj_grow(context, "the blocks in the cache", &r->brought, &r->brought_room, count,
                          sizeof *r->brought);
        if (!err)
            err = dj_grow(context, "the blocks in the cache", &r->masks, &r->mask_room, count * r->words,
                          sizeof *r->masks);
        if (err)
            return err;
    }
    *out = *number - 1;
    r->recent[slot].key = key;
    r->recent[slot].number = *number;
    return DJ_OK;
}

// Bits first to end − 1 of a word.
static uint64_t bits(uint64_t first, uint64_t end)
{
    uint64_t below = end >= WORD_BITS ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return below & ~((UINT64_C(1) << first) - 1);
}

// What crosses the end of its block, since nothing was split, counts in the block where it begins.
static void mark(const dj_residency *r, uint64_t *mask, const dj_residency_access *access)
{
    uint64_t first = r->low_bits ? access->address & r->low_bits : access->address % r->block;
    uint64_t room = r->block - first, size = access->size ? access->size : 1;
    uint64_t end = first + (size < room ? size : room);
    for (uint64_t word = first / WORD_BITS; word * WORD_BITS < end; word++) {
        uint64_t from = word * WORD_BITS;
        mask[word] |= bits(first > from ? first - from : 0, end - from);
    }
}

dj_stay dj_residency_get(const dj_residency *r, uint64_t number)
{
    dj_stay stay = {.by = r->brought[number]};
    const uint64_t *mask = r->masks + number * r->words;
    for (size_t i = 0; i < r->words; i++)
        stay.used += (uint64_t)__builtin_popcountll(mask[i]);
    return stay;
}

int dj_residency_fetch(dj_residency *r, dj_context *context, const dj_residency_access *access, uint32_t by,
                       dj_stay *before)
{
    uint64_t number = 0;
    int err = find(r, context, access->key, &number);
    if (err)
        return err;
    uint64_t *mask = r->masks + number * r->words;
    *before = dj_residency_get(r, number);
    memset(mask, 0, r->words * sizeof *mask);
    mark(r, mask, access);
    r->brought[number] = by;
    return DJ_OK;
}

int dj_residency_use(dj_residency *r, dj_context *context, const dj_residency_access *access)
{
    uint64_t number = 0;
    int err = find(r, context, access->key, &number);
    if (!err)
        mark(r, r->masks + number * r->words, access);
    return err;
}
