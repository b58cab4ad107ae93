// SPDX-License-Identifier: MIT
// Walks a histogram in the order of its values.
#include "base/histogram/histogram.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Between two widenings the map only grows, so its count shows whether the sorted values are current.
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

// The first value >= v with a nonzero counter in the array, or flat_size.
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
    // The sorted values are a cache: updating it is invisible to the caller.
    sort_sparse((dj_histogram *)(uintptr_t)histogram);
    bool found =
        histogram->sorted ? next_sorted(histogram, *value, value) : next_unsorted(histogram, *value, value);
    return found ? dj_map_get(&histogram->sparse, *value) : 0;
}

static uint64_t sum_array(const dj_histogram *h, uint64_t from, uint64_t end)
{
    uint64_t sum = 0;
    for (uint64_t v = from; v < end; v++)
        sum += h->flat[v];
    for (uint64_t i = 0; h->spilled.count > 0 && from < end && i <= h->spilled.mask; i++) {
        const dj_map_entry *e = &h->spilled.entries[i];
        if (e->value != 0 && e->key >= from && e->key < end)
            sum += e->value;
    }
    return sum;
}

// If moments are known, the sums of complete runs are known too.
static uint64_t sum_flat(const dj_histogram *h, uint64_t from, uint64_t end)
{
    uint64_t first = (from + DJ_HISTOGRAM_RUN - 1) / DJ_HISTOGRAM_RUN, last = end / DJ_HISTOGRAM_RUN;
    if (!h->measured || !h->below || first >= last)
        return sum_array(h, from, end);
    return sum_array(h, from, first * DJ_HISTOGRAM_RUN) + h->below[last] - h->below[first] +
           sum_array(h, last * DJ_HISTOGRAM_RUN, end);
}

uint64_t dj_histogram_sum(const dj_histogram *h, uint64_t from, uint64_t below)
{
    uint64_t end = below < h->flat_size ? below : h->flat_size, v = from > end ? from : end;
    uint64_t sum = from < end ? sum_flat(h, from, end) : 0;
    for (uint64_t n; v < below && (n = dj_histogram_next(h, &v)) != 0 && v < below; v++)
        sum += n;
    return sum;
}
