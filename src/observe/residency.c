// SPDX-License-Identifier: MIT
#include "observe/residency.h"

#include "base/grow.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, FIRST_SLOTS = 256 };

int dj_residency_create(dj_residency *r, dj_context *context, uint64_t block, uint64_t cache_blocks)
{
    bool even = (block & (block - 1)) == 0;
    size_t words = (size_t)((block - 1) / WORD_BITS + 1);
    *r = (dj_residency){.block = block,
                        .low_bits = even ? block - 1 : 0,
                        .cache = cache_blocks,
                        .words = words,
                        .slot_bytes = sizeof(dj_resident) + words * sizeof(uint64_t),
                        .slot_mask = FIRST_SLOTS - 1};
    r->slots = calloc(FIRST_SLOTS, r->slot_bytes);
    return r->slots ? DJ_OK : dj_fail_memory(context, "the blocks in the cache", FIRST_SLOTS * r->slot_bytes);
}

void dj_residency_destroy(dj_residency *r)
{
    free(r->slots);
    free(r->used);
}

int dj_residency_reserve(dj_residency *r, dj_context *context, size_t end)
{
    return end <= r->used_capacity ? DJ_OK
                                   : dj_grow(context, "the blocks in the cache", &r->used, &r->used_capacity,
                                             end, sizeof *r->used);
}

static inline dj_resident *at(const dj_residency *r, char *slots, uint64_t slot)
{
    return (dj_resident *)(void *)(slots + slot * r->slot_bytes);
}

// The slot of a key, or the free slot for it.
static uint64_t probe(const dj_residency *r, char *slots, uint64_t slot_mask, uint64_t key)
{
    DJ_PROBE (slot, dj_map_hash(key), slot_mask)
        if (!at(r, slots, slot)->by || at(r, slots, slot)->key == key)
            return slot;
}

static uint64_t used_of(const dj_residency *r, const dj_resident *resident)
{
    uint64_t used = 0;
    for (size_t i = 0; i < r->words; i++)
        used += (uint64_t)__builtin_popcountll(resident->mask[i]);
    return used;
}

static bool is_out(const dj_residency *r, const dj_resident *resident)
{
    return (uint32_t)((uint32_t)r->fetched - resident->stamp) > r->cache;
}

// Rebuilds the table without evicted blocks; larger if few were evicted.
static int renew(dj_residency *r, dj_context *context)
{
    uint64_t old = r->slot_mask + 1, left = 0;
    for (uint64_t i = 0; i < old; i++)
        left += at(r, r->slots, i)->by && !is_out(r, at(r, r->slots, i));
    uint64_t capacity = left > old / 2 ? 2 * old : old;
    char *slots = calloc((size_t)capacity + 1, r->slot_bytes);
    if (!slots)
        return dj_fail_memory(context, "the blocks in the cache", capacity * r->slot_bytes);
    for (uint64_t i = 0; i < old; i++) {
        const dj_resident *from = at(r, r->slots, i);
        if (from->by && is_out(r, from))
            r->used[from->by - 1] += used_of(r, from);
        else if (from->by)
            memcpy(at(r, slots, probe(r, slots, capacity - 1, from->key)), from, r->slot_bytes);
    }
    free(r->slots);
    r->slots = slots;
    r->slot_mask = capacity - 1;
    r->count = left;
    return DJ_OK;
}

static int find(dj_residency *r, dj_context *context, uint64_t key, uint64_t *slot)
{
    uint64_t found = probe(r, r->slots, r->slot_mask, key);
    if (!at(r, r->slots, found)->by) {
        if (r->count >= (r->slot_mask + 1) / 4 * 3) {
            int err = renew(r, context);
            if (err)
                return err;
            found = probe(r, r->slots, r->slot_mask, key);
        }
        r->count++;
        at(r, r->slots, found)->key = key;
    }
    *slot = found;
    return DJ_OK;
}

// Bits first to end − 1 of a word.
static inline uint64_t bits(uint64_t first, uint64_t end)
{
    uint64_t below = end >= WORD_BITS ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return below & ~((UINT64_C(1) << first) - 1);
}

// An access that crosses the end of its block, if accesses are not split, counts in the block where it
// begins.
static inline void mark(const dj_residency *r, uint64_t *mask, const dj_residency_access *access)
{
    uint64_t first = r->low_bits ? access->address & r->low_bits : access->address % r->block;
    uint64_t rest = r->block - first, size = access->size ? access->size : 1;
    uint64_t end = first + (size < rest ? size : rest);
    for (uint64_t word = first / WORD_BITS; word * WORD_BITS < end; word++) {
        uint64_t from = word * WORD_BITS;
        mask[word] |= bits(first > from ? first - from : 0, end - from);
    }
}

int dj_residency_access_block(dj_residency *r, dj_context *context, const dj_residency_access *access,
                              uint64_t *slot)
{
    dj_resident *resident = at(r, r->slots, *slot);
    if (resident->key != access->key || !resident->by) {
        int err = find(r, context, access->key, slot);
        if (err)
            return err;
        resident = at(r, r->slots, *slot);
    }
    if (access->fetches) {
        if (resident->by)
            r->used[resident->by - 1] += used_of(r, resident);
        memset(resident->mask, 0, r->words * sizeof *resident->mask);
        resident->by = access->by + 1;
        r->fetched++;
    }
    resident->stamp = (uint32_t)r->fetched;
    mark(r, resident->mask, access);
    return DJ_OK;
}

void dj_residency_add_rest(const dj_residency *r, uint64_t *used)
{
    for (uint64_t i = 0; i <= r->slot_mask; i++) {
        const dj_resident *resident = at(r, r->slots, i);
        if (resident->by)
            used[resident->by - 1] += used_of(r, resident);
    }
}
