// SPDX-License-Identifier: MIT
// Small values are counted in a flat array, large ones in a hash map. The
// array doubles when the values just beyond it fill a sixteenth of what it
// would gain, so memory follows the number of different values, and reuse distances
// (which are dense) end up in the array.
#include <deja/histogram.h>

#include "base/map.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { FIRST_FLAT = 1 << 16 };

struct dj_histogram {
    uint64_t *flat; // counts of the values below flat_size
    uint64_t flat_size;
    dj_map sparse; // counts of the others
    uint64_t soon; // those in it that are below 2 * flat_size
    dj_footprint footprint;
    uint64_t *sorted; // the values in the map, in order, for walking
    uint64_t sorted_count;
};

static uint64_t *map_counts(uint64_t count)
{
    void *p =
        mmap(NULL, count * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

int dj_histogram_create(dj_context *context, dj_histogram **out)
{
    dj_histogram *h = calloc(1, sizeof *h);
    if (!h)
        return dj_fail_memory(context, "a histogram", 0);
    int err = dj_map_create(&h->sparse, context, &h->footprint, 0);
    if (err)
        goto fail;
    h->flat = map_counts(FIRST_FLAT);
    if (!h->flat) {
        err = dj_fail_memory(context, "a histogram", FIRST_FLAT * sizeof(uint64_t));
        goto fail;
    }
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
    if (histogram->flat)
        munmap(histogram->flat, histogram->flat_size * sizeof(uint64_t));
    dj_map_destroy(&histogram->sparse);
    free(histogram->sorted);
    free(histogram);
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
    void *flat = mremap(h->flat, h->flat_size * sizeof(uint64_t), size * sizeof(uint64_t), MREMAP_MAYMOVE);
    if (flat == MAP_FAILED) {
        dj_map_destroy(&rest);
        return dj_fail_memory(context, "a histogram", size * sizeof(uint64_t));
    }
    h->flat = flat;
    for (uint64_t i = 0; i <= h->sparse.mask; i++) {
        const dj_map_entry *e = &h->sparse.entries[i];
        if (e->value != 0 && e->key < size)
            h->flat[e->key] = e->value;
    }
    h->flat_size = size;
    dj_map_destroy(&h->sparse);
    h->sparse = rest;
    h->soon = soon;
    free(h->sorted);
    h->sorted = NULL;
    return DJ_OK;
}

int dj_histogram_add(dj_histogram *h, dj_context *context, uint64_t value, uint64_t count)
{
    if (count == 0)
        return DJ_OK;
    if (value < h->flat_size) {
        h->flat[value] += count;
        return DJ_OK;
    }
    uint64_t *at = dj_map_at(&h->sparse, context, value);
    if (!at)
        return DJ_ERR_MEMORY;
    bool is_new = *at == 0;
    *at += count;
    if (is_new && value / 2 < h->flat_size && ++h->soon > h->flat_size / 16)
        return widen(h, context);
    return DJ_OK;
}

int dj_histogram_add_all(dj_histogram *h, dj_context *context, const uint64_t *values, size_t count,
                         uint64_t *cold)
{
    enum { AHEAD = 24 };
    uint64_t colds = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = values[i];
        if (i + AHEAD < count)
            __builtin_prefetch((const void *)((uintptr_t)h->flat + values[i + AHEAD] * sizeof *h->flat), 1);
        if (value < h->flat_size) {
            h->flat[value]++;
        } else if (value == UINT64_MAX) {
            colds++;
        } else {
            int err = dj_histogram_add(h, context, value, 1);
            if (err)
                return err;
        }
    }
    *cold = colds;
    return DJ_OK;
}

int dj_histogram_merge(dj_histogram *h, dj_context *context, const dj_histogram *other)
{
    for (uint64_t v = 0; v < other->flat_size; v++) {
        int err = dj_histogram_add(h, context, v, other->flat[v]);
        if (err)
            return err;
    }
    for (uint64_t i = 0; i <= other->sparse.mask; i++) {
        int err = dj_histogram_add(h, context, other->sparse.entries[i].key, other->sparse.entries[i].value);
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

uint64_t dj_histogram_next(const dj_histogram *histogram, uint64_t *value)
{
    for (uint64_t v = *value; v < histogram->flat_size; v++) {
        if (histogram->flat[v] != 0) {
            *value = v;
            return histogram->flat[v];
        }
    }
    if (histogram->sparse.count == 0)
        return 0;
    // The order of the map's values is a cache: it changes nothing that can be seen.
    sort_sparse((dj_histogram *)(uintptr_t)histogram);
    bool found =
        histogram->sorted ? next_sorted(histogram, *value, value) : next_unsorted(histogram, *value, value);
    return found ? dj_map_get(&histogram->sparse, *value) : 0;
}
