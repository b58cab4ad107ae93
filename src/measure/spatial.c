// SPDX-License-Identifier: MIT
#include "measure/spatial.h"

enum { LINE_BYTES = 64, CACHE_BYTES = 32 << 10 };

void dj_spatial_default_blocks(const dj_source_info *info, uint64_t *first, uint64_t *last)
{
    bool memory = info->kind != DJ_CLASS_BLOCK_IO;
    *first = info->unit_bytes == 0 ? 1 : memory ? 32 : 4096;
    *last = info->unit_bytes == 0 ? 256 : memory ? 128 : 1 << 20;
}

// Cache lines if they are among the block sizes, otherwise the larger block of the ranked pair; while
// they stay in the smallest cache.
dj_usage_options dj_spatial_usage(const dj_spatial_request *request, const uint64_t *blocks,
                                  size_t block_count, const dj_cache_size *caches, size_t cache_count)
{
    dj_usage_options usage = {.block = 2 * (request->ranked_block ? request->ranked_block : blocks[0]),
                              .cache_bytes = CACHE_BYTES};
    for (size_t i = 0; i < block_count; i++)
        if (blocks[i] == LINE_BYTES)
            usage.block = LINE_BYTES;
    if (cache_count > 0)
        usage.cache_bytes = caches[0].bytes;
    if (usage.cache_bytes < usage.block)
        usage.cache_bytes = usage.block;
    if (request->residency_bytes)
        usage.cache_bytes = request->residency_bytes;
    return usage;
}
