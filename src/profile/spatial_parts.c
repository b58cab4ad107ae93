// SPDX-License-Identifier: MIT
// What groups of bursts know of the accesses of a tally: sparse counts, since most places are in few groups.
#include <deja/spatial.h>

#include <stdlib.h>

// The bits of a key, the last ones first.
enum { GROUP_BITS = 5, SEEN_BITS = 2, DISTANCE_BITS = 7, SCALE_BITS = 1 };

static uint32_t take(uint32_t *key, unsigned bits)
{
    const uint32_t value = *key & ((1u << bits) - 1);
    *key >>= bits;
    return value;
}

uint32_t dj_spatial_pack_key(const dj_spatial_part_key *k)
{
    uint32_t key = k->pair;
    key = key << SCALE_BITS | (k->by_cache ? 1 : 0);
    key = key << DISTANCE_BITS | k->here;
    key = key << DISTANCE_BITS | k->there;
    key = key << SEEN_BITS | (uint32_t)k->seen;
    return key << GROUP_BITS | k->group;
}

dj_spatial_part_key dj_spatial_unpack_key(uint32_t key)
{
    dj_spatial_part_key k = {.group = take(&key, GROUP_BITS)};
    k.seen = (enum dj_spatial_seen)take(&key, SEEN_BITS);
    k.there = take(&key, DISTANCE_BITS);
    k.here = take(&key, DISTANCE_BITS);
    k.by_cache = take(&key, SCALE_BITS) != 0;
    k.pair = key;
    return k;
}

void dj_spatial_parts_destroy(dj_spatial_parts *parts)
{
    if (parts)
        free(parts->list);
    free(parts);
}

// The first part from `at` on whose key is not below `key`.
static size_t find(const dj_spatial_parts *parts, size_t at, uint32_t key)
{
    size_t end = parts->count;
    while (at < end) {
        const size_t middle = at + (end - at) / 2;
        if (parts->list[middle].key < key)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

static bool is_at(const dj_spatial_parts *parts, size_t at, uint32_t key)
{
    return at < parts->count && parts->list[at].key == key;
}

static size_t count_new(const dj_spatial_parts *to, const dj_spatial_parts *from)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < from->count; i++) {
        at = find(to, at, from->list[i].key);
        count += !is_at(to, at, from->list[i].key);
    }
    return count;
}

// Makes space for `more` keys, and moves the parts to where they will be, from the last one on.
static int open_gaps(dj_spatial_parts *to, dj_context *context, const dj_spatial_parts *from, size_t more)
{
    const size_t count = to->count + more;
    dj_spatial_tally_part *list = realloc(to->list, count * sizeof *list);
    if (!list)
        return dj_fail_memory(context, "the bursts of a place", count * sizeof *list);
    to->list = list;
    size_t left = to->count;
    for (size_t at = count, k = from->count; k > 0 && at > left;) {
        const uint32_t key = from->list[k - 1].key;
        if (left > 0 && list[left - 1].key > key) {
            list[--at] = list[--left];
        } else if (left > 0 && list[left - 1].key == key) {
            list[--at] = list[--left];
            k--;
        } else {
            list[--at] = (dj_spatial_tally_part){key, 0};
            k--;
        }
    }
    to->count = count;
    return DJ_OK;
}

// Most often all keys are there already: sums over places have few different ones.
int dj_spatial_parts_add(dj_spatial_parts **to, dj_context *context, const dj_spatial_parts *from)
{
    if (!from || from->count == 0)
        return DJ_OK;
    if (!*to && !(*to = calloc(1, sizeof **to)))
        return dj_fail_memory(context, "the bursts of a place", sizeof **to);
    const size_t more = count_new(*to, from);
    int err = more > 0 ? open_gaps(*to, context, from, more) : DJ_OK;
    for (size_t i = 0, at = 0; !err && i < from->count; i++) {
        at = find(*to, at, from->list[i].key);
        uint32_t *count = &(*to)->list[at].count;
        if (__builtin_add_overflow(*count, from->list[i].count, count))
            *count = UINT32_MAX;
    }
    return err;
}
