// SPDX-License-Identifier: MIT
// What a request for spatial locality comes to.
#ifndef DEJA_MEASURE_SPATIAL_H
#define DEJA_MEASURE_SPATIAL_H

#include <deja/measure.h>
#include <deja/observer_options.h>

// Block sizes from *first to *last, each twice the one before, for such a trace.
void dj_spatial_usual_blocks(const dj_source_info *info, uint64_t *first, uint64_t *last);

// In which blocks and which cache the use of blocks is counted. The caches increase.
dj_usage_options dj_spatial_usage(const dj_spatial_request *request, const uint64_t *blocks,
                                  size_t block_count, const dj_cache_size *caches, size_t cache_count);

#endif
