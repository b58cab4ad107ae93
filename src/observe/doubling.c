// SPDX-License-Identifier: MIT
#include "observe/doubling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The same accesses in blocks of twice the size.
static bool doubles(const dj_lane_id *from, const dj_lane_id *to)
{
    return to->block_bytes % 2 == 0 && to->block_bytes / 2 == from->block_bytes &&
           strcmp(from->filter, to->filter) == 0 && strcmp(from->partition, to->partition) == 0;
}

int dj_doubling_check(dj_context *context, const dj_setup *setup, const dj_spatial_cache_size *caches,
                      size_t cache_count)
{
    if (setup->lane_count < 2)
        return dj_fail(context, DJ_ERR_USAGE, "spatial locality needs at least two block sizes");
    for (uint32_t i = 1; i < setup->lane_count; i++)
        if (!doubles(&setup->lanes[i - 1], &setup->lanes[i]))
            return dj_fail(context, DJ_ERR_USAGE,
                           "spatial locality needs block sizes that double; %" PRIu64 " after %" PRIu64
                           " does not",
                           setup->lanes[i].block_bytes, setup->lanes[i - 1].block_bytes);
    for (size_t i = 0; i < cache_count; i++)
        if (caches[i].bytes <= (i > 0 ? caches[i - 1].bytes : 0))
            return dj_fail(context, DJ_ERR_USAGE, "cache sizes must be above 0 and increase; %s does not",
                           caches[i].name);
    return DJ_OK;
}

int dj_doubling_cuts(dj_context *context, const dj_setup *setup, const dj_spatial_cache_size *caches,
                     size_t cache_count, uint64_t **out)
{
    uint64_t *cuts = calloc(setup->lane_count * cache_count + 1, sizeof *cuts);
    if (!cuts)
        return dj_fail_memory(context, "the caches", setup->lane_count * cache_count * sizeof *cuts);
    for (uint32_t lane = 0; lane < setup->lane_count; lane++)
        for (size_t k = 0; k < cache_count; k++)
            cuts[lane * cache_count + k] =
                dj_spatial_cache_blocks(caches[k].bytes, setup->lanes[lane].block_bytes);
    *out = cuts;
    return DJ_OK;
}
