// SPDX-License-Identifier: MIT
// Behaviour components: accesses grouped by their reuse distance at b, by peaks of the reuse signature or
// by cache sizes.
#include <deja/components.h>

#include <stdlib.h>

// The end of the peak that starts at `bin`: after the trough on its right, or after the last non-empty bin.
static unsigned peak_end(const uint64_t *reuses, unsigned bin, unsigned end)
{
    bool down = false;
    while (++bin < end) {
        if (down && reuses[bin] > reuses[bin - 1])
            return bin;
        down = down || reuses[bin] < reuses[bin - 1];
    }
    return end;
}

static void judge(dj_component *c, uint64_t whole, double distance_sum, const dj_spatial_limits *limits)
{
    c->size = whole ? (double)c->reuses / (double)whole : 0;
    c->score = dj_spatial_score(c->reuses, c->effective);
    c->mean_distance = c->reuses ? distance_sum / (double)c->reuses : 0;
    c->good_temporal = c->mean_distance < (double)limits->near_blocks;
    c->good_spatial = c->score > limits->good;
    c->serious = c->size >= limits->size && !c->good_temporal && !c->good_spatial;
}

static dj_component make_peak(const dj_spatial_pair *pair, unsigned from, unsigned end, uint64_t whole,
                              const dj_spatial_limits *limits)
{
    dj_component c = {.kind = DJ_COMPONENT_PEAK,
                      .lo = from == 0 ? 0 : UINT64_C(1) << (from - 1),
                      .hi = end == DJ_SPATIAL_BINS ? UINT64_MAX : (UINT64_C(1) << (end - 1)) - 1};
    double sum = 0;
    for (unsigned bin = from; bin < end; bin++) {
        dj_spatial_count row = dj_spatial_row(pair, bin);
        c.reuses += row.reuses;
        c.effective += row.effective;
        c.intercepted += pair->intercepted[bin];
        sum += (double)pair->distance_sum[bin];
    }
    judge(&c, whole, sum, limits);
    return c;
}

static size_t find_peaks(const dj_spatial_pair *pair, const dj_spatial_limits *limits, dj_component *out)
{
    uint64_t reuses[DJ_SPATIAL_BINS], whole = 0;
    unsigned first = DJ_SPATIAL_BINS, end = 0;
    for (unsigned bin = 0; bin < DJ_SPATIAL_BINS; bin++) {
        reuses[bin] = dj_spatial_row(pair, bin).reuses;
        whole += reuses[bin];
        if (reuses[bin] > 0) {
            first = first < bin ? first : bin;
            end = bin + 1;
        }
    }
    size_t count = 0;
    for (unsigned from = first, next; from < end; from = next) {
        next = peak_end(reuses, from, end);
        out[count++] = make_peak(pair, from, next, whole, limits);
    }
    return count;
}

static dj_component make_cache(const dj_spatial *spatial, const dj_spatial_pair *pair, size_t k,
                               uint64_t whole, const dj_spatial_limits *limits)
{
    dj_component c = {.kind = DJ_COMPONENT_CACHE,
                      .cache = k,
                      .lo = dj_spatial_cache_blocks(spatial->caches[k].bytes, pair->block_bytes),
                      .hi = UINT64_MAX,
                      .reuses = pair->caches[k].own.reuses,
                      .effective = pair->caches[k].own.effective};
    if (k + 1 < spatial->cache_count)
        c.hi = dj_spatial_cache_blocks(spatial->caches[k + 1].bytes, pair->block_bytes) - 1;
    judge(&c, whole, (double)pair->cache_sum[k], limits);
    return c;
}

static void find_ranges(const dj_spatial *spatial, dj_component *c)
{
    if (c->kind == DJ_COMPONENT_PEAK) {
        const unsigned from = dj_log2_bin(c->lo), end = dj_log2_bin(c->hi) + 1;
        c->size_range = dj_spatial_share_range(spatial, c->pair, from, end);
        c->score_range = dj_spatial_score_range(spatial, c->pair, from, end);
    } else {
        c->size_range = dj_spatial_cache_share_range(spatial, c->pair, c->cache, true);
        c->score_range = dj_spatial_cache_score_range(spatial, c->pair, c->cache, true);
    }
}

int dj_components(dj_context *context, const dj_spatial *spatial, size_t pair, enum dj_component_kind kind,
                  const dj_spatial_limits *limits, dj_component **out, size_t *count)
{
    const dj_spatial_limits defaults = DJ_SPATIAL_LIMITS;
    if (pair >= spatial->pair_count)
        return dj_fail(context, DJ_ERR_USAGE, "there are %zu pairs of block sizes; index %zu does not exist",
                       spatial->pair_count, pair);
    size_t most = kind == DJ_COMPONENT_PEAK ? DJ_SPATIAL_BINS : spatial->cache_count;
    dj_component *found = calloc(most + 1, sizeof *found);
    if (!found)
        return dj_fail_memory(context, "components of spatial locality", most * sizeof *found);
    const dj_spatial_pair *from = &spatial->pairs[pair];
    limits = limits ? limits : &defaults;
    if (kind == DJ_COMPONENT_PEAK) {
        *count = find_peaks(from, limits, found);
    } else {
        uint64_t whole = dj_spatial_whole(from).reuses;
        *count = spatial->cache_count;
        for (size_t k = 0; k < *count; k++)
            found[k] = make_cache(spatial, from, k, whole, limits);
    }
    for (size_t i = 0; i < *count; i++) {
        found[i].pair = pair;
        if (dj_spatial_is_estimate(spatial))
            find_ranges(spatial, &found[i]);
    }
    *out = found;
    return DJ_OK;
}
