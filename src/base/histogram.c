// SPDX-License-Identifier: MIT
// Small values are counted in a flat array of 32-bit counters, half of which
// stays in a cache where those of 64 bits would not; a counter that is full
// spills most of its count into a hash map, which is rare. Large values are counted in
// another map. The array doubles when the values just beyond it fill a
// sixteenth of what it would gain, so memory follows the number of different
// values, and reuse distances (which are dense) end up in the array. Up to a
// few million values it also doubles when the map is asked often.
#include "base/histogram.h"

#include "base/huge.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_FLAT = 1 << 16, CHEAP_FLAT = 1 << 22 }; // powers of two

struct dj_histogram {
    uint32_t *flat; // of the values below flat_size, in `memory`; 0: never seen
    uint64_t flat_size;
    dj_huge memory;
    dj_map spilled; // what they count beyond that
    dj_map sparse;  // counts of the others
    uint64_t soon;  // those in it that are below 2 * flat_size
    uint64_t asked; // how often it was used for values below CHEAP_FLAT since the array grew
    dj_footprint footprint;
    uint64_t *sorted; // the values in the map, in order, for walking
    uint64_t sorted_count;
    dj_moments moments;
    bool measured; // moments are those of all that was added
};

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
    free(histogram);
}

// Adds to a value that the array covers. A counter that was ever used is never
// 0 again, so that walking the array finds all values.
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

// Doubles the array and moves the values that it now covers out of the map,
// which is built anew since it cannot forget.
static int widen(dj_histogram *h, dj_context *context)
{
    uint64_t size = 2 * h->flat_size;
    dj_map rest;
    int err = dj_map_create(&rest, context, &h->footprint, h->sparse.count - h->soon);
    if (err)
        return err;
    uint64_t soon = 0;
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
        soon += e->key < 2 * size;
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
    for (uint64_t i = 0; !err && i <= h->sparse.mask; i++) {
        const dj_map_entry *e = &h->sparse.entries[i];
        if (e->value != 0 && e->key < size)
            err = add_flat(h, context, e->key, e->value);
    }
    dj_map_destroy(&h->sparse);
    h->sparse = rest;
    h->soon = soon;
    h->asked = 0;
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
    h->soon += is_new && value / 2 < h->flat_size;
    h->asked += value < CHEAP_FLAT;
    return h->soon > h->flat_size / 16 || h->asked > h->flat_size / 16 ? widen(h, context) : DJ_OK;
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
        // Masked, so that what lies beyond the array is no wild address.
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

int dj_histogram_merge(dj_histogram *h, dj_context *context, const dj_histogram *other)
{
    for (uint64_t v = 0, n; (n = dj_histogram_next(other, &v)) != 0; v++) {
        int err = dj_histogram_add(h, context, v, n);
        if (err)
            return err;
    }
    return DJ_OK;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Between two widenings the map only grows, so its count tells whether the
// sorted values are current.
static void sort_sparse(dj_histogram *h)
{
    if (h->sorted && h->sorted_count == h->sparse.count)
        return;
    free(h->sorted);
    h->sorted_count = 0;
    h->sorted = malloc(h->sparse.count * sizeof *h->sorted);
    if (!h->sorted)
        return;
    for (uint64_t i = 0; i <= h->sparse.mask; i++)
        if (h->sparse.entries[i].value != 0)
            h->sorted[h->sorted_count++] = h->sparse.entries[i].key;
    qsort(h->sorted, h->sorted_count, sizeof *h->sorted, compare);
}

static bool next_sorted(const dj_histogram *h, uint64_t least, uint64_t *found)
{
    uint64_t lo = 0, hi = h->sorted_count;
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (h->sorted[mid] < least)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < h->sorted_count)
        *found = h->sorted[lo];
    return lo < h->sorted_count;
}

// Slow, but needs no memory.
static bool next_unsorted(const dj_histogram *h, uint64_t least, uint64_t *found)
{
    *found = UINT64_MAX;
    for (uint64_t i = 0; i <= h->sparse.mask; i++) {
        const dj_map_entry *e = &h->sparse.entries[i];
        if (e->value != 0 && e->key >= least && e->key < *found)
            *found = e->key;
    }
    return *found != UINT64_MAX;
}

// The first value from `v` on that the array has seen, or flat_size.
static uint64_t next_flat(const dj_histogram *h, uint64_t v)
{
    while (v < h->flat_size && h->flat[v] == 0)
        v++;
    return v;
}

uint64_t dj_histogram_next(const dj_histogram *histogram, uint64_t *value)
{
    uint64_t v = next_flat(histogram, *value);
    if (v < histogram->flat_size) {
        *value = v;
        return histogram->flat[v] + (histogram->spilled.count ? dj_map_get(&histogram->spilled, v) : 0);
    }
    if (histogram->sparse.count == 0)
        return 0;
    // The order of the map's values is a cache: it changes nothing that can be seen.
    sort_sparse((dj_histogram *)(uintptr_t)histogram);
    bool found =
        histogram->sorted ? next_sorted(histogram, *value, value) : next_unsorted(histogram, *value, value);
    return found ? dj_map_get(&histogram->sparse, *value) : 0;
}

dj_moments dj_histogram_moments(const dj_histogram *histogram)
{
    // A cache, like the order of the map's values.
    dj_histogram *h = (dj_histogram *)(uintptr_t)histogram;
    if (!h->measured)
        h->moments = dj_histogram_measure(h);
    h->measured = true;
    return h->moments;
}
