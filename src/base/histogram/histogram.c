// SPDX-License-Identifier: MIT
// Small values are counted in a flat array of 32-bit counters: twice as many fit into a cache as of 64 bits.
// A full counter spills most of its count into a hash map, which is rare. Large values are counted in another
// map. The array doubles when the values just beyond it would fill a sixteenth of the added space, so memory
// follows the number of distinct values, and reuse distances (which are dense) end up in the array. Up to a
// few million values it also doubles when the map is used often.
#include "base/histogram/histogram.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_FLAT = 1 << 10, CHEAP_FLAT = 1 << 22, TOGETHER = 1 << 10 }; // powers of two
#define MOST_FLAT ((uint64_t)1 << 40)                                    // limit for bulk additions

int dj_histogram_create(dj_context *context, dj_histogram **out)
{
    dj_histogram *h = calloc(1, sizeof *h);
    if (!h)
        return dj_fail_memory(context, "a histogram", 0);
    int err = dj_map_create(&h->sparse, context, &h->footprint, 0);
    if (!err)
        err = dj_map_create(&h->spilled, context, &h->footprint, 0);
    if (!err)
        err =
            dj_huge_allocate(&h->memory, &h->footprint, context, "a histogram", FIRST_FLAT, sizeof *h->flat);
    if (err)
        goto fail;
    h->flat = h->memory.memory;
    h->flat_size = FIRST_FLAT;
    h->most_flat = UINT64_MAX;
    *out = h;
    return DJ_OK;
fail:
    dj_histogram_destroy(h);
    return err;
}

void dj_histogram_destroy(dj_histogram *histogram)
{
    if (!histogram)
        return;
    dj_huge_free(&histogram->memory, &histogram->footprint);
    dj_map_destroy(&histogram->sparse);
    dj_map_destroy(&histogram->spilled);
    free(histogram->sorted);
    free(histogram->below);
    free(histogram->sparse_below);
    free(histogram);
}

// Adds to a value that the array covers. A used counter never returns to 0, so that a walk over the array
// finds all values.
static int add_flat(dj_histogram *h, dj_context *context, uint64_t value, uint64_t count)
{
    if (count <= UINT32_MAX - h->flat[value]) {
        h->flat[value] += (uint32_t)count;
        return DJ_OK;
    }
    uint64_t *spilled = dj_map_at(&h->spilled, context, value);
    if (!spilled)
        return DJ_ERR_MEMORY;
    *spilled += h->flat[value] + count - 1;
    h->flat[value] = 1;
    return DJ_OK;
}

// Grows the array to `size`, a power of two, and moves the values that it now covers out of the map. The map
// is rebuilt because it cannot delete.
static int widen(dj_histogram *h, dj_context *context, uint64_t size)
{
    dj_map rest;
    int err = dj_map_create(&rest, context, &h->footprint, h->sparse.count - h->near_count);
    if (err)
        return err;
    uint64_t near_count = 0;
    for (uint64_t i = 0; i <= h->sparse.mask; i++) {
        const dj_map_entry *e = &h->sparse.entries[i];
        if (e->value == 0 || e->key < size)
            continue;
        uint64_t *at = dj_map_at(&rest, context, e->key);
        if (!at) {
            dj_map_destroy(&rest);
            return DJ_ERR_MEMORY;
        }
        *at = e->value;
        near_count += e->key < 2 * size;
    }
    dj_huge wider = {0};
    err = dj_huge_allocate(&wider, &h->footprint, context, "a histogram", size, sizeof *h->flat);
    if (err) {
        dj_map_destroy(&rest);
        return err;
    }
    memcpy(wider.memory, h->flat, h->flat_size * sizeof *h->flat);
    dj_huge_free(&h->memory, &h->footprint);
    h->memory = wider;
    h->flat = wider.memory;
    h->flat_size = size;
    h->measured = false;
    for (uint64_t i = 0; !err && i <= h->sparse.mask; i++) {
        const dj_map_entry *e = &h->sparse.entries[i];
        if (e->value != 0 && e->key < size)
            err = add_flat(h, context, e->key, e->value);
    }
    dj_map_destroy(&h->sparse);
    h->sparse = rest;
    h->near_count = near_count;
    h->sparse_uses = 0;
    free(h->sorted);
    h->sorted = NULL;
    return err;
}

int dj_histogram_add(dj_histogram *h, dj_context *context, uint64_t value, uint64_t count)
{
    if (count == 0)
        return DJ_OK;
    h->measured = false;
    if (value < h->flat_size)
        return add_flat(h, context, value, count);
    uint64_t *at = dj_map_at(&h->sparse, context, value);
    if (!at)
        return DJ_ERR_MEMORY;
    bool is_new = *at == 0;
    *at += count;
    h->near_count += is_new && value / 2 < h->flat_size;
    h->sparse_uses += value < CHEAP_FLAT;
    const bool pays = h->near_count > h->flat_size / 16 || h->sparse_uses > h->flat_size / 16;
    return pays && h->flat_size <= h->most_flat / 2 ? widen(h, context, 2 * h->flat_size) : DJ_OK;
}

int dj_histogram_add_all(dj_histogram *h, dj_context *context, const uint64_t *values, size_t count,
                         uint64_t *cold)
{
    enum { AHEAD = 32 };
    uint64_t colds = 0, mask = h->flat_size - 1;
    uint32_t *flat = h->flat;
    h->measured = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = values[i];
        // Masked, so that values beyond the array do not become wild addresses.
        if (i + AHEAD < count)
            __builtin_prefetch(flat + (values[i + AHEAD] & mask), 1);
        if (value <= mask && flat[value] < UINT32_MAX) {
            flat[value]++;
        } else if (value == UINT64_MAX) {
            colds++;
        } else {
            int err = dj_histogram_add(h, context, value, 1);
            if (err)
                return err;
            flat = h->flat;
            mask = h->flat_size - 1;
        }
    }
    *cold = colds;
    return DJ_OK;
}

void dj_histogram_limit(dj_histogram *h, uint64_t values)
{
    h->most_flat = values;
}

int dj_histogram_reserve(dj_histogram *h, dj_context *context, uint64_t values)
{
    uint64_t size = h->flat_size;
    while (size < values && size < MOST_FLAT)
        size *= 2;
    return size > h->flat_size ? widen(h, context, size) : DJ_OK;
}

// The size of the array for these counts: at least a sixteenth of it is in use.
static uint64_t reach_for(const dj_histogram *h, uint64_t first, const uint64_t *counts, uint64_t n)
{
    while (n > 0 && first + n > h->flat_size) {
        uint64_t used = 0, enough = (first + n - h->flat_size) / 16;
        for (uint64_t i = first < h->flat_size ? h->flat_size - first : 0; used <= enough && i < n; i++)
            used += counts[i] != 0;
        if (used > enough)
            return first + n;
        n /= 2;
    }
    return 0;
}

// Adds counts at once, unless a counter would overflow. Does not touch pages where all counts are 0.
static bool add_counts(uint32_t *to, const uint64_t *counts, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= counts[i];
    for (size_t i = 0; any && i < count; i++)
        any |= counts[i] + to[i];
    for (size_t i = 0; any && any <= UINT32_MAX && i < count; i++)
        to[i] += (uint32_t)counts[i];
    return any <= UINT32_MAX;
}

int dj_histogram_add_counts(dj_histogram *h, dj_context *context, uint64_t first, const uint64_t *counts,
                            uint64_t n)
{
    int err = dj_histogram_reserve(h, context, reach_for(h, first, counts, n));
    uint64_t inside = first < h->flat_size ? h->flat_size - first : 0, i = 0;
    inside = inside < n ? inside : n;
    h->measured = false;
    for (uint64_t some; !err && i < inside; i += some) {
        some = inside - i < TOGETHER ? inside - i : TOGETHER;
        if (!add_counts(h->flat + first + i, counts + i, some))
            for (uint64_t k = i; !err && k < i + some; k++)
                err = add_flat(h, context, first + k, counts[k]);
    }
    for (; !err && i < n; i++)
        err = dj_histogram_add(h, context, first + i, counts[i]);
    return err;
}

// Adds some counters at once, unless one of them would overflow.
static bool add_counters(uint32_t *to, const uint32_t *from, size_t count)
{
    uint32_t full = 0;
    for (size_t i = 0; i < count; i++)
        full |= to[i] > UINT32_MAX - from[i];
    for (size_t i = 0; !full && i < count; i++)
        to[i] += from[i];
    return !full;
}

int dj_histogram_merge(dj_histogram *h, dj_context *context, const dj_histogram *other)
{
    int err = h->flat_size < other->flat_size ? widen(h, context, other->flat_size) : DJ_OK;
    h->measured = false;
    for (uint64_t v = 0; !err && v < other->flat_size; v += TOGETHER)
        if (!add_counters(h->flat + v, other->flat + v, TOGETHER))
            for (uint64_t i = v; !err && i < v + TOGETHER; i++)
                err = add_flat(h, context, i, other->flat[i]);
    for (uint64_t i = 0; !err && other->spilled.count > 0 && i <= other->spilled.mask; i++)
        if (other->spilled.entries[i].value != 0)
            err = add_flat(h, context, other->spilled.entries[i].key, other->spilled.entries[i].value);
    for (uint64_t v = other->flat_size, n; !err && (n = dj_histogram_next(other, &v)) != 0; v++)
        err = dj_histogram_add(h, context, v, n);
    return err;
}

dj_moments dj_histogram_moments(const dj_histogram *histogram)
{
    // A cache, like the sorted values.
    dj_histogram *h = (dj_histogram *)(uintptr_t)histogram;
    if (!h->measured) {
        free(h->below);
        h->below = malloc((h->flat_size / DJ_HISTOGRAM_RUN + 1) * sizeof *h->below);
        h->moments = dj_histogram_measure(h, h->below);
        dj_histogram_sum_sparse(h);
    }
    h->measured = true;
    return h->moments;
}
