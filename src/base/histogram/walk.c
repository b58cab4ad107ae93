// SPDX-License-Identifier: MIT
// Walks a histogram in the order of its values.
#include "base/histogram/histogram.h"

#include <stdatomic.h>
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

// How many of the sorted values are below `least`. Most callers go up in small steps, so the search begins
// where the last one ended.
static uint64_t rank_of(const dj_histogram *h, uint64_t least)
{
    atomic_ullong *walked = &((dj_histogram *)(uintptr_t)h)->walked;
    uint64_t lo = 0, hi = h->sorted_count, last = atomic_load_explicit(walked, memory_order_relaxed);
    if (last > 0 && last <= hi && h->sorted[last - 1] < least) {
        uint64_t step = 1;
        for (lo = last; lo + step <= hi && h->sorted[lo + step - 1] < least; step *= 2)
            lo += step;
        hi = lo + step <= hi ? lo + step - 1 : hi;
    }
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (h->sorted[mid] < least)
            lo = mid + 1;
        else
            hi = mid;
    }
    atomic_store_explicit(walked, lo, memory_order_relaxed);
    return lo;
}

// The count of the first sorted value from *value on; 0: there is none.
static uint64_t next_sorted(const dj_histogram *h, uint64_t *value)
{
    const uint64_t rank = rank_of(h, *value);
    if (rank == h->sorted_count)
        return 0;
    *value = h->sorted[rank];
    return h->measured && h->sparse_below ? h->sparse_below[rank + 1] - h->sparse_below[rank]
                                          : dj_map_get(&h->sparse, *value);
}

void dj_histogram_sum_sparse(dj_histogram *h)
{
    free(h->sparse_below);
    h->sparse_below = NULL;
    if (h->sparse.count == 0)
        return;
    sort_sparse(h);
    const uint64_t *sorted = h->sorted;
    uint64_t *below = sorted ? malloc((h->sorted_count + 1) * sizeof *below) : NULL;
    if (!below)
        return;
    below[0] = 0;
    for (uint64_t i = 0; i < h->sorted_count; i++)
        below[i + 1] = below[i] + dj_map_get(&h->sparse, sorted[i]);
    h->sparse_below = below;
}

// Slow, but needs no memory.
static uint64_t next_unsorted(const dj_histogram *h, uint64_t *value)
{
    uint64_t found = UINT64_MAX, count = 0;
    for (uint64_t i = 0; i <= h->sparse.mask; i++) {
        const dj_map_entry *e = &h->sparse.entries[i];
        if (e->value != 0 && e->key >= *value && e->key < found) {
            found = e->key;
            count = e->value;
        }
    }
    *value = count ? found : *value;
    return count;
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
    return histogram->sorted ? next_sorted(histogram, value) : next_unsorted(histogram, value);
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
    if (h->measured && h->sparse_below && v < below) {
        const uint64_t first = rank_of(h, v);
        return sum + h->sparse_below[rank_of(h, below)] - h->sparse_below[first];
    }
    for (uint64_t n; v < below && (n = dj_histogram_next(h, &v)) != 0 && v < below; v++)
        sum += n;
    return sum;
}
