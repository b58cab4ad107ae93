// SPDX-License-Identifier: MIT
#include <deja/spatial.h>

#include "base/gcd.h"

#include <stdlib.h>
#include <string.h>

int dj_spatial_tally_create(dj_context *context, size_t pair_count, size_t cache_count,
                            dj_spatial_tally **out)
{
    dj_spatial_tally *t = calloc(1, sizeof *t);
    if (!t)
        return dj_fail_memory(context, "the spatial locality of a place", sizeof *t);
    t->cache_count = cache_count;
    t->pairs = calloc(pair_count + 1, sizeof *t->pairs);
    bool full = t->pairs != NULL;
    for (; full && t->pair_count < pair_count; t->pair_count++) {
        dj_spatial_counts *pair = &t->pairs[t->pair_count];
        pair->caches = calloc(cache_count + 1, sizeof *pair->caches);
        pair->cache_count = cache_count;
        full = pair->caches != NULL;
    }
    if (!full) {
        dj_spatial_tally_destroy(t);
        return dj_fail_memory(context, "the spatial locality of a place", pair_count * sizeof *t->pairs);
    }
    *out = t;
    return DJ_OK;
}

int dj_spatial_counts_widen(dj_spatial_counts *counts, dj_context *context, uint32_t first, uint32_t end)
{
    if (counts->bin_count > 0) {
        uint32_t old_end = counts->bin_first + counts->bin_count;
        first = first < counts->bin_first ? first : counts->bin_first;
        end = end > old_end ? end : old_end;
        if (first == counts->bin_first && end == old_end)
            return DJ_OK;
    }
    dj_spatial_count *bins = calloc(end - first, sizeof *bins);
    if (!bins)
        return dj_fail_memory(context, "the spatial locality of a place", (end - first) * sizeof *bins);
    if (counts->bin_count > 0)
        memcpy(bins + (counts->bin_first - first), counts->bins, counts->bin_count * sizeof *bins);
    free(counts->bins);
    counts->bins = bins;
    counts->bin_first = first;
    counts->bin_count = end - first;
    return DJ_OK;
}

static void add_count(dj_spatial_count *to, const dj_spatial_count *other)
{
    to->reuses += other->reuses;
    to->effective += other->effective;
}

int dj_spatial_counts_add(dj_spatial_counts *to, dj_context *context, const dj_spatial_counts *other,
                          size_t cache_count)
{
    for (size_t i = 0; i < cache_count; i++) {
        add_count(&to->caches[i].own, &other->caches[i].own);
        add_count(&to->caches[i].all, &other->caches[i].all);
    }
    if (other->bin_count == 0)
        return DJ_OK;
    int err = dj_spatial_counts_widen(to, context, other->bin_first, other->bin_first + other->bin_count);
    for (uint32_t i = 0; !err && i < other->bin_count; i++)
        add_count(&to->bins[other->bin_first - to->bin_first + i], &other->bins[i]);
    return err;
}

int dj_spatial_tally_add(dj_spatial_tally *tally, dj_context *context, const dj_spatial_tally *other)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < tally->pair_count; i++)
        err = dj_spatial_counts_add(&tally->pairs[i], context, &other->pairs[i], tally->cache_count);
    if (!err)
        err = dj_spatial_parts_add(&tally->parts, context, other->parts);
    dj_usage_add(&tally->usage, &other->usage);
    return err;
}

void dj_usage_add(dj_usage *usage, const dj_usage *other)
{
    for (size_t i = 0; i < DJ_STRIDES && other->stride_count[i]; i++)
        dj_usage_add_stride(usage, other->stride[i], other->stride_count[i]);
    usage->grain = dj_gcd(usage->grain, other->grain);
    usage->step_sum += other->step_sum;
    usage->steps += other->steps;
    usage->fetched += other->fetched;
    usage->used += other->used;
}

// Ties are ordered by stride, so that the result does not depend on the order of adding.
static bool comes_before(const dj_usage *usage, size_t a, size_t b)
{
    if (usage->stride_count[a] != usage->stride_count[b])
        return usage->stride_count[a] > usage->stride_count[b];
    return usage->stride[a] < usage->stride[b];
}

void dj_usage_add_stride(dj_usage *usage, int64_t stride, uint64_t count)
{
    size_t at = 0;
    while (at < DJ_STRIDES && usage->stride_count[at] && usage->stride[at] != stride)
        at++;
    if (at == DJ_STRIDES) {
        at = DJ_STRIDES - 1;
        if (usage->stride_count[at] >= count)
            return;
        usage->stride_count[at] = 0;
    }
    usage->stride[at] = stride;
    usage->stride_count[at] += count;
    for (; at > 0 && comes_before(usage, at, at - 1); at--) {
        int64_t other = usage->stride[at - 1];
        uint64_t others = usage->stride_count[at - 1];
        usage->stride[at - 1] = usage->stride[at];
        usage->stride_count[at - 1] = usage->stride_count[at];
        usage->stride[at] = other;
        usage->stride_count[at] = others;
    }
}
