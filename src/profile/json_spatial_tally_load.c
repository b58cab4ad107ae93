// SPDX-License-Identifier: MIT
// Reads the spatial part of a tally.
#include <stdlib.h>

#include "profile/json_load.h"
#include "profile/spatial_check.h"

// Of a pair: the list of bins, two numbers for each.
static int load_bins(dj_json_reader *reader, dj_spatial_counts *counts)
{
    uint64_t numbers[2 * DJ_SPATIAL_BINS];
    dj_load_numbers list = {numbers, sizeof numbers / sizeof *numbers, 0, "numbers"};
    uint32_t first = 0;
    int err = dj_load_need(reader, true, "first bin");
    if (err == DJ_OK)
        err = dj_load_u32(reader, &first);
    if (err == DJ_OK)
        err = dj_load_need(reader, false, "bins");
    if (err == DJ_OK)
        err = dj_load_number_list(reader, &list);
    if (err != DJ_OK || list.count == 0)
        return err;
    uint32_t count = (uint32_t)list.count / 2;
    if (list.count % 2 != 0 || first >= DJ_SPATIAL_BINS || count > DJ_SPATIAL_BINS - first)
        return dj_json_fail(reader, "bins of spatial locality are pairs of numbers, below bin %d",
                            DJ_SPATIAL_BINS);
    err = dj_spatial_counts_widen(counts, dj_json_context(reader), first, first + count);
    for (uint32_t i = 0; err == DJ_OK && i < count; i++)
        counts->bins[i] = (dj_spatial_count){numbers[2 * i], numbers[2 * i + 1]};
    return err;
}

// The list of caches, four numbers for each.
static int load_caches(dj_json_reader *reader, dj_spatial_tally *tally, dj_spatial_counts *counts)
{
    uint64_t numbers[4 * DJ_SPATIAL_CACHES_MOST];
    dj_load_numbers list = {numbers, sizeof numbers / sizeof *numbers, 0, "numbers"};
    int err = dj_load_need(reader, false, "caches");
    if (err == DJ_OK)
        err = dj_load_number_list(reader, &list);
    if (err != DJ_OK)
        return err;
    size_t count = list.count / 4;
    if (list.count % 4 != 0 || (tally->pair_count > 1 && count != tally->cache_count))
        return dj_json_fail(reader,
                            "caches of spatial locality have four numbers each, as many in each pair");
    tally->cache_count = count;
    counts->caches = calloc(count + 1, sizeof *counts->caches);
    if (!counts->caches)
        return dj_fail_memory(dj_json_context(reader), "the spatial locality of a place", 0);
    for (size_t i = 0; i < count; i++)
        counts->caches[i] = (dj_spatial_cache){.own = {numbers[4 * i], numbers[4 * i + 1]},
                                               .all = {numbers[4 * i + 2], numbers[4 * i + 3]}};
    return DJ_OK;
}

static int load_pair(dj_json_reader *reader, void *target)
{
    dj_spatial_tally *tally = target;
    if (tally->pair_count == DJ_SPATIAL_PAIRS_MOST)
        return dj_json_fail(reader, "more than %d pairs of block sizes", DJ_SPATIAL_PAIRS_MOST);
    dj_spatial_counts *grown = dj_load_grown(reader, tally->pairs, tally->pair_count, sizeof *grown);
    if (!grown)
        return DJ_ERR_MEMORY;
    tally->pairs = grown;
    dj_spatial_counts *counts = &grown[tally->pair_count++]; // from here on it is freed with the others
    *counts = (dj_spatial_counts){0};
    int err = dj_json_enter(reader, '[');
    if (err == DJ_OK)
        err = load_bins(reader, counts);
    if (err == DJ_OK)
        err = load_caches(reader, tally, counts);
    return err != DJ_OK ? err : dj_load_rest(reader);
}

static int load_strides(dj_json_reader *reader, dj_usage *usage)
{
    bool more;
    int err = dj_json_enter(reader, '[');
    for (size_t i = 0;; i++) {
        if (err == DJ_OK)
            err = dj_json_step(reader, ']', i == 0, &more);
        if (err != DJ_OK || !more)
            return err;
        if (i == DJ_STRIDES)
            return dj_json_fail(reader, "a tally has more than %d strides", DJ_STRIDES);
        err = dj_json_read_int(reader, &usage->stride[i]);
        if (err == DJ_OK)
            err = dj_load_need(reader, false, "count of a stride");
        if (err == DJ_OK)
            err = dj_json_read_uint(reader, &usage->stride_count[i]);
    }
}

static int load_usage(dj_json_reader *reader, dj_usage *usage)
{
    uint64_t *numbers[] = {&usage->steps, &usage->fetched, &usage->used, &usage->grain, &usage->way};
    int err = dj_json_enter(reader, '[');
    for (size_t i = 0; err == DJ_OK && i < sizeof numbers / sizeof *numbers; i++) {
        err = dj_load_need(reader, i == 0, "use of blocks");
        if (err == DJ_OK)
            err = dj_json_read_uint(reader, numbers[i]);
    }
    if (err == DJ_OK)
        err = dj_load_need(reader, false, "strides");
    if (err == DJ_OK)
        err = load_strides(reader, usage);
    return err != DJ_OK ? err : dj_load_rest(reader);
}

int dj_load_spatial_tally(dj_json_reader *reader, dj_spatial_tally **out)
{
    dj_context *context = dj_json_context(reader);
    int err = dj_spatial_tally_create(context, 0, 0, out);
    if (err == DJ_OK)
        err = dj_json_enter(reader, '[');
    if (err == DJ_OK)
        err = dj_load_need(reader, true, "pairs");
    if (err == DJ_OK)
        err = dj_json_read_list(reader, load_pair, *out);
    if (err == DJ_OK)
        err = dj_load_need(reader, false, "use of blocks");
    if (err == DJ_OK)
        err = load_usage(reader, &(*out)->usage);
    return err != DJ_OK ? err : dj_load_rest(reader);
}
